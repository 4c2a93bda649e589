#include "enumerate.h"

#include "frame.h"

enum { MAX_OPTIONS = 24, HINT_MOST = 15 /* cycles of a hint */ };

typedef struct hint {
	uint8_t hint, cycles;
} hint;

typedef struct enumeration {
	const family *f;
	const hd_machine *machine;
	const visitor *v;
	enumerated count;
	tiny core;
	bool fresh, loops, ended;
	hint options[TINY_LENGTH][MAX_OPTIONS];
	uint8_t n_options[TINY_LENGTH];
} enumeration;

static bool has(const enumeration *e, unsigned flag) { return e->f->flags & flag; }
static unsigned latency_of(const enumeration *e, const tiny_inst *inst) { return e->machine->latency[tiny_class(inst)].latency; }

/* -- instructions ----------------------------------------------------------------------------------------------------------------------- */

static bool is_fence(const tiny_inst *inst)
{
	return inst->op == TINY_BAR || inst->op == TINY_MEMBAR || inst->op == TINY_CALL || inst->op == TINY_RET;
}

/* Some instruction depends on another, or on itself a turn later. */
static bool has_dependence(const enumeration *e)
{
	const tiny *core = &e->core;
	if (core->n < 2)
		return true;
	for (unsigned i = 0; i < core->n; i++) {
		for (unsigned k = e->loops ? 0 : i + 1; k < core->n; k++)
			if (tiny_depends(&core->at[i], &core->at[k]) || (is_fence(&core->at[k]) && !tiny_info_of(&core->at[i])->flow))
				return true;
	}
	return false;
}

static bool registers_named(const tiny *core)
{
	unsigned named[TINY_SHARED] = {0}, written = 0, own = 0;
	for (unsigned i = 0; i < core->n; i++) {
		const tiny_inst *inst = &core->at[i];
		if (inst->d < TINY_SHARED) {
			named[inst->d]++;
			written |= 1u << inst->d;
		}
		if (inst->a < TINY_SHARED)
			named[inst->a]++;
		own += inst->d == OPERAND_OWN;
	}
	for (unsigned r = 0; r < TINY_SHARED; r++)
		if (named[r] == 1 || (named[r] && !(written >> r & 1)))
			return false;
	return own <= TINY_PRIVATE;
}

/* Some lane executes each instruction (but for a `ret` behind an exit of all), and some lane shows what it has computed. */
static bool all_executed(const tiny *core)
{
	uint8_t lanes[TINY_LENGTH];
	if (!tiny_lanes(core, lanes))
		return false;
	for (unsigned i = 0; i < core->n; i++)
		if (!lanes[i] && core->at[i].op != TINY_RET)
			return false;
	return true;
}

/* Places of the instructions, the subroutine behind its call. */
static void order_of(const tiny *core, uint8_t order[TINY_LENGTH])
{
	unsigned n = 0, main = tiny_main(core);
	for (unsigned i = 0; i < main; i++) {
		order[n++] = (uint8_t)i;
		for (unsigned k = main; k < core->n && core->at[i].op == TINY_CALL; k++)
			order[n++] = (uint8_t)k;
	}
}

/* The common word of another warp's thread is read behind a barrier, and nobody writes one between the barriers around. (Both warps execute the same,
 * and the sides of a forward branch in the order of their addresses.) */
static bool no_race(const tiny *core)
{
	bool barrier = false, writes = false, reads = false;
	uint8_t order[TINY_LENGTH];
	order_of(core, order);
	for (unsigned i = 0; i < core->n; i++) {
		const tiny_inst *inst = &core->at[order[i]];
		if (inst->op == TINY_BAR) {
			barrier = true;
			writes = reads = false;
		}
		writes |= tiny_info_of(inst)->common;
		reads |= inst->op == TINY_PEER;
		if (reads && (!barrier || writes))
			return false;
	}
	return true;
}

/* The first instruction and the last share a register that no other names. */
static bool spans(const tiny *core)
{
	const tiny_inst *first = &core->at[0], *last = &core->at[core->n - 1];
	for (unsigned i = 1; i + 1 < core->n; i++)
		if (core->at[i].d < TINY_SHARED || core->at[i].a < TINY_SHARED)
			return false;
	return (first->d < TINY_SHARED || first->a < TINY_SHARED) && (last->d < TINY_SHARED || last->a < TINY_SHARED);
}

static void annotate(enumeration *e);

