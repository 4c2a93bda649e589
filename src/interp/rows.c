/* Registers whose values are rows: lane i of a warp holds base + i * step, with one step for all warps of the CTA. Thread numbers, loop counters and
 * most addresses are rows, and many values are the same for all lanes (step 0). An instruction on rows is computed once for all warps of a CTA: the
 * bases are a vector with a value for each warp, on which the instruction's own code runs. Compiled once for each path (HD_PATH).
 *
 * A row is only where it is known to be one; the vectors of such a register are stale then. Whoever reads vectors has them written first (spread).
 * Sums, differences, products and shifts of 32 bits are rows modulo 2^32 always. A pair of registers is a row of 64 bits while its high word is the
 * same for all lanes: where the low word of a lane would carry into it, nothing is done here, and the instruction runs on vectors. */
#include "interp/state.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	STEP_MAX = 1 << 26, /* HD_LANES steps fit into a word */
	WARPS_LEAST = 2,    /* for one warp, its vectors cost no more */
};

INLINE bool is_row(const hd_oracle *o, uint32_t reg) { return o->row.is.bits[reg / 64] >> (reg % 64) & 1; }

INLINE void set_row(hd_oracle *o, uint32_t reg, uint32_t step)
{
	o->row.is.bits[reg / 64] |= UINT64_C(1) << (reg % 64);
	o->row.step[reg] = step;
	o->row.any = true;
}

