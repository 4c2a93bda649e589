/* Compares the operand tables (hd_inst_reads, hd_inst_writes) with what the interpreter does, for every form of every row of ops.def:
 *
 * (a) A register or predicate that the table does not name has no influence. The test gives new values to all of them at once and expects the same
 *     result. A destination that is no source is one of them, so a lane that executes must overwrite it whatever it held: it is merged, not read.
 * (b) Each register and predicate that the table names has an influence. The test searches for a value of it that gives another result.
 * (c) Nothing changes but what the table names as written, in the lanes that execute. Each register and predicate so named can change.
 *
 * The result is everything: registers, predicates, memory, where each lane is, barriers, grids and queues, the trap. A number as the argument sets
 * how many states are tried for each form. */
#include "operand_states.h"

enum {
	TRIES = 12000, /* after so many perturbations of an operand one must have had an influence */
	STATE_EVERY = 2,
	EXPLAINED_TRIES = 64,
};

typedef struct names {
	bool read[STEP_REGISTERS], write[STEP_REGISTERS];
	uint8_t read_p, write_p; /* one bit each */
} names;

typedef enum item_kind { ITEM_REGISTER, ITEM_PREDICATE, ITEM_CONSTANT, ITEM_WRITTEN_REGISTER, ITEM_WRITTEN_PREDICATE, ITEM_MEMORY } item_kind;

/* A source that must have an influence, or a destination that must change. */
typedef struct item {
	item_kind kind;
	unsigned number, operand, word; /* word `word` of operand `operand` */
	const char *explained;          /* why it cannot; NULL: it must */
	bool seen;
} item;

enum { MAX_ITEMS = 32 };

typedef struct check {
	trial t;
	unsigned states;
	uint64_t seed, executions;
	names named;
	item items[MAX_ITEMS];
	unsigned n_items;
	bool each_alone;
	step_state start, result, other, other_result;
} check;

/* -- names of the table ---------------------------------------------------------------------------------- */

static void name(const hd_inst *inst, names *to)
{
	hd_use uses[HD_MAX_USES];
	memset(to, 0, sizeof *to);
	for (unsigned pass = 0; pass < 2; pass++) {
		unsigned n = pass ? hd_inst_writes(inst, uses) : hd_inst_reads(inst, uses);
		bool *registers = pass ? to->write : to->read;
		uint8_t *predicates = pass ? &to->write_p : &to->read_p;
		for (unsigned i = 0; i < n; i++) {
			for (unsigned k = 0; k < uses[i].words; k++)
				registers[uses[i].reg + k] = true;
			if (uses[i].words == 0)
				*predicates |= (uint8_t)(1u << uses[i].reg);
		}
	}
}

static const char *print(const hd_inst *inst)
{
	static char line[200]; /* for messages */
	hd_text text = {0};
	hd_inst_print(&text, inst);
	snprintf(line, sizeof line, "%s", text.at);
	hd_text_free(&text);
	return line;
}

/* The list of the form is the list of `full` without the operands that the form has not. */
static void expect_list(const form *f, unsigned (*list)(const hd_inst *, hd_use *))
{
	hd_use full[HD_MAX_USES], uses[HD_MAX_USES];
	unsigned n_full = list(&f->full, full), n = list(&f->inst[0], uses), at = 0;
	for (unsigned i = 0; i < n_full; i++) {
		if (f->without >> full[i].operand & 1 && full[i].operand != 5)
			continue;
		if (at >= n || memcmp(&uses[at], &full[i], sizeof *uses))
			fail_msg("%s: operand %u is not in the list", print(&f->inst[0]), full[i].operand);
		at++;
	}
	if (at != n)
		fail_msg("%s: operand %u is in the list", print(&f->inst[0]), uses[at].operand);
}

/* Every operand of the row that is a register in this form is in a list. */
static void expect_operands(const form *f)
{
	const hd_inst *i = &f->inst[0];
	const uint8_t reg[] = {i->a, i->b, i->c, HD_RZ, i->d};
	for (unsigned operand = 0; operand < HD_COUNT(reg); operand++) {
		hd_use uses[HD_MAX_USES];
		unsigned n = operand == 4 ? hd_inst_writes(i, uses) : hd_inst_reads(i, uses);
		bool found = !has_operand(i, operand) || reg[operand] == HD_RZ || i->ksel == operand + 1;
		for (unsigned k = 0; k < n; k++)
			found |= uses[k].operand == operand && uses[k].reg == reg[operand] && uses[k].words;
		if (!found)
			fail_msg("%s: operand %u has no register", print(i), operand);
	}
}

