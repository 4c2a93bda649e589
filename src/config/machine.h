/* The machine description. The toolchain compiles for it, and the machine is built from it. It is plain data. machine.c reads and writes it as YAML
 * and checks it against machine.def. */
#ifndef HD_MACHINE_H
#define HD_MACHINE_H

#include "isa/geometry.h"

/* The enumerations of machine.def, and the type of each kind of key. Every key is a 32-bit value. */
#define VALUE(id, text) id,
#define NAMES(type, ...)             \
	typedef type hd_kind_##type; \
	_Static_assert(sizeof(type) == sizeof(uint32_t), "");
#define ENUMERATION(type, ...)                  \
	typedef enum type { __VA_ARGS__ } type; \
	NAMES(type, __VA_ARGS__)
#include "config/machine.def"
#undef VALUE
typedef uint32_t hd_kind_U32, hd_kind_FLAG, hd_kind_PJ, hd_kind_PIPES;

/* latency: cycles from operand read to the first cycle in which a reader sees the result. interval: cycles between two entries. */
typedef struct hd_timing {
	uint32_t latency, interval;
} hd_timing;

/* The sizes of the queue before a pipeline (HZ-10, HZ-15). */
typedef struct hd_queue_sizes {
	uint32_t fifo;   /* input FIFO, instructions */
	uint32_t hazard; /* hazard instruction queue and information queue, entries */
} hd_queue_sizes;

/* The maxima of keys whose bounds other rooms need. machine.def uses these names. */
enum {
	HD_MAX_COPIES = 4,     /* of a pipe (MI-14) */
	HD_MAX_SCHEDULERS = 8, /* of a core */
	HD_WARP_SLOTS = 16,    /* of a scheduler */
	HD_PAIR_CHAIN = 4,     /* instructions of a warp that pairs join in one cycle (PD-29) */
	HD_FAR_REACH = 1 << 20,
	HD_MAX_DEVICES = 8,
	HD_MAX_PENDING = 262144,
	HD_MAX_ENTRIES = 1048576,
};

typedef struct hd_machine {
	char name[56];
#define KEY(section, key, kind, ...) hd_kind_##kind section##_##key;
#include "config/machine.def"
	hd_timing latency[HD_CLASS_COUNT];
	uint32_t pipe[HD_CLASS_COUNT]; /* hd_pipe of each class (MI-14); only classes of fixed latency can move */
	hd_queue_sizes queue[HD_PIPE_COUNT];
	uint32_t lanes[HD_PIPE_COUNT];  /* lanes that a pipeline takes in a cycle: 4, 8, 16 or 32 */
	uint32_t copies[HD_PIPE_COUNT]; /* of a pipeline, behind one queue (MI-14) */
} hd_machine;

/* The default machine: the preset `heddle`. */
void hd_machine_default(hd_machine *machine);

/* The number of cores of all devices. */
static inline uint32_t hd_machine_cores(const hd_machine *m) { return m->machine_devices * m->machine_clusters * m->machine_cores; }
/* The number of clusters of a device that only the kind has (PD-36); 0 for kind 0 and for a kind that shares the clusters of kind 0. */
static inline uint32_t hd_machine_own_clusters(const hd_machine *m, uint32_t kind)
{
	return kind == 1 ? m->grids_clusters_1 : kind == 2 ? m->grids_clusters_2 : kind == 3 ? m->grids_clusters_3 : 0;
}
/* The pipeline of a latency class, and of an operation (MI-14). */
static inline hd_pipe hd_machine_pipe(const hd_machine *m, hd_class klass) { return (hd_pipe)m->pipe[klass]; }
static inline hd_pipe hd_machine_op_pipe(const hd_machine *m, unsigned op) { return (hd_pipe)m->pipe[hd_ops[op].klass]; }
/* The number of cycles in which a warp enters a pipeline, a part of its lanes in each. */
static inline uint32_t hd_machine_passes(const hd_machine *m, hd_pipe pipe) { return pipe < HD_PIPE_COUNT ? HD_LANES / m->lanes[pipe] : 1; }
/* The number of cycles for which an operation of the class takes the entry of its pipeline. */
static inline uint32_t hd_machine_interval(const hd_machine *m, hd_class klass)
{
	return hd_max_u32(m->latency[klass].interval, hd_machine_passes(m, hd_machine_pipe(m, klass)));
}
/* The cycles between two instructions of the class in its pipeline, all copies together, rounded up (MI-14). */
static inline uint32_t hd_machine_spread(const hd_machine *m, hd_class klass)
{
	hd_pipe pipe = hd_machine_pipe(m, klass);
	return pipe < HD_PIPE_COUNT ? hd_divide_up_u32(m->latency[klass].interval, m->copies[pipe]) : m->latency[klass].interval;
}
/* True when compensation registers hold results of a warp until they are displaced (LU-4, LU-15). */
static inline bool hd_machine_has_operand_buffer(const hd_machine *m)
{
	return m->last_use_compensation && m->last_use_compensation_of == HD_OWNER_WARP;
}
/* Cycles from the end of a pipe until the register file serves the result, when the write begins at once (LU-11). */
static inline uint32_t hd_machine_file_latency(const hd_machine *m) { return m->register_file_read_latency + m->register_file_write_latency; }
/* Cycles for which a result is on paths and in compensation registers. In an operand buffer it has no limit by time. */
static inline uint32_t hd_machine_way(const hd_machine *m)
{
	return m->last_use_path_b + m->last_use_path_a + (hd_machine_has_operand_buffer(m) ? HD_FAR_REACH : m->last_use_compensation);
}
/* True when every reader finds a result on the paths until the register file serves it (LU-11). The paths must reach every pipe, because a counter
 * falls for all pipes in one cycle. */
