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

#define HEDDLE_VERSION "0.3.0"

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
/* The value of a key as text that heddle_set reads: "4", "true", "fence". NULL and a message when there is no such key. The caller frees the text
 * with heddle_text_free. */
char *heddle_get(heddle *h, const char *path);
/* The whole description as YAML, which heddle_config reads. The caller frees the text with heddle_text_free. */
char *heddle_machine(const heddle *h);
/* Bits of a core that keep registers in order, of the candidate windows, and of results outside of the register file: the figure `state_bits` of
 * studies (src/config/state_bits.h has the formula). 0 and a message when no machine can be so, because its keys contradict each other. */
uint32_t heddle_state_bits(heddle *h);

/* A key of the machine description (docs/configuration.md). */
typedef struct heddle_key {
	char path[48];             /* "fence.counters" */
	char expected[160];        /* "a number from 2 to 16 (counters)" */
	const char *unit;          /* "cycles"; "" when it has none */
	const char *documentation; /* a sentence or more */
	bool number, flag;         /* neither: the value is one of several words, or an energy in picojoules */
	uint32_t minimum, maximum; /* of a number */
} heddle_key;
unsigned heddle_key_count(void);
bool heddle_key_at(unsigned index, heddle_key *key); /* false when index >= heddle_key_count() */

/* -- the program ------------------------------------------------------------------------------------------------------------------------- */
typedef struct heddle_build_options {
	bool serial;                  /* each instruction waits for the one before it; helps to find a wrong annotation */
	const char *const *arguments; /* for clang (-D, -I, ...), NULL-terminated, or NULL; an error for .ptx, .hasm, .hko */
	bool unproven;                /* run the program on any machine, even where its annotations are not proven (heddle_build) */
} heddle_build_options;

/* Builds a program for the machine and loads it. The end of the file's name says what the file is: .cl OpenCL C, .cu CUDA device code, .ptx PTX,
 * .hasm assembly, .hko a kernel object. A cubin, or a file that has cubins in it, is machine code of a real GPU, which only functional runs take
 * (docs/sass.md). The program replaces the previous one. `options` may be NULL.
 *
 * An object says for which machine it was compiled. When the machine of a timed run differs in what annotations rely on (latencies, pipes, hints),
 * the checker looks at the object. heddle_run refuses what it does not prove with HEDDLE_BAD_INPUT, unless `unproven` is set. Assembly that was
 * written by hand names no machine and always runs. */
bool heddle_build(heddle *h, const char *path, const heddle_build_options *options);
/* Builds a program from `size` bytes of text (or of a kernel object) instead of from a file. `name` stands for the file in messages, and its end says
 * what the text is, as with heddle_build. A source finds the headers of -I and of the system, and none in the current folder. */
bool heddle_build_text(heddle *h, const char *name, const char *text, size_t size, const heddle_build_options *options);
/* The program as assembly (docs/isa.md), with all annotations. NULL and a message without a program. The caller frees it with heddle_text_free.
 */
char *heddle_assembly(heddle *h);
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
	const char *source_name;                       /* as in the source, with the parameters of an overload */
	uint32_t registers, shared_bytes, local_bytes; /* registers and bytes of local memory per thread, bytes of static shared memory per CTA */
	uint32_t n_params;
} heddle_kernel;

/* Kernels in the order of the program. A name is valid until the next heddle_build or heddle_free. */
unsigned heddle_kernel_count(const heddle *h);
bool heddle_kernel_at(const heddle *h, unsigned index, heddle_kernel *kernel);
/* Finds a kernel by its symbol, or by its name in the source: "transpose", "transpose<float>", "ns::f(int*)". Namespaces, template arguments and
 * parameters may be left out where the rest stands for one kernel. With NULL it finds the first kernel. */
bool heddle_kernel_find(heddle *h, const char *name, heddle_kernel *kernel);
bool heddle_param_at(const heddle *h, const char *kernel, unsigned index, heddle_param *param);

