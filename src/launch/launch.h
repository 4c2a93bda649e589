/* A launch, for interpreter and machine alike: the loaded program, device memory, address windows, the constant bank, traps. */
#ifndef HD_LAUNCH_H
#define HD_LAUNCH_H

#include "launch/stall.h"
#include "object/object.h"
#include "semantics/semantics.h"

/* -- generic address space (PD-21): the windows are in object.h -------------------------------------------------------------------- */
#define HD_GLOBAL_BASE UINT64_C(0x0000001000000000)
#define HD_SYSTEM_BASE UINT64_C(0x0000080000000000) /* system memory (PD-38) is here and above, device memory below */
#define HD_SHARED_BASE UINT64_C(0x0000100000000000) /* no allocation that the host gave no address is here or above */

static inline hd_space hd_window(uint64_t address)
{
	if (address - HD_WINDOW_SHARED < HD_WINDOW_BYTES)
		return HD_SPACE_SHARED;
	return address - HD_WINDOW_LOCAL < HD_WINDOW_BYTES ? HD_SPACE_LOCAL : HD_SPACE_GLOBAL;
}

static inline bool hd_is_global(const hd_access_op *op, uint64_t address)
{
	return op->space == HD_SPACE_GLOBAL || (op->space == HD_SPACE_NONE && hd_window(address) == HD_SPACE_GLOBAL);
}

/* -- device (global) memory -------------------------------------------------------------------------------------------------------
 * Allocations with unmapped gaps between them, so that a kernel that leaves its buffer traps instead of hitting the next one. Addresses
 * depend only on the order and sizes of allocations; none is used twice. One hd_memory may be used by one thread at a time. */
typedef struct hd_memory hd_memory;
hd_memory *hd_memory_new(uint64_t limit); /* at most `limit` bytes in all */
void hd_memory_free(hd_memory *memory);
/* Zeroed memory, aligned to 256 bytes; 0 when the limit is passed or the host has no more. `name` (copied, may be NULL) appears in traps. bytes =
 * 0 gives a valid address that no access hits. */
uint64_t hd_memory_alloc(hd_memory *memory, uint64_t bytes, const char *name);
/* The same in system memory, which the machine reaches through the host interface (PD-38). */
uint64_t hd_memory_alloc_system(hd_memory *memory, uint64_t bytes, const char *name);
/* Makes `bytes` bytes of the host device memory, at the address that they have on the host: pointers to them mean the same on both. The owner keeps
 * them until hd_memory_release or hd_memory_free. False when the limit is passed, they overlap another allocation, or lie below HD_SHARED_BASE. */
bool hd_memory_share(hd_memory *memory, void *host, uint64_t bytes, const char *name);
/* The same for bytes that threads of the host may read and change while a kernel runs: none of the functions below but the next one finds them, and
 * only hd_live_perform (live.h) accesses them. */
bool hd_memory_share_live(hd_memory *memory, void *host, uint64_t bytes, const char *name);
/* Host pointer to `bytes` bytes at `address`, all within one allocation, live or not; NULL otherwise. *live, which the
 * caller sets to false, becomes true if it is live. */
void *hd_memory_any_at(hd_memory *memory, uint64_t address, uint64_t bytes, bool *live);
bool hd_memory_release(hd_memory *memory, uint64_t address);
/* Host pointer to `bytes` bytes at `address`, all within one allocation; NULL otherwise. Valid until the allocation is released. */
void *hd_memory_at(hd_memory *memory, uint64_t address, uint64_t bytes);
/* The allocation that holds `address`: its first host byte, its base and size. NULL if there is none. Callers need one search for many lanes. */
uint8_t *hd_memory_find(hd_memory *memory, uint64_t address, uint64_t *base, uint64_t *size);
/* The same for threads that read one hd_memory side by side, each with hits of its own, which begin as zeros. */
typedef struct hd_memory_hits {
	size_t at[8]; /* index of the allocation last found for a 64 KiB granule, by granule modulo 8; checked before use */
} hd_memory_hits;
uint8_t *hd_memory_find_with(const hd_memory *memory, hd_memory_hits *hits, uint64_t address, uint64_t *base, uint64_t *size);
void *hd_memory_at_with(const hd_memory *memory, hd_memory_hits *hits, uint64_t address, uint64_t bytes);
/* For messages: the allocation that holds the address, or the next one below it. */
bool hd_memory_describe(const hd_memory *memory, uint64_t address, const char **name, uint64_t *base, uint64_t *size);
/* The same for the allocation that begins above the address, the nearest one. */
bool hd_memory_describe_above(const hd_memory *memory, uint64_t address, const char **name, uint64_t *base, uint64_t *size);
/* The allocations in the order of their addresses: base and size of number `index`. False when there is none. */
bool hd_memory_nth(const hd_memory *memory, size_t index, uint64_t *base, uint64_t *size);
/* Pages (PD-38). An allocation maps every page of `bytes` bytes, a power of 2, that it has a byte in. 0 = no pages, as at first. */
void hd_memory_set_page(hd_memory *memory, uint32_t bytes);
uint32_t hd_memory_page(const hd_memory *memory);

