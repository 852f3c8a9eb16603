#include <stddef.h>
#include <stdint.h>

/// Starts to count the bytes that this thread has allocated and not freed.
void allocation_meter_start(void);

/// Returns the maximum number of bytes that this thread has held since then.
size_t allocation_meter_peak(void);

/// The entry point of libFuzzer, which no header of the toolchain declares.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
