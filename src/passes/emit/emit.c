#include "passes/emit/emit.h"

#include "isa/compact.h"
#include "passes/analysis/call_graph.h"
#include "passes/emit/hint_table.h"
#include "passes/emit/kernel_resources.h"
#include "passes/lower/literal_pool.h"

enum { MAX_DELAY3 = 7 /* that three bits hold */ };

typedef struct emitter {
	hd_ir_module *module;
	const hd_machine *machine;
	hd_object *object;
	uint32_t *order;       /* the functions in order of address */
	uint32_t **block_word; /* by function and block: its first word */
	bool *address_taken;   /* by function: its address is a value */
	HD_VEC(uint8_t) hint3; /* of every word placed so far: its delay with the three-bit carrier (PD-3), or HD_MEETS; and a flag below */
	bool short_branches;   /* every branch reaches its target with 32 bits (PD-33) */
} emitter;

/* Flags of words of 32 bits, beside hint3: the first half of an instruction, and the second half or an empty word. */
enum { FIRST_HALF = 0x40, NO_INSTRUCTION = 0x80, HINT3 = 7 };

/* -- placement: the word address of every instruction ------------------------------------------------------------------------------ */

/* The next word that an instruction can have; skips scheduling words. */
static uint32_t next_word(emitter *e)
{
	while (hd_is_ss(e->object->geometry, (uint32_t)e->hint3.n))
		hd_vec_push(&e->hint3, 0);
	return (uint32_t)e->hint3.n;
}

/* The next words of 32 bits for an instruction of two of them. They are in one line. */
static uint32_t take_two(emitter *e)
{
	if (hd_line_rest(e->object->geometry, next_word(e)) == 1)
		hd_vec_push(&e->hint3, NO_INSTRUCTION);
	uint32_t word = next_word(e);
	hd_vec_push(&e->hint3, FIRST_HALF);
	hd_vec_push(&e->hint3, NO_INSTRUCTION);
	return word;
}

static uint32_t take_word(emitter *e, unsigned hint3)
{
	uint32_t word = next_word(e);
	hd_vec_push(&e->hint3, (uint8_t)hint3);
	return word;
}

/* Words without an instruction become no-ops. With three bits, which hold delays up to 7 and no waits, they stand for the other cycles. */
static void take_cycles(emitter *e, unsigned cycles)
{
	for (unsigned now; cycles > 0; cycles -= now) {
		now = hd_min_u32(cycles, MAX_DELAY3);
		take_word(e, now);
	}
}

/* No-ops for so many cycles, by the entries of the table (PD-28). */
static void take_cycles_by_table(emitter *e, unsigned cycles)
{
	for (unsigned passed; cycles > 0; cycles -= passed) {
		unsigned entry = hd_fit_nop(e->object->hint_table.at, HD_HINT_TABLE, cycles, &passed);
		take_word(e, entry);
	}
}

static void place_by_table(emitter *e, hd_ir_inst *inst)
{
	hd_table_fit fit = hd_fit_hint(e->object->hint_table.at, HD_HINT_TABLE, (unsigned)inst->hint << 4 | inst->delay, e->machine);
	take_cycles_by_table(e, fit.before);
	inst->word = take_word(e, fit.entry);
	take_cycles_by_table(e, fit.after);
}

static void place_inst(emitter *e, hd_ir_inst *inst)
{
	if (e->object->hint_table.n && !hd_is_compact(e->object->geometry)) {
		place_by_table(e, inst);
		return;
	}
	if (hd_is_compact(e->object->geometry) && !inst->brief) {
		inst->word = take_two(e);
		return;
	}
	unsigned delay = inst->hint == HD_HINT_DELAY ? inst->delay : 0;
	if (e->machine->predecode_carrier != HD_CARRIER_INSTRUCTION) {
		inst->word = take_word(e, 0);
		return;
	}
	if (inst->hint == HD_HINT_WAIT)
		take_cycles(e, inst->delay);
	inst->word = take_word(e, hd_min_u32(delay, MAX_DELAY3));
	take_cycles(e, delay - hd_min_u32(delay, MAX_DELAY3));
}

static void end_line(emitter *e)
{
	while (e->hint3.n % hd_geometries[e->object->geometry].line_words != 0)
		hd_vec_push(&e->hint3, 0);
}

