/* Prints the table of conformance; see conformance.h. Exit status 1 if anything is wrong. */
#include "conformance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: conformance [--reduced] [--quick] [--markdown] [--only PART] [--platform NAME] [--seed N] [--spirv TOOL] "
                            "[--options WORDS] [--sets] [--kept]\n"
                            "  --reduced   few inputs, scalar and one vector width\n"
                            "  --quick     reduced, and of mathematics scalar floats alone\n"
                            "  --markdown  the table as Markdown\n"
                            "  --only      sections or functions whose \"section/name\" contains PART\n"
                            "  --platform  the OpenCL platform to test; without it Heddle\n"
                            "  --options   build every program with these; values that they leave open are not compared\n"
                            "  --sets      mathematics with each row of options.def instead of the table; with --reduced all but the last quick\n"
                            "  --kept      expect the usual bounds of functions, and denormal numbers, under all options\n"
                            "  --spirv     translate each program to SPIR-V with tools/spirv.sh\n";

static bool open_session(cf_session *s, const char *wanted)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	cl_int status;
	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		char name[128] = "", extensions[4096] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (!strstr(name, wanted) || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &s->device, NULL) != CL_SUCCESS)
			continue;
		s->platform = platforms[i];
		clGetDeviceInfo(s->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
		s->has_double = strstr(extensions, "cl_khr_fp64") != NULL;
		s->has_half = strstr(extensions, "cl_khr_fp16") != NULL;
		s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &status);
		s->queue = status == CL_SUCCESS ? clCreateCommandQueue(s->context, s->device, 0, &status) : NULL;
		return status == CL_SUCCESS;
	}
	return false;
}

static void print_row(const cf_row *row, bool markdown)
{
	char ulp[48] = "";
	if (row->bound > 0 && isfinite(row->bound))
		snprintf(ulp, sizeof ulp, "%.2f of %g", row->worst, row->bound);
	else if (row->bound > 0)
		snprintf(ulp, sizeof ulp, "%.3g, no bound", row->worst);
	else
		snprintf(ulp, sizeof ulp, "exact");
	char name[80];
	size_t used = 0;
	for (const char *p = row->name; *p && used < sizeof name - 2; p++) {
		if (markdown && *p == '|')
			name[used++] = '\\';
		name[used++] = *p;
	}
	name[used] = 0;
	if (row->wrong)
		printf(markdown ? "| %s | %s | %s | %u | %lu | %s | **%lu wrong**: %s |\n" : "%-11s %-24s %-7s %4u %9lu  %-18s %lu WRONG: %s\n",
		       row->section, name, row->type, row->forms, row->values, ulp, row->wrong, row->first);
	else
		printf(markdown ? "| %s | %s | %s | %u | %lu | %s | met |\n" : "%-11s %-24s %-7s %4u %9lu  %-18s met\n", row->section, name,
		       row->type, row->forms, row->values, ulp);
}

/* Mathematics with each set of options: a line for each, and one for each row that is wrong. */
static int run_sets(cf_session *s, bool markdown)
{
	bool good = true;
	printf(markdown ? "| options | rows | values | rows wrong | what they change |\n|---|--:|--:|--:|---|\n" : "");
	for (const cf_option *o = cf_options; o->name; o++) {
		unsigned long values = 0, wrong = 0;
		s->options = o->name;
		s->count = 0;
		s->quick = s->reduced && o[1].name; /* the last set allows most */
		cf_math(s);
		for (unsigned i = 0; i < s->count; i++) {
			values += s->rows[i].values;
			wrong += s->rows[i].wrong != 0;
		}
		printf(markdown ? "| `%s` | %u | %lu | %lu | %s |\n" : "%s: %u rows, %lu values, %lu rows wrong (%s)\n", o->name, s->count, values,
		       wrong, o->text);
		for (unsigned i = 0; i < s->count && !markdown; i++)
			if (s->rows[i].wrong)
				print_row(&s->rows[i], false);
		good = good && !wrong && s->count;
	}
	return !good;
}

int main(int argc, char **argv)
{
	cf_session s = {.seed = 1};
	bool markdown = false, sets = false;
	const char *platform = "Heddle";
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--reduced")) {
			s.reduced = true;
		} else if (!strcmp(argv[i], "--quick")) {
			s.reduced = s.quick = true;
		} else if (!strcmp(argv[i], "--markdown")) {
			markdown = true;
		} else if (!strcmp(argv[i], "--only") && i + 1 < argc) {
			s.only = argv[++i];
		} else if (!strcmp(argv[i], "--platform") && i + 1 < argc) {
			platform = argv[++i];
		} else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
			s.seed = strtoul(argv[++i], NULL, 0);
		} else if (!strcmp(argv[i], "--options") && i + 1 < argc) {
			s.options = argv[++i];
		} else if (!strcmp(argv[i], "--sets")) {
			sets = true;
		} else if (!strcmp(argv[i], "--kept")) {
			s.kept = true;
		} else if (!strcmp(argv[i], "--spirv") && i + 1 < argc) {
			s.spirv = argv[++i];
		} else {
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!open_session(&s, platform)) {
		fprintf(stderr, "conformance: no OpenCL platform whose name contains '%s'\n", platform);
		return 2;
	}
	if (sets)
		return run_sets(&s, markdown);
	cf_math(&s);
	cf_integers(&s);
	cf_conversions(&s);
	cf_relational(&s);
	cf_geometric(&s);
	cf_memory(&s);
	cf_atomics(&s);
	printf(markdown ? "| section | function | type | forms | values | worst error (ulp) | |\n|---|---|---|--:|--:|---|---|\n"
	                : "%-11s %-24s %-7s %4s %9s  %-18s\n",
	       "section", "function", "type", "form", "values", "worst error (ulp)");
	unsigned long forms = 0, values = 0, wrong = 0;
	for (unsigned i = 0; i < s.count; i++) {
		print_row(&s.rows[i], markdown);
		forms += s.rows[i].forms;
		values += s.rows[i].values;
		wrong += s.rows[i].wrong != 0;
	}
	printf("%s%u rows, %lu kernels, %lu values; %lu rows wrong\n", markdown ? "\n" : "", s.count, forms, values, wrong);
	clReleaseCommandQueue(s.queue);
	clReleaseContext(s.context);
	free(s.rows);
	return wrong || s.count == 0;
}
