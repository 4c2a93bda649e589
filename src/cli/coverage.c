/* heddle coverage: how much of machine code can be run (SR-11). */
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/machine_code.h"
#include "sass/instruction.h"
#include "sass/container.h"
#include "sm/op.h"

#include <inttypes.h>

enum { FILES_MAX = 256, REASONS_SHOWN = 40 };

typedef struct reason {
	char *text;
	uint64_t functions, last; /* functions that it keeps from running; the last of them */
} reason;

typedef struct coverage {
	uint64_t functions, whole, instructions, known; /* whole: every instruction has a meaning */
	HD_VEC(reason) reasons;
} coverage;

static void lacks(coverage *c, const char *mnemonic, const char *why)
{
	hd_text text = {0};
	hd_text_printf(&text, "%s", strstr(why, mnemonic) == why ? "" : mnemonic);
	hd_text_printf(&text, "%s%s", text.n ? ": " : "", why);
	for (size_t i = 0; i < c->reasons.n; i++)
		if (strcmp(c->reasons.at[i].text, text.at) == 0) {
			c->reasons.at[i].functions += c->reasons.at[i].last != c->functions;
			c->reasons.at[i].last = c->functions;
			hd_text_free(&text);
			return;
		}
	hd_vec_push(&c->reasons, (reason){text.at, 1, c->functions});
}

static void count_function(coverage *c, unsigned architecture, const hd_sass_function *f)
{
	uint64_t missing = 0;
	c->functions++;
	for (uint64_t at = 0; at < f->size; at += HD_SASS_BYTES) {
		hd_sass_instruction in;
		hd_sm_op op;
		hd_text why = {0};
		hd_sass_decode(architecture, f->code + at, at, &in);
		c->instructions++;
		if (!hd_sm_prepare(&in, &op, &why)) {
			missing++;
			lacks(c, in.row ? hd_sass_mnemonic(in.row) : "", why.at);
		}
		hd_text_free(&why);
	}
	c->known += f->size / HD_SASS_BYTES - missing;
	c->whole += missing == 0;
}

static void count_file(coverage *c, const char *path, unsigned architecture, hd_diag *diag)
{
	hd_machine_code_file file;
	hd_sass_selection selection = {.architecture = architecture};
	hd_diag own = {0};
	if (!hd_machine_code_open(&file, path, diag))
		return;
	/* A file need not have code for every architecture. */
	hd_sass_binary *binary = hd_sass_binary_open_for(file.bytes, file.size, path, &selection, &own);
	for (size_t i = 0; binary && i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		for (size_t f = 0; cubin->architecture == architecture && f < cubin->n_functions; f++)
			count_function(c, architecture, &cubin->functions[f]);
	}
	hd_sass_binary_free(binary);
	hd_diag_free(&own);
	hd_machine_code_close(&file);
}

static int by_functions(const void *a, const void *b)
{
	const reason *x = a, *y = b;
	return x->functions != y->functions ? (x->functions < y->functions ? 1 : -1) : strcmp(x->text, y->text);
}

static double share(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 100; }

static void print(coverage *c, unsigned architecture)
{
	hd_text text = {0};
	hd_text_printf(
	    &text,
	    "sm_%u: %" PRIu64 " of %" PRIu64 " functions can run (%.1f %%); %" PRIu64 " of %" PRIu64 " instructions have a meaning (%.3f %%)\n",
	    architecture, c->whole, c->functions, share(c->whole, c->functions), c->known, c->instructions, share(c->known, c->instructions));
	if (c->reasons.n)
		qsort(c->reasons.at, c->reasons.n, sizeof *c->reasons.at, by_functions);
	for (size_t i = 0; i < c->reasons.n && i < REASONS_SHOWN; i++)
		hd_text_printf(&text, "  %" PRIu64 " functions: %s\n", c->reasons.at[i].functions, c->reasons.at[i].text);
	hd_text_make_plain(&text, 0);
	fputs(text.at, stdout);
	hd_text_free(&text);
}

int hd_cli_coverage(int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_COVERAGE, .argc = argc, .argv = argv};
	const char *files[FILES_MAX];
	unsigned n = 0, wanted = 0;
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		if (option == HD_OPTION_REFUSED)
			return HD_EXIT_USAGE;
		if (option == HD_OPTION_ARCH && !hd_machine_code_architecture("coverage", options.value, &wanted))
			return HD_EXIT_USAGE;
		if (option == HD_OPTION_WORD && n == FILES_MAX)
			return hd_usage("coverage: more than %d files", FILES_MAX);
		if (option == HD_OPTION_WORD)
			files[n++] = options.value;
	}
	if (!n)
		return hd_usage("coverage: no input, expected cubins, or files that have cubins in them");
	hd_diag diag = {0};
	bool any = false;
	for (unsigned a = 0; hd_sass_architectures[a]; a++) {
		coverage c = {0};
		for (unsigned i = 0; i < n && (!wanted || hd_sass_architectures[a] == wanted) && !diag.errors; i++)
			count_file(&c, files[i], hd_sass_architectures[a], &diag);
		if (c.functions)
			print(&c, hd_sass_architectures[a]);
		any |= c.functions != 0;
		for (size_t i = 0; i < c.reasons.n; i++)
			free(c.reasons.at[i].text);
		hd_vec_free(&c.reasons);
	}
	if (!any && !diag.errors)
		hd_error(&diag, (hd_pos){.file = files[0]}, "has no code for the architectures that are known, sm_75 to sm_90");
	return hd_flush(&diag);
}
