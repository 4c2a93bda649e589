/* The kernel object as an ELF file: everything survives, nothing damaged is believed (HZ-1, HZ-3: words are decoded before they are taken). */
#define _GNU_SOURCE /* memmem */
#include "../test.h"

#include "object/object.h"

static uint64_t encode(hd_op op, int32_t imm)
{
	hd_inst inst = {.op = (uint8_t)op, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .imm = imm};
	if (op == HD_OP_MOVI)
		inst.d = 3;
	return hd_encode(&inst);
}

static const char machine[] = "fence.mode=fence\nlatency.alu.latency=4\n";

/* Two kernels, all tables used. */
static hd_object *example(void)
{
	hd_object *o = hd_object_new();
	o->counters = 6;
	o->config = hd_xstrdup("heddle");
	o->machine = hd_xstrdup(machine);
	for (uint32_t word = 0; word < 16; word++)
		hd_vec_push(&o->code, word % 8 == 0            ? (uint64_t)HD_SS_OPCODE
		                      : word == 1              ? encode(HD_OP_MOVI, -7)
		                      : word == 7 || word == 9 ? encode(HD_OP_EXIT, 0)
		                                               : encode(HD_OP_NOP, 0));
	hd_vec_push(&o->kernels, (hd_kernel){.name = hd_xstrdup("first"),
	                                     .entry = 1,
	                                     .registers = 4,
	                                     .shared_bytes = 100,
	                                     .local_bytes = 8,
	                                     .param_bytes = 20,
	                                     .max_threads = 256,
	                                     .required_block = {16, 8, 2},
	                                     .call_depth = UINT32_MAX});
	hd_vec_push(&o->kernels.at[0].params, (hd_param){.name = hd_xstrdup("p"),
	                                                 .offset = 0,
	                                                 .size = 8,
	                                                 .align = 8,
	                                                 .space = HD_SPACE_GLOBAL,
	                                                 .pointer = 1,
	                                                 .source_type = hd_xstrdup("const float *"),
	                                                 .element = HD_ELEMENT_F32});
	o->kernels.at[0].source_name = hd_xstrdup("render::k<float>");
	hd_vec_push(&o->kernels.at[0].params, (hd_param){.name = hd_xstrdup(""), .offset = 8, .size = 12, .align = 4});
	hd_vec_push(&o->kernels, (hd_kernel){.name = hd_xstrdup("second \"quoted\"\n"), .entry = 9});
	hd_vec_push(&o->functions, (hd_function){.name = hd_xstrdup("first"), .begin = 0, .end = 8});
	hd_vec_push(&o->functions, (hd_function){.name = hd_xstrdup("second"), .begin = 8, .end = 16});
	hd_vec_push(&o->targets, 1);
	hd_vec_push(&o->targets, 9);
	hd_vec_push(&o->literals, 0xdeadbeef);
	for (int i = 0; i < 20; i++)
		hd_vec_push(&o->data, (uint8_t)(i * 3));
	hd_vec_push(&o->relocs, (hd_reloc){.offset = 8, .addend = -5});
	hd_vec_push(&o->files, hd_xstrdup("a.cl"));
	hd_vec_push(&o->lines, (hd_line){.word = 1, .file = 0, .column = 7, .line = 70000});
	return o;
}

TEST(everything_survives)
{
	hd_diag diag = {0};
	hd_object *o = example();
	size_t size, again_size;
	unsigned char *bytes = hd_object_write(o, &size);
	hd_object *read = hd_object_read(bytes, size, "x.hko", &diag);
	if (!read)
		fail_msg("%s", diag.text.at);
	assert_int_equal(read->code.n, 16);
	assert_memory_equal(read->code.at, o->code.at, 16 * 8);
	assert_int_equal(read->kernels.n, 2);
	const hd_kernel *k = &read->kernels.at[0];
	assert_string_equal(k->name, "first");
	assert_string_equal(read->kernels.at[1].name, "second \"quoted\"\n");
	assert_int_equal(k->entry, 1);
	assert_int_equal(k->registers, 4);
	assert_int_equal(k->shared_bytes, 100);
	assert_int_equal(k->local_bytes, 8);
	assert_int_equal(k->param_bytes, 20);
	assert_int_equal(k->max_threads, 256);
	assert_int_equal(k->required_block[2], 2);
	assert_int_equal(k->call_depth, UINT32_MAX);
	assert_int_equal(k->params.n, 2);
	assert_string_equal(k->params.at[0].name, "p");
	assert_int_equal(k->params.at[0].pointer, 1);
	assert_string_equal(k->params.at[0].source_type, "const float *");
	assert_int_equal(k->params.at[0].element, HD_ELEMENT_F32);
	assert_null(k->params.at[1].source_type);
	assert_string_equal(hd_kernel_name(k), "render::k<float>");
	assert_int_equal(k->params.at[0].space, HD_SPACE_GLOBAL);
	assert_int_equal(k->params.at[1].offset, 8);
	assert_int_equal(k->params.at[1].size, 12);
	assert_int_equal(k->params.at[1].align, 4);
	assert_int_equal(read->functions.n, 2);
	assert_string_equal(read->functions.at[1].name, "second");
	assert_int_equal(read->functions.at[1].begin, 8);
	assert_int_equal(read->functions.at[1].end, 16);
	assert_int_equal(read->targets.n, 2);
	assert_int_equal(read->targets.at[1], 9);
	assert_int_equal(read->literals.at[0], 0xdeadbeef);
	assert_int_equal(read->data.n, 20);
	assert_memory_equal(read->data.at, o->data.at, 20);
	assert_int_equal(read->relocs.at[0].addend, -5);
	assert_string_equal(read->files.at[0], "a.cl");
	assert_int_equal(read->lines.at[0].line, 70000);
	assert_int_equal(read->lines.at[0].column, 7);
	assert_int_equal(read->counters, 6);
	assert_string_equal(read->config, "heddle");
	assert_string_equal(read->machine, machine);
	unsigned char *again = hd_object_write(read, &again_size);
	assert_int_equal(size, again_size);
	assert_memory_equal(bytes, again, size);
	free(bytes);
	free(again);
	hd_object_free(read);
	hd_object_free(o);
}

