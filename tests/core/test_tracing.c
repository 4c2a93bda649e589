/* The events that a core sends to an observer (launch/trace.h): the fields of each, and the warp to which a lost slot belongs. */
#include "stage_rig.h"

#include "core/observe/tracing.h"

enum { NOW = 100, EVENTS = 8, ROWS = 16 };

/* A core of two schedulers made by hand. Events of the tests come from the second. */
typedef struct bed {
	hd_trace trace;
	hd_trace_event at[EVENTS];
	unsigned n;
	uint32_t resume[HD_LANES]; /* of the last flow state */
	hd_core core;
	hd_context context;
	hd_static rows[ROWS];
	hd_cta cta;
	hd_scheduler *s;
} bed;

static void collect(hd_trace *trace, const hd_trace_event *event)
{
	bed *t = (bed *)trace;
	assert_true(t->n < EVENTS);
	if (event->resume)
		memcpy(t->resume, event->resume, sizeof t->resume);
	t->at[t->n++] = *event;
}

static bed *bed_new(void)
{
	bed *t = hd_xaligned(sizeof *t);
	t->trace.event = collect;
	t->core.number = 6;
	t->core.n_schedulers = 2;
	t->core.code = t->rows;
	t->core.scheduler = hd_xaligned(2 * sizeof *t->core.scheduler);
	t->s = &t->core.scheduler[1];
	t->cta = (hd_cta){.at = {7, 8, 9}, .begun = 55, .warps = 4};
	for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++) {
		t->s->warp[warp].cta = &t->cta;
		t->s->warp[warp].number = warp + 20;
		t->s->flow[warp] = (hd_warp_flow){.pc = warp + 1, .active = 0xf0u + warp};
	}
	t->s->results.due = HD_NEVER;
	hd_macro_init(&t->s->macro, 6, false);
	hd_tracing_attach(&t->core, &t->trace);
	return t;
}

static void bed_free(bed *t)
{
	free(t->core.scheduler);
	hd_observers_detach(&t->core);
	free(t);
}

/* Takes the events seen so far, which must be `n` of this core and scheduler. */
static const hd_trace_event *seen(bed *t, unsigned n)
{
	assert_int_equal(t->n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(t->at[i].core, 6);
		assert_int_equal(t->at[i].scheduler, 1);
	}
	t->n = 0;
	return t->at;
}

TEST(warps_begin_and_end)
{
	bed *t = bed_new();
	hd_event_begin(&t->core, 1, 3, NOW);
	const hd_trace_event *e = seen(t, 2);
	assert_int_equal(e[1].kind, HD_TRACE_FLOW);
	assert_int_equal(e[1].slot, 3);
	assert_int_equal(e->kind, HD_TRACE_BEGIN);
	assert_int_equal(e->cycle, NOW);
	assert_int_equal(e->slot, 3);
	assert_int_equal(e->warp, 23);
	assert_int_equal(e->pc, 4);
	assert_int_equal(e->mask, 0xf3);
	assert_int_equal(e->cta_serial, 55);
	assert_memory_equal(e->cta, t->cta.at, sizeof e->cta);
	hd_event_end(&t->core, t->s, 2, NOW + 1);
	e = seen(t, 1);
	assert_int_equal(e->kind, HD_TRACE_END);
	assert_int_equal(e->cycle, NOW + 1);
	assert_int_equal(e->slot, 2);
	bed_free(t);
}

