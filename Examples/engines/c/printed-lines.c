/* What the program prints is what the engine reports: lines as gssdp-discover has them, and a few more for searches.
 *
 *   resource available          a resource is there; USN and Location follow, on lines of their own
 *   resource unavailable        it is gone; USN follows
 *   search 1 heard              an answer of a search, for the first time; USN and Location follow
 *   search 1 ended              it takes no more answers
 *   search 1 stopped            the same, before its time
 *   search 1 impossible         it cannot be
 *   search 1 offline            there is no interface to send from
 *
 * Anything else is text for people (LOG). A device is what its USNs have before `::`; it is there while one of them is. */
#define _GNU_SOURCE
#include "virtual.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT = 1024, SEARCHES = 4096 };

struct resource {
  struct resource *next;
  char usn[TEXT];
};

struct device {
  struct device *next;
  char name[TEXT], location[TEXT], reported_location[TEXT];
  struct resource *resources;
  bool reported, is_brief;
  struct name source;
  int interface;
};

/* In the order in which they were found. */
static struct device *devices;
static int printed_fd = -1, told_fd = -1;
static uint32_t searches[SEARCHES];
static int search_count;

/* What the lines are about that are being read. */
static enum { NOTHING, AVAILABLE, UNAVAILABLE, HEARD } about;
static uint32_t about_search;
static char usn[TEXT];

void lines_open(void)
{
  int pipes[2];
  /* A file has room for all that is printed in a turn; a pipe would have the program wait for itself. */
  printed_fd = memfd_create("printed", MFD_CLOEXEC);
  if (printed_fd < 0 || pipe2(pipes, O_CLOEXEC) < 0) fail("no files for the program to print to and to read from");
  fcntl(printed_fd, F_SETFL, O_APPEND);
  fcntl(pipes[1], F_SETFL, O_NONBLOCK);
  printed_fd = fcntl(printed_fd, F_DUPFD_CLOEXEC, 200);
  told_fd = fcntl(pipes[1], F_DUPFD_CLOEXEC, 200);
  dup2(printed_fd, 1);
  dup2(pipes[0], 0);
  close(pipes[0]);
  close(pipes[1]);
  setvbuf(stdout, NULL, _IOLBF, 0);
}

void lines_tell(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  /* A program that does not read is not told. */
  vdprintf(told_fd, format, arguments);
  va_end(arguments);
}

void lines_search(uint32_t search)
{
  if (search_count < SEARCHES) searches[search_count++] = search;
}

void lines_failed(uint32_t search, int reason, const char *text)
{
  frame(FAILED);
  put(1, (uint64_t)reason);
  put(1, 1);
  put(4, search);
  put(1, 0);
  put_text(text);
}

static bool is_search(uint32_t search)
{
  for (int i = 0; i < search_count; i++)
    if (searches[i] == search) return true;
  return false;
}

static void log_line(const char *line)
{
  frame(LOG);
  put_text(line);
}

static struct device *device_named(const char *name)
{
  struct device **place = &devices;
  for (; *place; place = &(*place)->next)
    if (!strcasecmp((*place)->name, name)) return *place;
  *place = calloc(1, sizeof **place);
  if (!*place) fail("no memory");
  snprintf((*place)->name, TEXT, "%s", name);
  return *place;
}

/* The part of a USN before `::`, in a buffer that the next call writes again. */
static const char *device_of(const char *usn)
{
  static char name[TEXT];
  snprintf(name, TEXT, "%s", usn);
  char *colons = strstr(name, "::");
  if (colons) *colons = 0;
  return name;
}

static void available(const char *location)
{
  if (!*device_of(usn)) return;
  struct device *device = device_named(device_of(usn));
  struct resource **place = &device->resources;
  while (*place && strcmp((*place)->usn, usn)) place = &(*place)->next;
  if (!*place) {
    *place = calloc(1, sizeof **place);
    if (!*place) fail("no memory");
    snprintf((*place)->usn, TEXT, "%s", usn);
  }
  snprintf(device->location, TEXT, "%s", location);
  device->source = heard_from;
  device->interface = heard_on;
}

