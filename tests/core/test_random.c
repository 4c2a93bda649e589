/* Random programs on random machines: the timed machine agrees with the interpreter in memory and in all that both count, and skipping idle cycles
 * changes no statistic, with fence counters and with the scoreboard baseline, which ignores them (HZ-13, HZ-15, RC-1 to RC-14; issue width, queue
 * sizes of 1, small caches), and whatever the hints say: a counter covers every dependence, so every hint is legal everywhere, and loads may be
 * refused and replayed (PD-4 to PD-10, PD-15, PD-16), as any instruction by any unit (PD-26). Once fully serialised by a counter, and once with every
 * dependence on a counter of its own and everything else free to overlap (HZ-17, HZ-18, HZ-21). */
#include "interp/interp.h"
#include "rig.h"
#include "sanitizer/sanitizer.h"
#include "../result_balance.h"
#include "units_model.h"

enum { OUT_REGISTERS = 6, FIRST = 8, THREADS = 96, CTAS = 5, CONSTANTS = 18 /* words of the constant bank */ };

/* Annotation. Registers are resources 0..255, predicates 256.. */
typedef struct notes {
	bool overlap;
	unsigned turn;
	uint64_t hints;                      /* state of the generator of hints, 0 = none */
	uint16_t writers[264], readers[264]; /* counters of those that may be outstanding */
} notes;

static notes note; /* of the program being made */

static void wait_for_all(rig *r)
{
	hd_inst nop = inst_(HD_OP_NOP);
	nop.wait = note.overlap ? 0x3f : 1;
	rig_put(r, nop, 0);
	memset(note.writers, 0, sizeof note.writers);
	memset(note.readers, 0, sizeof note.readers);
}

/* Counters of the writers, and of the readers too, of what `uses` names; marks it as used by `mark` instead when that is not 0. */
static uint32_t outstanding(const hd_use *uses, unsigned n, bool written, uint32_t mark)
{
	uint32_t counters = 0;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned word = 0; word < (uses[i].words ? uses[i].words : 1u); word++) {
			unsigned what = uses[i].words ? uses[i].reg + word : 256u + uses[i].reg;
			counters |= note.writers[what] | (written ? note.readers[what] : 0u);
			if (mark)
				*(written ? &note.writers[what] : &note.readers[what]) |= (uint16_t)mark;
		}
	}
	return counters;
}

/* Any hint, with any number; sometimes two (PD-24). */
static uint16_t any_hint(void)
{
	if (!note.hints || hd_random(&note.hints) % 2)
		return 0;
	unsigned first = (unsigned)(hd_random(&note.hints) % HD_HINT_COUNT << 4 | hd_random(&note.hints) % 4);
	unsigned second = (unsigned)(hd_random(&note.hints) % HD_HINT_COUNT << 4 | hd_random(&note.hints) % 4);
	return (uint16_t)(hd_random(&note.hints) % 3 ? first : first | second << 8);
}

/* Serial: the instruction waits, by a nop, for the one before, and raises counter 1 itself. Overlap: it waits for those whose results it reads or
 * overwrites, and for the readers of what it overwrites; flow instructions wait for all. */
static uint32_t put(rig *r, hd_inst inst)
{
	hd_use reads[HD_MAX_USES], writes[HD_MAX_USES];
	unsigned n_reads = hd_inst_reads(&inst, reads), n_writes = hd_inst_writes(&inst, writes), counter;
	if (!note.overlap || hd_ops[inst.op].flags & HD_OPF_FLOW) {
		wait_for_all(r);
		return rig_put(r, note.overlap ? inst : primary(inst, 1), any_hint());
	}
	uint32_t wait = outstanding(reads, n_reads, false, 0) | outstanding(writes, n_writes, true, 0);
	if (wait == 0x3f) {
		wait_for_all(r);
		wait = 0;
	}
	do /* HZ-3: not one that it waits for */
		counter = note.turn++ % 6;
	while (wait >> counter & 1);
	/* An instruction that waits in a queue holds back nothing in another one: only wait_for_all makes anybody forget a counter. */
	outstanding(reads, n_reads, false, 1u << counter);
	outstanding(writes, n_writes, true, 1u << counter);
	inst.wait = (uint16_t)wait;
	return rig_put(r, primary(inst, counter + 1), any_hint());
}