/* An instruction has one number in all its events, in the order of issue in its core. `since` is its issue, and from the pipe on its entry. */
TEST(an_instruction_keeps_its_number)
{
	bed *t = bed_new();
	t->core.serial = 1;
	hd_event_issue(&t->core, 1, 2, 9, 1, NOW);
	t->core.serial = 2;
	hd_event_issue(&t->core, 1, 2, 10, 0, NOW);
	const hd_trace_event *e = seen(t, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(e[i].kind, HD_TRACE_ISSUE);
		assert_int_equal(e[i].number, i + 1);
		assert_int_equal(e[i].slots, !i);
		assert_int_equal(e[i].pc, 9 + i);
		assert_int_equal(e[i].slot, 2);
		assert_int_equal(e[i].mask, 0xf2);
	}

	hd_sent sent = {.cycle = NOW, .pc = 9, .mask = ~0u, .number = 44, .warp = 2};
	t->rows[9] = (hd_static){.passes = 4, .latency = 6};
	hd_event_enter(&t->core, 1, &sent, 0xc, false, NOW + 3);
	hd_event_enter(&t->core, 1, &sent, 0, true, NOW + 3);
	hd_event_part(&t->core, 1, &sent, 0x8, NOW + 4);
	hd_event_replay(&t->core, t->s, &sent, NOW + 5);
	e = seen(t, 4);
	static const hd_trace_kind kinds[] = {HD_TRACE_ENTER, HD_TRACE_DROP, HD_TRACE_READ, HD_TRACE_REPLAY};
	static const uint32_t masks[] = {0xc, 0, 0x8, 0};
	static const uint64_t cycles[] = {NOW + 3, NOW + 3, NOW + 4, NOW + 5};
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(e[i].kind, kinds[i]);
		assert_int_equal(e[i].mask, masks[i]);
		assert_int_equal(e[i].cycle, cycles[i]);
		assert_int_equal(e[i].since, NOW);
		assert_int_equal(e[i].number, 44);
		assert_int_equal(e[i].slot, 2);
		assert_int_equal(e[i].pc, 9);
	}
	assert_int_equal(e[0].parts, 4);

	hd_memory_operands *memory = hd_xaligned(sizeof *memory);
	hd_flight flight = {.exit = NOW + 9, .pc = 9, .mask = 0xc, .number = 44, .scheduler = 1, .warp = 2, .memory = memory};
	hd_event_result(&t->core, t->s, &flight, NULL, NULL, HD_TRACE_DONE, NOW + 9);
	/* Of the core's packets those of this access count, which are the last ones. In a window of time the crossbar has not taken the others yet.
	 */
	hd_outbox *outbox = hd_outbox_new(0, NULL);
	t->core.outbox = outbox;
	hd_outbox_send(outbox, NOW + 90, &(hd_work){.access = &memory->access, .result = &memory->result});
	hd_outbox_send(outbox, NOW + 80, &(hd_work){.access = &memory->access, .result = &memory->result});
	hd_stats stats = {.memory_sectors = 20, .memory_l1_hits = 6, .memory_dram_reads = 7};
	t->core.stats = &stats;
	hd_event_access_begins(&t->core);
	stats = (hd_stats){.memory_sectors = 31, .memory_l1_hits = 9, .memory_dram_reads = 8};
	hd_outbox_send(outbox, NOW + 70, &(hd_work){.access = &memory->access, .result = &memory->result});
	hd_outbox_send(outbox, NOW + 60, &(hd_work){.access = &memory->access, .result = &memory->result});
	/* The address is one register: nobody learns what was in the place of a second. */
	hd_slot slots[10] = {[9] = {.words = {1}}};
	t->core.slots = slots;
	memory->access.address[0].v[2] = memory->access.address[1].v[2] = 77;
	hd_event_access(&t->core, &flight, 0x4, NOW + 9);
	assert_int_equal(memory->access.address[0].v[2], 77);
	assert_int_equal(memory->access.address[1].v[2], 0);
	t->core.slots = NULL;
	t->core.stats = NULL;
	t->core.outbox = NULL;
	hd_outbox_free(outbox);
	e = seen(t, 2);
	assert_int_equal(e[0].kind, HD_TRACE_DONE);
	assert_int_equal(e[1].kind, HD_TRACE_ACCESS);
	assert_int_equal(e[0].mask, 0xc);
	assert_int_equal(e[1].mask, 0x4);
	assert_ptr_equal(e[1].address, memory->access.address);
	assert_true(e[1].sectors == 11 && e[1].hits == 3 && e[1].dram == 1 && e[1].arrival == NOW + 70);
	assert_true(e[0].sectors == 0 && e[0].arrival == 0);
	assert_null(e[0].address);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(e[i].since, NOW + 3);
		assert_int_equal(e[i].cycle, NOW + 9);
		assert_int_equal(e[i].number, 44);
	}
	free(memory);
	bed_free(t);
}

