#include "server.h"

// Sends a prepared reply to each line, after the data of these lines is stored.

static char reply[4096], in[1 << 16], out[1 << 20];
static size_t length;

// True if the reply fits into the buffer.
static int is_ready(const char *text) {
  if ((length = strlen(text) + 1) > sizeof reply) return 0;
  memcpy(reply, text, length);
  reply[length - 1] = '\n';
  return 1;
}

static int is_replied(int client, int (*is_stored)(void)) {
  ssize_t count = read(client, in, sizeof in);
  size_t ready = 0;
  if (count <= 0 || !is_stored()) return 0;
  for (const char *end = in; (end = memchr(end, '\n', in + count - end)); end++) {
    if (ready + length > sizeof out) {
      if (!is_written(client, out, ready)) return 0;
      ready = 0;
    }
    memcpy(out + ready, reply, length);
    ready += length;
  }
  return is_written(client, out, ready);
}
