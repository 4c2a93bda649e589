/* The hazard matrix (HZ-23, HZ-27): RAW, WAR and WAW between every ordered pair of pipelines, in six shapes of control flow. Each program is
 * annotated, proven, and run: the machine gives the interpreter's bytes. Then all marks and delays are taken away: the checker objects wherever a
 * mark was needed, and what it does not object to still gives the right bytes. */
#include "../ir_builder.h"
#include "../run_object.h"
#include "../run_pass.h"
#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/allocate/allocate.h"
#include "passes/annotate/annotate.h"
#include "passes/emit/emit.h"
#include "passes/lower/branches.h"
#include "passes/lower/legalise.h"
#include "passes/schedule/layout.h"

enum { THREADS = 64, WORDS = 8, BYTES = THREADS * WORDS * 4 };

typedef enum hazard { RAW, WAR, WAW, HAZARDS } hazard;
typedef enum shape { STRAIGHT, IF_ELSE, LOOP, CARRIED, CALL, LATE_JOIN, SHAPES } shape;
static const char *const hazards[] = {"RAW", "WAR", "WAW"};
static const char *const shapes[] = {"straight", "if-else", "loop", "loop-carried", "call", "late-join"};
static const uint8_t pipes[] = {HD_PIPE_ALU, HD_PIPE_COORD, HD_PIPE_SFU, HD_PIPE_F64, HD_PIPE_CVT, HD_PIPE_LATOM, HD_PIPE_LSU};

typedef struct program {
	ir_builder b;
	uint32_t base, shared_own; /* addresses */
	hd_ir_inst *last;          /* put by operate */
	hd_ir_inst *producer, *consumer;
} program;

/* An instruction of `pipe` that writes (part of) pair `to` from pair `from`, both two-word virtual registers. */
static void operate(program *p, unsigned pipe, uint32_t to, uint32_t from)
{
	hd_opd d = hd_opd_sub(to, 0, 1), s = hd_opd_sub(from, 0, 1);
	switch (pipe) {
	case HD_PIPE_ALU:
		ir_put(&p->b, HD_OP_IADD, d, s, imm(77));
		break;
	case HD_PIPE_COORD:
		ir_put3(&p->b, HD_OP_SHFL, d, s, imm(1), imm(0x1f))->mod = HD_SHFL_BFLY;
		break;
	case HD_PIPE_SFU:
		ir_put(&p->b, HD_OP_FEX2, d, s, none);
		break;
	case HD_PIPE_F64:
		ir_put(&p->b, HD_OP_DNEG, hd_opd_reg(to, 2), hd_opd_reg(from, 2), none);
		break;
	case HD_PIPE_CVT:
		ir_put(&p->b, HD_OP_I2F, d, s, none)->sub = HD_SUB_I2F(HD_F32, HD_U32);
		break;
	case HD_PIPE_LATOM:
		ir_put(&p->b, HD_OP_ATOMS, d, hd_opd_reg(p->shared_own, 1), s)->sub = HD_ATOM_EXCH | HD_ATOM_U32 << 4;
		break;
	default:
		ir_put(&p->b, HD_OP_ATOMG, d, hd_opd_reg(p->base, 2), s)->sub = HD_ATOM_EXCH | HD_ATOM_U32 << 4;
		break;
	}
	const hd_ir_block *block = ir_block(&p->b, p->b.block);
	p->last = block->insts.at[block->insts.n - 1];
}

static void store(program *p, uint32_t pair, unsigned word)
{
	hd_ir_inst *inst = ir_put(&p->b, HD_OP_STG, none, hd_opd_reg(p->base, 2), hd_opd_reg(pair, 2));
	inst->offset = (int32_t)word * 4;
}

static uint32_t new_block(program *p) { return hd_ir_block_new(p->b.m, p->b.f); }

static program begin(void)
{
	program p = {.b = {.m = hd_ir_module_new()}};
	/* function 0: something that a call does */
	ir_add_function(&p.b, "callee", false, 1);
	uint32_t v = hd_ir_vreg_new(p.b.f, 1);
	hd_vec_push(&p.b.f->params, hd_opd_reg(v, 1));
	ir_put(&p.b, HD_OP_IADD, hd_opd_reg(v, 1), hd_opd_reg(v, 1), imm(1));
	hd_vec_push(&p.b.f->results, hd_opd_reg(v, 1));

	ir_add_function(&p.b, "matrix", true, 1);
	p.b.f->info.param_bytes = 8;
	p.b.f->info.shared_bytes = THREADS * 4;
	uint32_t tid = hd_ir_vreg_new(p.b.f, 1);
	p.base = hd_ir_vreg_new(p.b.f, 2);
	p.shared_own = hd_ir_vreg_new(p.b.f, 1);
	ir_put(&p.b, HD_OP_S2R, hd_opd_reg(tid, 1), none, none)->sub = HD_SREG_TIDX;
	ir_put3(&p.b, HD_OP_IMADWU, hd_opd_reg(p.base, 2), hd_opd_reg(tid, 1), imm(WORDS * 4), hd_opd_const(HD_BANK_PARAMS, 2));
	ir_put(&p.b, HD_OP_SHL, hd_opd_reg(p.shared_own, 1), hd_opd_reg(tid, 1), imm(2));
	ir_put(&p.b, HD_OP_STS, none, hd_opd_reg(p.shared_own, 1), hd_opd_reg(tid, 1));
	return p;
}

