#include "interp/state.h"

enum {
	ALONE = 1 << 16,      /* instructions of a grid before its CTAs go to several threads: threads cost some 0.1 ms */
	KEPT_BYTES = 1 << 20, /* of warps and shared memory, between two runs */
};

static bool is_little_endian(void)
{
	const uint16_t one = 1;
	return *(const uint8_t *)&one == 1;
}

/* The memory that block.c accesses for a load or store that writes `dwords` registers. */
static uint8_t block_kind(const hd_inst *inst, uint8_t dwords)
{
	static const uint8_t of_space[] = {[HD_SPACE_NONE] = HD_ORACLE_BLOCK_NONE,
	                                   [HD_SPACE_GLOBAL] = HD_ORACLE_BLOCK_GLOBAL,
	                                   [HD_SPACE_SHARED] = HD_ORACLE_BLOCK_SHARED,
	                                   [HD_SPACE_LOCAL] = HD_ORACLE_BLOCK_LOCAL,
	                                   [HD_SPACE_CONST] = HD_ORACLE_BLOCK_BANK};
	const hd_op_info *info = &hd_ops[inst->op];
	unsigned bytes = hd_size_bytes(inst->sub);
	bool whole = info->format == HD_F_ST || dwords == hd_max_u32(bytes / 4, 1); /* a result that is dropped has no register */
	if (!is_little_endian() || !whole || info->flags & HD_OPF_ATOMIC)
		return HD_ORACLE_BLOCK_NONE;
	return inst->op == HD_OP_LDK ? HD_ORACLE_BLOCK_GLOBAL_CONSTANT : of_space[hd_op_space(info)];
}

static uint8_t kind_of(const hd_slot *slot)
{
	if (slot->is_ss)
		return HD_ORACLE_BAD;
	if (slot->pipe == HD_PIPE_NONE)
		return HD_ORACLE_NOP;
	if (slot->inst.op == HD_OP_S2R || slot->inst.op == HD_OP_XLANE)
		return HD_ORACLE_SREG;
	if (hd_ops[slot->inst.op].flags & HD_OPF_MEM)
		return HD_ORACLE_MEMORY;
	return slot->fn ? HD_ORACLE_PURE : HD_ORACLE_FLOW;
}

static const hd_oracle_path *path_of_host(void)
{
#ifdef HD_HOST_PATHS
	if (strcmp(hd_sem_host_path(), "x86-64-v4") == 0)
		return &hd_oracle_path_v4;
	if (strcmp(hd_sem_host_path(), "x86-64-v3") == 0)
		return &hd_oracle_path_v3;
#endif
	return &hd_oracle_path_generic;
}

/* True when a lane's result depends on the same lane's operands alone, and on no predicate. */
static bool lanes_alike(const hd_inst *inst)
{
	const hd_op_info *info = &hd_ops[inst->op];
	bool registers = info->format == HD_F_ALU || info->format == HD_F_MOVI || info->format == HD_F_SETP || info->format == HD_F_SUB;
	return registers && !(info->flags & (HD_OPF_CROSS | HD_OPF_SIDE | HD_OPF_VAR | HD_OPF_MEM));
}

static void name(hd_oracle_op *op, uint32_t first, uint32_t words)
{
	for (uint32_t reg = first; reg < first + words && reg < HD_REGISTERS; reg++)
		op->names.bits[reg / 64] |= UINT64_C(1) << (reg % 64);
}

