/* Launch data of a cubin (SR-4), and runs: flow (SR-7), traps with their place. tests/sm/values.py compares values. */
#include "sm/half.h"
#include "sm/op.h"
#include "sm/state.h"

#include "../test.h"

typedef struct fixture {
	char *bytes;
	hd_sass_binary *binary;
	hd_memory *memory;
	hd_sm_image *image;
	hd_diag diag;
	hd_trap trap;
	hd_stats stats;
	hd_program program;
} fixture;

static void open_fixture(fixture *f, unsigned architecture)
{
	char path[512];
	size_t size;
	*f = (fixture){0};
	snprintf(path, sizeof path, "%s/tests/sm/fixtures/values-sm%u.cubin", getenv("HEDDLE_SOURCE"), architecture);
	f->bytes = hd_read_file(path, 1 << 20, &size, &f->diag);
	assert_non_null(f->bytes);
	f->binary = hd_sass_binary_open((const uint8_t *)f->bytes, size, "values.cubin", &f->diag);
	assert_non_null(f->binary);
	f->memory = hd_memory_new(1 << 26);
	f->image = hd_sm_image_new(hd_sass_binary_cubin(f->binary, 0), f->memory, &f->diag);
	assert_non_null(f->image);
	f->program.object = f->image->object;
}

static void close_fixture(fixture *f)
{
	hd_sm_image_free(f->image, f->memory);
	hd_sass_binary_free(f->binary);
	hd_memory_free(f->memory);
	hd_diag_free(&f->diag);
	hd_trap_free(&f->trap);
	free(f->bytes);
}

static const hd_kernel *kernel(const fixture *f, const char *name)
{
	const hd_kernel *found = hd_object_kernel(f->image->object, name);
	assert_non_null(found);
	return found;
}

/* Runs a kernel whose parameters are these words of 64 bits. */
static bool run(fixture *f, const char *name, uint32_t block, const uint64_t *params, uint64_t limit)
{
	const hd_kernel *k = kernel(f, name);
	uint8_t bytes[256] = {0};
	memcpy(bytes, params, k->param_bytes);
	hd_launch launch = {.program = &f->program, .kernel = k, .grid = {2, 1, 1}, .block = {block, 1, 1}, .params = bytes, .dynamic_shared = 4096};
	hd_sm_options options = {.max_instructions = limit};
	assert_true(hd_launch_check(&launch, &f->diag));
	hd_sm_code *code = hd_sm_code_new(f->image, (size_t)(k - f->image->object->kernels.at), &f->diag);
	assert_non_null(code);
	hd_trap_free(&f->trap);
	bool good = hd_sm_run(code, &launch, f->memory, &options, &f->stats, &f->trap);
	hd_sm_code_free(code);
	return good;
}

static const unsigned architectures[] = {75, 80, 90};

TEST(sr_4_launch_data)
{
	(void)state;
	for (unsigned a = 0; a < HD_COUNT(architectures); a++) {
		fixture f;
		open_fixture(&f, architectures[a]);
		const hd_kernel *k = kernel(&f, "parameters");
		static const uint32_t offsets[] = {0, 8, 48, 56}, sizes[] = {8, 40, 1, 8};
		assert_int_equal(k->params.n, 4);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(k->params.at[i].offset, offsets[i]);
			assert_int_equal(k->params.at[i].size, sizes[i]);
		}
		assert_int_equal(k->param_bytes, 64);
		assert_int_equal(kernel(&f, "tile")->shared_bytes, hd_sm_reserved_shared(architectures[a]) + 256);
		assert_true(kernel(&f, "memory")->local_bytes >= 48);
		/* Variables are in memory, and one points to another. */
		uint64_t at = f.image->variables;
		int *counters = hd_memory_at(f.memory, at, 16);
		assert_non_null(counters);
		assert_non_null(hd_memory_at(f.memory, f.image->constants, 32));
		close_fixture(&f);
	}
}

/* Writes NOP over every YIELD of the file. Returns their number. */
static unsigned without_yields(fixture *f)
{
	unsigned n = 0;
	const hd_sass_cubin *cubin = hd_sass_binary_cubin(f->binary, 0);
	for (size_t i = 0; i < cubin->n_functions; i++)
		for (size_t at = 0; at < cubin->functions[i].size; at += HD_SASS_BYTES) {
			uint8_t *word = (uint8_t *)f->bytes + (cubin->functions[i].code - (const uint8_t *)f->bytes) + at;
			bool yields = word[0] == 0x46 && (word[1] & 0x0f) == 0x09;
			if (yields)
				memset(word, 0, 13), memcpy(word, "\x18\x79", 2);
			n += yields;
		}
	return n;
}

/* Lanes spin at a lower place than those that they wait for: with YIELD, and without. */
TEST(sr_7_lanes_that_wait_for_others_of_their_warp)
{
	(void)state;
	for (unsigned a = 0; a < 2 * HD_COUNT(architectures); a++) {
		fixture f;
		open_fixture(&f, architectures[a / 2]);
		assert_true(a % 2 == 0 || without_yields(&f) > 0);
		uint64_t out = hd_memory_alloc(f.memory, 512, "out");
		assert_true(run(&f, "waits", 64, &out, 1 << 20));
		for (uint32_t i = 0; i < 128; i++)
			assert_int_equal(((uint32_t *)hd_memory_at(f.memory, out, 512))[i], 1 + i % 64);
		close_fixture(&f);
	}
}

