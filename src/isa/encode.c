#include "isa/isa.h"

/* Field positions (isa.h). */
enum {
	AT_OP = 3,
	AT_GUARD = 11,
	AT_NEG = 14,
	AT_PRIMARY = 15,
	AT_WAIT = 18,
	AT_RELEASE = 24,
	AT_D = 25,
	AT_A = 33,
	AT_B = 41,
	AT_C = 49,
	AT_LU = 57,
	AT_KSEL = 60,
	AT_MOD = 62
};

static unsigned sources_in_fields(const hd_op_info *info) { return (info->a != HD_W_N) + (info->b != HD_W_N) + (info->c != HD_W_N); }

/* Formats in which ksel 3 with two sources selects a 16-bit immediate. */
static bool has_imm16(const hd_op_info *info)
{
	return (info->format == HD_F_ALU || info->format == HD_F_SETP) && sources_in_fields(info) == 2 && !(info->flags & HD_OPF_MEM);
}

bool hd_op_takes_imm16(hd_op op) { return has_imm16(&hd_ops[op]); }

static bool float_imm16(const hd_op_info *info, unsigned op)
{
	return info->klass == HD_CLASS_FMA || info->klass == HD_CLASS_SFU || op == HD_OP_FMIN || op == HD_OP_FMAX || op == HD_OP_FCPYS ||
	       op == HD_OP_FSETP;
}

uint64_t hd_imm16_value(const hd_inst *inst)
{
	const hd_op_info *info = &hd_ops[inst->op];
	uint16_t bits = (uint16_t)inst->imm;
	if (info->b == HD_W_D)
		return info->pipe == HD_PIPE_F64 ? (uint64_t)bits << 48 : (uint64_t)(int64_t)(int16_t)bits;
	return float_imm16(info, inst->op) ? (uint32_t)bits << 16 : (uint32_t)(int32_t)(int16_t)bits;
}

bool hd_imm16_fits(hd_op op, uint64_t value, int32_t *imm16)
{
	const hd_op_info *info = &hd_ops[op];
	if (!has_imm16(info))
		return false;
	uint16_t field = (uint16_t)value;
	if (info->b == HD_W_D && info->pipe == HD_PIPE_F64)
		field = (uint16_t)(value >> 48);
	else if (info->b != HD_W_D && float_imm16(info, op))
		field = (uint16_t)(value >> 16);
	hd_inst inst = {.op = (uint8_t)op, .imm = (int16_t)field};
	uint64_t mask = info->b == HD_W_D ? UINT64_MAX : UINT32_MAX;
	if ((hd_imm16_value(&inst) & mask) != (value & mask))
		return false;
	*imm16 = (int16_t)field;
	return true;
}

#define PUT(value, at) ((uint64_t)(value) << (at))

/* A whole word as an immediate: its upper bit is in the release bit. */
static uint64_t put_imm32(int32_t imm) { return PUT((uint32_t)imm & 0x7fffffffu, AT_A) | PUT((uint32_t)imm >> 31, AT_RELEASE); }
static int32_t get_imm32(uint64_t w) { return (int32_t)((uint32_t)(w >> AT_A & 0x7fffffffu) | (uint32_t)(w >> AT_RELEASE & 1) << 31); }

