/* What a kernel needs from a core, its callees included. An indirect call can reach every function whose address is taken. */
#include "passes/emit/emit.h"

typedef HD_VEC(uint32_t) callees;

static void find_callees(const hd_ir_module *module, uint32_t function, callees *out)
{
	const hd_ir_function *f = module->functions.at[function];
	bool indirect = false;
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; i < f->blocks.at[b]->insts.n; i++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[i];
			if (inst->op == HD_OP_CALL)
				hd_vec_push(out, (uint32_t)inst->callee);
			indirect |= inst->op == HD_OP_CALLX;
		}
	}
	for (uint32_t g = 0; indirect && g < module->functions.n; g++)
		if (module->functions.at[g]->address_taken)
			hd_vec_push(out, g);
}

/* What is known of a function after its callees: state 0 new, 1 on the way, 2 done. */
typedef struct need {
	callees to;
	size_t next;
	uint32_t registers, local, depth;
	uint8_t state;
} need;

static void take(need *into, const need *from)
{
	uint32_t depth = from->depth == UINT32_MAX ? UINT32_MAX : from->depth + 1;
	into->registers = from->registers > into->registers ? from->registers : into->registers;
	into->local = from->local > into->local ? from->local : into->local;
	into->depth = depth > into->depth ? depth : into->depth;
}

/* Depth first, iteratively. A cycle makes the depth unbounded; the needs of the functions on it are those of all functions (a bound). */
static void settle(need *needs, uint32_t root, const need *all, uint32_t *stack)
{
	size_t depth = 0;
	if (needs[root].state == 2)
		return;
	stack[depth++] = root;
	needs[root].state = 1;
	while (depth > 0) {
		need *top = &needs[stack[depth - 1]];
		if (top->next == top->to.n) {
			top->state = 2;
			if (--depth > 0)
				take(&needs[stack[depth - 1]], top);
			continue;
		}
		uint32_t to = top->to.at[top->next++];
		if (needs[to].state == 2) {
			take(top, &needs[to]);
		} else if (needs[to].state == 1) {
			take(top, all);
			top->depth = UINT32_MAX;
		} else {
			needs[to].state = 1;
			stack[depth++] = to;
		}
	}
}

static hd_kernel kernel_record(const hd_ir_function *f, const need *n, uint32_t entry)
{
	const hd_kernel *info = &f->info;
	hd_kernel k = *info;
	k.name = hd_xstrdup(f->name);
	k.entry = entry;
	k.registers = n->registers ? n->registers : 1;
	k.local_bytes = n->local;
	k.call_depth = n->depth;
	k.params.at = NULL;
	k.params.n = k.params.cap = 0;
	for (size_t i = 0; i < info->params.n; i++) {
		hd_param p = info->params.at[i];
		p.name = hd_xstrdup(p.name ? p.name : "");
		hd_vec_push(&k.params, p);
	}
	return k;
}

/* Every function's frame once, and room for recursion (docs/abi.md). */
static uint32_t stack_bytes(const hd_ir_module *module)
{
	uint64_t bytes = HD_DYNAMIC_STACK_BYTES;
	for (size_t i = 0; i < module->functions.n; i++)
		bytes += (module->functions.at[i]->frame_bytes + 15u) & ~15u;
	return bytes < HD_WINDOW_BYTES ? (uint32_t)bytes : (uint32_t)HD_WINDOW_BYTES;
}

void hd_emit_kernels(const hd_ir_module *module, const uint32_t *begin, uint32_t words, hd_object *object)
{
	size_t n = module->functions.n;
	need *needs = hd_xcalloc(n, sizeof *needs), all = {0};
	uint32_t *path = hd_xcalloc(n, sizeof *path), stack = stack_bytes(module);
	for (uint32_t i = 0; i < n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		uint32_t frame = (f->frame_bytes + 15) & ~15u;
		needs[i].registers = f->registers;
		needs[i].local = f->frame_base == UINT32_MAX ? stack : frame ? f->frame_base + frame : 0;
		find_callees(module, i, &needs[i].to);
		take(&all, &needs[i]);
	}
	all.depth = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		uint32_t end = i + 1 < n ? begin[i + 1] - 1 : words;
		hd_vec_push(&object->functions, (hd_function){.name = hd_xstrdup(f->name), .begin = begin[i], .end = end});
		settle(needs, i, &all, path);
		if (f->kernel) {
			hd_kernel record = kernel_record(f, &needs[i], begin[i]);
			hd_vec_push(&object->kernels, record);
		}
	}
	for (size_t i = 0; i < n; i++)
		hd_vec_free(&needs[i].to);
	free(needs);
	free(path);
}
