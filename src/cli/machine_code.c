#include "cli/machine_code.h"

#include "base/plain.h"
#include "cli/cli.h"
#include "cli/color.h"
#include "report/sass.h"
#include "sass/fix.h"

const char *hd_machine_code_option(const hd_machine_code_options *o)
{
	return o->architecture ? "--arch"
	       : o->kernel     ? "--kernel"
	       : o->assume     ? "--assume"
	       : o->fix        ? "--fix"
	       : o->report     ? "--report"
	       : o->strict     ? "--strict"
	       : o->slack      ? "--slack"
	                       : NULL;
}

/* Reads --arch, --assume and --strict. False after a message. */
static bool read_options(const hd_machine_code_options *o, hd_sass_proof_options *proof)
{
	*proof = (hd_sass_proof_options){.selection.kernel = o->kernel, .assume = HD_SASS_ASSUME_DEFAULT, .slack = o->slack};
	if (o->architecture && !hd_machine_code_architecture("check", o->architecture, &proof->selection.architecture))
		return false;
	if (o->assume && !hd_sass_assumed_read(o->assume, &proof->assume)) {
		hd_usage("check: --assume cannot be '%s', expected all, none, or a list such as A1,A3 of A1 to A%d", o->assume, HD_SASS_ASSUMPTIONS);
		return false;
	}
	if (o->strict)
		proof->assume &= hd_sass_published();
	return true;
}

static bool put_report(const char *path, const char *name, const hd_sass_proof *proof, hd_diag *diag)
{
	hd_text text = {0};
	bool known = true;
	if (hd_ends_with(path, ".json"))
		hd_sass_report_json(&text, name, proof);
	else if (hd_ends_with(path, ".html"))
		hd_sass_report_html(&text, name, proof);
	else
		known = false;
	if (!known)
		hd_error(diag, (hd_pos){.file = path}, "a report of machine code ends with .json or .html");
	else
		hd_put_text(path, text.at, text.n, diag);
	hd_text_free(&text);
	return known;
}

static void say(const hd_sass_proof *proof, const char *path, const hd_machine_code_options *o)
{
	hd_text findings = {0}, summary = {0};
	hd_sass_proof_print_findings(&findings, path, proof);
	if (!o->quiet) {
		hd_sass_proof_print_slack(&summary, proof);
		hd_sass_proof_print_summary(&summary, path, proof);
	}
	hd_text_make_plain(&findings, 0);
	hd_text_make_plain(&summary, 0);
	if (findings.n)
		hd_color_messages(findings.at);
	if (summary.n)
		fwrite(summary.at, 1, summary.n, stdout);
	hd_text_free(&findings);
	hd_text_free(&summary);
}

/* Writes the file with other control fields, and checks what was written. */
static bool fix(const hd_sass_binary *binary, const char *path, const hd_machine_code_file *file, const hd_sass_proof_options *options,
                const hd_machine_code_options *o, hd_diag *diag)
{
	const size_t size = file->size;
	hd_sass_proof proof = {0};
	uint64_t won = 0;
	uint8_t *copy = hd_xmalloc(size + 1);
	memcpy(copy, file->bytes, size);
	bool good = hd_sass_fix_file(binary, path, options, copy, size, &won, diag);
	hd_sass_binary *fixed = good ? hd_sass_binary_open_for(copy, size, o->fix, &options->selection, diag) : NULL;
	if (fixed) {
		good = hd_sass_prove(fixed, o->fix, options, &proof, diag) && proof.verdict == HD_SASS_PROVEN;
		hd_invariant(good, "what --fix makes is not proven");
		hd_sass_proof_free(&proof);
		good = hd_write_file(o->fix, copy, size, diag);
		if (good && !o->quiet)
			hd_say(stdout, "%s: %llu cycles of stalls less than in %s, each block counted once; proven again\n", o->fix,
			       (unsigned long long)won, path);
	}
	hd_sass_binary_free(fixed);
	free(copy);
	return good && fixed;
}

int hd_check_machine_code(const char *path, const hd_machine_code_options *o)
{
	static const int statuses[] = {[HD_SASS_PROVEN] = HD_EXIT_DONE, [HD_SASS_REFUTED] = HD_EXIT_FAULT, [HD_SASS_UNKNOWN] = HD_EXIT_UNKNOWN};
	hd_sass_proof_options options;
	hd_sass_proof proof = {0};
	hd_diag diag = {0};
	hd_machine_code_file file;
	if (!read_options(o, &options))
		return HD_EXIT_USAGE;
	bool opened = hd_machine_code_open(&file, path, &diag);
	hd_sass_binary *binary = opened ? hd_sass_binary_open_for(file.bytes, file.size, path, &options.selection, &diag) : NULL;
	int status = HD_EXIT_USAGE;
	if (binary && hd_sass_prove(binary, path, &options, &proof, &diag)) {
		status = statuses[proof.verdict];
		say(&proof, path, o);
		if (o->report)
			put_report(o->report, path, &proof, &diag);
		if (o->fix && proof.verdict == HD_SASS_PROVEN)
			fix(binary, path, &file, &options, o, &diag);
		else if (o->fix)
			hd_error(&diag, (hd_pos){.file = path}, "nothing is fixed: not all of it is proven");
	}
	hd_sass_proof_free(&proof);
	hd_sass_binary_free(binary);
	hd_machine_code_close(&file);
	return hd_flush(&diag) == HD_EXIT_DONE ? status : HD_EXIT_USAGE;
}
