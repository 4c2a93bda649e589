/* The public interface of Heddle. A program describes a machine, builds a kernel, fills device memory, launches the kernel and reads the results.
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
 * A function that can fail returns a result that says so. heddle_messages then holds the errors, each a whole line: `FILE:LINE:COLUMN: error: what is
 * wrong, what was expected`. Bad input of any kind is reported and never ends the process. Only a host that is out of memory ends it.
 *
 * A heddle has one machine, one memory and one program. Two heddles are independent of each other. Two threads must not use one heddle at the same
 * time. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The shared library exports only the functions of this header. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#define HEDDLE_VERSION "0.2.0"

typedef struct heddle heddle;

heddle *heddle_new(void); /* has the machine `heddle` and no program */
void heddle_free(heddle *h);
const char *heddle_version(void);

/* Errors and warnings since the last heddle_clear. "" when there are none. The text is valid until the next call with this heddle. */
const char *heddle_messages(const heddle *h);
void heddle_clear(heddle *h);

/* -- the machine ------------------------------------------------------------------------------------------------------------------------ */
/* Loads a preset by its name, or a YAML file by its path (docs/configuration.md). */
bool heddle_config(heddle *h, const char *name_or_path);
/* Changes one key: "fence.counters=4". Call it before heddle_build, because a program is compiled for its machine. A key that changes later holds for
 * the runs that follow, as if the program had been compiled for another machine. */
bool heddle_set(heddle *h, const char *assignment);
/* Names of the presets, NULL-terminated. */
const char *const *heddle_presets(void);

/* -- the program ------------------------------------------------------------------------------------------------------------------------- */
typedef struct heddle_build_options {
	bool serial;                  /* each instruction waits for the one before it; helps to find a wrong annotation */
	const char *const *arguments; /* passed to clang for .cl and .cu (-D, -I, ...), NULL-terminated, or NULL */
	bool unproven;                /* run the program on any machine, even where its annotations are not proven (heddle_build) */
} heddle_build_options;

/* Builds a program for the machine and loads it. The end of the file's name says what the file is: .cl OpenCL C, .cu CUDA device code, .ptx PTX,
 * .hasm assembly, .hko a kernel object. The program replaces the previous one. `options` may be NULL.
 *
 * An object says for which machine it was compiled. When the machine of a timed run differs in what annotations rely on (latencies, pipes, hints),
 * the checker looks at the object. heddle_run refuses what it does not prove with HEDDLE_BAD_INPUT, unless `unproven` is set. Assembly that was
 * written by hand names no machine and always runs. */
bool heddle_build(heddle *h, const char *path, const heddle_build_options *options);
/* Writes the program as a kernel object. */
bool heddle_save(heddle *h, const char *path);

typedef struct heddle_param {
	const char *name;    /* as in the source; PTX's own name where the source is not known */
	uint32_t size;       /* bytes */
	bool pointer;        /* known to be a pointer; CUDA passes pointers as plain 64-bit values */
	bool local;          /* a pointer to local (shared) memory; its argument is heddle_local */
	const char *type;    /* as in the source ("const float *"); NULL: unknown */
	const char *element; /* what a pointer points to: f16 f32 f64, i or u and 8 16 32 64; NULL: a structure, void, or unknown */
} heddle_param;

typedef struct heddle_kernel {
	const char *name;                              /* the symbol, which C++ mangles */
	const char *source_name;                       /* as in the source */
	uint32_t registers, shared_bytes, local_bytes; /* registers and bytes of local memory per thread, bytes of static shared memory per CTA */
	uint32_t n_params;
} heddle_kernel;

/* Kernels in the order of the program. A name is valid until the next heddle_build or heddle_free. */
unsigned heddle_kernel_count(const heddle *h);
bool heddle_kernel_at(const heddle *h, unsigned index, heddle_kernel *kernel);
/* Finds a kernel by its symbol, or by its name in the source if no other kernel has that name. With NULL it finds the first kernel. */
bool heddle_kernel_find(heddle *h, const char *name, heddle_kernel *kernel);
bool heddle_param_at(const heddle *h, const char *kernel, unsigned index, heddle_param *param);

