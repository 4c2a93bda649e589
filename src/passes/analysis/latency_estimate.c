#include "passes/analysis/latency_estimate.h"

uint32_t hd_expected_latency(const hd_machine *m, unsigned op)
{
	if (op >= HD_OP_COUNT)
		return 20; /* a call, a copy: about an instruction or two */
	switch (op) {
	case HD_OP_LDG:
	case HD_OP_LD:
	case HD_OP_LDK:
	case HD_OP_LDL:
	case HD_OP_ATOMG:
	case HD_OP_ATOM:
	case HD_OP_CASG:
	case HD_OP_CAS:
		return m->latency[HD_CLASS_LSU].latency + m->memory_l1_latency + m->memory_l2_latency / 2;
	case HD_OP_LDS:
		return m->latency[HD_CLASS_LSU].latency + m->memory_shared_latency;
	case HD_OP_LDC:
		return m->latency[HD_CLASS_LSU].latency + m->memory_constant_latency;
	default:
		return m->latency[hd_ops[op].klass].latency;
	}
}

/* Until the counter falls, from entry: operands are read at entry; a store is done when others could see it, an atomic where they meet. */
static uint32_t stays(const hd_hazards *h, uint32_t i, bool by_read, const hd_machine *m)
{
	if (by_read)
		return 0;
	switch (h->insts[i]->op) {
	case HD_OP_ATOMG:
	case HD_OP_ATOM:
	case HD_OP_CASG:
	case HD_OP_CAS:
		return m->latency[HD_CLASS_LSU].latency + m->memory_l2_latency;
	case HD_OP_STS:
		return hd_expected_latency(m, HD_OP_LDS);
	case HD_OP_STG:
	case HD_OP_ST:
	case HD_OP_STL:
		return hd_expected_latency(m, HD_OP_LDG);
	default:
		return hd_expected_latency(m, h->insts[i]->op);
	}
}

/* The least that a result takes: who waits for one load is not to wait for another that may take longer. */
static uint32_t soonest(const hd_hazards *h, uint32_t i, const hd_machine *m)
{
	uint32_t cycles = stays(h, i, false, m), hit = m->latency[HD_CLASS_LSU].latency + m->memory_l1_latency;
	return h->accesses[i].pipe == HD_PIPE_LSU && hit < cycles ? hit : cycles;
}

/* Primaries all of whose consumers only overwrite what they read. */
static bool *read_alone(const hd_hazards *h)
{
	bool *alone = hd_xcalloc(h->n + 1, sizeof *alone);
	memset(alone, 1, h->n + 1);
	for (size_t i = 0; i < h->edges.n; i++)
		alone[h->edges.at[i].producer] &= h->edges.at[i].by_read;
	return alone;
}

/* Results and last entries, by cycle of the block; what the block has not touched is at 0. */
typedef struct clocks {
	uint32_t written[HD_RES_COUNT];
	uint8_t pipe[HD_RES_COUNT]; /* that wrote it */
	bool decoder[HD_RES_COUNT]; /* its counter is one that the decoder looks at */
	uint32_t entered[HD_PIPE_COUNT + 1];
	uint32_t next;
} clocks;

static void enter(clocks *c, hd_outstanding *o, uint32_t i, bool by_read, const hd_machine *machine)
{
	const hd_accesses *a = &o->h->accesses[i];
	unsigned pipe = a->pipe < HD_PIPE_COUNT ? a->pipe : HD_PIPE_COUNT;
	uint32_t issue = c->next, entry = c->entered[pipe] + 1;
	for (unsigned r = 0; r < a->n_reads; r++) {
		uint32_t there = c->written[a->reads[r]];
		/* In the scheduler it waits for a delay, and for what the decoder looks at; else in its queue. */
		bool held = there && (c->pipe[a->reads[r]] == a->pipe || c->decoder[a->reads[r]]);
		issue = held && there > issue + 1 ? there - 1 : issue;
		entry = there > entry ? there : entry;
	}
	entry = issue + 1 > entry ? issue + 1 : entry;
	o->issue[i] = issue;
	o->entry[i] = entry;
	o->release[i] = entry + stays(o->h, i, by_read, machine);
	c->entered[pipe] = entry;
	for (unsigned w = 0; w < a->n_writes; w++) {
		c->written[a->writes[w]] = entry + soonest(o->h, i, machine);
		c->pipe[a->writes[w]] = a->pipe;
		c->decoder[a->writes[w]] = hd_machine_high_latency(machine, (hd_class)a->klass);
	}
	c->next = a->pipe == HD_PIPE_FLOW ? entry + a->latency : issue + 1;
}

hd_outstanding hd_outstanding_new(const hd_hazards *h, const hd_machine *machine)
{
	hd_outstanding o = {.h = h};
	uint32_t blocks = h->n ? h->block[h->n - 1] + 1 : 0;
	bool *by_read = read_alone(h);
	clocks *c = hd_xmalloc(sizeof *c);
	o.issue = hd_xcalloc(h->n + 1, sizeof *o.issue);
	o.entry = hd_xcalloc(h->n + 1, sizeof *o.entry);
	o.release = hd_xcalloc(h->n + 1, sizeof *o.release);
	o.length = hd_xcalloc(blocks + 1, sizeof *o.length);
	for (uint32_t i = 0; i < h->n; i++) {
		if (i == 0 || h->block[i] != h->block[i - 1])
			memset(c, 0, sizeof *c);
		enter(c, &o, i, by_read[i], machine);
		o.length[h->block[i]] = c->next;
	}
	free(by_read);
	free(c);
	return o;
}

void hd_outstanding_free(hd_outstanding *o)
{
	free(o->issue);
	free(o->entry);
	free(o->release);
	free(o->length);
	*o = (hd_outstanding){0};
}

uint32_t hd_outstanding_extra(const hd_outstanding *o, uint32_t producer, uint32_t consumer)
{
	uint32_t until = o->release[producer], at = o->entry[consumer];
	if (o->h->block[producer] != o->h->block[consumer] || producer >= consumer)
		at += o->length[o->h->block[producer]];
	return until > at ? until - at : 0;
}
