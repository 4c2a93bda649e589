/* Runs a single instruction on the interpreter: from a complete state of a warp and its memory to the next state. The instruction is encoded,
 * validated, decoded and prepared as in any program, so encoder, decoder, loader and interpreter are all tested. */
#ifndef HD_TEST_SINGLE_STEP_H
#define HD_TEST_SINGLE_STEP_H

#include "build.h"
#include "interp/state.h"
#include "../test.h"

enum {
	STEP_REGISTERS = HD_RZ + 5, /* five more than a thread has: code that takes RZ for a register reads or writes these */
	STEP_GLOBAL = 1024,         /* bytes */
	STEP_SHARED = 512,
	STEP_LOCAL = 64, /* of each lane */
	STEP_BANK = 4 * HD_CONST_WORDS,
	STEP_WARPS = 4, /* of the CTA; warp 0 runs, the others wait at barriers */
	STEP_DEPTH = 2, /* nesting of calls at most */
	STEP_VARIANTS = 8,
	STEP_CHILD = 64,                      /* bytes from one task descriptor in memory to the next */
	STEP_HEAD = 2 * HD_LINE_WORDS,        /* words of `trap` before the first instruction, and after the last */
	STEP_QUEUE = 1,                       /* handle of the queue that QPUSH finds */
	STEP_CHILD_ENTRY = HD_LINE_WORDS + 1, /* of the kernel that LAUNCH finds */
};

/* Where the lanes are. All fields have 32 bits, so two of these can be compared byte by byte. */
typedef struct step_flow {
	uint32_t pc, active, here, alive, next_stop, lane_pc[HD_LANES], depth;
	hd_oracle_frame frames[STEP_DEPTH];
	uint32_t barrier, barrier_pc, at_barrier[STEP_WARPS]; /* at_barrier[0] is `barrier` */
	uint32_t arrived[HD_ORACLE_BARRIERS], came[HD_ORACLE_BARRIERS], for_all[HD_ORACLE_BARRIERS];
} step_flow;

/* How the instruction ended, and what it did outside of the warp. All fields have 32 bits. */
typedef struct step_end {
	uint32_t stop; /* hd_oracle_stop */
	uint32_t trap, pc, lane, bytes, store, address[2], text[2];
	uint32_t tasks[2]; /* a hash of all grids and queues */
} step_end;

typedef struct step_state {
	hd_vec32 registers[STEP_REGISTERS];
	uint32_t predicates[HD_PREDS + 1];
	step_flow flow;
	step_end end;
	uint8_t global[STEP_GLOBAL], shared[STEP_SHARED], local[HD_LANES * STEP_LOCAL];
} step_state;

typedef struct single_step {
	build b;
	hd_memory *memory;
	uint64_t global; /* address of the only buffer in global memory */
	hd_program *program;
	hd_launch launch;
	hd_oracle *oracle;
	hd_oracle_warp warps[STEP_WARPS];
	hd_oracle_frame frames[STEP_DEPTH];
	hd_stats stats;
	hd_trap trap;
	uint8_t params[8];
	uint32_t at[STEP_VARIANTS]; /* word addresses of the instructions */
} single_step;

static inline single_step *step_new(void)
{
	single_step *o = hd_xaligned(sizeof *o);
	o->memory = hd_memory_new(1 << 20);
	o->global = hd_memory_alloc(o->memory, STEP_GLOBAL, "global");
	o->oracle = hd_xaligned(sizeof *o->oracle);
	o->oracle->bank = hd_xaligned(sizeof *o->oracle->bank);
	o->oracle->bank->bytes = STEP_BANK;
	return o;
}

static inline void step_put_traps(build *b, uint32_t end)
{
	while (here(b) < end)
		emit(b, I(.op = HD_OP_TRAP));
}

/* Every `trap` before and behind the instructions can be gone to by them: it is an indirect target and, for calls, a function of its own
 * (docs/timing.md, "Control flow of a program"). */
static inline void step_put_targets(build *b, hd_op op, unsigned n)
{
	bool call = op == HD_OP_CALL || op == HD_OP_CALLX;
	uint32_t tail = STEP_HEAD + HD_LINE_WORDS * n + 2;
	for (uint32_t word = 1; word < b->object->code.n; word++) {
		if (word == STEP_HEAD && call)
			hd_vec_push(&b->object->functions, (hd_function){.name = hd_xstrdup("middle"), .begin = STEP_HEAD, .end = tail});
		if (word % HD_LINE_WORDS == 0 || (word >= STEP_HEAD && word < tail))
			continue;
		hd_vec_push(&b->object->targets, word);
		if (call)
			hd_vec_push(&b->object->functions, (hd_function){.name = hd_xstrdup("trap"), .begin = word, .end = word + 1});
	}
}

