/* Forwarding and the write to the register file (LU-4 to LU-7, LU-10). A result reaches the end of its pipe in stage C. It is visible from that cycle
 * on (docs/timing.md), but it is not yet in the register file. It moves one step a cycle:
 *
 *   path C-B    from C to B of the instruction behind, for last_use.path_b cycles (a reader may enter in the cycle of completion),
 *   path C-A    from C to A, into the operand latch, for last_use.path_a cycles,
 *   compensation registers, which feed it back to A (compensation.h), or an operand buffer (operand_buffer.h).
 *
 * It is written when it leaves the last of these places. A reader that enters meanwhile takes the value from its place and not from the register
 * file. If a reader has the flag of the last use, and reads for all lanes for which the value was made, then the write is left out (LU-5). Values of
 * other lanes, such as those on the other side of a branch, stay. An operand buffer decides this lane by lane. No later event can require the write
 * again, so the read makes the decision. The controller does not check flags: a wrong one leaves the old value in the register file.
 *
 * With last_use.across the paths reach every pipe, and results from memory use them, too. Without it, a reader in another pipe makes the controller
 * write in the cycle of the read.
 *
 * The controller compares register numbers to find a value that is visible by the contract, never to hold an instruction back. */
#ifndef HD_CORE_WRITE_CONTROLLER_H
#define HD_CORE_WRITE_CONTROLLER_H

#include "core/execute/events.h"
#include "core/execute/operand_buffer.h"
#include "core/execute/register_file.h"
#include "core/execute/register_ports.h"

typedef enum hd_path { HD_PATH_B, HD_PATH_A, HD_PATH_LAST_RESULT, HD_PATH_COMPENSATION, HD_PATH_FILE } hd_path;

typedef struct hd_write_controller {
	hd_flight *first, *last;                                     /* results on the paths and in registers of a pipeline, by flight->exit */
	hd_flight *first_of[HD_WARP_SLOTS], *last_of[HD_WARP_SLOTS]; /* those of each warp slot, by flight->exit */
	hd_flight *to_hold;                                          /* first result of the list that has not left C-A; NULL without compensation */
	hd_operand_buffer *buffer;                                   /* takes what leaves C-A; NULL = registers of a pipeline, or none */
	uint64_t due;                                                /* no result moves before this cycle */
	uint64_t writes_at, holds_at;                                /* cycles in which `first` is written and `to_hold` leaves C-A; HD_NEVER = none */
	uint32_t path_b, paths;                                      /* cycles on C-B, on C-B and C-A */
	uint32_t reach;                                              /* cycles to the write; HD_NO_LIMIT with an operand buffer */
	uint32_t file_latency;                                       /* cycles from a write to the first reader (LU-11) */
	uint32_t capacity;                                           /* compensation registers of a pipeline, or registers of an operand buffer */
	uint32_t held[HD_PIPE_COUNT];                                /* compensation registers in use, by pipeline */
	bool flags;                                                  /* last-use flags have an effect */
	bool across;                                                 /* paths reach every pipe, and results of memory use them, too */
	hd_register_ports ports;
	hd_register_file *registers;
	hd_stats *stats;
	hd_pool *pool;
	struct hd_core *observed; /* gets an event for each write (LU-13); NULL: no observer */
} hd_write_controller;

void hd_wc_init(hd_write_controller *wc, const hd_machine *machine, hd_register_file *registers, hd_stats *stats, hd_pool *pool);
/* Frees the operand buffer. The results go with the pool. */
void hd_wc_free(hd_write_controller *wc);
/* Takes a result in cycle now = flight->exit. The controller owns the flight from then on, and returns it to the pool when the result is written or
 * dropped. The flight's reg, words (1 to 4), pipe, warp, mask and value describe the result. */
void hd_wc_take(hd_write_controller *wc, hd_flight *flight);
/* Registers of a warp, and what is written to them. */
typedef struct hd_direct_write {
	unsigned warp, reg, words;
	uint32_t mask;
	const hd_vec32 *value;
} hd_direct_write;
/* Writes a result from memory that uses no path. `counts`: the statistics count its registers. */
void hd_wc_write(hd_write_controller *wc, const hd_direct_write *to, bool counts, uint64_t now);
/* Moves all results to the places where they are in cycle `now`, and writes those that leave the last place. */
void hd_wc_settle(hd_write_controller *wc, uint64_t now);
/* Ends or saves a warp in cycle `now`: its final values are always written (LU-6). */
void hd_wc_end(hd_write_controller *wc, unsigned warp, uint64_t now);

/* The first cycle in which the register file's ports let an instruction enter a pipe, as far as it is known before cycle `now` (LU-10). */
static inline uint64_t hd_wc_ports_free(hd_write_controller *wc, uint64_t now)
{
	if (wc->due < now)
		hd_wc_settle(wc, now - 1);
	return wc->ports.free_at;
}

/* The reads of one instruction in the cycle of its entry. */
typedef struct hd_reading {
	uint64_t now;
	uint32_t mask; /* lanes that read */
	uint8_t warp, pipe, n_last;
	uint8_t words;                     /* all words that it reads */
	uint8_t forwarded;                 /* words that do not come from the register file */
	uint8_t path_a;                    /* those of them that come on path C-A */
	uint8_t compensation, last_result; /* those of them that come from compensation registers, from the last-result register */
	uint8_t across;                    /* those of them that another pipe made */
	uint8_t flagged;                   /* registers whose last use is flagged */
	bool part;                         /* the statistics already count another part of its lanes (events.h) */
	struct {
		uint8_t reg, words;
	} last[3];
	hd_path path[3];          /* origin of each operand, for tests and traces */
	const hd_vec32 *value[3]; /* of each operand that is a register, for the recorder; set by hd_read_operand */
	hd_vec32 merged[3][4];
} hd_reading;

