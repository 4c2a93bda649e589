#include "report/html/html.h"

#include "config/state_bits.h"
#include "report/energy_error.h"
#include "report/html/html_roofline.h"
#include "report/html/page.h"

const char *const hd_html_energy_colours[HD_ENERGY_GROUPS] = {"#4e79a7", "#edc948", "#e15759", "#59a14f", "#b07aa1", "#bab0ac"};

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0.0; }

/* -- the head ------------------------------------------------------------------------------------------------------------------------------ */

static void card(hd_text *out, const char *value, const char *what)
{
	hd_text_printf(out, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", value, what);
}

static void cards(const hd_report *r, hd_text *out)
{
	const hd_stats *s = r->stats;
	char value[64], what[128], number[32];
	uint64_t energy = 0;
	hd_text_printf(out, "<div class=\"cards\">\n");
	if (!r->functional) {
		hd_energy all = hd_energy_of(r->machine, s);
		energy = hd_energy_total(&all);
		snprintf(what, sizeof what, "cycles, %.3f &micro;s at %u MHz", (double)s->run_cycles / r->machine->machine_clock_mhz,
		         r->machine->machine_clock_mhz);
		card(out, hd_grouped_digits(s->run_cycles, number), what);
	}
	snprintf(what, sizeof what, r->functional ? "warp instructions" : "warp instructions, %.2f a cycle",
	         s->run_cycles ? (double)s->run_warp_instructions / (double)s->run_cycles : 0.0);
	card(out, hd_grouped_digits(s->run_warp_instructions, number), what);
	snprintf(value, sizeof value, "%.1f %%", percent(s->run_thread_instructions, s->run_lane_slots));
	card(out, value, "of the lanes active");
	if (!r->functional) {
		snprintf(value, sizeof value, "%.1f %%", percent(s->run_slots_used, s->run_issue_slots));
		card(out, value, "of the issue slots used");
		snprintf(value, sizeof value, "%u of %u", r->occupancy.warps, r->occupancy.slots);
		snprintf(what, sizeof what, "warps a core; limit: %s", hd_occupancy_name(r->occupancy.limit));
		card(out, value, what);
		snprintf(value, sizeof value, "%.1f %%", percent(s->memory_l1_hits, s->memory_l1_hits + s->memory_l1_misses));
		if (s->memory_l1_hits + s->memory_l1_misses)
			card(out, value, "of the sectors hit L1");
	}
	if (energy) {
		hd_page_energy(value, sizeof value, energy);
		snprintf(what, sizeof what, "%.1f pJ a lane's instruction",
		         s->run_thread_instructions ? (double)energy / 1000.0 / (double)s->run_thread_instructions : 0.0);
		card(out, value, what);
	}
	hd_text_printf(out, "</div>\n");
}

static void head(const hd_report *r, bool profiled, hd_text *out)
{
	hd_text_printf(out, "<h1>");
	hd_page_escape(out, hd_kernel_name(r->kernel));
	hd_text_printf(out, "</h1>\n<p class=\"sub\"><code>");
	hd_page_escape(out, r->input.path ? r->input.path : "");
	hd_text_printf(out, "</code> on machine <b>");
	hd_page_escape(out, r->machine->name);
	hd_text_printf(out, "</b>%s", r->settings[0] ? " with <code>" : "");
	hd_page_escape(out, r->settings);
	hd_text_printf(out, "%s%s; grid %u &times; %u &times; %u of blocks %u &times; %u &times; %u", r->settings[0] ? "</code>" : "",
	               r->functional ? " (interpreter: values without time)" : "", r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1],
	               r->block[2]);
	hd_text_printf(out, "; %u registers and %u bytes of local memory a thread, %u bytes of shared memory a CTA. Result: <b%s>%s</b></p>\n",
	               r->kernel->registers, r->kernel->local_bytes, r->shared_bytes, strcmp(r->result, "done") == 0 ? "" : " class=\"bad\"",
	               r->result);
	if (r->message[0]) {
		hd_text_printf(out, "<pre>");
		hd_page_escape(out, r->message);
		hd_text_printf(out, "</pre>\n");
	}
	hd_text_printf(out, "<nav>");
	if (profiled)
		hd_text_printf(out, "<a href=\"#slots\">Issue slots</a><a href=\"#time\">Over time</a><a href=\"#warps\">Warps</a>");
	if (!r->functional)
		hd_text_printf(out, "<a href=\"#memory\">Memory</a><a href=\"#energy\">Energy</a>");
	if (r->ceilings)
		hd_text_printf(out, "<a href=\"#roofline\">Roofline</a>");
	if (profiled)
		hd_text_printf(out, "<a href=\"#lines\">Line by line</a>");
	hd_text_printf(out, "<a href=\"#counters\">Counters</a></nav>\n");
}

