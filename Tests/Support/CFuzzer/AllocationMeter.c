#define _GNU_SOURCE
#include "CFuzzer.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

// The functions below replace the allocator of the C library, as a program may, and call the original one.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Thread_local long held, peak;

static void *taken(void *pointer) {
  if (pointer) held += (long)malloc_usable_size(pointer);
  if (held > peak) peak = held;
  return pointer;
}

static void given(void *pointer) {
  if (pointer) held -= (long)malloc_usable_size(pointer);
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *pointer = taken(__libc_memalign(alignment, size));
  if (!pointer) return ENOMEM;
  *result = pointer;
  return 0;
}

void *realloc(void *old, size_t size) {
  given(old);
  void *pointer = __libc_realloc(old, size);
  if (!pointer && size > 0) {
    taken(old);
    return NULL;
  }
  return taken(pointer);
}

void free(void *pointer) {
  given(pointer);
  __libc_free(pointer);
}

void allocation_meter_start(void) { held = peak = 0; }
size_t allocation_meter_peak(void) { return peak > 0 ? (size_t)peak : 0; }
