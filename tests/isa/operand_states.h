/* Makes states from which an instruction runs. Everything is random. Operands, addresses and memory are such that the instruction often has an
 * effect: most addresses are valid, operands are sometimes equal, some lanes wait elsewhere or have exited. */
#ifndef HD_TEST_OPERAND_STATES_H
#define HD_TEST_OPERAND_STATES_H

#include "../semantics/operand.h"
#include "operand_forms.h"

enum { STEP_POOL = 1 << 16 };

typedef struct trial {
	single_step *o;
	const hd_vec32 *pool; /* STEP_POOL random words; cheaper than new ones */
	const form *f;
	const hd_inst *inst; /* the variant that runs */
	unsigned variant;
} trial;

/* STEP_REGISTERS random vectors. */
static inline const hd_vec32 *any_vectors(const trial *t, uint64_t *seed) { return t->pool + pick(seed, STEP_POOL / HD_LANES - STEP_REGISTERS); }

/* Where a source operand is. */
typedef struct place {
	hd_vec32 *at;
	unsigned words;
	bool uniform; /* in the constant bank: all lanes have the same value */
} place;

static inline place place_of(const trial *t, step_state *s, unsigned operand)
{
	const hd_inst *i = t->inst;
	const uint8_t reg[3] = {i->a, i->b, i->c};
	bool bar = hd_ops[i->op].format == HD_F_BAR && operand == 1;
	place p = {.words = bar ? 1 : hd_operand_words(i, operand), .uniform = i->ksel == operand + 1};
	if (p.words == 0 || (operand == 1 && is_imm16(i)) || (!p.uniform && reg[operand] == HD_RZ))
		return (place){0};
	p.at = p.uniform ? &t->o->oracle->bank->words[reg[operand]] : &s->registers[reg[operand]];
	return p;
}

static inline void put(const place *p, unsigned lane, uint64_t value)
{
	for (unsigned k = 0; k < p->words; k++)
		p->at[k].v[lane] = (uint32_t)(value >> (32 * (k & 1)));
}

/* Code words of division (ops.def: FDIVX, DDIVX): a sign, a case, which is 0 most of the time, and an exponent, often one of a subnormal result. */
static inline uint64_t any_code(uint64_t *seed)
{
	bool wide = pick(seed, 2);
	unsigned bias = wide ? 8192 : 2048, least = wide ? 1022 : 126, special = pick(seed, 2) ? 0 : pick(seed, 8);
	unsigned exponent = pick(seed, 2) ? bias - least - pick(seed, 4) : bias - least + 64 - pick(seed, 128);
	return exponent | special << (wide ? 14 : 12);
}

/* Between 1/2 and 2, with few bits or many. */
static inline uint64_t any_near_one(uint64_t *seed)
{
	uint64_t bits = hd_random(seed) & (pick(seed, 2) ? 7 : UINT64_MAX);
	return pick(seed, 2) ? 0x3f000000u + (bits & 0xffffff) : (UINT64_C(0x3fe) << 52) + (bits & ((UINT64_C(1) << 53) - 1));
}

static inline uint64_t any_special(uint64_t *seed)
{
	static const uint64_t high[] = {0, 0x3f800000, 0x3ff00000, 0x7f800000, 0x7ff00000, 0x7fc00000, 0x7ff80000};
	uint64_t word = high[pick(seed, HD_COUNT(high))] | (uint64_t)pick(seed, 2) << 31;
	return pick(seed, 2) ? word : word << 32;
}

typedef uint64_t number_maker(uint64_t *seed);

/* Operands that find mistakes. */
static inline uint64_t any_number(uint64_t *seed)
{
	static number_maker *const makers[] = {any_code, any_near_one, any_special, any_operand, any_operand, any_operand};
	unsigned which = pick(seed, HD_COUNT(makers) + 1);
	return which < HD_COUNT(makers) ? makers[which](seed) : pick(seed, 64);
}

/* One value for all lanes, or one of two, or any. */
static inline void put_numbers(const place *p, number_maker *make, uint64_t *seed)
{
	uint64_t first = make(seed), second = make(seed);
	unsigned way = p->uniform ? 0 : pick(seed, 4);
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t value = first;
		if (way == 1)
			value = pick(seed, 2) ? first : second;
		else if (way > 1)
			value = make(seed);
		put(p, lane, value);
	}
}

/* LAUNCH or QPUSH: works on grids and queues. */
static inline bool spawns(const hd_inst *i) { return i->op == HD_OP_LAUNCH || i->op == HD_OP_QPUSH; }

static inline unsigned access_bytes(const hd_inst *i)
{
	hd_format format = (hd_format)hd_ops[i->op].format;
	return spawns(i) ? STEP_CHILD : format == HD_F_LD || format == HD_F_ST ? hd_size_bytes(i->sub) : 8;
}

