/* Enumerates every form of an operation that the encoding has: sub-operations, modes, sizes, kinds of operands, guards. An instruction is a form when
 * its word decodes to the same instruction. A new row of ops.def needs no change here unless it has a new format. */
#ifndef HD_TEST_OPERAND_FORMS_H
#define HD_TEST_OPERAND_FORMS_H

#include "../interp/single_step.h"

typedef enum guard_kind { GUARD_NONE, GUARD_HOLDS, GUARD_NEGATED, GUARD_NEVER, GUARD_KINDS } guard_kind;

enum { PARITY = 0x96 }; /* table of a PLOP: the result is the parity of the three predicates, so each of them always matters */

typedef struct form {
	/* `n` instructions of this form, with different immediates, offsets or targets. */
	hd_inst inst[STEP_VARIANTS];
	unsigned n;
	/* The first of them with a register in place of each RZ, and with a guard. */
	hd_inst full;
	unsigned without; /* operands (numbers of hd_use) that `full` has and the form has not, one bit each */
	bool overlap;     /* operands may share registers and predicates, so nothing is known about which of them must matter */
	uint64_t seed;
} form;

typedef void form_visit(void *context, const form *f);

typedef struct forms {
	form_visit *visit;
	void *context;
	uint64_t seed;
	unsigned every; /* of many similar forms, only every nth is offered */
	unsigned count;
} forms;

/* hd_encode panics when one of these fields is out of range, so they are checked before. */
static inline bool has_room(const hd_inst *i)
{
	hd_format format = (hd_format)hd_ops[i->op].format;
	return (format != HD_F_LD && format != HD_F_ST) || (i->sub < 8 && i->ksel <= (format == HD_F_LD));
}

static inline bool same_inst(const hd_inst *x, const hd_inst *y)
{
	return x->op == y->op && x->guard == y->guard && x->guard_neg == y->guard_neg && x->d == y->d && x->a == y->a && x->b == y->b &&
	       x->c == y->c && x->last_use == y->last_use && x->ksel == y->ksel && x->mod == y->mod && x->sub == y->sub && x->sub2 == y->sub2 &&
	       x->primary == y->primary && x->release == y->release && x->hint3 == y->hint3 && x->wait == y->wait && x->imm == y->imm;
}

static inline bool encodable(const hd_inst *inst)
{
	hd_inst back;
	const char *why;
	return has_room(inst) && hd_decode(hd_encode(inst), &back, &why) && same_inst(&back, inst);
}

static inline unsigned pick(uint64_t *seed, unsigned n) { return (unsigned)(hd_random(seed) >> 32) % n; }

/* First of `words` registers or bank words below `end`, aligned, none of which is taken. With `overlap`, one of a few low registers, taken or not. */
static inline uint8_t pick_range(bool taken[HD_CONST_WORDS], unsigned words, unsigned end, bool overlap, uint64_t *seed)
{
	for (;;) {
		unsigned at = (overlap ? 4 + pick(seed, 8) : pick(seed, end)) / words * words, busy = 0;
		if (at + words > end)
			continue;
		for (unsigned k = 0; k < words; k++)
			busy += taken[at + k];
		if (busy && !overlap)
			continue;
		memset(taken + at, 1, words);
		return (uint8_t)at;
	}
}

static inline bool is_imm16(const hd_inst *inst) { return inst->ksel == 3 && hd_op_takes_imm16((hd_op)inst->op); }

/* Does the row have this operand (0 a, 1 b, 2 c, 4 d), as a register or a constant? */
static inline bool has_operand(const hd_inst *i, unsigned operand)
{
	const hd_op_info *row = &hd_ops[i->op];
	unsigned width = operand == 0 ? row->a : operand == 1 ? row->b : operand == 2 ? row->c : operand == 4 ? row->d : HD_W_N;
	if (row->format == HD_F_BAR && operand == 1)
		return true;
	return width != HD_W_N && width != HD_W_P && !(operand == 1 && is_imm16(i));
}

/* Registers for all operands; op, sub, mod and ksel are there. */
static inline void give_registers(hd_inst *i, bool overlap, uint64_t *seed)
{
	bool registers[HD_CONST_WORDS] = {false}, bank[HD_CONST_WORDS] = {false};
	uint8_t *const field[] = {&i->a, &i->b, &i->c, NULL, &i->d};
	for (unsigned operand = 0; operand < HD_COUNT(field); operand++) {
		unsigned words = field[operand] ? hd_operand_words(i, operand) : 0;
		if (!has_operand(i, operand))
			continue;
		words = words ? words : 1; /* expect_operands complains about a table without a register */
		bool constant = i->ksel == operand + 1;
		*field[operand] = pick_range(constant ? bank : registers, words, constant ? HD_CONST_WORDS : HD_RZ, overlap && !constant, seed);
	}
}

