/* The constant bank, special registers, the loaded program and the text of traps. */
#include "launch/launch.h"
#include "../test.h"

static const uint8_t zeros[HD_BANK_MAX];

typedef struct fixture {
	hd_object *object;
	hd_memory *memory;
	hd_program *program;
	hd_launch launch;
	hd_diag diag;
} fixture;

static uint64_t word_of(hd_inst inst)
{
	inst.guard = HD_PT;
	return hd_encode(&inst);
}

static fixture *fixture_new(void)
{
	fixture *f = hd_xcalloc(1, sizeof *f);
	f->object = hd_object_new();
	f->object->counters = 6;
	const uint64_t code[8] = {
	    HD_SS_OPCODE | UINT64_C(0x15) << 8 | UINT64_C(0x01) << 56,
	    word_of((hd_inst){.op = HD_OP_IADD, .d = 3, .a = 4, .ksel = 3, .imm = -5}),
	    word_of((hd_inst){.op = HD_OP_FADD, .d = 3, .a = 4, .ksel = 3, .imm = 0x3f80}),
	    word_of((hd_inst){.op = HD_OP_IADD64, .d = 4, .a = 6, .ksel = 3, .imm = -1}),
	    word_of((hd_inst){.op = HD_OP_LDG, .d = 8, .a = 4, .sub = HD_SIZE_128, .imm = 4}),
	    word_of((hd_inst){.op = HD_OP_IADDC, .d = HD_RZ, .a = 4, .b = 5, .sub = 7 | 2 << 3}),
	    word_of((hd_inst){.op = HD_OP_ISETP, .d = 4, .a = 4, .b = 5, .sub = HD_CMP_LT}),
	    word_of((hd_inst){.op = HD_OP_EXIT}),
	};
	for (unsigned i = 0; i < 8; i++)
		hd_vec_push(&f->object->code, code[i]);
	hd_kernel kernel = {.name = hd_xstrdup("k"), .entry = 1, .registers = 12, .param_bytes = 12, .shared_bytes = 20};
	hd_vec_push(&f->object->kernels, kernel);
	hd_vec_push(&f->object->literals, 0x12345678);
	hd_vec_push(&f->object->literals, 0x9abcdef0);
	for (unsigned i = 0; i < 24; i++)
		hd_vec_push(&f->object->data, (uint8_t)i);
	hd_vec_push(&f->object->relocs, ((hd_reloc){.offset = 8, .addend = 16}));
	hd_vec_push(&f->object->files, hd_xstrdup("a.cl"));
	hd_vec_push(&f->object->lines, ((hd_line){.word = 2, .line = 7, .column = 9}));
	f->memory = hd_memory_new(1 << 20);
	f->program = hd_program_new(f->object, f->memory, &f->diag);
	if (!f->program)
		fail_msg("%s", f->diag.text.at);
	f->launch = (hd_launch){.program = f->program,
	                        .kernel = &f->object->kernels.at[0],
	                        .grid = {4, 5, 6},
	                        .block = {10, 3, 2},
	                        .params = zeros,
	                        .offset = {UINT64_C(1) << 40, 2, 3},
	                        .work_dim = 3,
	                        .dynamic_shared = 100,
	                        .grid_id = 9};
	return f;
}

static void fixture_free(fixture *f)
{
	hd_program_free(f->program);
	hd_memory_free(f->memory);
	hd_object_free(f->object);
	hd_diag_free(&f->diag);
	free(f);
}

TEST(every_instruction_is_worked_out_once)
{
	fixture *f = fixture_new();
	const hd_slot *s = f->program->slots;
	assert_int_equal(s[0].is_ss, 1);
	assert_int_equal(s[1].predecode, 0x15); /* PD-1 */
	assert_int_equal(s[2].predecode, 0);
	assert_int_equal(s[7].predecode, 1);
	assert_int_equal(s[1].pipe, HD_PIPE_ALU);
	assert_int_equal(s[1].imm[0].v[31], 0xfffffffb);
	assert_int_equal(s[2].imm[0].v[0], 0x3f800000);
	assert_int_equal(s[3].imm[0].v[5], 0xffffffff);
	assert_int_equal(s[3].imm[1].v[5], 0xffffffff);
	assert_null(s[4].imm);
	assert_null(s[4].fn);
	assert_non_null(s[1].fn);
	assert_int_equal(s[3].words[0], 2);
	assert_int_equal(s[4].words[0], 2);
	assert_int_equal(s[4].dwords, 4);
	assert_int_equal(s[5].dwords, 0);
	assert_int_equal(s[5].dpred, 2);
	assert_int_equal(s[6].dpred, 4);
	assert_int_equal(s[1].dpred, HD_PT);
	fixture_free(f);
}

