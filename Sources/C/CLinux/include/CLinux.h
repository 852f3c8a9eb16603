// Kernel interfaces that Swift's Glibc module does not import.
#pragma once

#include "confinement.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

/// The peer of a Unix socket, as the kernel recorded it at connect time.
struct clinux_peer {
  int32_t process;
  uint32_t user;
  uint32_t group;
};

/// Writes the peer of a connected Unix socket; returns 0, or -1 with errno. (`struct ucred` needs
/// _GNU_SOURCE.)
int clinux_peer_credentials(int descriptor, struct clinux_peer *peer);

/// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC.
int clinux_accept(int listener);

/// eventfd(2), non-blocking and closed on exec.
int clinux_eventfd(void);

/// Creates a memory file that is closed on exec; returns its descriptor, or -1 with errno. (memfd_create(2)
/// needs _GNU_SOURCE.)
int clinux_memory_file(void);

/// Locks each page on first access, or all pages at once if the kernel lacks mlock2(2); returns 0, or -1 with
/// errno. (mlock2(2) needs _GNU_SOURCE.)
int clinux_lock_when_touched(const void *pages, size_t count);

/// Disables core dumps of the process and its children, and prevents ptrace of the process by its own user;
/// returns 0, or -1 with errno.
int clinux_forbid_dumps(void);

/// Restores the default action of crash signals. Otherwise Swift's runtime writes registers, and the memory
/// to which they point, to standard error, unless an environment variable disables this report.
void clinux_die_silently(void);

/// Raises the limit of descriptors to `count`, or to the hard limit if that is lower; returns the limit, or
/// -1 with errno. (With _GNU_SOURCE, RLIMIT_NOFILE has a type of its own.)
int clinux_allow_descriptors(int count);

/// Makes free(3) return blocks of at least `bytes` bytes to the kernel immediately. Without this call, glibc
/// raises the threshold while a process runs. (mallopt(3) is not in Swift's Glibc module.)
void clinux_give_back_blocks_of(int bytes);

/// Returns free memory between used blocks to the kernel. (malloc_trim(3) is not in Swift's Glibc module.)
void clinux_give_back_what_is_free(void);

/// Makes the kernel permanently ignore set-user-id bits on exec; returns 0, or -1 with errno. (prctl(2) is
/// variadic.)
int clinux_forbid_new_privileges(void);

/// Adds an action to a posix_spawn_file_actions_t that closes all descriptors from `first` on; returns 0 or
/// an error number. (The function needs _GNU_SOURCE. `actions` is a void pointer, because an include of
/// spawn.h here would make this module own Glibc's types.)
int clinux_spawn_closing_from(void *actions, int first);

/// Makes the kernel send a signal to this process when its parent ends; returns 0, or -1 with errno.
int clinux_signal_on_parent_death(int signal);

/// Returns 1 if a file or directory has a POSIX ACL, 0 if not, -1 if unknown. (Needs sys/xattr.h.)
int clinux_has_access_list(const char *path);

/// Returns 1 if the system clock is synchronised, 0 if not, -1 if unknown. (Swift imports adjtimex(2)
/// incompletely.)
int clinux_clock_synchronized(void);

/// Gives up root for this user and group: the supplementary groups and the real and effective ids, and the saved
/// ids unless `may_return`; returns 0, or -1 with errno. (setresuid(2) needs _GNU_SOURCE.)
int clinux_become(uint32_t user, uint32_t group, int may_return);

/// Makes the process root again; returns 0, or -1 with errno.
int clinux_return_to_root(void);

/// Returns the date of the build's commit; 0000-00-00 if the program was not installed by systemd/install.
const char *clinux_commit_date(void);

/// Returns 1 if the process is not root, but its saved user id is.
int clinux_may_return_to_root(void);
