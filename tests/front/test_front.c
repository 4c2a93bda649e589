/* The front end: what clang is asked, what comes back, and what is said when something is missing. */
#include "base/output.h"
#include "front/front.h"
#include "front/process.h"

#include <sys/stat.h>
#include <unistd.h>
#include "../test.h"

static char directory[] = "/tmp/heddle-front-XXXXXX";

static char *source(const char *name, const char *text)
{
	hd_text path = {0};
	hd_diag diag = {0};
	hd_text_printf(&path, "%s/%s", directory, name);
	assert_true(hd_write_file(path.at, text, strlen(text), &diag));
	return path.at;
}

/* PTX of `text` in a file of this name; NULL and the messages in *said otherwise. The caller frees both. */
static char *compile(const char *name, const char *text, const hd_front_options *options, char **said, unsigned *errors)
{
	hd_diag diag = {0};
	size_t size = 0;
	char *path = source(name, text), *ptx = hd_front_compile(path, options, &size, &diag);
	if (ptx)
		assert_int_equal(size, strlen(ptx));
	*said = hd_xstrdup(diag.text.at ? diag.text.at : "");
	*errors = diag.errors;
	hd_diag_free(&diag);
	remove(path);
	free(path);
	return ptx;
}

static void expect_ptx(const char *name, const char *text, const hd_front_options *options, const char *const *wanted, const char *unwanted)
{
	char *said;
	unsigned errors;
	char *ptx = compile(name, text, options, &said, &errors);
	if (!ptx)
		print_error("%s", said);
	assert_non_null(ptx);
	assert_int_equal(errors, 0);
	for (; *wanted; wanted++)
		if (!strstr(ptx, *wanted))
			fail_msg("no '%s' in the PTX of %s", *wanted, name);
	if (unwanted)
		assert_null(strstr(ptx, unwanted));
	free(ptx);
	free(said);
}

static void expect_error(const char *name, const char *text, const char *wanted)
{
	char *said;
	unsigned errors;
	char *ptx = compile(name, text, NULL, &said, &errors);
	assert_null(ptx);
	assert_true(errors > 0);
	if (!strstr(said, wanted))
		fail_msg("no '%s' in: %s", wanted, said);
	free(said);
}

static const char kernel[] = "__kernel void k(__global float *a) { a[get_global_id(0)] += SHIFT; }\n";

TEST(opencl_becomes_ptx_with_lines)
{
	static const char *const wanted[] = {".entry k(", ".loc", "st.global.", "__heddle_global_offset_x", NULL};
	expect_ptx("a.cl", "__kernel void k(__global float *a) { a[get_global_id(0)] = 1; }\n", NULL, wanted, NULL);
}

TEST(arguments_reach_clang_and_lines_can_be_left_out)
{
	static const char *const arguments[] = {"-DSHIFT=1.0f", NULL}, *const wanted[] = {".entry k(", "0f3F800000", NULL};
	expect_ptx("a.cl", kernel, &(hd_front_options){.arguments = arguments}, wanted, ".loc");
}

TEST(cuda_becomes_ptx)
{
	static const char *const wanted[] = {".entry k(", "%ctaid.x", "bar.sync", "shfl.sync.bfly.b32", "vote.sync.ballot.b32", NULL};
	expect_ptx(
	    "a.cu",
	    "extern \"C\" __global__ void k(float *a, unsigned *b) {\n"
	    "	__shared__ float s[32]; s[threadIdx.x] = a[blockIdx.x]; __syncthreads();\n"
	    "	float v = s[31 - threadIdx.x]; v += __shfl_xor_sync(0xffffffff, v, 1); a[0] = sinf(v); b[0] = __ballot_sync(0xffffffff, v > 1); }\n",
	    NULL, wanted, "_Z3sinf");
}

TEST(our_library_goes_before_libclc)
{
	/* libclc's rsqrt is a division and a root; its native_exp2 has no code for this target; its dot is no multi-operation instruction. */
	static const char *const wanted[] = {"rsqrt.approx.f32", "ex2.approx.f32", "__heddle_dp3", NULL};
	expect_ptx("a.cl", "__kernel void k(__global float *a, float3 v) { a[0] = rsqrt(a[1]) + native_exp2(a[2]) + dot(v, v); }\n", NULL, wanted,
	           "div.rn");
}

TEST(messages_of_clang_keep_their_place)
{
	expect_error("bad.cl", "__kernel void k(void)\n{\n\tint x = y;\n}\n", "bad.cl:3:10: error: use of undeclared identifier 'y'");
	expect_error("bad.cu", "__global__ void k() { z(); }\n", "bad.cu:1:23: error:");
}

TEST(warnings_do_not_fail)
{
	char *said;
	unsigned errors;
	char *ptx = compile("warn.cl", "#warning look here\n__kernel void k(void) {}\n", NULL, &said, &errors);
	assert_non_null(ptx);
	assert_int_equal(errors, 0);
	assert_non_null(strstr(said, "warn.cl:1:2: warning: look here"));
	free(ptx);
	free(said);
}