static unsigned any(uint64_t *seed, unsigned n) { return (unsigned)(hd_random(seed) % n); }
static unsigned reg(uint64_t *seed) { return FIRST + any(seed, OUT_REGISTERS); }

static hd_inst random_alu(uint64_t *seed)
{
	static const hd_op two[] = {HD_OP_IADD, HD_OP_ISUB, HD_OP_IMUL, HD_OP_XOR, HD_OP_FADD, HD_OP_SHL, HD_OP_IMULHIU};
	hd_inst vote;
	switch (any(seed, 10)) {
	case 8:
		return movc(reg(seed), any(seed, CONSTANTS));
	case 9:
		return load(HD_OP_LDC, reg(seed), any(seed, 2) ? HD_RZ : 26, (int32_t)any(seed, CONSTANTS - 3) * 4);
	case 6: /* the lanes that are active read each other (narrow pipes collect them) */
		return alu(HD_OP_SHFL, reg(seed), reg(seed), reg(seed), reg(seed));
	case 7:
		vote = alu(HD_OP_BALLOT, reg(seed), reg(seed), HD_RZ, HD_RZ);
		vote.sub = (uint8_t)(any(seed, 4) | any(seed, 2) << 3);
		return vote;
	case 0:
		return alui(HD_OP_IADD, reg(seed), reg(seed), (int32_t)any(seed, 100));
	case 1:
		return alu(HD_OP_IMAD, reg(seed), reg(seed), reg(seed), reg(seed));
	case 2:
		return alu(HD_OP_FEX2, reg(seed), reg(seed), HD_RZ, HD_RZ);
	case 3:
		return setpi((hd_cmp)any(seed, 10), any(seed, 4), reg(seed), (int32_t)any(seed, 50));
	default:
		return alu(two[any(seed, HD_COUNT(two))], reg(seed), reg(seed), reg(seed), HD_RZ);
	}
}

static void random_body(rig *r, uint64_t *seed, unsigned depth, uint32_t *calls, unsigned *n_calls);

/* p5 = something that differs between lanes, and not always in the same way. */
static void random_condition(rig *r, uint64_t *seed)
{
	put(r, alu(HD_OP_IMAD, 16, reg(seed), 0, reg(seed)));
	put(r, alui(HD_OP_SHRU, 16, 16, (int32_t)any(seed, 12)));
	put(r, alui(HD_OP_AND, 16, 16, 7));
	put(r, setpi(any(seed, 2) ? HD_CMP_LT : HD_CMP_EQ, 5, 16, (int32_t)any(seed, 7)));
}

static void random_if(rig *r, uint64_t *seed, unsigned depth, uint32_t *calls, unsigned *n_calls)
{
	random_condition(r, seed);
	uint32_t skip = put(r, guarded(branch(HD_OP_BRA, 0), 5, any(seed, 2)));
	random_body(r, seed, depth + 1, calls, n_calls);
	uint32_t over = 0;
	if (any(seed, 2)) {
		over = put(r, branch(HD_OP_BRA, 0));
		r->slots[skip].inst.imm = (int32_t)rig_here(r);
		random_body(r, seed, depth + 1, calls, n_calls);
	} else {
		r->slots[skip].inst.imm = (int32_t)rig_here(r);
	}
	if (over)
		r->slots[over].inst.imm = (int32_t)rig_here(r);
}

/* A loop whose trips differ between lanes; r20+depth counts. Sometimes with a break. */
static void random_loop(rig *r, uint64_t *seed, unsigned depth, uint32_t *calls, unsigned *n_calls)
{
	unsigned counter = 20 + depth;
	put(r, alui(HD_OP_AND, counter, reg(seed), 3));
	uint32_t top = rig_here(r), leave = 0;
	random_body(r, seed, depth + 1, calls, n_calls);
	if (any(seed, 2)) {
		random_condition(r, seed);
		leave = put(r, guarded(branch(HD_OP_BRA, 0), 5, 0));
	}
	put(r, alui(HD_OP_IADD, counter, counter, -1));
	put(r, setpi(HD_CMP_GE, 5, counter, 0));
	put(r, guarded(branch(HD_OP_BRA, top), 5, 0));
	if (leave)
		r->slots[leave].inst.imm = (int32_t)rig_here(r);
}

