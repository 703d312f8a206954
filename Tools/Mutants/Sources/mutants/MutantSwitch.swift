/// The C module that the mutated copy stands on: which mutant is chosen, and which were asked for.
enum MutantSwitch {
  /// The environment variable with the number of the chosen mutant.
  static let chosen = "ROLLCALL_MUTANT"
  /// The environment variable with the file in which a byte is set for each mutant that was asked for.
  static let reached = "ROLLCALL_MUTANTS_REACHED"

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
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/stat.h>
    #include <unistd.h>
    int rollcallMutantChosen = 0;
    unsigned char *rollcallMutantsReached = 0;
    int rollcallMutantsCount = 0;
    __attribute__((constructor)) static void rollcallMutantsBegin(void) {
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
