/* One instruction of assembly text: guard, mnemonic with suffixes, operands. The inverse of src/isa/print.c. */
#include "isa/names.h"
#include "object/scan.h"

/* The suffixes of a mnemonic: text that begins with '.', or is empty. */
typedef struct suffixes {
	const char *at, *end;
} suffixes;

static bool suffix(suffixes *x, const char *const *names, unsigned n, unsigned *value)
{
	if (x->at == x->end)
		return false;
	const char *from = x->at + 1, *to = from;
	while (to < x->end && *to != '.')
		to++;
	for (unsigned i = 0; i < n; i++) {
		if (strlen(names[i]) == (size_t)(to - from) && memcmp(names[i], from, (size_t)(to - from)) == 0) {
			*value = i;
			x->at = to;
			return true;
		}
	}
	return false;
}

static unsigned flag(suffixes *x, const char *name)
{
	unsigned value;
	return suffix(x, &name, 1, &value);
}

/* The names of a field of `sub`. */
typedef struct named {
	const char *const *names;
	unsigned n, at; /* at: its first bit */
} named;

/* Two named values in `sub`; false if either is missing. */
static bool two(suffixes *x, named first, named second, hd_inst *i)
{
	unsigned a, b;
	if (!suffix(x, first.names, first.n, &a) || !suffix(x, second.names, second.n, &b))
		return false;
	i->sub = (uint8_t)(a << first.at | b << second.at);
	return true;
}

static bool conversion(suffixes *x, hd_inst *i)
{
	if (i->op >= HD_OP_I2I && i->op <= HD_OP_I2I_DD) {
		if (!two(x, (named){hd_itype_names, 8, 3}, (named){hd_itype_names, 8, 0}, i))
			return false;
		i->sub |= (uint8_t)(flag(x, "sat") << 6);
	} else if (i->op >= HD_OP_F2I && i->op <= HD_OP_F2I_DD) {
		if (!two(x, (named){hd_itype_names, 8, 0}, (named){hd_ftype_names, 3, 3}, i))
			return false;
		i->sub |= (uint8_t)(flag(x, "ftz") << 5);
	} else if (i->op >= HD_OP_I2F && i->op <= HD_OP_I2F_DD) {
		return two(x, (named){hd_ftype_names, 3, 3}, (named){hd_itype_names, 8, 0}, i);
	} else {
		if (!two(x, (named){hd_ftype_names, 3, 0}, (named){hd_ftype_names, 3, 2}, i))
			return false;
		i->sub |= (uint8_t)(flag(x, "sat") << 4);
		i->sub |= (uint8_t)(flag(x, "ftz") << 5);
		i->sub |= (uint8_t)(flag(x, "int") << 6);
	}
	return true;
}

/* NULL, or a text that says what was expected. */
static const char *parse_suffixes(suffixes *x, hd_inst *i)
{
	const hd_op_info *info = &hd_ops[i->op];
	unsigned v = 0, w = 0;
	switch ((hd_format)info->format) {
	case HD_F_SETP:
		if (!suffix(x, hd_cmp_names, HD_CMP_COUNT, &v))
			return "a comparison such as .lt";
		i->sub = (uint8_t)v;
		break;
	case HD_F_LD:
	case HD_F_ST:
		if (!suffix(x, hd_size_names, 7, &v))
			return "a size: .u8 .s8 .u16 .s16 .32 .64 .128";
		suffix(x, hd_cache_names, 4, &w);
		i->sub = (uint8_t)v;
		i->mod = (uint8_t)w;
		break;
	case HD_F_ATOM:
		if (!two(x, (named){hd_atom_op_names, HD_ATOM_OP_COUNT, 0}, (named){hd_atom_type_names, HD_ATOM_TYPE_COUNT, 4}, i))
			return "an operation and a type such as .add.u32";
		break;
	case HD_F_CAS:
		if (!suffix(x, hd_cas_names, 3, &v))
			return "a size: .32 .64 .u16";
		i->mod = (uint8_t)v;
		break;
	case HD_F_VOTE:
		if (i->op == HD_OP_VOTE && !suffix(x, hd_vote_names, 3, &v))
			return ".all, .any or .uni";
		i->mod = (uint8_t)v;
		break;
	case HD_F_BAR:
		if (!suffix(x, hd_bar_names, 3, &v))
			return ".sync, .arrive or .join";
		i->mod = (uint8_t)v;
		break;
	case HD_F_SUB:
		if (i->op == HD_OP_FTESTP || i->op == HD_OP_DTESTP || i->op == HD_OP_MEMBAR) {
			if (i->op == HD_OP_MEMBAR ? !suffix(x, hd_scope_names, HD_SCOPE_COUNT, &v) : !suffix(x, hd_fclass_names, 6, &v))
				return i->op == HD_OP_MEMBAR ? ".cta, .gl, .sys or .warp" : "a class such as .finite";
			i->sub = (uint8_t)v;
		} else if (i->op != HD_OP_ACTMASK && !conversion(x, i)) {
			return "the types to and from, such as .s32.f32";
		}
		break;
	default:
		break;
	}
	if (i->op == HD_OP_SHFL || i->op == HD_OP_SHFLP) {
		if (!suffix(x, hd_shfl_names, 4, &v))
			return ".up, .down, .bfly or .idx";
		i->mod = (uint8_t)v;
	} else if (info->flags & HD_OPF_RND && suffix(x, hd_round_names, 4, &v)) {
		i->mod = (uint8_t)v;
	}
	return x->at == x->end ? NULL : "no further suffix";
}

