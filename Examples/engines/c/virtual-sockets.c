/* UDP sockets and interfaces of the network that the host simulates, for a program that knows nothing of it.
 *
 * A virtual socket has the number of a real descriptor, which nobody uses for anything else. All other sockets stay what they
 * are, but for TCP and netlink, which are refused: what they would say is about the real machine. */
#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct sock *sockets[DESCRIPTORS];
static uint16_t next_port = FREE_PORT;

struct sock *socket_find(int fd) { return fd >= 0 && fd < DESCRIPTORS ? sockets[fd] : NULL; }

int refuse(int number)
{
  errno = number;
  return -1;
}

bool is_same(const struct name *left, const struct name *right)
{
  return left->version == right->version && !memcmp(left->bytes, right->bytes, left->version == 4 ? 4 : 16);
}

bool is_group(const struct name *name)
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

int interface_with(const struct name *address)
{
  for (int i = 0; i < INTERFACES; i++)
    for (int j = 0; interfaces[i].up && j < interfaces[i].count; j++)
      if (is_same(&interfaces[i].addresses[j], address)) return i;
  return -1;
}

int first_interface(int version)
{
  for (int i = 0; i < INTERFACES; i++)
    if (interface_address(i, version)) return i;
  return -1;
}

/* ---- names of sockets ------------------------------------------------------------------------------------------- */

bool from_sockaddr(const struct sockaddr *address, struct name *name, int *interface)
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

void give_name(const struct name *name, int interface, struct sockaddr *to, socklen_t *length)
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

int wanting(int interface, const struct name *group)
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
  if (interface < 0) return refuse(ENODEV);
  if (sock->count == MEMBERSHIPS) return refuse(ENOBUFS);
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
  return refuse(EADDRNOTAVAIL);
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

int socket(int domain, int type, int protocol)
{
  if (domain == AF_NETLINK) return refuse(EAFNOSUPPORT);
  if (domain != AF_INET && domain != AF_INET6) return REAL(socket)(domain, type, protocol);
  if ((type & 15) != SOCK_DGRAM) return refuse(EACCES);
  int flags = (type & SOCK_NONBLOCK ? EFD_NONBLOCK : 0) | (type & SOCK_CLOEXEC ? EFD_CLOEXEC : 0);
  int fd = eventfd(0, flags);
  if (fd < 0 || fd >= DESCRIPTORS) return fd < 0 ? fd : refuse(EMFILE);
  struct sock *sock = calloc(1, sizeof *sock);
  if (!sock) return refuse(ENOMEM);
  *sock = (struct sock){.any = true, .interface = -1, .ttl = 1};
  sock->bound.version = domain == AF_INET ? 4 : 6;
  sock->last = &sock->first;
  sockets[fd] = sock;
  return fd;
}

int close(int fd)
{
  struct sock *sock = socket_find(fd);
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

void choose_port(struct sock *sock)
{
  if (sock->bound.port == 0) sock->bound.port = next_port++;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
  struct sock *sock = socket_find(fd);
  struct name name;
  if (!sock) return REAL(bind)(fd, address, length);
  if (!from_sockaddr(address, &name, NULL) || name.version != sock->bound.version) return refuse(EINVAL);
  sock->any = is_zero(&name);
  if (!sock->any && !is_group(&name) && interface_with(&name) < 0) return refuse(EADDRNOTAVAIL);
  sock->bound = name;
  choose_port(sock);
  for (int i = 0; i < sock->count; i++) say_group(JOIN, sock, &sock->memberships[i]);
  return 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
  struct sock *sock = socket_find(fd);
  if (!sock) return REAL(connect)(fd, address, length);
  if (!from_sockaddr(address, &sock->peer, &sock->interface)) return refuse(EINVAL);
  choose_port(sock);
  return 0;
}

int getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
  struct sock *sock = socket_find(fd);
  if (!sock) return REAL(getsockname)(fd, address, length);
  give_name(&sock->bound, interface_with(&sock->bound), address, length);
  return 0;
}

int getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
  struct sock *sock = socket_find(fd);
  if (!sock) return REAL(getpeername)(fd, address, length);
  if (!sock->peer.version) return refuse(ENOTCONN);
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
  struct sock *sock = socket_find(fd);
  if (!sock) return REAL(setsockopt)(fd, level, option, value, length);
  int number = length >= sizeof(int) ? *(const int *)value : length ? *(const unsigned char *)value : 0;
  struct name group = {.version = sock->bound.version};
  if (level == IPPROTO_IP) {
    int interface = -1;
    bool join = option == IP_ADD_MEMBERSHIP;
    if ((join || option == IP_DROP_MEMBERSHIP) && length >= sizeof(struct ip_mreq)) {
      memcpy(group.bytes, value, 4);
      interface = named_interface(value, length, 4);
      if (interface == -2) return refuse(ENODEV);
      return join ? add_membership(sock, interface, &group) : drop_membership(sock, interface, &group);
    }
    if (option == IP_MULTICAST_IF) {
      interface = named_interface(value, length, length >= sizeof(struct ip_mreq) ? 4 : 0);
      if (interface == -2) return refuse(EADDRNOTAVAIL);
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
  struct sock *sock = socket_find(fd);
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
