#include "frame.h"

#include "isa/names.h"

enum { SHARED_ADDRESS = 0, PEER_ADDRESS = 1, ADDRESS = 2, FIRST = 4, CONSTANT = 7, PRIVATE = 8, RESULT = 12, MARK = 16 }; /* registers */

static hd_inst inst_of(hd_op op, unsigned d, unsigned a, unsigned b)
{
	return (hd_inst){.op = (uint8_t)op, .guard = HD_PT, .d = (uint8_t)d, .a = (uint8_t)a, .b = (uint8_t)b, .c = HD_RZ};
}

static hd_inst with_immediate(hd_op op, unsigned d, unsigned a, int32_t immediate)
{
	hd_inst inst = inst_of(op, d, a, HD_RZ);
	inst.ksel = 3;
	inst.imm = immediate;
	return inst;
}

static hd_inst access_of(hd_op op, unsigned d, unsigned address, unsigned data, unsigned size, int32_t offset)
{
	hd_inst inst = inst_of(op, d, address, data);
	inst.sub = (uint8_t)size;
	inst.imm = offset;
	return inst;
}

static hd_inst setp_of(unsigned p, unsigned a, int32_t immediate)
{
	hd_inst inst = with_immediate(HD_OP_ISETP, p, a, immediate);
	inst.sub = HD_CMP_LT;
	return inst;
}

/* A delay as the scheduler of this machine wants it. */
static unsigned delay_of(const hd_machine *machine, unsigned pipe, unsigned cycles)
{
	return cycles | (unsigned)(hd_machine_typed_hints(machine) ? hd_hint_typed(pipe) : HD_HINT_DELAY) << 4;
}

static void put_word(hd_object *object, uint64_t word, unsigned hint)
{
	if (object->code.n % HD_LINE_WORDS == 0)
		hd_vec_push(&object->code, HD_SS_OPCODE);
	hd_vec_push(&object->code, word);
	hd_line_put_hint(HD_GEOMETRY_LINE, object->code.at, (uint32_t)object->code.n - 1, hint);
}

/* An instruction of the frame: raises the frame's counter `n` of its set, 0 = none. */
static void put_frame(const frame *f, hd_inst inst, unsigned n, unsigned wait, unsigned delay)
{
	const hd_op_info *info = &hd_ops[inst.op];
	inst.primary = (uint8_t)(n ? frame_counter(f->machine, (hd_class)info->klass, n) : 0);
	inst.wait = (uint16_t)wait;
	put_word(f->object, hd_encode(&inst), delay_of(f->machine, info->pipe, delay));
}

static unsigned bit_of(const frame *f, hd_class klass, unsigned n) { return 1u << (frame_counter(f->machine, klass, n) - 1); }

/* A branch that nobody takes. */
static hd_inst never(void)
{
	hd_inst inst = inst_of(HD_OP_BRA, HD_RZ, HD_RZ, HD_RZ);
	inst.guard_neg = 1;
	inst.imm = 1;
	return inst;
}

enum { LONG = 15, PAUSES = HD_SPACING_LIMIT / LONG + 1, EVERY = (1 << FRAME_COUNTERS) - 1 };

static void put_begin(const frame *f)
{
	hd_inst sum = inst_of(HD_OP_IADD64, ADDRESS, SHARED_ADDRESS, HD_BANK_PARAMS / 4), number = inst_of(HD_OP_S2R, SHARED_ADDRESS, HD_RZ, HD_RZ);
	sum.ksel = 2;
	number.sub = HD_SREG_TIDX;
	put_frame(f, number, 1, 0, 1);
	put_frame(f, with_immediate(HD_OP_IMULWU, SHARED_ADDRESS, SHARED_ADDRESS, 16), 3, bit_of(f, HD_CLASS_COORD, 1), LONG);
	put_frame(f, sum, 2, bit_of(f, HD_CLASS_MUL, 3), 1);
	/* The peer: a lane of the other warp, whose p0 is another. */
	put_frame(f, with_immediate(HD_OP_XOR, PEER_ADDRESS, SHARED_ADDRESS, 16 * (HD_LANES + 1)), 3, 0, 1);
	put_frame(f, access_of(HD_OP_LDG, FIRST, ADDRESS, HD_RZ, HD_SIZE_128, 0), 1, bit_of(f, HD_CLASS_ALU64, 2), 1);
	put_frame(f, access_of(HD_OP_LDG, PRIVATE, ADDRESS, HD_RZ, HD_SIZE_128, FRAME_PLANE), 1, 0, 1);
	unsigned ready = bit_of(f, HD_CLASS_LSU, 1) | bit_of(f, HD_CLASS_ALU, 3) | bit_of(f, HD_CLASS_MUL, 3);
	put_frame(f, access_of(HD_OP_STS, HD_RZ, SHARED_ADDRESS, PRIVATE, HD_SIZE_128, FRAME_PLANE), 2, ready, 1);
	put_frame(f, access_of(HD_OP_STS, HD_RZ, SHARED_ADDRESS, ADDRESS, HD_SIZE_32, 0), 2, 0, 1);
	put_frame(f, setp_of(0, PRIVATE + 1, 0), 2, bit_of(f, HD_CLASS_LSU, 1), 1);
	put_frame(f, setp_of(1, PRIVATE + 2, 0), 2, 0, 1);
	put_frame(f, never(), 0, EVERY, 1);
	/* Instructions that keep the pipes alu, cvt and lsu busy. */
	put_frame(f, inst_of(HD_OP_MOVI, HD_RZ, HD_RZ, HD_RZ), 0, 0, 1);
	hd_inst convert = inst_of(HD_OP_I2F, HD_RZ, HD_RZ, HD_RZ);
	convert.sub = HD_SUB_I2F(HD_F32, HD_U32);
	put_frame(f, convert, 0, 0, 1);
	put_frame(f, access_of(HD_OP_LDC, HD_RZ, HD_RZ, HD_RZ, HD_SIZE_32, 0), 0, 0, 1);
	hd_invariant(f->object->code.n == FRAME_CORE - 1, "the frame begins with %zu words", f->object->code.n);
}

