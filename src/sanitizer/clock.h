/* The accesses of others that a thread knows: those that happened before. A clock is immutable and shared by all threads that know the same.
 *
 * There is one time for the whole run, a number that grows with every event that can order accesses. The interpreter runs one CTA at a time, so
 * "everything that this CTA did before the barrier", "everything that the grid did" and "everything of the child grids" are spans of time. A release
 * by a single thread or by a part of a warp is a part: a CTA, a warp, lanes, and the time before which their accesses are known. */
#ifndef HD_CLOCK_H
#define HD_CLOCK_H

#include "base/base.h"

typedef struct hd_clock_span {
	uint64_t from, to; /* all accesses with from <= time < to */
} hd_clock_span;

/* The accesses of these lanes before `to`. `from`: when the CTA began. */
typedef struct hd_clock_part {
	uint64_t from, to;
	uint32_t cta, warp, lanes;
} hd_clock_part;

typedef struct hd_clock {
	uint32_t uses;
	uint32_t n_spans, n_parts;
	hd_clock_span *spans; /* ascending, with gaps between them */
	hd_clock_part *parts; /* by CTA, warp and descending `to`; lanes of one warp are in one part each */
} hd_clock;

enum { HD_CLOCK_MOST = 2048 /* spans, and parts, of a clock */ };

/* State shared by all clocks of a run. Zeroed at first. */
typedef struct hd_clocks {
	uint64_t bytes;   /* of all clocks that are in use */
	uint64_t widened; /* how often a clock exceeded HD_CLOCK_MOST and was widened: it knows more than is true, so races can be missed */
	hd_clock *left, *right, *result; /* of the last join */
} hd_clocks;
void hd_clocks_end(hd_clocks *clocks);

/* NULL is the clock that knows nothing. hd_clock_use returns its argument. */
hd_clock *hd_clock_use(hd_clock *clock);
void hd_clock_drop(hd_clocks *clocks, hd_clock *clock);
/* Drops *to, and puts `clock`, whose use it takes over, in its place. */
void hd_clock_set(hd_clocks *clocks, hd_clock **to, hd_clock *clock);
/* The union of what two clocks know. Arguments stay in use; so does the result, which the caller drops. */
hd_clock *hd_clock_join(hd_clocks *clocks, hd_clock *a, hd_clock *b);
hd_clock *hd_clock_with_span(hd_clocks *clocks, hd_clock *clock, uint64_t from, uint64_t to);
hd_clock *hd_clock_with_part(hd_clocks *clocks, hd_clock *clock, hd_clock_part part);
/* True when the access of the lane at `time` is known. */
bool hd_clock_knows(const hd_clock *clock, uint64_t time, uint32_t cta, uint32_t warp, uint32_t lane);

#endif
