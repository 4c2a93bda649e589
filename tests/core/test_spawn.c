/* Launches and pushes of running kernels (PD-19) at the memory stage: one lane a cycle, and faults with their lane. */
#include "stage_rig.h"

#include "core/residency/spawn.h"

enum { NOW = 100, LAUNCH_LATENCY = 30, L2_LATENCY = 50 };

typedef struct setup {
	stage_rig *t;
	rig *rig;
	hd_access access;
	hd_access_result result;
	hd_trap trap;
	hd_access_op op;
} setup;

/* A kernel of one word of parameters at word 1. Descriptor i is at word 16 * i of the out buffer, and gives word 48 + i as the parameter. */
static setup *setup_new(hd_op op)
{
	setup *u = hd_xaligned(sizeof *u);
	rig *r = u->rig = rig_new(64);
	r->machine.grids_launch_latency = LAUNCH_LATENCY;
	r->machine.memory_l2_latency = L2_LATENCY;
	rig_put(r, alu(HD_OP_LAUNCH, 5, 2, HD_RZ, HD_RZ), delay(1));
	hd_vec_push(&r->object.kernels, (hd_kernel){.name = (char *)(uintptr_t) "child", .entry = 1, .registers = 8, .param_bytes = 4});
	u->t = stage_new(r);
	stage_start(u->t);
	hd_inst inst = inst_(op);
	u->op = hd_access_op_of(&inst);
	u->access.op = &u->op;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t *words = (uint32_t *)hd_memory_at(r->memory, r->out, 256) + 16 * i;
		uint64_t params = r->out + 4 * (48 + i);
		const uint32_t child[] = {1, 0, (uint32_t)params, (uint32_t)(params >> 32), 2 + i, 1, 1, 64, 1, 1, 0, 4, 0, 0};
		memcpy(words, child, sizeof child);
		((uint32_t *)hd_memory_at(r->memory, r->out, 256))[48 + i] = 500 + i;
	}
	return u;
}

static void setup_free(setup *u)
{
	hd_trap_free(&u->trap);
	hd_vec_free(&u->rig->object.kernels);
	stage_free(u->t);
	free(u);
}

/* Operand a of a lane: a 64-bit address. */
static void set_address(setup *u, unsigned lane, uint64_t address)
{
	u->access.mask |= 1u << lane;
	u->access.address[0].v[lane] = (uint32_t)address;
	u->access.address[1].v[lane] = (uint32_t)(address >> 32);
}

static void set_descriptor(setup *u, unsigned lane, unsigned descriptor) { set_address(u, lane, u->rig->out + 64 * descriptor); }

static bool spawn(setup *u) { return hd_core_spawn(u->t->core, u->t->cta, NOW, &u->access, &u->result, &u->trap); }

static hd_grid *child_of(const setup *u, unsigned lane) { return hd_tasks_find(&u->t->tasks, u->result.data[0].v[lane]); }

/* Lanes in their order, one a cycle: each child is ready the latency of a launch later, and the unit is busy meanwhile. */
TEST(a_lane_a_cycle_is_launched)
{
	setup *u = setup_new(HD_OP_LAUNCH);
	set_descriptor(u, 9, 0);
	set_descriptor(u, 3, 2);
	set_descriptor(u, 20, 1);
	u->result.left = 7;
	u->result.data[0].v[4] = 99;
	assert_true(spawn(u));
	static const unsigned lanes[] = {3, 9, 20}, descriptors[] = {2, 0, 1};
	for (unsigned i = 0; i < 3; i++) {
		const hd_grid *child = child_of(u, lanes[i]);
		assert_non_null(child);
		assert_int_equal(child->arrival, NOW + i + LAUNCH_LATENCY);
		assert_int_equal(child->launch.grid[0], 2 + descriptors[i]);
		assert_int_equal(hd_load_word(child->launch.params), 500 + descriptors[i]);
		assert_ptr_equal(child->parent, u->t->grid);
	}
	assert_int_equal(u->t->tasks.spawned, 3);
	assert_int_equal(u->result.data[0].v[4], 99); /* lanes that launch nothing get no result */
	assert_int_equal(u->result.left, 0);
	assert_int_equal(hd_lsu_free_at(u->t->core->lsu, HD_PIPE_LSU), NOW + 3);
	assert_int_equal(u->result.done, NOW + 3 + L2_LATENCY);
	assert_int_equal(u->t->context.stats->grids_pushes, 0);
	setup_free(u);
}

