/* Loads and stores of a team whose lanes all lie in one piece of memory, as nearly all do. The lanes are looked at in halves of a warp: a half that
 * is a row (each lane's value follows that of the lane before) or one value for all lanes is moved as a whole, any other lane by lane. Compiled once
 * for each path (HD_PATH). Every other instruction, and every fault, is left to access.c.
 *
 * Nothing is read or written but the bytes of lanes of the mask: other threads of the host may use those next to them. */
#include "interp/state.h"

#define INLINE static inline __attribute__((always_inline))

enum { HALF = HD_LANES / 2, HALF_MASK = (1 << HALF) - 1 };

/* Where the instruction accesses memory. */
typedef struct piece {
	uint64_t base, size; /* addresses: of the first byte; number of bytes */
	uint8_t *bytes;
	uint32_t stride; /* bytes from the piece of a lane to that of the next one (local memory) */
} piece;

typedef enum half_kind { HALF_NONE, HALF_ROW, HALF_SAME, HALF_ANY } half_kind;

/* How the lanes of a warp lie in the piece. */
typedef struct look {
	half_kind kind[2];
	uint64_t first[2]; /* bytes from the piece's begin to the value of a row's first lane, or to the value of all lanes */
	hd_vec32 offset;   /* of each lane, where the kind is HALF_ANY and the lane is in the mask */
} look;

/* The address operand of a warp; `high` is NULL for addresses of 32 bits. */
typedef struct operand {
	const uint32_t *low, *high;
	uint64_t displacement;
} operand;

INLINE uint64_t address_of(const operand *x, unsigned lane)
{
	return x->high ? (x->low[lane] | (uint64_t)x->high[lane] << 32) + x->displacement : (uint32_t)(x->low[lane] + (uint32_t)x->displacement);
}

/* True when `bytes` bytes from the address on are in the piece. Their offset is *offset. */
INLINE bool inside(const piece *p, uint64_t address, uint64_t bytes, uint64_t *offset)
{
	*offset = address - p->base;
	return *offset < p->size && bytes <= p->size - *offset;
}

/* One half whose lanes are all in the mask: finds out whether it is a row, or one value. Its first two lanes say which of them it can be. */
INLINE half_kind pattern(const operand *x, unsigned from, uint32_t bytes)
{
	const uint32_t *low = x->low + from, *high = x->high ? x->high + from : NULL;
	uint32_t begin = low[0], step = low[1] - begin, strange = 0;
	if (step != 0 && step != bytes)
		return HALF_ANY;
	for (uint32_t i = 0; i < HALF; i++)
		strange |= (low[i] - begin - i * step) | (high ? high[i] ^ high[0] : 0);
	/* A row whose low words wrap has lanes 2^32 bytes apart. */
	uint32_t first = high ? begin : begin + (uint32_t)x->displacement;
	if (strange || first > UINT32_MAX - HALF * step)
		return HALF_ANY;
	return step ? HALF_ROW : HALF_SAME;
}

/* The lanes `mask` of one half, one by one. False when one of them is outside or not aligned. */
INLINE bool look_at_lanes(const piece *p, const operand *x, uint32_t mask, unsigned from, uint32_t bytes, look *l)
{
	uint64_t last = hd_min_u64(p->size - bytes, UINT32_MAX), bad = 0;
	for (unsigned i = from; i < from + HALF; i++) {
		uint64_t address = address_of(x, i), offset = address - p->base, set = 0 - (uint64_t)(mask >> i & 1);
		bad |= ((offset > last ? 1 : 0) | (address & (bytes - 1))) & set;
		l->offset.v[i] = (uint32_t)offset;
	}
	return !bad;
}

INLINE bool look_at(const piece *p, const operand *x, uint32_t mask, uint32_t bytes, look *l)
{
	for (unsigned h = 0; h < 2; h++) {
		uint32_t lanes = mask >> (HALF * h) & HALF_MASK;
		l->first[h] = 0;
		l->kind[h] = lanes == HALF_MASK && !p->stride ? pattern(x, HALF * h, bytes) : lanes ? HALF_ANY : HALF_NONE;
		if (l->kind[h] == HALF_NONE)
			continue;
		if (l->kind[h] == HALF_ANY) {
			if (p->size < bytes || !look_at_lanes(p, x, mask, HALF * h, bytes, l))
				return false;
			continue;
		}
		uint64_t address = address_of(x, HALF * h);
		if (address & (bytes - 1) || !inside(p, address, l->kind[h] == HALF_ROW ? HALF * bytes : bytes, &l->first[h]))
			return false;
	}
	return true;
}

/* Word k of a value in memory, extended. Hosts are little-endian here. */
INLINE uint32_t word_at(const uint8_t *at, unsigned size, unsigned k)
{
	uint16_t half;
	uint32_t word;
	switch (size) {
	case HD_SIZE_U8:
		return at[0];
	case HD_SIZE_S8:
		return (uint32_t)(int32_t)(int8_t)at[0];
	case HD_SIZE_U16:
		memcpy(&half, at, sizeof half);
		return half;
	case HD_SIZE_S16:
		memcpy(&half, at, sizeof half);
		return (uint32_t)(int32_t)(int16_t)half;
	default:
		memcpy(&word, at + 4 * k, sizeof word);
		return word;
	}
}