static void put_end(const frame *f)
{
	hd_inst convert = inst_of(HD_OP_I2F, MARK + 2, HD_RZ, HD_RZ), select = inst_of(HD_OP_SEL, RESULT + 1, SHARED_ADDRESS, HD_RZ), all = never();
	convert.sub = HD_SUB_I2F(HD_F32, HD_U32);
	put_frame(f, inst_of(HD_OP_IMUL64, MARK, HD_RZ, HD_RZ), 3, 0, 1);
	put_frame(f, convert, 3, 0, 1);
	all.wait = EVERY;
	put_word(f->object, hd_encode(&all), f->holds ? 1 | HD_HINT_HOLD << 4 : delay_of(f->machine, HD_PIPE_FLOW, 1));
	put_frame(f, access_of(HD_OP_LDS, RESULT, SHARED_ADDRESS, HD_RZ, HD_SIZE_32, 0), 1, 0, 1);
	put_frame(f, select, 2, 0, 1);
	put_frame(f, access_of(HD_OP_STG, HD_RZ, ADDRESS, FIRST, HD_SIZE_128, 0), 0, 0, 1);
	put_frame(f, access_of(HD_OP_STG, HD_RZ, ADDRESS, PRIVATE, HD_SIZE_128, FRAME_PLANE), 0, 0, 1);
	put_frame(f, access_of(HD_OP_STG, HD_RZ, ADDRESS, RESULT, HD_SIZE_64, 2 * FRAME_PLANE), 0,
	          bit_of(f, HD_CLASS_LSU, 1) | bit_of(f, HD_CLASS_ALU, 2), 1);
	put_frame(f, inst_of(HD_OP_EXIT, HD_RZ, HD_RZ, HD_RZ), 0, 0, 1);
}

void frame_init(frame *f, const hd_machine *machine)
{
	*f = (frame){.machine = machine, .holds = machine->multi_issue_window == 1 && machine->predecode_hold, .object = hd_object_new()};
	hd_object *object = f->object;
	object->counters = FRAME_COUNTERS;
	object->split = machine->fence_high_latency + 1;
	hd_vec_push(
	    &object->kernels,
	    (hd_kernel){
	        .name = hd_xstrdup("tiny"), .entry = 1, .registers = MARK + 3, .param_bytes = 8, .shared_bytes = 2 * FRAME_PLANE, .call_depth = 1});
	hd_vec_push(&object->functions, (hd_function){.name = hd_xstrdup("tiny"), .begin = 1});
	hd_vec_push(&object->functions, (hd_function){.name = hd_xstrdup("subroutine")});
	/* The end is encoded once. */
	put_end(f);
	for (uint32_t word = 0; word < object->code.n; word++) {
		if (hd_is_ss(HD_GEOMETRY_LINE, word))
			continue;
		f->end[f->n_end] = object->code.at[word];
		f->end_hint[f->n_end++] = (uint8_t)hd_line_hint(HD_GEOMETRY_LINE, object->code.at, word);
	}
	object->code.n = 0;
	put_begin(f);
}

void frame_free(frame *f)
{
	f->object->functions.n = 2;
	hd_object_free(f->object);
}

