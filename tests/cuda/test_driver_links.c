/* The linker of the driver interface. */

#include "../test.h"

#include "cuda/cuda.h"
#include "fat.h"

#define GOOD(call) assert_int_equal(call, CUDA_SUCCESS)

static CUcontext context;

static int begin(void **state) { return cuInit(0) || cuCtxCreate(&context, CU_CTX_MAP_HOST, 0); }
static int end(void **state) { return cuCtxDestroy(context); }

/* One text calls a function of another one. */
TEST(texts_are_linked)
{
	static const char caller[] =
	    FAT_HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
	             ".visible .entry go(.param .u64 p)\n{\n.reg .u32 %r<3>; .reg .u64 %d<2>;\n"
	             "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1; ld.global.u32 %r1, [%d1];\n"
	             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
	             "st.global.u32 [%d1], %r2; ret;\n}\n";
	static const char called[] = FAT_HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .u32 %r<3>;\n"
	                                      "ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n";
	char errors[256] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {errors, (void *)sizeof errors}, *image;
	CUlinkState link;
	CUmodule m;
	CUfunction go;
	CUdeviceptr p;
	size_t size;
	int value = 21;
	GOOD(cuLinkCreate(2, options, values, &link));
	assert_int_equal(cuLinkComplete(link, &image, &size), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, NULL, NULL));
	GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)called, sizeof called, "called", 0, NULL, NULL));
	GOOD(cuLinkComplete(link, &image, &size));
	GOOD(cuModuleLoadData(&m, image));
	GOOD(cuLinkDestroy(link));
	assert_int_equal(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuModuleGetFunction(&go, m, "go"));
	GOOD(cuMemAlloc(&p, 4));
	GOOD(cuMemcpyHtoD(p, &value, 4));
	GOOD(cuLaunchKernel(go, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
	GOOD(cuMemcpyDtoH(&value, p, 4));
	assert_int_equal(value, 42);
	GOOD(cuMemFree(p));
	GOOD(cuModuleUnload(m));
	values[1] = (void *)sizeof errors; /* the size of the beginning holds for all calls, which write over it */
	GOOD(cuLinkCreate(2, options, values, &link));
	GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, NULL, NULL));
	assert_int_not_equal(cuLinkComplete(link, &image, &size), CUDA_SUCCESS);
	assert_non_null(strstr(errors, "twice"));
	assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, (void *)caller, sizeof caller, "caller", 0, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
	GOOD(cuLinkDestroy(link));
}

/* The linker once pasted texts together: a variable that two of them have for themselves was defined twice. The
 * first one ends within its last line. */
TEST(names_of_a_text_are_its_own)
{
#define UNIT(kernel, value)                                                                                                                  \
	FAT_HEAD ".global .align 4 .u32 own = " value ";\n.visible .entry " kernel "(.param .u64 p)\n{\n.reg .u32 %r<3>; .reg .u64 %d<2>;\n" \
	         "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1; ld.global.u32 %r1, [own]; st.global.u32 [%d1], %r1; ret;\n}\n"
	static const char *const texts[] = {UNIT("first", "3") "// the end", UNIT("second", "4")}, *const kernels[] = {"first", "second"};
	CUlinkState link;
	CUmodule m;
	CUdeviceptr p;
	void *image;
	size_t size;
	GOOD(cuLinkCreate(0, NULL, NULL, &link));
	for (unsigned i = 0; i < 2; i++)
		GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)texts[i], strlen(texts[i]) + 1, kernels[i], 0, NULL, NULL));
	GOOD(cuLinkComplete(link, &image, &size));
	assert_int_equal(size, strlen(image) + 1);
	GOOD(cuModuleLoadData(&m, image));
	GOOD(cuLinkDestroy(link));
	GOOD(cuMemAlloc(&p, 4));
	for (int i = 0; i < 2; i++) {
		CUfunction f;
		int value = 0;
		GOOD(cuModuleGetFunction(&f, m, kernels[i]));
		GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
		GOOD(cuMemcpyDtoH(&value, p, 4));
		assert_int_equal(value, 3 + i);
	}
	GOOD(cuMemFree(p));
	GOOD(cuModuleUnload(m));
}

/* An input that is no text of PTX is refused at once, and those added before and afterwards are linked. */
TEST(an_input_that_is_refused_leaves_the_others)
{
	static char machine_code[64] = "\177ELF", text[] = FAT_HEAD FAT_EMPTY;
	CUlinkState link, no_link = (CUlinkState)(uintptr_t)text;
	CUmodule m;
	CUfunction f;
	void *image;
	GOOD(cuLinkCreate(0, NULL, NULL, &link));
	assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, machine_code, sizeof machine_code, "code", 0, NULL, NULL),
	                 CUDA_ERROR_NO_BINARY_FOR_GPU);
	assert_int_equal(cuLinkComplete(link, &image, NULL), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, text, sizeof text, "text", 0, NULL, NULL));
	assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, machine_code, sizeof machine_code, "code", 0, NULL, NULL),
	                 CUDA_ERROR_NO_BINARY_FOR_GPU);
	assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, text, 0, "text", 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuLinkAddData(no_link, CU_JIT_INPUT_PTX, text, sizeof text, "text", 0, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuLinkComplete(no_link, &image, NULL), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuLinkComplete(link, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuLinkComplete(link, &image, NULL));
	GOOD(cuModuleLoadData(&m, image));
	GOOD(cuModuleGetFunction(&f, m, "empty"));
	GOOD(cuModuleUnload(m));
	GOOD(cuLinkDestroy(link));
}

TEST_AROUND(begin, end)