/* LU-5: one event for each value that a last use drops, with the maker and the registers that the reader names. */
TEST(skipped_writes_name_their_maker)
{
	bed *t = bed_new();
	hd_flight values[] = {
	    {.number = 11, .reg = 4, .words = 2, .mask = 0x0f}, /* meets r5 */
	    {.number = 12, .reg = 6, .words = 1, .mask = 0x0f}, /* does not */
	    {.number = 13, .reg = 5, .words = 1, .mask = 0xff}, /* was made for lanes that do not read */
	    {.number = 14, .reg = 5, .words = 1, .mask = 0x03},
	};
	for (unsigned i = 0; i + 1 < HD_COUNT(values); i++)
		values[i].later = &values[i + 1];
	t->s->results.across = true;
	t->s->results.first_of[2] = values;
	hd_reading reading = {.now = NOW, .mask = 0x0f, .warp = 2, .n_last = 1, .last = {{.reg = 5, .words = 1}}};
	hd_sent reader = {.pc = 9, .number = 44, .warp = 2};
	hd_event_reading(&t->core, t->s, &reading, NULL, &reader); /* there is no recorder */
	const hd_trace_event *e = seen(t, 2);
	static const uint32_t makers[] = {11, 14}, masks[] = {0x0f, 0x03};
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(e[i].kind, HD_TRACE_SKIP);
		assert_int_equal(e[i].cycle, NOW);
		assert_int_equal(e[i].maker, makers[i]);
		assert_int_equal(e[i].mask, masks[i]);
		assert_int_equal(e[i].reg, 5);
		assert_int_equal(e[i].words, 1);
		assert_int_equal(e[i].number, 44);
		assert_int_equal(e[i].slot, 2);
	}
	bed_free(t);
}

/* LU-5, lane by lane: of a register of an operand buffer, one event for each maker of lanes that the reader drops. */
TEST(skipped_lanes_name_their_maker)
{
	bed *t = bed_new();
	hd_machine machine;
	hd_machine_default(&machine);
	machine.last_use_compensation_of = HD_OWNER_WARP;
	t->s->results.buffer = hd_operand_buffer_new(&machine, NULL, NULL, NULL);
	hd_buffer_register *at = t->s->results.buffer->at + 2 * machine.last_use_compensation;
	*at = (hd_buffer_register){.lanes = 0xf3, .warp = 2, .reg = 6};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		at->maker.v[lane] = lane & 1 ? 21 : 22;
	hd_buffer_register *last = t->s->results.buffer->last + 2 * machine.last_use_last_result;
	*last = (hd_buffer_register){.lanes = 0x0c, .warp = 2, .reg = 6};
	last->maker.v[2] = last->maker.v[3] = 23;
	hd_reading reading = {.now = NOW, .mask = 0x1f, .warp = 2, .n_last = 1, .last = {{.reg = 5, .words = 2}}};
	hd_sent reader = {.pc = 9, .number = 44, .warp = 2};
	hd_event_reading(&t->core, t->s, &reading, NULL, &reader);
	const hd_trace_event *e = seen(t, 4);
	static const uint32_t makers[] = {22, 21, 23}, masks[] = {0x11, 0x02, 0x0c};
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(e[i].kind, HD_TRACE_SKIP);
		assert_int_equal(e[i].maker, makers[i]);
		assert_int_equal(e[i].mask, masks[i]);
		assert_int_equal(e[i].reg, 6);
		assert_int_equal(e[i].words, 1);
	}
	/* LU-13: of r5 there is nothing to drop. */
	assert_int_equal(e[3].kind, HD_TRACE_LATE);
	assert_int_equal(e[3].reg, 5);
	assert_int_equal(e[3].words, 1);
	assert_int_equal(e[3].mask, 0x1f);
	assert_int_equal(e[3].number, 44);
	hd_operand_buffer_free(t->s->results.buffer);
	t->s->results.buffer = NULL;
	bed_free(t);
}

/* LU-13: the live words of a result that are written, by runs of registers. */
TEST(written_registers_name_their_maker)
{
	bed *t = bed_new();
	hd_flight value = {.number = 11, .reg = 4, .words = 4, .mask = 0x0f, .scheduler = 1, .warp = 2};
	hd_event_registers(&t->core, &value, 0xd, NOW);
	const hd_trace_event *e = seen(t, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(e[i].kind, HD_TRACE_REGISTERS);
		assert_int_equal(e[i].cycle, NOW);
		assert_int_equal(e[i].slot, 2);
		assert_int_equal(e[i].maker, 11);
		assert_int_equal(e[i].mask, 0x0f);
		assert_int_equal(e[i].reg, i ? 6 : 4);
		assert_int_equal(e[i].words, i ? 2 : 1);
	}
	bed_free(t);
}

