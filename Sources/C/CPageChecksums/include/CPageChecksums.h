#pragma once

/// Size of the checksum at the end of each page. A file has checksums if its header reserves this number of
/// bytes.
enum { cpagechecksums_size = 8 };

/// Returns the name of a VFS with a checksum in each page of a database file. It writes the checksum with the
/// page and verifies it when the page is read; a mismatch is SQLITE_IOERR_DATA. Returns NULL if the VFS
/// cannot be registered.
const char *cpagechecksums_vfs(void);

/// Returns the number of damaged pages of a database; -1 if the database is unreadable. No other connection
/// of this thread may have `path` open. The function reads the pages one by one, without a lock that would
/// block other connections.
long cpagechecksums_count_damaged(const char *path);

/// True if the WAL of a database is damaged before its end, so that SQLite would drop valid frames. No
/// process may have the database open.
int cpagechecksums_log_is_damaged(const char *path);