TEST(an_empty_program_survives)
{
	hd_diag diag = {0};
	hd_object *o = hd_object_new();
	size_t size;
	o->counters = 6;
	unsigned char *bytes = hd_object_write(o, &size);
	hd_object *read = hd_object_read(bytes, size, "x.hko", &diag);
	if (!read)
		fail_msg("%s", diag.text.at);
	assert_null(read->config);
	assert_null(read->machine);
	free(bytes);
	hd_object_free(read);
	hd_object_free(o);
}

TEST(every_truncation_is_refused)
{
	hd_object *o = example();
	size_t size;
	unsigned char *bytes = hd_object_write(o, &size);
	for (size_t n = 0; n < size; n++) {
		hd_diag diag = {0};
		unsigned char *part = malloc(n ? n : 1);
		memcpy(part, bytes, n);
		assert_null(hd_object_read(part, n, "x.hko", &diag));
		assert_true(diag.errors > 0);
		assert_memory_equal(diag.text.at, "x.hko: error: ", 14);
		hd_diag_free(&diag);
		free(part);
	}
	free(bytes);
	hd_object_free(o);
}

/* Every single bit: refused, or another valid object (a name, a value); never a crash, and never an error without a message. */
TEST(every_flipped_bit_is_survived)
{
	hd_object *o = example();
	size_t size;
	unsigned refused = 0;
	unsigned char *bytes = hd_object_write(o, &size);
	for (size_t bit = 0; bit < size * 8; bit++) {
		hd_diag diag = {0};
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		hd_object *read = hd_object_read(bytes, size, "x.hko", &diag);
		assert_int_equal(read == NULL, diag.errors > 0);
		refused += read == NULL;
		hd_object_free(read);
		hd_diag_free(&diag);
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	assert_true(refused > 1000);
	free(bytes);
	hd_object_free(o);
}

static void refused(const unsigned char *bytes, size_t size, const char *expected)
{
	hd_diag diag = {0};
	assert_null(hd_object_read(bytes, size, "x.hko", &diag));
	if (!strstr(diag.text.at, expected))
		fail_msg("expected: %s\nin: %s", expected, diag.text.at);
	hd_diag_free(&diag);
}

/* The description of an object's machine is outside text: lines KEY=VALUE within the limit, and what the number in the program's row stands for. */
static void refused_as_object(const hd_object *o, const char *expected)
{
	size_t size;
	unsigned char *bytes = hd_object_write(o, &size);
	refused(bytes, size, expected);
	free(bytes);
}

/* The tables of names and types have a row for each kernel and parameter, names inside the string table, and known elements only. */
TEST(damaged_names_are_refused)
{
	hd_object *o = example();
	hd_param *param = &o->kernels.at[0].params.at[0];
	size_t size;
	(void)state;
	param->element = HD_ELEMENTS;
	refused_as_object(o, "x.hko: error: is damaged: a parameter points to elements of an unknown type");
	param->element = HD_ELEMENT_F32;
	o->kernels.at[0].params.at[1].element = HD_ELEMENT_F32; /* a value of 12 bytes */
	refused_as_object(o, "parameter 1 of kernel first has an unknown kind");
	o->kernels.at[0].params.at[1].element = HD_ELEMENT_UNKNOWN;
	unsigned char *bytes = hd_object_write(o, &size);
	for (size_t at = 0; at + 8 <= size; at++) {
		/* The row of the parameter: the name's offset, then F32. No other eight bytes look like it. */
		if (bytes[at + 4] != HD_ELEMENT_F32 || bytes[at + 5] || bytes[at + 6] || bytes[at + 7] || bytes[at + 3] || bytes[at + 2])
			continue;
		unsigned char old = bytes[at + 3];
		bytes[at + 3] = 0x7f;
		hd_diag diag = {0};
		hd_object *read = hd_object_read(bytes, size, "x.hko", &diag);
		if (!read && strstr(diag.text.at, "the name of a type is too long or lies outside"))
			param = NULL; /* found */
		hd_object_free(read);
		hd_diag_free(&diag);
		bytes[at + 3] = old;
	}
	assert_null(param);
	free(bytes);
	free(o->kernels.at[1].name);
	o->kernels.at[1].name = hd_xstrdup("first");
	refused_as_object(o, "x.hko: error: two kernels have the name 'first'");
	hd_object_free(o);
}

TEST(a_damaged_machine_is_refused)
{
	static const char *const bad[] = {"",       "\n",        "a",       "a=\n",   "=1\n",      "a=1",     "a=1\n\n",
	                                  "a=1 \n", "a=1 b=2\n", "a b=1\n", "a==1\n", "a=\"1\"\n", "a=1\nb\n"};
	static char long_text[HD_MACHINE_TEXT_MAX + 3];
	hd_object *o = example();
	size_t size;
	for (unsigned i = 0; i < HD_COUNT(bad) + 2; i++) {
		/* The last two: the longest text that there may be, and one that is a character longer. */
		bool longest = i == HD_COUNT(bad), too_long = i > HD_COUNT(bad);
		memset(long_text, 'a', sizeof long_text);
		memcpy(long_text + HD_MACHINE_TEXT_MAX - 3 + too_long, "=1\n", 4);
		free(o->machine);
		o->machine = hd_xstrdup(i < HD_COUNT(bad) ? bad[i] : long_text);
		unsigned char *bytes = hd_object_write(o, &size);
		hd_diag diag = {0};
		if (longest) {
			hd_object *read = hd_object_read(bytes, size, "x.hko", &diag);
			assert_non_null(read);
			hd_object_free(read);
		} else if (*o->machine) { /* an empty text makes no section */
			refused(bytes, size,
			        too_long ? "x.hko: error: is damaged: section .heddle.machine is too long or no text" : "no list of KEY=VALUE");
		} else {
			refused(bytes, size, "x.hko: error: is damaged: section .heddle.machine is not what the program's row says");
		}
		free(bytes);
	}
	free(o->machine);
	o->machine = hd_xstrdup(machine);
	unsigned char *bytes = hd_object_write(o, &size), *text = memmem(bytes, size, machine, sizeof machine - 1);
	assert_non_null(text);
	text[sizeof machine - 3] = '5'; /* another latency */
	refused(bytes, size, "x.hko: error: is damaged: section .heddle.machine is not what the program's row says");
	text[sizeof machine - 3] = '\0';
	refused(bytes, size, "x.hko: error: is damaged: section .heddle.machine is too long or no text");
	free(bytes);
	hd_object_free(o);
}

/* Two machines have two numbers, and the unknown one has none. */
TEST(a_number_stands_for_the_machine)
{
	hd_object *o = example();
	uint64_t number = hd_object_machine_hash(o);
	assert_int_not_equal(number, 0);
	o->machine[strlen(o->machine) - 2] = '5';
	assert_int_not_equal(hd_object_machine_hash(o), number);
	o->machine[strlen(o->machine) - 2] = '4';
	assert_int_equal(hd_object_machine_hash(o), number);
	free(o->machine);
	o->machine = NULL;
	assert_int_equal(hd_object_machine_hash(o), 0);
	hd_object_free(o);
}

/* An object of version 3 had a shorter row. Its version counts before its length. */
TEST(another_version_says_so)
{
	static const unsigned char row[] = {5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0}; /* version, counters, geometry */
	hd_object *o = example();
	size_t size;
	unsigned char *bytes = hd_object_write(o, &size), *at = memmem(bytes, size, row, sizeof row);
	assert_non_null(at);
	at[0] = 3;
	refused(bytes, size, "x.hko: error: is a kernel object of version 3 of the format, expected version 5: compile it anew");
	/* The length of the section, in the table of sections at the end. */
	const unsigned char length[8] = {24};
	for (size_t i = size - 8; i > size / 2; i--)
		if (memcmp(bytes + i, length, 8) == 0 && bytes[i - 8] == (unsigned char)(at - bytes) &&
		    bytes[i - 7] == (unsigned char)((at - bytes) >> 8))
			bytes[i] = 16;
	refused(bytes, size, "x.hko: error: is a kernel object of version 3 of the format");
	at[0] = 5;
	refused(bytes, size, "x.hko: error: is damaged: section .heddle.program is of another size");
	free(bytes);
	hd_object_free(o);
}

TEST(foreign_files_are_refused)
{
	static const char *const texts[] = {"", "\177ELF",
	                                    "#!/bin/sh\necho this is no object, whatever its name may say; it is long enough for a header\n"};
	for (unsigned i = 0; i < HD_COUNT(texts); i++) {
		hd_diag diag = {0};
		assert_null(hd_object_read((const unsigned char *)texts[i], strlen(texts[i]), "x.hko", &diag));
		assert_non_null(strstr(diag.text.at, "is not a kernel object"));
		hd_diag_free(&diag);
	}
}
