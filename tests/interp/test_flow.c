/* RC-1 to RC-14: random unstructured programs with calls, recursion, indirect jumps and calls, divergent returns and exits run on the oracle and on a
 * plain model that keeps resume counters, MINRC and a stack of them as the requirements say. Each block mixes the lanes active in it into a hash, so
 * a lane that runs at another time, or in other company, ends with another hash. */
#include "build.h"
#include "../test.h"

enum { BLOCKS = 14, FUNCTIONS = 3, R_SEED = 1, R_HASH = 2, R_FUEL = 3, R_MASK = 4, R_T = 5, R_U = 6, R_ADDRESS = 8 };
#define INF UINT32_MAX

static hd_inst alu(hd_op op, unsigned d, unsigned a, unsigned b) { return I(.op = (uint8_t)op, .d = (uint8_t)d, .a = (uint8_t)a, .b = (uint8_t)b); }
static hd_inst immediate(hd_op op, unsigned d, unsigned a, int imm)
{
	return I(.op = (uint8_t)op, .d = (uint8_t)d, .a = (uint8_t)a, .ksel = 3, .imm = imm);
}
static hd_inst constant(unsigned d, uint32_t value) { return I(.op = HD_OP_MOVI, .d = (uint8_t)d, .imm = (int32_t)value); }

/* p0 = a new random bit, true about one time in four or three times in four. */
static void random_bit(build *b, uint64_t *seed)
{
	emit(b, constant(R_T, 1664525));
	emit(b, constant(R_U, 1013904223));
	emit(b, I(.op = HD_OP_IMAD, .d = R_SEED, .a = R_SEED, .b = R_T, .c = R_U));
	emit(b, constant(R_T, hd_random(seed) % 2 ? 0x40000000u : 0xc0000000u));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = R_SEED, .b = R_T, .sub = HD_CMP_LO));
}

typedef struct patch {
	uint32_t at, block;
} patch;

/* Blocks of one function (0 = the kernel). Patches name blocks; calls name functions, as BLOCKS + number. */
static void emit_function(build *b, unsigned number, uint32_t *entry, uint32_t block_at[BLOCKS], uint64_t *seed, patch *calls, unsigned *n_calls)
{
	patch patches[4 * BLOCKS];
	unsigned n = 0, blocks = 3 + hd_random(seed) % (BLOCKS - 3);
	*entry = here(b);
	for (unsigned k = 0; k < blocks; k++) {
		block_at[k] = here(b);
		emit(b, I(.op = HD_OP_ACTMASK, .d = R_MASK));
		emit(b, constant(R_T, 31));
		emit(b, I(.op = HD_OP_IMAD, .d = R_HASH, .a = R_HASH, .b = R_T, .c = R_MASK));
		emit(b, immediate(HD_OP_IADD, R_HASH, R_HASH, (int)(number * 100 + k)));
		emit(b, immediate(HD_OP_ISUB, R_FUEL, R_FUEL, 1));
		emit(b, I(.op = HD_OP_ISETP, .d = 1, .a = R_FUEL, .ksel = 3, .imm = 0, .sub = HD_CMP_LE));
		if (hd_random(seed) % 2 || number == 0) {
			/* Out of fuel: store the hash and exit, right here. */
			patches[n++] = (patch){emit(b, I(.op = HD_OP_BRA, .guard = 1, .guard_neg = 1)), BLOCKS};
			emit(b, I(.op = HD_OP_STG, .a = R_ADDRESS, .b = R_HASH, .sub = HD_SIZE_32));
			emit(b, I(.op = HD_OP_EXIT));
			aim(b, patches[--n].at, here(b));
		} else {
			emit(b, I(.op = HD_OP_RET, .guard = 1));
		}
		random_bit(b, seed);
		switch (hd_random(seed) % 6) {
		case 0:
		case 1:
			patches[n++] = (patch){emit(b, I(.op = HD_OP_BRA, .guard = 0)), (unsigned)(hd_random(seed) % blocks)};
			break;
		case 2:
			/* Lanes with p0 to one block, the others to another. */
			patches[n++] = (patch){emit(b, constant(R_T, 0)), (unsigned)(hd_random(seed) % blocks)};
			patches[n++] = (patch){emit(b, constant(R_U, 0)), (unsigned)(hd_random(seed) % blocks)};
			emit(b, I(.op = HD_OP_SEL, .d = R_T, .a = R_T, .b = R_U, .sub = 0));
			random_bit(b, seed);
			emit(b, I(.op = HD_OP_MOV, .d = R_U + 1, .a = R_T));
			patches[n++] = (patch){emit(b, constant(R_U, 0)), (unsigned)(hd_random(seed) % blocks)};
			emit(b, I(.op = HD_OP_BRX, .a = R_U, .guard = 0));
			break;
		case 3:
			calls[(*n_calls)++] = (patch){emit(b, I(.op = HD_OP_CALL, .guard = 0)), (unsigned)(1 + hd_random(seed) % FUNCTIONS)};
			break;
		case 4:
			calls[(*n_calls)++] = (patch){emit(b, constant(R_T, 0)), (unsigned)(1 + hd_random(seed) % FUNCTIONS)};
			calls[(*n_calls)++] = (patch){emit(b, constant(R_U, 0)), (unsigned)(1 + hd_random(seed) % FUNCTIONS)};
			emit(b, I(.op = HD_OP_SEL, .d = R_T, .a = R_T, .b = R_U, .sub = 0));
			emit(b, I(.op = HD_OP_CALLX, .a = R_T, .guard = 1, .guard_neg = 1));
			break;
		default:
			if (number)
				emit(b, I(.op = HD_OP_RET, .guard = 0));
			break;
		}
	}
	if (number)
		emit(b, I(.op = HD_OP_RET));
	else
		patches[n++] = (patch){emit(b, I(.op = HD_OP_BRA)), 0};
	for (unsigned k = 0; k < blocks; k++)
		hd_vec_push(&b->object->targets, block_at[k]);
	for (unsigned k = 0; k < n; k++) {
		hd_inst inst;
		const char *why;
		assert_true(hd_decode(b->object->code.at[patches[k].at], &inst, &why));
		aim(b, patches[k].at, block_at[patches[k].block]);
	}
}