/* hd_slot.others: every operation that reads a predicate beside its guard, a special register or other lanes' values has it. */
TEST(sources_beside_a_b_and_c_are_marked)
{
	unsigned marked = 0;
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		const hd_inst inst = {.op = (uint8_t)op, .guard = HD_PT, .a = 8, .b = 1, .c = 12, .sub = 1, .sub2 = 0x21};
		hd_use uses[HD_MAX_USES];
		bool others = op == HD_OP_S2R || op == HD_OP_XLANE;
		for (unsigned i = hd_inst_reads(&inst, uses); i-- > 0;)
			others |= uses[i].operand == 5;
		assert_int_equal(hd_slot_others(&inst), others);
		marked += others;
	}
	assert_true(marked > 4);
}

TEST(the_data_segment_is_loaded_and_relocated)
{
	fixture *f = fixture_new();
	const uint8_t *bytes = hd_memory_at(f->memory, f->program->data_base, 24);
	uint32_t word[4];
	assert_non_null(bytes);
	assert_int_equal(bytes[7], 7);
	assert_int_equal(bytes[16], 16);
	hd_load_lane(bytes + 8, HD_SIZE_64, word);
	assert_int_equal(word[0] | (uint64_t)word[1] << 32, f->program->data_base + 16);
	fixture_free(f);
}

static uint32_t bank32(const hd_bank *bank, unsigned at)
{
	uint32_t word[4];
	hd_load_lane(bank->raw + at, HD_SIZE_32, word);
	return word[0];
}

