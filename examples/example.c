#include "example.h"

#include <math.h>

static void fail(ex_run *run, const char *format, ...) HD_PRINTF(2, 3);
static void fail(ex_run *run, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	hd_error(run->diag, (hd_pos){.file = run->example->name}, "size %s: %s", run->example->sizes[run->size], text);
	run->failed = true;
}

unsigned ex_buffer(ex_run *run, const char *name, size_t bytes, const void *initial)
{
	hd_invariant(run->n_buffers < EX_BUFFERS_MAX && bytes > 0, "example %s: bad buffer %s", run->example->name, name);
	unsigned buffer = run->n_buffers++;
	run->names[buffer] = hd_xstrdup(name);
	if (!run->failed && !run->backend->create(run->backend->state, buffer, name, bytes, initial, run->diag))
		fail(run, "buffer %s of %zu bytes was not created", name, bytes);
	return buffer;
}

void ex_read(ex_run *run, unsigned buffer, void *into, size_t bytes)
{
	memset(into, 0, bytes);
	if (!run->failed && !run->backend->read(run->backend->state, buffer, into, bytes, run->diag))
		fail(run, "buffer %s was not read", run->names[buffer]);
}

void ex_write(ex_run *run, unsigned buffer, const void *from, size_t bytes)
{
	if (!run->failed && !run->backend->write(run->backend->state, buffer, from, bytes, run->diag))
		fail(run, "buffer %s was not written", run->names[buffer]);
}

ex_arg ex_bytes(const void *value, size_t size)
{
	ex_arg arg = {.kind = EX_VALUE, .size = size};
	hd_invariant(size <= sizeof arg.value, "argument of %zu bytes", size);
	memcpy(arg.value, value, size);
	return arg;
}

ex_arg ex_buf(unsigned buffer) { return (ex_arg){.kind = EX_BUFFER, .buffer = buffer}; }
ex_arg ex_local(size_t bytes) { return (ex_arg){.kind = EX_LOCAL, .size = bytes}; }
ex_arg ex_i32(int32_t value) { return ex_bytes(&value, sizeof value); }
ex_arg ex_u32(uint32_t value) { return ex_bytes(&value, sizeof value); }
ex_arg ex_f32(float value) { return ex_bytes(&value, sizeof value); }

ex_shape ex_1d(uint32_t groups, uint32_t local) { return (ex_shape){.dims = 1, .groups = {groups, 1, 1}, .local = {local, 1, 1}}; }

ex_shape ex_2d(uint32_t groups_x, uint32_t groups_y, uint32_t local_x, uint32_t local_y)
{
	return (ex_shape){.dims = 2, .groups = {groups_x, groups_y, 1}, .local = {local_x, local_y, 1}};
}

void ex_launch_args(ex_run *run, const char *kernel, ex_shape shape, const ex_arg *args, unsigned n)
{
	if (run->failed)
		return;
	run->launches++;
	if (!run->backend->launch(run->backend->state, kernel, &shape, args, n, run->diag))
		fail(run, "launch %u, of kernel %s, failed", run->launches, kernel);
}

/* Reads the buffer and keeps its contents for the comparison between back ends. NULL after a failure. */
static const unsigned char *take_output(ex_run *run, unsigned buffer, size_t bytes)
{
	if (run->failed)
		return NULL;
	ex_output output = {.name = hd_xstrdup(run->names[buffer]), .bytes = hd_xmalloc(bytes), .n = bytes};
	hd_vec_push(&run->outputs, output);
	ex_read(run, buffer, output.bytes, bytes);
	return run->failed ? NULL : output.bytes;
}

void ex_expect_bytes(ex_run *run, unsigned buffer, const void *expected, size_t bytes)
{
	const unsigned char *got = take_output(run, buffer, bytes), *want = expected;
	for (size_t i = 0; got && i < bytes; i++) {
		if (got[i] != want[i]) {
			fail(run, "%s: byte %zu is %02x, the reference says %02x", run->names[buffer], i, got[i], want[i]);
			return;
		}
	}
}

void ex_expect_u32(ex_run *run, unsigned buffer, const uint32_t *expected, size_t n)
{
	const unsigned char *bytes = take_output(run, buffer, n * 4);
	for (size_t i = 0; bytes && i < n; i++) {
		uint32_t got;
		memcpy(&got, bytes + i * 4, 4);
		if (got != expected[i]) {
			fail(run, "%s[%zu] is 0x%x, the reference says 0x%x", run->names[buffer], i, got, expected[i]);
			return;
		}
	}
}

