#define _GNU_SOURCE
#include "frames.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 1048576, LONGEST_TEXT = 4096 };

static int in_fd = 0, out_fd = 1;
static unsigned char body[LONGEST];
static size_t body_length, place;

/* What is written in this turn; `start` is the frame that is being put. */
static unsigned char *out;
static size_t out_length, out_room, start;

void fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  dprintf(2, "engine: ");
  vdprintf(2, format, arguments);
  dprintf(2, "\n");
  va_end(arguments);
  _exit(3);
}

void frames_open(int input, int output)
{
  in_fd = input;
  out_fd = output;
}

static bool read_all(unsigned char *to, size_t count)
{
  while (count) {
    ssize_t got = read(in_fd, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= (size_t)got;
  }
  return true;
}

int frame_read(void)
{
  unsigned char head[5];
  if (!read_all(head, 5)) return END;
  size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
  if (length < 1 || length > LONGEST) fail("a frame of %zu bytes; 1 to %d are possible", length, LONGEST);
  body_length = length - 1;
  place = 0;
  if (!read_all(body, body_length)) return END;
  return head[4];
}

static const unsigned char *next(size_t count)
{
  if (count > body_length - place) fail("a body of %zu bytes ends within a field at %zu", body_length, place);
  place += count;
  return body + place - count;
}

uint64_t take(int bytes)
{
  const unsigned char *from = next((size_t)bytes);
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | from[i];
  return value;
}

bool take_bool(void)
{
  uint64_t value = take(1);
  if (value > 1) fail("a bool is 0 or 1, not %d", (int)value);
  return value == 1;
}

struct name take_address(void)
{
  struct name name = {.version = (int)take(1)};
  if (name.version != 4 && name.version != 6) fail("an address is of family 4 or 6, not %d", name.version);
  size_t length = name.version == 4 ? 4 : 16;
  memcpy(name.bytes, next(length), length);
  return name;
}

struct name take_endpoint(void)
{
  struct name name = take_address();
  name.port = (uint16_t)take(2);
  return name;
}

const unsigned char *take_bytes(size_t *length)
{
  *length = (size_t)take(2);
  return next(*length);
}

void take_end(void)
{
  if (place != body_length) fail("%zu bytes stand behind the last field", body_length - place);
}

static void put_raw(const void *bytes, size_t count)
{
  if (out_length + count > out_room) {
    out_room = (out_length + count) * 2 + 65536;
    out = realloc(out, out_room);
    if (!out) fail("no memory");
  }
  memcpy(out + out_length, bytes, count);
  out_length += count;
  /* The length of a frame follows what is in it. */
  size_t length = out_length - start - 4;
  if (out_length - start >= 5)
    for (int i = 0; i < 4; i++) out[start + (size_t)i] = (unsigned char)(length >> (24 - 8 * i));
}

void frame(int type)
{
  unsigned char head[5] = {0, 0, 0, 1, (unsigned char)type};
  start = out_length;
  put_raw(head, 5);
}

void put(int bytes, uint64_t value)
{
  unsigned char field[8];
  for (int i = 0; i < bytes; i++) field[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
  put_raw(field, (size_t)bytes);
}

void put_address(const struct name *address)
{
  put(1, (uint64_t)address->version);
  put_raw(address->bytes, address->version == 4 ? 4 : 16);
}

void put_endpoint(const struct name *endpoint)
{
  put_address(endpoint);
  put(2, endpoint->port);
}

void put_bytes(const void *bytes, size_t length)
{
  if (length > 65535) length = 65535;
  put(2, length);
  put_raw(bytes, length);
}

/* The bytes of the character of UTF-8 that text begins with; 0: it begins with none. */
static size_t character(const unsigned char *text)
{
  static const unsigned char least[5] = {0, 0, 0x80, 0xa0, 0x90}, most[5] = {0, 0, 0xbf, 0x9f, 0x8f};
  unsigned char first = text[0];
  size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3
                : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if (text[i] >> 6 != 2) return 0;
  /* Not in the shortest form, half of a pair, or more than there are. */
  if ((first == 0xe0 || first == 0xf0) && text[1] < least[length]) return 0;
  if ((first == 0xed || first == 0xf4) && text[1] > most[length]) return 0;
  return length;
}

void put_text(const char *text)
{
  unsigned char clean[LONGEST_TEXT];
  size_t length = 0;
  for (const unsigned char *from = (const unsigned char *)text; *from;) {
    size_t count = character(from);
    if (length + (count ? count : 1) > sizeof clean) break;
    if (count == 0) {
      clean[length++] = '?';
      from++;
    } else {
      memcpy(clean + length, from, count);
      length += count;
      from += count;
    }
  }
  put_bytes(clean, length);
}

void put_perhaps_text(const char *text)
{
  put(1, text != NULL);
  if (text) put_text(text);
}

void frames_flush(void)
{
  for (size_t done = 0; done < out_length;) {
    ssize_t written = write(out_fd, out + done, out_length - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(0); /* The host is gone: nothing is left to do. */
    done += (size_t)written;
  }
  out_length = start = 0;
}
