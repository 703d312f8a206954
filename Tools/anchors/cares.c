// One DNS message read with the functions of c-ares 1.18: every name and every string of a TXT record is expanded, every
// other field taken, and all of it kept until the message has been read, in one node for each record and each string, as
// ares_parse_srv_reply and ares_parse_txt_reply_ext do. Those cannot be the anchor themselves: they refuse a message
// without a question, and a response of multicast DNS has none.
#include <ares.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text {
  struct text *next;
  unsigned char *bytes;
  size_t count;
};

struct record {
  struct record *next;
  char *name, *target;
  struct text *texts;
  uint8_t *types;
  uint32_t ttl;
  uint16_t type, class, priority, weight, port;
  uint8_t address[16];
};

static uint16_t big16(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

// The name at `place`, which goes behind it; NULL where c-ares refuses it.
static char *name(const uint8_t *bytes, int count, int *place) {
  char *text;
  long taken;
  if (ares_expand_name(bytes + *place, bytes, count, &text, &taken) != ARES_SUCCESS) return NULL;
  *place += (int)taken;
  return text;
}

static int strings(const uint8_t *bytes, int count, int place, int end, struct record *record) {
  struct text **last = &record->texts;
  while (place < end) {
    unsigned char *text;
    long taken;
    if (ares_expand_string(bytes + place, bytes, count, &text, &taken) != ARES_SUCCESS) return -1;
    struct text *node = malloc(sizeof *node);
    *node = (struct text){NULL, text, bytes[place]};
    *last = node;
    last = &node->next;
    place += (int)taken;
  }
  return place == end ? 0 : -1;
}

static int data(const uint8_t *bytes, int count, int place, int end, struct record *record) {
  int size = end - place;
  switch (record->type) {
    case 1: case 28:
      if (size != (record->type == 1 ? 4 : 16)) return -1;
      memcpy(record->address, bytes + place, (size_t)size);
      return 0;
    case 12: return (record->target = name(bytes, count, &place)) && place == end ? 0 : -1;
    case 16: return strings(bytes, count, place, end, record);
    case 33:
      if (size < 7) return -1;
      record->priority = big16(bytes + place);
      record->weight = big16(bytes + place + 2);
      record->port = big16(bytes + place + 4);
      place += 6;
      return (record->target = name(bytes, count, &place)) && place == end ? 0 : -1;
    case 47:
      if (!(record->target = name(bytes, count, &place)) || place > end) return -1;
      record->types = malloc((size_t)(end - place) + 1);
      memcpy(record->types, bytes + place, (size_t)(end - place));
      return 0;
    default: return 0;
  }
}

// Reads one record into a node; NULL where it is refused.
static struct record *record(const uint8_t *bytes, int count, int *place) {
  struct record *record = calloc(1, sizeof *record);
  if (!(record->name = name(bytes, count, place)) || *place + 10 > count) return NULL;
  const uint8_t *fields = bytes + *place;
  record->type = big16(fields);
  record->class = big16(fields + 2);
  record->ttl = (uint32_t)big16(fields + 4) << 16 | big16(fields + 6);
  int start = *place + 10, end = start + big16(fields + 8);
  if (end > count || data(bytes, count, start, end, record)) return NULL;
  *place = end;
  return record;
}

static void release(struct record *record) {
  ares_free_string(record->name);
  if (record->target) ares_free_string(record->target);
  free(record->types);
  for (struct text *text = record->texts, *next; text; text = next) {
    next = text->next;
    ares_free_string(text->bytes);
    free(text);
  }
  free(record);
}

// Reads a response without questions `repeats` times. Comes back with the sum of the seconds of all TTLs, or 0 where a
// record was refused.
uint64_t rollcall_anchor_dns(const uint8_t *bytes, size_t count, uint64_t repeats) {
  uint64_t sum = 0;
  for (uint64_t pass = 0; pass < repeats; pass++) {
    int place = 12;
    int records = big16(bytes + 6) + big16(bytes + 8) + big16(bytes + 10);
    struct record *first = NULL, **last = &first;
    for (int number = 0; number < records; number++) {
      struct record *next = record(bytes, (int)count, &place);
      if (!next) return 0;
      sum += next->ttl;
      *last = next;
      last = &next->next;
    }
    for (struct record *one = first, *next; one; one = next) {
      next = one->next;
      release(one);
    }
  }
  return sum;
}
