/* Heddle's public face: describe a machine, build a program, give it memory, launch a kernel, look at what happened.
 *
 *     heddle *h = heddle_new();
 *     if (heddle_config(h, "heddle") && heddle_build(h, "saxpy.cl", NULL)) {
 *             uint64_t x = heddle_buffer(h, "x", host_x, n * 4), y = heddle_buffer(h, "y", host_y, n * 4);
 *             heddle_arg args[] = {heddle_u32(n), heddle_f32(2.0f), heddle_pointer(x), heddle_pointer(y)};
 *             heddle_launch launch = {.grid = {(n + 63) / 64}, .block = {64}, .args = args, .n_args = 4};
 *             if (heddle_run(h, &launch) == HEDDLE_DONE)
 *                     heddle_read(h, y, host_y, n * 4);
 *     }
 *     fputs(heddle_messages(h), stderr);
 *     heddle_free(h);
 *
 * Functions that can fail say so in their result; what went wrong is then in heddle_messages as whole lines,
 * `FILE:LINE:COLUMN: error: what is wrong, what was expected`. Bad input of any kind is reported, never fatal; only a host without memory
 * ends the process. One heddle is one machine with one memory and one program; several are independent of each other, and one must
 * not be used by two threads at a time. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The shared library exports what this header declares, and nothing else. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#define HEDDLE_VERSION "0.2.0"

typedef struct heddle heddle;

heddle *heddle_new(void); /* the machine `heddle`, no program */
void heddle_free(heddle *h);
const char *heddle_version(void);

/* Errors and warnings since the last heddle_clear; "" when there are none. Valid until the next call with this heddle. */
const char *heddle_messages(const heddle *h);
void heddle_clear(heddle *h);

/* -- the machine ------------------------------------------------------------------------------------------------------------------------ */
/* A preset's name or the path of a YAML file (docs/configuration.md). */
bool heddle_config(heddle *h, const char *name_or_path);
/* Changes one key: "fence.counters=4". Configuration comes before heddle_build, as programs are compiled for their machine. A key that is changed
 * later holds for the runs that follow, as if the program had been compiled elsewhere. */
bool heddle_set(heddle *h, const char *assignment);
/* Names of the presets, NULL-terminated. */
const char *const *heddle_presets(void);

/* -- the program ------------------------------------------------------------------------------------------------------------------------- */
typedef struct heddle_build_options {
	bool serial;                  /* every instruction waits for the one before: to find out whether an annotation is wrong */
	const char *const *arguments; /* passed to clang for .cl and .cu (-D, -I, ...), NULL-terminated, or NULL */
	bool unproven;                /* run the program on any machine, even where its annotations are not proven (heddle_build) */
} heddle_build_options;

/* Builds and loads a program for the machine, by the ending of its name: .cl OpenCL C, .cu CUDA device code, .ptx, .hasm assembly, .hko
 * kernel object. Replaces the program that was there; options may be NULL.
 *
 * An object says for which machine it was compiled. When the machine of a timed run differs in what annotations rely on (latencies, pipes, hints),
 * the checker looks at the object. heddle_run refuses what it does not prove with HEDDLE_BAD_INPUT, unless `unproven` is set. Assembly that was
 * written by hand names no machine and always runs. */
bool heddle_build(heddle *h, const char *path, const heddle_build_options *options);
/* Writes the program as a kernel object. */
bool heddle_save(heddle *h, const char *path);

typedef struct heddle_param {
	const char *name;
	uint32_t size; /* bytes */
	bool pointer;  /* known to be a pointer (CUDA's are plain 64-bit values) */
	bool local;    /* a pointer to local (shared) memory: wants heddle_local */
} heddle_param;

typedef struct heddle_kernel {
	const char *name;
	uint32_t registers, shared_bytes, local_bytes; /* registers and local memory a thread, static shared memory a CTA */
	uint32_t n_params;
} heddle_kernel;

