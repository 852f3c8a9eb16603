#include "CSimulation.h"

#include <pthread.h>
#include <unistd.h>

// fork(2) is unavailable in Swift, since the copy lacks all other threads. The simulator has only one thread.
pid_t go_on_twice(void) { return fork(); }

static void *run(void *body) {
  ((void (*)(void))body)();
  return NULL;
}

bool run_apart(void (*body)(void)) {
  pthread_t thread;
  return pthread_create(&thread, NULL, run, (void *)body) == 0 && pthread_join(thread, NULL) == 0;
}
