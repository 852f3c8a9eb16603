#pragma once
#include "CPageChecksums.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/// Offset of the header byte with the number of reserved bytes per page, and the size of the header.
enum { reserved_offset = 20, header_size = 100 };

/// True if this range is one page. SQLite's other reads are parts of the header.
bool is_page(int size, sqlite3_int64 offset);
bool has_right_sum(const unsigned char *page, int size, sqlite3_int64 offset);
/// True if a page contains only zeros. A read past the end of a file returns such a page.
bool is_empty(const unsigned char *page, int size);
/// True if a page has content but no checksum: another program checkpointed it.
bool has_no_sum(const unsigned char *page, int size);
void remove_sum(unsigned char *page, int size);
void set_sum(unsigned char *page, int size, sqlite3_int64 offset);
int page_size(const unsigned char *header);
