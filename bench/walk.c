/* heddle-walk FILE KERNEL LANES [--set KEY=VALUE]...: the first warp of a kernel, instruction by instruction: cycle of the issue, word address, the
 * lanes that are active, where each other lane waits (its resume counter) and MINRC, as the flow unit has them (RC-24). The kernel has one parameter,
 * a buffer. The worked example of docs/divergence.md is its output. */
#include "backend_heddle.h"
#include "device/device.h"

typedef struct step {
	uint64_t cycle;
	uint32_t pc, mask, minrc, resume[HD_LANES];
} step;

typedef struct watcher {
	hd_trace trace;
	step state; /* only minrc and resume */
	HD_VEC(step) steps;
} watcher;

static void event(hd_trace *trace, const hd_trace_event *e)
{
	watcher *w = (watcher *)trace;
	if (e->core || e->scheduler || e->slot)
		return;
	if (e->kind == HD_TRACE_FLOW) {
		w->state.minrc = e->minrc;
		memcpy(w->state.resume, e->resume, sizeof w->state.resume);
	} else if (e->kind == HD_TRACE_ISSUE) {
		w->state.cycle = e->cycle;
		w->state.pc = e->pc;
		w->state.mask = e->mask;
		hd_vec_push(&w->steps, w->state);
	}
}

static void show(const watcher *w, const hd_program *program, unsigned lanes)
{
	const char *function = "";
	printf("cycle  word  %-*s  minrc  waiting: lanes      instruction\n", (int)lanes, "lanes");
	for (size_t i = 0; i < w->steps.n; i++) {
		const step *s = &w->steps.at[i];
		const hd_function *in = hd_object_function(program->object, s->pc);
		hd_text text = {0}, waits = {0};
		uint32_t seen = s->mask;
		for (unsigned lane = 0; lane < lanes; lane++) {
			uint32_t at = s->resume[lane], same = 0;
			if (seen >> lane & 1 || at == HD_TRACE_NO_ADDRESS)
				continue;
			for (unsigned k = lane; k < lanes; k++)
				if (s->resume[k] == at)
					same |= 1u << k;
			seen |= same;
			hd_text_printf(&waits, "%s%x:", waits.n ? " " : "", at);
			for (unsigned k = 0; k < lanes; k++)
				if (same >> k & 1)
					hd_text_printf(&waits, "%u", k);
		}
		if (in && strcmp(in->name, function) != 0)
			printf("%s:\n", function = in->name);
		hd_inst_print(&text, &program->slots[s->pc].inst);
		if (text.at && strchr(text.at, '{'))
			*strchr(text.at, '{') = 0;
		printf("%5llu  %4x  ", (unsigned long long)s->cycle, s->pc);
		for (unsigned lane = 0; lane < lanes; lane++)
			putchar(s->mask >> lane & 1 ? (int)('0' + lane % 10) : '.');
		s->minrc == HD_TRACE_NO_ADDRESS ? printf("    inf  ") : printf("  %5x  ", s->minrc);
		printf("%-18s %s\n", waits.at ? waits.at : "", text.at ? text.at : "");
		hd_text_free(&text);
		hd_text_free(&waits);
	}
}

int main(int argc, char **argv)
{
	hd_diag diag = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	unsigned lanes = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	bool ok = argc > 3 && lanes > 0 && lanes <= HD_LANES;
	if (!ok)
		fprintf(stderr, "usage: heddle-walk FILE KERNEL LANES [--set KEY=VALUE]...\n");
	for (int i = 4; ok && i + 1 < argc; i += 2)
		ok = strcmp(argv[i], "--set") == 0 && hd_machine_set(&machine, argv[i + 1], &diag);
	ok = ok && hd_machine_validate(&machine, NULL, &diag);
	hd_object *object = ok ? ex_heddle_compile(argv[1], &machine, false, &diag) : NULL;
	const hd_kernel *kernel = object ? hd_object_kernel(object, argv[2]) : NULL;
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *program = kernel ? hd_program_new(object, memory, &diag) : NULL;
	ok = program != NULL;
	if (ok) {
		uint64_t out = hd_memory_alloc(memory, 4096, "out");
		hd_launch launch = {.program = program, .kernel = kernel, .grid = {1, 1, 1}, .block = {lanes, 1, 1}, .params = (const uint8_t *)&out};
		watcher w = {.trace = {.event = event}};
		hd_stats stats;
		hd_trap trap = {0};
		ok = hd_device_run(&machine, &launch, memory, &(hd_run_options){.max_cycles = 1000000, .trace = &w.trace}, &stats, &trap);
		show(&w, program, lanes);
		hd_trap_free(&trap);
		hd_vec_free(&w.steps);
		hd_program_free(program);
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	if (object)
		hd_object_free(object);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}
