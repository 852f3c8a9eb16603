// The least that a server on one thread does for an answer: a reply that it has ready for each line, once so many pages are
// on the disk. usage: replies SOCKET REPLY [FILE PAGES]
#include <fcntl.h>
#include "server.h"

enum { page = 4096, room = 1024 * page };

static char reply[4096], pages[64 * page], in[1 << 16], out[1 << 20];
static size_t length, stored;
static int file = -1;

// Over what is there already, as a log that is written from its beginning again.
static int is_stored(void) {
  static off_t position;
  if (position + stored > room) position = 0;
  if (pwrite(file, pages, stored, position) != (ssize_t)stored) return 0;
  position += stored;
  return fdatasync(file) == 0;
}

static int is_answered(int client) {
  ssize_t count = read(client, in, sizeof in);
  size_t ready = 0;
  if (count <= 0 || (stored && !is_stored())) return 0;
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

int main(int count, char **arguments) {
  if ((count != 3 && count != 5) || (length = strlen(arguments[2]) + 1) > sizeof reply) return 2;
  memcpy(reply, arguments[2], length);
  reply[length - 1] = '\n';
  if (count == 5) {
    if ((stored = page * strtoul(arguments[4], NULL, 10)) > sizeof pages) return 2;
    file = open(arguments[3], O_RDWR | O_CREAT, 0600);
    for (int block = 0; block < room / (int)sizeof pages; block++)
      if (!is_written(file, pages, sizeof pages)) return 1;
    if (fsync(file) != 0) return 1;
  }
  return serve(arguments[1], is_answered);
}