static bool expected(hd_scan *s, const char *what)
{
	hd_error(s->diag, hd_scan_pos(s), "bad operand, expected %s", what);
	return false;
}

/* The number behind a letter, at most `most`. */
static bool numbered(hd_scan *s, char letter, unsigned most, unsigned *number)
{
	hd_scan_space(s);
	const char *at = s->at;
	unsigned n = 0;
	if (s->end - at < 2 || *at != letter || at[1] < '0' || at[1] > '9')
		return false;
	for (at++; at < s->end && *at >= '0' && *at <= '9'; at++) {
		n = n * 10 + (unsigned)(*at - '0');
		if (n > most)
			return false;
	}
	s->at = at;
	*number = n;
	return true;
}

static bool parse_register(hd_scan *s, unsigned words, uint8_t *reg)
{
	unsigned n, last;
	hd_scan_space(s);
	if (hd_scan_is(s, "rz")) {
		*reg = HD_RZ;
		return true;
	}
	if (!numbered(s, 'r', HD_RZ - 1, &n))
		return expected(s, "a register: r0 to r254, or rz");
	*reg = (uint8_t)n;
	if (hd_scan_is(s, ":") && (!numbered(s, 'r', HD_RZ - 1, &last) || last != n + words - 1)) {
		hd_error(s->diag, hd_scan_pos(s), "bad last register of a range, expected r%u for %u registers", n + words - 1, words);
		return false;
	}
	return true;
}

/* A predicate, with `!` where `negated` allows it (bit 3). */
static bool parse_predicate(hd_scan *s, bool negated, unsigned *selector)
{
	unsigned n, neg = negated && hd_scan_is(s, "!") ? 8 : 0;
	if (hd_scan_is(s, "pt"))
		n = HD_PT;
	else if (!numbered(s, 'p', HD_PT - 1, &n))
		return expected(s, negated ? "a predicate: p0 to p6 or pt, perhaps with ! before it" : "a predicate: p0 to p6 or pt");
	*selector = n | neg;
	return true;
}

/* The text behind `#`: the field as a number, or, with a point, the value of a float operand. */
static bool parse_immediate(hd_scan *s, hd_inst *i)
{
	const hd_op_info *info = &hd_ops[i->op];
	const char *at = s->at;
	char copy[40];
	size_t n = 0;
	bool point = false;
	while (at < s->end && n + 1 < sizeof copy && ((*at >= '0' && *at <= '9') || *at == '.' || *at == '-' || *at == '+' || (n && *at == 'e'))) {
		point = point || *at == '.';
		copy[n++] = *at++;
	}
	copy[n] = '\0';
	if (point) {
		char *rest;
		double wide = strtod(copy, &rest);
		float narrow = (float)wide;
		uint64_t bits = 0;
		uint32_t bits32;
		memcpy(&bits32, &narrow, sizeof bits32);
		if (info->b == HD_W_D)
			memcpy(&bits, &wide, sizeof bits);
		else
			bits = bits32;
		if (*rest || !hd_imm16_fits((hd_op)i->op, bits, &i->imm))
			return expected(s, "a float that 16 bits can hold");
		s->at = at;
		return true;
	}
	int64_t value;
	if (!hd_scan_number(s, "immediate", INT16_MIN, UINT16_MAX, &value))
		return false;
	i->imm = (int16_t)(uint16_t)value;
	return true;
}

