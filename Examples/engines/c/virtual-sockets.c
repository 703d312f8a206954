/* UDP sockets and interfaces of the network that the host simulates, for a program that knows nothing of it.
 *
 * A virtual socket has the number of a real descriptor, which nobody uses for anything else. All other sockets stay what they
 * are, but for TCP and netlink, which are refused: what they would say is about the real machine. */
#define _GNU_SOURCE
#include "virtual.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

struct name heard_from;
int heard_on;
static struct sock *sockets[DESCRIPTORS];
static uint16_t next_port = FREE_PORT;

#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static struct sock *find(int fd) { return fd >= 0 && fd < DESCRIPTORS ? sockets[fd] : NULL; }

static int error(int number)
{
  errno = number;
  return -1;
}

static bool is_same(const struct name *left, const struct name *right)
{
  return left->version == right->version && !memcmp(left->bytes, right->bytes, left->version == 4 ? 4 : 16);
}

static bool is_group(const struct name *name)
{
  return name->version == 4 ? name->bytes[0] >> 4 == 14 : name->bytes[0] == 0xff;
}

static bool is_zero(const struct name *name)
{
  static const unsigned char zeros[16];
  return !memcmp(name->bytes, zeros, 16);
}

/* ---- interfaces ------------------------------------------------------------------------------------------------- */

const struct name *interface_address(int interface, int version)
{
  if (interface < 0 || interface >= INTERFACES || !interfaces[interface].up) return NULL;
  const struct name *found = NULL;
  for (int i = 0; i < interfaces[interface].count; i++) {
    const struct name *one = &interfaces[interface].addresses[i];
    if (one->version != version) continue;
    if (version == 6 && one->bytes[0] == 0xfe && one->bytes[1] >> 6 == 2) return one;
    if (!found) found = one;
  }
  return found;
}

static int interface_with(const struct name *address)
{
  for (int i = 0; i < INTERFACES; i++)
    for (int j = 0; interfaces[i].up && j < interfaces[i].count; j++)
      if (is_same(&interfaces[i].addresses[j], address)) return i;
  return -1;
}

static int first_interface(int version)
{
  for (int i = 0; i < INTERFACES; i++)
    if (interface_address(i, version)) return i;
  return -1;
}

/* ---- names of sockets ------------------------------------------------------------------------------------------- */

static bool from_sockaddr(const struct sockaddr *address, struct name *name, int *interface)
{
  *name = (struct name){0};
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *four = (const void *)address;
    name->version = 4;
    memcpy(name->bytes, &four->sin_addr, 4);
    name->port = ntohs(four->sin_port);
  } else if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *six = (const void *)address;
    name->version = 6;
    memcpy(name->bytes, &six->sin6_addr, 16);
    name->port = ntohs(six->sin6_port);
    if (interface && six->sin6_scope_id >= FIRST_INDEX) *interface = (int)six->sin6_scope_id - FIRST_INDEX;
  } else {
    return false;
  }
  return true;
}

static socklen_t to_sockaddr(const struct name *name, int interface, struct sockaddr_storage *to)
{
  memset(to, 0, sizeof *to);
  if (name->version == 4) {
    struct sockaddr_in *four = (void *)to;
    four->sin_family = AF_INET;
    four->sin_port = htons(name->port);
    memcpy(&four->sin_addr, name->bytes, 4);
    return sizeof *four;
  }
  struct sockaddr_in6 *six = (void *)to;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(name->port);
  memcpy(&six->sin6_addr, name->bytes, 16);
  if (interface >= 0 && name->bytes[0] == 0xfe) six->sin6_scope_id = (uint32_t)(interface + FIRST_INDEX);
  return sizeof *six;
}