/* The word at which block b begins, which is not empty even if the first instruction from there on is too long for the line. */
static uint32_t begin_block(emitter *e, const hd_ir_function *f, size_t b)
{
	while (b < f->blocks.n && f->blocks.at[b]->insts.n == 0)
		b++;
	bool room = !hd_is_compact(e->object->geometry) || hd_line_rest(e->object->geometry, next_word(e)) > 1;
	if (!room && b < f->blocks.n && !f->blocks.at[b]->insts.at[0]->brief)
		hd_vec_push(&e->hint3, NO_INSTRUCTION);
	return next_word(e);
}

/* A function begins in a line of its own. None that another one may name is at address 0, the null pointer. Returns the number of words. */
static uint32_t place_all(emitter *e)
{
	if (!hd_geometries[e->object->geometry].ss && e->module->functions.n > 1)
		hd_vec_push(&e->hint3, 0);
	for (size_t at = 0; at < e->module->functions.n; at++) {
		uint32_t i = e->order[at];
		const hd_ir_function *f = e->module->functions.at[i];
		end_line(e);
		for (size_t b = 0; b < f->blocks.n; b++) {
			e->block_word[i][b] = begin_block(e, f, b);
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
				place_inst(e, f->blocks.at[b]->insts.at[k]);
			if (f->blocks.at[b]->meets)
				e->hint3.at[f->blocks.at[b]->insts.at[0]->word] |= HD_MEETS;
		}
	}
	end_line(e);
	return (uint32_t)e->hint3.n;
}

/* -- encoding ---------------------------------------------------------------------------------------------------------------------- */

static uint8_t predicate_field(const hd_opd *o) { return o->kind == HD_OPD_NONE ? HD_PT : (uint8_t)((o->reg & 7) | (o->neg ? 8u : 0u)); }

static uint8_t register_field(const hd_opd *o)
{
	if (o->kind != HD_OPD_REG)
		return HD_RZ;
	hd_invariant(o->reg <= HD_RZ && o->sub == 0, "register %u.%u at emission", o->reg, o->sub);
	return (uint8_t)o->reg;
}

/* The field of source i of an ALU-like instruction; sets `ksel` and `imm` for a constant. */
static uint8_t source_field(emitter *e, hd_inst *out, const hd_ir_inst *inst, unsigned i)
{
	const hd_opd *o = &inst->s[i];
	uint32_t word;
	if (o->kind == HD_OPD_REG)
		return register_field(o);
	if (o->kind == HD_OPD_IMM && o->imm == 0)
		return HD_RZ;
	hd_invariant(out->ksel == 0, "two operands of %s are no registers", hd_ops[inst->op].mnemonic);
	if (o->kind == HD_OPD_IMM && i == 1 && hd_op_takes_imm16((hd_op)inst->op) && hd_imm16_fits((hd_op)inst->op, o->imm, &out->imm)) {
		out->ksel = 3;
		return HD_RZ;
	}
	out->ksel = (uint8_t)(i + 1);
	if (o->kind == HD_OPD_CONST)
		return (uint8_t)(o->imm / 4);
	hd_invariant(o->kind == HD_OPD_IMM && hd_literal_word(e->module, o->imm, o->words, &word), "%s: operand %u of kind %u was not legalised",
	             hd_ops[inst->op].mnemonic, i, o->kind);
	return (uint8_t)word;
}

static void encode_sources(emitter *e, hd_inst *out, const hd_ir_inst *inst, const hd_op_info *row)
{
	uint8_t *const fields[3] = {&out->a, &out->b, &out->c};
	for (unsigned i = 0; i < row->sources; i++) {
		*fields[i] = source_field(e, out, inst, i);
		if (inst->s[i].last_use && inst->s[i].kind == HD_OPD_REG)
			out->last_use |= (uint8_t)(1u << i);
	}
}

static uint32_t function_word(const emitter *e, uint64_t function) { return e->block_word[function][0]; }

/* The address of a function as a value: callx may go there. */
static uint32_t function_address(emitter *e, uint64_t function)
{
	e->address_taken[function] = true;
	return function_word(e, function);
}

static void list_targets(emitter *e)
{
	for (size_t at = 0; at < e->module->functions.n; at++)
		if (e->address_taken[e->order[at]])
			hd_vec_push(&e->object->targets, function_word(e, e->order[at]));
}

