/* Parts that the trace writers share. trace_file.c applies the limits, tracks the warp of each slot and the instructions under way, and
 * passes events to the writer. */
#ifndef HD_TRACE_WRITER_H
#define HD_TRACE_WRITER_H

#include <stdio.h>

#include "trace/trace_file.h"

/* An instruction that was issued and is not at its end. */
typedef struct hd_trace_live {
	uint32_t number, pc, mask;
	uint32_t place; /* owned by the writer: row of the file, or lane on the screen */
	bool entered;
	uint64_t issued, entry, accessed; /* cycles; accessed = 0: not yet */
} hd_trace_live;

/* RC-24: the fields of HD_TRACE_FLOW. */
typedef struct hd_trace_flow {
	uint32_t active, minrc, members, depth;
	uint32_t resume[HD_LANES];
} hd_trace_flow;

typedef struct hd_trace_warp {
	bool resident;
	uint64_t since;
	uint32_t cta[3], warp; /* its CTA, and its number there */
	uint32_t waiting;      /* owned by the writer */
	char stage;            /* owned by the writer */
	bool descheduled;
	uint64_t descheduled_at;
	uint32_t descheduled_pc;
	uint16_t counters;
	uint8_t wait; /* HD_TRACE_WAIT: its cause + 1, 0: none; with since when, before which instruction. During the event: before it */
	uint64_t wait_since;
	uint32_t wait_pc;
	uint32_t raiser[HD_MAX_COUNTERS];     /* pc that raised a counter last */
	uint32_t raiser_row[HD_MAX_COUNTERS]; /* owned by the writer */
	HD_VEC(hd_trace_live) live;
	uint16_t fence[HD_MAX_COUNTERS]; /* values of the fence counters; during HD_TRACE_COUNTER: before it */
	hd_trace_flow flow;              /* during HD_TRACE_FLOW: the state before it */
} hd_trace_warp;

struct hd_trace_file {
	hd_trace trace; /* first */
	hd_trace_format format;
	FILE *out;   /* what writers write to: the caller's stream, or one that compresses into it */
	FILE *under; /* the caller's stream */
	const char *path;
	const char *input, *input_text; /* hd_trace_input; NULL: unknown */
	const char *message;            /* hd_trace_message */
	const hd_machine *machine;
	const hd_program *program;
	hd_trace_limits limits;
	uint32_t cores;
	uint64_t last_issue, issued; /* cycle of the run's last issue; instructions issued within the limits */
	uint64_t now;                /* cycle of the last event that the writer received */
	char **labels;               /* labels of instructions, by word address; each is made at its first use */
	hd_trace_warp *warps;        /* core, scheduler, slot */
	void *state;                 /* owned by the writer */
	void (*event)(hd_trace_file *file, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live);
	/* In the place of `event`: every event as the machine sends it, outside of the limits, too, and nothing above is kept. */
	void (*watch)(hd_trace_file *file, const hd_trace_event *e);
	void (*end)(hd_trace_file *file); /* writes the rest and frees state */
};

static inline size_t hd_trace_index(const hd_trace_event *e)
{
	return ((size_t)e->core * HD_MAX_SCHEDULERS + e->scheduler) * HD_WARP_SLOTS + e->slot;
}
static inline bool hd_trace_in_range(const hd_trace_file *f, uint64_t cycle) { return cycle >= f->limits.first && cycle <= f->limits.last; }
/* "L12 fadd r1, r2, r3" */
const char *hd_trace_label(hd_trace_file *file, uint32_t pc);
/* The lanes that wait at the same address as the lowest lane of `lanes`, all of which wait. Only these lanes are looked at. */
uint32_t hd_trace_same_resume(const uint32_t resume[HD_LANES], uint32_t lanes);
/* The lanes that wait. */
uint32_t hd_trace_waiting(const uint32_t resume[HD_LANES]);
/* True when the core, scheduler and slot are within the limits. */
bool hd_trace_wants(const hd_trace_file *file, uint32_t core, uint32_t scheduler, uint32_t slot);

/* The writers: each prints the head and sets state, event and end. False and an error in diag on failure. */
bool hd_trace_konata(hd_trace_file *file, hd_diag *diag);
bool hd_trace_perfetto(hd_trace_file *file, hd_diag *diag);
bool hd_trace_vcd(hd_trace_file *file, hd_diag *diag);
bool hd_trace_stages(hd_trace_file *file, hd_diag *diag);
bool hd_trace_explore(hd_trace_file *file, hd_diag *diag); /* in src/explore */

#endif