static build random_program(uint64_t seed)
{
	build b = build_new();
	patch calls[8 * BLOCKS * (FUNCTIONS + 1)];
	unsigned n_calls = 0;
	uint32_t entry[FUNCTIONS + 1], block_at[BLOCKS], start;
	uint64_t shuffle = seed;
	/* The kernel may lie before, between or behind its functions. */
	unsigned place = hd_random(&shuffle) % (FUNCTIONS + 1);
	start = 0;
	for (unsigned i = 0; i <= FUNCTIONS; i++) {
		unsigned number = i == place ? 0 : i < place ? i + 1 : i;
		uint32_t begin = here(&b);
		if (number == 0) {
			start = here(&b);
			emit(&b, I(.op = HD_OP_S2R, .d = R_SEED, .sub = HD_SREG_TIDX));
			emit(&b, constant(R_T, 2654435761u));
			emit(&b, constant(R_U, (uint32_t)seed));
			emit(&b, I(.op = HD_OP_IMAD, .d = R_SEED, .a = R_SEED, .b = R_T, .c = R_U));
			emit(&b, constant(R_HASH, 1));
			emit(&b, I(.op = HD_OP_S2R, .d = R_T, .sub = HD_SREG_TIDX));
			emit(&b, immediate(HD_OP_AND, R_FUEL, R_T, 7));
			emit(&b, immediate(HD_OP_IADD, R_FUEL, R_FUEL, 20));
			emit(&b, immediate(HD_OP_SHL, R_T, R_T, 2));
			emit(&b, I(.op = HD_OP_MOV, .d = R_ADDRESS, .a = HD_BANK_PARAMS / 4, .ksel = 1));
			emit(&b, I(.op = HD_OP_MOV, .d = R_ADDRESS + 1, .a = HD_BANK_PARAMS / 4 + 1, .ksel = 1));
			emit(&b, alu(HD_OP_IADD, R_ADDRESS, R_ADDRESS, R_T)); /* the buffer is small: no carry */
			emit_function(&b, 0, &entry[0], block_at, &seed, calls, &n_calls);
		} else {
			emit_function(&b, number, &entry[number], block_at, &seed, calls, &n_calls);
		}
		build_function(&b, number ? "f" : "k", begin);
	}
	for (unsigned i = 0; i < n_calls; i++)
		aim(&b, calls[i].at, entry[calls[i].block]);
	build_end(&b, start, 8);
	return b;
}

/* -- the model -------------------------------------------------------------------------------------------------------------------------- */

typedef struct activation {
	uint32_t members, minrc, back;
} activation;

typedef struct model {
	const hd_object *object;
	uint32_t first; /* thread of lane 0 */
	uint32_t r[HD_LANES][16], p[HD_PREDS + 1];
	uint32_t rc[HD_LANES], pc, minrc, active, alive, members;
	activation stack[256];
	unsigned depth;
	uint32_t stored[HD_LANES];
	uint64_t warp_instructions, thread_instructions;
	bool too_deep;
} model;

static uint32_t in_sequence(uint32_t pc) { return (pc + 1) % 8 == 0 ? pc + 2 : pc + 1; }

static void find_minrc(model *m)
{
	m->minrc = INF; /* RC-7, RC-9 */
	for (unsigned i = 0; i < HD_LANES; i++)
		if ((m->members & m->alive) >> i & 1 && m->rc[i] < m->minrc)
			m->minrc = m->rc[i];
}

