#include "launch/launch.h"

/* True when calls whose depth has no bound left local memory at its end. */
static bool stack_is_full(const hd_trap *trap, const hd_launch *launch)
{
	return trap->kind == HD_TRAP_ADDRESS && hd_window(trap->address) == HD_SPACE_LOCAL &&
	       trap->address - HD_WINDOW_LOCAL + trap->bytes > trap->local && launch->kernel->call_depth == UINT32_MAX;
}

static void put_buffer(hd_text *out, const char *where, const char *name, uint64_t base, uint64_t size)
{
	hd_text_printf(out, ": the nearest %s is %s%s%s of %llu bytes at 0x%llx, ", where, name ? "'" : "", name ? name : "a buffer", name ? "'" : "",
	               (unsigned long long)size, (unsigned long long)base);
}

/* The buffer nearest to the address: a kernel often misses its own by little, and another one's end may be far below. */
static void put_nearest(hd_text *out, const hd_trap *trap, const hd_memory *memory)
{
	uint64_t base = 0, size = 0, next = 0, next_size = 0, address = trap->address;
	const char *name = NULL, *next_name = NULL;
	bool below = memory && hd_memory_describe(memory, address, &name, &base, &size);
	bool above = memory && hd_memory_describe_above(memory, address, &next_name, &next, &next_size);
	uint64_t past = below && address - base > size ? address - base - size : 0;
	if (above && (!below || next - address < past)) {
		put_buffer(out, "above", next_name, next, next_size);
		hd_text_printf(out, "%llu bytes before it", (unsigned long long)(next - address));
	} else if (below) {
		put_buffer(out, "below", name, base, size);
		if (address - base < size)
			hd_text_printf(out, "whose last %llu bytes it crosses", (unsigned long long)(size - (address - base)));
		else
			hd_text_printf(out, "%llu bytes past its end", (unsigned long long)past);
	}
}

/* PD-38 */
static void print_page(hd_text *out, const hd_trap *trap, const hd_memory *memory)
{
	uint32_t page = memory ? hd_memory_page(memory) : 0;
	hd_text_printf(out, "page fault: %s of %u bytes at address 0x%llx, in ", trap->store ? "store" : "load", trap->bytes,
	               (unsigned long long)trap->address);
	if (page)
		hd_text_printf(out, "page 0x%llx of %u bytes, which", (unsigned long long)(trap->address / page), page);
	else
		hd_text_printf(out, "a page that");
	hd_text_printf(out, " nothing maps");
	put_nearest(out, trap, memory);
}

static void print_cause(hd_text *out, const hd_trap *trap, const hd_launch *launch, hd_memory *memory)
{
	unsigned long long address = trap->address;
	const char *what = trap->store ? "store" : "load";
	switch (trap->kind) {
	case HD_TRAP_NONE:
		hd_text_printf(out, "no trap");
		break;
	case HD_TRAP_ADDRESS:
		hd_text_printf(out, "%s of %u bytes at address 0x%llx is outside of ", what, trap->bytes, address);
		if (trap->pc < launch->program->n_slots && launch->program->slots[trap->pc].inst.op == HD_OP_LDC) {
			hd_text_printf(out, "the launch's constants and parameters");
		} else if (trap->address < HD_WINDOW_SHARED) {
			hd_text_printf(out, "every buffer and window: no memory lies that low");
		} else if (hd_window(trap->address) == HD_SPACE_SHARED) {
			hd_text_printf(out, "the CTA's shared memory of %u bytes", trap->shared);
		} else if (hd_window(trap->address) == HD_SPACE_LOCAL) {
			hd_text_printf(out, "the thread's local memory of %u bytes", trap->local);
			if (stack_is_full(trap, launch))
				hd_text_printf(out, ": its stack, which the calls made %llu bytes deep, is full",
				               (unsigned long long)(trap->address - HD_WINDOW_LOCAL + trap->bytes));
		} else {
			hd_text_printf(out, "every buffer");
			put_nearest(out, trap, memory);
		}
		break;
	case HD_TRAP_PAGE:
		print_page(out, trap, memory);
		break;
	case HD_TRAP_ALIGNMENT:
		hd_text_printf(out, "%s of %u bytes at address 0x%llx is not aligned, expected a multiple of %u", what, trap->bytes, address,
		               trap->bytes);
		break;
	case HD_TRAP_INSTRUCTION:
		hd_text_printf(out, "the program executed a trap");
		break;
	case HD_TRAP_PC:
		hd_text_printf(out, "control goes to word 0x%llx, which it may not go to from here: no instruction, or no indirect target", address);
		break;
	case HD_TRAP_CALL_DEPTH:
		hd_text_printf(out, "calls are nested too deeply for the machine's stack of calls (divergence.call_depth)");
		break;
	case HD_TRAP_DIVERGENCE:
		hd_text_printf(out, "the machine's flow unit, as it is configured (divergence), cannot run this");
		break;
	case HD_TRAP_RETURN:
		hd_text_printf(out, "return outside of a subroutine");
		break;
	case HD_TRAP_DEADLOCK:
		hd_text_printf(out, "deadlock: no warp can go on");
		break;
	case HD_TRAP_CYCLES:
		hd_text_printf(out, "the limit was reached");
		break;
	case HD_TRAP_COUNTER:
		hd_text_printf(out, "a fence counter left its range: the program's counters are wrong");
		break;
	case HD_TRAP_RESOURCES:
		hd_text_printf(out, "a CTA of %u threads does not fit a core", hd_launch_threads(launch));
		break;
	case HD_TRAP_LAUNCH:
		hd_text_printf(out, "a launch or push by the program is not possible");
		break;
	case HD_TRAP_INTERRUPTED:
		hd_text_printf(out, "interrupted");
		break;
	}
}

