/* From a decoded instruction to what is executed. */
#include "sm/op.h"

#include <inttypes.h>

enum {
#define MODIFIER(id, ...) M_##id = HD_SASS_MOD_##id,
#include "sass/modifiers.def"
#undef MODIFIER
};
#define hd_sm_none NULL

static const hd_sm_meaning meanings[] = {
#define LIST(...) __VA_ARGS__
#define MEANING(opcode_, kind_, name_, sem_, numbers_, results_, modifiers_) \
	{.opcode = (opcode_),                                                \
	 .kind = HD_SM_##kind_,                                              \
	 .numbers = HD_SM_##numbers_,                                        \
	 .results = (results_),                                              \
	 .fn = hd_sm_##name_,                                                \
	 .sem = HD_OP_##sem_,                                                \
	 .modifiers = {LIST modifiers_}},
#include "sm/meaning.def"
#undef MEANING
};

const hd_sm_meaning *hd_sm_meaning_of(unsigned opcode)
{
	for (size_t i = 0; i < HD_COUNT(meanings); i++)
		if (meanings[i].opcode == opcode)
			return &meanings[i];
	return NULL;
}

/* An untimed run has no caches, and its memory is in the order of the program: policies, scopes and prefetches change no value. Hints about
 * convergence and deferring do not, either. */
bool hd_sm_ignored(unsigned id)
{
	static const uint8_t ids[] = {M_E,          M_EVICT,    M_SCOPE_LOAD, M_SCOPE,        M_SCOPE_75,      M_PRIVATE_75,
	                              M_UNORDERED,  M_PREFETCH, M_BYPASS,     M_COPY_SCOPE,   M_COPY_PREFETCH, M_DEFER,
	                              M_CALL_COUNT, M_EXIT,     M_NANOSLEEP,  M_NANOSLEEP_90, M_EXIT_HANDLER,  M_CLOCK_32};
	return memchr(ids, (int)id, sizeof ids) != NULL;
}

/* Fields that architectures name apart, as one. */
static unsigned common(unsigned id, uint8_t *value)
{
	switch (id) {
	case M_PACK_TYPE_90:
		return M_PACK_TYPE;
	case M_ATOMIC_TYPE_75:
		return M_ATOMIC_TYPE;
	case M_ATOMIC_TYPE_90:
		*value = *value == 3 ? 5 : *value; /* .S64 */
		return M_ATOMIC_TYPE;
	case M_CAS_TYPE_75:
		return M_CAS_TYPE;
	case M_FLOAT_ATOMIC:
		*value /= 2; /* .ADD .MIN .MAX */
		return M_FLOAT_REDUCE;
	case M_DMMA_SHAPE_90:
		return M_DMMA_SHAPE;
	default:
		return id;
	}
}

/* Values that a meaning's function does not know, though it knows others of the modifier. */
static const struct {
	uint8_t id;
	uint16_t values; /* a bit each */
} refusals[] = {
    {M_FLUSH, 1 << 1},                /* .FMZ */
    {M_ATOMIC, 1 << 9},               /* .SAFEADD */
    {M_BARRIER, 1 << 3 | 1 << 4},     /* .SCAN .SYNCALL */
    {M_PACK_MERGE, 1 << 1},           /* .MERGE_C */
    {M_MATRIX_LOAD, 1 << 2 | 1 << 3}, /* .M816 .M832 */
    {M_MATRIX_MOVE, 1 << 1 | 1 << 2},
    {M_DMMA_SHAPE, 1 << 1 | 1 << 2 | 1 << 3},
    {M_RETURN, 1 << 1 | 1 << 3},                            /* .ABS */
    {M_FLOAT_VECTOR, 0x7fff & ~(1 << 0 | 1 << 3 | 1 << 9)}, /* vectors, .F32 without FTZ */
};

static bool refuse(hd_text *why, unsigned id, unsigned value, const char *what)
{
	hd_text_printf(why, "modifier '");
	hd_sass_modifier_text(id, value, why);
	hd_text_printf(why, "' %s", what);
	return false;
}