void hd_oracle_prepare(hd_oracle *o)
{
	const hd_program *program = o->program;
	o->path = path_of_host();
	o->n_ops = program->n_slots;
	o->ops = hd_xcalloc(o->n_ops, sizeof *o->ops);
	uint32_t registers = 1; /* one more than the highest register that an instruction names */
	for (uint32_t word = 0; word < o->n_ops; word++) {
		const hd_slot *slot = &program->slots[word];
		const hd_inst *inst = &slot->inst;
		hd_oracle_op *op = &o->ops[word];
		op->kind = kind_of(slot);
		if (op->kind == HD_ORACLE_BAD)
			continue;
		op->inst = inst;
		op->access = &slot->access;
		op->fn = slot->fn ? hd_sem_find_code(inst)->team : NULL;
		op->alone = op->kind == HD_ORACLE_PURE && lanes_alike(inst) ? hd_sem_find_code(inst)->alone : NULL;
		op->guard = inst->guard;
		op->always = hd_is_unguarded(inst);
		op->guard_flip = inst->guard_neg;
		op->dwords = slot->dwords;
		op->dst = slot->dwords ? inst->d : 0;
		op->constant = true;
		name(op, op->dst, slot->dwords);
		op->dpred = slot->dpred;
		op->next = hd_object_after(program->object, word);
		op->block = op->kind == HD_ORACLE_MEMORY ? block_kind(inst, slot->dwords) : HD_ORACLE_BLOCK_NONE;
		const uint8_t reg[3] = {inst->a, inst->b, inst->c};
		for (unsigned i = 0; i < 3; i++) {
			op->words[i] = slot->words[i];
			if (i == 1 && slot->imm) {
				op->fixed[i] = slot->imm;
			} else if (inst->ksel == i + 1 && !slot->imm) {
				op->fixed[i] = &o->bank->words[reg[i]];
			} else if (slot->words[i] == 0 || reg[i] == HD_RZ) {
				op->fixed[i] = o->zero;
			} else {
				op->src[i] = reg[i];
				name(op, reg[i], slot->words[i]);
				op->constant = false;
				registers = hd_max_u32(registers, reg[i] + (uint32_t)slot->words[i]);
			}
		}
		registers = hd_max_u32(registers, op->dst + (uint32_t)slot->dwords);
	}
	o->n_registers = registers;
	o->stride = registers | 1; /* odd: the same register of many warps does not fall into one set of the host's cache */
}

static unsigned lowest_of(uint64_t bits) { return (uint32_t)bits ? hd_lowest_bit((uint32_t)bits) : 32 + hd_lowest_bit((uint32_t)(bits >> 32)); }

void hd_oracle_start(hd_oracle *o, hd_oracle_warp *w, uint32_t number)
{
	for (unsigned i = 0; i < HD_COUNT(o->cleared.bits); i++)
		for (uint64_t rest = o->cleared.bits[i]; rest; rest &= rest - 1)
			w->registers[64 * i + lowest_of(rest)] = (hd_vec32){{0}};
	memset(w->predicates, 0, sizeof w->predicates);
	if (o->order)
		memset(&w->named, 0xff, sizeof w->named);
	w->predicates[HD_PT] = UINT32_MAX;
	w->number = number;
	w->alive = w->here = w->active = w->lanes;
	w->pc = o->launch->kernel->entry;
	w->next_stop = UINT32_MAX;
	w->depth = 0;
	memset(&w->sync, 0, sizeof w->sync);
	w->barrier = -1;
	w->joins = false;
	w->done = false;
	if (w->local)
		memset(w->local, 0, (size_t)HD_LANES * o->launch->kernel->local_bytes);
	o->stats->run_warps++;
}

hd_oracle_stop hd_oracle_trap(hd_oracle *o, const hd_oracle_warp *w, hd_trap_kind kind, uint32_t pc, unsigned lane)
{
	hd_trap *trap = o->trap;
	const uint32_t *block = o->launch->block;
	uint32_t t = w->number * hd_launch_lanes(o->launch) + lane;
	trap->kind = kind;
	trap->kernel = hd_kernel_name(o->launch->kernel);
	trap->shared = hd_launch_shared(o->launch);
	trap->local = o->launch->kernel->local_bytes;
	trap->pc = pc;
	trap->warp = w->number;
	trap->lane = lane;
	hd_trap_place(trap, o->launch, o->cta);
	trap->thread[0] = t % block[0];
	trap->thread[1] = t / block[0] % block[1];
	trap->thread[2] = t / block[0] / block[1];
	trap->cycle = o->stats->run_warp_instructions;
	trap->untimed = true;
	return HD_ORACLE_TRAPPED;
}