/* Predicates that the selectors of the instruction name, one bit each. */
static inline unsigned selectors(const hd_inst *i)
{
	switch ((hd_format)hd_ops[i->op].format) {
	case HD_F_SEL:
	case HD_F_VOTE:
		return 1u << (i->sub & 7);
	case HD_F_CARRY:
		return 1u << (i->sub & 7) | 1u << (i->sub >> 3 & 7);
	case HD_F_PLOP:
		return 1u << (i->sub2 & 7) | 1u << (i->sub2 >> 4 & 7) | 1u << (i->b & 7);
	default:
		return 0;
	}
}

static inline uint8_t other_predicate(unsigned not_these, uint64_t *seed)
{
	for (;;) {
		unsigned p = pick(seed, HD_PREDS);
		if (!(not_these >> p & 1))
			return (uint8_t)p;
	}
}

/* Destination predicate and guard. */
static inline void give_predicates(hd_inst *i, bool overlap, uint64_t *seed)
{
	unsigned taken = overlap ? 0 : selectors(i);
	if (hd_ops[i->op].d == HD_W_P) {
		i->d = other_predicate(taken, seed);
		taken |= overlap ? 0 : 1u << i->d;
	}
	i->guard = other_predicate(taken, seed);
}

/* Immediates, offsets and targets do not change which operands there are, but one value alone could hide an influence. */
static inline void give_variants(forms *all, form *f)
{
	static const int32_t numbers[STEP_VARIANTS] = {-3, 1, 5, 31, 0x3f80, 0x3ff8, 0x4000, 0x0123},
	                     offsets[STEP_VARIANTS] = {0, 16, 32, 48, -16, -64, 1, 96};
	hd_inst first = f->inst[0];
	hd_format format = (hd_format)hd_ops[first.op].format;
	bool word = format == HD_F_MOVI || format == HD_F_HINTS, number = is_imm16(&first) || word, offset = format == HD_F_LD || format == HD_F_ST;
	f->n = number || offset || format == HD_F_BRANCH ? STEP_VARIANTS : 1;
	for (unsigned k = 0; k < f->n; k++) {
		f->inst[k] = first;
		if (number)
			f->inst[k].imm = word ? (int32_t)hd_random(&all->seed) : numbers[k];
		else if (offset)
			f->inst[k].imm = offsets[k] < hd_offset_least(&first) ? -offsets[k] + 128 : offsets[k];
		else if (format == HD_F_BRANCH) /* a `trap` before the instruction, or one behind it */
			f->inst[k].imm = (int32_t)((k % 2 ? STEP_HEAD + HD_LINE_WORDS * STEP_VARIANTS + 2 : 2) + k / 2);
	}
}

/* Adds fence counters and last-use flags. They change neither the operands nor the result in the interpreter. */
static inline void annotate(hd_inst *inst, uint64_t *seed)
{
	hd_inst with = *inst;
	with.primary = (uint8_t)pick(seed, 1 + HD_WORD_COUNTERS);
	with.wait = (uint16_t)(pick(seed, 1 << HD_WORD_COUNTERS) & ~(1u << with.primary >> 1));
	with.release = (uint8_t)pick(seed, 2);
	with.last_use = (uint8_t)pick(seed, 8);
	if (!encodable(&with))
		with.last_use = with.release = 0;
	if (encodable(&with))
		*inst = with;
}

static inline void offer(forms *all, form *f)
{
	if (!encodable(&f->inst[0]))
		return;
	annotate(&f->inst[0], &all->seed);
	f->seed = hd_random(&all->seed);
	give_variants(all, f);
	all->count++;
	all->visit(all->context, f);
}

