#include "conformance.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 24 };
const unsigned cf_width[CF_WIDTHS] = {1, 2, 3, 4, 8, 16};

static const struct {
	const char *name;
	size_t size;
	bool is_float, is_signed;
	cf_format format;
} types[] = {
    {"char", 1, false, true, {0}},
    {"uchar", 1, false, false, {0}},
    {"short", 2, false, true, {0}},
    {"ushort", 2, false, false, {0}},
    {"int", 4, false, true, {0}},
    {"uint", 4, false, false, {0}},
    {"long", 8, false, true, {0}},
    {"ulong", 8, false, false, {0}},
    {"float", 4, true, true, {24, -126, 128}},
    {"double", 8, true, true, {53, -1022, 1024}},
    {"half", 2, true, true, {11, -14, 16}},
};

static unsigned type_of(const char *name)
{
	for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (!strcmp(types[i].name, name))
			return i;
	}
	fprintf(stderr, "conformance: no type '%s'\n", name);
	abort();
}

size_t cf_size(const char *type) { return types[type_of(type)].size; }
bool cf_is_float(const char *type) { return types[type_of(type)].is_float; }
bool cf_is_signed(const char *type) { return types[type_of(type)].is_signed; }
const cf_format *cf_format_of(const char *type) { return &types[type_of(type)].format; }

unsigned cf_types(const cf_session *s, const char *list[CF_TYPES])
{
	unsigned n = 0;
	for (unsigned i = 0; i < CF_TYPES; i++) {
		bool there = types[i].size == 8 && types[i].is_float ? s->has_double : types[i].size == 2 && types[i].is_float ? s->has_half : true;
		if (there)
			list[n++] = types[i].name;
	}
	return n;
}

/* splitmix64 */
uint64_t cf_random(cf_session *s)
{
	uint64_t z = s->seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

cf_wide cf_integer(const char *type, const void *array, size_t i)
{
	size_t size = cf_size(type);
	uint64_t bits = 0;
	memcpy(&bits, (const char *)array + i * size, size); /* little-endian hosts, as the device */
	unsigned shift = 64 - 8 * (unsigned)size;
	return cf_is_signed(type) ? (cf_wide)((int64_t)(bits << shift) >> shift) : (cf_wide)bits;
}

void cf_set_integer(const char *type, void *array, size_t i, cf_wide value)
{
	size_t size = cf_size(type);
	uint64_t bits = (uint64_t)value;
	memcpy((char *)array + i * size, &bits, size);
}

static double half_value(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? m ? NAN : INFINITY : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

/* To the nearest, ties to even. */
static uint16_t half_bits(double value)
{
	unsigned sign = signbit(value) ? 0x8000 : 0;
	double v = fabs(value);
	if (isnan(v))
		return (uint16_t)(sign | 0x7e00);
	if (v == 0 || v >= 65520)
		return (uint16_t)(sign | (v == 0 ? 0 : 0x7c00));
	int e = v < 0x1p-14 ? -14 : ilogb(v);
	return (uint16_t)(sign | ((unsigned)(e + 14) * 1024 + (unsigned)rint(ldexp(v, 10 - e))));
}

double cf_real(const char *type, const void *array, size_t i)
{
	return cf_size(type) == 2   ? half_value(((const uint16_t *)array)[i])
	       : cf_size(type) == 4 ? (double)((const float *)array)[i]
	                            : ((const double *)array)[i];
}

void cf_set_real(const char *type, void *array, size_t i, double value)
{
	if (cf_size(type) == 2)
		((uint16_t *)array)[i] = half_bits(value);
	else if (cf_size(type) == 4)
		((float *)array)[i] = (float)value;
	else
		((double *)array)[i] = value;
}

double cf_rounded(const char *type, double value)
{
	uint64_t room;
	cf_set_real(type, &room, 0, value);
	return cf_real(type, &room, 0);
}

/* `which`, different for each argument, keeps the extremes of two arguments from always coming together. */
void cf_fill_any(cf_session *s, const char *type, void *array, size_t n, unsigned which)
{
	size_t size = cf_size(type);
	unsigned bits = 8 * (unsigned)size;
	for (size_t i = 0; i < n; i++) {
		uint64_t value = cf_random(s), small = cf_random(s) % 5;
		switch (i < 256 ? (i >> (which * 3)) % 8 : cf_random(s) % 16) {
		case 0:
			value = 0;
			break;
		case 1:
			value = ~(uint64_t)0;
			break;
		case 2:
			value = (uint64_t)1 << (bits - 1);
			break;
		case 3:
			value = ((uint64_t)1 << (bits - 1)) - 1;
			break;
		case 4:
			value = ((uint64_t)1 << (bits - 1)) - 2 + small;
			break;
		case 5:
			value = small - 2;
			break;
		case 6:
			value = (uint64_t)1 << cf_random(s) % bits;
			break;
		default:
			break;
		}
		memcpy((char *)array + i * size, &value, size);
	}
}

size_t cf_elements(const cf_session *s) { return s->reduced ? 768 : 768 * 32; }

bool cf_wanted(const cf_session *s, const char *section, const char *name)
{
	char whole[64];
	snprintf(whole, sizeof whole, "%s/%s", section, name);
	return !s->only || strstr(whole, s->only);
}

cf_row *cf_row_of(cf_session *s, const char *section, const char *name, const char *type, double bound)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (!strcmp(s->rows[i].section, section) && !strcmp(s->rows[i].name, name) && !strcmp(s->rows[i].type, type))
			return &s->rows[i];
	}
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 256;
		s->rows = realloc(s->rows, s->room * sizeof *s->rows);
		if (!s->rows)
			abort();
	}
	cf_row *row = &s->rows[s->count++];
	memset(row, 0, sizeof *row);
	snprintf(row->section, sizeof row->section, "%s", section);
	snprintf(row->name, sizeof row->name, "%s", name);
	snprintf(row->type, sizeof row->type, "%s", type);
	row->bound = bound;
	return row;
}

