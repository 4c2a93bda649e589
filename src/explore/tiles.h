/* The detail of a page: a record for each instruction of the traced cycles, with what it waited for, and the issue slots that were lost. Records are
 * kept until a tile is full, and then they are a block (src/explore/README.md). */
#ifndef HD_EXPLORE_TILES_H
#define HD_EXPLORE_TILES_H

#include "explore/block.h"
#include "explore/follow.h"

enum { HD_TILE_RECORDS = 30000 };

/* Bits of a record's flags. The page knows them. */
enum hd_tile_flag {
	HD_TILE_ENTERED = 1,
	HD_TILE_DROPPED = 2,     /* no lane executed it */
	HD_TILE_SQUASHED = 4,    /* the branch before it went elsewhere */
	HD_TILE_ACCESSED = 8,    /* its access to memory was performed */
	HD_TILE_BESIDE = 16,     /* it shared the issue slot of another one */
	HD_TILE_UNFINISHED = 32, /* under way when the trace ended */
	HD_TILE_REPLAYED = 64,
	HD_TILE_NO_PIPE = 128, /* it went no further than its issue */
};

typedef struct hd_tiles hd_tiles;
/* Blocks go to `blocks`, which outlives the tiles, as the program and `follow` do. */
hd_tiles *hd_tiles_new(hd_blocks *blocks, const hd_follow *follow, const hd_program *program, uint32_t schedulers);
/* Each event of the run, in the order of the run. `reason` is that of hd_follow_event. An instruction gets a record if its issue is `detailed`, a
 * lost slot if it is. */
void hd_tiles_event(hd_tiles *tiles, const hd_trace_event *event, const hd_reason *reason, bool detailed);
/* A wait of a warp that is over. */
void hd_tiles_wait(hd_tiles *tiles, const hd_wait *wait);
/* Records of all tiles so far. */
uint64_t hd_tiles_count(const hd_tiles *tiles);
/* Writes the rest: what is under way ends in cycle `end`. Frees the tiles. */
void hd_tiles_end(hd_tiles *tiles, uint64_t end);

#endif
