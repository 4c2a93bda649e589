/* Judges an instruction: its dependences on outstanding instructions, its counters, its type and its last uses. The rules are in judge.c. */
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

/* Judges the instruction at `word`. `facts` must include the effect of its waits. `guards` are those before the instruction. */
void hd_judge_instruction(const hd_judge *judge, const hd_facts *facts, const hd_guards *guards, uint32_t word);

/* Judges on a machine with a scoreboard, which orders registers and memory: only the type is left (J11). */
void hd_judge_type(const hd_judge *judge, uint32_t word);

#endif
