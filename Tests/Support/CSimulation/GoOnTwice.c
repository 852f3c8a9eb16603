#include "CSimulation.h"

#include <pthread.h>
#include <unistd.h>

// To Swift fork(2) is unavailable, since threads would be missing in the copy; where histories are played there is one.
pid_t go_on_twice(void) { return fork(); }

static void *run(void *body) {
  ((void (*)(void))body)();
  return NULL;
}

bool run_apart(void (*body)(void)) {
  pthread_t thread;
  return pthread_create(&thread, NULL, run, (void *)body) == 0 && pthread_join(thread, NULL) == 0;
}
