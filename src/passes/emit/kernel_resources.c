#include "passes/emit/kernel_resources.h"

#include "passes/analysis/call_graph.h"

enum { FRAME_ALIGNMENT = 16 };

typedef enum visit { NEW, ON_PATH, DONE } visit;

typedef struct solver {
	hd_call_graph graph;
	hd_function_resources *resources; /* of each function: its own, then with those of its callees */
	hd_function_resources all;        /* of all functions together */
	uint8_t *visit;                   /* of each function */
	size_t *next_call;                /* of each function on the path */
	uint32_t *path;
} solver;

static void add_resources(hd_function_resources *to, const hd_function_resources *callee)
{
	uint32_t depth = callee->call_depth == UINT32_MAX ? UINT32_MAX : callee->call_depth + 1;
	to->registers = hd_max_u32(to->registers, callee->registers);
	to->local_bytes = hd_max_u32(to->local_bytes, callee->local_bytes);
	to->call_depth = hd_max_u32(to->call_depth, depth);
}

/* Depth first, without recursion: chains of calls can be long. */
static void solve(solver *s, uint32_t root)
{
	size_t depth = 0;
	if (s->visit[root] == DONE)
		return;
	s->path[depth++] = root;
	s->visit[root] = ON_PATH;
	while (depth > 0) {
		uint32_t f = s->path[depth - 1];
		if (s->next_call[f] == s->graph.calls[f].n) {
			s->visit[f] = DONE;
			if (--depth > 0)
				add_resources(&s->resources[s->path[depth - 1]], &s->resources[f]);
			continue;
		}
		uint32_t callee = s->graph.calls[f].at[s->next_call[f]++].callee;
		if (s->visit[callee] == DONE) {
			add_resources(&s->resources[f], &s->resources[callee]);
		} else if (s->visit[callee] == ON_PATH) {
			add_resources(&s->resources[f], &s->all);
		} else {
			s->visit[callee] = ON_PATH;
			s->path[depth++] = callee;
		}
	}
}

/* Every function's frame once, and `dynamic` bytes for recursion. */
static uint32_t whole_stack(const hd_ir_module *module, uint32_t dynamic)
{
	uint64_t bytes = dynamic;
	for (size_t i = 0; i < module->functions.n; i++)
		bytes += hd_round_up_u32(module->functions.at[i]->frame_bytes, FRAME_ALIGNMENT);
	return (uint32_t)hd_min_u64(bytes, HD_WINDOW_BYTES);
}

static hd_function_resources own_resources(const hd_ir_function *f, uint32_t stack)
{
	uint32_t frame = hd_round_up_u32(f->frame_bytes, FRAME_ALIGNMENT);
	return (hd_function_resources){.registers = f->registers,
	                               .local_bytes = f->frame_base == UINT32_MAX ? stack
	                                              : frame                     ? f->frame_base + frame
	                                                                          : 0};
}

hd_function_resources *hd_find_resources(const hd_ir_module *module, uint32_t stack_bytes)
{
	size_t n = module->functions.n;
	uint32_t stack = whole_stack(module, stack_bytes);
	solver s = {.graph = hd_call_graph_new(module), .resources = hd_xcalloc(n + 1, sizeof *s.resources), .visit = hd_xcalloc(n + 1, 1)};
	s.next_call = hd_xcalloc(n + 1, sizeof *s.next_call);
	s.path = hd_xcalloc(n + 1, sizeof *s.path);
	for (uint32_t i = 0; i < n; i++) {
		s.resources[i] = own_resources(module->functions.at[i], stack);
		add_resources(&s.all, &s.resources[i]);
	}
	s.all.call_depth = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++)
		solve(&s, i);
	hd_call_graph_free(&s.graph);
	free(s.visit);
	free(s.next_call);
	free(s.path);
	return s.resources;
}

static hd_kernel kernel_record(const hd_ir_function *f, const hd_function_resources *resources, uint32_t entry)
{
	hd_kernel k = hd_kernel_copy(&f->info);
	free(k.name);
	k.name = hd_xstrdup(f->name);
	k.entry = entry;
	k.registers = hd_max_u32(resources->registers, 1);
	k.local_bytes = resources->local_bytes;
	k.call_depth = resources->call_depth;
	return k;
}

void hd_emit_kernels(const hd_ir_module *module, const uint32_t *order, const uint32_t *begin, uint32_t words, uint32_t stack_bytes,
                     hd_object *object)
{
	size_t n = module->functions.n;
	hd_function_resources *resources = hd_find_resources(module, stack_bytes);
	for (uint32_t at = 0; at < n; at++) {
		uint32_t i = order[at];
		const hd_ir_function *f = module->functions.at[i];
		uint32_t next = at + 1 < n ? begin[order[at + 1]] : words, end = at + 1 < n ? next - hd_is_ss(object->geometry, next - 1) : words;
		hd_vec_push(&object->functions, (hd_function){.name = hd_xstrdup(hd_ir_function_name(f)), .begin = begin[i], .end = end});
		if (f->kernel) {
			hd_kernel record = kernel_record(f, &resources[i], begin[i]);
			hd_vec_push(&object->kernels, record);
		}
	}
	free(resources);
}
