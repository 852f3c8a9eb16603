#include "CSimulation.h"

int commit_fails(void *chance) {
  struct failing_commits *commits = chance;
  if (commits->percent == 0) return 0;
  // Knuth's numbers for a linear congruential generator; the upper bits are the random ones.
  commits->state = commits->state * 6364136223846793005u + 1442695040888963407u;
  return (commits->state >> 33) % 100 < commits->percent;
}
