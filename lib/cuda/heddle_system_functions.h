// Memory, printf and assert of the device. docs/cuda.md says what the PTX reader makes of them. Before <new>, which calls them.
#ifndef HEDDLE_CUDA_SYSTEM_FUNCTIONS_H
#define HEDDLE_CUDA_SYSTEM_FUNCTIONS_H

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(__SIZE_TYPE__) __attribute__((nothrow, malloc));
__device__ void __assertfail(const char *__what, const char *__file, unsigned __line, const char *__function, __SIZE_TYPE__ bytes);
__device__ static inline void __assert_fail(const char *__what, const char *__file, unsigned __line, const char *__function)
{
	__assertfail(__what, __file, __line, __function, sizeof(char));
}
__device__ int printf(const char *, ...); // clang makes it a call of vprintf
}

#endif
