#include "passes/annotate/hint_writes.h"

enum { GROUP = 4, MOST_BETWEEN = 14 /* one less than `hints` can say: another one may come in between */ };

/* An instruction of the new block. */
typedef struct placed {
	hd_ir_inst *inst;
	const hd_ir_inst *first; /* `hints`: the first instruction of its group */
} placed;

typedef struct writer {
	hd_ir_module *module;
	const hd_machine *machine;
	HD_VEC(placed) out;
	size_t begin, end; /* of the newest group, as places in `out`; an empty one at the beginning and behind a flow instruction */
} writer;

/* The delay that the hint `default` stands for. */
static unsigned delay_by_default(const hd_machine *machine)
{
	return machine->predecode_default_hint == HD_DEFAULT_WAIT ? 1 : hd_max_u32(machine->predecode_default_delay, 1);
}

static bool is_default(const hd_ir_inst *inst, const hd_machine *machine)
{
	return inst->hint == HD_HINT_DELAY && hd_max_u32(inst->delay, 1) == delay_by_default(machine) &&
	       machine->predecode_default_hint == HD_DEFAULT_DELAY;
}

/* The cycles that the hint keeps behind the instruction, where `default` keeps `initial`. */
static unsigned least_delay(const hd_ir_inst *inst, unsigned initial)
{
	bool by_default = inst->hint == HD_HINT_BOOST || inst->hint == HD_HINT_LOWER || inst->hint == HD_HINT_DEFAULT;
	return by_default ? initial : inst->hint == HD_HINT_WAIT ? 1 : hd_max_u32(inst->delay, 1);
}

/* Number of `nop`s that stand for the hint: before the instruction for a wait, otherwise behind it. */
static unsigned nops_for(const hd_ir_inst *inst, const hd_machine *machine)
{
	unsigned initial = delay_by_default(machine), delay = least_delay(inst, initial);
	return inst->hint == HD_HINT_WAIT ? inst->delay : delay > initial ? delay - initial : 0;
}

static hd_ir_inst *without_hint(const writer *w, unsigned op, const hd_ir_inst *model, unsigned sources)
{
	hd_ir_inst *inst = hd_ir_inst_new(w->module, op, 0, sources);
	inst->loc = model->loc;
	inst->hint = HD_HINT_DELAY;
	inst->delay = 1;
	return inst;
}

static void put_nops(writer *w, const hd_ir_inst *model, unsigned n)
{
	while (n--)
		hd_vec_push(&w->out, ((placed){without_hint(w, HD_OP_NOP, model, 0), NULL}));
}

/* The least number of cycles from the issue of an instruction to that of the next one. */
static unsigned least_spacing(const hd_ir_inst *inst) { return inst->hint != HD_HINT_PAIR; }

/* The last place for a `hints` that is written when the next instruction of the block becomes the warp's next one. False: there is none. */
static bool place_ahead(const writer *w, size_t *place)
{
	size_t at = w->out.n;
	unsigned cycles = 1;
	while (cycles < hd_machine_hints_written(w->machine) && at > w->begin)
		cycles += least_spacing(w->out.at[--at].inst);
	if (cycles < hd_machine_hints_written(w->machine))
		return false;
	*place = at > w->begin && at < w->end ? w->begin : at;
	return w->out.n - *place <= MOST_BETWEEN;
}

/* The `hints` takes a cycle of the delay before it. */
static void shorten_delay(hd_ir_inst *before)
{
	bool spaces = before->hint == HD_HINT_DELAY || before->hint == HD_HINT_MAY_REPLAY ||
	              (before->hint >= HD_HINT_HOLD && before->hint <= HD_HINT_HOLD_REPLAY_MEM);
	if (spaces && before->delay > 1 && hd_ops[before->op].pipe < HD_PIPE_FLOW)
		before->delay--;
}

/* Issue slots that the group from instruction i on takes or loses if it has no `hints`: its `nop`s, the cycles by which `default` delays longer, and
 * one for a load that the unit cannot refuse. */
static unsigned worth(const writer *w, const hd_ir_block *block, size_t i)
{
	unsigned slots = 0;
	for (size_t end = i + GROUP; i < end && i < block->insts.n; i++) {
		const hd_ir_inst *inst = block->insts.at[i];
		unsigned initial = delay_by_default(w->machine), needed = nops_for(inst, w->machine);
		slots += needed + (inst->hint == HD_HINT_MAY_REPLAY) + (needed ? 0 : initial - least_delay(inst, initial));
	}
	return slots;
}