static hd_inst core_inst(const tiny *core, unsigned i, unsigned own)
{
	const tiny_inst *t = &core->at[i];
	const tiny_info *info = &tiny_infos[t->op];
	hd_inst inst = inst_of((hd_op)info->op, HD_RZ, HD_RZ, HD_RZ);
	/* From the last one down, so that p0's source is overwritten last. */
	unsigned d = t->d == OPERAND_OWN ? PRIVATE + TINY_PRIVATE - 1 - own : (unsigned)FIRST + t->d,
	         a = t->a == OPERAND_OWN ? CONSTANT : (unsigned)FIRST + t->a;
	switch (t->op) {
	case TINY_XOR: /* inverts the sign, which isetp looks at */
		inst = with_immediate(HD_OP_XOR, d, a, -(int32_t)(0x1001 + 0x222 * i));
		break;
	case TINY_IMUL:
		inst = with_immediate(HD_OP_IMUL, d, a, (int32_t)(0x1001 + 0x222 * i));
		break;
	case TINY_I2F:
		inst.sub = HD_SUB_I2F(HD_F32, HD_U32);
		inst.d = (uint8_t)d;
		inst.a = (uint8_t)a;
		break;
	case TINY_SEL:
		inst = inst_of(HD_OP_SEL, d, a, SHARED_ADDRESS);
		break;
	case TINY_ISETP:
		inst = setp_of(0, a, 0);
		inst.sub = i & 1 ? HD_CMP_GE : HD_CMP_LT; /* two of one source differ */
		break;
	case TINY_SETQ: /* the frame's p0 is the same comparison with `lt` */
		inst = setp_of(2, PRIVATE + 1, 0);
		inst.sub = HD_CMP_GE;
		break;
	case TINY_LDS:
		inst = access_of(HD_OP_LDS, d, SHARED_ADDRESS, HD_RZ, HD_SIZE_32, (int32_t)(FRAME_PLANE + 4 * (i & 3)));
		break;
	case TINY_LDG: /* at odd places a word that the frame has brought into the first cache */
		inst = access_of(HD_OP_LDG, d, ADDRESS, HD_RZ, HD_SIZE_32, (int32_t)(i & 1 ? FRAME_PLANE + 12 : 3 * FRAME_PLANE + 4 * (i & 3)));
		break;
	case TINY_STS:
		inst = access_of(HD_OP_STS, HD_RZ, SHARED_ADDRESS, a, HD_SIZE_32, 0);
		break;
	case TINY_ATOMS:
		inst = inst_of(HD_OP_ATOMS, d, SHARED_ADDRESS, a);
		inst.sub = HD_ATOM_EXCH | HD_ATOM_U32 << 4;
		break;
	case TINY_PEER:
		inst = access_of(HD_OP_LDS, d, PEER_ADDRESS, HD_RZ, HD_SIZE_32, 0);
		break;
	case TINY_BAR:
		inst.a = 0; /* barrier 0 */
		break;
	default:
		break;
	}
	inst.guard = t->guard == GUARD_NONE ? HD_PT : tiny_guard_predicate(t->guard) == TINY_P0 ? 0 : 2;
	inst.guard_neg = t->guard == GUARD_NOT_P0 || t->guard == GUARD_NOT_P2;
	inst.primary = t->primary;
	inst.release = t->release;
	inst.wait = t->wait;
	if (t->last_use)
		inst.last_use = (uint8_t)(t->op == TINY_STS || t->op == TINY_ATOMS ? 2 : 1);
	return inst;
}

/* Inverts p1, so that a loop ends. */
static hd_inst turn(void)
{
	hd_inst inst = inst_of(HD_OP_PLOP, 1, HD_RZ, HD_RZ);
	inst.sub2 = 1 | HD_PT << 4;
	inst.b = HD_PT;
	inst.sub = 0x0f; /* pa is false */
	return inst;
}

static uint32_t after(uint32_t word) { return hd_after(HD_GEOMETRY_LINE, word); }

/* Words of the core's instructions and of the frame's end. `turns`: mask of the instructions that a loop goes back to; the frame's plop stands before
 * them. */
static void find_places(frame *f, const tiny *core, unsigned turns)
{
	uint32_t word = FRAME_CORE;
	unsigned main = tiny_main(core);
	for (unsigned i = 0; i < main; i++) {
		f->target[i] = word;
		f->word[i] = word;
		for (unsigned n = (turns >> i & 1) + (core->at[i].op == TINY_PAUSE ? PAUSES : 0); n; n--)
			f->word[i] = after(f->word[i]);
		word = after(f->word[i]);
	}
	f->end_word = word;
	for (unsigned i = 0; i < f->n_end; i++)
		word = after(word);
	if (word % HD_LINE_WORDS != 1) /* the subroutine begins a line */
		word = word / HD_LINE_WORDS * HD_LINE_WORDS + HD_LINE_WORDS + 1;
	for (unsigned i = main; i < core->n; i++, word = after(word))
		f->target[i] = f->word[i] = word;
}