static void random_body(rig *r, uint64_t *seed, unsigned depth, uint32_t *calls, unsigned *n_calls)
{
	for (unsigned n = 1 + any(seed, 7 - depth / 2); n--;) {
		unsigned what = any(seed, 12);
		if (depth < 3 && what == 0) {
			random_loop(r, seed, depth, calls, n_calls);
		} else if (depth < 5 && what < 3) {
			random_if(r, seed, depth, calls, n_calls);
		} else if (what == 3 && *n_calls < 6 && depth < 9) {
			random_condition(r, seed);
			calls[(*n_calls)++] = put(r, any(seed, 2) ? branch(HD_OP_CALL, 0) : guarded(branch(HD_OP_CALL, 0), 5, 0));
		} else if (what == 4) {
			hd_inst inst = random_alu(seed);
			put(r, guarded(inst, any(seed, 4), any(seed, 2)));
		} else if (what == 5) {
			hd_inst st = store(HD_OP_STG, 2, (int32_t)any(seed, OUT_REGISTERS) * 4, reg(seed)), ld = load(HD_OP_LDG, reg(seed), 2, 0);
			put(r, any(seed, 2) ? st : guarded(ld, any(seed, 4), 0));
		} else if (what == 6) { /* the thread's own words, in banks that others use */
			hd_inst st = store(HD_OP_STS, 24, (int32_t)any(seed, 16) * 4, reg(seed)),
			        ld = load(HD_OP_LDS, reg(seed), 24, (int32_t)any(seed, 16) * 4);
			put(r, any(seed, 2) ? st : guarded(ld, any(seed, 4), 0));
		} else if (what == 7 && any(seed, 2)) { /* words that the lanes of a warp share, and nobody else: the lanes have an order */
			hd_inst atomic = alu(HD_OP_ATOMS, reg(seed), 25, reg(seed), HD_RZ);
			atomic.imm = (int32_t)any(seed, 4) * 4;
			atomic.sub = (uint8_t)((any(seed, 2) ? HD_ATOM_ADD : HD_ATOM_EXCH) | HD_ATOM_U32 << 4);
			put(r, any(seed, 2) ? atomic : guarded(atomic, any(seed, 4), 0));
		} else {
			put(r, random_alu(seed));
		}
	}
}

static rig *random_program(uint64_t seed)
{
	uint32_t calls[8];
	unsigned n_calls = 0, none = 9;
	rig *r = rig_new(THREADS * CTAS * 8);
	note = (notes){.overlap = seed % 2, .hints = seed % 3 ? seed : 0};
	r->kernel.shared_bytes = THREADS * 64 + 512;
	/* r2:r3 = out + 32 * (ctaid * THREADS + tid) */
	put(r, sreg(0, HD_SREG_TIDX));
	put(r, alui(HD_OP_SHL, 24, 0, 6));
	put(r, alui(HD_OP_SHRU, 25, 0, 5));
	put(r, alui(HD_OP_SHL, 25, 25, 6));
	put(r, alui(HD_OP_AND, 26, 0, 12));
	put(r, alu(HD_OP_IADD, 25, 25, 26, HD_RZ));
	put(r, alui(HD_OP_IADD, 25, 25, THREADS * 64));
	put(r, alui(HD_OP_AND, 26, 0, 4));
	put(r, sreg(1, HD_SREG_CTAIDX));
	put(r, movi(4, THREADS));
	put(r, alu(HD_OP_IMAD, 0, 1, 4, 0));
	put(r, movc(2, 16));
	put(r, movc(3, 17));
	put(r, alui(HD_OP_SHL, 1, 0, 5));
	put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ));
	for (unsigned i = 0; i < OUT_REGISTERS; i++)
		put(r, alui(HD_OP_IMUL, FIRST + i, 0, (int32_t)(i * 37 + 1)));
	random_body(r, &seed, 0, calls, &n_calls);
	if (any(&seed, 2)) {
		random_condition(r, &seed);
		put(r, guarded(inst_(HD_OP_EXIT), 5, 0));
		random_body(r, &seed, 0, calls, &n_calls);
	}
	for (unsigned i = 0; i < OUT_REGISTERS; i++)
		put(r, store(HD_OP_STG, 2, (int32_t)i * 4, FIRST + i));
	put(r, inst_(HD_OP_EXIT));
	/* Two subroutines with divergent code and returns; calls in them would not end. */
	for (unsigned f = 0; f < 2; f++) {
		uint32_t entry = rig_here(r);
		for (unsigned i = f; i < n_calls; i += 2)
			r->slots[calls[i]].inst.imm = (int32_t)entry;
		random_body(r, &seed, 3, calls, &none);
		random_condition(r, &seed);
		put(r, guarded(inst_(HD_OP_RET), 5, 0));
		random_body(r, &seed, 3, calls, &none);
		put(r, inst_(HD_OP_RET));
	}
	r->launch.grid[0] = CTAS;
	r->launch.block[0] = THREADS - (uint32_t)(seed % 20);
	return r;
}

