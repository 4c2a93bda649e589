/* Words and fields: HZ-1, HZ-2, HZ-3, HZ-4, PD-2. */
#include "../test.h"

#include "isa/isa.h"

TEST(random_words_decode_to_what_encodes_to_them)
{
	uint64_t seed = 1;
	const char *why;
	unsigned good[HD_OP_COUNT] = {0};
	for (unsigned n = 0; n < 4000000; n++) {
		/* Dense enough that every format is hit: unused fields mostly zero. */
		uint64_t word = hd_random(&seed) & hd_random(&seed);
		if (n & 1)
			word &= hd_random(&seed);
		if (n % 3 == 0) /* sub-operations with many bits */
			word = (word & ~(UINT64_C(0xff) << 41 | UINT64_C(0x7fff) << 49)) | (hd_random(&seed) & 0xff) << 49;
		word = (word & ~(UINT64_C(0xff) << 3)) | (uint64_t)(n % HD_OP_COUNT) << 3;
		hd_inst inst;
		if (hd_decode(word, &inst, &why)) {
			assert_true(hd_encode(&inst) == word);
			assert_null(why);
			good[inst.op]++;
		} else {
			assert_non_null(why);
		}
	}
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		if (hd_ops[op].format != HD_F_NONE && good[op] == 0)
			fail_msg("%s never decoded", hd_ops[op].mnemonic);
	}
}

TEST(fence_fields_have_their_places)
{
	/* HZ-1: three bits name six counters; HZ-2: a bit a counter, counter 1 first; HZ-4: the release */
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 5, .wait = 0x0a, .release = 1};
	uint64_t word = hd_encode(&inst);
	assert_int_equal(word >> 15 & 7, 5);
	assert_int_equal(word >> 18 & 63, 0x0a);
	assert_int_equal(word >> 24 & 1, 1);
	const char *why;
	hd_inst back;
	assert_true(hd_decode(word, &back, &why));
	assert_memory_equal(&back, &inst, sizeof inst);
}

TEST(a_primary_may_not_wait_for_itself)
{
	/* HZ-3 */
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 2, .wait = 1 << 1};
	const char *why;
	hd_inst back;
	assert_false(hd_decode(hd_encode(&inst), &back, &why));
	assert_non_null(strstr(why, "HZ-3"));
}