/* The lists before encoding and after decoding are the same, and so are the widths that the loader notes for the machine and the interpreter. */
static void expect_slot(const check *c, unsigned variant)
{
	const hd_slot *slot = &c->t.o->program->slots[c->t.o->at[variant]];
	const hd_inst *inst = &c->t.f->inst[variant];
	const char *why;
	hd_inst wide;
	hd_use before[HD_MAX_USES], after[HD_MAX_USES];
	unsigned n = hd_inst_reads(inst, before), words = 0, highest = 0;
	if (!same_inst(&slot->inst, inst) || hd_inst_reads(&slot->inst, after) != n || memcmp(before, after, n * sizeof *after))
		fail_msg("%s: the decoded word reads something else", print(inst));
	if (!hd_decode_wide(hd_encode_wide(inst), 0, &wide, &why) || !same_inst(&wide, inst))
		fail_msg("%s: the word of a line with more counters is another instruction", print(inst));
	for (unsigned i = 0; i < n; i++)
		highest = before[i].words && before[i].reg + before[i].words > highest ? before[i].reg + before[i].words : highest;
	n = hd_inst_writes(inst, before);
	if (hd_inst_writes(&slot->inst, after) != n || memcmp(before, after, n * sizeof *after))
		fail_msg("%s: the decoded word writes something else", print(inst));
	unsigned predicate = HD_PT;
	for (unsigned i = 0; i < n; i++) {
		words += before[i].words;
		predicate = before[i].words ? predicate : before[i].reg;
		highest = before[i].words && before[i].reg + before[i].words > highest ? before[i].reg + before[i].words : highest;
	}
	if (slot->dwords != words || slot->dpred != predicate)
		fail_msg("%s: the loader sees %u destination words and predicate %u, the table %u and %u", print(inst), slot->dwords, slot->dpred,
		         words, predicate);
	if (c->t.o->oracle->n_registers < highest)
		fail_msg("%s: the interpreter has %u registers, the table names %u", print(inst), c->t.o->oracle->n_registers, highest);
}

/* -- execution, and (c) ---------------------------------------------------------------------------------- */

/* Lanes that execute. */
static uint32_t executing(const check *c, const step_state *from)
{
	return from->flow.active & (from->predicates[c->t.inst->guard] ^ (c->t.inst->guard_neg ? UINT32_MAX : 0));
}

static bool same_memory(const step_state *x, const step_state *y)
{
	return !memcmp(x->global, y->global, sizeof x->global) && !memcmp(x->shared, y->shared, sizeof x->shared) &&
	       !memcmp(x->local, y->local, sizeof x->local);
}

/* An access that traps tells how many bytes it has: its data has as many registers. */
static void expect_width_of_access(const check *c, const step_state *to)
{
	const hd_op_info *row = &hd_ops[c->t.inst->op];
	unsigned words = to->end.bytes > 4 ? to->end.bytes / 4 : 1;
	const uint8_t width[] = {row->a, row->b, row->c, HD_W_N, row->d};
	for (unsigned operand = 0; operand < HD_COUNT(width); operand++)
		if (width[operand] == HD_W_V && to->end.bytes && hd_operand_words(c->t.inst, operand) != words)
			fail_msg("%s: an access of %u bytes, operand %u has %u registers", print(c->t.inst), to->end.bytes, operand,
			         hd_operand_words(c->t.inst, operand));
}

