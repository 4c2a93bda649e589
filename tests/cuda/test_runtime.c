/* The runtime interface by a host program in C, with PTX in a fat binary: no compiler for CUDA is needed. */

#include "../test.h"

#include "fat.h"

enum { N = 100 };

static fat binary;
static void **handle;
static const char add[1], empty[1], missing[1];
static char counter[4], table[16];
static int *managed; /* as nvcc declares it: a pointer that the library sets */

static const char text[] =
    FAT_HEAD ".visible .global .align 4 .u32 counter = 7;\n"
             ".const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
             ".global .attribute(.managed) .align 4 .u32 shared = 5;\n" FAT_ADD FAT_EMPTY
             ".visible .entry count()\n{\n.reg .u32 %r<4>;\nld.const.u32 %r1, [table+8]; atom.global.add.u32 %r2, [counter], %r1;\n"
             "ld.global.u32 %r3, [shared]; add.u32 %r3, %r3, 1; st.global.u32 [shared], %r3; ret;\n}\n";
static const char count[1];

static int begin(void **state)
{
	fat_begin(&binary);
	fat_add_text(&binary, 75, text, FAT_PLAIN);
	handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, add, "add");
	fat_register_kernel(handle, empty, "empty");
	fat_register_kernel(handle, missing, "missing");
	fat_register_kernel(handle, count, "count");
	__cudaRegisterVar(handle, counter, counter, "counter", 0, 4, 0, 0);
	__cudaRegisterVar(handle, table, table, "table", 0, 16, 1, 0);
	__cudaRegisterManagedVar(handle, (void **)&managed, (char *)"shared", "shared", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	return 0;
}

static int end(void **state)
{
	__cudaUnregisterFatBinary(handle);
	return 0;
}

#define GOOD(call) assert_int_equal(call, cudaSuccess)

static cudaError_t launch(const void *func, unsigned blocks, unsigned threads, void **arguments, cudaStream_t stream)
{
	return cudaLaunchKernel(func, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, arguments, 0, stream);
}

static cudaError_t launch_add(int *p, int value, cudaStream_t stream)
{
	int n = N;
	return launch(add, 4, 32, (void *[]){&p, &value, &n}, stream);
}

TEST(memory_and_launches)
{
	int host[N], back[N], *p;
	for (int i = 0; i < N; i++)
		host[i] = i;
	GOOD(cudaMalloc((void **)&p, sizeof host));
	GOOD(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
	GOOD(launch_add(p, 10, NULL));
	GOOD(cudaGetLastError());
	GOOD(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		assert_int_equal(back[i], i + 10);
	GOOD(cudaFree(p));
	assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
	assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	GOOD(cudaGetLastError());
	GOOD(cudaFree(NULL));
}

TEST(configurations_nest)
{
	dim3 grid, block;
	size_t shared;
	void *stream;
	assert_int_equal(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, NULL), 0);
	assert_int_equal(__cudaPushCallConfiguration((dim3){8, 1, 1}, (dim3){9, 1, 1}, 0, (void *)2), 0);
	GOOD(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
	assert_int_equal(grid.x, 8);
	assert_ptr_equal(stream, (void *)2);
	GOOD(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
	assert_int_equal(block.z, 6);
	assert_int_equal(shared, 7);
	assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
	cudaGetLastError();
}

TEST(impossible_launches)
{
	assert_int_equal(launch(empty, 0, 32, NULL, NULL), cudaErrorInvalidConfiguration);
	assert_int_equal(launch(empty, 1, 0, NULL, NULL), cudaErrorInvalidConfiguration);
	assert_int_equal(launch(empty, 1, 1025, NULL, NULL), cudaErrorInvalidConfiguration);
	assert_int_equal(cudaLaunchKernel(empty, (dim3){1, 65536, 1}, (dim3){1, 1, 1}, NULL, 0, NULL), cudaErrorInvalidConfiguration);
	assert_int_equal(cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 65}, NULL, 0, NULL), cudaErrorInvalidConfiguration);
	assert_int_equal(cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 48 * 1024 + 1, NULL), cudaErrorInvalidValue);
	assert_int_equal(launch(missing, 1, 1, NULL, NULL), cudaErrorInvalidDeviceFunction);
	assert_int_equal(launch(&binary, 1, 1, NULL, NULL), cudaErrorInvalidDeviceFunction);
	assert_int_equal(launch(add, 1, 1, NULL, NULL), cudaErrorInvalidValue);
	assert_int_equal(launch(empty, 1, 1, NULL, (cudaStream_t)&binary), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {1, 1, 1}};
	cudaLaunchConfig_t config = {.gridDim = {2, 1, 1}, .blockDim = {1, 1, 1}, .attrs = &cluster, .numAttrs = 1};
	GOOD(cudaLaunchKernelExC(&config, empty, NULL));
	cluster.val.clusterDim.x = 2;
	assert_int_equal(cudaLaunchKernelExC(&config, empty, NULL), cudaErrorNotSupported);
	GOOD(launch(empty, 1, 1, NULL, NULL));
	GOOD(cudaDeviceSynchronize());
}