/* -- slots ----------------------------------------------------------------------------------------------------------------------------------- */

static void slots(const hd_stats *s, hd_text *out)
{
	char number[32];
	hd_text_printf(
	    out,
	    "<section class=\"keep\"><h2 id=\"slots\">Where the issue slots went</h2>\n<p>%s slots were offered: schedulers &times; width &times; "
	    "cycles in which a core held a warp. Each was used, or lost for one cause.</p>\n",
	    hd_grouped_digits(s->run_issue_slots, number));
	hd_page_slots(out, s);
	hd_text_printf(out, "</section>\n");
}

/* -- memory, energy -------------------------------------------------------------------------------------------------------------------------- */

static void hits(hd_text *out, const char *name, uint64_t hit, uint64_t miss)
{
	char a[32], b[32];
	if (hit + miss)
		hd_text_printf(out,
		               "<tr><td>%s</td><td>%s</td><td>%s</td><td>%.1f %%</td><td style=\"text-align:left\"><span class=\"bar\" "
		               "style=\"width:%.0fpx\"></span></td></tr>\n",
		               name, hd_grouped_digits(hit, a), hd_grouped_digits(miss, b), percent(hit, hit + miss), 1.6 * percent(hit, hit + miss));
}

static void count(hd_text *out, const char *name, uint64_t value, const char *more)
{
	char number[32];
	if (value)
		hd_text_printf(out, "<tr><td>%s</td><td>%s</td><td style=\"text-align:left\" class=\"dim\">%s</td></tr>\n", name,
		               hd_grouped_digits(value, number), more);
}

static void memory(const hd_report *r, hd_text *out)
{
	const hd_stats *s = r->stats;
	char more[96];
	uint64_t global = s->memory_global_loads + s->memory_global_stores + s->memory_global_atomics;
	double seconds = (double)s->run_cycles / (1e6 * r->machine->machine_clock_mhz);
	hd_text_printf(out, "<section class=\"keep\"><h2 id=\"memory\">Memory</h2>\n<div class=\"scroll\"><table><tr><th>cache, by sectors of 32 "
	                    "bytes</th><th>hits</th><th>misses</th>"
	                    "<th>hit rate</th><th></th></tr>\n");
	hits(out, "first data cache (L1)", s->memory_l1_hits, s->memory_l1_misses);
	hits(out, "second level (L2)", s->memory_l2_hits, s->memory_l2_misses);
	hits(out, "instruction cache, by lines", s->predecode_l1i_hits, s->predecode_l1i_misses);
	hd_text_printf(
	    out,
	    "</table></div>\n<div class=\"scroll\"><table style=\"margin-top:.8em\"><tr><th>instructions and traffic</th><th></th><th></th></tr>\n");
	snprintf(more, sizeof more, "%.2f sectors each", global ? (double)s->memory_sectors / (double)global : 0.0);
	count(out, "global loads", s->memory_global_loads, "");
	count(out, "global stores", s->memory_global_stores, "");
	count(out, "global atomics", s->memory_global_atomics, "");
	count(out, "sectors after coalescing", s->memory_sectors, more);
	snprintf(more, sizeof more, "%llu extra passes for bank conflicts", (unsigned long long)s->memory_bank_conflicts);
	count(out, "shared memory", s->memory_shared_accesses, more);
	count(out, "local memory", s->memory_local_accesses, "");
	count(out, "constant bank", s->memory_constant_accesses, "");
	snprintf(more, sizeof more, "%.2f GB/s read and written",
	         seconds > 0 ? 32.0 * (double)(s->memory_dram_reads + s->memory_dram_writes) / seconds / 1e9 : 0.0);
	count(out, "sectors read from DRAM", s->memory_dram_reads, more);
	count(out, "sectors written to DRAM", s->memory_dram_writes, "");
	hd_text_printf(out, "</table></div></section>\n");
}