/* -- the loaded program -------------------------------------------------------------------------------------------------------------
 * Each static instruction decoded once. Shared by all launches; immutable after hd_program_new. */
typedef struct hd_slot {
	_Alignas(64) hd_inst inst;
	hd_sem_fn *fn;               /* NULL: no part that is a pure function */
	const hd_vec32 *imm;         /* broadcast immediate b (1 or 2 vectors), NULL without */
	hd_access_op access;         /* of a memory instruction */
	uint8_t pipe, klass, format; /* from the row */
	uint8_t words[3];            /* 32-bit words of sources a, b, c; 0 = none */
	uint8_t registers;           /* bit i: source i is read from the register file; without RZ, immediates and the constant bank */
	uint8_t dwords;              /* 32-bit words of the destination; 0 = none or RZ or predicate */
	uint8_t dpred;               /* destination predicate 0..6, HD_PT = none; CARRY: the carry-out */
	bool others;                 /* it has sources beside a, b and c: predicates, a special register, values of other lanes */
	uint8_t is_ss;               /* scheduling word: not an instruction */
	uint16_t predecode;          /* its bytes of the scheduling word: one or two (PD-24) */
	uint8_t by_table;            /* the byte that its three bits stand for (PD-28) */
} hd_slot;

/* The sources of a slot that are read from the register file, as hd_slot.registers. `imm`: b is an immediate. */
static inline uint8_t hd_slot_registers(const hd_slot *slot, bool imm)
{
	const uint8_t source[3] = {slot->inst.a, slot->inst.b, slot->inst.c};
	unsigned mask = 0;
	for (unsigned i = 0; i < 3; i++)
		mask |= (unsigned)(slot->words[i] && source[i] != HD_RZ && (imm ? i != 1 : slot->inst.ksel != i + 1)) << i;
	return (uint8_t)mask;
}

/* As hd_slot.others. */
static inline bool hd_slot_others(const hd_inst *inst)
{
	unsigned format = hd_ops[inst->op].format;
	return format == HD_F_SEL || format == HD_F_VOTE || format == HD_F_CARRY || format == HD_F_PLOP || inst->op == HD_OP_S2R ||
	       inst->op == HD_OP_XLANE;
}

typedef struct hd_program {
	const hd_object *object; /* not owned, outlives the program */
	hd_slot *slots;          /* n_slots, by word address */
	uint32_t n_slots;
	hd_vec32 *immediates;
	uint32_t *first_bars; /* by word (first_bars.h); NULL: the program has no `bar` */
	uint64_t data_base;   /* where the data segment was put in memory; relocated */
	bool launches;        /* some instruction launches grids or pushes to queues */
	bool crosses;         /* some instruction moves values across lanes: it needs warps of HD_LANES threads */
	bool ranges;          /* some instruction reads the words of the range (hd_range) */
	bool prints;          /* some instruction reads the place of the print buffer: launches of the program need one (api/print.h) */
} hd_program;
/* Validates and decodes the object and loads its data segment into `memory`. NULL and errors in diag on failure. */
hd_program *hd_program_new(const hd_object *object, hd_memory *memory, hd_diag *diag);
/* The same with the data segment at an address that the caller has allocated: object->data.n bytes, which hd_memory_at finds. 0 = as hd_program_new.
 */
hd_program *hd_program_new_at(const hd_object *object, hd_memory *memory, uint64_t data_base, hd_diag *diag);
void hd_program_free(hd_program *program);
/* Appends the word and the source line of an instruction. */
void hd_program_print_place(const hd_program *program, uint32_t pc, hd_text *out);

