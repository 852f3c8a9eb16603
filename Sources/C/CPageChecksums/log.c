#include "checksums.h"
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Checks the WAL, see sqlite.org/fileformat2.html#walformat. After a power failure a WAL may end with an
// invalid frame, and SQLite uses the frames before it. If committed frames follow the invalid one, the WAL is
// damaged in the middle. SQLite would drop these frames, and the database would be a mixture of old and new
// pages.

enum { log_header_size = 32, frame_header_size = 24, log_magic = 0x377f0682 };

typedef struct {
  uint32_t first, second;
} Sum;

typedef struct {
  FILE *file;
  bool is_big_endian;
  int page_size;
  unsigned char *frame;
  unsigned char salts[8];
} Log;

static uint32_t number(const unsigned char *bytes) {
  uint32_t value;
  memcpy(&value, bytes, 4);
  return be32toh(value);
}

static Sum add(Sum sum, const unsigned char *bytes, int size, bool is_big_endian) {
  for (int i = 0; i < size; i += 8) {
    uint32_t words[2];
    memcpy(words, bytes + i, 8);
    sum.first += (is_big_endian ? be32toh(words[0]) : le32toh(words[0])) + sum.second;
    sum.second += (is_big_endian ? be32toh(words[1]) : le32toh(words[1])) + sum.first;
  }
  return sum;
}

static Sum stored(const unsigned char *bytes) { return (Sum){number(bytes), number(bytes + 4)}; }
static bool are_equal(Sum one, Sum other) { return one.first == other.first && one.second == other.second; }

static bool next_frame(Log *log) {
  return fread(log->frame, (size_t)(frame_header_size + log->page_size), 1, log->file) == 1;
}

static bool has_salts(const Log *log) { return memcmp(log->frame + 8, log->salts, 8) == 0; }
static bool is_commit(const Log *log) { return number(log->frame + 4) != 0; }

/// True if the frame is valid after frames with the cumulative checksum `sum`.
static bool follows(const Log *log, Sum sum) {
  sum = add(sum, log->frame, 8, log->is_big_endian);
  sum = add(sum, log->frame + frame_header_size, log->page_size, log->is_big_endian);
  return has_salts(log) && are_equal(sum, stored(log->frame + 16));
}

/// True if a commit frame and then a valid frame follow the invalid frame. SQLite writes a valid frame after
/// a commit frame only if the transaction was flushed, not if it was rolled back.
static bool goes_on(Log *log) {
  bool has_ended = false;
  do {
    has_ended = has_ended || (has_salts(log) && is_commit(log));
    Sum sum = stored(log->frame + 16);
    if (!next_frame(log)) return false;
    if (!follows(log, sum)) has_ended = false;
    else if (has_ended) return true;
  } while (true);
}

static bool is_damaged(Log *log, const unsigned char *header) {
  log->is_big_endian = (number(header) & 1) != 0;
  Sum sum = add((Sum){0, 0}, header, 24, log->is_big_endian);
  memcpy(log->salts, header + 16, 8);
  bool is_whole = are_equal(sum, stored(header + 24)) && number(header) == (log_magic | (uint32_t)log->is_big_endian);
  if (!next_frame(log)) return false;
  if (!is_whole) {
    // SQLite flushes the header before it writes frames. So if a valid frame follows, the header was damaged
    // later.
    memcpy(log->salts, log->frame + 8, 8);
    // The flag for the byte order may be damaged, so the byte order of this machine is used.
    log->is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return follows(log, add((Sum){0, 0}, header, 24, log->is_big_endian)) || follows(log, stored(header + 24));
  }
  while (follows(log, sum)) {
    sum = stored(log->frame + 16);
    if (!next_frame(log)) return false;
  }
  return goes_on(log);
}

/// Returns the page size of a database and of its WAL; 0 if it cannot be read.
static int database_page_size(const char *path) {
  unsigned char header[header_size];
  FILE *file = fopen(path, "rbe");
  if (!file) return 0;
  int size = fread(header, sizeof header, 1, file) == 1 ? page_size(header) : 0;
  fclose(file);
  return is_page(size, 0) ? size : 0;
}

int cpagechecksums_log_is_damaged(const char *path) {
  unsigned char header[log_header_size];
  char *name = malloc(strlen(path) + sizeof "-wal");
  if (!name) return 0;
  strcat(strcpy(name, path), "-wal");
  Log log = {.page_size = database_page_size(path), .file = fopen(name, "rbe")};
  free(name);
  if (!log.file) return 0;
  bool damaged = false;
  log.frame = malloc((size_t)(frame_header_size + log.page_size));
  if (log.page_size > 0 && log.frame && fread(header, sizeof header, 1, log.file) == 1)
    damaged = is_damaged(&log, header);
  free(log.frame);
  fclose(log.file);
  return damaged;
}
