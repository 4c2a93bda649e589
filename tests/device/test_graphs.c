/* Random control-flow graphs, most of them irreducible, through the whole compiler: with resume counters in both ways of membership and with the
 * stack each thread must end with the bytes of its own sequential path, in the interpreter and on the machine (RC-1 to RC-7, RC-16), and the measure
 * of RC-15 is taken: fewer instructions than the stack in most graphs, never for nobody (RC-5), and not much more than the least that there can be.
 */
#include "../test.h"

#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "report/least.h"

enum { BLOCKS_MAX = 24, THREADS = 64, FUEL = 40 };

typedef struct graph {
	unsigned n;
	uint32_t succ[BLOCKS_MAX][2], chance[BLOCKS_MAX];
} graph;

static uint32_t any(uint64_t *seed, uint32_t n) { return (uint32_t)(hd_random(seed) >> 20) % n; }

static graph random_graph(uint64_t *seed)
{
	static const uint32_t chances[] = {0x40000000u, 0x80000000u, 0xc0000000u, 0xf0000000u};
	graph g = {.n = 4 + any(seed, BLOCKS_MAX - 4)};
	for (unsigned b = 0; b < g.n; b++) {
		g.succ[b][0] = any(seed, g.n);
		g.succ[b][1] = any(seed, 3) && b + 1 < g.n ? b + 1 : any(seed, g.n);
		g.chance[b] = chances[any(seed, HD_COUNT(chances))];
	}
	return g;
}

/* One thread, as the text below says it. */
static uint32_t expected(const graph *g, uint32_t thread)
{
	uint32_t x = thread * 2654435761u, hash = 1, b = 0;
	for (int fuel = FUEL; fuel > 0; fuel--) {
		hash = hash * 31 + b;
		x = x * 1664525u + 1013904223u;
		b = g->succ[b][x < g->chance[b] ? 0 : 1];
	}
	return hash;
}

/* Block b of the graph is blocks 2b + 1 (its work; out when there is no fuel left) and 2b + 2 (its branch). */
static hd_ir_module *program(const graph *g)
{
	hd_text t = {0};
	hd_diag diag = {0};
	hd_text_printf(&t,
	               ".kernel \"k\"\n.info 0 8 0 0 0 0\n.param \"out\" 0 8 8 global 1\n.vregs 1 1 1 1 2 2 0 0\nb0:\n"
	               "\ts2r{sreg=tid.x} %%0 =\n\timulw.u32 %%4:2 = %%0, 0x4\n\tiadd64 %%5:2 = %%4:2, c[0x40]:2\n"
	               "\timul %%1 = %%0, 0x9e3779b1\n\tmov %%2 = 0x1\n\tmov %%3 = 0x%x\n\t.jump b1\n",
	               FUEL);
	for (unsigned b = 0; b < g->n; b++)
		hd_text_printf(&t,
		               "b%u:\n\tisetp{cmp=eq} %%p6 = %%3, 0x0\n\t.branch %%p6 b%u b%u\nb%u:\n\tiadd %%3 = %%3, 0xffffffff\n"
		               "\timul %%2 = %%2, 0x1f\n\tiadd %%2 = %%2, 0x%x\n\timul %%1 = %%1, 0x19660d\n\tiadd %%1 = %%1, 0x3c6ef35f\n"
		               "\tisetp{cmp=lo} %%p7 = %%1, 0x%x\n\t.branch %%p7 b%u b%u\n",
		               2 * b + 1, 2 * g->n + 1, 2 * b + 2, 2 * b + 2, b, g->chance[b], 2 * g->succ[b][0] + 1, 2 * g->succ[b][1] + 1);
	hd_text_printf(&t, "b%u:\n\tstg{sub=4} %%5:2, %%2\n\t.exit\n", 2 * g->n + 1);
	hd_ir_module *module = hd_ir_parse(t.at, t.n, "graph", &diag);
	if (!module)
		fail_msg("%s\n%s", diag.text.at, t.at);
	hd_text_free(&t);
	return module;
}