static hd_inst encode_inst(emitter *e, size_t function, const hd_ir_inst *inst)
{
	const hd_op_info *row = &hd_ops[inst->op];
	hd_inst out = {.op = (uint8_t)inst->op, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .mod = inst->mod, .sub = inst->sub};
	if (inst->guard.kind == HD_OPD_PRED) {
		out.guard = (uint8_t)inst->guard.reg;
		out.guard_neg = inst->guard.neg;
	}
	out.primary = inst->primary;
	out.wait = inst->wait;
	out.release = inst->release;
	if (inst->nd > 0)
		out.d = row->d == HD_W_P ? (uint8_t)(inst->d[0].kind == HD_OPD_PRED ? inst->d[0].reg : HD_PT) : register_field(&inst->d[0]);
	switch ((hd_format)row->format) {
	case HD_F_NONE:
		break;
	case HD_F_SEL:
	case HD_F_VOTE:
		encode_sources(e, &out, inst, row);
		out.sub = predicate_field(&inst->s[row->sources]);
		break;
	case HD_F_CARRY:
		encode_sources(e, &out, inst, row);
		out.sub = (uint8_t)((inst->s[2].kind == HD_OPD_PRED ? inst->s[2].reg : HD_PT) |
		                    (inst->d[1].kind == HD_OPD_PRED ? inst->d[1].reg : HD_PT) << 3);
		hd_invariant(!inst->s[2].neg, "a negated carry");
		break;
	case HD_F_PLOP:
		out.sub2 = (uint8_t)(predicate_field(&inst->s[0]) | predicate_field(&inst->s[1]) << 4);
		out.b = predicate_field(&inst->s[2]);
		break;
	case HD_F_MOVI:
		out.imm = inst->s[0].kind == HD_OPD_FUNC ? (int32_t)function_address(e, inst->s[0].imm) : (int32_t)(uint32_t)inst->s[0].imm;
		break;
	case HD_F_LD:
	case HD_F_ST:
		encode_sources(e, &out, inst, row);
		out.imm = inst->offset;
		break;
	case HD_F_BRANCH:
		out.imm = (int32_t)(inst->op == HD_OP_CALL ? function_word(e, (uint64_t)inst->callee) : e->block_word[function][inst->callee]);
		break;
	case HD_F_CBAR:
		out.a = (uint8_t)inst->offset;
		break;
	case HD_F_HINTS:
		out.a = (uint8_t)inst->offset;
		out.imm = (int32_t)(uint32_t)inst->s[0].imm;
		break;
	case HD_F_BAR:
		out.a = (uint8_t)inst->offset;
		out.b = inst->ns ? register_field(&inst->s[0]) : HD_RZ;
		break;
	default:
		encode_sources(e, &out, inst, row);
		break;
	}
	return out;
}

static void put_hint(emitter *e, uint32_t word, unsigned hint, unsigned delay, unsigned second)
{
	bool fits = hd_object_put_hint(e->object, word, delay | hint << 4 | second << 8);
	hd_invariant(fits, "word %u: the byte 0x%x is in no table", word, delay | hint << 4);
}

/* Where the scheduler learns the type of an instruction from its hint (MI-1), a delay names it, too. */
static unsigned hint_of(const emitter *e, const hd_ir_inst *inst)
{
	unsigned pipe = hd_machine_op_pipe(e->machine, inst->op);
	bool delay = inst->hint == HD_HINT_DELAY || (inst->hint == HD_HINT_MAY_REPLAY && pipe != HD_PIPE_LSU);
	return delay && hd_machine_typed_hints(e->machine) ? hd_hint_typed(pipe) : inst->hint;
}

static void encode(emitter *e, size_t function, const hd_ir_inst *inst)
{
	uint64_t *code = e->object->code.at;
	hd_inst encoded = encode_inst(e, function, inst), back;
	const char *why;
	encoded.hint3 = e->hint3.at[inst->word] & HINT3;
	if (!hd_line_put(e->object->geometry, code, inst->word, &encoded) || !hd_line_get(e->object->geometry, code, inst->word, &back, &why)) {
		hd_text text = {0};
		hd_ir_print_inst(inst, true, &text);
		hd_panic("%s: %s does not encode: %s", e->module->functions.at[function]->name, text.at, why);
	}
	put_hint(e, inst->word, hint_of(e, inst), inst->delay, inst->second);
}

