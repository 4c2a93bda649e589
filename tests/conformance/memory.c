/* Vector loads and stores in every address space, half precision in memory, shuffles, asynchronous copies. */
#include "conformance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

enum { N = 768 };
static unsigned char from[8 * 2 * N], to[8 * 2 * N], want[8 * 2 * N];

/* Copies through a space: elements from offset 1 on, so that vectors are aligned to their elements only. In private memory, element by element, too.
 */
static void loads_and_stores(cf_session *s)
{
	static const char *const spaces[4] = {"global", "local", "private", "constant"};
	const char *names[CF_TYPES];
	unsigned types = cf_types(s, names);
	for (unsigned t = 0; t < types; t++) {
		if (s->reduced && t % 4 != 0 && t + 1 != types)
			continue;
		char *text = NULL;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);
		if (!f)
			abort();
		if (!strcmp(names[t], "half"))
			fprintf(f, CF_HALF);
		for (unsigned space = 0; space < 4; space++) {
			for (unsigned w = 1; w < CF_WIDTHS; w++) {
				unsigned v = cf_width[w];
				const char *T = names[t];
				fprintf(f, "kernel void k%u_%u(%s %s *a, global %s *r) { size_t i = get_global_id(0), l = get_local_id(0);\n", space,
				        v, space == 3 ? "constant" : "const global", T, T);
				if (space == 0 || space == 3)
					fprintf(f, "vstore%u(vload%u(i, a + 1), i, r + 1); }\n", v, v);
				else if (space == 1)
					fprintf(f,
					        "local %s m[%u]; vstore%u(vload%u(i, a + 1), l, m + 1); barrier(CLK_LOCAL_MEM_FENCE); "
					        "vstore%u(vload%u(15 - l, m + 1), i - l + 15 - l, r + 1); }\n",
					        T, 16 * v + 1, v, v, v, v);
				else
					fprintf(f,
					        "%s m[%u], o[%u]; for (size_t k = 0; k <= %u; k++) m[k] = 1;\n"
					        "vstore%u(vload%u(i, a + 1), l & 1, m + 1); for (size_t k = 0; k < %u; k++) o[k] = l & 1 ? m[k + %u] "
					        ": m[k + 1];\n"
					        "vstore%u(vload%u(0, o), i, r + 1); }\n",
					        T, 2 * v + 1, v, 2 * v, v, v, v, v + 1, v, v);
			}
		}
		fclose(f);
		cl_program program = cf_build(s, "memory", "vloadn, vstoren", text);
		free(text);
		if (!program)
			return;
		cf_row *row = cf_row_of(s, "memory", "vloadn, vstoren", names[t], -1);
		size_t size = cf_size(names[t]);
		for (unsigned space = 0; space < 4; space++) {
			for (unsigned w = 1; w < CF_WIDTHS; w++) {
				cf_fill_any(s, names[t], from, N + 1, 0);
				memset(to, 0x5a, sizeof to);
				cf_buffer buffers[2] = {{from, (N + 1) * size, false}, {to, (N + 2) * size, true}};
				char kernel[16];
				snprintf(kernel, sizeof kernel, "k%u_%u", space, cf_width[w]);
				row->forms++;
				row->values += N;
				if (!cf_launch(s, program, kernel, N / cf_width[w], 16, buffers, 2))
					cf_wrong(row, "%s, width %u could not be run", spaces[space], cf_width[w]);
				else if (memcmp(to + size, from + size, N * size) || to[0] != 0x5a || to[(N + 1) * size] != 0x5a)
					cf_wrong(row, "%s, width %u: elements differ, or others were written", spaces[space], cf_width[w]);
			}
		}
		clReleaseProgram(program);
	}
}

static double half_value(uint16_t h) { return cf_real("half", &h, 0); }

static uint16_t half_of(mpfr_t x, double value, mpfr_rnd_t mode)
{
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_set_emin(-23);
	mpfr_set_emax(16);
	int ternary = mpfr_set_d(x, value, mode);
	ternary = mpfr_check_range(x, ternary, mode);
	mpfr_subnormalize(x, ternary, mode);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	double v = fabs(mpfr_get_d(x, MPFR_RNDN));
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	if (isnan(v))
		return 0x7e00;
	if (isinf(v))
		return sign | 0x7c00;
	if (v < 0x1p-14)
		return sign | (uint16_t)(v * 0x1p24);
	int e = ilogb(v);
	return sign | (uint16_t)((e + 15) << 10) | (uint16_t)(ldexp(v, 10 - e) - 1024);
}