void ex_expect_near(ex_run *run, unsigned buffer, const double *expected, size_t n, double relative, double absolute)
{
	const unsigned char *bytes = take_output(run, buffer, n * 4);
	if (bytes) {
		ex_output *output = &run->outputs.at[run->outputs.n - 1];
		output->floats = true;
		output->relative = relative;
		output->absolute = absolute;
	}
	for (size_t i = 0; bytes && i < n; i++) {
		float got;
		memcpy(&got, bytes + i * 4, 4);
		if ((double)got == expected[i] || (isnan(got) && isnan(expected[i])))
			continue;
		double error = fabs((double)got - expected[i]), bound = relative * fabs(expected[i]) + absolute;
		if (!(error <= bound)) {
			fail(run, "%s[%zu] is %.9g, the reference says %.9g; they differ by %.3g, %.3g are allowed", run->names[buffer], i,
			     (double)got, expected[i], error, bound);
			return;
		}
	}
}

void ex_expect_f32(ex_run *run, unsigned buffer, const float *expected, size_t n, double relative, double absolute)
{
	double *wide = hd_xmalloc(n * sizeof *wide);
	for (size_t i = 0; i < n; i++)
		wide[i] = (double)expected[i];
	ex_expect_near(run, buffer, wide, n, relative, absolute);
	free(wide);
}

float ex_random_f32(uint64_t *state, float low, float high) { return low + (high - low) * ((float)(hd_random(state) >> 40) / 16777216.0f); }

uint32_t ex_random_below(uint64_t *state, uint32_t n) { return (uint32_t)((hd_random(state) >> 32) * n >> 32); }

bool ex_run_example(ex_run *run, const ex_example *example, unsigned size, ex_backend *backend, hd_diag *diag)
{
	*run = (ex_run){.example = example, .size = size, .backend = backend, .diag = diag};
	example->host(run, size);
	return !run->failed;
}

void ex_run_free(ex_run *run)
{
	for (unsigned i = 0; i < run->n_buffers; i++)
		free(run->names[i]);
	for (size_t i = 0; i < run->outputs.n; i++) {
		free(run->outputs.at[i].name);
		free(run->outputs.at[i].bytes);
	}
	hd_vec_free(&run->outputs);
	*run = (ex_run){0};
}

static bool comparable(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, hd_diag *diag)
{
	if (a->outputs.n != b->outputs.n)
		hd_error(diag, (hd_pos){.file = a->example->name}, "size %s: %s has %zu outputs, %s %zu", a->example->sizes[a->size], a_name,
		         a->outputs.n, b_name, b->outputs.n);
	return a->outputs.n == b->outputs.n;
}

static bool near_output(const ex_output *x, const ex_output *y, size_t *at, size_t *different)
{
	for (*at = 0; *at < x->n; *at += 4) {
		float p, q;
		memcpy(&p, x->bytes + *at, 4);
		memcpy(&q, y->bytes + *at, 4);
		*different += memcmp(&p, &q, 4) != 0;
		double larger = fabs((double)p) > fabs((double)q) ? fabs((double)p) : fabs((double)q);
		if (p != q && !(isnan(p) && isnan(q)) && !(fabs((double)p - (double)q) <= 2 * (x->relative * larger + x->absolute)))
			return false;
	}
	return true;
}

bool ex_near_outputs(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, size_t *different, size_t *floats, hd_diag *diag)
{
	*different = *floats = 0;
	if (!comparable(a, a_name, b, b_name, diag))
		return false;
	for (size_t i = 0; i < a->outputs.n; i++) {
		const ex_output *x = &a->outputs.at[i], *y = &b->outputs.at[i];
		size_t at = 0;
		if (x->n == y->n && (x->floats ? near_output(x, y, &at, different) : memcmp(x->bytes, y->bytes, x->n) == 0)) {
			*floats += x->floats ? x->n / 4 : 0;
			continue;
		}
		hd_error(diag, (hd_pos){.file = a->example->name}, "size %s: %s differs between %s and %s%s", a->example->sizes[a->size], x->name,
		         a_name, b_name, x->floats ? " by more than the example's bounds" : "");
		return false;
	}
	return true;
}

bool ex_same_outputs(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, hd_diag *diag)
{
	hd_pos pos = {.file = a->example->name};
	const char *size = a->example->sizes[a->size];
	if (!comparable(a, a_name, b, b_name, diag))
		return false;
	for (size_t i = 0; i < a->outputs.n; i++) {
		const ex_output *x = &a->outputs.at[i], *y = &b->outputs.at[i];
		size_t at = 0;
		while (at < x->n && at < y->n && x->bytes[at] == y->bytes[at])
			at++;
		if (at == x->n && at == y->n)
			continue;
		hd_error(diag, pos, "size %s: %s differs between %s and %s from byte %zu on", size, x->name, a_name, b_name, at);
		return false;
	}
	return true;
}

const ex_example *ex_find(const char *name)
{
	for (const ex_example *const *e = ex_tested; *e; e++)
		if (strcmp((*e)->name, name) == 0)
			return *e;
	return NULL;
}
