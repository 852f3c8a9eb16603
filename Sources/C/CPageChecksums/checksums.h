#pragma once
#include "CPageChecksums.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/// Where the header of a file, its first bytes, says how many bytes each page reserves.
enum { reserved_offset = 20, header_size = 100 };

/// Whether this much from there on is one page; everything else that SQLite reads is a part of the header.
bool is_page(int size, sqlite3_int64 offset);
bool has_right_sum(const unsigned char *page, int size, sqlite3_int64 offset);
/// Whether there is nothing in a page: what SQLite finds past the end of a file.
bool is_empty(const unsigned char *page, int size);
/// Whether there is something in a page, but no sum: what another program brought from the log into the file.
bool has_no_sum(const unsigned char *page, int size);
void remove_sum(unsigned char *page, int size);
void set_sum(unsigned char *page, int size, sqlite3_int64 offset);
int page_size(const unsigned char *header);