static bool take_modifiers(const hd_sm_meaning *meaning, const hd_sass_values *values, hd_sm_op *op, hd_text *why)
{
	for (unsigned i = 0; i < values->n_modifiers; i++) {
		uint8_t value = values->modifier[i].value;
		unsigned id = common(values->modifier[i].id, &value), place = 0;
		while (place < HD_SM_MODIFIERS && meaning->modifiers[place] != id)
			place++;
		for (size_t r = 0; r < HD_COUNT(refusals); r++)
			if (refusals[r].id == id && refusals[r].values >> value & 1)
				return refuse(why, values->modifier[i].id, values->modifier[i].value, "has no meaning");
		if (place < HD_SM_MODIFIERS) {
			op->m[place] = value;
			continue;
		}
		hd_text text = {0};
		hd_sass_modifier_text(values->modifier[i].id, values->modifier[i].value, &text);
		bool named = text.n != 0;
		hd_text_free(&text);
		/* The selections of halves are read with their operand. */
		if (named && id != M_HALF_A && id != M_HALF_LOW && id != M_HALF_HIGH && !hd_sm_ignored(id))
			return refuse(why, values->modifier[i].id, values->modifier[i].value, "has no meaning here");
	}
	return true;
}

static uint8_t modifier_value(const hd_sass_values *values, unsigned id)
{
	for (unsigned i = 0; i < values->n_modifiers; i++)
		if (values->modifier[i].id == id)
			return values->modifier[i].value;
	return 0;
}

static uint8_t selection(const hd_sass_values *values, unsigned suffix)
{
	uint8_t value = suffix ? modifier_value(values, suffix) : 0;
	return suffix == M_HALF_LOW && value == 1 ? HD_SM_SECOND_NEGATED : value;
}

static bool take_source(const hd_sass_values *values, const hd_sass_value *v, hd_sm_op *op, hd_text *why)
{
	if (v->kind == HD_SASS_OPERAND_BANK && v->has_uniform) {
		hd_text_printf(why, "a constant bank named by a uniform register");
		return false;
	}
	if (op->n_sources == HD_SM_SOURCES) {
		hd_text_printf(why, "too many operands");
		return false;
	}
	op->source[op->n_sources++] = (hd_sm_source){.kind = v->kind,
	                                             .reg = v->reg,
	                                             .words = v->count ? v->count : 1,
	                                             .bank = v->bank,
	                                             .select = selection(values, v->suffix),
	                                             .minus = v->minus && !v->invert,
	                                             .absolute = v->absolute,
	                                             .invert = v->minus && v->invert,
	                                             .number = (uint64_t)v->number};
	return true;
}

/* P2R reads and R2P writes all predicates that its mask names. */
static void take_predicates(const hd_sass_value *v, hd_sm_op *op)
{
	for (uint8_t i = 0; i < 7; i++) {
		uint8_t reg = v->number >> i & 1 ? i : HD_SASS_PT;
		if (v->write)
			op->result[op->n_results++] = (hd_sm_predicate){.reg = reg};
		else
			op->predicate[op->n_predicates++] = (hd_sm_predicate){.reg = i};
	}
}

static bool take_result(const hd_sass_value *v, hd_sm_op *op, hd_text *why)
{
	bool uniform = v->kind == HD_SASS_OPERAND_UNIFORM, none = v->reg == (uniform ? HD_SASS_URZ : HD_SASS_RZ);
	if (v->count > HD_SM_RESULTS || op->words) {
		hd_text_printf(why, "a result of %u registers", v->count);
		return false;
	}
	op->uniform = uniform;
	op->reg = v->reg;
	op->words = none ? 0 : v->count;
	return true;
}

