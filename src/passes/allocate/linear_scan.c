/* Linear scan over live ranges with holes.
 *
 *  1. Registers are placed in the order of their first definitions; wider ones first among those of one instruction.
 *  2. What a place is occupied by is a set of positions, so a register may use a hole in the live ranges of another.
 *  3. A register takes the place that makes a copy vanish, if it is free (copy_hints.h). A part of a pair or quad that is defined later takes a place
 *     where the whole fits.
 *  4. Otherwise the search goes round in a window of registers, so that a register is not used again soon; upwards of the window only when it is
 *     full.
 *  5. When no place is free, the cheapest is spilled: either the register itself or those that occupy one place. Spilling makes only short-lived
 *     registers, which are never spilled, so the rounds end. */
#include "passes/allocate/linear_scan.h"

#include "passes/allocate/copy_hints.h"
#include "passes/allocate/position_map.h"
#include "passes/allocate/spill_costs.h"
#include "passes/analysis/live_ranges.h"

enum {
	MAX_TRIES = 24,      /* places that are tried for a register of which only a part is defined yet */
	REST_POSITIONS = 80, /* 40 instructions */
};

typedef HD_VEC(uint32_t) vreg_list;

typedef struct scanner {
	hd_allocation *a;
	hd_live_ranges ranges;
	hd_copy_hints hints;
	hd_position_map occupied[HD_PLACES]; /* positions at which the place is taken */
	hd_position_map reserved[HD_PLACES]; /* those of them that fixed registers and calls take */
	vreg_list occupants[HD_PLACES];      /* registers placed there whose live ranges do not all lie behind the scan */
	uint32_t *planned;                   /* of a virtual register: place + 1 that was chosen for it when a part of it was placed; 0 = none */
	uint32_t window;                     /* registers to go round in */
	uint32_t next;                       /* where the search begins */
	uint32_t used;                       /* highest register so far + 1 */
	/* A memory instruction with one counter may release its operands only when it is done (HZ-4); an instruction that overwrites one of them
	 * waits for that. So these registers rest for REST_POSITIONS after it, as long as there are others. */
	uint32_t *last_memory_use; /* of a virtual register: position, 0 = none */
	hd_position_map resting[HD_FIRST_PREDICATE_PLACE];
	bool any_spilled;
} scanner;

static bool is_predicate(const scanner *s, uint32_t v) { return s->a->f->vregs.at[v].words == 0; }
static uint32_t words_of(const scanner *s, uint32_t v) { return is_predicate(s, v) ? 1 : s->a->f->vregs.at[v].words; }

/* Are all positions of v's live ranges free in `maps`, from place `place` on? */
static bool fits(const scanner *s, const hd_position_map *maps, uint32_t v, uint32_t place)
{
	for (uint32_t w = 0; w < words_of(s, v); w++) {
		for (size_t i = 0; i < s->ranges.of[v].n; i++) {
			if (!hd_position_map_is_free(&maps[place + w], s->ranges.of[v].at[i].from, s->ranges.of[v].at[i].to))
				return false;
		}
	}
	return true;
}

static void set_ranges(scanner *s, hd_position_map *maps, uint32_t v, uint32_t place, bool value)
{
	for (uint32_t w = 0; w < words_of(s, v); w++) {
		for (size_t i = 0; i < s->ranges.of[v].n; i++)
			(value ? hd_position_map_add : hd_position_map_remove)(&maps[place + w], s->ranges.of[v].at[i].from,
			                                                       s->ranges.of[v].at[i].to);
	}
}

/* Places lo to hi - 1 are of v's kind. */
static void bounds(const scanner *s, uint32_t v, uint32_t *lo, uint32_t *hi)
{
	*lo = is_predicate(s, v) ? HD_FIRST_PREDICATE_PLACE : s->a->stack ? HD_STACK_POINTER + 1 : 0;
	*hi = is_predicate(s, v) ? HD_FIRST_PREDICATE_PLACE + s->a->predicates : s->a->limit;
}

static bool is_possible(const scanner *s, uint32_t v, int64_t place)
{
	uint32_t lo, hi, words = words_of(s, v);
	bounds(s, v, &lo, &hi);
	return place >= lo && place + words <= hi && place % words == 0 && fits(s, s->occupied, v, (uint32_t)place);
}

/* -- searching -------------------------------------------------------------------------------------------------------------------- */