/* -- the checker --------------------------------------------------------------------------------------------------------------------------- */
typedef enum heddle_verdict {
	HEDDLE_PROVEN,   /* every dependence is covered on every path */
	HEDDLE_REFUTED,  /* there are findings */
	HEDDLE_UNDECIDED /* no answer: no program, an impossible machine, or too much work; heddle_messages says which */
} heddle_verdict;

typedef struct heddle_proof {
	uint64_t findings;                                    /* all of them; heddle_finding_at knows the first 100 */
	uint64_t dependences, by_counter, by_delay, by_order; /* dependences that were judged, and what covers them */
	uint64_t last_uses;                                   /* last-use flags, which are proven too */
	bool by_scoreboard;                                   /* a scoreboard keeps registers in order, so no dependence was judged */
} heddle_proof;

/* An instruction by its word in the program, and its source line. */
typedef struct heddle_place {
	uint32_t word;
	const char *file; /* NULL: unknown */
	uint32_t line;
} heddle_place;

typedef struct heddle_finding {
	const char *kind;                /* raw war waw memory order call counter type reuse last_use */
	heddle_place producer, consumer; /* equal for a finding about one instruction */
	int resource;                    /* register 0 to 254, 256 + predicate, or -1 */
	uint32_t missing;                /* cycles that the delay lacks; 0: no delay could cover the dependence */
	const uint32_t *path;            /* n_path words from the producer to the consumer; between them the first of each block on the way */
	unsigned n_path;
	const char *text; /* a whole message; valid until the next call that describes an instruction or finding of this heddle */
} heddle_finding;

/* Proves the annotations of the program for the machine as it is configured now (docs/timing.md). `proof` may be NULL. */
heddle_verdict heddle_check(heddle *h, heddle_proof *proof);
/* A finding of the last heddle_check. It is valid until the next heddle_check or heddle_build. */
bool heddle_finding_at(heddle *h, unsigned index, heddle_finding *finding);

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
/* The bytes of device memory themselves, for a host that copies nothing: reads and writes between runs are seen at once. They are valid until
 * heddle_release or heddle_free. No copy is counted in the report. NULL and a message when they are not inside one allocation, or size is 0. */
void *heddle_map(heddle *h, uint64_t address, uint64_t size);

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
	/* Threads of the host that run it. The results, cycles and reports do not depend on them. 0: the number in the environment variable
	 * HEDDLE_THREADS, or 1. */
	uint32_t threads;
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

/* The race detector (docs/sanitizer.md) observes the functional runs that follow. It finds pairs of accesses to memory that nothing orders, of which
 * one writes. Its findings are errors in heddle_messages and part of the JSON report. It changes neither results nor the status of a run. It does not
 * observe timed runs. It looks at the masks of PTX's operations with .sync in programs that are loaded while it is on. `bytes`: memory of the host
 * that it may take, 0 = 1 GiB; accesses for which that is not enough are counted and not looked at.
 */
void heddle_races(heddle *h, bool on, uint64_t bytes);
/* The number of races in the last run, and of barriers that not all threads of a CTA came to, repeats included. 0 when the detector was off. */
uint64_t heddle_race_count(const heddle *h);

/* Counts what happens by instruction and by source line in the timed runs that follow: heddle_instruction_at, heddle_line_at, heddle_listing, and the
 * listing of an HTML report. A run takes longer (docs/reports.md, "What it costs"). */
void heddle_profile(heddle *h, bool on);

/* A part of a run. Zeroed: all of it. */
typedef struct heddle_trace_limits {
	uint64_t first, last; /* cycles, both inclusive; last = 0: to the end */
	bool one_core, one_slot;
	uint32_t core;            /* with one_core */
	uint32_t scheduler, slot; /* with one_slot: the warp slot of a scheduler */
} heddle_trace_limits;

/* Asks for a trace of the timed runs that follow (docs/reports.md): "konata:FILE", "perfetto:FILE", "vcd:FILE", "stages:FILE", or
 * "explore:FILE", a page for a browser (docs/reports.md). The file is written when the run has ended, and each run replaces it. `limits` may be
 * NULL. At most 8 traces at a time. A run whose trace cannot be written returns HEDDLE_BAD_INPUT and a message. */