/* Loads a program with `n` instructions, each in a line of its own, every other one at the end of the line. Everything else is `trap`. */
static inline void step_load(single_step *o, const hd_inst *inst, unsigned n)
{
	hd_diag diag = {0};
	o->b = build_new();
	for (unsigned i = 0; i < n; i++) {
		step_put_traps(&o->b, STEP_HEAD + HD_LINE_WORDS * i + (i % 2 ? HD_LINE_WORDS - 1 : 3));
		o->at[i] = emit(&o->b, inst[i]);
	}
	step_put_traps(&o->b, 2 * STEP_HEAD + HD_LINE_WORDS * n);
	step_put_targets(&o->b, (hd_op)inst[0].op, n);
	build_end(&o->b, 1, 0);
	build_end(&o->b, STEP_CHILD_ENTRY, sizeof o->params);
	hd_kernel *kernel = &o->b.object->kernels.at[0];
	kernel->registers = HD_RZ;
	kernel->shared_bytes = STEP_SHARED;
	kernel->local_bytes = STEP_LOCAL;
	o->program = hd_program_new(o->b.object, o->memory, &diag);
	if (!o->program)
		fail_msg("%s", diag.text.at);
	o->launch =
	    (hd_launch){.program = o->program, .kernel = kernel, .grid = {3, 2, 1}, .block = {STEP_WARPS * HD_LANES, 1, 1}, .params = o->params};
	hd_oracle *oracle = o->oracle;
	*oracle =
	    (hd_oracle){.program = o->program, .memory = o->memory, .launch = &o->launch, .bank = oracle->bank, .stats = &o->stats, .trap = &o->trap};
	oracle->call_depth = STEP_DEPTH;
	oracle->warps = o->warps;
	oracle->n_warps = oracle->room = STEP_WARPS;
	oracle->shared_bytes = oracle->shared_room = STEP_SHARED;
	oracle->cta[0] = 2;
	oracle->cta[1] = 1;
	oracle->item = UINT64_C(0x123456789abcdef0);
	hd_oracle_prepare(oracle);
}

static inline void step_unload(single_step *o)
{
	free(o->oracle->ops);
	hd_program_free(o->program);
	hd_object_free(o->b.object);
}

static inline void step_free(single_step *o)
{
	free(o->oracle->bank);
	free(o->oracle);
	hd_memory_free(o->memory);
	free(o);
}

static inline void step_hash(uint32_t hash[2], const void *data, size_t bytes)
{
	uint64_t h = hd_hash(hash[0] | (uint64_t)hash[1] << 32, data, bytes);
	hash[0] = (uint32_t)h;
	hash[1] = (uint32_t)(h >> 32);
}

/* Hashes all grids and the entries of their queues. */
static inline void step_hash_tasks(uint32_t hash[2], const hd_tasks *tasks)
{
	for (size_t i = 0; i < tasks->at.n; i++) {
		const hd_grid *grid = tasks->at.at[i];
		uint32_t is[] = {grid->handle, grid->priority, grid->depth, grid->at_head, grid->queue, grid->launch.dynamic_shared, grid->items.n};
		step_hash(hash, is, sizeof is);
		step_hash(hash, grid->launch.grid, sizeof grid->launch.grid);
		step_hash(hash, grid->launch.block, sizeof grid->launch.block);
		step_hash(hash, grid->launch.params, grid->launch.kernel->param_bytes);
		for (uint32_t k = 0; k < grid->items.n; k++)
			step_hash(hash, &grid->items.at[(grid->items.head + k) % grid->items.cap].value, sizeof(uint64_t));
	}
}

static inline void step_put_flow(single_step *o, step_state *s)
{
	const step_flow *flow = &s->flow;
	hd_oracle_warp *w = &o->warps[0];
	*w = (hd_oracle_warp){.registers = s->registers, .pc = flow->pc, .active = flow->active, .here = flow->here, .alive = flow->alive};
	w->next_stop = flow->next_stop;
	w->depth = flow->depth;
	w->frames = o->frames;
	w->frames_cap = STEP_DEPTH;
	w->local = s->local;
	w->local_room = sizeof s->local;
	w->barrier_pc = flow->barrier_pc;
	memcpy(w->predicates, s->predicates, sizeof w->predicates);
	memcpy(w->lane_pc, flow->lane_pc, sizeof w->lane_pc);
	memcpy(o->frames, flow->frames, sizeof o->frames);
	for (unsigned i = 0; i < STEP_WARPS; i++) {
		o->warps[i].barrier = (int)flow->at_barrier[i];
		o->warps[i].number = i;
	}
	for (unsigned i = 0; i < HD_ORACLE_BARRIERS; i++) {
		o->oracle->arrived[i] = flow->arrived[i];
		o->oracle->came[i] = flow->came[i];
		o->oracle->for_all[i] = flow->for_all[i] != 0;
	}
}

