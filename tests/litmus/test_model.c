/* The model of the litmus tests (MT-3): published verdicts, and what follows from the axioms by hand. */
#include "model.h"
#include "../test.h"

typedef struct verdict {
	const char *shape, *form;
	litmus_scope scope;
	litmus_place place;
	bool allowed;
} verdict;

static bool allows(const verdict *v)
{
	static litmus_outcomes allowed;
	litmus_test test;
	unsigned shape = 0, form = 0;
	while (strcmp(litmus_shapes[shape].name, v->shape) != 0)
		shape++;
	while (strcmp(litmus_forms[form].name, v->form) != 0)
		form++;
	if (!litmus_make(&test, shape, form, v->scope, v->place))
		fail_msg("%s, %s is no test", v->shape, v->form);
	litmus_allowed(&test, &allowed);
	return litmus_wanted(&test, &allowed);
}

TEST(verdicts)
{
	static const verdict rows[] = {
	    {"MP", "weak", LITMUS_GPU, LITMUS_APART, true},
	    {"MP", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"MP", "acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"MP", "weak, acquire/release", LITMUS_SYS, LITMUS_APART, false},
	    {"MP", "weak, acquire/release", LITMUS_CTA, LITMUS_APART, true}, /* the scope does not reach the other CTA */
	    {"MP", "weak, acquire/release", LITMUS_CTA, LITMUS_IN_CTA, false},
	    {"MP", "weak, fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"MP", "fence.acq_rel", LITMUS_CTA, LITMUS_APART, true},
	    {"MP", "volatile, membar", LITMUS_GPU, LITMUS_APART, false},
	    {"MP", "atom.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"MP", "atom.relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"SB", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true}, /* only fence.sc orders a store and a later load */
	    {"SB", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"SB", "fence.sc", LITMUS_CTA, LITMUS_APART, true},
	    {"SB", "weak, fence.sc", LITMUS_GPU, LITMUS_APART, false}, /* fences order weak accesses, too */
	    {"SB", "acquire/release", LITMUS_GPU, LITMUS_APART, true},
	    {"SB", "volatile, membar", LITMUS_SYS, LITMUS_APART, false},
	    {"LB", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"LB", "acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"LB+deps", "weak", LITMUS_GPU, LITMUS_APART, false}, /* nothing out of thin air */
	    {"S", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"R", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"R", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"2+2W", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"2+2W", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"2+2W", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"WRC", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"WRC", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, false}, /* cumulative */
	    {"WRC", "acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"WRC", "acquire/release", LITMUS_CTA, LITMUS_PAIRS, true},
	    {"ISA2", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"ISA2", "weak, acquire/release", LITMUS_SYS, LITMUS_APART, false},
	    {"RWC", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"RWC", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"IRIW", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true}, /* stores may reach others in different orders */
	    {"IRIW", "acquire/release", LITMUS_GPU, LITMUS_APART, true},
	    {"IRIW", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"CoRR", "relaxed", LITMUS_GPU, LITMUS_APART, false},
	    {"CoRR", "weak", LITMUS_GPU, LITMUS_APART, true},
	    {"CoRR", "weak, relaxed", LITMUS_GPU, LITMUS_APART, false}, /* the second load follows what the first has observed */
	    {"CoRR", "relaxed, weak", LITMUS_GPU, LITMUS_APART, true},
	    {"CoWW", "weak", LITMUS_GPU, LITMUS_APART, false},
	    {"CoRW", "relaxed", LITMUS_GPU, LITMUS_APART, false},
	    {"CoWR", "relaxed", LITMUS_SYS, LITMUS_APART, false},
	    {"CoRR2", "relaxed", LITMUS_GPU, LITMUS_APART, false},
	    {"count", "relaxed", LITMUS_GPU, LITMUS_APART, false},
	    {"count", "relaxed", LITMUS_CTA, LITMUS_APART, true}, /* atomics of a scope that does not reach are not atomic to each other */
	    {"count", "relaxed", LITMUS_CTA, LITMUS_IN_CTA, false},
	    {"MP+add", "acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"MP+chain", "acquire/release", LITMUS_GPU, LITMUS_APART, false}, /* an atomic in between passes the release on */
	    {"MP+chain", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},   /* and a relaxed one does, too */
	    {"MP+chain", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"MP", "atom.acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"LB", "atom.acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"SB", "atom.acquire/release", LITMUS_GPU, LITMUS_APART, true},
	    {"MP", "atom.acquire/release", LITMUS_CTA, LITMUS_APART, true},
	    {"MP", "weak.cg, fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"SB", "fence.sc / fence.acq_rel", LITMUS_GPU, LITMUS_APART, true}, /* both have to be fence.sc */
	    {"MP", "fence.sc / fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"SB", "relaxed.sys, fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"SB", "relaxed.sys, fence.sc", LITMUS_CTA, LITMUS_APART, true}, /* the scope of the fence is what counts */
	    {"MP", "relaxed.sys, fence.sc", LITMUS_CTA, LITMUS_APART, true},
	    {"CoRW1", "weak", LITMUS_GPU, LITMUS_APART, false},
	    {"3.SB", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"3.SB", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"3.LB", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"3.LB", "acquire/release", LITMUS_GPU, LITMUS_APART, false},
	    {"3.2W", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"3.2W", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"WWC", "relaxed", LITMUS_GPU, LITMUS_APART, true},
	    {"WWC", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, false},
	    {"W+RWC", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"W+RWC", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"WRW+2W", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"WRW+2W", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"IRRWIW", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"IRRWIW", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"IRWIW", "fence.acq_rel", LITMUS_GPU, LITMUS_APART, true},
	    {"IRWIW", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"SB+exch", "acquire/release", LITMUS_GPU, LITMUS_APART, true},
	    {"SB+exch", "fence.sc", LITMUS_GPU, LITMUS_APART, false},
	    {"named", "weak", LITMUS_GPU, LITMUS_IN_CTA, false},
	    {"arrive", "weak", LITMUS_GPU, LITMUS_IN_CTA, false},
	    {"chain", "weak", LITMUS_GPU, LITMUS_IN_CTA, false},
	    {"SB+bar", "weak", LITMUS_GPU, LITMUS_IN_CTA, false},
	    {"bar+MP", "acquire/release", LITMUS_GPU, LITMUS_PAIRS, false}, /* writes that the barrier brought are released, too */
	    {"bar+MP", "relaxed", LITMUS_GPU, LITMUS_PAIRS, true},          /* and a barrier of a CTA alone releases nothing to another one */
	    {"bar+MP", "acquire/release", LITMUS_CTA, LITMUS_PAIRS, true},
	    {"MP+bar", "weak, fence.acq_rel", LITMUS_GPU, LITMUS_PAIRS, false}, /* acquired writes are there behind the barrier */
	    {"MP+bar", "weak, relaxed", LITMUS_GPU, LITMUS_PAIRS, true},
	    {"MP+arrive", "weak, acquire/release", LITMUS_GPU, LITMUS_PAIRS, false},
	    {"bar+MP+bar", "weak, acquire/release", LITMUS_GPU, LITMUS_PAIRS, false},
	    {"grid", "weak", LITMUS_GPU, LITMUS_APART, false},
	    {"SB+grid", "weak", LITMUS_GPU, LITMUS_APART, false},
	    {"bar+grid+bar", "weak", LITMUS_GPU, LITMUS_PAIRS, false},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (allows(&rows[i]) != rows[i].allowed)
			fail_msg("%s, %s, %s, %s is to be %s", rows[i].shape, rows[i].form, litmus_scope_names[rows[i].scope],
			         litmus_place_names[rows[i].place], rows[i].allowed ? "allowed" : "forbidden");
}

/* Sequentially consistent outcomes are always allowed, and values that nobody stores never are. */
TEST(sets_of_outcomes)
{
	static litmus_outcomes allowed;
	litmus_test test;
	unsigned n = 0;
	assert_true(litmus_make(&test, 0, 0, LITMUS_GPU, LITMUS_APART)); /* MP, weak */
	litmus_allowed(&test, &allowed);
	for (unsigned outcome = 0; outcome < LITMUS_OUTCOMES; outcome++)
		n += litmus_has(&allowed, outcome);
	assert_int_equal(n, 4);
	for (unsigned r = 0; r < 4; r++)
		assert_true(litmus_has(&allowed, (r & 1) | (r & 2) << 1 | 5u << litmus_shift_location(0)));
}
