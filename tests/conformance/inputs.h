/* Inputs of mathematical functions: values at which implementations go wrong, and random ones of every kind. */
#ifndef INPUTS_H
#define INPUTS_H

#include "conformance.h"

/* The specials, which tests put against each other: zeros, infinities, NaN, the limits of the type. `which` counts modulo CF_SPECIALS. */
enum { CF_SPECIALS = 16 };
double cf_special(bool is_float, unsigned which);

/* `count` arguments (1 to 3) for element i. One argument: the specials, then every corner (constants of functions and of the type, with their
 * neighbours and signs), then whole numbers and halves, then random values. Several: every pair of specials, then random values and pairs that belong
 * together: ties of a sum or a product, multiples, powers at the limits of the range. */
void cf_inputs(cf_session *s, bool is_float, unsigned count, size_t i, double value[3]);

/* An argument and an integer: every special with the first 16 integers, then as above; results at the limits of the range, ties below the normal
 * numbers, perfect powers. */
void cf_inputs_integer(cf_session *s, bool is_float, size_t i, double *value, int32_t *n);

/* A random number of any kind; one of 0 to 1; one of 2^-14 to 2^16 in magnitude. */
double cf_any_real(cf_session *s, bool is_float);
double cf_unit(cf_session *s, bool is_float);
double cf_middle(cf_session *s);

#endif
