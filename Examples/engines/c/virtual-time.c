/* Virtual time for a program that knows nothing of it: where it would wait in poll, the turn of the engine ends.
 *
 * Preload it (LD_PRELOAD): standard input and output become frames, and the program has other ones (printed-lines.c). It may
 * have one thread that waits, and waits with poll or ppoll; select, epoll and timerfd stay what they are, in real time.
 * The clock of the program goes in steps of a millisecond, which is what poll counts in: so its timers end on time. */
#define _GNU_SOURCE
#include "virtual.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* What virtual time 0 is for programs that ask: 2024-01-01, midnight, UTC; and 1000 s since the machine was started. */
static const int64_t second = 1000000000, millisecond = 1000000, date = 1704067200, uptime = 1000;

int64_t now;
struct interface interfaces[INTERFACES];
static uint64_t dice;
static bool running;

static void read_interface(void)
{
  int number = (int)take(2);
  bool up = take_bool();
  int count = (int)take(1);
  if (number >= INTERFACES) fail("interface %d: this engine has room for %d", number, INTERFACES);
  struct interface *interface = &interfaces[number];
  interface->up = up && count > 0;
  interface->count = 0;
  for (int i = 0; i < count; i++) {
    struct name address = take_address();
    int prefix = (int)take(1);
    if (interface->count == ADDRESSES) continue;
    interface->addresses[interface->count] = address;
    interface->prefixes[interface->count++] = prefix;
  }
  sockets_rejoin(number);
  if (running) lines_tell("interfaces\n");
}

static void read_datagram(void)
{
  int interface = (int)take(2);
  struct name source = take_endpoint(), destination = take_endpoint();
  take(1);
  size_t length;
  const unsigned char *bytes = take_bytes(&length);
  sockets_deliver(interface, source, destination, bytes, length);
}

static void read_search(void)
{
  uint32_t search = (uint32_t)take(4);
  size_t length;
  const unsigned char *target = take_bytes(&length);
  unsigned mx = (unsigned)take(2), copies = (unsigned)take(2);
  long long spacing = (long long)take(8);
  bool has_host = take_bool();
  if (has_host) take_endpoint();
  int interface = take_bool() ? (int)take(2) : -1;
  lines_search(search);
  bool odd = memchr(target, '\n', length) || memchr(target, 0, length);
  if (odd || has_host) {
    lines_failed(search, 4, "The library searches by multicast alone, for a target of one line.");
    return;
  }
  lines_tell("search %u %u %u %lld %d %.*s\n", search, mx, copies, spacing / millisecond, interface, (int)length, target);
}

/* Reads the next frame, and does what the network has to do for it. */
static int read_frame(void)
{
  int type = frame_read();
  if (type == END) _exit(0);
  if (type == HELLO) {
    int version = (int)take(2);
    if (version != 1) fail("version %d of the protocol; this engine knows 1", version);
    dice = take(8);
    take(8);
  } else {
    now = (int64_t)take(8);
  }
  switch (type) {
  case HELLO: case WAKE: break;
  case INTERFACE: read_interface(); break;
  case DATAGRAM: read_datagram(); break;
  case SEARCH: read_search(); break;
  case STOP_SEARCH: lines_tell("stop-search %u\n", (unsigned)take(4)); break;
  case STOP: lines_tell("stop\n"); break;
  default: return type; /* Nothing that a library of sockets could be told. */
  }
  take_end();
  return type;
}

int turn(int64_t deadline)
{
  static int type = HELLO;
  lines_report(type);
  frame(READY);
  put(1, deadline != INT64_MAX);
  if (deadline != INT64_MAX) put(8, (uint64_t)deadline);
  frames_flush();
  return type = read_frame();
}

/* Before the program begins: until an interface is up. It starts in the turn of that one, so that it has joined its groups
 * before anything else happens; of others it is told. */