/* An impossible launch names its lane; the lanes before it have launched. */
TEST(an_impossible_launch_is_a_trap)
{
	setup *u = setup_new(HD_OP_LAUNCH);
	((uint32_t *)hd_memory_at(u->rig->memory, u->rig->out, 256))[16] = 777; /* no kernel */
	set_descriptor(u, 3, 0);
	set_descriptor(u, 9, 1);
	set_descriptor(u, 10, 2);
	assert_false(spawn(u));
	assert_int_equal(u->trap.kind, HD_TRAP_LAUNCH);
	assert_int_equal(u->trap.lane, 9);
	assert_string_equal(u->trap.text, "  no kernel is at 0x309\n");
	assert_int_equal(u->t->tasks.spawned, 1);
	setup_free(u);
}

/* Descriptors and parameters are read like memory: a bad address or alignment names the address and the lane. */
TEST(bad_descriptors_and_parameters_are_faults)
{
	for (unsigned what = 0; what < 4; what++) {
		setup *u = setup_new(HD_OP_LAUNCH);
		uint32_t *words = hd_memory_at(u->rig->memory, u->rig->out, 256);
		uint64_t bad = u->rig->out + (what == 0 ? 256 - 48 : what == 1 ? 4 : what == 2 ? 254 : 256);
		if (what < 2)
			set_address(u, 5, bad);
		else
			set_descriptor(u, 5, 0);
		words[2] = (uint32_t)bad;
		assert_false(spawn(u));
		assert_int_equal(u->trap.kind, what == 1 || what == 2 ? HD_TRAP_ALIGNMENT : HD_TRAP_ADDRESS);
		assert_int_equal(u->trap.lane, 5);
		assert_true(u->trap.address == bad);
		assert_int_equal(u->t->tasks.spawned, 0);
		setup_free(u);
	}
}

/* A kernel without parameters has no address of parameters. */
TEST(a_child_may_have_no_parameters)
{
	setup *u = setup_new(HD_OP_LAUNCH);
	uint32_t *words = hd_memory_at(u->rig->memory, u->rig->out, 256);
	u->rig->object.kernels.at[0].param_bytes = 0;
	words[2] = words[3] = words[11] = 0;
	set_descriptor(u, 0, 0);
	assert_true(spawn(u));
	assert_non_null(child_of(u, 0));
	setup_free(u);
}

/* Entries of a queue: numbered as they come, each ready the latency of a launch later. A push to something else is a trap. */
TEST(pushes_are_numbered_and_counted)
{
	setup *u = setup_new(HD_OP_LAUNCH);
	uint32_t *words = hd_memory_at(u->rig->memory, u->rig->out, 256);
	words[12] = HD_CHILD_QUEUE;
	set_descriptor(u, 0, 0);
	assert_true(spawn(u));
	hd_grid *queue = child_of(u, 0);
	hd_inst push = inst_(HD_OP_QPUSH);
	u->op = hd_access_op_of(&push);
	u->access.mask = 0;
	for (unsigned lane = 2; lane < 6; lane += 3) {
		set_address(u, lane, queue->handle);
		u->access.data[0].v[lane] = 10 + lane;
		u->access.data[1].v[lane] = 20 + lane;
	}
	assert_true(spawn(u));
	assert_int_equal(u->result.data[0].v[2], 0);
	assert_int_equal(u->result.data[0].v[5], 1);
	assert_int_equal(u->t->context.stats->grids_pushes, 2);
	assert_int_equal(queue->items.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(queue->items.at[i].value == ((UINT64_C(22) + 3 * i) << 32 | (12 + 3 * i)));
		assert_int_equal(queue->items.at[i].ready, NOW + i + LAUNCH_LATENCY);
	}
	assert_int_equal(u->result.done, NOW + 2 + L2_LATENCY);
	set_address(u, 7, u->t->grid->handle);
	assert_false(spawn(u));
	assert_int_equal(u->trap.kind, HD_TRAP_LAUNCH);
	assert_int_equal(u->trap.lane, 7);
	assert_int_equal(u->t->context.stats->grids_pushes, 4);
	setup_free(u);
}

/* The memory stage performs a launch at the end of the pipe and not before. */
TEST(the_memory_stage_performs_launches)
{
	setup *u = setup_new(HD_OP_LAUNCH);
	uint64_t exit = NOW + u->t->core->code[1].latency;
	hd_sent sent = {.cycle = NOW - 1, .pc = 1, .mask = 1};
	stage_set_address(u->t, 0, 2, 0);
	hd_pipeline_enter(u->t->core, 0, &sent, NOW);
	hd_memory_stage(u->t->core, exit - 1);
	assert_int_equal(u->t->tasks.spawned, 0);
	hd_memory_stage(u->t->core, exit);
	assert_int_equal(u->t->tasks.spawned, 1);
	assert_int_equal(hd_events_next(&u->t->core->events, exit), exit + 1 + L2_LATENCY);
	setup_free(u);
}