bool heddle_trace(heddle *h, const char *kind_and_path, const heddle_trace_limits *limits);
/* Ends all requests for traces. */
void heddle_untrace(heddle *h);

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

/* Measures what micro-kernels reach on this machine: operations a cycle of pipes, bytes a cycle of shared memory, both levels of caches and DRAM.
 * Reports of timed runs on this machine then have a roofline (docs/reports.md). A second call measures only if the machine has changed. False and a
 * message if the machine cannot run the kernels. It takes a second or more of the host, by the number of cores. */
bool heddle_roofline(heddle *h);

/* HTML: one self-contained page. It shows time and source lines if heddle_profile was on. */
typedef enum heddle_format { HEDDLE_TEXT, HEDDLE_JSON, HEDDLE_HTML } heddle_format;
/* A report of the last run. The caller frees it with heddle_text_free. Two equal runs have equal reports except for the group `host`. NULL and a
 * message without a run. */
char *heddle_report(heddle *h, heddle_format format);
/* Releases a text that a function of this header returned as `char *`. */
void heddle_text_free(char *text);

/* Names of the causes of lost issue slots, NULL-terminated: "no_warp", "fetch", ... (src/launch/stall.def). */
const char *const *heddle_causes(void);

/* Counts of the last run, if heddle_profile was on; otherwise 0. */
typedef struct heddle_counts {
	uint64_t issued, dropped; /* warp instructions issued, and those dropped because no lane was active */
	uint64_t lanes;           /* active lanes, summed over the executions */
	uint64_t slots;           /* issue slots that were used */
	uint64_t descheduled;     /* how often a warp was de-scheduled before its issue */
	uint64_t queue_cycles;    /* cycles between issue and entry into the pipe */
	uint64_t pipe_cycles;     /* cycles between entry and result */
	uint64_t sectors;         /* 32-byte sectors of global and local memory that its accesses needed */
	const uint64_t *lost;     /* issue slots lost while it was the next to issue, in the order of heddle_causes */
} heddle_counts;

/* A program is a row of words. Some are instructions, some scheduling words. */
unsigned heddle_word_count(const heddle *h);
typedef struct heddle_instruction {
	uint32_t word;
	const char *text; /* assembly; valid until the next call that describes an instruction or finding of this heddle */
	const char *file; /* of the source; NULL: unknown */
	uint32_t line, column;
	heddle_counts counts; /* `lost` is valid until the next run or build */
} heddle_instruction;
/* False when the word is no instruction. */
bool heddle_instruction_at(heddle *h, unsigned word, heddle_instruction *instruction);

/* Source lines that have code, by file and number, with the sums of their instructions. Instructions without a line are in none. */
typedef struct heddle_line {
	const char *file;
	uint32_t line;
	heddle_counts counts; /* `lost` is valid until the next run or build */
	const char *text;     /* of the source; NULL: it cannot be read. Valid until the next run or build */
} heddle_line;
unsigned heddle_line_count(heddle *h);
bool heddle_line_at(heddle *h, unsigned index, heddle_line *line);

/* The source with the counts of each line and instruction, as text. NULL and a message unless heddle_profile was on in the last run, which was timed.
 * The caller frees it with heddle_text_free. */
char *heddle_listing(heddle *h);

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
	const char *assume;    /* what a proof may lean on: "all", "none" or a list such as "A1,A3"; NULL: all but A10 */
	bool strict;           /* of these only assumptions with a published source */
	bool slack;            /* the report has the slack of each stall and the waits that no register needs */
} heddle_sass_options;

/* Checks that stall counts and counters of machine code for NVIDIA's GPUs (sm_75 to sm_90) keep all registers in order. The bytes are a cubin, a fat
 * binary, or a program or object file of the host with cubins in it. `name` stands for the file in messages. `options` may be NULL. Findings, and
 * what is wrong with bad input, are in heddle_messages. `json` may be NULL. It receives the report of schema heddle-sass-check-1, which the caller
 * frees; NULL for bad input. Machine and program of `h` do not matter. */
heddle_sass_verdict heddle_sass_check(heddle *h, const void *bytes, size_t size, const char *name, const heddle_sass_options *options, char **json);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
