#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Prints the CPU time of WORK in nanoseconds: the median of many batches, like mfad-bench.

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int lower(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static long timed(void (*work)(void), long count) {
  long start = now();
  while (count-- > 0) work();
  return now() - start;
}

static void measure(void (*work)(void)) {
  enum { batches = 101 };
  static double figures[batches];
  long count = 1, taken;
  while ((taken = timed(work, count)) < 50000000) count *= 2;
  count = count * 2000000 / taken > 0 ? count * 2000000 / taken : 1;
  for (int index = 0; index < batches; index++) figures[index] = (double)timed(work, count) / count;
  qsort(figures, batches, sizeof *figures, lower);
  printf("%f 0\n", figures[batches / 2]);
}
