/* ST-1: the machines of a study: the points of a plan that its constraints leave, each machine once. */
#ifndef HD_STUDY_POINTS_H
#define HD_STUDY_POINTS_H

#include "study/digest.h"
#include "study/plan.h"

typedef struct hd_point {
	int *choice;             /* the value of each axis of the plan, -1 = none; points to memory of the list */
	char id[HD_DIGEST_TEXT]; /* digest of the machine's description without its name, and of why it cannot be */
	char *refused;           /* why the machine cannot be; NULL: it can */
	int64_t area;            /* -1: unknown */
} hd_point;

typedef struct hd_points {
	HD_VEC(hd_point) list;
	HD_VEC(int *) choices;
	uint64_t excluded; /* points that a constraint excludes */
	uint64_t same;     /* points whose machine is that of an earlier point */
} hd_points;

/* Makes the points in an order that depends on the plan alone. False and errors in diag: a wrong expression, more than the limits of plan.h, or no
 * machine is left. */
bool hd_points_make(hd_points *points, const hd_plan *plan, hd_diag *diag);
void hd_points_free(hd_points *points);
/* The text of a point: "heddle fence.counters=4 multi_issue.window=2". */
void hd_point_text(const hd_plan *plan, const int *choice, hd_text *out);
/* The description of a machine in which machines differ that work differently: all keys, no name. */
void hd_machine_content(const hd_machine *machine, hd_text *out);

#endif
