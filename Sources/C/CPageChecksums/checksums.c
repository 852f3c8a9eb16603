#include "checksums.h"
#include <endian.h>
#include <string.h>

/// Computes the checksum of a page by SQLite's WAL algorithm, with the page number as initial value. The
/// page number reveals an empty page, and a page that was written to the position of another page. Each step
/// is reversible, so the checksum detects every change of a single word.
static void sum(const unsigned char *page, int size, uint32_t number, unsigned char result[cpagechecksums_size]) {
  uint32_t first = number, second = ~number;
  for (int i = 0; i < size - cpagechecksums_size; i += 8) {
    uint32_t words[2];
    memcpy(words, page + i, 8);
    first += le32toh(words[0]) + second;
    second += le32toh(words[1]) + first;
  }
  uint32_t sums[2] = {htole32(first), htole32(second)};
  memcpy(result, sums, cpagechecksums_size);
}

bool is_page(int size, sqlite3_int64 offset) {
  return size >= 512 && size <= 65536 && (size & (size - 1)) == 0 && offset % size == 0;
}

static const unsigned char none[cpagechecksums_size];

bool has_right_sum(const unsigned char *page, int size, sqlite3_int64 offset) {
  unsigned char right[cpagechecksums_size];
  sum(page, size, (uint32_t)(offset / size) + 1, right);
  return memcmp(right, page + size - cpagechecksums_size, cpagechecksums_size) == 0;
}

bool is_empty(const unsigned char *page, int size) {
  return page[0] == 0 && memcmp(page, page + 1, (size_t)size - 1) == 0;
}

bool has_no_sum(const unsigned char *page, int size) {
  return !is_empty(page, size) && memcmp(none, page + size - cpagechecksums_size, cpagechecksums_size) == 0;
}

void remove_sum(unsigned char *page, int size) { memset(page + size - cpagechecksums_size, 0, cpagechecksums_size); }

void set_sum(unsigned char *page, int size, sqlite3_int64 offset) {
  sum(page, size, (uint32_t)(offset / size) + 1, page + size - cpagechecksums_size);
}

int page_size(const unsigned char *header) {
  int size = header[16] << 8 | header[17];
  return size == 1 ? 65536 : size;
}