/* Only what the table names as written has changed. */
static void expect_untouched(const check *c, const step_state *from, const step_state *to)
{
	const hd_op_info *row = &hd_ops[c->t.inst->op];
	uint32_t mask = executing(c, from);
	for (unsigned reg = 0; reg < STEP_REGISTERS; reg++) {
		if (!memcmp(&from->registers[reg], &to->registers[reg], sizeof(hd_vec32)))
			continue;
		if (!c->named.write[reg])
			fail_msg("%s: register %u has changed", print(c->t.inst), reg);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			if (from->flow.alive >> lane & ~mask >> lane & 1 && from->registers[reg].v[lane] != to->registers[reg].v[lane])
				fail_msg("%s: register %u has changed in lane %u, which does not execute", print(c->t.inst), reg, lane);
	}
	for (unsigned p = 0; p <= HD_PREDS; p++)
		if ((from->predicates[p] ^ to->predicates[p]) & ~(c->named.write_p >> p & 1 ? mask : 0))
			fail_msg("%s: predicate %u has changed", print(c->t.inst), p);
	if (!(row->flags & HD_OPF_STORE) && !same_memory(from, to))
		fail_msg("%s: memory has changed", print(c->t.inst));
	if (row->flags & HD_OPF_FLOW)
		return;
	step_flow expected = from->flow;
	if (to->end.trap == HD_TRAP_NONE)
		expected.pc = hd_oracle_next(c->t.o->oracle, from->flow.pc);
	if (memcmp(&expected, &to->flow, sizeof expected))
		fail_msg("%s: the flow has changed", print(c->t.inst));
}

static void run_from(check *c, const step_state *from, step_state *to)
{
	memcpy(to, from, sizeof *to);
	step_run(c->t.o, to);
	c->executions++;
	expect_untouched(c, from, to);
	expect_width_of_access(c, to);
}

/* Do the destinations differ in `lanes` between x, the result of `start`, and y, that of `other`? When both trap, a destination that kept its value
 * in both is no difference. */
static bool registers_differ(const check *c, const step_state *start, const step_state *x, const step_state *other, const step_state *y,
                             uint32_t lanes)
{
	bool trapped = x->end.trap != HD_TRAP_NONE && y->end.trap != HD_TRAP_NONE;
	for (unsigned reg = 0; reg < HD_RZ; reg++) {
		if (!c->named.write[reg])
			continue;
		for (unsigned lane = 0; lane < HD_LANES; lane++) {
			if (!(lanes >> lane & 1) || x->registers[reg].v[lane] == y->registers[reg].v[lane])
				continue;
			bool kept =
			    x->registers[reg].v[lane] == start->registers[reg].v[lane] && y->registers[reg].v[lane] == other->registers[reg].v[lane];
			if (!(trapped && kept))
				return true;
		}
	}
	for (unsigned p = 0; p < HD_PREDS; p++)
		if (c->named.write_p >> p & 1 && (x->predicates[p] ^ y->predicates[p]) & lanes)
			return true;
	return false;
}

static bool rest_differs(const step_state *x, const step_state *y)
{
	return memcmp(&x->flow, &y->flow, sizeof x->flow) || memcmp(&x->end, &y->end, sizeof x->end) || !same_memory(x, y);
}

/* -- (a): what the table does not name ------------------------------------------------------------------- */

static uint32_t any_lanes(uint64_t *seed) { return pick(seed, 2) ? UINT32_MAX : (uint32_t)hd_random(seed) | 1u << pick(seed, HD_LANES); }

/* Gives new values, in `lanes` of c->other, to all registers and predicates that are not named, or to number `only` of them if it is not negative. */
static void perturb_unnamed(check *c, uint32_t lanes, int only)
{
	bool bits = pick(&c->seed, 4) == 0; /* change a single bit */
	const hd_vec32 *by = any_vectors(&c->t, &c->seed);
	for (unsigned reg = 0; reg < STEP_REGISTERS; reg++) {
		if (c->named.read[reg] || (only >= 0 && reg != (unsigned)only))
			continue;
		uint32_t flip = 1u << (by[reg].v[0] & 31);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			c->other.registers[reg].v[lane] ^= (0u - (lanes >> lane & 1)) & (bits ? flip : by[reg].v[lane]);
	}
	for (unsigned p = 0; p < HD_PREDS; p++)
		if (!(c->named.read_p >> p & 1) && (only < 0 || only == STEP_REGISTERS + (int)p))
			c->other.predicates[p] ^= lanes & (bits ? UINT32_MAX : (uint32_t)hd_random(&c->seed));
}

static bool matters(check *c)
{
	uint32_t mask = executing(c, &c->start);
	run_from(c, &c->other, &c->other_result);
	return registers_differ(c, &c->start, &c->result, &c->other, &c->other_result, mask) || rest_differs(&c->result, &c->other_result);
}

