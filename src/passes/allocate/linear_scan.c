/* Registers: each virtual register gets a place in the physical file where it meets no other one's ranges. Occupation is a set of positions a
 * physical register, so holes in ranges are used. In the order of first definitions. When nothing is free, whoever is cheapest to keep in memory of
 * those in the way, or the newcomer, is spilled, and the function is done again. It ends, as what spilling makes lives for one instruction and is
 * never spilled.
 *
 * Copies: a register prefers the place that makes a copy to or from it vanish; a part of a pair or quad that is yet to come prefers a place
 * where the whole will fit. */
#include "passes/allocate/allocate.h"
#include "passes/analysis/live_ranges.h"

enum { PREDICATES = 256, PLACES = PREDICATES + HD_PREDS, TRIES = 24, REST = 40 };

/* A copy: this register had best be at the other's place + delta. */
typedef struct partner {
	uint32_t of, other, weight;
	int32_t delta;
} partner;

typedef HD_VEC(uint32_t) list;

typedef struct assigner {
	hd_allocation *a;
	hd_intervals in;
	hd_bits taken[PLACES];    /* positions; predicates behind the registers */
	hd_bits blocked[PLACES];  /* those of them that are for fixed registers and for what calls change */
	list holders[PLACES];     /* virtual registers there whose ranges do not all lie behind */
	HD_VEC(partner) partners; /* sorted by `of`, best first */
	uint32_t *first_partner;  /* by virtual register; one more at the end */
	uint32_t *wish;           /* by virtual register: place + 1 that a part of it was put for */
	uint32_t window;          /* registers to go round in */
	uint32_t next;            /* where the search for a register begins */
	uint32_t used;            /* highest register so far + 1 */
	/* What goes to memory keeps its operands in use until the access is done where its one counter is released by the write (HZ-4), and whoever
	 * overwrites one of them waits. So they had better not be used again for the next REST instructions. By virtual register: the last position
	 * of such a use; by place: positions. */
	uint32_t *last_access;
	hd_bits resting[PREDICATES];
	bool any_spilled;
} assigner;

static bool is_predicate(const assigner *s, uint32_t v) { return s->a->f->vregs.at[v].words == 0; }
static uint32_t words_of(const assigner *s, uint32_t v) { return is_predicate(s, v) ? 1 : s->a->f->vregs.at[v].words; }

static bool range_free(const hd_bits *taken, uint32_t from, uint32_t to)
{
	for (uint32_t p = from; p <= to;) {
		uint64_t word = taken->w[p >> 6] >> (p & 63);
		uint32_t here = 64 - (p & 63), rest = to - p + 1;
		uint32_t n = here < rest ? here : rest;
		if (n < 64)
			word &= (UINT64_C(1) << n) - 1;
		if (word)
			return false;
		p += n;
	}
	return true;
}