/* A nop reaches no queue and no pipe, so its fields would mean nothing: nobody may believe that they do. */
TEST(a_nop_has_no_fence_fields)
{
	hd_inst nop = {.op = HD_OP_NOP, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
	const char *why;
	hd_inst back;
	assert_true(hd_decode(hd_encode(&nop), &back, &why));
	nop.primary = 1;
	assert_false(hd_decode(hd_encode(&nop), &back, &why));
	assert_non_null(strstr(why, "nop"));
	nop.primary = 0;
	nop.wait = 2;
	assert_false(hd_decode(hd_encode(&nop), &back, &why));
	assert_non_null(strstr(why, "nop"));
	nop.wait = 0;
	nop.release = 1;
	assert_false(hd_decode(hd_encode(&nop), &back, &why));
}

/* The offset of a load is signed. Without a register it is an address of the constant bank, which has more bytes than are positive numbers. */
TEST(offsets_of_loads)
{
	static const struct {
		hd_op op;
		uint8_t a, ksel;
		int32_t least, most;
	} rows[] = {{HD_OP_LDC, HD_RZ, 0, 0, 65535},
	            {HD_OP_LDC, 4, 0, -32768, 32767},
	            {HD_OP_LDC, HD_RZ, 1, -32768, 32767} /* c[0x3fc] */,
	            {HD_OP_LDS, HD_RZ, 0, -32768, 32767}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_inst load = {.op = (uint8_t)rows[i].op,
		                .guard = HD_PT,
		                .d = 2,
		                .a = rows[i].a,
		                .b = HD_RZ,
		                .c = HD_RZ,
		                .ksel = rows[i].ksel,
		                .sub = HD_SIZE_32},
		        back;
		const int32_t values[] = {rows[i].least, -1, 0, rows[i].most};
		assert_int_equal(hd_offset_least(&load), rows[i].least);
		assert_int_equal(hd_offset_most(&load), rows[i].most);
		for (size_t k = 0; k < HD_COUNT(values); k++) {
			const char *why;
			load.imm = values[k] < rows[i].least ? rows[i].least : values[k];
			assert_true(hd_decode(hd_encode(&load), &back, &why));
			assert_int_equal(back.imm, load.imm);
		}
	}
}

TEST(pairs_are_even)
{
	hd_inst inst = {.op = HD_OP_IADD64, .guard = HD_PT, .d = 2, .a = 4, .b = 7, .c = HD_RZ};
	const char *why;
	hd_inst back;
	assert_false(hd_decode(hd_encode(&inst), &back, &why));
	inst.b = 6;
	assert_true(hd_decode(hd_encode(&inst), &back, &why));
	inst.b = HD_RZ;
	assert_true(hd_decode(hd_encode(&inst), &back, &why));
	inst.b = HD_RZ - 1; /* the second of the pair would be RZ */
	assert_false(hd_decode(hd_encode(&inst), &back, &why));
	inst.b = HD_RZ - 3;
	assert_true(hd_decode(hd_encode(&inst), &back, &why));
}

static bool reads_back(hd_inst inst)
{
	const char *why;
	hd_inst back;
	return hd_decode(hd_encode(&inst), &back, &why);
}

/* Numbers in the sub-operation that mean nothing are refused. */
TEST(unknown_sub_operations_are_refused)
{
	hd_inst special = {.op = HD_OP_S2R, .guard = HD_PT, .d = 1, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .sub = HD_SREG_COUNT - 1};
	assert_true(reads_back(special));
	special.sub = HD_SREG_COUNT;
	assert_false(reads_back(special));
	hd_inst atomic = {.op = HD_OP_ATOMG, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ};
	for (unsigned op = 0; op <= HD_ATOM_OP_COUNT; op++) {
		atomic.sub = (uint8_t)(op | HD_ATOM_U32 << 4);
		assert_int_equal(reads_back(atomic), op < HD_ATOM_OP_COUNT);
		atomic.sub = (uint8_t)(op | HD_ATOM_F32 << 4);
		assert_int_equal(reads_back(atomic), op == HD_ATOM_ADD || op == HD_ATOM_EXCH);
	}
	hd_inst barrier = {.op = HD_OP_BAR, .guard = HD_PT, .d = HD_RZ, .a = 15, .b = HD_RZ, .c = HD_RZ};
	assert_true(reads_back(barrier));
	barrier.mod = HD_BAR_JOIN; /* PD-32 */
	assert_true(reads_back(barrier));
	barrier.b = 5;
	assert_true(reads_back(barrier));
	barrier.b = HD_RZ;
	barrier.mod = HD_BAR_JOIN + 1;
	assert_false(reads_back(barrier));
	barrier.mod = HD_BAR_SYNC;
	barrier.a = 16;
	assert_false(reads_back(barrier));
}

TEST(only_registers_have_a_last_use)
{
	/* LU-2 */
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .ksel = 2, .last_use = 1};
	const char *why;
	hd_inst back;
	assert_true(hd_decode(hd_encode(&inst), &back, &why));
	inst.last_use = 2;
	assert_false(hd_decode(hd_encode(&inst), &back, &why));
	inst.ksel = 3; /* the immediate */
	assert_false(hd_decode(hd_encode(&inst), &back, &why));
	assert_non_null(strstr(why, "LU-2"));
}

TEST(immediates_stand_for_values)
{
	int32_t field;
	assert_true(hd_imm16_fits(HD_OP_IADD, 0xffffffff, &field));
	assert_int_equal(field, -1);
	assert_false(hd_imm16_fits(HD_OP_IADD, 0x8000, &field));
	assert_true(hd_imm16_fits(HD_OP_FADD, 0x3f800000, &field)); /* 1.0f */
	assert_int_equal(field, 0x3f80);
	assert_false(hd_imm16_fits(HD_OP_FADD, 0x3f800001, &field));
	assert_true(hd_imm16_fits(HD_OP_DADD, UINT64_C(0x3ff0000000000000), &field));
	assert_true(hd_imm16_fits(HD_OP_IADD64, UINT64_MAX, &field));
	assert_false(hd_imm16_fits(HD_OP_IADD64, 0xffffffff, &field));
	assert_false(hd_imm16_fits(HD_OP_FFMA, 0, &field));
	hd_inst inst = {.op = HD_OP_SHL, .imm = 5};
	assert_int_equal(hd_imm16_value(&inst), 5);
}

