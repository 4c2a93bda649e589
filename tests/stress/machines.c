#include "machines.h"

bool stress_machine_load(const stress_machine *description, hd_machine *machine, hd_diag *diag)
{
	hd_machine_default(machine);
	for (unsigned i = 0; description->settings[i]; i++)
		if (!hd_machine_set(machine, description->settings[i], diag))
			return false;
	return hd_machine_validate(machine, NULL, diag);
}

/* -- random machines ----------------------------------------------------------------------------------------------------------------------- */

typedef struct drawing {
	uint64_t seed;
	hd_machine *machine;
	hd_text *settings;
} drawing;

static unsigned any(drawing *d, unsigned n) { return (unsigned)(hd_random(&d->seed) >> 16) % n; }

static void set(drawing *d, const char *key, const char *value)
{
	char setting[64];
	hd_diag diag = {0};
	snprintf(setting, sizeof setting, "%s=%s", key, value);
	hd_invariant(hd_machine_set(d->machine, setting, &diag), "%s: %s", setting, diag.text.at);
	hd_text_printf(d->settings, "%s--set %s", d->settings->n ? " " : "", setting);
}

static void set_number(drawing *d, const char *key, unsigned value)
{
	char number[16];
	snprintf(number, sizeof number, "%u", value);
	set(d, key, number);
}

static void draw_passed_waits(drawing *d)
{
	set(d, "multi_issue.pass_waits", "true");
	if (any(d, 2))
		set(d, "multi_issue.places", "eligible");
}

/* PD-36 */
static void draw_task_managers(drawing *d)
{
	static const char *const managers[] = {"device", "cluster", "help"};
	if (any(d, 2))
		return;
	set_number(d, "machine.clusters", 1 + any(d, 3));
	set_number(d, "machine.devices", 1 + any(d, 2));
	set(d, "grids.managers", managers[any(d, 3)]);
	set(d, "grids.lend", any(d, 2) ? "true" : "false");
	set(d, "grids.join", d->machine->grids_lend ? "stay" : "save"); /* PD-32: no draw of its own, so that others stay as they are */
	set_number(d, "grids.clusters_1", any(d, d->machine->machine_clusters));
	if (any(d, 2)) {
		set(d, "grids.order", "round_robin");
		set_number(d, "grids.time_slice", any(d, 2000));
	}
}

/* PD-24, PD-33 */
static void draw_geometry(drawing *d, bool fifo)
{
	static const char *const geometries[] = {"combined", "front", "compact"};
	set(d, "predecode.geometry", geometries[any(d, fifo ? 2 : 3)]);
}