/* Kernels in the order of the program. Names are valid as long as the program. */
unsigned heddle_kernel_count(const heddle *h);
bool heddle_kernel_at(const heddle *h, unsigned index, heddle_kernel *kernel);
/* By name; with name NULL the only or first kernel. */
bool heddle_kernel_find(heddle *h, const char *name, heddle_kernel *kernel);
bool heddle_param_at(const heddle *h, const char *kernel, unsigned index, heddle_param *param);

/* -- device memory ------------------------------------------------------------------------------------------------------------------------- */
/* Zeroed bytes in global memory; the address, or 0 and a message when the limit (4 GiB in all) is passed. `name` appears in traps. */
uint64_t heddle_alloc(heddle *h, const char *name, uint64_t bytes);
/* heddle_alloc and heddle_write in one. */
uint64_t heddle_buffer(heddle *h, const char *name, const void *bytes, uint64_t size);
bool heddle_release(heddle *h, uint64_t address);
bool heddle_write(heddle *h, uint64_t address, const void *bytes, uint64_t size);
bool heddle_read(heddle *h, uint64_t address, void *bytes, uint64_t size);

/* -- a launch -------------------------------------------------------------------------------------------------------------------------------- */
typedef enum heddle_arg_kind { HEDDLE_ARG_INTEGER, HEDDLE_ARG_FLOAT, HEDDLE_ARG_POINTER, HEDDLE_ARG_LOCAL, HEDDLE_ARG_BYTES } heddle_arg_kind;

typedef struct heddle_arg {
	heddle_arg_kind kind;
	uint32_t size;     /* bytes of the value; LOCAL: bytes of shared memory */
	uint64_t bits;     /* the value */
	const void *bytes; /* BYTES: the value, for structures */
} heddle_arg;

/* What the functions below make: an argument of each kind. */
static inline heddle_arg heddle_argument(heddle_arg_kind kind, uint32_t size, uint64_t bits, const void *bytes)
{
	heddle_arg arg;
	arg.kind = kind;
	arg.size = size;
	arg.bits = bits;
	arg.bytes = bytes;
	return arg;
}
static inline heddle_arg heddle_i32(int32_t value) { return heddle_argument(HEDDLE_ARG_INTEGER, 4, (uint32_t)value, NULL); }
static inline heddle_arg heddle_u32(uint32_t value) { return heddle_argument(HEDDLE_ARG_INTEGER, 4, value, NULL); }
static inline heddle_arg heddle_i64(int64_t value) { return heddle_argument(HEDDLE_ARG_INTEGER, 8, (uint64_t)value, NULL); }
static inline heddle_arg heddle_u64(uint64_t value) { return heddle_argument(HEDDLE_ARG_INTEGER, 8, value, NULL); }
static inline heddle_arg heddle_f32(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return heddle_argument(HEDDLE_ARG_FLOAT, 4, bits, NULL);
}
static inline heddle_arg heddle_f64(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return heddle_argument(HEDDLE_ARG_FLOAT, 8, bits, NULL);
}
static inline heddle_arg heddle_pointer(uint64_t address) { return heddle_argument(HEDDLE_ARG_POINTER, 8, address, NULL); }
/* OpenCL local memory: so many bytes of shared memory a CTA. Nothing zeroes them. */
static inline heddle_arg heddle_local(uint32_t bytes) { return heddle_argument(HEDDLE_ARG_LOCAL, bytes, 0, NULL); }
static inline heddle_arg heddle_bytes(const void *bytes, uint32_t size) { return heddle_argument(HEDDLE_ARG_BYTES, size, 0, bytes); }

typedef struct heddle_launch {
	const char *kernel;         /* NULL: the only or first one */
	uint32_t grid[3], block[3]; /* CTAs, threads of a CTA; 0 counts as 1 */
	uint64_t offset[3];         /* global offset (OpenCL), in threads */
	const heddle_arg *args;
	uint32_t n_args;
	uint32_t dynamic_shared; /* further bytes of shared memory (CUDA's third launch parameter) */
	bool functional;         /* the in-order interpreter: same values, no time */
	uint64_t max_cycles;     /* 0 = no limit; functional: warp instructions */
	/* Asked now and then; true ends the launch with HEDDLE_INTERRUPTED. May be NULL. */
	bool (*poll)(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas);
	void *context;
} heddle_launch;

