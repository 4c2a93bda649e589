#include "passes/analysis/latency_estimate.h"

uint32_t hd_expected_latency(const hd_machine *m, unsigned op)
{
	if (op >= HD_OP_COUNT)
		return 20; /* a call: a guess */
	const hd_op_info *info = &hd_ops[op];
	uint32_t cycles = hd_machine_class_latency(m, (hd_class)info->klass);
	if (!(info->flags & HD_OPF_LOAD) || info->klass != HD_CLASS_LSU)
		return cycles;
	cycles += hd_machine_late(m);
	switch (hd_op_space(info)) {
	case HD_SPACE_SHARED:
		return cycles + m->memory_shared_latency;
	case HD_SPACE_CONST:
		return cycles + m->memory_constant_latency;
	default:
		return cycles + m->memory_l1_latency + m->memory_l2_latency / 2;
	}
}

/* Cycles from entry until the counter falls. Operands are read at entry. A store is done when other threads could see it, an atomic where they meet.
 */
static uint32_t release_latency(const hd_hazards *h, uint32_t i, bool by_read, const hd_machine *m)
{
	if (by_read)
		return 0;
	unsigned op = h->insts[i]->op;
	const hd_op_info *info = hd_ir_info(op);
	if (info->flags & HD_OPF_ATOMIC && info->klass == HD_CLASS_LSU)
		return hd_machine_class_latency(m, HD_CLASS_LSU) + m->memory_l2_latency + hd_machine_late(m);
	bool store = info->format == HD_F_ST;
	return hd_expected_latency(m, !store ? op : hd_op_space(info) == HD_SPACE_SHARED ? HD_OP_LDS : HD_OP_LDG);
}

/* The shortest time from entry to the result: a hit. A consumer of one load should not wait for another one that may take longer. */
static uint32_t shortest_latency(const hd_hazards *h, uint32_t i, const hd_machine *m)
{
	uint32_t cycles = release_latency(h, i, false, m),
	         hit = hd_machine_class_latency(m, HD_CLASS_LSU) + m->memory_l1_latency + hd_machine_late(m);
	return h->uses[i].pipe == HD_PIPE_LSU ? hd_min_u32(hit, cycles) : cycles;
}

/* By instruction: all its consumers, if any, only overwrite what it reads, so that its counter is released by the read. */
static bool *released_by_read(const hd_hazards *h)
{
	bool *by_read = hd_xcalloc(h->n + 1, sizeof *by_read);
	memset(by_read, 1, h->n + 1);
	for (size_t i = 0; i < h->edges.n; i++)
		by_read[h->edges.at[i].producer] &= h->edges.at[i].by_read;
	return by_read;
}

/* The state within a block, in cycles from its beginning. Resources that the block has not written are at 0. */
typedef struct block_state {
	uint32_t written[HD_RES_COUNT];
	uint8_t writer_pipe[HD_RES_COUNT];
	bool decoder_waits[HD_RES_COUNT]; /* the writer's counter is a high-latency one, which the decoder waits for */
	uint32_t last_entry[HD_PIPE_COUNT + 1];
	uint32_t next_issue;
} block_state;

static void add_instruction(block_state *s, hd_latency_estimate *e, uint32_t i, bool by_read, const hd_machine *machine)
{
	const hd_resource_use *a = &e->h->uses[i];
	unsigned pipe = a->pipe < HD_PIPE_COUNT ? a->pipe : HD_PIPE_COUNT;
	uint32_t issue = s->next_issue, entry = s->last_entry[pipe] + 1;
	for (unsigned r = 0; r < a->n_reads; r++) {
		uint32_t written = s->written[a->reads[r]];
		/* It waits in the scheduler for delays and for what the decoder waits for, and in its queue for all else. */
		bool in_scheduler = written && (s->writer_pipe[a->reads[r]] == a->pipe || s->decoder_waits[a->reads[r]]);
		issue = in_scheduler && written > issue + 1 ? written - 1 : issue;
		entry = hd_max_u32(entry, written);
	}
	entry = hd_max_u32(entry, issue + 1);
	e->issue[i] = issue;
	e->entry[i] = entry;
	e->release[i] = entry + release_latency(e->h, i, by_read, machine) + hd_machine_status_delay(machine);
	s->last_entry[pipe] = entry;
	for (unsigned w = 0; w < a->n_writes; w++) {
		s->written[a->writes[w]] = entry + shortest_latency(e->h, i, machine);
		s->writer_pipe[a->writes[w]] = a->pipe;
		s->decoder_waits[a->writes[w]] = hd_machine_high_latency(machine, (hd_class)a->klass);
	}
	s->next_issue = a->pipe == HD_PIPE_FLOW ? entry + a->latency : issue + 1;
}

hd_latency_estimate hd_latency_estimate_new(const hd_hazards *h, const hd_machine *machine)
{
	hd_latency_estimate e = {.h = h};
	uint32_t blocks = h->n ? h->block[h->n - 1] + 1 : 0;
	bool *by_read = released_by_read(h);
	block_state *s = hd_xmalloc(sizeof *s);
	e.issue = hd_xcalloc(h->n + 1, sizeof *e.issue);
	e.entry = hd_xcalloc(h->n + 1, sizeof *e.entry);
	e.release = hd_xcalloc(h->n + 1, sizeof *e.release);
	e.length = hd_xcalloc(blocks + 1, sizeof *e.length);
	for (uint32_t i = 0; i < h->n; i++) {
		if (i == 0 || h->block[i] != h->block[i - 1])
			memset(s, 0, sizeof *s);
		add_instruction(s, &e, i, by_read[i], machine);
		e.length[h->block[i]] = s->next_issue;
	}
	free(by_read);
	free(s);
	return e;
}

void hd_latency_estimate_free(hd_latency_estimate *e)
{
	free(e->issue);
	free(e->entry);
	free(e->release);
	free(e->length);
	*e = (hd_latency_estimate){0};
}

uint32_t hd_extra_wait(const hd_latency_estimate *e, uint32_t producer, uint32_t consumer)
{
	uint32_t released = e->release[producer], ready = e->entry[consumer];
	if (e->h->block[producer] != e->h->block[consumer] || producer >= consumer)
		ready += e->length[e->h->block[producer]];
	return released > ready ? released - ready : 0;
}