static inline void hd_wc_begin(hd_write_controller *wc, hd_reading *reading, unsigned warp, unsigned pipe, uint32_t mask, uint64_t now)
{
	reading->now = now;
	reading->mask = mask;
	reading->warp = (uint8_t)warp;
	reading->pipe = (uint8_t)pipe;
	reading->n_last = reading->words = reading->flagged = 0;
	reading->forwarded = reading->path_a = reading->compensation = reading->last_result = reading->across = 0;
	reading->part = false;
	if (wc->due <= now)
		hd_wc_settle(wc, now);
}
/* The place of a result that the controller has, in cycle `now`: a path, or HD_PATH_COMPENSATION. */
hd_path hd_wc_path_of(const hd_write_controller *wc, const hd_flight *flight, uint64_t now);
/* True when last use `i` of these operands drops registers of a result: it was made only for lanes that read. A result that does not reach the
 * reader's pipe is no longer here, because the read made the controller write it. */
static inline bool hd_wc_drops(const hd_reading *reading, unsigned i, const hd_flight *flight)
{
	unsigned reg = reading->last[i].reg, words = reading->last[i].words;
	return flight->reg < reg + words && reg < (unsigned)flight->reg + flight->words && !(flight->mask & ~reading->mask);
}
/* The words of last use `i` for which an earlier operand of the instruction has the flag, too, as a mask. They are counted once. */
static inline unsigned hd_wc_flagged_before(const hd_reading *reading, unsigned i)
{
	unsigned words = 0;
	for (unsigned other = 0; other < i; other++)
		for (unsigned w = 0; w < reading->last[i].words; w++)
			words |= (reading->last[i].reg + w - reading->last[other].reg < reading->last[other].words) << w;
	return words;
}
/* Notes that the instruction has the flag of the last use for a range of registers. */
static inline void hd_wc_note_last(hd_reading *reading, unsigned reg, unsigned words)
{
	unsigned i = reading->n_last++, counted = words;
	reading->last[i].reg = (uint8_t)reg;
	reading->last[i].words = (uint8_t)words;
	for (unsigned before = i ? hd_wc_flagged_before(reading, i) : 0; before; before &= before - 1)
		counted--;
	reading->flagged = (uint8_t)(reading->flagged + counted);
}
/* For hd_wc_read: one register, without an operand buffer. NULL if some result cannot reach the reader's pipe; nothing has changed then. */
const hd_vec32 *hd_wc_read_one(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg);
/* For hd_wc_read: every case. */
const hd_vec32 *hd_wc_read_several(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg, unsigned words);
/* The value of operand 0 to 2, which is a register other than RZ. It is valid until hd_wc_end_reading. */
static inline const hd_vec32 *hd_wc_read(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg, unsigned words, bool last_use)
{
	reading->words = (uint8_t)(reading->words + words);
	reading->path[operand] = HD_PATH_FILE;
	if (last_use && wc->flags)
		hd_wc_note_last(reading, reg, words);
	const hd_vec32 *value = words == 1 && !wc->buffer ? hd_wc_read_one(wc, reading, operand, reg) : NULL;
	return value ? value : hd_wc_read_several(wc, reading, operand, reg, words);
}
/* Drops values that were used for the last time. Returns the number of registers of which some lanes are dropped. */
unsigned hd_wc_drop_last(hd_write_controller *wc, const hd_reading *reading);
static inline void hd_wc_count_forwarded(hd_stats *stats, const hd_reading *reading)
{
	stats->register_file_reads_forwarded += reading->forwarded;
	stats->register_file_reads_path_b += (unsigned)reading->forwarded - reading->path_a - reading->compensation - reading->last_result;
	stats->register_file_reads_path_a += reading->path_a;
	stats->register_file_compensation_reads += reading->compensation;
	stats->register_file_last_result_reads += reading->last_result;
	stats->register_file_reads_across += reading->across;
}
/* Counts the lane groups of the registers that a reading has read (RC-22). Requires: groups are counted. */
static inline void hd_wc_count_groups(hd_write_controller *wc, const hd_reading *reading)
{
	unsigned groups = hd_count_bits(hd_bit_groups(reading->mask, wc->registers->gated_lanes));
	wc->stats->lane_groups_reads += (uint64_t)groups * ((unsigned)reading->words - reading->forwarded);
	wc->stats->lane_groups_forwarded += (uint64_t)groups * reading->forwarded;
}
/* Ends the reading. The operands are no longer valid. */
static inline void hd_wc_end_reading(hd_write_controller *wc, const hd_reading *reading)
{
	if (!reading->part) {
		wc->stats->register_file_reads += (uint64_t)reading->words - reading->forwarded;
		if (reading->forwarded)
			hd_wc_count_forwarded(wc->stats, reading);
	}
	if (reading->n_last) {
		unsigned dropped = wc->buffer || wc->first_of[reading->warp] ? hd_wc_drop_last(wc, reading) : 0;
		wc->stats->register_file_writes_flagged += reading->part ? 0 : reading->flagged - dropped;
	}
}

#endif