static void finish_sequence(enumeration *e)
{
	unsigned ops = 0;
	for (unsigned i = 0; i < e->core.n; i++)
		ops |= 1u << e->core.at[i].op;
	if ((e->f->must && !(e->f->must & ops)) || !registers_named(&e->core) || !all_executed(&e->core) || !no_race(&e->core) || !has_dependence(e))
		return;
	if (has(e, FAMILY_SPANS) && !spans(&e->core))
		return;
	if (e->count.sequences++ % e->v->sequences != e->v->sequences / 2)
		return;
	e->fresh = true;
	annotate(e);
}

static void choose_op(enumeration *e, unsigned i, unsigned used, bool guarded);

static void choose_destination(enumeration *e, unsigned i, unsigned used, bool guarded)
{
	tiny_inst *inst = &e->core.at[i];
	inst->d = OPERAND_NONE;
	if (!tiny_info_of(inst)->d) {
		choose_op(e, i + 1, used, guarded);
		return;
	}
	for (unsigned d = 0; d <= used && d < e->f->shared; d++) {
		inst->d = (uint8_t)d;
		choose_op(e, i + 1, used + (d == used), guarded);
	}
	inst->d = OPERAND_OWN;
	choose_op(e, i + 1, used, guarded);
}

static void choose_source(enumeration *e, unsigned i, unsigned used, bool guarded)
{
	tiny_inst *inst = &e->core.at[i];
	inst->a = OPERAND_NONE;
	if (!tiny_info_of(inst)->a) {
		choose_destination(e, i, used, guarded);
		return;
	}
	for (unsigned a = 0; a <= used && a < e->f->shared; a++) {
		inst->a = (uint8_t)a;
		choose_destination(e, i, used + (a == used), guarded);
	}
	inst->a = OPERAND_OWN;
	choose_destination(e, i, used, guarded);
}

static void choose_target(enumeration *e, unsigned i, unsigned used, bool guarded)
{
	tiny_inst *inst = &e->core.at[i];
	unsigned main = tiny_main(&e->core);
	if (inst->op == TINY_BRA) {
		for (unsigned target = i + 2; target <= main; target++) {
			inst->target = (uint8_t)(target == main ? e->core.n : target);
			choose_source(e, i, used, guarded);
		}
	} else if (inst->op == TINY_LOOP) {
		for (unsigned target = 0; target < i; target++) {
			inst->target = (uint8_t)target;
			e->loops = true;
			choose_source(e, i, used, guarded);
			e->loops = false;
		}
	} else {
		inst->target = 0;
		choose_source(e, i, used, guarded);
	}
}

/* One of the first `n` instructions is `op`. */
static bool has_op(const tiny *core, unsigned n, tiny_op op)
{
	for (unsigned i = 0; i < n; i++)
		if (core->at[i].op == op)
			return true;
	return false;
}

static void choose_guard(enumeration *e, unsigned i, unsigned used, bool guarded)
{
	tiny_inst *inst = &e->core.at[i];
	unsigned guards = e->f->guards;
	if (inst->op == TINY_BRA || inst->op == TINY_EXIT)
		guards = 1 << GUARD_NONE | 1 << GUARD_P0 | 1 << GUARD_NOT_P0;
	else if (inst->op == TINY_CALL)
		guards = guards & (1 << GUARD_P0) ? 1 << GUARD_NONE | 1 << GUARD_P0 : 1 << GUARD_NONE;
	else if (tiny_info_of(inst)->flow || inst->op == TINY_SETQ)
		guards = 1 << GUARD_NONE;
	if (!has_op(&e->core, i, TINY_SETQ))
		guards &= GUARDS_ALL;
	for (unsigned guard = 0; guard < GUARDS; guard++) {
		if (!(guards >> guard & 1) || (guard == GUARD_NOT_P0 && !guarded))
			continue;
		inst->guard = (uint8_t)guard;
		choose_target(e, i, used, guarded || guard != GUARD_NONE);
	}
	inst->guard = GUARD_NONE;
}

static void choose_op(enumeration *e, unsigned i, unsigned used, bool guarded)
{
	if (e->ended)
		return;
	if (i == e->f->length) {
		finish_sequence(e);
		return;
	}
	for (unsigned op = 0; op < TINY_OPS; op++) {
		if (!(e->f->ops[i] >> op & 1) || (op == TINY_LOOP && e->loops) || (op == TINY_SETQ && has_op(&e->core, i, TINY_SETQ)))
			continue;
		e->core.at[i].op = (uint8_t)op;
		choose_guard(e, i, used, guarded);
	}
}

/* -- annotations ------------------------------------------------------------------------------------------------------------------------- */

