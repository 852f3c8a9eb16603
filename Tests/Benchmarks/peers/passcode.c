// A passcode of six digits as liboath computes it. Links with -loath.
#include <liboath/oath.h>
#include "stopwatch.h"

static const char secret[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
static time_t instant;

static void passcode(void) {
  char text[7];
  instant += 30;
  if (oath_totp_generate(secret, sizeof secret, instant, 30, 0, 6, text) != OATH_OK) exit(1);
}

int main(void) {
  if (oath_init() != OATH_OK) return 1;
  measure(passcode);
}
