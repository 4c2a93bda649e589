/* heddle-bench-compile [--most N] [--json FILE] [SHAPE]...
 * heddle-bench-compile --emit SHAPE N
 * heddle-bench-compile --passes N (the share of each pass in the time of a compilation, in per cent)
 * heddle-bench-compile --list (names, and with how many threads a kernel can run)
 *
 * Compiles programs of one function with 1,000 to 100,000 instructions of PTX and prints, for each shape, the seconds of CPU, the most memory, and by
 * which power of the size the time grows between the two largest. Each compilation has a process of its own. */
#include "passes/passes.h"
#include "ptx/ptx.h"
#include "shapes.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIME_LIMIT = 300 /* seconds: the process is ended */, PASSES_MAX = 32 };

static const unsigned sizes[] = {1000, 4000, 16000, 50000, 100000};

typedef struct result {
	bool ok;
	double seconds;   /* CPU */
	double megabytes; /* most memory at once */
	size_t words;     /* of code */
} result;

static double cpu_seconds(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* In the process of its own. */
static result compile(const shape *s, unsigned n, const hd_machine *machine)
{
	result r = {0};
	hd_text source = {0};
	hd_diag diag = {0};
	shape_write(&source, s, n);
	double start = cpu_seconds();
	hd_ir_module *module = hd_ptx_read(source.at, source.n, s->name, &diag);
	hd_object *object = module ? hd_compile_module(module, &(hd_compile_options){.machine = machine}, &diag) : NULL;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	r = (result){object != NULL, cpu_seconds() - start, (double)usage.ru_maxrss / 1024, object ? object->code.n : 0};
	if (!object)
		fprintf(stderr, "%s %u: %.300s\n", s->name, n, diag.text.at);
	if (object)
		hd_object_free(object);
	if (module)
		hd_ir_module_free(module);
	hd_text_free(&source);
	hd_diag_free(&diag);
	return r;
}

/* False: the process did not end by itself. */
static bool measure(const shape *s, unsigned n, const hd_machine *machine, result *r)
{
	int ends[2];
	*r = (result){0};
	if (pipe(ends) != 0)
		return false;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		struct rlimit limit = {TIME_LIMIT, TIME_LIMIT + 1};
		setrlimit(RLIMIT_CPU, &limit);
		result mine = compile(s, n, machine);
		_exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
	}
	close(ends[1]);
	bool ok = child > 0 && read(ends[0], r, sizeof *r) == (ssize_t)sizeof *r;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return ok && r->ok;
}

/* One row. False: a program could not be compiled in time. */
static bool print_row(const shape *s, unsigned most, const hd_machine *machine, FILE *json, bool *first)
{
	result last = {0}, before = {0};
	unsigned last_size = 0, before_size = 0;
	bool ok = true;
	printf("%-12s", s->name);
	for (unsigned i = 0; i < HD_COUNT(sizes) && sizes[i] <= most && ok; i++) {
		result r;
		ok = measure(s, sizes[i], machine, &r);
		if (!ok) {
			printf("  %8s", "-");
			continue;
		}
		printf("  %8.3f", r.seconds);
		fflush(stdout);
		before = last, before_size = last_size;
		last = r, last_size = sizes[i];
		if (json)
			fprintf(json, "%s\n  {\"shape\": \"%s\", \"size\": %u, \"seconds\": %.4f, \"megabytes\": %.1f, \"code_words\": %zu}",
			        *first ? "" : ",", s->name, sizes[i], r.seconds, r.megabytes, r.words);
		*first = false;
	}
	double exponent = before.seconds > 0 ? log(last.seconds / before.seconds) / log((double)last_size / before_size) : 0;
	printf("  %8.0f  %8.2f\n", last.megabytes, exponent);
	return ok;
}

static bool emit(const char *name, unsigned n)
{
	for (size_t i = 0; i < shape_count; i++) {
		if (strcmp(shapes[i].name, name) != 0)
			continue;
		hd_text source = {0};
		shape_write(&source, &shapes[i], n);
		fwrite(source.at, 1, source.n, stdout);
		hd_text_free(&source);
		return true;
	}
	fprintf(stderr, "heddle-bench-compile: there is no shape '%s'\n", name);
	return false;
}

/* The seconds of CPU that each pass takes; the last is emission. */
typedef struct pass_times {
	double begin, seconds[PASSES_MAX];
	const char *names[PASSES_MAX];
	unsigned now, count;
} pass_times;