static program build(hazard kind, shape form, unsigned first, unsigned second)
{
	program p = begin();
	uint32_t x = hd_ir_vreg_new(p.b.f, 2), y = hd_ir_vreg_new(p.b.f, 2), z = hd_ir_vreg_new(p.b.f, 2), pred = hd_ir_vreg_new(p.b.f, 0),
	         count = hd_ir_vreg_new(p.b.f, 1);
	for (unsigned w = 0; w < 2; w++) {
		ir_put(&p.b, HD_OP_IMUL, hd_opd_sub(x, w, 1), hd_opd_sub(p.base, 0, 1), imm(2654435761u + w));
		ir_put(&p.b, HD_OP_XOR, hd_opd_sub(y, w, 1), hd_opd_sub(x, w, 1), imm(0x5a5a5a5a));
		ir_put(&p.b, HD_OP_NOT, hd_opd_sub(z, w, 1), hd_opd_sub(y, w, 1), none);
	}
	/* lanes alternate */
	ir_put(&p.b, HD_OP_AND, hd_opd_reg(count, 1), hd_opd_reg(p.shared_own, 1), imm(4));
	ir_put(&p.b, HD_OP_ISETP, hd_opd_pred(pred, false), hd_opd_reg(count, 1), imm(0))->sub = HD_CMP_EQ;
	ir_put(&p.b, HD_OP_MOVI, hd_opd_reg(count, 1), imm(3), none);
	/* RAW: y = P(x); z = C(y). WAR: y = P(x); x = C(z). WAW: y = P(x); y = C(z). */
	uint32_t c_to = kind == RAW ? z : kind == WAR ? x : y, c_from = kind == RAW ? y : z;
	uint32_t other, join;
	hd_ir_inst *consumer = NULL;
	switch (form) {
	case STRAIGHT:
		operate(&p, first, y, x);
		p.producer = p.last;
		operate(&p, second, c_to, c_from);
		consumer = p.last;
		break;
	case IF_ELSE:
		other = new_block(&p);
		uint32_t then = new_block(&p);
		join = new_block(&p);
		ir_branch(&p.b, p.b.block, hd_opd_pred(pred, false), then, other);
		p.b.block = then;
		operate(&p, first, y, x);
		p.producer = p.last;
		ir_jump(&p.b, p.b.block, join);
		p.b.block = other;
		operate(&p, second, c_to, c_from);
		consumer = p.last;
		ir_jump(&p.b, p.b.block, join);
		p.b.block = join;
		break;
	case LOOP:
	case CARRIED:
		other = new_block(&p);
		join = new_block(&p);
		ir_jump(&p.b, p.b.block, other);
		p.b.block = other;
		if (form == LOOP) {
			operate(&p, first, y, x);
			p.producer = p.last;
		}
		operate(&p, second, c_to, c_from);
		consumer = p.last;
		if (form == CARRIED) {
			operate(&p, first, y, x);
			p.producer = p.last;
		}
		ir_put(&p.b, HD_OP_IADD, hd_opd_reg(count, 1), hd_opd_reg(count, 1), imm(UINT32_MAX));
		ir_put(&p.b, HD_OP_ISETP, hd_opd_pred(pred, false), hd_opd_reg(count, 1), imm(0))->sub = HD_CMP_GT;
		ir_branch(&p.b, p.b.block, hd_opd_pred(pred, false), other, join);
		p.b.block = join;
		break;
	case CALL:
		operate(&p, first, y, x);
		p.producer = p.last;
		ir_put(&p.b, HD_IR_CALLF, hd_opd_reg(count, 1), hd_opd_reg(count, 1), none)->callee = 0;
		operate(&p, second, c_to, c_from);
		consumer = p.last;
		break;
	default: /* LATE_JOIN: some lanes produce, all consume at the join */
		other = new_block(&p);
		join = new_block(&p);
		ir_branch(&p.b, p.b.block, hd_opd_pred(pred, false), other, join);
		p.b.block = other;
		operate(&p, first, y, x);
		p.producer = p.last;
		ir_jump(&p.b, p.b.block, join);
		p.b.block = join;
		operate(&p, second, c_to, c_from);
		consumer = p.last;
		break;
	}
	p.consumer = consumer;
	store(&p, x, 2);
	store(&p, y, 4);
	store(&p, z, 6);
	p.b.f->blocks.at[p.b.block]->term = HD_TERM_EXIT;
	return p;
}