/* Instructions that the machine issued; 0 for the interpreter. */
static uint64_t run(const graph *g, uint32_t threads, const hd_object *object, const hd_machine *machine, bool timed, uint64_t *least, uint64_t *idle)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *loaded = hd_program_new(object, memory, &diag);
	assert_non_null(loaded);
	uint64_t out = hd_memory_alloc(memory, 4 * THREADS, "out");
	hd_launch launch = {.program = loaded,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {1, 1, 1},
	                    .block = {threads, 1, 1},
	                    .lanes = machine->machine_lanes,
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&out};
	hd_stats stats = {0};
	hd_trap trap = {0};
	hd_least watcher;
	hd_least_init(&watcher, loaded);
	hd_run_options options = {.max_cycles = 10000000, .trace = &watcher.trace};
	if (timed ? !hd_device_run(machine, &launch, memory, &options, &stats, &trap)
	          : !hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = machine->divergence_call_depth, .max_instructions = 10000000},
	                           &stats, &trap))
		fail_msg("trap %d at word %u: %s", (int)trap.kind, trap.pc, trap.text ? trap.text : "");
	hd_least_end(&watcher);
	const uint8_t *bytes = hd_memory_at(memory, out, 4 * THREADS);
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t word[4];
		hd_load_lane(bytes + 4 * i, HD_SIZE_32, word);
		assert_int_equal(word[0], expected(g, i));
	}
	if (timed) {
		assert_int_equal(watcher.issued, stats.run_warp_instructions);
		assert_true(watcher.idle >= stats.divergence_idle); /* nops aside */
		*least = watcher.least;
		*idle = watcher.idle;
	}
	hd_trap_free(&trap);
	hd_program_free(loaded);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return timed ? stats.run_warp_instructions : 0;
}

TEST(rc_15_random_graphs_run_right_and_meet_early)
{
	static const char *const settings[] = {"divergence.membership=flag", "divergence.membership=range", "divergence.mode=stack",
	                                       "divergence.minrc=false",     "divergence.mode=barriers",    "divergence.membership=entry"};
	uint64_t sum[HD_COUNT(settings)] = {0}, bound = 0, stepped = 0;
	unsigned more = 0, graphs = 30;
	for (unsigned i = 0; i < graphs; i++) {
		uint64_t seed = i + 1, issued[HD_COUNT(settings)], least[HD_COUNT(settings)];
		graph g = random_graph(&seed);
		for (unsigned k = 0; k < HD_COUNT(settings); k++) {
			hd_machine machine;
			hd_diag diag = {0};
			uint64_t idle;
			hd_machine_default(&machine);
			assert_true(hd_machine_set(&machine, settings[k], &diag));
			hd_ir_module *module = program(&g);
			hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = &machine}, &diag);
			assert_non_null(object);
			run(&g, THREADS, object, &machine, false, NULL, NULL);
			issued[k] = run(&g, THREADS, object, &machine, true, &least[k], &idle);
			sum[k] += issued[k];
			/* RC-5: no cycle for an address that nobody executes. Without MINRC there are such cycles, and the test sees them. */
			if (k == 3)
				stepped += idle;
			else
				assert_int_equal(idle, 0);
			hd_object_free(object);
			hd_ir_module_free(module);
		}
		assert_int_equal(issued[0], issued[1]);
		assert_int_equal(issued[0], issued[3]);
		assert_int_equal(issued[0], issued[5]); /* RC-20 */
		assert_int_equal(least[0], least[1]);
		bound += least[0];
		more += issued[0] > issued[2];
	}
	assert_true(stepped > sum[3] / 10);
	print_message(
	    "%llu instructions for nobody without MINRC; least %llu, resume counters %llu (%.2f), stack %llu (%.2f), barriers %llu (%.2f); more than "
	    "the stack in %u of %u graphs\n",
	    (unsigned long long)stepped, (unsigned long long)bound, (unsigned long long)sum[0], (double)sum[0] / (double)bound,
	    (unsigned long long)sum[2], (double)sum[2] / (double)bound, (unsigned long long)sum[4], (double)sum[4] / (double)bound, more, graphs);
	assert_true(more * 5 <= graphs);
	assert_true(sum[0] * 100 < bound * 418);
	assert_true(sum[0] * 12 < sum[2] * 10);
	assert_true(sum[2] * 100 < bound * 515);
	assert_true(sum[4] * 100 < bound * 980);
}

