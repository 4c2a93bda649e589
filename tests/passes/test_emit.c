/* Emission: places of instructions, operand fields, targets, hints of either carrier, the line table, data. */
#include "../ir_builder.h"
#include "passes/emit/emit.h"

typedef struct fixture {
	ir_builder b;
	hd_machine machine;
	hd_object *object;
} fixture;

static fixture start(const char *text)
{
	fixture x = {.b = ir_read(text)};
	hd_machine_default(&x.machine);
	return x;
}

static void emit(fixture *x)
{
	hd_diag diag = {0};
	x->object = hd_emit_object(x->b.m, &x->machine, &diag);
	if (!x->object || !hd_object_validate(x->object, "test", &diag))
		fail_msg("%s", diag.text.at);
}

static void stop(fixture *x)
{
	hd_object_free(x->object);
	ir_free(&x->b);
}

static hd_inst at(const fixture *x, uint32_t word)
{
	hd_inst inst;
	const char *why;
	assert_true(hd_line_get(x->object->geometry, x->object->code.at, word, &inst, &why));
	return inst;
}

static unsigned hint(const fixture *x, uint32_t word) { return hd_object_hint(x->object, word); }

static void expect_asm(const fixture *x, uint32_t word, const char *expected)
{
	hd_text text = {0};
	hd_inst inst = at(x, word);
	hd_inst_print(&text, &inst);
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
}

#define KERNEL ".kernel \"k\"\n.allocated 64\n.laid_out\nb0:\n"
#define FUNCTION ".function \"f\"\n.allocated 64\n.laid_out\nb0:\n"

/* Scheduling words are left out; a function begins in a line of its own; what is left over is no-ops. */
TEST(places)
{
	static const uint32_t words[HD_GEOMETRY_PLAIN][8] = {{1, 2, 3, 4, 5, 6, 7, 9},  {1, 2, 3, 5, 6, 7, 9, 10},  {1, 2, 3, 5, 6, 7, 9, 10},
	                                                     {1, 2, 3, 5, 6, 7, 9, 10}, {2, 3, 4, 5, 6, 7, 10, 11}, {1, 2, 3, 4, 5, 6, 7, 9}},
	                      end[HD_GEOMETRY_PLAIN] = {16, 16, 12, 16, 16, 16};
	for (unsigned g = 0; g < HD_GEOMETRY_PLAIN; g++) {
		fixture x =
		    start(KERNEL "mov r1 = r2\nmov r1 = r2\nmov r1 = r2\nmov r1 = r2\nmov r1 = r2\nmov r1 = r2\nmov r1 = r2\nexit\n.exit\n" FUNCTION
		                 "ret\n.ret\n");
		x.machine.predecode_geometry = (hd_geometry)g;
		emit(&x);
		assert_int_equal(x.object->geometry, g);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(ir_block(&x.b, 0)->insts.at[i]->word, words[g][i]);
		assert_int_equal(x.object->functions.at[1].begin, end[g] + hd_geometries[g].ss);
		assert_int_equal(x.object->code.n, end[g] + hd_geometries[g].line_words);
		expect_asm(&x, words[g][7] + 1, "nop");
		assert_int_equal(hint(&x, words[g][7] + 1), HD_HINT_DELAY << 4 | 1);
		unsigned opcode = g == HD_GEOMETRY_COMPACT ? 15 : 255;
		assert_int_equal(x.object->code.at[0] & opcode, HD_SS_OPCODE & opcode);
		stop(&x);
	}
}