static void range_set(hd_bits *taken, uint32_t from, uint32_t to, bool value)
{
	for (uint32_t p = from; p <= to;) {
		uint32_t here = 64 - (p & 63), rest = to - p + 1;
		uint32_t n = here < rest ? here : rest;
		uint64_t mask = (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << (p & 63);
		if (value)
			taken->w[p >> 6] |= mask;
		else
			taken->w[p >> 6] &= ~mask;
		p += n;
	}
}

static bool fits(const assigner *s, const hd_bits *map, uint32_t v, uint32_t place)
{
	for (uint32_t w = 0; w < words_of(s, v); w++) {
		for (size_t i = 0; i < s->in.of[v].n; i++) {
			if (!range_free(&map[place + w], s->in.of[v].at[i].from, s->in.of[v].at[i].to))
				return false;
		}
	}
	return true;
}

static void occupy(assigner *s, hd_bits *map, uint32_t v, uint32_t place, bool value)
{
	for (uint32_t w = 0; w < words_of(s, v); w++) {
		for (size_t i = 0; i < s->in.of[v].n; i++)
			range_set(&map[place + w], s->in.of[v].at[i].from, s->in.of[v].at[i].to, value);
	}
}

/* Places lo..hi-1 are of its kind. */
static void bounds(const assigner *s, uint32_t v, uint32_t *lo, uint32_t *hi)
{
	*lo = is_predicate(s, v) ? PREDICATES : s->a->stack ? HD_STACK_POINTER + 1 : 0;
	*hi = is_predicate(s, v) ? PREDICATES + s->a->predicates : s->a->limit;
}

static bool possible(const assigner *s, uint32_t v, int64_t place)
{
	uint32_t lo, hi, words = words_of(s, v);
	bounds(s, v, &lo, &hi);
	return place >= lo && place + words <= hi && place % words == 0 && fits(s, s->taken, v, (uint32_t)place);
}

/* A place for `whole` where its part v, `delta` words in, fits now. */
static bool place_for_part(assigner *s, uint32_t v, uint32_t whole, int32_t delta, uint32_t *place)
{
	uint32_t lo, hi, words = words_of(s, whole), tries = 0;
	if (s->wish[whole]) {
		*place = s->wish[whole] - 1 + (uint32_t)delta;
		return possible(s, v, *place);
	}
	bounds(s, whole, &lo, &hi);
	hi = hi < s->window ? hi : s->window;
	uint32_t start = s->next < lo || s->next >= hi ? lo : s->next;
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t end = pass == 0 ? hi : start;
		for (uint32_t r = ((pass == 0 ? start : lo) + words - 1) / words * words; r + words <= end && tries < TRIES; r += words, tries++) {
			if (possible(s, v, (int64_t)r + delta) && fits(s, s->taken, whole, r)) {
				s->wish[whole] = r + 1;
				*place = r + (uint32_t)delta;
				return true;
			}
		}
	}
	return false;
}

static bool find_preferred(assigner *s, uint32_t v, uint32_t *place)
{
	if (s->wish[v] && possible(s, v, s->wish[v] - 1)) {
		*place = s->wish[v] - 1;
		return true;
	}
	for (uint32_t i = s->first_partner[v]; i < s->first_partner[v + 1]; i++) {
		const partner *p = &s->partners.at[i];
		const hd_vreg_info *other = &s->a->info.at[p->other];
		if (other->reg == HD_RZ || other->spilled)
			continue;
		if (other->reg != HD_NOT_FIXED) {
			*place = (uint32_t)((int64_t)other->reg + p->delta);
			if (possible(s, v, (int64_t)other->reg + p->delta))
				return true;
		} else if (s->in.of[p->other].n && words_of(s, p->other) > words_of(s, v) && place_for_part(s, v, p->other, p->delta, place)) {
			return true;
		}
	}
	return false;
}

static bool find(assigner *s, uint32_t v, uint32_t *place)
{
	uint32_t lo, hi, words = words_of(s, v);
	if (find_preferred(s, v, place))
		return true;
	bounds(s, v, &lo, &hi);
	/* Round and round inside the window, so that a register rests before it is used again, at first only those that do; then upwards. */
	uint32_t inner = hi < s->window || is_predicate(s, v) ? hi : s->window;
	uint32_t start = is_predicate(s, v) || s->next >= inner || s->next < lo ? lo : s->next;
	for (unsigned pass = is_predicate(s, v) ? 2 : 0; pass < 4; pass++) {
		uint32_t from = pass % 2 == 0 ? start : lo, to = pass % 2 == 0 ? inner : start + words;
		for (uint32_t r = (from + words - 1) / words * words; r + words <= to && r + words <= inner; r += words) {
			if (fits(s, s->taken, v, r) && (pass >= 2 || fits(s, s->resting, v, r))) {
				*place = r;
				return true;
			}
		}
	}
	for (uint32_t r = (inner > words ? inner - words + 1 : 0) / words * words; r + words <= hi; r += words) {
		if (r >= lo && fits(s, s->taken, v, r)) {
			*place = r;
			return true;
		}
	}
	return false;
}

static bool overlap(const hd_intervals *in, uint32_t v, uint32_t w)
{
	size_t i = 0, k = 0;
	while (i < in->of[v].n && k < in->of[w].n) {
		const hd_range *x = &in->of[v].at[i], *y = &in->of[w].at[k];
		if (x->from <= y->to && y->from <= x->to)
			return true;
		if (x->to < y->to)
			i++;
		else
			k++;
	}
	return false;
}

