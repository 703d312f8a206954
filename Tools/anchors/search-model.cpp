// The smallest honest model of an SSDP search, on a binary heap of events: one control point multicasts M-SEARCH with
// MX 3 three times, 5 s apart; each device answers with six datagrams, each after a delay of its own within MX; a tenth
// of all datagrams is lost, the others take 200 us to 1 ms. Each answer is built, added to a digest, parsed when it
// arrives, and looked up by its USN. There are no links, leases, reports or descriptions, and only answers of this form
// are understood: what Rollcall does beside that is what the ratio to it shows.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <vector>

namespace {

// xoshiro256++
struct Dice {
  uint64_t state[4];
  explicit Dice(uint64_t seed) {
    for (auto &word : state) {
      uint64_t mixed = seed += 0x9E3779B97F4A7C15u;
      mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
      mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
      word = mixed ^ mixed >> 31;
    }
  }
  static uint64_t turned(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }
  uint64_t next() {
    uint64_t drawn = turned(state[0] + state[3], 23) + state[0], shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = turned(state[3], 45);
    return drawn;
  }
  uint64_t below(uint64_t bound) { return (uint64_t)((unsigned __int128)next() * bound >> 64); }
  bool loses() { return below(10) == 0; }
};

enum Kind : uint8_t { search, searchArrives, answerLeaves, answerArrives };

struct Event {
  int64_t time;  // nanoseconds
  uint64_t key;  // sequence (32 bits), device (24), answer (4), kind (4)
  bool operator<(const Event &other) const { return time != other.time ? time < other.time : key < other.key; }
};

struct Heap {
  std::vector<Event> events;
  void push(Event event) {
    size_t place = events.size();
    events.push_back(event);
    while (place) {
      size_t parent = (place - 1) >> 1;
      if (!(event < events[parent])) break;
      events[place] = events[parent];
      place = parent;
    }
    events[place] = event;
  }
  Event pop() {
    Event first = events[0], last = events.back();
    events.pop_back();
    size_t count = events.size(), place = 0;
    if (!count) return first;
    for (;;) {
      size_t child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && events[child + 1] < events[child]) ++child;
      if (!(events[child] < last)) break;
      events[place] = events[child];
      place = child;
    }
    events[place] = last;
    return first;
  }
};

// Keys that were seen, in open addressing; a key is never 0.
struct Seen {
  std::vector<uint64_t> keys;
  uint64_t mask = 15;
  explicit Seen(size_t count) {
    while (mask + 1 < count * 2) mask = mask * 2 + 1;
    keys.assign(mask + 1, 0);
  }
  bool insert(uint64_t key) {
    for (uint64_t place = key * 0x9E3779B97F4A7C15u >> 20 & mask;; place = (place + 1) & mask) {
      if (keys[place] == key) return false;
      if (keys[place]) continue;
      keys[place] = key;
      return true;
    }
  }
};

uint64_t folded(uint64_t digest, const char *bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    digest = (digest ^ word) * 0x100000001B3u;
    digest ^= digest >> 29;
  }
  while (count--) digest = (digest ^ (unsigned char)*bytes++) * 0x100000001B3u;
  return digest;
}

const char *const targets[6] = {
    "upnp:rootdevice",
    "uuid",
    "urn:schemas-upnp-org:device:MediaRenderer:1",
    "urn:schemas-upnp-org:service:RenderingControl:1",
    "urn:schemas-upnp-org:service:ConnectionManager:1",
    "urn:schemas-upnp-org:service:AVTransport:1",
};

int build(char *bytes, size_t room, uint32_t device, uint32_t answer) {
  return snprintf(
      bytes, room,
      "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nEXT:\r\nLOCATION: http://10.%u.%u.%u:49152/description.xml\r\n"
      "SERVER: Linux/5.10 UPnP/1.1 model/1.0\r\nST: %s\r\nUSN: uuid:%08x-5a17-4c1b-9d4e-0123456789ab::%s\r\n"
      "BOOTID.UPNP.ORG: 1\r\nCONFIGID.UPNP.ORG: 1\r\n\r\n",
      device >> 16 & 255, device >> 8 & 255, device & 255, targets[answer], device, targets[answer]);
}