static void energy(const hd_report *r, hd_text *out)
{
	hd_energy all = hd_energy_of(r->machine, r->stats);
	hd_energy_error error = hd_energy_error_of(r->machine, r->stats);
	uint64_t total = hd_energy_total(&all), most = 0;
	char number[40];
	if (!total)
		return;
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		most = hd_max_u64(all.fj[i], most);
	hd_text_printf(
	    out,
	    "<section class=\"keep\"><h2 id=\"energy\">Energy</h2>\n<p>%.1f &#177; %.1f nJ in all, %.3f W on average, from a documented table of "
	    "picojoule an event; numbers in nJ, with one standard deviation.</p>\n<div class=\"rows\">\n",
	    (double)total / 1e6, (double)hd_energy_error_sum(&error, hd_energy_set_of_all()) / 1e6,
	    (double)total / 1e9 * r->machine->machine_clock_mhz / (double)r->stats->run_cycles);
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++) {
		char name[32];
		if (!all.fj[i])
			continue;
		snprintf(name, sizeof name, "%s", hd_energy_names[i]);
		for (char *at = name; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		snprintf(number, sizeof number, "%.2f &#177;%.0f %%", (double)all.fj[i] / 1e6,
		         100.0 * (double)hd_energy_error_sum(&error, hd_energy_set_of((hd_energy_unit)i)) / (double)all.fj[i]);
		hd_page_row(out, name, (double)all.fj[i] / (double)most, hd_html_energy_colours[hd_energy_group_of[i]], number,
		            (double)all.fj[i] / (double)total, hd_energy_docs[i]);
	}
	hd_text_printf(out, "</div>\n<p class=\"legend\">");
	for (unsigned g = 0; g < HD_ENERGY_GROUPS; g++)
		hd_text_printf(out, "<span><i style=\"background:%s\"></i>%s</span>", hd_html_energy_colours[g], hd_energy_group_docs[g]);
	hd_text_printf(out, "</p></section>\n");
}

/* -- the page ------------------------------------------------------------------------------------------------------------------------------------ */

void hd_report_html(const hd_report *r, hd_text *out)
{
	hd_report plain = *r; /* the counters in text, without the listing, which is a table of its own */
	hd_profile *p = r->profile;
	hd_text text = {0};
	bool profiled = p && r->stats->run_issue_slots;
	hd_page_begin(out, hd_kernel_name(r->kernel));
	head(r, profiled, out);
	cards(r, out);
	if (profiled) {
		hd_profile_settle(p);
		slots(r->stats, out);
		hd_html_over_time(r, p, out);
		hd_html_warps(r, p, out);
	}
	if (!r->functional) {
		memory(r, out);
		energy(r, out);
	}
	if (r->ceilings) {
		hd_roofline_point point = hd_roofline_point_of(hd_kernel_name(r->kernel), r->stats);
		hd_html_roofline(r->ceilings, &point, 1, out);
	}
	if (profiled)
		hd_html_listing(r, p, out);
	plain.profile = NULL;
	hd_report_text(&plain, &text);
	hd_text_printf(out, "<h2 id=\"counters\">Counters</h2>\n<pre>");
	hd_page_escape(out, text.at);
	hd_text_printf(out, "</pre>\n");
	hd_text_free(&text);
	hd_page_end(out);
}