static void load_pc(model *m, uint32_t pc)
{
	m->pc = pc;
	for (unsigned i = 0; i < HD_LANES; i++) {
		if ((m->members & m->alive) >> i & 1 && m->rc[i] == pc) { /* RC-2, RC-10 */
			m->active |= 1u << i;
			m->rc[i] = INF;
		}
	}
	find_minrc(m);
}

static void wait_at(model *m, uint32_t lanes, uint32_t pc)
{
	for (unsigned i = 0; i < HD_LANES; i++)
		if (lanes >> i & 1)
			m->rc[i] = pc;
	m->active &= ~lanes;
	find_minrc(m);
}

static void forward_or_back(model *m, uint32_t target)
{
	if (target > m->minrc) { /* RC-5 */
		wait_at(m, m->active, target);
		target = m->minrc;
	}
	load_pc(m, target);
}

static bool next_activation(model *m)
{
	while (!m->active) {
		find_minrc(m);
		if (m->minrc != INF) {
			load_pc(m, m->minrc);
			return true;
		}
		if (m->depth == 0)
			return false;
		activation *outer = &m->stack[--m->depth]; /* RC-11 */
		m->active = m->members & m->alive;
		m->members = outer->members;
		m->minrc = outer->minrc;
		if (m->active)
			forward_or_back(m, outer->back);
	}
	return true;
}

static void enter(model *m, uint32_t lanes, uint32_t target, uint32_t back)
{
	if (m->depth == 256) {
		m->too_deep = true;
		return;
	}
	m->stack[m->depth++] = (activation){m->members, m->minrc, back}; /* RC-8 */
	m->members = m->active = lanes;
	m->minrc = INF;
	load_pc(m, target);
}

/* One instruction; false at the end of the warp. */
static bool step(model *m)
{
	hd_inst inst;
	const char *why;
	assert_true(hd_decode(m->object->code.at[m->pc], &inst, &why));
	uint32_t guard = m->p[inst.guard] ^ (inst.guard_neg ? INF : 0), mask = m->active & guard, next = in_sequence(m->pc), p = 0;
	bool flow = hd_ops[inst.op].pipe == HD_PIPE_FLOW;
	if (inst.op != HD_OP_NOP && (mask || flow)) {
		m->warp_instructions++;
		m->thread_instructions += (unsigned)__builtin_popcount(flow ? m->active : mask);
	}
	uint32_t lowest = INF, same = 0;
	for (unsigned i = 0; i < HD_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		uint32_t *r = m->r[i], a = inst.a < 16 ? r[inst.a] : 0, b = inst.ksel == 3 ? (uint32_t)inst.imm : inst.b < 16 ? r[inst.b] : 0;
		switch (inst.op) {
		case HD_OP_MOVI:
			r[inst.d] = (uint32_t)inst.imm;
			break;
		case HD_OP_MOV:
			r[inst.d] = inst.ksel ? 0 : a;
			break;
		case HD_OP_IADD:
			r[inst.d] = a + b;
			break;
		case HD_OP_ISUB:
			r[inst.d] = a - b;
			break;
		case HD_OP_AND:
			r[inst.d] = a & b;
			break;
		case HD_OP_SHL:
			r[inst.d] = a << b;
			break;
		case HD_OP_IMAD:
			r[inst.d] = a * b + r[inst.c];
			break;
		case HD_OP_SEL:
			r[inst.d] = m->p[inst.sub & 7] >> i & 1 ? a : b;
			break;
		case HD_OP_ACTMASK:
			r[inst.d] = mask;
			break;
		case HD_OP_S2R:
			r[inst.d] = m->first + i;
			break;
		case HD_OP_STG:
			m->stored[i] = b;
			break;
		case HD_OP_ISETP:
			p |= (inst.sub == HD_CMP_LO ? a < b : (int32_t)a <= (int32_t)b) ? 1u << i : 0;
			break;
		case HD_OP_BRX:
		case HD_OP_CALLX:
			same = a < lowest ? 0 : same;
			lowest = a < lowest ? a : lowest;
			same |= a == lowest ? 1u << i : 0;
			break;
		default:
			break;
		}
	}
	uint32_t target = (uint32_t)inst.imm;
	switch (inst.op) {
	case HD_OP_ISETP:
		m->p[inst.d] = (m->p[inst.d] & ~mask) | p;
		break;
	case HD_OP_BRA:
		if (mask == m->active) {
			forward_or_back(m, target);
			return true;
		}
		if (!mask)
			break;
		if (target <= m->pc) {
			wait_at(m, m->active & ~mask, next); /* RC-3 */
			load_pc(m, target);
			return true;
		}
		wait_at(m, mask, target); /* RC-4 */
		break;
	case HD_OP_BRX:
		if (!mask)
			break;
		wait_at(m, m->active & ~mask, next);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (mask >> i & 1)
				wait_at(m, 1u << i, m->r[i][inst.a]); /* RC-14 */
		load_pc(m, m->minrc);
		return true;
	case HD_OP_CALL:
		if (!mask)
			break;
		wait_at(m, m->active & ~mask, next);
		enter(m, mask, target, next);
		return !m->too_deep;
	case HD_OP_CALLX:
		if (!mask)
			break;
		wait_at(m, m->active & ~mask, next);
		enter(m, mask, lowest, next);
		for (unsigned i = 0; i < HD_LANES && !m->too_deep; i++)
			if ((mask & ~same) >> i & 1)
				wait_at(m, 1u << i, m->r[i][inst.a]); /* RC-14 */
		return !m->too_deep;
	case HD_OP_EXIT:
		m->alive &= ~mask; /* RC-12 */
		                   /* fall through */
	case HD_OP_RET:
		m->active &= ~mask;
		if (!m->active)
			return next_activation(m);
		break;
	default:
		break;
	}
	load_pc(m, next);
	return true;
}