/* A place for v, which is the part of `whole` from word `delta` on, so that the whole fits later. */
static bool find_for_part(scanner *s, uint32_t v, uint32_t whole, int32_t delta, uint32_t *place)
{
	uint32_t lo, hi, words = words_of(s, whole), tries = 0;
	if (s->planned[whole]) {
		*place = s->planned[whole] - 1 + (uint32_t)delta;
		return is_possible(s, v, *place);
	}
	bounds(s, whole, &lo, &hi);
	hi = hd_min_u32(hi, s->window);
	uint32_t start = s->next < lo || s->next >= hi ? lo : s->next;
	for (unsigned half = 0; half < 2; half++) {
		uint32_t from = half == 0 ? start : lo, to = half == 0 ? hi : start;
		for (uint32_t r = hd_round_up_u32(from, words); r + words <= to && tries < MAX_TRIES; r += words, tries++) {
			if (is_possible(s, v, (int64_t)r + delta) && fits(s, s->occupied, whole, r)) {
				s->planned[whole] = r + 1;
				*place = r + (uint32_t)delta;
				return true;
			}
		}
	}
	return false;
}

static bool find_by_hint(scanner *s, uint32_t v, uint32_t *place)
{
	if (s->planned[v] && is_possible(s, v, s->planned[v] - 1)) {
		*place = s->planned[v] - 1;
		return true;
	}
	for (uint32_t i = s->hints.first[v]; i < s->hints.first[v + 1]; i++) {
		const hd_copy_hint *hint = &s->hints.all.at[i];
		const hd_vreg_info *other = &s->a->info.at[hint->other];
		if (other->place == HD_RZ || other->spilled)
			continue;
		if (other->place != HD_NOT_FIXED) {
			*place = (uint32_t)((int64_t)other->place + hint->delta);
			if (is_possible(s, v, (int64_t)other->place + hint->delta))
				return true;
		} else if (s->ranges.of[hint->other].n && words_of(s, hint->other) > words_of(s, v) &&
		           find_for_part(s, v, hint->other, hint->delta, place)) {
			return true;
		}
	}
	return false;
}

/* Round the window, from where the last search ended. First only places that do not rest, then all. Predicates do not rest. */
static bool find_in_window(const scanner *s, uint32_t v, uint32_t lo, uint32_t window, uint32_t *place)
{
	uint32_t words = words_of(s, v), start = is_predicate(s, v) || s->next >= window || s->next < lo ? lo : s->next;
	for (unsigned any = is_predicate(s, v); any < 2; any++) {
		for (unsigned half = 0; half < 2; half++) {
			uint32_t from = half == 0 ? start : lo, to = half == 0 ? window : start + words;
			for (uint32_t r = hd_round_up_u32(from, words); r + words <= to && r + words <= window; r += words) {
				if (fits(s, s->occupied, v, r) && (any || fits(s, s->resting, v, r))) {
					*place = r;
					return true;
				}
			}
		}
	}
	return false;
}

static bool find_place(scanner *s, uint32_t v, uint32_t *place)
{
	uint32_t lo, hi, words = words_of(s, v);
	if (find_by_hint(s, v, place))
		return true;
	bounds(s, v, &lo, &hi);
	uint32_t window = is_predicate(s, v) ? hi : hd_min_u32(hi, s->window);
	if (find_in_window(s, v, lo, window, place))
		return true;
	for (uint32_t r = (window > words ? window - words + 1 : 0) / words * words; r + words <= hi; r += words) {
		if (r >= lo && fits(s, s->occupied, v, r)) {
			*place = r;
			return true;
		}
	}
	return false;
}

/* -- spilling --------------------------------------------------------------------------------------------------------------------- */

static bool ranges_overlap(const hd_live_ranges *ranges, uint32_t v, uint32_t w)
{
	size_t i = 0, k = 0;
	while (i < ranges->of[v].n && k < ranges->of[w].n) {
		const hd_live_range *x = &ranges->of[v].at[i], *y = &ranges->of[w].at[k];
		if (x->from <= y->to && y->from <= x->to)
			return true;
		if (x->to < y->to)
			i++;
		else
			k++;
	}
	return false;
}

/* Uses for the length of the live ranges; a rematerialised definition costs half of a reload. */
static uint64_t spill_cost(const scanner *s, uint32_t v)
{
	const hd_vreg_info *info = &s->a->info.at[v];
	uint64_t length = 1;
	for (size_t i = 0; i < s->ranges.of[v].n; i++)
		length += s->ranges.of[v].at[i].to - s->ranges.of[v].at[i].from + 1;
	uint64_t weight = info->rematerialise_from ? info->weight : 2ull * info->weight;
	return (weight << 16) / length;
}

static void spill(scanner *s, uint32_t v)
{
	hd_vreg_info *info = &s->a->info.at[v];
	if (info->place != HD_NOT_FIXED)
		set_ranges(s, s->occupied, v, info->place, false);
	info->spilled = true;
	info->place = HD_NOT_FIXED;
	s->any_spilled = true;
}

