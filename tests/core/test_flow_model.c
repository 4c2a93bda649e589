/* Random programs of branches, calls, returns and exits, recursion and indirect targets included, on all flow units (RC-1 to RC-14, RC-16). Each
 * lane has a sequential life of its own: what it decides depends only on itself. At every step every active lane must be where its own life is,
 * somebody must be active (no cycle is spent on an address that nobody executes, RC-5), and at the end all lives must be over. Lanes meet at a
 * `wsync` of the kernel from wherever they are: at its n-th one each lane names lanes that only depend on n. With resume counters, PC, active lanes
 * and MINRC must also be, state by state, what the requirements say of the lanes' own places. */
#include "core/flow/groups.h"
#include "core/flow/stack.h"
#include "../test.h"

enum { FUNCTIONS = 5, SPAN = 256, WORDS = FUNCTIONS * SPAN, FUEL = 70, DEPTH = 40, LIVES_DEEP = 24 };
typedef enum mode { FLAG, RANGE, ENTRY, STACK, TAKEN, POPS, GROUPS } mode;
typedef enum kind { PLAIN, BRANCH, JUMPX, CALL, CALLX, RETURN, EXIT, PUSH, SYNC, BREAK, REGISTER, LEAVE, WAIT, YIELD, WSYNC } kind;

typedef struct line {
	kind kind;
	uint32_t target[4]; /* of which a lane picks one */
	unsigned chance;    /* of 8 that a lane takes part; 8: always */
} line;

typedef struct life {
	uint32_t pc, steps, depth, back[LIVES_DEEP + 1];
	uint32_t syncs, mask; /* of `wsync`: how many it has come to, and the mask of the last one */
	bool ended, waits;
} life;

typedef struct level {
	uint32_t here; /* lanes of the activation that neither returned nor exited */
} level;

typedef struct world {
	uint64_t seed;
	mode mode;
	line lines[WORDS];
	hd_static rows[WORDS];
	uint32_t meets[WORDS + 1];
	hd_stats stats;
	hd_object object;
	hd_function functions[FUNCTIONS];
	uint32_t targets[WORDS];
	hd_code code;
	hd_activation stack[DEPTH];
	hd_tokens tokens;
	hd_sync sync;
	hd_vec32 operands[2]; /* of the `wsync` */
	hd_vec32 given;       /* of each lane's last one */
	uint64_t seed_of_masks;
	uint64_t met; /* times that lanes met from different places */
	hd_flow flow;
	hd_warp_flow warp;
	life lives[HD_LANES];
	level levels[DEPTH + 1];
	unsigned depth;
} world;

static unsigned any(world *w, unsigned n) { return (unsigned)(hd_random(&w->seed) >> 16) % n; }

static bool by_address(const world *w) { return w->mode == RANGE || w->mode == ENTRY; }

static bool by_stack(const world *w) { return w->mode == STACK || w->mode == TAKEN || w->mode == POPS; }

static uint32_t place(world *w, unsigned f)
{
	uint32_t pc = f * SPAN + 1 + any(w, SPAN / 2);
	return pc % HD_LINE_WORDS ? pc : pc + 1;
}

/* By address recursion is refused: calls go to functions further on. */
static uint32_t callee(world *w, unsigned f)
{
	unsigned g = by_address(w) ? f + 1 + any(w, FUNCTIONS - 1 - f) : 1 + any(w, FUNCTIONS - 1);
	return g * SPAN + 1;
}

