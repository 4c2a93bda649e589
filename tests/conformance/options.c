/* The rows of options.def. */
#include "conformance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NONE INFINITY

const cf_option cf_options[] = {
#define CF_OPTION(name, promises, text) {name, text, promises},
#include "options.def"
    {0},
};

unsigned cf_promises(const cf_session *s)
{
	unsigned promises = 0;
	for (const cf_option *o = cf_options; s->options && o->name; o++)
		promises |= strstr(s->options, o->name) ? o->promises : 0;
	return s->kept ? promises & ~(unsigned)(FLUSHED | RELAXED) : promises;
}

double cf_relaxed(const cf_case *c, size_t i, void *const arg[CF_ARGS], double want)
{
	static const struct {
		const char *name;
		double least, most, ulp, slope, absolute, otherwise;
	} bounds[] = {
#define CF_RELAXED(...) {__VA_ARGS__},
#include "options.def"
	};
	double normal = c->bound < 0 ? 0 : c->bound, largest = 0;
	for (size_t k = 0; k < sizeof bounds / sizeof bounds[0] && cf_size(c->arg[0]) == 4; k++) {
		if (strcmp(bounds[k].name, c->name) != 0)
			continue;
		for (unsigned a = 0; a < CF_ARGS && c->arg[a]; a++) {
			double x = cf_is_float(c->arg[a]) ? fabs(cf_real(c->arg[a], arg[a], i)) : bounds[k].least;
			if (!(x >= bounds[k].least && x <= bounds[k].most))
				return fmax(normal, bounds[k].otherwise);
			largest = fmax(largest, x);
		}
		double unit = ldexp(1, (fabs(want) < FLT_MIN ? -126 : ilogb(want)) - 23);
		return fmax(normal, bounds[k].ulp + floor(bounds[k].slope * largest) + bounds[k].absolute / unit);
	}
	return normal;
}