/* The less, the better a candidate for memory. */
static uint64_t worth(const assigner *s, uint32_t v)
{
	const hd_vreg_info *info = &s->a->info.at[v];
	uint64_t length = 1;
	for (size_t i = 0; i < s->in.of[v].n; i++)
		length += s->in.of[v].at[i].to - s->in.of[v].at[i].from + 1;
	uint64_t weight = info->remake ? info->weight : 2ull * info->weight;
	return (weight << 16) / length;
}

static void spill(assigner *s, uint32_t v)
{
	hd_vreg_info *info = &s->a->info.at[v];
	if (info->reg != HD_NOT_FIXED)
		occupy(s, s->taken, v, info->reg, false);
	info->spilled = true;
	info->reg = HD_NOT_FIXED;
	s->any_spilled = true;
}

static void forget_past(assigner *s, list *holders, uint32_t now)
{
	size_t kept = 0;
	for (size_t i = 0; i < holders->n; i++) {
		uint32_t w = holders->at[i];
		if (!s->a->info.at[w].spilled && s->in.of[w].at[s->in.of[w].n - 1].to >= now)
			holders->at[kept++] = w;
	}
	holders->n = kept;
}

/* What it costs to clear `place` for v: UINT64_MAX if something there cannot leave. With `now`, it is done. */
static uint64_t clear(assigner *s, uint32_t v, uint32_t place, bool now)
{
	uint64_t cost = 0;
	for (uint32_t r = place; r < place + words_of(s, v); r++) {
		for (size_t i = 0; i < s->holders[r].n; i++) {
			uint32_t w = s->holders[r].at[i], at = s->a->info.at[w].reg;
			if (s->a->info.at[w].spilled || (r > place && at < r) || !overlap(&s->in, v, w))
				continue;
			if (s->a->info.at[w].tiny)
				return UINT64_MAX;
			cost += worth(s, w) + 1;
			if (now)
				spill(s, w);
		}
	}
	return cost;
}

/* Makes room for v, or spills it. */
static bool make_room(assigner *s, uint32_t v, uint32_t *place)
{
	bool tiny = s->a->info.at[v].tiny;
	uint32_t lo, hi, words = words_of(s, v), best = UINT32_MAX, start = s->in.of[v].at[0].from;
	uint64_t least = tiny ? UINT64_MAX : worth(s, v);
	bounds(s, v, &lo, &hi);
	for (uint32_t r = lo; r < hi; r++)
		forget_past(s, &s->holders[r], start);
	for (uint32_t r = (lo + words - 1) / words * words; r + words <= hi; r += words) {
		if (!fits(s, s->blocked, v, r))
			continue;
		uint64_t cost = clear(s, v, r, false);
		if (cost < least) {
			least = cost;
			best = r;
		}
	}
	if (best == UINT32_MAX) {
		hd_invariant(!tiny, "no register for %%%u of %s with %u registers", v, s->a->f->name, s->a->limit);
		spill(s, v);
		return false;
	}
	clear(s, v, best, true);
	*place = best;
	return true;
}

static void place(assigner *s, uint32_t v, bool all)
{
	hd_vreg_info *info = &s->a->info.at[v];
	uint32_t at = 0, words = words_of(s, v);
	if (all && !info->tiny) {
		spill(s, v);
		return;
	}
	if (!find(s, v, &at) && !make_room(s, v, &at))
		return;
	info->reg = (uint16_t)at;
	occupy(s, s->taken, v, at, true);
	uint32_t access = s->last_access[v], end = access + 2 * REST < s->in.positions ? access + 2 * REST : s->in.positions - 1;
	for (uint32_t r = at; access && r < at + words; r++)
		range_set(&s->resting[r], access, end, true);
	for (uint32_t r = at; r < at + words; r++)
		hd_vec_push(&s->holders[r], v);
	if (!is_predicate(s, v)) {
		s->next = at + words;
		s->used = at + words > s->used ? at + words : s->used;
	}
}

static void add_weight(hd_allocation *a, const hd_opd *o, uint32_t weight)
{
	if (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED)
		a->info.at[o->reg].weight += weight;
}