static void fill(world *w)
{
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		uint32_t syncs[4];
		for (unsigned i = 0; i < 4; i++)
			syncs[i] = place(w, f);
		for (uint32_t pc = f * SPAN + 1; pc < (f + 1) * SPAN; pc++) {
			line *l = &w->lines[pc];
			l->chance = any(w, 4) ? 1 + any(w, 7) : 8;
			for (unsigned i = 0; i < 4; i++)
				l->target[i] = place(w, f);
			if (pc % SPAN > SPAN / 2 + 2) { /* behind everything that is jumped to: the end */
				*l = (line){.kind = f ? RETURN : EXIT, .chance = 8};
				continue;
			}
			switch (any(w, 16)) {
			case 0:
			case 1:
			case 2:
			case 3:
				l->kind = BRANCH;
				break;
			case 4:
				l->kind = JUMPX;
				break;
			case 5:
			case 6:
				l->kind = by_address(w) && f + 1 == FUNCTIONS ? PLAIN : any(w, 2) ? CALL : CALLX;
				for (unsigned i = 0; i < 4 && l->kind != PLAIN; i++)
					l->target[i] = callee(w, f);
				break;
			case 7:
				l->kind = f ? RETURN : PLAIN;
				break;
			case 8:
				l->kind = EXIT;
				l->chance = 1;
				break;
			case 9:
			case 10:
				l->kind = PUSH;
				l->target[0] = syncs[any(w, 4)];
				l->chance = 8;
				break;
			case 11:
				l->kind = BREAK;
				l->target[0] = syncs[any(w, 4)];
				break;
			case 12:
				l->kind = f || by_stack(w) ? PLAIN : WSYNC;
				break;
			default:
				l->kind = PLAIN;
			}
		}
		for (unsigned i = 0; i < 4; i++) {
			w->meets[syncs[i]] = 1;
			if (w->mode != POPS)
				w->lines[syncs[i]] = (line){.kind = SYNC, .chance = 8};
		}
		for (uint32_t pc = f * SPAN + 1; w->mode == GROUPS && pc < f * SPAN + SPAN / 2 + 3; pc++) {
			line *l = &w->lines[pc];
			if (l->kind == PUSH || l->kind == SYNC || l->kind == BREAK) {
				static const kind kinds[] = {REGISTER, LEAVE, WAIT, YIELD};
				*l = (line){.kind = kinds[any(w, 4)], .target = {any(w, 4)}, .chance = 4 + any(w, 5)};
			}
		}
	}
}

static world *begin(uint64_t seed, mode m, uint32_t lanes)
{
	world *w = hd_xaligned(sizeof *w);
	w->seed = seed * 977 + 13;
	w->seed_of_masks = seed << 32;
	w->mode = m;
	for (uint32_t pc = 0; pc < WORDS; pc++)
		w->rows[pc] = (hd_static){.kind = pc % HD_LINE_WORDS ? HD_KIND_FLOW : HD_KIND_BAD, .next = hd_after(HD_GEOMETRY_LINE, pc)};
	for (unsigned f = 0; f < FUNCTIONS; f++)
		w->functions[f] = (hd_function){(char *)(uintptr_t) "f", f * SPAN, (f + 1) * SPAN};
	w->object.functions.at = w->functions;
	w->object.functions.n = FUNCTIONS;
	w->object.targets.at = w->targets;
	for (uint32_t pc = 0; pc < WORDS; pc++)
		if (pc % HD_LINE_WORDS)
			w->targets[w->object.targets.n++] = pc;
	w->code = (hd_code){.at = w->rows, .n_words = WORDS};
	w->flow = (hd_flow){.code = &w->code,
	                    .object = &w->object,
	                    .stats = &w->stats,
	                    .call_depth = DEPTH,
	                    .membership = m == RANGE   ? HD_MEMBER_RANGE
	                                  : m == ENTRY ? HD_MEMBER_ENTRY
	                                               : HD_MEMBER_FLAG,
	                    .mode = m == GROUPS   ? HD_DIV_BARRIERS
	                            : by_stack(w) ? HD_DIV_STACK
	                                          : HD_DIV_RESUME,
	                    .taken_first = m == TAKEN};
	w->warp.stack = w->stack;
	w->warp.tokens = &w->tokens;
	w->warp.sync = &w->sync;
	fill(w);
	for (uint32_t pc = WORDS + 1, next = HD_INF; pc-- > 0; w->meets[pc] = next)
		next = w->meets[pc] ? pc : next;
	w->code.meets = m == POPS ? w->meets : NULL;
	hd_flow_start(&w->warp, 1, lanes);
	w->levels[0].here = lanes;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		w->lives[lane] = (life){.pc = 1, .ended = !(lanes >> lane & 1)};
	return w;
}

/* The choice of a lane at this step, from nothing but itself. */
static uint32_t mood(const world *w, unsigned lane)
{
	const life *l = &w->lives[lane];
	uint64_t h = ((uint64_t)lane << 40) + ((uint64_t)l->steps << 20) + l->pc;
	return (uint32_t)(hd_random(&h) >> 20);
}