TEST(uses_are_complete)
{
	hd_use uses[HD_MAX_USES];
	hd_inst inst = {.op = HD_OP_DFMA, .guard = 3, .d = 2, .a = 4, .b = 6, .c = 8};
	assert_int_equal(hd_inst_reads(&inst, uses), 4);
	assert_int_equal(uses[2].reg, 8);
	assert_int_equal(uses[2].words, 2);
	assert_int_equal(uses[3].reg, 3);
	assert_int_equal(uses[3].words, 0);
	assert_int_equal(hd_inst_writes(&inst, uses), 1);
	inst = (hd_inst){.op = HD_OP_STG, .guard = HD_PT, .a = 4, .b = 8, .sub = HD_SIZE_128};
	assert_int_equal(hd_inst_reads(&inst, uses), 2);
	assert_int_equal(uses[1].words, 4);
	assert_int_equal(hd_inst_writes(&inst, uses), 0);
	inst = (hd_inst){.op = HD_OP_IADDC, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .sub = 1 | 2 << 3};
	assert_int_equal(hd_inst_reads(&inst, uses), 3);
	assert_int_equal(uses[2].reg, 1);
	assert_int_equal(hd_inst_writes(&inst, uses), 2);
	assert_int_equal(uses[1].reg, 2);
	inst = (hd_inst){.op = HD_OP_IADD, .guard = HD_PT, .d = HD_RZ, .a = 2, .b = HD_RZ, .ksel = 1};
	assert_int_equal(hd_inst_reads(&inst, uses), 0);
	assert_int_equal(hd_inst_writes(&inst, uses), 0);
}

TEST(columns_of_memory_agree_with_formats_and_names)
{
	static const char letters[] = "?gs?l"; /* of hd_space */
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		const hd_op_info *row = &hd_ops[op];
		bool atomic = row->format == HD_F_ATOM || row->format == HD_F_CAS, load = row->format == HD_F_LD, store = row->format == HD_F_ST;
		bool accesses = load || store || atomic;
		assert_int_equal(hd_op_accesses(row), accesses);
		assert_int_equal((row->flags & HD_OPF_ATOMIC) != 0, atomic);
		assert_int_equal((row->flags & HD_OPF_LOAD) != 0, load || atomic);
		assert_int_equal((row->flags & HD_OPF_STORE) != 0, store || atomic || hd_op_spawns(row));
		if (row->flags & HD_OPF_LEAVES)
			assert_true(row->flags & HD_OPF_FLOW);
		if (!accesses) {
			assert_int_equal(hd_op_space(row), HD_SPACE_NONE);
			assert_false(row->flags & HD_OPF_READONLY);
			continue;
		}
		char letter = row->mnemonic[row->format == HD_F_ATOM ? 4 : row->format == HD_F_CAS ? 3 : 2];
		bool readonly = letter == 'c' || letter == 'k';
		assert_int_equal((row->flags & HD_OPF_READONLY) != 0, readonly);
		assert_int_equal(hd_op_space(row), letter == 'c'   ? HD_SPACE_CONST
		                                   : letter == 'k' ? HD_SPACE_GLOBAL
		                                   : letter        ? strchr(letters, letter) - letters
		                                                   : HD_SPACE_NONE);
	}
}

