// A minimal single-threaded server: it sends a prepared reply to each line, after PAGES pages are written to
// disk. usage: replies SOCKET REPLY [FILE PAGES]
#include <fcntl.h>
#include "replies.h"

enum { page = 4096, room = 1024 * page };

static char pages[64 * page];
static size_t stored;
static int file = -1;

// Overwrites existing blocks, like a WAL that restarts from its beginning.
static int is_stored(void) {
  static off_t position;
  if (stored == 0) return 1;
  if (position + stored > room) position = 0;
  if (pwrite(file, pages, stored, position) != (ssize_t)stored) return 0;
  position += stored;
  return fdatasync(file) == 0;
}

static int is_answered(int client) { return is_replied(client, is_stored); }

int main(int count, char **arguments) {
  if ((count != 3 && count != 5) || !is_ready(arguments[2])) return 2;
  if (count == 5) {
    if ((stored = page * strtoul(arguments[4], NULL, 10)) > sizeof pages) return 2;
    file = open(arguments[3], O_RDWR | O_CREAT, 0600);
    for (int block = 0; block < room / (int)sizeof pages; block++)
      if (!is_written(file, pages, sizeof pages)) return 1;
    if (fsync(file) != 0) return 1;
  }
  return serve(arguments[1], is_answered);
}