__attribute__((constructor)) static void begin(void)
{
  /* Programs that this one starts are not in virtual time; and GLib wakes at another part of a second on each machine, which
   * it derives from these. */
  unsetenv("LD_PRELOAD");
  unsetenv("HOSTNAME");
  unsetenv("DBUS_SESSION_BUS_ADDRESS");
  int input = fcntl(0, F_DUPFD_CLOEXEC, 200), output = fcntl(1, F_DUPFD_CLOEXEC, 200);
  if (input < 0 || output < 0) fail("standard input and output have to be open");
  frames_open(input, output);
  lines_open();
  if (read_frame() != HELLO) fail("HELLO comes first");
  for (bool up = false; !up;) {
    turn(INT64_MAX);
    for (int i = 0; i < INTERFACES; i++) up = up || interfaces[i].up;
  }
  running = true;
}

/* A program that has ended goes on as one that hears nothing. */
__attribute__((destructor)) static void end(void)
{
  if (!running) return;
  fflush(stdout);
  frame(LOG);
  put_text("the program has ended");
  for (;;) turn(INT64_MAX);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static int ready(struct pollfd *fds, nfds_t count)
{
  static int (*real)(struct pollfd *, nfds_t, int);
  if (!real) real = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  int found = 0;
  for (nfds_t i = 0; i < count; i++) {
    struct pollfd *one = &fds[i];
    if (socket_is_virtual(one->fd))
      one->revents = (short)(one->events & ((socket_has_data(one->fd) ? POLLIN | POLLRDNORM : 0) | POLLOUT | POLLWRNORM));
    else if (real(one, 1, 0) < 0)
      return -1;
    found += one->revents != 0;
  }
  return found;
}

/* The time as the program has it. */
static int64_t clock_now(void) { return now - now % millisecond; }

static int wait_until(struct pollfd *fds, nfds_t count, int64_t until)
{
  for (;;) {
    int found = ready(fds, count);
    if (found || now >= until) return found;
    turn(until);
  }
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
  return wait_until(fds, count, timeout < 0 ? INT64_MAX : clock_now() + timeout * millisecond);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size)
{
  (void)size;
  return poll(fds, count, timeout);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *signals)
{
  (void)signals;
  return wait_until(fds, count, timeout ? clock_now() + timeout->tv_sec * second + timeout->tv_nsec : INT64_MAX);
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
  wait_until(NULL, 0, clock_now() + time->tv_sec * second + time->tv_nsec);
  if (rest) *rest = (struct timespec){0};
  return 0;
}

int usleep(useconds_t time) { return wait_until(NULL, 0, clock_now() + (int64_t)time * 1000); }

unsigned sleep(unsigned seconds) { return (unsigned)wait_until(NULL, 0, clock_now() + seconds * second); }

/* ---- clocks ----------------------------------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *time)
{
  bool is_date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  time->tv_sec = (is_date ? date : uptime) + clock_now() / second;
  time->tv_nsec = clock_now() % second;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
  (void)zone;
  *time = (struct timeval){date + clock_now() / second, clock_now() % second / 1000};
  return 0;
}

time_t time(time_t *to)
{
  if (to) *to = date + now / second;
  return date + now / second;
}

/* ---- random numbers, drawn from the seed of the run --------------------------------------------------------------- */

ssize_t getrandom(void *to, size_t count, unsigned flags)
{
  (void)flags;
  for (size_t i = 0; i < count; i++) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    ((unsigned char *)to)[i] = (unsigned char)(dice >> 56);
  }
  return (ssize_t)count;
}

int getentropy(void *to, size_t count)
{
  getrandom(to, count, 0);
  return 0;
}

static ssize_t read_dice(void *cookie, char *to, size_t count)
{
  (void)cookie;
  return getrandom(to, count, 0);
}

/* GLib has its random numbers from this file. */
FILE *fopen64(const char *path, const char *mode)
{
  static FILE *(*real)(const char *, const char *);
  if (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"))
    return fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_dice});
  if (!real) real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen64");
  return real(path, mode);
}

FILE *fopen(const char *path, const char *mode) { return fopen64(path, mode); }