static inline bool hd_machine_hides_file(const hd_machine *m)
{
	uint32_t latency = hd_machine_file_latency(m);
	return !latency || (m->last_use_across && hd_machine_way(m) >= latency);
}
/* Cycles from a result to its first reader that the register file adds (LU-11): none where paths hide them. */
static inline uint32_t hd_machine_late(const hd_machine *m) { return hd_machine_hides_file(m) ? 0 : hd_machine_file_latency(m); }
/* Cycles from the entry of a lane until a reader can enter. For memory and flow: until the access or the decision, which comes read_latency later,
 * because operands do (LU-11). */
static inline uint32_t hd_machine_class_latency(const hd_machine *m, hd_class klass)
{
	hd_pipe pipe = hd_machine_pipe(m, klass);
	bool fixed = pipe < HD_PIPE_LATOM;
	if (pipe >= HD_PIPE_COUNT)
		return m->latency[klass].latency;
	return m->latency[klass].latency + (fixed ? hd_machine_late(m) : m->register_file_read_latency);
}
/* Cycles from entry to the first cycle in which a reader that enters the same pipeline sees the result in every lane, for an operation of the class.
 * An operation that reads other lanes (`cross`) has all its operands only in the last cycle of its entry. */
static inline uint32_t hd_machine_latency(const hd_machine *m, hd_class klass, bool cross)
{
	return hd_machine_class_latency(m, klass) + (cross ? hd_machine_passes(m, hd_machine_pipe(m, klass)) - 1 : 0);
}
/* True when a primary of this class uses the high-latency counters (HZ-20). By fence.classify, either its pipeline handles fewer than
 * fence.throughput lanes a cycle, or its own latency reaches fence.threshold. Memory is always high unless fence.memory_high is off. */
static inline bool hd_machine_high_latency(const hd_machine *m, hd_class klass)
{
	bool memory = klass == HD_CLASS_LSU || klass == HD_CLASS_LATOM;
	if (m->fence_high_latency == 0)
		return false;
	if (memory && m->fence_memory_high)
		return true;
	if (m->fence_classify == HD_CLASSIFY_LATENCY)
		return m->latency[klass].latency >= m->fence_threshold;
	hd_pipe pipe = hd_machine_pipe(m, klass);
	return HD_LANES * (pipe < HD_PIPE_COUNT ? m->copies[pipe] : 1) < m->fence_throughput * hd_machine_interval(m, klass);
}
/* True when dependences inside a pipeline need counters, too. This is so by request (HZ-26), or because no carrier brings delays to the scheduler
 * (PD-3). */
static inline bool hd_machine_within_pipeline(const hd_machine *m)
{
	return m->fence_within_pipeline || m->predecode_carrier == HD_CARRIER_NONE || m->predecode_carrier == HD_CARRIER_AHEAD;
}
/* True when a scoreboard keeps registers and memory in order. Counters, waits and delays of the program then have no effect. */
static inline bool hd_machine_has_scoreboard(const hd_machine *m) { return m->fence_mode == HD_DEP_SCOREBOARD; }
/* True when the micro scheduler has a candidate window (MI-2). Several instructions of a warp can then issue in one cycle, and only the instructions
 * of one pipe issue in order (docs/timing.md, rules 7 and 8). */