/* -- a launch -------------------------------------------------------------------------------------------------------------------------- */
/* The range of threads that a launch is a part of, where OpenCL's work-groups have several sizes (non-uniform work-groups). The groups of one size
 * are a launch. The launch's offset is that of its own threads: those of group 0, if it had the launch's block, so that
 * CTA x block + thread + offset is the thread's place in the range. */
typedef struct hd_range {
	uint64_t offset[3], size[3]; /* of the whole range, in threads */
	uint32_t groups[3];          /* of the whole range */
	uint32_t first[3];           /* group that the launch's CTA 0 is */
	uint32_t block[3];           /* threads of a full group */
} hd_range;

typedef struct hd_launch {
	const hd_program *program;
	const hd_kernel *kernel;
	uint32_t grid[3], block[3]; /* CTAs; threads of a CTA (1..1024 in all) */
	uint64_t offset[3];         /* global offset (OpenCL), in threads */
	uint32_t work_dim;
	const hd_range *range;   /* not owned; NULL = the launch is the whole range */
	const uint8_t *params;   /* kernel->param_bytes bytes */
	uint32_t dynamic_shared; /* bytes, after the static part aligned to 16 */
	uint32_t lanes;          /* threads of a warp (RC-23); 0 = HD_LANES */
	bool cooperative;        /* its CTAs wait for each other: the interpreter runs all of them at once, as the machine does where they fit */
	uint32_t grid_id;
	uint32_t handle;                    /* handle of its task descriptor in the run (tasks/task.h), for launches and pushes by its own threads */
	uint64_t print_buffer, print_bytes; /* address, and bytes for records; 0 unless hd_print_open gave the launch one */
} hd_launch;

/* False and an error if the launch is impossible (block too large, grid 0, too many parameters ...). */
bool hd_launch_check(const hd_launch *launch, hd_diag *diag);

/* The launch's constant bank: bytes for LDC and the first 256 words broadcast for operands. */
typedef struct hd_bank {
	uint32_t bytes;
	uint32_t id; /* handle of the launch: places the bank in the caches */
	uint8_t raw[HD_BANK_MAX];
	hd_vec32 words[HD_CONST_WORDS];
} hd_bank;
/* Owner frees with free(). NULL and an error as hd_launch_check. */
hd_bank *hd_bank_new(const hd_launch *launch, hd_diag *diag);
/* Makes a bank, which is zeroed or that of another launch, the bank of this launch. Requires that hd_launch_check accepts the launch. */
void hd_bank_fill(hd_bank *bank, const hd_launch *launch);

/* Where `size` bytes of shared memory for an argument of OpenCL begin, behind the first `end` bytes. They are aligned to 16, to what the kernel says
 * of the argument, and to what divides their size, up to the largest vector (long16): an array is a multiple of its type's size, and what a kernel
 * says leaves out types that it gets as other ones. */
uint64_t hd_shared_argument(const hd_param *param, uint64_t end, uint64_t size);

/* Bytes of shared memory of a CTA of this launch: as many as it asks for, so an access behind them traps. Dynamic memory begins at a multiple of 16.
 */
static inline uint32_t hd_launch_shared(const hd_launch *launch)
{
	uint32_t fixed = launch->kernel->shared_bytes;
	return launch->dynamic_shared ? ((fixed + 15) & ~15u) + launch->dynamic_shared : fixed;
}
static inline uint32_t hd_launch_threads(const hd_launch *launch) { return launch->block[0] * launch->block[1] * launch->block[2]; }

/* The threads of a warp, and the warps of a CTA (RC-23). */
static inline uint32_t hd_launch_lanes(const hd_launch *launch) { return launch->lanes ? launch->lanes : HD_LANES; }
static inline uint32_t hd_launch_warps(const hd_launch *launch) { return hd_divide_up_u32(hd_launch_threads(launch), hd_launch_lanes(launch)); }

/* Special registers that do not change while a warp lives, for warp `warp` of CTA `cta` (grid coordinates). With warps of L threads, thread t of a
 * CTA is lane t % L of warp t / L, x fastest. Clock and core number are up to the caller. */
void hd_special(const hd_launch *launch, const uint32_t cta[3], uint32_t warp, hd_sreg which, hd_vec32 *out);
/* The lanes of that warp that exist. */
uint32_t hd_warp_lanes(const hd_launch *launch, uint32_t warp);