/* Takes the place of a `nop` at or before the place `at` and behind the beginning of the newest group. False: there is none. */
static bool replace_nop(writer *w, size_t at, placed with)
{
	for (; at > w->begin && w->out.n - at <= MOST_BETWEEN; at--) {
		if (w->out.at[at - 1].inst->op == HD_OP_NOP) {
			w->out.at[at - 1] = with;
			return true;
		}
	}
	return false;
}

/* Places a `hints` for the group that begins with instruction i of the block. False: it is not worth its slot, or there is no place for it. */
static bool begin_group(writer *w, const hd_ir_block *block, size_t i)
{
	const hd_ir_inst *first = block->insts.at[i];
	size_t at;
	if (worth(w, block, i) < 2 || !place_ahead(w, &at))
		return false;
	placed hints = {without_hint(w, HD_OP_HINTS, first, 1), first};
	if (!replace_nop(w, at, hints)) {
		hd_vec_push(&w->out, hints);
		memmove(&w->out.at[at + 1], &w->out.at[at], (w->out.n - 1 - at) * sizeof w->out.at[0]);
		w->out.at[at] = hints;
		if (at)
			shorten_delay(w->out.at[at - 1].inst);
	}
	w->begin = w->out.n;
	w->end = w->begin + GROUP;
	return true;
}

/* The instruction has the hint `default`. */
static void put_without_hint(writer *w, hd_ir_inst *inst)
{
	unsigned nops = nops_for(inst, w->machine);
	bool waits = inst->hint == HD_HINT_WAIT;
	inst->hint = HD_HINT_DELAY;
	inst->delay = (uint8_t)delay_by_default(w->machine);
	put_nops(w, inst, waits ? nops : 0);
	hd_vec_push(&w->out, ((placed){inst, NULL}));
	put_nops(w, inst, waits ? 0 : nops);
}

/* Counts the instructions between a `hints` and its group, and collects the bytes of the group. */
static void fill(writer *w, size_t at)
{
	size_t first = at + 1;
	uint64_t bytes = 0;
	while (w->out.at[first].inst != w->out.at[at].first)
		first++;
	for (size_t i = first; i < first + GROUP && i < w->out.n; i++) {
		const hd_ir_inst *inst = w->out.at[i].inst;
		uint64_t byte = is_default(inst, w->machine) ? HD_HINT_DEFAULT << 4 : (unsigned)inst->hint << 4 | inst->delay;
		bytes |= byte << 8 * (i - first);
	}
	hd_ir_inst *inst = w->out.at[at].inst;
	inst->offset = (int32_t)(first - at - 1);
	inst->s[0] = hd_opd_imm(bytes, 1);
}

/* Another function, or other lanes of the warp at another place, can run behind the instruction and take both registers. */
static bool may_lose_registers(const hd_ir_inst *inst)
{
	bool never = inst->guard.kind == HD_OPD_PRED && inst->guard.reg == HD_PT && inst->guard.neg;
	return hd_ops[inst->op].pipe == HD_PIPE_FLOW && !never;
}

static void write_block(writer *w, hd_ir_block *block)
{
	hd_ir_insts insts = {0};
	w->out.n = w->begin = w->end = 0;
	for (size_t i = 0; i < block->insts.n; i++) {
		hd_ir_inst *inst = block->insts.at[i];
		if (w->out.n < w->end || is_default(inst, w->machine) || begin_group(w, block, i))
			hd_vec_push(&w->out, ((placed){inst, NULL}));
		else
			put_without_hint(w, inst);
		if (may_lose_registers(inst))
			w->begin = w->end = w->out.n;
	}
	for (size_t i = 0; i < w->out.n; i++) {
		if (w->out.at[i].first)
			fill(w, i);
		hd_vec_push(&insts, w->out.at[i].inst);
	}
	hd_ir_replace_insts(block, &insts);
}

void hd_place_hint_writes(hd_ir_module *module, hd_ir_function *function, const hd_machine *machine)
{
	writer w = {.module = module, .machine = machine};
	if (machine->predecode_carrier != HD_CARRIER_REGISTER || hd_machine_has_scoreboard(machine))
		return;
	for (size_t b = 0; b < function->blocks.n; b++)
		write_block(&w, function->blocks.at[b]);
	hd_vec_free(&w.out);
}
