/* Sockets of the simulated network, for the two files that make them: virtual-sockets.c and virtual-datagrams.c. */
#ifndef SOCKETS_H
#define SOCKETS_H

#include "virtual.h"

#include <dlfcn.h>
#include <sys/socket.h>

/* None of these names is seen by the program. */
#pragma GCC visibility push(hidden)

enum { DESCRIPTORS = 1024, MEMBERSHIPS = 32, FREE_PORT = 49152, QUEUE = 4096 };

struct membership {
  int interface;
  struct name group;
};

struct waiting {
  struct waiting *next;
  struct name source, destination;
  int interface;
  size_t length;
  unsigned char bytes[];
};

struct sock {
  struct name bound, peer; /* A version of 0: not connected. */
  bool any, packet_info;
  int interface; /* To send to groups from; -1: the first. */
  int ttl;
  int count;
  struct membership memberships[MEMBERSHIPS];
  int queued;
  struct waiting *first, **last;
};

/* The function that would have been called without this library. */
#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* By descriptor; NULL: it is none of ours. */
extern struct sock *sockets[DESCRIPTORS];
struct sock *socket_find(int fd);
/* Sets errno, and gives -1. */
int refuse(int number);

bool is_same(const struct name *left, const struct name *right);
bool is_group(const struct name *name);
int interface_with(const struct name *address);
int first_interface(int version);
/* How many sockets have joined a group with its port on an interface. */
int wanting(int interface, const struct name *group);
void choose_port(struct sock *sock);

bool from_sockaddr(const struct sockaddr *address, struct name *name, int *interface);
void give_name(const struct name *name, int interface, struct sockaddr *to, socklen_t *length);

#pragma GCC visibility pop

#endif
