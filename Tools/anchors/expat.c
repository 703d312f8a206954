// XML documents read with expat, namespaces on: the text of every element is put together from its pieces and kept, as a
// string of its own, until the document has been read. Each document has a parser of its own, as a program has that
// reads one description.
#include <expat.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text {
  struct text *next;
  size_t count;
  char bytes[];
};

struct state {
  struct text *texts;
  char *run;
  size_t count, room;
  uint64_t elements, attributes, text_bytes;
};

// The text before a tag is over.
static void end_run(struct state *state) {
  if (!state->count) return;
  struct text *text = malloc(sizeof *text + state->count);
  text->next = state->texts;
  text->count = state->count;
  memcpy(text->bytes, state->run, state->count);
  state->texts = text;
  state->text_bytes += state->count;
  state->count = 0;
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes) {
  struct state *state = data;
  (void)name;
  end_run(state);
  state->elements++;
  for (; *attributes; attributes += 2) state->attributes++;
}

static void on_end(void *data, const XML_Char *name) {
  (void)name;
  end_run(data);
}

static void on_text(void *data, const XML_Char *bytes, int count) {
  struct state *state = data;
  if (state->count + (size_t)count > state->room) {
    state->room = 2 * (state->count + (size_t)count) + 256;
    state->run = realloc(state->run, state->room);
  }
  memcpy(state->run + state->count, bytes, (size_t)count);
  state->count += (size_t)count;
}

// Reads a document `repeats` times. Comes back with elements, attributes and bytes of text of one reading, or 0 where expat
// refuses it.
uint64_t rollcall_anchor_xml(const uint8_t *bytes, size_t count, uint64_t repeats) {
  uint64_t proof = 0;
  for (uint64_t pass = 0; pass < repeats; pass++) {
    struct state state = {0};
    XML_Parser parser = XML_ParserCreateNS(NULL, '\n');
    XML_SetUserData(parser, &state);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    int isRead = XML_Parse(parser, (const char *)bytes, (int)count, 1) == XML_STATUS_OK;
    proof = isRead ? state.elements << 40 | state.attributes << 24 | state.text_bytes : 0;
    for (struct text *text = state.texts, *next; text; text = next) {
      next = text->next;
      free(text);
    }
    free(state.run);
    XML_ParserFree(parser);
  }
  return proof;
}
