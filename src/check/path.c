#include "check/path.h"

typedef struct search {
	const hd_code_graph *graph;
	const hd_effects *effects;
	const hd_fact_list *in, *out;
	uint32_t producer;
	uint16_t pipes;     /* the producer must be outstanding for one of these pipes */
	bool write, read;   /* the producer's write, its reads, or either must be outstanding */
	bool shortest_time; /* follow only edges with the least distance, by which the consumer is judged */
} search;

static const hd_fact *fact_of(const hd_fact_list *list, uint32_t word)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].word == word)
			return &list->at[i];
	}
	return NULL;
}

static bool carries(const search *s, uint32_t b, uint32_t next)
{
	if (!hd_spend_steps(s->graph, s->out[b].n + s->in[next].n))
		return false;
	const hd_fact *leaves = fact_of(&s->out[b], s->producer), *enters = fact_of(&s->in[next], s->producer);
	if (!leaves || !enters)
		return false;
	bool outstanding = (s->write && (leaves->unwritten & s->pipes)) || (s->read && (leaves->unread & s->pipes));
	hd_entry_waits waits = hd_entry_waits_of(s->graph, s->effects, b, next);
	return outstanding && (!s->shortest_time || hd_issued_at_entry(leaves, &waits) == enters->issued);
}

/* A breadth-first search from block `from`. came[b] is 1 + the block before b, 0 = not reached. `from` itself is reached when a way leads back to it.
 */
static bool reaches(const search *s, uint32_t from, uint32_t to, uint32_t *came)
{
	const hd_code_graph *g = s->graph;
	uint32_t *queue = hd_xcalloc((size_t)g->n + 1, sizeof *queue), head = 0, tail = 0;
	memset(came, 0, g->n * sizeof *came);
	queue[tail++] = from;
	while (head < tail && !came[to]) {
		uint32_t b = queue[head++];
		for (uint32_t i = g->succ_first[b]; i < g->succ_first[b + 1]; i++) {
			uint32_t next = g->succ[i];
			if (came[next] || !carries(s, b, next))
				continue;
			came[next] = b + 1;
			queue[tail++] = next;
		}
	}
	free(queue);
	return came[to] != 0;
}

static search search_for(const hd_code_graph *g, const hd_effects *effects, const hd_finding *f)
{
	search s = {.graph = g,
	            .effects = effects,
	            .producer = f->producer,
	            .pipes = (uint16_t)(1u << effects[f->consumer].pipe),
	            .shortest_time = f->missing > 0};
	bool reads = f->kind == HD_HAZARD_WAR || f->kind == HD_HAZARD_LAST_USE;
	s.read = reads || f->kind == HD_HAZARD_CALL;
	s.write = !reads;
	if (f->kind == HD_HAZARD_CALL)
		s.pipes = HD_ALL_PIPES;
	return s;
}

void hd_path_find(const hd_code_graph *g, const hd_effects *effects, const hd_fact_list *in, const hd_fact_list *out, hd_finding *finding)
{
	uint32_t from = hd_block_at(g, finding->producer), to = hd_block_at(g, finding->consumer);
	hd_vec_push(&finding->path, finding->producer);
	if (from != to || finding->producer >= finding->consumer) {
		uint32_t *came = hd_xcalloc((size_t)g->n + 1, sizeof *came);
		HD_VEC(uint32_t) back = {0};
		search s = search_for(g, effects, finding);
		s.in = in;
		s.out = out;
		bool found = reaches(&s, from, to, came);
		if (!found && s.shortest_time) { /* the least distance and the outstanding access came on different paths */
			s.shortest_time = false;
			found = reaches(&s, from, to, came);
		}
		for (uint32_t b = to; found; b = came[b] - 1) {
			hd_vec_push(&back, g->begin[b]);
			if (came[b] - 1 == from)
				break;
		}
		for (size_t i = back.n; i-- > 0;)
			hd_vec_push(&finding->path, back.at[i]);
		hd_vec_free(&back);
		free(came);
	}
	if (finding->path.at[finding->path.n - 1] != finding->consumer)
		hd_vec_push(&finding->path, finding->consumer);
}
