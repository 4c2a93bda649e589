/* The state of a load/store unit, which the files of the unit share: lsu.c, sectors.c and refuse.c. */
#ifndef HD_LSU_STATE_H
#define HD_LSU_STATE_H

#include "memory/coalesce.h"
#include "memory/constant.h"
#include "memory/crossbar.h"
#include "memory/mmu.h"
#include "memory/part.h"
#include "memory/room.h"
#include "memory/slices.h"

/* The packets of one instruction that are not complete: to near and to far slices. */
typedef struct hd_sending {
	const hd_work *work;
	hd_packet *packet[2];
	bool waits; /* the access waits for the answers (memory.slices) */
	bool bytes; /* the access takes effect where MT-1 says; else a packet only asks for time (memory.slices) */
} hd_sending;

typedef enum hd_cache_way { HD_WAY_CACHED, HD_WAY_PAST, HD_WAY_WRITE } hd_cache_way; /* through the first cache, past it, or a write */

/* The sectors of one access to one space, on their way through the memory stage. */
typedef struct hd_going {
	hd_sectors sectors;
	unsigned next; /* sector */
	hd_sending sending;
	hd_sending *to;     /* NULL: nothing leaves the core, only time is computed */
	hd_cache_way way;
	unsigned times;     /* of an atomic */
	uint64_t done;
} hd_going;

/* An access that stopped in the middle, for lack of room (memory.slices). */
typedef struct hd_halted {
	bool on;
	uint64_t from;    /* cycle from which it can go on; UINT64_MAX: not known yet */
	uint64_t stage;   /* cycle that it had got to */
	hd_part part[3];
	unsigned parts, at;
	hd_work work;
	bool live;
	hd_going going;
} hd_halted;

struct hd_lsu {
	hd_first_cache l1;
	hd_constants *constants; /* NULL: constant loads always hit */
	hd_l2 *l2;
	bool asks;         /* memory.slices: requests are packets, and answers bring their times */
	hd_slice_map map;  /* of the slices */
	hd_halted *halted; /* with `asks` */
	uint32_t request_bytes;
	uint64_t request_queue; /* bytes that can wait for the port into the crossbar */
	uint64_t port;          /* into the crossbar: next free byte, cycle * request_bytes + byte of the cycle */
	hd_mmu *mmu; /* NULL: addresses need no translation */
	hd_memory *memory;
	hd_outbox *outbox;    /* NULL: an access takes effect in one step (memory.values: at_once) */
	hd_watch *watch;      /* NULL: no livelock detection */
	const bool *watching; /* watch->on; never without a watch */
	uint32_t back; /* cycles from a slice to the core */
	uint32_t l1_latency, shared_latency, constant_latency, l2_latency, shared_banks;
	uint32_t there, far;          /* from the core to a slice of the second level; beyond that to a far one (memory.far_latency) */
	uint32_t side;                /* half of the slices that is near: 0 or 1 */
	uint64_t left;                /* the latest cycle in which a packet left: copies of the stage send in order */
	uint64_t free_at[2];          /* memory stages: LSU (the first copy that is free), LATOM */
	uint64_t copy[HD_MAX_COPIES]; /* of the LSU's stage (MI-14): the same for each */
	uint32_t copies;
	hd_room misses;                       /* sectors that loads wait for */
	bool lane_by_lane;                    /* memory.return_groups */
	hd_room writes;                       /* sectors of stores and atomics that are not performed yet */
	bool refuse_constants, replay_misses; /* the keys of predecode (PD-26) */
};

/* True when the lanes go to the constant cache, or to the constant bank that is always there. */
static inline bool hd_lsu_is_constant(const hd_lsu *lsu, const hd_part *p, const hd_inst *inst)
{
	return p->space == HD_SPACE_CONST || (inst->op == HD_OP_LDK && lsu->constants);
}

#endif
