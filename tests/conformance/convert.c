/* Conversions: every pair of types, every rounding, saturated and not; and reinterpretation. Against MPFR and 128-bit integers. */
#include "exact.h"

#include <stdlib.h>

#include <mpfr.h>

static const char *const suffixes[5] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

typedef struct form {
	char expr[48], name[24], type[16];
	unsigned rounding;
	bool saturated;
} form;

typedef struct expect {
	exact_expect whole;
	double real;
} expect;

/* The values at which rounding and saturation change, for the pair of types. */
static double near_limit(cf_session *s, const char *to, uint64_t pick)
{
	if (cf_is_float(to)) {
		const cf_format *f = cf_format_of(to);
		int range = cf_size(to) == 8 ? 300 : f->most - f->least + f->digits;
		return ldexp(1.0 + (double)(cf_random(s) % 64) * ldexp(1, cf_size(to) == 8 ? -26 : -f->digits - 2),
		             (int)(cf_random(s) % (unsigned)range) - (cf_size(to) == 8 ? 151 : range - f->most));
	}
	int bits = 8 * (int)cf_size(to);
	double edge = ldexp(1.0, bits - (int)(pick & 1)) * (pick & 2 ? -1 : 1);
	return pick & 4 ? edge + (double)((int)(cf_random(s) % 9) - 4) * 0.25 : nextafter(edge, pick & 8 ? 0 : 2 * edge);
}

/* Integers with one binary digit more than the real type has, or nearly so: ties and their neighbours. */
static void fill_ties(cf_session *s, const cf_case *c, size_t n, void *array)
{
	unsigned bits = 8 * (unsigned)cf_size(c->arg[0]) - cf_is_signed(c->arg[0]), digits = (unsigned)cf_format_of(c->r)->digits;
	for (size_t i = 256; i < n && bits > digits; i += 3) {
		cf_wide v = (cf_wide)((cf_random(s) >> (64 - digits - 1)) | 1) << cf_random(s) % (bits - digits);
		v += (cf_wide)(cf_random(s) % 3) - 1;
		cf_set_integer(c->arg[0], array, i, cf_is_signed(c->arg[0]) && cf_random(s) & 1 ? -v : v);
	}
}

