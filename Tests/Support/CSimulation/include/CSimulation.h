#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Makes OpenSSL take its random bytes from a generator with this seed, on this thread.
///
/// Keys that are generated so are predictable from the seed.
void seeded_random_start(uint64_t seed);

/// Calls fork(2): returns 0 in the new process, its ID in this one, or -1 with errno.
pid_t go_on_twice(void);

/// Runs a function on a new thread and waits for its end. Returns false if no thread can be created.
bool run_apart(void (*body)(void));

/// Returns true if `bytes` contain `wanted`.
bool bytes_hold(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

/// State of random commit failures: a random number generator, and the percentage of failures.
struct failing_commits {
  uint64_t state;
  unsigned percent;
};

/// The callback for `sqlite3_commit_hook`, with `failing_commits` as context. Returns nonzero if the commit
/// fails.
int commit_fails(void *chance);
