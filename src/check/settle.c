/* Let C be the instruction that waits, P a primary before it, O any instruction before P. "Read" and "written" are what timing.md calls so; an
 * access of memory counts as written when it is performed. A pipe is settled for P when whatever enters it, issued with C or later, finds P read
 * or written.
 *
 *   S1  C waits for counter k: every P with counter k that was issued before C has been released when C goes on. The counter was raised when P
 *       was issued (rule 4) and is zero only when all its primaries are released (HZ-6, rule 3). Later primaries raise it only when C has seen
 *       it at zero (HZ-18); without wait counters they can only make C wait longer.
 *   S2  A release by write proves P read and written, as the write never comes before the read. A release by read proves P read, and no more
 *       (HZ-4).
 *   S3  A low-latency counter holds C back in the queue of its pipe (rule 3). That pipe alone is settled: what is issued behind C into it enters
 *       behind C (rule 1), what goes to other pipes does not wait for C.
 *   S4  A high-latency counter holds C back in the decoder (rule 3), and nothing is issued before C is: all pipes are settled. With
 *       multi_issue.pass_waits others are issued past C, but none of its own pipe (rule 8): that pipe alone is.
 *   S5  A flow instruction waits in its queue or in the decoder, and nothing is issued before it is decided (rules 5 and 8): all pipes are
 *       settled.
 *   S6  O of P's pipe has read when P is released, for the pipes for which P is: O entered before P (rule 1), and P is released at its entry at
 *       the earliest, by reading, by writing or by being dropped (HZ-16).
 *   S7  Such an O has also written when P is unguarded and released by write, O's latency is fixed, and O's latency <= P's + d, where P entered at
 *       least d cycles behind O: one, or as many as are counted between the two (T1). A guarded P may be dropped, and is then released at its entry.
 * (An unguarded P is dropped only where no lane is active, with divergence.minrc off; lanes that come by such code without executing it also have an
 * edge around it.) S8  What was settled for P's pipe when P was issued is settled wherever P is: P entered its pipe behind that wait, dropped or not.
 *   S9  What issues with a plain hold finds every earlier memory instruction read and written, and nothing is issued before it (timing.md,
 *       Hints): all pipes are settled for those.
 *
 * S6 to S8 are drawn in one block only, where O, P and C follow each other on every way. */
#include "check/settle.h"

/* S6 to S8: P, of this block, is released for what enters `pipes` behind `word`. */
static void settle_before(hd_facts *f, const hd_code_graph *g, const hd_effects *effects, const hd_fact *p, uint32_t word, uint16_t pipes)
{
	const hd_inst *inst = &g->insts[p->word];
	const hd_effects *fx = &effects[p->word];
	const uint32_t primary = p->word;
	bool released_by_write = hd_is_unguarded(inst) && !inst->release;
	for (size_t k = 0; k < f->list.n; k++) {
		const hd_fact *o = &f->list.at[k];
		const hd_settled *settled = &f->settled.at[k];
		if (o->word >= primary && o->word < word)
			continue;          /* P itself, or issued after it */
		if (o->pipe == fx->pipe) { /* S6, S7 */
			const hd_effects *ofx = &effects[o->word];
			uint32_t apart = hd_max_u32(1, p->issued - o->issued);
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