void cf_wrong(cf_row *row, const char *format, ...)
{
	if (row->wrong++ == 0) {
		va_list list;
		va_start(list, format);
		vsnprintf(row->first, sizeof row->first, format, list);
		va_end(list);
	}
}

/* NULL when the tool fails. */
static cl_program from_spirv(cf_session *s, const char *text, cl_int *status)
{
	char source[] = "/tmp/heddle-conformance-XXXXXX", module[sizeof source + 8], command[4096];
	cl_program program = NULL;
	int fd = mkstemp(source);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	*status = CL_OUT_OF_RESOURCES;
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		return NULL;
	snprintf(module, sizeof module, "%s.spv", source);
	snprintf(command, sizeof command, "%s %s %s", s->spirv, source, module);
	FILE *made = system(command) == 0 ? fopen(module, "rb") : NULL;
	char *bytes = malloc(4 << 20);
	size_t n = made && bytes ? fread(bytes, 1, 4 << 20, made) : 0;
	if (made)
		fclose(made);
	if (n)
		program = clCreateProgramWithIL(s->context, bytes, n, status);
	free(bytes);
	remove(source);
	remove(module);
	return program;
}

static cl_program build(cf_session *s, const char *text, bool tell)
{
	cl_int status;
	cl_program program = s->spirv ? from_spirv(s, text, &status) : clCreateProgramWithSource(s->context, 1, &text, NULL, &status);
	if (status == CL_SUCCESS && clBuildProgram(program, 1, &s->device, s->options, NULL, NULL) == CL_SUCCESS)
		return program;
	if (program) {
		size_t size = 0;
		clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
		char *log = tell ? calloc(1, size + 1) : NULL;
		if (log && clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS)
			fprintf(stderr, "%.2000s\n", log);
		free(log);
		clReleaseProgram(program);
	}
	return NULL;
}

cl_program cf_build(cf_session *s, const char *section, const char *name, const char *text)
{
	cl_program program = build(s, text, true);
	if (!program)
		cf_wrong(cf_row_of(s, section, name, "", -1), "its program does not build");
	return program;
}

bool cf_launch(cf_session *s, cl_program program, const char *kernel_name, size_t items, size_t local, cf_buffer *buffers, unsigned count)
{
	cl_int status;
	cl_mem memory[8] = {0};
	cl_kernel kernel = clCreateKernel(program, kernel_name, &status);
	bool good = status == CL_SUCCESS;
	for (unsigned i = 0; good && i < count; i++) {
		memory[i] = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, buffers[i].bytes, buffers[i].host, &status);
		good = status == CL_SUCCESS && clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]) == CL_SUCCESS;
	}
	good = good && clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, local ? &local : NULL, 0, NULL, NULL) == CL_SUCCESS;
	for (unsigned i = 0; good && i < count; i++) {
		if (buffers[i].result)
			good = clEnqueueReadBuffer(s->queue, memory[i], CL_TRUE, 0, buffers[i].bytes, buffers[i].host, 0, NULL, NULL) == CL_SUCCESS;
	}
	for (unsigned i = 0; i < count; i++) {
		if (memory[i])
			clReleaseMemObject(memory[i]);
	}
	if (kernel)
		clReleaseKernel(kernel);
	return good;
}

