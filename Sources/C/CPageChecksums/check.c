#include "checksums.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A read during a write can return a partly written page. A retry reads the complete page.
enum { tries = 5, microseconds_between = 10000 };

/// True if the page has a right checksum. An empty page is sound: it is not written yet, and its content is
/// in the WAL.
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

/// Counts the damaged pages; returns -1 if the file is unreadable. The count takes no lock, because a lock
/// would make a concurrent WAL truncation fail.
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
    // SQLite never writes the page at 1 GiB, because it contains the bytes for file locks.
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
      // An interrupted checkpoint can leave a damaged page. Repeating the checkpoint repairs it.
      sqlite3_exec(database, "PRAGMA wal_checkpoint(PASSIVE)", NULL, NULL, NULL);
      damaged = count_damaged(database);
    }
  }
  sqlite3_close_v2(database);
  return damaged;
}