void hd_oracle_make_room(hd_oracle *o)
{
	o->n_warps = hd_launch_warps(o->launch);
	if (o->n_warps > o->room) {
		hd_oracle_warp *warps = hd_xaligned(o->n_warps * sizeof *warps);
		if (o->room)
			memcpy(warps, o->warps, o->room * sizeof *warps);
		free(o->warps);
		free(o->registers);
		free(o->row.base);
		free(o->row.step);
		o->warps = warps;
		o->room = o->n_warps;
		o->registers = hd_xaligned((size_t)o->room * o->stride * sizeof *o->registers);
		o->row.base = hd_xaligned((o->n_registers + 1) * sizeof *o->row.base);
		o->row.step = hd_xcalloc(o->n_registers + 1, sizeof *o->row.step);
		for (uint32_t i = 0; i < o->room; i++)
			o->warps[i].registers = o->registers + (size_t)i * o->stride;
	}
	size_t local = (size_t)HD_LANES * o->launch->kernel->local_bytes;
	for (uint32_t i = 0; i < o->n_warps; i++) {
		hd_oracle_warp *w = &o->warps[i];
		w->coordinates_known = 0;
		w->lanes = hd_warp_lanes(o->launch, i);
		if (local > w->local_room) {
			free(w->local);
			w->local = hd_xmalloc(local);
			w->local_room = local;
		}
	}
	o->shared_bytes = hd_launch_shared(o->launch);
	if (o->shared_bytes > o->shared_room || !o->shared) {
		free(o->shared);
		o->shared = hd_xmalloc(o->shared_bytes);
		o->shared_room = o->shared_bytes;
	}
}

/* Switches to another grid: its constants, and room for its CTAs. */
static void turn_to(hd_oracle *o, hd_grid *grid)
{
	o->grid = grid;
	o->launch = &grid->launch;
	hd_bank_fill(o->bank, &grid->launch);
	o->cleared = *hd_oracle_zeros(o, grid->launch.kernel->entry);
	o->together = !o->alone && hd_oracle_may_team(o);
	hd_oracle_make_room(o);
}

void hd_oracle_free_room(hd_oracle *o)
{
	for (uint32_t i = 0; i < o->room; i++) {
		free(o->warps[i].local);
		free(o->warps[i].frames);
	}
	free(o->warps);
	free(o->registers);
	free(o->shared);
	free(o->row.base);
	free(o->row.step);
	o->warps = NULL;
	o->registers = NULL;
	o->row.base = NULL;
	o->row.step = NULL;
	o->shared = NULL;
	o->room = o->shared_room = 0;
}

static size_t bytes_of_warps(const hd_oracle *o)
{
	size_t bytes = o->shared_room + (size_t)o->room * o->stride * sizeof(hd_vec32);
	for (uint32_t i = 0; i < o->room; i++)
		bytes += o->warps[i].local_room + o->warps[i].frames_cap * sizeof *o->warps[i].frames;
	return bytes;
}

hd_interp *hd_interp_new(const hd_program *program)
{
	hd_oracle *o = hd_xaligned(sizeof *o);
	o->program = program;
	o->bank = hd_xaligned(sizeof *o->bank);
	hd_oracle_prepare(o);
	return o;
}

void hd_interp_free(hd_interp *o)
{
	if (!o)
		return;
	hd_oracle_free_room(o);
	hd_vec_free(&o->zeros);
	free(o->ops);
	free(o->doubts);
	free(o->bank);
	free(o);
}

/* True when the launch has to end now, between two shares. */
static bool stopped(hd_oracle *o, hd_oracle_watch *watch, const hd_oracle_warp *w)
{
	uint64_t now = o->stats->run_warp_instructions;
	if (now >= watch->limit) {
		hd_oracle_trap(o, w, HD_TRAP_CYCLES, w->pc, w->active ? hd_lowest_bit(w->active) : 0);
		o->trap->text = hd_oracle_whereabouts(o);
		return true;
	}
	if (!watch->poll || now < watch->next_poll)
		return false;
	watch->next_poll = now + HD_ORACLE_POLL_EVERY;
	if (!watch->poll(watch->context, now, watch->ctas_done, watch->ctas))
		return false;
	hd_oracle_trap(o, w, HD_TRAP_INTERRUPTED, w->pc, 0);
	return true;
}

