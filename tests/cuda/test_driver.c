/* The driver interface by a host program in C: devices, contexts, modules, launches, streams, and both interfaces in one program. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "../test.h"

#include "fat.h"

#include "cuda/cuda.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 100 };

#define GOOD(call) assert_int_equal(call, CUDA_SUCCESS)

static const char text[] =
    FAT_HEAD ".visible .global .align 4 .u32 counter = 7;\n" FAT_ADD FAT_EMPTY
             ".visible .entry count()\n{\n.reg .u32 %r<4>;\natom.global.add.u32 %r2, [counter], 3;\nret;\n}\n"
             ".visible .entry mixed(.param .u64 p, .param .u8 small, .param .align 8 .b8 pair[16])\n{\n"
             ".reg .u32 %r<4>; .reg .u64 %d<6>;\nld.param.u64 %d1, [p]; ld.param.u8 %r1, [small]; ld.param.u64 %d2, [pair+8];\n"
             "cvta.to.global.u64 %d1, %d1; cvt.u64.u32 %d3, %r1; add.u64 %d3, %d3, %d2; st.global.u64 [%d1], %d3; ret;\n}\n";

static CUcontext context;
static CUmodule module;
static CUfunction add, empty;

static int begin(void **state)
{
	CUdevice device;
	if (cuMemAlloc(&(CUdeviceptr){0}, 4) != CUDA_ERROR_NOT_INITIALIZED || cuInit(1) != CUDA_ERROR_INVALID_VALUE)
		return 1;
	return cuInit(0) || cuDeviceGet(&device, 0) || cuMemAlloc(&(CUdeviceptr){0}, 4) != CUDA_ERROR_INVALID_CONTEXT ||
	       cuCtxCreate(&context, CU_CTX_MAP_HOST, device) || cuModuleLoadData(&module, text) || cuModuleGetFunction(&add, module, "add") ||
	       cuModuleGetFunction(&empty, module, "empty");
}

static int end(void **state) { return cuModuleUnload(module) || cuCtxDestroy(context); }

static CUresult launch_add(CUfunction f, CUdeviceptr p, int value, CUstream stream)
{
	int n = N;
	return cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, stream, (void *[]){&p, &value, &n}, NULL);
}

TEST(devices)
{
	int value, major, minor;
	char name[16];
	size_t bytes;
	CUuuid id;
	CUdevice device = 7;
	CUdevprop p;
	GOOD(cuDeviceGetCount(&value));
	assert_int_equal(value, 1);
	assert_int_equal(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
	memset(name, 'x', sizeof name);
	GOOD(cuDeviceGetName(name, 8, 0));
	assert_string_equal(name, "Heddle ");
	assert_int_equal(name[8], 'x');
	GOOD(cuDeviceGetUuid(&id, 0));
	assert_string_equal(id.bytes, "heddle device 0");
	GOOD(cuDeviceTotalMem(&bytes, 0));
	assert_true(bytes >= 16 << 20);
	GOOD(cuDeviceComputeCapability(&major, &minor, 0));
	GOOD(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	assert_int_equal(value, major);
	assert_int_equal(cuDeviceGetAttribute(&value, (CUdevice_attribute)9999, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
	GOOD(cuDeviceGetProperties(&p, 0));
	assert_int_equal(p.SIMDWidth, 32);
	GOOD(cuDriverGetVersion(&value));
	assert_int_equal(value, 13000);
	GOOD(cuDeviceGetPCIBusId(name, sizeof name, 0));
	GOOD(cuDeviceGetByPCIBusId(&device, name));
	assert_int_equal(device, 0);
	assert_int_equal(cuDeviceGetPCIBusId(name, 4, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(errors_have_names)
{
	const char *name;
	GOOD(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &name));
	assert_string_equal(name, "CUDA_ERROR_INVALID_PTX");
	GOOD(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &name));
	assert_string_equal(name, "out of memory");
	GOOD(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &name));
	assert_int_equal(cuGetErrorName((CUresult)12345, &name), CUDA_ERROR_INVALID_VALUE);
	assert_null(name);
	/* A number that only the runtime interface has. */
	assert_int_equal(cuGetErrorString((CUresult)98, &name), CUDA_ERROR_INVALID_VALUE);
}

