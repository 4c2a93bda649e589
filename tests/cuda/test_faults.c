/* The errors that a program gets after a failing kernel, and when its code cannot run. Each case is a process of its own, because the error stays. */

#include "../test.h"

#include "apart.h"
#include "fat.h"

static fat binary;
static void **handle;
static const char empty[1], stop[1], bad[1], add[1];
static const char text[] = FAT_HEAD FAT_ADD FAT_EMPTY FAT_TRAP FAT_BAD;

static cudaError_t launch(const void *func, void **arguments, cudaStream_t stream)
{
	return cudaLaunchKernel(func, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, 0, stream);
}

static void begin(unsigned kind, fat_packing packing)
{
	fat_begin(&binary);
	fat_add(&binary, kind, 75, text, sizeof text, packing);
	handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, empty, "empty");
	fat_register_kernel(handle, stop, "stop");
	fat_register_kernel(handle, bad, "bad");
	fat_register_kernel(handle, add, "add");
}

static bool trapped(void)
{
	int *p, host = 0;
	begin(1, FAT_LZ4);
	CHECK(cudaMalloc((void **)&p, 4) == cudaSuccess);
	CHECK(launch(stop, NULL, NULL) == cudaSuccess);
	CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
	/* It stays, for every call and every look at it. */
	CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
	CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
	CHECK(cudaPeekAtLastError() == cudaErrorLaunchFailure);
	CHECK(launch(empty, NULL, NULL) == cudaErrorLaunchFailure);
	CHECK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost) == cudaErrorLaunchFailure);
	CHECK(cudaMalloc((void **)&p, 4) == cudaErrorLaunchFailure);
	CHECK(cudaFree(p) == cudaErrorLaunchFailure);
	/* Until the device is reset. */
	CHECK(cudaDeviceReset() == cudaSuccess);
	CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
	CHECK(cudaGetLastError() == cudaSuccess);
	CHECK(launch(empty, NULL, NULL) == cudaSuccess);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	__cudaUnregisterFatBinary(handle);
	return true;
}

static bool outside(void)
{
	uint64_t nowhere = 0x1234567800;
	cudaStream_t s;
	cudaEvent_t e;
	begin(1, FAT_ZSTD);
	CHECK(cudaStreamCreate(&s) == cudaSuccess);
	CHECK(cudaEventCreate(&e) == cudaSuccess);
	CHECK(launch(bad, (void *[]){&nowhere}, s) == cudaSuccess);
	CHECK(launch(empty, NULL, s) == cudaSuccess || cudaGetLastError() == cudaErrorIllegalAddress);
	cudaEventRecord(e, s);
	CHECK(cudaStreamSynchronize(s) == cudaErrorIllegalAddress);
	CHECK(cudaEventSynchronize(e) == cudaErrorIllegalAddress);
	CHECK(cudaStreamQuery(s) == cudaErrorIllegalAddress);
	__cudaUnregisterFatBinary(handle);
	return true;
}

static bool misaligned(void)
{
	char *p;
	begin(1, FAT_PLAIN);
	CHECK(cudaMalloc((void **)&p, 16) == cudaSuccess);
	p++;
	CHECK(launch(bad, (void *[]){&p}, NULL) == cudaSuccess);
	CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
	return true;
}

static bool machine_code(void)
{
	begin(2, FAT_PLAIN);
	CHECK(launch(empty, NULL, NULL) == cudaErrorNoKernelImageForDevice);
	CHECK(launch(empty, NULL, NULL) == cudaErrorNoKernelImageForDevice);
	CHECK(cudaGetLastError() == cudaErrorNoKernelImageForDevice);
	CHECK(cudaGetLastError() == cudaSuccess);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	return true;
}

static bool no_ptx(void)
{
	fat_begin(&binary);
	fat_add_text(&binary, 75, FAT_HEAD ".visible .entry empty() { nonsense; }\n", FAT_PLAIN);
	handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, empty, "empty");
	CHECK(launch(empty, NULL, NULL) == cudaErrorInvalidPtx);
	return true;
}

static bool damaged(void)
{
	begin(1, FAT_LZ4);
	binary.bytes[90] ^= 0xff;
	binary.bytes[80] ^= 0xff;
	CHECK(launch(empty, NULL, NULL) == cudaErrorInvalidKernelImage);
	return true;
}

static bool no_machine(void)
{
	int devices = 7;
	setenv("HEDDLE_MACHINE", "/nowhere.yaml", 1);
	begin(1, FAT_PLAIN);
	CHECK(cudaGetDeviceCount(&devices) == cudaErrorNoDevice);
	CHECK(devices == 0);
	CHECK(launch(empty, NULL, NULL) == cudaErrorNoDevice);
	CHECK(cudaMalloc((void **)&devices, 4) == cudaErrorNoDevice);
	__cudaUnregisterFatBinary(handle);
	return true;
}

TEST(a_trap_stays) { apart(trapped, "kernel 'stop'"); }
TEST(an_address_of_nobody) { apart(outside, "0x1234567800"); }
TEST(an_address_between_words) { apart(misaligned, "kernel 'bad'"); }
TEST(code_for_others) { apart(machine_code, "heddle: error: the program has machine code of another device and no PTX"); }
TEST(text_that_is_none) { apart(no_ptx, "program.ptx:4:"); }
TEST(a_damaged_binary) { apart(damaged, "the fat binary is damaged"); }
TEST(no_such_machine) { apart(no_machine, "no CUDA device"); }
