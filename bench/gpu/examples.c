/* heddle-gpu-examples PTX_FOLDER OUT [--gpu] [--times N]: runs every example in every size, in the interpreter or with --gpu on a GPU of NVIDIA,
 * whose driver compiles the same PTX (docs/validation.md). OUT gets the bytes of all outputs: a line of text for each (example, size, name, bytes,
 * floats or words), then the bytes. Two such files are compared by compare_examples.py. Standard output says what passed the example's own reference, and with
 * --gpu the milliseconds of each launch of the kernels: the least and the median of N runs.
 *
 * The driver is loaded when the program starts, so this builds without CUDA; bench/gpu/build.sh builds it. */
#include "backend_heddle.h"

#include <dlfcn.h>

enum {
	RUNS_MAX = 32,
	CHUNK_MAX = 1 << 20,
	SHARED_SIZE_BYTES = 1,
	MAX_DYNAMIC_SHARED = 8,
	SHARED_WINDOW = 0x400 /* where a CTA's memory begins on sm_90 */
};

typedef uint64_t address;
#define CALLS(X)                                                                                                                  \
	X(cuInit, unsigned)                                                                                                       \
	X(cuDeviceGet, int *, int)                                                                                                \
	X(cuDevicePrimaryCtxRetain, void **, int)                                                                                 \
	X(cuCtxSetCurrent, void *)                                                                                                \
	X(cuModuleLoadDataEx, void **, const void *, unsigned, int *, void **)                                                    \
	X(cuModuleGetFunction, void **, void *, const char *)                                                                     \
	X(cuModuleUnload, void *)                                                                                                 \
	X(cuFuncGetAttribute, int *, int, void *)                                                                                 \
	X(cuMemAlloc_v2, address *, size_t)                                                                                       \
	X(cuMemFree_v2, address)                                                                                                  \
	X(cuMemcpyHtoD_v2, address, const void *, size_t)                                                                         \
	X(cuMemcpyDtoH_v2, void *, address, size_t)                                                                               \
	X(cuMemsetD8_v2, address, unsigned char, size_t)                                                                          \
	X(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) \
	X(cuCtxSynchronize, void)                                                                                                 \
	X(cuEventCreate, void **, unsigned)                                                                                       \
	X(cuEventRecord, void *, void *)                                                                                          \
	X(cuEventElapsedTime, float *, void *, void *)                                                                            \
	X(cuGetErrorName, int, const char **)

typedef struct driver {
#define X(name, ...) int (*name)(__VA_ARGS__);
	CALLS(X)
#undef X
} driver;

typedef struct state {
	const driver *d;
	void *module, *begin, *end;
	address buffers[EX_BUFFERS_MAX];
	unsigned n_buffers;
	double ms;
} state;

static bool check(const driver *d, int status, const char *what, hd_diag *diag)
{
	const char *name = "?";
	if (status) {
		d->cuGetErrorName(status, &name);
		hd_error(diag, (hd_pos){.file = "GPU"}, "%s: %s", what, name);
	}
	return status == 0;
}
#define CALL(name, ...) check(s->d, s->d->name(__VA_ARGS__), #name, diag)

static bool load(driver *d, hd_diag *diag)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
	int device;
	if (!library) {
		hd_error(diag, (hd_pos){.file = "GPU"}, "%s", dlerror());
		return false;
	}
#define X(name, ...) *(void **)&d->name = dlsym(library, #name);
	CALLS(X)
#undef X
	const state fake = {.d = d}, *s = &fake;
	return CALL(cuInit, 0) && CALL(cuDeviceGet, &device, 0) && CALL(cuDevicePrimaryCtxRetain, &context, device) && CALL(cuCtxSetCurrent, context);
}

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	state *s = self;
	(void)name;
	s->n_buffers = buffer + 1;
	return CALL(cuMemAlloc_v2, &s->buffers[buffer], bytes) &&
	       (initial ? CALL(cuMemcpyHtoD_v2, s->buffers[buffer], initial, bytes) : CALL(cuMemsetD8_v2, s->buffers[buffer], 0, bytes));
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	state *s = self;
	return CALL(cuMemcpyDtoH_v2, into, s->buffers[buffer], bytes);
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	state *s = self;
	return CALL(cuMemcpyHtoD_v2, s->buffers[buffer], from, bytes);
}