TEST(other_files_are_refused)
{
	expect_error("a.txt", "", "expected a name that ends in .cl or .cu");
	hd_diag diag = {0};
	size_t size;
	assert_null(hd_front_compile("/nowhere/at/all.cl", NULL, &size, &diag));
	assert_non_null(strstr(diag.text.at, "/nowhere/at/all.cl: error: cannot be opened"));
	hd_diag_free(&diag);
}

static void with_environment(const char *name, const char *value, const char *wanted)
{
	const char *old = getenv(name);
	char *saved = old ? hd_xstrdup(old) : NULL;
	setenv(name, value, 1);
	expect_error("a.cl", "__kernel void k(void) {}\n", wanted);
	if (saved)
		setenv(name, saved, 1);
	else
		unsetenv(name);
	free(saved);
}

TEST(missing_parts_are_named_with_their_package)
{
	with_environment("PATH", "/nowhere", "install the Debian package clang-19");
	with_environment("HEDDLE_CLANG", "/nowhere/clang", "/nowhere/clang: error: not found or not executable");
	with_environment("HEDDLE_CLANG", "/bin/false", "clang failed with exit status 1");
	with_environment("HEDDLE_DATA", "/nowhere", "heddle_builtins.bc: error: not found in /nowhere");
	with_environment("HEDDLE_LIBCLC", "/nowhere.bc", "/nowhere.bc: error:");
}

/* A clang that only fails, with what others have written then. */
static void clang_that_says(const char *text, const char *wanted, const char *unwanted)
{
	hd_text script = {0};
	char *said;
	unsigned errors;
	hd_text_printf(&script, "#!/bin/sh\ncat >&2 <<'END'\n%s\nEND\nexit 70\n", text);
	char *path = source("clang", script.at);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("HEDDLE_CLANG", path, 1);
	assert_null(compile("a.cl", "__kernel void k(void) {}\n", NULL, &said, &errors));
	unsetenv("HEDDLE_CLANG");
	remove(path);
	assert_non_null(strstr(said, wanted));
	assert_null(strstr(said, unwanted));
	assert_int_equal(errors, 1);
	free(path);
	free(said);
	hd_text_free(&script);
}

TEST(an_unsuitable_clang_is_told_in_one_line)
{
	clang_that_says("clang (LLVM option parsing): Unknown command line argument '-expand-div-rem-bits=64'.  Try: 'clang --help'",
	                "/clang: error: is too old; expected clang 19 or later", "Unknown");
	clang_that_says("fatal error: cannot open file '/c/libclc.bc': Unknown attribute kind (86) (Producer: 'LLVM22.1.8' Reader: 'LLVM 19.1.7')",
	                "/clang: error: reads bitcode of LLVM up to 19.1.7, and /c/libclc.bc is of LLVM 22.1.8; expected", "Producer");
	clang_that_says("fatal error: error in backend: Cannot select: t1\n  t1: ch = x\nPLEASE submit a bug report\nStack dump:\n0. clang",
	                "a.cl: error: clang has no code for the device: Cannot select: t1\n", "t1: ch");
	clang_that_says("PLEASE submit a bug report\nStack dump:\n0. clang", "a.cl: error: clang failed with exit status 70", "Stack");
}

TEST(a_process_is_read_to_its_end)
{
	/* More than a pipe holds, on both streams at once. */
	char *argv[] = {"/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo 0123456789 >&2; i=$((i+1)); done; exit 3", NULL};
	const hd_process_limits limits = {.output = 1 << 20};
	hd_process_result result;
	const char *failure = NULL;
	assert_true(hd_process_run(&(hd_process){.argv = argv, .limits = &limits}, &result, &failure));
	assert_int_equal(result.status, 3);
	assert_int_equal(result.out.n, 220000);
	assert_int_equal(result.err.n, HD_PROCESS_MESSAGES_MAX);
	assert_int_equal(result.limit, HD_PROCESS_LIMIT_NONE);
	hd_process_result_free(&result);
}

TEST(endless_output_is_cut)
{
	char *argv[] = {"/bin/sh", "-c", "while :; do echo 0123456789; done", NULL};
	const hd_process_limits limits = {.output = 100000};
	hd_process_result result;
	const char *failure = NULL;
	assert_true(hd_process_run(&(hd_process){.argv = argv, .limits = &limits}, &result, &failure));
	assert_int_equal(result.limit, HD_PROCESS_LIMIT_OUTPUT);
	assert_int_equal(result.out.n, 100000);
	hd_process_result_free(&result);
}

TEST(a_program_that_is_none_is_reported)
{
	char *argv[] = {directory, NULL};
	const hd_process_limits limits = {0};
	hd_process_result result;
	const char *failure = NULL;
	assert_false(hd_process_run(&(hd_process){.argv = argv, .limits = &limits}, &result, &failure));
	assert_string_equal(failure, "Permission denied");
	assert_null(hd_process_find("no-such-program-anywhere"));
	char *shell = hd_process_find("sh");
	assert_non_null(shell);
	free(shell);
}

static int begin(void **state) { return mkdtemp(directory) ? 0 : 1; }
static int end(void **state) { return rmdir(directory); }

TEST_AROUND(begin, end)
