/* Assembly text: asm(disasm(x)) is x; fence fields as text (HZ-2, HZ-3, HZ-4), hints (PD-1, PD-2), last uses (LU-2); errors name their place. */
#include "../test.h"

#include "object/object.h"

static hd_object *assemble(const char *text)
{
	hd_diag diag = {0};
	hd_object *o = hd_assemble(text, strlen(text), "t.hasm", &diag);
	if (!o)
		fail_msg("%s", diag.text.at);
	return o;
}

static void same_after_a_round_trip(const hd_object *o)
{
	hd_diag diag = {0};
	hd_text text = {0};
	size_t n, m;
	hd_disassemble(o, &text);
	hd_object *again = hd_assemble(text.at, text.n, "again.hasm", &diag);
	if (!again)
		fail_msg("%s", diag.text.at);
	hd_text second = {0};
	hd_disassemble(again, &second);
	assert_string_equal(text.at, second.at);
	hd_text_free(&second);
	unsigned char *x = hd_object_write(o, &n), *y = hd_object_write(again, &m);
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
	free(x);
	free(y);
	hd_text_free(&text);
	hd_object_free(again);
}

TEST(every_operation_makes_the_round_trip)
{
	uint64_t seed = 3;
	const char *why;
	unsigned good[HD_OP_COUNT] = {0};
	hd_object *o = hd_object_new();
	o->counters = 6;
	for (unsigned n = 0; n < 1500000; n++) {
		uint64_t word = hd_random(&seed) & hd_random(&seed);
		hd_inst inst;
		unsigned round = n / HD_OP_COUNT; /* each operation in every way, whatever their number */
		if (round & 1)
			word &= hd_random(&seed);
		if (round % 3 == 0)
			word = (word & ~(UINT64_C(0xff) << 41 | UINT64_C(0x7fff) << 49)) | (hd_random(&seed) & 0xff) << 49;
		unsigned op = n % HD_OP_COUNT;
		if (hd_ops[op].format == HD_F_NONE)
			word &= 0x1ffffff;
		word = (word & ~(UINT64_C(0xff) << 3)) | (uint64_t)op << 3;
		if (hd_ops[op].format == HD_F_BRANCH)
			word = (word & 0x1ffffff) | UINT64_C(1) << 33;
		if (good[op] >= 60 || !hd_decode(word, &inst, &why) || inst.primary > HD_WORD_COUNTERS)
			continue;
		good[op]++;
		if (o->code.n % 8 == 0) {
			uint64_t ss = HD_SS_OPCODE;
			for (unsigned i = 1; i < 8; i++)
				ss |= (hd_random(&seed) % HD_HINT_COUNT << 4 | (hd_random(&seed) & 15)) << (8 * i);
			hd_vec_push(&o->code, ss);
		}
		hd_vec_push(&o->code, word);
	}
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		if (good[op] == 0)
			fail_msg("%s never tried", hd_ops[op].mnemonic);
	}
	hd_inst nop = {.op = HD_OP_NOP, .guard = HD_PT}, end = {.op = HD_OP_EXIT, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
	while (o->code.n % 8 != 7) {
		uint64_t word = o->code.n % 8 ? hd_encode(&nop) : HD_SS_OPCODE;
		hd_vec_push(&o->code, word);
	}
	hd_vec_push(&o->code, hd_encode(&end));
	uint32_t called = (uint32_t)o->code.n + 1;
	for (unsigned word = 0; word < 16; word++)
		hd_vec_push(&o->code, word % 8 == 0 ? HD_SS_OPCODE : word % 8 == 1 ? hd_encode(&end) : hd_encode(&nop));
	for (uint32_t word = 1; word < called; word++)
		if (word % 8 && (o->code.at[word] >> 3 & 0xff) == HD_OP_CALL)
			o->code.at[word] = (o->code.at[word] & 0x1ffffff) | (uint64_t)called << 33;
	/* Marks before and behind scheduling words, empty functions. */
	hd_vec_push(&o->files, hd_xstrdup("a \"b\"\\\x01.cl"));
	hd_vec_push(&o->lines, (hd_line){0, 0, 1, 2});
	hd_vec_push(&o->lines, (hd_line){1, 0, 3, 4});
	hd_vec_push(&o->lines, (hd_line){9, 0, 5, 6});
	hd_vec_push(&o->functions, (hd_function){hd_xstrdup("none"), 1, called});
	hd_vec_push(&o->functions, (hd_function){hd_xstrdup("x"), called, called});
	hd_vec_push(&o->functions, (hd_function){hd_xstrdup("y"), called, called + 7});
	hd_vec_push(&o->functions, (hd_function){hd_xstrdup("z"), called + 7, called + 15});
	hd_vec_push(&o->targets, 1);
	hd_vec_push(&o->targets, 9);
	hd_vec_push(&o->targets, called);
	for (unsigned i = 0; i < 100; i++)
		hd_vec_push(&o->data, i < 20 || i > 60 ? (uint8_t)i : 0);
	hd_vec_push(&o->relocs, (hd_reloc){8, INT64_MIN});
	hd_vec_push(&o->literals, 0xffffffff);
	hd_kernel k = {.name = hd_xstrdup("k"), .entry = 1, .registers = 8, .param_bytes = 8, .call_depth = UINT32_MAX, .required_block = {0, 1, 0}};
	hd_vec_push(&k.params, (hd_param){.name = hd_xstrdup("p"), .size = 8, .align = 8, .space = HD_SPACE_CONST, .pointer = 1});
	/* A type without an element, both, an element without a type, and a name with a quote. */
	hd_vec_push(&k.params, (hd_param){.name = hd_xstrdup("q"), .source_type = hd_xstrdup("struct \"s\" *")});
	hd_vec_push(&k.params, (hd_param){.name = hd_xstrdup("r"), .size = 8, .source_type = hd_xstrdup("half *"), .element = HD_ELEMENT_F16});
	hd_vec_push(&k.params, (hd_param){.name = hd_xstrdup("s"), .size = 8, .element = HD_ELEMENT_U64});
	k.source_name = hd_xstrdup("space::k<4>");
	hd_vec_push(&o->kernels, k);
	o->config = hd_xstrdup("heddle");
	same_after_a_round_trip(o);
	hd_object_free(o);
}

