#include "base/plain.h"
#include "config/state_bits.h"
#include "report/energy_error.h"
#include "report/evenness.h"
#include "report/report.h"

const char *hd_report_result(hd_trap_kind kind)
{
	static const char *const names[] = {
	    [HD_TRAP_NONE] = "done",
	    [HD_TRAP_ADDRESS] = "address",
	    [HD_TRAP_PAGE] = "page",
	    [HD_TRAP_ALIGNMENT] = "alignment",
	    [HD_TRAP_INSTRUCTION] = "trap",
	    [HD_TRAP_PC] = "pc",
	    [HD_TRAP_CALL_DEPTH] = "call_depth",
	    [HD_TRAP_RETURN] = "return",
	    [HD_TRAP_DIVERGENCE] = "divergence",
	    [HD_TRAP_DEADLOCK] = "deadlock",
	    [HD_TRAP_CYCLES] = "cycle_limit",
	    [HD_TRAP_COUNTER] = "fence_counter",
	    [HD_TRAP_RESOURCES] = "resources",
	    [HD_TRAP_INTERRUPTED] = "interrupted",
	    [HD_TRAP_LAUNCH] = "launch",
	};
	return (unsigned)kind < HD_COUNT(names) && names[kind] ? names[kind] : "unknown";
}

/* Writes a line: name, value, the share of `whole` (0 = no share), and the meaning (may be empty). The name is that of the JSON report with blanks
 * for underscores. */
static void line(hd_text *out, const char *name, uint64_t value, uint64_t whole, const char *doc)
{
	char words[32], text[32], share[16] = "";
	snprintf(words, sizeof words, "%s", name);
	for (char *at = words; (at = strchr(at, '_')); at++)
		*at = ' ';
	if (whole)
		snprintf(share, sizeof share, "%.1f %%", 100.0 * (double)value / (double)whole);
	if (*doc)
		hd_text_printf(out, "  %-19s %15s %8s   %s\n", words, hd_grouped_digits(value, text), share, doc);
	else if (*share)
		hd_text_printf(out, "  %-19s %15s %8s\n", words, hd_grouped_digits(value, text), share);
	else
		hd_text_printf(out, "  %-19s %15s\n", words, hd_grouped_digits(value, text));
}

/* A group of stats.def that is being written. Counters that are zero are left out. The first counter that is not zero writes the title. */
typedef struct group {
	hd_text *out;
	const char *name, *title;
	uint64_t whole;
	bool any;
} group;

static void add(group *g, const char *of, const char *name, uint64_t value, const char *doc)
{
	if (strcmp(g->name, of) != 0 || value == 0)
		return;
	if (!g->any)
		hd_text_printf(g->out, "\n%s\n", g->title);
	g->any = true;
	line(g->out, name, value, g->whole, doc);
}

/* Writes the counters of a group, or nothing when all of them are zero. */
static void print_group(hd_text *out, const hd_stats *stats, const char *name, const char *title, uint64_t whole)
{
	group g = {.out = out, .name = name, .title = title, .whole = whole};
#define STAT(of, key, doc) add(&g, #of, #key, stats->of##_##key, doc);
#include "launch/stats.def"
#undef STAT
}

static void head(const hd_report *report, hd_text *out)
{
	const hd_kernel *kernel = report->kernel;
	const uint32_t *grid = report->grid, *block = report->block;
	hd_text_printf(out, "kernel    %s\n", hd_kernel_name(kernel));
	hd_text_printf(out, "machine   %s%s%s%s\n", report->machine->name, report->settings[0] ? ", with " : "", report->settings,
	               report->functional ? " (interpreter: values without time)" : "");
	hd_text_printf(out, "launch    grid %u x %u x %u of blocks %u x %u x %u: %llu threads\n", grid[0], grid[1], grid[2], block[0], block[1],
	               block[2], (unsigned long long)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]);
	hd_text_printf(out, "needs     %u registers and %u bytes of local memory a thread, %u bytes of shared memory a CTA\n", kernel->registers,
	               kernel->local_bytes, report->shared_bytes);
	const hd_occupancy *o = &report->occupancy;
	if (!report->functional)
		hd_text_printf(out, "occupancy %u CTAs of %u warps on a core at once, %u of %u warp slots; limited by %s\n", o->ctas,
		               o->ctas ? o->warps / o->ctas : 0, o->warps, o->slots, hd_occupancy_name(o->limit));
	hd_text_printf(out, "result    %s\n", report->result);
	if (report->hazards)
		hd_text_printf(out, "hazards   %llu violated\n", (unsigned long long)report->hazards->total);
	if (report->races)
		hd_text_printf(out, "races     %llu found, %llu at barriers\n", (unsigned long long)report->races->total,
		               (unsigned long long)report->races->barriers);
	for (const char *at = report->message; *at;) {
		size_t n = strcspn(at, "\n");
		hd_text_printf(out, "          %.*s\n", (int)n, at);
		at += n + (at[n] == '\n');
	}
}