static inline void step_get_flow(const single_step *o, step_state *s)
{
	step_flow *flow = &s->flow;
	const hd_oracle_warp *w = &o->warps[0];
	flow->pc = w->pc;
	flow->active = w->active;
	flow->here = w->here;
	flow->alive = w->alive;
	flow->next_stop = w->next_stop;
	flow->depth = w->depth;
	flow->barrier_pc = w->barrier_pc;
	memcpy(s->predicates, w->predicates, sizeof w->predicates);
	memcpy(flow->lane_pc, w->lane_pc, sizeof w->lane_pc);
	memcpy(flow->frames, o->frames, sizeof o->frames);
	for (unsigned i = 0; i < STEP_WARPS; i++)
		flow->at_barrier[i] = (uint32_t)o->warps[i].barrier;
	flow->barrier = flow->at_barrier[0];
	for (unsigned i = 0; i < HD_ORACLE_BARRIERS; i++) {
		flow->arrived[i] = o->oracle->arrived[i];
		flow->came[i] = o->oracle->came[i];
		flow->for_all[i] = o->oracle->for_all[i];
	}
}

static inline void step_get_end(single_step *o, step_state *s, hd_oracle_stop stop, uint32_t next)
{
	hd_trap *trap = &o->trap;
	/* The interpreter does not count an instruction that no lane executes, so the warp ran into the `trap` behind it. */
	if (stop == HD_ORACLE_TRAPPED && trap->kind == HD_TRAP_INSTRUCTION && trap->pc == next) {
		hd_trap_free(trap);
		*trap = (hd_trap){0};
		stop = HD_ORACLE_MORE;
	}
	s->end.stop = stop;
	s->end.trap = trap->kind;
	s->end.pc = trap->pc;
	s->end.lane = trap->lane;
	s->end.bytes = trap->bytes;
	s->end.store = trap->store;
	s->end.address[0] = (uint32_t)trap->address;
	s->end.address[1] = (uint32_t)(trap->address >> 32);
	if (trap->text)
		step_hash(s->end.text, trap->text, strlen(trap->text));
	hd_trap_free(trap);
	*trap = (hd_trap){0};
}

/* Executes the instruction at s->flow.pc. Afterwards `s` is the state behind it. */
static inline void step_run(single_step *o, step_state *s)
{
	hd_oracle *oracle = o->oracle;
	hd_tasks tasks;
	hd_diag diag = {0};
	hd_task list[] = {{.launch = o->launch}, [STEP_QUEUE] = {.launch = o->launch, .queue = true}};
	uint32_t next = hd_oracle_next(oracle, s->flow.pc);
	uint8_t *global = hd_memory_at(o->memory, o->global, STEP_GLOBAL);
	memcpy(global, s->global, STEP_GLOBAL);
	memset(&s->end, 0, sizeof s->end);
	memset(&o->stats, 0, sizeof o->stats);
	o->stats.run_warp_instructions = 1000; /* the clock that s2r reads */
	oracle->shared = s->shared;
	oracle->child_grids = NULL;
	oracle->joins = 0;
	oracle->registers = s->registers;
	step_put_flow(o, s);
	if (o->program->launches) {
		list[STEP_QUEUE].launch.grid[0] = list[STEP_QUEUE].launch.grid[1] = 1;
		assert_true(hd_tasks_init(&tasks, list, HD_COUNT(list), (hd_task_limits){4, 100, 100}, &diag));
		oracle->tasks = &tasks;
		oracle->grid = tasks.at.at[0];
		step_get_end(o, s, hd_oracle_run(oracle, 0, 1, 1), next);
		step_hash_tasks(s->end.tasks, &tasks);
		hd_tasks_free(&tasks);
	} else {
		step_get_end(o, s, hd_oracle_run(oracle, 0, 1, 1), next);
	}
	step_get_flow(o, s);
	memcpy(s->global, global, STEP_GLOBAL);
}

#endif