static void put_sighting(const struct device *device)
{
  static const struct name unspecified = {.version = 4};
  put_text(device->name);
  put_perhaps_text(*device->location ? device->location : NULL);
  put_address(device->source.version ? &device->source : &unspecified);
  put(2, (uint64_t)device->interface);
  put(1, 0);
  put(1, 0);
}

static void unavailable(void)
{
  struct device *device = device_named(device_of(usn));
  for (struct resource **place = &device->resources; *place; place = &(*place)->next)
    if (!strcmp((*place)->usn, usn)) {
      struct resource *gone = *place;
      *place = gone->next;
      free(gone);
      if (!device->resources && !device->reported) {
        /* It came and goes in one turn. */
        frame(FOUND);
        put_sighting(device);
        device->reported = device->is_brief = true;
      }
      return;
    }
}

static void heard(const char *location)
{
  const char *target = strstr(usn, "::");
  if (!*device_of(usn)) return;
  frame(SERVICE);
  put(4, about_search);
  put_text(device_of(usn));
  put_text(usn);
  put_text(target ? target + 2 : usn);
  put_perhaps_text(*location ? location : NULL);
}

static void read_line(const char *line)
{
  char word[16];
  unsigned search;
  const char *value = line + strspn(line, " ");
  if (!strcmp(line, "resource available")) {
    about = AVAILABLE;
  } else if (!strcmp(line, "resource unavailable")) {
    about = UNAVAILABLE;
  } else if (sscanf(line, "search %u %15s", &search, word) == 2 && is_search(search)) {
    about = NOTHING;
    about_search = search;
    if (!strcmp(word, "heard")) {
      about = HEARD;
    } else if (!strcmp(word, "ended") || !strcmp(word, "stopped")) {
      frame(SEARCH_ENDED);
      put(4, search);
      put(1, !strcmp(word, "stopped"));
    } else {
      lines_failed(search, !strcmp(word, "offline") ? 3 : 4, line);
    }
  } else if (about != NOTHING && !strncmp(value, "USN:", 4)) {
    value += 4;
    snprintf(usn, TEXT, "%s", value + strspn(value, " "));
    if (about == UNAVAILABLE) unavailable(), about = NOTHING;
  } else if (about != NOTHING && !strncmp(value, "Location:", 9)) {
    value += 9;
    value += strspn(value, " ");
    if (about == AVAILABLE) available(value);
    if (about == HEARD) heard(value);
    about = NOTHING;
  } else if (*line) {
    log_line(line);
  }
}

/* The program says no cause: it is what began the turn. */
static int cause_in(int type)
{
  return type == DATAGRAM ? BYEBYE : type == STOP ? STOPPED : type == INTERFACE ? INTERFACE_GONE : EXPIRED;
}

static void compare(struct device *device, int type)
{
  if (!device->resources) {
    if (device->reported) {
      frame(LOST);
      put_text(device->name);
      put(1, (uint64_t)(device->is_brief ? EXPIRED : cause_in(type)));
    }
  } else if (!device->reported) {
    frame(FOUND);
    put_sighting(device);
  } else if (strcmp(device->location, device->reported_location)) {
    frame(CHANGED);
    put_sighting(device);
    put(1, 1);
    put_perhaps_text(*device->reported_location ? device->reported_location : NULL);
  }
  device->reported = device->resources != NULL;
  device->is_brief = false;
  memcpy(device->reported_location, device->location, TEXT);
}

void lines_report(int type)
{
  static char rest[4 * TEXT];
  static size_t length;
  fflush(stdout);
  off_t size = lseek(printed_fd, 0, SEEK_END);
  if (size <= 0) return;
  char *text = malloc((size_t)size);
  if (!text) fail("no memory");
  size = pread(printed_fd, text, (size_t)size, 0);
  ftruncate(printed_fd, 0);
  for (off_t i = 0; i < size; i++)
    if (text[i] != '\n') {
      if (length < sizeof rest - 1) rest[length++] = text[i];
    } else {
      rest[length] = 0;
      length = 0;
      read_line(rest);
    }
  free(text);
  for (struct device **place = &devices; *place;) {
    struct device *device = *place;
    compare(device, type);
    if (device->resources) {
      place = &device->next;
    } else {
      *place = device->next;
      free(device);
    }
  }
}
