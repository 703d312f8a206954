/* What the parts of the library share: time, interfaces, sockets, and the lines that the program prints. */
#ifndef VIRTUAL_H
#define VIRTUAL_H

#include "frames.h"

/* None of these names is seen by the program. */
#pragma GCC visibility push(hidden)

enum { INTERFACES = 64, ADDRESSES = 16 };
/* Programs count interfaces from 1, which is the loopback; the protocol counts from 0. */
enum { FIRST_INDEX = 2 };

struct interface {
  bool up;
  int count;
  struct name addresses[ADDRESSES];
  int prefixes[ADDRESSES];
};

extern struct interface interfaces[INTERFACES];
/* Nanoseconds of virtual time. */
extern int64_t now;
/* The last datagram that a socket was given: who sent it, and on which interface it came. */
extern struct name heard_from;
extern int heard_on;

/* Ends the turn, and gives the type of the frame that the host says next; `deadline` INT64_MAX: none. */
int turn(int64_t deadline);

/* virtual-sockets.c */
bool socket_is_virtual(int fd);
bool socket_has_data(int fd);
void sockets_deliver(int interface, struct name source, struct name destination, const unsigned char *bytes, size_t length);
void sockets_rejoin(int interface);
/* Its first address of this version, for IPv6 a link-local one where it has one; NULL: none. */
const struct name *interface_address(int interface, int version);

/* printed-lines.c */
void lines_open(void);
/* Reads what the program has printed in a turn that `type` began, and writes frames about it. */
void lines_report(int type);
/* Gives the program a line to read on its standard input. */
void lines_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void lines_search(uint32_t search);
void lines_failed(uint32_t search, int reason, const char *text);

#pragma GCC visibility pop

#endif