static void give_name(const struct name *name, int interface, struct sockaddr *to, socklen_t *length)
{
  struct sockaddr_storage all;
  if (!to || !length) return;
  socklen_t whole = to_sockaddr(name, interface, &all);
  memcpy(to, &all, *length < whole ? *length : whole);
  *length = whole;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Whether a socket wants a group with its own port on an interface. */
static bool wants(const struct sock *sock, int interface, const struct name *group)
{
  if (sock->bound.port != group->port) return false;
  for (int i = 0; i < sock->count; i++)
    if (sock->memberships[i].interface == interface && is_same(&sock->memberships[i].group, group)) return true;
  return false;
}

static int wanting(int interface, const struct name *group)
{
  int count = 0;
  for (int fd = 0; fd < DESCRIPTORS; fd++) count += sockets[fd] && wants(sockets[fd], interface, group);
  return count;
}

/* Tells the host of a group that is new to it, or that nobody wants any more. A port that was drawn hears no group. */
static void say_group(int type, struct sock *sock, const struct membership *membership)
{
  struct name group = membership->group;
  group.port = sock->bound.port;
  if (group.port == 0 || group.port >= FREE_PORT) return;
  if (wanting(membership->interface, &group) != (type == JOIN ? 1 : 0)) return;
  if (!interface_address(membership->interface, group.version)) return;
  frame(type);
  put(2, (uint64_t)membership->interface);
  put_endpoint(&group);
}

void sockets_rejoin(int interface)
{
  /* The host has forgotten the groups of an interface that was down. Joining what is joined does no harm. */
  for (int fd = 0; fd < DESCRIPTORS; fd++)
    for (int i = 0; sockets[fd] && i < sockets[fd]->count; i++)
      if (sockets[fd]->memberships[i].interface == interface) {
        struct name group = sockets[fd]->memberships[i].group;
        group.port = sockets[fd]->bound.port;
        if (group.port == 0 || group.port >= FREE_PORT || !interface_address(interface, group.version)) continue;
        frame(JOIN);
        put(2, (uint64_t)interface);
        put_endpoint(&group);
      }
}

static int add_membership(struct sock *sock, int interface, const struct name *group)
{
  if (interface < 0) interface = first_interface(group->version);
  if (interface < 0) return error(ENODEV);
  if (sock->count == MEMBERSHIPS) return error(ENOBUFS);
  sock->memberships[sock->count] = (struct membership){interface, *group};
  say_group(JOIN, sock, &sock->memberships[sock->count++]);
  return 0;
}

static int drop_membership(struct sock *sock, int interface, const struct name *group)
{
  if (interface < 0) interface = first_interface(group->version);
  for (int i = 0; i < sock->count; i++) {
    struct membership gone = sock->memberships[i];
    if (gone.interface != interface || !is_same(&gone.group, group)) continue;
    sock->memberships[i] = sock->memberships[--sock->count];
    say_group(LEAVE, sock, &gone);
    return 0;
  }
  return error(EADDRNOTAVAIL);
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

int socket(int domain, int type, int protocol)
{
  if (domain == AF_NETLINK) return error(EAFNOSUPPORT);
  if (domain != AF_INET && domain != AF_INET6) return REAL(socket)(domain, type, protocol);
  if ((type & 15) != SOCK_DGRAM) return error(EACCES);
  int flags = (type & SOCK_NONBLOCK ? EFD_NONBLOCK : 0) | (type & SOCK_CLOEXEC ? EFD_CLOEXEC : 0);
  int fd = eventfd(0, flags);
  if (fd < 0 || fd >= DESCRIPTORS) return fd < 0 ? fd : error(EMFILE);
  struct sock *sock = calloc(1, sizeof *sock);
  if (!sock) return error(ENOMEM);
  *sock = (struct sock){.any = true, .interface = -1, .ttl = 1};
  sock->bound.version = domain == AF_INET ? 4 : 6;
  sock->last = &sock->first;
  sockets[fd] = sock;
  return fd;
}

int close(int fd)
{
  struct sock *sock = find(fd);
  if (sock) {
    while (sock->count) {
      struct membership gone = sock->memberships[--sock->count];
      say_group(LEAVE, sock, &gone);
    }
    for (struct waiting *one = sock->first; one;) {
      struct waiting *next = one->next;
      free(one);
      one = next;
    }
    free(sock);
    sockets[fd] = NULL;
  }
  return REAL(close)(fd);
}

static void choose_port(struct sock *sock)
{
  if (sock->bound.port == 0) sock->bound.port = next_port++;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
  struct sock *sock = find(fd);
  struct name name;
  if (!sock) return REAL(bind)(fd, address, length);
  if (!from_sockaddr(address, &name, NULL) || name.version != sock->bound.version) return error(EINVAL);
  sock->any = is_zero(&name);
  if (!sock->any && !is_group(&name) && interface_with(&name) < 0) return error(EADDRNOTAVAIL);
  sock->bound = name;
  choose_port(sock);
  for (int i = 0; i < sock->count; i++) say_group(JOIN, sock, &sock->memberships[i]);
  return 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(connect)(fd, address, length);
  if (!from_sockaddr(address, &sock->peer, &sock->interface)) return error(EINVAL);
  choose_port(sock);
  return 0;
}

int getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(getsockname)(fd, address, length);
  give_name(&sock->bound, interface_with(&sock->bound), address, length);
  return 0;
}

int getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(getpeername)(fd, address, length);
  if (!sock->peer.version) return error(ENOTCONN);
  give_name(&sock->peer, sock->interface, address, length);
  return 0;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* Of an option of IPv4 that names an interface: by its number (ip_mreqn), else by its address. -1: any, -2: there is none. */
static int named_interface(const void *value, socklen_t length, size_t address_at)
{
  struct name address = {.version = 4};
  if (length >= sizeof(struct ip_mreqn)) {
    int index = ((const struct ip_mreqn *)value)->imr_ifindex;
    if (index >= FIRST_INDEX) return index - FIRST_INDEX;
  }
  memcpy(address.bytes, (const char *)value + address_at, 4);
  if (is_zero(&address)) return -1;
  int found = interface_with(&address);
  return found < 0 ? -2 : found;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(setsockopt)(fd, level, option, value, length);
  int number = length >= sizeof(int) ? *(const int *)value : length ? *(const unsigned char *)value : 0;
  struct name group = {.version = sock->bound.version};
  if (level == IPPROTO_IP) {
    int interface = -1;
    bool join = option == IP_ADD_MEMBERSHIP;
    if ((join || option == IP_DROP_MEMBERSHIP) && length >= sizeof(struct ip_mreq)) {
      memcpy(group.bytes, value, 4);
      interface = named_interface(value, length, 4);
      if (interface == -2) return error(ENODEV);
      return join ? add_membership(sock, interface, &group) : drop_membership(sock, interface, &group);
    }
    if (option == IP_MULTICAST_IF) {
      interface = named_interface(value, length, length >= sizeof(struct ip_mreq) ? 4 : 0);
      if (interface == -2) return error(EADDRNOTAVAIL);
      sock->interface = interface;
    }
    if (option == IP_MULTICAST_TTL) sock->ttl = number;
    if (option == IP_PKTINFO) sock->packet_info = number != 0;
  } else if (level == IPPROTO_IPV6) {
    bool join = option == IPV6_JOIN_GROUP;
    if ((join || option == IPV6_LEAVE_GROUP) && length >= sizeof(struct ipv6_mreq)) {
      const struct ipv6_mreq *request = value;
      memcpy(group.bytes, &request->ipv6mr_multiaddr, 16);
      int interface = (int)request->ipv6mr_interface - FIRST_INDEX;
      return join ? add_membership(sock, interface, &group) : drop_membership(sock, interface, &group);
    }
    if (option == IPV6_MULTICAST_IF) sock->interface = number >= FIRST_INDEX ? number - FIRST_INDEX : -1;
    if (option == IPV6_MULTICAST_HOPS) sock->ttl = number;
    if (option == IPV6_RECVPKTINFO) sock->packet_info = number != 0;
  }
  return 0;
}

int getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(getsockopt)(fd, level, option, value, length);
  int answer = 0;
  if (level == SOL_SOCKET && option == SO_TYPE) answer = SOCK_DGRAM;
  if (level == SOL_SOCKET && option == SO_DOMAIN) answer = sock->bound.version == 4 ? AF_INET : AF_INET6;
  if (level == SOL_SOCKET && option == SO_PROTOCOL) answer = IPPROTO_UDP;
  if (level == SOL_SOCKET && (option == SO_RCVBUF || option == SO_SNDBUF)) answer = 212992;
  if (level == IPPROTO_IP && option == IP_MULTICAST_TTL) answer = sock->ttl;
  if (*length > sizeof answer) *length = sizeof answer;
  memcpy(value, &answer, *length);
  return 0;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(sendmsg)(fd, message, flags);
  struct name to = sock->peer;
  int interface = sock->interface;
  if (message->msg_name && !from_sockaddr(message->msg_name, &to, &interface)) return error(EAFNOSUPPORT);
  if (!to.version) return error(EDESTADDRREQ);
  if (to.port == 0) return error(EINVAL);
  unsigned char bytes[65507];
  size_t length = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) {
    size_t more = message->msg_iov[i].iov_len;
    if (more > sizeof bytes - length) return error(EMSGSIZE);
    memcpy(bytes + length, message->msg_iov[i].iov_base, more);
    length += more;
  }
  if (interface < 0 && !sock->any) interface = interface_with(&sock->bound);
  if (interface < 0) interface = first_interface(to.version);
  if (!interface_address(interface, to.version)) return error(ENETUNREACH);
  choose_port(sock);
  frame(SEND);
  put(2, (uint64_t)interface);
  put(2, sock->bound.port);
  put_endpoint(&to);
  put(1, (uint64_t)(is_group(&to) ? sock->ttl : 64));
  put_bytes(bytes, length);
  return (ssize_t)length;
}