uint64_t hd_encode(const hd_inst *i)
{
	hd_invariant(i->op < HD_OP_COUNT && i->guard <= HD_PT && i->ksel < 4 && i->mod < 4 && i->hint3 < 8 && i->last_use < 8,
	             "a field of op %u is out of range", i->op);
	const hd_op_info *info = &hd_ops[i->op];
	uint64_t w = PUT(i->hint3, 0) | PUT(i->op, AT_OP) | PUT(i->guard, AT_GUARD) | PUT(i->guard_neg != 0, AT_NEG) |
	             PUT(i->primary & 7, AT_PRIMARY) | PUT(i->wait & 63, AT_WAIT) | PUT(i->release != 0, AT_RELEASE);
	uint64_t d = info->d == HD_W_P ? i->d & 7 : info->d == HD_W_N ? 0 : i->d;
	uint64_t plain = PUT(i->last_use, AT_LU) | PUT(i->ksel, AT_KSEL) | PUT(i->mod, AT_MOD);
	uint64_t a = info->a != HD_W_N ? PUT(i->a, AT_A) : 0, b = info->b != HD_W_N ? PUT(i->b, AT_B) : 0,
	         c = info->c != HD_W_N ? PUT(i->c, AT_C) : 0;
	switch ((hd_format)info->format) {
	case HD_F_NONE:
		return w;
	case HD_F_ALU:
	case HD_F_SETP:
		if (info->format == HD_F_SETP)
			d |= (uint64_t)i->sub << 3;
		if (i->ksel == 3 && has_imm16(info))
			b = PUT((uint16_t)i->imm, AT_B);
		return w | PUT(d, AT_D) | a | b | c | plain;
	case HD_F_SUB:
	case HD_F_SEL:
	case HD_F_CARRY:
	case HD_F_VOTE:
	case HD_F_SREG:
		return w | PUT(d, AT_D) | a | b | PUT(i->sub, AT_C) | plain;
	case HD_F_PLOP:
		return w | PUT(d, AT_D) | PUT(i->sub2, AT_A) | PUT(i->b, AT_B) | PUT(i->sub, AT_C);
	case HD_F_MOVI:
		return (w & ~PUT(1, AT_RELEASE)) | PUT(d, AT_D) | put_imm32(i->imm);
	case HD_F_HINTS:
		return (w & ~PUT(1, AT_RELEASE)) | PUT(i->a, AT_D) | PUT((uint32_t)i->imm & 0x7fffffffu, AT_A) |
		       PUT((uint32_t)i->imm >> 31, AT_RELEASE);
	case HD_F_LD:
		hd_invariant(i->imm >= hd_offset_least(i) && i->imm <= hd_offset_most(i) && i->sub < 8 && i->ksel < 2,
		             "a load's offset %d or size %u", i->imm, i->sub);
		return w | PUT(d, AT_D) | a | PUT((uint16_t)i->imm, AT_B) | PUT(i->last_use & 1, AT_LU) | PUT(i->sub, 58) | PUT(i->ksel, 61) |
		       PUT(i->mod, AT_MOD);
	case HD_F_ST:
		hd_invariant(i->imm >= INT16_MIN && i->imm <= INT16_MAX && i->sub < 8 && i->ksel == 0, "a store's offset %d or size %u", i->imm,
		             i->sub);
		return w | PUT((uint16_t)i->imm >> 8, AT_D) | a | b | PUT((uint16_t)i->imm & 255, AT_C) | PUT(i->last_use & 3, AT_LU) |
		       PUT(i->sub, 59) | PUT(i->mod, AT_MOD);
	case HD_F_ATOM:
		return w | PUT(d, AT_D) | a | b | PUT(i->sub, AT_C) | plain;
	case HD_F_CAS:
		return w | PUT(d, AT_D) | a | b | c | plain;
	case HD_F_BRANCH:
		hd_invariant(i->imm >= 0 && i->imm < HD_MAX_CODE, "a target at %d", i->imm);
		return w | PUT(i->imm, AT_A);
	case HD_F_JUMPX:
		return w | a | b | plain;
	case HD_F_BAR:
		return w | PUT(i->a, AT_A) | PUT(i->b, AT_B) | PUT(i->mod, AT_MOD);
	case HD_F_CBAR:
		return w | PUT(i->a, AT_A);
	}
	hd_panic("format %u", info->format);
}

#define GET(word, at, bits) ((uint8_t)((word) >> (at) & ((UINT64_C(1) << (bits)) - 1)))