/* BMOV copies a convergence barrier to registers, with .CLEAR empties it, and copies it back. */
TEST(sr_7_barriers_are_moved)
{
	(void)state;
	hd_sm_op ops[3] = {
	    {.kind = HD_SM_MASK_GET, .barrier = 2, .reg = 5, .words = 1},
	    {.kind = HD_SM_MASK_GET, .barrier = 2, .reg = 6, .words = 1, .m = {1}},
	    {.kind = HD_SM_MASK_SET, .barrier = 3, .n_sources = 1, .source = {{.kind = HD_SASS_OPERAND_REGISTER, .reg = 6, .words = 1}}}};
	hd_sm_code code = {.ops = ops, .n = 3};
	hd_sm_machine *m = hd_xaligned(sizeof *m);
	hd_sm_warp *w = hd_xaligned(sizeof *w);
	m->code = &code;
	m->fixed = hd_xcalloc(3, sizeof *m->fixed);
	w->r = hd_xaligned(8 * sizeof *w->r);
	w->alive = w->active = UINT32_MAX;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		w->meet[2][lane] = 0x100 + lane;
	for (unsigned i = 0; i < 3; i++)
		assert_true(hd_sm_flow(m, w, &ops[i], 0x0ffffff0));
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		bool in = lane >= 4 && lane < 28;
		assert_int_equal(w->r[5].v[lane], in ? 0x100 + lane : 0);
		assert_int_equal(w->r[6].v[lane], in ? 0x100 + lane : 0);
		assert_int_equal(w->meet[2][lane], in ? 0 : 0x100 + lane);
		assert_int_equal(w->meet[3][lane], in ? 0x100 + lane : 0);
	}
	assert_int_equal(w->now, 3);
	free(w->r);
	free(m->fixed);
	free(w);
	free(m);
}

/* CALL.ABS names an address of all code, CALL.REL a place of the function. */
TEST(sr_7_calls_of_both_kinds)
{
	(void)state;
	hd_sm_op ops[4] = {{.kind = HD_SM_BRANCH_ABSOLUTE, .target = HD_SM_CODE + HD_SM_CODE_STEP + 2 * HD_SASS_BYTES},
	                   {.kind = HD_SM_BRANCH_TO, .target = 3 * HD_SASS_BYTES}};
	hd_sm_kernel kernel = {.number = 1};
	hd_sm_code code = {.ops = ops, .n = 4, .kernel = &kernel};
	hd_stats stats = {0};
	hd_sm_machine *m = hd_xaligned(sizeof *m);
	hd_sm_warp *w = hd_xaligned(sizeof *w);
	m->code = &code;
	m->stats = &stats;
	w->alive = w->active = w->stop = UINT32_MAX;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(hd_sm_flow(m, w, &ops[i], UINT32_MAX));
		assert_int_equal(w->now, 2 + i);
	}
	free(w);
	free(m);
}

TEST(sr_7_a_deadlock_is_found)
{
	(void)state;
	fixture f;
	open_fixture(&f, 80);
	uint64_t out = hd_memory_alloc(f.memory, 512, "out");
	assert_false(run(&f, "stuck", 64, &out, 1 << 20));
	assert_int_equal(f.trap.kind, HD_TRAP_DEADLOCK);
	assert_non_null(strstr(f.trap.text, "waits at BAR"));
	close_fixture(&f);
}

/* Rows and columns of the fragments that LDSM loads are those that HMMA multiplies. */
TEST(sr_3_matrices_from_shared_memory)
{
	(void)state;
	for (unsigned a = 1; a < HD_COUNT(architectures); a++) {
		fixture f;
		open_fixture(&f, architectures[a]);
		uint64_t params[3] = {hd_memory_alloc(f.memory, 1024, "o"), hd_memory_alloc(f.memory, 512, "a"), hd_memory_alloc(f.memory, 256, "b")};
		uint16_t *left = hd_memory_at(f.memory, params[1], 512), *right = hd_memory_at(f.memory, params[2], 256);
		float *out = hd_memory_at(f.memory, params[0], 512);
		for (unsigned i = 0; i < 256; i++)
			left[i] = (uint16_t)hd_sm_to_half((int)(i * 7 % 13) - 6, false, HD_RN);
		for (unsigned i = 0; i < 128; i++)
			right[i] = (uint16_t)hd_sm_to_half((int)(i * 5 % 11) - 4, false, HD_RN);
		assert_true(run(&f, "product", 32, params, 1 << 16));
		for (unsigned row = 0; row < 16; row++)
			for (unsigned column = 0; column < 8; column++) {
				int sum = 1 + (int)(row / 8 * 2 + column % 2);
				for (unsigned k = 0; k < 16; k++)
					sum += ((int)((row * 16 + k) * 7 % 13) - 6) * ((int)((k * 8 + column) * 5 % 11) - 4);
				assert_int_equal((int)out[row * 8 + column], sum);
			}
		close_fixture(&f);
	}
}

TEST(sr_17_traps_have_a_place)
{
	(void)state;
	fixture f;
	open_fixture(&f, 80);
	uint64_t params[] = {0x1000, 0x2000, 0x3000};
	assert_false(run(&f, "integers", 32, params, 1 << 20));
	assert_int_equal(f.trap.kind, HD_TRAP_ADDRESS);
	assert_int_equal(f.trap.address, 0x2000);
	assert_non_null(strstr(f.trap.text, "LDG.E"));
	params[0] = hd_memory_alloc(f.memory, 512, "out");
	params[1] = hd_memory_alloc(f.memory, 512, "a") + 2;
	params[2] = params[1];
	assert_false(run(&f, "integers", 32, params, 1 << 20));
	assert_int_equal(f.trap.kind, HD_TRAP_ALIGNMENT);
	params[1] = params[2] = params[0];
	assert_false(run(&f, "integers", 32, params, 10));
	assert_int_equal(f.trap.kind, HD_TRAP_CYCLES);
	close_fixture(&f);
}