/* The index of the function that holds the word; the number of functions when there is none. */
static size_t function_index(const hd_object *object, uint32_t word)
{
	const hd_function *f = hd_object_function(object, word);
	return f ? (size_t)(f - object->functions.at) : object->functions.n;
}

/* The direct calls of a function, in the order of its code: the callee of the next one from *word on. The number of functions at the end. */
static size_t next_callee(const hd_object *object, const hd_function *f, uint32_t *word)
{
	hd_inst inst;
	const char *why;
	while (*word < f->end) {
		uint32_t at = (*word)++;
		if (hd_object_begins(object, at) && hd_line_get(object->geometry, object->code.at, at, &inst, &why) && inst.op == HD_OP_CALL)
			return function_index(object, (uint32_t)inst.imm);
	}
	return object->functions.n;
}

/* By function: the one that calls it first on a way from `first`, SIZE_MAX when no direct call leads there. The caller frees it. *recursive: a
 * function that such a way reaches calls `last`, beside the one before it on the way. */
static size_t *callers(const hd_object *object, size_t first, size_t last, bool *recursive)
{
	size_t n = object->functions.n, head = 0, tail = 0, callee;
	size_t *from = hd_xcalloc(n + 1, sizeof *from), *order = hd_xcalloc(n + 1, sizeof *order);
	for (size_t i = 0; i <= n; i++)
		from[i] = SIZE_MAX;
	from[first] = first;
	order[tail++] = first;
	while (head < tail) {
		size_t f = order[head++];
		for (uint32_t word = object->functions.at[f].begin; (callee = next_callee(object, &object->functions.at[f], &word)) < n;) {
			*recursive |= callee == last && from[last] != SIZE_MAX && from[last] != f;
			if (from[callee] != SIZE_MAX)
				continue;
			from[callee] = f;
			order[tail++] = callee;
		}
	}
	free(order);
	return from;
}

/* Writes "k -> f -> g": a shortest chain of direct calls from the kernel to the function of word `pc`. */
static void put_calls(hd_text *out, const hd_object *object, uint32_t entry, uint32_t pc)
{
	size_t n = object->functions.n, first = function_index(object, entry), last = function_index(object, pc), length = 0;
	bool recursive = false;
	if (first == n || last == n)
		return;
	size_t *from = callers(object, first, last, &recursive), *path = hd_xcalloc(n + 1, sizeof *path);
	for (size_t at = last; from[at] != SIZE_MAX && length < n; at = from[at]) {
		path[length++] = at;
		if (at == first)
			break;
	}
	for (size_t i = length; i-- > 0;)
		hd_text_printf(out, "%s%s", object->functions.at[path[i]].name, i ? " -> " : "");
	hd_text_printf(out, "%s", !length ? "through pointers" : recursive ? " -> ... (recursion)" : "");
	free(from);
	free(path);
}

void hd_trap_print(hd_text *out, const hd_trap *trap, const hd_launch *launch, hd_memory *memory)
{
	const hd_program *program = launch->program;
	const char *file;
	uint32_t line, column;
	bool placed = trap->kind != HD_TRAP_RESOURCES && trap->kind != HD_TRAP_INTERRUPTED;
	if (placed && hd_object_line(program->object, trap->pc, &file, &line, &column)) {
		hd_text_printf(out, "%s:%u:", file, line);
		if (column)
			hd_text_printf(out, "%u:", column);
		hd_text_put(out, " ", 1);
	}
	hd_text_printf(out, "%s: kernel '%s': ", trap->warns ? "warning" : "error", trap->kernel ? trap->kernel : hd_kernel_name(launch->kernel));
	print_cause(out, trap, launch, memory);
	hd_text_printf(out, "%s\n", !trap->warns ? "" : trap->store ? "; nothing is written" : "; zeros are read");
	if (placed && trap->pc != HD_TRAP_NO_WORD) {
		const hd_function *function = hd_object_function(program->object, trap->pc);
		hd_text_printf(out, "  at word 0x%x", trap->pc);
		if (function)
			hd_text_printf(out, " in '%s'", function->name);
		if (trap->pc < program->n_slots && !program->slots[trap->pc].is_ss) {
			hd_text_put(out, ": ", 2);
			hd_inst_print(out, &program->slots[trap->pc].inst);
		}
		hd_text_printf(out, "\n");
	}
	if (placed) {
		hd_text_printf(out, "  CTA (%u,%u,%u), thread (%u,%u,%u), warp %u, lane %u, ", trap->cta[0], trap->cta[1], trap->cta[2],
		               trap->thread[0], trap->thread[1], trap->thread[2], trap->warp, trap->lane);
		if (trap->untimed)
			hd_text_printf(out, "after %llu warp instructions\n", (unsigned long long)trap->cycle);
		else
			hd_text_printf(out, "core %u, cycle %llu\n", trap->core, (unsigned long long)trap->cycle);
	}
	if (stack_is_full(trap, launch)) {
		hd_text_printf(out, "  calls: ");
		put_calls(out, program->object, launch->kernel->entry, trap->pc);
		hd_text_printf(out, "\n  memory.stack_bytes is what recursion may take; compile with --set memory.stack_bytes=65536 or more\n");
	}
	if (trap->text && *trap->text) {
		size_t n = strlen(trap->text);
		hd_text_put(out, trap->text, n);
		if (trap->text[n - 1] != '\n')
			hd_text_put(out, "\n", 1);
	}
}

void hd_trap_free(hd_trap *trap)
{
	free(trap->text);
	*trap = (hd_trap){0};
}