TEST(copies_and_launches)
{
	int host[N], back[N];
	CUdeviceptr p;
	for (int i = 0; i < N; i++)
		host[i] = i;
	GOOD(cuMemAlloc(&p, sizeof host));
	GOOD(cuMemcpyHtoD(p, host, sizeof host));
	GOOD(launch_add(add, p, 10, NULL));
	GOOD(cuMemcpyDtoH(back, p, sizeof back));
	for (int i = 0; i < N; i++)
		assert_int_equal(back[i], i + 10);
	GOOD(cuMemFree(p));
	assert_int_equal(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAlloc(&p, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(arguments_in_one_buffer)
{
	struct {
		CUdeviceptr p;
		uint8_t small;
		uint64_t pair[2];
	} packed = {.small = 200, .pair = {1, 1000}};
	size_t size = sizeof packed, offset, bytes;
	uint64_t back;
	CUfunction mixed;
	GOOD(cuModuleGetFunction(&mixed, module, "mixed"));
	GOOD(cuMemAlloc(&packed.p, 8));
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END, NULL, CU_LAUNCH_PARAM_END};
	GOOD(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	GOOD(cuMemcpyDtoH(&back, packed.p, 8));
	assert_int_equal(back, 1200);
	GOOD(cuFuncGetParamInfo(mixed, 2, &offset, &bytes));
	assert_int_equal(offset, 16);
	assert_int_equal(bytes, 16);
	assert_int_equal(cuFuncGetParamInfo(mixed, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
	void *arguments[] = {&packed.p, &packed.small, packed.pair};
	assert_int_equal(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, extra), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	arguments[1] = NULL;
	assert_int_equal(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
	size = 31; /* the last argument is cut off */
	assert_int_equal(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
	size = 33;
	assert_int_equal(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
	size = 32;
	extra[4] = (void *)9;
	assert_int_equal(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
	CUlaunchConfig config = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
	arguments[1] = &(uint8_t){5};
	GOOD(cuLaunchKernelEx(&config, mixed, arguments, NULL));
	GOOD(cuMemcpyDtoH(&back, packed.p, 8));
	assert_int_equal(back, 1005);
	config.numAttrs = 1;
	assert_int_equal(cuLaunchKernelEx(&config, mixed, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
	config.attrs = &(CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {1, 1, 1}};
	GOOD(cuLaunchKernelEx(&config, mixed, arguments, NULL));
	config.attrs->value.clusterDim.y = 2;
	assert_int_equal(cuLaunchKernelEx(&config, mixed, arguments, NULL), CUDA_ERROR_NOT_SUPPORTED);
	GOOD(cuMemFree(packed.p));
}

TEST(as_many_arguments_as_there_can_be)
{
	static struct {
		CUdeviceptr p;
		uint32_t rest[8189];
		uint32_t too_many;
	} packed;
	static const char program[] =
	    FAT_HEAD ".visible .entry most(.param .u64 p, .param .align 4 .b8 rest[32756])\n{\n.reg .u32 %r<4>; .reg .u64 %d<2>;\n"
	             "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [rest+32752]; ld.param.u32 %r2, [rest+8004];\n"
	             "sub.u32 %r3, %r1, %r2; st.global.u32 [%d1], %r3; ret;\n}\n";
	size_t size = 32764;
	uint32_t back;
	CUmodule own;
	CUfunction most;
	packed.rest[8188] = 1000;
	packed.rest[2001] = 7;
	GOOD(cuModuleLoadData(&own, program));
	GOOD(cuModuleGetFunction(&most, own, "most"));
	GOOD(cuMemAlloc(&packed.p, 4));
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
	GOOD(cuLaunchKernel(most, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	GOOD(cuMemcpyDtoH(&back, packed.p, 4));
	assert_int_equal(back, 993);
	packed.rest[8188]++;
	GOOD(cuLaunchKernel(most, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&packed.p, packed.rest}, NULL));
	GOOD(cuMemcpyDtoH(&back, packed.p, 4));
	assert_int_equal(back, 994);
	size = sizeof packed;
	assert_int_equal(cuLaunchKernel(most, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemFree(packed.p));
	GOOD(cuModuleUnload(own));
}

TEST(impossible_launches)
{
	assert_int_equal(cuLaunchKernel(empty, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuLaunchKernel(empty, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuLaunchKernel((CUfunction)module, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, (CUstream)module, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuCtxSynchronize());
}

/* -- modules ------------------------------------------------------------------------------------------------------------------------------------ */
TEST(modules_and_variables)
{
	CUmodule two;
	CUfunction count, of_two[8] = {NULL}, same;
	CUdeviceptr at, other;
	size_t size = 0;
	unsigned n = 0;
	int value = 0;
	const char *name;
	GOOD(cuModuleLoadDataEx(&two, text, 0, NULL, NULL));
	GOOD(cuModuleGetGlobal(&at, &size, module, "counter"));
	GOOD(cuModuleGetGlobal(&other, NULL, two, "counter"));
	assert_int_equal(size, 4);
	assert_true(at != other);
	GOOD(cuModuleGetFunction(&count, two, "count"));
	GOOD(cuLaunchKernel(count, 1, 1, 1, 2, 1, 1, 0, NULL, NULL, NULL));
	GOOD(cuMemcpyDtoH(&value, other, 4));
	assert_int_equal(value, 13);
	GOOD(cuMemcpyDtoH(&value, at, 4));
	assert_int_equal(value, 7);
	assert_int_equal(cuModuleGetFunction(&count, two, "nobody"), CUDA_ERROR_NOT_FOUND);
	assert_int_equal(cuModuleGetGlobal(&at, &size, two, "nobody"), CUDA_ERROR_NOT_FOUND);
	GOOD(cuModuleGetFunctionCount(&n, two));
	assert_int_equal(n, 4);
	GOOD(cuModuleEnumerateFunctions(of_two, 8, two));
	GOOD(cuModuleGetFunction(&same, two, "add"));
	assert_true(of_two[0] == same || of_two[1] == same || of_two[2] == same || of_two[3] == same);
	assert_null(of_two[4]);
	GOOD(cuFuncGetName(&name, same));
	assert_string_equal(name, "add");
	CUmodule of = NULL;
	GOOD(cuFuncGetModule(&of, same));
	assert_ptr_equal(of, two);
	GOOD(cuModuleUnload(two));
	assert_int_equal(cuModuleUnload(two), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(launch_add(same, at, 1, NULL), CUDA_ERROR_INVALID_HANDLE);
}

TEST(images_of_every_kind)
{
	static fat f;
	static const fat_packing packings[] = {FAT_PLAIN, FAT_LZ4, FAT_ZSTD};
	CUmodule m;
	CUfunction g;
	for (int i = 0; i < 3; i++) {
		fat_begin(&f);
		fat_add_text(&f, 75, text, packings[i]);
		GOOD(cuModuleLoadData(&m, f.bytes));
		GOOD(cuModuleGetFunction(&g, m, "empty"));
		/* The image is copied. */
		memset(f.bytes, 0xee, sizeof f.bytes);
		GOOD(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
		GOOD(cuModuleUnload(m));
	}
	fat_begin(&f);
	fat_add_text(&f, 75, text, FAT_LZ4);
	GOOD(cuModuleLoadFatBinary(&m, &f.wrapper));
	GOOD(cuModuleUnload(m));
	char path[] = "/tmp/heddle-test-XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
	close(file);
	GOOD(cuModuleLoad(&m, path));
	GOOD(cuModuleUnload(m));
	unlink(path);
	assert_int_equal(cuModuleLoad(&m, path), CUDA_ERROR_FILE_NOT_FOUND);
}

/* Pages of memory with nothing behind them; the bytes end where they end. */
static char *at_the_end(const void *bytes, size_t n, void **pages, size_t *size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	*size = (n + page - 1) / page * page + page;
	*pages = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((char *)*pages + *size - page, page);
	return memcpy((char *)*pages + *size - page - n, bytes, n);
}

TEST(damaged_images)
{
	static fat f;
	CUmodule m;
	void *pages;
	size_t size;
	/* A text without an end. */
	char *image = at_the_end(text, sizeof text - 1, &pages, &size);
	assert_int_equal(cuModuleLoadData(&m, image), CUDA_ERROR_INVALID_IMAGE);
	munmap(pages, size);
	image = at_the_end("\177ELF", 4, &pages, &size);
	assert_int_equal(cuModuleLoadData(&m, image), CUDA_ERROR_NO_BINARY_FOR_GPU);
	munmap(pages, size);
	/* A fat binary whose size reaches behind the memory. */
	fat_begin(&f);
	fat_add_text(&f, 75, text, FAT_PLAIN);
	fat_put(&f, 8, (uint64_t)1 << 40, 8);
	image = at_the_end(f.bytes, f.n, &pages, &size);
	assert_int_equal(cuModuleLoadData(&m, image), CUDA_ERROR_INVALID_IMAGE);
	munmap(pages, size);
	/* Every cut and every changed byte of the headers is an error or a module, and never the end of the program. */
	for (size_t i = 0; i < 80; i++) {
		fat_begin(&f);
		fat_add_text(&f, 75, FAT_HEAD FAT_EMPTY, FAT_LZ4);
		f.bytes[i] ^= 0x55;
		image = at_the_end(f.bytes, f.n, &pages, &size);
		if (cuModuleLoadData(&m, image) == CUDA_SUCCESS)
			GOOD(cuModuleUnload(m));
		munmap(pages, size);
		f.bytes[i] ^= 0x55;
		image = at_the_end(f.bytes, i, &pages, &size);
		assert_int_not_equal(cuModuleLoadData(&m, image), CUDA_SUCCESS);
		munmap(pages, size);
	}
	fat_begin(&f);
	fat_add(&f, 2, 90, "code", 5, FAT_PLAIN);
	assert_int_equal(cuModuleLoadData(&m, f.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
	f.wrapper.data = NULL;
	assert_int_equal(cuModuleLoadFatBinary(&m, &f.wrapper), CUDA_ERROR_INVALID_IMAGE);
	assert_int_equal(cuModuleLoadData(&m, ""), CUDA_ERROR_INVALID_IMAGE);
	assert_int_equal(cuModuleLoadData(&m, (void *)0x10), CUDA_ERROR_INVALID_IMAGE);
}

TEST(messages_of_the_compiler)
{
	char errors[64], info[8] = "xxxxxxx";
	CUmodule m;
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
	                          CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
	                          CU_JIT_WALL_TIME,        CU_JIT_MAX_REGISTERS};
	void *values[] = {errors, (void *)sizeof errors, info, (void *)sizeof info, NULL, (void *)32};
	assert_int_equal(cuModuleLoadDataEx(&m, FAT_HEAD ".visible .entry f() { nonsense; }\n", 6, options, values), CUDA_ERROR_INVALID_PTX);
	assert_memory_equal(errors, "program.ptx:4:", 14);
	assert_int_equal((uintptr_t)values[1], strlen(errors));
	assert_int_equal(strlen(errors), sizeof errors - 1); /* cut off, and ended */
	assert_string_equal(info, "");
	assert_int_equal((uintptr_t)values[3], 0);
	values[1] = (void *)sizeof errors;
	GOOD(cuModuleLoadDataEx(&m, text, 6, options, values));
	assert_string_equal(errors, "");
	GOOD(cuModuleUnload(m));
	options[0] = (CUjit_option)999;
	assert_int_equal(cuModuleLoadDataEx(&m, text, 6, options, values), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuModuleLoadDataEx(&m, text, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(libraries)
{
	CUlibrary library, of;
	CUkernel kernel, all[8] = {NULL};
	CUfunction function;
	CUdeviceptr p;
	unsigned n;
	int value;
	GOOD(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
	GOOD(cuLibraryGetKernel(&kernel, library, "add"));
	GOOD(cuLibraryGetKernelCount(&n, library));
	assert_int_equal(n, 4);
	GOOD(cuLibraryEnumerateKernels(all, 2, library));
	assert_null(all[2]);
	GOOD(cuKernelGetFunction(&function, kernel));
	GOOD(cuKernelGetLibrary(&of, kernel));
	assert_ptr_equal(of, library);
	GOOD(cuMemAlloc(&p, N * 4));
	GOOD(cuMemsetD32(p, 1, N));
	/* A kernel is launched as a function is. */
	GOOD(launch_add((CUfunction)kernel, p, 1, NULL));
	GOOD(launch_add(function, p, 2, NULL));
	GOOD(cuMemcpyDtoH(&value, p + 4, 4));
	assert_int_equal(value, 4);
	GOOD(cuMemFree(p));
	GOOD(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
	assert_true(value > 0);
	GOOD(cuLibraryUnload(library));
	assert_int_equal(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
}

/* -- streams ------------------------------------------------------------------------------------------------------------------------------------ */
static void put_number(void *data) { *(int *)data = 1; }
static void put_status(CUstream stream, CUresult status, void *data) { *(int *)data = status == CUDA_SUCCESS ? 2 : -1; }
static void call_back(void *data) { *(CUresult *)data = cuCtxSynchronize(); }

TEST(streams_and_events)
{
	CUstream one, two;
	CUevent before, after, plain;
	CUdeviceptr p;
	CUcontext of;
	CUresult inside = CUDA_SUCCESS;
	int first = 0, second = 0, priority;
	unsigned flags;
	float ms = -1;
	GOOD(cuMemAlloc(&p, N * 4));
	GOOD(cuMemsetD32Async(p, 0, N, NULL));
	GOOD(cuCtxSynchronize());
	GOOD(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
	GOOD(cuStreamCreateWithPriority(&two, CU_STREAM_DEFAULT, -1));
	GOOD(cuEventCreate(&before, CU_EVENT_DEFAULT));
	GOOD(cuEventCreate(&after, CU_EVENT_DEFAULT));
	GOOD(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
	GOOD(cuEventRecord(before, one));
	GOOD(launch_add(add, p, 5, one));
	GOOD(cuEventRecord(after, one));
	GOOD(cuStreamWaitEvent(two, after, 0));
	GOOD(cuLaunchHostFunc(two, put_number, &first));
	GOOD(cuStreamAddCallback(two, put_status, &second, 0));
	GOOD(cuLaunchHostFunc(two, call_back, &inside));
	GOOD(cuStreamSynchronize(two));
	assert_int_equal(first, 1);
	assert_int_equal(second, 2);
	assert_int_equal(inside, CUDA_ERROR_NOT_PERMITTED);
	GOOD(cuEventSynchronize(after));
	GOOD(cuEventElapsedTime(&ms, before, after));
	assert_true(ms > 0);
	GOOD(cuEventQuery(after));
	GOOD(cuStreamQuery(one));
	GOOD(cuEventRecord(plain, one));
	assert_int_equal(cuEventElapsedTime(&ms, before, plain), CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuStreamGetPriority(two, &priority));
	assert_int_equal(priority, -1);
	GOOD(cuStreamGetFlags(one, &flags));
	assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
	GOOD(cuStreamGetCtx(one, &of));
	assert_ptr_equal(of, context);
	GOOD(cuStreamDestroy(one));
	assert_int_equal(cuStreamDestroy(one), CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuStreamDestroy(two));
	GOOD(cuEventDestroy(before));
	assert_int_equal(cuEventDestroy(before), CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuEventDestroy(after));
	GOOD(cuEventDestroy(plain));
	GOOD(cuMemFree(p));
}

static size_t shared_of(int threads) { return (size_t)threads * 64; }

TEST(numbers_of_functions)
{
	int value, grid, block, fewer, blocks, more;
	size_t bytes;
	GOOD(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
	assert_int_equal(value, 1024);
	GOOD(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
	GOOD(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add));
	assert_int_equal(value, 1024);
	assert_int_equal(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL, 0, 0));
	assert_true(block > 0 && block <= 1024 && grid > 0);
	GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, block, 0));
	GOOD(cuOccupancyMaxPotentialBlockSize(&grid, &fewer, add, NULL, 0, 100));
	assert_true(fewer <= 100);
	GOOD(cuOccupancyMaxPotentialBlockSize(&grid, &more, add, shared_of, 0, 0));
	assert_true(more > 0 && more <= 1024);
	GOOD(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 1, 32));
	assert_true(bytes > 0);
	GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 32, bytes));
	assert_true(value >= 1);
}

/* -- functions by name -------------------------------------------------------------------------------------------------------------------------- */
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t count);
CUresult cuCtxCreate_v4(CUcontext *made, void *parameters, unsigned int flags, CUdevice device);

TEST(functions_by_name)
{
	void *f;
	CUdriverProcAddressQueryResult status;
	GOOD(cuGetProcAddress("cuMemAlloc", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
	assert_ptr_equal(f, (void *)(uintptr_t)&cuMemAlloc_v2);
	GOOD(cuGetProcAddress("cuMemcpyHtoD", &f, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
	assert_ptr_equal(f, (void *)(uintptr_t)&cuMemcpyHtoD_v2_ptds);
	GOOD(cuGetProcAddress("cuMemcpyHtoD", &f, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status));
	assert_ptr_equal(f, (void *)(uintptr_t)&cuMemcpyHtoD_v2);
	GOOD(cuGetProcAddress("cuInit", &f, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
	assert_ptr_equal(f, (void *)(uintptr_t)&cuInit);
	GOOD(cuGetProcAddress("cuCtxCreate", &f, 13000, 0, &status));
	assert_ptr_equal(f, (void *)(uintptr_t)&cuCtxCreate_v4);
	GOOD(cuGetProcAddress("cuCtxCreate", &f, 11000, 0, &status));
	assert_ptr_equal(f, (void *)(uintptr_t)&cuCtxCreate_v2);
	GOOD(cuGetProcAddress("cuLibraryLoadData", &f, 11000, 0, &status));
	assert_null(f);
	assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	GOOD(cuGetProcAddress("cuNobody", &f, 13000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	assert_int_equal(cuGetProcAddress("cuNobody", &f, 13000, 0, NULL), CUDA_ERROR_NOT_FOUND);
	assert_int_equal(cuGetProcAddress("cuInit", &f, 13000, 7, &status), CUDA_ERROR_INVALID_VALUE);
	/* Functions that are absent can be found, and say so. */
	GOOD(cuGetProcAddress("cuTexObjectCreate", &f, 13000, 0, &status));
	CUresult (*absent)(void) = NULL;
	memcpy(&absent, &f, sizeof f);
	assert_int_equal(absent(), CUDA_ERROR_NOT_SUPPORTED);
	const void *table = &f;
	assert_int_equal(cuGetExportTable(&table, &(CUuuid){{1}}), CUDA_ERROR_NOT_SUPPORTED);
	assert_null(table);
}
/* Each function with zeros for everything is an error or a success, and never the end of the program. */
TEST(nothing_for_everything)
{
	static const char *const names[] = {
#define DRIVER(name, suffix, ...) "cu" #name #suffix,
#define DRIVER_STREAM(name, suffix, thread, ...) "cu" #name #suffix, "cu" #name #suffix #thread,
#define TWIN(name, suffix, ...) DRIVER(name, suffix, )
#define TWIN_STREAM(name, suffix, ...) DRIVER_STREAM(name, suffix, _ptsz, )
#define ABSENT(name, suffix, version) DRIVER(name, suffix, )
#define ABSENT_STREAM(name, suffix, thread, version) DRIVER_STREAM(name, suffix, thread, )
#define RUNTIME(...)
#define RUNTIME_STREAM(...)
#include "cuda/driver.def"
	};
	typedef CUresult (*any)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	                        uintptr_t);
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(library);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *address = dlsym(library, names[i]);
		any call;
		if (!address)
			fail_msg("%s is not there", names[i]);
		memcpy(&call, &address, sizeof address);
		CUcontext now;
		GOOD(cuCtxGetCurrent(&now));
		CUresult result = call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
		if (result && cuGetErrorName(result, &(const char *){NULL}))
			fail_msg("%s returns %d", names[i], result);
		GOOD(cuCtxSetCurrent(now));
		cuStreamEndCapture(CU_STREAM_PER_THREAD, &(CUgraph){NULL}); /* a capture would forbid much of what follows */
	}
	dlclose(library);
	GOOD(cuCtxSynchronize());
}

TEST_AROUND(begin, end)
