/* The state of the sanitizer. */
#ifndef HD_SANITIZER_STATE_H
#define HD_SANITIZER_STATE_H

#include "sanitizer/sanitizer.h"

enum {
	HD_SAN_SCHEDULERS = 8, /* of a core; the maximum of machine.def */
	HD_SAN_SLOTS = 16,     /* of a scheduler; the maximum of machine.def */
	HD_SAN_CTA_WARPS = 32,
	HD_SAN_BARRIERS = 16,
	HD_SAN_PAST = 64, /* instructions that a warp remembers after their end, so that reports can name their cycles */
};

/* Resources of a warp that an instruction reads or writes. Resources have numbers: first the registers, then the predicates. */
typedef struct hd_san_use {
	uint16_t first;
	uint8_t words;
	bool guard; /* read for all active lanes */
} hd_san_use;

/* A static instruction. */
typedef struct hd_san_inst {
	uint8_t n_reads, n_writes;
	uint8_t bytes; /* bytes that a lane accesses; 0: no access to global or shared memory */
	bool stores;   /* writes memory; atomics do, too */
	bool fence;    /* is to wait for earlier accesses: `bar`, `membar`, `launch`, `qpush` */
	bool flow, nop, guarded;
	hd_san_use reads[HD_MAX_USES], writes[2];
} hd_san_inst;

/* An instruction in flight. `order` is its place in the program order of its warp: in the high bits the number of flow instructions before it, in the
 * low bits its word address. */
typedef struct hd_san_record {
	uint64_t order;
	hd_moment moment;
	uint32_t active, lanes;           /* lanes: the lanes that execute, once they are known */
	uint32_t unwritten;               /* lanes whose result is certain to come and is not written yet */
	bool performed;                   /* memory: the whole access has taken effect */
	bool late;                        /* memory: the warp has arrived at a barrier since the issue */
	uint32_t clock[HD_SAN_CTA_WARPS]; /* memory: the warp's clock at the issue */
} hd_san_record;

typedef struct hd_san_past {
	uint64_t order;
	hd_moment moment;
} hd_san_past;

/* The latest instruction, in program order, that read or wrote a resource in each lane. Usually it is one instruction for all lanes. */
typedef struct hd_san_latest {
	uint64_t order; /* order of the latest instruction of all lanes */
	uint32_t lanes; /* the lanes of this instruction; a separate table holds the orders of the other lanes */
} hd_san_latest;

/* An access to memory that was performed, or a part of one. */
typedef struct hd_san_access {
	uint64_t order;
	hd_moment moment;
	uint64_t low, high; /* all bytes are in [low, high) */
	uint32_t lanes;
	uint8_t bytes;
	bool stores;
	uint64_t address[HD_LANES]; /* generic addresses */
	uint32_t clock[HD_SAN_CTA_WARPS];
} hd_san_access;

struct hd_san_cta;

/* A warp slot and its current warp. */
typedef struct hd_san_warp {
	struct hd_san_cta *cta; /* NULL: no warp has been in the slot */
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
	uint64_t *dropper; /* order of the last instruction whose flag dropped a value */
	uint16_t *pending; /* number of instructions that are certain to write the resource */
	/* Vector clock: for each warp of the CTA, the number of its arrivals at barriers that precede this warp's next instruction. The warp's own
	 * component is one higher. */
	uint32_t clock[HD_SAN_CTA_WARPS];
	HD_VEC(hd_san_access) log; /* accesses that were performed before an earlier access */
} hd_san_warp;

typedef struct hd_san_cta {
	struct hd_san_cta *next; /* free list */
	uint64_t serial;
	uint32_t at[3];
	uint32_t resident;                                 /* number of slots with a warp of the CTA */
	uint32_t late;                                     /* number of accesses of its warps that are `late` and not performed */
	hd_san_warp *warp[HD_SAN_CTA_WARPS];               /* by number */
	uint32_t phase[HD_SAN_BARRIERS][HD_SAN_CTA_WARPS]; /* join of the clocks of the warps that have arrived */
} hd_san_cta;

struct hd_sanitizer {
	hd_trace trace; /* must be the first member: the machine gets its address */
	const hd_program *program;
	hd_san_inst *insts; /* by word address */
	uint32_t registers, resources;
	HD_VEC(hd_san_warp **) cores; /* for each core, HD_SAN_SCHEDULERS * HD_SAN_SLOTS slots */
	hd_san_cta *free;
	hd_violations found;
	uint64_t last; /* cycle of the last event */
};

/* decode.c */
/* Fills in insts, registers and resources. */
void hd_san_decode(hd_sanitizer *s);

/* violations.c */
/* Adds a violation of the warp. Returns NULL when the list already has it or is full. Otherwise the violation has the place of the warp. The parts of
 * one access (narrow pipes) count once. */
hd_violation *hd_san_report(hd_sanitizer *s, const hd_san_warp *warp, hd_violation_kind kind, int resource, uint32_t lanes, const hd_moment *first,
                            const hd_moment *second);
/* The instruction is done. Violations that name it, often found earlier, receive its cycles. */
void hd_san_complete(hd_sanitizer *s, const hd_san_warp *warp, const hd_moment *moment);
/* A run has ended. The next run numbers its instructions anew, so the numbers in the list become invalid. */
void hd_san_end_run(hd_sanitizer *s);

/* sanitizer.c */
/* The cycles of an instruction of the warp. When they are no longer known, only the word address is valid. */
hd_moment hd_san_moment(const hd_san_warp *warp, uint64_t order);
/* The order of an instruction that is in flight or ended recently. False when it is not known. */
bool hd_san_order(const hd_san_warp *warp, uint32_t number, uint64_t *order);

/* registers.c */
/* The instruction issues. */
void hd_san_issue(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* The instruction enters its pipe with record->lanes. The pipe reads its guard. */
void hd_san_enter(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* The pipe reads the instruction's operands for these lanes. */
void hd_san_read(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, uint32_t lanes);
/* The instruction is removed from its queue as if it had never issued (PD-27). */
void hd_san_squash(hd_sanitizer *s, hd_san_warp *warp, const hd_san_record *record);
/* The instruction is dropped. The pipe reads only its guard. */
void hd_san_drop(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* The result of these lanes is written. */
void hd_san_write(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, uint32_t lanes);
/* The whole result is written. */
void hd_san_done(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record);
/* A result is not written because of a last-use flag (HD_TRACE_SKIP). */
void hd_san_skip(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e);

/* memory.c */
/* An access takes effect (HD_TRACE_ACCESS). */
void hd_san_perform(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, const hd_trace_event *e);
/* The whole access has taken effect. */
void hd_san_performed(hd_san_warp *warp, hd_san_record *record);
/* A fence takes effect: `bar` when it is decided, others at their memory stage. */
void hd_san_fence(hd_sanitizer *s, hd_san_warp *warp, uint64_t order, const hd_moment *fence);
void hd_san_arrive(hd_sanitizer *s, hd_san_warp *warp, unsigned barrier);
void hd_san_release(hd_san_cta *cta, unsigned barrier, uint32_t warps);

#endif
