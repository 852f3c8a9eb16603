// Passwords, seeds and tokens pass through strings and library buffers, which do not reliably wipe their
// contents. So every freed block is wiped, no matter which code frees it.
#define _GNU_SOURCE
#include "CWipingAllocator.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// The functions of glibc's own allocator. glibc lets a program replace malloc(3), and itself calls the
// replacement.
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
    // The block stays in place. The part after `size` is wiped, because the allocator may reuse it.
    explicit_bzero((char *)old + size, room - size);
    return __libc_realloc(old, size);
  }
  void *new = __libc_malloc(size);
  if (!new) return NULL;
  memcpy(new, old, room);
  free(old);
  return new;
}