/* The other line geometries and counters beyond 6 (PD-1, HZ-1, HZ-2). */
TEST(every_geometry_makes_the_round_trip)
{
	uint64_t seed = 9;
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
		if (hd_is_compact(g))
			continue;
		for (unsigned counters = 2; counters <= hd_geometries[g].counters; counters++) {
			hd_object *o = hd_object_new();
			o->geometry = g;
			o->counters = counters;
			o->config = hd_xstrdup("heddle");
			for (uint32_t word = 0; word < 64; word++)
				hd_vec_push(&o->code, hd_is_ss(g, word) ? HD_SS_OPCODE : 0);
			for (uint32_t word = hd_geometries[g].ss; word < 64; word = hd_after(g, word)) {
				hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ};
				inst.primary = (uint8_t)(hd_random(&seed) % (counters + 1));
				inst.wait = (uint16_t)(hd_random(&seed) & ((1u << counters) - 1));
				if (inst.primary)
					inst.wait &= (uint16_t) ~(1u << (inst.primary - 1));
				if (word == 7 || word == 63)
					inst = (hd_inst){.op = HD_OP_EXIT, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
				if (word % 11 == 0)
					inst = (hd_inst){
					    .op = HD_OP_BRA, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .imm = (int32_t)word};
				hd_line_put(g, o->code.at, word, &inst);
				unsigned hints = (unsigned)(hd_random(&seed) % HD_HINT_COUNT << 4 | (hd_random(&seed) & 15));
				if (hd_geometries[g].hints > 1) /* PD-24 */
					hints |= (unsigned)(hd_random(&seed) & 0xff00);
				hd_line_put_hint(g, o->code.at, word, hints);
			}
			hd_vec_push(&o->functions, (hd_function){hd_xstrdup("f"), g ? 5 : 1, g ? 12 : 8});
			same_after_a_round_trip(o);
			hd_object_free(o);
		}
	}
}

