/* C is the instruction that waits, P is a primary before C, and O is any instruction before P. docs/timing.md defines "read" and "written". An access
 * to memory is written when it is performed. A pipe is settled for P when P has read or written before any instruction that issues with C or later
 * enters this pipe.
 *
 *   S1  C waits for counter k. Every P with counter k that issued before C has been released when C goes on. P's issue raised the counter (rule 4),
 *       and the counter is zero only after the release of all its primaries (HZ-6, rule 3). A later primary raises the counter only after C has seen
 *       zero (HZ-18). Without wait counters a later primary can only make C wait longer.
 *   S2  A release by write proves that P has read and written, because the write never comes before the read. A release by read proves only that P
 *       has read (HZ-4).
 *   S3  A low-latency counter holds C back in the queue of its pipe (rule 3). It settles this pipe alone. Later instructions of the pipe enter behind
 *       C (rule 1), but instructions of other pipes do not wait for C.
 *   S4  A high-latency counter holds C back in the decoder (rule 3). Nothing issues before C, so all pipes are settled. With multi_issue.pass_waits
 *       instructions of other pipes issue before C (rule 8), so C's pipe alone is settled.
 *   S5  A flow instruction waits in its queue or in the decoder. Nothing issues before it is decided (rules 5 and 8), so all pipes are settled.
 *   S6  O is of P's pipe. Where P is released, O has read. O entered before P (rule 1), and P is released at its entry at the earliest, by its read,
 *       by its write or by its drop (HZ-16).
 *   S7  Such an O has also written if P is unguarded and released by write, O's latency is fixed, and latency(O) <= latency(P) + d. P entered at
 *       least d cycles after O: d is one, or the number of cycles counted between them (T1, T5). A guarded P may be dropped and is then released at
 * its entry. An unguarded P is dropped only where no lane is active, with divergence.minrc off. Lanes that pass such code without executing it also
 *       have an edge around it.
 *   S8  What was settled for P's pipe when P issued is settled wherever P is settled, because P entered its pipe after that wait. This is true even
 *       if P was dropped.
 *   S9  C has a plain hold. Every earlier memory instruction has read and written when C issues, and nothing issues before C (timing.md, Hints). So
 *       all pipes are settled for these instructions.
 *
 * S6 to S8 apply within one block only, because O, P and C follow each other on every path there. */
#include "check/settle.h"

/* S6 to S8: P, an instruction of this block, is released for the instructions that enter `pipes` behind `word`. */
static void settle_before(hd_facts *f, const hd_code_graph *g, const hd_effects *effects, const hd_fact *p, uint32_t word, uint16_t pipes)
{
	const hd_inst *inst = &g->insts[p->word];
	const hd_effects *fx = &effects[p->word];
	const uint32_t primary = p->word;
	bool released_by_write = hd_is_unguarded(inst) && !inst->release;
	if (!hd_spend_steps(g, f->list.n))
		return;
	for (size_t k = 0; k < f->list.n; k++) {
		const hd_fact *o = &f->list.at[k];
		const hd_settled *settled = &f->settled.at[k];
		if (o->word >= primary && o->word < word)
			continue;          /* P itself, or an instruction that issued after P */
		if (o->pipe == fx->pipe) { /* S6, S7 */
			const hd_effects *ofx = &effects[o->word];
			uint32_t apart = hd_max_u32(1, hd_facts_apart(o, p));
			bool written_before = !ofx->variable_latency && ofx->latency <= fx->latency + apart;
			hd_facts_settle(f, k, pipes, released_by_write && written_before, word);
		}
		bool read = !(o->unread >> fx->pipe & 1) && settled->read[fx->pipe] <= primary; /* S8 */
		bool written = !(o->unwritten >> fx->pipe & 1) && settled->written[fx->pipe] <= primary;
		if (read)
			hd_facts_settle(f, k, pipes, written, word);
	}
}

static void settle_by_counters(hd_facts *f, const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, uint32_t word)
{
	const hd_inst *inst = &g->insts[word];
	const hd_effects *fx = &effects[word];
	uint32_t high = hd_machine_high_mask(machine);
	for (size_t i = 0; i < f->list.n; i++) {
		const hd_fact *p = &f->list.at[i];
		if (!p->primary || !(inst->wait >> (p->primary - 1) & 1))
			continue; /* S1 */
		bool in_decoder = high >> (p->primary - 1) & 1;
		bool all = fx->pipe == HD_PIPE_FLOW || (in_decoder && !hd_machine_passes_waits(machine)); /* S3 to S5 */
		uint16_t pipes = all ? HD_ALL_PIPES : (uint16_t)(1u << fx->pipe);
		hd_facts_settle(f, i, pipes, !g->insts[p->word].release, word); /* S2 */
		if (p->word >= f->begin && p->word < word)
			settle_before(f, g, effects, p, word, pipes);
	}
}

void hd_settle(hd_facts *f, const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, uint32_t word)
{
	for (size_t i = 0; effects[word].waits_for_memory && i < f->list.n; i++) {
		if (hd_ops[g->insts[f->list.at[i].word].op].flags & HD_OPF_MEM)
			hd_facts_settle(f, i, HD_ALL_PIPES, true, word); /* S9 */
	}
	if (g->insts[word].wait)
		settle_by_counters(f, g, effects, machine, word);
}
