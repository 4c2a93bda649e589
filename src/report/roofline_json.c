#include "report/roofline_json.h"

#include "report/json_string.h"

json_t *hd_roofline_json(const hd_ceilings *c, const hd_roofline_point *p)
{
	json_t *operations = json_object(), *bytes = json_object(), *levels = json_object();
	double rate = hd_roofline_rate(p);
	hd_level bound = hd_roofline_bound(c, p);
	for (hd_peak peak = 0; peak < HD_PEAKS; peak++)
		hd_json_set(operations, hd_peak_names[peak], json_real(c->operations[peak]));
	for (hd_level level = 0; level < HD_LEVELS; level++) {
		double roof = hd_roofline_roof(c, p, level);
		hd_json_set(bytes, hd_level_names[level], json_real(c->bytes[level]));
		hd_json_set(levels, hd_level_names[level],
		            json_pack("{s:I, s:f, s:f, s:f}", "bytes", (json_int_t)p->bytes[level], "intensity", hd_roofline_intensity(p, level),
		                      "roof", roof, "reached", roof > 0 ? rate / roof : 0.0));
	}
	return json_pack("{s:{s:o, s:o}, s:I, s:f, s:o, s:s}", "ceilings", "operations_per_cycle", operations, "bytes_per_cycle", bytes, "operations",
	                 (json_int_t)p->operations, "operations_per_cycle", rate, "levels", levels, "bound",
	                 bound == HD_LEVELS ? "pipes" : hd_level_names[bound]);
}