static bool take_operand(const hd_sass_values *values, const hd_sass_operand *o, const hd_sass_value *v, hd_sm_op *op, hd_text *why)
{
	switch ((hd_sass_kind)v->kind) {
	case HD_SASS_OPERAND_REGISTER:
	case HD_SASS_OPERAND_UNIFORM:
		return v->write ? take_result(v, op, why) : take_source(values, v, op, why);
	case HD_SASS_OPERAND_BANK:
		if (op->kind == HD_SM_CONSTANT) {
			op->memory[op->n_memory++] = *v;
			return true;
		}
		return take_source(values, v, op, why);
	case HD_SASS_OPERAND_NUMBER:
		/* Immediates in the place of B or C are sources, and so are those of SHFL, which may be registers. Others are fields. */
		if (o->kind == HD_SASS_OPERAND_NUMBER && op->fn != hd_sm_shfl && op->n_numbers < HD_SM_NUMBERS) {
			op->number[op->n_numbers++] = (uint64_t)v->number;
			return true;
		}
		if (o->kind == HD_SASS_OPERAND_BARRIER_NUMBER) {
			op->number[1] = (uint64_t)v->number;
			return true;
		}
		return take_source(values, v, op, why);
	case HD_SASS_OPERAND_PREDICATE:
		if (v->write && op->n_results < HD_SM_PREDICATES)
			op->result[op->n_results++] = (hd_sm_predicate){.reg = v->reg, .uniform = v->uniform};
		else if (!v->write && op->n_predicates < HD_SM_PREDICATES)
			op->predicate[op->n_predicates++] = (hd_sm_predicate){.reg = v->reg, .uniform = v->uniform, .invert = v->invert};
		return true;
	case HD_SASS_OPERAND_PREDICATES:
		take_predicates(v, op);
		return true;
	case HD_SASS_OPERAND_CONVERGENCE:
		op->barrier = v->reg;
		return true;
	case HD_SASS_OPERAND_SPECIAL:
	case HD_SASS_OPERAND_BARRIER_NUMBER:
		op->number[0] = (uint64_t)v->number;
		return true;
	case HD_SASS_OPERAND_TARGET:
	case HD_SASS_OPERAND_ABSOLUTE:
		op->has_target = true;
		op->target = (uint64_t)v->number;
		return true;
	case HD_SASS_OPERAND_MEMORY:
		op->memory[op->n_memory++] = *v;
		return true;
	case HD_SASS_OPERAND_BARRIERS:
		return true;
	default:
		hd_text_printf(why, "an operand");
		return false;
	}
}

/* .FTZ is about floats of 32 bits: what it does to others is not known. */
static bool flushes_others(const hd_sass_values *values)
{
	unsigned from = modifier_value(values, M_FLOAT_FROM) + modifier_value(values, M_TO_INTEGER_FROM), rounds = modifier_value(values, M_ROUND_TO);
	return modifier_value(values, M_FTZ) && ((from && from != 2) || (rounds && rounds != 10));
}

/* Operands that a meaning could ignore by mistake: what is not computed must be nothing. */
static bool check_rest(const hd_sass_instruction *in, const hd_sm_meaning *meaning, hd_sm_op *op, hd_text *why)
{
	for (unsigned i = meaning->results; i < op->n_results; i++)
		if (op->result[i].reg != HD_SASS_PT) {
			hd_text_printf(why, "a predicate as a result");
			return false;
		}
	bool matrix = in->row->class >= HD_SASS_CLASS_MMA_HALF && in->row->class <= HD_SASS_CLASS_MMA_GROUP;
	bool load = op->kind == HD_SM_LOAD || (op->numbers == HD_SM_H && op->fn == hd_sm_hfma2) || matrix;
	if (load && op->n_predicates && (op->predicate[0].reg != HD_SASS_PT || op->predicate[0].invert)) {
		hd_text_printf(why, "a predicate as an operand");
		return false;
	}
	for (unsigned i = 0; matrix && op->fn != hd_sm_dmma && i < op->n_sources; i++)
		if (op->source[i].minus || op->source[i].absolute) {
			hd_text_printf(why, "a sign at an operand");
			return false;
		}
	bool wide = meaning->modifiers[3] == M_HALF_OUT && op->m[3];
	for (unsigned i = 0; op->numbers == HD_SM_H && wide && i < op->n_sources; i++)
		if (op->source[i].select == HD_SM_SINGLE || op->source[i].select == HD_SM_SECOND_NEGATED) {
			hd_text_printf(why, "a selection of halves beside a result of 32 bits");
			return false;
		}
	if (op->fn == hd_sm_viaddmnmx && op->source[1].minus && (op->m[0] > 1 || op->m[1] & 1)) {
		hd_text_printf(why, "a sign at a pair of halves");
		return false;
	}
	if (op->kind == HD_SM_MASK_GET && op->n_sources + op->n_numbers) {
		hd_text_printf(why, "an operand");
		return false;
	}
	if (op->kind == HD_SM_BARRIER && (in->low >> 9 & 7) == HD_SASS_FORM_B_IMMEDIATE) {
		hd_text_printf(why, "a number of threads in a register");
		return false;
	}
	return true;
}