static bool is_copy(const hd_ir_inst *inst)
{
	return (inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_REG && inst->d[0].kind == HD_OPD_REG;
}

static int compare_partner(const void *left, const void *right)
{
	const partner *a = left, *b = right;
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->other != b->other ? (a->other < b->other ? -1 : 1) : (a->delta > b->delta) - (a->delta < b->delta);
}

static void sort_partners(assigner *s)
{
	uint32_t n = (uint32_t)s->a->f->vregs.n;
	if (s->partners.n)
		qsort(s->partners.at, s->partners.n, sizeof *s->partners.at, compare_partner);
	for (uint32_t v = 0, i = 0; v <= n; v++) {
		while (i < s->partners.n && s->partners.at[i].of < v)
			i++;
		s->first_partner[v] = i;
	}
}

/* Weights, copy partners, and definitions that can be repeated. */
static void survey(assigner *s)
{
	hd_allocation *a = s->a;
	hd_ir_function *f = a->f;
	uint32_t *definitions = hd_xcalloc(f->vregs.n + 1, sizeof *definitions);
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		hd_vreg_info *info = &a->info.at[v];
		info->weight = 0;
		info->remake = NULL;
		info->reg = info->fixed;
	}
	for (size_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		uint32_t depth = block->loop_depth < 6 ? block->loop_depth : 6, weight = 1u << 3 * depth;
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++) {
				add_weight(a, &inst->s[i], weight);
				/* A part of it cannot be made again alone. */
				if (inst->s[i].kind == HD_OPD_REG && inst->s[i].words != f->vregs.at[inst->s[i].reg].words)
					definitions[inst->s[i].reg] += 2;
			}
			add_weight(a, &inst->guard, weight);
			for (unsigned i = 0; i < inst->nd; i++) {
				if (inst->d[i].kind != HD_OPD_REG && inst->d[i].kind != HD_OPD_PRED)
					continue;
				add_weight(a, &inst->d[i], weight);
				definitions[inst->d[i].reg]++;
				bool constant =
				    inst->op == HD_OP_MOVI || ((inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_CONST);
				if (constant && inst->guard.kind == HD_OPD_NONE && inst->d[i].words == f->vregs.at[inst->d[i].reg].words)
					a->info.at[inst->d[i].reg].remake = inst;
			}
			if (is_copy(inst)) {
				int32_t delta = (int32_t)inst->s[0].sub - inst->d[0].sub;
				hd_vec_push(&s->partners, (partner){inst->d[0].reg, inst->s[0].reg, weight, delta});
				hd_vec_push(&s->partners, (partner){inst->s[0].reg, inst->d[0].reg, weight, -delta});
			}
		}
		add_weight(a, &block->pred, weight);
	}
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		if (definitions[v] != 1)
			a->info.at[v].remake = NULL;
	}
	sort_partners(s);
	free(definitions);
}

static void find_accesses(assigner *s)
{
	const hd_ir_function *f = s->a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned i = 0; i < inst->ns && inst->op < HD_OP_COUNT && hd_ops[inst->op].flags & HD_OPF_MEM; i++) {
				if (inst->s[i].kind == HD_OPD_REG)
					s->last_access[inst->s[i].reg] = s->in.block_first[b] + 2 * (uint32_t)k;
			}
		}
	}
}

/* What a call changes is not free where it stands. */
static void take_clobbers(assigner *s)
{
	const hd_ir_function *f = s->a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			if (inst->op != HD_OP_CALL && inst->op != HD_OP_CALLX)
				continue;
			uint32_t position = s->in.block_first[b] + 2 * (uint32_t)k + 1;
			const hd_clobber *c = inst->op == HD_OP_CALL ? &s->a->clobbers[inst->callee] : NULL;
			for (uint32_t r = 0; r < PLACES; r++) {
				bool hit = !c || (r < PREDICATES ? c->registers[r >> 6] >> (r & 63) & 1 : c->predicates >> (r - PREDICATES) & 1);
				if (hit) {
					hd_bits_add(&s->taken[r], position);
					hd_bits_add(&s->blocked[r], position);
				}
			}
		}
	}
}

