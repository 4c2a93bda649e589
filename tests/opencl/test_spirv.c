/* Programs in SPIR-V through the interface: kernels, constants, linking with sources and libraries, queries, errors. tests/opencl/spirv.py makes the
 * modules from spirv_*.cl and gives their folder. */
#include "rig.h"

#include <CL/cl_ext.h>

static const char *folder;

static unsigned char *read_module(const char *name, size_t *size)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s.spv", folder, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	unsigned char *bytes = malloc(1 << 20);
	assert_non_null(bytes);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static cl_program create(rig *r, const char *name)
{
	size_t size;
	cl_int status;
	unsigned char *bytes = read_module(name, &size);
	cl_program program = clCreateProgramWithIL(r->context, bytes, size, &status);
	assert_int_equal(status, CL_SUCCESS);
	free(bytes);
	return program;
}

static void expect_built(rig *r, cl_program program, cl_int status)
{
	char log[4096] = "";
	clGetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	if (status != CL_SUCCESS)
		fail_msg("%d: %s", status, log);
}

static cl_program build(rig *r, const char *name)
{
	cl_program program = create(r, name);
	expect_built(r, program, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	return program;
}

static void launch(rig *r, cl_kernel kernel, size_t global, size_t local)
{
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL), CL_SUCCESS);
}

static void features_beyond_1_2_compute(void **state)
{
	struct {
		cl_int a, pad[3];
		cl_float b[4];
	} pair = {.a = 100, .b = {0, 2, 0, 0}};
	rig r;
	cl_int out[32] = {0}, atoms[2] = {40, 1};
	cl_float f[8];
	for (int i = 0; i < 8; i++)
		f[i] = (float)i + 0.25F;
	out[31] = 20;
	rig_open(&r);
	cl_program program = build(&r, "spirv_features");
	cl_kernel kernel = rig_kernel(program, "features");
	cl_mem b_atoms = rig_buffer(&r, sizeof atoms, atoms), b_out = rig_buffer(&r, sizeof out, out), b_f = rig_buffer(&r, sizeof f, f);
	clSetKernelArg(kernel, 0, sizeof b_atoms, &b_atoms);
	clSetKernelArg(kernel, 1, sizeof b_out, &b_out);
	clSetKernelArg(kernel, 2, 8 * sizeof(float), NULL);
	assert_int_equal(clSetKernelArg(kernel, 3, sizeof pair, &pair), CL_SUCCESS);
	clSetKernelArg(kernel, 4, sizeof b_f, &b_f);
	launch(&r, kernel, 8, 8);
	rig_read(&r, b_out, out, sizeof out);
	rig_read(&r, b_atoms, atoms, sizeof atoms);
	rig_read(&r, b_f, f, sizeof f);
	assert_int_equal(atoms[0], 56);
	assert_int_equal(atoms[1], 5);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(out[i], (i & 1 ? 4 : 21) + 8 + 100 + 2 * (7 - i));
		assert_int_equal(out[8 + i], 2 * (i + 1));
		assert_int_equal(out[16 + i], 2 * (8 - i));
		assert_true(f[i] == 0.25F + (float)(10 * i) + (float)(1 + i % 3));
	}
	assert_int_equal(out[24], 14);
	clReleaseMemObject(b_atoms);
	clReleaseMemObject(b_out);
	clReleaseMemObject(b_f);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

static void modules_enqueue_kernels(void **state)
{
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
	                                    CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	const cl_int expected[6] = {0, 10, 10 * (2 + 3 + 4 + 5), 4 * (1 + 2 + 3), 12 * (2 + 3) + 24 * 24, 12 * (2 + 3) + 24 * 24 + 1};
	cl_int status, r[6] = {1, 10};
	rig g;
	rig_open(&g);
	cl_program program = build(&g, "spirv_queues");
	cl_kernel kernel = rig_kernel(program, "queues");
	cl_command_queue queue = clCreateCommandQueueWithProperties(g.context, g.device, list, &status);
	assert_int_equal(status, CL_SUCCESS);
	cl_mem mem = rig_buffer(&g, sizeof r, r);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof queue, &queue), CL_SUCCESS);
	launch(&g, kernel, 1, 1);
	rig_read(&g, mem, r, sizeof r);
	for (int i = 0; i < 6; i++)
		assert_int_equal(r[i], expected[i]);
	clReleaseMemObject(mem);
	clReleaseCommandQueue(queue);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&g);
}

