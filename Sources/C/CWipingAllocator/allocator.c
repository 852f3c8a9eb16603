// Passwords, seeds and tokens pass through texts, lines and buffers of libraries, and none of those can be relied on to
// wipe what it held. So nothing that is freed keeps its bytes, whoever frees it.
#define _GNU_SOURCE
#include "CWipingAllocator.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// The C library calls these instead of its own, and is called by them: a program may replace its allocator.
extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

void free(void *pointer) {
  if (!pointer) return;
  explicit_bzero(pointer, malloc_usable_size(pointer));
  __libc_free(pointer);
}

void *realloc(void *old, size_t size) {
  if (!old) return __libc_malloc(size);
  if (size == 0) {
    free(old);
    return NULL;
  }
  size_t room = malloc_usable_size(old);
  if (size <= room) {
    // It stays where it is, and what is cut off may be given to others.
    explicit_bzero((char *)old + size, room - size);
    return __libc_realloc(old, size);
  }
  void *new = __libc_malloc(size);
  if (!new) return NULL;
  memcpy(new, old, room);
  free(old);
  return new;
}