/* What each memory instruction does, as the load/store unit is told it. */
TEST(accesses_are_what_the_table_says)
{
	enum { LOAD = HD_ACCESS_LOAD, STORE = HD_ACCESS_STORE, ATOMIC = HD_ACCESS_ATOMIC, CAS = HD_ACCESS_CAS, FENCE = HD_ACCESS_FENCE };
	enum { GENERIC = HD_SPACE_NONE, GLOBAL = HD_SPACE_GLOBAL, SHARED = HD_SPACE_SHARED, LOCAL = HD_SPACE_LOCAL, CONST = HD_SPACE_CONST };
	static const struct {
		uint8_t op, kind, space;
		bool wide, constant, own_stage;
	} rows[] = {
	    {.op = HD_OP_LDG, .kind = LOAD, .space = GLOBAL, .wide = true},
	    {.op = HD_OP_LD, .kind = LOAD, .space = GENERIC, .wide = true},
	    {.op = HD_OP_LDS, .kind = LOAD, .space = SHARED},
	    {.op = HD_OP_LDL, .kind = LOAD, .space = LOCAL},
	    {.op = HD_OP_LDC, .kind = LOAD, .space = CONST},
	    {.op = HD_OP_LDK, .kind = LOAD, .space = GLOBAL, .wide = true, .constant = true},
	    {.op = HD_OP_STG, .kind = STORE, .space = GLOBAL, .wide = true},
	    {.op = HD_OP_ST, .kind = STORE, .space = GENERIC, .wide = true},
	    {.op = HD_OP_STS, .kind = STORE, .space = SHARED},
	    {.op = HD_OP_STL, .kind = STORE, .space = LOCAL},
	    {.op = HD_OP_ATOMG, .kind = ATOMIC, .space = GLOBAL, .wide = true},
	    {.op = HD_OP_ATOM, .kind = ATOMIC, .space = GENERIC, .wide = true},
	    {.op = HD_OP_ATOMS, .kind = ATOMIC, .space = SHARED, .own_stage = true},
	    {.op = HD_OP_CASG, .kind = CAS, .space = GLOBAL, .wide = true},
	    {.op = HD_OP_CAS, .kind = CAS, .space = GENERIC, .wide = true},
	    {.op = HD_OP_CASS, .kind = CAS, .space = SHARED, .own_stage = true},
	    {.op = HD_OP_MEMBAR, .kind = FENCE, .space = GENERIC},
	    {.op = HD_OP_LAUNCH, .kind = HD_ACCESS_LAUNCH, .space = GENERIC, .wide = true},
	    {.op = HD_OP_QPUSH, .kind = HD_ACCESS_PUSH, .space = GENERIC},
	};
	unsigned n = 0;
	for (unsigned op = 0; op < HD_OP_COUNT; op++)
		n += (hd_ops[op].flags & HD_OPF_MEM) != 0;
	assert_int_equal(n, HD_COUNT(rows));
	for (unsigned i = 0; i < n; i++) {
		static const uint8_t bytes_of_type[] = {4, 4, 8, 8, 4, 8}, bytes_of_cas[] = {4, 8, 2};
		unsigned kind = rows[i].kind, modes = kind == CAS ? 3 : kind <= STORE ? 4 : 1;
		for (unsigned mod = 0; mod < modes; mod++)
			for (unsigned sub = 0; sub < (kind == ATOMIC  ? HD_ATOM_TYPE_COUNT << 4
			                              : kind == FENCE ? HD_SCOPE_COUNT
			                                              : HD_SIZE_128 + 1);
			     sub++) {
				hd_inst inst = {.op = rows[i].op, .sub = (uint8_t)sub, .mod = (uint8_t)mod, .imm = -40};
				hd_access_op op = hd_access_op_of(&inst);
				unsigned bytes = kind == ATOMIC ? bytes_of_type[sub >> 4] : kind == CAS ? bytes_of_cas[mod] : hd_size_bytes(sub);
				assert_int_equal(op.kind, kind);
				assert_int_equal(op.space, rows[i].space);
				assert_int_equal(op.offset, -40);
				assert_int_equal(op.wide, rows[i].wide);
				assert_int_equal(op.constant, rows[i].constant);
				assert_int_equal(op.own_stage, rows[i].own_stage);
				if (kind <= CAS)
					assert_int_equal(hd_size_bytes(op.size), bytes);
				assert_int_equal(op.cache, kind <= STORE ? mod : HD_CACHE_ALL);
				assert_int_equal(op.scope, kind == FENCE ? sub : 0);
				assert_int_equal(op.atom, kind == ATOMIC ? sub & 15 : 0);
				assert_int_equal(op.type, kind == ATOMIC ? sub >> 4 : 0);
			}
	}
}
