/* Relational functions: of a scalar 0 or 1, of a vector 0 or -1 in every component. */
#include "exact.h"

typedef struct function {
	const char *name, *expr;
	unsigned arguments;
	int (*of)(double a, double b);
} function;

#define OF(name, value)                          \
	static int of_##name(double a, double b) \
	{                                        \
		(void)a, (void)b;                \
		return value;                    \
	}
OF(isequal, a == b)
OF(isnotequal, a != b)
OF(isgreater, isgreater(a, b))
OF(isgreaterequal, isgreaterequal(a, b))
OF(isless, isless(a, b))
OF(islessequal, islessequal(a, b))
OF(islessgreater, islessgreater(a, b))
OF(isordered, !isunordered(a, b))
OF(isunordered, isunordered(a, b))
OF(isfinite, isfinite(a) != 0)
OF(isinf, isinf(a) != 0)
OF(isnan, isnan(a) != 0)
OF(signbit, signbit(a) != 0)

static const function rows[] = {
    {"isequal", "isequal(A, B)", 2, of_isequal},
    {"isnotequal", "isnotequal(A, B)", 2, of_isnotequal},
    {"isgreater", "isgreater(A, B)", 2, of_isgreater},
    {"isgreaterequal", "isgreaterequal(A, B)", 2, of_isgreaterequal},
    {"isless", "isless(A, B)", 2, of_isless},
    {"islessequal", "islessequal(A, B)", 2, of_islessequal},
    {"islessgreater", "islessgreater(A, B)", 2, of_islessgreater},
    {"isordered", "isordered(A, B)", 2, of_isordered},
    {"isunordered", "isunordered(A, B)", 2, of_isunordered},
    {"isfinite", "isfinite(A)", 1, of_isfinite},
    {"isinf", "isinf(A)", 1, of_isinf},
    {"isnan", "isnan(A)", 1, of_isnan},
    {"isnormal", "isnormal(A)", 1, NULL},
    {"signbit", "signbit(A)", 1, of_signbit},
    {"x == y", "A == B", 2, of_isequal},
    {"x != y", "A != B", 2, of_isnotequal},
    {"x < y", "A < B", 2, of_isless},
    {"x <= y", "A <= B", 2, of_islessequal},
    {"x > y", "A > B", 2, of_isgreater},
    {"x >= y", "A >= B", 2, of_isgreaterequal},
};

static void fill(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expect)
{
	const double special[8] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, ldexp(1, cf_format_of(c->arg[0])->least - 3)};
	const function *f = c->data;
	for (unsigned a = 0; a < f->arguments; a++)
		cf_fill_any(s, c->arg[a], arg[a], n, a);
	for (size_t i = 0; i < n; i++) {
		if (i < 64) {
			cf_set_real(c->arg[0], arg[0], i, special[i % 8]);
			if (f->arguments > 1)
				cf_set_real(c->arg[1], arg[1], i, special[i / 8]);
		} else if (f->arguments > 1 && i % 5 == 0) {
			cf_set_real(c->arg[1], arg[1], i, cf_real(c->arg[0], arg[0], i));
		}
		double a = cf_real(c->arg[0], arg[0], i), b = f->arguments > 1 ? cf_real(c->arg[1], arg[1], i) : 0;
		int value = f->of ? f->of(a, b) : isfinite(a) && fabs(a) >= ldexp(1, cf_format_of(c->arg[0])->least);
		((exact_expect *)expect)[i] = (exact_expect){value, false};
	}
}

/* bitselect and select, of every type. select takes the scalar's truth, the vector component's sign. */
static void fill_select(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expect)
{
	(void)expect;
	for (unsigned a = 0; a < 3; a++)
		cf_fill_any(s, c->arg[a], arg[a], n, a);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(c->name, "bitselect") == 0) /* a choice bit by bit would be read back as a NaN's bits */
			continue;
		/* A condition for which scalar and vector agree: all bits or none. */
		cf_wide condition = cf_integer(c->arg[2], arg[2], i) & 1 ? -1 : 0;
		cf_set_integer(c->arg[2], arg[2], i, condition);
	}
}

static double check_select(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expect, const void *r, const void *q)
{
	(void)expect, (void)q, (void)width;
	size_t size = cf_size(c->r);
	uint64_t v[3] = {0}, got = 0;
	for (unsigned a = 0; a < 3; a++)
		memcpy(&v[a], (const char *)arg[a] + i * size, size);
	memcpy(&got, (const char *)r + i * size, size);
	bool by_bits = strcmp(c->name, "bitselect") == 0;
	uint64_t want = by_bits ? (v[0] & ~v[2]) | (v[1] & v[2]) : v[2] ? v[1] : v[0];
	if (cf_is_float(c->r)) {
		double a = cf_real(c->r, &want, 0), b = cf_real(c->r, &got, 0);
		if (isnan(a) && isnan(b))
			return 0;
	}
	return want == got ? 0 : INFINITY;
}

/* nan of every code, 0 among them, is a NaN. */
static void fill_nan(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expect)
{
	(void)expect;
	cf_fill_any(s, c->arg[0], arg[0], n, 0);
}

static double check_nan(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expect, const void *r, const void *q)
{
	(void)width, (void)arg, (void)expect, (void)q;
	return c->promises & FINITE || isnan(cf_real(c->r, r, i)) ? 0 : INFINITY;
}

