#include "core/issue/window_rows.h"

enum { RESOURCES = 256 + HD_PREDS, WORDS = (RESOURCES + 63) / 64 };

typedef struct accesses {
	uint64_t reads[WORDS], writes[WORDS];
} accesses;

static void mark(uint64_t *set, const hd_use *uses, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned first = uses[i].words ? uses[i].reg : 256u + uses[i].reg, count = uses[i].words ? uses[i].words : 1u;
		for (unsigned r = first; r < first + count && r < RESOURCES; r++)
			set[r / 64] |= UINT64_C(1) << r % 64;
	}
}

static bool registers_meet(const accesses *first, const accesses *second)
{
	uint64_t both = 0;
	for (unsigned i = 0; i < WORDS; i++)
		both |= (first->writes[i] & (second->reads[i] | second->writes[i])) | (first->reads[i] & second->writes[i]);
	return both != 0;
}

/* The type of an instruction that the scheduler knows: the pipe, or the type in the pre-decode byte; 0 = unknown. */
static unsigned type_of(const hd_code *code, bool typed_hints, uint32_t pc)
{
	return typed_hints ? hd_predecode_type(code->slots[pc].predecode) : code->at[pc].pipe + 1u;
}

static void relate(const hd_code *code, const accesses *sets, const hd_machine *machine, uint32_t first, uint32_t second, uint32_t bit,
                   hd_window_row *out)
{
	bool typed_hints = hd_machine_typed_hints(machine);
	unsigned a_type = type_of(code, typed_hints, first), b_type = type_of(code, typed_hints, second);
	const hd_static *a = &code->at[first], *b = &code->at[second];
	const hd_op_info *ia = &hd_ops[code->slots[first].inst.op], *ib = &hd_ops[code->slots[second].inst.op];
	uint32_t a_waits = (uint32_t)a->at_queue | a->at_issue, b_waits = (uint32_t)b->at_queue | b->at_issue;
	/* Instructions enter one pipe in the order of the program: rules 1 and 2 depend on it. An instruction of unknown type goes alone. */
	if (a_type == b_type || !a_type || !b_type || (a_waits & hd_own_counter(b)))
		out->behind |= bit;
	if (registers_meet(&sets[first], &sets[second]) || (hd_own_counter(a) & (b_waits | hd_own_counter(b))) ||
	    (ia->flags & ib->flags & (HD_OPF_MEM | HD_OPF_SIDE)) || (a->at_issue && !machine->multi_issue_pass_waits))
		out->after |= bit;
}

hd_window_row *hd_window_rows(const hd_code *code, const hd_machine *machine)
{
	hd_window_row *rows = hd_xcalloc((size_t)code->n_words + HD_LINE_WORDS, sizeof *rows);
	accesses *sets = hd_xcalloc((size_t)code->n_words + 1, sizeof *sets);
	hd_use uses[HD_MAX_USES];
	for (uint32_t pc = code->n_words + HD_LINE_WORDS; pc-- > 0;) {
		rows[pc].next = code->at[pc].next;
		rows[pc].alone = hd_is_sent_alone(&code->at[pc]) ? pc : rows[rows[pc].next].alone;
	}
	for (uint32_t pc = 0; pc < code->n_words; pc++) {
		if (hd_is_sent_alone(&code->at[pc]))
			continue;
		const hd_inst *inst = &code->slots[pc].inst;
		mark(sets[pc].reads, uses, hd_inst_reads(inst, uses));
		mark(sets[pc].writes, uses, hd_inst_writes(inst, uses));
		uint32_t bit = 1;
		for (uint32_t before = pc; before-- > 0 && bit;) {
			if (code->slots[before].is_ss)
				continue;
			if (hd_is_sent_alone(&code->at[before]))
				break;
			relate(code, sets, machine, before, pc, bit, &rows[pc]);
			rows[before].with |= rows[pc].behind & bit ? 0 : bit << 1;
			rows[before].before |= (rows[pc].behind | rows[pc].after) & bit ? 0 : bit << 1;
			bit <<= 1;
		}
	}
	free(sets);
	return rows;
}