static bool parse_source(hd_scan *s, hd_inst *i, unsigned operand)
{
	uint8_t *reg = operand == 0 ? &i->a : operand == 1 ? &i->b : &i->c;
	if (hd_scan_is(s, "#")) {
		if (operand != 1 || i->ksel || !hd_op_takes_imm16((hd_op)i->op))
			return expected(s, "a register, as this operand cannot be an immediate beside what there is");
		i->ksel = 3;
		return parse_immediate(s, i);
	}
	if (hd_scan_is(s, "c[")) {
		int64_t byte;
		if (hd_ops[i->op].format == HD_F_ST)
			return expected(s, "a register, as a store has no operand in the constant bank");
		if (i->ksel)
			return expected(s, "a register, as only one operand can be an immediate or in the constant bank");
		if (!hd_scan_number(s, "constant-bank address", 0, HD_CONST_WORDS * 4 - 4, &byte) || !hd_scan_want(s, "]"))
			return false;
		if (byte % 4)
			return expected(s, "a constant-bank address that 4 divides");
		i->ksel = (uint8_t)(operand + 1);
		*reg = (uint8_t)(byte / 4);
		return true;
	}
	if (!parse_register(s, hd_operand_words(i, operand), reg))
		return false;
	if (hd_scan_is(s, ".lu"))
		i->last_use |= (uint8_t)(1u << operand);
	return true;
}

static bool parse_address(hd_scan *s, hd_inst *i, bool offset)
{
	int64_t value = 0;
	if (!hd_scan_want(s, "[") || !parse_source(s, i, 0))
		return false;
	hd_scan_space(s);
	if (offset && s->at < s->end && *s->at != ']' && !hd_scan_number(s, "offset", hd_offset_least(i), hd_offset_most(i), &value))
		return false;
	i->imm = (int32_t)value;
	return hd_scan_want(s, "]");
}

static bool comma_if(hd_scan *s, bool *first)
{
	if (*first) {
		*first = false;
		return true;
	}
	return hd_scan_want(s, ",");
}

static bool parse_plop(hd_scan *s, hd_inst *i)
{
	unsigned p[3];
	int64_t table;
	for (unsigned k = 0; k < 3; k++) {
		if (!hd_scan_want(s, ",") || !parse_predicate(s, true, &p[k]))
			return false;
	}
	if (!hd_scan_want(s, ",") || !hd_scan_number(s, "truth table", 0, 255, &table))
		return false;
	i->sub2 = (uint8_t)(p[0] | p[1] << 4);
	i->b = (uint8_t)p[2];
	i->sub = (uint8_t)table;
	return true;
}

static bool parse_sreg(hd_scan *s, hd_inst *i)
{
	const char *word;
	if (!hd_scan_want(s, ","))
		return false;
	size_t n = hd_scan_word(s, true, &word);
	for (unsigned k = 0; k < HD_SREG_COUNT; k++) {
		if (strlen(hd_sreg_names[k]) == n && memcmp(hd_sreg_names[k], word, n) == 0) {
			i->sub = (uint8_t)k;
			return true;
		}
	}
	s->at = word;
	return expected(s, "a special register such as tid.x");
}

static bool parse_target(hd_scan *s, hd_inst *i, const char **label, size_t *length)
{
	int64_t target;
	hd_scan_space(s);
	if (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
		if (!hd_scan_number(s, "target", 0, HD_MAX_CODE - 1, &target))
			return false;
		i->imm = (int32_t)target;
		return true;
	}
	*length = hd_scan_word(s, true, label);
	return *length || expected(s, "a label or a word address");
}

static bool parse_barrier(hd_scan *s, hd_inst *i)
{
	int64_t number;
	if (!hd_scan_number(s, i->op == HD_OP_SETPRIO ? "priority" : "barrier", 0, 15, &number))
		return false;
	i->a = (uint8_t)number;
	return hd_ops[i->op].format == HD_F_CBAR || !hd_scan_is(s, ",") || parse_register(s, 1, &i->b);
}

