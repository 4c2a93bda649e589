/* Several instructions of one warp in one cycle (MI): the candidate window, the choice of targets, their sending and the PC update.
 *
 * The window is the first N instructions at and after the PC that have not been sent (MI-2). It ends before a flow instruction, a nop, an instruction
 * that is not there yet, and MINRC (MI-9). One whose high-latency counters or wait counter say no, whose queue is full or whose time has not come
 * keeps its place in the window and is not sent.
 *
 * What depends on what is worked out once, when the program is loaded: one word an instruction and kind of dependence, bit j for the
 * instruction j + 1 places before. A cycle shifts what is not sent along and compares. */
#ifndef HD_CORE_WINDOW_H
#define HD_CORE_WINDOW_H

#include "core/code.h"

enum { HD_WINDOW_SPAN = 32 }; /* instructions from the PC on that are looked at, sent ones included */

/* What a window needs to know of one static instruction: its dependences on the 31 before it (MI-5). */
typedef struct hd_window_row {
	uint32_t after;  /* they were sent, or are sent in this cycle (MI-6) */
	uint32_t behind; /* they were sent in an earlier cycle: same pipe; waiting for the counter that this one raises */
	uint32_t next;   /* as in hd_static */
	uint32_t alone;  /* address of the first one from here on that is sent alone (MI-9) */
	/* Bit i: the instruction i places behind may be sent, as far as this one is concerned, before it, or in the cycle in which it is. */
	uint32_t before, with;
} hd_window_row;

/* Of one scheduler's warps. */
typedef struct hd_windows {
	uint32_t sent[HD_WARP_SLOTS]; /* MI-8: bit i = the instruction i places after the PC was sent; bit 0 is never set */
	struct hd_window_time {
		uint64_t ready; /* from when the pipe's next instruction may be sent: delays (docs/timing.md, rule 2) */
		uint64_t wait;  /* where the wait of its hint begins */
	} time[HD_WARP_SLOTS][HD_PIPE_COUNT];
} hd_windows;

typedef enum hd_window_result {
	HD_WINDOW_SENT,    /* one or more */
	HD_WINDOW_HELD,    /* until *until, or until something of its queues or counters changes */
	HD_WINDOW_BLOCKED, /* the instruction at the PC, by the scoreboard */
	HD_WINDOW_LATE,    /* a constant operand of the instruction at the PC is not there before *until */
	HD_WINDOW_REFUSED, /* the decoder refused the instruction at the PC: *verdict */
	HD_WINDOW_BAD,     /* no instruction at the PC */
} hd_window_result;

struct hd_core;
struct hd_scheduler;

/* A row for every address of `code`. */
hd_window_row *hd_window_rows(const hd_code *code, const hd_machine *machine);
/* A warp begins in a slot. */
void hd_window_start(hd_windows *window, unsigned warp);
/* The warp goes on at its PC in cycle `now`: it has just begun, or a flow instruction was decided. */
void hd_window_enter(hd_windows *window, unsigned warp, uint64_t now);

#endif