/* PD-33: instructions of both lengths, empty words, and what `long` says. */
TEST(instructions_of_32_bits_make_the_round_trip)
{
	static const char *const lines[] = {"iadd r1, r2, r3",
	                                    "iadd r1, r2, r3 {delay 7}",
	                                    "iadd r1, r2, r3 {long delay 7}",
	                                    "iadd r100, r2, r3 {p1.w hold.mem 3}",
	                                    "iadd r1, r2, r3 {hold.mem 3}",
	                                    "@p0 bra b",
	                                    "@p0 bra a {long}",
	                                    "nop {delay 1}"};
	uint64_t seed = 11;
	for (unsigned n = 0; n < 400; n++) {
		hd_text text = {0};
		hd_text_printf(&text, ".geometry compact\n%s", n % 2 ? "" : ".hints 17, 0, 1, 2, 3, 4, 5, 6, 67, 8, 9, 10, 11, 12, 13, 23\n");
		hd_text_printf(&text, ".file \"f\"\n.kernel k\n.entry a\n.function g\na:\n");
		for (unsigned i = 0; i < 30; i++) {
			unsigned what = (unsigned)(hd_random(&seed) % 16);
			if (i == 10 + n % 16)
				hd_text_printf(&text, ".target\nb:\n");
			if (what == 15)
				hd_text_printf(&text, ".line 0, %u, 1\n", i);
			hd_text_printf(&text, "%s\n", lines[what % HD_COUNT(lines)]);
		}
		hd_text_printf(&text, "exit\n.end\n.function h\nexit {%s}\n.end\n", n % 3 ? "" : "long");
		hd_object *o = assemble(text.at);
		same_after_a_round_trip(o);
		uint32_t entry = o->kernels.at[0].entry, target = o->targets.at[0];
		assert_true(hd_object_begins(o, entry) && hd_object_begins(o, target));
		hd_object_free(o);
		hd_text_free(&text);
	}
	/* A short instruction has a hint of the table; without a table, a delay. */
	hd_object *o = assemble(".geometry compact\niadd r1, r2, r3 {delay 7}\niadd r1, r2, r3 {wait 7}\nexit\n");
	assert_int_equal(hd_object_after(o, 1), 2);
	assert_int_equal(hd_object_after(o, 2), 4);
	assert_int_equal(hd_object_hint(o, 1), HD_HINT_DELAY << 4 | 7);
	assert_int_equal(hd_object_hint(o, 2), HD_HINT_WAIT << 4 | 7);
	hd_object_free(o);
	/* A label moves with its instruction to the next line. */
	o = assemble(".geometry compact\nbra a\nnop\nnop\nnop\nnop\nnop\na: iadd r100, r2, r3\nexit\n");
	hd_inst inst;
	const char *why;
	assert_true(hd_line_get(o->geometry, o->code.at, 1, &inst, &why));
	assert_int_equal(inst.imm, 9);
	hd_object_free(o);
}

/* PD-33: what text cannot say is refused. */
TEST(halves_of_instructions_are_refused)
{
	static const char text[] =
	    ".geometry compact\n.file \"f\"\n.function g\nnop\niadd r100, r2, r3\nnop\nnop\nnop\nbra a {long}\na: exit\n.end\n";
	for (unsigned i = 0; i < 9; i++) {
		hd_object *o = assemble(text);
		hd_diag diag = {0};
		assert_int_equal(hd_line_word(o->geometry, o->code.at, 7), HD_WORD_EMPTY);
		if (i == 0)
			o->code.at[1] |= UINT64_C(1) << 32;
		if (i == 1)
			o->code.at[9] = 1, o->code.at[10] = 1; /* behind the empty word is a short instruction */
		if (i == 2)
			o->functions.at[0].begin = 3;
		if (i == 3)
			o->functions.at[0].end = 10;
		if (i == 4)
			hd_vec_push(&o->lines, (hd_line){.word = 3});
		if (i == 5)
			o->functions.at[0].begin = 8; /* the scheduling word behind the empty word */
		if (i == 6)
			hd_vec_push(&o->targets, 3);
		if (i == 7)
			o->code.at[10] = 3 << 1; /* a branch to a second half */
		if (i == 8)
			hd_vec_push(&o->hint_table, 1);
		if (hd_object_validate(o, "t", &diag))
			fail_msg("%u is taken", i);
		hd_diag_free(&diag);
		hd_object_free(o);
	}
}