/* Lines of no-ops, then the instructions. */
static void fill_code(emitter *e, uint32_t words)
{
	bool *taken = hd_xcalloc(words + 1, sizeof *taken);
	for (uint32_t word = 0; word < words; word++) {
		unsigned hint3 = e->hint3.at[word];
		hd_vec_push(&e->object->code, hint3 & ~HINT3 ? 0 : hd_line_blank(e->object->geometry, word, hint3));
	}
	for (size_t i = 0; i < e->module->functions.n; i++) {
		const hd_ir_function *f = e->module->functions.at[i];
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				encode(e, i, f->blocks.at[b]->insts.at[k]);
				taken[f->blocks.at[b]->insts.at[k]->word] = true;
			}
		}
	}
	for (uint32_t word = 0; word < words; word++) {
		if (hd_object_begins(e->object, word) && !taken[word])
			put_hint(e, word, HD_HINT_DELAY, 1, 0);
	}
	free(taken);
}

/* -- instructions of 32 bits (PD-33) ---------------------------------------------------------------------------------------------------- */

enum { BYTES = 256, ONE_CYCLE = HD_HINT_DELAY << 4 | 1, LEAST_WORDS = 6 /* of a line that are not empty */ };

static unsigned byte_of(const emitter *e, const hd_ir_inst *inst) { return (hint_of(e, inst) << 4 | inst->delay) & (BYTES - 1); }

/* Placement must not decide: the address of a function is a value of any size. */
static bool fits_32_bits(emitter *e, size_t function, const hd_ir_inst *inst)
{
	uint32_t bits;
	hd_inst encoded = encode_inst(e, function, inst);
	if (inst->op == HD_OP_MOVI && inst->s[0].kind == HD_OPD_FUNC)
		return false;
	return (e->short_branches || hd_ops[inst->op].format != HD_F_BRANCH) && hd_compact_encode(&encoded, &bits);
}

/* Entry 0 is a delay of one cycle, which no-ops have. The others are the bytes that most instructions have which fit 32 bits otherwise. */
static void choose_short_hints(hd_object *object, uint32_t *count)
{
	hd_vec_push(&object->hint_table, ONE_CYCLE);
	count[ONE_CYCLE] = 0;
	for (unsigned n = 1; n < HD_SHORT_HINTS; n++) {
		unsigned most = 0;
		for (unsigned byte = 1; byte < BYTES; byte++)
			most = count[byte] > count[most] ? byte : most;
		hd_vec_push(&object->hint_table, (uint8_t)most);
		count[most] = 0;
	}
}

/* Chooses the table of hints, and the length of each instruction. One that lanes wait before has its flag in the form of 64 bits (RC-21). */
static void choose_lengths(emitter *e)
{
	uint32_t count[BYTES] = {0}, n = 0;
	for (size_t i = 0; i < e->module->functions.n; i++)
		for (size_t b = 0; b < e->module->functions.at[i]->blocks.n; b++)
			n += (uint32_t)e->module->functions.at[i]->blocks.at[b]->insts.n;
	e->short_branches =
	    (2 * (uint64_t)n / LEAST_WORDS + 1 + e->module->functions.n) * hd_geometries[HD_GEOMETRY_COMPACT].line_words <= HD_COMPACT_REACH;
	for (size_t i = 0; i < e->module->functions.n; i++) {
		for (size_t b = 0; b < e->module->functions.at[i]->blocks.n; b++) {
			const hd_ir_block *block = e->module->functions.at[i]->blocks.at[b];
			for (size_t k = 0; k < block->insts.n; k++) {
				block->insts.at[k]->brief = !(block->meets && k == 0) && fits_32_bits(e, i, block->insts.at[k]);
				count[byte_of(e, block->insts.at[k])] += block->insts.at[k]->brief;
			}
		}
	}
	choose_short_hints(e->object, count);
	for (size_t i = 0; i < e->module->functions.n; i++) {
		for (size_t b = 0; b < e->module->functions.at[i]->blocks.n; b++) {
			const hd_ir_block *block = e->module->functions.at[i]->blocks.at[b];
			for (size_t k = 0; k < block->insts.n; k++)
				if (hd_object_short_hint(e->object, byte_of(e, block->insts.at[k])) == HD_SHORT_HINTS)
					block->insts.at[k]->brief = false;
		}
	}
}

/* -- the rest of the object --------------------------------------------------------------------------------------------------------- */