/* Offers the form with this kind of guard, and with RZ (or PT, if it is a predicate) for the operands in `zero`: bits 0 to 3 are a, b, c, d. */
static inline void offer_kind(forms *all, const hd_inst *start, guard_kind guard, unsigned zero, bool overlap)
{
	form f = {.full = *start, .overlap = overlap};
	hd_inst *i = &f.inst[0];
	give_registers(&f.full, overlap, &all->seed);
	give_predicates(&f.full, overlap, &all->seed);
	*i = f.full;
	uint8_t *const field[] = {&i->a, &i->b, &i->c, NULL, &i->d};
	for (unsigned operand = 0; operand < HD_COUNT(field); operand++) {
		bool predicate = operand == 4 && hd_ops[i->op].d == HD_W_P;
		if (operand == 3 || !(zero >> (operand == 4 ? 3 : operand) & 1))
			continue;
		if ((!predicate && !has_operand(i, operand)) || i->ksel == operand + 1)
			return; /* there is nothing to replace: the same form is offered without this bit */
		*field[operand] = predicate ? HD_PT : HD_RZ;
		f.without |= 1u << operand;
	}
	i->guard_neg = guard == GUARD_NEGATED || guard == GUARD_NEVER;
	if (guard == GUARD_NONE || guard == GUARD_NEVER) {
		i->guard = HD_PT;
		f.without |= 1u << 3;
	}
	if (is_imm16(i))
		f.full.b = 17; /* the word has no room for it: it is no operand, whatever it holds */
	offer(all, &f);
}

/* Offers all kinds of operands and guards; with `few`, no RZ and fewer guards. */
static inline void offer_kinds(forms *all, const hd_inst *start, bool few)
{
	for (unsigned ksel = 0; ksel < 4; ksel++) {
		hd_inst i = *start;
		i.ksel = (uint8_t)ksel;
		for (unsigned guard = 0; guard < GUARD_KINDS; guard++)
			for (unsigned zero = 0; zero < 16; zero++)
				if (!few || (zero == 0 && (guard == GUARD_NONE || guard == all->count % GUARD_KINDS)))
					offer_kind(all, &i, (guard_kind)guard, zero, false);
		for (unsigned k = few ? 3 : 0; k < 4; k++)
			offer_kind(all, &i, (guard_kind)pick(&all->seed, GUARD_KINDS), 0, true);
	}
}

static inline hd_inst blank(unsigned op) { return I(.op = (uint8_t)op, .d = hd_ops[op].d == HD_W_P ? HD_PT : HD_RZ); }

/* Offers all combinations of predicates for one table of a PLOP, and one combination for each other table. */
static inline void offer_plop(forms *all, unsigned op)
{
	unsigned step = 2 * all->every - 1; /* odd, so that every selector comes at every place */
	for (unsigned which = 0; which < 4096; which += step) {
		hd_inst i = blank(op);
		i.sub = PARITY;
		i.sub2 = (uint8_t)which;
		i.b = (uint8_t)(which >> 8);
		offer_kind(all, &i, (guard_kind)(which / step % GUARD_KINDS), which / step % 16 == 0 ? 8 : 0, false);
	}
	for (unsigned table = 0; table < 256; table++) {
		hd_inst i = blank(op);
		i.sub = (uint8_t)table;
		i.sub2 = (uint8_t)(table % 7 | (table + 1) % 7 << 4 | (table & 0x88));
		i.b = (uint8_t)((table + 2) % 7 | (table & 8));
		offer_kind(all, &i, GUARD_NONE, 0, false);
	}
	offer_kinds(all, &(hd_inst){.op = (uint8_t)op, .sub = PARITY, .sub2 = 1 | 2 << 4, .b = 3, .d = HD_PT, .a = HD_RZ, .c = HD_RZ, .guard = HD_PT},
	            false);
}

/* Offers every form of one operation. Returns how many there are. */
static inline unsigned each_form(forms *all, unsigned op)
{
	unsigned before = all->count, kinds_seen = 0;
	hd_format format = (hd_format)hd_ops[op].format;
	if (format == HD_F_PLOP)
		offer_plop(all, op);
	for (unsigned number = 0; number < (format == HD_F_PLOP                                                 ? 0u
	                                    : format == HD_F_BAR || format == HD_F_CBAR || format == HD_F_HINTS ? 16u
	                                                                                                        : 1u);
	     number++) {
		for (unsigned choice = 0; choice < 4 * 256; choice++) {
			hd_inst i = blank(op), plain;
			i.mod = choice & 3;
			i.sub = (uint8_t)(choice >> 2);
			if (format == HD_F_BAR || format == HD_F_CBAR || format == HD_F_HINTS)
				i.a = (uint8_t)number;
			plain = i;
			give_registers(&plain, false, &all->seed);
			if (!encodable(&plain))
				continue;
			/* All kinds of operands are offered once for each combination of widths, which has a number below 32. */
			unsigned widths = hd_operand_words(&i, 4) | hd_operand_words(&i, 0) << 1 | hd_operand_words(&i, 1) << 2;
			bool few = number || kinds_seen >> widths & 1;
			kinds_seen |= 1u << widths;
			if (few && (choice + number) % all->every)
				continue;
			offer_kinds(all, &i, few);
		}
	}
	return all->count - before;
}

#endif
