#include "config/machine.h"

#include "config/keys.h"
#include "config/mechanisms.h"
#include "config/presets.h"
#include "config/yaml.h"

#include <sys/stat.h>

enum { FILE_MAX = 1 << 20 };

void hd_machine_default(hd_machine *machine)
{
	*machine = (hd_machine){.name = "heddle",
#define KEY(section, key, kind, initial, ...) .section##_##key = initial,
#include "config/machine.def"
#define CLASS(id, pipe, name, cycles, every) .latency[HD_CLASS_##id] = {cycles, every},
	                        HD_CLASSES(CLASS)
#undef CLASS
	};
	for (int pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		machine->queue[pipe] = (hd_queue_sizes){.fifo = 4, .hazard = 8};
		machine->lanes[pipe] = HD_LANES;
		machine->copies[pipe] = 1;
	}
#define CLASS(id, in, ...) machine->pipe[HD_CLASS_##id] = HD_PIPE_##in;
	HD_CLASSES(CLASS)
#undef CLASS
}

/* ", did you mean NAME?" or "," and then the presets, for a word that is none. */
static void put_expected_presets(hd_text *out, const char *word)
{
	hd_suggestion suggestion = {.word = word};
	for (unsigned i = 0; hd_machine_presets[i]; i++)
		hd_suggest(&suggestion, hd_machine_presets[i]);
	char *hint = hd_suggestion_text(&suggestion);
	hd_text_printf(out, "%s expected one of ", *hint ? hint : ",");
	for (unsigned i = 0; hd_machine_presets[i]; i++)
		hd_text_printf(out, "%s%s", i ? ", " : "", hd_machine_presets[i]);
	free(hint);
}

static void unknown_key(const char *path, bool is_section, hd_pos pos, hd_diag *diag)
{
	char nearest[48];
	if (hd_key_is_section(path) != is_section && (hd_key_is_section(path) || hd_key_find(path, &(hd_key){{0}, 0, 0, 0, 0, 0, 0, 0})))
		hd_error(diag, pos, "%s is %s, expected %s", path, is_section ? "a key" : "a section", is_section ? "a value" : "a mapping of keys");
	else if (hd_key_nearest(path, is_section, nearest))
		hd_error(diag, pos, "%s is no %s of a machine description, did you mean %s?", path, is_section ? "section" : "key", nearest);
	else
		hd_error(diag, pos, "%s is no %s of a machine description, expected one that `heddle config heddle` prints", path,
		         is_section ? "section" : "key");
}

/* The context of the YAML reader's callback. */
typedef struct loading {
	hd_machine *machine;
	bool any; /* a key other than name was read */

} loading;

static bool load_preset(hd_machine *machine, const char *name, hd_diag *diag);

static bool store_name(hd_machine *machine, const char *value, hd_pos at, hd_diag *diag)
{
	size_t length = strlen(value);
	if (length == 0 || length >= sizeof machine->name ||
	    strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-") != length) {
		hd_error(diag, at, "name cannot be '%.40s', expected 1 to %zu letters, digits, '_', '.', '+' or '-'", value,
		         sizeof machine->name - 1);
		return false;
	}
	memset(machine->name, 0, sizeof machine->name); /* descriptions are compared as bytes */
	memcpy(machine->name, value, length);
	return true;
}

static bool store_preset(loading *load, const char *value, hd_pos key_pos, hd_pos at, hd_diag *diag)
{
	if (load->any) {
		hd_error(diag, key_pos, "preset must come before all sections, which change what it gives");
		return false;
	}
	if (!hd_preset_text(value)) {
		hd_text names = {0};
		put_expected_presets(&names, value);
		hd_error(diag, at, "preset cannot be '%.40s'%s", value, names.at);
		hd_text_free(&names);
		return false;
	}
	char name[sizeof load->machine->name];
	memcpy(name, load->machine->name, sizeof name);
	bool ok = load_preset(load->machine, value, diag);
	memcpy(load->machine->name, name, sizeof name);
	return ok;
}