static void draw_issue(drawing *d, bool single)
{
	set_number(d, "multi_issue.window", single ? 1 : 2 + any(d, 7));
	if (!single && any(d, 2))
		draw_passed_waits(d);
	set_number(d, "predecode.issue_width", 1u << any(d, 3));
	if (any(d, 6) == 0) {
		set(d, "multi_issue.queues", "shared");
		set_number(d, "multi_issue.queue_entries", 1 + any(d, 20));
	}
	bool fifo = any(d, 4) == 0;
	if (fifo) {
		set_number(d, "predecode.fifo", 1 + any(d, 9));
		set_number(d, "predecode.fifo_rate", 1 + any(d, 4));
		set_number(d, "predecode.data_buffer", 8 + any(d, 12));
		if (any(d, 4) == 0)
			set(d, "predecode.carrier", "ahead");
	}
	if (any(d, 4) == 0)
		set(d, "predecode.refetch", "true");
	if (!fifo && any(d, 4) == 0) {
		set(d, "predecode.carrier", single && any(d, 3) == 0 ? "register" : any(d, 2) ? "instruction" : "none");
		if (any(d, 2))
			set(d, "predecode.geometry", "plain");
	} else if (any(d, 2) == 0)
		draw_geometry(d, fifo);
	if (any(d, 2))
		set(d, "predecode.hint_table", "true");
	if (any(d, 4) == 0)
		set_number(d, "latency.nop.latency", 1 + any(d, 6));
	set_number(d, "predecode.replay", any(d, 3) * 4);
	if (any(d, 4) == 0) {
		set_number(d, "predecode.sort_period", 1 + any(d, 16));
		set_number(d, "predecode.sort_warps", 2 + any(d, 15));
		set(d, "predecode.sort_whole", d->machine->predecode_sort_period & 1 ? "true" : "false"); /* no draw of its own */
	}
	if (any(d, 2))
		set_number(d, "predecode.chain", 2 + any(d, 3));
	if (any(d, 4) == 0 && !d->machine->predecode_fifo && d->machine->multi_issue_queues == HD_QUEUES_TYPED)
		set(d, "predecode.strict_pairs", "true");
	if (any(d, 4) == 0)
		set(d, "predecode.consecutive", "true");
	static const char *const refusals[] = {"refuse_busy", "refuse_atomics", "refuse_constants", "refuse_ports", "replay_misses"};
	for (unsigned i = 0; i < HD_COUNT(refusals); i++) {
		char key[48];
		snprintf(key, sizeof key, "predecode.%s", refusals[i]);
		if (any(d, 4) == 0)
			set(d, key, "true");
	}
	if (any(d, 4) == 0)
		set_number(d, "memory.constant_bytes", 1024);
	if (any(d, 4) == 0)
		set(d, "fetch.l15_constants", "true");
	if (any(d, 4) == 0)
		set_number(d, "grids.descriptor_bytes", any(d, 400));
	draw_task_managers(d);
	if (any(d, 2))
		set(d, "divergence.mode", any(d, 2) ? "stack" : "barriers");
	if (d->machine->predecode_carrier != HD_CARRIER_INSTRUCTION && any(d, 2))
		set(d, "divergence.pop", "flag");
}

static void draw_counters(drawing *d)
{
	static const uint8_t bits[] = {4, 5, 12, 12};
	unsigned counters = 2 + any(d, 5);
	set_number(d, "fence.counters", counters);
	unsigned high = any(d, counters);
	set_number(d, "fence.high_latency", high);
	if (any(d, 4) == 0)
		set_number(d, "fence.status_period", any(d, 20));
	set(d, "fence.early", d->machine->fence_status_period % 3 ? "true" : "false"); /* no draw of its own */
	if (high && any(d, 3) == 0) {
		set(d, "fence.deadlock_free", "true");
		set(d, "fence.wait_counters", "false");
	}
	if (any(d, 3) == 0)
		set(d, "fence.assign", any(d, 2) ? "rotate" : "unshared");
	set_number(d, "fence.bits", bits[any(d, HD_COUNT(bits))]);
	if (any(d, 3) == 0)
		set(d, "fence.unit", "instruction");
	if (any(d, 3) == 0)
		set(d, "memory.return_groups", "true");
	if (any(d, 2)) {
		set(d, "fence.classify", "latency");
		set_number(d, "fence.threshold", 1 + any(d, 30));
	}
	if (any(d, 4) == 0)
		set(d, "fence.within_pipeline", "true");
	if (any(d, 4) == 0)
		set(d, "fence.memory_high", "false");
	if (any(d, 4) == 0)
		set(d, "fence.active_logic", "false");
	if (any(d, 2))
		set_number(d, "divergence.if_convert", 1 + any(d, 40));
}