bool hd_oracle_deadlock(hd_oracle *o, bool spins)
{
	for (uint32_t i = 0; i < o->n_warps; i++) {
		const hd_oracle_warp *w = &o->warps[i];
		if (w->done || (spins && w->barrier >= 0))
			continue;
		hd_oracle_trap(o, w, HD_TRAP_DEADLOCK, w->barrier >= 0 ? w->barrier_pc : w->pc, w->active ? hd_lowest_bit(w->active) : 0);
		char *where = hd_oracle_whereabouts(o);
		hd_text text = {0};
		if (spins)
			hd_text_printf(
			    &text, "  livelock: the warps that run go through states that they have been in before, and nothing is left that could "
			           "change memory\n");
		hd_text_printf(&text, "%s", where);
		if (spins && w->here & ~(w->active | w->sync.lanes)) /* those at a `wsync` would wait in any order */
			hd_text_printf(&text,
			               "  lanes at the lowest address go first; with divergence.mode = barriers the machine lets lanes take turns\n");
		free(where);
		o->trap->text = text.at;
		break;
	}
	return false;
}

static bool run_next(hd_oracle *o, const hd_child_grids *child_grids, hd_oracle_watch *watch);

/* PD-32: runs the child grids of the CTA, and what is below them. The CTA's own state is put aside. The nesting of grids is bounded (grids.depth), so
 * the recursion is. */
static bool run_child_grids(hd_oracle *o, hd_oracle_watch *watch)
{
	hd_oracle *own = hd_xaligned(sizeof *own);
	bool ok = true;
	*own = *o;
	o->warps = NULL;
	o->registers = NULL;
	o->row.base = NULL;
	o->row.step = NULL;
	o->shared = NULL;
	o->room = o->shared_room = 0;
	o->stats->grids_joins++;
	if (o->order)
		hd_oracle_report_join(o, HD_ORDER_JOIN);
	while (ok && hd_child_grids_open(own->child_grids))
		ok = run_next(o, own->child_grids, watch);
	hd_oracle_free_room(o);
	memcpy(&own->zeros, &o->zeros, sizeof own->zeros); /* the children may have added theirs */
	*o = *own;
	free(own);
	hd_bank_fill(o->bank, o->launch);
	o->changed = true;
	hd_oracle_end_join(o);
	return ok;
}

/* True when the CTA has to end here, between two shares. Child grids that warps wait for have run then. */
static bool ended(hd_oracle *o, hd_oracle_watch *watch, const hd_oracle_warp *w)
{
	return stopped(o, watch, w) || (o->joining && !run_child_grids(o, watch));
}

uint32_t hd_oracle_left(const hd_oracle *o)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < o->n_warps; i++)
		left += !o->warps[i].done;
	return left;
}

bool hd_oracle_round(hd_oracle *o, hd_oracle_watch *watch, bool *ran)
{
	*ran = false;
	for (uint32_t i = 0; i < o->n_warps; i++)
		o->warps[i].ran = false;
	uint64_t room = watch->limit - o->stats->run_warp_instructions;
	if (o->together && room > o->n_warps) { /* a step of the team is one of each warp */
		uint64_t share = hd_min_u64(room - o->n_warps, (uint64_t)o->share * o->n_warps);
		if (hd_oracle_run(o, 0, o->n_warps, share) == HD_ORACLE_TRAPPED || ended(o, watch, &o->warps[0]))
			return false;
	}
	for (uint32_t i = 0; i < o->n_warps; i++) {
		hd_oracle_warp *w = &o->warps[i];
		*ran |= w->ran;
		if (w->done || w->barrier >= 0 || w->ran)
			continue;
		room = watch->limit - o->stats->run_warp_instructions;
		*ran = true;
		if (hd_oracle_run(o, i, 1, hd_min_u64(room, o->share)) == HD_ORACLE_TRAPPED || ended(o, watch, w))
			return false;
	}
	return true;
}