/* Fails, and says which of them has an influence. */
static void blame(check *c)
{
	for (unsigned turn = 0; turn < 100; turn++) {
		for (int k = 0; k < STEP_REGISTERS + HD_PREDS; k++) {
			memcpy(&c->other, &c->start, sizeof c->other);
			perturb_unnamed(c, UINT32_MAX, k);
			if (matters(c))
				fail_msg("%s: the result depends on %s %d, which the table does not name", print(c->t.inst),
				         k < STEP_REGISTERS ? "register" : "predicate", k < STEP_REGISTERS ? k : k - STEP_REGISTERS);
		}
	}
	fail_msg("%s: the result depends on several registers or predicates together that the table does not name", print(c->t.inst));
}

static void expect_unnamed_without_influence(check *c)
{
	memcpy(&c->other, &c->start, sizeof c->other);
	perturb_unnamed(c, any_lanes(&c->seed), -1);
	if (matters(c))
		blame(c);
	for (int k = 0; c->each_alone && k < STEP_REGISTERS + HD_PREDS; k++) {
		memcpy(&c->other, &c->start, sizeof c->other);
		perturb_unnamed(c, UINT32_MAX, k);
		if (matters(c))
			blame(c);
	}
}

/* Lanes that do not execute have no influence, except that the guard is read in all active lanes. */
static void expect_idle_lanes_without_influence(check *c)
{
	uint32_t idle = ~executing(c, &c->start);
	memcpy(&c->other, &c->start, sizeof c->other);
	for (unsigned reg = 0; reg < HD_RZ; reg++)
		for (unsigned lane = 0; c->named.read[reg] && lane < HD_LANES; lane++)
			c->other.registers[reg].v[lane] ^= idle >> lane & 1 ? (uint32_t)hd_random(&c->seed) : 0;
	for (unsigned p = 0; p < HD_PREDS; p++)
		if (c->named.read_p >> p & 1)
			c->other.predicates[p] ^= (p == c->t.inst->guard ? ~c->start.flow.active : idle) & (uint32_t)hd_random(&c->seed);
	if (matters(c))
		fail_msg("%s: the result depends on lanes that do not execute", print(c->t.inst));
}

/* Words of the constant bank that are no operand have no influence. */
static void expect_other_constants_without_influence(check *c)
{
	static hd_vec32 before[HD_CONST_WORDS];
	bool operand[HD_CONST_WORDS] = {false};
	hd_vec32 *words = c->t.o->oracle->bank->words;
	memcpy(before, words, sizeof before);
	for (unsigned k = 0; k < 3; k++) {
		place p = place_of(&c->t, &c->start, k);
		for (unsigned word = 0; p.uniform && word < p.words; word++)
			operand[p.at - words + word] = true;
	}
	const hd_vec32 *by = any_vectors(&c->t, &c->seed);
	for (unsigned i = 0; i < HD_CONST_WORDS; i++)
		for (unsigned lane = 0; !operand[i] && lane < HD_LANES; lane++)
			words[i].v[lane] ^= by[i].v[lane];
	memcpy(&c->other, &c->start, sizeof c->other);
	if (matters(c))
		fail_msg("%s: the result depends on a constant that is no operand", print(c->t.inst));
	memcpy(words, before, sizeof before);
}

/* The function that computes the operation sets all of the result. */
static void expect_whole_result(check *c)
{
	const hd_oracle_op *op = &c->t.o->oracle->ops[c->t.o->at[c->t.variant]];
	hd_oracle_warp w = {.registers = c->start.registers};
	hd_sem_in in = {
	    .mask = executing(c, &c->start), .special = &c->start.registers[0], .p = {(uint32_t)c->seed, (uint32_t)(c->seed >> 32), 0x0ff0}};
	hd_sem_out out[2];
	if (!op->fn)
		return;
	in.a = hd_oracle_source(op, &w, 0);
	in.b = hd_oracle_source(op, &w, 1);
	in.c = hd_oracle_source(op, &w, 2);
	memset(&out[0], 0x55, sizeof out[0]);
	memset(&out[1], 0xaa, sizeof out[1]);
	hd_sem_fn *fn = hd_sem_find(op->inst);
	fn(op->inst, &in, &out[0]);
	fn(op->inst, &in, &out[1]);
	for (unsigned word = 0; word < op->dwords; word++)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			if (in.mask >> lane & 1 && out[0].r[word].v[lane] != out[1].r[word].v[lane])
				fail_msg("%s: word %u of the result is not always set", print(c->t.inst), word);
	if (op->dpred != HD_PT && (out[0].p ^ out[1].p) & in.mask)
		fail_msg("%s: the predicate is not always set", print(c->t.inst));
}

