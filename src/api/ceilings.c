#include "api/ceilings.h"

#include "api/state.h"

enum {
	CHAINS = 8,       /* independent chains of operations */
	OPERATIONS = 256, /* of a turn of a loop of arithmetic */
	ACCESSES = 8,     /* of a turn of a loop of accesses, of 16 bytes a lane */
	ROW = 512,        /* bytes of an access of a warp */
	BLOCK_WARPS = 8,  /* at most */
	SMALL = 4096,     /* bytes that fit into every first cache */
	LARGE = 1 << 16,  /* and into every second level; a power of two */
	TURNS = 6,
	MORE = 18 /* of the loop, in the two runs */
};

typedef struct bench {
	const hd_machine *machine;
	hd_diag *diag;
	uint32_t blocks, threads; /* that fill the machine */
} bench;

static void begin(hd_text *t)
{
	hd_text_printf(t,
	               ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u32 n)\n{\n.reg .b32 %%r<80>;\n"
	               ".reg .f32 %%f<16>;\n.reg .f64 %%e<16>;\n.reg .b64 %%d<8>;\n.reg .pred %%p<2>;\n.shared .align 16 .b8 s[%d];\n"
	               "ld.param.u64 %%d1, [x];\nld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\n",
	               ROW * ACCESSES);
}

static void turn(hd_text *t) { hd_text_printf(t, "sub.u32 %%r1, %%r1, 1;\nsetp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra LOOP;\n"); }

/* Chains of one operation, which all lanes execute. */
static void arithmetic(hd_peak peak, hd_text *t)
{
	begin(t);
	hd_text_printf(t, "cvt.rn.f32.u32 %%f10, %%r2;\ncvt.f64.f32 %%e10, %%f10;\n");
	for (int i = 0; i < CHAINS; i++)
		hd_text_printf(t, "add.f32 %%f%d, %%f10, 0f3F%d00000;\nadd.f64 %%e%d, %%e10, 0d3FF%d000000000000;\nadd.u32 %%r%d, %%r2, %d;\n", i, i,
		               i, i, 20 + i, i);
	hd_text_printf(t, "LOOP:\n");
	for (int i = 0; i < OPERATIONS; i++) {
		int c = i % CHAINS;
		if (peak == HD_PEAK_ALU)
			hd_text_printf(t, "fma.rn.f32 %%f%d, %%f%d, %%f10, %%f10;\n", c, c);
		else if (peak == HD_PEAK_SFU)
			hd_text_printf(t, "rsqrt.approx.f32 %%f%d, %%f%d;\n", c, c);
		else if (peak == HD_PEAK_F64)
			hd_text_printf(t, "fma.rn.f64 %%e%d, %%e%d, %%e10, %%e10;\n", c, c);
		else if (i / CHAINS % 2)
			hd_text_printf(t, "cvt.rzi.u32.f32 %%r%d, %%f%d;\n", 20 + c, c);
		else
			hd_text_printf(t, "cvt.rn.f32.u32 %%f%d, %%r%d;\n", c, 20 + c);
	}
	turn(t);
	for (int i = 1; i < CHAINS; i++)
		hd_text_printf(t, "add.f32 %%f0, %%f0, %%f%d;\nadd.f64 %%e0, %%e0, %%e%d;\nadd.u32 %%r20, %%r20, %%r%d;\n", i, i, 20 + i);
	hd_text_printf(t, "cvt.rn.f32.f64 %%f1, %%e0;\nadd.f32 %%f0, %%f0, %%f1;\ncvt.rn.f32.u32 %%f1, %%r20;\nadd.f32 %%f0, %%f0, %%f1;\n"
	                  "st.global.f32 [%%d1], %%f0;\nret;\n}\n");
}

/* Accesses of 16 bytes a lane. `%r3` is where the warp begins, `step` how far a turn goes, within `mask`; the accesses of a turn are `apart` bytes
 * from each other. */
static void accesses(const bench *b, hd_level level, unsigned loads, hd_text *t)
{
	bool stream = level == HD_LEVEL_DRAM;
	uint64_t all = (uint64_t)b->blocks * b->threads * 16, apart = stream ? all : ROW, step = stream ? all * ACCESSES : ROW * 2;
	uint32_t mask = stream ? UINT32_MAX : level == HD_LEVEL_L1 ? SMALL - 1 : LARGE - 1;
	const char *space = level == HD_LEVEL_SHARED ? "shared" : "global", *cache = level == HD_LEVEL_L2 ? ".cg" : "";
	begin(t);
	if (stream)
		hd_text_printf(t, "mov.u32 %%r4, %%ctaid.x;\nmov.u32 %%r5, %%ntid.x;\nmad.lo.u32 %%r3, %%r4, %%r5, %%r2;\nshl.b32 %%r3, %%r3, 4;\n"
		                  "mov.u32 %%r6, 0;\n");
	else
		hd_text_printf(t,
		               "and.b32 %%r3, %%r2, 31;\nshl.b32 %%r3, %%r3, 4;\nshr.u32 %%r6, %%r2, 5;\nmov.u32 %%r4, %%ctaid.x;\n"
		               "mad.lo.u32 %%r6, %%r4, %d, %%r6;\nmul.lo.u32 %%r6, %%r6, %d;\n",
		               BLOCK_WARPS, ROW);
	hd_text_printf(t,
	               "mov.u32 %%r7, 0;\nmov.u32 %%r8, s;\nadd.u32 %%r8, %%r8, %%r3;\nLOOP:\nand.b32 %%r5, %%r6, %u;\nadd.u32 %%r5, %%r5, %%r3;\n"
	               "cvt.u64.u32 %%d2, %%r5;\nadd.u64 %%d2, %%d1, %%d2;\n",
	               mask);
	for (unsigned i = 0; i < ACCESSES; i++) {
		char place[48];
		snprintf(place, sizeof place, "%s+%llu", level == HD_LEVEL_SHARED ? "%r8" : "%d2", (unsigned long long)(i * apart));
		unsigned r = 16 + 4 * i;
		if (i < loads)
			hd_text_printf(t, "ld.%s%s.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%s];\n", space, cache, r, r + 1, r + 2, r + 3, place);
		else
			hd_text_printf(t, "st.%s.v4.u32 [%s], {%%r7, %%r2, %%r3, %%r6};\n", space, place);
	}
	for (unsigned i = 0; i < loads * 4; i++)
		hd_text_printf(t, "xor.b32 %%r7, %%r7, %%r%u;\n", 16 + i);
	hd_text_printf(t, "add.u32 %%r6, %%r6, %llu;\n", (unsigned long long)(step & UINT32_MAX));
	turn(t);
	hd_text_printf(t, "cvt.u64.u32 %%d3, %%r3;\nadd.u64 %%d3, %%d3, %%d1;\nst.global.u32 [%%d3], %%r7;\nret;\n}\n");
}

