/* The headers for CUDA's host side, as C: layouts that compiled programs rely on. */
#include "cuda/cuda_runtime_api.h"
#include "cuda/vector_functions.h"

#include <string.h>
#include "../test.h"

/* Sizes of version 12, which programs reserve. */
TEST(structures_have_the_sizes_of_the_interface)
{
	assert_int_equal(sizeof(struct cudaDeviceProp), 1032);
	assert_int_equal(sizeof(struct cudaFuncAttributes), 144);
	assert_int_equal(sizeof(struct cudaPointerAttributes), 24);
	assert_int_equal(sizeof(cudaLaunchConfig_t), 56);
	assert_int_equal(sizeof(cudaLaunchAttribute), 72);
	assert_int_equal(sizeof(struct cudaTextureDesc), 72);
	assert_int_equal(sizeof(struct cudaMemcpy3DParms), 160);
	assert_int_equal(sizeof(dim3), 12);
	assert_int_equal(offsetof(struct cudaDeviceProp, clockRate), 348);
	assert_int_equal(offsetof(struct cudaDeviceProp, multiProcessorCount), 388);
}

TEST(vectors_have_the_alignments_of_the_language)
{
	assert_int_equal(_Alignof(float2), 8);
	assert_int_equal(_Alignof(float3), 4);
	assert_int_equal(_Alignof(float4), 16);
	assert_int_equal(_Alignof(double2), 16);
	assert_int_equal(_Alignof(char4), 4);
	assert_int_equal(_Alignof(ushort4), 8);
	assert_int_equal(sizeof(double4), 32);
	assert_int_equal(make_int4(1, 2, 3, 4).w, 4);
}

TEST(every_error_has_its_number)
{
	static const struct {
		int value, number;
	} rows[] = {{cudaSuccess, 0},         {cudaErrorInvalidValue, 1},     {cudaErrorMemoryAllocation, 2}, {cudaErrorInvalidDeviceFunction, 98},
	            {cudaErrorNotReady, 600}, {cudaErrorIllegalAddress, 700}, {cudaErrorAssert, 710},         {cudaErrorLaunchFailure, 719},
	            {cudaErrorUnknown, 999},  {cudaErrorInvalidDevice, 101},  {cudaErrorNotSupported, 801}};
	static const char *const texts[] = {
#define HD_CUDA_ERROR(name, value, says) says,
#include "cuda/heddle_cuda_errors.def"
#undef HD_CUDA_ERROR
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(rows[i].value, rows[i].number);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_true(strlen(texts[i]) > 5);
}