static bool store(void *context, const char *path, const char *value, hd_pos key_pos, hd_pos at, hd_diag *diag)
{
	loading *load = context;
	hd_key key;
	if (value && strcmp(path, "name") == 0)
		return store_name(load->machine, value, at, diag);
	if (value && strcmp(path, "preset") == 0)
		return store_preset(load, value, key_pos, at, diag);
	load->any = true;
	if (!value && hd_key_is_section(path))
		return true;
	if (value && hd_key_find(path, &key))
		return hd_key_store(load->machine, &key, value, at, diag);
	unknown_key(path, !value, key_pos, diag);
	return false;
}

/* Loads a preset like a file. A preset may build on another one. The test of the presets shows that every chain ends. */
static bool load_preset(hd_machine *machine, const char *name, hd_diag *diag)
{
	const char *text = hd_preset_text(name);
	loading load = {.machine = machine};
	hd_machine_default(machine);
	return hd_yaml_read(text, strlen(text), name, store, &load, diag);
}

/* Gives a file without a `name` its own file name. */
static void name_after_file(hd_machine *machine, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t length = strcspn(base, ".");
	if (length >= sizeof machine->name)
		length = sizeof machine->name - 1;
	memset(machine->name, 0, sizeof machine->name);
	for (size_t i = 0; i < length; i++) {
		bool plain = (base[i] >= 'a' && base[i] <= 'z') || (base[i] >= 'A' && base[i] <= 'Z') || (base[i] >= '0' && base[i] <= '9');
		machine->name[i] = plain ? base[i] : '-';
	}
	if (length == 0)
		memcpy(machine->name, "unnamed", 8);
}

bool hd_machine_read(hd_machine *machine, const char *text, size_t size, const char *file, hd_diag *diag)
{
	loading load = {.machine = machine};
	hd_machine_default(machine);
	name_after_file(machine, file);
	return hd_yaml_read(text, size, file, store, &load, diag) && hd_machine_validate(machine, file, diag);
}

bool hd_machine_load(hd_machine *machine, const char *name_or_path, hd_diag *diag)
{
	hd_machine_default(machine);
	if (!name_or_path)
		return true;
	if (hd_preset_text(name_or_path))
		return load_preset(machine, name_or_path, diag) && hd_machine_validate(machine, name_or_path, diag);
	struct stat status;
	bool there = stat(name_or_path, &status) == 0;
	if (!there && hd_mechanism_compose(machine, name_or_path))
		return hd_machine_validate(machine, name_or_path, diag);
	if (!there && !strpbrk(name_or_path, "/.")) {
		hd_text names = {0};
		put_expected_presets(&names, name_or_path);
		hd_error(diag, (hd_pos){.file = name_or_path}, "is no machine%s, one of them with +MECHANISM or -MECHANISM, or a YAML file",
		         names.at);
		hd_text_free(&names);
		return false;
	}
	size_t size;
	char *text = hd_read_file(name_or_path, FILE_MAX, &size, diag);
	if (!text)
		return false;
	bool ok = hd_machine_read(machine, text, size, name_or_path, diag);
	free(text);
	return ok;
}

bool hd_machine_set(hd_machine *machine, const char *assignment, hd_diag *diag)
{
	hd_pos pos = {.file = assignment};
	const char *equals = strchr(assignment, '=');
	hd_key key;
	char path[64];
	if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof path) {
		hd_error(diag, pos, "is no setting, expected KEY=VALUE, as in fence.counters=4");
		return false;
	}
	memcpy(path, assignment, (size_t)(equals - assignment));
	path[equals - assignment] = '\0';
	if (hd_key_find(path, &key))
		return hd_key_store(machine, &key, equals + 1, pos, diag);
	unknown_key(path, false, pos, diag);
	return false;
}