static void random_machine(rig *r, uint64_t seed)
{
	hd_machine *m = &r->machine;
	m->machine_clusters = 1 + any(&seed, 2);
	m->machine_cores = 1 + any(&seed, 2);
	m->machine_schedulers = 1 + any(&seed, 4);
	m->machine_warps = 3 + any(&seed, 14);
	m->predecode_issue_width = 1u << any(&seed, 3);
	m->predecode_default_delay = 1 + any(&seed, 3);
	m->predecode_buffer = 8 + any(&seed, 20);
	m->predecode_prefetch = any(&seed, 3);
	if (any(&seed, 3) == 0) { /* PD-34 */
		m->predecode_fifo = 1 + any(&seed, 8);
		m->predecode_fifo_rate = 1 + any(&seed, 3);
		m->predecode_data_buffer = 8 + any(&seed, 12);
	}
	m->predecode_chain = 2 + any(&seed, 3); /* PD-29 */
	m->predecode_strict_pairs = any(&seed, 2) && (!m->predecode_fifo || m->predecode_fifo >= m->predecode_chain);
	m->predecode_consecutive = any(&seed, 2); /* PD-30 */
	m->predecode_refetch = any(&seed, 2);     /* PD-39 */
	m->predecode_carrier = m->predecode_fifo && any(&seed, 3) == 0 ? HD_CARRIER_AHEAD : HD_CARRIER_LINE;
	m->fetch_l1i_lines = 8u << any(&seed, 4);
	m->fetch_l1i_latency = 1 + any(&seed, 4);
	m->fence_wait_counters = note.overlap || any(&seed, 4) != 0;
	m->fence_high_latency = any(&seed, 5);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		m->queue[pipe] = (hd_queue_sizes){1 + any(&seed, 3), 1 + any(&seed, 3)};
	m->latency[HD_CLASS_ALU].latency = 1 + any(&seed, 6);
	m->latency[HD_CLASS_MUL].interval = 1 + any(&seed, 6);
	m->latency[HD_CLASS_SFU].latency = 1 + any(&seed, 100);
	m->latency[HD_CLASS_FLOW].latency = 1 + any(&seed, 3);
	m->latency[HD_CLASS_LSU].latency = 1 + any(&seed, 9);
	m->predecode_replay = any(&seed, 4) ? 1 + any(&seed, 6) : 0;
	if (any(&seed, 2)) { /* PD-26 */
		m->predecode_refuse_busy = any(&seed, 2);
		m->predecode_refuse_atomics = any(&seed, 2);
		m->predecode_refuse_constants = any(&seed, 2);
		m->predecode_refuse_ports = any(&seed, 2);
		m->predecode_replay_misses = any(&seed, 2);
	}
	m->memory_constant_ways = 1u << any(&seed, 2);
	m->memory_constant_bytes = any(&seed, 2) ? m->memory_constant_ways << (5 + any(&seed, 3)) : 0;
	m->memory_constant_line = 32;
	m->fetch_l15_constants = any(&seed, 2); /* PD-37 */
	m->grids_descriptor_bytes = any(&seed, 2) * any(&seed, 300);
	m->predecode_priority_bits = any(&seed, 2) ? 6 : 10;
	m->predecode_sort_period = any(&seed, 2) ? 4 : 1 + any(&seed, 20); /* PD-35 */
	m->predecode_sort_warps = any(&seed, 2) ? 16 : 2 + any(&seed, 15);
	m->predecode_priority = any(&seed, 2) ? HD_PRIORITY_AGE : HD_PRIORITY_PROGRAM;
	r->kernel.priority = any(&seed, 1024);
	r->kernel.priority_step = (int32_t)any(&seed, 20) - 10;
	m->predecode_speculate = m->fence_wait_counters && any(&seed, 2) ? (hd_speculate)(1 + any(&seed, 2)) : HD_SPECULATE_OFF; /* PD-27 */
	m->memory_l1_misses = 1 + any(&seed, 8);
	m->memory_shared_banks = 1 + any(&seed, 32);
	m->register_file_read_ports = 1 + any(&seed, 2);
	m->register_file_write_ports = 1 + any(&seed, 2);
	if (any(&seed, 2)) {
		m->last_use_compensation_of = HD_OWNER_WARP;
		m->last_use_compensation = 1 + any(&seed, 8);
		m->last_use_compensation_share = 1u << any(&seed, 4);
		m->last_use_last_result = any(&seed, 5);
	}
	/* Little room: in counters, and for what is on its way to memory. */
	m->fence_bits = any(&seed, 2) ? 12 : 4 + any(&seed, 2);
	m->memory_l1_writes = any(&seed, 2) ? 256 : 1 + any(&seed, 3);
	m->memory_l2_misses = any(&seed, 2) ? 512 : 1 + any(&seed, 3);
	m->memory_dram_queue = any(&seed, 2) ? 64 : 1 + any(&seed, 3);
	/* The unit of the counters, and lanes of memory that return apart (HZ-31). */
	m->fence_unit = (hd_fence_unit)any(&seed, 3);
	m->fence_group_lanes = 1u << any(&seed, 6);
	m->memory_return_groups = any(&seed, 2);
	while (!hd_machine_primaries_of_counter(m))
		m->fence_bits++;
	if (any(&seed, 2)) { /* PD-38 */
		m->pages_kib = 4u << any(&seed, 6);
		m->pages_levels = 1 + any(&seed, 4);
		m->pages_walks = 1 + any(&seed, 3);
		m->pages_tlb_ways = m->pages_tlb2_ways = 1 + any(&seed, 3);
		m->pages_tlb_entries = m->pages_tlb_ways * (1 + any(&seed, 4));
		m->pages_tlb2_entries = m->pages_tlb2_ways * any(&seed, 4);
	}
	if (any(&seed, 2)) {
		m->host_bytes_per_cycle = 1 + any(&seed, 40);
		m->host_queue = 1 + any(&seed, 4);
		m->host_system_memory = any(&seed, 2);
	}
	/* Narrow pipes (HZ-7, HZ-9, HZ-16). */
	for (unsigned pipe = 0; pipe < HD_PIPE_FLOW && seed % 2; pipe++)
		m->lanes[pipe] = 4u << any(&seed, 4);
	/* Pipes with several schedulers or copies (HZ-37, MI-14). */
	bool refuses = m->predecode_replay && (m->predecode_refuse_busy || m->predecode_refuse_constants || m->predecode_refuse_ports);
	for (unsigned pipe = 0; pipe < HD_PIPE_LATOM && !refuses && seed % 3; pipe++) {
		m->machine_shared_pipes |= m->predecode_speculate ? 0 : any(&seed, 2) << pipe;
		if (m->lanes[pipe] == HD_LANES)
			m->copies[pipe] = 1 + any(&seed, HD_MAX_COPIES);
	}
}

