// A capture read as a C program would: libpcap's loop, the UDP datagrams of port 1900 among its Ethernet frames, each
// message cut by picohttpparser, and nine fields of SSDP looked up by their names. No device is remembered, no deadline
// kept and nothing reported. Debian has picohttpparser, without SSE 4.2, in the library of the web server H2O.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

// libpcap and picohttpparser, as far as they are called; neither header has to be there.
typedef struct pcap pcap_t;
struct pcap_header {
  long seconds, microseconds;
  uint32_t captured, length;
};
pcap_t *pcap_open_offline(const char *path, char *error);
int pcap_loop(pcap_t *file, int count, void (*each)(uint8_t *, const struct pcap_header *, const uint8_t *), uint8_t *user);
void pcap_close(pcap_t *file);

struct phr_header {
  const char *name;
  size_t name_len;
  const char *value;
  size_t value_len;
};
int phr_parse_request(const char *buf, size_t len, const char **method, size_t *method_len, const char **path,
                      size_t *path_len, int *minor_version, struct phr_header *headers, size_t *num_headers,
                      size_t last_len);
int phr_parse_response(const char *buf, size_t len, int *minor_version, int *status, const char **msg, size_t *msg_len,
                       struct phr_header *headers, size_t *num_headers, size_t last_len);

static int is(const struct phr_header *field, const char *name) {
  return strncasecmp(field->name, name, field->name_len) == 0;
}

// The last number of a value.
static uint64_t number(const char *value, size_t count) {
  size_t start = count;
  while (start > 0 && value[start - 1] >= '0' && value[start - 1] <= '9') start -= 1;
  uint64_t sum = 0;
  for (; start < count; start++) sum = sum * 10 + (uint64_t)(value[start] - '0');
  return sum;
}

static uint64_t field(const struct phr_header *field) {
  size_t size = field->value_len;
  switch (field->name_len) {
    case 2: return is(field, "NT") ? 3 * size : is(field, "ST") ? 5 * size : 0;
    case 3: return is(field, "USN") ? size : is(field, "NTS") ? 23 * size : 0;
    case 6: return is(field, "SERVER") ? 11 * size : 0;
    case 8: return is(field, "LOCATION") ? 7 * size : 0;
    case 13: return is(field, "CACHE-CONTROL") ? 13 * number(field->value, size) : 0;
    case 15: return is(field, "BOOTID.UPNP.ORG") ? 17 * number(field->value, size) : 0;
    case 17: return is(field, "CONFIGID.UPNP.ORG") ? 19 * number(field->value, size) : 0;
    default: return 0;
  }
}

static uint64_t message(const char *bytes, size_t count) {
  struct phr_header fields[64];
  size_t found = 64, first_size, second_size;
  const char *first, *second;
  int version, status;
  int end = count > 0 && bytes[0] == 'H'
                ? phr_parse_response(bytes, count, &version, &status, &first, &first_size, fields, &found, 0)
                : phr_parse_request(bytes, count, &first, &first_size, &second, &second_size, &version, fields, &found, 0);
  if (end < 0) return 0;
  uint64_t sum = (uint64_t)end;
  for (size_t index = 0; index < found; index++) {
    if (fields[index].name != NULL) sum += field(&fields[index]);
  }
  return sum;
}

static unsigned word(const uint8_t *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

static void frame(uint8_t *user, const struct pcap_header *header, const uint8_t *bytes) {
  size_t count = header->captured, start;
  if (count < 14) return;
  if (word(bytes + 12) == 0x0800 && count >= 34 && bytes[23] == 17) {
    start = 14 + 4 * (size_t)(bytes[14] & 15);
  } else if (word(bytes + 12) == 0x86DD && count >= 54 && bytes[20] == 17) {
    start = 54;
  } else {
    return;
  }
  if (start + 8 > count || (word(bytes + start) != 1900 && word(bytes + start + 2) != 1900)) return;
  size_t size = word(bytes + start + 4);
  if (size < 8 || start + size > count) return;
  uint64_t *sums = (uint64_t *)user;
  uint64_t sum = message((const char *)bytes + start + 8, size - 8);
  if (sum != 0) sums[0] += 1;
  sums[1] = sums[1] * 31 + sum;
}

// Messages that were read are counted in `sums[0]`, and what was found in them goes into `sums[1]`.
void rollcall_anchor_replay(const char *path, uint64_t *sums) {
  char error[256];
  sums[0] = sums[1] = 0;
  pcap_t *file = pcap_open_offline(path, error);
  if (file == NULL) return;
  pcap_loop(file, -1, frame, (uint8_t *)sums);
  pcap_close(file);
}
