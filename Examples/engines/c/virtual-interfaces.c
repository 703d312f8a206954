/* What a program can ask about the interfaces of its machine: those of the simulated host, with the names if0, if1 ... */
#define _GNU_SOURCE
#include "virtual.h"

#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static const unsigned flags_up = IFF_UP | IFF_RUNNING | IFF_BROADCAST | IFF_MULTICAST;

struct entry {
  struct ifaddrs head;
  char name[IF_NAMESIZE];
  struct sockaddr_in6 address, mask;
};

static void fill(struct sockaddr_in6 *to, const unsigned char *bytes, int version, int interface)
{
  memset(to, 0, sizeof *to);
  if (version == 4) {
    struct sockaddr_in *four = (void *)to;
    four->sin_family = AF_INET;
    memcpy(&four->sin_addr, bytes, 4);
  } else {
    to->sin6_family = AF_INET6;
    memcpy(&to->sin6_addr, bytes, 16);
    if (bytes[0] == 0xfe) to->sin6_scope_id = (uint32_t)(interface + FIRST_INDEX);
  }
}

int getifaddrs(struct ifaddrs **list)
{
  /* One block for all of them, so that freeifaddrs frees the first. */
  struct entry *entries = calloc(INTERFACES * ADDRESSES, sizeof *entries);
  if (!entries) return -1;
  int count = 0;
  for (int i = 0; i < INTERFACES; i++)
    for (int j = 0; interfaces[i].up && j < interfaces[i].count; j++) {
      struct entry *entry = &entries[count++];
      const struct name *address = &interfaces[i].addresses[j];
      unsigned char mask[16] = {0};
      for (int bit = 0; bit < interfaces[i].prefixes[j] && bit < 128; bit++) mask[bit / 8] |= (unsigned char)(128 >> bit % 8);
      snprintf(entry->name, sizeof entry->name, "if%d", i);
      fill(&entry->address, address->bytes, address->version, i);
      fill(&entry->mask, mask, address->version, i);
      entry->head = (struct ifaddrs){
        .ifa_name = entry->name, .ifa_flags = flags_up, .ifa_addr = (void *)&entry->address, .ifa_netmask = (void *)&entry->mask};
      if (count > 1) entries[count - 2].head.ifa_next = &entry->head;
    }
  *list = count ? &entries->head : NULL;
  if (!count) free(entries);
  return 0;
}

void freeifaddrs(struct ifaddrs *list) { free(list); }

unsigned if_nametoindex(const char *name)
{
  int number = -1;
  char rest;
  if (sscanf(name, "if%d%c", &number, &rest) != 1 || number < 0 || number >= INTERFACES || !interfaces[number].up) {
    errno = ENODEV;
    return 0;
  }
  return (unsigned)(number + FIRST_INDEX);
}

char *if_indextoname(unsigned index, char name[IF_NAMESIZE])
{
  if (index < FIRST_INDEX || index - FIRST_INDEX >= INTERFACES || !interfaces[index - FIRST_INDEX].up) {
    errno = ENXIO;
    return NULL;
  }
  snprintf(name, IF_NAMESIZE, "if%u", index - FIRST_INDEX);
  return name;
}

/* Of the old way to ask, only what programs use beside getifaddrs. */
int ioctl(int fd, unsigned long request, ...)
{
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (request != SIOCGIFINDEX && request != SIOCGIFADDR && request != SIOCGIFFLAGS && request != SIOCGIFMTU)
    return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(fd, request, argument);
  struct ifreq *asked = argument;
  unsigned index = if_nametoindex(asked->ifr_name);
  if (!index) return -1;
  const struct name *address = interface_address((int)index - FIRST_INDEX, 4);
  struct sockaddr_in6 found;
  switch (request) {
  case SIOCGIFINDEX: asked->ifr_ifindex = (int)index; break;
  case SIOCGIFFLAGS: asked->ifr_flags = (short)flags_up; break;
  case SIOCGIFMTU: asked->ifr_mtu = 1500; break;
  default:
    if (!address) {
      errno = EADDRNOTAVAIL;
      return -1;
    }
    fill(&found, address->bytes, 4, 0);
    memcpy(&asked->ifr_addr, &found, sizeof asked->ifr_addr);
  }
  return 0;
}