static void give(enumeration *e)
{
	uint64_t number = e->count.programs++;
	if (number % e->v->programs != e->v->shard || e->ended)
		return;
	bool more = e->v->visit(e->v->context, &e->core, e->fresh);
	e->fresh = false;
	e->count.visited++;
	e->ended = !more || (e->v->limit && e->count.visited >= e->v->limit);
}

static void choose_flags(enumeration *e)
{
	unsigned places[TINY_LENGTH], n = 0;
	for (unsigned i = 0; has(e, FAMILY_LAST_USE) && i < e->core.n; i++)
		if (e->core.at[i].a < TINY_SHARED)
			places[n++] = i;
	for (unsigned set = 0; set < 1u << n; set++) {
		for (unsigned k = 0; k < n; k++)
			e->core.at[places[k]].last_use = set >> k & 1;
		give(e);
	}
	for (unsigned k = 0; k < n; k++)
		e->core.at[places[k]].last_use = 0;
}

static void choose_hint(enumeration *e, unsigned i)
{
	if (i == e->core.n) {
		choose_flags(e);
		return;
	}
	for (unsigned k = 0; k < e->n_options[i]; k++) {
		e->core.at[i].hint = e->options[i][k].hint;
		e->core.at[i].cycles = e->options[i][k].cycles;
		choose_hint(e, i + 1);
	}
}

/* Time between an instruction of [0, i] and one behind it keeps two of one fixed-latency pipe apart. `from`: and the later one is at `from` or
 * behind it. */
static bool time_matters(const enumeration *e, unsigned i, unsigned from)
{
	for (unsigned p = 0; p < e->core.n; p++) {
		for (unsigned c = 0; c < e->core.n; c++) {
			const tiny_inst *first = &e->core.at[p], *second = &e->core.at[c];
			bool between = (p <= i && c >= from && p < c) || e->loops;
			if (between && tiny_is_fixed(first) && tiny_is_fixed(second) && tiny_row(first)->pipe == tiny_row(second)->pipe &&
			    (tiny_depends(first, second) & (TINY_RAW | TINY_WAW)))
				return true;
		}
	}
	return false;
}

static void add_option(enumeration *e, unsigned i, unsigned kind, unsigned cycles)
{
	cycles = hd_min_u32(cycles, HINT_MOST);
	for (unsigned k = 0; k < e->n_options[i]; k++)
		if (e->options[i][k].hint == kind && e->options[i][k].cycles == cycles)
			return;
	hd_invariant(e->n_options[i] < MAX_OPTIONS, "instruction %u has too many hints", i);
	e->options[i][e->n_options[i]++] = (hint){(uint8_t)kind, (uint8_t)cycles};
}

static void find_options(enumeration *e)
{
	unsigned hints = e->f->hints;
	for (unsigned i = 0; i < e->core.n; i++) {
		const tiny_inst *inst = &e->core.at[i];
		unsigned latency = tiny_is_fixed(inst) ? latency_of(e, inst) : 1,
		         longest = hd_min_u32(e->machine->latency[HD_CLASS_MUL].latency, HINT_MOST);
		e->n_options[i] = 0;
		add_option(e, i, HD_HINT_DELAY, 1);
		if (hints & HINT_ALL) {
			for (unsigned cycles = 2; cycles <= longest; cycles++)
				add_option(e, i, HD_HINT_DELAY, cycles);
		} else if ((hints & HINT_DELAYS) && time_matters(e, i, i + 1)) {
			unsigned apart = latency - e->machine->latency[HD_CLASS_ALU].latency; /* for WAW */
			if (inst->op == TINY_IMUL) {
				add_option(e, i, HD_HINT_DELAY, apart);
				add_option(e, i, HD_HINT_DELAY, apart + 1);
			}
			add_option(e, i, HD_HINT_DELAY, latency > 1 ? latency - 1 : 1);
			add_option(e, i, HD_HINT_DELAY, latency);
		}
		if ((hints & HINT_WAITS) && i && time_matters(e, i - 1, i)) {
			add_option(e, i, HD_HINT_WAIT, 1);
			add_option(e, i, HD_HINT_WAIT, 2);
			add_option(e, i, HD_HINT_WAIT, 4);
		}
		if ((hints & HINT_PAIRS) && i + 1 < e->core.n) {
			add_option(e, i, HD_HINT_PAIR, 1);
			add_option(e, i, HD_HINT_PAIR, latency);
		}
		if ((hints & HINT_HOLDS) && i)
			add_option(e, i, HD_HINT_HOLD, 1);
		if ((hints & HINT_REPLAYS) && tiny_is_memory(inst) && tiny_row(inst)->pipe == HD_PIPE_LSU)
			add_option(e, i, HD_HINT_MAY_REPLAY, 1);
		if (hints & HINT_TYPES) {
			add_option(e, i, HD_HINT_DEFAULT, 1);
			add_option(e, i, HD_HINT_DELAY_ALU, 1);
			add_option(e, i, HD_HINT_DELAY_LSU, 1);
			add_option(e, i, HD_HINT_DELAY_REST, 1);
		}
	}
}

