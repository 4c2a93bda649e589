/* Ten threads with streams of their own, default streams of threads, objects destroyed in any order, and two processes at once. */

#include "../test.h"

#include "fat.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 10, N = 64, ROUNDS = 4 };

static fat binary;
static const char add[1];
static const char text[] = FAT_HEAD FAT_ADD;

cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);

static void **begin(void)
{
	fat_begin(&binary);
	fat_add_text(&binary, 75, text, FAT_ZSTD);
	void **handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, add, "add");
	return handle;
}

static cudaError_t launch(int *p, int value, cudaStream_t stream)
{
	int n = N;
	return cudaLaunchKernel(add, (dim3){2, 1, 1}, (dim3){32, 1, 1}, (void *[]){&p, &value, &n}, 0, stream);
}

static bool round_of(unsigned number, unsigned round)
{
	int *p, back[N];
	cudaStream_t s, other;
	cudaEvent_t e;
	bool good = cudaMalloc((void **)&p, sizeof back) == cudaSuccess && cudaStreamCreateWithFlags(&s, round & 1) == cudaSuccess &&
	            cudaStreamCreate(&other) == cudaSuccess && cudaEventCreate(&e) == cudaSuccess;
	good = good && cudaMemsetAsync(p, 0, sizeof back, s) == cudaSuccess;
	for (int i = 0; i < 5 && good; i++)
		good = launch(p, (int)number, s) == cudaSuccess;
	good = good && cudaEventRecord(e, s) == cudaSuccess && cudaStreamWaitEvent(other, e, 0) == cudaSuccess;
	/* The order in which they go is another one in each round, and work is still under way. */
	if (round & 1)
		good = cudaEventDestroy(e) == cudaSuccess && good;
	good = good && launch(p, 1, other) == cudaSuccess;
	if (round & 2)
		good = cudaStreamDestroy(s) == cudaSuccess && good;
	good = good && cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, other) == cudaSuccess;
	good = cudaStreamDestroy(other) == cudaSuccess && good;
	if (!(round & 2))
		good = cudaStreamDestroy(s) == cudaSuccess && good;
	if (!(round & 1))
		good = cudaEventDestroy(e) == cudaSuccess && good;
	good = cudaFree(p) == cudaSuccess && good;
	for (int i = 0; i < N && good; i++)
		good = back[i] == (int)(5 * number + 1);
	return good;
}

static void *work(void *data)
{
	unsigned number = (unsigned)(uintptr_t)data;
	for (unsigned round = 0; round < ROUNDS; round++)
		if (!round_of(number, round))
			return (void *)1;
	return NULL;
}

static void *work_by_thread(void *data)
{
	int *p, back[N], one = 1, n = N;
	if (cudaMalloc((void **)&p, sizeof back) || cudaMemset(p, 0, sizeof back))
		return (void *)1;
	for (int i = 0; i < 5; i++)
		if (cudaLaunchKernel_ptsz(add, (dim3){2, 1, 1}, (dim3){32, 1, 1}, (void *[]){&p, &one, &n}, 0, NULL))
			return (void *)1;
	if (cudaStreamSynchronize_ptsz(NULL) || cudaMemcpy_ptds(back, p, sizeof back, cudaMemcpyDeviceToHost) || cudaFree(p))
		return (void *)1;
	return (void *)(uintptr_t)(back[N - 1] != 5);
}

static bool run(void *(*body)(void *))
{
	pthread_t threads[THREADS];
	bool good = true;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, body, (void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		good = good && !failed;
	}
	return good;
}

static void ten_threads(void **state)
{
	void **handle = begin();
	assert_true(run(work));
	assert_true(run(work_by_thread));
	/* An error belongs to its thread. */
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	__cudaUnregisterFatBinary(handle);
}

static void two_processes(void **state)
{
	pid_t children[2];
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			void **handle = begin();
			bool good = round_of(3, 0) && round_of(4, 3);
			__cudaUnregisterFatBinary(handle);
			_exit(good ? 0 : 1);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;
		waitpid(children[i], &status, 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

int main(void)
{
	/* The processes first: a process that has threads cannot be copied. */
	const struct CMUnitTest tests[] = {cmocka_unit_test(two_processes), cmocka_unit_test(ten_threads)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
