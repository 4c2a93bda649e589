/* clang 14 dropped the reduction of a 64-bit rotation's amount; an OpenCL kernel that rotates by i for i > 64 got zeros. From source to the
 * interpreter, against the host. */
#include "../test.h"

#include "base/output.h"
#include "front/front.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

#include <unistd.h>

static const char source[] = "__kernel void turn(__global ulong *x)\n"
                             "{\n"
                             "	ulong i = get_global_id(0), v = x[3 * i];\n"
                             "	x[3 * i] = rotate(v, i);\n"
                             "	x[3 * i + 1] = rotate(v, (ulong)(i & 63));\n"
                             "	x[3 * i + 2] = (v >> (i & 63)) | (v << (-i & 63));\n"
                             "}\n";

enum { N = 160 };

static uint64_t left(uint64_t v, unsigned n) { return n % 64 ? v << n % 64 | v >> (64 - n % 64) : v; }

TEST(rotations_are_modulo_64)
{
	char directory[] = "heddle-rotate-XXXXXX", path[64];
	hd_diag diag = {0};
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/turn.cl", directory);
	assert_true(hd_write_file(path, source, sizeof source - 1, &diag));
	hd_machine machine;
	hd_machine_default(&machine);
	size_t size;
	char *ptx = hd_front_compile(path, NULL, &size, &diag);
	unlink(path);
	rmdir(directory);
	assert_non_null(ptx);
	hd_ir_module *module = hd_ptx_read(ptx, size, "turn", &diag);
	assert_non_null(module);
	hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = &machine}, &diag);
	assert_non_null(object);
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	uint64_t address = hd_memory_alloc(memory, N * 24, "x"), seed = 7, before[N];
	uint64_t *x = hd_memory_at(memory, address, N * 24);
	for (unsigned i = 0; i < N; i++)
		x[3 * i] = before[i] = hd_random(&seed);
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {N / 32, 1, 1},
	                    .block = {32, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_stats stats = {0};
	hd_trap trap = {0};
	assert_true(hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = 64}, &stats, &trap));
	for (unsigned i = 0; i < N; i++) {
		assert_true(x[3 * i] == left(before[i], i));
		assert_true(x[3 * i + 1] == left(before[i], i));
		assert_true(x[3 * i + 2] == left(before[i], 64 - i % 64));
	}
	hd_program_free(program);
	hd_memory_free(memory);
	hd_object_free(object);
	hd_ir_module_free(module);
	free(ptx);
	hd_diag_free(&diag);
}