/* Checks that the lines of a cache form whole sets. */
static void check_ways(uint32_t lines, uint32_t ways, const char *size_key, const char *ways_key, hd_pos pos, hd_diag *diag)
{
	if (lines < ways || lines % ways != 0)
		hd_error(diag, pos, "%s: a cache of %u lines has no whole number of sets of %s = %u, expected a multiple", size_key, lines, ways_key,
		         ways);
}

/* PD-27: what cannot live with instructions that wait in queues for a branch. */
static void check_speculation(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	if (!m->predecode_speculate)
		return;
	if (!m->fence_wait_counters && m->fence_mode == HD_DEP_FENCE)
		hd_error(diag, pos,
		         "predecode.speculate cannot be used without fence.wait_counters: a primary behind a branch would raise the counter for "
		         "which the branch waits");
	if (m->fence_counters == HD_MAX_COUNTERS)
		hd_error(diag, pos, "fence.counters is %u, expected at most %u with predecode.speculate, which takes the flag of the last one",
		         m->fence_counters, HD_MAX_COUNTERS - 1);
	if (m->multi_issue_queues == HD_QUEUES_SHARED)
		hd_error(diag, pos,
		         "predecode.speculate cannot be used with multi_issue.queues `shared`, whose head would hold back all warps until its branch "
		         "is decided");
	if (m->machine_shared_pipes)
		hd_error(diag, pos,
		         "predecode.speculate cannot be used with machine.shared_pipes: a scheduler takes back what waits in queues of its own");
	if (m->divergence_mode == HD_DIV_RESUME && m->divergence_minrc == HD_MINRC_IGNORE)
		hd_error(diag, pos,
		         "predecode.speculate cannot be used with divergence.minrc `ignore`, where a jump changes which resume point comes next");
}

/* PD-1, PD-33: what lines of the geometry have no room for. */
static void check_geometry(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	const hd_geometry_info *geometry = &hd_geometries[m->predecode_geometry];
	if (m->fence_counters > geometry->counters)
		hd_error(diag, pos,
		         "fence.counters is %u, expected at most %u: lines of predecode.geometry `%s` name no more, those of `wide`, `short` and "
		         "`front` do",
		         m->fence_counters, geometry->counters, geometry->name);
	if (geometry->mask_at && m->predecode_carrier == HD_CARRIER_INSTRUCTION)
		hd_error(diag, pos,
		         "predecode.geometry cannot be `%s` with predecode.carrier `instruction`, whose bits hold part of the primary field there",
		         geometry->name);
	if (!geometry->hints && m->predecode_carrier == HD_CARRIER_LINE)
		hd_error(diag, pos, "predecode.geometry cannot be `%s` with predecode.carrier `line`: its lines have no scheduling word",
		         geometry->name);
	if (!hd_is_compact(m->predecode_geometry))
		return;
	if (m->predecode_carrier == HD_CARRIER_INSTRUCTION || m->predecode_carrier == HD_CARRIER_REGISTER)
		hd_error(diag, pos,
		         "predecode.geometry cannot be `compact` with predecode.carrier `instruction` or `register`: short instructions have no bits "
		         "for hints, and hint registers count instructions of one length");
	if (m->predecode_fifo)
		hd_error(diag, pos, "predecode.geometry cannot be `compact` with predecode.fifo, expected 0: entries of a FIFO are of one length");
}

/* Checks the keys of the task managers against each other (PD-36). */
static void check_grids(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	uint32_t own = m->grids_clusters_1 + m->grids_clusters_2 + m->grids_clusters_3;
	if (m->grids_order == HD_ORDER_ROUND_ROBIN && m->grids_evict == HD_EVICT_SAVE)
		hd_error(diag, pos,
		         "grids.evict cannot be `save` with grids.order `round_robin`, where no grid is more urgent than another, expected `none` or "
		         "`drain`");
	if (m->grids_time_slice && m->grids_order != HD_ORDER_ROUND_ROBIN)
		hd_error(diag, pos, "grids.time_slice is %u, expected 0 with grids.order `priority`, where a grid does not wait for its turn",
		         m->grids_time_slice);
	if (own >= m->machine_clusters)
		hd_error(diag, pos,
		         "grids.clusters_1, clusters_2 and clusters_3 are %u together, expected fewer than machine.clusters (%u): kind 0 needs one",
		         own, m->machine_clusters);
}

