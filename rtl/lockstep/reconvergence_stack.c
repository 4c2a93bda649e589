/* HW-4: reconvergence_stack.sv against src/core/flow/stack.c (RC-16). The warps walk at random through functions of FUNCTION_WORDS words, of which
 * the first is a kernel. The C unit decides an operation at once. The bench keeps its result until the module ends the operation, and compares that
 * warp again from then on. The macros MACHINE_WARPS to TOKENS are the parameters of the module. */
#include "lockstep.h"

#include "core/flow/stack.h"

enum {
	AT_BITS = RTL_CLOG2(TOKENS) + 1,
	NOWHERE = (1 << AT_BITS) - 1,
	FUNCTION_WORDS = 40,
	FUNCTIONS = 3,
	PLACE_BITS = 2 + PC_BITS,
	PLACES_BITS = TOKENS * PLACE_BITS,
	REST_BITS = AT_BITS + LANES + LANES * AT_BITS,
};
#include "flow_program.h"

/* op_kind of the module */
typedef enum kind { BEGIN, BRANCH, JUMP, CALL, CALL_INDIRECT, RETURN, EXIT, PUSH, BREAK, SYNC } kind;

enum {
	FORWARD,
	BACKWARD,
	FIRST_ARRIVES,
	SECOND_ARRIVES,
	NOBODY_TAKES,
	MANY_TARGETS,
	JUMP_ARRIVES,
	PUSHES,
	PUSHED_ALREADY,
	PART_BREAKS,
	ALL_BREAK,
	BREAKS_OUT,
	BREAKS_TO_NONE,
	SYNC_WAITS,
	SYNC_MEETS,
	SYNC_ALONE,
	SYNC_WITHOUT,
	PART_CALLS,
	NESTED,
	SAME_ADDRESS,
	PART_RETURNS,
	POPS_CALL,
	MANY_CALLEES,
	EXITS_INSIDE,
	POPS_MANY,
	FULL,
	ENDS,
	TRAP_PC,
	TRAP_RETURN,
	TRAP_TOKENS
};
lockstep_bin bench_bins[] = {
    [FORWARD] = {"a divergent forward branch"},
    [BACKWARD] = {"a divergent backward branch"},
    [FIRST_ARRIVES] = {"the side that goes first has arrived at a token"},
    [SECOND_ARRIVES] = {"the side that goes second has arrived at a token"},
    [NOBODY_TAKES] = {"no active lane takes the instruction"},
    [MANY_TARGETS] = {"an indirect branch to three targets or more (RC-14)"},
    [JUMP_ARRIVES] = {"lanes of an indirect branch have arrived at a token"},
    [PUSHES] = {"push"},
    [PUSHED_ALREADY] = {"push for an address that has a token"},
    [PART_BREAKS] = {"a part of the lanes breaks"},
    [ALL_BREAK] = {"all lanes break"},
    [BREAKS_OUT] = {"lanes break out of another token's region"},
    [BREAKS_TO_NONE] = {"a break without a token is a branch"},
    [SYNC_WAITS] = {"lanes wait at their sync for a side"},
    [SYNC_MEETS] = {"the last lanes come to their sync, and go on with those that wait"},
    [SYNC_ALONE] = {"all lanes of a token come to the sync together"},
    [SYNC_WITHOUT] = {"a sync without a token"},
    [PART_CALLS] = {"a part of the lanes calls"},
    [NESTED] = {"a call inside of a subroutine"},
    [SAME_ADDRESS] = {"an outer activation has a token for the address"},
    [PART_RETURNS] = {"a part of the lanes returns"},
    [POPS_CALL] = {"the last lanes return"},
    [MANY_CALLEES] = {"an indirect call to several targets"},
    [EXITS_INSIDE] = {"lanes exit inside of a subroutine"},
    [POPS_MANY] = {"three tokens are popped at once"},
    [FULL] = {TOKENS > 16 ? NULL : "the stack is full"},
    [ENDS] = {"a warp ends"},
    [TRAP_PC] = {"trap: a bad target"},
    [TRAP_RETURN] = {"trap: return outside of a subroutine"},
    [TRAP_TOKENS] = {TOKENS > 16 ? NULL : "trap: no room for a token"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_flow unit = {.code = &code, .object = &object, .stats = &stats, .call_depth = HD_TOKENS_MAX, .mode = HD_DIV_STACK};

static hd_warp_flow *flow; /* by warp slot */
static hd_tokens tokens[MACHINE_WARPS];
static bool running[MACHINE_WARPS];
/* The operation that the module has not ended, and what the C unit says of it. */
static struct {
	bool on;
	unsigned warp, lane, cycles; /* the last: before it ends */
	kind kind;
	hd_vec32 targets;
	hd_flow_result result;
} op;
static unsigned operating, stepping, calling, meeting;
static lockstep_port *step_valid, *step_warp, *step_pc, *op_valid, *op_ready, *op_warp, *op_kind, *op_taken, *op_next, *op_target, *op_targets,
    *op_bad, *op_result, *op_lane, *pc, *active, *places, *lanes, *rest, *phase;

void bench_start(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(step_valid), LOCKSTEP_PORT(step_warp), LOCKSTEP_PORT(step_pc),   LOCKSTEP_PORT(op_valid), LOCKSTEP_PORT(op_ready),
	    LOCKSTEP_PORT(op_warp),    LOCKSTEP_PORT(op_kind),   LOCKSTEP_PORT(op_taken),  LOCKSTEP_PORT(op_next),  LOCKSTEP_PORT(op_target),
	    LOCKSTEP_PORT(op_targets), LOCKSTEP_PORT(op_bad),    LOCKSTEP_PORT(op_result), LOCKSTEP_PORT(op_lane),  LOCKSTEP_PORT(pc),
	    LOCKSTEP_PORT(active),     LOCKSTEP_PORT(places),    LOCKSTEP_PORT(lanes),     LOCKSTEP_PORT(rest),     LOCKSTEP_PORT(phase),
	};
	lockstep_find_all(names, HD_COUNT(names));
	start_program();
	op.on = false;
	memset(running, 0, sizeof running);
	if (flow)
		return; /* another launch */
	flow = hd_xaligned(MACHINE_WARPS * sizeof *flow);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		flow[warp].tokens = &tokens[warp];
}

/* A token for the address: 1 = of the running activation, 2 = of an outer one, 0 = none. */
static unsigned has_token(const hd_warp_flow *w, uint32_t address)
{
	bool outer = false;
	for (size_t i = w->tokens->n; i-- > 0;) {
		const hd_token *t = &w->tokens->at[i];
		if (t->kind == HD_TOKEN_MEET && t->pc == address)
			return outer ? 2 : 1;
		outer |= t->kind == HD_TOKEN_CALL;
	}
	return 0;
}

/* The address of a token of the running activation, often one that is not the innermost. */
static uint32_t some_token(const hd_warp_flow *w, uint32_t otherwise)
{
	for (size_t i = w->tokens->n; i-- > 0 && w->tokens->at[i].kind != HD_TOKEN_CALL;) {
		if (w->tokens->at[i].kind == HD_TOKEN_MEET && lockstep_chance(50))
			return w->tokens->at[i].pc;
	}
	return otherwise;
}

/* Addresses to which the lanes `among` go, without repetition. */
static unsigned distinct(uint32_t among, uint32_t taken, uint32_t next)
{
	uint32_t seen[HD_LANES];
	unsigned n = 0, i;
	for (uint32_t left = among; left; left &= left - 1) {
		unsigned lane = hd_lowest_bit(left);
		uint32_t where = taken >> lane & 1 ? op.targets.v[lane] : next;
		for (i = 0; i < n && seen[i] != where; i++)
			;
		seen[n] = where;
		n += i == n;
	}
	return n;
}

static void cover(const hd_warp_flow *before, const hd_warp_flow *now, uint32_t taken, uint32_t target, size_t tokens_before, unsigned sides)
{
	uint32_t others = before->active & ~taken;
	size_t n = now->tokens->n;
	unsigned token = op.kind == SYNC ? has_token(now, before->pc) : 0;
	bool split = op.kind == BRANCH && taken && others, gone = op.result == HD_FLOW_GO || op.result == HD_FLOW_END;
	lockstep_cover_if(FORWARD, split && target > before->pc && n > tokens_before);
	lockstep_cover_if(BACKWARD, split && target <= before->pc && n > tokens_before);
	bool second_continues = now->active == (target <= before->pc ? others : taken);
	lockstep_cover_if(FIRST_ARRIVES, split && n == tokens_before && second_continues);
	lockstep_cover_if(SECOND_ARRIVES, split && n == tokens_before && !second_continues);
	lockstep_cover_if(NOBODY_TAKES, !taken);
	lockstep_cover_if(MANY_TARGETS, op.kind == JUMP && sides > 2 && gone);
	lockstep_cover_if(JUMP_ARRIVES, op.kind == JUMP && gone && n < tokens_before + sides - 1);
	lockstep_cover_if(PUSHES, op.kind == PUSH && n > tokens_before);
	lockstep_cover_if(PUSHED_ALREADY, op.kind == PUSH && taken && n == tokens_before);
	lockstep_cover_if(SYNC_WITHOUT, op.kind == SYNC && !token && n == tokens_before);
	lockstep_cover_if(PART_CALLS, op.kind == CALL && taken && others && gone);
	lockstep_cover_if(NESTED, op.kind == CALL && taken && gone && before->depth);
	lockstep_cover_if(PART_RETURNS, op.kind == RETURN && taken && others && gone);
	lockstep_cover_if(POPS_CALL, op.kind == RETURN && now->depth < before->depth);
	lockstep_cover_if(MANY_CALLEES, op.kind == CALL_INDIRECT && taken && gone && sides > 1);
	lockstep_cover_if(EXITS_INSIDE, op.kind == EXIT && taken && before->depth);
	lockstep_cover_if(POPS_MANY, n + 3 <= tokens_before && op.kind != BEGIN);
	lockstep_cover_if(FULL, n == TOKENS);
	lockstep_cover_if(ENDS, op.result == HD_FLOW_END);
	lockstep_cover_if(TRAP_PC, op.result == HD_FLOW_PC);
	lockstep_cover_if(TRAP_RETURN, op.result == HD_FLOW_RETURN);
	lockstep_cover_if(TRAP_TOKENS, op.result == HD_FLOW_TOKENS);
}

/* Counts what a break or a sync meets, before it is decided. */
static void cover_arrival(const hd_warp_flow *w, uint32_t taken, uint32_t target)
{
	uint32_t to = op.kind == SYNC ? w->pc : target;
	unsigned token = has_token(w, to);
	const hd_token *top = w->tokens->n ? &w->tokens->at[w->tokens->n - 1] : NULL;
	bool at_top = top && top->kind == HD_TOKEN_MEET && top->pc == to;
	uint32_t present = w->alive & ~w->returned;
	lockstep_cover_if(SAME_ADDRESS, (op.kind == SYNC || op.kind == BREAK || op.kind == PUSH) && taken && token == 2);
	if (op.kind == BREAK && taken) {
		lockstep_cover_if(PART_BREAKS, token == 1 && taken != w->active);
		lockstep_cover_if(ALL_BREAK, token == 1 && taken == w->active);
		lockstep_cover_if(BREAKS_OUT, token == 1 && !at_top);
		lockstep_cover_if(BREAKS_TO_NONE, token != 1);
	}
	if (op.kind == SYNC && token == 1) {
		lockstep_cover_if(SYNC_WAITS, !at_top);
		lockstep_cover_if(SYNC_MEETS, at_top && (top->lanes & present) != w->active);
		lockstep_cover_if(SYNC_ALONE, at_top && (top->lanes & present) == w->active);
	}
}

static void begin_operation(uint32_t taken, uint32_t bad, uint32_t next, uint32_t target);

/* Chooses an operation for a warp, lets the C unit decide it, and sets the number of cycles that the module needs. */
static void choose(unsigned warp)
{
	hd_warp_flow *w = &flow[warp];
	if (lockstep_chance(3))
		running[warp] = false; /* another warp begins in its slot */
	uint32_t function = running[warp] ? w->pc / FUNCTION_WORDS : 0, target = 1, pick[3], bad = 0, taken;
	uint32_t next = running[warp] ? hd_code_next(&code, w->pc) : 1;
	bool last = running[warp] && next >= (function + 1) * FUNCTION_WORDS; /* nothing behind: no lane may go there */
	op.on = true;
	op.warp = warp;
	op.kind = !running[warp]             ? BEGIN
	          : lockstep_chance(calling) ? CALL + lockstep_below(4)
	          : lockstep_chance(40)      ? BRANCH + lockstep_below(2)
	                                     : PUSH + lockstep_below(3);
	if (running[warp] && has_token(w, w->pc) == 1 && lockstep_chance(meeting))
		op.kind = SYNC;
	if (op.kind == RETURN && !w->depth && lockstep_chance(95))
		op.kind = BRANCH;
	if (op.kind == EXIT && lockstep_chance(w->depth ? 65 : 90))
		op.kind = JUMP;
	if (last && op.kind != RETURN && op.kind != EXIT)
		op.kind = BRANCH;
	taken = op.kind == BEGIN && lockstep_chance(60) ? (uint32_t)ALL
	        : op.kind == BEGIN                      ? (uint32_t)lockstep_random() & (uint32_t)ALL
	        : last                                  ? w->active
	                                                : some_lanes(w->active);
	if (op.kind == BEGIN && !taken)
		taken = (uint32_t)ALL;
	if (op.kind == SYNC)
		taken = w->active;
	bool calls = op.kind == CALL || op.kind == CALL_INDIRECT, indirect = op.kind == JUMP || op.kind == CALL_INDIRECT;
	for (unsigned i = 0; i < 3; i++) {
		pick[i] = some_address(function, running[warp] ? w->pc : 1);
		if (running[warp] && lockstep_chance(i ? 20 : 40) && op.kind != PUSH)
			pick[i] = some_token(w, pick[i]);
		if (op.kind == PUSH && pick[i] % FUNCTION_WORDS == FUNCTION_WORDS - 1)
			pick[i]--; /* lanes go on behind the sync */
		if (calls)
			pick[i] = (1 + lockstep_below(FUNCTIONS - 1)) * FUNCTION_WORDS + 1;
	}
	target = running[warp] ? pick[0] : 1;
	unsigned spread = 1 + lockstep_below(3);
	bool spoiled = indirect && lockstep_chance(4);
	for (unsigned lane = 0; lane < LANES; lane++) {
		op.targets.v[lane] = pick[lockstep_below(spread)];
		if (spoiled && lockstep_chance(40))
			op.targets.v[lane] &= ~(HD_LINE_WORDS - 1u);
		bad |= (uint32_t)!hd_object_indirect_target(&object, w->pc, op.targets.v[lane], calls) << lane;
	}
	begin_operation(taken, bad, next, target);
}

/* Gives the operation `op` to the module, and lets the C unit decide it. */
static void begin_operation(uint32_t taken, uint32_t bad, uint32_t next, uint32_t target)
{
	hd_warp_flow *w = &flow[op.warp];
	lockstep_put(op_warp, 0, WARP_BITS, op.warp);
	lockstep_put(op_kind, 0, 4, op.kind);
	lockstep_put(op_taken, 0, LANES, taken);
	lockstep_put(op_next, 0, PC_BITS, next);
	lockstep_put(op_target, 0, PC_BITS, target);
	lockstep_put(op_bad, 0, LANES, bad);
	for (unsigned lane = 0; lane < LANES; lane++)
		lockstep_put(op_targets, lane * PC_BITS, PC_BITS, op.targets.v[lane]);

	hd_warp_flow before = *w;
	size_t tokens_before = w->tokens->n;
	unsigned sides = distinct(op.kind == CALL_INDIRECT ? taken : w->active, taken, next);
	cover_arrival(w, taken, target);
	op.result = HD_FLOW_GO;
	switch (op.kind) {
	case BEGIN:
		hd_flow_start(w, target, taken);
		break;
	case BRANCH:
		op.result = hd_stack_branch(&unit, w, taken, target);
		break;
	case JUMP:
		op.result = hd_stack_jump(&unit, w, taken, &op.targets, &op.lane);
		break;
	case CALL:
		op.result = hd_stack_call(&unit, w, taken, target);
		break;
	case CALL_INDIRECT:
		op.result = hd_stack_call_indirect(&unit, w, taken, &op.targets, &op.lane);
		break;
	case RETURN:
		op.result = hd_stack_return(&unit, w, taken);
		break;
	case EXIT:
		op.result = hd_stack_exit(&unit, w, taken);
		break;
	case PUSH:
		op.result = hd_stack_push(&unit, w, taken, target);
		break;
	case BREAK:
		op.result = hd_stack_break(&unit, w, taken, target);
		break;
	case SYNC:
		op.result = hd_stack_sync(&unit, w);
		break;
	}
	if (w->tokens->n > TOKENS)
		op.result = HD_FLOW_TOKENS;
	op.cycles = 0;
	if (w->tokens->n < tokens_before && op.kind != BEGIN)
		op.cycles = (unsigned)(tokens_before - w->tokens->n) - (op.result == HD_FLOW_GO);
	else if (op.kind == JUMP && op.result == HD_FLOW_GO)
		op.cycles = sides - 1;
	else if (op.kind == CALL_INDIRECT && op.result == HD_FLOW_GO && sides > 1)
		op.cycles = sides;
	cover(&before, w, taken, target, tokens_before, sides);
}

/* One cycle of the operation. */
static void operate(void)
{
	bool ends = lockstep_get(op_ready, 0, 1);
	if (op.result != HD_FLOW_TOKENS) /* the cycle in which there is no room depends on the order of the sides */
		lockstep_expect(op_ready, 0, 1, !op.cycles);
	if (!ends) {
		op.cycles -= op.cycles > 0;
		return;
	}
	lockstep_expect(op_result, 0, 3, result_number(op.result));
	if (op.result == HD_FLOW_PC)
		lockstep_expect(op_lane, 0, LANE_BITS, op.lane);
	op.on = false;
	running[op.warp] = op.result == HD_FLOW_GO;
}

static void compare_warp(unsigned warp)
{
	const hd_warp_flow *w = &flow[warp];
	unsigned first = warp * STRIDE(REST_BITS);
	uint32_t returned = w->returned;
	uint32_t at[LANES];
	lockstep_expect(pc, warp * PC_BITS, PC_BITS, w->pc);
	lockstep_expect(active, warp * LANES, LANES, w->active);
	lockstep_expect(rest, first + LANES * AT_BITS, LANES, w->alive);
	lockstep_expect(rest, first + LANES * AT_BITS + LANES, AT_BITS, w->tokens->n);
	for (unsigned lane = 0; lane < LANES; lane++)
		at[lane] = (uint32_t)lockstep_get(rest, first + lane * AT_BITS, AT_BITS);
	for (size_t i = w->tokens->n; i-- > 0;) {
		const hd_token *t = &w->tokens->at[i];
		unsigned place = warp * STRIDE(PLACES_BITS) + (unsigned)i * PLACE_BITS,
		         entry = (warp * (1u << (AT_BITS - 1)) + (unsigned)i) * STRIDE(LANES);
		if (t->kind == HD_TOKEN_CALL)
			returned = t->returned;
		lockstep_expect(places, place, PC_BITS, t->pc);
		lockstep_expect(places, place + PC_BITS, 2, t->kind);
		/* The lanes that wait at the token or inside of its region. The module finds them in what was pushed, without those that have gone
		 * lower. */
		uint32_t its = t->lanes & w->alive & ~returned;
		for (unsigned lane = 0; lane < LANES; lane++) {
			bool here = at[lane] >= i;
			if (its >> lane & 1 && !here)
				lockstep_expect(rest, first + lane * AT_BITS, AT_BITS, i);
			if (here && w->alive >> lane & 1)
				lockstep_expect(lanes, entry + lane, 1, its >> lane & 1);
		}
	}
	for (uint32_t left = w->active; left; left &= left - 1)
		lockstep_expect(rest, first + hd_lowest_bit(left) * AT_BITS, AT_BITS, NOWHERE);
}

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
	if (on)
		w->pc = next;
}