/* Local memory of arguments lies behind the kernel's own. */
static bool launch(void *self, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	state *s = self;
	void *function, *pointers[EX_ARGS_MAX];
	uint64_t local[EX_ARGS_MAX];
	ex_arg copy[EX_ARGS_MAX];
	int fixed = 0;
	unsigned dynamic = 0, g[3], l[3];
	float ms = 0;
	if (!CALL(cuModuleGetFunction, &function, s->module, kernel) || !CALL(cuFuncGetAttribute, &fixed, SHARED_SIZE_BYTES, function))
		return false;
	for (unsigned i = 0; i < n; i++) {
		copy[i] = args[i];
		pointers[i] = args[i].kind == EX_BUFFER  ? (void *)&s->buffers[args[i].buffer]
		              : args[i].kind == EX_LOCAL ? (void *)&local[i]
		                                         : (void *)copy[i].value;
		if (args[i].kind == EX_LOCAL) {
			dynamic = (dynamic + 127) & ~127u;
			local[i] = (uint64_t)SHARED_WINDOW + (((uint64_t)(unsigned)fixed + 127) & ~UINT64_C(127)) + dynamic;
			dynamic += (unsigned)args[i].size;
		}
	}
	for (unsigned i = 0; i < 3; i++) {
		g[i] = i < shape->dims ? shape->groups[i] : 1;
		l[i] = i < shape->dims ? shape->local[i] : 1;
	}
	if (!CALL(cuEventRecord, s->begin, NULL) ||
	    !CALL(cuLaunchKernel, function, g[0], g[1], g[2], l[0], l[1], l[2], dynamic ? dynamic + 128 : 0, NULL, pointers, NULL) ||
	    !CALL(cuEventRecord, s->end, NULL) || !CALL(cuCtxSynchronize) || !CALL(cuEventElapsedTime, &ms, s->begin, s->end))
		return false;
	s->ms += (double)ms;
	return true;
}

static void release(state *s)
{
	for (unsigned i = 0; i < s->n_buffers; i++)
		s->d->cuMemFree_v2(s->buffers[i]);
	s->n_buffers = 0;
}

