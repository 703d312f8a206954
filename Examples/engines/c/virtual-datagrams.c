/* What virtual sockets send and receive. */
#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

struct name heard_from;
int heard_on;

/* ---- sending ---------------------------------------------------------------------------------------------------- */

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
  struct sock *sock = socket_find(fd);
  if (!sock) return REAL(sendmsg)(fd, message, flags);
  struct name to = sock->peer;
  int interface = sock->interface;
  if (message->msg_name && !from_sockaddr(message->msg_name, &to, &interface)) return refuse(EAFNOSUPPORT);
  if (!to.version) return refuse(EDESTADDRREQ);
  if (to.port == 0) return refuse(EINVAL);
  unsigned char bytes[65507];
  size_t length = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) {
    size_t more = message->msg_iov[i].iov_len;
    if (more > sizeof bytes - length) return refuse(EMSGSIZE);
    memcpy(bytes + length, message->msg_iov[i].iov_base, more);
    length += more;
  }
  if (interface < 0 && !sock->any) interface = interface_with(&sock->bound);
  if (interface < 0) interface = first_interface(to.version);
  if (!interface_address(interface, to.version)) return refuse(ENETUNREACH);
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
  if (!socket_find(fd)) return REAL(sendto)(fd, bytes, length, flags, to, to_length);
  struct iovec part = {(void *)bytes, length};
  struct msghdr message = {.msg_name = (void *)to, .msg_namelen = to_length, .msg_iov = &part, .msg_iovlen = 1};
  return sendmsg(fd, &message, flags);
}

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
  return socket_find(fd) ? sendto(fd, bytes, length, flags, NULL, 0) : REAL(send)(fd, bytes, length, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
  if (!socket_find(fd)) return REAL(sendmmsg)(fd, messages, count, flags);
  for (unsigned i = 0; i < count; i++) {
    ssize_t sent = sendmsg(fd, &messages[i].msg_hdr, flags);
    if (sent < 0) return i ? (int)i : -1;
    messages[i].msg_len = (unsigned)sent;
  }
  return (int)count;
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

bool socket_is_virtual(int fd) { return socket_find(fd) != NULL; }

bool socket_has_data(int fd) { return socket_find(fd) && socket_find(fd)->first; }

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
  struct sock *sock = socket_find(fd);
  if (!sock) return REAL(recvmsg)(fd, message, flags);
  while (!sock->first) {
    if (flags & MSG_DONTWAIT || fcntl(fd, F_GETFL) & O_NONBLOCK) return refuse(EAGAIN);
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
  if (!socket_find(fd)) return REAL(recvfrom)(fd, to, length, flags, from, size);
  struct iovec part = {to, length};
  struct msghdr message = {.msg_name = from, .msg_namelen = from && size ? *size : 0, .msg_iov = &part, .msg_iovlen = 1};
  ssize_t got = recvmsg(fd, &message, flags);
  if (got >= 0 && from && size) *size = message.msg_namelen;
  return got;
}

ssize_t recv(int fd, void *to, size_t length, int flags)
{
  return socket_find(fd) ? recvfrom(fd, to, length, flags, NULL, NULL) : REAL(recv)(fd, to, length, flags);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
  if (!socket_find(fd)) return REAL(recvmmsg)(fd, messages, count, flags, timeout);
  for (unsigned i = 0; i < count; i++) {
    ssize_t got = recvmsg(fd, &messages[i].msg_hdr, i ? flags | MSG_DONTWAIT : flags);
    if (got < 0) return i ? (int)i : -1;
    messages[i].msg_len = (unsigned)got;
  }
  return (int)count;
}
