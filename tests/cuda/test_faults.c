/* What a program is told after a kernel that fails, and when its code cannot run. Each case is a process of its own, because the error stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static void a_trap_stays(void **state) { apart(trapped, "kernel 'stop'"); }
static void an_address_of_nobody(void **state) { apart(outside, "0x1234567800"); }
static void an_address_between_words(void **state) { apart(misaligned, "kernel 'bad'"); }
static void code_for_others(void **state) { apart(machine_code, "heddle: error: the program has machine code of another device and no PTX"); }
static void text_that_is_none(void **state) { apart(no_ptx, "program.ptx:4:"); }
static void a_damaged_binary(void **state) { apart(damaged, "the fat binary is damaged"); }
static void no_such_machine(void **state) { apart(no_machine, "no CUDA device"); }

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_trap_stays),    cmocka_unit_test(an_address_of_nobody), cmocka_unit_test(an_address_between_words),
	    cmocka_unit_test(code_for_others), cmocka_unit_test(text_that_is_none),    cmocka_unit_test(a_damaged_binary),
	    cmocka_unit_test(no_such_machine)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
