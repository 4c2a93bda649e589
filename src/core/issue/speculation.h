/* Issue past an undecided branch (PD-27), with predecode.speculate. When a branch has been sent, its warp goes on at a predicted address.
 * Instructions behind the branch are fetched, scheduled, decoded and sent to the queues of their pipes. There they wait for a flag, HD_UNDECIDED,
 * that stands among the flags of the warp's fence counters while the branch is not decided. So they read no operand and change no value before the
 * decision. A warp has one undecided branch: at the next flow instruction it waits, and also at setprio and `hints`, where the decoder would send it
 * back, and where lanes resume.
 *
 * A decision is right for the prediction when the PC goes to the predicted address, every lane that is active then was active before, and no lane
 * resumes before an address that the warp has passed. Then the flag falls, and the instructions keep the lanes that are active now. Otherwise they
 * are removed from their queues, their counters fall, and what counts distances (docs/timing.md, rule 2) is as it was behind the branch.
 *
 * There is no deadlock (queue.h): an instruction that waits for a branch was sent after it. Wait counters keep it off the counters for which the
 * branch waits. */
#ifndef HD_CORE_SPECULATION_H
#define HD_CORE_SPECULATION_H

#include "core/state.h"

enum { HD_PREDICTIONS = 256 }; /* two-bit counters of a scheduler */

/* The undecided branch of a warp, and what the scheduler returns to if the prediction was wrong. */
typedef struct hd_guess {
	uint32_t start;                  /* the predicted address */
	uint32_t active;                 /* lanes at the branch */
	uint32_t minrc;                  /* MINRC there */
	uint32_t bound;                  /* the warp does not pass this address before the decision */
	uint32_t reached;                /* where it is when the branch is decided */
	uint64_t ready;                  /* end of the branch's own delay */
	uint64_t counted[HD_PIPE_COUNT]; /* of each queue */
	struct hd_count counts[HD_PIPE_COUNT];
	struct hd_window_time time[HD_TIMES];
} hd_guess;

/* Of one scheduler. */
struct hd_speculation {
	bool learns;                     /* predecode.speculate: counters */
	uint8_t counter[HD_PREDICTIONS]; /* 2 and 3: the branch does the opposite of the static prediction */
	hd_guess of[HD_WARP_SLOTS];
};

/* NULL when predecode.speculate is off. The caller frees the result with free(). */
hd_speculation *hd_speculation_new(const hd_machine *machine);

/* The warp has sent a flow instruction in this cycle. It goes on by a prediction, if there is one. */
void hd_speculation_begin(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);
/* For hd_decide, in this order, with a warp that is guessing. hd_speculation_return gives it the PC and the MINRC of its branch, at `pc`, back.
 * Behind the decision hd_speculation_end ends the guess; true if the prediction was right. `goes_on`: the warp has a next instruction. If it was
 * right, hd_speculation_go_on lets the warp continue where it was. Otherwise fetch begins anew at the PC. */
void hd_speculation_return(hd_scheduler *s, unsigned warp, uint32_t pc);
bool hd_speculation_end(hd_core *core, unsigned scheduler, const hd_flight *flight, bool goes_on, uint64_t now);
void hd_speculation_go_on(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);

#endif