ssize_t sendto(int fd, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t to_length)
{
  if (!find(fd)) return REAL(sendto)(fd, bytes, length, flags, to, to_length);
  struct iovec part = {(void *)bytes, length};
  struct msghdr message = {.msg_name = (void *)to, .msg_namelen = to_length, .msg_iov = &part, .msg_iovlen = 1};
  return sendmsg(fd, &message, flags);
}

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
  return find(fd) ? sendto(fd, bytes, length, flags, NULL, 0) : REAL(send)(fd, bytes, length, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
  if (!find(fd)) return REAL(sendmmsg)(fd, messages, count, flags);
  for (unsigned i = 0; i < count; i++) {
    ssize_t sent = sendmsg(fd, &messages[i].msg_hdr, flags);
    if (sent < 0) return i ? (int)i : -1;
    messages[i].msg_len = (unsigned)sent;
  }
  return (int)count;
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

bool socket_is_virtual(int fd) { return find(fd) != NULL; }

bool socket_has_data(int fd) { return find(fd) && find(fd)->first; }

static bool is_for(const struct sock *sock, int interface, const struct name *source, const struct name *to)
{
  if (sock->bound.port != to->port || sock->bound.version != to->version) return false;
  if (!sock->any && !is_same(&sock->bound, to)) return false;
  if (sock->peer.version && (!is_same(&sock->peer, source) || sock->peer.port != source->port)) return false;
  /* As Linux has it: a group that any socket joined on the interface is heard by all that are bound to its port. */
  return !is_group(to) || wanting(interface, to) > 0;
}

static void queue(struct sock *sock, const struct waiting *form, const unsigned char *bytes)
{
  if (sock->queued == QUEUE) return;
  struct waiting *one = malloc(sizeof *one + form->length);
  if (!one) return;
  *one = *form;
  memcpy(one->bytes, bytes, form->length);
  *sock->last = one;
  sock->last = &one->next;
  sock->queued++;
}

void sockets_deliver(int interface, struct name source, struct name destination, const unsigned char *bytes, size_t length)
{
  struct waiting form = {.source = source, .destination = destination, .interface = interface, .length = length};
  struct sock *best = NULL;
  heard_from = source;
  heard_on = interface;
  for (int fd = 0; fd < DESCRIPTORS; fd++) {
    struct sock *sock = sockets[fd];
    if (!sock || !is_for(sock, interface, &source, &destination)) continue;
    if (is_group(&destination))
      queue(sock, &form, bytes);
    else if (!best || !sock->any)
      best = sock;
  }
  if (best) queue(best, &form, bytes);
}

/* Tells to which address and on which interface a datagram came, where the program asked for it and has room. */
static void put_packet_info(struct msghdr *message, const struct waiting *one)
{
  bool four = one->destination.version == 4;
  size_t length = four ? sizeof(struct in_pktinfo) : sizeof(struct in6_pktinfo);
  if (!message->msg_control || message->msg_controllen < CMSG_SPACE(length)) {
    message->msg_controllen = 0;
    return;
  }
  struct cmsghdr *control = CMSG_FIRSTHDR(message);
  memset(control, 0, CMSG_SPACE(length));
  control->cmsg_len = CMSG_LEN(length);
  control->cmsg_level = four ? IPPROTO_IP : IPPROTO_IPV6;
  control->cmsg_type = four ? IP_PKTINFO : IPV6_PKTINFO;
  if (four) {
    struct in_pktinfo *info = (void *)CMSG_DATA(control);
    info->ipi_ifindex = one->interface + FIRST_INDEX;
    memcpy(&info->ipi_addr, one->destination.bytes, 4);
    memcpy(&info->ipi_spec_dst, one->destination.bytes, 4);
  } else {
    struct in6_pktinfo *info = (void *)CMSG_DATA(control);
    info->ipi6_ifindex = (unsigned)(one->interface + FIRST_INDEX);
    memcpy(&info->ipi6_addr, one->destination.bytes, 16);
  }
  message->msg_controllen = CMSG_SPACE(length);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
  struct sock *sock = find(fd);
  if (!sock) return REAL(recvmsg)(fd, message, flags);
  while (!sock->first) {
    if (flags & MSG_DONTWAIT || fcntl(fd, F_GETFL) & O_NONBLOCK) return error(EAGAIN);
    turn(INT64_MAX);
  }
  struct waiting *one = sock->first;
  size_t done = 0;
  for (size_t i = 0; i < message->msg_iovlen && done < one->length; i++) {
    size_t part = message->msg_iov[i].iov_len;
    if (part > one->length - done) part = one->length - done;
    memcpy(message->msg_iov[i].iov_base, one->bytes + done, part);
    done += part;
  }
  message->msg_flags = done < one->length ? MSG_TRUNC : 0;
  give_name(&one->source, one->interface, message->msg_name, message->msg_name ? &message->msg_namelen : NULL);
  if (sock->packet_info)
    put_packet_info(message, one);
  else
    message->msg_controllen = 0;
  size_t whole = one->length;
  if (!(flags & MSG_PEEK)) {
    sock->first = one->next;
    if (!sock->first) sock->last = &sock->first;
    sock->queued--;
    free(one);
  }
  return (ssize_t)(flags & MSG_TRUNC ? whole : done);
}

ssize_t recvfrom(int fd, void *restrict to, size_t length, int flags, struct sockaddr *restrict from, socklen_t *restrict size)
{
  if (!find(fd)) return REAL(recvfrom)(fd, to, length, flags, from, size);
  struct iovec part = {to, length};
  struct msghdr message = {.msg_name = from, .msg_namelen = from && size ? *size : 0, .msg_iov = &part, .msg_iovlen = 1};
  ssize_t got = recvmsg(fd, &message, flags);
  if (got >= 0 && from && size) *size = message.msg_namelen;
  return got;
}

ssize_t recv(int fd, void *to, size_t length, int flags)
{
  return find(fd) ? recvfrom(fd, to, length, flags, NULL, NULL) : REAL(recv)(fd, to, length, flags);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
  if (!find(fd)) return REAL(recvmmsg)(fd, messages, count, flags, timeout);
  for (unsigned i = 0; i < count; i++) {
    ssize_t got = recvmsg(fd, &messages[i].msg_hdr, i ? flags | MSG_DONTWAIT : flags);
    if (got < 0) return i ? (int)i : -1;
    messages[i].msg_len = (unsigned)got;
  }
  return (int)count;
}