/* Writes the result of each grid of a list. */
static void print_grids(const hd_report *report, hd_text *out)
{
	if (report->n_grids < 2)
		return;
	hd_text_printf(out, "\n  %-20s %8s %10s %10s %10s %10s %8s %8s %9s %6s\n", "grid", "priority", "arrival", "begin", "end", "turnaround",
	               "CTAs", "children", "evictions", "saved");
	for (uint32_t i = 0; i < report->n_grids; i++) {
		const hd_task *t = &report->grids[i];
		const hd_task_result *r = &report->results[i];
		const uint64_t times[4] = {r->arrival, r->begin, r->end, r->end - r->arrival};
		hd_text_printf(out, "  %2u %-17.17s %8u", i, hd_kernel_name(t->launch.kernel), t->priority);
		for (unsigned k = 0; k < 4; k++) {
			bool known = !report->functional && (k == 0 || (k == 1 ? r->begun : r->ended));
			char text[32] = "-";
			if (known)
				snprintf(text, sizeof text, "%llu", (unsigned long long)times[k]);
			hd_text_printf(out, " %10s", text);
		}
		hd_text_printf(out, " %8llu %8llu %9llu %6llu\n", (unsigned long long)r->ctas, (unsigned long long)r->children,
		               (unsigned long long)r->evictions, (unsigned long long)r->saved);
	}
}

/* MI-16 */
static void print_entries(const hd_report *report, hd_text *out)
{
	const hd_stats *stats = report->stats;
	uint64_t cycles = stats->run_issue_slots / report->machine->predecode_issue_width;
	if (!stats->entry_cycles)
		return;
	print_group(out, stats, "pipe_busy", "Cycles for which the pipelines' entries were taken", cycles);
	if (stats->register_file_port_conflicts)
		print_group(out, stats, "port_waits", "Cycles for which entries waited for register file ports alone", cycles);
	hd_text_printf(out, "\nEntries into pipelines\n");
	line(out, "cycles", stats->entry_cycles, cycles, "scheduler cycles in which an instruction entered a pipe");
	line(out, "several", stats->entry_several, cycles, "scheduler cycles in which instructions entered two or more pipes");
	hd_text_printf(out, "  %-19s %15.3f %8s   %s\n", "evenness", hd_evenness(report->machine, stats), "",
	               "1 if each pipe is used the same in every 32 cycles");
}

static void print_state(hd_text *out, const hd_machine *machine)
{
	hd_state_bits bits;
	char doc[96];
	hd_state_bits_of(machine, &bits);
	hd_text_printf(out, "\nState that keeps registers in order\n");
	snprintf(doc, sizeof doc, "bits a warp, %u a core", bits.fence_core);
	line(out, "fence counters", bits.fence_warp, 0, doc);
	snprintf(doc, sizeof doc, "bits a warp, %u a core", bits.scoreboard_core);
	line(out, "scoreboard", bits.scoreboard_warp, 0, doc);
	if (!bits.window_core)
		return;
	snprintf(doc, sizeof doc, "bits a warp, %u a core", bits.window_core);
	line(out, "candidate window", bits.window_warp, 0, doc);
	snprintf(doc, sizeof doc, "of 8 bits a core, and %u of 3 bits for predicates (MI-5)", bits.predicate_comparators);
	line(out, "window comparators", bits.register_comparators, 0, doc);
}

/* A line of the energy: an energy in femtojoules, its share of `total`, and its uncertainty in percent before the meaning. */
static void energy_line(hd_text *out, const char *name, uint64_t fj, uint64_t error, uint64_t total, const char *doc)
{
	char text[160];
	snprintf(text, sizeof text, "+/- %3.0f %%  %s", fj ? 100.0 * (double)error / (double)fj : 0.0, doc);
	line(out, name, (fj + 500) / 1000, total / 1000, text);
}

static void print_divergence_state(hd_text *out, const hd_machine *machine)
{
	hd_state_bits bits;
	char doc[96];
	hd_state_bits_of(machine, &bits);
	snprintf(doc, sizeof doc, "bits a warp, %u a core", bits.divergence_core);
	line(out, "state", bits.divergence_warp, 0, doc);
	const struct {
		const char *name, *doc;
		uint32_t bits;
	} part[] = {{"lanes", "of the state of a warp: what each lane keeps, resume counters", bits.divergence_lanes},
	            {"minrc", "of it: MINRC", bits.divergence_minrc},
	            {"members", "of it: which lanes belong to the subroutine", bits.divergence_members},
	            {"calls", "of it: the stack of calls", bits.divergence_calls},
	            {"tokens", "of it: reconvergence tokens, or convergence barriers", bits.divergence_tokens},
	            {"gather", "bits a warp beside it: lanes that meet by wsync", bits.gather_warp},
	            {"resume comparators", "of 24 bits a core: what a load of a PC compares (RC-22)", bits.resume_comparators}};
	for (size_t i = 0; i < HD_COUNT(part); i++)
		if (part[i].bits)
			line(out, part[i].name, part[i].bits, 0, part[i].doc);
}

