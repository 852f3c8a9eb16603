#include "CSimulation.h"

#include <unistd.h>

// To Swift fork(2) is unavailable, since threads would be missing in the copy; where histories are played there is one.
pid_t go_on_twice(void) { return fork(); }