static void draw_pipes(drawing *d, bool narrow)
{
	static const uint16_t most[] = {3, 9, 40, 400}; /* cycles of a latency: the last ones are beyond what a delay states and a queue keeps */
	char key[48];
	const hd_machine *m = d->machine;
	bool refuses = m->predecode_replay && (m->predecode_refuse_busy || m->predecode_refuse_ports || m->predecode_refuse_constants);
	for (unsigned klass = 0; klass < HD_CLASS_COUNT; klass++) {
		if (klass == HD_CLASS_NOP)
			continue;
		snprintf(key, sizeof key, "latency.%s.latency", hd_class_names[klass]);
		set_number(d, key, 1 + any(d, most[any(d, 4)]));
		snprintf(key, sizeof key, "latency.%s.interval", hd_class_names[klass]);
		if (klass != HD_CLASS_FLOW && any(d, 2))
			set_number(d, key, 1 + any(d, 9));
	}
	if (!refuses && d->machine->multi_issue_queues != HD_QUEUES_SHARED && any(d, 3) == 0) { /* HZ-37 */
		static const char *const sets[] = {"alu", "coord+f64", "sfu+cvt+tex", "alu+coord+sfu+f64+cvt+tex"};
		set(d, "machine.shared_pipes", sets[any(d, HD_COUNT(sets))]);
	}
	bool map = any(d, 3) == 0, copies = !refuses && !narrow && d->machine->multi_issue_queues != HD_QUEUES_SHARED && any(d, 3) == 0; /* MI-14 */
	for (unsigned pipe = 0; copies && pipe < HD_PIPE_LATOM; pipe++) {
		snprintf(key, sizeof key, "copies.%s", hd_pipe_names[pipe]);
		set_number(d, key, 1 + any(d, HD_MAX_COPIES));
	}
	if (copies) /* no draw of its own, so that others stay as they are */
		set_number(d, "copies.lsu", d->machine->copies[HD_PIPE_ALU]);
	for (unsigned klass = 0; map && klass <= HD_CLASS_TEX; klass++) {
		snprintf(key, sizeof key, "pipe.%s", hd_class_names[klass]);
		if (any(d, 2))
			set(d, key, hd_pipe_names[any(d, HD_PIPE_LATOM)]);
	}
	for (unsigned pipe = 0; pipe < HD_PIPE_FLOW; pipe++) {
		snprintf(key, sizeof key, "lanes.%s", hd_pipe_names[pipe]);
		if (narrow && any(d, 2))
			set_number(d, key, 4u << any(d, 3));
		snprintf(key, sizeof key, "queue.%s.fifo", hd_pipe_names[pipe]);
		set_number(d, key, 1 + any(d, 4));
		snprintf(key, sizeof key, "queue.%s.hazard", hd_pipe_names[pipe]);
		set_number(d, key, any(d, 9));
	}
}

/* PD-38 */
static void draw_pages(drawing *d)
{
	if (any(d, 3) == 0) {
		unsigned ways = 1 + any(d, 4);
		set_number(d, "pages.kib", 4u << any(d, 10));
		set_number(d, "pages.levels", 1 + any(d, 5));
		set_number(d, "pages.walks", 1 + any(d, 4));
		set_number(d, "pages.tlb_ways", ways);
		set_number(d, "pages.tlb_entries", ways * (1 + any(d, 8)));
		set_number(d, "pages.tlb2_entries", 8 * any(d, 3));
	}
	if (any(d, 3) == 0) {
		set_number(d, "host.bytes_per_cycle", 1 + any(d, 40));
		set_number(d, "host.latency", 1 + any(d, 900));
		set_number(d, "host.queue", 1 + any(d, 8));
		set(d, "host.system_memory", any(d, 2) ? "true" : "false");
	}
}