static void another_language_computes(void **state)
{
	rig r;
	cl_float p[8];
	for (int i = 0; i < 8; i++)
		p[i] = (float)i;
	rig_open(&r);
	cl_program program = build(&r, "spirv_cplusplus");
	cl_kernel kernel = rig_kernel(program, "hello");
	cl_mem mem = rig_buffer(&r, sizeof p, p);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	clSetKernelArg(kernel, 1, 4, &(cl_float){3});
	launch(&r, kernel, 8, 8);
	rig_read(&r, mem, p, sizeof p);
	for (int i = 0; i < 8; i++)
		assert_true(p[i] == 2 * ((float)i + 3));
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

static void work_groups_may_have_several_sizes(void **state)
{
	rig r;
	cl_int out[11];
	rig_open(&r);
	cl_program program = build(&r, "spirv_features");
	cl_kernel kernel = rig_kernel(program, "sizes");
	cl_mem mem = rig_buffer(&r, sizeof out, NULL);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	launch(&r, kernel, 11, 8);
	rig_read(&r, mem, out, sizeof out);
	for (int i = 0; i < 11; i++)
		assert_int_equal(out[i], (i < 8 ? 800 : 300) + 8);
	clReleaseKernel(kernel);
	assert_int_equal(clBuildProgram(program, 0, NULL, "-cl-uniform-work-group-size", NULL, NULL), CL_SUCCESS);
	kernel = rig_kernel(program, "sizes");
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &(size_t){11}, &(size_t){8}, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

static void run_constants(rig *r, cl_program program, const double *expected)
{
	double out[8] = {0};
	cl_kernel kernel = rig_kernel(program, "constants");
	cl_mem mem = rig_buffer(r, sizeof out, out);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	launch(r, kernel, 1, 1);
	rig_read(r, mem, out, sizeof out);
	for (int i = 0; i < 8; i++)
		assert_true(out[i] == expected[i]);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
}

static void constants_are_specialized(void **state)
{
	static const double first[8] = {0, -1, -2, -3, -4, 0.5, 0.25, 997}, second[8] = {1, 11, -12, 13, -1e12, 1.5, 1e300, 1013};
	rig r;
	rig_open(&r);
	cl_program program = create(&r, "spirv_constants"), source = rig_source(&r, "kernel void k() {}");
	expect_built(&r, program, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	run_constants(&r, program, first);
	assert_int_equal(clSetProgramSpecializationConstant(program, 10, 1, &(cl_uchar){1}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 11, 1, &(cl_char){11}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 12, 2, &(cl_short){-12}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 13, 4, &(cl_int){13}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 14, 8, &(cl_long){-1000000000000}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 15, 4, &(cl_float){1.5F}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 16, 8, &(cl_double){1e300}), CL_SUCCESS);
	/* They count for the next build. */
	run_constants(&r, program, first);
	expect_built(&r, program, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	run_constants(&r, program, second);
	assert_int_equal(clSetProgramSpecializationConstant(program, 10, 1, &(cl_uchar){0}), CL_SUCCESS);
	assert_int_equal(clSetProgramSpecializationConstant(program, 17, 4, &(cl_int){1}), CL_INVALID_SPEC_ID);
	assert_int_equal(clSetProgramSpecializationConstant(program, 13, 8, &(cl_long){1}), CL_INVALID_VALUE);
	assert_int_equal(clSetProgramSpecializationConstant(program, 13, 4, NULL), CL_INVALID_VALUE);
	assert_int_equal(clSetProgramSpecializationConstant(source, 13, 4, &(cl_int){1}), CL_INVALID_PROGRAM);
	assert_int_equal(clSetProgramSpecializationConstant(NULL, 13, 4, &(cl_int){1}), CL_INVALID_PROGRAM);
	clReleaseProgram(source);
	clReleaseProgram(program);
	rig_close(&r);
}

/* A unit of SPIR-V calls a function of one that is compiled from source. */
static void units_are_linked(void **state)
{
	rig r;
	cl_int status, out[8];
	rig_open(&r);
	cl_program parts[3] = {create(&r, "spirv_calls"), rig_source(&r, "int external(int x) { return 3 * x + 1; }"), create(&r, "spirv_features")};
	for (int i = 0; i < 3; i++)
		expect_built(&r, parts[i], clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	cl_program alone = clLinkProgram(r.context, 0, NULL, NULL, 1, parts, NULL, NULL, &status);
	assert_int_equal(status, CL_LINK_PROGRAM_FAILURE);
	cl_program library = clLinkProgram(r.context, 0, NULL, "-create-library", 2, parts + 1, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	cl_program program = clLinkProgram(r.context, 0, NULL, NULL, 2, (cl_program[]){parts[0], library}, NULL, NULL, &status);
	expect_built(&r, program, status);
	cl_kernel kernel = rig_kernel(program, "calls"), other = rig_kernel(program, "sizes");
	cl_mem mem = rig_buffer(&r, sizeof out, NULL);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	launch(&r, kernel, 8, 8);
	rig_read(&r, mem, out, sizeof out);
	for (int i = 0; i < 8; i++)
		assert_int_equal(out[i], 3 * i + 1);
	clReleaseKernel(kernel);
	kernel = rig_kernel(program, "outer");
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	launch(&r, kernel, 8, 8);
	rig_read(&r, mem, out, sizeof out);
	for (int i = 0; i < 8; i++)
		assert_int_equal(out[i], 2 * (3 * i + 1));
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseKernel(other);
	for (int i = 0; i < 3; i++)
		clReleaseProgram(parts[i]);
	clReleaseProgram(alone);
	clReleaseProgram(library);
	clReleaseProgram(program);
	rig_close(&r);
}

static void queries_tell_of_it(void **state)
{
	rig r;
	size_t size, n, block[3];
	char text[4096], name[64];
	cl_uint space;
	rig_open(&r);
	unsigned char *bytes = read_module("spirv_features", &size), *back = malloc(size);
	assert_non_null(back);
	clGetDeviceInfo(r.device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL);
	assert_non_null(strstr(text, "SPIR-V_1.0"));
	cl_name_version list[16];
	clGetDeviceInfo(r.device, CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &n);
	assert_int_equal(n, 4 * sizeof *list);
	assert_string_equal(list[3].name, "SPIR-V");
	assert_int_equal(list[3].version, CL_MAKE_VERSION(1, 0, 0));
	clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL);
	assert_non_null(strstr(text, "cl_khr_il_program"));
	clCreateProgramWithILKHR_fn khr =
	    (clCreateProgramWithILKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(r.platform, "clCreateProgramWithILKHR");
	assert_non_null(khr);
	cl_int status;
	cl_program program = khr(r.context, bytes, size, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_IL, size, back, &n), CL_SUCCESS);
	assert_int_equal(n, size);
	assert_memory_equal(back, bytes, size);
	clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, NULL);
	assert_string_equal(text, "");
	assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL);
	assert_string_equal(text, "features;sizes");
	cl_kernel kernel = rig_kernel(program, "features");
	clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
	assert_string_equal(name, "out");
	clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL);
	assert_string_equal(name, "float*");
	clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);
	assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_LOCAL);
	clGetKernelWorkGroupInfo(kernel, r.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof block, block, NULL);
	assert_int_equal(block[0], 8);
	assert_int_equal(block[1], 1);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	free(bytes);
	free(back);
	rig_close(&r);
}

