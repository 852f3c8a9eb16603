#include "CFuzzer.h"

#include <string.h>

// High cost mostly results from many repetitions of something small, which mutations of single bytes never
// produce. One of eight mutations therefore repeats a part of the input, up to the maximum size.

enum { repeat_each = 8, longest_piece = 64 };

extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static unsigned next(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u, *seed >> 8; }

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  if (next(&seed) % repeat_each != 0 || size == 0) return LLVMFuzzerMutate(data, size, max_size);
  size_t start = next(&seed) % size;
  size_t rest = size - start;
  size_t length = 1 + next(&seed) % (rest < longest_piece ? rest : longest_piece);
  size_t room = (max_size - size) / length, times = (size_t)1 << next(&seed) % 17;
  size_t added = (times < room ? times : room) * length;
  if (added == 0) return LLVMFuzzerMutate(data, size, max_size);
  memmove(data + start + added, data + start, rest);
  for (size_t copy = 0; copy < added; copy += length) memmove(data + start + copy, data + start + added, length);
  return size + added;
}
