/* Causes of lost issue slots: one list for machine, statistics, traces and pages (stall.def). */
#ifndef HD_STALL_H
#define HD_STALL_H

typedef enum hd_stall {
#define STALL(id, ...) HD_STALL_##id,
#include "launch/stall.def"
#undef STALL
	HD_STALL_COUNT,
} hd_stall;

/* Name, label, colours and meaning of a cause, for pages, tables and traces. */
typedef struct hd_stall_info {
	const char *name, *label, *colour, *safe, *meaning;
} hd_stall_info;
extern const hd_stall_info hd_stalls[HD_STALL_COUNT];

#endif