TEST(fields_are_written_as_text)
{
	hd_object *o = assemble(
	    ".kernel k\n.entry start\nstart:\t@!p0 iadd r3, r1.lu, c[0x40] {p1.r w010100 delay 4} ; a comment\nldc.32 r3, [rz+32932]\nexit\n");
	hd_inst inst;
	const char *why;
	assert_int_equal(o->code.n, 8);
	assert_int_equal(o->kernels.at[0].entry, 1);
	assert_int_equal(o->code.at[0], HD_SS_OPCODE | UINT64_C(0x14) << 8); /* PD-1, PD-2 */
	assert_true(hd_decode(o->code.at[1], &inst, &why));
	assert_int_equal(inst.op, HD_OP_IADD);
	assert_int_equal(inst.guard, 0);
	assert_int_equal(inst.guard_neg, 1);
	assert_int_equal(inst.primary, 1);
	assert_int_equal(inst.release, 1);            /* HZ-4 */
	assert_int_equal(inst.wait, 1 << 1 | 1 << 3); /* HZ-2: counters 2 and 4 */
	assert_int_equal(inst.last_use, 1);           /* LU-2 */
	assert_int_equal(inst.ksel, 2);
	assert_int_equal(inst.b, 16);
	assert_true(hd_decode(o->code.at[2], &inst, &why));
	assert_int_equal(inst.imm, 32932);
	assert_true(hd_decode(o->code.at[7], &inst, &why));
	assert_int_equal(inst.op, HD_OP_NOP);
	same_after_a_round_trip(o);
	hd_object_free(o);
}

/* LU-4: the mark of a result that passes by the operand buffer. It takes the bit of the release, so a primary cannot have it. */
TEST(results_can_pass_by)
{
	hd_object *o = assemble(".kernel k\n.entry start\nstart:\tiadd r3, r1, r2 {pass w010000 delay 4}\nexit\n");
	hd_inst inst;
	const char *why;
	hd_diag diag = {0};
	static const char both[] = ".kernel k\n.entry start\nstart:\tiadd r3, r1, r2 {p1.w pass}\nexit\n";
	assert_true(hd_decode(o->code.at[1], &inst, &why));
	assert_true(hd_passes_by(&inst));
	assert_int_equal(inst.wait, 2);
	same_after_a_round_trip(o);
	hd_object_free(o);
	assert_null(hd_assemble(both, sizeof both - 1, "x.hasm", &diag));
	hd_diag_free(&diag);
}

TEST(targets_skip_scheduling_words)
{
	hd_object *o = assemble("nop\nnop\nnop\nnop\nnop\nnop\nnop\nback: fadd r1, r2, #1.5\nbra back\nbra 1\n");
	hd_inst inst;
	const char *why;
	assert_true(hd_decode(o->code.at[10], &inst, &why));
	assert_int_equal(inst.imm, 9);
	assert_true(hd_decode(o->code.at[9], &inst, &why));
	assert_int_equal(hd_imm16_value(&inst), 0x3fc00000);
	same_after_a_round_trip(o);
	hd_object_free(o);
}

/* Sixteen zeros or more are one line, and so are those at the end. */
TEST(zeros_of_the_data_make_the_round_trip)
{
	hd_object *o = assemble("nop\n.zero 20\n.byte 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 13, 14, 15, 16\n.zero 5\n");
	hd_text text = {0};
	hd_disassemble(o, &text);
	assert_non_null(strstr(text.at, ".zero 20\n.byte 0x01, "));
	assert_non_null(strstr(text.at, ", 0x10\n.zero 5\n"));
	hd_text_free(&text);
	same_after_a_round_trip(o);
	hd_object_free(o);
}

