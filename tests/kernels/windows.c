/* heddle-windows [--all] [--part I/N] [--from LEAST] [--size MOST] [--preset NAME] [--machine N] [--threads N]... [EXAMPLE]...: examples on machines
 * of several clusters, which are simulated in windows of time, with any number of threads of the host (PA-1, PA-2).
 *
 * A row is an example in a size on a preset, with as many clusters as one of `machines` says. Its outputs are the bytes of the interpreter. Its
 * statistics are those of a run that is simulated cycle by cycle. For each number of threads its launches have the same JSON and HTML reports and
 * the same traces. Without --all each example is run in a small size on one preset. --part: of N equal parts of the rows the one with the number I,
 * from 0 on.
 * --from, --size: sizes from this number on, and up to this number, only. --preset: this one only. --machine: this one of `machines`, in place of
 * one and another in turn. --threads: these numbers in place of 1, 2, 3 and 8; the first one is what the others are compared with. */
#include "backend_heddle.h"
#include "base/output.h"
#include "heddle/heddle.h"

#include <unistd.h>

enum {
	SETTINGS = 16,
	THREADS = 8,
	TRACED = 3000, /* cycles of a launch, the first ones */
	TEXT_LIMIT = 1 << 30,
};

/* Many clusters; more cores than one in a cluster, and CTAs that begin after the window; little room, a long way, near and far slices. With slices of
 * the second level: DRAM with rows, refresh and several partitions; and hardly any room in slices and queues. */
static const char *const machines[][SETTINGS] = {
    {"machine.clusters=8"},
    {"machine.clusters=3", "machine.cores=3", "grids.cta_latency=100"},
    {"machine.clusters=5", "machine.cores=1", "memory.l1_misses=6", "memory.l1_writes=4", "memory.l2_latency=700", "memory.far_latency=90"},
    {"machine.clusters=6", "memory.slices=8", "memory.dram_partitions=4", "memory.dram_banks=8", "memory.dram_refresh_interval=900",
     "memory.far_latency=30"},
    {"machine.clusters=4", "machine.cores=3", "memory.slices=2", "memory.slice_queue=2", "memory.slice_banks=1", "memory.slice_bank_cycles=5",
     "memory.l1_misses=9", "memory.l1_writes=5", "memory.request_queue=2", "memory.answer_bytes=16", "memory.l2_misses=8", "memory.l2_bytes=65536",
     "memory.dram_queue=9", "memory.dram_partitions=1", "fetch.l15_lines=16"},
    {"machine.clusters=4", "machine.cores=1", "multi_issue.window=1", "fetch.l1i_lines=8", "fetch.l15_lines=16"},
};

static const char *const traces[] = {"konata", "perfetto", "vcd", "stages"};

typedef struct row {
	const ex_example *example;
	unsigned size, machine;
	const char *preset;
} row;

typedef struct options {
	bool all;
	unsigned part, parts, least, most;
	unsigned machine;   /* of `machines`; HD_COUNT(machines): one and another in turn */
	const char *preset; /* NULL: all */
	uint32_t threads[THREADS];
	unsigned n_threads;
	char *const *names; /* of examples; none: all */
	int n_names;
	char folder[32];
} options;

/* -- a run through the library, with reports and traces ---------------------------------------------------------------------------------------- */

typedef HD_VEC(uint64_t) hashes;

typedef struct observed {
	heddle *heddle;
	const options *options;
	uint32_t threads;
	uint64_t buffers[EX_BUFFERS_MAX];
	hashes seen; /* of each launch: the reports and the traces */
} observed;

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	observed *o = self;
	o->buffers[buffer] = initial ? heddle_buffer(o->heddle, name, initial, bytes) : heddle_alloc(o->heddle, name, bytes);
	return o->buffers[buffer];
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	observed *o = self;
	return heddle_read(o->heddle, o->buffers[buffer], into, bytes);
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	observed *o = self;
	return heddle_write(o->heddle, o->buffers[buffer], from, bytes);
}