/* -- (b): what the table names --------------------------------------------------------------------------- */

/* Why a source cannot have an influence in this form although the table names it, as the hardware reads it. NULL: it must have one. */
static const char *explanation(const hd_inst *i, const item *it)
{
	unsigned selector = i->sub & 15;
	bool always = selector == HD_PT, never = selector == (HD_PT | 8);
	if (it->operand == 3 && (i->op == HD_OP_NOP || i->op == HD_OP_MEMBAR || i->op == HD_OP_PUSH || i->op == HD_OP_SYNC || i->op == HD_OP_YIELD ||
	                         hd_ops[i->op].format == HD_F_CBAR || hd_ops[i->op].format == HD_F_HINTS))
		return "the interpreter, without time and without a stack, does nothing here";
	switch (i->op) {
	case HD_OP_SEL:
	case HD_OP_SEL64:
		return (it->operand == 0 && never) || (it->operand == 1 && always) ? "the other source is always chosen" : NULL;
	case HD_OP_VOTE:
		if (it->operand != 0 || (!always && !never))
			return NULL;
		return i->mod == 2 || (i->mod == 0 && always) || (i->mod == 1 && never) ? "all lanes vote the same, whichever are asked" : NULL;
	case HD_OP_BALLOT:
		return it->operand == 0 && never ? "nobody is for it" : NULL;
	case HD_OP_SHFL:
		return (it->operand == 1 || it->operand == 2) && i->ksel == 1 ? "all lanes have the same value" : NULL;
	case HD_OP_MATCHANY:
	case HD_OP_MATCHANY64:
	case HD_OP_MATCHALL:
	case HD_OP_MATCHALL64:
		return it->operand == 0 && i->ksel == 1 ? "all lanes have the same value" : NULL;
	case HD_OP_SHFLP:
		return it->operand == 0 ? "the row has the operands of shfl, and the value shuffled has no part in the predicate" : NULL;
	case HD_OP_WSYNC:
		return it->operand == 1 ? "the value is for a later xlane" : NULL;
	case HD_OP_XLANE:
		return it->operand == 0 ? "no lane has given a value" : NULL;
	case HD_OP_DCPYS:
		return it->operand == 0 && it->word == 0 ? "only the sign counts" : NULL;
	case HD_OP_DTESTP:
		return it->word == 0 && (i->sub == HD_FC_FINITE || i->sub == HD_FC_NORMAL) && it->operand == 0 ? "only the exponent counts" : NULL;
	case HD_OP_I2I_RD:
		return it->word == 1 && !(i->sub >> 6) ? "the upper half is cut off" : NULL;
	default:
		return NULL;
	}
}

/* Does the result of a PLOP depend on predicate `number`? Several of its selectors may name that predicate. */
static bool table_depends(const hd_inst *i, unsigned number)
{
	const unsigned selector[3] = {i->sub2 & 15, i->sub2 >> 4, i->b};
	for (unsigned others = 0; others < 1u << HD_PREDS; others++) {
		unsigned results = 0;
		for (unsigned value = 0; value < 2; value++) {
			unsigned predicates = (others & ~(1u << number)) | value << number | 1u << HD_PT, index = 0;
			for (unsigned k = 0; k < 3; k++)
				index = index << 1 | (((predicates >> (selector[k] & 7)) ^ (selector[k] >> 3)) & 1);
			results |= 1u << (i->sub >> index & 1);
		}
		if (results == 3)
			return true;
	}
	return false;
}

static void add_item(check *c, item_kind kind, unsigned number, unsigned operand, unsigned word)
{
	const hd_inst *i = &c->t.f->inst[0];
	item it = {.kind = kind, .number = number, .operand = operand, .word = word};
	if (kind == ITEM_REGISTER || kind == ITEM_PREDICATE || kind == ITEM_CONSTANT)
		it.explained = explanation(i, &it);
	if (kind == ITEM_PREDICATE && i->op == HD_OP_PLOP && operand == 5 && !table_depends(i, number))
		it.explained = "the table does not depend on it";
	c->items[c->n_items++] = it;
}

