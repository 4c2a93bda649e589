/* heddle-platforms [--with NAME] [--spirv FOLDER] [--size N] [EXAMPLE]...: the examples as OpenCL host programs, on Heddle and on another platform
 * (PoCL) in one run through the system's loader, from the same inputs. Every output must agree with the host reference, and the two platforms with
 * each other: integers bit for bit, floats within the example's bounds. With --spirv, the other program is FOLDER/NAME.spv, on Heddle, and every bit
 * must be the same.
 *
 * Exit status 0 all right, 1 something differs, 2 bad usage, 77 (skipped) without the other platform. HEDDLE_SOURCE: where examples/ is. */
#include "backend_opencl.h"

#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 0, 1 or 77. */
static int run_on(const char *platform, const char *source, const ex_example *example, unsigned size, ex_run *run, double *seconds, hd_diag *diag)
{
	const char *why = NULL;
	*run = (ex_run){0};
	double begin = now();
	ex_backend *backend = ex_opencl_new(source, platform, diag, &why);
	if (!backend && why) {
		printf("skipped: %s (%s)\n", why, platform);
		return 77;
	}
	bool ok = backend && ex_run_example(run, example, size, backend, diag);
	ex_opencl_free(backend);
	*seconds = now() - begin;
	if (!ok)
		hd_error(diag, (hd_pos){.file = example->name}, "size %s: the above happened on %s", example->sizes[size], platform);
	return ok ? 0 : 1;
}

/* "FOLDER/saxpy.spv" for "saxpy/saxpy.cl". */
static void spirv_name(const char *folder, const char *source, hd_text *name)
{
	const char *base = strrchr(source, '/') + 1;
	hd_text_printf(name, "%s/%.*s.spv", folder, (int)strcspn(base, "."), base);
}

static int compare(const char *with, const char *folder, const ex_example *example, unsigned size, hd_diag *diag)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text source = {0}, other = {0};
	ex_run ours = {0}, theirs = {0};
	double our_seconds = 0, their_seconds = 0;
	size_t different, floats, bytes = 0;
	hd_text_printf(&source, "%s/examples/%s", root ? root : ".", example->source);
	if (folder)
		spirv_name(folder, example->source, &other);
	int status = run_on(with, folder ? other.at : source.at, example, size, &theirs, &their_seconds, diag);
	if (status == 0)
		status = run_on("Heddle", source.at, example, size, &ours, &our_seconds, diag);
	if (status == 0 && (!ex_near_outputs(&ours, "Heddle", &theirs, with, &different, &floats, diag) || (folder && different)))
		status = 1;
	if (status == 0) {
		for (size_t i = 0; i < ours.outputs.n; i++)
			bytes += ours.outputs.at[i].n;
		printf("%-14s %-14s %9zu bytes of output, ", example->name, example->sizes[size], bytes);
		if (different)
			printf("%zu of %zu floats are other bits within bounds", different, floats);
		else
			printf("the same bits");
		printf("; %.2f s and %.2f s\n", our_seconds, their_seconds);
		fflush(stdout);
	}
	ex_run_free(&ours);
	ex_run_free(&theirs);
	hd_text_free(&source);
	hd_text_free(&other);
	return status;
}

static int usage(const char *what)
{
	fprintf(stderr, "%s\nusage: heddle-platforms [--with NAME] [--spirv FOLDER] [--size N] [EXAMPLE]...\nexamples:", what);
	for (const ex_example *const *e = ex_tested; *e; e++)
		fprintf(stderr, " %s", (*e)->name);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *with = "Portable Computing Language", *folder = NULL;
	const ex_example *chosen[64];
	unsigned n = 0, done = 0, bad = 0;
	int only = -1;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--with") == 0 && i + 1 < argc)
			with = argv[++i];
		else if (strcmp(argv[i], "--spirv") == 0 && i + 1 < argc)
			with = "Heddle", folder = argv[++i];
		else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
			only = atoi(argv[++i]);
		else if (n == HD_COUNT(chosen) || argv[i][0] == '-' || !(chosen[n++] = ex_find(argv[i])))
			return usage("bad argument, or no example of this name");
	}
	if (!n)
		for (const ex_example *const *e = ex_tested; *e && n < HD_COUNT(chosen); e++)
			chosen[n++] = *e;
	for (unsigned e = 0; e < n; e++) {
		/* Its operations are inline assembly of this machine. */
		if (folder && strcmp(chosen[e]->name, "graphics") == 0)
			continue;
		for (unsigned size = 0; chosen[e]->sizes[size]; size++) {
			if (only >= 0 && size != (unsigned)only)
				continue;
			hd_diag diag = {0};
			int status = compare(with, folder, chosen[e], size, &diag);
			if (diag.text.at)
				fputs(diag.text.at, stderr);
			hd_diag_free(&diag);
			if (status == 77)
				return 77;
			done++;
			bad += status != 0;
		}
	}
	printf("%u runs on Heddle and on %s: %u agree, %u do not\n", done, folder ? "Heddle from SPIR-V" : with, done - bad, bad);
	return bad != 0;
}
