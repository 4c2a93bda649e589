/* The resources of a core that a kernel needs, over all that it can call; the records of functions and kernels in an object. */
#include "../ir_builder.h"
#include "passes/emit/kernel_resources.h"

typedef struct row {
	uint32_t registers, frame_bytes, frame_base; /* the function's own */
	uint32_t resources[3];                       /* registers, bytes of local memory, depth of calls */
} row;

enum { STACK_BYTES = 12000 };

static void expect(const char *text, const row *rows)
{
	ir_builder b = ir_read(text);
	for (uint32_t i = 0; i < b.m->functions.n; i++) {
		hd_ir_function *f = b.m->functions.at[i];
		f->allocated = true;
		f->registers = rows[i].registers;
		f->frame_bytes = rows[i].frame_bytes;
		f->frame_base = rows[i].frame_base;
	}
	hd_function_resources *resources = hd_find_resources(b.m, STACK_BYTES);
	for (uint32_t i = 0; i < b.m->functions.n; i++) {
		assert_int_equal(resources[i].registers, rows[i].resources[0]);
		assert_int_equal(resources[i].local_bytes, rows[i].resources[1]);
		assert_int_equal(resources[i].call_depth, rows[i].resources[2]);
	}
	free(resources);
	ir_free(&b);
}

/* "b" is reached twice, the second time when its resources are known. */
TEST(callees_count)
{
	static const row rows[] = {{10, 20, 0, {30, 96, 2}}, {12, 0, 32, {30, 96, 1}}, {30, 50, 32, {30, 96, 0}}, {99, 0, 96, {99, 0, 0}}};
	expect(".kernel \"k\"\nb0:\ncall.f{to=2}\ncall.f{to=3}\n.exit\n.function \"a\"\nb0:\ncall.f{to=3}\n.ret\n"
	       ".function \"b\"\nb0:\n.ret\n.kernel \"other\"\nb0:\n.exit\n",
	       rows);
}

/* A function that calls itself needs what all functions need; so does its caller. */
TEST(recursion)
{
	static const row rows[] = {{10, 0, 0, {40, 160, UINT32_MAX}}, {12, 0, 0, {40, 160, UINT32_MAX}}, {40, 100, 48, {40, 160, 0}}};
	expect(".kernel \"k\"\nb0:\ncall.f{to=2}\n.exit\n.function \"a\"\nb0:\ncall.f{to=2}\n.ret\n.function \"b\"\nb0:\n.ret\n", rows);
}

TEST(an_indirect_call_reaches_what_has_an_address)
{
	static const row rows[] = {{10, 0, 0, {20, 0, 1}}, {20, 0, 0, {20, 0, 0}}, {40, 0, 0, {40, 0, 0}}};
	expect(".kernel \"k\"\n.vregs 1\nb0:\ncall.f %0\n.exit\n.function \"a\"\n.address_taken\nb0:\n.ret\n.function \"b\"\nb0:\n.ret\n", rows);
}

/* A frame on the stack: every frame once, and what recursion may take. */
TEST(the_stack)
{
	static const row rows[] = {{1, 20, UINT32_MAX, {2, STACK_BYTES + 48, 1}}, {2, 16, UINT32_MAX, {2, STACK_BYTES + 48, 0}}},
	                 huge[] = {{1, HD_WINDOW_BYTES - 16, UINT32_MAX, {1, HD_WINDOW_BYTES, 1}}, {1, 16, UINT32_MAX, {1, HD_WINDOW_BYTES, 0}}};
	static const char text[] = ".kernel \"k\"\nb0:\ncall.f{to=2}\n.exit\n.function \"a\"\nb0:\n.ret\n";
	expect(text, rows);
	expect(text, huge);
}

TEST(records)
{
	static const uint32_t begin[] = {1, 9, 17}, order[] = {0, 1, 2};
	ir_builder b = ir_read(".kernel \"first\"\n.allocated 0\n.info 64 8 256 1 2 3\n.param \"out\" 0 8 8 global 1\nb0:\n.exit\n"
	                       ".function \"f\"\n.allocated 7\nb0:\n.ret\n.kernel \"second\"\n.allocated 5\nb0:\ncall{to=2}\n.exit\n");
	hd_object *o = hd_object_new();
	hd_emit_kernels(b.m, order, begin, 24, STACK_BYTES, o);
	static const uint32_t end[] = {8, 16, 24}; /* the scheduling word before the next function is not the function's */
	assert_int_equal(o->functions.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_string_equal(o->functions.at[i].name, b.m->functions.at[i]->name);
		assert_int_equal(o->functions.at[i].begin, begin[i]);
		assert_int_equal(o->functions.at[i].end, end[i]);
	}
	assert_int_equal(o->kernels.n, 2);
	const hd_kernel *k = o->kernels.at;
	assert_string_equal(k[0].name, "first");
	assert_true(k[0].entry == 1 && k[0].shared_bytes == 64 && k[0].param_bytes == 8 && k[0].max_threads == 256 && k[0].required_block[2] == 3);
	assert_int_equal(k[0].registers, 1); /* at least */
	assert_string_equal(k[0].params.at[0].name, "out");
	assert_true(k[1].entry == 17 && k[1].registers == 7 && k[1].call_depth == 1 && k[1].params.n == 0);
	hd_object_free(o);
	ir_free(&b);
}