static void check_entries(uint32_t entries, uint32_t ways, const char *entries_key, const char *ways_key, hd_pos pos, hd_diag *diag)
{
	if (entries % ways != 0)
		hd_error(diag, pos, "%s is %u, expected a multiple of %s (%u)", entries_key, entries, ways_key, ways);
}

/* PD-38 */
static void check_pages(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	if (m->pages_kib && (m->pages_kib < 4 || (m->pages_kib & (m->pages_kib - 1))))
		hd_error(diag, pos, "pages.kib cannot be %u, expected 0, or a power of 2 from 4", m->pages_kib);
	check_entries(m->pages_tlb_entries, m->pages_tlb_ways, "pages.tlb_entries", "pages.tlb_ways", pos, diag);
	check_entries(m->pages_tlb2_entries, m->pages_tlb2_ways, "pages.tlb2_entries", "pages.tlb2_ways", pos, diag);
	if (m->host_system_memory && !m->host_bytes_per_cycle)
		hd_error(diag, pos, "host.system_memory needs an interface to the host, expected host.bytes_per_cycle of 1 or more");
}

/* MI-14, HZ-37: what pipes with several copies or schedulers cannot be combined with. */
static void check_pipes(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	char what[48] = "machine.shared_pipes";
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (m->copies[pipe] > 1 && !m->machine_shared_pipes)
			snprintf(what, sizeof what, "copies.%s", hd_pipe_names[pipe]);
		if (m->copies[pipe] > 1 && m->lanes[pipe] < HD_LANES)
			hd_error(diag, pos, "copies.%s is %u, expected 1 with lanes.%s of %u: a narrow pipe takes one instruction at a time",
			         hd_pipe_names[pipe], m->copies[pipe], hd_pipe_names[pipe], m->lanes[pipe]);
	}
	if (!hd_machine_has_pipe_stage(m))
		return;
	if (m->multi_issue_queues == HD_QUEUES_SHARED)
		hd_error(diag, pos,
		         "%s cannot be set with multi_issue.queues `shared`: a queue for all pipes belongs to one scheduler, and one "
		         "instruction leaves it in a cycle",
		         what);
	if (m->predecode_replay && (m->predecode_refuse_busy || m->predecode_refuse_ports || m->predecode_refuse_constants))
		hd_error(diag, pos,
		         "%s cannot be set with predecode.refuse_busy, predecode.refuse_ports or predecode.refuse_constants: a refused "
		         "instruction enters its pipe past the queue, which then has other schedulers or copies to think of",
		         what);
}

/* Reports keys that cannot be combined with the carrier of pre-decode data, FIFOs or strict pairs. */
static void check_carrier(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	if (hd_machine_pops_by_flag(m) && m->predecode_carrier == HD_CARRIER_INSTRUCTION)
		hd_error(
		    diag, pos,
		    "divergence.pop cannot be `flag` with predecode.carrier `instruction`, whose delay has the bit of the flag, expected `sync`");
	if (m->predecode_fifo && m->predecode_carrier != HD_CARRIER_LINE && !hd_machine_decodes_ahead(m))
		hd_error(
		    diag, pos,
		    "predecode.fifo is %u, expected 0 where predecode.carrier is not `line` or `ahead`: nothing else brings the entries of a FIFO",
		    m->predecode_fifo);
	if (hd_machine_decodes_ahead(m) && !m->predecode_fifo)
		hd_error(diag, pos, "predecode.fifo is 0, expected 1 or more with predecode.carrier `ahead`: decoded instructions wait there");
	if (hd_machine_strict_pairs(m) && m->predecode_fifo && m->predecode_fifo < hd_machine_chain(m))
		hd_error(diag, pos,
		         "predecode.fifo is %u, expected 0 or at least %u with predecode.strict_pairs, whose instructions must be there together",
		         m->predecode_fifo, hd_machine_chain(m));
	if (hd_machine_strict_pairs(m) && m->multi_issue_queues == HD_QUEUES_SHARED)
		hd_error(
		    diag, pos,
		    "predecode.strict_pairs cannot be used with multi_issue.queues `shared`, whose last place the first one of a pair would take, "
		    "expected `typed`");
	if (m->predecode_carrier == HD_CARRIER_REGISTER && hd_machine_has_window(m))
		hd_error(
		    diag, pos,
		    "predecode.carrier cannot be `register` with a candidate window, which looks at instructions before their hints are written, "
		    "expected multi_issue.window 1");
}

