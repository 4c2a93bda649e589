#include "front/messages.h"

/* Cuts the messages where LLVM writes about its own end, and takes the line that says why its back end gave up. */
static void cut_crash_report(hd_text *err, hd_text *reason)
{
	static const char backend[] = "fatal error: error in backend: ";
	const char *const beginnings[] = {backend, "LLVM ERROR:", "PLEASE submit a bug report", "terminate called"};
	for (size_t i = 0; err->n && i < HD_COUNT(beginnings); i++) {
		char *at = strstr(err->at, beginnings[i]);
		if (at && i == 0)
			hd_text_put(reason, at + sizeof backend - 1, strcspn(at + sizeof backend - 1, "\n"));
		if (at) {
			*at = '\0';
			err->n = (size_t)(at - err->at);
		}
	}
}

/* The version behind `mark` in LLVM's message about bitcode that is newer than it reads: (Producer: 'LLVM19.1.7' Reader: 'LLVM 14.0.6'). */
static hd_text version_in(const char *text, const char *mark)
{
	hd_text version = {0};
	const char *at = strstr(text, mark);
	at = at ? at + strlen(mark) : "";
	at += *at == ' ';
	hd_text_put(&version, at, strcspn(at, "'\n"));
	return version;
}

/* The one line about a clang that does not know an option of ours, or is older than the one that wrote a library. */
static bool take_old_clang(hd_text *err, const char *clang, hd_diag *diag)
{
	static const char advice[] =
	    "expected clang 19 or later and a libclc that is no newer (Debian packages clang-19, libclc-19; HEDDLE_CLANG, HEDDLE_LIBCLC)";
	const char *file = strstr(err->at, "cannot open file '"), *name = file ? strchr(file, '\'') + 1 : NULL;
	hd_text writer = version_in(name ? name : "", "Producer: 'LLVM"), reader = version_in(name ? name : "", "Reader: 'LLVM");
	bool is_old = writer.n && reader.n;
	if (is_old)
		hd_error(diag, (hd_pos){.file = clang}, "reads bitcode of LLVM up to %s, and %.*s is of LLVM %s; %s", reader.at,
		         (int)strcspn(name, "'\n"), name, writer.at, advice);
	hd_text_free(&writer);
	hd_text_free(&reader);
	if (is_old || !strstr(err->at, "Unknown command line argument '-expand-div-rem-bits"))
		return is_old;
	hd_error(diag, (hd_pos){.file = clang}, "is too old; %s", advice);
	return true;
}

/* Appends clang's messages unchanged, with their own FILE:LINE:COLUMN, and counts errors and warnings. A source in memory gets its name. */
static void take_messages(const hd_text *err, const char *path, hd_diag *diag)
{
	if (!err->n)
		return;
	for (const char *text = err->at; *text;) {
		const char *at = strstr(text, HD_MEMORY_SOURCE);
		hd_text_put(&diag->text, text, at ? (size_t)(at - text) : strlen(text));
		if (at)
			hd_text_put(&diag->text, path, strlen(path));
		text = at ? at + sizeof HD_MEMORY_SOURCE - 1 : "";
	}
	if (err->at[err->n - 1] != '\n')
		hd_text_put(&diag->text, "\n", 1);
	for (const char *line = err->at; *line;) {
		size_t n = strcspn(line, "\n");
		const char *error = strstr(line, "error: "), *warning = strstr(line, "warning: ");
		if (error && error < line + n)
			diag->errors++;
		else if (warning && warning < line + n)
			diag->warnings++;
		line += n;
		line += *line == '\n';
	}
}

void hd_cut_module(hd_text *err, hd_text *module)
{
	/* Before a pass of optimisation, the title is a comment. */
	static const char title[] = "; *** IR Dump Before ";
	char *begin = err->n ? strstr(err->at, title) : NULL;
	begin = !begin && err->n ? strstr(err->at, title + 2) : begin;
	char *end = begin, *next = begin;
	if (begin && (begin == err->at || begin[-1] == '\n')) {
		/* The last line of a module is one of its metadata. */
		while ((next = strstr(next, "\n!")))
			end = ++next;
		end += strcspn(end, "\n");
		end += *end == '\n';
		hd_text_put(module, begin, (size_t)(end - begin));
		memmove(begin, end, err->n - (size_t)(end - err->at) + 1);
		err->n -= (size_t)(end - begin);
	}
	if (err->n > HD_PROCESS_MESSAGES_MAX) {
		err->n = HD_PROCESS_MESSAGES_MAX;
		err->at[err->n] = '\0';
	}
}

char *hd_take_result(const char *path, const char *clang, const hd_process_limits *limits, hd_process_result *result, bool writes, size_t *size,
                     hd_diag *diag)
{
	unsigned before = diag->errors;
	hd_text reason = {0};
	char *ptx = NULL;
	bool failed = result->limit != HD_PROCESS_LIMIT_NONE || result->signal || result->status != 0;
	if (failed)
		cut_crash_report(&result->err, &reason);
	if (!failed || !result->err.n || !take_old_clang(&result->err, clang, diag))
		take_messages(&result->err, path, diag);
	if (result->limit != HD_PROCESS_LIMIT_NONE) {
		hd_limits_error(diag, (hd_pos){.file = path}, "clang", result->limit, limits);
	} else if (result->signal) {
		hd_error(diag, (hd_pos){.file = path}, "clang was ended by signal %d", result->signal);
	} else if (reason.n) {
		hd_error(diag, (hd_pos){.file = path}, "clang has no code for the device: %s", reason.at);
	} else if (result->status != 0 || (!result->out.n && writes)) {
		if (diag->errors == before)
			hd_error(diag, (hd_pos){.file = path}, "clang failed with exit status %d and wrote no message", result->status);
	} else {
		ptx = result->out.at;
		*size = result->out.n;
		result->out = (hd_text){0};
	}
	hd_text_free(&reason);
	hd_process_result_free(result);
	return ptx;
}