/* LU-13: a value for fewer lanes, or in no place, is late. What an earlier operand names, too, is late once. */
TEST(flags_in_vain_are_told)
{
	bed *t = bed_new();
	hd_flight values[] = {
	    {.number = 11, .reg = 4, .words = 2, .mask = 0x0f, .dropped = 1}, /* r5 alone is live */
	    {.number = 13, .reg = 6, .words = 1, .mask = 0xff},
	};
	values[0].later = &values[1];
	t->s->results.across = true;
	t->s->results.first_of[2] = values;
	hd_reading reading = {.now = NOW, .mask = 0x0f, .warp = 2, .n_last = 2, .last = {{.reg = 4, .words = 2}, {.reg = 3, .words = 4}}};
	hd_sent reader = {.pc = 9, .number = 44, .warp = 2};
	hd_event_reading(&t->core, t->s, &reading, NULL, &reader);
	static const unsigned regs[] = {4, 3, 6};
	unsigned n = 0, all = t->n;
	t->n = 0;
	for (unsigned i = 0; i < all; i++) {
		if (t->at[i].kind != HD_TRACE_LATE)
			continue;
		assert_true(n < HD_COUNT(regs));
		assert_int_equal(t->at[i].reg, regs[n++]);
		assert_int_equal(t->at[i].mask, 0x0f);
	}
	assert_int_equal(n, HD_COUNT(regs));
	bed_free(t);
}

/* LU-13: a result that passes by the operand buffer is written, what it replaces there is told, and so is what the end of the warp writes. */
TEST(an_operand_buffer_tells_what_leaves)
{
	bed *t = bed_new();
	hd_machine machine;
	hd_stats stats = {0};
	hd_register_ports ports;
	hd_register_file *file = hd_xaligned(sizeof *file);
	hd_vec32 *registers = hd_xaligned(8 * sizeof *registers);
	hd_flight *value = hd_xaligned(sizeof *value);
	hd_machine_default(&machine);
	machine.last_use_compensation_of = HD_OWNER_WARP;
	hd_ports_init(&ports, &machine, &stats);
	hd_rf_warp(file, 2, registers, 8);
	hd_operand_buffer *buffer = hd_operand_buffer_new(&machine, file, &ports, &stats);
	buffer->observed = &t->core;
	buffer->scheduler = 1;
	*value = (hd_flight){.reg = 4, .words = 1, .mask = 0x0f, .warp = 2};
	static const struct {
		bool passes;
		unsigned n;
		hd_trace_kind kind[2];
		uint32_t maker[2];
	} steps[] = {
	    {true, 1, {HD_TRACE_REGISTERS}, {31}},
	    {false, 0, {HD_TRACE_REGISTERS}, {0}},
	    {true, 2, {HD_TRACE_REPLACED, HD_TRACE_REGISTERS}, {32, 33}},
	    {false, 0, {HD_TRACE_REGISTERS}, {0}},
	};
	for (unsigned i = 0; i < HD_COUNT(steps); i++) {
		value->number = 31 + i;
		value->passes_by = steps[i].passes;
		hd_operand_buffer_enter(buffer, value, 1, NOW + i);
		const hd_trace_event *e = seen(t, steps[i].n);
		for (unsigned k = 0; k < steps[i].n; k++) {
			assert_int_equal(e[k].kind, steps[i].kind[k]);
			assert_int_equal(e[k].maker, steps[i].maker[k]);
			assert_int_equal(e[k].cycle, NOW + i);
			assert_int_equal(e[k].reg, 4);
			assert_int_equal(e[k].mask, 0x0f);
			assert_int_equal(e[k].slot, 2);
		}
	}
	hd_operand_buffer_end(buffer, 2, NOW + 9);
	const hd_trace_event *e = seen(t, 1);
	assert_int_equal(e->kind, HD_TRACE_REGISTERS);
	assert_int_equal(e->maker, 34);
	assert_int_equal(e->cycle, NOW + 9);
	hd_operand_buffer_free(buffer);
	free(value);
	free(registers);
	free(file);
	bed_free(t);
}