static bool run(heddle *h, const bench *b, uint64_t x, uint32_t turns, hd_stats *stats)
{
	const heddle_arg args[] = {heddle_pointer(x), heddle_u32(turns)};
	const heddle_launch launch = {.grid = {b->blocks}, .block = {b->threads}, .args = args, .n_args = 2};
	bool ok = heddle_run(h, &launch) == HEDDLE_DONE;
	*stats = h->stats;
	return ok;
}

/* Lane operations of a pipe's own micro-kernel. */
static uint64_t lanes_of(const hd_stats *s, hd_peak peak)
{
	const uint64_t lanes[HD_PEAKS] = {
	    [HD_PEAK_ALU] = s->lanes_fma, [HD_PEAK_SFU] = s->lanes_sfu, [HD_PEAK_F64] = s->lanes_f64, [HD_PEAK_CVT] = s->lanes_cvt};
	return lanes[peak];
}

/* Runs a kernel twice. The results are the differences of the counters, with the operations of `peak`. False and an error when it cannot run. */
static bool measure(const bench *b, const hd_text *kernel, hd_peak peak, uint64_t bytes, hd_roofline_point *point)
{
	heddle *h = heddle_new();
	hd_stats stats = {0};
	h->machine = *b->machine;
	h->machine.fence_refuse_unproven = false;
	bool ok = heddle_build_text(h, "ceiling.ptx", kernel->at, kernel->n, NULL);
	uint64_t x = ok ? heddle_alloc(h, "x", bytes) : 0;
	ok = ok && x && run(h, b, x, TURNS, &stats);
	hd_roofline_point less = hd_roofline_point_of("", &stats);
	less.operations = lanes_of(&stats, peak);
	ok = ok && run(h, b, x, MORE, &stats);
	if (ok) {
		*point = hd_roofline_point_of("", &stats);
		point->cycles = point->cycles > less.cycles ? point->cycles - less.cycles : 1;
		point->operations = lanes_of(&stats, peak) - less.operations;
		for (unsigned i = 0; i < HD_LEVELS; i++)
			point->bytes[i] = point->bytes[i] > less.bytes[i] ? point->bytes[i] - less.bytes[i] : 0;
	} else {
		hd_error(b->diag, (hd_pos){0}, "the ceilings of the machine cannot be measured: %s", heddle_messages(h));
	}
	heddle_free(h);
	return ok;
}

static bool measure_level(const bench *b, hd_level level, double *best)
{
	static const unsigned loads[] = {ACCESSES, 0, ACCESSES / 2};
	uint64_t streamed = (uint64_t)b->blocks * b->threads * 16 * ACCESSES * (MORE + 1);
	for (unsigned i = 0; i < HD_COUNT(loads); i++) {
		hd_text kernel = {0};
		hd_roofline_point point;
		if (level == HD_LEVEL_L1 && loads[i] != ACCESSES)
			continue; /* stores do not look for the first cache */
		accesses(b, level, loads[i], &kernel);
		bool ok = measure(b, &kernel, HD_PEAK_ALU, level == HD_LEVEL_DRAM ? streamed : LARGE * 2, &point);
		hd_text_free(&kernel);
		if (!ok)
			return false;
		double bytes = (double)point.bytes[level] / (double)point.cycles;
		*best = bytes > *best ? bytes : *best;
	}
	return true;
}

bool hd_ceilings_measure(const hd_machine *machine, hd_ceilings *ceilings, hd_diag *diag)
{
	uint32_t warps = machine->machine_schedulers * machine->machine_warps, block = hd_min_u32(warps, BLOCK_WARPS);
	bench b = {.machine = machine, .diag = diag, .threads = 32 * block, .blocks = hd_machine_cores(machine) * (warps / block)};
	*ceilings = (hd_ceilings){0};
	for (hd_peak peak = 0; peak < HD_PEAKS; peak++) {
		hd_text kernel = {0};
		hd_roofline_point point;
		arithmetic(peak, &kernel);
		bool ok = measure(&b, &kernel, peak, LARGE, &point);
		hd_text_free(&kernel);
		if (!ok)
			return false;
		ceilings->operations[peak] = (double)point.operations / (double)point.cycles;
	}
	for (hd_level level = 0; level < HD_LEVELS; level++)
		if (!measure_level(&b, level, &ceilings->bytes[level]))
			return false;
	return true;
}