static inline bool hd_machine_has_window(const hd_machine *m) { return m->multi_issue_window > 1; }
/* True when a wait in the decoder delays only its own pipe (docs/timing.md, rule 8). */
static inline bool hd_machine_passes_waits(const hd_machine *m) { return hd_machine_has_window(m) && m->multi_issue_pass_waits; }
/* True when an instruction that waits in the decoder takes no place of the candidate window (MI-13). */
static inline bool hd_machine_eligible_places(const hd_machine *m)
{
	return hd_machine_passes_waits(m) && m->multi_issue_places == HD_PLACES_ELIGIBLE;
}
/* The number of warp slots that share a file of compensation registers. Registers of a pipeline are a file of their own. */
static inline uint32_t hd_machine_compensation_share(const hd_machine *m)
{
	return hd_machine_has_operand_buffer(m) ? m->last_use_compensation_share : 1;
}
/* Cycles for which a reader can save the write of a result, from the first cycle in which the result is visible. The write begins as many cycles
 * before the end of the way as the register file needs (LU-11). Without a limit by time, in an operand buffer, it is the largest distance that
 * compilers count with. */
static inline uint32_t hd_machine_reach(const hd_machine *m) { return hd_machine_hides_file(m) ? hd_machine_way(m) - hd_machine_file_latency(m) : 0; }
/* True when a pipeline has several schedulers (HZ-37) or several copies (MI-14). */
static inline bool hd_machine_has_pipe_stage(const hd_machine *m)
{
	uint32_t most = 1;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		most = hd_max_u32(m->copies[pipe], most);
	return m->machine_shared_pipes || most > 1;
}
/* True when the results of a pipeline use forwarding paths. Without last_use.across only pipes of fixed latency have them, each to itself. */
static inline bool hd_machine_forwards(const hd_machine *m, unsigned pipe) { return pipe < (m->last_use_across ? HD_PIPE_FLOW : HD_PIPE_LATOM); }
/* True when the scheduler takes an instruction's type from its pre-decode byte. */
static inline bool hd_machine_typed_hints(const hd_machine *m)
{
	return hd_machine_has_window(m) && m->multi_issue_types == HD_TYPES_PREDECODE && m->predecode_carrier == HD_CARRIER_LINE;
}
/* True when three bits of an instruction name an entry of the program's table (PD-28). */
static inline bool hd_machine_has_hint_table(const hd_machine *m)
{
	return m->predecode_hint_table && m->predecode_carrier == HD_CARRIER_INSTRUCTION;
}
/* True when a carrier brings whole bytes to the scheduler, with every hint (PD-2, PD-25, PD-28). */
static inline bool hd_machine_carries_bytes(const hd_machine *m)
{
	return m->predecode_carrier == HD_CARRIER_LINE || m->predecode_carrier == HD_CARRIER_REGISTER || hd_machine_has_hint_table(m);
}
/* True when a scheduling word says two things of an instruction (PD-24). */
static inline bool hd_machine_combines_hints(const hd_machine *m)
{
	return hd_geometries[m->predecode_geometry].hints > 1 && m->predecode_carrier == HD_CARRIER_LINE;
}
/* True when instructions are decoded before one of them is chosen (PD-39). */
static inline bool hd_machine_decodes_ahead(const hd_machine *m) { return m->predecode_carrier == HD_CARRIER_AHEAD; }
/* The pipes that can refuse an instruction with may_replay at their entry (PD-26): a bit for each hd_pipe. The load/store pipe also refuses for its
 * own reasons, whatever this set is. */
