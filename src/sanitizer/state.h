/* What the sanitizer remembers. */
#ifndef HD_SANITIZER_STATE_H
#define HD_SANITIZER_STATE_H

#include "sanitizer/sanitizer.h"

enum {
	HD_SAN_SCHEDULERS = 8, /* of a core: the most that machine.def allows */
	HD_SAN_SLOTS = 16,     /* of a scheduler, likewise */
	HD_SAN_CTA_WARPS = 32,
	HD_SAN_BARRIERS = 16,
	HD_SAN_PAST = 64, /* instructions of a warp that are remembered after their end, for the cycles in reports */
};

/* What an instruction reads or writes of a warp's resources, which are numbered: registers, then predicates. */
typedef struct hd_san_use {
	uint16_t first;
	uint8_t words;
	bool guard; /* read for all active lanes */
} hd_san_use;

/* A static instruction. */
typedef struct hd_san_inst {
	uint8_t n_reads, n_writes;
	uint8_t bytes; /* of a lane's access to memory; 0: none that is watched */
	bool stores;   /* atomics do, too */
	bool flow, nop, guarded;
	hd_san_use reads[HD_MAX_USES], writes[2];
} hd_san_inst;

/* An instruction that was issued and is not at its end. Its order is its place in the program order of its warp: number of flow instructions before
 * it, and below that its word address. */
typedef struct hd_san_record {
	uint64_t order;
	hd_moment moment;
	uint32_t active, lanes;           /* lanes: those that execute, once they are known */
	uint32_t unwritten;               /* those of them whose result is certain to come and is not written */
	bool performed;                   /* memory: there is nothing left to take effect */
	bool late;                        /* memory: its warp has arrived at a barrier since it was issued */
	uint32_t clock[HD_SAN_CTA_WARPS]; /* memory: the clock of its warp when it was issued */
} hd_san_record;

typedef struct hd_san_past {
	uint64_t order;
	hd_moment moment;
} hd_san_past;

/* By lane the latest instruction, in program order, that did something. Mostly it is one instruction for all lanes that count. */
typedef struct hd_san_latest {
	uint64_t order; /* of the latest in any lane */
	uint32_t lanes; /* those for which that holds; others have theirs in a table beside this one */
} hd_san_latest;

/* Part of an access to memory that was performed. */
typedef struct hd_san_access {
	uint64_t order;
	hd_moment moment;
	uint64_t low, high; /* bytes lie in [low, high) */
	uint32_t lanes;
	uint8_t bytes;
	bool stores;
	uint64_t address[HD_LANES]; /* generic */
	uint32_t clock[HD_SAN_CTA_WARPS];
} hd_san_access;

struct hd_san_cta;

/* A warp slot and who is in it. */
typedef struct hd_san_warp {
	struct hd_san_cta *cta; /* NULL: nobody was there yet */
	uint32_t core, scheduler, slot;
	uint32_t number; /* in the CTA */
	uint64_t segment;
	HD_VEC(hd_san_record) live;
	hd_san_past past[HD_SAN_PAST];
	uint32_t n_past;
	/* By resource. */
	hd_san_latest *read, *written;
	uint64_t (*read_lanes)[HD_LANES], (*written_lanes)[HD_LANES];
	uint32_t *dropped; /* lanes whose value a last-use flag dropped */
	uint64_t *dropper; /* order of who had the flag, last */
	uint16_t *pending; /* instructions that will certainly write it */
	/* Vector clock: of each warp of the CTA, how many of its arrivals at barriers come before this warp's next instruction, plus one of its own.
	 */
	uint32_t clock[HD_SAN_CTA_WARPS];
	HD_VEC(hd_san_access) log; /* accesses that were performed before an earlier one */
} hd_san_warp;

typedef struct hd_san_cta {
	struct hd_san_cta *next; /* free list */
	uint64_t serial;
	uint32_t at[3];
	uint32_t resident;                                 /* slots that belong to it */
	uint32_t late;                                     /* accesses of its warps that are `late` and not performed */
	hd_san_warp *warp[HD_SAN_CTA_WARPS];               /* by number */
	uint32_t phase[HD_SAN_BARRIERS][HD_SAN_CTA_WARPS]; /* join of the clocks of those who have arrived */
} hd_san_cta;

struct hd_sanitizer {
	hd_trace trace; /* first: what the machine is given */
	const hd_program *program;
	hd_san_inst *insts; /* by word address */
	uint32_t registers, resources;
	HD_VEC(hd_san_warp **) cores; /* HD_SAN_SCHEDULERS * HD_SAN_SLOTS slots of each core */
	hd_san_cta *free;
	hd_violations found;
	uint64_t last; /* cycle of the last event */
};

/* decode.c */
/* Fills in insts, registers and resources. */
void hd_san_decode(hd_sanitizer *s);

/* violations.c */
/* One more; NULL when the list has it, or is full. The place is filled in by the warp's. Parts of one access (narrow pipes) count once. */
hd_violation *hd_san_report(hd_sanitizer *s, const hd_san_warp *warp, hd_violation_kind kind, int resource, uint32_t lanes, const hd_moment *first,
                            const hd_moment *second);
/* The instruction is done: puts the cycle where violations name it. They are often found before. */
void hd_san_complete(hd_sanitizer *s, const hd_san_warp *warp, const hd_moment *moment);
/* A run has ended: instructions of another run, whose numbers begin anew, are others than those of the list. */
void hd_san_end_run(hd_sanitizer *s);

/* sanitizer.c */
/* Cycles of an instruction of the warp; its word address alone when they are not known any more. */
hd_moment hd_san_moment(const hd_san_warp *warp, uint64_t order);
/* The order of an instruction that is not done, or was done lately; false when it is not known. */
bool hd_san_order(const hd_san_warp *warp, uint32_t number, uint64_t *order);

/* registers.c */
/* It is issued. */
void hd_san_issue(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* It has entered, with record->lanes: its guard is read. */
void hd_san_enter(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* Its operands are read, of these lanes. */
void hd_san_read(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, uint32_t lanes);
/* It was dropped: its guard alone is read. */
void hd_san_drop(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* Its result is written, of these lanes. */
void hd_san_write(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, uint32_t lanes);
/* All of it is written. */
void hd_san_done(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* HD_TRACE_SKIP. */
void hd_san_skip(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e);

/* memory.c */
/* HD_TRACE_ACCESS */
void hd_san_perform(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, const hd_trace_event *e);
/* Nothing of its access is left to perform. */
void hd_san_performed(hd_san_warp *warp, hd_san_record *record);
void hd_san_arrive(hd_sanitizer *s, hd_san_warp *warp, unsigned barrier);
void hd_san_release(hd_san_cta *cta, unsigned barrier, uint32_t warps);

#endif