static heddle_arg argument(const observed *o, const ex_arg *arg)
{
	switch (arg->kind) {
	case EX_BUFFER:
		return heddle_pointer(o->buffers[arg->buffer]);
	case EX_LOCAL:
		return heddle_local((uint32_t)arg->size);
	default:
		return heddle_bytes(arg->value, (uint32_t)arg->size);
	}
}

/* The report without what belongs to the host. */
static bool note_report(observed *o, heddle_format format)
{
	bool json = format == HEDDLE_JSON;
	char *text = heddle_report(o->heddle, format), *host = text ? strstr(text, json ? "\"host\"" : "Host: ") : NULL,
	     *end = host ? strchr(host, json ? '}' : '<') : NULL;
	if (end) {
		memmove(host, end, strlen(end) + 1);
		hd_vec_push(&o->seen, hd_hash(HD_HASH, text, strlen(text)));
	}
	heddle_text_free(text);
	return end;
}

static void trace_path(const observed *o, const char *kind, char path[64]) { snprintf(path, 64, "%s/%s", o->options->folder, kind); }

static bool note_trace(observed *o, const char *kind, hd_diag *diag)
{
	char path[64];
	size_t n;
	trace_path(o, kind, path);
	char *text = hd_read_file(path, TEXT_LIMIT, &n, diag);
	if (text)
		hd_vec_push(&o->seen, hd_hash(HD_HASH, text, n));
	free(text);
	unlink(path);
	return text != NULL;
}

static bool launch(void *self, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	observed *o = self;
	heddle_arg list[EX_ARGS_MAX];
	for (unsigned i = 0; i < n; i++)
		list[i] = argument(o, &args[i]);
	heddle_launch l = {.kernel = kernel, .args = list, .n_args = n, .threads = o->threads};
	memcpy(l.grid, shape->groups, sizeof l.grid);
	memcpy(l.block, shape->local, sizeof l.block);
	bool ok = heddle_run(o->heddle, &l) == HEDDLE_DONE && note_report(o, HEDDLE_JSON) && note_report(o, HEDDLE_HTML);
	for (unsigned i = 0; ok && i < HD_COUNT(traces); i++)
		ok = note_trace(o, traces[i], diag);
	return ok;
}

static bool begin(observed *o, const row *r, const char *ptx, size_t size)
{
	char request[96], path[64];
	const heddle_trace_limits first = {.last = TRACED};
	bool ok = heddle_config(o->heddle, r->preset);
	for (const char *const *s = machines[r->machine]; ok && *s; s++)
		ok = heddle_set(o->heddle, *s);
	ok = ok && heddle_build_text(o->heddle, "example.ptx", ptx, size, NULL);
	heddle_profile(o->heddle, true);
	for (unsigned i = 0; ok && i < HD_COUNT(traces); i++) {
		trace_path(o, traces[i], path);
		snprintf(request, sizeof request, "%s:%s", traces[i], path);
		ok = heddle_trace(o->heddle, request, &first);
	}
	return ok;
}

/* The caller frees `out` with ex_run_free and `seen` with hd_vec_free. */
static bool run_observed(const options *o, const row *r, uint32_t threads, const char *ptx, size_t size, ex_run *out, hashes *seen, hd_diag *diag)
{
	observed state = {.heddle = heddle_new(), .options = o, .threads = threads};
	ex_backend backend = {.state = &state, .create = create, .read = read_buffer, .write = write_buffer, .launch = launch};
	bool ok = begin(&state, r, ptx, size) && ex_run_example(out, r->example, r->size, &backend, diag);
	if (!ok)
		hd_error(diag, (hd_pos){.file = r->example->name}, "%s", heddle_messages(state.heddle));
	heddle_free(state.heddle);
	memcpy(seen, &state.seen, sizeof *seen);
	return ok;
}