/* MT-4 */
static void draw_slices(drawing *d)
{
	static const char *const sizes[] = {"16384", "32768", "1048576"};
	set_number(d, "memory.dram_partitions", 1u << any(d, 3));
	set_number(d, "memory.slices", d->machine->memory_dram_partitions << any(d, 3));
	set(d, "memory.l2_bytes", sizes[any(d, HD_COUNT(sizes))]);
	set_number(d, "memory.l2_ways", 1u << any(d, 3));
	set_number(d, "memory.l2_misses", d->machine->memory_slices * (1 + any(d, 6)));
	set(d, "memory.slice_hash", any(d, 2) ? "hashed" : "interleaved");
	set_number(d, "memory.slice_queue", 1 + any(d, 9));
	set_number(d, "memory.slice_banks", 1 + any(d, 5));
	set_number(d, "memory.slice_bank_cycles", 1 + any(d, 12));
	set_number(d, "memory.request_bytes", any(d, 60));
	set_number(d, "memory.request_queue", 1 + any(d, 6));
	set_number(d, "memory.answer_bytes", any(d, 60));
	set_number(d, "memory.dram_queue", 5 + any(d, 20));
	set_number(d, "memory.dram_cycles_per_sector", 1 + any(d, 20));
	if (any(d, 3) == 0)
		return;
	set_number(d, "memory.dram_banks", 1 + any(d, 9));
	set_number(d, "memory.dram_row_bytes", 256u << any(d, 5));
	set_number(d, "memory.dram_activate", any(d, 60));
	set_number(d, "memory.dram_precharge", any(d, 60));
	set_number(d, "memory.dram_row_least", any(d, 100));
	set_number(d, "memory.dram_refresh", any(d, 300));
	if (any(d, 2))
		set_number(d, "memory.dram_refresh_interval", 800 + any(d, 3000));
	set(d, "memory.dram_order", any(d, 3) ? "first_ready" : "in_order");
	set_number(d, "memory.dram_patience", 1 + any(d, 500));
}

static void draw_memory(drawing *d)
{
	if (any(d, 4) == 0)
		set(d, "memory.values", "at_once");
	if (any(d, 3) == 0)
		set_number(d, "memory.far_latency", 1 + any(d, 400));
	set_number(d, "memory.l1_latency", 1 + any(d, 200));
	set_number(d, "memory.shared_latency", 1 + any(d, 100));
	set_number(d, "memory.l1_misses", 1 + any(d, 8));
	set_number(d, "memory.l1_writes", 1 + any(d, 8));
	set_number(d, "memory.shared_banks", 1 + any(d, 32));
	set_number(d, "register_file.read_ports", 1 + any(d, 2));
	set_number(d, "register_file.write_ports", 1 + any(d, 2));
	if (any(d, 4) == 0) { /* not with an operand buffer */
		set_number(d, "register_file.read_latency", any(d, 6));
		set_number(d, "register_file.write_latency", any(d, 6));
		set_number(d, "last_use.compensation", any(d, 9));
	} else if (any(d, 2)) {
		set(d, "last_use.compensation_of", "warp");
		set_number(d, "last_use.compensation", any(d, 9));
		set_number(d, "last_use.compensation_share", 1u << any(d, 4));
		set_number(d, "last_use.last_result", any(d, 5));
	}
	set_number(d, "machine.schedulers", 1 + any(d, 4));
	draw_pages(d);
	if (d->machine->memory_values == HD_VALUES_TRAVEL && !d->machine->memory_return_groups && any(d, 3) == 0)
		draw_slices(d);
	if (any(d, 3) == 0)
		set_number(d, "machine.lanes", 6 + any(d, 26)); /* 16 warps hold a CTA of 96 threads (RC-23) */
}

/* PD-27. Last, because it goes by what was drawn. */
static void draw_speculation(drawing *d)
{
	if (d->machine->fence_wait_counters && d->machine->multi_issue_queues == HD_QUEUES_TYPED && !d->machine->machine_shared_pipes && any(d, 2))
		set(d, "predecode.speculate", any(d, 2) ? "static" : "counters");
}

void stress_machine_random(uint64_t seed, bool single, bool narrow, hd_machine *machine, hd_text *settings)
{
	drawing d = {seed * 0x9e3779b97f4a7c15u + 1, machine, settings};
	hd_diag diag = {0};
	hd_machine_default(machine);
	draw_issue(&d, single);
	draw_counters(&d);
	draw_pipes(&d, narrow);
	draw_memory(&d);
	draw_speculation(&d);
	hd_invariant(hd_machine_validate(machine, NULL, &diag), "random machine %llu: %s", (unsigned long long)seed, diag.text.at);
}