static unsigned long seed_of(unsigned long seed, const cf_case *c)
{
	const char *const parts[] = {c->name, c->type, c->expr};
	uint64_t h = 0xcbf29ce484222325u ^ seed;
	for (unsigned i = 0; i < 3; i++) {
		for (const char *p = parts[i]; *p; p++)
			h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	}
	return (unsigned long)h;
}

static bool runs_width(const cf_session *s, const cf_case *c, unsigned w)
{
	if (c->scalar_only || s->quick)
		return w == 0;
	/* Every third case has a vector form in the reduced run, of one width or another. */
	unsigned long pick = s->reduced ? seed_of(0, c) % (3 * (CF_WIDTHS - 1)) : 0;
	return !s->reduced || w == 0 || w == pick + 1;
}

static const char *suffix_of(unsigned width, char text[4])
{
	snprintf(text, 4, "%u", width);
	return width == 1 ? "" : text;
}

/* The second result lies in private, global or local memory, by the width: a function that takes a pointer has three forms. */
static void write_kernel(FILE *f, const cf_case *c, unsigned index, unsigned width)
{
	static const char names[] = "abc";
	char digits[4];
	const char *x = suffix_of(width, digits), *result = width > 1 && c->r_vector ? c->r_vector : c->r;
	fprintf(f, "kernel void k%u_%u(", index, width);
	for (unsigned i = 0; i < CF_ARGS && c->arg[i]; i++)
		fprintf(f, "const global %s *%c, ", c->arg[i], names[i]);
	fprintf(f, "global %s *r", result);
	if (c->q)
		fprintf(f, ", global %s *q", c->q);
	fprintf(f, ")\n{\n\tsize_t i = get_global_id(0);\n");
	for (unsigned i = 0; i < CF_ARGS && c->arg[i]; i++) {
		if (width == 1)
			fprintf(f, "\t%s %c = %c[i];\n", c->arg[i], names[i] - 32, names[i]);
		else if (width != 3) /* not by vload, so that the compiler sees one load */
			fprintf(f, "\t%s%s %c = ((const global %s%s *)%c)[i];\n", c->arg[i], x, names[i] - 32, c->arg[i], x, names[i]);
		else
			fprintf(f, "\t%s%s %c = vload%s(i, %c);\n", c->arg[i], x, names[i] - 32, x, names[i]);
	}
	bool in_local = width == 3 || width == 16, in_global = width == 2 || width == 8;
	if (c->q && in_local)
		fprintf(f, "\tlocal %s%s many[16];\n\tlocal %s%s *Q = &many[get_local_id(0)];\n", c->q, x, c->q, x);
	else if (c->q && in_global)
		fprintf(f, "\tglobal %s%s *Q = (global %s%s *)q + i;\n", c->q, x, c->q, x);
	else if (c->q)
		fprintf(f, "\t%s%s one, *Q = &one;\n", c->q, x);
	fprintf(f, "\t%s%s R = ", result, x);
	for (const char *p = c->expr; *p; p++) {
		if (*p == '$')
			fputs(x, f);
		else if (*p == '@')
			fputs(c->arg[0], f);
		else
			fputc(*p, f);
	}
	fprintf(f, width == 1 ? ";\n\tr[i] = R;\n" : ";\n\tvstore%s(R, i, r);\n", x);
	if (c->q && !in_global)
		fprintf(f, width == 1 ? "\tq[i] = *Q;\n" : "\tvstore%s(*Q, i, q);\n", x);
	fprintf(f, "}\n");
}

static char *text_of(const cf_session *s, const cf_case *cases, unsigned count)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		abort();
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(cases[i].r, "half") || !strcmp(cases[i].arg[0], "half")) {
			fprintf(f, CF_HALF);
			break;
		}
	}
	for (unsigned i = 0; i < count; i++) {
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			if (runs_width(s, &cases[i], w))
				write_kernel(f, &cases[i], i, cf_width[w]);
		}
	}
	fclose(f);
	return text;
}

static void *zeros(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);
	if (!p)
		abort();
	return p;
}

