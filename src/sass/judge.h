/* Whether the outstanding accesses at an instruction are covered (SA-4).
 *
 *   J1  A read behind a write, a write behind a write and a write behind a read of one register are judged, for each register of each operand.
 *   J2  A fixed latency is covered by the distance that the table asks for. A pair without a row makes the function unknown.
 *   J3  A variable latency is covered by the wait that ended it (pending.h).
 *   J4  Two instructions under opposite guards touch different lanes, unless the guard itself is what is read.
 *   J5  What is left is covered under an assumption, or it is a finding.
 *   J6  Where control leaves the section every result of variable latency has been waited for. */
#ifndef HD_SASS_JUDGE_H
#define HD_SASS_JUDGE_H

#include "sass/check.h"
#include "sass/pending.h"

typedef struct hd_sass_judge {
	const hd_sass_graph *graph;
	const hd_sass_latencies *latencies;
	const hd_sass_options *options;
	hd_sass_result *result;
	hd_sass_clauses clauses;
	bool no_row[HD_SASS_HAZARDS][HD_SASS_TIMING_COUNT][HD_SASS_TIMING_COUNT]; /* said already */
} hd_sass_judge;

/* Judges instruction `at` with the state behind its wait. */
void hd_sass_judge_instruction(hd_sass_judge *judge, const hd_sass_state *state, uint32_t at);
/* Control leaves the section at call or return `at`: what was loaded has arrived, because the code on the other side waits for nothing (A9). */
void hd_sass_judge_boundary(hd_sass_judge *judge, const hd_sass_state *state, uint32_t at);
void hd_sass_add_doubt(hd_sass_result *result, hd_sass_doubt_kind kind, uint32_t at, uint32_t other);

#endif
