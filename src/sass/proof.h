/* The checker over all functions of a file. */
#ifndef HD_SASS_PROOF_H
#define HD_SASS_PROOF_H

#include "sass/check.h"
#include "sass/container.h"
#include "sass/slack.h"

typedef struct hd_sass_proof_options {
	hd_sass_selection selection;
	hd_sass_assumed assume;
	bool slack;
	uint64_t steps; /* a function; 0: HD_SASS_STEPS */
} hd_sass_proof_options;

typedef struct hd_sass_proof_function {
	const hd_sass_cubin *cubin; /* of the file */
	size_t cubin_index;
	const hd_sass_function *function; /* of the file */
	hd_sass_result result;
	hd_sass_slack slack; /* empty unless it was asked for and the function is proven */
} hd_sass_proof_function;

typedef struct hd_sass_proof {
	HD_VEC(hd_sass_proof_function) functions;
	hd_sass_verdict verdict; /* refuted when one function is, else unknown when one is, or an entry is damaged */
	hd_sass_assumed needed;  /* by all functions together */
	hd_sass_assumed allowed;
	size_t n[3];     /* functions by verdict */
	size_t ptx_only; /* entries without machine code */
	size_t damaged;  /* entries that could not be read; then the file is not proven */
	uint64_t instructions, findings;
} hd_sass_proof;

/* The error for a file in which nothing is selected, with a name that is near. `ptx_only`: entries without machine code would be. */
void hd_sass_none_selected(const hd_sass_binary *binary, const char *name, const hd_sass_selection *selection, bool ptx_only, hd_diag *diag);
/* Checks what the selection takes. The binary outlives the proof. False and an error in `diag` when it takes nothing. The caller frees the proof in
 * either case. `name`: the file's, for messages. */
bool hd_sass_prove(const hd_sass_binary *binary, const char *name, const hd_sass_proof_options *options, hd_sass_proof *proof, hd_diag *diag);
void hd_sass_proof_free(hd_sass_proof *proof);
/* Appends "NAME (sm_80): refuted" with findings and doubts, unless the function is proven. */
void hd_sass_proof_function_print(hd_text *text, const hd_sass_proof_function *function);
/* Appends findings and doubts of all functions that are not proven. */
void hd_sass_proof_print_findings(hd_text *text, const char *name, const hd_sass_proof *proof);
/* Appends a line for each function, the assumptions that were needed, and totals. */
void hd_sass_proof_print_summary(hd_text *text, const char *name, const hd_sass_proof *proof);
/* Appends the slack of all functions that have it. */
void hd_sass_proof_print_slack(hd_text *text, const hd_sass_proof *proof);

#endif