static bool takes_part(const world *w, unsigned lane)
{
	const life *l = &w->lives[lane];
	const line *at = &w->lines[l->pc];
	if (at->kind == EXIT && l->steps > FUEL)
		return true;
	if ((at->kind == BRANCH || at->kind == BREAK || at->kind == JUMPX || at->kind == CALL || at->kind == CALLX) && l->steps > FUEL)
		return false; /* tired: straight on to the end */
	if ((at->kind == CALL || at->kind == CALLX) && l->depth >= LIVES_DEEP)
		return false;
	return mood(w, lane) % 8 < at->chance;
}

/* The lanes that a lane names at its `wsync` number n. */
static uint32_t named(const world *w, unsigned n, unsigned lane)
{
	uint64_t seed = w->seed_of_masks + n;
	uint32_t choice = (uint32_t)(hd_random(&seed) >> 20), mask = 0;
	for (unsigned other = 0; other < HD_LANES; other++) {
		bool same = choice % 4 == 0 || (choice % 4 == 1   ? (other ^ lane) % 2 == 0
		                                : choice % 4 == 2 ? other / 8 == lane / 8
		                                                  : other % 5 == lane % 5);
		mask |= (uint32_t)same << other;
	}
	return mask;
}

/* Each of `lanes` comes to a `wsync`, with a value of its own. */
static void come(world *w, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1) {
		unsigned lane = hd_lowest_bit(left);
		life *l = &w->lives[lane];
		l->mask = w->operands[0].v[lane] = named(w, l->syncs++, lane);
		w->given.v[lane] = w->operands[1].v[lane] = mood(w, lane);
		l->waits = true;
	}
}

/* The lanes go on whose named lanes all wait with the same mask or have ended. They read each other's values. */
static void meet(world *w)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint32_t mask = w->lives[lane].mask, together = 0, other;
		bool apart = false;
		for (other = 0; w->lives[lane].waits && other < HD_LANES; other++) {
			const life *l = &w->lives[other];
			if (!(mask >> other & 1) || l->ended)
				continue;
			if (!l->waits || l->mask != mask)
				break;
			together |= 1u << other;
			apart |= l->pc != w->lives[lane].pc;
		}
		if (!w->lives[lane].waits || other < HD_LANES)
			continue;
		w->met += apart;
		for (uint32_t left = together; left; left &= left - 1) {
			w->lives[hd_lowest_bit(left)].waits = false;
			assert_int_equal(w->sync.exchange[0].v[hd_lowest_bit(left)], w->given.v[hd_lowest_bit(left)]);
			assert_int_equal(w->sync.exchange[1].v[hd_lowest_bit(left)], together);
		}
	}
}

static void live(world *w, unsigned lane, bool taken, uint32_t target)
{
	life *l = &w->lives[lane];
	uint32_t next = hd_after(HD_GEOMETRY_LINE, l->pc);
	l->steps++;
	if (!taken) {
		l->pc = next;
		return;
	}
	switch (w->lines[l->pc].kind) {
	case BREAK:
	case BRANCH:
	case JUMPX:
		l->pc = target;
		break;
	case CALL:
	case CALLX:
		l->back[l->depth++] = next;
		l->pc = target;
		break;
	case RETURN:
		l->pc = l->back[--l->depth];
		break;
	case EXIT:
		l->ended = true;
		break;
	default:
		l->pc = next;
	}
}

static hd_flow_result decide_by_groups(world *w, kind k, uint32_t taken, const hd_vec32 *targets, uint32_t target)
{
	unsigned lane;
	switch (k) {
	case BRANCH:
		return hd_groups_branch(&w->flow, &w->warp, taken, target);
	case JUMPX:
		return hd_groups_jump(&w->flow, &w->warp, taken, targets, &lane);
	case CALL:
		return hd_groups_call(&w->flow, &w->warp, taken, target);
	case CALLX:
		return hd_groups_call_indirect(&w->flow, &w->warp, taken, targets, &lane);
	case RETURN:
		return hd_groups_return(&w->flow, &w->warp, taken);
	case EXIT:
		return hd_groups_exit(&w->flow, &w->warp, taken);
	case REGISTER:
		return hd_groups_register(&w->flow, &w->warp, taken, target);
	case LEAVE:
		return hd_groups_leave(&w->flow, &w->warp, taken, target);
	case WAIT:
		return hd_groups_wait(&w->flow, &w->warp, taken, target);
	case YIELD:
		return hd_groups_yield(&w->flow, &w->warp, taken);
	case WSYNC:
		return hd_groups_sync(&w->flow, &w->warp, taken, w->operands);
	default:
		hd_flow_load(&w->flow, &w->warp, hd_code_next(&w->code, w->warp.pc));
		return HD_FLOW_GO;
	}
}