static void decode_fields(uint64_t w, const hd_op_info *info, hd_inst *i)
{
	i->d = info->d == HD_W_P ? GET(w, AT_D, 3) : info->d == HD_W_N ? HD_RZ : GET(w, AT_D, 8);
	i->a = info->a != HD_W_N ? GET(w, AT_A, 8) : HD_RZ;
	i->b = info->b != HD_W_N ? GET(w, AT_B, 8) : HD_RZ;
	i->c = info->c != HD_W_N ? GET(w, AT_C, 8) : HD_RZ;
	i->last_use = GET(w, AT_LU, 3);
	i->ksel = GET(w, AT_KSEL, 2);
	i->mod = GET(w, AT_MOD, 2);
	switch ((hd_format)info->format) {
	case HD_F_SETP:
		i->sub = GET(w, AT_D + 3, 5);
		break;
	case HD_F_SUB:
	case HD_F_SEL:
	case HD_F_CARRY:
	case HD_F_VOTE:
	case HD_F_SREG:
	case HD_F_ATOM:
		i->sub = GET(w, AT_C, 8);
		break;
	case HD_F_PLOP:
		i->sub2 = GET(w, AT_A, 8);
		i->b = GET(w, AT_B, 8);
		i->sub = GET(w, AT_C, 8);
		i->last_use = i->ksel = i->mod = 0;
		break;
	case HD_F_MOVI:
		i->imm = get_imm32(w);
		i->release = i->last_use = i->ksel = i->mod = 0;
		break;
	case HD_F_HINTS:
		i->a = GET(w, AT_D, 8);
		i->imm = get_imm32(w);
		i->release = i->last_use = i->ksel = i->mod = 0;
		break;
	case HD_F_LD:
		i->last_use &= 1;
		i->sub = GET(w, 58, 3);
		i->ksel = GET(w, 61, 1);
		i->imm = hd_offset_is_address(i) ? (uint16_t)(w >> AT_B) : (int16_t)(w >> AT_B);
		break;
	case HD_F_ST:
		i->imm = (int16_t)(GET(w, AT_C, 8) | GET(w, AT_D, 8) << 8);
		i->last_use &= 3;
		i->sub = GET(w, 59, 3);
		i->ksel = 0;
		break;
	case HD_F_BRANCH:
		i->imm = (int32_t)(w >> AT_A & (HD_MAX_CODE - 1));
		i->last_use = i->ksel = i->mod = 0;
		break;
	case HD_F_BAR:
		i->a = GET(w, AT_A, 8);
		i->b = GET(w, AT_B, 8);
		i->last_use = i->ksel = 0;
		break;
	case HD_F_CBAR:
		i->a = GET(w, AT_A, 8);
		i->last_use = i->ksel = i->mod = 0;
		break;
	case HD_F_NONE:
		i->last_use = i->ksel = i->mod = 0;
		break;
	default:
		break;
	}
	if (i->ksel == 3 && has_imm16(info)) {
		i->imm = (int16_t)(w >> AT_B & 0xffff);
		i->b = HD_RZ;
	}
}

/* The sub-operation of a row with one source: a class, a scope, or both types of a conversion. */
static const char *check_sub_operation(const hd_inst *i, const hd_op_info *info)
{
	unsigned s = i->sub;
	switch (i->op) {
	case HD_OP_FTESTP:
	case HD_OP_DTESTP:
		return s > HD_FC_SUBNORMAL ? "unknown class test" : NULL;
	case HD_OP_ACTMASK:
		return s ? "unknown sub-operation" : NULL;
	case HD_OP_MEMBAR:
		return s >= HD_SCOPE_COUNT ? "unknown scope" : NULL;
	case HD_OP_I2I:
	case HD_OP_I2I_DR:
	case HD_OP_I2I_RD:
	case HD_OP_I2I_DD:
		return s > 127 || ((s & 3) == 3) != (info->a == HD_W_D) || ((s >> 3 & 3) == 3) != (info->d == HD_W_D)
		           ? "conversion does not fit the widths"
		           : NULL;
	case HD_OP_F2I:
	case HD_OP_F2I_DR:
	case HD_OP_F2I_RD:
	case HD_OP_F2I_DD:
		return s > 63 || (s >> 3 & 3) > HD_F64 || ((s >> 3 & 3) == HD_F64) != (info->a == HD_W_D) || ((s & 3) == 3) != (info->d == HD_W_D)
		           ? "conversion does not fit the widths"
		           : NULL;
	case HD_OP_I2F:
	case HD_OP_I2F_DR:
	case HD_OP_I2F_RD:
	case HD_OP_I2F_DD:
		return s > 31 || (s >> 3 & 3) > HD_F64 || ((s & 3) == 3) != (info->a == HD_W_D) || ((s >> 3 & 3) == HD_F64) != (info->d == HD_W_D)
		           ? "conversion does not fit the widths"
		           : NULL;
	default: /* F2F */
		return s > 127 || (s & 3) > HD_F64 || (s >> 2 & 3) > HD_F64 || ((s & 3) == HD_F64) != (info->d == HD_W_D) ||
		               ((s >> 2 & 3) == HD_F64) != (info->a == HD_W_D)
		           ? "conversion does not fit the widths"
		           : NULL;
	}
}