void hd_oracle_begin(hd_oracle *o)
{
	memset(o->arrived, 0, sizeof o->arrived);
	memset(o->came, 0, sizeof o->came);
	o->begun = o->ended = 0;
	memset(o->shared, 0, o->shared_bytes);
	memset(&o->row.is, 0, sizeof o->row.is);
	o->row.any = false;
	o->joins = 0;
	o->joining = false;
	o->child_grids = NULL;
	for (uint32_t i = 0; i < o->n_warps; i++)
		hd_oracle_start(o, &o->warps[i], i);
	o->stats->run_ctas++;
}

bool hd_oracle_cta(hd_oracle *o, hd_oracle_past *past, hd_oracle_watch *watch)
{
	uint32_t left = o->n_warps;
	hd_oracle_begin(o);
	if (o->order)
		hd_oracle_report_cta(o, HD_ORDER_CTA);
	while (left) {
		bool ran;
		if (!hd_oracle_round(o, watch, &ran))
			return false;
		uint32_t now = hd_oracle_left(o);
		bool spins = ran && hd_oracle_spins(o, past, now < left);
		if (spins || !ran)
			return hd_oracle_deadlock(o, spins);
		left = now;
	}
	hd_child_grids_leave(o->tasks, o->child_grids, o->stats->run_warp_instructions);
	if (o->order)
		hd_oracle_report_cta(o, HD_ORDER_END);
	return true;
}

/* Runs all CTAs that the grid has now. */
static bool run_grid(hd_oracle *o, hd_grid *grid, hd_oracle_watch *watch)
{
	hd_oracle_past *past = NULL;
	bool ok = true;
	uint64_t begin = o->stats->run_warp_instructions;
	bool alone = o->threads <= 1;
	if (o->order)
		hd_oracle_report_grid(o, grid);
	if (grid->launch.cooperative && !o->order) { /* an observer knows one CTA at a time */
		turn_to(o, grid);
		return hd_oracle_cooperate(o, grid, watch);
	}
	while (ok && hd_grid_has(grid, UINT64_MAX)) {
		uint64_t number, now = o->stats->run_warp_instructions;
		if (!alone && now - begin >= ALONE) {
			alone = !hd_oracle_may_parallel(o, watch);
			if (!alone) {
				ok = hd_oracle_parallel(o, grid, watch);
				break;
			}
		}
		hd_tasks_give(o->tasks, grid, now, o->cta, &number, &o->item);
		if (!past) {
			turn_to(o, grid);
			past = hd_oracle_past_new();
		}
		ok = hd_oracle_cta(o, past, watch);
		watch->ctas_done++;
		if (ok)
			hd_tasks_done(o->tasks, grid, o->stats->run_warp_instructions);
	}
	if (past)
		hd_oracle_past_free(past);
	return ok;
}

/* The first of the grids that are ready, or of those of them that belong to `child_grids`; NULL when there is none. */
static hd_grid *first_ready(const hd_tasks *tasks, const hd_child_grids *child_grids)
{
	hd_grid *grid = tasks->ready.first;
	while (grid && child_grids && !hd_child_grids_have(child_grids, grid))
		grid = grid->next;
	return grid;
}

/* Runs one grid that is ready, or a queue that has entries, or ends queues; of `child_grids` only, if not NULL. False: o->trap says why. */
static bool run_next(hd_oracle *o, const hd_child_grids *child_grids, hd_oracle_watch *watch)
{
	hd_tasks *tasks = o->tasks;
	hd_grid *grid = first_ready(tasks, child_grids);
	bool ok = true;
	if (grid) {
		hd_grid_take(&tasks->ready, grid);
		grid->state = HD_GRID_RUNNING;
		ok = run_grid(o, grid, watch);
		if (grid->queue && grid->state == HD_GRID_RUNNING)
			grid->state = HD_GRID_PARKED; /* a push makes it ready again */
	} else if (tasks->queues_may_end) {
		hd_tasks_close(tasks, o->stats->run_warp_instructions);
	} else {
		hd_text text = {0};
		*o->trap = (hd_trap){
		    .kind = HD_TRAP_DEADLOCK, .kernel = hd_kernel_name(tasks->at.at[0]->launch.kernel), .pc = tasks->at.at[0]->launch.kernel->entry};
		hd_tasks_explain(tasks, &text);
		o->trap->text = text.at;
		ok = false;
	}
	hd_tasks_sweep(tasks);
	return ok;
}

