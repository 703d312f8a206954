// Preloaded into the recorded programs: gssdp and miniupnpd write the kernel's release into their SERVER and USER-AGENT
// headers, and the recording machine's release does not belong in a capture.
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *name) {
  long result = syscall(SYS_uname, name);
  if (result == 0) {
    strcpy(name->release, "6.1.0");
    strcpy(name->version, "#1");
  }
  return (int)result;
}
