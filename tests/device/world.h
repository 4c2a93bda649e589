/* Lists of launches of tests/device/grids.cl, or of another OpenCL C file, on a machine and in the interpreter. */
#ifndef WORLD_H
#define WORLD_H

#include "base/output.h"
#include "api/arguments.h"
#include "sanitizer/sanitizer.h"
#include "api/build.h"
#include "device/device.h"
#include "interp/interp.h"
#include "../test.h"

enum { WORDS = 8192, LIST = 40 };

typedef struct world {
	hd_machine machine;
	hd_object *object;
	hd_program *program;
	hd_memory *memory;
	uint64_t out;
	hd_task list[LIST];
	hd_task_result result[LIST];
	uint8_t params[LIST][64];
	uint32_t n;
	hd_stats stats;
	hd_trap trap;
	hd_text message;
} world;

/* clang runs once for each file: PTX is the same for every machine. */
static inline const char *ptx_of(const char *file)
{
	static char made[2][512];
	char *path = made[strstr(file, "examples") != NULL];
	hd_text source = {0}, ptx = {0};
	hd_diag diag = {0};
	hd_build_options options = {0};
	if (path[0])
		return path;
	snprintf(path, sizeof made[0], "%s/tests/%s.ptx", getenv("HEDDLE_BUILD"), strstr(file, "examples") ? "example-grids" : "test-grids");
	hd_text_printf(&source, "%s/%s", getenv("HEDDLE_SOURCE"), file);
	if (!hd_build_stage(source.at, HD_STAGE_PTX, &options, &ptx, &diag) || !hd_write_file(path, ptx.at, ptx.n, &diag))
		fail_msg("%s", diag.text.at);
	hd_text_free(&source);
	hd_text_free(&ptx);
	return path;
}

/* `setting`: KEY=VALUE on top of the preset, or NULL. */
static inline world *world_with(const char *machine, const char *setting, const char *file)
{
	world *w = hd_xaligned(sizeof *w);
	hd_diag diag = {0};
	assert_true(hd_machine_load(&w->machine, machine, &diag));
	assert_true(!setting || hd_machine_set(&w->machine, setting, &diag));
	hd_build_options options = {.machine = &w->machine};
	w->object = hd_build(ptx_of(file), &options, &diag);
	if (!w->object)
		fail_msg("%s", diag.text.at);
	w->memory = hd_memory_new(1 << 26);
	w->program = hd_program_new(w->object, w->memory, &diag);
	w->out = hd_memory_alloc(w->memory, WORDS * 4, "out");
	hd_diag_free(&diag);
	return w;
}

static inline world *world_new(const char *machine, const char *file) { return world_with(machine, NULL, file); }

static inline void world_free(world *w)
{
	hd_trap_free(&w->trap);
	hd_text_free(&w->message);
	hd_program_free(w->program);
	hd_memory_free(w->memory);
	hd_object_free(w->object);
	free(w);
}

static inline uint32_t *words(world *w) { return hd_memory_at(w->memory, w->out, WORDS * 4); }
static inline heddle_arg at(const world *w, uint32_t word) { return heddle_pointer(w->out + 4 * word); }

/* Adds a launch to the list; what else it has to say, the caller puts in. */
#define ADD(w, kernel, grid, block, ...) \
	add(w, kernel, grid, block, (heddle_arg[]){__VA_ARGS__}, sizeof((heddle_arg[]){__VA_ARGS__}) / sizeof(heddle_arg))
static inline hd_task *add(world *w, const char *kernel, uint32_t grid, uint32_t block, const heddle_arg *args, uint32_t n)
{
	hd_task *task = &w->list[w->n];
	hd_diag diag = {0};
	uint32_t shared = 0;
	assert_true(w->n < LIST);
	*task = (hd_task){.launch = {.program = w->program, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .work_dim = 1, .params = w->params[w->n]}};
	task->launch.kernel = hd_object_kernel(w->object, kernel);
	assert_non_null(task->launch.kernel);
	if (!hd_arguments_bind(task->launch.kernel, args, n, w->params[w->n], &shared, &diag))
		fail_msg("%s", diag.text.at);
	w->n++;
	return task;
}

static inline bool run_with(world *w, bool functional, const hd_run_options *options)
{
	hd_trap_free(&w->trap);
	hd_text_free(&w->message);
	hd_interp_options oracle = {.call_depth = 64, .grid_depth = w->machine.grids_depth, .results = w->result};
	hd_run_options timed = options ? *options : (hd_run_options){0};
	timed.results = w->result;
	bool ok = functional ? hd_interp_run_list(w->list, w->n, w->memory, &oracle, &w->stats, &w->trap)
	                     : hd_device_run_list(&w->machine, w->list, w->n, w->memory, &timed, &w->stats, &w->trap);
	if (!ok)
		hd_trap_print(&w->message, &w->trap, &w->list[0].launch, w->memory);
	return ok;
}

/* On the machine no hazard is violated, whatever comes and goes (HZ-27). */
static inline void run(world *w, bool functional)
{
	hd_sanitizer *sanitizer = hd_sanitizer_new(w->program);
	hd_run_options options = {.trace = hd_sanitizer_watcher(sanitizer)};
	memset(words(w), 0, WORDS * 4);
	if (!run_with(w, functional, &options))
		fail_msg("%s", w->message.at);
	if (hd_sanitizer_found(sanitizer)->total) {
		hd_violations_print(&w->message, hd_sanitizer_found(sanitizer), 1, w->program);
		fail_msg("%s", w->message.at);
	}
	hd_sanitizer_free(sanitizer);
	for (uint32_t i = 0; i < w->n; i++)
		assert_true(w->result[i].ended);
}

#endif
