/* Geometric functions, of 1 to 4 components (cross: 3 and 4). OpenCL 1.2 gives no bounds; these are the later specification's (3.0, table "ULP values
 * for geometric functions"), in ulp of the exact result, and for sums of products relative to the sum of magnitudes. The reference is long double. */
#include "conformance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { DOT, LENGTH, DISTANCE, NORMALIZE, CROSS };
static const struct {
	const char *name;
	enum kind kind;
	bool fast;
} functions[] = {{"dot", DOT, false},     {"length", LENGTH, false},     {"distance", DISTANCE, false},     {"normalize", NORMALIZE, false},
                 {"cross", CROSS, false}, {"fast_length", LENGTH, true}, {"fast_distance", DISTANCE, true}, {"fast_normalize", NORMALIZE, true}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static double bound_of(enum kind kind, bool fast, bool is_float, unsigned n)
{
	double extra = is_float ? 0 : 1; /* double precision: half an ulp more for each square root's input */
	switch (kind) {
	case DOT:
		return 2.0 * n - 1;
	case CROSS:
		return 3;
	case LENGTH:
		return (fast ? 8191.5 : 2.75) + extra + 0.5 * n;
	case DISTANCE:
		return (fast ? 8191.5 : 2.5) + extra + 2.0 * n;
	default:
		return (fast ? 8192 : 2.5) + extra + n;
	}
}

static unsigned vectors_of(enum kind kind) { return kind == LENGTH || kind == NORMALIZE ? 1 : 2; }

static long double ulp_of(long double x, const cf_format *f)
{
	int e = x == 0 ? f->least : ilogbl(fabsl(x));
	return ldexpl(1, (e < f->least ? f->least : e) - f->digits + 1);
}

static void compare(cf_row *row, enum kind kind, const cf_format *format, unsigned n, double bound, const double *a, const double *b, const double *r)
{
	long double want[4] = {0}, unit[4], sum = 0, size = 0;
	unsigned count = kind == NORMALIZE || kind == CROSS ? n : 1;
	for (unsigned k = 0; k < n; k++) {
		long double d = kind == DISTANCE ? (long double)a[k] - (long double)b[k] : (long double)a[k];
		sum += kind == DOT ? (long double)a[k] * (long double)b[k] : d * d;
		size += fabsl((long double)a[k] * (long double)b[k]);
	}
	for (unsigned k = 0; k < count; k++) {
		unsigned p = (k + 1) % 3, q = (k + 2) % 3;
		if (kind == CROSS) {
			want[k] = k < 3 ? (long double)a[p] * b[q] - (long double)a[q] * b[p] : 0;
			unit[k] = ulp_of(fabsl((long double)a[p] * b[q]) + fabsl((long double)a[q] * b[p]), format);
		} else {
			want[k] = kind == DOT ? sum : kind == NORMALIZE ? sum == 0 ? 0 : (long double)a[k] / sqrtl(sum) : sqrtl(sum);
			unit[k] = ulp_of(kind == DOT ? size : want[k], format);
		}
		row->values++;
		double error = (double)(fabsl((long double)r[k] - want[k]) / unit[k]);
		if (isfinite(error) && error > row->worst)
			row->worst = error;
		if (!(error <= bound))
			cf_wrong(row, "component %u of %u: %a, expected %La (%.1f ulp, allowed %.1f), of %a %a ...", k, n, r[k], want[k], error,
			         bound, a[0], a[n - 1]);
	}
}

static void one_type(cf_session *s, const char *type)
{
	bool is_float = !strcmp(type, "float");
	const cf_format *format = cf_format_of(type);
	char *text = NULL;
	size_t text_size;
	FILE *f = open_memstream(&text, &text_size);
	if (!f)
		abort();
	if (cf_size(type) == 2)
		fprintf(f, CF_HALF);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		for (unsigned n = 1; n <= 4; n++) {
			enum kind kind = functions[i].kind;
			if ((kind == CROSS && n < 3) || (functions[i].fast && !is_float))
				continue;
			char x[2] = {n > 1 ? (char)('0' + n) : 0, 0};
			bool vector = kind == NORMALIZE || kind == CROSS;
			fprintf(f, "kernel void k%u_%u(const global %s *a, const global %s *b, global %s *r) { size_t i = get_global_id(0); ", i, n,
			        type, type, type);
			fprintf(f, n > 1 ? "%1$s%2$s A = vload%2$s(i, a), B = vload%2$s(i, b); " : "%1$s A = a[i], B = b[i]; ", type, x);
			const char *arguments = vectors_of(kind) == 2 ? "A, B" : "A";
			if (vector && n > 1)
				fprintf(f, "vstore%s(%s(%s), i, r); }\n", x, functions[i].name, arguments);
			else
				fprintf(f, "r[i] = %s(%s) + 0 * B%s; }\n", functions[i].name, arguments, n > 1 ? ".x" : "");
		}
	}
	fclose(f);
	cl_program program = cf_build(s, "geometric", "(all)", text);
	free(text);
	if (!program)
		return;
	enum { N = 3072 };
	static double a[N], b[N], r[N];
	static char raw_a[8 * N], raw_b[8 * N], raw_r[8 * N];
	for (size_t i = 0; i < N; i++) {
		/* Half of them small in size, half over the whole range in which the squares of length and distance leave it. */
		int up = i < N / 2 ? 4 : format->most - 4, reach = i < N / 2 ? 8 : 2 * (format->most - 3);
		double size_of = ldexp(1, (int)(cf_random(s) % (unsigned)reach) - reach + up);
		if (i % 12 >= 4 && i > 0) /* neighbours of like size, so that all components count */
			size_of = fabs(a[i - 1]) == 0 ? 1 : fabs(a[i - 1]);
		a[i] = size_of * ((double)(cf_random(s) >> 11) * 0x1p-53 - 0.5);
		b[i] = size_of * ((double)(cf_random(s) >> 11) * 0x1p-53 - 0.5);
		cf_set_real(type, raw_a, i, a[i]);
		cf_set_real(type, raw_b, i, b[i]);
		a[i] = cf_real(type, raw_a, i);
		b[i] = cf_real(type, raw_b, i);
	}
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		for (unsigned n = 1; n <= 4; n++) {
			enum kind kind = functions[i].kind;
			if ((kind == CROSS && n < 3) || (functions[i].fast && !is_float) || !cf_wanted(s, "geometric", functions[i].name))
				continue;
			double bound = bound_of(kind, functions[i].fast, is_float, n);
			cf_row *row = cf_row_of(s, "geometric", functions[i].name, type, bound_of(kind, functions[i].fast, is_float, 4));
			bool vector = kind == NORMALIZE || kind == CROSS;
			size_t size = cf_size(type), count = N / 2 / n, whole = N / n;
			/* Sums of products, and the fast forms, may overflow: the middle range only. */
			size_t used = kind == DOT || kind == CROSS || functions[i].fast ? count : whole;
			cf_buffer buffers[3] = {{raw_a, N * size, false}, {raw_b, N * size, false}, {raw_r, N * size, true}};
			char kernel[16];
			snprintf(kernel, sizeof kernel, "k%u_%u", i, n);
			row->forms++;
			if (!cf_launch(s, program, kernel, whole, 0, buffers, 3)) {
				cf_wrong(row, "%u components could not be run", n);
				continue;
			}
			for (size_t k = 0; k < N; k++)
				r[k] = cf_real(type, raw_r, k);
			for (size_t k = 0; k < used; k++)
				compare(row, kind, format, n, bound, a + k * n, b + k * n, r + (vector ? k * n : k));
		}
	}
	clReleaseProgram(program);
}

void cf_geometric(cf_session *s)
{
	bool any = false;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		any |= cf_wanted(s, "geometric", functions[i].name);
	if (!any)
		return;
	const char *types[CF_TYPES];
	unsigned n = cf_types(s, types);
	for (unsigned t = CF_INTEGERS; t < n; t++)
		one_type(s, types[t]);
}
