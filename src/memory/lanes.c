#include "memory/lanes.h"

#include "launch/launch.h"

enum { SECTOR_SHIFT = 5, WORD_SHIFT = 2 };

/* So that the host compiler vectorises loops that gather bits. */
#define BITS_OF_4(lane) UINT64_C(1) << (lane), UINT64_C(2) << (lane), UINT64_C(4) << (lane), UINT64_C(8) << (lane)
static const uint64_t lane_bit[HD_LANES] = {BITS_OF_4(0),  BITS_OF_4(4),  BITS_OF_4(8),  BITS_OF_4(12),
                                            BITS_OF_4(16), BITS_OF_4(20), BITS_OF_4(24), BITS_OF_4(28)};

static void wide(uint64_t to[HD_LANES], const hd_vec32 from[2], uint64_t offset)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		to[lane] = (from[0].v[lane] | (uint64_t)from[1].v[lane] << 32) + offset;
}

static void narrow(uint64_t to[HD_LANES], const hd_vec32 *from, uint32_t offset)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		to[lane] = (uint32_t)(from->v[lane] + offset);
}

static void repeat(uint64_t address[HD_LANES], uint32_t mask)
{
	uint64_t first = address[hd_lowest_bit(mask)];
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = mask & lane_bit[lane] ? address[lane] : first;
}

static hd_span span(const uint64_t address[HD_LANES])
{
	uint64_t least = UINT64_MAX, most = 0, bits = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		bits |= address[lane];
		least = address[lane] < least ? address[lane] : least;
		most = address[lane] > most ? address[lane] : most;
	}
	return (hd_span){least, most, bits};
}

static void places(uint8_t *at[HD_LANES], const uint64_t address[HD_LANES], uint32_t mask, uint8_t *base, uint64_t first, size_t apart)
{
	uintptr_t from = (uintptr_t)base - (uintptr_t)first;
	if (mask == ~0u) {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			at[lane] = (uint8_t *)(from + (uintptr_t)address[lane] + lane * apart);
		return;
	}
	for (; mask; mask &= mask - 1) {
		unsigned lane = hd_lowest_bit(mask);
		at[lane] = (uint8_t *)(from + (uintptr_t)address[lane] + lane * apart);
	}
}

static uint32_t begins(const uint64_t address[HD_LANES])
{
	uint64_t lanes = 1;
	for (unsigned lane = 1; lane < HD_LANES; lane++)
		lanes |= (address[lane] ^ address[lane - 1]) >> SECTOR_SHIFT ? lane_bit[lane] : 0;
	return (uint32_t)lanes;
}

static bool conflict_free(const uint64_t address[HD_LANES], unsigned banks, hd_bank_shape shapes[HD_BANK_SHAPES])
{
	uint32_t apart_of[HD_LANES], apart[HD_LANES], others = 0, gaps = 0, unknown = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		apart[lane] = (uint32_t)(address[lane] >> WORD_SHIFT) - (uint32_t)(address[0] >> WORD_SHIFT);
		others |= apart[lane];
		gaps |= apart[lane] ^ lane;
	}
	if (!others || (!gaps && banks == HD_LANES)) /* one word, or one behind the other */
		return true;
	hd_bank_shape *shape = &shapes[(apart[1] + 3 * apart[2] + 5 * apart[8] + 7 * apart[16]) % HD_BANK_SHAPES];
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		unknown |= shape->apart[lane] ^ apart[lane];
	if (!unknown)
		return shape->free;
	memcpy(shape->apart, apart, sizeof apart);
	/* Of the lanes of a bank the last one stays there. */
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		apart_of[apart[lane] & (banks - 1)] = apart[lane];
	others = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		others |= apart_of[apart[lane] & (banks - 1)] ^ apart[lane];
	return shape->free = !others;
}

static void load(hd_vec32 *to, uint8_t *const at[HD_LANES])
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		to->v[lane] = hd_load_word(at[lane]);
}

static void store(const hd_vec32 *from, uint8_t *const at[HD_LANES])
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		hd_store_word(at[lane], from->v[lane]);
}

#define NAME_OF_PATH(path) hd_lanes_##path
#define NAME_OF(path) NAME_OF_PATH(path)

const hd_lanes NAME_OF(HD_PATH) = {wide, narrow, repeat, span, places, begins, conflict_free, load, store};