/* Most words alive at once. */
static uint32_t pressure(const assigner *s)
{
	int64_t *change = hd_xcalloc((size_t)s->in.positions + 2, sizeof *change), now = 0, most = 0;
	for (uint32_t v = 0; v < s->in.vregs; v++) {
		for (size_t i = 0; i < s->in.of[v].n && !is_predicate(s, v); i++) {
			change[s->in.of[v].at[i].from] += words_of(s, v);
			change[s->in.of[v].at[i].to + 1] -= words_of(s, v);
		}
	}
	for (uint32_t p = 0; p <= s->in.positions; p++) {
		now += change[p];
		most = now > most ? now : most;
	}
	free(change);
	return (uint32_t)most;
}

/* Kernels go round in all that costs no occupancy. Functions in little more than they need: what they leave alone, callers can keep values in. */
static uint32_t window_of(const assigner *s)
{
	uint32_t need = pressure(s), little = need + need / 4 + HD_ABI_FIRST;
	return s->a->f->kernel || little > s->a->aim ? s->a->aim : little;
}

typedef struct start {
	uint32_t v, from, words;
} start;

static int compare_first(const void *left, const void *right)
{
	const start *a = left, *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return a->v < b->v ? -1 : a->v > b->v;
}

/* Nobody reads it: it is alive only where it is written. */
static bool unread(const assigner *s, uint32_t v)
{
	for (size_t i = 0; i < s->in.of[v].n; i++) {
		if (s->in.of[v].at[i].from != s->in.of[v].at[i].to || s->in.of[v].at[i].to % 2 == 0)
			return false;
	}
	return !is_predicate(s, v);
}

static void place_all(assigner *s, bool all)
{
	const hd_ir_function *f = s->a->f;
	start *order = hd_xcalloc(f->vregs.n + 1, sizeof *order);
	size_t n = 0;
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		uint16_t fixed = s->a->info.at[v].fixed;
		if (s->in.of[v].n == 0 || fixed == HD_RZ)
			continue;
		if (fixed != HD_NOT_FIXED) {
			uint32_t end = fixed + words_of(s, v);
			occupy(s, s->taken, v, fixed, true);
			occupy(s, s->blocked, v, fixed, true);
			s->used = end > s->used ? end : s->used;
			continue;
		}
		/* An atomic for its effect alone: nothing has to wait for its result, nor its result for anything. */
		if (unread(s, v)) {
			s->a->info.at[v].reg = HD_RZ;
			continue;
		}
		order[n++] = (start){v, s->in.of[v].at[0].from, words_of(s, v)};
	}
	qsort(order, n, sizeof *order, compare_first);
	for (size_t i = 0; i < n; i++)
		place(s, order[i].v, all);
	free(order);
}

bool hd_assign(hd_allocation *a, bool all, uint32_t *used)
{
	hd_ir_function *f = a->f;
	assigner s = {.a = a, .in = hd_intervals_new(f)};
	for (unsigned r = 0; r < PLACES; r++) {
		s.taken[r] = hd_bits_new((size_t)s.in.positions + 64);
		s.blocked[r] = hd_bits_new((size_t)s.in.positions + 64);
	}
	s.first_partner = hd_xcalloc(f->vregs.n + 2, sizeof *s.first_partner);
	s.wish = hd_xcalloc(f->vregs.n + 1, sizeof *s.wish);
	s.last_access = hd_xcalloc(f->vregs.n + 1, sizeof *s.last_access);
	for (unsigned r = 0; r < PREDICATES; r++)
		s.resting[r] = hd_bits_new((size_t)s.in.positions + 64);
	s.window = window_of(&s);
	survey(&s);
	find_accesses(&s);
	take_clobbers(&s);
	place_all(&s, all);
	*used = s.used;
	for (unsigned r = 0; r < PLACES; r++) {
		hd_bits_free(&s.taken[r]);
		hd_bits_free(&s.blocked[r]);
		hd_vec_free(&s.holders[r]);
	}
	hd_intervals_free(&s.in);
	hd_vec_free(&s.partners);
	free(s.first_partner);
	free(s.wish);
	free(s.last_access);
	for (unsigned r = 0; r < PREDICATES; r++)
		hd_bits_free(&s.resting[r]);
	return !s.any_spilled;
}
