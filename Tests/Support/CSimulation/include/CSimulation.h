#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Has OpenSSL take its random bytes from a generator of this seed, from now on and on this thread.
///
/// Keys made so are known to everybody who knows the seed.
void seeded_random_start(uint64_t seed);

/// Goes on twice: in a new process, which gets 0, and in this one, which gets its id; -1 with errno.
pid_t go_on_twice(void);

/// Runs something on a thread of its own, and goes on when that has ended; false if there can be none.
bool run_apart(void (*body)(void));

/// Whether some bytes are found within others.
bool bytes_hold(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

/// How many commits of a hundred fail, by numbers of their own.
struct failing_commits {
  uint64_t state;
  unsigned percent;
};

/// Whether a commit fails; what SQLite asks of a `sqlite3_commit_hook`, whose context is `failing_commits`.
int commit_fails(void *chance);
