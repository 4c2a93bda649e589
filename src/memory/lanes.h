/* Operations of the load/store unit on the addresses of all 32 lanes at once. Compiled once for each path of the host (HD_PATH), as in src/semantics.
 * All paths give the same. */
#ifndef HD_MEMORY_LANES_H
#define HD_MEMORY_LANES_H

#include "semantics/semantics.h"

typedef struct hd_span {
	uint64_t least, most;
	uint64_t bits; /* that are set in some address */
} hd_span;

/* What is known of an access to shared memory: whether banks conflict follows from the distances of its words from the first one, and programs have
 * few shapes of these. All zero: nothing. */
typedef struct hd_bank_shape {
	uint32_t apart[HD_LANES];
	bool free;
} hd_bank_shape;
enum { HD_BANK_SHAPES = 32 };

typedef struct hd_lanes {
	/* Effective addresses: of 64 bits from a pair of registers, of 32 bits from one. */
	void (*wide)(uint64_t to[HD_LANES], const hd_vec32 from[2], uint64_t offset);
	void (*narrow)(uint64_t to[HD_LANES], const hd_vec32 *from, uint32_t offset);
	/* Gives lanes outside of the mask the address of the lowest lane inside. Requires: the mask is not 0. */
	void (*repeat)(uint64_t address[HD_LANES], uint32_t mask);
	hd_span (*span)(const uint64_t address[HD_LANES]);
	/* For lanes of the mask: at[lane] = base + address[lane] - first + lane * apart */
	void (*places)(uint8_t *at[HD_LANES], const uint64_t address[HD_LANES], uint32_t mask, uint8_t *base, uint64_t first, size_t apart);
	/* The lanes whose sector is not that of the lane before. The first lane is one of them. */
	uint32_t (*begins)(const uint64_t address[HD_LANES]);
	/* True when no two lanes want different words of one bank. `banks`: a power of two, at most HD_LANES, always the same for `shapes`. */
	bool (*conflict_free)(const uint64_t address[HD_LANES], unsigned banks, hd_bank_shape shapes[HD_BANK_SHAPES]);
	/* Loads and stores a word of each lane. */
	void (*load)(hd_vec32 *to, uint8_t *const at[HD_LANES]);
	void (*store)(const hd_vec32 *from, uint8_t *const at[HD_LANES]);
} hd_lanes;

extern const hd_lanes hd_lanes_generic, hd_lanes_v3, hd_lanes_v4;

/* The best that the host can run. */
const hd_lanes *hd_lanes_of_host(void);

#endif
