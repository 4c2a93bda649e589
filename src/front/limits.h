/* Bounds on a program that Heddle starts: memory, processor time, time, output. Environment variables change those of clang (limits.def). */
#ifndef HD_LIMITS_H
#define HD_LIMITS_H

#include "base/base.h"

/* Bytes and seconds. 0: no bound. */
typedef struct hd_process_limits {
#define HD_PROCESS_LIMIT(id, field, variable, unit, scale, otherwise, most, says) uint64_t field;
#include "front/limits.def"
} hd_process_limits;

typedef enum hd_process_limit {
#define HD_PROCESS_LIMIT(id, field, variable, unit, scale, otherwise, most, says) HD_PROCESS_LIMIT_##id,
#include "front/limits.def"
	HD_PROCESS_LIMIT_NONE
} hd_process_limit;

/* The bounds of clang, from the environment. False and an error in `diag` for a value that is no number of the range. */
bool hd_limits_read(hd_process_limits *limits, hd_diag *diag);
/* Reports that the bound ended the program `what` on its work at `pos`: which bound, how much it is, which variable changes it. */
void hd_limits_error(hd_diag *diag, hd_pos pos, const char *what, hd_process_limit limit, const hd_process_limits *limits);

#endif
