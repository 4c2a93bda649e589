#include "launch/units.h"

#define UNITS_BEGIN(group, text) static const hd_unit_field group##_fields[] = {
#define UNIT(group, name, count, text) {#name, text, (uint32_t)(offsetof(hd_unit_##group, name) / sizeof(int64_t)), count},
#define UNITS_END(group) \
	}                \
	;                \
	_Static_assert(sizeof(hd_unit_##group) % sizeof(int64_t) == 0, "an instance consists of cells");
#include "launch/units.def"

const hd_unit_group_info hd_unit_groups[HD_UNITS_COUNT] = {
#define UNITS_BEGIN(group, text) {#group, text, group##_fields, HD_COUNT(group##_fields), sizeof(hd_unit_##group) / sizeof(int64_t)},
#define UNIT(group, name, count, text)
#define UNITS_END(group)
#include "launch/units.def"
};

void hd_units_init(hd_units *units, const hd_unit_sizes *sizes)
{
	const uint32_t s = sizes->schedulers;
	*units = (hd_units){.sizes = *sizes,
	                    .count = {[HD_UNITS_scheduler] = s,
	                              [HD_UNITS_look] = s * HD_UNIT_LOOKS,
	                              [HD_UNITS_warp] = s * HD_UNIT_WARPS,
	                              [HD_UNITS_pipe] = s * HD_PIPE_COUNT,
	                              [HD_UNITS_entry] = s * HD_PIPE_COUNT * sizes->entries,
	                              [HD_UNITS_hazard] = s * HD_PIPE_COUNT * sizes->hazards,
	                              [HD_UNITS_flight] = HD_UNIT_FLIGHTS,
	                              [HD_UNITS_result] = s * HD_UNIT_RESULTS,
	                              [HD_UNITS_buffer] = s * sizes->buffers,
	                              [HD_UNITS_replay] = s * sizes->replays,
	                              [HD_UNITS_port] = s * sizes->banks,
	                              [HD_UNITS_read] = s * HD_UNIT_READS,
	                              [HD_UNITS_write] = s * HD_UNIT_WRITES}};
	for (unsigned group = 0; group < HD_UNITS_COUNT; group++) {
		units->first[group] = units->n;
		units->n += units->count[group] * hd_unit_groups[group].cells;
	}
	units->cells = hd_xcalloc(units->n, sizeof *units->cells);
#define UNITS_BEGIN(group, text) units->group = (hd_unit_##group *)(void *)(units->cells + units->first[HD_UNITS_##group]);
#define UNIT(group, name, count, text)
#define UNITS_END(group)
#include "launch/units.def"
}

void hd_units_free(hd_units *units) { free(units->cells); }