INLINE void spread_one(hd_oracle *o, uint32_t reg)
{
	const uint32_t step = o->row.step[reg];
	for (uint32_t w = 0; w < o->n_warps; w++) {
		uint32_t *to = o->registers[(size_t)w * o->stride + reg].v, base = o->row.base[reg].v[w];
		for (uint32_t i = 0; i < HD_LANES; i++)
			to[i] = base + i * step;
	}
	o->row.is.bits[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}

static void spread(hd_oracle *o, uint32_t first, uint32_t n)
{
	for (uint32_t reg = first; reg < first + n; reg++)
		if (is_row(o, reg))
			spread_one(o, reg);
}

static void spread_all(hd_oracle *o)
{
	spread(o, 0, o->n_registers);
	o->row.any = false;
}

/* No lane of a warp carries out of the low word of a row of 64 bits, up to `most`. */
INLINE bool fits(const hd_vec32 *base, uint32_t step, uint32_t most)
{
	uint32_t bad = 0;
	if (step >= STEP_MAX)
		return false;
	most -= (HD_LANES - 1) * step;
	for (unsigned w = 0; w < HD_LANES; w++)
		bad |= base->v[w] > most ? 1 : 0;
	return !bad;
}

/* The operands of an instruction as rows. */
typedef struct operands {
	const hd_vec32 *at[3];
	uint32_t step[3];
} operands;

/* False when one of them is none. */
INLINE bool read_operands(const hd_oracle *o, const hd_oracle_op *op, operands *x)
{
	for (unsigned i = 0; i < 3; i++) {
		uint32_t reg = op->src[i];
		x->step[i] = 0;
		x->at[i] = op->fixed[i];
		if (op->fixed[i])
			continue;
		x->at[i] = o->row.base + reg;
		if (!is_row(o, reg))
			return false;
		x->step[i] = o->row.step[reg];
		if (op->words[i] == 2 && (!is_row(o, reg + 1) || o->row.step[reg + 1] || (x->step[i] && !fits(x->at[i], x->step[i], UINT32_MAX))))
			return false;
	}
	return true;
}

/* The steps of the result where lanes differ. False: it is no row. */
INLINE bool step_of(const hd_oracle_op *op, const operands *x, uint32_t *step)
{
	const uint32_t *s = x->step;
	switch (op->inst->op) {
	case HD_OP_MOV:
	case HD_OP_MOV64:
		*step = s[0];
		return true;
	case HD_OP_IADD:
	case HD_OP_IADD64:
		*step = s[0] + s[1];
		return true;
	case HD_OP_ISUB:
		*step = s[0] - s[1];
		return true;
	case HD_OP_IMUL:
	case HD_OP_IMAD:
		*step = s[0] * x->at[1]->v[0] + s[2];
		return op->fixed[1];
	case HD_OP_IMULWS:
	case HD_OP_IMULWU:
	case HD_OP_IMADWS:
	case HD_OP_IMADWU: /* no operand is negative here, and no product is cut */
		*step = s[0] * x->at[1]->v[0] + s[2];
		return op->fixed[1] && x->at[1]->v[0] < STEP_MAX && s[0] < STEP_MAX / hd_max_u32(x->at[1]->v[0], 1) && s[2] < STEP_MAX &&
		       fits(x->at[0], s[0], INT32_MAX);
	case HD_OP_SHL:
	case HD_OP_SHL64:
		*step = x->at[1]->v[0] < 32 ? s[0] << x->at[1]->v[0] : 0;
		return op->fixed[1] && x->at[1]->v[0] < 32 && *step >> x->at[1]->v[0] == s[0];
	case HD_OP_SHRS: /* the sign */
		*step = 0;
		return op->fixed[1] && x->at[1]->v[0] >= 31 && fits(x->at[0], s[0], INT32_MAX);
	default:
		return false;
	}
}

INLINE void write_predicates(const hd_oracle_op *op, const hd_oracle *o, const hd_oracle_list *list, uint32_t bits)
{
	for (uint32_t k = 0; k < list->n; k++) {
		uint32_t *p = &list->predicates[k][op->dpred], w = (uint32_t)(list->warp[k] - o->warps);
		*p = (*p & ~list->mask[k]) | ((bits >> w & 1 ? UINT32_MAX : 0) & list->mask[k]);
	}
}

static bool compute(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list)
{
	operands x;
	hd_sem_out out;
	uint32_t step = 0;
	if (!op->dwords && op->dpred == HD_PT)
		return false;
	if (!read_operands(o, op, &x) || ((x.step[0] | x.step[1] | x.step[2]) && !step_of(op, &x, &step)))
		return false;
	hd_sem_in in = {.a = x.at[0], .b = x.at[1], .c = x.at[2], .mask = UINT32_MAX};
	op->alone(op->inst, &in, &out);
	if (op->dwords == 2 && step && !fits(&out.r[0], step, UINT32_MAX))
		return false;
	for (uint32_t i = 0; i < op->dwords; i++) {
		o->row.base[op->dst + i] = out.r[i];
		set_row(o, op->dst + i, i == 0 ? step : 0);
	}
	if (!op->dwords)
		write_predicates(op, o, list, out.p);
	return true;
}

/* Coordinates of threads, where they are rows, and of the CTA. */
static bool special(hd_oracle *o, const hd_oracle_op *op)
{
	const uint32_t *block = o->launch->block, lanes = hd_launch_lanes(o->launch);
	hd_sreg which = (hd_sreg)op->inst->sub;
	hd_vec32 *base = o->row.base + op->dst;
	if (!op->dwords)
		return false;
	if (which >= HD_SREG_CTAIDX && which <= HD_SREG_CTAIDZ) {
		for (uint32_t w = 0; w < HD_LANES; w++)
			base->v[w] = o->cta[which - HD_SREG_CTAIDX];
		set_row(o, op->dst, 0);
		return true;
	}
	if (which < HD_SREG_TIDX || which > HD_SREG_TIDZ || (block[0] % lanes && (block[1] > 1 || block[2] > 1)))
		return false;
	for (uint32_t w = 0; w < HD_LANES; w++) {
		uint32_t thread = (w < o->n_warps ? w : 0) * lanes;
		base->v[w] = which == HD_SREG_TIDX   ? thread % block[0]
		             : which == HD_SREG_TIDY ? thread / block[0] % block[1]
		                                     : thread / block[0] / block[1];
	}
	set_row(o, op->dst, which == HD_SREG_TIDX ? 1 : 0);
	return true;
}

/* A load or store of rows of memory, or of one value for all lanes. */
static bool memory(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list)
{
	const uint32_t reg = op->src[0], bytes = hd_size_bytes(op->inst->sub);
	const bool wide = op->words[0] == 2, stores = hd_ops[op->inst->op].format == HD_F_ST;
	uint64_t address[HD_ORACLE_WARPS];
	if (op->fixed[0] || !is_row(o, reg) || op->block == HD_ORACLE_BLOCK_NONE || op->block == HD_ORACLE_BLOCK_LOCAL)
		return false;
	const uint32_t step = o->row.step[reg], *low = o->row.base[reg].v, *high = o->row.base[reg + 1].v;
	if ((step && step != bytes) || (wide && (!is_row(o, reg + 1) || o->row.step[reg + 1])) || !fits(&o->row.base[reg], step, UINT32_MAX))
		return false;
	for (uint32_t k = 0; k < list->n; k++) {
		uint32_t w = (uint32_t)(list->warp[k] - o->warps), displacement = (uint32_t)op->inst->imm;
		address[k] = wide ? (low[w] | (uint64_t)high[w] << 32) + (uint64_t)(int64_t)op->inst->imm : (uint32_t)(low[w] + displacement);
		if (!wide && (uint32_t)address[k] > UINT32_MAX - HD_LANES * step)
			return false;
	}
	if (stores) /* the values may be rows, too */
		spread(o, op->fixed[1] ? 0 : op->src[1], op->fixed[1] ? 0 : op->words[1]);
	hd_vec32 loaded[4];
	bool as_row = !stores && !step;
	if (!o->path->rows(o, op, list, address, step, as_row ? loaded : NULL))
		return false;
	for (uint32_t i = 0; i < op->dwords; i++) {
		if (as_row) {
			for (uint32_t k = 0; k < list->n; k++)
				o->row.base[op->dst + i].v[list->warp[k] - o->warps] = loaded[i].v[k];
			set_row(o, op->dst + i, 0);
		} else {
			o->row.is.bits[(op->dst + i) / 64] &= ~(UINT64_C(1) << ((op->dst + i) % 64));
		}
	}
	return true;
}

/* Makes what the instruction reads, or writes a part of, vectors. */
static void prepare(hd_oracle *o, const hd_oracle_op *op, bool whole)
{
	for (unsigned i = 0; i < 3; i++)
		if (!op->fixed[i])
			spread(o, op->src[i], op->words[i]);
	if (!whole)
		spread(o, op->dst, op->dwords);
	for (uint32_t i = 0; i < op->dwords; i++)
		o->row.is.bits[(op->dst + i) / 64] &= ~(UINT64_C(1) << ((op->dst + i) % 64));
}

/* `whole`: the list has all warps that have not ended, with all their lanes. `full`: these are HD_LANES each. */
static bool execute(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, bool whole, bool full)
{
	bool done = false;
	if (whole && list->n >= WARPS_LEAST) {
		if (op->kind == HD_ORACLE_PURE)
			done = op->alone && compute(o, op, list);
		else if (op->kind == HD_ORACLE_SREG)
			done = special(o, op);
		else if (op->kind == HD_ORACLE_MEMORY && full)
			done = memory(o, op, list);
	}
	if (!done)
		prepare(o, op, whole);
	return done;
}

const hd_oracle_path HD_ORACLE_PATH(path) = {HD_ORACLE_PATH(access_block), HD_ORACLE_PATH(access_rows), execute, spread_all};