static hd_flow_result decide(world *w, kind k, uint32_t taken, const hd_vec32 *targets, uint32_t target)
{
	unsigned lane;
	bool s = by_stack(w);
	if (w->mode == GROUPS)
		return decide_by_groups(w, k, taken, targets, target);
	switch (k) {
	case BREAK:
		return (s ? hd_stack_break : hd_flow_branch)(&w->flow, &w->warp, taken, target);
	case BRANCH:
		return (s ? hd_stack_branch : hd_flow_branch)(&w->flow, &w->warp, taken, target);
	case JUMPX:
		return (s ? hd_stack_jump : hd_flow_jump)(&w->flow, &w->warp, taken, targets, &lane);
	case CALL:
		return (s ? hd_stack_call : hd_flow_call)(&w->flow, &w->warp, taken, target);
	case CALLX:
		return (s ? hd_stack_call_indirect : hd_flow_call_indirect)(&w->flow, &w->warp, taken, targets, &lane);
	case RETURN:
		return (s ? hd_stack_return : hd_flow_return)(&w->flow, &w->warp, taken);
	case EXIT:
		return (s ? hd_stack_exit : hd_flow_exit)(&w->flow, &w->warp, taken);
	case WSYNC:
		return hd_flow_sync(&w->flow, &w->warp, taken, w->operands);
	case PUSH:
		if (s)
			return hd_stack_push(&w->flow, &w->warp, taken, target);
		break;
	case SYNC:
		if (s)
			return hd_stack_sync(&w->flow, &w->warp);
		break;
	default:
		break;
	}
	hd_flow_load(&w->flow, &w->warp, hd_code_next(&w->code, w->warp.pc));
	return HD_FLOW_GO;
}

/* RC-1, RC-7, RC-8 to RC-12 as a statement about the lanes' own places: of the innermost activation that still has lanes, those at the lowest address
 * are active, and MINRC is the lowest address of its others. */
static void as_required(world *w)
{
	uint32_t lowest = HD_INF, active = 0, minrc = HD_INF;
	while (w->depth && !w->levels[w->depth].here)
		w->depth--;
	uint32_t here = w->levels[w->depth].here;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		here &= ~((uint32_t)w->lives[lane].waits << lane);
	for (uint32_t left = here; left; left &= left - 1)
		if (w->lives[__builtin_ctz(left)].pc < lowest)
			lowest = w->lives[__builtin_ctz(left)].pc;
	for (uint32_t left = here; left; left &= left - 1) {
		uint32_t pc = w->lives[__builtin_ctz(left)].pc;
		if (pc == lowest)
			active |= left & -left;
		else if (pc < minrc)
			minrc = pc;
	}
	assert_int_equal(w->warp.pc, lowest);
	assert_int_equal(w->warp.active, active);
	assert_int_equal(w->warp.minrc, minrc);
	assert_int_equal(w->warp.depth, w->depth);
}