/* The machine that the object was compiled for: as many lines as there may be make one text; without them nothing is known. */
TEST(the_machine_makes_the_round_trip)
{
	hd_object *o = assemble(".machine a.b=1 c=true\n.counters 6\n.nonuniform\n.machine\td_e.f.g=0x3 ; comment\nnop\n.machine h=1\n");
	assert_string_equal(o->machine, "a.b=1\nc=true\nd_e.f.g=0x3\nh=1\n");
	same_after_a_round_trip(o);
	/* Enough for several lines of text, with settings of every length up to more than a line. */
	hd_text machine = {0};
	for (int length = 1; length < 200; length += 7)
		hd_text_printf(&machine, "key.%d=%0*d\n", length, length, 0);
	free(o->machine);
	o->machine = machine.at;
	same_after_a_round_trip(o);
	hd_object_free(o);
	o = assemble("nop\n");
	assert_null(o->machine);
	same_after_a_round_trip(o);
	hd_object_free(o);
	hd_text text = {0};
	hd_diag diag = {0};
	for (int i = 0; i < 7000; i++)
		hd_text_printf(&text, ".machine key=%05d\n", i);
	assert_null(hd_assemble(text.at, text.n, "t.hasm", &diag));
	assert_non_null(strstr(diag.text.at, "t.hasm:6554:19: error: too many settings of the machine, expected at most 65535 characters"));
	hd_text_free(&text);
	hd_diag_free(&diag);
}

TEST(directives_belong_to_the_last_kernel)
{
	hd_object *o =
	    assemble(".kernel a\n.entry E\n.registers 5\n.kernel b\n.entry E\n.registers 7\n.shared 64\n.priority 3, -1\n.source_name \"b<int>\"\n"
	             ".function f\nE: nop\nnop\nexit\n.end\n");
	assert_int_equal(o->kernels.at[0].registers, 5);
	assert_int_equal(o->kernels.at[0].shared_bytes, 0);
	assert_int_equal(o->kernels.at[0].priority, 0);
	assert_int_equal(o->kernels.at[1].registers, 7);
	assert_int_equal(o->kernels.at[1].shared_bytes, 64);
	assert_int_equal(o->kernels.at[1].priority, 3);
	assert_int_equal(o->kernels.at[1].priority_step, -1);
	assert_string_equal(o->kernels.at[1].source_name, "b<int>");
	hd_object_free(o);
}

