#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Has OpenSSL take its random bytes from a generator of this seed, from now on and on this thread.
///
/// Keys made so are known to everybody who knows the seed.
void seeded_random_start(uint64_t seed);

/// Whether some bytes are found within others.
bool bytes_hold(const void *bytes, size_t count, const void *wanted, size_t wanted_count);