static void fill(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expectation)
{
	const form *f = c->data;
	const char *from = c->arg[0], *to = c->r;
	bool real_from = cf_is_float(from), real_to = cf_is_float(to);
	static const mpfr_rnd_t modes[5] = {MPFR_RNDN, MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
	mpfr_rnd_t mode = f->rounding == 0 && !real_to ? MPFR_RNDZ : modes[f->rounding];
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_t x, r;
	mpfr_init2(x, 64);
	const cf_format *format = cf_format_of(to);
	mpfr_init2(r, real_to ? format->digits : 64);
	cf_fill_any(s, from, arg[0], n, 0);
	if (real_to && !real_from)
		fill_ties(s, c, n, arg[0]);
	for (size_t i = 0; i < n; i++) {
		expect *e = (expect *)expectation + i;
		if (real_from) {
			uint64_t pick = cf_random(s);
			double v = cf_real(from, arg[0], i);
			if (i == 0)
				v = -0.0;
			else if (i == 1)
				v = NAN;
			else if (i == 2 || i == 3)
				v = i == 2 ? INFINITY : -INFINITY;
			else if (pick % 4 == 0)
				v = near_limit(s, to, pick >> 8);
			else if (pick % 4 == 1)
				v = (double)((int)(pick >> 40) % 4096) * 0.125;
			else if (pick % 4 == 2)
				v = ldexp((double)(int64_t)cf_random(s), (int)(cf_random(s) % 70) - 66);
			cf_set_real(from, arg[0], i, v);
			v = cf_real(from, arg[0], i);
			mpfr_set_d(x, v, MPFR_RNDN);
		} else if (cf_is_signed(from)) {
			mpfr_set_sj(x, (intmax_t)cf_integer(from, arg[0], i), MPFR_RNDN);
		} else {
			mpfr_set_uj(x, (uintmax_t)cf_integer(from, arg[0], i), MPFR_RNDN);
		}
		*e = (expect){0};
		if (real_to) {
			mpfr_set_emin(format->least - format->digits + 2);
			mpfr_set_emax(format->most);
			int ternary = mpfr_set(r, x, mode);
			ternary = mpfr_check_range(r, ternary, mode);
			mpfr_subnormalize(r, ternary, mode);
			mpfr_set_emin(emin);
			mpfr_set_emax(emax);
			e->real = mpfr_get_d(r, MPFR_RNDN);
			continue;
		}
		unsigned bits = 8 * (unsigned)cf_size(to);
		cf_wide low = cf_is_signed(to) ? -((cf_wide)1 << (bits - 1)) : 0, high = ((cf_wide)1 << (bits - cf_is_signed(to))) - 1;
		if (!real_from) {
			cf_wide v = cf_integer(from, arg[0], i);
			e->whole.value = f->saturated ? v < low ? low : v > high ? high : v : v;
			continue;
		}
		if (mpfr_nan_p(x)) { /* 0 is recommended where it saturates */
			e->whole.any = !f->saturated;
			continue;
		}
		mpfr_prec_round(x, 64, MPFR_RNDN);
		mpfr_rint(r, x, mode == MPFR_RNDN ? MPFR_RNDN : mode);
		bool below = mpfr_inf_p(r) ? mpfr_sgn(r) < 0 : mpfr_cmp_d(r, -0x1p63) < 0,
		     above = mpfr_inf_p(r) ? mpfr_sgn(r) > 0 : mpfr_cmp_d(r, 0x1p64) >= 0;
		cf_wide v = below             ? low - 1
		            : above           ? high + 1
		            : mpfr_sgn(r) < 0 ? (cf_wide)mpfr_get_sj(r, MPFR_RNDN)
		                              : (cf_wide)mpfr_get_uj(r, MPFR_RNDN);
		e->whole.value = v < low ? low : v > high ? high : v;
		e->whole.any = !f->saturated && (v < low || v > high);
	}
	mpfr_clears(x, r, NULL);
}

static double check(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expectation, const void *r, const void *q)
{
	const expect *e = (const expect *)expectation + i;
	if (!cf_is_float(c->r)) {
		const exact_expect whole = e->whole;
		if (whole.any)
			return 0;
		uint64_t mask = ~(uint64_t)0 >> (64 - 8 * cf_size(c->r));
		return ((uint64_t)whole.value & mask) == ((uint64_t)cf_integer(c->r, r, i) & mask) ? 0 : INFINITY;
	}
	(void)width, (void)arg, (void)q;
	double got = cf_real(c->r, r, i);
	if (c->promises & FINITE && !isfinite(e->real))
		return 0;
	return isnan(e->real)                                                                           ? isnan(got) ? 0 : INFINITY
	       : e->real == got && (c->promises & UNSIGNED_ZEROS || !signbit(e->real) == !signbit(got)) ? 0
	                                                                                                : INFINITY;
}

static void tell(const cf_case *c, size_t i, void *const arg[CF_ARGS], const void *expectation, const void *r, const void *q, char *text, size_t size)
{
	(void)q;
	const expect *e = (const expect *)expectation + i;
	char from[48], to[64];
	if (cf_is_float(c->arg[0]))
		snprintf(from, sizeof from, "%a", cf_real(c->arg[0], arg[0], i));
	else
		snprintf(from, sizeof from, "%lld", (long long)cf_integer(c->arg[0], arg[0], i));
	if (cf_is_float(c->r))
		snprintf(to, sizeof to, "%a, expected %a", cf_real(c->r, r, i), e->real);
	else
		snprintf(to, sizeof to, "%lld, expected %lld", (long long)cf_integer(c->r, r, i), (long long)e->whole.value);
	snprintf(text, size, "of %s: %s", from, to);
}

static void fill_as(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expectation)
{
	cf_fill_any(s, c->arg[0], arg[0], n, 0);
	for (size_t i = 0; i < n; i++)
		((exact_expect *)expectation)[i] = (exact_expect){cf_integer(c->arg[0], arg[0], i), false};
}

/* Bits are compared: cf_integer reads them, of float types too, as an unsigned number. */
static double check_as(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expectation, const void *r, const void *q)
{
	(void)width, (void)q, (void)expectation;
	size_t size = cf_size(c->r);
	if (cf_is_float(c->r) && isnan(cf_real(c->r, r, i))) /* a NaN's bits may change on the way */
		return isnan(cf_real(c->r, arg[0], i)) ? 0 : INFINITY;
	return memcmp((const char *)r + i * size, (const char *)arg[0] + i * size, size) ? INFINITY : 0;
}

void cf_conversions(cf_session *s)
{
	const char *names[CF_TYPES];
	unsigned types = cf_types(s, names);
	for (unsigned to = 0; to < types; to++) {
		enum { MOST = CF_TYPES * 5 * 2 };
		cf_case *cases = calloc(MOST + CF_TYPES, sizeof *cases);
		form *forms = calloc(MOST + CF_TYPES, sizeof *forms);
		if (!cases || !forms)
			abort();
		unsigned count = 0;
		for (unsigned from = 0; from < types; from++) {
			for (unsigned k = 0; k < 10; k++) {
				form *f = &forms[count];
				f->rounding = k % 5;
				f->saturated = k >= 5;
				if (f->saturated && cf_is_float(names[to]))
					continue;
				/* The reduced form takes what differs: roundings matter only where a float is at one end. */
				if (s->reduced && ((f->rounding && !cf_is_float(names[from]) && !cf_is_float(names[to])) || (from + k + to) % 5))
					continue;
				snprintf(f->expr, sizeof f->expr, "convert_%s$%s%s(A)", names[to], f->saturated ? "_sat" : "", suffixes[f->rounding]);
				snprintf(f->name, sizeof f->name, "convert_%s%s", names[to], f->saturated ? "_sat" : "");
				snprintf(f->type, sizeof f->type, "%s", names[from]);
				cases[count] = (cf_case){.section = "convert",
				                         .name = f->name,
				                         .type = f->type,
				                         .expr = f->expr,
				                         .arg = {names[from]},
				                         .r = names[to],
				                         .bound = -1,
				                         .data = f,
				                         .fill = fill,
				                         .check = check,
				                         .tell = tell,
				                         .expect_bytes = sizeof(expect)};
				count++;
			}
		}
		for (unsigned from = 0; from < types; from++) {
			form *f = &forms[count];
			if (cf_size(names[from]) != cf_size(names[to]))
				continue;
			snprintf(f->expr, sizeof f->expr, "as_%s$(A)", names[to]);
			snprintf(f->name, sizeof f->name, "as_%s", names[to]);
			cases[count++] = (cf_case){.section = "convert",
			                           .name = f->name,
			                           .type = names[from],
			                           .expr = f->expr,
			                           .arg = {names[from]},
			                           .r = names[to],
			                           .bound = -1,
			                           .data = f,
			                           .fill = fill_as,
			                           .check = check_as,
			                           .tell = exact_tell,
			                           .expect_bytes = sizeof(exact_expect)};
		}
		cf_run(s, cases, count);
		free(cases);
		free(forms);
	}
	mpfr_free_cache();
}
