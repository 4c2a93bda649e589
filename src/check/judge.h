/* Whether an instruction may be issued where it stands: the dependences on what is outstanding, and what it says of itself. The rules are in judge.c.
 */
#ifndef HD_CHECK_JUDGE_H
#define HD_CHECK_JUDGE_H

#include "check/check.h"
#include "check/facts.h"
#include "check/guards.h"

typedef struct hd_judge {
	const hd_code_graph *graph;
	const hd_effects *effects;
	const hd_machine *machine;
	hd_check_report *report;
} hd_judge;

/* The instruction at `word` goes to a pipe; `facts` are as its waits leave them, `guards` are those before it. */
void hd_judge_instruction(const hd_judge *judge, const hd_facts *facts, const hd_guards *guards, uint32_t word);

#endif