/* Reports keys that cannot be combined with eligible places or operand buffers. */
static void check_places(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	if (m->multi_issue_places == HD_PLACES_ELIGIBLE && hd_machine_has_window(m) && !m->multi_issue_pass_waits)
		hd_error(diag, pos,
		         "multi_issue.places cannot be `eligible` without multi_issue.pass_waits: nothing is sent past an instruction that waits, "
		         "whether it takes a place or not");
	if (m->multi_issue_places == HD_PLACES_ELIGIBLE && hd_machine_has_window(m) && hd_machine_has_scoreboard(m))
		hd_error(
		    diag, pos,
		    "multi_issue.places cannot be `eligible` with fence.mode `scoreboard`, which does not distinguish long waits from short ones");
	if (hd_machine_file_latency(m) && hd_machine_has_operand_buffer(m))
		hd_error(diag, pos,
		         "last_use.compensation_of cannot be `warp` with register_file.read_latency + register_file.write_latency of %u, because an "
		         "operand buffer keeps no value for a certain time, expected `pipe` or latencies of 0",
		         hd_machine_file_latency(m));
}

/* Counters: which are low-latency, and how far they count. */
static void check_fence(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	if (m->fence_high_latency >= m->fence_counters)
		hd_error(diag, pos, "fence.high_latency is %u, expected fewer than fence.counters (%u): at least one must be low-latency",
		         m->fence_high_latency, m->fence_counters);
	if (m->fence_deadlock_free && !m->fence_high_latency)
		hd_error(diag, pos,
		         "fence.deadlock_free needs a counter for which instructions wait in the decoder, expected fence.high_latency of 1 or more");
	if (m->fence_group_lanes & (m->fence_group_lanes - 1))
		hd_error(diag, pos, "fence.group_lanes cannot be %u, expected 1, 2, 4, 8, 16 or 32", m->fence_group_lanes);
	else if (!hd_machine_primaries_of_counter(m))
		hd_error(diag, pos, "fence.bits is %u, expected more: a primary raises its counter by %u with these fence.unit and fence.group_lanes",
		         m->fence_bits, hd_machine_units(m));
}

/* Sizes of caches and the lines of constants. */
static void check_caches(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	check_ways(m->fetch_l1i_lines, m->fetch_l1i_ways, "fetch.l1i_lines", "fetch.l1i_ways", pos, diag);
	check_ways(m->memory_l1_bytes / 128, m->memory_l1_ways, "memory.l1_bytes", "memory.l1_ways", pos, diag);
	if (m->memory_constant_line & (m->memory_constant_line - 1))
		hd_error(diag, pos, "memory.constant_line cannot be %u, expected 32, 64, 128 or 256", m->memory_constant_line);
	else if (m->memory_constant_bytes)
		check_ways(m->memory_constant_bytes / m->memory_constant_line, m->memory_constant_ways, "memory.constant_bytes",
		           "memory.constant_ways", pos, diag);
	check_ways(m->memory_l2_bytes / 128, m->memory_l2_ways, "memory.l2_bytes", "memory.l2_ways", pos, diag);
}

static bool power_of_2(uint32_t n) { return n && !(n & (n - 1)); }

enum { LINE_BYTES = 128 };