/* Without the simplifier and the scheduler, which would take the hazards away. */
static hd_object *compile(program *p, const hd_machine *configured)
{
	static hd_pass *const passes[] = {hd_pass_legalise, hd_pass_layout, hd_pass_allocate, hd_pass_branches, hd_pass_annotate};
	hd_machine machine = *configured; /* the split is chosen with the counters */
	hd_diag diag = {0};
	assert_true(hd_ir_validate(p->b.m, &diag));
	for (unsigned i = 0; i < HD_COUNT(passes); i++)
		run_pass(passes[i], p->b.m, &machine);
	hd_object *object = hd_emit_object(p->b.m, &machine, &diag);
	assert_non_null(object);
	return object;
}

static bool run(const hd_object *object, const hd_machine *machine, bool timed, uint8_t *out)
{
	hd_stats stats;
	uint32_t words[BYTES / 4];
	for (unsigned i = 0; i < BYTES / 4; i++)
		words[i] = 0x01010101u * i;
	memcpy(out, words, BYTES);
	return run_object(object, machine, timed, 1, THREADS, out, BYTES, &stats);
}

/* The consumer no longer waits, neither by counters nor by the delays before it. */
static void strip(hd_object *object, uint32_t producer, uint32_t consumer)
{
	hd_inst inst;
	const char *why;
	assert_true(hd_line_get(object->geometry, object->code.at, consumer, &inst, &why));
	inst.wait = 0;
	hd_line_put(object->geometry, object->code.at, consumer, &inst);
	uint32_t first = producer < consumer ? producer : consumer, last = producer < consumer ? consumer : producer;
	for (uint32_t word = first; word <= last; word++) {
		if (hd_object_begins(object, word))
			hd_object_put_hint(object, word, 1 | HD_HINT_DELAY << 4);
	}
}

TEST(matrix)
{
	static uint8_t oracle[BYTES], timed[BYTES];
	unsigned cases = 0, wrong = 0, objected = 0;
	hd_machine machine;
	hd_machine_default(&machine);
	for (unsigned kind = 0; kind < HAZARDS; kind++) {
		for (unsigned form = 0; form < SHAPES; form++) {
			for (unsigned a = 0; a < HD_COUNT(pipes); a++) {
				for (unsigned b = 0; b < HD_COUNT(pipes); b++) {
					program p = build((hazard)kind, (shape)form, pipes[a], pipes[b]);
					hd_object *object = compile(&p, &machine);
					hd_check_report report;
					bool proven = hd_check(object, &machine, &report);
					if (!proven) {
						hd_text text = {0};
						hd_finding_print(&text, &report.findings.at[0], object, "matrix");
						fail_msg("%s %s %s -> %s: not proven: %s", hazards[kind], shapes[form], hd_pipe_names[pipes[a]],
						         hd_pipe_names[pipes[b]], text.at);
					}
					hd_check_report_free(&report);
					assert_true(run(object, &machine, false, oracle));
					assert_true(run(object, &machine, true, timed));
					if (memcmp(oracle, timed, BYTES) != 0)
						fail_msg("%s %s %s -> %s: wrong bytes", hazards[kind], shapes[form], hd_pipe_names[pipes[a]],
						         hd_pipe_names[pipes[b]]);
					strip(object, p.producer->word, p.consumer->word);
					proven = hd_check(object, &machine, &report);
					hd_check_report_free(&report);
					bool same = run(object, &machine, true, timed) && memcmp(oracle, timed, BYTES) == 0;
					if (proven && !same)
						fail_msg("%s %s %s -> %s: wrong without marks, and proven", hazards[kind], shapes[form],
						         hd_pipe_names[pipes[a]], hd_pipe_names[pipes[b]]);
					wrong += !same;
					objected += !proven;
					cases++;
					hd_object_free(object);
					hd_ir_module_free(p.b.m);
				}
			}
		}
	}
	print_message("%u cases proven and right; without the mark: %u objected to, %u wrong bytes\n", cases, objected, wrong);
	assert_true(wrong > cases / 6);
	assert_true(objected >= wrong);
}
