/* RC-10: where a subroutine's threads are told by their addresses (divergence.membership = range), activations of one subroutine inside each other
 * cannot be told apart. A program that may recurse is refused, with the calls that lead from a function back to it; a call through a pointer may be
 * one of any function whose address is taken. */
#include "passes/passes.h"

typedef struct call {
	uint32_t to;
	const hd_ir_inst *inst;
} call;
typedef HD_VEC(call) calls;

static void find_calls(const hd_ir_module *module, const hd_ir_function *f, calls *out)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; i < f->blocks.at[b]->insts.n; i++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[i];
			if (inst->op != HD_IR_CALLF)
				continue;
			if (inst->callee >= 0)
				hd_vec_push(out, ((call){(uint32_t)inst->callee, inst}));
			for (uint32_t g = 0; inst->callee < 0 && g < module->functions.n; g++)
				if (module->functions.at[g]->address_taken)
					hd_vec_push(out, ((call){g, inst}));
		}
	}
}

/* Breadth first from `root`, so that the shortest way is found: how each function was come to, and whether `root` was, again. */
static bool comes_back(const calls *from, uint32_t root, size_t n, uint32_t *caller, call *by, uint32_t *queue)
{
	size_t head = 0, tail = 0;
	for (size_t i = 0; i < n; i++)
		caller[i] = UINT32_MAX;
	queue[tail++] = root;
	while (head < tail) {
		uint32_t f = queue[head++];
		for (size_t i = 0; i < from[f].n; i++) {
			call c = from[f].at[i];
			if (caller[c.to] != UINT32_MAX)
				continue;
			caller[c.to] = f;
			by[c.to] = c;
			if (c.to == root)
				return true;
			queue[tail++] = c.to;
		}
	}
	return false;
}

/* The way from `root` back to it; its last call is the error's place. */
static void refuse(const hd_ir_module *module, uint32_t root, const uint32_t *caller, const call *by, uint32_t *way, hd_diag *diag)
{
	size_t n = 0;
	uint32_t at = root;
	do {
		way[n++] = at;
		at = caller[at];
	} while (at != root);
	hd_text text = {0};
	hd_text_printf(&text, "'%s'", module->functions.at[root]->name);
	for (size_t i = n; i-- > 0;)
		hd_text_printf(&text, "%s calls %s'%s'", i + 1 < n ? ", which" : "",
		               by[way[i]].inst->callee < 0 ? "through a pointer what may be " : "", module->functions.at[way[i]]->name);
	const hd_ir_loc *loc = &by[root].inst->loc;
	const char *file = loc->line && loc->file < module->files.n ? module->files.at[loc->file] : module->functions.at[caller[root]]->name;
	hd_error(diag, (hd_pos){.file = file, .line = loc->line, .column = loc->column},
	         "recursion: %s; with divergence.membership = range activations of one subroutine cannot be told apart (RC-10), expected flag",
	         text.at);
	hd_text_free(&text);
}

bool hd_pass_recursion(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	uint32_t n = (uint32_t)module->functions.n;
	bool ok = true;
	if (machine->divergence_mode != HD_DIV_RESUME || machine->divergence_membership != HD_MEMBER_RANGE)
		return true;
	calls *from = hd_xcalloc((size_t)n + 1, sizeof *from);
	call *by = hd_xcalloc((size_t)n + 1, sizeof *by);
	uint32_t *words = hd_xcalloc(3 * ((size_t)n + 1), sizeof *words);
	for (uint32_t f = 0; f < n; f++)
		find_calls(module, module->functions.at[f], &from[f]);
	for (uint32_t f = 0; f < n && ok; f++) {
		ok = !comes_back(from, f, n, words, by, words + n + 1);
		if (!ok)
			refuse(module, f, words, by, words + 2 * (n + 1), diag);
	}
	for (uint32_t f = 0; f < n; f++)
		hd_vec_free(&from[f]);
	free(from);
	free(by);
	free(words);
	return ok;
}