typedef enum heddle_status {
	HEDDLE_DONE,       /* ran to its end */
	HEDDLE_FAULT,      /* the program is at fault: trap, deadlock, cycle limit; memory holds what was written so far */
	HEDDLE_BAD_INPUT,  /* not launched: no such kernel, arguments that do not fit, a configuration that is not possible, a program that is not
	                    * proven for the machine */
	HEDDLE_INTERRUPTED /* by poll */
} heddle_status;

heddle_status heddle_run(heddle *h, const heddle_launch *launch);

/* The hazard sanitizer (docs/sanitizer.md): the timed runs that follow are watched for values that are read before they are there, or overwritten
 * before they are read, whether the results come out wrong or not. What it finds are errors in heddle_messages, and stands in the JSON report.
 * Cycles, results and the status of the run are the same with it and without. A functional run has no time, and nothing is watched there. */
void heddle_hazards(heddle *h, bool on);
/* How often the last run violated a hazard; 0 when nobody watched. */
uint64_t heddle_violations(const heddle *h);

/* -- several grids in one run (docs/grids.md)
 * ---------------------------------------------------------------------------------------------------------- */
typedef struct heddle_grid {
	heddle_launch launch;
	unsigned priority;     /* 0 (lowest) to 7 */
	bool at_head;          /* to the head of the list of its priority */
	uint64_t arrival;      /* cycle in which the task manager gets it */
	const unsigned *after; /* grids of the list, before it, that must have ended first, with their child grids */
	unsigned n_after;
	bool queue;                /* a queue: each entry starts a CTA; its number, for pushes, is its place in the list */
	const unsigned *producers; /* of a queue: grids of the list that push to it; it ends when they have ended and nothing of it is left */
	unsigned n_producers;
	const uint64_t *entries; /* pushed by the host on arrival */
	uint64_t n_entries;
} heddle_grid;

typedef struct heddle_grid_result {
	bool begun, ended;
	uint64_t arrival, begin, end; /* cycles: at the task manager, first CTA, everything ended; 0 in functional runs */
	uint64_t ctas, children;      /* children: grids launched by its CTAs, and by theirs */
	uint64_t pushed;              /* entries of a queue */
	uint64_t evictions, saved;    /* times that it lost its place to a higher priority; CTAs that were stopped, saved and restored */
} heddle_grid_result;

/* Runs the grids of a list, all of the program that was built. What concerns the run as a whole (functional, max_cycles, poll, context) is taken from
 * the first. `results` (may be NULL): one for each. */
heddle_status heddle_run_grids(heddle *h, const heddle_grid *grids, unsigned n, heddle_grid_result *results);

/* -- what happened ---------------------------------------------------------------------------------------------------------------------------- */
/* A counter of the last run by the name that the JSON report gives it within its group: "run.cycles", "stall.fetch", "memory.l1_hits"
 * (src/launch/stats.def lists them), or energy in femtojoule by unit (src/report/energy.def): "energy_fj.dram", "energy_fj.total". False when there
 * is none of that name. */
bool heddle_stat(const heddle *h, const char *name, uint64_t *value);
/* What the kernels of the last run printed (printf of OpenCL C), in the order in which the work-items did; `n`, unless NULL, receives its length, as
 * zero bytes may be among it. What a launch prints beyond 1 MiB of arguments is lost; printf is then -1. Valid until the next call that runs or
 * builds. */
const char *heddle_printed(const heddle *h, size_t *n);
/* Host seconds that the last run took. */
double heddle_seconds(const heddle *h);

typedef enum heddle_format { HEDDLE_TEXT, HEDDLE_JSON } heddle_format;
/* Report of the last run; the caller frees. Everything in it outside `host` is the same on every run. */
char *heddle_report(heddle *h, heddle_format format);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