/* Runs grids, and queues that wait for entries, in the order in which they became ready. */
static bool run_all(hd_oracle *o, hd_oracle_watch *watch)
{
	hd_tasks *tasks = o->tasks;
	bool ok = true;
	for (uint32_t i = 0; i < tasks->n_host; i++)
		hd_tasks_arrive(tasks, tasks->at.at[i]);
	while (ok && tasks->open)
		ok = run_next(o, NULL, watch);
	return ok;
}

static bool refuse(const hd_task *list, hd_tasks *tasks, hd_diag *diag, hd_trap *trap)
{
	trap->kind = HD_TRAP_RESOURCES;
	trap->kernel = hd_kernel_name(list[0].launch.kernel);
	trap->text = diag->text.at;
	hd_tasks_free(tasks);
	return false;
}

bool hd_interp_run_again(hd_interp *o, const hd_task *list, uint32_t n, hd_memory *memory, const hd_interp_options *options, hd_stats *stats,
                         hd_trap *trap)
{
	hd_diag diag = {0};
	hd_tasks tasks;
	memset(stats, 0, sizeof *stats);
	memset(trap, 0, sizeof *trap);
	if (!hd_tasks_init(&tasks, list, n, (hd_task_limits){options->grid_depth, HD_MAX_PENDING, HD_MAX_ENTRIES}, &diag))
		return refuse(list, &tasks, &diag, trap);
	hd_invariant(tasks.program == o->program, "a launch of another program");
	tasks.without_banks = true;
	tasks.memory = memory;
	tasks.enqueuing = options->enqueuing;
	o->tasks = &tasks;
	o->memory = memory;
	o->call_depth = options->call_depth;
	o->threads = options->order ? 1 : options->threads;
	hd_oracle_observe(o, options->order);
	o->unordered = options->unordered;
	o->alone = options->warps_alone;
	o->stats = stats;
	o->trap = trap;
	o->watching = o->changed = false;
	o->share = HD_ORACLE_SHARE;
	hd_oracle_watch watch = {.limit = options->max_instructions ? options->max_instructions : UINT64_MAX,
	                         .poll = options->poll,
	                         .context = options->context,
	                         .next_poll = HD_ORACLE_POLL_EVERY};
	for (uint32_t i = 0; i < n; i++)
		watch.ctas += tasks.at.at[i]->total;
	bool ok = run_all(o, &watch);
	stats->run_lane_slots = hd_launch_lanes(&list[0].launch) * stats->run_warp_instructions;
	stats->grids_launched = tasks.spawned;
	stats->grids_deepest = tasks.deepest;
	for (uint32_t i = 0; options->results && i < n; i++)
		options->results[i] = tasks.at.at[i]->result;
	hd_tasks_free(&tasks);
	o->tasks = NULL;
	if (bytes_of_warps(o) > KEPT_BYTES)
		hd_oracle_free_room(o);
	return ok;
}

bool hd_interp_run_list(const hd_task *list, uint32_t n, hd_memory *memory, const hd_interp_options *options, hd_stats *stats, hd_trap *trap)
{
	hd_interp *o = hd_interp_new(list[0].launch.program);
	bool ok = hd_interp_run_again(o, list, n, memory, options, stats, trap);
	hd_interp_free(o);
	return ok;
}

bool hd_interp_run(const hd_launch *launch, hd_memory *memory, const hd_interp_options *options, hd_stats *stats, hd_trap *trap)
{
	hd_machine machine;
	hd_task task = {.launch = *launch};
	hd_interp_options own = *options;
	hd_machine_default(&machine);
	own.grid_depth = machine.grids_depth;
	return hd_interp_run_list(&task, 1, memory, &own, stats, trap);
}