TEST(the_bank_holds_sizes_parameters_and_literals)
{
	fixture *f = fixture_new();
	const uint8_t params[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	f->launch.params = params;
	hd_bank *bank = hd_bank_new(&f->launch, &f->diag);
	assert_non_null(bank);
	assert_int_equal(bank32(bank, HD_BANK_NTID + 4), 3);
	assert_int_equal(bank32(bank, HD_BANK_NCTAID + 8), 6);
	assert_int_equal(bank32(bank, HD_BANK_OFFSET), 0);
	assert_int_equal(bank32(bank, HD_BANK_OFFSET + 4), 256);
	assert_int_equal(bank32(bank, HD_BANK_WORK_DIM), 3);
	assert_int_equal(bank32(bank, HD_BANK_DYNAMIC_SHARED), 100);
	assert_int_equal(bank32(bank, HD_BANK_DATA), (uint32_t)f->program->data_base);
	assert_int_equal(bank32(bank, HD_BANK_PARAMS + 8), 0x0c0b0a09);
	assert_int_equal(bank->words[254].v[0], 0x12345678);
	assert_int_equal(bank->words[255].v[31], 0x9abcdef0);
	assert_int_equal(bank->words[HD_BANK_PARAMS / 4 + 1].v[17], 0x08070605);
	assert_int_equal(hd_launch_shared(&f->launch), 132);
	free(bank);
	fixture_free(f);
}

static void refused(fixture *f, const char *why)
{
	hd_diag_free(&f->diag);
	assert_null(hd_bank_new(&f->launch, &f->diag));
	assert_int_equal(f->diag.errors, 1);
	if (!strstr(f->diag.text.at, why))
		fail_msg("expected '%s' in: %s", why, f->diag.text.at);
}

static uint64_t bank64(const hd_bank *bank, unsigned at) { return bank32(bank, at) | (uint64_t)bank32(bank, at + 4) << 32; }

/* PD-28: the loader looks up what three bits stand for, in the table of the program, and without one as a delay. */
TEST(the_loader_reads_the_table_of_hints)
{
	for (unsigned table = 0; table < 2; table++) {
		fixture *f = fixture_new();
		hd_program_free(f->program);
		f->object->code.at[4] = word_of((hd_inst){.op = HD_OP_NOP, .guard = HD_PT, .hint3 = 6});
		for (unsigned i = 0; i < HD_HINT_TABLE && table; i++)
			hd_vec_push(&f->object->hint_table, (uint8_t)(0x30 + i));
		f->launch.program = f->program = hd_program_new(f->object, f->memory, &f->diag);
		assert_int_equal(f->program->slots[4].by_table, table ? 0x36 : HD_HINT_DELAY << 4 | 6);
		fixture_free(f);
	}
}

/* OpenCL's non-uniform work-groups: the words of the range, where the program reads one of them, and the CTA that a trap names. */
TEST(the_bank_of_a_part_holds_the_range)
{
	static const hd_range range = {
	    .offset = {7, UINT64_C(1) << 33, 1}, .size = {45, 6, UINT64_C(1) << 34}, .groups = {5, 2, 9}, .first = {4, 0, 8}, .block = {10, 3, 2}};
	fixture *f = fixture_new();
	hd_bank *bank = hd_bank_new(&f->launch, &f->diag);
	assert_true(bank->bytes < HD_BANK_RANGE);
	free(bank);
	hd_program_free(f->program);
	f->object->code.at[4] = word_of((hd_inst){.op = HD_OP_LDC, .d = 8, .a = HD_RZ, .sub = HD_SIZE_32, .imm = HD_BANK_RANGE_BLOCK + 8});
	f->launch.program = f->program = hd_program_new(f->object, f->memory, &f->diag);
	bank = hd_bank_new(&f->launch, &f->diag);
	assert_int_equal(bank->bytes, HD_BANK_MAX);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(bank64(bank, HD_BANK_RANGE + 8 * i), f->launch.offset[i]);
		assert_int_equal(bank64(bank, HD_BANK_RANGE_SIZE + 8 * i), f->launch.grid[i] * f->launch.block[i]);
		assert_int_equal(bank32(bank, HD_BANK_RANGE_GROUPS + 4 * i), f->launch.grid[i]);
		assert_int_equal(bank32(bank, HD_BANK_RANGE_FIRST + 4 * i), 0);
		assert_int_equal(bank32(bank, HD_BANK_RANGE_BLOCK + 4 * i), f->launch.block[i]);
	}
	f->launch.range = &range;
	hd_bank_fill(bank, &f->launch);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(bank64(bank, HD_BANK_RANGE + 8 * i), range.offset[i]);
		assert_int_equal(bank64(bank, HD_BANK_RANGE_SIZE + 8 * i), range.size[i]);
		assert_int_equal(bank32(bank, HD_BANK_RANGE_GROUPS + 4 * i), range.groups[i]);
		assert_int_equal(bank32(bank, HD_BANK_RANGE_FIRST + 4 * i), range.first[i]);
		assert_int_equal(bank32(bank, HD_BANK_RANGE_BLOCK + 4 * i), range.block[i]);
		assert_int_equal(bank32(bank, HD_BANK_NTID + 4 * i), f->launch.block[i]);
	}
	hd_trap trap = {0};
	hd_trap_place(&trap, &f->launch, (uint32_t[]){1, 2, 3});
	assert_int_equal(trap.cta[0], 5);
	assert_int_equal(trap.cta[1], 2);
	assert_int_equal(trap.cta[2], 11);
	/* The size that a kernel requires is that of its full groups. */
	hd_kernel *kernel = &f->object->kernels.at[0];
	memcpy(kernel->required_block, range.block, sizeof range.block);
	f->launch.block[0] = 5;
	assert_true(hd_launch_check(&f->launch, &f->diag));
	f->launch.range = NULL;
	assert_false(hd_launch_check(&f->launch, &f->diag));
	free(bank);
	fixture_free(f);
}

TEST(impossible_launches_are_refused_with_a_reason)
{
	fixture *f = fixture_new();
	hd_launch good = f->launch;
	hd_kernel *kernel = &f->object->kernels.at[0], was = *kernel;
	f->launch.block[0] = 513;
	refused(f, "too large, expected at most 1024");
	f->launch = good;
	f->launch.block[1] = 0x80000001;
	refused(f, "too large, expected at most 1024");
	f->launch = good;
	f->launch.grid[2] = 0;
	refused(f, "is empty");
	memset(f->launch.grid, 0xff, sizeof f->launch.grid);
	refused(f, "expected at most 2^32");
	f->launch = good;
	kernel->max_threads = 59;
	refused(f, "expected at most 59, as the kernel declares");
	kernel->max_threads = 0;
	kernel->required_block[0] = kernel->required_block[1] = kernel->required_block[2] = 4;
	refused(f, "expected 4x4x4, as the kernel requires");
	*kernel = was;
	f->launch.dynamic_shared = UINT32_MAX;
	refused(f, "of shared memory");
	f->launch = good;
	kernel->param_bytes = HD_PARAM_BYTES_MAX + 1;
	refused(f, "32765 bytes of parameters, expected at most 32764");
	kernel->param_bytes = 4 * 254 - 64 + 1;
	refused(f, "run into the program's 2 literals");
	kernel->param_bytes = 4 * 254 - 64;
	hd_bank *bank = hd_bank_new(&f->launch, &f->diag);
	assert_non_null(bank);
	free(bank);
	fixture_free(f);
}

