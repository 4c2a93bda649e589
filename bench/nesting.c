/* heddle-nesting [--markdown]: ifs in ifs, to every depth up to 31, for one full warp. At level k the lanes from k on go further in, and lane k - 1
 * takes the other side, so that every level splits the warp and all levels meet again. The table has the instructions and cycles of each way to meet
 * (RC-16), and the most tokens that the stack held (RC-21). docs/divergence.md has the figures. */
#include "device/device.h"
#include "passes/passes.h"

enum { DEEPEST = 31, MODES = 4, SETTINGS = 2, PLACES = 1 << 20 };

static const struct {
	const char *name, *settings[SETTINGS];
} modes[MODES] = {{"resume", {"divergence.mode=resume"}},
                  {"sync", {"divergence.mode=stack"}},
                  {"flag", {"divergence.mode=stack", "divergence.pop=flag"}},
                  {"barriers", {"divergence.mode=barriers"}}};

/* Block k - 1 begins level k; block `depth` is the innermost one; then each level's other side and join, from the innermost on. */
static hd_ir_module *nest(unsigned depth, hd_diag *diag)
{
	hd_text t = {0};
	hd_text_printf(&t, ".kernel \"nest\"\n.info 0 8 0 0 0 0\n.param \"out\" 0 8 8 global 1\n.vregs 1 1 2 2 0\n");
	for (unsigned k = 1; k <= depth; k++) {
		hd_text_printf(&t, "b%u:\n", k - 1);
		if (k == 1)
			hd_text_printf(&t,
			               "\ts2r{sreg=tid.x} %%0 =\n\timulw.u32 %%2:2 = %%0, 0x4\n\tiadd64 %%3:2 = %%2:2, c[0x40]:2\n\tmov %%1 = %%0\n");
		hd_text_printf(&t, "\timul %%1 = %%1, 0x5\n\tisetp{cmp=hs} %%p4 = %%0, 0x%x\n\t.branch %%p4 b%u b%u\n", k, k,
		               depth + 1 + 2 * (depth - k));
	}
	hd_text_printf(&t, "b%u:\n\tiadd %%1 = %%1, 0x7\n\t.jump b%u\n", depth, depth + 2);
	for (unsigned k = depth; k > 0; k--) {
		unsigned side = depth + 1 + 2 * (depth - k);
		hd_text_printf(&t, "b%u:\n\timul %%1 = %%1, 0x3\n\tiadd %%1 = %%1, 0x%x\n\t.jump b%u\nb%u:\n\txor %%1 = %%1, 0x%x\n", side, k,
		               side + 1, side + 1, k);
		hd_text_printf(&t, k > 1 ? "\t.jump b%u\n" : "\tstg{sub=4} %%3:2, %%1\n\t.exit\n", side + 3);
	}
	hd_ir_module *module = hd_ir_parse(t.at, t.n, "nest", diag);
	hd_text_free(&t);
	return module;
}

static uint32_t expected(unsigned depth, uint32_t lane)
{
	uint32_t x = lane, k = 1;
	for (; k <= depth; k++) {
		x *= 5;
		if (lane < k)
			break;
	}
	if (k <= depth) {
		x = x * 3 + k;
		x ^= k;
	} else {
		x += 7;
	}
	while (--k > 0)
		x ^= k;
	return x;
}

/* False: the program is not compiled, ends with a trap, or computes something else. */
static bool measure(unsigned depth, unsigned mode, hd_stats *stats, hd_diag *diag)
{
	hd_machine machine;
	hd_machine_default(&machine);
	for (unsigned i = 0; i < SETTINGS && modes[mode].settings[i]; i++)
		if (!hd_machine_set(&machine, modes[mode].settings[i], diag))
			return false;
	hd_ir_module *module = nest(depth, diag);
	hd_object *object = module ? hd_compile_module(module, &(hd_compile_options){.machine = &machine}, diag) : NULL;
	hd_memory *memory = hd_memory_new(PLACES);
	hd_program *program = object ? hd_program_new(object, memory, diag) : NULL;
	bool ok = program != NULL;
	if (program) {
		uint64_t out = hd_memory_alloc(memory, 4 * HD_LANES, "out");
		hd_launch launch = {.program = program,
		                    .kernel = &object->kernels.at[0],
		                    .grid = {1, 1, 1},
		                    .block = {HD_LANES, 1, 1},
		                    .lanes = HD_LANES,
		                    .work_dim = 1,
		                    .params = (const uint8_t *)&out};
		hd_trap trap = {0};
		ok = hd_device_run(&machine, &launch, memory, &(hd_run_options){.max_cycles = 1000000}, stats, &trap);
		const uint8_t *bytes = hd_memory_at(memory, out, 4 * HD_LANES);
		for (uint32_t lane = 0; lane < HD_LANES; lane++) {
			uint32_t word[4];
			hd_load_lane(bytes + 4 * lane, HD_SIZE_32, word);
			ok &= word[0] == expected(depth, lane);
		}
		hd_trap_free(&trap);
		hd_program_free(program);
	}
	hd_memory_free(memory);
	if (object)
		hd_object_free(object);
	if (module)
		hd_ir_module_free(module);
	return ok;
}

int main(int argc, char **argv)
{
	static const unsigned depths[] = {1, 2, 4, 8, 12, 16, 24, DEEPEST};
	bool markdown = argc > 1 && strcmp(argv[1], "--markdown") == 0, all = true;
	printf(markdown ? "| depth |" : "depth");
	for (unsigned m = 0; m < MODES; m++)
		printf(markdown ? " %s: instructions | cycles |" : "  %s: instructions, cycles", modes[m].name);
	printf(markdown ? " tokens, sync | flag |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n" : "  most tokens: sync, flag\n");
	for (unsigned d = 0; d < HD_COUNT(depths); d++) {
		uint64_t tokens[MODES];
		printf(markdown ? "| %u |" : "%5u", depths[d]);
		for (unsigned m = 0; m < MODES; m++) {
			hd_stats stats = {0};
			hd_diag diag = {0};
			bool ok = measure(depths[d], m, &stats, &diag);
			all &= ok;
			if (!ok)
				fprintf(stderr, "depth %u, %s: wrong\n%s", depths[d], modes[m].name, diag.text.at ? diag.text.at : "");
			printf(markdown ? " %llu | %llu |" : "  %20llu %6llu", (unsigned long long)stats.run_warp_instructions,
			       (unsigned long long)stats.run_cycles);
			tokens[m] = stats.divergence_max_tokens;
			hd_diag_free(&diag);
		}
		printf(markdown ? " %llu | %llu |\n" : "  %17llu %5llu\n", (unsigned long long)tokens[1], (unsigned long long)tokens[2]);
	}
	return !all;
}