/* The same hashes for each number of threads, and the interpreter's bytes. */
static bool same_for_threads(const options *o, const row *r, const char *ptx, size_t size, const ex_run *functional, hd_diag *diag)
{
	hashes first = {0};
	bool ok = true;
	for (unsigned i = 0; ok && i < o->n_threads; i++) {
		ex_run run = {0};
		hashes seen = {0};
		ok = run_observed(o, r, o->threads[i], ptx, size, &run, &seen, diag) &&
		     ex_same_outputs(functional, "the interpreter", &run, "the machine in windows", diag);
		for (size_t k = 0; ok && i && k < hd_max_u64(first.n, seen.n); k++) {
			static const char *const what[] = {"JSON report",    "HTML report", "konata trace",
			                                   "perfetto trace", "vcd trace",   "trace of stages"};
			if (k < first.n && k < seen.n && first.at[k] == seen.at[k])
				continue;
			hd_error(diag, (hd_pos){.file = r->example->name}, "launch %zu: another %s with %u threads than with %u", k / HD_COUNT(what),
			         what[k % HD_COUNT(what)], o->threads[i], o->threads[0]);
			ok = false;
		}
		ex_run_free(&run);
		hd_vec_free(i ? &seen : &first);
		if (!i)
			memcpy(&first, &seen, sizeof first);
	}
	hd_vec_free(&first);
	return ok;
}

/* -- a run without reports, in windows or not -----------------------------------------------------------------------------------------------------
 */

static bool run_alone(const row *r, const hd_machine *machine, const hd_object *object, bool functional, bool cycle_by_cycle, ex_run *out,
                      hd_stats *stats, hd_diag *diag)
{
	ex_backend *backend = ex_heddle_new(object, machine, functional, diag);
	if (!backend)
		return false;
	ex_heddle_options(backend)->cycle_by_cycle = cycle_by_cycle;
	bool ok = ex_run_example(out, r->example, r->size, backend, diag);
	*stats = *ex_heddle_stats(backend);
	ex_heddle_free(backend);
	return ok;
}

/* Windows change no statistic. The caller frees `functional` with ex_run_free. */
static bool same_as_without(const row *r, const char *ptx, size_t size, ex_run *functional, hd_diag *diag)
{
	hd_machine machine;
	hd_stats none, by_cycle, by_window;
	ex_run a = {0}, b = {0};
	bool ok = hd_machine_load(&machine, r->preset, diag);
	for (const char *const *s = machines[r->machine]; ok && *s; s++)
		ok = hd_machine_set(&machine, *s, diag);
	ok = ok && hd_machine_validate(&machine, NULL, diag);
	hd_object *object = ok ? ex_heddle_compile_ptx(ptx, size, "example.ptx", &machine, false, diag) : NULL;
	ok = object && run_alone(r, &machine, object, true, false, functional, &none, diag) &&
	     run_alone(r, &machine, object, false, true, &a, &by_cycle, diag) && run_alone(r, &machine, object, false, false, &b, &by_window, diag) &&
	     ex_same_outputs(functional, "the interpreter", &a, "the machine", diag);
	if (ok && memcmp(&by_cycle, &by_window, sizeof by_cycle) != 0) {
		hd_error(diag, (hd_pos){.file = r->example->name}, "%llu cycles and other statistics in windows than cycle by cycle, %llu cycles",
		         (unsigned long long)by_window.run_cycles, (unsigned long long)by_cycle.run_cycles);
		ok = false;
	}
	ex_run_free(&a);
	ex_run_free(&b);
	if (object)
		hd_object_free(object);
	return ok;
}

/* -- rows ------------------------------------------------------------------------------------------------------------------------------------------
 */

static bool check_row(const options *o, const row *r, const char *ptx, size_t size, hd_diag *diag)
{
	ex_run functional = {0};
	bool ok = same_as_without(r, ptx, size, &functional, diag) && same_for_threads(o, r, ptx, size, &functional, diag);
	if (!ok)
		hd_error(diag, (hd_pos){.file = r->example->name}, "size %s on `%s` with %s", r->example->sizes[r->size], r->preset,
		         machines[r->machine][0]);
	ex_run_free(&functional);
	return ok;
}

/* Numbers so far. */
typedef struct counts {
	unsigned examples, sizes, selected, done; /* selected: before they are parted */
} counts;

static bool named(const options *o, const ex_example *example)
{
	for (int i = 0; i < o->n_names; i++)
		if (strcmp(o->names[i], example->name) == 0)
			return true;
	return !o->n_names;
}

