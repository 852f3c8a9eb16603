#include "checksums.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// An open database file. SQLite allocates it with additional space after it for the file of the real VFS.
typedef struct {
  sqlite3_file base;
  bool is_checked;
  unsigned char *scratch;
  int scratch_size;
} File;

static const char name[] = "checked";
static sqlite3_vfs *real_vfs, checked_vfs;

static File *file(sqlite3_file *base) { return (File *)base; }
static sqlite3_file *real(sqlite3_file *base) { return (sqlite3_file *)(file(base) + 1); }

static int file_close(sqlite3_file *base) {
  free(file(base)->scratch);
  return real(base)->pMethods->xClose(real(base));
}

static int file_read(sqlite3_file *base, void *buffer, int size, sqlite3_int64 offset) {
  int code = real(base)->pMethods->xRead(real(base), buffer, size, offset);
  if (code != SQLITE_OK || !file(base)->is_checked || !is_page(size, offset)) return code;
  if (!has_right_sum(buffer, size, offset) && !has_no_sum(buffer, size)) return SQLITE_IOERR_DATA;
  // SQLite may write this page to the WAL. The WAL gets no page checksums, because a program without this VFS
  // may checkpoint it.
  remove_sum(buffer, size);
  return SQLITE_OK;
}

/// A write of the first page enables or disables checksums, according to the header in this page.
static int file_write(sqlite3_file *base, const void *buffer, int size, sqlite3_int64 offset) {
  const unsigned char *page = buffer;
  if (offset == 0 && size >= header_size) file(base)->is_checked = page[reserved_offset] == cpagechecksums_size;
  if (file(base)->is_checked && is_page(size, offset)) {
    // SQLite keeps the buffer, so the checksum is written into a copy.
    if (file(base)->scratch_size < size) {
      unsigned char *larger = realloc(file(base)->scratch, (size_t)size);
      if (!larger) return SQLITE_IOERR_NOMEM;
      file(base)->scratch = larger;
      file(base)->scratch_size = size;
    }
    memcpy(file(base)->scratch, buffer, (size_t)size);
    set_sum(file(base)->scratch, size, offset);
    buffer = file(base)->scratch;
  }
  return real(base)->pMethods->xWrite(real(base), buffer, size, offset);
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); }
static int file_sync(sqlite3_file *f, int flags) { return real(f)->pMethods->xSync(real(f), flags); }
static int file_size(sqlite3_file *f, sqlite3_int64 *size) { return real(f)->pMethods->xFileSize(real(f), size); }
static int file_lock(sqlite3_file *f, int level) { return real(f)->pMethods->xLock(real(f), level); }
static int file_unlock(sqlite3_file *f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
static int file_check_lock(sqlite3_file *f, int *out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
static int file_control(sqlite3_file *f, int op, void *arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
static int file_sector(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }

/// Disables reads of parts of pages (SQLITE_IOCAP_SUBPAGE_READ, newer than the oldest supported library).
static int file_traits(sqlite3_file *f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)) & ~0x00008000; }

static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}

/// Retries a failed unlock. SQLite ignores such a failure, and the lock would exclude all connections until
/// the process ends.
static int file_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
  int code, tries = flags & SQLITE_SHM_UNLOCK ? 4 : 1;
  do code = real(f)->pMethods->xShmLock(real(f), offset, n, flags);
  while (code != SQLITE_OK && --tries > 0);
  return code;
}

static void file_shm_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int file_shm_unmap(sqlite3_file *f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }

// Version 2 has no xFetch: pages that are mapped into memory would not be checked.
static sqlite3_io_methods methods = {
  2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_check_lock,
  file_control, file_sector, file_traits, file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap, NULL, NULL,
};

/// Determines whether a newly opened file has checksums, even if the header byte that says so is damaged.
///
/// An unreadable file is an error. Otherwise a file with checksums could be written without them.
static int find_checksums(sqlite3_file *f, bool *found) {
  unsigned char header[header_size];
  *found = false;
  int code = f->pMethods->xRead(f, header, header_size, 0);
  // An empty file has no header yet.
  if (code != SQLITE_OK) return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
  *found = header[reserved_offset] == cpagechecksums_size;
  int size = page_size(header);
  if (*found || !is_page(size, 0)) return SQLITE_OK;
  unsigned char *page = malloc((size_t)size);
  if (!page) return SQLITE_NOMEM;
  code = f->pMethods->xRead(f, page, size, 0);
  if (code == SQLITE_OK) {
    page[reserved_offset] = cpagechecksums_size;
    *found = has_right_sum(page, size, 0);
  }
  free(page);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
  (void)vfs;
  // This VFS checks only database files. SQLite itself writes checksums into each frame of the WAL.
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return real_vfs->xOpen(real_vfs, path, base, flags, out);
  memset(base, 0, sizeof(File));
  int code = real_vfs->xOpen(real_vfs, path, real(base), flags, out);
  if (!real(base)->pMethods) return code;
  if (code == SQLITE_OK) code = find_checksums(real(base), &file(base)->is_checked);
  if (code == SQLITE_OK) {
    base->pMethods = &methods;
  } else {
    real(base)->pMethods->xClose(real(base));
  }
  return code;
}

// The remaining functions forward to the real VFS and pass it as the first argument.
static int vfs_delete(sqlite3_vfs *v, const char *path, int syncs) { (void)v; return real_vfs->xDelete(real_vfs, path, syncs); }
static int vfs_access(sqlite3_vfs *v, const char *path, int flags, int *out) {
  (void)v;
  return real_vfs->xAccess(real_vfs, path, flags, out);
}
static int vfs_full_path(sqlite3_vfs *v, const char *path, int size, char *out) {
  (void)v;
  return real_vfs->xFullPathname(real_vfs, path, size, out);
}
static int vfs_randomness(sqlite3_vfs *v, int size, char *out) { (void)v; return real_vfs->xRandomness(real_vfs, size, out); }
static int vfs_sleep(sqlite3_vfs *v, int time) { (void)v; return real_vfs->xSleep(real_vfs, time); }
static int vfs_time(sqlite3_vfs *v, double *out) { (void)v; return real_vfs->xCurrentTime(real_vfs, out); }
static int vfs_error(sqlite3_vfs *v, int size, char *out) { (void)v; return real_vfs->xGetLastError(real_vfs, size, out); }
static int vfs_time64(sqlite3_vfs *v, sqlite3_int64 *out) { (void)v; return real_vfs->xCurrentTimeInt64(real_vfs, out); }

static void register_vfs(void) {
  if (sqlite3_initialize() != SQLITE_OK || !(real_vfs = sqlite3_vfs_find(NULL))) return;
  checked_vfs = (sqlite3_vfs){
    .iVersion = 2, .szOsFile = (int)sizeof(File) + real_vfs->szOsFile, .mxPathname = real_vfs->mxPathname,
    .zName = name, .xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access, .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness, .xSleep = vfs_sleep, .xCurrentTime = vfs_time, .xGetLastError = vfs_error,
    .xCurrentTimeInt64 = vfs_time64,
  };
  // This VFS is not the default, because other databases of the process have no checksums.
  if (sqlite3_vfs_register(&checked_vfs, 0) != SQLITE_OK) real_vfs = NULL;
}

const char *cpagechecksums_vfs(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_vfs);
  return real_vfs ? name : NULL;
}