/* -- memory access of one lane (after windows): shared by interpreter and machine --------------------------------------------------- */
/* Reads or writes `size` (hd_size) at host bytes, little-endian; loads extend as the size says, into up to 4 words. */
static inline uint32_t hd_load_word(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }
static inline void hd_store_word(uint8_t *p, uint32_t word)
{
	p[0] = (uint8_t)word;
	p[1] = (uint8_t)(word >> 8);
	p[2] = (uint8_t)(word >> 16);
	p[3] = (uint8_t)(word >> 24);
}
void hd_load_lane(const void *bytes, unsigned size, uint32_t out[4]);
void hd_store_lane(void *bytes, unsigned size, const uint32_t in[4]);

/* -- how a launch ended ------------------------------------------------------------------------------------------------------------------ */
typedef enum hd_trap_kind {
	HD_TRAP_NONE,
	HD_TRAP_ADDRESS /* outside every allocation or window */,
	HD_TRAP_ALIGNMENT,
	HD_TRAP_INSTRUCTION /* trap executed */,
	HD_TRAP_PC /* control left the code or reached a word that is no instruction: pc = the branch, address = the target word address */,
	HD_TRAP_CALL_DEPTH,
	HD_TRAP_RETURN,
	HD_TRAP_DIVERGENCE /* divergence that the configured flow unit cannot handle: `text` says what (RC-10, RC-16) */,
	HD_TRAP_DEADLOCK,
	HD_TRAP_CYCLES /* limit reached */,
	HD_TRAP_COUNTER /* fence counter out of range (HZ-8) */,
	HD_TRAP_RESOURCES /* CTA does not fit a core */,
	HD_TRAP_INTERRUPTED,
	HD_TRAP_LAUNCH /* a launch or push by a thread that is impossible or exceeds a limit: `text` says which */,
	HD_TRAP_PAGE /* with pages (PD-38): no page maps the address of global memory */,
} hd_trap_kind;
/* The kind of the fault of an access to global memory that is in no allocation: HD_TRAP_PAGE if no page maps `address`, else HD_TRAP_ADDRESS. */
hd_trap_kind hd_memory_fault(const hd_memory *memory, uint64_t address);

#define HD_TRAP_NO_WORD UINT32_MAX
typedef struct hd_trap {
	hd_trap_kind kind;
	const char *kernel; /* kernel of the launch, not owned */
	uint32_t pc;        /* word address; HD_TRAP_NO_WORD: of machine code, whose place is in the text */
	uint32_t core, warp, lane;
	uint32_t cta[3], thread[3];
	uint64_t address, cycle;
	uint32_t shared, local; /* size of the CTA's shared memory and of the thread's local memory */
	uint32_t bytes;         /* size of the access */
	uint8_t store;
	bool warns;   /* the run goes on: a warning (launch/bounds.h) */
	bool untimed; /* by the interpreter: `cycle` counts warp instructions */
	char *text;   /* further text (deadlock report, ...), owned; NULL without */
} hd_trap;
/* Notes the CTA of a trap: its place in the launch, or in the range that the launch is a part of. */
static inline void hd_trap_place(hd_trap *trap, const hd_launch *launch, const uint32_t cta[3])
{
	for (unsigned i = 0; i < 3; i++)
		trap->cta[i] = cta[i] + (launch->range ? launch->range->first[i] : 0);
}
/* "FILE:LINE:COLUMN: error: kernel 'K': ..." ("error: ..." without a line table), then lines with the word address, instruction, CTA, thread and
 * warp, then the trap's own text. Whole lines. */
void hd_trap_print(hd_text *out, const hd_trap *trap, const hd_launch *launch, hd_memory *memory);
void hd_trap_free(hd_trap *trap);

enum { HD_ENTRY_SPAN = 32 }; /* cycles: the time over which the statistic `squares` of group `entry` sums the use of a pipe (MI-16) */

/* All counters that a run reports, one row of stats.def each. `stall` is group `stall` as an array. */
typedef struct hd_stats {
	union {
		uint64_t stall[HD_STALL_COUNT];
		struct {
#define STALL(id, name, ...) uint64_t stall_##name;
#include "launch/stall.def"
#undef STALL
		};
	};
#define HD_STATS_BUT_STALLS
#define STAT(group, name, doc) uint64_t group##_##name;
#include "launch/stats.def"
#undef STAT
#undef HD_STATS_BUT_STALLS
} hd_stats;
void hd_stats_add(hd_stats *into, const hd_stats *from);

#endif
