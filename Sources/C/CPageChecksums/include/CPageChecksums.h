#pragma once

/// How many bytes at the end of each page hold its checksum; a file is checked whose header reserves as many.
enum { cpagechecksums_size = 8 };

/// The name of a VFS whose database files have a checksum in each page: made when a page is written to the file, held
/// against it when it is read, and SQLITE_IOERR_DATA where it is another. NULL if it cannot be registered.
const char *cpagechecksums_vfs(void);

/// How many pages a database has that are not as they were written; -1 if that cannot be read. `path` is one that no
/// other connection of this thread has open; the pages are read one by one, without a lock that others wait for.
long cpagechecksums_count_damaged(const char *path);

/// Whether the log of a database is damaged in its middle, which SQLite takes for its end. Nobody may have it open.
int cpagechecksums_log_is_damaged(const char *path);
