/* Any text as a study (ST-1): a plan or a message; the points of a small plan are made, each machine once. */
#include "fuzz.h"

#include "study/points.h"

/* Names of machines can be names of files, which a fuzzer must not open. */
static bool names_machines(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 7 <= size; i++)
		if (memcmp(bytes + i, "machine", 7) == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_plan plan;
	if (names_machines(bytes, size))
		return 0;
	bool ok = hd_plan_read_text(&plan, (const char *)bytes, size, "fuzz.yaml", &diag);
	hd_invariant(ok == (diag.errors == 0), "%s with %u errors", ok ? "taken" : "refused", diag.errors);
	uint64_t points_of = plan.count;
	for (size_t i = 0; i < plan.axes.n && points_of < 1000; i++)
		points_of = (points_of ? points_of : 1) * plan.axes.at[i].values.n;
	if (ok && points_of < 1000 && plan.list.n < 1000 * HD_AXES_MAX) {
		hd_points points;
		bool made = hd_points_make(&points, &plan, &diag);
		hd_invariant(made == (diag.errors == 0), "%s with %u errors", made ? "made" : "refused", diag.errors);
		for (size_t i = 1; made && i < points.list.n; i++)
			hd_invariant(strcmp(points.list.at[i].id, points.list.at[i - 1].id) != 0, "a machine is there twice");
		hd_points_free(&points);
	}
	hd_plan_free(&plan);
	hd_diag_free(&diag);
	return 0;
}