/* `sample`: without --all a row is one of these. */
static bool selected(const options *o, const row *r, bool sample)
{
	return (o->all || sample) && r->size >= o->least && (!o->preset || strcmp(r->preset, o->preset) == 0);
}

/* All rows of an example. */
static bool check_example(const options *o, const ex_example *example, counts *n)
{
	hd_text path = {0};
	hd_diag diag = {0};
	size_t size;
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text_printf(&path, "%s/examples/%s", root ? root : ".", example->source);
	char *ptx = ex_heddle_ptx(path.at, &size, &diag);
	bool ok = ptx != NULL;
	const char *const *presets = heddle_presets();
	unsigned n_presets = 0, small = example->sizes[1] ? 1 : 0;
	while (presets[n_presets])
		n_presets++;
	for (unsigned s = 0; ptx && example->sizes[s] && s <= o->most; s++, n->sizes++) {
		for (unsigned p = 0; p < n_presets; p++) {
			row r = {example, s, o->machine < HD_COUNT(machines) ? o->machine : (n->sizes + p) % HD_COUNT(machines), presets[p]};
			if (!selected(o, &r, s == small && p == n->examples % n_presets) || n->selected++ % o->parts != o->part)
				continue;
			ok = check_row(o, &r, ptx, size, &diag) && ok;
			n->done++;
		}
	}
	n->examples++;
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	free(ptx);
	hd_text_free(&path);
	return ok;
}

static bool preset_named(options *o, const char *name)
{
	for (const char *const *preset = heddle_presets(); *preset; preset++)
		if (strcmp(*preset, name) == 0)
			o->preset = *preset;
	return o->preset;
}

static bool take(options *o, const char *name, const char *value)
{
	if (strcmp(name, "--part") == 0)
		return sscanf(value, "%u/%u", &o->part, &o->parts) == 2 && o->part < o->parts;
	if (strcmp(name, "--from") == 0)
		return sscanf(value, "%u", &o->least) == 1;
	if (strcmp(name, "--size") == 0)
		return sscanf(value, "%u", &o->most) == 1;
	if (strcmp(name, "--machine") == 0)
		return sscanf(value, "%u", &o->machine) == 1 && o->machine < HD_COUNT(machines);
	if (strcmp(name, "--preset") == 0)
		return preset_named(o, value);
	return strcmp(name, "--threads") == 0 && o->n_threads < THREADS && sscanf(value, "%u", &o->threads[o->n_threads++]) == 1;
}

static bool parse(options *o, int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--all") == 0)
			o->all = true;
		else if (i + 1 == argc || !take(o, argv[i], argv[i + 1]))
			return false;
		else
			i++;
	}
	o->names = argv + i;
	o->n_names = argc - i;
	for (; i < argc; i++)
		if (!ex_find(argv[i]))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	static const uint32_t usual[] = {1, 2, 3, 8};
	options o = {.parts = 1, .most = EX_SIZES_MAX, .machine = HD_COUNT(machines), .folder = "/tmp/heddle-windows-XXXXXX"};
	if (!parse(&o, argc, argv)) {
		fputs("usage: heddle-windows [--all] [--part I/N] [--from LEAST] [--size MOST] [--preset NAME] [--machine N] [--threads N]... "
		      "[EXAMPLE]...\n",
		      stderr);
		return 2;
	}
	if (!o.n_threads) {
		memcpy(o.threads, usual, sizeof usual);
		o.n_threads = HD_COUNT(usual);
	}
	if (!mkdtemp(o.folder)) {
		perror(o.folder);
		return 1;
	}
	bool ok = true;
	counts n = {0};
	for (unsigned e = 0; ex_tested[e]; e++)
		if (named(&o, ex_tested[e]))
			ok = check_example(&o, ex_tested[e], &n) && ok;
	if (!n.selected) {
		fputs("no example has such a row\n", stderr);
		ok = false;
	}
	rmdir(o.folder);
	printf("%u rows of an example, a size and a preset, %u numbers of threads: %s\n", n.done, o.n_threads, ok ? "all the same" : "differences");
	return ok ? 0 : 1;
}
