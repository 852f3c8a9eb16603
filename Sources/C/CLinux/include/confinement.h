// Confinement of the calling process by landlock(7) and seccomp(2), for which glibc has no functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Returns the Landlock ABI version of the kernel; 0 if there is none.
int clinux_landlock_version(void);

/// Creates a ruleset that removes these file rights and scopes; returns its descriptor, or -1 with errno.
int clinux_landlock_begin(uint64_t files, uint64_t scopes);

/// Grants rights to a file, or to everything below a directory; returns 0, or -1 with errno. For a file,
/// rights of directories are ignored.
int clinux_landlock_allow(int rules, const char *path, uint64_t rights);

/// Applies the ruleset to the calling thread and its children permanently; returns 0, or -1 with errno.
int clinux_landlock_enforce(int rules);

/// Groups of system calls in addition to the common ones. With `clinux_starts_programs`, the calling thread may
/// start processes and signal them.
enum { clinux_removes_files = 1, clinux_keeps_files = 2, clinux_starts_programs = 4 };

/// Forbids all system calls that are not on a list, and socket families other than `families`, for the calling
/// thread and its children. A forbidden call fails with EPERM, a call that is newer than the lists with ENOSYS.
/// `groups` selects further lists. Returns 0, or -1 with errno.
int clinux_allow_calls(const uint32_t *families, size_t count, uint32_t groups);

/// Returns 1 if the user of the process can dump and trace it, 0 if not.
int clinux_is_dumpable(void);
