#include <stddef.h>
#include <stdint.h>

/// Counts from here on what this thread allocates and has not freed.
void allocation_meter_start(void);

/// The most that this thread has held since then, in bytes.
size_t allocation_meter_peak(void);

/// libFuzzer's own entry, which no header of the toolchain declares.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