/* any and all, of signed types in every width: reductions, so with a kernel of their own. */
static void any_all(cf_session *s)
{
	static const char *const signed_types[4] = {"char", "short", "int", "long"};
	for (unsigned t = 0; t < 4; t++) {
		char text[4096];
		size_t used = 0;
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			char x[12] = "";
			if (cf_width[w] > 1)
				snprintf(x, sizeof x, "%u", cf_width[w]);
			used += (size_t)snprintf(text + used, sizeof text - used,
			                         w == 0 ? "kernel void k1(const global %s *a, global int *r) { size_t i = get_global_id(0); r[2*i] = "
			                                  "any(a[i]); r[2*i+1] = all(a[i]); }\n"
			                                : "kernel void k%3$s(const global %1$s *a, global int *r) { size_t i = get_global_id(0); "
			                                  "%1$s%2$s v = vload%2$s(i, a); r[2*i] = any(v); r[2*i+1] = all(v); }\n",
			                         signed_types[t], x, x);
		}
		cl_program program = cf_build(s, "relational", "any, all", text);
		if (!program)
			return;
		cf_row *row = cf_row_of(s, "relational", "any, all", signed_types[t], -1);
		enum { N = 768 };
		static uint64_t a[N];
		static int32_t r[2 * N];
		size_t size = cf_size(signed_types[t]);
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			unsigned width = cf_width[w];
			cf_fill_any(s, signed_types[t], a, N, 0);
			for (size_t i = 0; i < N; i++) { /* about half of the vectors all set, or none */
				cf_wide v = cf_integer(signed_types[t], a, i);
				cf_set_integer(signed_types[t], a, i,
				               i / width % 4 == 0   ? v | -((cf_wide)1 << (8 * size - 1))
				               : i / width % 4 == 1 ? v & (((cf_wide)1 << (8 * size - 1)) - 1)
				                                    : v);
			}
			cf_buffer buffers[2] = {{a, N * size, false}, {r, N / width * 8, true}};
			char kernel[8];
			snprintf(kernel, sizeof kernel, "k%u", width);
			row->forms++;
			if (!cf_launch(s, program, kernel, N / width, 0, buffers, 2)) {
				cf_wrong(row, "width %u could not be run", width);
				continue;
			}
			for (size_t i = 0; i < N / width; i++) {
				bool any = false, all = true;
				for (size_t k = 0; k < width; k++) {
					bool set = cf_integer(signed_types[t], a, i * width + k) < 0;
					any |= set;
					all &= set;
				}
				row->values += 2;
				if (r[2 * i] != any || r[2 * i + 1] != all)
					cf_wrong(row, "width %u: any is %d, expected %d; all is %d, expected %d", width, r[2 * i], any, r[2 * i + 1],
					         all);
			}
		}
		clReleaseProgram(program);
	}
}

void cf_relational(cf_session *s)
{
	const char *types[CF_TYPES];
	unsigned n_types = cf_types(s, types);
	static const cf_case nan_case = {.section = "math",
	                                 .name = "nan",
	                                 .expr = "nan(A)",
	                                 .bound = -1,
	                                 .fill = fill_nan,
	                                 .check = check_nan,
	                                 .tell = exact_tell,
	                                 .expect_bytes = sizeof(exact_expect)};
	for (unsigned t = CF_INTEGERS; t < n_types; t++) {
		const char *type = types[t];
		size_t size = cf_size(type);
		cf_case cases[sizeof rows / sizeof rows[0]];
		unsigned count = 0;
		for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			const function *f = &rows[i];
			cases[count] = (cf_case){.section = "relational",
			                         .name = f->name,
			                         .type = type,
			                         .expr = f->expr,
			                         .arg = {type, f->arguments > 1 ? type : NULL},
			                         .r = "int",
			                         .r_vector = size == 8   ? "long"
			                                     : size == 4 ? "int"
			                                                 : "short",
			                         .data = f,
			                         .fill = fill,
			                         EXACT_CASE};
			count++;
		}
		cf_run(s, cases, count);
		cf_case of_nan = nan_case;
		of_nan.type = of_nan.r = type;
		of_nan.arg[0] = size == 8 ? "ulong" : size == 4 ? "uint" : "ushort";
		cf_run(s, &of_nan, 1);
	}
	static const char *const conditions[9] = {0, "char", "short", 0, "int", 0, 0, 0, "long"};
	cf_case cases[2 * CF_TYPES];
	unsigned count = 0;
	for (unsigned t = 0; t < n_types; t++) {
		cases[count++] = (cf_case){.section = "relational",
		                           .name = "bitselect",
		                           .type = types[t],
		                           .expr = "bitselect(A, B, C)",
		                           .arg = {types[t], types[t], types[t]},
		                           .r = types[t],
		                           .bound = -1,
		                           .fill = fill_select,
		                           .check = check_select,
		                           .tell = exact_tell,
		                           .expect_bytes = sizeof(exact_expect)};
		cases[count++] = (cf_case){.section = "relational",
		                           .name = "select",
		                           .type = types[t],
		                           .expr = "select(A, B, C)",
		                           .arg = {types[t], types[t], conditions[cf_size(types[t])]},
		                           .r = types[t],
		                           .bound = -1,
		                           .fill = fill_select,
		                           .check = check_select,
		                           .tell = exact_tell,
		                           .expect_bytes = sizeof(exact_expect)};
	}
	cf_run(s, cases, count);
	if (cf_wanted(s, "relational", "any, all"))
		any_all(s);
}
