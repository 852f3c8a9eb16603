// What a process can give up for itself: landlock(7) and seccomp(2), for which glibc has no functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The version of Landlock's interface that the kernel offers, 0 for none.
int clinux_landlock_version(void);

/// Begins a set of rules under which these rights to files and these scopes are taken away; its descriptor, or -1.
int clinux_landlock_begin(uint64_t files, uint64_t scopes);

/// Gives rights back to a file, or to all that is in a directory; 0, or -1 with errno. What only directories have is
/// left out for a file.
int clinux_landlock_allow(int rules, const char *path, uint64_t rights);

/// Puts the calling thread and all that it starts under the rules for ever; 0, or -1 with errno.
int clinux_landlock_enforce(int rules);

/// Forbids all threads of the process, and all that it starts, what no part of this project needs: other processes'
/// memory, mounts, namespaces, other users' identities, modules, sockets of other families than these. Without
/// `starts_programs` also execve, fork and signals to others. 0, or -1 with errno.
int clinux_forbid_calls(const int32_t *families, size_t count, int starts_programs);

/// Whether the process can be dumped and traced by its own user: 1 yes, 0 no.
int clinux_is_dumpable(void);