/* MT-4 */
static void check_slices(const hd_machine *m, hd_pos pos, hd_diag *diag)
{
	uint32_t slices = m->memory_slices, partitions = m->memory_dram_partitions;
	if (!slices && m->memory_dram_banks)
		hd_error(diag, pos, "memory.dram_banks is %u, expected 0 without memory.slices, which order requests as they arrive",
		         m->memory_dram_banks);
	if (!power_of_2(m->memory_dram_row_bytes))
		hd_error(diag, pos, "memory.dram_row_bytes cannot be %u, expected a power of 2", m->memory_dram_row_bytes);
	uint32_t row = m->memory_dram_activate + m->memory_dram_precharge + m->memory_dram_row_least;
	if (m->memory_dram_refresh_interval && m->memory_dram_refresh_interval <= m->memory_dram_refresh + 2 * row)
		hd_error(diag, pos, "memory.dram_refresh_interval is %u, expected 0 or more than %u: between two refreshes rows must open",
		         m->memory_dram_refresh_interval, m->memory_dram_refresh + 2 * row);
	if (!slices)
		return;
	if (m->memory_values != HD_VALUES_TRAVEL)
		hd_error(diag, pos, "memory.slices is %u, expected 0 with memory.values `at_once`, where nothing travels to a slice", slices);
	if (!power_of_2(slices) || slices % partitions)
		hd_error(diag, pos, "memory.slices is %u, expected a power of 2 and a multiple of memory.dram_partitions (%u)", slices, partitions);
	else if (m->memory_l2_bytes / LINE_BYTES / slices % m->memory_l2_ways || m->memory_l2_bytes / LINE_BYTES < slices * m->memory_l2_ways)
		hd_error(diag, pos, "memory.l2_bytes: %u lines for each of memory.slices (%u) are no whole number of sets of memory.l2_ways = %u",
		         m->memory_l2_bytes / LINE_BYTES / slices, slices, m->memory_l2_ways);
	if (m->memory_l2_misses < slices)
		hd_error(diag, pos, "memory.l2_misses is %u, expected at least memory.slices (%u), which share them out", m->memory_l2_misses,
		         slices);
	if (m->memory_dram_queue <= LINE_BYTES / 32)
		hd_error(diag, pos, "memory.dram_queue is %u, expected at least %u with memory.slices: a line is written back in one piece",
		         m->memory_dram_queue, LINE_BYTES / 32 + 1);
	if (m->memory_return_groups)
		hd_error(diag, pos, "memory.return_groups cannot be used with memory.slices, whose answers come to whole instructions");
}

bool hd_machine_validate(const hd_machine *machine, const char *file, hd_diag *diag)
{
	const hd_machine *m = machine;
	hd_pos pos = {.file = file};
	unsigned before = diag->errors;
	check_geometry(m, pos, diag);
	check_carrier(m, pos, diag);
	check_places(m, pos, diag);
	check_speculation(m, pos, diag);
	check_fence(m, pos, diag);
	if (m->energy_gated_groups & (m->energy_gated_groups - 1))
		hd_error(diag, pos, "energy.gated_groups cannot be %u, expected 0, 1, 2, 4, 8, 16 or 32", m->energy_gated_groups);
	if (m->predecode_issue_width == 3)
		hd_error(diag, pos, "predecode.issue_width cannot be 3, expected 1, 2 or 4");
	if (m->predecode_priority_bits != 6 && m->predecode_priority_bits != 10)
		hd_error(diag, pos, "predecode.priority_bits cannot be %u, expected 6 or 10", m->predecode_priority_bits);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		if (m->lanes[pipe] & (m->lanes[pipe] - 1))
			hd_error(diag, pos, "lanes.%s cannot be %u, expected 4, 8, 16 or 32", hd_pipe_names[pipe], m->lanes[pipe]);
	check_grids(m, pos, diag);
	check_pipes(m, pos, diag);
	check_caches(m, pos, diag);
	check_pages(m, pos, diag);
	check_slices(m, pos, diag);
	return diag->errors == before;
}
