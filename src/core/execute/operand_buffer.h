/* Operand buffers (LU-4, LU-15; last_use.compensation_of: warp). A buffer has last_use.compensation registers for last_use.compensation_share warp
 * slots. A result enters it when it leaves path C-A. In front of it each warp slot has a last-result register of last_use.last_result words. It holds
 * the latest result that fits. That result moves to the buffer when the next one comes.
 *
 * A register holds 32 lanes of one register number of one warp, and says which lanes it has. A lane of a register number is in one place at most, so
 * the order of results needs no memory. A lane leaves the buffer
 *   by its last use: a flagged reader takes the value of that lane, and the value is not written (LU-5),
 *   when a later result for this lane takes its place,
 *   or when a register is needed, and this one was not used for the longest time. Then the lanes that are left are written: no value is lost.
 *
 * rtl/operand_buffer.sv does the same in each cycle. */
#ifndef HD_CORE_OPERAND_BUFFER_H
#define HD_CORE_OPERAND_BUFFER_H

#include "core/execute/events.h"
#include "core/execute/register_file.h"
#include "core/execute/register_ports.h"

typedef struct hd_buffer_register {
	hd_vec32 value, maker; /* maker: number of the instruction that made each lane, for traces */
	uint64_t used;         /* order of the last entry or read, among the registers of the buffer */
	uint32_t lanes;        /* lanes that it has; 0 = free */
	uint8_t warp, reg, pipe;
	bool counted; /* the statistics count a result in it; false: another part of the instruction is counted (narrow.h) */
} hd_buffer_register;

/* All operand buffers of a scheduler. */
typedef struct hd_operand_buffer {
	hd_buffer_register *at;   /* the registers of the first buffer, of the second one, and so on */
	hd_buffer_register *last; /* last-result registers, `last_words` for each warp slot */
	uint32_t size, share, last_words;
	uint64_t clock; /* for `used` */
	hd_register_file *file;
	hd_register_ports *ports;
	hd_stats *stats;
	struct hd_core *observed; /* gets an event for each register that is written or replaced (LU-13); NULL: no observer */
	uint8_t scheduler;        /* of that core */
} hd_operand_buffer;

/* NULL when the machine has no operand buffer. */
hd_operand_buffer *hd_operand_buffer_new(const hd_machine *machine, hd_register_file *file, hd_register_ports *ports, hd_stats *stats);
void hd_operand_buffer_free(hd_operand_buffer *buffer);
/* Registers of all its buffers, at[], without last-result registers. */
static inline uint32_t hd_operand_buffer_registers(const hd_operand_buffer *buffer)
{
	return (HD_WARP_SLOTS + buffer->share - 1) / buffer->share * buffer->size;
}
/* Takes the words `live` (a mask) of a result in cycle `now`, and writes what it displaces. The flight stays with the caller. */
void hd_operand_buffer_enter(hd_operand_buffer *buffer, const hd_flight *flight, unsigned live, uint64_t now);
/* A result for these lanes is written to the register file, or enters the buffer. Requires: it is later than what the buffer has. */
void hd_operand_buffer_pass(hd_operand_buffer *buffer, unsigned warp, unsigned reg, unsigned words, uint32_t lanes, uint64_t now);
/* Writes the registers of a range to the register file, and frees them. */
void hd_operand_buffer_write(hd_operand_buffer *buffer, unsigned warp, unsigned reg, unsigned words, uint64_t now);
/* Drops lanes of a register after their last use. Returns those that the buffer had. */
uint32_t hd_operand_buffer_drop(hd_operand_buffer *buffer, unsigned warp, unsigned reg, uint32_t lanes);
/* Writes everything that a warp has, because it ends or is saved (LU-6). No port is counted. */
void hd_operand_buffer_end(hd_operand_buffer *buffer, unsigned warp, uint64_t now);
/* Calls a function for each register that a warp uses: those of the buffer first, then the last-result register. */
typedef void hd_buffer_visit(void *context, hd_buffer_register *at, bool is_last_result);
void hd_operand_buffer_each(hd_operand_buffer *buffer, unsigned warp, hd_buffer_visit *visit, void *context);
/* The register that holds lanes of a register number, in the buffer or in the last-result register; NULL = none. */
hd_buffer_register *hd_operand_buffer_find(hd_operand_buffer *buffer, unsigned warp, unsigned reg);
hd_buffer_register *hd_operand_buffer_find_last(hd_operand_buffer *buffer, unsigned warp, unsigned reg);
/* The register is read: others are displaced before it. */
static inline void hd_operand_buffer_touch(hd_operand_buffer *buffer, hd_buffer_register *at) { at->used = ++buffer->clock; }

#endif
