/* heddle-launches DIR [--size N] [EXAMPLE]...: writes the launches of the examples as a file for `heddle compare --launches`.
 *
 * It runs each example's host program in the interpreter. The size is 0 without --size, and an example with fewer sizes runs with its last one. For
 * each launch it writes the buffers before the launch as DIR/NAME-LAUNCH-ARGUMENT.npy, and a line in DIR/launches. The program is DIR/NAME.ptx, so
 * clang runs only once. A comment before the first line of an example states its name, whether it is unstructured, and its size. */
#include "backend_heddle.h"
#include "base/output.h"

typedef struct state {
	ex_backend *inner;
	const ex_example *example;
	const char *directory;
	size_t bytes[EX_BUFFERS_MAX];
	unsigned launches;
	hd_text *list;
} state;

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	state *s = self;
	s->bytes[buffer] = bytes;
	return s->inner->create(s->inner->state, buffer, name, bytes, initial, diag);
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	state *s = self;
	return s->inner->read(s->inner->state, buffer, into, bytes, diag);
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	state *s = self;
	return s->inner->write(s->inner->state, buffer, from, bytes, diag);
}

/* Writes bytes in NumPy's format 1.0. */
static bool save(state *s, unsigned argument, unsigned buffer, hd_text *path, hd_diag *diag)
{
	hd_text file = {0}, header = {0};
	size_t n = s->bytes[buffer];
	unsigned char *bytes = hd_xmalloc(n);
	hd_text_printf(path, "%s/%s-%u-%u.npy", s->directory, s->example->name, s->launches, argument);
	hd_text_printf(&header, "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,), }", n);
	while ((header.n + 11) % 64)
		hd_text_put(&header, " ", 1);
	hd_text_put(&header, "\n", 1);
	hd_text_put(&file, "\x93NUMPY\x01\x00", 8);
	hd_text_put(&file, (const char[]){(char)(header.n & 0xff), (char)(header.n >> 8)}, 2);
	hd_text_put(&file, header.at, header.n);
	bool ok = read_buffer(s, buffer, bytes, n, diag);
	hd_text_put(&file, (const char *)bytes, n);
	ok = ok && hd_write_file(path->at, file.at, file.n, diag);
	hd_text_free(&file);
	hd_text_free(&header);
	free(bytes);
	return ok;
}

static bool argument(state *s, unsigned number, const ex_arg *arg, hd_diag *diag)
{
	hd_text path = {0};
	bool ok = true;
	hd_text_printf(s->list, " --arg ");
	if (arg->kind == EX_LOCAL) {
		hd_text_printf(s->list, "local:%zu", arg->size);
	} else if (arg->kind == EX_BUFFER) {
		ok = save(s, number, arg->buffer, &path, diag);
		hd_text_printf(s->list, "inout:%s", path.at);
	} else {
		hd_text_printf(s->list, "bytes:");
		for (size_t i = 0; i < arg->size; i++)
			hd_text_printf(s->list, "%02x", arg->value[i]);
	}
	hd_text_free(&path);
	return ok;
}

static bool launch(void *self, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	state *s = self;
	const uint32_t *g = shape->groups, *b = shape->local;
	bool ok = true;
	hd_text_printf(s->list, "%s/%s.ptx --kernel %s --grid %u,%u,%u --block %u,%u,%u", s->directory, s->example->name, kernel, g[0], g[1], g[2],
	               b[0], b[1], b[2]);
	for (unsigned i = 0; ok && i < n; i++)
		ok = argument(s, i, &args[i], diag);
	hd_text_printf(s->list, "\n");
	s->launches++;
	return ok && s->inner->launch(s->inner->state, kernel, shape, args, n, diag);
}

static bool record(const ex_example *example, unsigned size, const char *root, const char *directory, hd_text *list, hd_diag *diag)
{
	hd_text source = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	while (size > 0 && !example->sizes[size])
		size--;
	hd_text_printf(&source, "%s/%s", root, example->source);
	hd_text_printf(list, "# %s%s: %s\n", example->name, example->unstructured ? " (unstructured)" : "", example->sizes[size]);
	size_t n;
	char *ptx = ex_heddle_ptx(source.at, &n, diag);
	hd_text copy = {0};
	hd_text_printf(&copy, "%s/%s.ptx", directory, example->name);
	bool written = ptx && hd_write_file(copy.at, ptx, n, diag);
	hd_object *object = written ? ex_heddle_compile_ptx(ptx, n, source.at, &machine, false, diag) : NULL;
	hd_text_free(&copy);
	free(ptx);
	state s = {.example = example, .directory = directory, .list = list};
	s.inner = object ? ex_heddle_new(object, &machine, true, diag) : NULL;
	ex_backend outer = {.state = &s, .create = create, .read = read_buffer, .write = write_buffer, .launch = launch};
	ex_run run = {0};
	bool ok = s.inner && ex_run_example(&run, example, size, &outer, diag);
	ex_run_free(&run);
	ex_heddle_free(s.inner);
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_EXAMPLES");
	int first = argc > 3 && strcmp(argv[2], "--size") == 0 ? 4 : 2;
	unsigned size = first == 4 ? (unsigned)atoi(argv[3]) : 0;
	hd_diag diag = {0};
	hd_text list = {0}, path = {0};
	bool ok = argc >= 2 && size < EX_SIZES_MAX;
	if (!ok) {
		fprintf(stderr, "usage: heddle-launches DIR [--size N] [EXAMPLE]...\n");
		return 2;
	}
	for (int i = first; i < argc; i++) {
		if (!ex_find(argv[i])) {
			fprintf(stderr, "%s: error: no example of this name\n", argv[i]);
			return 2;
		}
	}
	for (const ex_example *const *e = ex_examples; ok && *e; e++) {
		bool wanted = first == argc;
		for (int i = first; i < argc; i++)
			wanted = wanted || strcmp(argv[i], (*e)->name) == 0;
		if (wanted)
			ok = record(*e, size, root ? root : "examples", argv[1], &list, &diag);
	}
	hd_text_printf(&path, "%s/launches", argv[1]);
	ok = ok && hd_write_file(path.at, list.at, list.n, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	hd_text_free(&list);
	hd_text_free(&path);
	return ok ? 0 : 1;
}