/* Lists all that must matter or change. The list is empty when an RZ or the guard can hide the influence of other operands. */
static void list_items(check *c)
{
	const hd_inst *i = &c->t.f->inst[0];
	const hd_op_info *row = &hd_ops[i->op];
	const uint8_t reg[3] = {i->a, i->b, i->c};
	hd_use uses[HD_MAX_USES];
	bool never = i->guard == HD_PT && i->guard_neg;
	c->n_items = 0;
	if (c->t.f->overlap || never || c->t.f->without & ~(1u << 3))
		return;
	unsigned n = hd_inst_writes(i, uses);
	for (unsigned k = 0; k < n; k++)
		for (unsigned word = 0; word < (uses[k].words ? uses[k].words : 1); word++)
			add_item(c, uses[k].words ? ITEM_WRITTEN_REGISTER : ITEM_WRITTEN_PREDICATE, uses[k].reg + word, uses[k].operand, word);
	if (row->flags & HD_OPF_STORE)
		add_item(c, ITEM_MEMORY, 0, 4, 0);
	n = hd_inst_reads(i, uses);
	for (unsigned k = 0; k < n; k++)
		for (unsigned word = 0; word < (uses[k].words ? uses[k].words : 1); word++)
			add_item(c, uses[k].words ? ITEM_REGISTER : ITEM_PREDICATE, uses[k].reg + word, uses[k].operand, word);
	if (i->ksel && !is_imm16(i))
		for (unsigned word = 0; word < hd_operand_words(i, i->ksel - 1u); word++)
			add_item(c, ITEM_CONSTANT, reg[i->ksel - 1] + word, i->ksel - 1u, word);
}

static uint32_t any_word(check *c, uint32_t old)
{
	uint64_t number = any_number(&c->seed);
	switch (pick(&c->seed, 6)) {
	case 0:
		return (uint32_t)number;
	case 1:
		return (uint32_t)(number >> 32);
	case 2:
		return old ^ 1u << pick(&c->seed, 32);
	case 3:
		return old + (pick(&c->seed, 2) ? 1u : UINT32_MAX);
	case 4:
		return old ^ 0x80000000u;
	default:
		return c->start.registers[pick(&c->seed, HD_RZ)].v[pick(&c->seed, HD_LANES)];
	}
}

/* Gives one source another value in c->other. Returns the lanes that may have changed. */
static uint32_t perturb(check *c, const item *it)
{
	uint32_t lanes = any_lanes(&c->seed),
	         *words = it->kind == ITEM_CONSTANT ? c->t.o->oracle->bank->words[it->number].v : c->other.registers[it->number].v;
	if (it->kind == ITEM_PREDICATE) {
		c->other.predicates[it->number] ^= lanes;
		return lanes;
	}
	if (it->kind == ITEM_CONSTANT) {
		uint32_t word = any_word(c, words[0]);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			words[lane] = word;
		return UINT32_MAX;
	}
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		words[lane] = lanes >> lane & 1 ? any_word(c, words[lane]) : words[lane];
	return lanes;
}

static void try_source(check *c, item *it)
{
	const hd_op_info *row = &hd_ops[c->t.inst->op];
	hd_vec32 *constant = it->kind == ITEM_CONSTANT ? &c->t.o->oracle->bank->words[it->number] : NULL, before = {{0}};
	if (constant)
		before = *constant;
	memcpy(&c->other, &c->start, sizeof c->other);
	uint32_t lanes = perturb(c, it), all = c->start.flow.alive;
	run_from(c, &c->other, &c->other_result);
	if (constant)
		*constant = before;
	/* A predicate that is both source and destination differs in lanes that do not write it. */
	if (it->kind == ITEM_PREDICATE && c->named.write_p >> it->number & 1)
		all = executing(c, &c->start);
	it->seen |= registers_differ(c, &c->start, &c->result, &c->other, &c->other_result, all) || rest_differs(&c->result, &c->other_result);
	if (!(row->flags & (HD_OPF_CROSS | HD_OPF_MEM | HD_OPF_FLOW)) &&
	    registers_differ(c, &c->start, &c->result, &c->other, &c->other_result, all & ~lanes))
		fail_msg("%s: a lane depends on another one", print(c->t.inst));
}