static void put_core_inst(const frame *f, const tiny *core, unsigned i, unsigned *own, bool turns)
{
	const tiny_inst *t = &core->at[i];
	hd_inst inst = core_inst(core, i, *own);
	*own += t->d == OPERAND_OWN;
	if (turns)
		put_frame(f, turn(), 3, 0, 1);
	for (unsigned n = 0; t->op == TINY_PAUSE && n < PAUSES; n++)
		put_frame(f, inst_of(HD_OP_NOP, HD_RZ, HD_RZ, HD_RZ), 0, 0, LONG);
	if (t->op == TINY_LOOP) {
		inst.guard = 1;
		inst.wait |= (uint16_t)bit_of(f, HD_CLASS_ALU, 3);
	}
	if (t->op == TINY_BRA || t->op == TINY_LOOP)
		inst.imm = (int32_t)(t->target == core->n ? f->end_word : f->target[t->target]);
	if (t->op == TINY_CALL)
		inst.imm = (int32_t)f->target[tiny_main(core)];
	put_word(f->object, hd_encode(&inst),
	         t->hint == HD_HINT_DELAY ? delay_of(f->machine, tiny_row(t)->pipe, t->cycles) : (unsigned)(t->hint << 4 | t->cycles));
}

static void put_end_words(const frame *f)
{
	for (unsigned i = 0; i < f->n_end; i++)
		put_word(f->object, f->end[i], f->end_hint[i]);
}

static void fill_line(const frame *f)
{
	hd_inst nop = inst_of(HD_OP_NOP, HD_RZ, HD_RZ, HD_RZ);
	while (f->object->code.n % HD_LINE_WORDS)
		put_word(f->object, hd_encode(&nop), 0);
}

void frame_put(frame *f, const tiny *core)
{
	hd_object *object = f->object;
	unsigned turns = 0, own = 0, main = tiny_main(core);
	for (unsigned i = 0; i < core->n; i++)
		turns |= core->at[i].op == TINY_LOOP ? 1u << core->at[i].target : 0;
	object->code.n = FRAME_CORE - 1;
	find_places(f, core, turns);
	for (unsigned i = 0; i < main; i++)
		put_core_inst(f, core, i, &own, turns >> i & 1);
	put_end_words(f);
	object->functions.at[0].end = (uint32_t)object->code.n;
	fill_line(f);
	object->functions.n = core->callee ? 2 : 1;
	for (unsigned i = main; i < core->n; i++)
		put_core_inst(f, core, i, &own, false);
	object->functions.at[1].begin = core->callee ? f->target[main] : 0;
	object->functions.at[1].end = (uint32_t)object->code.n;
	fill_line(f);
}

void frame_print(const frame *f, hd_text *out)
{
	const hd_object *object = f->object;
	for (uint32_t word = FRAME_CORE; word < object->code.n; word = after(word)) {
		hd_inst inst;
		const char *why;
		if (word == f->end_word && object->functions.n > 1) /* the subroutine */
			word = object->functions.at[1].begin;
		else if (word == f->end_word)
			return;
		hd_line_get(HD_GEOMETRY_LINE, object->code.at, word, &inst, &why);
		if (inst.op == HD_OP_NOP)
			return;
		unsigned hint = hd_line_hint(HD_GEOMETRY_LINE, object->code.at, word);
		hd_text_printf(out, "  %2u\t", word);
		hd_inst_print(out, &inst);
		hd_text_printf(out, "  {");
		if (inst.primary)
			hd_text_printf(out, "p%u.%c ", inst.primary, inst.release ? 'r' : 'w');
		if (inst.wait)
			hd_text_printf(out, "w");
		for (unsigned i = 0; inst.wait && i < FRAME_COUNTERS; i++)
			hd_text_printf(out, "%u", inst.wait >> i & 1u);
		hd_text_printf(out, "%s%s %u}\n", inst.wait ? " " : "", hd_hint_names[hint >> 4], hint & 15);
	}
}

void frame_fill(uint8_t bytes[FRAME_BYTES], frame_values values)
{
	uint64_t random = 1;
	for (unsigned i = 0; i < FRAME_BYTES; i++)
		bytes[i] = (uint8_t)hd_random(&random);
	/* p0 and p1 are the signs of words 1 and 2 of the second plane. */
	for (unsigned thread = 0; thread < TINY_THREADS; thread++) {
		uint8_t *sign = bytes + FRAME_PLANE + 16 * thread + 4 + 3;
		unsigned p0 = values == VALUES_MIXED ? thread & 1 : values == VALUES_P0_TRUE, p1 = thread >> 1 & 1;
		sign[0] = (uint8_t)((sign[0] & 0x7f) | p0 << 7);
		sign[4] = (uint8_t)((sign[4] & 0x7f) | p1 << 7);
	}
}
