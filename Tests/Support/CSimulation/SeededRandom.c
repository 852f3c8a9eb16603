// Custom generators are an interface of OpenSSL 1.1, which is deprecated but still exists.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "CSimulation.h"

#include <openssl/rand.h>

static uint64_t state;

/// SplitMix64, by S Vigna.
static uint64_t next(void) {
  uint64_t mixed = state += 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

static int fill(unsigned char *bytes, int count) {
  for (int index = 0; index < count; index++) bytes[index] = (unsigned char)next();
  return 1;
}

static int is_ready(void) { return 1; }

static const RAND_METHOD method = {.bytes = fill, .pseudorand = fill, .status = is_ready};

void seeded_random_start(uint64_t seed) {
  state = seed;
  RAND_set_rand_method(&method);
}