static void look_at_change(check *c, item *it)
{
	uint32_t mask = executing(c, &c->start);
	if (it->kind == ITEM_WRITTEN_PREDICATE)
		it->seen |= ((c->start.predicates[it->number] ^ c->result.predicates[it->number]) & mask) != 0;
	else if (it->kind == ITEM_MEMORY)
		it->seen |= !same_memory(&c->start, &c->result) || (spawns(c->t.inst) && mask && c->result.end.trap == HD_TRAP_NONE);
	else
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			it->seen |= mask >> lane & 1 && c->start.registers[it->number].v[lane] != c->result.registers[it->number].v[lane];
}

static bool missing(const check *c, unsigned turn)
{
	for (unsigned i = 0; i < c->n_items; i++)
		if (!c->items[i].seen && (!c->items[i].explained || turn < EXPLAINED_TRIES))
			return true;
	return false;
}

static void complain(const check *c)
{
	static const char *const kinds[] = {"register", "predicate", "constant", "register", "predicate", "memory"};
	for (unsigned i = 0; i < c->n_items; i++) {
		const item *it = &c->items[i];
		if (it->seen && it->explained)
			fail_msg("%s: %s %u matters, but should not: %s", print(c->t.inst), kinds[it->kind], it->number, it->explained);
		if (!it->seen && !it->explained)
			fail_msg("%s: %s %u (operand %u, word %u) is named and never %s", print(c->t.inst), kinds[it->kind], it->number, it->operand,
			         it->word, it->kind < ITEM_WRITTEN_REGISTER ? "matters" : "changes");
	}
}

/* -- all of it ------------------------------------------------------------------------------------------- */

static void check_form(void *context, const form *f)
{
	check *c = context;
	c->t.f = f;
	c->seed = f->seed;
	name(&f->inst[0], &c->named);
	expect_list(f, hd_inst_reads);
	expect_list(f, hd_inst_writes);
	expect_operands(f);
	step_load(c->t.o, f->inst, f->n);
	for (unsigned i = 0; i < f->n; i++)
		expect_slot(c, i);
	list_items(c);
	for (unsigned turn = 0; turn < c->states || (turn < TRIES && missing(c, turn)); turn++) {
		if (turn < c->states || turn % STATE_EVERY == 0) {
			put_state(&c->t, &c->start, &c->seed);
			run_from(c, &c->start, &c->result);
		}
		for (unsigned i = 0; i < c->n_items; i++) {
			item *it = &c->items[i];
			if (it->kind >= ITEM_WRITTEN_REGISTER)
				look_at_change(c, it);
			else if (!it->seen && (!it->explained || turn < EXPLAINED_TRIES))
				try_source(c, it);
		}
		if (turn >= c->states)
			continue;
		expect_unnamed_without_influence(c);
		expect_idle_lanes_without_influence(c);
		if (turn == 0) {
			expect_other_constants_without_influence(c);
			expect_whole_result(c);
		}
		c->each_alone = false;
	}
	complain(c);
	step_unload(c->t.o);
}

static unsigned states_of_a_form;

static void tables_name_what_is_read_and_written(void **state)
{
	check *c = hd_xaligned(sizeof *c);
	bool few = getenv("HEDDLE_SANITIZED");
	forms all = {.visit = check_form, .context = c, .seed = 1, .every = few ? 16 : 1};
	hd_vec32 *pool = hd_xaligned(STEP_POOL * sizeof(uint32_t));
	for (unsigned i = 0; i < STEP_POOL; i++)
		pool[i / HD_LANES].v[i % HD_LANES] = (uint32_t)hd_random(&all.seed);
	c->t = (trial){.o = step_new(), .pool = pool};
	c->states = states_of_a_form ? states_of_a_form : few ? 1 : 2;
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		c->each_alone = true;
		if (each_form(&all, op) == 0)
			fail_msg("%s has no form", hd_ops[op].mnemonic);
	}
	print_message("%u rows, %u forms, %llu executions\n", (unsigned)HD_OP_COUNT, all.count, (unsigned long long)c->executions);
	step_free(c->t.o);
	free(pool);
	free(c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tables_name_what_is_read_and_written)};
	if (argc > 1)
		states_of_a_form = (unsigned)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
