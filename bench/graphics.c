/* heddle-graphics [--size N] [--png FILE] [--set KEY=VALUE]...
 * A picture in three stages (LU-18), with the share of the writes that each of them skips: on the default machine, or with the keys of --set. The
 * outputs of each stage are compared with a reference of the host, and between machine and interpreter. --png writes the picture. */
#include "backend_heddle.h"
#include "base/output.h"
#include "graphics/graphics.h"
#include "report/energy.h"

enum { STAGES_MOST = 4 };

/* A stage: a launch, with what it added to the statistics. */
typedef struct stage {
	char name[32];
	uint64_t instructions, cycles, writes, skipped, reads, forwarded, flagged;
} stage;

/* A back end that keeps the statistics of each launch apart. */
typedef struct stages {
	ex_backend *inner;
	stage of[STAGES_MOST];
	unsigned n;
} stages;

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	ex_backend *inner = ((stages *)self)->inner;
	return inner->create(inner->state, buffer, name, bytes, initial, diag);
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	ex_backend *inner = ((stages *)self)->inner;
	return inner->read(inner->state, buffer, into, bytes, diag);
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	ex_backend *inner = ((stages *)self)->inner;
	return inner->write(inner->state, buffer, from, bytes, diag);
}

static bool launch(void *self, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	stages *s = self;
	hd_stats before = *ex_heddle_stats(s->inner);
	bool ok = s->inner->launch(s->inner->state, kernel, shape, args, n, diag);
	const hd_stats *now = ex_heddle_stats(s->inner);
	if (s->n == STAGES_MOST)
		return ok;
	stage *at = &s->of[s->n++];
	snprintf(at->name, sizeof at->name, "%s", kernel);
	at->instructions = now->run_warp_instructions - before.run_warp_instructions;
	at->cycles = now->run_cycles - before.run_cycles;
	at->writes = now->register_file_writes - before.register_file_writes;
	at->skipped = now->register_file_writes_skipped - before.register_file_writes_skipped;
	at->reads = now->register_file_reads - before.register_file_reads;
	at->forwarded = now->register_file_reads_forwarded - before.register_file_reads_forwarded;
	at->flagged = now->register_file_writes_flagged - before.register_file_writes_flagged;
	return ok;
}

static double share(uint64_t part, uint64_t rest) { return part + rest ? 100.0 * (double)part / (double)(part + rest) : 0; }

static void print(const stages *s)
{
	printf("| stage | warp instructions | cycles | writes skipped %% | flagged and yet written %% | reads forwarded %% "
	       "|\n|---|--:|--:|--:|--:|--:|\n");
	for (unsigned i = 0; i < s->n; i++) {
		const stage *at = &s->of[i];
		printf("| %s | %llu | %llu | %.1f | %.1f | %.1f |\n", at->name, (unsigned long long)at->instructions, (unsigned long long)at->cycles,
		       share(at->skipped, at->writes), share(at->flagged, at->writes + at->skipped - at->flagged), share(at->forwarded, at->reads));
	}
}

static bool write_picture(const ex_run *run, const char *path, hd_diag *diag)
{
	uint32_t width, height;
	const ex_output *picture = &run->outputs.at[run->outputs.n - 1]; /* the last one that the host program compares */
	ex_graphics_extent(run->size, &width, &height);
	hd_text png = ex_png(picture->bytes, width, height);
	bool ok = hd_write_file(path, png.at, png.n, diag);
	hd_text_free(&png);
	return ok;
}

/* Runs the example on the machine, and in the interpreter, which must agree in every byte. */
static bool run(const hd_machine *machine, unsigned size, const char *png, hd_diag *diag)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text path = {0};
	hd_text_printf(&path, "%s/examples/%s", root ? root : ".", ex_graphics.source);
	hd_object *object = ex_heddle_compile(path.at, machine, false, diag);
	ex_backend *oracle = object ? ex_heddle_new(object, machine, true, diag) : NULL;
	stages s = {.inner = object ? ex_heddle_new(object, machine, false, diag) : NULL};
	ex_backend timed = {.state = &s, .create = create, .read = read_buffer, .write = write_buffer, .launch = launch};
	bool ok = false;
	if (oracle && s.inner) {
		ex_run on_machine, in_interpreter;
		ok = ex_run_example(&on_machine, &ex_graphics, size, &timed, diag);
		ok = ex_run_example(&in_interpreter, &ex_graphics, size, oracle, diag) && ok;
		ok = ok && ex_same_outputs(&on_machine, "machine", &in_interpreter, "interpreter", diag);
		if (ok)
			print(&s);
		ok = ok && (!png || write_picture(&on_machine, png, diag));
		ex_run_free(&on_machine);
		ex_run_free(&in_interpreter);
	}
	ex_heddle_free(oracle);
	ex_heddle_free(s.inner);
	if (object)
		hd_object_free(object);
	hd_text_free(&path);
	return ok;
}

int main(int argc, char **argv)
{
	hd_machine machine;
	hd_diag diag = {0};
	const char *png = NULL;
	unsigned size = 2;
	bool ok = true;
	int i = 1;
	hd_machine_default(&machine);
	for (; ok && i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--size") == 0 && strlen(argv[i + 1]) == 1 && argv[i + 1][0] >= '0' && argv[i + 1][0] <= '2')
			size = (unsigned)(argv[i + 1][0] - '0');
		else if (strcmp(argv[i], "--png") == 0)
			png = argv[i + 1];
		else if (strcmp(argv[i], "--set") == 0)
			ok = hd_machine_set(&machine, argv[i + 1], &diag);
		else
			break;
	}
	if (ok && i < argc) {
		fprintf(stderr, "usage: heddle-graphics [--size N] [--png FILE] [--set KEY=VALUE]...\n");
		return 2;
	}
	ok = ok && hd_machine_validate(&machine, NULL, &diag) && run(&machine, size, png, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}