INLINE void put_word(uint8_t *at, unsigned size, unsigned k, uint32_t word)
{
	uint16_t half = (uint16_t)word;
	switch (size) {
	case HD_SIZE_U8:
	case HD_SIZE_S8:
		at[0] = (uint8_t)word;
		break;
	case HD_SIZE_U16:
	case HD_SIZE_S16:
		memcpy(at, &half, sizeof half);
		break;
	default:
		memcpy(at + 4 * k, &word, sizeof word);
		break;
	}
}

INLINE void load(const piece *p, const look *l, uint32_t mask, unsigned size, hd_vec32 *to)
{
	const unsigned bytes = hd_size_bytes(size), words = bytes < 4 ? 1 : bytes / 4;
	for (unsigned h = 0; h < 2; h++) {
		const uint8_t *first = p->bytes + l->first[h];
		if (l->kind[h] == HALF_ROW) {
			for (unsigned k = 0; k < words; k++) {
				uint32_t *d = to[k].v + HALF * h;
				for (unsigned i = 0; i < HALF; i++)
					d[i] = word_at(first + i * bytes, size, k);
			}
		} else if (l->kind[h] == HALF_SAME) {
			for (unsigned k = 0; k < words; k++) {
				uint32_t word = word_at(first, size, k), *d = to[k].v + HALF * h;
				for (unsigned i = 0; i < HALF; i++)
					d[i] = word;
			}
		} else if ((mask >> (HALF * h) & HALF_MASK) == HALF_MASK) {
			for (unsigned lane = HALF * h; lane < HALF * h + HALF; lane++)
				for (unsigned k = 0; k < words; k++)
					to[k].v[lane] = word_at(p->bytes + (size_t)lane * p->stride + l->offset.v[lane], size, k);
		} else {
			for (uint32_t rest = mask & (uint32_t)HALF_MASK << (HALF * h); rest; rest &= rest - 1) {
				unsigned lane = hd_lowest_bit(rest);
				const uint8_t *at = p->bytes + (size_t)lane * p->stride + l->offset.v[lane];
				for (unsigned k = 0; k < words; k++)
					to[k].v[lane] = word_at(at, size, k);
			}
		}
	}
}

INLINE void store(const piece *p, const look *l, uint32_t mask, unsigned size, const hd_vec32 *from)
{
	const unsigned bytes = hd_size_bytes(size), words = bytes < 4 ? 1 : bytes / 4;
	for (unsigned h = 0; h < 2; h++) {
		uint8_t *first = p->bytes + l->first[h];
		if (l->kind[h] == HALF_ROW) {
			for (unsigned i = 0; i < HALF; i++)
				for (unsigned k = 0; k < words; k++)
					put_word(first + i * bytes, size, k, from[k].v[HALF * h + i]);
		} else if (l->kind[h] == HALF_SAME) { /* the last lane counts */
			for (unsigned k = 0; k < words; k++)
				put_word(first, size, k, from[k].v[HALF * h + HALF - 1]);
		} else {
			for (uint32_t rest = mask & (uint32_t)HALF_MASK << (HALF * h); rest; rest &= rest - 1) {
				unsigned lane = hd_lowest_bit(rest);
				uint8_t *at = p->bytes + (size_t)lane * p->stride + l->offset.v[lane];
				for (unsigned k = 0; k < words; k++)
					put_word(at, size, k, from[k].v[lane]);
			}
		}
	}
}

/* The piece that holds the first lane's value. False: there is none. */
INLINE bool find_piece(hd_oracle *o, const hd_oracle_warp *w, const hd_oracle_op *op, piece *p, uint64_t address)
{
	uint32_t local = o->launch->kernel->local_bytes;
	switch (op->block) {
	case HD_ORACLE_BLOCK_SHARED:
		*p = (piece){.size = o->shared_bytes, .bytes = o->shared};
		return true;
	case HD_ORACLE_BLOCK_LOCAL:
		*p = (piece){.size = local, .bytes = w->local, .stride = local};
		return local != 0;
	case HD_ORACLE_BLOCK_BANK:
		*p = (piece){.size = o->bank->bytes, .bytes = o->bank->raw};
		return true;
	default:
		if (p->bytes && address - p->base < p->size)
			return true; /* that of the warp before */
		p->bytes = hd_memory_find_with(o->memory, &o->hits, address, &p->base, &p->size);
		return p->bytes != NULL;
	}
}

static void count(hd_stats *stats, const hd_oracle_op *op, bool stores, uint32_t n)
{
	switch (op->block) {
	case HD_ORACLE_BLOCK_GLOBAL:
		stats->memory_global_loads += stores ? 0 : n;
		stats->memory_global_stores += stores ? n : 0;
		break;
	case HD_ORACLE_BLOCK_SHARED:
		stats->memory_shared_accesses += n;
		break;
	case HD_ORACLE_BLOCK_LOCAL:
		stats->memory_local_accesses += n;
		break;
	default:
		stats->memory_constant_accesses += n;
		break;
	}
}

