/* A launch made by hand: instructions in, machine run, memory out. For tests of the timed machine that need exact annotations and no assembler. */
#ifndef RIG_H
#define RIG_H

#include "device/device.h"
#include "../test.h"

enum { RIG_WORDS = 4096 };

typedef struct rig {
	hd_machine machine;
	hd_run_options options;
	hd_object object;
	hd_slot *slots;
	hd_program program;
	hd_kernel kernel;
	hd_launch launch;
	hd_memory *memory;
	hd_stats stats;
	hd_trap trap;
	uint64_t out; /* buffer of `out_words` words; its address is the kernel's only parameter: constant bank c[16], c[17] */
	uint32_t out_words;
	uint8_t params[8];
	uint32_t words; /* emitted so far */
	hd_vec32 *immediates;
	unsigned n_immediates;
} rig;

static inline uint8_t delay(unsigned d) { return (uint8_t)(d | HD_HINT_DELAY << 4); }
static inline uint8_t typed(unsigned d, hd_pipe pipe) { return (uint8_t)(d | (unsigned)hd_hint_typed(pipe) << 4); }
static inline uint8_t hold_back(unsigned w) { return (uint8_t)(w | HD_HINT_WAIT << 4); }

static inline rig *rig_new(uint32_t out_words)
{
	rig *r = hd_xaligned(sizeof *r);
	hd_machine_default(&r->machine);
	r->machine.machine_cores = 1;
	r->machine.multi_issue_window = 1;
	r->machine.multi_issue_types = HD_TYPES_OPCODE;
	r->slots = hd_xaligned(RIG_WORDS * sizeof *r->slots);
	r->immediates = hd_xaligned(RIG_WORDS * sizeof *r->immediates);
	r->memory = hd_memory_new(1 << 26);
	r->out_words = out_words;
	r->out = hd_memory_alloc(r->memory, out_words * UINT64_C(4), "out");
	memcpy(r->params, &r->out, 8);
	r->kernel = (hd_kernel){.name = (char *)(uintptr_t) "rig", .entry = 1, .registers = 32, .param_bytes = 8};
	r->launch = (hd_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}, .work_dim = 1};
	for (uint32_t i = 0; i < RIG_WORDS; i++) {
		r->slots[i].is_ss = i % HD_LINE_WORDS == 0;
		r->slots[i].inst = (hd_inst){.op = HD_OP_NOP, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
		r->slots[i].dpred = HD_PT;
		r->slots[i].pipe = HD_PIPE_NONE;
		r->slots[i].klass = HD_CLASS_NOP;
	}
	return r;
}

static inline void rig_free(rig *r)
{
	hd_memory_free(r->memory);
	hd_trap_free(&r->trap);
	hd_vec_free(&r->object.functions);
	free(r->slots);
	free(r->immediates);
	free(r);
}

/* Address of the next instruction. */
static inline uint32_t rig_here(const rig *r) { return r->words % HD_LINE_WORDS ? r->words : r->words + 1; }

static inline unsigned rig_width(const hd_inst *inst, unsigned width)
{
	unsigned bytes = hd_ops[inst->op].format == HD_F_ATOM || hd_ops[inst->op].format == HD_F_CAS ? 4 : hd_size_bytes(inst->sub);
	return width == HD_W_R ? 1 : width == HD_W_D ? 2 : width == HD_W_Q ? 4 : width == HD_W_V ? (bytes + 3) / 4 : 0;
}

/* Puts an instruction at the end; returns its address. */
static inline uint32_t rig_put(rig *r, hd_inst inst, uint16_t hint)
{
	uint32_t at = rig_here(r);
	const hd_op_info *row = &hd_ops[inst.op];
	hd_slot *slot = &r->slots[at];
	assert_true(at < RIG_WORDS);
	*slot = (hd_slot){.inst = inst, .pipe = row->pipe, .klass = row->klass, .format = row->format, .predecode = hint, .dpred = HD_PT};
	slot->fn = hd_sem_find(&slot->inst);
	slot->words[0] = (uint8_t)rig_width(&inst, row->a);
	slot->words[1] = (uint8_t)rig_width(&inst, row->b);
	slot->words[2] = (uint8_t)rig_width(&inst, row->c);
	if (inst.op == HD_OP_BAR && inst.b != HD_RZ)
		slot->words[1] = 1; /* the number of threads */
	slot->dwords = inst.d == HD_RZ ? 0 : (uint8_t)rig_width(&inst, row->d);
	if (row->d == HD_W_P)
		slot->dpred = inst.d;
	if (inst.ksel == 3) {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			r->immediates[r->n_immediates].v[lane] = (uint32_t)inst.imm;
		slot->imm = &r->immediates[r->n_immediates++];
	}
	slot->registers = hd_slot_registers(slot, slot->imm);
	slot->others = hd_slot_others(&slot->inst);
	if (row->flags & HD_OPF_MEM)
		slot->access = hd_access_op_of(&slot->inst);
	r->words = at + 1;
	return at;
}

