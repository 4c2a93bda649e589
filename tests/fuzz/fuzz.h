/* A fuzz target: one function that takes any bytes. Under libFuzzer (`tools/fuzz.sh`) it is called with bytes made up; in the suite replay.c
 * calls it with the files of found/TARGET, which are what fuzzing once found. */
#ifndef HD_FUZZ_H
#define HD_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