/* Halfway between two numbers of half precision, denormal ones as well, or the neighbour of such a value in T. */
static double tie_of_halves(cf_session *s, const char *T)
{
	uint64_t bits = cf_random(s);
	double value = ldexp((double)(2 * (bits >> 8 & 2047) + 1), (int)(bits >> 24 & 31) - 25), towards = bits & 1 ? 0 : INFINITY;
	if (bits & 2)
		value = strcmp(T, "float") == 0 ? (double)nextafterf((float)value, (float)towards) : nextafter(value, towards);
	return bits & 4 ? -value : value;
}

static void halves(cf_session *s)
{
	static const char *const modes[5] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
	static const mpfr_rnd_t rounding[5] = {MPFR_RNDN, MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
	static const char *const forms[2] = {"", "a"};
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		abort();
	for (unsigned a = 0; a < 2; a++) {
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			char x[12] = "";
			if (cf_width[w] > 1)
				snprintf(x, sizeof x, "%u", cf_width[w]);
			if ((s->reduced && w != 0 && w != 3) || (a && w == 0)) /* of scalars, vload_half alone */
				continue;
			fprintf(f, "kernel void l%u_%u(const global half *a, global float *r) { size_t i = get_global_id(0); ", a, cf_width[w]);
			/* vloada_half3 reads at multiples of four. */
			fprintf(f, w == 0 ? "r[i] = vload%s_half%s(i, a); }\n" : "vstore%3$s(vload%1$s_half%2$s(i, a), i, r); }\n", forms[a], x, x);
			for (unsigned m = 0; m < 5; m++) {
				for (unsigned d = 0; d <= (unsigned)s->has_double; d++) {
					const char *T = d ? "double" : "float";
					fprintf(f, "kernel void s%u_%u_%u_%u(const global %s *a, global half *r) { size_t i = get_global_id(0); ", a,
					        cf_width[w], m, d, T);
					fprintf(f,
					        w == 0 ? "vstore%1$s_half%2$s%3$s(a[i], i, r); }\n"
					               : "vstore%1$s_half%2$s%3$s(vload%2$s(i, a), i, r); }\n",
					        forms[a], x, modes[m]);
				}
			}
		}
	}
	fclose(f);
	cl_program program = cf_build(s, "memory", "half", text);
	free(text);
	if (!program)
		return;
	mpfr_t x;
	mpfr_init2(x, 11);
	for (unsigned a = 0; a < 2; a++) {
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			unsigned v = cf_width[w], place = a && v == 3 ? 4 : v;
			if ((s->reduced && w != 0 && w != 3) || (a && w == 0)) /* of scalars, vload_half alone */
				continue;
			char name[24], kernel[24];
			snprintf(name, sizeof name, "vload%s_halfn", forms[a]);
			cf_row *row = cf_row_of(s, "memory", name, "float", -1);
			uint16_t *h = (uint16_t *)from;
			float *r = (float *)to;
			size_t vectors = N / v;
			for (size_t i = 0; i < 2 * N; i++)
				h[i] = (uint16_t)cf_random(s);
			cf_buffer buffers[2] = {{from, 2 * N * sizeof *h, false}, {to, N * sizeof *r, true}};
			snprintf(kernel, sizeof kernel, "l%u_%u", a, v);
			row->forms++;
			if (!cf_launch(s, program, kernel, vectors, 0, buffers, 2))
				cf_wrong(row, "width %u could not be run", v);
			else
				for (size_t i = 0; i < N; i++) {
					double expected = half_value(h[i / v * place + i % v]), got = (double)r[i];
					row->values++;
					if (cf_promises(s) & FINITE && !isfinite(expected))
						continue;
					if (!(isnan(expected) ? isnan(got) : expected == got && !signbit(expected) == !signbit(got)))
						cf_wrong(row, "width %u: %04x is %a, expected %a", v, h[i / v * place + i % v], got, expected);
				}
			for (unsigned m = 0; m < 5; m++) {
				for (unsigned d = 0; d <= (unsigned)s->has_double; d++) {
					const char *T = d ? "double" : "float";
					snprintf(name, sizeof name, "vstore%s_halfn%s", forms[a], modes[m]);
					row = cf_row_of(s, "memory", name, T, -1);
					for (size_t i = 0; i < N; i++) {
						double value = ldexp((double)(int64_t)cf_random(s), (int)(cf_random(s) % 48) - 92 + 4);
						cf_set_real(T, from, i,
						            i == 0   ? INFINITY
						            : i == 1 ? NAN
						            : i == 2 ? 65519.99
						            : i == 3 ? 65520.0
						            : i == 4 ? 0x1p-25
						            : i == 5 ? -0.0
						            : i % 3  ? value
						            : i % 2  ? tie_of_halves(s, T)
						                     : half_value((uint16_t)cf_random(s)));
					}
					memset(to, 0, sizeof to);
					cf_buffer parts[2] = {{from, N * cf_size(T), false}, {to, 2 * N * 2, true}};
					snprintf(kernel, sizeof kernel, "s%u_%u_%u_%u", a, v, m, d);
					row->forms++;
					if (!cf_launch(s, program, kernel, vectors, 0, parts, 2)) {
						cf_wrong(row, "width %u could not be run", v);
						continue;
					}
					for (size_t i = 0; i < N; i++) {
						double value = cf_real(T, from, i);
						uint16_t expected = half_of(x, value, rounding[m]), got = ((uint16_t *)to)[i / v * place + i % v];
						row->values++;
						if (cf_promises(s) & FINITE && !isfinite(half_value(expected)))
							continue;
						if (isnan(value) ? !isnan(half_value(got)) : expected != got)
							cf_wrong(row, "width %u: %a is %04x, expected %04x", v, value, got, expected);
					}
				}
			}
		}
	}
	mpfr_clear(x);
	clReleaseProgram(program);
}