enum { STEPS = 200000, WARPS = 4 };

/* The model runs warp `number` of the launch to its end. Returns the number of steps. */
static unsigned run_model(model *m, const hd_launch *launch, const hd_object *object, uint32_t number)
{
	unsigned steps = 0;
	*m = (model){.object = object, .pc = launch->kernel->entry, .minrc = INF, .first = number * HD_LANES};
	m->p[HD_PT] = INF;
	m->active = m->alive = m->members = hd_warp_lanes(launch, number);
	for (unsigned i = 0; i < HD_LANES; i++)
		m->rc[i] = INF;
	while (steps < STEPS && step(m))
		steps++;
	return steps;
}

/* One warp, and several that the interpreter runs side by side: each takes the steps that it takes alone. */
TEST(random_programs_run_the_same_lanes_as_resume_counters)
{
	unsigned ended = 0, deep = 0, divergent = 0;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		build b = random_program(seed);
		hd_diag diag = {0};
		hd_memory *memory = hd_memory_new(1 << 20);
		uint64_t out = hd_memory_alloc(memory, 4 * WARPS * HD_LANES, "out");
		hd_program *program = hd_program_new(b.object, memory, &diag);
		if (!program)
			fail_msg("%s", diag.text.at);
		uint8_t params[8];
		hd_store_lane(params, HD_SIZE_64, (uint32_t[4]){(uint32_t)out, (uint32_t)(out >> 32)});
		uint32_t warps = 1 + seed % WARPS, threads = HD_LANES * (warps - 1) + (seed % 5 ? HD_LANES : 1 + seed % HD_LANES);
		hd_launch launch = {
		    .program = program, .kernel = &b.object->kernels.at[0], .grid = {1, 1, 1}, .block = {threads, 1, 1}, .params = params};

		static model models[WARPS];
		uint64_t warp_instructions = 0, thread_instructions = 0;
		unsigned steps = 0;
		bool too_deep = false;
		for (uint32_t w = 0; w < warps; w++) {
			steps = hd_max_u32(steps, run_model(&models[w], &launch, b.object, w));
			too_deep |= models[w].too_deep;
			warp_instructions += models[w].warp_instructions;
			thread_instructions += models[w].thread_instructions;
		}

		hd_stats stats;
		hd_trap trap;
		bool ok = hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = 256, .max_instructions = WARPS * 300000}, &stats, &trap);
		if (too_deep && steps < STEPS) {
			deep++;
			assert_false(ok);
			assert_int_equal(trap.kind, HD_TRAP_CALL_DEPTH); /* RC-13 */
			assert_true(models[trap.warp].too_deep);
		} else if (steps < STEPS) {
			ended++;
			assert_true(ok);
			assert_int_equal(stats.run_warp_instructions, warp_instructions);
			assert_int_equal(stats.run_thread_instructions, thread_instructions);
			divergent += stats.divergence_divergent > 5;
			for (unsigned i = 0; i < threads; i++) {
				uint32_t word[4];
				hd_load_lane(hd_memory_at(memory, out + 4 * i, 4), HD_SIZE_32, word);
				assert_int_equal(word[0], models[i / HD_LANES].stored[i % HD_LANES]);
			}
		}
		hd_trap_free(&trap);
		hd_program_free(program);
		hd_memory_free(memory);
		hd_object_free(b.object);
		hd_diag_free(&diag);
	}
	/* The programs must be worth their name. */
	assert_true(ended > 300);
	assert_true(divergent > 150);
	print_message("%u ended, %u too deep, %u divergent\n", ended, deep, divergent);
}
