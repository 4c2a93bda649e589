/* The checker of real machine code for users of the library (SA-9). */
#include "api/api.h"
#include "report/sass.h"

static bool read_options(const heddle_sass_options *o, const char *name, hd_sass_proof_options *proof, hd_diag *diag)
{
	*proof = (hd_sass_proof_options){.assume = HD_SASS_ASSUME_DEFAULT};
	if (!o)
		return true;
	proof->selection = (hd_sass_selection){.architecture = o->architecture, .kernel = o->kernel};
	proof->slack = o->slack;
	if (o->assume && !hd_sass_assumed_read(o->assume, &proof->assume)) {
		hd_error(diag, (hd_pos){.file = name}, "assumptions cannot be '%s', expected all, none, or a list such as A1,A3 of A1 to A%d",
		         o->assume, HD_SASS_ASSUMPTIONS);
		return false;
	}
	if (o->strict)
		proof->assume &= hd_sass_published();
	return true;
}

static void report_messages(hd_diag *diag, const char *name, const hd_sass_proof *proof)
{
	for (size_t i = 0; i < proof->functions.n; i++) {
		hd_text text = {0};
		hd_sass_proof_function_print(&text, &proof->functions.at[i]);
		if (text.n)
			hd_error(diag, (hd_pos){.file = name}, "%s", text.at);
		hd_text_free(&text);
	}
}

heddle_sass_verdict heddle_sass_check(heddle *h, const void *bytes, size_t size, const char *name, const heddle_sass_options *options, char **json)
{
	static const heddle_sass_verdict verdicts[] = {
	    [HD_SASS_PROVEN] = HEDDLE_SASS_PROVEN, [HD_SASS_REFUTED] = HEDDLE_SASS_REFUTED, [HD_SASS_UNKNOWN] = HEDDLE_SASS_UNKNOWN};
	hd_diag *diag = hd_api_diag(h);
	hd_sass_proof_options o;
	hd_sass_proof proof = {0};
	heddle_sass_verdict verdict = HEDDLE_SASS_BAD_INPUT;
	if (json)
		*json = NULL;
	hd_sass_binary *binary = read_options(options, name, &o, diag) ? hd_sass_binary_open_for(bytes, size, name, &o.selection, diag) : NULL;
	if (binary && hd_sass_prove(binary, name, &o, &proof, diag)) {
		hd_text text = {0};
		verdict = verdicts[proof.verdict];
		report_messages(diag, name, &proof);
		if (json) {
			hd_sass_report_json(&text, name, &proof);
			*json = text.at;
		}
	}
	hd_sass_proof_free(&proof);
	hd_sass_binary_free(binary);
	return verdict;
}