static void equal(uint64_t seed, const char *what, uint64_t a, uint64_t b)
{
	if (a != b)
		fail_msg("seed %llu: %s is %llu, expected %llu", (unsigned long long)seed, what, (unsigned long long)a, (unsigned long long)b);
}

static void same_stats(uint64_t seed, const char *what, const hd_stats *got, const hd_stats *expected)
{
#define STAT(group, name, doc)                                                                                          \
	if (got->group##_##name != expected->group##_##name)                                                            \
		fail_msg("seed %llu: " #group "." #name ", %s, is %llu, expected %llu", (unsigned long long)seed, what, \
		         (unsigned long long)got->group##_##name, (unsigned long long)expected->group##_##name);
#include "launch/stats.def"
#undef STAT
}

/* Under the hazard sanitizer, which has nothing to say: what is covered by counters is never too early, even where the bytes do not show it. Each
 * result is written or left out once (LU-13). */
static bool watched_run(rig *r, uint64_t seed)
{
	hd_sanitizer *sanitizer = hd_sanitizer_new(&r->program);
	balance b = balance_begin(&r->program, hd_sanitizer_watcher(sanitizer));
	r->options.trace = &b.trace;
	bool ok = rig_run(r);
	r->options.trace = NULL;
	const char *wrong = balance_close(&b, &r->stats, balance_is_whole(&r->machine));
	if (ok && wrong)
		fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
	if (hd_sanitizer_found(sanitizer)->total) {
		hd_text text = {0};
		hd_violations_print(&text, hd_sanitizer_found(sanitizer), 1, &r->program);
		fail_msg("seed %llu: %s", (unsigned long long)seed, text.at);
	}
	hd_sanitizer_free(sanitizer);
	return ok;
}

/* The state of a core's units agrees with its events in each cycle, and looking at it changes nothing. */
static void run_with_units(rig *r, uint64_t seed, const hd_stats *expected)
{
	units_model *m = model_new(&r->program, (uint32_t)(seed % hd_machine_cores(&r->machine)), 1 + seed % 5 * 300, 800 + seed % 5 * 300);
	memset(hd_memory_at(r->memory, r->out, r->out_words * sizeof(uint32_t)), 0, r->out_words * sizeof(uint32_t));
	r->options.trace = &m->trace;
	assert_true(rig_run(r));
	r->options.trace = NULL;
	if (*m->wrong)
		fail_msg("seed %llu: %s", (unsigned long long)seed, m->wrong);
	same_stats(seed, "units watched", &r->stats, expected);
	model_free(m);
}

/* Runs it without a watcher; then under the sanitizer, looking everywhere in every cycle; the statistics are the same. And then with windows. */
static void run_and_compare(rig *r, uint64_t seed, const uint32_t *oracle, const hd_stats *expected)
{
	size_t bytes = r->out_words * sizeof(uint32_t);
	uint32_t *out = hd_memory_at(r->memory, r->out, bytes);
	memset(out, 0, bytes);
	r->options.tick_every_cycle = false;
	if (!rig_run(r))
		fail_msg("seed %llu: trap %d at %u: %s", (unsigned long long)seed, r->trap.kind, r->trap.pc, r->trap.text ? r->trap.text : "");
	hd_stats timed = r->stats;
	equal(seed, "memory", (uint64_t)memcmp(oracle, out, bytes), 0);
	equal(seed, "warp instructions", timed.run_warp_instructions, expected->run_warp_instructions);
	equal(seed, "thread instructions", timed.run_thread_instructions, expected->run_thread_instructions);
	equal(seed, "branches", timed.divergence_branches, expected->divergence_branches);
	equal(seed, "divergent branches", timed.divergence_divergent, expected->divergence_divergent);
	equal(seed, "resumes", timed.divergence_resumes, expected->divergence_resumes);
	equal(seed, "calls", timed.divergence_calls, expected->divergence_calls);
	equal(seed, "issue slots", rig_stalls(&timed) + timed.run_slots_used, timed.run_issue_slots);
	equal(seed, "other stalls", timed.stall_other, 0);
	if (r->machine.fence_mode == HD_DEP_SCOREBOARD)
		equal(seed, "counters raised, waits, delays",
		      timed.fence_raised + timed.fence_waits + timed.stall_high_latency + timed.stall_wait_counter, 0);
	else
		equal(seed, "scoreboard stalls", timed.stall_scoreboard, 0);
	memset(out, 0, bytes);
	r->options.tick_every_cycle = true;
	assert_true(watched_run(r, seed));
	equal(seed, "memory, every cycle", (uint64_t)memcmp(oracle, out, bytes), 0);
	hd_stats every = r->stats;
	r->options.tick_every_cycle = false;
	if (seed % 2)
		run_with_units(r, seed, &timed);
	/* MI-10: single issue and a window of one, cycle by cycle, lost slot by lost slot. */
	r->options.window_of_one = true;
	memset(out, 0, bytes);
	assert_true(rig_run(r));
	/* (With a window the hints between two instructions are delays.) */
	/* (So does a warp with an undecided branch present its next instruction in other cycles, PD-27.) */
	if (!r->machine.predecode_speculate && (!note.hints || r->machine.fence_mode == HD_DEP_SCOREBOARD))
		same_stats(seed, "window of one", &r->stats, &timed);
	equal(seed, "memory, window of one", (uint64_t)memcmp(oracle, out, bytes), 0);
	r->options.window_of_one = false;
	for (unsigned pass = 0; pass < 2; pass++) {
		hd_stats window;
		r->machine.multi_issue_window = 2 + (uint32_t)((seed + pass) % 7);
		r->machine.multi_issue_pass_waits = (seed + pass) % 2 == 0;
		r->machine.multi_issue_places = seed % 3 ? HD_PLACES_ELIGIBLE : HD_PLACES_UNSENT; /* MI-13 */
		r->machine.multi_issue_hold = (uint32_t)(seed % 4 * (seed % 4 + pass));
		for (unsigned every_cycle = 0; every_cycle < 2; every_cycle++) {
			memset(out, 0, bytes);
			r->options.tick_every_cycle = every_cycle;
			if (!(every_cycle ? watched_run(r, seed) : rig_run(r)))
				fail_msg("seed %llu, window: trap %d at %u: %s", (unsigned long long)seed, r->trap.kind, r->trap.pc,
				         r->trap.text ? r->trap.text : "");
			equal(seed, "memory, with a window", (uint64_t)memcmp(oracle, out, bytes), 0);
			if (!r->machine.predecode_speculate) { /* RC-24 */
				equal(seed, "issues with all lanes, with a window", r->stats.divergence_issued_all, timed.divergence_issued_all);
				equal(seed, "issues with some lanes, with a window", r->stats.divergence_issued_some, timed.divergence_issued_some);
			}
			if (every_cycle)
				same_stats(seed, "every cycle, with a window", &r->stats, &window);
			window = r->stats;
		}
		r->options.tick_every_cycle = false;
		if (!pass && seed % 2 == 0)
			run_with_units(r, seed, &window);
	}
	r->machine.multi_issue_window = 1;
	r->stats = every;
	same_stats(seed, "every cycle", &r->stats, &timed);
}

TEST(machine_and_interpreter_agree)
{
	for (uint64_t seed = 1, last = getenv("HEDDLE_SANITIZED") ? 6 : 60; seed <= last; seed++) {
		rig *r = random_program(seed * 977);
		random_machine(r, seed * 31);
		size_t bytes = r->out_words * sizeof(uint32_t);
		uint32_t *out = hd_memory_at(r->memory, r->out, bytes), *oracle = hd_xmalloc(bytes);
		hd_stats expected;
		r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = (r->words + 7) & ~7u};
		r->launch.program = &r->program;
		r->launch.kernel = &r->kernel;
		r->launch.params = r->params;
		assert_true(hd_interp_run(&r->launch, r->memory, &(hd_interp_options){.call_depth = 64}, &expected, &r->trap));
		memcpy(oracle, out, bytes);
		run_and_compare(r, seed, oracle, &expected);
		r->machine.fence_mode = HD_DEP_SCOREBOARD;
		r->machine.fence_consumers = (uint32_t)(seed % 4);
		run_and_compare(r, seed, oracle, &expected);
		free(oracle);
		rig_free(r);
	}
}
