/* Floats of 16 bits. */
#ifndef HD_SM_HALF_H
#define HD_SM_HALF_H

#include "semantics/float_bits.h"

/* brain: bfloat16. */
double hd_sm_of_half(uint32_t bits, bool brain);
uint32_t hd_sm_to_half(double value, bool brain, unsigned mode);

#endif
