/* HW-4: resume_unit.sv against src/core/flow/flow.c (RC-1 to RC-14). The warps walk at random through functions of FUNCTION_WORDS words, of which the
 * first is a kernel. The C unit decides an operation at once. The bench keeps its result until the module ends the operation. The macros
 * MACHINE_WARPS to MEMBERSHIP_RANGE are the parameters of the module. */
#include "lockstep.h"

#include "core/flow/flow.h"

enum {
	DEPTH_BITS = RTL_CLOG2(DIVERGENCE_CALL_DEPTH),
	DEPTH = DIVERGENCE_CALL_DEPTH,
	FUNCTION_WORDS = 40,
	ROOM = ((1 << (PC_BITS < 12 ? PC_BITS : 12)) - 8) / FUNCTION_WORDS,
	FUNCTIONS = ROOM < DEPTH + 2 ? ROOM : DEPTH + 2,
	RANGE_BITS = MEMBERSHIP_RANGE ? 2 * PC_BITS : 0,
	COUNTERS_BITS = LANES * PC_BITS,
	REST_BITS = DEPTH_BITS + 1 + 2 * LANES + RANGE_BITS,
	FRAME_BITS = LANES + 2 * PC_BITS + RANGE_BITS,
};
#include "flow_program.h"

/* op_kind of the module */
typedef enum kind { BEGIN, BRANCH, JUMP, CALL, CALL_INDIRECT, RETURN, EXIT } kind;