/* LU-13, LU-6: what the end of a warp writes, and what leaves the last place, from the write controller. */
TEST(the_end_of_a_warp_tells_its_values)
{
	bed *t = bed_new();
	hd_machine machine;
	hd_stats stats = {0};
	hd_pool pool = {0};
	hd_write_controller wc;
	hd_register_file *file = hd_xaligned(sizeof *file);
	hd_vec32 *registers = hd_xaligned(8 * sizeof *registers);
	hd_machine_default(&machine);
	hd_rf_warp(file, 2, registers, 8);
	hd_wc_init(&wc, &machine, file, &stats, &pool);
	wc.observed = &t->core;
	for (unsigned end = 0; end < 2; end++) {
		hd_flight *value = hd_pool_flight(&pool);
		memset(value, 0, sizeof *value);
		*value = (hd_flight){.exit = NOW, .reg = 4, .words = 2, .mask = 0x0f, .number = 41, .scheduler = 1, .warp = 2, .pipe = HD_PIPE_ALU};
		hd_wc_take(&wc, value);
		seen(t, 0);
		if (end)
			hd_wc_end(&wc, 2, NOW + 1);
		else
			hd_wc_settle(&wc, NOW + 20);
		const hd_trace_event *e = seen(t, 1);
		assert_int_equal(e->kind, HD_TRACE_REGISTERS);
		assert_int_equal(e->cycle, end ? NOW + 1 : NOW + wc.reach);
		assert_int_equal(e->maker, 41);
		assert_int_equal(e->words, 2);
	}
	hd_wc_free(&wc);
	hd_pool_free(&pool);
	free(registers);
	free(file);
	bed_free(t);
}

/* RC-17: arrivals, and the warps that continue. The end of a warp gives an event for each barrier that was complete without it. */
TEST(barriers_name_the_warps_that_continue)
{
	bed *t = bed_new();
	hd_event_arrive(&t->core, t->s, 2, 5, NOW);
	hd_event_release(&t->core, t->s, 2, 5, 0x30, NOW);
	const hd_trace_event *e = seen(t, 2);
	assert_int_equal(e[0].kind, HD_TRACE_ARRIVE);
	assert_int_equal(e[1].kind, HD_TRACE_RELEASE);
	assert_int_equal(e[1].mask, 0x30);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(e[i].barrier, 5);
		assert_int_equal(e[i].slot, 2);
	}
	hd_barriers before = {.arrived = {[1] = 2, [4] = 1, [7] = 3}, .waiting = {[1] = 0x3, [4] = 0x4, [7] = 0x8}};
	t->cta.barriers = before;
	t->cta.barriers.arrived[1] = t->cta.barriers.arrived[7] = 0;
	hd_event_end_of_barriers(&t->core, t->s, 3, &before, NOW);
	e = seen(t, 2);
	assert_int_equal(e[0].barrier, 1);
	assert_int_equal(e[0].mask, 0x3);
	assert_int_equal(e[1].barrier, 7);
	assert_int_equal(e[1].mask, 0x8);
	bed_free(t);
}

/* RC-24: with resume counters the state is the flow unit's own. The baselines have no members, and lanes wait where their tokens say. */
TEST(the_flow_state_is_that_of_the_flow_unit)
{
	static const hd_divergence modes[] = {HD_DIV_RESUME, HD_DIV_STACK, HD_DIV_BARRIERS};
	for (unsigned i = 0; i < HD_COUNT(modes); i++) {
		bed *t = bed_new();
		hd_warp_flow *flow = &t->s->flow[2];
		hd_tokens tokens = {0};
		hd_vec_push(&tokens, ((hd_token){.kind = i == 1 ? HD_TOKEN_SIDE : HD_TOKEN_READY, .pc = 41, .lanes = 0xc0}));
		t->core.flow.mode = modes[i];
		*flow =
		    (hd_warp_flow){.pc = 9, .active = 0x3f, .alive = 0x1ff, .members = 0xff, .minrc = i ? HD_INF : 29, .depth = 3, .tokens = &tokens};
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			flow->rc[lane] = lane == 6 ? 29 : lane == 7 ? 30 : HD_INF;
		hd_event_flow(&t->core, t->s, 2, NOW);
		const hd_trace_event *e = seen(t, 1);
		assert_int_equal(e->kind, HD_TRACE_FLOW);
		assert_int_equal(e->cycle, NOW);
		assert_int_equal(e->slot, 2);
		assert_int_equal(e->pc, 9);
		assert_int_equal(e->mask, 0x3f);
		assert_int_equal(e->members, i ? 0x1ff : 0xff);
		assert_int_equal(e->minrc, i ? HD_TRACE_NO_ADDRESS : 29);
		assert_int_equal(e->depth, 3);
		assert_int_equal(t->resume[5], HD_TRACE_NO_ADDRESS);
		assert_int_equal(t->resume[6], i ? 41 : 29);
		assert_int_equal(t->resume[7], i ? 41 : 30);
		assert_int_equal(t->resume[8], HD_TRACE_NO_ADDRESS);
		hd_vec_free(&tokens);
		bed_free(t);
	}
}

