/* Instructions, each with its inputs and the value that it must give, in one kernel that the oracle runs. Inputs come from memory, so that nothing is
 * folded; registers of 16 bits carry rubbish above. */
#ifndef HD_TEST_PTX_VALUES_H
#define HD_TEST_PTX_VALUES_H

#include "run.h"

typedef struct value_case {
	char kind; /* of the result: r, R (64 bits), s (16 bits), f, d, p */
	const char *ptx;
	uint64_t in[4]; /* also in %r, %rs, %f, %fd of the numbers 1 to 4 */
	uint64_t want;
} value_case;

static inline uint64_t f(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, 4);
	return bits;
}

static inline uint64_t d(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, 8);
	return bits;
}

static void run_cases(const value_case *cases, size_t n)
{
	hd_text text = {0};
	uint64_t *in = hd_xcalloc(n * 4, 8), *out = hd_xcalloc(n, 8);
	unsigned wrong = 0;
	hd_text_printf(&text, ".version 6.3\n.target sm_70\n.address_size 64\n.entry k(.param .u64 pin, .param .u64 pout, .param .u64 pe)\n{\n"
	                      ".reg .b64 %%in, %%out;\nld.param.u64 %%in, [pin];\nld.param.u64 %%out, [pout];\n");
	for (size_t i = 0; i < n; i++) {
		const value_case *c = &cases[i];
		memcpy(&in[4 * i], c->in, 32);
		hd_text_printf(
		    &text, "{\n.reg .b16 %%rs<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>; .reg .pred %%p<9>;\n");
		for (unsigned k = 1; k <= 4; k++)
			hd_text_printf(
			    &text,
			    "ld.global.u64 %%rd%u, [%%in+%zu];\ncvt.u32.u64 %%r%u, %%rd%u;\nmov.b32 {%%rs%u, _}, %%r%u;\nmov.b32 %%f%u, %%r%u;\n"
			    "mov.b64 %%fd%u, %%rd%u;\nsetp.ne.u32 %%p%u, %%r%u, 0;\n",
			    k, i * 32 + 8 * (k - 1), k, k, k, k, k, k, k, k, k, k);
		hd_text_printf(&text, "%s\n", c->ptx);
		static const char *const results[][2] = {{"r", "cvt.u64.u32 %rd0, %r0;"},  {"R", ""},
		                                         {"s", "cvt.u64.u16 %rd0, %rs0;"}, {"f", "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;"},
		                                         {"d", "mov.b64 %rd0, %fd0;"},     {"p", "selp.u64 %rd0, 1, 0, %p0;"}};
		for (size_t r = 0; r < HD_COUNT(results); r++)
			if (results[r][0][0] == c->kind)
				hd_text_printf(&text, "%s\n", results[r][1]);
		hd_text_printf(&text, "st.global.u64 [%%out+%zu], %%rd0;\n}\n", i * 8);
	}
	hd_text_printf(&text, "ret;\n}\n");
	run_ptx(text.at, "k", 1, in, n * 32, out, n * 8, NULL, 0);
	for (size_t i = 0; i < n; i++)
		if (out[i] != cases[i].want) {
			print_error("%s (%llx, %llx, %llx, %llx) gave %llx, expected %llx\n", cases[i].ptx, (unsigned long long)cases[i].in[0],
			            (unsigned long long)cases[i].in[1], (unsigned long long)cases[i].in[2], (unsigned long long)cases[i].in[3],
			            (unsigned long long)out[i], (unsigned long long)cases[i].want);
			wrong++;
		}
	free(in);
	free(out);
	hd_text_free(&text);
	assert_int_equal(wrong, 0);
}

#endif