/* One instruction of the warp; false after the last. */
static bool step(world *w)
{
	uint32_t pc = w->warp.pc, active = w->warp.active, taken = 0, waiting[HD_LANES];
	const line *at = &w->lines[pc];
	hd_vec32 targets = {{0}};
	assert_int_not_equal(active, 0);
	assert_int_not_equal(pc % HD_LINE_WORDS, 0);
	if (by_stack(w) || w->mode == GROUPS) {
		(by_stack(w) ? hd_stack_waiting : hd_groups_waiting)(&w->warp, waiting);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			if (!w->lives[lane].ended && !(active >> lane & 1))
				assert_int_not_equal(waiting[lane], HD_INF);
	}
	uint32_t lowest = HD_INF;
	for (uint32_t left = active; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		assert_false(w->lives[lane].ended || w->lives[lane].waits);
		assert_int_equal(w->lives[lane].pc, pc);
		if (!takes_part(w, lane))
			continue;
		taken |= 1u << lane;
		targets.v[lane] = at->target[at->kind == JUMPX || at->kind == CALLX ? mood(w, lane) >> 8 & 3 : 0];
		lowest = targets.v[lane] < lowest ? targets.v[lane] : lowest;
	}
	/* Of an indirect call with several targets, those with the lowest call now; by address the others have not executed it yet (RC-14). */
	uint32_t acting = active;
	if (at->kind == CALLX && by_address(w))
		for (uint32_t left = taken; left; left &= left - 1)
			if (targets.v[__builtin_ctz(left)] != lowest)
				acting &= ~(left & -left);
	if (at->kind == WSYNC)
		come(w, taken);
	hd_flow_result result = decide(w, at->kind, taken, &targets, at->target[0]);
	if (w->mode == POPS && result == HD_FLOW_GO)
		hd_stack_meet(&w->flow, &w->warp);
	/* A sync is behind a lane when all lanes of its token have come, not when the lane begins to wait there. */
	if (at->kind == SYNC && by_stack(w))
		acting = 0;
	for (uint32_t left = acting; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		live(w, lane, taken >> lane & 1, targets.v[lane]);
	}
	taken &= acting;
	meet(w);
	if (w->mode == GROUPS) {
		/* Random barriers may wait for each other, and yet everybody goes on. */
		assert_int_equal(result, w->warp.active ? HD_FLOW_GO : HD_FLOW_END);
		return result == HD_FLOW_GO;
	}
	if (by_stack(w)) {
		for (uint32_t left = w->warp.active; left; left &= left - 1) {
			unsigned lane = (unsigned)__builtin_ctz(left);
			if (w->lines[w->lives[lane].pc].kind == SYNC && hd_after(HD_GEOMETRY_LINE, w->lives[lane].pc) == w->warp.pc)
				live(w, lane, true, 0);
		}
		assert_int_equal(result, w->warp.active ? HD_FLOW_GO : HD_FLOW_END);
		return result == HD_FLOW_GO;
	}
	if (at->kind == EXIT)
		for (unsigned i = 0; i <= w->depth; i++)
			w->levels[i].here &= ~taken;
	if (at->kind == RETURN) {
		w->levels[w->depth].here &= ~taken;
		w->levels[w->depth ? w->depth - 1 : 0].here |= taken;
	}
	if ((at->kind == CALL || at->kind == CALLX) && taken) {
		w->levels[w->depth].here &= ~taken;
		w->levels[++w->depth].here = taken;
	}
	if (result == HD_FLOW_END)
		return false;
	assert_int_equal(result, HD_FLOW_GO);
	as_required(w);
	return true;
}

static void run(mode m, unsigned programs)
{
	uint64_t steps = 0, flags = 0, divergent = 0, calls = 0, deep = 0, met = 0;
	for (uint64_t seed = 1; seed <= programs; seed++) {
		world *w = begin(seed, m, seed % 7 ? ~0u : 0x0f0f1u);
		while (step(w))
			assert_true(++steps < UINT64_C(100000000));
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			assert_true(w->lives[lane].ended);
		flags += w->stats.divergence_flags;
		divergent += w->stats.divergence_divergent;
		calls += w->stats.divergence_calls;
		deep += w->stats.divergence_max_depth > 3;
		met += w->met;
		hd_vec_free(&w->tokens);
		free(w);
	}
	/* The programs must be worth their name. */
	assert_true(divergent > programs * 20);
	assert_true(calls > programs * 5);
	assert_true(m == POPS ? flags > programs * 10 : flags == 0);
	assert_true(m == RANGE || deep > programs / 20);
	assert_true(m == STACK || m == TAKEN || m == POPS || met > programs);
}

TEST(resume_counters_with_flags) { run(FLAG, 2000); }
TEST(resume_counters_by_address) { run(RANGE, 2000); }
TEST(resume_counters_by_entry) { run(ENTRY, 2000); } /* RC-20 */
TEST(stack_of_tokens) { run(STACK, 2000); }
TEST(stack_of_tokens_taken_first) { run(TAKEN, 2000); } /* RC-21 */
TEST(stack_of_tokens_with_flags) { run(POPS, 2000); }   /* RC-21 */
TEST(groups_and_convergence_barriers) { run(GROUPS, 2000); }
