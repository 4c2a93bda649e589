/* Threads of the host that share out the items of a piece of work, again and again. Between two pieces they wait. */
#ifndef HD_TEAM_H
#define HD_TEAM_H

#include "base/base.h"

enum { HD_THREADS_MAX = 1024 };

/* The number of threads for a run: `asked`, or for 0 that of the variable HEDDLE_THREADS, or 1. At least 1 and at most HD_THREADS_MAX. */
uint32_t hd_threads(uint32_t asked);
/* True when the variable HEDDLE_ATOMICS is `unordered`: in functional mode atomics of different CTAs need no order (interp/interp.h). */
bool hd_unordered_atomics(void);

typedef struct hd_team hd_team;

/* A team of `members`, the caller's thread among them. Where the host gives no more threads the team is smaller. NULL for fewer than two members, and
 * where no thread could be made: hd_team_run then does everything in the caller's thread. */
hd_team *hd_team_new(uint32_t members);
/* Ends the threads. `team` may be NULL. */
void hd_team_free(hd_team *team);
/* Calls `work` once for each item from 0 to n - 1, in no order and at most as many at a time as there are members. Each member begins with the same
 * items in every piece of work of `n` items, whose data its processor then has, and takes items of others when it has no more. Returns when all
 * calls have returned: what they have written is then visible to the caller. */
void hd_team_run(hd_team *team, uint32_t n, void (*work)(void *context, uint32_t item), void *context);

#endif