static inline uint32_t hd_machine_refusing(const hd_machine *m)
{
	uint32_t fixed = (1u << HD_PIPE_LATOM) - 1, of_memory = 1u << HD_PIPE_LATOM | 1u << HD_PIPE_LSU;
	if (!m->predecode_replay || hd_machine_has_scoreboard(m))
		return 0;
	return (m->predecode_refuse_busy ? fixed : 0) | (m->predecode_refuse_ports ? fixed | 1u << HD_PIPE_LATOM : 0) |
	       (m->predecode_refuse_constants && m->memory_constant_bytes ? fixed | of_memory : 0);
}
/* The pipes whose memory stage can refuse (PD-16, PD-26). */
static inline uint32_t hd_machine_replaying_stages(const hd_machine *m)
{
	if (!m->predecode_replay || hd_machine_has_scoreboard(m))
		return 0;
	return 1u << HD_PIPE_LSU | (m->predecode_refuse_atomics ? 1u << HD_PIPE_LATOM : 0);
}
/* Cycles from the issue of `hints` until its hint register can be read (PD-25): the write comes the latency of a nop after the cycle that follows the
 * issue. */
static inline uint32_t hd_machine_hints_written(const hd_machine *m) { return 1 + m->latency[HD_CLASS_NOP].latency; }
/* True when two instructions of a warp may issue in one cycle by the hint `pair` (PD-7). This needs two decoders. */
static inline bool hd_machine_pairs(const hd_machine *m)
{
	return m->predecode_pair && m->predecode_issue_width > 1 && !hd_machine_has_window(m) && hd_machine_carries_bytes(m);
}
/* The number of instructions of a warp that hints `pair` join in one cycle (PD-29); 1 = there are no pairs. */
static inline uint32_t hd_machine_chain(const hd_machine *m)
{
	return hd_machine_pairs(m) ? hd_min_u32(m->predecode_chain, m->predecode_issue_width) : 1;
}
/* True when a pair with the number 0 is strict (PD-29). */
static inline bool hd_machine_strict_pairs(const hd_machine *m) { return m->predecode_strict_pairs && hd_machine_pairs(m); }
/* True when a delay of 0 means the consecutive cycle (PD-30). */
static inline bool hd_machine_consecutive(const hd_machine *m)
{
	return m->predecode_consecutive && !hd_machine_has_window(m) && hd_machine_carries_bytes(m);
}
/* True when addresses alone say which threads belong to a subroutine, so that recursion is refused (RC-10, RC-20). */
static inline bool hd_machine_members_by_address(const hd_machine *m)
{
	return m->divergence_mode == HD_DIV_RESUME && (m->divergence_membership == HD_MEMBER_RANGE || m->divergence_membership == HD_MEMBER_ENTRY);
}
/* True when a program is laid out with callers before their callees (RC-20). */
static inline bool hd_machine_callers_first(const hd_machine *m)
{
	return m->divergence_mode == HD_DIV_RESUME && m->divergence_membership == HD_MEMBER_ENTRY;
}
/* True when a flag in an instruction takes lanes to the token for it (RC-21). */
static inline bool hd_machine_pops_by_flag(const hd_machine *m) { return m->divergence_mode == HD_DIV_STACK && m->divergence_pop == HD_POP_FLAG; }
/* The addresses with which the resume check of a PC load compares the PC (RC-22). */
static inline uint32_t hd_machine_resume_checks(const hd_machine *m)
{
	return m->divergence_comparators == HD_COMPARATORS_SHARED && m->divergence_minrc != HD_MINRC_OFF ? 1 : m->machine_lanes;
}
/* The lanes of a lane group that is gated apart (RC-22); 0 = no groups are gated. */
static inline uint32_t hd_machine_gated_lanes(const hd_machine *m) { return m->energy_gated_groups ? HD_LANES / m->energy_gated_groups : 0; }
/* The lanes of a unit that a fence counter counts (HZ-31). */
static inline uint32_t hd_machine_unit_lanes(const hd_machine *m)
{
	return m->fence_unit == HD_UNIT_LANE ? 1 : m->fence_unit == HD_UNIT_INSTRUCTION ? HD_LANES : m->fence_group_lanes;
}
/* The units of a warp, by which a primary raises its counter (HZ-6). */
static inline uint32_t hd_machine_units(const hd_machine *m) { return HD_LANES / hd_machine_unit_lanes(m); }
/* The cycles, in the mean, from a counter at zero until its status says so (HZ-36). */
static inline uint32_t hd_machine_status_delay(const hd_machine *m) { return m->fence_status_period ? (m->fence_status_period - 1) / 2 : 1; }
/* The number of primaries that a fence counter of a warp can count. */
static inline uint32_t hd_machine_primaries_of_counter(const hd_machine *m) { return ((1u << m->fence_bits) - 1) / hd_machine_units(m); }
/* The counters *lo..*hi (numbers from 1, inclusive) that a high-latency primary (`high`) or a low-latency primary may use. */
static inline void hd_machine_counters(const hd_machine *m, bool high, uint32_t *lo, uint32_t *hi)
{
	uint32_t low = m->fence_counters - m->fence_high_latency;
	*lo = high ? low + 1 : 1;
	*hi = high ? m->fence_counters : low;
}
/* The number of instructions from the PC on that a candidate window covers, sent ones included (MI-2). */
enum { HD_WINDOW_SPAN = 32 };
/* The largest multi_issue.queue_entries. */
enum { HD_SHARED_QUEUE_MOST = 64 };
enum { HD_SPACING_LIMIT = 63 };
/* The longest distance at issue that a queue keeps between two instructions of one warp (docs/timing.md, rule 2). It is the longest fixed latency of
 * the pipe, because nothing relies on more. It is 0 for a pipe without a fixed latency, and for the flow unit, which decides before another
 * instruction issues. */