enum {
	FORWARD,
	BACKWARD,
	BEYOND,
	MEETS,
	STEP_RESUMES,
	STEP_WAITS,
	STEP_BESIDE,
	NOBODY_TAKES,
	MANY_TARGETS,
	PART_CALLS,
	NESTED,
	FULL_STACK,
	SAME_ADDRESS,
	PART_RETURNS,
	POPS,
	WAITS_AT_RETURN,
	EXITS_INSIDE,
	NONE_RETURN,
	UNWINDS,
	UNWINDS_TWICE,
	MANY_CALLEES,
	CALLS_AGAIN,
	ENDS,
	TRAP_PC,
	TRAP_PC_TWICE,
	TRAP_DEPTH,
	TRAP_RETURN
};
lockstep_bin bench_bins[] = {
    [FORWARD] = {"a divergent forward branch (RC-4)"},
    [BACKWARD] = {"a divergent backward branch (RC-3)"},
    [BEYOND] = {"all go beyond MINRC, and those at MINRC first (RC-5)"},
    [MEETS] = {"all go to MINRC, and meet"},
    [STEP_RESUMES] = {"lanes resume where the PC comes in sequence (RC-2)"},
    [STEP_WAITS] = {"such a step waits for another warp's operation"},
    [STEP_BESIDE] = {"a step beside another warp's operation"},
    [NOBODY_TAKES] = {"no active lane takes the instruction"},
    [MANY_TARGETS] = {"an indirect branch to three targets or more (RC-14)"},
    [PART_CALLS] = {"a part of the lanes calls (RC-8)"},
    [NESTED] = {"a call inside of a subroutine"},
    [FULL_STACK] = {"the MINRC stack is full"},
    [SAME_ADDRESS] = {MEMBERSHIP_RANGE ? NULL : "a lane of an outer activation waits at the PC (RC-10)"},
    [PART_RETURNS] = {"a part of the lanes returns"},
    [POPS] = {"the last lanes return (RC-11)"},
    [WAITS_AT_RETURN] = {MEMBERSHIP_RANGE ? "lanes wait behind the call for those that call again" : NULL},
    [EXITS_INSIDE] = {"lanes exit inside of a subroutine (RC-12)"},
    [NONE_RETURN] = {"all lanes of an activation have exited, and the caller's go on"},
    [UNWINDS] = {"two activations end at once"},
    [UNWINDS_TWICE] = {"three activations end at once"},
    [MANY_CALLEES] = {MEMBERSHIP_RANGE ? NULL : "one activation with several targets"},
    [CALLS_AGAIN] = {MEMBERSHIP_RANGE ? "lanes with another target wait at the call" : NULL},
    [ENDS] = {"a warp ends"},
    [TRAP_PC] = {"trap: a bad target"},
    [TRAP_PC_TWICE] = {"two lanes have a bad target"},
    [TRAP_DEPTH] = {"trap: calls too deep (RC-13)"},
    [TRAP_RETURN] = {"trap: return outside of a subroutine"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_flow unit = {
    .code = &code, .object = &object, .stats = &stats, .call_depth = DEPTH, .membership = MEMBERSHIP_RANGE ? HD_MEMBER_RANGE : HD_MEMBER_FLAG};

static hd_warp_flow *flow; /* the module's state, by warp slot */
static bool running[MACHINE_WARPS];
/* The operation that the module has not ended. */
static struct {
	bool on, taken_back; /* the second: an operation without effect, a trap */
	unsigned warp, lane;
	kind kind;
	uint32_t taken, bad, lowest;
	unsigned measures, unwinds; /* cycles before its last one */
	hd_vec32 targets;
	hd_flow_result result;
} op;
static hd_warp_flow *after; /* the operation's */
static unsigned op_phase;   /* of the module's operation: 1 = its lowest target is known, 2 = it unwinds */
static unsigned operating, stepping, calling;
static lockstep_port *step_valid, *step_ready, *step_warp, *step_pc, *op_valid, *op_ready, *op_warp, *op_kind, *op_taken, *op_next, *op_target,
    *op_targets, *op_bad, *callee_begin, *callee_end, *op_result, *op_lane, *lowest, *pc, *active, *minrc, *counters, *rest, *frames, *phase;

void bench_start(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(step_valid), LOCKSTEP_PORT(step_ready), LOCKSTEP_PORT(step_warp), LOCKSTEP_PORT(step_pc),      LOCKSTEP_PORT(op_valid),
	    LOCKSTEP_PORT(op_ready),   LOCKSTEP_PORT(op_warp),    LOCKSTEP_PORT(op_kind),   LOCKSTEP_PORT(op_taken),     LOCKSTEP_PORT(op_next),
	    LOCKSTEP_PORT(op_target),  LOCKSTEP_PORT(op_targets), LOCKSTEP_PORT(op_bad),    LOCKSTEP_PORT(callee_begin), LOCKSTEP_PORT(callee_end),
	    LOCKSTEP_PORT(op_result),  LOCKSTEP_PORT(op_lane),    LOCKSTEP_PORT(lowest),    LOCKSTEP_PORT(pc),           LOCKSTEP_PORT(active),
	    LOCKSTEP_PORT(minrc),      LOCKSTEP_PORT(counters),   LOCKSTEP_PORT(rest),      LOCKSTEP_PORT(frames),       LOCKSTEP_PORT(phase),
	};
	lockstep_find_all(names, HD_COUNT(names));
	start_program();
	op.on = false;
	op_phase = 0;
	memset(running, 0, sizeof running);
	if (flow)
		return; /* another launch */
	flow = hd_xaligned((MACHINE_WARPS + 1) * sizeof *flow);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		flow[warp].stack = hd_xcalloc(DEPTH, sizeof(hd_activation));
	after = &flow[MACHINE_WARPS];
}

/* The number of activations that end in cycles of their own: no lane returns from them, and the caller has none either. Changes `w`, which has no
 * active lane. */
static bool unwind(hd_warp_flow *w)
{
	if (w->minrc != HD_INF || !w->depth)
		return false;
	const hd_activation *frame = &w->stack[w->depth - 1];
	if (w->members & w->alive || frame->minrc != HD_INF)
		return false;
	w->depth--;
	w->members = frame->members;
	w->begin = frame->begin;
	w->end = frame->end;
	w->pc = frame->back;
	return true;
}

static void cover(const hd_warp_flow *before, uint32_t target)
{
	uint32_t others = before->active & ~op.taken, distinct = 0, next = hd_code_next(&code, before->pc);
	for (uint32_t left = op.taken; left; left &= left - 1) {
		bool is_new = true;
		for (unsigned lane = 0; lane < hd_lowest_bit(left); lane++)
			is_new &= !(op.taken >> lane & 1) || op.targets.v[lane] != op.targets.v[hd_lowest_bit(left)];
		distinct += is_new;
	}
	bool gone = op.result == HD_FLOW_GO || op.result == HD_FLOW_END, indirect = op.kind == JUMP || op.kind == CALL_INDIRECT;
	bool called = gone && op.taken && (op.kind == CALL || op.kind == CALL_INDIRECT);
	lockstep_cover_if(FORWARD, op.kind == BRANCH && op.taken && others && target > before->pc);
	lockstep_cover_if(BACKWARD, op.kind == BRANCH && op.taken && others && target <= before->pc);
	lockstep_cover_if(BEYOND, op.kind == BRANCH && op.taken && !others && target > before->minrc);
	lockstep_cover_if(MEETS, op.kind == BRANCH && op.taken && !others && target == before->minrc);
	lockstep_cover_if(NOBODY_TAKES, !op.taken);
	lockstep_cover_if(MANY_TARGETS, op.kind == JUMP && distinct > 2 && gone);
	lockstep_cover_if(PART_CALLS, called && others);
	lockstep_cover_if(NESTED, called && before->depth);
	lockstep_cover_if(FULL_STACK, after->depth == DEPTH);
	for (unsigned lane = 0; lane < LANES && gone; lane++)
		lockstep_cover_if(SAME_ADDRESS, after->rc[lane] == after->pc && op.result == HD_FLOW_GO);
	lockstep_cover_if(PART_RETURNS, op.kind == RETURN && gone && op.taken && others);
	bool pops = gone && after->depth < before->depth && op.kind != BEGIN;
	lockstep_cover_if(POPS, pops && op.kind == RETURN);
	for (unsigned lane = 0; lane < LANES && pops && after->active; lane++)
		lockstep_cover_if(WAITS_AT_RETURN, after->rc[lane] == before->stack[after->depth].back && before->members >> lane & 1);
	lockstep_cover_if(EXITS_INSIDE, op.kind == EXIT && op.taken && before->depth);
	lockstep_cover_if(NONE_RETURN, pops && !(before->members & after->alive) && op.result == HD_FLOW_GO);
	lockstep_cover_if(UNWINDS, op.unwinds == 1);
	lockstep_cover_if(UNWINDS_TWICE, op.unwinds > 1);
	lockstep_cover_if(MANY_CALLEES, called && indirect && distinct > 1);
	for (unsigned lane = 0; lane < LANES && called; lane++)
		lockstep_cover_if(CALLS_AGAIN, op.taken >> lane & 1 && after->rc[lane] == before->pc && before->pc != next);
	lockstep_cover_if(ENDS, op.result == HD_FLOW_END);
	lockstep_cover_if(TRAP_PC, op.result == HD_FLOW_PC);
	lockstep_cover_if(TRAP_PC_TWICE, op.result == HD_FLOW_PC && op.taken & op.bad & ((op.taken & op.bad) - 1));
	lockstep_cover_if(TRAP_DEPTH, op.result == HD_FLOW_DEPTH);
	lockstep_cover_if(TRAP_RETURN, op.result == HD_FLOW_RETURN);
}

static void begin_operation(uint32_t next, uint32_t target, uint32_t callee, uint32_t callee_words);

/* Chooses an operation for a warp, and lets the C unit decide it. */
static void choose(unsigned warp)
{
	hd_warp_flow *w = &flow[warp];
	if (lockstep_chance(3))
		running[warp] = false; /* another warp begins in its slot */
	uint32_t function = running[warp] ? w->pc / FUNCTION_WORDS : 0, target = 1, callee = 0, pick[3];
	uint32_t next = running[warp] ? hd_code_next(&code, w->pc) : 1;
	bool last = running[warp] && next >= (function + 1) * FUNCTION_WORDS; /* nothing behind: no lane may go there */
	uint32_t callees = MEMBERSHIP_RANGE ? FUNCTIONS - 1 - function : FUNCTIONS - 1;
	op.on = true;
	op.warp = warp;
	op.kind = !running[warp] ? BEGIN : lockstep_chance(calling) ? CALL + lockstep_below(4) : BRANCH + lockstep_below(2);
	if (op.kind == RETURN && !w->depth && lockstep_chance(95))
		op.kind = BRANCH;
	if (op.kind == EXIT && lockstep_chance(w->depth ? 65 : 93))
		op.kind = JUMP;
	if ((op.kind == CALL || op.kind == CALL_INDIRECT) && (last || !callees))
		op.kind = BRANCH;
	if (op.kind == BEGIN) {
		op.taken = (uint32_t)ALL & (uint32_t)lockstep_random();
		op.taken = lockstep_chance(60) || !op.taken ? (uint32_t)ALL : op.taken;
	} else {
		op.taken = last ? w->active : some_lanes(w->active);
	}
	bool calls = op.kind == CALL || op.kind == CALL_INDIRECT, indirect = op.kind == JUMP || op.kind == CALL_INDIRECT;
	for (unsigned i = 0; i < 3; i++) {
		pick[i] = some_address(function, running[warp] ? w->pc : 1);
		if (calls)
			pick[i] =
			    (MEMBERSHIP_RANGE && lockstep_chance(60) ? function + 1 : FUNCTIONS - 1 - lockstep_below(callees)) * FUNCTION_WORDS + 1;
	}
	target = running[warp] ? pick[0] : 1;
	if (!calls && lockstep_chance(10) && w->minrc != HD_INF && running[warp])
		target = pick[1] = w->minrc;
	op.bad = 0;
	op.lowest = HD_INF;
	unsigned spread = 1 + lockstep_below(3);
	bool spoiled = indirect && lockstep_chance(4);
	for (unsigned lane = 0; lane < LANES; lane++) {
		op.targets.v[lane] = pick[lockstep_below(spread)];
		if (spoiled && lockstep_chance(40))
			op.targets.v[lane] &= ~(HD_LINE_WORDS - 1u);
		op.bad |= (uint32_t)!hd_object_indirect_target(&object, w->pc, op.targets.v[lane], calls) << lane;
		if (op.taken >> lane & 1 && op.targets.v[lane] < op.lowest)
			op.lowest = op.targets.v[lane];
	}
	callee = op.kind == CALL_INDIRECT && op.taken ? op.lowest : target;
	begin_operation(next, target, callee - callee % FUNCTION_WORDS, FUNCTION_WORDS);
}

/* Gives the operation `op` to the module, and lets the C unit decide it. `callee`: the subroutine that is called. */
static void begin_operation(uint32_t next, uint32_t target, uint32_t callee, uint32_t callee_words)
{
	hd_warp_flow *w = &flow[op.warp];
	bool indirect = op.kind == JUMP || op.kind == CALL_INDIRECT;
	lockstep_put(op_warp, 0, WARP_BITS, op.warp);
	lockstep_put(op_kind, 0, 3, op.kind);
	lockstep_put(op_taken, 0, LANES, op.taken);
	lockstep_put(op_next, 0, PC_BITS, next);
	lockstep_put(op_target, 0, PC_BITS, target);
	lockstep_put(op_bad, 0, LANES, op.bad);
	lockstep_put(callee_begin, 0, PC_BITS, callee);
	lockstep_put(callee_end, 0, PC_BITS, callee + callee_words);
	for (unsigned lane = 0; lane < LANES; lane++)
		lockstep_put(op_targets, lane * PC_BITS, PC_BITS, op.targets.v[lane]);

	hd_warp_flow before = *w;
	*after = *w;
	switch (op.kind) {
	case BEGIN:
		op.result = HD_FLOW_GO;
		hd_flow_start(after, target, op.taken);
		break;
	case BRANCH:
		op.result = hd_flow_branch(&unit, after, op.taken, target);
		break;
	case JUMP:
		op.result = hd_flow_jump(&unit, after, op.taken, &op.targets, &op.lane);
		break;
	case CALL:
		op.result = hd_flow_call(&unit, after, op.taken, target);
		break;
	case CALL_INDIRECT:
		op.result = hd_flow_call_indirect(&unit, after, op.taken, &op.targets, &op.lane);
		break;
	case RETURN:
		op.result = hd_flow_return(&unit, after, op.taken);
		break;
	case EXIT:
		op.result = hd_flow_exit(&unit, after, op.taken);
		break;
	}
	op.taken_back = op.result != HD_FLOW_GO && op.result != HD_FLOW_END;
	op.measures = indirect && op.taken && !op.taken_back;
	op.unwinds = 0;
	if ((op.kind == RETURN || op.kind == EXIT) && !op.taken_back && op.taken == before.active) {
		hd_warp_flow between = before;
		between.alive = op.kind == EXIT ? before.alive & ~op.taken : before.alive;
		while (unwind(&between))
			op.unwinds++;
	}
	cover(&before, target);
}

/* One cycle of the operation. */
static void operate(void)
{
	bool ends = !op.measures && !op.unwinds;
	lockstep_expect(op_ready, 0, 1, ends);
	if (!ends)
		return;
	lockstep_expect(op_result, 0, 3, result_number(op.result));
	if (op.result == HD_FLOW_PC)
		lockstep_expect(op_lane, 0, LANE_BITS, op.lane);
	if ((op.kind == JUMP || op.kind == CALL_INDIRECT) && op.taken && !op.taken_back)
		lockstep_expect(lowest, 0, PC_BITS, op.lowest);
}

/* The state of the operation's warp behind this cycle. */
static void advance(void)
{
	hd_warp_flow *w = &flow[op.warp];
	op_phase = op.measures ? 1 : op.unwinds ? 2 : 0;
	if (op.measures) {
		op.measures = 0;
	} else if (op.unwinds) {
		op.unwinds--;
		if (op.kind == EXIT)
			w->alive &= ~op.taken;
		w->active = 0;
		unwind(w);
	} else {
		op.on = false;
		running[op.warp] = op.result == HD_FLOW_GO;
		if (!op.taken_back)
			*w = *after;
	}
}

static uint64_t address(uint32_t at) { return at == HD_INF ? (UINT64_C(1) << PC_BITS) - 1 : at; }

static void expect_memory(const lockstep_port *port, unsigned *first, unsigned width, uint64_t expected)
{
	*first -= width;
	lockstep_expect(port, *first, width, expected);
}

static void compare_warp(unsigned warp)
{
	const hd_warp_flow *w = &flow[warp];
	unsigned first = warp * STRIDE(REST_BITS) + REST_BITS;
	lockstep_expect(pc, warp * PC_BITS, PC_BITS, w->pc);
	lockstep_expect(active, warp * LANES, LANES, w->active);
	lockstep_expect(minrc, warp * PC_BITS, PC_BITS, address(w->minrc));
	for (unsigned lane = 0; lane < LANES; lane++)
		lockstep_expect(counters, warp * STRIDE(COUNTERS_BITS) + lane * PC_BITS, PC_BITS, address(w->rc[lane]));
	expect_memory(rest, &first, DEPTH_BITS + 1, w->depth);
	expect_memory(rest, &first, LANES, w->alive);
	expect_memory(rest, &first, LANES, w->members);
	if (MEMBERSHIP_RANGE) {
		expect_memory(rest, &first, PC_BITS, w->begin);
		expect_memory(rest, &first, PC_BITS, address(w->end));
	}
	for (unsigned i = 0; i < w->depth; i++) {
		first = ((warp << DEPTH_BITS) + i) * STRIDE(FRAME_BITS) + FRAME_BITS;
		expect_memory(frames, &first, LANES, w->stack[i].members);
		expect_memory(frames, &first, PC_BITS, address(w->stack[i].minrc));
		expect_memory(frames, &first, PC_BITS, w->stack[i].back);
		if (MEMBERSHIP_RANGE) {
			expect_memory(frames, &first, PC_BITS, w->stack[i].begin);
			expect_memory(frames, &first, PC_BITS, address(w->stack[i].end));
		}
	}
}

/* A warp steps in sequence. Returns false if the module makes it wait. */
static void step(void)
{
	unsigned warp = lockstep_below(MACHINE_WARPS);
	hd_warp_flow *w = &flow[warp];
	bool on = running[warp] && lockstep_chance(stepping) && !(op.on && op.warp == warp);
	uint32_t next = on ? hd_code_next(&code, w->pc) : 0;
	on = on && next < (w->pc / FUNCTION_WORDS + 1) * FUNCTION_WORDS;
	lockstep_put(step_valid, 0, 1, on);
	lockstep_put(step_warp, 0, WARP_BITS, warp);
	lockstep_put(step_pc, 0, PC_BITS, next);
	if (!on)
		return;
	bool resumes = next == w->minrc;
	lockstep_eval();
	lockstep_expect(step_ready, 0, 1, !resumes || !op.on);
	lockstep_cover_if(STEP_WAITS, resumes && op.on);
	lockstep_cover_if(STEP_BESIDE, !resumes && op.on);
	if (resumes && op.on)
		return;
	lockstep_cover_if(STEP_RESUMES, resumes);
	hd_flow_load(&unit, w, next);
}

void bench_cycle(void)
{
	if (lockstep_chance(1) || !operating) {
		operating = 10 + lockstep_below(80);
		stepping = lockstep_below(101);
		all_taken = lockstep_below(70);
		calling = lockstep_chance(30) ? 80 : lockstep_below(60);
	}
	if (!op.on && lockstep_chance(operating))
		choose(lockstep_below(MACHINE_WARPS));
	lockstep_put(op_valid, 0, 1, op.on);
	step();
	lockstep_eval();
	lockstep_expect(phase, 0, 2, op_phase);
	if (op.on)
		operate();
	lockstep_clock();
	if (op.on)
		advance();
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		if (running[warp])
			compare_warp(warp);
}

#ifdef LOCKSTEP_REPLAY
/* The machine decides an instruction at once. The module takes a second cycle for indirect ones, and for activations without a lane. So some
 * recorded cycles are several ones here. */
static void replay_cycle(const replay_event *stepping_now)
{
	lockstep_put(op_valid, 0, 1, op.on);
	lockstep_put(step_valid, 0, 1, stepping_now != NULL);
	if (stepping_now) {
		lockstep_put(step_warp, 0, WARP_BITS, stepping_now->values[0]);
		lockstep_put(step_pc, 0, PC_BITS, stepping_now->values[1]);
	}
	lockstep_eval();
	lockstep_expect(phase, 0, 2, op_phase);
	if (op.on)
		operate();
	lockstep_clock();
	if (op.on)
		advance();
}

static void replay_step(const replay_event *event)
{
	unsigned warp = replay_value(event, 0, MACHINE_WARPS);
	hd_warp_flow *w = &flow[warp];
	bool resumes = event->values[1] == w->minrc;
	if (op.on && (op.warp == warp || resumes)) {
		while (op.on)
			replay_cycle(NULL);
		resumes = event->values[1] == w->minrc;
	}
	replay_cycle(event);
	hd_flow_load(&unit, w, replay_value(event, 1, WORDS));
	replay_expect("active", w->active, event->values[2]);
	replay_expect("minrc", w->minrc, event->values[3]);
}

static void replay_operation(const replay_event *event, const replay_event *with_targets)
{
	bool begins = event->kind == HD_RECORD_FLOW_BEGINS;
	while (op.on)
		replay_cycle(NULL);
	op.on = true;
	op.warp = replay_value(event, 0, MACHINE_WARPS);
	op.kind = begins ? BEGIN : (kind)replay_value(event, 1, EXIT + 1);
	op.taken = (uint32_t)event->values[2];
	op.bad = 0;
	op.lowest = HD_INF;
	if (begins) {
		begin_operation(0, replay_value(event, 1, WORDS), 0, 0);
		return;
	}
	hd_warp_flow *w = &flow[op.warp];
	uint32_t at = replay_value(event, 3, WORDS);
	replay_expect("pc", w->pc, at);
	rows[at].next = replay_value(event, 4, WORDS);
	if (op.kind == JUMP || op.kind == CALL_INDIRECT) {
		if (!with_targets || with_targets->values[1] & op.taken)
			replay_refuse("an indirect instruction has no target, or a bad one");
		replay_legal(op.kind == CALL_INDIRECT);
		for (unsigned lane = 0; lane < LANES; lane++) {
			op.targets.v[lane] = (uint32_t)with_targets->values[2 + lane];
			if (op.taken >> lane & 1 && op.targets.v[lane] < op.lowest)
				op.lowest = op.targets.v[lane];
		}
	}
	begin_operation(rows[at].next, (uint32_t)event->values[5], 0, 0);
	replay_expect("result", op.result, event->values[6]);
	if (op.result == HD_FLOW_GO)
		replay_expect("pc", after->pc, event->values[8]);
	replay_expect("active", after->active, event->values[9]);
	replay_expect("alive", after->alive, event->values[10]);
	replay_expect("minrc", after->minrc, event->values[11]);
	replay_expect("members", after->members, event->values[12]);
	replay_expect("depth", after->depth, event->values[13]);
}

void bench_replay(const replay_event *all, unsigned n)
{
	const replay_event *targets_of = NULL;
	bool any = false;
	for (unsigned i = 0; i < n; i++) {
		if (all[i].kind == HD_RECORD_FLOW_TARGETS)
			targets_of = &all[i];
		else if (all[i].kind == HD_RECORD_FLOW || all[i].kind == HD_RECORD_FLOW_BEGINS)
			replay_operation(&all[i], targets_of);
		else if (all[i].kind == HD_RECORD_FLOW_STEP)
			replay_step(&all[i]);
		else
			continue;
		any = true;
	}
	do
		replay_cycle(NULL);
	while (op.on);
	for (unsigned warp = 0; warp < MACHINE_WARPS && any; warp++)
		if (running[warp])
			compare_warp(warp);
}
#endif