static void keep(FILE *file, const ex_run *run, const char *size)
{
	for (size_t i = 0; i < run->outputs.n; i++) {
		const ex_output *o = &run->outputs.at[i];
		fprintf(file, "%s|%s|%s|%zu|%s\n", run->example->name, size, o->name, o->n, o->floats ? "floats" : "words");
		fwrite(o->bytes, 1, o->n, file);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The program as PTX, or where the driver does not take that, as the cubin beside it. */
static bool load_program(state *s, const char *ptx, const char *path, hd_diag *diag)
{
	char log[4096] = "";
	int options[] = {5, 6};
	void *values[] = {log, (void *)(uintptr_t)sizeof log};
	const char *name = "?";
	int status = s->d->cuModuleLoadDataEx(&s->module, ptx, 2, options, values);
	if (!status)
		return true;
	s->d->cuGetErrorName(status, &name);
	printf("# %s: the driver does not take the PTX: %s %s\n", path, name, log);
	hd_text other = {0};
	size_t size;
	hd_text_printf(&other, "%.*s.cubin", (int)(strlen(path) - 4), path);
	char *cubin = hd_read_file(other.at, 64 << 20, &size, diag);
	bool ok = cubin && CALL(cuModuleLoadDataEx, &s->module, cubin, 0, NULL, NULL);
	free(cubin);
	hd_text_free(&other);
	return ok;
}

static bool on_gpu(state *s, const ex_example *e, const char *ptx, const char *path, unsigned times, FILE *file, hd_diag *diag)
{
	if (!load_program(s, ptx, path, diag))
		return false;
	bool all = true;
	for (unsigned size = 0; e->sizes[size]; size++) {
		double ms[RUNS_MAX];
		bool ok = true;
		unsigned launches = 0;
		for (unsigned time = 0; time < times && ok; time++) {
			ex_backend backend = {s, create, read_buffer, write_buffer, launch, false};
			ex_run run = {0};
			s->ms = 0;
			ok = ex_run_example(&run, e, size, &backend, diag);
			ms[time] = s->ms;
			launches = run.launches;
			if (!time)
				keep(file, &run, e->sizes[size]);
			ex_run_free(&run);
			release(s);
		}
		qsort(ms, times, sizeof *ms, by_value);
		printf("%s|%s|%s|%u|%.6f|%.6f\n", e->name, e->sizes[size], ok ? "passed" : "failed", launches, ms[0], ms[times / 2]);
		fflush(stdout);
		all &= ok;
	}
	return all && CALL(cuModuleUnload, s->module);
}

static bool in_interpreter(const ex_example *e, const char *path, FILE *file, hd_diag *diag)
{
	hd_machine machine;
	hd_machine_default(&machine);
	hd_object *object = ex_heddle_compile(path, &machine, false, diag);
	bool all = object != NULL;
	for (unsigned size = 0; object && e->sizes[size]; size++) {
		ex_backend *backend = ex_heddle_new(object, &machine, true, diag);
		ex_run run = {0};
		bool ok = backend && ex_run_example(&run, e, size, backend, diag);
		printf("%s|%s|%s\n", e->name, e->sizes[size], ok ? "passed" : "failed");
		keep(file, &run, e->sizes[size]);
		ex_run_free(&run);
		if (backend)
			ex_heddle_free(backend);
		all &= ok;
	}
	if (object)
		hd_object_free(object);
	return all;
}

int main(int argc, char **argv)
{
	bool gpu = false, ok = true;
	unsigned times = 5;
	hd_diag diag = {0};
	driver d;
	state s = {.d = &d};
	for (int i = 3; i < argc; i++) {
		gpu |= strcmp(argv[i], "--gpu") == 0;
		if (strcmp(argv[i], "--times") == 0 && i + 1 < argc)
			times = (unsigned)atoi(argv[++i]);
	}
	FILE *file = argc > 2 && times && times <= RUNS_MAX ? fopen(argv[2], "wb") : NULL;
	if (!file) {
		fprintf(stderr, "usage: heddle-gpu-examples PTX_FOLDER OUT [--gpu] [--times 1..%d]\n", RUNS_MAX);
		return 2;
	}
	if (gpu && !(load(&d, &diag) && check(&d, d.cuEventCreate(&s.begin, 0), "cuEventCreate", &diag) &&
	             check(&d, d.cuEventCreate(&s.end, 0), "cuEventCreate", &diag)))
		ok = false;
	for (unsigned i = 0; ok && ex_examples[i]; i++) {
		const ex_example *e = ex_examples[i];
		const char *slash = strrchr(e->source, '/');
		size_t size;
		hd_text path = {0};
		hd_text_printf(&path, "%s/%.*s.ptx", argv[1], (int)(strlen(slash + 1) - 3), slash + 1);
		char *ptx = hd_read_file(path.at, 64 << 20, &size, &diag);
		hd_text text = {0};
		hd_text_put(&text, ptx ? ptx : "", ptx ? size : 0);
		hd_text_put(&text, "", 1);
		bool fine = ptx && (gpu ? on_gpu(&s, e, text.at, path.at, times, file, &diag) : in_interpreter(e, path.at, file, &diag));
		if (!fine)
			fprintf(stderr, "%s: failed\n", e->name);
		hd_text_free(&text);
		hd_text_free(&path);
		free(ptx);
	}
	fclose(file);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}
