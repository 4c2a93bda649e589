/* Any bytes as machine code of real GPUs: a list of functions, or a message with an offset. What is read can be printed, checked twice with one
 * answer, and fixed, and what was fixed is proven again (SA-8, SA-12). */
#include "fuzz.h"

#include "sass/fix.h"
#include "sass/proof.h"

#define STEPS UINT64_C(20000000)

static void print(const hd_sass_binary *binary)
{
	hd_text text = {0};
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		for (size_t f = 0; f < cubin->n_functions; f++) {
			for (uint64_t at = 0; at + HD_SASS_BYTES <= cubin->functions[f].size; at += HD_SASS_BYTES) {
				hd_sass_instruction x;
				hd_sass_decode(cubin->architecture, cubin->functions[f].code + at, at, &x);
				hd_sass_print(&x, &text);
				hd_sass_print_control(x.control, &text);
				hd_invariant(hd_sass_control_encode(x.high, x.control) == x.high, "the control fields of 0x%llx change",
				             (unsigned long long)at);
			}
			text.n = 0;
		}
	}
	hd_text_free(&text);
}

static void fix(const hd_sass_binary *binary, const hd_sass_proof_options *options, const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	uint64_t won;
	uint8_t *copy = hd_xmalloc(size);
	memcpy(copy, bytes, size);
	if (hd_sass_fix_file(binary, "fuzz", options, copy, size, &won, &diag)) {
		hd_sass_binary *again = hd_sass_binary_open(copy, size, "fuzz", &diag);
		hd_sass_proof proof = {0};
		hd_invariant(again, "what was fixed cannot be read: %s", diag.text.at);
		hd_invariant(hd_sass_prove(again, "fuzz", options, &proof, &diag), "what was fixed has no function: %s", diag.text.at);
		hd_invariant(proof.verdict == HD_SASS_PROVEN, "what was fixed is %s", hd_sass_verdict_name(proof.verdict));
		hd_sass_proof_free(&proof);
		hd_sass_binary_free(again);
	} else {
		hd_invariant(memcmp(copy, bytes, size) == 0, "fix failed and changed the file");
	}
	free(copy);
	hd_diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_sass_binary *binary = hd_sass_binary_open(bytes, size, "fuzz", &diag);
	hd_invariant((binary == NULL) == (diag.errors > 0), "a file and %u errors", diag.errors);
	if (binary) {
		hd_sass_proof_options options = {.assume = HD_SASS_ASSUME_ALL, .steps = STEPS};
		hd_sass_proof proof = {0};
		hd_text text = {0};
		print(binary);
		if (hd_sass_prove(binary, "fuzz", &options, &proof, &diag)) {
			hd_sass_proof_print_findings(&text, "fuzz", &proof);
			hd_sass_proof_print_summary(&text, "fuzz", &proof);
			if (proof.verdict == HD_SASS_PROVEN)
				fix(binary, &options, bytes, size);
		}
		hd_text_free(&text);
		hd_sass_proof_free(&proof);
		hd_sass_binary_free(binary);
	}
	hd_diag_free(&diag);
	return 0;
}