// The digest of the USN; 0 for what is no answer.
uint64_t parse(const char *bytes, int count) {
  static const char start[] = "HTTP/1.1 200 OK\r\n";
  const size_t startCount = sizeof start - 1;
  if (count < (int)startCount || memcmp(bytes, start, startCount)) return 0;
  const char *end = bytes + count;
  uint64_t name = 0;
  bool hasTarget = false, hasLocation = false;
  long seconds = -1;
  for (bytes += startCount; bytes < end;) {
    auto lineEnd = (const char *)memchr(bytes, '\r', (size_t)(end - bytes));
    if (!lineEnd || lineEnd + 1 >= end || lineEnd[1] != '\n') return 0;
    if (lineEnd == bytes) break;
    auto colon = (const char *)memchr(bytes, ':', (size_t)(lineEnd - bytes));
    if (!colon) return 0;
    const char *value = colon + 1;
    while (value < lineEnd && *value == ' ') ++value;
    size_t length = (size_t)(colon - bytes);
    if (length == 3 && !strncasecmp(bytes, "USN", 3))
      name = folded(0xCBF29CE484222325u, value, (size_t)(lineEnd - value)) | 1;
    else if (length == 2 && !strncasecmp(bytes, "ST", 2))
      hasTarget = lineEnd > value;
    else if (length == 8 && !strncasecmp(bytes, "LOCATION", 8))
      hasLocation = lineEnd > value;
    else if (length == 13 && !strncasecmp(bytes, "CACHE-CONTROL", 13) && lineEnd - value > 8)
      seconds = strtol(value + 8, nullptr, 10);
    bytes = lineEnd + 2;
  }
  return hasTarget && hasLocation && seconds > 0 ? name : 0;
}

}  // namespace

// Runs the search with so many devices, at most 2^24, and counts datagrams that arrived, each once for each receiver.
// `proof` gets the digest of all that happened; an answer that was not understood makes the count 0.
extern "C" uint64_t rollcall_anchor_search(uint32_t devices, uint64_t seed, uint64_t *proof) {
  const int64_t millisecond = 1000000, second = 1000 * millisecond;
  Dice dice(seed);
  Heap heap;
  Seen seen((size_t)devices * 6);
  uint64_t arrived = 0, digest = 0xCBF29CE484222325u;
  uint32_t sequence = 0;
  char bytes[512];
  auto add = [&](int64_t time, Kind kind, uint32_t device, uint32_t answer) {
    heap.push({time, (uint64_t)sequence++ << 32 | (uint64_t)device << 8 | answer << 4 | kind});
  };
  auto latency = [&] { return millisecond / 5 + (int64_t)dice.below(4 * millisecond / 5); };
  for (int copy = 0; copy < 3; ++copy) add(copy * 5 * second, search, 0, 0);
  while (!heap.events.empty()) {
    Event event = heap.pop();
    digest = (digest ^ (uint64_t)event.time) * 0x100000001B3u;
    digest = (digest ^ event.key) * 0x100000001B3u;
    digest ^= digest >> 31;
    uint32_t device = event.key >> 8 & 0xFFFFFF, answer = event.key >> 4 & 15;
    switch ((Kind)(event.key & 15)) {
      case search:
        for (uint32_t one = 0; one < devices; ++one)
          if (!dice.loses()) add(event.time + latency(), searchArrives, one, 0);
        break;
      case searchArrives:
        ++arrived;
        for (uint32_t one = 0; one < 6; ++one)
          add(event.time + (int64_t)dice.below(3 * second), answerLeaves, device, one);
        break;
      case answerLeaves:
        if (!dice.loses()) add(event.time + latency(), answerArrives, device, answer);
        break;
      case answerArrives: {
        int count = build(bytes, sizeof bytes, device, answer);
        digest = folded(digest, bytes, (size_t)count);
        uint64_t name = parse(bytes, count);
        if (!name) return 0;
        ++arrived;
        seen.insert(name);
        break;
      }
    }
  }
  *proof = digest;
  return arrived;
}