/* HZ-31 */
TEST(counters_have_their_value)
{
	bed *t = bed_new();
	t->s->fence.value[2][4] = 300;
	hd_event_counter(&t->core, t->s, HD_RECORD_FENCE_RAISED, 2, 5, 8, NOW);
	const hd_trace_event *e = seen(t, 1);
	assert_int_equal(e->kind, HD_TRACE_COUNTER);
	assert_int_equal(e->cycle, NOW);
	assert_int_equal(e->slot, 2);
	assert_int_equal(e->counter, 5);
	assert_int_equal(e->value, 300);
	bed_free(t);
}

/* HZ-21: a warp that the decoder sends back, and the slot that is lost if one is. */
TEST(the_decoder_sends_a_warp_back)
{
	for (unsigned slot = 0; slot < 2; slot++) {
		bed *t = bed_new();
		t->s->watch[2] = 0x30;
		hd_event_descheduled(&t->core, t->s, 2, HD_WAIT_ROOM, slot, NOW);
		const hd_trace_event *e = seen(t, 1 + slot);
		assert_int_equal(e[0].kind, HD_TRACE_DESCHEDULE);
		assert_int_equal(e[0].slots, 0);
		for (unsigned i = 0; i <= slot; i++) {
			assert_int_equal(e[i].cycle, NOW);
			assert_int_equal(e[i].pc, 3);
			assert_int_equal(e[i].counters, 0x30);
			assert_int_equal(e[i].cause, HD_STALL_COUNTER_FULL);
		}
		if (slot) {
			assert_int_equal(e[1].kind, HD_TRACE_LOST);
			assert_int_equal(e[1].slots, 1);
			assert_int_equal(e[1].cycles, 1);
		}
		bed_free(t);
	}
}

/* A lost slot belongs to a warp in the state of the cause: of several the first in order. If no warp is in that state, it belongs to the first live
 * one. Without a warp it belongs to none. */
