/* Memory instructions of 32-bit words whose lanes all lie in one piece of memory, as nearly all do: the lanes are looked at together, by loops
 * without branches, which compilers vectorise. Compiled once for each path (HD_PATH). Every other instruction, and every fault, is left to access.c.
 */
#include "interp/state.h"

/* Words of the lanes in a piece of memory. */
typedef struct block {
	uint8_t *bytes;               /* of the word with the offset 0 */
	_Alignas(64) hd_vec32 offset; /* bytes; 0 outside the mask */
	bool row;                     /* each lane's word follows that of the lane before, from the first lane of the mask on */
	bool same;                    /* all lanes have one word */
} block;

/* Finds the pattern of the offsets. False when a lane's word is not aligned or does not lie whole in `size` bytes. */
static bool look_at(block *b, const hd_vec32 *set, unsigned first, uint64_t size)
{
	uint32_t last = (uint32_t)hd_min_u64(size - 4, UINT32_MAX), begin = b->offset.v[first];
	uint32_t bad = 0, steps = 0, different = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint32_t offset = b->offset.v[lane] & set->v[lane];
		bad |= offset > last;
		bad |= offset & 3;
		different |= (offset ^ begin) & set->v[lane];
		steps |= (offset - begin - 4 * (lane - first)) & set->v[lane];
		b->offset.v[lane] = offset;
	}
	b->row = !steps;
	b->same = !different;
	return !bad;
}

/* The piece of global memory that holds the first lane's word. */
static bool look_at_global(hd_oracle *o, block *b, const hd_vec32 *a, const hd_vec32 *set, unsigned first, uint64_t displacement)
{
	uint64_t base = 0, size = 0, address = (a[0].v[first] | (uint64_t)a[1].v[first] << 32) + displacement;
	uint32_t high = 0;
	b->bytes = hd_memory_find_with(o->memory, &o->hits, address, &base, &size);
	if (!b->bytes || size < 4)
		return false;
	displacement -= base;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t offset = (a[0].v[lane] | (uint64_t)a[1].v[lane] << 32) + displacement;
		b->offset.v[lane] = (uint32_t)offset;
		high |= (uint32_t)(offset >> 32) & set->v[lane];
	}
	return !high && look_at(b, set, first, size);
}

static bool look_at_shared(hd_oracle *o, block *b, const hd_vec32 *a, const hd_vec32 *set, unsigned first, uint32_t displacement)
{
	b->bytes = o->shared;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		b->offset.v[lane] = a->v[lane] + displacement;
	return o->shared_bytes >= 4 && look_at(b, set, first, o->shared_bytes);
}

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;
	memcpy(&word, bytes, sizeof word);
	return word;
}

static void load(const block *b, const hd_vec32 *set, uint32_t mask, unsigned first, hd_vec32 *to)
{
	hd_vec32 words;
	if (b->row && mask == UINT32_MAX) {
		memcpy(to->v, b->bytes + b->offset.v[0], sizeof to->v);
		return;
	}
	if (b->same) {
		uint32_t word = word_at(b->bytes + b->offset.v[first]);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			words.v[lane] = word;
	} else {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			words.v[lane] = word_at(b->bytes + b->offset.v[lane]);
	}
	hd_oracle_merge(to, &words, set);
}

static void store(const block *b, uint32_t mask, const hd_vec32 *from)
{
	if (b->row && mask == UINT32_MAX) {
		memcpy(b->bytes + b->offset.v[0], from->v, sizeof from->v);
		return;
	}
	/* Of several lanes with one word the last counts. */
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		memcpy(b->bytes + b->offset.v[lane], &from->v[lane], sizeof from->v[lane]);
	}
}

bool HD_ORACLE_PATH(access_block)(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask)
{
	block b;
	hd_vec32 set;
	unsigned first = hd_lowest_bit(mask);
	const hd_vec32 *a = hd_oracle_source(op, w, 0);
	bool global = op->block == HD_ORACLE_BLOCK_GLOBAL_LOAD || op->block == HD_ORACLE_BLOCK_GLOBAL_STORE;
	bool stores = op->block == HD_ORACLE_BLOCK_GLOBAL_STORE || op->block == HD_ORACLE_BLOCK_SHARED_STORE;
	if (stores && o->watching)
		return false;
	hd_oracle_spread(mask, &set);
	if (global ? !look_at_global(o, &b, a, &set, first, (uint64_t)(int64_t)op->inst->imm)
	           : !look_at_shared(o, &b, a, &set, first, (uint32_t)op->inst->imm))
		return false;
	o->stats->memory_global_loads += op->block == HD_ORACLE_BLOCK_GLOBAL_LOAD;
	o->stats->memory_global_stores += op->block == HD_ORACLE_BLOCK_GLOBAL_STORE;
	o->stats->memory_shared_accesses += !global;
	if (stores)
		store(&b, mask, hd_oracle_source(op, w, 1));
	else
		load(&b, &set, mask, first, w->registers + op->dst);
	return true;
}