/* A valid address: `where` is 0 for global memory, 1 for the shared window, 2 for the local window, 3 for any of them. An address of 32 bits is valid
 * in every space, or, if `where` is not 0, in shared memory. */
static inline uint64_t any_address(const trial *t, bool wide, unsigned where, uint64_t *seed)
{
	static const uint64_t window[] = {HD_WINDOW_SHARED, HD_WINDOW_LOCAL};
	unsigned bytes = access_bytes(t->inst), space = where == 3 ? pick(seed, 3) : where;
	unsigned room = wide && space == 0 ? STEP_GLOBAL : !wide && space ? STEP_SHARED : STEP_LOCAL;
	uint64_t base = !wide ? 0 : space == 0 ? t->o->global : window[space - 1];
	return base + (uint64_t)bytes * pick(seed, room / bytes) - (uint64_t)(int64_t)t->inst->imm;
}

/* Addresses, most of them valid. Lanes may share some. */
static inline void put_addresses(const trial *t, const place *p, uint64_t *seed)
{
	bool wide = p->words == 2, wrong = pick(seed, 16) == 0;
	unsigned where = pick(seed, 4);
	uint64_t first = any_address(t, wide, where, seed) ^ (wrong ? UINT64_C(1) << pick(seed, 40) : 0);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		put(p, lane, p->uniform || lane == 0 ? first : any_address(t, wide, where, seed));
}

/* Word addresses of `trap`s before and behind the instruction. */
static inline void put_targets(const trial *t, const place *p, uint64_t *seed)
{
	unsigned tail = STEP_HEAD + HD_LINE_WORDS * t->f->n, first = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		unsigned target = (pick(seed, 2) ? tail : 0) + pick(seed, 2) * HD_LINE_WORDS + 2 + pick(seed, 6);
		first = lane ? first : target;
		put(p, lane, p->uniform || pick(seed, 2) ? first : target);
	}
}

static inline void put_operand(const trial *t, const place *p, unsigned operand, number_maker *make, uint64_t *seed)
{
	const hd_op_info *row = &hd_ops[t->inst->op];
	unsigned any = pick(seed, 3);
	if (row->format == HD_F_JUMPX)
		put_targets(t, p, seed);
	else if (t->inst->op == HD_OP_QPUSH && operand == 0)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			put(p, lane, pick(seed, 8) || p->uniform ? STEP_QUEUE : any);
	else if (row->flags & HD_OPF_MEM && operand == 0)
		put_addresses(t, p, seed);
	else if (row->format == HD_F_BAR)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			put(p, lane, pick(seed, HD_LANES * STEP_WARPS + 16));
	else
		put_numbers(p, make, seed);
}

static inline void put_operands(const trial *t, step_state *s, uint64_t *seed)
{
	const hd_op_info *row = &hd_ops[t->inst->op];
	place places[3];
	unsigned n = 0;
	bool division = pick(seed, 4) == 0; /* the first operand is a quotient or root, the second a remainder, the last a code word */
	for (unsigned operand = 0; operand < 3; operand++) {
		number_maker *of_division = operand == 0 ? any_near_one : operand == 2 || row->c == HD_W_N ? any_code : any_special;
		place p = place_of(t, s, operand);
		if (p.at)
			put_operand(t, &p, operand, division ? of_division : any_number, seed);
		if (p.at)
			places[n++] = p;
	}
	/* Comparisons need equal operands. */
	if (pick(seed, 3) || row->flags & (HD_OPF_MEM | HD_OPF_FLOW) || n == 0 || places[0].uniform)
		return;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		if (is_imm16(t->inst))
			put(&places[0], lane, hd_imm16_value(t->inst));
		for (unsigned k = 0; n > 1 && k < places[0].words && k < places[1].words; k++)
			places[0].at[k].v[lane] = places[1].at[k].v[lane];
	}
}

/* Descriptors of children of any size, one after the other. */
static inline void put_children(const trial *t, uint8_t *at, unsigned bytes, uint64_t *seed)
{
	for (const uint8_t *end = at + bytes; at < end; at += STEP_CHILD) {
		memset(at, 0, STEP_CHILD);
		hd_store_word(at + HD_CHILD_KERNEL, STEP_CHILD_ENTRY);
		hd_store_word(at + HD_CHILD_PARAMS, (uint32_t)t->o->global + 8 * pick(seed, 8));
		hd_store_word(at + HD_CHILD_PARAMS + 4, (uint32_t)(t->o->global >> 32));
		for (unsigned i = 0; i < 3; i++) {
			hd_store_word(at + HD_CHILD_GRID + 4 * i, 1 + pick(seed, 9));
			hd_store_word(at + HD_CHILD_BLOCK + 4 * i, 1 + pick(seed, 9));
		}
		hd_store_word(at + HD_CHILD_BYTES, sizeof t->o->params);
	}
}