TEST(errors_name_their_place)
{
	static const struct {
		const char *text, *expected;
	} bad[] = {
	    {"frobnicate r1, r2\n", "t.hasm:1:1: error: unknown operation 'frobnicate'"},
	    {"nop\n\tiadd r1, r2\n", "t.hasm:2:13: error: something else, expected ','"},
	    {"iadd r1, r2, r300\n", "t.hasm:1:14: error: bad operand"},
	    {"iadd r1, r2, r3 {p2.w w010000}\n", "t.hasm:1:1: error: iadd: a primary that waits for its own counter (HZ-3)"},
	    {"iadd64 r2:r3, r4:r5, r7\n", "t.hasm:1:1: error: iadd64: a register pair"},
	    {"movi r1, 5 {p1.r}\n", "HZ-4"},
	    {"ldc.32 r1, [rz-4]\n", "t.hasm:1:15: error: bad offset"},
	    {"ldc.32 r1, [r2+32768]\n", "t.hasm:1:15: error: bad offset"},
	    {"bra nowhere\n", "t.hasm:1:1: error: no label 'nowhere'"},
	    {"bra 8\n", "t.hasm:1:1: error: word 1: the target 8"},
	    /* Control flow of a program (docs/timing.md): the next function, another function, the middle of a function, a kernel. */
	    {".function \"f\"\nnop\n.end\n.function \"g\"\nexit\n.end\n", "t.hasm:2:1: error: word 1: control falls out of f, expected exit"},
	    {".function \"f\"\n@p0 exit\n.end\n", "t.hasm:2:1: error: word 1: control falls out of f, expected exit"},
	    {".kernel \"k\"\n.entry K\nK: nop\n", "control falls out of the code outside of functions"},
	    {".function \"f\"\nbra G\n.end\n.function \"g\"\nG: exit\n.end\n", "t.hasm:2:1: error: word 1: a branch from f into g"},
	    {".function \"f\"\ncall G\nret\n.end\n.function \"g\"\nnop\nG: exit\n.end\n", "t.hasm:2:1: error: word 1: a call to word 4"},
	    {".kernel \"k\"\n.entry K\n.function \"k\"\nK: call K\nexit\n.end\n", "t.hasm:4:4: error: word 1: a call to word 1"},
	    {".function \"f\"\n.target\n.target\nexit\n.end\n", "the indirect target 1 is no instruction of this program, or listed out of order"},
	    {"x: nop\nx: nop\n", "here and elsewhere"},
	    {".counters 2\nnop\nnop\niadd r1, r2, r3 {p3.w}\n",
	     "t.hasm:4:1: error: word 3: a fence counter that the program does not have, expected one of its 2"},
	    {"stg.32 [r2:r3], c[0x40]\n", "t.hasm:1:19: error: bad operand, expected a register, as a store has no operand in the constant bank"},
	    {"sts.64 [c[0x40]], r2:r3\n", "expected a register, as a store has no operand in the constant bank"},
	    {".line 0, 1, 1\n", "t.hasm:1:7: error: "},
	    {".kernel \"k\n", "a name without an end"},
	    {".frob\n", "t.hasm:1:1: error: unknown directive"},
	    {".function f\nnop\n", "expected .end"},
	    {"nop nop\n", "t.hasm:1:5: error: more on the line"},
	    {"isetp.lo p0, r1, r2\nfsetp.lo p0, r1, r2\n", "t.hasm:2:1: error: fsetp: an unsigned comparison"},
	    {".zero 268435456\n.zero 1\n", "too much data"},
	    {".registers 5\n", "no kernel yet"},
	    {".entry a\n", "no kernel yet"},
	    {"nop\n.end\n", "t.hasm:2:5: error: no function to end, expected .function before this"},
	    {".machine\n", "t.hasm:1:9: error: no setting, expected KEY=VALUE"},
	    {".machine a\n", "t.hasm:1:11: error: no setting, expected KEY=VALUE"},
	    {".machine a =1\n", "error: no setting, expected KEY=VALUE"},
	    {".machine a=\n", "t.hasm:1:12: error: a setting without a value"},
	    {".machine a= 1\n", "error: a setting without a value"},
	    {".machine $=1\n", "error: a setting without a value"},
	    {".machine a=1 =2\n", "t.hasm:1:14: error: no setting"},
	    {".machine a=1, b=2\n", "t.hasm:1:13: error: no setting"},
	};
	for (unsigned i = 0; i < HD_COUNT(bad); i++) {
		hd_diag diag = {0};
		assert_null(hd_assemble(bad[i].text, strlen(bad[i].text), "t.hasm", &diag));
		if (!strstr(diag.text.at, bad[i].expected))
			fail_msg("expected %s, got %s", bad[i].expected, diag.text.at);
		hd_diag_free(&diag);
	}
}