TEST(special_registers_follow_the_launch)
{
	fixture *f = fixture_new();
	const uint32_t cta[3] = {1, 2, 3};
	for (unsigned warp = 0; warp < 2; warp++) {
		hd_vec32 x, y, z, v;
		hd_special(&f->launch, cta, warp, HD_SREG_TIDX, &x);
		hd_special(&f->launch, cta, warp, HD_SREG_TIDY, &y);
		hd_special(&f->launch, cta, warp, HD_SREG_TIDZ, &z);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			assert_int_equal(z.v[lane] * 30 + y.v[lane] * 10 + x.v[lane], warp * 32 + lane);
		hd_special(&f->launch, cta, warp, HD_SREG_LANEMASK_GT, &v);
		assert_int_equal(v.v[31], 0);
		assert_int_equal(v.v[0], 0xfffffffe);
		hd_special(&f->launch, cta, warp, HD_SREG_LANEMASK_LE, &v);
		assert_int_equal(v.v[31], 0xffffffff);
		assert_int_equal(v.v[4], 0x1f);
		hd_special(&f->launch, cta, warp, HD_SREG_CTAIDZ, &v);
		assert_int_equal(v.v[9], 3);
		hd_special(&f->launch, cta, warp, HD_SREG_NWARPID, &v);
		assert_int_equal(v.v[9], 2);
		hd_special(&f->launch, cta, warp, HD_SREG_GRIDID, &v);
		assert_int_equal(v.v[9], 9);
	}
	assert_int_equal(hd_warp_lanes(&f->launch, 0), 0xffffffff);
	assert_int_equal(hd_warp_lanes(&f->launch, 1), 0x0fffffff);
	assert_int_equal(hd_warp_lanes(&f->launch, 2), 0);
	fixture_free(f);
}

/* RC-23: warps of fewer threads. The 60 threads of the CTA are 8 warps of 8, the last with 4. */
TEST(a_warp_may_have_fewer_lanes)
{
	fixture *f = fixture_new();
	const uint32_t cta[3] = {1, 2, 3};
	hd_vec32 x, y, z, v;
	f->launch.lanes = 8;
	assert_int_equal(hd_launch_warps(&f->launch), 8);
	for (unsigned warp = 0; warp < 8; warp++) {
		hd_special(&f->launch, cta, warp, HD_SREG_TIDX, &x);
		hd_special(&f->launch, cta, warp, HD_SREG_TIDY, &y);
		hd_special(&f->launch, cta, warp, HD_SREG_TIDZ, &z);
		for (unsigned lane = 0; lane < 8; lane++)
			assert_int_equal(z.v[lane] * 30 + y.v[lane] * 10 + x.v[lane], warp * 8 + lane);
		hd_special(&f->launch, cta, warp, HD_SREG_NWARPID, &v);
		assert_int_equal(v.v[0], 8);
		assert_int_equal(hd_warp_lanes(&f->launch, warp), warp == 7 ? 0x0f : 0xff);
	}
	assert_int_equal(hd_warp_lanes(&f->launch, 8), 0);
	f->launch.lanes = 1;
	refused(f, "kernel 'k': a block of 60 threads is 60 warps of 1 (machine.lanes), expected at most 32");
	f->launch.lanes = 16;
	assert_true(hd_launch_check(&f->launch, &f->diag));
	f->program->crosses = true;
	refused(f, "kernel 'k': the program moves values across lanes, machine.lanes is 16, expected 32");
	f->launch.lanes = 32;
	assert_true(hd_launch_check(&f->launch, &f->diag));
	fixture_free(f);
}

