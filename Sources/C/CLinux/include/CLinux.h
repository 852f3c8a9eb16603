// What the kernel offers and Swift's Glibc module does not import.
#pragma once

#include "confinement.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

/// Who is at the other end of a Unix socket, as the kernel recorded it when the connection was made.
struct clinux_peer {
  int32_t process;
  uint32_t user;
  uint32_t group;
};

/// Fills in the peer of a connected Unix socket; 0, or -1 with errno. (`struct ucred` needs _GNU_SOURCE.)
int clinux_peer_credentials(int descriptor, struct clinux_peer *peer);

/// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC.
int clinux_accept(int listener);

/// eventfd(2), non-blocking and closed on exec.
int clinux_eventfd(void);

/// A file that is nowhere but in memory, closed on exec; its descriptor, or -1 with errno. (memfd_create(2) needs
/// _GNU_SOURCE.)
int clinux_memory_file(void);

/// Has each of these pages locked once something lies in it, or all of them at once where the kernel cannot do that; 0,
/// or -1 with errno. (mlock2(2) needs _GNU_SOURCE.)
int clinux_lock_when_touched(const void *pages, size_t count);

/// Makes the process undumpable: no core file of it or its children, no ptrace by its own user; 0, or -1 with errno.
int clinux_forbid_dumps(void);

/// Lets a crash end the process as the kernel does. Swift's runtime takes its signals, and writes what registers hold and
/// point at to standard error, unless its environment says otherwise.
void clinux_die_silently(void);

/// Lets the process have so many descriptors, or as many as it may have at most; returns how many, or -1 with errno.
/// (RLIMIT_NOFILE is of a type of its own with _GNU_SOURCE.)
int clinux_allow_descriptors(int count);

/// Has freed blocks of so many bytes and more given back to the kernel at once, which glibc otherwise does ever less the
/// longer a process runs. (mallopt(3) is not in Glibc.)
void clinux_give_back_blocks_of(int bytes);

/// Gives the kernel back what is free between blocks that are in use. (malloc_trim(3) is not in Glibc.)
void clinux_give_back_what_is_free(void);

/// Gives up for ever what set-user-id programs could add; 0, or -1 with errno. (prctl(2) is variadic.)
int clinux_forbid_new_privileges(void);

/// Adds to a posix_spawn_file_actions_t that every descriptor from this one on is closed; 0 or an error number.
/// (Needs _GNU_SOURCE. A void pointer, since including spawn.h here would make Glibc's types seem to be ours.)
int clinux_spawn_closing_from(void *actions, int first);

/// Asks the kernel to send a signal to this process when its parent ends; 0, or -1 with errno.
int clinux_signal_on_parent_death(int signal);

/// Whether an access list adds to the mode of a file or directory: 1 yes, 0 no, -1 unknown. (Needs sys/xattr.h.)
int clinux_has_access_list(const char *path);

/// Whether the system clock is synchronised: 1 yes, 0 no, -1 unknown. (adjtimex(2) is not imported whole.)
int clinux_clock_synchronized(void);