static const char *check_atomic(const hd_inst *i)
{
	unsigned op = i->sub & 15, type = i->sub >> 4;
	if (op >= HD_ATOM_OP_COUNT || type >= HD_ATOM_TYPE_COUNT)
		return "unknown atomic";
	if (type >= HD_ATOM_F32 && op != HD_ATOM_ADD && op != HD_ATOM_EXCH)
		return "a float atomic other than add and exchange";
	return (op == HD_ATOM_INC || op == HD_ATOM_DEC) && type != HD_ATOM_U32 ? "inc and dec work on u32" : NULL;
}

static const char *check_sub(const hd_inst *i, const hd_op_info *info)
{
	switch ((hd_format)info->format) {
	case HD_F_SETP: {
		if (i->sub >= HD_CMP_COUNT)
			return "unknown comparison";
		bool is_float = i->op == HD_OP_FSETP || i->op == HD_OP_DSETP;
		if (is_float && i->sub >= HD_CMP_LO && i->sub <= HD_CMP_HS)
			return "an unsigned comparison of floats";
		return !is_float && i->sub > HD_CMP_HS ? "an unordered comparison of integers" : NULL;
	}
	case HD_F_SUB:
		return check_sub_operation(i, info);
	case HD_F_SEL:
	case HD_F_VOTE:
		return i->sub > 15 || (info->format == HD_F_VOTE && i->mod > (i->op == HD_OP_VOTE ? 2 : 0)) ? "bad predicate selector or mode" : NULL;
	case HD_F_CARRY:
		return i->sub > 63 ? "bad carry predicates" : NULL;
	case HD_F_PLOP:
		return i->b > 15 ? "bad predicate selector" : NULL;
	case HD_F_SREG:
		return i->sub >= HD_SREG_COUNT ? "unknown special register" : NULL;
	case HD_F_LD:
	case HD_F_ST:
		return i->sub > HD_SIZE_128 || (info->format == HD_F_ST && (i->sub == HD_SIZE_S8 || i->sub == HD_SIZE_S16)) ? "unknown size" : NULL;
	case HD_F_ATOM:
		return check_atomic(i);
	case HD_F_CAS:
		return i->mod > 2 ? "unknown size" : NULL;
	case HD_F_BAR:
		return i->a > 15 || i->mod > HD_BAR_JOIN ? "unknown barrier" : NULL;
	case HD_F_HINTS:
		return i->a <= 15 ? NULL : "hints for instructions that are too far away";
	case HD_F_CBAR:
		return i->a <= 15 ? NULL : i->op == HD_OP_SETPRIO ? "unknown priority" : "unknown convergence barrier";
	default:
		return NULL;
	}
}

