/* The program that the benches of resume_unit and reconvergence_stack share: FUNCTIONS functions of FUNCTION_WORDS words, of which the first is a
 * kernel, and random places in it. A bench defines FUNCTIONS and FUNCTION_WORDS before it includes this file. */
#ifndef RTL_FLOW_PROGRAM_H
#define RTL_FLOW_PROGRAM_H

#include "replay.h"

#include "core/flow/flow.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	LANE_BITS = RTL_CLOG2(LANES),
	ALL = (int)(LANES == 32 ? UINT32_MAX : (1u << LANES) - 1),
#ifdef LOCKSTEP_REPLAY
	WORDS = 1 << 16, /* of the largest program that is replayed */
#else
	WORDS = FUNCTIONS * FUNCTION_WORDS,
#endif
};
/* Verilator's distance between the entries of a memory with words of so many bits. */
#define STRIDE(bits) ((bits) <= 8 ? 8u : (bits) <= 16 ? 16u : ((bits) + 31u) / 32 * 32)

static hd_static rows[WORDS + HD_LINE_WORDS];
static hd_function functions[FUNCTIONS];
static hd_kernel kernel;
static uint32_t listed[WORDS];
static hd_object object;
static hd_code code = {.at = rows, .n_words = WORDS};
static hd_stats stats;
static unsigned all_taken; /* percent */

static void start_program(void)
{
	for (uint32_t at = 0; at < WORDS + HD_LINE_WORDS; at++)
		rows[at] = (hd_static){.kind = at % HD_LINE_WORDS ? HD_KIND_PURE : HD_KIND_BAD, .next = hd_after(HD_GEOMETRY_LINE, at)};
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		functions[i] = (hd_function){.name = (char *)(uintptr_t) "f", .begin = i * FUNCTION_WORDS, .end = (i + 1) * FUNCTION_WORDS};
	object.functions.at = functions;
	object.functions.n = FUNCTIONS;
	kernel.entry = 1;
	object.kernels.at = &kernel;
	object.kernels.n = 1;
	object.targets.at = listed;
	object.targets.n = 0;
	for (uint32_t at = 0; at < WORDS; at++)
		if (at % HD_LINE_WORDS)
			listed[object.targets.n++] = at;
}

static uint32_t some_lanes(uint32_t among)
{
	uint32_t lanes = (uint32_t)lockstep_random() & among;
	if (!lanes && lockstep_chance(70))
		lanes = among & -among;
	if (lockstep_chance(all_taken))
		return among;
	if (lockstep_chance(20))
		return lanes & -lanes;
	return lanes;
}

static uint32_t some_address(uint32_t function, uint32_t near)
{
	uint32_t at = lockstep_chance(60) ? near + lockstep_below(9) - 3 : function * FUNCTION_WORDS + lockstep_below(FUNCTION_WORDS);
	if (at < function * FUNCTION_WORDS || at >= (function + 1) * FUNCTION_WORDS)
		at = function * FUNCTION_WORDS + lockstep_below(FUNCTION_WORDS);
	return at % HD_LINE_WORDS ? at : at + 1;
}

#ifdef LOCKSTEP_REPLAY
/* The tables say that every target is legal, because a run that goes on has met no other: those of a branch lie in one function, and each address
 * begins a function for calls. */
static void replay_legal(bool calls)
{
	static hd_function each[WORDS];
	static const hd_function whole = {.name = (char *)(uintptr_t) "f", .begin = 0, .end = WORDS};
	for (uint32_t i = 0; i < WORDS && calls && !each[1].end; i++)
		each[i] = (hd_function){.name = (char *)(uintptr_t) "f", .begin = i, .end = i + 1};
	functions[0] = whole;
	object.functions.at = calls ? each : functions;
	object.functions.n = calls ? WORDS : 1;
	object.kernels.n = 0;
}
#endif

/* The number that the modules give a result. The C unit has more of them, which the modules do not do. */
static inline unsigned result_number(hd_flow_result result)
{
	switch (result) {
	case HD_FLOW_GO:
		return 0;
	case HD_FLOW_END:
		return 1;
	case HD_FLOW_PC:
		return 2;
	case HD_FLOW_DEPTH:
		return 3;
	case HD_FLOW_RETURN:
		return 5;
	case HD_FLOW_TOKENS:
		return 6;
	default:
		return 7;
	}
}

#endif