/* shuffle and shuffle2 with masks from memory, every pair of widths. */
static void shuffles(cf_session *s)
{
	static const unsigned wide[4] = {2, 4, 8, 16};
	const char *names[CF_TYPES];
	unsigned types = cf_types(s, names);
	for (unsigned t = 0; t < types; t++) {
		if (s->reduced && t != 4 && t + 1 != types)
			continue;
		const char *T = names[t], *masks[9] = {0, "uchar", "ushort", 0, "uint", 0, 0, 0, "ulong"}, *M = masks[cf_size(T)];
		size_t size = cf_size(T);
		char *text = NULL;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);
		if (!f)
			abort();
		if (!strcmp(names[t], "half"))
			fprintf(f, CF_HALF);
		for (unsigned m = 0; m < 4; m++) {
			for (unsigned n = 0; n < 4; n++) {
				unsigned in = wide[m], out = wide[n];
				fprintf(f,
				        "kernel void k%u_%u(const global %s *a, const global %s *m, global %s *r) { size_t i = get_global_id(0); "
				        "%s%u A = vload%u(2 * i, a), B = vload%u(2 * i + 1, a);\n",
				        in, out, T, M, T, T, in, in, in);
				fprintf(f,
				        "vstore%u(shuffle(A, vload%u(i, m)), 2 * i, r); vstore%u(shuffle2(A, B, vload%u(i, m)), 2 * i + 1, r); }\n",
				        out, out, out, out);
			}
		}
		fclose(f);
		cl_program program = cf_build(s, "memory", "shuffle, shuffle2", text);
		free(text);
		if (!program)
			return;
		cf_row *row = cf_row_of(s, "memory", "shuffle, shuffle2", T, -1);
		static unsigned char mask[8 * N];
		for (unsigned m = 0; m < 4; m++) {
			for (unsigned n = 0; n < 4; n++) {
				unsigned in = wide[m], out = wide[n], items = 24;
				cf_fill_any(s, T, from, N, 0);
				cf_fill_any(s, M, mask, N, 1);
				cf_buffer buffers[3] = {{from, N * size, false}, {mask, N * size, false}, {to, N * size, true}};
				char kernel[16];
				snprintf(kernel, sizeof kernel, "k%u_%u", in, out);
				row->forms++;
				if (!cf_launch(s, program, kernel, items, 0, buffers, 3)) {
					cf_wrong(row, "%u of %u could not be run", out, in);
					continue;
				}
				for (size_t i = 0; i < items; i++) {
					for (size_t k = 0; k < out; k++) {
						uint64_t pick = (uint64_t)cf_integer(M, mask, i * out + k);
						memcpy(want, from + (2 * i * in + pick % in) * size, size);
						memcpy(want + 8, from + (2 * i * in + pick % (2 * in)) * size, size);
						row->values += 2;
						if (memcmp(want, to + (2 * i * out + k) * size, size) ||
						    memcmp(want + 8, to + ((2 * i + 1) * out + k) * size, size))
							cf_wrong(row, "%u components of %u, mask %llu", out, in, (unsigned long long)pick);
					}
				}
			}
		}
		clReleaseProgram(program);
	}
}

