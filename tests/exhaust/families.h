/* The families of programs that are enumerated. */
#ifndef FAMILIES_H
#define FAMILIES_H

#include "enumerate.h"

extern const family families[];
extern const unsigned n_families;

#endif