/* HZ-33 */
TEST(orders_of_the_programmer)
{
	static const struct {
		const char *orders, *why; /* NULL: accepted */
	} rows[] = {
	    {".order a, b\n.order b, a\n.order a, a\n", NULL},
	    {".order a\n", "one instruction, expected a comma"},
	    {".order\n", "no instruction, expected the label"},
	    {".order a,\n", "one instruction, expected the label"},
	    {".order a, nowhere\n", "no label 'nowhere'"},
	    {".order a, c\n", "the order of words 1 and 4 names no two instructions of one function"},
	    {".order a, end\n", "names no two instructions of one function"},
	    {".order a, b\n.order a, b\n.order b, b\n.order a, b\n.order a, b\n", "word 2 comes second in too many orders, expected at most 4"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_text text = {0};
		hd_diag diag = {0};
		hd_text_printf(&text, ".function \"f\"\na: nop\nb: nop\nexit\n.end\n.function \"g\"\nc: exit\n.end\nend: nop\n%s", rows[i].orders);
		hd_object *o = hd_assemble(text.at, text.n, "t.hasm", &diag);
		if (rows[i].why) {
			assert_null(o);
			if (!strstr(diag.text.at, rows[i].why))
				fail_msg("%s", diag.text.at);
		} else {
			if (!o)
				fail_msg("%s", diag.text.at);
			assert_int_equal(o->orders.n, 3);
			assert_true(o->orders.at[1].first == 2 && o->orders.at[1].second == 1);
			same_after_a_round_trip(o);
			size_t n;
			unsigned char *bytes = hd_object_write(o, &n);
			hd_object *again = hd_object_read(bytes, n, "t.hko", &diag);
			assert_int_equal(again->orders.n, 3);
			assert_memory_equal(again->orders.at, o->orders.at, 3 * sizeof *o->orders.at);
			hd_object_free(again);
			hd_object_free(o);
			free(bytes);
		}
		hd_text_free(&text);
		hd_diag_free(&diag);
	}
}

/* PD-24: an instruction has as many hints as an entry of its geometry has bytes. */
TEST(hints_that_have_no_room)
{
	static const struct {
		const char *text, *message;
	} rows[] = {{"nop {delay 2 may_replay}\n", "t.hasm:1:14: error: a second hint, which lines of this geometry have no room for"},
	            {".geometry wide\nnop {pair boost 3}\n", "t.hasm:2:11: error: a second hint, which lines"},
	            {".geometry combined\nnop {pair boost 3 wait 1}\n", "t.hasm:2:19: error: a third hint, expected at most two"},
	            {".geometry combined\niadd r1, r2, r3 {p9.w pair boost 3}\n", "have no room for, expected counters up to 8"},
	            {".geometry plain\nnop {h4}\nnop {delay 2}\n", "t.hasm:3:6: error: a hint, which lines of this geometry have no room for"},
	            {".geometry combined\nnop {pair 3 boost 15}\n", NULL}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_diag diag = {0};
		hd_object *object = hd_assemble(rows[i].text, strlen(rows[i].text), "t.hasm", &diag);
		assert_int_equal(object == NULL, rows[i].message != NULL);
		if (object)
			assert_int_equal(hd_line_hint(HD_GEOMETRY_COMBINED, object->code.at, 1), (HD_HINT_PAIR << 4 | 3) | (HD_HINT_BOOST << 4 | 15)
			                                                                                                       << 8);
		else if (!strstr(diag.text.at, rows[i].message))
			fail_msg("%s, expected %s", diag.text.at, rows[i].message);
		hd_object_free(object);
		hd_diag_free(&diag);
	}
}

/* PD-28: a table makes the round trip as text and as a file, and says what three bits stand for; without one they are `default` and delays. */
TEST(a_table_of_hints)
{
	static const struct {
		const char *text, *message;
	} rows[] = {{".hints 0x11, 0x31, 0x14, 0x18, 0xa1, 0x42, 0x1f, 0\nnop {h3}\n", NULL},
	            {".hints 1, 2, 3\nnop\n", "t.hasm:1:15: error"},
	            {".hints 1, 2, 3, 4, 5, 6, 7, 256\nnop\n", "t.hasm:1:29: error: bad pre-decode byte"},
	            {".hints 1, 2, 3, 4, 5, 6, 7, 8\n.hints 1, 2, 3, 4, 5, 6, 7, 8\nnop\n", "a second table of hints"}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_diag diag = {0};
		hd_object *object = hd_assemble(rows[i].text, strlen(rows[i].text), "t.hasm", &diag);
		assert_int_equal(object == NULL, rows[i].message != NULL);
		if (!object && !strstr(diag.text.at, rows[i].message))
			fail_msg("%s, expected %s", diag.text.at, rows[i].message);
		if (object) {
			size_t n;
			same_after_a_round_trip(object);
			unsigned char *bytes = hd_object_write(object, &n);
			hd_object *again = hd_object_read(bytes, n, "t.hko", &diag);
			assert_int_equal(again->hint_table.n, HD_HINT_TABLE);
			assert_int_equal(hd_object_hint3(again, 3), 0x18);
			assert_int_equal(hd_object_hint3(again, 7), 0);
			again->hint_table.n = 7;
			assert_false(hd_object_validate(again, "t.hko", &diag));
			assert_non_null(strstr(diag.text.at, "a table of 7 hints, expected none or 8"));
			again->hint_table.n = 0;
			assert_int_equal(hd_object_hint3(again, 3), HD_HINT_DELAY << 4 | 3);
			assert_int_equal(hd_object_hint3(again, 0), HD_HINT_DEFAULT << 4);
			hd_object_free(again);
			free(bytes);
		}
		hd_object_free(object);
		hd_diag_free(&diag);
	}
}