static void expect_refused(rig *r, const void *bytes, size_t size, cl_int expected)
{
	cl_int status;
	assert_null(clCreateProgramWithIL(r->context, bytes, size, &status));
	assert_int_equal(status, expected);
}

static void wrong_modules_are_refused(void **state)
{
	rig r;
	size_t size;
	cl_int status;
	char log[4096] = "";
	rig_open(&r);
	unsigned char *bytes = read_module("saxpy", &size);
	expect_refused(&r, NULL, size, CL_INVALID_VALUE);
	expect_refused(&r, bytes, 0, CL_INVALID_VALUE);
	expect_refused(&r, bytes, size - 1, CL_INVALID_VALUE);
	expect_refused(&r, bytes, 20, CL_INVALID_VALUE);
	expect_refused(&r, "kernel void k() {}  ", 20, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithIL(NULL, bytes, size, &status));
	assert_int_equal(status, CL_INVALID_CONTEXT);
	/* The form is right, and the meaning is not: the first instruction behind the header is repeated in the last one's place. */
	memcpy(bytes + size - 4, (unsigned char[4]){0xff, 0xff, 1, 0}, 4);
	cl_program program = clCreateProgramWithIL(r.context, bytes, size, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	clGetProgramBuildInfo(program, r.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	assert_non_null(strstr(log, "llvm-spirv"));
	assert_int_equal(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
	clReleaseProgram(program);
	free(bytes);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	folder = argv[1];
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(features_beyond_1_2_compute), cmocka_unit_test(modules_enqueue_kernels),
	    cmocka_unit_test(another_language_computes),   cmocka_unit_test(work_groups_may_have_several_sizes),
	    cmocka_unit_test(constants_are_specialized),   cmocka_unit_test(units_are_linked),
	    cmocka_unit_test(queries_tell_of_it),          cmocka_unit_test(wrong_modules_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