/* The warps of the list from `k` on, until one is left to access.c. Returns the number of that one. `size` and `wide` are constants here. */
INLINE uint32_t access_all(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, uint32_t k, unsigned size, bool wide)
{
	const bool stores = hd_ops[op->inst->op].format == HD_F_ST;
	const hd_vec32 *fixed = op->fixed[0];
	piece p = {0};
	for (; k < list->n; k++) {
		hd_oracle_warp *w = list->warp[k];
		uint32_t mask = list->mask[k];
		const hd_vec32 *a = fixed ? fixed : w->registers + op->src[0];
		operand x = {.low = a[0].v, .high = wide ? a[1].v : NULL, .displacement = (uint64_t)(int64_t)op->inst->imm};
		look l;
		if (!find_piece(o, w, op, &p, address_of(&x, hd_lowest_bit(mask))) || !look_at(&p, &x, mask, hd_size_bytes(size), &l))
			break;
		if (stores)
			store(&p, &l, mask, size, op->fixed[1] ? op->fixed[1] : w->registers + op->src[1]);
		else
			load(&p, &l, mask, size, w->registers + op->dst);
	}
	return k;
}

uint32_t HD_ORACLE_PATH(access_block)(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, uint32_t first)
{
	const bool stores = hd_ops[op->inst->op].format == HD_F_ST;
	uint32_t k = first;
	if ((stores && o->watching) || (o->beside && hd_oracle_is_strong(op->access)))
		return first;
	bool wide = op->block == HD_ORACLE_BLOCK_GLOBAL || op->block == HD_ORACLE_BLOCK_GLOBAL_CONSTANT;
	switch (op->inst->sub | (wide ? 8 : 0)) {
#define SIZE(size)                                               \
	case size:                                               \
		k = access_all(o, op, list, first, size, false); \
		break;                                           \
	case (size) | 8:                                         \
		k = access_all(o, op, list, first, size, true);  \
		break;
		SIZE(HD_SIZE_U8)
		SIZE(HD_SIZE_S8)
		SIZE(HD_SIZE_U16)
		SIZE(HD_SIZE_S16)
		SIZE(HD_SIZE_32)
		SIZE(HD_SIZE_64)
		SIZE(HD_SIZE_128)
#undef SIZE
	default:
		break;
	}
	count(o->stats, op, stores, k - first);
	return k;
}

/* The whole row of each warp in one move. `size` is a constant here. */
INLINE bool access_rows(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, const uint64_t *address, uint32_t step, unsigned size,
                        hd_vec32 *loaded)
{
	const bool stores = hd_ops[op->inst->op].format == HD_F_ST;
	const unsigned bytes = hd_size_bytes(size), words = bytes < 4 ? 1 : bytes / 4;
	uint8_t *at[HD_ORACLE_WARPS];
	piece p = {0};
	for (uint32_t k = 0; k < list->n; k++) {
		uint64_t offset;
		if (!find_piece(o, list->warp[k], op, &p, address[k]) || address[k] & (bytes - 1) ||
		    !inside(&p, address[k], step ? HD_LANES * bytes : bytes, &offset))
			return false;
		at[k] = p.bytes + offset;
	}
	for (uint32_t k = 0; k < list->n; k++) {
		hd_oracle_warp *w = list->warp[k];
		look l = {.kind = {step ? HALF_ROW : HALF_SAME, step ? HALF_ROW : HALF_SAME}, .first = {0, (uint64_t)HALF * step}};
		piece own = {.bytes = at[k]};
		if (loaded)
			for (unsigned j = 0; j < words; j++)
				loaded[j].v[k] = word_at(at[k], size, j);
		else if (stores)
			store(&own, &l, UINT32_MAX, size, op->fixed[1] ? op->fixed[1] : w->registers + op->src[1]);
		else
			load(&own, &l, UINT32_MAX, size, w->registers + op->dst);
	}
	count(o->stats, op, stores, list->n);
	return true;
}

bool HD_ORACLE_PATH(access_rows)(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, const uint64_t *address, uint32_t step,
                                 hd_vec32 *loaded)
{
	if ((hd_ops[op->inst->op].format == HD_F_ST && o->watching) || (o->beside && hd_oracle_is_strong(op->access)))
		return false;
	switch (op->inst->sub) {
#define SIZE(size) \
	case size: \
		return access_rows(o, op, list, address, step, size, loaded);
		SIZE(HD_SIZE_U8)
		SIZE(HD_SIZE_S8)
		SIZE(HD_SIZE_U16)
		SIZE(HD_SIZE_S16)
		SIZE(HD_SIZE_32)
		SIZE(HD_SIZE_64)
		SIZE(HD_SIZE_128)
#undef SIZE
	default:
		return false;
	}
}
