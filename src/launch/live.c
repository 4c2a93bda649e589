#include "launch/live.h"

#include <stdatomic.h>

/* The bits at a place of 1, 2, 4 or 8 bytes. */
static uint64_t load(void *at, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return atomic_load((_Atomic uint8_t *)at);
	case 2:
		return atomic_load((_Atomic uint16_t *)at);
	case 4:
		return atomic_load((_Atomic uint32_t *)at);
	default:
		return atomic_load((_Atomic uint64_t *)at);
	}
}

static void store(void *at, unsigned bytes, uint64_t value)
{
	switch (bytes) {
	case 1:
		atomic_store((_Atomic uint8_t *)at, (uint8_t)value);
		break;
	case 2:
		atomic_store((_Atomic uint16_t *)at, (uint16_t)value);
		break;
	case 4:
		atomic_store((_Atomic uint32_t *)at, (uint32_t)value);
		break;
	default:
		atomic_store((_Atomic uint64_t *)at, value);
	}
}

/* Of 2, 4 or 8 bytes. False, and what is there in *old, if it was not *old. */
static bool swap(void *at, unsigned bytes, uint64_t *old, uint64_t value)
{
	uint16_t half = (uint16_t)*old;
	uint32_t word = (uint32_t)*old;
	bool done;
	switch (bytes) {
	case 2:
		done = atomic_compare_exchange_strong((_Atomic uint16_t *)at, &half, (uint16_t)value);
		*old = half;
		return done;
	case 4:
		done = atomic_compare_exchange_strong((_Atomic uint32_t *)at, &word, (uint32_t)value);
		*old = word;
		return done;
	default:
		return atomic_compare_exchange_strong((_Atomic uint64_t *)at, old, value);
	}
}

static uint64_t changed(const hd_live_access *access, uint64_t old)
{
	return hd_sem_atomic((hd_atom_op)access->op->atom, (hd_atom_type)access->op->type, true, old, access->b);
}

static uint64_t change(const hd_live_access *access, void *at, unsigned bytes)
{
	uint64_t old = load(at, bytes);
	if (access->op->kind == HD_ACCESS_CAS) {
		old = access->op->size == HD_SIZE_U16 ? access->b & 0xffff : access->b;
		swap(at, bytes, &old, access->c);
		return old;
	}
	while (!swap(at, bytes, &old, changed(access, old)))
		;
	return old;
}

void hd_live_perform(const hd_live_access *access, void *at, uint32_t out[4])
{
	unsigned bytes = hd_size_bytes(access->op->size), piece = bytes < 8 ? bytes : 8;
	for (unsigned i = 0; i < bytes; i += piece) {
		uint8_t *place = (uint8_t *)at + i, raw[8];
		const uint32_t *data = access->data ? access->data + i / 4 : NULL;
		uint64_t value = data ? data[0] | (piece == 8 ? (uint64_t)data[1] << 32 : 0) : 0;
		if (access->op->kind == HD_ACCESS_STORE) {
			store(place, piece, value);
			continue;
		}
		value = access->op->kind == HD_ACCESS_LOAD ? load(place, piece) : change(access, place, piece);
		for (unsigned k = 0; k < 8; k++)
			raw[k] = (uint8_t)(value >> (8 * k));
		if (piece == 8) {
			out[i / 4] = hd_load_word(raw);
			out[i / 4 + 1] = hd_load_word(raw + 4);
		} else {
			hd_load_lane(raw, access->op->size, out); /* extends as the size says */
		}
	}
}