TEST(traps_say_where_and_why)
{
	fixture *f = fixture_new();
	uint64_t buffer = hd_memory_alloc(f->memory, 100, "in");
	hd_trap trap = {.kind = HD_TRAP_ADDRESS,
	                .kernel = "k",
	                .pc = 4,
	                .warp = 1,
	                .lane = 2,
	                .cta = {1, 0, 0},
	                .thread = {4, 0, 1},
	                .address = buffer + 96,
	                .bytes = 16,
	                .text = hd_xstrdup("more to say")};
	hd_text text = {0};
	hd_trap_print(&text, &trap, &f->launch, f->memory);
	assert_string_not_equal(text.at, "");
	static const char *const parts[] = {"a.cl:7:9: error: kernel 'k': load of 16 bytes at address 0x",
	                                    "'in' of 100 bytes",
	                                    "whose last 4 bytes it crosses\n",
	                                    "at word 0x4",
	                                    "ldg",
	                                    "CTA (1,0,0), thread (4,0,1), warp 1, lane 2",
	                                    "more to say\n"};
	for (unsigned i = 0; i < HD_COUNT(parts); i++)
		if (!strstr(text.at, parts[i]))
			fail_msg("expected '%s' in:\n%s", parts[i], text.at);
	hd_text_free(&text);
	for (unsigned kind = HD_TRAP_NONE; kind <= HD_TRAP_PAGE; kind++) { /* each has its text, with any PC */
		hd_trap other = {.kind = (hd_trap_kind)kind, .pc = kind % 2 ? UINT32_MAX : 0};
		hd_trap_print(&text, &other, &f->launch, NULL);
		assert_non_null(strstr(text.at, "error: kernel 'k': "));
		hd_text_free(&text);
	}
	hd_trap_free(&trap);
	fixture_free(f);
}

/* The neighbour that a message names is the nearer one of the two. */
TEST(traps_name_the_nearest_buffer)
{
	fixture *f = fixture_new();
	uint64_t low = hd_memory_alloc(f->memory, 4096, "low"), high = hd_memory_alloc(f->memory, 4096, "high"), gap = high - low - 4096;
	assert_true(gap > 24);
	const struct {
		uint64_t address;
		const char *text;
	} rows[] = {{high - 8, "is outside of every buffer: the nearest above is 'high' of 4096 bytes at 0x"},
	            {high - 8, ", 8 bytes before it\n"},
	            {low + 4096, "the nearest below is 'low' of 4096 bytes at 0x"},
	            {low + 4096 + 8, ", 8 bytes past its end\n"},
	            {low + 4096 + gap / 2, "the nearest below is 'low'"},
	            {low + 4096 + gap / 2 + 1, "the nearest above is 'high'"},
	            {low - 16, "the nearest above is 'low' of 4096 bytes"},
	            {low - 16, ", 16 bytes before it\n"},
	            {high + 4094, "the nearest below is 'high' of 4096 bytes"},
	            {high + 4094, "whose last 2 bytes it crosses\n"},
	            {high + 999999, ", 995903 bytes past its end\n"}};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_text text = {0};
		hd_trap trap = {
		    .kind = HD_TRAP_ADDRESS, .kernel = "k", .pc = 4, .address = rows[i].address, .bytes = 4, .cycle = 12, .untimed = i % 2};
		hd_trap_print(&text, &trap, &f->launch, f->memory);
		if (!strstr(text.at, rows[i].text))
			fail_msg("expected '%s' in:\n%s", rows[i].text, text.at);
		assert_non_null(strstr(text.at, i % 2 ? "lane 0, after 12 warp instructions\n" : "lane 0, core 0, cycle 12\n"));
		hd_text_free(&text);
	}
	fixture_free(f);
}

TEST(statistics_add_up_but_the_deepest_call)
{
	hd_stats a = {.run_warp_instructions = 5, .divergence_max_depth = 3, .divergence_max_tokens = 4},
	         b = {.run_warp_instructions = 7, .divergence_max_depth = 2, .memory_sectors = 1};
	hd_stats_add(&a, &b);
	assert_int_equal(a.run_warp_instructions, 12);
	assert_int_equal(a.divergence_max_depth, 3);
	assert_int_equal(a.divergence_max_tokens, 4);
	assert_int_equal(a.memory_sectors, 1);
}
