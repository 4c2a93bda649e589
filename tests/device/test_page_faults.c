/* Virtual memory in whole runs (PD-38): a fault names its place, machine and interpreter fault alike, and translation and system memory change time
 * alone. */
#include "../core/rig.h"
#include "interp/interp.h"
#include "launch/bounds.h"

enum { PAGE = 4096, AT_FAULT = 5 /* lane */, R_SUM = 8 };

/* Thread t adds the word at out + 4 * t + `far` in lane AT_FAULT, at out + 4 * t elsewhere, to t, and stores the sum in out + 4 * t. */
static rig *rig_of(uint32_t page, int32_t far, bool stores)
{
	rig *r = rig_new(2048);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->machine.pages_kib = page / 1024;
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, alui(HD_OP_SHL, 1, 0, 2), 0);
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), 0);
	rig_put(r, alu(HD_OP_MOV, 4, 2, HD_RZ, HD_RZ), 0);
	rig_put(r, alu(HD_OP_MOV, 5, 3, HD_RZ, HD_RZ), 0);
	rig_put(r, setpi(HD_CMP_EQ, 0, 0, AT_FAULT), 0);
	hd_inst leave = alui(HD_OP_IADD, 4, 4, far);
	leave.guard = 0;
	rig_put(r, leave, 0);
	if (stores)
		rig_put(r, store(HD_OP_STG, 4, 0, 0), 0);
	rig_put(r, load(HD_OP_LDG, R_SUM, 4, 0), 0);
	rig_put(r, alu(HD_OP_IADD, R_SUM, R_SUM, 0, HD_RZ), 0);
	rig_put(r, store(HD_OP_STG, 2, 0, R_SUM), 0);
	rig_put(r, inst_(HD_OP_EXIT), 0);
	return r;
}

static bool interpret(rig *r)
{
	hd_trap_free(&r->trap);
	return hd_interp_run(&r->launch, r->memory, &(hd_interp_options){.call_depth = 16}, &r->stats, &r->trap);
}

static void expect_fault(rig *r, hd_trap_kind kind, uint64_t address, bool store, const char *text)
{
	hd_text printed = {0};
	assert_int_equal(r->trap.kind, kind);
	assert_int_equal(r->trap.lane, AT_FAULT);
	assert_int_equal(r->trap.thread[0], AT_FAULT);
	assert_int_equal(r->trap.warp, 0);
	assert_int_equal(r->trap.address, address);
	assert_int_equal(r->trap.bytes, 4);
	assert_int_equal(r->trap.store, store);
	assert_int_equal(hd_ops[r->slots[r->trap.pc].inst.op].format, store ? HD_F_ST : HD_F_LD);
	hd_trap_print(&printed, &r->trap, &r->launch, r->memory);
	if (!strstr(printed.at, text))
		fail_msg("expected '%s' in:\n%s", text, printed.at);
	hd_text_free(&printed);
}

TEST(a_fault_names_its_place)
{
	for (unsigned stores = 0; stores < 2; stores++) {
		/* The buffer has 8192 bytes from the beginning of a page on: the byte behind it is in the next page. */
		rig *r = rig_of(PAGE, 2048 * 4 - 4 * AT_FAULT + 12, stores);
		char text[256];
		snprintf(text, sizeof text,
		         "page fault: %s of 4 bytes at address 0x%llx, in page 0x%llx of 4096 bytes, which nothing maps: the "
		         "nearest below is 'out' of 8192 bytes at 0x%llx, 12 bytes past its end\n",
		         stores ? "store" : "load", (unsigned long long)(r->out + 8204), (unsigned long long)(r->out + 8204) / PAGE,
		         (unsigned long long)r->out);
		assert_false(rig_run(r));
		expect_fault(r, HD_TRAP_PAGE, r->out + 8204, stores, text);
		assert_false(interpret(r));
		expect_fault(r, HD_TRAP_PAGE, r->out + 8204, stores, text);
		rig_free(r);
	}
}

/* A page that the buffer ends in is mapped, so what is missing is the buffer. Without pages no page is missing. */
TEST(what_is_in_a_mapped_page_is_outside_of_the_buffer)
{
	static const uint32_t pages[] = {4 * PAGE, 0};
	for (unsigned i = 0; i < HD_COUNT(pages); i++) {
		rig *r = rig_of(pages[i], 2048 * 4 - 4 * AT_FAULT + 12, false);
		assert_false(rig_run(r));
		expect_fault(r, HD_TRAP_ADDRESS, r->out + 8204, false, "'out' of 8192 bytes");
		assert_false(interpret(r));
		expect_fault(r, HD_TRAP_ADDRESS, r->out + 8204, false, "'out' of 8192 bytes");
		rig_free(r);
	}
}

/* Where accesses outside of every buffer only warn, a lane in a page that nothing maps still ends the run, and one behind the buffer in a mapped page
 * does not. */
TEST(a_fault_stays_where_bounds_warn)
{
	for (unsigned i = 0; i < 4; i++) {
		bool mapped = i / 2, stores = i % 2;
		rig *r = rig_of(mapped ? 4 * PAGE : PAGE, 2048 * 4 - 4 * AT_FAULT + 12, stores);
		hd_bounds *bounds = hd_bounds_new();
		hd_text warnings = {0};
		hd_memory_set_bounds(r->memory, bounds);
		assert_int_equal(rig_run(r), mapped);
		if (!mapped)
			expect_fault(r, HD_TRAP_PAGE, r->out + 8204, stores, "page fault: ");
		assert_int_equal(interpret(r), mapped);
		if (!mapped)
			expect_fault(r, HD_TRAP_PAGE, r->out + 8204, stores, "page fault: ");
		hd_bounds_take(bounds, &warnings);
		assert_int_equal(warnings.n != 0, mapped);
		hd_text_free(&warnings);
		rig_free(r);
		hd_bounds_free(bounds);
	}
}

static void run_to(rig *r, hd_stats *stats)
{
	memset(hd_memory_at(r->memory, r->out, 8192), 0, 8192);
	assert_true(rig_run(r));
	for (unsigned t = 0; t < HD_LANES; t++)
		assert_int_equal(rig_out(r, t), t);
	*stats = r->stats;
}

TEST(translation_and_the_host_cost_time)
{
	rig *r = rig_of(0, 0, false);
	hd_stats none, paged, far;
	run_to(r, &none);
	assert_int_equal(none.pages_tlb_hits + none.pages_tlb_misses + none.pages_walks, 0);
	r->machine.pages_kib = PAGE / 1024;
	run_to(r, &paged);
	assert_int_equal(paged.pages_walks, 1);
	assert_int_equal(paged.pages_tlb_misses, 1);
	assert_true(paged.run_cycles > none.run_cycles + 4 * r->machine.memory_dram_latency);
	r->machine.pages_kib = 0;
	r->machine.host_bytes_per_cycle = 8;
	r->machine.host_latency = 1000;
	r->machine.host_system_memory = 1;
	run_to(r, &far);
	/* Four sectors, of 4 cycles each, in place of those of DRAM. */
	assert_int_equal(far.host_interface_sectors_read, 4);
	assert_int_equal(far.host_interface_sectors_written, 4);
	assert_true(far.run_cycles > none.run_cycles + 700 && far.run_cycles < none.run_cycles + 900);
	rig_free(r);
}
