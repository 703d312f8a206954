/* The engine protocol of Rollcall (docs/engine-protocol.md) in C: one frame is read, any number are written. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* None of these names is seen by the program. */
#pragma GCC visibility push(hidden)

enum { HELLO = 1, INTERFACE, DATAGRAM, WAKE, SEARCH, STOP_SEARCH, STOP, HOLD, RELEASE, REFUSED, OTHER, END = 15 };
enum { SEND = 129, JOIN, LEAVE, FOUND, CHANGED, LOST, SERVICE, SEARCH_ENDED, FAILED, LOG = 142, READY };
enum { BYEBYE = 1, EXPIRED, REBOOTED, INTERFACE_GONE, EVICTED, STOPPED };

/* An address (version 4 or 6) and a port. */
struct name {
  int version;
  unsigned char bytes[16];
  uint16_t port;
};

/* Says what is wrong on standard error and ends the process. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The descriptors that frames are read from and written to. */
void frames_open(int input, int output);

/* Reads one frame and gives its type; END where the host is gone. Its fields are taken in their order. */
int frame_read(void);
uint64_t take(int bytes);
bool take_bool(void);
struct name take_address(void);
struct name take_endpoint(void);
/* The bytes stay until the next frame. */
const unsigned char *take_bytes(size_t *length);
void take_end(void);

/* Begins a frame; its fields follow. */
void frame(int type);
void put(int bytes, uint64_t value);
void put_address(const struct name *address);
void put_endpoint(const struct name *endpoint);
void put_bytes(const void *bytes, size_t length);
/* What is no UTF-8 becomes a question mark, and what is longer than the host takes is left out. */
void put_text(const char *text);
/* NULL: not known. */
void put_perhaps_text(const char *text);
/* Writes out all that was put, at the end of a turn. */
void frames_flush(void);

#pragma GCC visibility pop

#endif