/* RC-23: one program, laid out in any order, on machines with warps of 1 to 32 threads. Machine, interpreter and reference agree. */
TEST(rc_23_any_order_and_any_width)
{
	static const char *const layouts[] = {"compile.layout=least", "compile.layout=source", "compile.layout=random"};
	static const char *const modes[] = {"divergence.mode=resume", "divergence.mode=stack", "divergence.mode=barriers"};
	static const uint32_t widths[] = {1, 2, 3, 7, 16, 31, 32};
	uint64_t sum[HD_COUNT(layouts)][HD_COUNT(modes)] = {0}, least, idle;
	for (unsigned n = 0; n < 6 * HD_COUNT(layouts) * HD_COUNT(modes); n++) {
		uint64_t seed = 100 + n / (HD_COUNT(layouts) * HD_COUNT(modes));
		unsigned l = n % HD_COUNT(layouts), m = n / HD_COUNT(layouts) % HD_COUNT(modes);
		hd_machine machine;
		hd_diag diag = {0};
		graph g = random_graph(&seed);
		hd_machine_default(&machine);
		assert_true(hd_machine_set(&machine, layouts[l], &diag) && hd_machine_set(&machine, modes[m], &diag));
		hd_ir_module *module = program(&g);
		hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = &machine}, &diag);
		assert_non_null(object);
		for (unsigned w = 0; w < HD_COUNT(widths); w++) {
			machine.machine_lanes = widths[w];
			run(&g, 32, object, &machine, false, NULL, NULL);
			uint64_t issued = run(&g, 32, object, &machine, true, &least, &idle);
			sum[l][m] += widths[w] == 32 ? issued : 0;
		}
		hd_object_free(object);
		hd_ir_module_free(module);
	}
	for (unsigned l = 0; l < HD_COUNT(layouts); l++)
		print_message("%s: resume counters %llu, stack %llu, barriers %llu\n", layouts[l], (unsigned long long)sum[l][0],
		              (unsigned long long)sum[l][1], (unsigned long long)sum[l][2]);
	assert_true(sum[0][0] < sum[2][0]); /* RC-15 is worth something */
}

/* RC-21: a flag pops what a sync would, so lanes meet at the same places, with fewer instructions. */
TEST(rc_21_flags_meet_where_syncs_do)
{
	static const char *const others[] = {"divergence.first=least", "divergence.first=taken", "multi_issue.window=1", "predecode.geometry=wide"};
	uint64_t sum[2] = {0}, least, idle;
	for (unsigned n = 0; n < 10 * HD_COUNT(others); n++) {
		uint64_t seed = 200 + n, issued[2];
		graph g = random_graph(&seed);
		for (unsigned k = 0; k < 2; k++) {
			hd_machine machine;
			hd_diag diag = {0};
			hd_machine_default(&machine);
			assert_true(hd_machine_set(&machine, others[n % HD_COUNT(others)], &diag));
			machine.divergence_mode = HD_DIV_STACK;
			machine.divergence_pop = k ? HD_POP_FLAG : HD_POP_SYNC;
			hd_ir_module *module = program(&g);
			hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = &machine}, &diag);
			assert_non_null(object);
			run(&g, THREADS, object, &machine, false, NULL, NULL);
			issued[k] = run(&g, THREADS, object, &machine, true, &least, &idle);
			assert_int_equal(idle, 0);
			sum[k] += issued[k];
			hd_object_free(object);
			hd_ir_module_free(module);
		}
		assert_true(issued[1] <= issued[0]);
	}
	print_message("stack: %llu instructions with syncs, %llu with flags\n", (unsigned long long)sum[0], (unsigned long long)sum[1]);
	assert_true(sum[1] * 100 < sum[0] * 98);
}
