#define _GNU_SOURCE

#include "CSimulation.h"

#include <string.h>

bool bytes_hold(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
  return memmem(bytes, count, wanted, wanted_count) != NULL;
}