/* The launch is one of the program as it is now. */
static inline void rig_link(rig *r)
{
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = (r->words + 7) & ~7u};
	r->launch.program = &r->program;
	r->launch.kernel = &r->kernel;
	r->launch.params = r->params;
	r->launch.lanes = r->machine.machine_lanes;
}

static inline bool rig_run(rig *r)
{
	rig_link(r);
	hd_trap_free(&r->trap);
	return hd_device_run(&r->machine, &r->launch, r->memory, &r->options, &r->stats, &r->trap);
}

static inline uint32_t rig_out(rig *r, uint32_t word) { return ((uint32_t *)hd_memory_at(r->memory, r->out, r->out_words * UINT64_C(4)))[word]; }

/* Every issue slot is issued, or lost for exactly one reason. */
static inline uint64_t rig_stalls(const hd_stats *s)
{
	uint64_t all = 0;
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
		all += s->stall[cause];
	return all;
}

/* -- instructions ------------------------------------------------------------------------------------------------------------------ */
static inline hd_inst inst_(hd_op op) { return (hd_inst){.op = (uint8_t)op, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ}; }

static inline hd_inst alu(hd_op op, unsigned d, unsigned a, unsigned b, unsigned c)
{
	hd_inst i = inst_(op);
	i.d = (uint8_t)d;
	i.a = (uint8_t)a;
	i.b = (uint8_t)b;
	i.c = (uint8_t)c;
	return i;
}
/* Two sources, the second an immediate. */
static inline hd_inst alui(hd_op op, unsigned d, unsigned a, int32_t imm)
{
	hd_inst i = alu(op, d, a, HD_RZ, HD_RZ);
	i.ksel = 3;
	i.imm = imm;
	return i;
}
static inline hd_inst movi(unsigned d, int32_t imm)
{
	hd_inst i = alu(HD_OP_MOVI, d, HD_RZ, HD_RZ, HD_RZ);
	i.imm = imm;
	return i;
}
static inline hd_inst sreg(unsigned d, hd_sreg which)
{
	hd_inst i = alu(HD_OP_S2R, d, HD_RZ, HD_RZ, HD_RZ);
	i.sub = (uint8_t)which;
	return i;
}
/* Word or pair of the constant bank into d. */
static inline hd_inst movc(unsigned d, unsigned word)
{
	hd_inst i = alu(HD_OP_MOV, d, word, HD_RZ, HD_RZ);
	i.ksel = 1;
	return i;
}
static inline hd_inst setpi(hd_cmp cmp, unsigned p, unsigned a, int32_t imm)
{
	hd_inst i = alui(HD_OP_ISETP, p, a, imm);
	i.sub = (uint8_t)cmp;
	return i;
}
static inline hd_inst branch(hd_op op, uint32_t target)
{
	hd_inst i = inst_(op);
	i.imm = (int32_t)target;
	return i;
}
static inline hd_inst load(hd_op op, unsigned d, unsigned a, int32_t offset)
{
	hd_inst i = alu(op, d, a, HD_RZ, HD_RZ);
	i.sub = HD_SIZE_32;
	i.imm = offset;
	return i;
}
static inline hd_inst store(hd_op op, unsigned a, int32_t offset, unsigned b)
{
	hd_inst i = alu(op, HD_RZ, a, b, HD_RZ);
	i.sub = HD_SIZE_32;
	i.imm = offset;
	return i;
}
static inline hd_inst bar(unsigned number) { return alu(HD_OP_BAR, 0, number, HD_RZ, HD_RZ); }
/* Annotations. */
static inline hd_inst primary(hd_inst i, unsigned counter)
{
	i.primary = (uint8_t)counter;
	return i;
}
static inline hd_inst by_read(hd_inst i)
{
	i.release = 1;
	return i;
}
/* Counters by number. */
static inline hd_inst waits(hd_inst i, unsigned counter)
{
	i.wait |= (uint16_t)(1u << (counter - 1));
	return i;
}
static inline hd_inst guarded(hd_inst i, unsigned predicate, unsigned negated)
{
	i.guard = (uint8_t)predicate;
	i.guard_neg = (uint8_t)negated;
	return i;
}

/* r2 = byte address of this thread's word of the out buffer, in r2:r3; uses r0, r1. Safe: waits for everything. */
static inline void rig_address(rig *r)
{
	rig_put(r, primary(sreg(0, HD_SREG_TIDX), 1), delay(15));
	rig_put(r, waits(movc(2, 16), 1), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, alui(HD_OP_SHL, 1, 0, 2), delay(15));
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
}
static inline void rig_exit(rig *r) { rig_put(r, inst_(HD_OP_EXIT), 0); }

#endif