/* Counters that instructions before place `i`, or of any turn of a loop, raise. */
static unsigned raised_before(const enumeration *e, unsigned i)
{
	unsigned mask = 0;
	for (unsigned k = 0; k < (e->loops ? e->core.n : i); k++)
		if (e->core.at[k].primary)
			mask |= 1u << (e->core.at[k].primary - 1);
	return mask;
}

static bool waited_for(const enumeration *e, unsigned i)
{
	for (unsigned k = e->loops ? 0 : i + 1; k < e->core.n; k++)
		if (e->core.at[k].wait >> (e->core.at[i].primary - 1) & 1)
			return true;
	return false;
}

/* Where the frame cannot wait for memory otherwise, what nobody in the core waits for raises the frame's counter. */
static void put_defaults(enumeration *e, bool put)
{
	if (e->machine->multi_issue_window == 1 && e->machine->predecode_hold)
		return;
	for (unsigned i = 0; i < e->core.n; i++) {
		tiny_inst *inst = &e->core.at[i];
		unsigned counter = frame_counter(e->machine, tiny_class(inst), 3);
		if (tiny_is_memory(inst) && (tiny_info_of(inst)->d || inst->op == TINY_ATOMS) && inst->primary == (put ? 0 : counter))
			inst->primary = (uint8_t)(put ? counter : 0);
	}
}

static void choose_wait(enumeration *e, unsigned i)
{
	if (i == e->core.n) {
		for (unsigned k = 0; k < e->core.n; k++)
			if (e->core.at[k].primary && !waited_for(e, k))
				return;
		put_defaults(e, true);
		choose_hint(e, 0);
		put_defaults(e, false);
		return;
	}
	tiny_inst *inst = &e->core.at[i];
	unsigned all = raised_before(e, i);
	if (inst->primary)
		all &= ~(1u << (inst->primary - 1));
	if (inst->op == TINY_PAUSE)
		all = 0;
	for (unsigned mask = all;; mask = (mask - 1) & all) {
		inst->wait = (uint8_t)mask;
		choose_wait(e, i + 1);
		if (!mask)
			return;
	}
}

/* `used`: the core's counters of the low and of the high set that have been named. */
static void choose_primary(enumeration *e, unsigned i, const unsigned used[2])
{
	if (i == e->core.n) {
		choose_wait(e, 0);
		return;
	}
	tiny_inst *inst = &e->core.at[i];
	inst->primary = inst->release = 0;
	choose_primary(e, i + 1, used);
	if (tiny_info_of(inst)->flow || inst->op == TINY_MEMBAR || inst->op == TINY_PAUSE)
		return;
	bool high = hd_machine_high_latency(e->machine, tiny_class(inst)), reads = tiny_info_of(inst)->a || tiny_reads(inst);
	for (unsigned set = 0; set < (e->machine->fence_high_latency ? 2u : 1u); set++) {
		if (set != high && !has(e, FAMILY_ANY_COUNTER))
			continue;
		for (unsigned n = 0; n < 2 && (n <= used[set] || has(e, FAMILY_ANY_COUNTER)); n++) {
			unsigned now[2] = {used[0], used[1]};
			now[set] += n == used[set];
			inst->primary = (uint8_t)(3 * set + n + 1);
			for (unsigned release = 0; release <= (reads && !has(e, FAMILY_BY_WRITE)); release++) {
				inst->release = (uint8_t)release;
				choose_primary(e, i + 1, now);
			}
		}
	}
	inst->primary = inst->release = 0;
}

static void annotate(enumeration *e)
{
	find_options(e);
	choose_primary(e, 0, (unsigned[2]){0, 0});
}

enumerated enumerate(const family *f, const hd_machine *machine, const visitor *v)
{
	enumeration e = {.f = f,
	                 .machine = machine,
	                 .v = v,
	                 .core = {.n = f->length,
	                          .callee = f->flags & FAMILY_CALLS        ? 2
	                                    : f->flags & FAMILY_CALLS_EXIT ? 3
	                                                                   : 0}};
	choose_op(&e, 0, 0, false);
	return e.count;
}