static bool shared_code(const hd_sm_meaning *meaning, hd_sm_op *op)
{
	if (meaning->sem == HD_OP_COUNT)
		return true;
	unsigned mode = op->m[op->numbers == HD_SM_D ? 0 : 2];
	static const uint8_t modes[4] = {HD_RN, HD_RM, HD_RP, HD_RZ_};
	op->inst = (hd_inst){.op = (uint8_t)meaning->sem, .guard = HD_PT, .mod = modes[mode & 3]};
	op->sem = hd_sem_find(&op->inst);
	return op->sem != NULL;
}

bool hd_sm_prepare(const hd_sass_instruction *in, hd_sm_op *op, hd_text *why)
{
	hd_sass_values values;
	*op = (hd_sm_op){.guard = {.reg = in->guard, .uniform = in->guard_uniform, .invert = in->guard_not}};
	if (!in->row) {
		hd_text_printf(why, "an unknown instruction, opcode 0x%03x", (unsigned)(in->low & 0x1ff));
		return false;
	}
	const hd_sm_meaning *meaning = hd_sm_meaning_of(in->row->opcode);
	if (!meaning) {
		hd_text_printf(why, "%s has no meaning", in->row->mnemonic);
		return false;
	}
	op->kind = meaning->kind;
	op->architecture = in->architecture;
	op->numbers = meaning->numbers;
	op->fn = meaning->fn;
	op->space = in->memory;
	op->always = in->guard == HD_SASS_PT && !in->guard_not;
	hd_sass_values_read(in, &values);
	if (!take_modifiers(meaning, &values, op, why))
		return false;
	if (flushes_others(&values)) {
		hd_text_printf(why, "modifier '.FTZ' has no meaning here");
		return false;
	}
	for (unsigned i = 0; i < values.n; i++)
		if (!take_operand(&values, &in->row->operands[values.at[i].operand], &values.at[i], op, why))
			return false;
	return check_rest(in, meaning, op, why) && shared_code(meaning, op);
}

const hd_vec32 *hd_sm_signed(const hd_sm_op *op, unsigned i, const hd_vec32 *from, hd_vec32 *room)
{
	const hd_sm_source *s = &op->source[i];
	uint32_t clear = s->absolute ? 0x80000000u : 0, flip = s->minus ? 0x80000000u : 0;
	switch ((hd_sm_numbers)op->numbers) {
	case HD_SM_H:
		if (s->select != HD_SM_SINGLE) {
			clear |= clear >> 16;
			flip |= flip >> 16;
		}
		/* fall through */
	case HD_SM_F:
		for (unsigned l = 0; l < HD_LANES; l++)
			room->v[l] = (from->v[l] & ~clear) ^ flip;
		return room;
	case HD_SM_D:
		room[0] = from[0];
		for (unsigned l = 0; l < HD_LANES; l++)
			room[1].v[l] = (from[1].v[l] & ~clear) ^ flip;
		return room;
	case HD_SM_I:
		for (unsigned l = 0; l < HD_LANES; l++) {
			uint64_t value = from[0].v[l] | (s->words > 1 ? (uint64_t)from[1].v[l] << 32 : from[0].v[l] >> 31 ? ~UINT64_C(0) << 32 : 0);
			value = s->absolute && value >> 63 ? 0 - value : value;
			value = s->minus ? 0 - value : s->invert ? ~value : value;
			room[0].v[l] = (uint32_t)value;
			if (s->words > 1)
				room[1].v[l] = (uint32_t)(value >> 32);
		}
		return room;
	case HD_SM_RAW:
		break;
	}
	return from;
}