static void copies(cf_session *s)
{
	const char *names[CF_TYPES];
	unsigned types = cf_types(s, names);
	for (unsigned t = 0; t < types; t++) {
		if (s->reduced && t != 8 && t + 1 != types)
			continue;
		const char *T = names[t];
		char *text = NULL;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);
		if (!f)
			abort();
		if (!strcmp(names[t], "half"))
			fprintf(f, CF_HALF);
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			char x[12] = "";
			if (cf_width[w] > 1)
				snprintf(x, sizeof x, "%u", cf_width[w]);
			/* In groups of 16: 24 vectors in, every second one of the first 12 spread out again. */
			fprintf(f,
			        "kernel void k%3$u(const global %1$s%2$s *a, global %1$s%2$s *r) { local %1$s%2$s m[24], o[12]; size_t g = "
			        "get_group_id(0), l = get_local_id(0);\n"
			        "prefetch(a, 24); event_t e = async_work_group_copy(m, a + 24 * g, 24, 0); wait_group_events(1, &e); if (l < 12) "
			        "o[l] = m[23 - l]; barrier(CLK_LOCAL_MEM_FENCE);\n"
			        "e = async_work_group_strided_copy(r + 24 * g, o, 12, 2, 0); e = async_work_group_strided_copy(m, a + 24 * g, 12, 2, "
			        "e); wait_group_events(1, &e);\n"
			        "if (l < 12) r[24 * g + 2 * l + 1] = m[l]; }\n",
			        T, x, cf_width[w]);
		}
		fclose(f);
		cl_program program = cf_build(s, "memory", "async_work_group_copy", text);
		free(text);
		if (!program)
			return;
		cf_row *row = cf_row_of(s, "memory", "async_work_group_copy", T, -1);
		for (unsigned w = 0; w < CF_WIDTHS; w++) {
			size_t size = cf_size(T) * (cf_width[w] == 3 ? 4 : cf_width[w]), groups = 2, total = 24 * groups * size;
			unsigned char *a = malloc(total), *r = calloc(1, total);
			if (!a || !r)
				abort();
			for (size_t i = 0; i < total; i++)
				a[i] = (unsigned char)(cf_random(s) & 0x3f); /* no NaN: whose bits could change */
			cf_buffer buffers[2] = {{a, total, false}, {r, total, true}};
			char kernel[8];
			snprintf(kernel, sizeof kernel, "k%u", cf_width[w]);
			row->forms++;
			size_t shown = cf_size(T) * cf_width[w]; /* the fourth component of three is nobody's */
			if (!cf_launch(s, program, kernel, 16 * groups, 16, buffers, 2)) {
				cf_wrong(row, "width %u could not be run", cf_width[w]);
			} else {
				for (size_t i = 0; i < 12 * groups; i++) {
					size_t g = i / 12, k = i % 12;
					row->values += 2;
					if (memcmp(r + (24 * g + 2 * k) * size, a + (24 * g + 23 - k) * size, shown) ||
					    memcmp(r + (24 * g + 2 * k + 1) * size, a + (24 * g + 2 * k) * size, shown))
						cf_wrong(row, "width %u: element %zu", cf_width[w], k);
				}
			}
			free(a);
			free(r);
		}
		clReleaseProgram(program);
	}
}

void cf_memory(cf_session *s)
{
	if (cf_wanted(s, "memory", "vloadn, vstoren"))
		loads_and_stores(s);
	if (cf_wanted(s, "memory", "half"))
		halves(s);
	if (cf_wanted(s, "memory", "shuffle, shuffle2"))
		shuffles(s);
	if (cf_wanted(s, "memory", "async_work_group_copy"))
		copies(s);
}
