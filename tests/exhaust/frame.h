/* Puts a core into its frame: a kernel object for one machine description.
 *
 * The frame gives each register, p0 and each word of memory that the core reads a value of its own in each thread, and waits until all of it is
 * written. Then it sends an instruction without operands into each of the pipes alu, cvt and lsu. Where the pipe's interval is long, the core's
 * first instruction of such a pipe waits in the queue.
 * Behind the core the frame waits for every counter, for the fixed latencies (an instruction of the frame with the longest latency of its pipe raises
 * a counter) and, where the machine honours `hold`, for all of memory. Then it stores every register that the core can write, the common word and p0.
 * Other machines wait for memory by counters alone: there the enumeration makes loads and atomics raise one (enumerate.h).
 *
 * So the frame covers no dependence inside the core, because it stands before and behind it, and it breaks none, because an empty core is proven.
 * A loop is the exception: p1, which ends it, is the frame's. The loop waits for p1, and that wait also settles other instructions. */
#ifndef FRAME_H
#define FRAME_H

#include "tiny.h"

enum {
	FRAME_PLANE = 16 * TINY_THREADS, /* bytes: 16 a thread */
	/* The buffer: registers 4 to 7, registers 8 to 11, the common word and p0, words that ldg reads. (p2 is not stored: only guards read it.) */
	FRAME_BYTES = 4 * FRAME_PLANE,
	FRAME_RESULTS = 3 * FRAME_PLANE,
	FRAME_CORE = 17, /* word of the core's first instruction, the first of a line */
	/* The core has counters 1, 2 and, where high latency has counters of its own, 4 and 5; the frame has 3 and 6. */
	FRAME_COUNTERS = 6,
};

/* p0: true in every other lane, and the same in all. p1 is always mixed, and with a mixed p0 each lane group has all four combinations. */
typedef enum frame_values { VALUES_MIXED, VALUES_P0_FALSE, VALUES_P0_TRUE, FRAME_VALUES } frame_values;

typedef struct frame {
	const hd_machine *machine;
	bool holds; /* its end waits for memory by the hint `hold` */
	hd_object *object;
	uint64_t end[16];
	uint8_t end_hint[16], n_end;
	/* Of the program put last: words of the core's instructions, words to which a branch to them goes, the first word behind the core. */
	uint32_t word[TINY_LENGTH], target[TINY_LENGTH], end_word;
} frame;

/* `machine` outlives the frame. */
void frame_init(frame *f, const hd_machine *machine);
void frame_free(frame *f);
/* f->object becomes the program with this core. */
void frame_put(frame *f, const tiny *core);
/* The core of f->object as assembly, with words. */
void frame_print(const frame *f, hd_text *out);
/* The buffer before a run: another value in each word. */
void frame_fill(uint8_t bytes[FRAME_BYTES], frame_values values);

/* Counter `n` = 1, 2 (the core's) or 3 (the frame's) of the set that primaries of this class use. */
static inline unsigned frame_counter(const hd_machine *machine, hd_class klass, unsigned n)
{
	return hd_machine_high_latency(machine, klass) ? 3 + n : n;
}

#endif