static void drop_past(const scanner *s, vreg_list *occupants, uint32_t now)
{
	size_t kept = 0;
	for (size_t i = 0; i < occupants->n; i++) {
		uint32_t w = occupants->at[i];
		if (!s->a->info.at[w].spilled && s->ranges.of[w].at[s->ranges.of[w].n - 1].to >= now)
			occupants->at[kept++] = w;
	}
	occupants->n = kept;
}

/* The cost of spilling all registers that keep v from `place`; UINT64_MAX if one of them cannot be spilled. With `spill_them` they are spilled. */
static uint64_t evict(scanner *s, uint32_t v, uint32_t place, bool spill_them)
{
	uint64_t cost = 0;
	for (uint32_t r = place; r < place + words_of(s, v); r++) {
		for (size_t i = 0; i < s->occupants[r].n; i++) {
			uint32_t w = s->occupants[r].at[i], first = s->a->info.at[w].place;
			bool counted = r > place && first < r; /* a wide one, at its first word */
			if (s->a->info.at[w].spilled || counted || !ranges_overlap(&s->ranges, v, w))
				continue;
			if (s->a->info.at[w].short_lived)
				return UINT64_MAX;
			cost += spill_cost(s, w) + 1;
			if (spill_them)
				spill(s, w);
		}
	}
	return cost;
}

/* Frees the cheapest place for v, or spills v if that is cheaper: false. */
static bool make_room(scanner *s, uint32_t v, uint32_t *place)
{
	bool short_lived = s->a->info.at[v].short_lived;
	uint32_t lo, hi, words = words_of(s, v), best = UINT32_MAX, start = s->ranges.of[v].at[0].from;
	uint64_t least = short_lived ? UINT64_MAX : spill_cost(s, v);
	bounds(s, v, &lo, &hi);
	for (uint32_t r = lo; r < hi; r++)
		drop_past(s, &s->occupants[r], start);
	for (uint32_t r = hd_round_up_u32(lo, words); r + words <= hi; r += words) {
		if (!fits(s, s->reserved, v, r))
			continue;
		uint64_t cost = evict(s, v, r, false);
		if (cost < least) {
			least = cost;
			best = r;
		}
	}
	if (best == UINT32_MAX) {
		hd_invariant(!short_lived, "no register for %%%u of %s with %u registers", v, s->a->f->name, s->a->limit);
		spill(s, v);
		return false;
	}
	evict(s, v, best, true);
	*place = best;
	return true;
}

/* -- the scan --------------------------------------------------------------------------------------------------------------------- */

static void place_register(scanner *s, uint32_t v, bool spill_all)
{
	hd_vreg_info *info = &s->a->info.at[v];
	uint32_t at = 0, words = words_of(s, v), use = s->last_memory_use[v];
	if (spill_all && !info->short_lived) {
		spill(s, v);
		return;
	}
	if (!find_place(s, v, &at) && !make_room(s, v, &at))
		return;
	info->place = (uint16_t)at;
	set_ranges(s, s->occupied, v, at, true);
	for (uint32_t r = at; use && r < at + words; r++)
		hd_position_map_add(&s->resting[r], use, hd_min_u32(use + REST_POSITIONS, s->ranges.positions - 1));
	for (uint32_t r = at; r < at + words; r++)
		hd_vec_push(&s->occupants[r], v);
	if (!is_predicate(s, v)) {
		s->next = at + words;
		s->used = hd_max_u32(s->used, at + words);
	}
}

static void find_memory_uses(scanner *s)
{
	const hd_ir_function *f = s->a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned i = 0; i < inst->ns && inst->op < HD_OP_COUNT && hd_ops[inst->op].flags & HD_OPF_MEM; i++) {
				if (inst->s[i].kind == HD_OPD_REG)
					s->last_memory_use[inst->s[i].reg] = s->ranges.block_first[b] + 2 * (uint32_t)k;
			}
		}
	}
}

/* Reserves the places that a call changes, where the call writes. */
static void reserve_clobbers(scanner *s)
{
	const hd_ir_function *f = s->a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			if (inst->op != HD_OP_CALL && inst->op != HD_OP_CALLX)
				continue;
			uint32_t position = s->ranges.block_first[b] + 2 * (uint32_t)k + 1;
			const hd_clobber *c = inst->op == HD_OP_CALL ? &s->a->clobbers[inst->callee] : NULL;
			for (uint32_t place = 0; place < HD_PLACES; place++) {
				if (!hd_clobbers(c, place))
					continue;
				hd_position_map_add(&s->occupied[place], position, position);
				hd_position_map_add(&s->reserved[place], position, position);
			}
		}
	}
}