/* True if the promises exclude the arguments of element i. */
static bool is_open(const cf_case *c, void *const arg[CF_ARGS], size_t i)
{
	for (unsigned a = 0; a < CF_ARGS && c->arg[a]; a++) {
		bool real = cf_is_float(c->arg[a]);
		double x = real ? cf_real(c->arg[a], arg[a], i) : 1;
		if ((c->promises & FINITE && !isfinite(x)) || (c->promises & UNSIGNED_ZEROS && x == 0 && signbit(x)))
			return true;
		if (c->promises & FLUSHED && real && x != 0 && fabs(x) < ldexp(1, cf_format_of(c->arg[a])->least))
			return true;
	}
	return false;
}

static void run_case(cf_session *s, const cf_case *c, cl_program program, unsigned index)
{
	size_t n = cf_elements(s);
	void *arg[CF_ARGS] = {NULL}, *expect = zeros(n * c->expect_bytes), *r = zeros(8 * n), *q = zeros(8 * n);
	cf_row *row = cf_row_of(s, c->section, c->name, c->type, c->bound);
	for (unsigned i = 0; i < CF_ARGS && c->arg[i]; i++)
		arg[i] = zeros(n * cf_size(c->arg[i]));
	/* The inputs of a case depend on its name, not on the cases before it, so that --only finds what the whole run finds. */
	unsigned long seed = s->seed;
	s->seed = seed_of(seed, c);
	c->fill(s, c, n, arg, expect);
	s->seed = seed;
	for (unsigned w = 0; w < CF_WIDTHS; w++) {
		if (!runs_width(s, c, w))
			continue;
		unsigned width = cf_width[w], count = 0;
		cf_buffer buffers[CF_ARGS + 2];
		for (unsigned i = 0; i < CF_ARGS && c->arg[i]; i++)
			buffers[count++] = (cf_buffer){arg[i], n * cf_size(c->arg[i]), false};
		const char *type = width > 1 && c->r_vector ? c->r_vector : c->r;
		memset(r, 0xa5, 8 * n);
		memset(q, 0xa5, 8 * n);
		buffers[count++] = (cf_buffer){r, n * cf_size(type), true};
		if (c->q)
			buffers[count++] = (cf_buffer){q, n * cf_size(c->q), true};
		char kernel[32];
		snprintf(kernel, sizeof kernel, "k%u_%u", index, width);
		row->forms++;
		if (!cf_launch(s, program, kernel, n / width, 16, buffers, count)) {
			cf_wrong(row, "width %u could not be run", width);
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			if (is_open(c, arg, i))
				continue;
			double error = c->check(c, width, i, arg, expect, r, q);
			row->values++;
			if (error > row->worst && isfinite(error))
				row->worst = error;
			bool relaxed = c->promises & RELAXED && c->relaxed;
			double bound = relaxed ? c->relaxed(c, i, arg, expect) : c->bound < 0 ? 0 : c->bound;
			if (error > bound || (error == INFINITY && !relaxed)) {
				char words[200];
				c->tell(c, i, arg, expect, r, q, words, sizeof words);
				cf_wrong(row, "%s, width %u: %s", c->expr, width, words);
			}
		}
	}
	for (unsigned i = 0; i < CF_ARGS; i++)
		free(arg[i]);
	free(expect);
	free(r);
	free(q);
}

static void run_batch(cf_session *s, const cf_case *cases, unsigned count)
{
	char *text = text_of(s, cases, count);
	cl_program program = build(s, text, count == 1);
	free(text);
	if (!program && count > 1) { /* find the one that does not build */
		for (unsigned i = 0; i < count; i++)
			run_batch(s, &cases[i], 1);
		return;
	}
	if (!program) {
		cf_wrong(cf_row_of(s, cases->section, cases->name, cases->type, cases->bound), "%s does not build", cases->expr);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		run_case(s, &cases[i], program, i);
	clReleaseProgram(program);
}

void cf_run(cf_session *s, const cf_case *cases, unsigned count)
{
	cf_case batch[BATCH];
	unsigned filled = 0;
	for (unsigned i = 0; i < count; i++) {
		if (cf_wanted(s, cases[i].section, cases[i].name))
			batch[filled++] = cases[i];
		if (filled)
			batch[filled - 1].promises = cf_promises(s);
		if (filled == BATCH || (filled && i + 1 == count)) {
			run_batch(s, batch, filled);
			filled = 0;
		}
	}
	if (filled)
		run_batch(s, batch, filled);
}