TEST(a_lost_slot_belongs_to_the_warp_with_its_cause)
{
	static const struct {
		hd_stall cause;
		unsigned slot;
		uint16_t counters;
	} rows[] = {
	    {HD_STALL_NO_WARP, HD_TRACE_NO_WARP, 0},
	    {HD_STALL_QUEUE_FULL, 0, 0},
	    {HD_STALL_UNIT_BUSY, 0, 0},
	    {HD_STALL_DELAY, 9, 0},
	    {HD_STALL_SCOREBOARD, 10, 0},
	    {HD_STALL_PAIR, 11, 0},
	    {HD_STALL_REPLAY, 9, 0}, /* the first in order that could issue */
	    {HD_STALL_HOLD, 2, 0},
	    {HD_STALL_CONSTANT, 1, 0},
	    {HD_STALL_FLOW, 3, 0},
	    {HD_STALL_FETCH, 4, 0},
	    {HD_STALL_WAIT_COUNTER, 5, 0x105},
	    {HD_STALL_COUNTER_FULL, 6, 0x106},
	    {HD_STALL_HIGH_LATENCY, 7, 0x107},
	    {HD_STALL_BARRIER, 8, 0},
	    {HD_STALL_OTHER, 9, 0},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		bed *t = bed_new();
		hd_scheduler *s = t->s;
		s->live = rows[i].cause == HD_STALL_NO_WARP ? 0 : 0xfff;
		memcpy(s->macro.order, (const uint8_t[]){9, 8, 5, 6, 7, 4, 3, 2, 1, 0, 10, 11}, 12);
		for (unsigned warp = 0; warp < 12; warp++) {
			s->watch[warp] = (uint16_t)(0x100 + warp);
			s->next_pipe[warp] = 1u << HD_PIPE_ALU;
		}
		s->next_pipe[0] = s->next_pipe[2] = s->full = 1u << HD_PIPE_SFU;
		s->queue[HD_PIPE_SFU].hazard_size = rows[i].cause == HD_STALL_UNIT_BUSY; /* it is empty: the pipe is busy */
		s->blocked = 1 << 10;
		s->for_second = 1 << 11;
		s->for_constant = 1 << 1;
		s->for_memory = 1 << 2;
		s->deciding = 1 << 3;
		s->fetch.starved = 1 << 4;
		s->descheduled = 0xe0;
		s->for_waiters = 1 << 5;
		s->for_room = 1 << 6;
		s->at_barrier = 1 << 8;
		hd_event_lost(&t->core, s, rows[i].cause, 6, NOW, 3);
		const hd_trace_event *e = seen(t, 1);
		assert_int_equal(e->kind, HD_TRACE_LOST);
		assert_int_equal(e->cause, rows[i].cause);
		assert_int_equal(e->slots, 6);
		assert_int_equal(e->cycle, NOW);
		assert_int_equal(e->cycles, 3);
		assert_int_equal(e->slot, rows[i].slot);
		assert_int_equal(e->pc, rows[i].slot == HD_TRACE_NO_WARP ? 0 : rows[i].slot + 1);
		assert_int_equal(e->counters, rows[i].counters);
		/* No warp is in that state. */
		s->live = 1 << 1;
		hd_event_lost(&t->core, s, HD_STALL_BARRIER, 1, NOW, 1);
		assert_int_equal(seen(t, 1)->slot, 1);
		bed_free(t);
	}
}

/* A full queue: the counters are those of the oldest instruction in it that waits for a counter, if this instruction is of the same warp. */
TEST(a_full_queue_names_the_counters_of_its_oldest)
{
	for (unsigned what = 0; what < 3; what++) {
		bed *t = bed_new();
		hd_scheduler *s = t->s;
		hd_sent hazard[2] = {{.wait = 0x1, .warp = 2}, {.wait = 0x6, .warp = 2}};
		uint8_t age[2] = {1, 0}; /* the second entry is the older one */
		s->live = 4;
		s->next_pipe[2] = s->full = 1u << HD_PIPE_SFU;
		s->queue[HD_PIPE_SFU].hazard = hazard;
		s->queue[HD_PIPE_SFU].age = age;
		s->queue[HD_PIPE_SFU].hazard_n = 2;
		s->fence.flags[2] = what == 1 ? 0x1 : 0x5; /* counter 3 is clear: the older one waits for nothing */
		hazard[1].warp = what == 2 ? 3 : 2;
		s->fence.flags[3] = 0x2;
		hd_event_lost(&t->core, s, HD_STALL_QUEUE_FULL, 1, NOW, 1);
		assert_int_equal(seen(t, 1)->counters, what == 0 ? 0x4 : what == 1 ? 0x1 : 0);
		bed_free(t);
	}
}

/* HZ-32: without a hazard queue the counters are those of the FIFO's head. */
TEST(a_full_fifo_names_the_counters_of_its_head)
{
	for (unsigned what = 0; what < 3; what++) {
		bed *t = bed_new();
		hd_scheduler *s = t->s;
		hd_sent fifo[2] = {{.wait = 0x1, .warp = 2}, {.wait = 0x6, .warp = what == 1 ? 3 : 2}};
		s->live = 4;
		s->next_pipe[2] = s->full = 1u << HD_PIPE_SFU;
		s->queue[HD_PIPE_SFU].fifo = fifo;
		s->queue[HD_PIPE_SFU].fifo_head = 1;
		s->queue[HD_PIPE_SFU].fifo_n = 2;
		s->queue[HD_PIPE_SFU].hazard_size = what == 2 ? 4 : 0;
		s->fence.flags[2] = s->fence.flags[3] = 0x5; /* counter 2 is clear */
		hd_event_lost(&t->core, s, HD_STALL_QUEUE_FULL, 1, NOW, 1);
		assert_int_equal(seen(t, 1)->counters, what == 0 ? 0x4 : 0);
		bed_free(t);
	}
}
