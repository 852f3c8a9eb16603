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

/// Forbids system calls that this project does not need, for all threads and children: access to other
/// processes' memory, mounts, namespaces, changes of user ids, kernel modules, and socket families other than
/// `families`. Without `starts_programs`, it also forbids execve, fork and signals to other processes.
/// Returns 0, or -1 with errno.
int clinux_forbid_calls(const int32_t *families, size_t count, int starts_programs);

/// Returns 1 if the user of the process can dump and trace it, 0 if not.
int clinux_is_dumpable(void);
