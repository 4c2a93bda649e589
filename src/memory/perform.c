#include "memory/perform.h"

#include "launch/live.h"

static unsigned words_of(unsigned size) { return hd_max_u32(hd_size_bytes(size) / 4, 1); }

static uint64_t operand(const hd_vec32 *from, unsigned lane, bool two) { return from[0].v[lane] | (two ? (uint64_t)from[1].v[lane] << 32 : 0); }

static inline void load_words(const hd_work *work, unsigned words)
{
	for (uint32_t rest = work->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		for (unsigned w = 0; w < words; w++)
			work->result->data[w].v[lane] = hd_load_word(work->at[lane] + 4 * w);
	}
}

static inline void store_words(const hd_work *work, unsigned words)
{
	for (uint32_t rest = work->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		for (unsigned w = 0; w < words; w++)
			hd_store_word(work->at[lane] + 4 * w, work->access->data[w].v[lane]);
	}
}

/* Loads and stores whole words, as most accesses do, and mostly one. */
static void move_words(const hd_work *work, unsigned words)
{
	bool store = work->kind == HD_ACCESS_STORE;
	if (words > 1)
		store ? store_words(work, words) : load_words(work, words);
	else if (work->mask != ~0u)
		store ? store_words(work, 1) : load_words(work, 1);
	else if (store)
		work->lanes->store(work->access->data, work->at);
	else
		work->lanes->load(work->result->data, work->at);
}

void hd_perform_lane(const hd_work *work, unsigned lane, uint8_t *at, uint32_t word[4])
{
	const hd_access *access = work->access;
	const hd_access_op *op = access->op;
	unsigned words = words_of(work->size);
	if (work->kind == HD_ACCESS_STORE) {
		for (unsigned w = 0; w < words; w++)
			word[w] = access->data[w].v[lane];
		hd_store_lane(at, work->size, word);
		return;
	}
	hd_load_lane(at, work->size, word);
	if (work->kind == HD_ACCESS_LOAD)
		return;
	bool two = words == 2;
	uint64_t old = word[0] | (two ? (uint64_t)word[1] << 32 : 0), b = operand(access->data, lane, two), value;
	if (work->kind == HD_ACCESS_CAS) {
		if (work->size == HD_SIZE_U16)
			b &= 0xffff;
		value = old == b ? operand(access->swap, lane, two) : old;
	} else {
		uint64_t place = op->space == HD_SPACE_NONE ? operand(access->address, lane, true) + (uint64_t)(int64_t)op->offset : 0;
		value = hd_sem_atomic((hd_atom_op)op->atom, (hd_atom_type)op->type, hd_is_global(op, place), old, b);
	}
	uint32_t fresh[4] = {(uint32_t)value, (uint32_t)(value >> 32)};
	hd_store_lane(at, work->size, fresh);
}

void hd_perform(const hd_work *work)
{
	unsigned words = words_of(work->size);
	if (work->size >= HD_SIZE_32 && (work->kind == HD_ACCESS_LOAD || work->kind == HD_ACCESS_STORE)) {
		move_words(work, words);
		return;
	}
	for (uint32_t rest = work->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4] = {0};
		hd_perform_lane(work, lane, work->at[lane], word);
		for (unsigned w = 0; work->kind != HD_ACCESS_STORE && w < words; w++)
			work->result->data[w].v[lane] = word[w];
	}
}

static void perform_live(const hd_work *work)
{
	const hd_access *access = work->access;
	unsigned words = words_of(work->size);
	bool two = words == 2;
	for (uint32_t rest = work->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t data[4] = {0}, word[4] = {0};
		for (unsigned w = 0; work->kind == HD_ACCESS_STORE && w < words; w++)
			data[w] = access->data[w].v[lane];
		hd_live_access live = {.op = access->op, .data = data};
		if (work->kind == HD_ACCESS_ATOMIC || work->kind == HD_ACCESS_CAS)
			live.b = operand(access->data, lane, two);
		if (work->kind == HD_ACCESS_CAS)
			live.c = operand(access->swap, lane, two);
		hd_live_perform(&live, work->at[lane], word);
		for (unsigned w = 0; work->kind != HD_ACCESS_STORE && w < words; w++)
			work->result->data[w].v[lane] = word[w];
	}
}

void hd_perform_watched(const hd_work *work, hd_watch *watch, uint64_t now)
{
	uint8_t before[HD_LANES][16];
	unsigned bytes = hd_size_bytes(work->size);
	if (work->live) {
		perform_live(work);
		if (watch)
			hd_watch_progress(watch, now);
		return;
	}
	if (!watch || !watch->on || work->kind == HD_ACCESS_LOAD) {
		hd_perform(work);
		return;
	}
	for (uint32_t rest = work->mask; rest; rest &= rest - 1)
		memcpy(before[hd_lowest_bit(rest)], work->at[hd_lowest_bit(rest)], bytes);
	hd_perform(work);
	for (uint32_t rest = work->mask; rest; rest &= rest - 1)
		if (memcmp(before[hd_lowest_bit(rest)], work->at[hd_lowest_bit(rest)], bytes) != 0)
			hd_watch_progress(watch, now);
}

void hd_perform_loads(const hd_access *access, hd_access_result *result, unsigned size, uint32_t mask, const uint8_t *sector)
{
	unsigned words = words_of(size);
	for (; mask; mask &= mask - 1) {
		unsigned lane = hd_lowest_bit(mask);
		const uint8_t *at = sector + hd_place_in_sector(access, lane);
		if (size >= HD_SIZE_32) {
			for (unsigned w = 0; w < words; w++)
				result->data[w].v[lane] = hd_load_word(at + 4 * w);
		} else {
			uint32_t word[4] = {0};
			hd_load_lane(at, size, word);
			result->data[0].v[lane] = word[0];
		}
	}
}