/* -- device memory ------------------------------------------------------------------------------------------------------------------------- */
/* Allocates zeroed bytes of global memory. Returns the address, or 0 and a message when the total would exceed 4 GiB. Messages about traps show
 * `name`. */
uint64_t heddle_alloc(heddle *h, const char *name, uint64_t bytes);
/* Allocates like heddle_alloc, in system memory: the machine reaches it through the host interface (keys `host` of the machine description). */
uint64_t heddle_alloc_system(heddle *h, const char *name, uint64_t bytes);
/* Allocates like heddle_alloc and fills the allocation like heddle_write. */
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

/* Makes an argument of any kind. The functions below call it. */
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
/* OpenCL local memory: bytes of shared memory per CTA. The bytes have no defined values at first. */
static inline heddle_arg heddle_local(uint32_t bytes) { return heddle_argument(HEDDLE_ARG_LOCAL, bytes, 0, NULL); }
static inline heddle_arg heddle_bytes(const void *bytes, uint32_t size) { return heddle_argument(HEDDLE_ARG_BYTES, size, 0, bytes); }

typedef struct heddle_launch {
	const char *kernel;         /* NULL: the first one */
	uint32_t grid[3], block[3]; /* CTAs, and threads of a CTA; 0 counts as 1 */
	uint64_t offset[3];         /* global offset (OpenCL), in threads */
	const heddle_arg *args;
	uint32_t n_args;
	uint32_t dynamic_shared; /* additional bytes of shared memory (CUDA's third launch parameter) */
	bool functional;         /* run on the in-order interpreter, which computes the same values without time */
	uint64_t max_cycles;     /* 0 = no limit; a functional run counts warp instructions instead */
	/* The run calls it from time to time. It ends the launch with HEDDLE_INTERRUPTED by returning true. May be NULL. */
	bool (*poll)(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas);
	void *context;
} heddle_launch;

typedef enum heddle_status {
	HEDDLE_DONE,       /* the launch ran to its end */
	HEDDLE_FAULT,      /* the program caused a trap, a deadlock or the cycle limit; memory holds what was written until then */
	HEDDLE_BAD_INPUT,  /* nothing was launched: an unknown kernel, wrong arguments, an impossible configuration, or a program
	                    * that is not proven for the machine */
	HEDDLE_INTERRUPTED /* `poll` ended the launch */
} heddle_status;

heddle_status heddle_run(heddle *h, const heddle_launch *launch);

/* The hazard sanitizer (docs/sanitizer.md) watches the timed runs that follow. It finds values that are read before they are written, and values that
 * are overwritten before they are read, even if the results are right. Its findings are errors in heddle_messages and part of the JSON report. It
 * changes neither cycles nor results nor the status of a run. It does not watch a functional run, which has no time. */
void heddle_hazards(heddle *h, bool on);
/* The number of hazards that the last run violated. 0 when the sanitizer was off. */
uint64_t heddle_violations(const heddle *h);

/* -- several grids in one run (docs/grids.md) ------------------------------------------------------------------------------------------- */
typedef struct heddle_grid {
	heddle_launch launch;
	unsigned priority;     /* 0 (lowest) to 7 */
	unsigned kind;         /* of program, 0 to 3: grids.clusters_1 and so on give a kind clusters of its own */
	unsigned device;       /* on which the grid runs, below machine.devices */
	bool at_head;          /* place the grid at the head of the list of its priority */
	uint64_t arrival;      /* cycle in which the task manager receives the grid */
	const unsigned *after; /* indices of earlier grids of the list; this grid begins after they and their child grids have ended */
	unsigned n_after;
	bool queue;                /* the grid is a queue: each entry starts a CTA; the index of the grid in the list is its number for pushes */
	const unsigned *producers; /* of a queue: indices of the grids that push to it; it ends when these have ended and nothing of it is left */
	unsigned n_producers;
	const uint64_t *entries; /* of a queue: the host pushes these entries on arrival */
	uint64_t n_entries;
} heddle_grid;

