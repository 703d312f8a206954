// Advertising data read by a plain loop: the structures, and the sizes that a host checks. What it finds is summed up.
#include <stddef.h>
#include <stdint.h>

static uint64_t list(const uint8_t *data, size_t count, size_t width, uint64_t *faults) {
  uint64_t sum = 0;
  size_t offset = 0;
  for (; offset + width <= count; offset += width) sum += data[offset] | (uint64_t)data[offset + 1] << 8;
  if (offset != count) ++*faults;
  return sum;
}

static uint64_t read_one(const uint8_t *bytes, size_t count) {
  uint64_t sum = 0, faults = 0;
  size_t offset = 0;
  while (offset < count) {
    size_t length = bytes[offset];
    if (length == 0) break;
    if (length >= count - offset) {
      faults += 1;
      break;
    }
    const uint8_t *data = bytes + offset + 2;
    size_t size = length - 1;
    switch (bytes[offset + 1]) {
      case 0x01: if (size > 0) sum += data[0]; else faults += 1; break;
      case 0x02: case 0x03: case 0x14: sum += list(data, size, 2, &faults); break;
      case 0x04: case 0x05: case 0x1F: sum += list(data, size, 4, &faults); break;
      case 0x06: case 0x07: case 0x15: sum += list(data, size, 16, &faults); break;
      case 0x08: case 0x09:
        while (size > 0 && (data[size - 1] == 0 || data[size - 1] == 0x20)) size -= 1;
        sum += size;
        break;
      case 0x0A: if (size == 1) sum += data[0]; else faults += 1; break;
      case 0x19: if (size == 2) sum += data[0] | (uint64_t)data[1] << 8; else faults += 1; break;
      case 0x16: if (size >= 2) sum += size; else faults += 1; break;
      case 0x20: if (size >= 4) sum += size; else faults += 1; break;
      case 0x21: if (size >= 16) sum += size; else faults += 1; break;
      case 0xFF: if (size >= 2) sum += data[0] | (uint64_t)data[1] << 8; else faults += 1; break;
      default: break;
    }
    offset += length + 1;
  }
  return sum + (faults << 32);
}

// `ends`: where each buffer ends; each begins where the one before it ended. `sum` goes on.
uint64_t rollcall_anchor_advertising(const uint8_t *bytes, const uint32_t *ends, size_t count, uint64_t sum) {
  uint32_t start = 0;
  for (size_t number = 0; number < count; number++) {
    sum = sum * 31 + read_one(bytes + start, ends[number] - start);
    start = ends[number];
  }
  return sum;
}
