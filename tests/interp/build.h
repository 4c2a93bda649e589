/* Small programs for tests, instruction by instruction, in lines with their scheduling words. */
#ifndef HD_TEST_BUILD_H
#define HD_TEST_BUILD_H

#include "interp/interp.h"

typedef struct build {
	hd_object *object;
} build;

static inline build build_new(void)
{
	build b = {hd_object_new()};
	b.object->counters = 6;
	return b;
}

/* I() gives defaults first, on purpose. */
#pragma GCC diagnostic ignored "-Woverride-init"
/* Fields that an instruction does not name: registers RZ, guard always. */
#define I(...) ((hd_inst){.guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, __VA_ARGS__})

static inline uint32_t emit(build *b, hd_inst inst)
{
	if (b->object->code.n % HD_LINE_WORDS == 0)
		hd_vec_push(&b->object->code, HD_SS_OPCODE);
	uint32_t at = (uint32_t)b->object->code.n;
	if (hd_ops[inst.op].d == HD_W_P && inst.d == HD_RZ)
		inst.d = HD_PT;
	if (hd_ops[inst.op].d == HD_W_N)
		inst.d = HD_RZ;
	hd_vec_push(&b->object->code, hd_encode(&inst));
	return at;
}

/* Address that the next instruction will have. */
static inline uint32_t here(const build *b) { return (uint32_t)(b->object->code.n + (b->object->code.n % HD_LINE_WORDS == 0)); }

static inline void aim(build *b, uint32_t at, uint32_t target)
{
	hd_inst inst;
	const char *why;
	hd_invariant(hd_decode(b->object->code.at[at], &inst, &why), "%s", why);
	inst.imm = (int32_t)target;
	b->object->code.at[at] = hd_encode(&inst);
}

/* A function of what was emitted from word `begin` on. */
static inline void build_function(build *b, const char *name, uint32_t begin)
{
	hd_vec_push(&b->object->functions, (hd_function){.name = hd_xstrdup(name), .begin = begin, .end = (uint32_t)b->object->code.n});
}

/* Pads the last line and adds kernel `k` that begins at `entry`. */
static inline void build_end(build *b, uint32_t entry, uint32_t param_bytes)
{
	while (b->object->code.n % HD_LINE_WORDS != 0)
		emit(b, I(.op = HD_OP_NOP));
	hd_text name = {0};
	hd_text_printf(&name, b->object->kernels.n ? "k%zu" : "k", b->object->kernels.n);
	hd_kernel kernel = {.name = name.at, .entry = entry, .registers = 64, .param_bytes = param_bytes, .call_depth = UINT32_MAX};
	hd_vec_push(&b->object->kernels, kernel);
}

#endif