/* Register pressure: the most words that are live at one position. */
static uint32_t max_pressure(const scanner *s)
{
	int64_t *change = hd_xcalloc((size_t)s->ranges.positions + 2, sizeof *change), now = 0, most = 0;
	for (uint32_t v = 0; v < s->ranges.vregs; v++) {
		for (size_t i = 0; i < s->ranges.of[v].n && !is_predicate(s, v); i++) {
			change[s->ranges.of[v].at[i].from] += words_of(s, v);
			change[s->ranges.of[v].at[i].to + 1] -= words_of(s, v);
		}
	}
	for (uint32_t p = 0; p <= s->ranges.positions; p++) {
		now += change[p];
		most = now > most ? now : most;
	}
	free(change);
	return (uint32_t)most;
}

/* Kernels use all registers that cost no occupancy. Functions use little more than their pressure: callers keep their values in the others. */
static uint32_t choose_window(const scanner *s)
{
	uint32_t pressure = max_pressure(s), little = pressure + pressure / 4 + HD_FIRST_ARGUMENT;
	return s->a->f->kernel ? s->a->free_registers : hd_min_u32(little, s->a->free_registers);
}

/* A register to place. */
typedef struct candidate {
	uint32_t v, from, words;
} candidate;

static int compare_candidates(const void *left, const void *right)
{
	const candidate *a = left, *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return a->v < b->v ? -1 : a->v > b->v;
}

/* Is it live only at positions where it is written? */
static bool is_unread(const scanner *s, uint32_t v)
{
	for (size_t i = 0; i < s->ranges.of[v].n; i++) {
		if (s->ranges.of[v].at[i].from != s->ranges.of[v].at[i].to || s->ranges.of[v].at[i].to % 2 == 0)
			return false;
	}
	return !is_predicate(s, v);
}

static void reserve_fixed(scanner *s, uint32_t v, uint16_t fixed)
{
	set_ranges(s, s->occupied, v, fixed, true);
	set_ranges(s, s->reserved, v, fixed, true);
	s->used = hd_max_u32(s->used, fixed + words_of(s, v));
}

static void place_all(scanner *s, bool spill_all)
{
	const hd_ir_function *f = s->a->f;
	candidate *order = hd_xcalloc(f->vregs.n + 1, sizeof *order);
	size_t n = 0;
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		uint16_t fixed = s->a->info.at[v].fixed;
		if (s->ranges.of[v].n == 0 || fixed == HD_RZ)
			continue;
		if (fixed != HD_NOT_FIXED)
			reserve_fixed(s, v, fixed);
		else if (is_unread(s, v)) /* the result of an atomic for its effect alone: without a register it causes no hazards */
			s->a->info.at[v].place = HD_RZ;
		else
			order[n++] = (candidate){v, s->ranges.of[v].at[0].from, words_of(s, v)};
	}
	qsort(order, n, sizeof *order, compare_candidates);
	for (size_t i = 0; i < n; i++)
		place_register(s, order[i].v, spill_all);
	free(order);
}

static void init(scanner *s)
{
	hd_ir_function *f = s->a->f;
	s->ranges = hd_live_ranges_new(f);
	s->hints = hd_copy_hints_new(f);
	for (unsigned place = 0; place < HD_PLACES; place++) {
		s->occupied[place] = hd_position_map_new(s->ranges.positions);
		s->reserved[place] = hd_position_map_new(s->ranges.positions);
	}
	for (unsigned r = 0; r < HD_FIRST_PREDICATE_PLACE; r++)
		s->resting[r] = hd_position_map_new(s->ranges.positions);
	s->planned = hd_xcalloc(f->vregs.n + 1, sizeof *s->planned);
	s->last_memory_use = hd_xcalloc(f->vregs.n + 1, sizeof *s->last_memory_use);
	for (uint32_t v = 0; v < f->vregs.n; v++)
		s->a->info.at[v].place = s->a->info.at[v].fixed;
}

static void finish(scanner *s)
{
	for (unsigned place = 0; place < HD_PLACES; place++) {
		hd_position_map_free(&s->occupied[place]);
		hd_position_map_free(&s->reserved[place]);
		hd_vec_free(&s->occupants[place]);
	}
	for (unsigned r = 0; r < HD_FIRST_PREDICATE_PLACE; r++)
		hd_position_map_free(&s->resting[r]);
	hd_live_ranges_free(&s->ranges);
	hd_copy_hints_free(&s->hints);
	free(s->planned);
	free(s->last_memory_use);
}

bool hd_assign_places(hd_allocation *a, bool spill_all, uint32_t *used)
{
	scanner s = {.a = a};
	init(&s);
	hd_find_spill_costs(a);
	s.window = choose_window(&s);
	find_memory_uses(&s);
	reserve_clobbers(&s);
	place_all(&s, spill_all);
	*used = s.used;
	finish(&s);
	return !s.any_spilled;
}