void bench_cycle(void)
{
	if (lockstep_chance(1) || !operating) {
		operating = 10 + lockstep_below(80);
		stepping = lockstep_below(101);
		all_taken = lockstep_below(70);
		calling = lockstep_chance(30) ? 60 : lockstep_below(30);
		meeting = lockstep_below(101);
	}
	if (!op.on && lockstep_chance(operating))
		choose(lockstep_below(MACHINE_WARPS));
	lockstep_put(op_valid, 0, 1, op.on);
	step();
	lockstep_eval();
	if (op.on)
		operate();
	lockstep_clock();
	lockstep_expect(phase, 0, 2, op.on ? op.kind == JUMP || op.kind == CALL_INDIRECT ? 1 : 2 : 0);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		if (running[warp] && !(op.on && op.warp == warp))
			compare_warp(warp);
	}
}

#ifdef LOCKSTEP_REPLAY
/* The machine decides an instruction at once. The module takes more cycles where it pushes or pops several tokens. So some recorded cycles are
 * several ones here. */
static void replay_cycle(const replay_event *stepping_now)
{
	lockstep_put(op_valid, 0, 1, op.on);
	lockstep_put(step_valid, 0, 1, stepping_now != NULL);
	if (stepping_now) {
		lockstep_put(step_warp, 0, WARP_BITS, stepping_now->values[0]);
		lockstep_put(step_pc, 0, PC_BITS, stepping_now->values[1]);
	}
	lockstep_eval();
	if (op.on)
		operate();
	lockstep_clock();
}