TEST(variables_by_name)
{
	int value = 0, four[4];
	void *address;
	size_t size;
	GOOD(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyDeviceToHost));
	assert_int_equal(value, 7);
	assert_int_equal(*managed, 5);
	GOOD(launch(count, 1, 1, NULL, NULL));
	GOOD(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyDeviceToHost));
	assert_int_equal(value, 10);
	assert_int_equal(*managed, 6);
	value = 100;
	GOOD(cudaMemcpyToSymbol(table, &value, 4, 8, cudaMemcpyHostToDevice));
	GOOD(launch(count, 1, 1, NULL, NULL));
	GOOD(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyDeviceToHost));
	assert_int_equal(value, 110);
	*managed = 41;
	GOOD(launch(count, 1, 1, NULL, NULL));
	GOOD(cudaDeviceSynchronize());
	assert_int_equal(*managed, 42);
	GOOD(cudaGetSymbolAddress(&address, table));
	GOOD(cudaGetSymbolSize(&size, table));
	assert_int_equal(size, 16);
	GOOD(cudaMemcpy(four, address, 16, cudaMemcpyDeviceToHost));
	assert_int_equal(four[3], 4);
	assert_int_equal(cudaMemcpyToSymbol(table, four, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpyToSymbol(table, four, 16, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
	assert_int_equal(cudaGetSymbolAddress(&address, &binary), cudaErrorInvalidSymbol);
	cudaGetLastError();
}

TEST(planes_and_boxes)
{
	uint8_t from[6][10], to[6][10];
	uint8_t *p;
	size_t pitch;
	for (int i = 0; i < 60; i++)
		from[i / 10][i % 10] = (uint8_t)i;
	memset(to, 255, sizeof to);
	GOOD(cudaMallocPitch((void **)&p, &pitch, 10, 6));
	assert_int_equal(pitch % 512, 0);
	GOOD(cudaMemset2D(p, pitch, 9, 10, 6));
	GOOD(cudaMemcpy2D(p, pitch, from, 10, 7, 5, cudaMemcpyHostToDevice));
	GOOD(cudaMemcpy2D(to, 10, p, pitch, 10, 6, cudaMemcpyDeviceToHost));
	assert_int_equal(to[4][6], 46);
	assert_int_equal(to[4][7], 9);
	assert_int_equal(to[5][0], 9);
	assert_int_equal(cudaMemcpy2D(p, 5, from, 10, 7, 5, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
	assert_int_equal(cudaMemcpy2D(p, pitch, from, 10, 7, 7, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	GOOD(cudaFree(p));
	struct cudaPitchedPtr box;
	GOOD(cudaMalloc3D(&box, (struct cudaExtent){5, 3, 2}));
	GOOD(cudaMemset3D(box, 1, (struct cudaExtent){5, 3, 2}));
	struct cudaMemcpy3DParms c = {
	    .srcPtr = {from, 5, 5, 3}, .srcPos = {1, 1, 0}, .dstPtr = box, .dstPos = {2, 0, 1}, .extent = {3, 2, 1}, .kind = cudaMemcpyHostToDevice};
	GOOD(cudaMemcpy3D(&c));
	uint8_t out[2][3][5];
	struct cudaMemcpy3DParms d = {.srcPtr = box, .dstPtr = {out, 5, 5, 3}, .extent = {5, 3, 2}, .kind = cudaMemcpyDeviceToHost};
	GOOD(cudaMemcpy3D(&d));
	assert_int_equal(out[0][0][2], 1);
	assert_int_equal(out[1][0][1], 1);
	assert_int_equal(out[1][0][2], 6);
	assert_int_equal(out[1][1][4], 13);
	assert_int_equal(out[1][2][2], 1);
	GOOD(cudaFree(box.ptr));
	cudaGetLastError();
}

TEST(addresses_are_checked)
{
	int host[4] = {0}, *p;
	GOOD(cudaMalloc((void **)&p, 16));
	assert_int_equal(cudaMemcpy(p, host, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(p + 4, host, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(p + 1, host, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(p, host, 4, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
	assert_int_equal(cudaMemcpy(p, NULL, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
	assert_int_equal(cudaMalloc((void **)&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
	assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
	struct cudaPointerAttributes a;
	GOOD(cudaPointerGetAttributes(&a, p + 1));
	assert_int_equal(a.type, cudaMemoryTypeDevice);
	GOOD(cudaPointerGetAttributes(&a, host));
	assert_int_equal(a.type, cudaMemoryTypeUnregistered);
	int *q;
	GOOD(cudaMallocHost((void **)&q, 64));
	GOOD(cudaPointerGetAttributes(&a, q));
	assert_int_equal(a.type, cudaMemoryTypeHost);
	assert_ptr_equal(a.devicePointer, q);
	assert_int_equal(cudaFree(q), cudaErrorInvalidValue);
	GOOD(cudaFreeHost(q));
	GOOD(cudaFree(p));
	cudaGetLastError();
}

TEST(managed_and_pinned)
{
	int *m, *h;
	GOOD(cudaMallocManaged((void **)&m, N * sizeof *m, cudaMemAttachGlobal));
	GOOD(cudaHostAlloc((void **)&h, N * sizeof *h, cudaHostAllocMapped));
	for (int i = 0; i < N; i++)
		m[i] = h[i] = i;
	GOOD(launch_add(m, 1, NULL));
	GOOD(launch_add(h, 2, NULL));
	GOOD(cudaDeviceSynchronize());
	assert_int_equal(m[99], 100);
	assert_int_equal(h[99], 101);
	GOOD(cudaFree(m));
	GOOD(cudaFreeHost(h));
	static int own[N];
	GOOD(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
	assert_int_equal(cudaHostRegister(own + 1, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
	GOOD(launch_add(own, 3, NULL));
	GOOD(cudaHostUnregister(own));
	assert_int_equal(own[50], 3);
	assert_int_equal(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
	cudaGetLastError();
}

/* The block is managed, the range is in it, the place exists. */
TEST(hints_about_managed_memory)
{
	enum { SIZE = 64 };
	static const struct {
		int offset, type, device;
		size_t count;
		cudaError_t error;
	} rows[] = {
	    {0, cudaMemLocationTypeDevice, 0, SIZE, cudaSuccess},
	    {16, cudaMemLocationTypeHost, 1, SIZE - 16, cudaSuccess},
	    {16, cudaMemLocationTypeDevice, 0, SIZE - 15, cudaErrorInvalidValue},
	    {0, cudaMemLocationTypeDevice, 0, 0, cudaErrorInvalidValue},
	    {0, cudaMemLocationTypeDevice, 1, SIZE, cudaErrorInvalidDevice},
	};
	char *m, *p;
	GOOD(cudaMalloc((void **)&p, SIZE));
	GOOD(cudaMallocManaged((void **)&m, SIZE, cudaMemAttachGlobal));
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cudaMemLocation place = {rows[i].type, rows[i].device};
		assert_int_equal(cudaMemAdvise_v2(m + rows[i].offset, rows[i].count, cudaMemAdviseSetReadMostly, place), rows[i].error);
		assert_int_equal(cudaMemPrefetchAsync_v2(m + rows[i].offset, rows[i].count, place, 0, NULL), rows[i].error);
		assert_int_equal(cudaMemPrefetchAsync_v2(p + rows[i].offset, rows[i].count, place, 0, NULL), cudaErrorInvalidValue);
	}
	for (int advice = 0; advice <= 7; advice++)
		assert_int_equal(cudaMemAdvise_v2(m, SIZE, (enum cudaMemoryAdvise)advice, (struct cudaMemLocation){cudaMemLocationTypeDevice, 0}),
		                 advice == 0 || advice == 7 ? cudaErrorInvalidValue : cudaSuccess);
	GOOD(cudaFree(m));
	GOOD(cudaFree(p));
	cudaGetLastError();
}

static void put_number(void *data) { *(int *)data = 1; }
static void put_status(cudaStream_t stream, cudaError_t status, void *data) { *(int *)data = status == cudaSuccess ? 2 : -1; }
static void call_back(void *data) { *(cudaError_t *)data = cudaDeviceSynchronize(); }

TEST(streams_and_events)
{
	cudaStream_t one, two;
	cudaEvent_t before, after, plain;
	int *p, first = 0, second = 0;
	float ms = -1;
	cudaError_t inside = cudaSuccess;
	GOOD(cudaMalloc((void **)&p, N * sizeof *p));
	GOOD(cudaMemset(p, 0, N * sizeof *p));
	GOOD(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	GOOD(cudaStreamCreateWithPriority(&two, cudaStreamDefault, -1));
	GOOD(cudaEventCreate(&before));
	GOOD(cudaEventCreate(&after));
	GOOD(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
	assert_int_equal(cudaEventElapsedTime(&ms, before, after), cudaErrorInvalidResourceHandle);
	GOOD(cudaEventQuery(before));
	GOOD(cudaEventRecord(before, one));
	GOOD(launch_add(p, 5, one));
	GOOD(cudaEventRecord(after, one));
	GOOD(cudaStreamWaitEvent(two, after, 0));
	GOOD(cudaLaunchHostFunc(two, put_number, &first));
	GOOD(cudaStreamAddCallback(two, put_status, &second, 0));
	GOOD(cudaLaunchHostFunc(two, call_back, &inside));
	GOOD(cudaStreamSynchronize(two));
	assert_int_equal(first, 1);
	assert_int_equal(second, 2);
	assert_int_equal(inside, cudaErrorNotPermitted);
	GOOD(cudaEventSynchronize(after));
	GOOD(cudaEventElapsedTime(&ms, before, after));
	assert_true(ms > 0);
	GOOD(cudaStreamQuery(one));
	GOOD(cudaEventRecord(plain, NULL));
	assert_int_equal(cudaEventElapsedTime(&ms, before, plain), cudaErrorInvalidResourceHandle);
	int priority = 9;
	unsigned flags = 9;
	GOOD(cudaStreamGetPriority(two, &priority));
	assert_int_equal(priority, -1);
	GOOD(cudaStreamGetFlags(one, &flags));
	assert_int_equal(flags, cudaStreamNonBlocking);
	GOOD(cudaStreamDestroy(one));
	assert_int_equal(cudaStreamDestroy(one), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaStreamSynchronize(one), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
	GOOD(cudaStreamDestroy(two));
	GOOD(cudaEventDestroy(before));
	GOOD(cudaEventDestroy(after));
	GOOD(cudaEventDestroy(plain));
	assert_int_equal(cudaEventDestroy(plain), cudaErrorInvalidResourceHandle);
	GOOD(cudaFree(p));
	cudaGetLastError();
}

/* Two blocking streams and the default one: each launch sees what the ones before it did. */
TEST(the_default_stream_orders)
{
	cudaStream_t s[2];
	int *p, back[N];
	GOOD(cudaMalloc((void **)&p, sizeof back));
	GOOD(cudaMemset(p, 0, sizeof back));
	for (int i = 0; i < 2; i++)
		GOOD(cudaStreamCreate(&s[i]));
	for (int i = 0; i < 10; i++) {
		GOOD(launch_add(p, 1, s[0]));
		GOOD(cudaMemsetAsync(p, i, 4, NULL));
		GOOD(launch_add(p, 1, s[1]));
		GOOD(launch_add(p, 1, NULL));
	}
	GOOD(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
	assert_int_equal(back[1], 30);
	assert_int_equal(back[0], 0x09090909 + 2);
	for (int i = 0; i < 2; i++)
		GOOD(cudaStreamDestroy(s[i]));
	GOOD(cudaFree(p));
}

static void put_first(void *data) { *(int *)data = *(int *)data * 10 + 1; }
static void put_second(void *data) { *(int *)data = *(int *)data * 10 + 2; }

/* A blocking stream waits for the default one, and one that does not block does not. */
TEST(the_default_stream_is_waited_for)
{
	cudaStream_t blocking, other;
	int order = 0;
	GOOD(cudaStreamCreate(&blocking));
	GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	GOOD(cudaLaunchHostFunc(NULL, put_first, &order));
	GOOD(cudaLaunchHostFunc(blocking, put_second, &order));
	GOOD(cudaStreamSynchronize(blocking));
	assert_int_equal(order, 12);
	GOOD(cudaLaunchHostFunc(other, put_second, &order));
	GOOD(cudaStreamSynchronize(other));
	assert_int_equal(order, 122);
	GOOD(cudaStreamDestroy(blocking));
	GOOD(cudaStreamDestroy(other));
}

TEST(pageable_copies_are_staged)
{
	cudaStream_t s;
	int host[N] = {0}, back[N], *p;
	GOOD(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	GOOD(cudaMalloc((void **)&p, sizeof host));
	host[0] = 1;
	GOOD(cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, s));
	host[0] = 2;
	GOOD(cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, s));
	assert_int_equal(back[0], 1); /* such a copy returns when it has ended */
	GOOD(cudaFree(p));
	GOOD(cudaStreamDestroy(s));
}

TEST(numbers_of_the_device)
{
	int devices, value, least, greatest, blocks, block, version;
	size_t left, all;
	struct cudaDeviceProp_13 {
		char bytes[1008];
	} p;
	GOOD(cudaGetDeviceCount(&devices));
	assert_int_equal(devices, 1);
	assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
	GOOD(cudaSetDevice(0));
	GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
	assert_int_equal(value, 32);
	assert_int_equal(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
	GOOD(cudaGetDeviceProperties_v2((struct cudaDeviceProp *)&p, 0));
	assert_int_equal(strncmp(p.bytes, "Heddle", 6), 0);
	GOOD(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	assert_true(least > greatest);
	GOOD(cudaMemGetInfo(&left, &all));
	assert_true(left <= all && all >= 16 << 20);
	GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 64, 0));
	assert_true(blocks > 0);
	GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&block, add, 1024, 0));
	assert_true(block <= blocks);
	struct cudaFuncAttributes a;
	GOOD(cudaFuncGetAttributes(&a, add));
	assert_true(a.numRegs > 0 && a.maxThreadsPerBlock == 1024);
	GOOD(cudaRuntimeGetVersion(&version));
	assert_int_equal(version, 13000);
	assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
	assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
	assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
	cudaGetLastError();
}

/* cudaDeviceSynchronize and the legacy default stream once forgot what a destroyed stream had still to do. */
TEST(work_of_destroyed_streams)
{
	int back[N], *p;
	GOOD(cudaMalloc((void **)&p, sizeof back));
	for (unsigned flags = 0; flags < 2; flags++) {
		GOOD(cudaMemset(p, 0, sizeof back));
		GOOD(cudaDeviceSynchronize());
		for (int i = 0; i < 4; i++) {
			cudaStream_t stream;
			GOOD(cudaStreamCreateWithFlags(&stream, flags));
			for (int j = 0; j < 5; j++)
				GOOD(launch_add(p, flags && i ? 0 : 1, stream));
			GOOD(cudaStreamDestroy(stream));
		}
		if (flags) /* no order with the default stream */
			GOOD(cudaDeviceSynchronize());
		GOOD(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
		assert_int_equal(back[N - 1], flags ? 5 : 20);
	}
	GOOD(cudaFree(p));
}

TEST(what_is_absent_says_so)
{
	cudaArray_t array;
	assert_int_equal(cudaMallocArray(&array, &(struct cudaChannelFormatDesc){8, 0, 0, 0, cudaChannelFormatKindUnsigned}, 4, 4, 0),
	                 cudaErrorNotSupported);
	assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
	assert_int_equal(cudaMemcpyPeer(NULL, 1, NULL, 0, 4), cudaErrorInvalidDevice);
	int can = 1;
	GOOD(cudaDeviceCanAccessPeer(&can, 0, 0));
	assert_int_equal(can, 0);
	assert_int_equal(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
	struct cudaMemcpy3DPeerParms box = {.dstDevice = 1};
	assert_int_equal(cudaMemcpy3DPeer(&box), cudaErrorInvalidDevice);
	void *function = &can;
	enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
	GOOD(cudaGetDriverEntryPoint("cuNobody", &function, 0, &found));
	assert_null(function);
	assert_int_equal(found, cudaDriverEntryPointSymbolNotFound);
	assert_int_equal(cudaGetDriverEntryPoint("cuNobody", &function, 0, NULL), cudaErrorSymbolNotFound);
	cudaGetLastError();
}

TEST_AROUND(begin, end)