static const char *check_registers(const hd_inst *i, const hd_op_info *info)
{
	static const unsigned order[] = {0, 1, 2, 4};
	for (unsigned k = 0; k < HD_COUNT(order); k++) {
		unsigned operand = order[k];
		uint8_t width = operand == 0 ? info->a : operand == 1 ? info->b : operand == 2 ? info->c : info->d;
		unsigned reg = operand == 0 ? i->a : operand == 1 ? i->b : operand == 2 ? i->c : i->d;
		if (width != HD_W_D && width != HD_W_V)
			continue;
		bool bank = operand < 3 && i->ksel == operand + 1 && !(i->ksel == 3 && has_imm16(info));
		if (operand == 1 && i->ksel == 3 && has_imm16(info))
			continue;
		unsigned words = hd_operand_words(i, operand);
		if (words < 2 || (!bank && reg == HD_RZ))
			continue;
		if (reg % words || reg + words > (bank ? HD_CONST_WORDS : HD_RZ))
			return "a register pair or quad that is not aligned";
	}
	return NULL;
}

/* `more` holds the bits of the wait mask that the word lacks, `high` the upper bits of the primary. */
static bool decode(uint64_t word, unsigned more, unsigned high, hd_inst *inst, const char **why)
{
	unsigned op = GET(word, AT_OP, 8);
	*inst = (hd_inst){0};
	*why = NULL;
	if (op >= HD_OP_COUNT) {
		*why = "unknown operation";
		return false;
	}
	const hd_op_info *info = &hd_ops[op];
	inst->op = (uint8_t)op;
	inst->hint3 = GET(word, 0, 3);
	inst->guard = GET(word, AT_GUARD, 3);
	inst->guard_neg = GET(word, AT_NEG, 1);
	inst->primary = (uint8_t)(GET(word, AT_PRIMARY, 3) | high << 3);
	inst->wait = (uint16_t)(GET(word, AT_WAIT, 6) | more << HD_WORD_COUNTERS);
	inst->release = GET(word, AT_RELEASE, 1);
	decode_fields(word, info, inst);
	unsigned n = sources_in_fields(info);
	bool imm = inst->ksel == 3 && has_imm16(info);
	if ((*why = check_sub(inst, info)))
		return false;
	if (inst->ksel > n && !imm)
		*why = "a constant-bank operand that the operation does not have";
	else if (inst->last_use >> n)
		*why = "a last-use flag on an operand that the operation does not have";
	else if (inst->ksel && inst->last_use >> (imm ? 1 : inst->ksel - 1) & 1)
		*why = "a last-use flag on an operand that is no register (LU-2)";
	else if (!(info->flags & HD_OPF_RND) && inst->mod &&
	         (info->format == HD_F_ALU || info->format == HD_F_SUB || info->format == HD_F_SETP || info->format == HD_F_SEL ||
	          info->format == HD_F_CARRY || info->format == HD_F_SREG || info->format == HD_F_ATOM || info->format == HD_F_JUMPX))
		*why = "a mode that the operation does not have";
	else if (inst->primary > HD_MAX_COUNTERS)
		*why = "a primary on a counter beyond 16";
	else if (inst->primary && inst->wait >> (inst->primary - 1) & 1)
		*why = "a primary that waits for its own counter (HZ-3)";
	else if (info->pipe == HD_PIPE_NONE && (inst->primary || inst->wait || inst->release))
		*why = "fence fields on a nop, setprio or hints, which goes to no pipeline: it can neither raise a counter nor wait in a queue";
	else if (hd_encode(inst) != word)
		*why = "a field that the operation does not use is not zero";
	else
		*why = check_registers(inst, info);
	return *why == NULL;
}

bool hd_decode(uint64_t word, hd_inst *inst, const char **why) { return decode(word, 0, 0, inst, why); }

uint64_t hd_encode_wide(const hd_inst *inst)
{
	hd_invariant((inst->hint3 & ~HD_MEETS) == 0, "hint3 %u where the primary's upper bits are", inst->hint3);
	return hd_encode(inst) | (uint64_t)(inst->primary >> 3);
}

bool hd_decode_wide(uint64_t word, unsigned more, hd_inst *inst, const char **why)
{
	return decode(word & ~UINT64_C(3), more, (unsigned)(word & 3), inst, why);
}
