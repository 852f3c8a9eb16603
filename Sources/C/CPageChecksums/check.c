#include "checksums.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A page that is just being written may be seen half old and half new, for a moment.
enum { tries = 5, microseconds_between = 10000 };

/// Whether a page is as it was written; one of zeros was not written yet, and what stands for it is in the log.
static int is_sound(sqlite3_file *file, unsigned char *page, int size, sqlite3_int64 offset) {
  for (int i = 0; i < tries; i++) {
    int code = file->pMethods->xRead(file, page, size, offset);
    if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) return 1;
    if (code != SQLITE_IOERR_DATA) return 0;
    if (is_empty(page, size)) return 1;
    usleep(microseconds_between);
  }
  return 0;
}

/// Takes no lock: whoever empties the log meanwhile would be refused.
static long count_damaged(sqlite3 *database) {
  sqlite3_file *file = NULL;
  unsigned char header[header_size];
  sqlite3_int64 end = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file
      || file->pMethods->xFileSize(file, &end) != SQLITE_OK)
    return -1;
  if (end == 0) return 0;
  if (file->pMethods->xRead(file, header, header_size, 0) != SQLITE_OK) return -1;
  int size = page_size(header);
  if (!is_page(size, 0)) return 1;
  unsigned char *page = malloc((size_t)size);
  if (!page) return -1;
  long damaged = 0;
  for (sqlite3_int64 offset = 0; offset + size <= end; offset += size) {
    // SQLite never writes the page that its locks lie in.
    if (offset / size != 0x40000000 / size) damaged += !is_sound(file, page, size, offset);
  }
  free(page);
  return damaged;
}

long cpagechecksums_count_damaged(const char *path) {
  sqlite3 *database = NULL;
  long damaged = -1;
  if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, cpagechecksums_vfs()) == SQLITE_OK) {
    damaged = count_damaged(database);
    if (damaged > 0) {
      // A page whose way from the log into the file was cut short is whole again once it has been gone anew.
      sqlite3_exec(database, "PRAGMA wal_checkpoint(PASSIVE)", NULL, NULL, NULL);
      damaged = count_damaged(database);
    }
  }
  sqlite3_close_v2(database);
  return damaged;
}