static bool parse_operands(hd_scan *s, hd_inst *i, const char **label, size_t *length)
{
	const hd_op_info *info = &hd_ops[i->op];
	const uint8_t widths[3] = {info->a, info->b, info->c};
	bool first = true;
	unsigned p;
	int64_t value;
	if (info->d == HD_W_P) {
		if (!parse_predicate(s, false, &p))
			return false;
		i->d = (uint8_t)p;
		first = false;
	} else if (info->d != HD_W_N) {
		if (!parse_register(s, hd_operand_words(i, 4), &i->d))
			return false;
		first = false;
	}
	switch ((hd_format)info->format) {
	case HD_F_LD:
		return hd_scan_want(s, ",") && parse_address(s, i, true);
	case HD_F_ST:
		return parse_address(s, i, true) && hd_scan_want(s, ",") && parse_source(s, i, 1);
	case HD_F_MOVI:
		if (!hd_scan_want(s, ",") || !hd_scan_number(s, "immediate", INT32_MIN, UINT32_MAX, &value))
			return false;
		i->imm = (int32_t)(uint32_t)value;
		return true;
	case HD_F_HINTS:
		if (!hd_scan_number(s, "distance of the first instruction", 0, 15, &value))
			return false;
		i->a = (uint8_t)value;
		if (!hd_scan_want(s, ",") || !hd_scan_number(s, "four hint bytes", INT32_MIN, UINT32_MAX, &value))
			return false;
		i->imm = (int32_t)(uint32_t)value;
		return true;
	case HD_F_BRANCH:
		return parse_target(s, i, label, length);
	case HD_F_SREG:
		return parse_sreg(s, i);
	case HD_F_BAR:
	case HD_F_CBAR:
		return parse_barrier(s, i);
	case HD_F_PLOP:
		return parse_plop(s, i);
	default:
		break;
	}
	bool atomic = info->format == HD_F_ATOM || info->format == HD_F_CAS;
	for (unsigned operand = 0; operand < 3; operand++) {
		if (widths[operand] == HD_W_N)
			continue;
		if (!comma_if(s, &first) || !(atomic && operand == 0 ? parse_address(s, i, false) : parse_source(s, i, operand)))
			return false;
	}
	if (info->format == HD_F_SEL || info->format == HD_F_VOTE) {
		if (!hd_scan_want(s, ",") || !parse_predicate(s, true, &p))
			return false;
		i->sub = (uint8_t)p;
	} else if (info->format == HD_F_CARRY) {
		unsigned out;
		if (!hd_scan_want(s, ",") || !parse_predicate(s, false, &p) || !hd_scan_want(s, ",") || !parse_predicate(s, false, &out))
			return false;
		i->sub = (uint8_t)(p | out << 3);
	}
	return true;
}

bool hd_parse_inst(hd_scan *s, hd_inst *i, const char **label, size_t *length)
{
	const char *word;
	*i = (hd_inst){.guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
	*label = NULL;
	*length = 0;
	if (hd_scan_is(s, "@")) {
		unsigned guard;
		if (!parse_predicate(s, true, &guard))
			return false;
		i->guard = guard & 7;
		i->guard_neg = (uint8_t)(guard >> 3);
	}
	size_t n = hd_scan_word(s, true, &word);
	/* Mnemonics contain points: finds the longest mnemonic that begins the word. */
	size_t length_of = n;
	hd_op op = HD_OP_COUNT;
	while (length_of > 0 && (op = hd_op_find(word, length_of)) == HD_OP_COUNT) {
		do
			length_of--;
		while (length_of > 0 && word[length_of] != '.');
	}
	if (op == HD_OP_COUNT) {
		s->at = word;
		hd_error(s->diag, hd_scan_pos(s), "unknown operation '%.*s', expected a mnemonic of the instruction set", (int)hd_min_u64(n, 60),
		         word);
		return false;
	}
	i->op = (uint8_t)op;
	suffixes x = {word + length_of, word + n};
	const char *wanted = parse_suffixes(&x, i);
	if (wanted) {
		s->at = x.at;
		hd_error(s->diag, hd_scan_pos(s), "bad suffix of %s, expected %s", hd_ops[op].mnemonic, wanted);
		return false;
	}
	return parse_operands(s, i, label, length);
}
