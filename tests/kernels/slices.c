/* MT-4: every example on machines with slices and DRAM rows, one of them with hardly any room anywhere. The bytes of all outputs are those of the
 * interpreter, and the hazard sanitizer is silent. */
#include "watched_run.h"

static const struct {
	const char *name, *settings[20];
} machines[] = {
    {"rows", {"memory.slices=8", "memory.dram_banks=8", "memory.far_latency=30"}},
    {"no room",
     {"memory.slices=2", "memory.slice_queue=1", "memory.slice_banks=1", "memory.slice_bank_cycles=9", "memory.l1_misses=3", "memory.l1_writes=2",
      "memory.request_bytes=10", "memory.request_queue=1", "memory.answer_bytes=5", "memory.l2_misses=2", "memory.l2_bytes=16384", "memory.l2_ways=2",
      "memory.dram_queue=5", "memory.dram_banks=2", "memory.dram_refresh_interval=600", "memory.dram_patience=40", "memory.slice_hash=interleaved"}},
};

static bool check(const ex_example *example, unsigned which, hd_diag *diag)
{
	hd_machine machine;
	hd_text path = {0};
	bool ok = true;
	hd_machine_default(&machine);
	for (const char *const *s = machines[which].settings; *s && ok; s++)
		ok = hd_machine_set(&machine, *s, diag);
	ok = ok && hd_machine_validate(&machine, NULL, diag);
	hd_text_printf(&path, "%s/examples/%s", getenv("HEDDLE_SOURCE"), example->source);
	hd_object *object = ok ? ex_heddle_compile(path.at, &machine, false, diag) : NULL;
	ex_run timed = {0}, functional = {0};
	ok = object && watched_run(example, &machine, object, true, &functional, diag) &&
	     watched_run(example, &machine, object, false, &timed, diag) &&
	     ex_same_outputs(&functional, "in the interpreter", &timed, machines[which].name, diag);
	if (!ok)
		hd_error(diag, (hd_pos){.file = example->name}, "on machine `%s`", machines[which].name);
	ex_run_free(&timed);
	ex_run_free(&functional);
	if (object)
		hd_object_free(object);
	hd_text_free(&path);
	return ok;
}

int main(void)
{
	hd_diag diag = {0};
	bool ok = true;
	for (unsigned e = 0; ex_tested[e]; e++)
		for (unsigned i = 0; i < HD_COUNT(machines); i++)
			ok = check(ex_tested[e], i, &diag) && ok;
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}