/* PD-1: eight instructions a line and no scheduling word. Address 0, the null pointer, is that of no function but the only one. */
TEST(places_without_scheduling_words)
{
	for (unsigned functions = 1; functions <= 2; functions++) {
		fixture x = start(functions == 1 ? KERNEL "mov r1 = r2\nexit\n.exit\n" : KERNEL "mov r1 = r2\nexit\n.exit\n" FUNCTION "ret\n.ret\n");
		uint32_t begin = functions == 1 ? 0 : 8;
		x.machine.predecode_geometry = HD_GEOMETRY_PLAIN;
		x.machine.predecode_carrier = HD_CARRIER_NONE;
		emit(&x);
		assert_int_equal(x.object->functions.at[0].begin, begin);
		assert_int_equal(x.object->code.n, begin ? 24 : 8);
		expect_asm(&x, begin, "mov r1, r2");
		expect_asm(&x, begin + 1, "exit");
		expect_asm(&x, begin + 7, "nop");
		assert_int_equal(hint(&x, begin), 0);
		if (begin)
			expect_asm(&x, 16, "ret");
		stop(&x);
	}
}

TEST(operands)
{
	static const struct {
		const char *ir, *text;
	} rows[] = {
	    {"@!p3 iadd{mod=0} r1 = r2, r3", "@!p3 iadd r1, r2, r3"},
	    {"iadd _ = r2, 0x0", "iadd rz, r2, rz"},
	    {"iadd r1 = r2, 0xffffffff", "iadd r1, r2, #-1"},
	    {"iadd r1 = r2, c[0x40]", "iadd r1, r2, c[0x40]"},
	    {"iadd r1 = c[0x44], r2", "iadd r1, c[0x44], r2"},
	    {"iadd r1 = r2, 0x12345678", "iadd r1, r2, c[0x3fc]"}, /* a literal */
	    {"imad r1 = r2, r3, 0x12345678", "imad r1, r2, r3, c[0x3fc]"},
	    {"iadd r1 = ^r2, r3", "iadd r1, r2.lu, r3"},
	    {"isetp{cmp=lo} p2 = r2, r3", "isetp.lo p2, r2, r3"},
	    {"isetp{cmp=lo} _ = r2, r3", "isetp.lo pt, r2, r3"},
	    {"sel r1 = r2, r3, !p1", "sel r1, r2, r3, !p1"},
	    {"sel r1 = r2, r3, _", "sel r1, r2, r3, pt"},
	    {"iaddc r1, p2 = r2, r3, p4", "iaddc r1, r2, r3, p4, p2"},
	    {"iaddc r1, _ = r2, r3, _", "iaddc r1, r2, r3, pt, pt"},
	    {"plop{sub=128} p1 = p2, !p3, p4", "plop p1, p2, !p3, p4, 0x80"},
	    {"movi{primary=1 release=1} r1 = 0x1", "movi r1, 0x00000001"}, /* its bit is that of the number */
	    {"movi r1 = 0x89abcdef", "movi r1, 0x89abcdef"},
	    {"ldg{sub=5 offset=-16} r4:2 = r2:2", "ldg.64 r4:r5, [r2:r3-16]"},
	    {"stg{sub=4 offset=8} r2:2, r9", "stg.32 [r2:r3+8], r9"},
	    {"bar{offset=3} r5", "bar.sync 3, r5"},
	    {"bar{offset=3} _", "bar.sync 3"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_text text = {0};
		hd_text_printf(&text, ".literal 0x12345678\n" KERNEL "%s\nexit\n.exit\n", rows[i].ir);
		fixture x = start(text.at);
		emit(&x);
		expect_asm(&x, 1, rows[i].text);
		assert_int_equal(at(&x, 1).last_use, strchr(rows[i].ir, '^') ? 1 : 0);
		hd_text_free(&text);
		stop(&x);
	}
}

/* A branch leads to a block's first word, which may be that of the block behind it; calls and FADDR to a function's. */
TEST(targets)
{
	fixture x = start(KERNEL "bra{to=2}\n.jump b1\nb1:\n.jump b2\nb2:\ncall{to=2}\nmovi r1 = f1\nexit\n.exit\n" FUNCTION "ret\n.ret\n");
	emit(&x);
	assert_int_equal(at(&x, 1).imm, 2);
	assert_int_equal(at(&x, 2).imm, 9);
	assert_int_equal(at(&x, 3).imm, 9);
	assert_int_equal(x.object->functions.at[1].begin, 9);
	stop(&x);
}

TEST(hints)
{
	static const char text[] = KERNEL "iadd{primary=1 release=1 wait=40 hint=1 delay=9} r1 = r2, r3\nldg{sub=4 hint=10 delay=2} r1 = r2:2\n"
	                                  "frcp{hint=2 delay=3} r1 = r2\nfrcp{hint=10 delay=3} r1 = r2\nbra{to=1 hint=1 delay=2}\n.jump b0\n";
	static const uint8_t plain[] = {HD_HINT_DELAY, HD_HINT_MAY_REPLAY, HD_HINT_WAIT, HD_HINT_MAY_REPLAY, HD_HINT_DELAY},
	                     typed[] = {HD_HINT_DELAY_ALU, HD_HINT_MAY_REPLAY, HD_HINT_WAIT, HD_HINT_DELAY_SFU, HD_HINT_DELAY},
	                     number[] = {9, 2, 3, 3, 2};
	for (unsigned window = 1; window <= 2; window++) {
		fixture x = start(text);
		x.machine.multi_issue_window = window;
		x.machine.multi_issue_types = HD_TYPES_PREDECODE;
		emit(&x);
		for (unsigned i = 0; i < 5; i++)
			assert_int_equal(hint(&x, i + 1), (window > 1 ? typed : plain)[i] << 4 | number[i]);
		assert_int_equal(at(&x, 1).primary, 1);
		assert_int_equal(at(&x, 1).release, 1);
		assert_int_equal(at(&x, 1).wait, 40);
		assert_int_equal(at(&x, 1).hint3, 0);
		stop(&x);
	}
}

/* RC-21: the first instruction of a block in which lanes meet has the flag, in every geometry. */
TEST(flags_of_tokens)
{
	for (unsigned geometry = 0; geometry < HD_GEOMETRY_COUNT; geometry++) {
		fixture x = start(KERNEL "push{to=1}\n.jump b1\nb1: meets\nmov r1 = r2\nexit\n.exit\n");
		x.machine.predecode_geometry = (hd_geometry)geometry;
		emit(&x);
		uint32_t word = hd_geometries[geometry].ss;
		for (unsigned i = 0; i < 3; i++, word = hd_object_after(x.object, word))
			assert_int_equal(at(&x, word).hint3, i == 1 ? HD_MEETS : 0);
		stop(&x);
	}
}

/* PD-33: what fits takes 32 bits; the rest is in one line, and so is the target of a branch to it. */
TEST(lengths)
{
	static const struct {
		uint32_t word;
		const char *text;
	} expected[] = {{1, "mov r1, r2"},   {2, "mov r1, r2"},      {3, "mov r1, r2"},  {4, "mov r100, r2"}, {6, "bra 9"},
	                {9, "mov r100, r2"}, {11, "@p0 mov r1, r2"}, {13, "mov r1, r2"}, {14, "bra 9"}};
	fixture x = start(".kernel \"k\"\n.allocated 128\n.laid_out\nb0:\nmov r1 = r2\nmov{hint=1 delay=3} r1 = r2\nmov r1 = r2\n"
	                  "mov r100 = r2\nbra{to=2}\n.jump b1\nb1:\nmov r100 = r2\n@p0 mov r1 = r2\nmov r1 = r2\nbra{to=2}\n.jump b1\n");
	x.machine.predecode_geometry = HD_GEOMETRY_COMPACT;
	x.machine.multi_issue_window = 1; /* or hints would name the pipe */
	emit(&x);
	assert_int_equal(x.object->hint_table.n, HD_SHORT_HINTS);
	assert_int_equal(x.object->hint_table.at[0], HD_HINT_DELAY << 4 | 1);
	for (unsigned i = 0; i < HD_COUNT(expected); i++)
		expect_asm(&x, expected[i].word, expected[i].text);
	assert_int_equal(hint(&x, 2), HD_HINT_DELAY << 4 | 3);
	assert_int_equal(hint(&x, 1), 0);
	assert_int_equal(x.object->code.at[7], 0);
	assert_false(hd_object_begins(x.object, 5));
	assert_false(hd_object_begins(x.object, 7));
	assert_int_equal(x.object->code.n, 16);
	stop(&x);
}

/* PD-33: the address of a function may become larger than an immediate of 15 bits after lengths are chosen. */
TEST(addresses_of_functions_are_long)
{
	fixture x = start(KERNEL "movi r1 = f1\nmovi r1 = 7\nexit\n.exit\n" FUNCTION "ret\n.ret\n");
	x.machine.predecode_geometry = HD_GEOMETRY_COMPACT;
	emit(&x);
	assert_int_equal(hd_line_length(HD_GEOMETRY_COMPACT, x.object->code.at, 1), 2);
	assert_int_equal(hd_line_length(HD_GEOMETRY_COMPACT, x.object->code.at, 3), 1);
	assert_int_equal(at(&x, 1).imm, 9);
	stop(&x);
}

/* PD-33: the table has the fifteen bytes that most short instructions have, and an instruction with another byte is long. */
TEST(short_hints)
{
	hd_text text = {0};
	hd_text_printf(&text, KERNEL);
	for (unsigned delay = 0; delay < 16; delay++)
		for (unsigned n = 0; n < 2 + (delay != 9); n++)
			hd_text_printf(&text, "mov{hint=1 delay=%u} r1 = r2\n", delay);
	hd_text_printf(&text, "mov{hint=2 delay=5} r1 = r2\nmov{hint=2 delay=5} r1 = r2\nmov{hint=2 delay=5} r1 = r2\n");
	for (unsigned n = 0; n < 8; n++) /* they are long, so they do not count */
		hd_text_printf(&text, "mov{hint=2 delay=1} r60 = r63\n");
	hd_text_printf(&text, "exit\n.exit\n");
	fixture x = start(text.at);
	x.machine.predecode_geometry = HD_GEOMETRY_COMPACT;
	x.machine.multi_issue_window = 1; /* or hints would name the pipe */
	emit(&x);
	unsigned found = 0;
	for (unsigned i = 0; i < HD_SHORT_HINTS; i++)
		found |= x.object->hint_table.at[i] >> 4 == HD_HINT_DELAY ? 1u << (x.object->hint_table.at[i] & 15) : 0;
	assert_int_equal(found, 0xffff ^ 1u << 9);
	const hd_ir_insts *insts = &ir_block(&x.b, 0)->insts;
	for (size_t i = 0; i + 1 < insts->n; i++) {
		const hd_ir_inst *inst = insts->at[i];
		bool expected = (inst->hint == HD_HINT_DELAY && inst->delay != 9) || inst->delay == 5;
		assert_int_equal(hd_line_length(HD_GEOMETRY_COMPACT, x.object->code.at, inst->word), expected ? 1 : 2);
		assert_int_equal(hint(&x, inst->word), inst->hint << 4 | inst->delay);
	}
	hd_text_free(&text);
	stop(&x);
}

/* Three bits hold delays up to 7: no-ops stand for the cycles behind them, and for waits. */
TEST(three_bits)
{
	static const uint8_t delay[] = {7, 2, 7, 1, 0};
	static const char *const text[] = {"mov r1, r2", "nop", "nop", "nop", "exit"};
	fixture x = start(KERNEL "mov{hint=1 delay=9} r1 = r2\nexit{hint=2 delay=8}\n.exit\n");
	x.machine.predecode_carrier = HD_CARRIER_INSTRUCTION;
	emit(&x);
	for (unsigned i = 0; i < 5; i++) {
		expect_asm(&x, i + 1, text[i]);
		assert_int_equal(at(&x, i + 1).hint3, delay[i]);
	}
	stop(&x);
}

/* An entry where the place changes; what is not known changes nothing. */
TEST(source_lines)
{
	static const struct {
		uint32_t word, line;
		uint16_t file, column;
	} expected[] = {{1, 5, 0, 2}, {3, 5, 0, 3}, {5, 6, 0, 3}, {6, 6, 1, 3}};
	fixture x = start(".file \"a.cl\"\n.file \"b.h\"\n" KERNEL
	                  "nop @0:5:2\nnop @0:5:2\nnop @0:5:3\nnop\nnop @0:6:3\nexit @1:6:3\n.exit\n" FUNCTION "ret @1:6:3\n.ret\n");
	emit(&x);
	assert_int_equal(x.object->lines.n, HD_COUNT(expected));
	for (unsigned i = 0; i < HD_COUNT(expected); i++) {
		const hd_line *l = &x.object->lines.at[i];
		assert_true(l->word == expected[i].word && l->line == expected[i].line && l->file == expected[i].file &&
		            l->column == expected[i].column);
	}
	assert_string_equal(x.object->files.at[1], "b.h");
	stop(&x);
}

/* An instruction without a line of the source does not have that of the instruction before it; one of which nothing is known has. */
TEST(no_source_line)
{
	const char *file;
	uint32_t line = 0, column;
	fixture x = start(".file \"a.cl\"\n" KERNEL "nop @0:5:2\nnop @0:0:65535\nnop @0:0:65535\nnop\nnop @0:5:2\nexit @0:6:1\n.exit\n");
	emit(&x);
	assert_int_equal(x.object->lines.n, 4);
	assert_true(hd_object_line(x.object, 1, &file, &line, &column) && line == 5);
	for (uint32_t word = 2; word <= 4; word++)
		assert_false(hd_object_line(x.object, word, &file, &line, &column));
	assert_true(hd_object_line(x.object, 5, &file, &line, &column) && line == 5 && column == 2);
	assert_int_equal(x.object->lines.at[1].column, 0);
	stop(&x);
}

TEST(data)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 0x59, 0x01, 0, 0, 5, 6};
	fixture x = start(".data 0102030401020304\n.data 0506000000000000\n.reloc 8 -16\n.code_ref 4 f1 4\n.literal 0x7\n.literal 0x8\n" KERNEL
	                  "exit\n.exit\n" FUNCTION "ret\n.ret\n");
	hd_ir_block *block = ir_block(&x.b, 0);
	while (block->insts.n < 301) /* 43 lines */
		hd_vec_push(&block->insts, block->insts.at[0]);
	emit(&x);
	assert_memory_equal(x.object->data.at, bytes, sizeof bytes);
	assert_int_equal(x.object->data.n, 16);
	assert_true(x.object->relocs.n == 1 && x.object->relocs.at[0].offset == 8 && x.object->relocs.at[0].addend == -16);
	assert_true(x.object->literals.n == 2 && x.object->literals.at[0] == 7 && x.object->literals.at[1] == 8);
	stop(&x);
}