typedef struct heddle_grid_result {
	bool begun, ended;
	/* Cycles of the arrival at the task manager, of the first CTA and of the end of all CTAs and children. 0 in functional runs. */
	uint64_t arrival, begin, end;
	uint64_t ctas, children;   /* children: grids that its CTAs launched, and their children */
	uint64_t pushed;           /* entries that were pushed to the queue */
	uint64_t evictions, saved; /* how often a higher priority took its place; how many CTAs were stopped, saved and restored */
} heddle_grid_result;

/* Runs the grids of a list, all of them kernels of the program that was built. The first launch gives the settings of the whole run: functional,
 * max_cycles, poll and context. `results` holds n results, or is NULL. */
heddle_status heddle_run_grids(heddle *h, const heddle_grid *grids, unsigned n, heddle_grid_result *results);

/* -- what happened ---------------------------------------------------------------------------------------------------------------------------- */
/* A counter of the last run. The name consists of a group and a name of the JSON report: "run.cycles", "stall.fetch", "memory.l1_hits"
 * (src/launch/stats.def lists them). "energy_fj.dram" and the like are the energy of a unit in femtojoules, "energy_fj.total" is the sum
 * (src/report/energy.def). "energy_uncertainty_fj.dram" and so on are one standard deviation of each (src/report/energy_error.h). False when there is
 * no such name. */
bool heddle_stat(const heddle *h, const char *name, uint64_t *value);
/* The text that kernels of the last run printed with printf of OpenCL C, in the order of the calls. `n` receives the length unless it is NULL,
 * because the text may contain zero bytes. A launch prints at most 1 MiB of arguments. Further calls of printf print nothing and return -1. The text
 * is valid until the next run or build. */
const char *heddle_printed(const heddle *h, size_t *n);
/* Seconds of the host that the last run took. */
double heddle_seconds(const heddle *h);

typedef enum heddle_format { HEDDLE_TEXT, HEDDLE_JSON } heddle_format;
/* A report of the last run. The caller frees it. Two equal runs have equal reports except for the group `host`. */
char *heddle_report(heddle *h, heddle_format format);

/* -- machine code of real GPUs (docs/sass.md) ---------------------------------------------------------------------------------------------- */
typedef enum heddle_sass_verdict {
	HEDDLE_SASS_PROVEN = 0,    /* every dependence of every function is covered, under the assumptions that the report names */
	HEDDLE_SASS_REFUTED = 1,   /* one is not */
	HEDDLE_SASS_BAD_INPUT = 2, /* the bytes are no cubin, no file with cubins in it, or a damaged one; or no function was selected */
	HEDDLE_SASS_UNKNOWN = 3    /* neither */
} heddle_sass_verdict;

typedef struct heddle_sass_options {
	unsigned architecture; /* code for this architecture only, 80 for sm_80; 0: all */
	const char *kernel;    /* this function only; NULL: all */
	const char *assume;    /* what a proof may lean on: "all", "none" or a list such as "A1,A3"; NULL: all */
	bool strict;           /* of these only assumptions with a published source */
	bool slack;            /* the report has the slack of each stall and the waits that no register needs */
} heddle_sass_options;

/* Checks that stall counts and counters of machine code for NVIDIA's GPUs (sm_75 to sm_90) keep all registers in order. The bytes are a cubin, a fat
 * binary, or a program or object file of the host with cubins in it. `name` stands for the file in messages. `options` may be NULL. Findings, and what
 * is wrong with bad input, are in heddle_messages. `json` may be NULL. It receives the report of schema heddle-sass-check-1, which the caller frees;
 * NULL for bad input. Machine and program of `h` do not matter. */
heddle_sass_verdict heddle_sass_check(heddle *h, const void *bytes, size_t size, const char *name, const heddle_sass_options *options, char **json);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