static inline void put_memory(const trial *t, step_state *s, uint64_t *seed)
{
	struct {
		uint8_t *at;
		unsigned bytes;
	} const parts[] = {{s->global, sizeof s->global}, {s->shared, sizeof s->shared}, {s->local, sizeof s->local}};
	bool swap = hd_ops[t->inst->op].format == HD_F_CAS;
	uint32_t half = pick(seed, 0x10000), word = half | half << 16; /* a compare-and-swap finds it everywhere, and often expects it */
	for (unsigned i = 0; i < HD_COUNT(parts); i++) {
		for (unsigned at = 0; at < parts[i].bytes; at += 4)
			hd_store_word(parts[i].at + at, swap ? word : (uint32_t)hd_random(seed));
		if (spawns(t->inst))
			put_children(t, parts[i].at, parts[i].bytes, seed);
	}
	place expected = place_of(t, s, 1);
	for (unsigned lane = 0; swap && expected.at && lane < HD_LANES; lane++)
		if (expected.uniform || pick(seed, 2))
			put(&expected, lane, word | (uint64_t)word << 32);
}

static inline void put_flow(const trial *t, step_state *s, uint64_t *seed)
{
	step_flow *flow = &s->flow;
	uint32_t outside = pick(seed, 3) ? 0 : (uint32_t)hd_random(seed), dead = pick(seed, 3) ? 0 : (uint32_t)hd_random(seed);
	unsigned tail = STEP_HEAD + HD_LINE_WORDS * t->f->n;
	memset(flow, 0, sizeof *flow);
	flow->pc = t->o->at[t->variant];
	flow->alive = ~dead | 1u << pick(seed, HD_LANES);
	flow->depth = pick(seed, STEP_DEPTH + 1);
	flow->here = flow->depth ? flow->alive & ~outside : flow->alive;
	flow->here = flow->here ? flow->here : flow->alive;
	for (unsigned k = 0, rest = flow->alive & ~flow->here; k < flow->depth; k++) {
		uint32_t lanes = k + 1 == flow->depth ? rest : rest & (uint32_t)hd_random(seed);
		flow->frames[k] = (hd_oracle_frame){.back = tail + 3, .members = flow->here | lanes, .outside = lanes};
		rest &= ~lanes;
	}
	flow->active = pick(seed, 2) ? flow->here : flow->here & (uint32_t)hd_random(seed);
	flow->active = flow->active ? flow->active : flow->here;
	flow->next_stop = UINT32_MAX;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		flow->lane_pc[lane] = tail + 2 + pick(seed, 5);
		if (flow->here >> lane & ~flow->active >> lane & 1 && flow->lane_pc[lane] < flow->next_stop)
			flow->next_stop = flow->lane_pc[lane];
	}
	flow->at_barrier[0] = flow->barrier = UINT32_MAX;
	for (unsigned number = 0; number < HD_ORACLE_BARRIERS; number++)
		flow->for_all[number] = pick(seed, 2);
	for (unsigned warp = 1; warp < STEP_WARPS; warp++) {
		unsigned number = hd_ops[t->inst->op].format == HD_F_BAR && pick(seed, 2) ? t->inst->a : pick(seed, HD_ORACLE_BARRIERS);
		flow->at_barrier[warp] = number;
		flow->came[number] |= 1u << warp;
		flow->arrived[number]++;
	}
}

static inline void put_constants(const trial *t, uint64_t *seed)
{
	hd_bank *bank = t->o->oracle->bank;
	for (unsigned i = 0; i < HD_CONST_WORDS; i++) {
		uint32_t word = (uint32_t)hd_random(seed);
		hd_store_word(bank->raw + 4 * i, word);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			bank->words[i].v[lane] = word;
	}
}

/* Chooses one of the form's instructions and makes a state before it. */
static inline void put_state(trial *t, step_state *s, uint64_t *seed)
{
	memset(&s->end, 0, sizeof s->end);
	memcpy(s->registers, any_vectors(t, seed), sizeof s->registers);
	for (unsigned p = 0; p < HD_PREDS; p++)
		s->predicates[p] = pick(seed, 4) ? (uint32_t)hd_random(seed) : 0u - pick(seed, 2);
	s->predicates[HD_PT] = UINT32_MAX;
	t->variant = pick(seed, t->f->n);
	t->inst = &t->f->inst[t->variant];
	put_constants(t, seed);
	put_flow(t, s, seed);
	put_operands(t, s, seed);
	put_memory(t, s, seed);
}

#endif
