#include "report/roofline.h"

const char *const hd_peak_names[HD_PEAKS] = {[HD_PEAK_ALU] = "alu", [HD_PEAK_SFU] = "sfu", [HD_PEAK_F64] = "f64", [HD_PEAK_CVT] = "cvt"};
const char *const hd_level_names[HD_LEVELS] = {[HD_LEVEL_SHARED] = "shared", [HD_LEVEL_L1] = "l1", [HD_LEVEL_L2] = "l2", [HD_LEVEL_DRAM] = "dram"};

hd_roofline_point hd_roofline_point_of(const char *name, const hd_stats *s)
{
	enum { SECTOR = 32, WORD = 4 };
	return (hd_roofline_point){.name = name,
	                           .cycles = s->run_cycles,
	                           .operations = s->lanes_alu + s->lanes_fma + s->lanes_mul + s->lanes_alu64 + s->lanes_mul64 + s->lanes_sfu +
	                                         s->lanes_f64 + s->lanes_cvt + s->lanes_cvt64,
	                           .bytes = {[HD_LEVEL_SHARED] = s->memory_shared_words * WORD,
	                                     [HD_LEVEL_L1] = (s->memory_l1_hits + s->memory_l1_misses) * SECTOR,
	                                     [HD_LEVEL_L2] = (s->memory_l2_hits + s->memory_l2_misses) * SECTOR,
	                                     [HD_LEVEL_DRAM] = (s->memory_dram_reads + s->memory_dram_writes) * SECTOR}};
}

double hd_roofline_intensity(const hd_roofline_point *p, hd_level level)
{
	return p->bytes[level] ? (double)p->operations / (double)p->bytes[level] : 0;
}

double hd_roofline_rate(const hd_roofline_point *p) { return p->cycles ? (double)p->operations / (double)p->cycles : 0; }

static double fastest(const hd_ceilings *c)
{
	double most = 0;
	for (unsigned i = 0; i < HD_PEAKS; i++)
		most = c->operations[i] > most ? c->operations[i] : most;
	return most;
}

double hd_roofline_roof(const hd_ceilings *c, const hd_roofline_point *p, hd_level level)
{
	double peak = fastest(c), slope = hd_roofline_intensity(p, level) * c->bytes[level];
	return p->bytes[level] && slope < peak ? slope : peak;
}

hd_level hd_roofline_bound(const hd_ceilings *c, const hd_roofline_point *p)
{
	hd_level bound = HD_LEVELS;
	double least = fastest(c);
	for (hd_level level = 0; level < HD_LEVELS; level++) {
		double roof = hd_roofline_roof(c, p, level);
		bound = roof < least ? level : bound;
		least = roof < least ? roof : least;
	}
	return bound;
}

void hd_roofline_text(const hd_ceilings *c, const hd_roofline_point *p, hd_text *out)
{
	char a[32], b[32];
	double rate = hd_roofline_rate(p);
	hd_level bound = hd_roofline_bound(c, p);
	hd_text_printf(out, "\nRoofline: against what micro-kernels reach on this machine\n  ceilings, operations a cycle:");
	for (unsigned i = 0; i < HD_PEAKS; i++)
		hd_text_printf(out, "%s %s %.1f", i ? "," : "", hd_peak_names[i], c->operations[i]);
	hd_text_printf(out, "\n  ceilings, bytes a cycle:");
	for (unsigned i = 0; i < HD_LEVELS; i++)
		hd_text_printf(out, "%s %s %.1f", i ? "," : "", hd_level_names[i], c->bytes[i]);
	hd_text_printf(out, "\n  this run: %s operations, %.2f a cycle\n", hd_grouped_digits(p->operations, a), rate);
	hd_text_printf(out, "  %-8s %16s %12s %14s %12s %8s\n", "level", "bytes", "a cycle", "operations/B", "roof", "reached");
	for (hd_level level = 0; level < HD_LEVELS; level++) {
		double roof = hd_roofline_roof(c, p, level);
		if (p->bytes[level])
			hd_text_printf(out, "  %-8s %16s %12.2f %14.3f %12.2f %6.1f %%%s\n", hd_level_names[level],
			               hd_grouped_digits(p->bytes[level], b), p->cycles ? (double)p->bytes[level] / (double)p->cycles : 0,
			               hd_roofline_intensity(p, level), roof, roof > 0 ? 100 * rate / roof : 0,
			               level == bound ? "  (the lowest roof)" : "");
	}
	if (bound == HD_LEVELS)
		hd_text_printf(out, "  the lowest roof is that of the pipes\n");
}