static void on_stage(void *context, const char *step, unsigned number, unsigned count, unsigned percent_done)
{
	pass_times *t = context;
	(void)percent_done;
	double now = cpu_seconds();
	hd_invariant(count < PASSES_MAX, "%u passes", count);
	if (t->now)
		t->seconds[t->now - 1] += now - t->begin;
	t->names[number - 1] = step;
	t->begin = now;
	t->now = number;
	t->count = count;
}

static void print_pass_names(const pass_times *t)
{
	printf("%-12s", "shape");
	for (unsigned p = 0; p < t->count; p++)
		printf("  %10s", t->names[p]);
	printf("\n");
}

static bool print_passes(unsigned n)
{
	hd_machine machine;
	hd_machine_default(&machine);
	double mean[PASSES_MAX] = {0};
	for (size_t i = 0; i < shape_count; i++) {
		pass_times t = {0};
		hd_text source = {0};
		hd_diag diag = {0};
		shape_write(&source, &shapes[i], n);
		hd_ir_module *module = hd_ptx_read(source.at, source.n, shapes[i].name, &diag);
		hd_compile_options options = {.machine = &machine, .stage = on_stage, .stage_context = &t};
		hd_object *object = module ? hd_compile_module(module, &options, &diag) : NULL;
		if (!object) {
			fprintf(stderr, "%s %u: %.300s\n", shapes[i].name, n, diag.text.at);
			return false;
		}
		t.seconds[t.count - 1] += cpu_seconds() - t.begin;
		double all = 0;
		for (unsigned p = 0; p < t.count; p++)
			all += t.seconds[p];
		if (i == 0)
			print_pass_names(&t);
		printf("%-12s", shapes[i].name);
		for (unsigned p = 0; p < t.count; p++) {
			mean[p] += t.seconds[p] / all / (double)shape_count;
			printf("  %10.0f", 100 * t.seconds[p] / all);
		}
		printf("\n");
		if (i + 1 == shape_count) {
			printf("%-12s", "mean");
			for (unsigned p = 0; p < t.count; p++)
				printf("  %10.1f", 100 * mean[p]);
			printf("\n");
		}
		hd_object_free(object);
		hd_ir_module_free(module);
		hd_text_free(&source);
		hd_diag_free(&diag);
	}
	return true;
}

static bool wanted(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return n == 0;
}

static void print_head(unsigned most)
{
	printf("%-12s", "shape");
	for (unsigned i = 0; i < HD_COUNT(sizes) && sizes[i] <= most; i++)
		printf("  %7us", sizes[i]);
	printf("  %8s  %8s\n", "MB", "exponent");
}

int main(int argc, char **argv)
{
	const char *json_name = NULL;
	unsigned most = sizes[HD_COUNT(sizes) - 1];
	int at = 1;
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < shape_count; i++)
			printf("%s %u\n", shapes[i].name, shapes[i].one_thread ? 1 : 64);
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "--emit") == 0)
		return emit(argv[2], (unsigned)strtoul(argv[3], NULL, 10)) ? 0 : 1;
	if (argc == 3 && strcmp(argv[1], "--passes") == 0)
		return print_passes((unsigned)strtoul(argv[2], NULL, 10)) ? 0 : 1;
	for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
		if (strcmp(argv[at], "--most") == 0)
			most = (unsigned)strtoul(argv[at + 1], NULL, 10);
		else if (strcmp(argv[at], "--json") == 0)
			json_name = argv[at + 1];
		else
			break;
	}
	if (at < argc && argv[at][0] == '-') {
		fputs("usage: heddle-bench-compile [--most N] [--json FILE] [SHAPE]...\n       heddle-bench-compile --emit SHAPE N\n       "
		      "heddle-bench-compile --passes N\n",
		      stderr);
		return 2;
	}
	FILE *json = json_name ? fopen(json_name, "w") : NULL;
	hd_machine machine;
	bool ok = true, first = true;
	hd_machine_default(&machine);
	if (json)
		fputs("[", json);
	print_head(most);
	for (size_t i = 0; i < shape_count; i++)
		if (wanted(shapes[i].name, argv + at, argc - at))
			ok &= print_row(&shapes[i], most, &machine, json, &first);
	if (json) {
		fputs("\n]\n", json);
		fclose(json);
	}
	return ok ? 0 : 1;
}