/* HZ-20: a split of the program's own is written down. */
TEST(what_it_was_made_for)
{
	for (unsigned own = 0; own < 2; own++) {
		fixture x = start(KERNEL "exit\n.exit\n");
		x.machine.fence_split = own ? HD_SPLIT_PROGRAM : HD_SPLIT_FIXED;
		x.machine.fence_counters = 4;
		x.machine.fence_high_latency = 2;
		emit(&x);
		assert_int_equal(x.object->split, own ? 3 : 0);
		assert_int_equal(x.object->counters, 4);
		assert_string_equal(x.object->config, x.machine.name);
		stop(&x);
	}
}

TEST(a_program_that_is_too_long)
{
	hd_diag diag = {0};
	fixture x = start(".file \"a.cl\"\n" KERNEL "exit{hint=2}\n.exit\n");
	x.machine.predecode_carrier = HD_CARRIER_INSTRUCTION; /* 37 no-ops each */
	hd_ir_block *block = ir_block(&x.b, 0);
	block->insts.at[0]->delay = UINT8_MAX;
	while (block->insts.n <= HD_MAX_CODE / 40)
		hd_vec_push(&block->insts, block->insts.at[0]);
	assert_null(hd_emit_object(x.b.m, &x.machine, &diag));
	assert_non_null(strstr(diag.text.at, "a.cl: error: the program has "));
	hd_diag_free(&diag);
	ir_free(&x.b);
}