static void replay_step(const replay_event *event)
{
	unsigned warp = replay_value(event, 0, MACHINE_WARPS);
	while (op.on && op.warp == warp)
		replay_cycle(NULL);
	replay_cycle(event);
	flow[warp].pc = replay_value(event, 1, WORDS);
	replay_expect("active", flow[warp].active, event->values[2]);
}

static void replay_operation(const replay_event *event, const replay_event *with_targets)
{
	bool begins = event->kind == HD_RECORD_FLOW_BEGINS;
	while (op.on)
		replay_cycle(NULL);
	op.on = true;
	op.warp = replay_value(event, 0, MACHINE_WARPS);
	op.kind = begins ? BEGIN : (kind)replay_value(event, 1, SYNC + 1);
	uint32_t taken = (uint32_t)event->values[2];
	hd_warp_flow *w = &flow[op.warp];
	if (begins) {
		begin_operation(taken, 0, 0, replay_value(event, 1, WORDS));
		return;
	}
	uint32_t at = replay_value(event, 3, WORDS);
	replay_expect("pc", w->pc, at);
	rows[at].next = replay_value(event, 4, WORDS);
	if (op.kind == JUMP || op.kind == CALL_INDIRECT) {
		if (!with_targets || with_targets->values[1] & taken)
			replay_refuse("an indirect instruction has no target, or a bad one");
		replay_legal(op.kind == CALL_INDIRECT);
		for (unsigned lane = 0; lane < LANES; lane++)
			op.targets.v[lane] = (uint32_t)with_targets->values[2 + lane];
	}
	/* The instruction behind the sync of a token follows from the address, as in the machine: rows has the geometry `line`. */
	begin_operation(taken, 0, rows[at].next, (uint32_t)event->values[5]);
	replay_expect("result", op.result, event->values[6]);
	if (op.result == HD_FLOW_GO)
		replay_expect("pc", w->pc, event->values[8]);
	replay_expect("active", w->active, event->values[9]);
	replay_expect("alive", w->alive, event->values[10]);
	replay_expect("depth", w->depth, event->values[13]);
	replay_expect("tokens", w->tokens->n, event->values[14]);
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
