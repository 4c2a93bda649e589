/* The place of a fault (HZ-19): which launch, CTA, warp and thread, in which cycle. */
#include "stage_rig.h"

#include "core/observe/stop.h"

/* A block of 8 x 6 x 2 threads: three warps. The second CTA runs in slots 3 to 5. */
static stage_rig *second_cta(void)
{
	rig *r = rig_new(4);
	memcpy(r->launch.block, (const uint32_t[]){8, 6, 2}, sizeof r->launch.block);
	memcpy(r->launch.grid, (const uint32_t[]){1, 1, 2}, sizeof r->launch.grid);
	r->launch.dynamic_shared = 32;
	r->kernel.shared_bytes = 100;
	r->kernel.local_bytes = 24;
	rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	stage_start(t);
	t->core->number = 9;
	return t;
}

TEST(the_place_is_that_of_the_thread)
{
	stage_rig *t = second_cta();
	hd_core_stop(t->core, 77, &(hd_stop){HD_TRAP_COUNTER, 0, 4, 5, 29, hd_xstrdup("text\n")});
	const hd_trap *trap = t->context.trap;
	assert_true(t->core->stopped);
	assert_int_equal(trap->kind, HD_TRAP_COUNTER);
	assert_string_equal(trap->kernel, "rig");
	assert_string_equal(trap->text, "text\n");
	assert_int_equal(trap->cycle, 77);
	assert_int_equal(trap->pc, 5);
	assert_int_equal(trap->core, 9);
	assert_int_equal(trap->warp, 1);
	assert_int_equal(trap->lane, 29);
	assert_memory_equal(trap->cta, ((const uint32_t[]){0, 0, 1}), sizeof trap->cta);
	/* Thread 32 + 29 = 61 = 5 + 8 * (1 + 6 * 1). */
	assert_memory_equal(trap->thread, ((const uint32_t[]){5, 1, 1}), sizeof trap->thread);
	assert_int_equal(trap->shared, 112 + 32);
	assert_int_equal(trap->local, 24);
	stage_free(t);
}

/* Nothing of an earlier run is left in the trap. */
TEST(a_trap_begins_empty)
{
	stage_rig *t = second_cta();
	t->context.trap->address = 1;
	t->context.trap->store = 1;
	hd_core_stop(t->core, 77, &(hd_stop){HD_TRAP_RETURN, 0, 0, 5, 0, NULL});
	assert_int_equal(t->context.trap->address, 0);
	assert_int_equal(t->context.trap->store, 0);
	assert_null(t->context.trap->text);
	stage_free(t);
}

/* The text of a later trap is freed, which the leak detector sees. */
TEST(the_first_trap_of_a_cycle_counts)
{
	stage_rig *t = second_cta();
	hd_core_stop(t->core, 77, &(hd_stop){HD_TRAP_ADDRESS, 0, 0, 3, 1, hd_xstrdup("first")});
	hd_core_stop(t->core, 77, &(hd_stop){HD_TRAP_DEADLOCK, 0, 1, 4, 2, hd_xstrdup("second")});
	assert_int_equal(t->context.trap->kind, HD_TRAP_ADDRESS);
	assert_int_equal(t->context.trap->pc, 3);
	assert_int_equal(t->context.trap->warp, 0);
	assert_string_equal(t->context.trap->text, "first");
	stage_free(t);
}

/* A slot without a warp: the launch is the first of the run, and no CTA is named. The kind and the text stay as they are. */
TEST(a_place_without_a_warp_has_a_launch)
{
	stage_rig *t = second_cta();
	hd_trap trap = {.kind = HD_TRAP_CYCLES, .cta = {4, 5, 6}};
	hd_core_fill_place(t->core, 80, 0, 7, 2, 3, &trap);
	assert_false(t->core->stopped);
	assert_int_equal(trap.kind, HD_TRAP_CYCLES);
	assert_string_equal(trap.kernel, "rig");
	assert_int_equal(trap.cycle, 80);
	assert_int_equal(trap.cta[2], 6);
	assert_memory_equal(trap.thread, ((const uint32_t[]){3, 0, 0}), sizeof trap.thread);
	stage_free(t);
}