static inline uint32_t hd_machine_spacing(const hd_machine *m, hd_pipe pipe)
{
	uint32_t most = 0;
	if (pipe == HD_PIPE_FLOW || pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM)
		return 0;
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (hd_machine_pipe(m, (hd_class)i) == pipe && hd_machine_latency(m, (hd_class)i, true) > most)
			most = hd_machine_latency(m, (hd_class)i, true);
	}
	return hd_min_u32(most, HD_SPACING_LIMIT);
}
/* The machine as it runs a program of `counters` fence counters, of which the last `split` - 1 are for high latency. With split = 0 the machine
 * decides (hd_object.split). Counters that the program does not have stay unused. */
static inline hd_machine hd_machine_split(const hd_machine *m, uint32_t counters, uint32_t split)
{
	hd_machine other = *m;
	if (split && split <= counters && counters <= m->fence_counters) {
		other.fence_counters = counters;
		other.fence_high_latency = split - 1;
	}
	return other;
}
/* Bytes of a page; 0 = no pages. */
static inline uint32_t hd_machine_page(const hd_machine *m) { return m->pages_kib * 1024; }
/* The cycles that a copy of `bytes` bytes between the host and the device takes (PD-38). 0 for no bytes, and without a host interface. */
static inline uint64_t hd_machine_copy_cycles(const hd_machine *m, uint64_t bytes)
{
	uint64_t rate = m->host_bytes_per_cycle;
	return rate && bytes ? m->host_latency + (bytes + rate - 1) / rate : 0;
}
/* Mask (bit 0 = counter 1) of the high-latency counters. */
static inline uint32_t hd_machine_high_mask(const hd_machine *m)
{
	uint32_t low = m->fence_counters - m->fence_high_latency;
	return ((1u << m->fence_counters) - 1) & ~((1u << low) - 1);
}

/* Loads a preset by name, a preset with mechanisms added and removed ("baseline+fence", "heddle-minrc": mechanisms.h), or a YAML file by path. NULL
 * means `heddle`. A file states only differences: its key `preset` names the preset that supplies the rest, by default `heddle`. Unknown keys, bad
 * values and syntax errors are errors in diag with file, line and key. The result is validated. */
bool hd_machine_load(hd_machine *machine, const char *name_or_path, hd_diag *diag);
/* Like hd_machine_load, for the text of a file. */
bool hd_machine_read(hd_machine *machine, const char *text, size_t size, const char *file, hd_diag *diag);
/* Sets one KEY=VALUE. KEY is `section.key`, `latency.CLASS.latency` or `queue.PIPE.fifo`. Call hd_machine_validate after the last one. */
bool hd_machine_set(hd_machine *machine, const char *assignment, hd_diag *diag);
/* Checks relations between keys: high_latency < counters, ways that divide, ... Messages name `file` (may be NULL). */
bool hd_machine_validate(const hd_machine *machine, const char *file, hd_diag *diag);
/* Prints YAML with every key, and its meaning as a comment. Reading the text gives the same machine. */
void hd_machine_print(const hd_machine *machine, hd_text *out);
/* Writes docs/configuration.md: every key, its default, range and meaning. */
void hd_machine_document(hd_text *out);
/* Appends the first comment line of a preset's description to `out`, without the `#`. */
void hd_machine_summary(const char *preset, hd_text *out);
/* Names of the presets, NULL-terminated. */
extern const char *const hd_machine_presets[];

#endif
