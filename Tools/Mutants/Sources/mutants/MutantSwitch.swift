/// The C module that the mutated copy stands on: which mutant is chosen, which were asked for, which tests there are.
enum MutantSwitch {
  /// The environment variable with the number of the chosen mutant.
  static let chosen = "ROLLCALL_MUTANT"
  /// The environment variable with the file in which a byte is set for each mutant that was asked for.
  static let reached = "ROLLCALL_MUTANTS_REACHED"
  /// The environment variable with the records of tests that are kept: their places, rising, with commas between, or
  /// "+N" and "-N", those whose place has bit N set and clear.
  static let records = "ROLLCALL_TEST_RECORDS"

  static let header = """
    #pragma once
    #include <stdbool.h>
    extern int rollcallMutantChosen;
    extern unsigned char *rollcallMutantsReached;
    extern int rollcallMutantsCount;
    static inline bool rollcallMutant(int number) {
      if (__builtin_expect(rollcallMutantsReached != 0, 0) && number < rollcallMutantsCount)
        rollcallMutantsReached[number] = 1;
      return __builtin_expect(number == rollcallMutantChosen, 0);
    }

    """

  /// The file is mapped, so that a test that ends in a trap still says what it reached.
  static let code = """
    #include "CMutants.h"
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/stat.h>
    #include <unistd.h>
    int rollcallMutantChosen = 0;
    unsigned char *rollcallMutantsReached = 0;
    int rollcallMutantsCount = 0;
    struct record { uint32_t kind, reserved; uintptr_t accessor, context, reserved2; };
    extern struct record __start_swift5_tests[] __attribute__((weak, visibility("hidden")));
    extern struct record __stop_swift5_tests[] __attribute__((weak, visibility("hidden")));
    static void keep(const char *kept) {
      int isBit = *kept == '+' || *kept == '-', bit = isBit ? atoi(kept + 1) : 0;
      for (long place = 0; place < __stop_swift5_tests - __start_swift5_tests; place++) {
        int isKept;
        if (isBit) {
          isKept = (place >> bit & 1) == (*kept == '+');
        } else {
          char *end = (char *)kept;
          isKept = *kept && strtol(kept, &end, 10) == place;
          if (isKept) kept = *end ? end + 1 : end;
        }
        // 'test' becomes a kind that no reader knows. Others are bodies of exit tests, which a child has to find.
        if (!isKept && __start_swift5_tests[place].kind == 0x74657374) __start_swift5_tests[place].kind = 0;
      }
    }
    __attribute__((constructor)) static void rollcallMutantsBegin(void) {
      const char *records = getenv("\(records)");
      if (records) keep(records);
      const char *chosen = getenv("\(chosen)");
      if (chosen) rollcallMutantChosen = atoi(chosen);
      const char *path = getenv("\(reached)");
      struct stat status;
      if (!path) return;
      int file = open(path, O_RDWR);
      if (file < 0) return;
      if (fstat(file, &status) == 0 && status.st_size > 0) {
        void *map = mmap(0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map != MAP_FAILED) {
          rollcallMutantsCount = (int)status.st_size;
          rollcallMutantsReached = map;
        }
      }
      close(file);
    }

    """
}
