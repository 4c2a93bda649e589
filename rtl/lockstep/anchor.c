/* Random operands a and b of 32 bits for an operation of published energy (rtl/energy.py): one operation a cycle. */
#include "switching.h"

lockstep_bin bench_bins[1];
const unsigned bench_n_bins = 0;

void bench_start(void) {}

void bench_cycle(void)
{
	lockstep_put(lockstep_find("a"), 0, 32, lockstep_random());
	lockstep_put(lockstep_find("b"), 0, 32, lockstep_random());
	lockstep_clock();
}