static void fill_lines(emitter *e)
{
	hd_object *o = e->object;
	for (size_t i = 0; i < e->module->files.n; i++)
		hd_vec_push(&o->files, hd_xstrdup(e->module->files.at[i]));
	hd_ir_loc last = {0};
	for (size_t at = 0; at < e->module->functions.n; at++) {
		const hd_ir_function *f = e->module->functions.at[e->order[at]];
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
				hd_ir_loc loc = inst->loc;
				if ((loc.line == 0 && loc.column != HD_IR_NO_LINE) || loc.file >= o->files.n ||
				    (loc.line == last.line && loc.column == last.column && loc.file == last.file))
					continue;
				hd_vec_push(&o->lines,
				            (hd_line){.word = inst->word, .file = loc.file, .column = loc.line ? loc.column : 0, .line = loc.line});
				last = loc;
			}
		}
	}
}

static void fill_data(emitter *e)
{
	hd_object *o = e->object;
	for (size_t i = 0; i < e->module->data.n; i++)
		hd_vec_push(&o->data, e->module->data.at[i]);
	for (size_t i = 0; i < e->module->relocs.n; i++)
		hd_vec_push(&o->relocs, e->module->relocs.at[i]);
	for (size_t i = 0; i < e->module->variables.n; i++) {
		hd_variable variable = e->module->variables.at[i];
		variable.name = hd_xstrdup(variable.name);
		hd_vec_push(&o->variables, variable);
	}
	for (size_t i = 0; i < e->module->literals.n; i++)
		hd_vec_push(&o->literals, e->module->literals.at[i]);
	for (size_t i = 0; i < e->module->code_refs.n; i++) {
		const hd_ir_code_ref *ref = &e->module->code_refs.at[i];
		uint64_t word = function_address(e, ref->function);
		for (uint32_t k = 0; k < ref->bytes; k++)
			o->data.at[ref->offset + k] = (uint8_t)(word >> 8 * k);
	}
}

static void fill_object(emitter *e, uint32_t words)
{
	size_t n = e->module->functions.n;
	uint32_t *begin = hd_xcalloc(n + 1, sizeof *begin);
	e->object->counters = e->machine->fence_counters;
	e->object->config = hd_xstrdup(e->machine->name);
	fill_code(e, words);
	fill_lines(e);
	for (uint32_t i = 0; i < n; i++)
		begin[i] = function_word(e, i);
	hd_emit_kernels(e->module, e->order, begin, words, e->machine->memory_stack_bytes, e->object);
	fill_data(e);
	list_targets(e);
	free(begin);
}

/* In the order of the module, or callers first where a machine needs that (RC-20). */
static uint32_t *order_of_functions(const hd_ir_module *module, const hd_machine *machine)
{
	if (hd_machine_callers_first(machine))
		return hd_callers_first(module);
	uint32_t *order = hd_xcalloc(module->functions.n + 1, sizeof *order);
	for (uint32_t i = 0; i < module->functions.n; i++)
		order[i] = i;
	return order;
}

hd_object *hd_emit_object(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	emitter e = {.module = module, .machine = machine, .object = hd_object_new()};
	e.object->geometry = machine->predecode_geometry;
	if (machine->fence_split == HD_SPLIT_PROGRAM)
		e.object->split = machine->fence_high_latency + 1;
	e.block_word = hd_xcalloc(module->functions.n + 1, sizeof *e.block_word);
	e.address_taken = hd_xcalloc(module->functions.n + 1, sizeof *e.address_taken);
	e.order = order_of_functions(module, machine);
	if (hd_machine_has_hint_table(machine)) {
		uint8_t table[HD_HINT_TABLE];
		hd_choose_hint_table(module, machine, table);
		for (unsigned i = 0; i < HD_HINT_TABLE; i++)
			hd_vec_push(&e.object->hint_table, table[i]);
	}
	for (size_t i = 0; i < module->functions.n; i++)
		e.block_word[i] = hd_xcalloc(module->functions.at[i]->blocks.n + 1, sizeof(uint32_t));
	if (hd_is_compact(e.object->geometry))
		choose_lengths(&e);
	uint32_t words = place_all(&e);
	if (words <= HD_MAX_CODE) {
		fill_object(&e, words);
	} else {
		hd_error(diag, (hd_pos){.file = module->files.n ? module->files.at[0] : NULL},
		         "the program has %u words of code, at most %d are possible", words, HD_MAX_CODE);
		hd_object_free(e.object);
		e.object = NULL;
	}
	for (size_t i = 0; i < module->functions.n; i++)
		free(e.block_word[i]);
	free(e.block_word);
	free(e.order);
	free(e.address_taken);
	hd_vec_free(&e.hint3);
	return e.object;
}