static void print_energy(hd_text *out, const hd_report *report)
{
	hd_energy all = hd_energy_of(report->machine, report->stats);
	hd_energy_error error = hd_energy_error_of(report->machine, report->stats);
	uint64_t total = hd_energy_total(&all), registers = hd_energy_registers(&all);
	char doc[96];
	if (!total)
		return;
	hd_text_printf(out, "\nEnergy, in picojoule, with one standard deviation\n");
	snprintf(doc, sizeof doc, "%.1f pJ a lane's instruction, %.3f W at %u MHz",
	         report->stats->run_thread_instructions ? (double)total / 1000.0 / (double)report->stats->run_thread_instructions : 0.0,
	         (double)total / 1e9 * report->machine->machine_clock_mhz / (double)report->stats->run_cycles, report->machine->machine_clock_mhz);
	energy_line(out, "total", total, hd_energy_error_sum(&error, hd_energy_set_of_all()), total, doc);
	energy_line(out, "register file", registers, hd_energy_error_sum(&error, hd_energy_set_of_group(HD_ENERGY_GROUP_registers)), total,
	            "reads, writes, forwarding, compensation: the first four below");
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		if (all.fj[i])
			energy_line(out, hd_energy_names[i], all.fj[i], hd_energy_error_sum(&error, hd_energy_set_of((hd_energy_unit)i)), total,
			            hd_energy_docs[i]);
}

void hd_report_text(const hd_report *report, hd_text *out)
{
	const hd_stats *stats = report->stats;
	char text[32];
	size_t begin = out->n;
	head(report, out);
	hd_text_printf(out, "\n");
	char doc[96];
	if (!report->functional) {
		snprintf(doc, sizeof doc, "%.3f microseconds at %u MHz", (double)stats->run_cycles / report->machine->machine_clock_mhz,
		         report->machine->machine_clock_mhz);
		line(out, "cycles", stats->run_cycles, 0, doc);
		snprintf(doc, sizeof doc, "%.3f a cycle (IPC)",
		         stats->run_cycles ? (double)stats->run_warp_instructions / (double)stats->run_cycles : 0.0);
	}
	line(out, "warp instructions", stats->run_warp_instructions, 0, report->functional ? "" : doc);
	snprintf(doc, sizeof doc, "%.1f %% of the lanes active (SIMD efficiency)",
	         stats->run_lane_slots ? 100.0 * (double)stats->run_thread_instructions / (double)stats->run_lane_slots : 0.0);
	line(out, "thread instructions", stats->run_thread_instructions, 0, doc);
	line(out, "issued", stats->run_issued, 0, "instructions, nops and dropped ones included");
	line(out, "CTAs", stats->run_ctas, 0, "");
	line(out, "warps", stats->run_warps, 0, "");
	if (stats->run_issue_slots) {
		hd_text_printf(out, "\nIssue slots: where the time went\n");
		line(out, "offered", stats->run_issue_slots, stats->run_issue_slots, "schedulers x width x cycles in which the core held a warp");
		line(out, "used", stats->run_slots_used, stats->run_issue_slots, "something was issued");
		print_group(out, stats, "stall", "Lost, by cause", stats->run_issue_slots);
	}
	print_group(out, stats, "pipe", "Pipelines", stats->run_issued);
	if (!report->functional)
		print_entries(report, out);
	print_group(out, stats, "fence", "Fence counters", 0);
	if (!report->functional)
		print_state(out, report->machine);
	print_group(out, stats, "predecode", "Fetch and pre-decode", 0);
	print_group(out, stats, "divergence", "Divergence", 0);
	if (!report->functional)
		print_divergence_state(out, report->machine);
	print_group(out, stats, "multi_issue", "Instructions sent in a scheduler's cycle",
	            stats->multi_issue_sent_0 + stats->multi_issue_sent_1 + stats->multi_issue_sent_2 + stats->multi_issue_sent_3 +
	                stats->multi_issue_sent_4_or_more);
	print_group(out, stats, "grids", "Grids", 0);
	print_grids(report, out);
	print_group(out, stats, "register_file", "Register file", 0);
	print_group(out, stats, "memory", "Memory", 0);
	print_group(out, stats, "pages", "Virtual memory", 0);
	print_group(out, stats, "host_interface", "Host interface", 0);
	if (!report->functional)
		print_energy(out, report);
	if (report->ceilings) {
		hd_roofline_point point = hd_roofline_point_of("", stats);
		hd_roofline_text(report->ceilings, &point, out);
	}
	if (report->profile) {
		hd_text_printf(out, "\nLine by line\n");
		hd_profile_listing(report->profile, &report->input, stats->run_cycles, out);
	}
	hd_text_printf(out, "\nHost: %.3f seconds, %s warp instructions a second, %.1f MiB\n", report->seconds,
	               hd_grouped_digits(report->seconds > 0 ? (uint64_t)((double)stats->run_warp_instructions / report->seconds) : 0, text),
	               (double)report->peak_rss_bytes / 1048576.0);
	hd_text_make_plain(out, begin);
}
