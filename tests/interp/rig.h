/* One launch of a hand-made program on the oracle: an output buffer as the only parameter. */
#ifndef HD_TEST_RIG_H
#define HD_TEST_RIG_H

#include "build.h"
#include "../test.h"

enum { OUT_BYTES = 4096, R_OUT = 60 };

typedef struct rig {
	build b;
	hd_memory *memory;
	hd_program *program;
	hd_launch launch;
	uint64_t out, limit;
	uint8_t params[8];
	hd_stats stats;
	hd_trap trap;
	hd_text message;
} rig;

/* The program begins with r60:r61 = the buffer's address. */
static inline rig *rig_new(void)
{
	rig *r = hd_xcalloc(1, sizeof *r);
	r->b = build_new();
	r->memory = hd_memory_new(1 << 20);
	r->out = hd_memory_alloc(r->memory, OUT_BYTES, "out");
	r->launch = (hd_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}};
	emit(&r->b, I(.op = HD_OP_MOV64, .d = R_OUT, .a = HD_BANK_PARAMS / 4, .ksel = 1));
	return r;
}

static inline bool rig_run(rig *r)
{
	hd_diag diag = {0};
	build_end(&r->b, 1, 8);
	r->b.object->kernels.at[0].shared_bytes = 1024;
	r->b.object->kernels.at[0].local_bytes = 64;
	hd_vec_push(&r->b.object->files, hd_xstrdup("k.cl"));
	for (uint32_t word = 1; word < r->b.object->code.n; word++)
		hd_vec_push(&r->b.object->lines, ((hd_line){.word = word, .line = 100 + word, .column = 3}));
	r->program = hd_program_new(r->b.object, r->memory, &diag);
	if (!r->program)
		fail_msg("%s", diag.text.at);
	hd_store_lane(r->params, HD_SIZE_64, (uint32_t[4]){(uint32_t)r->out, (uint32_t)(r->out >> 32)});
	r->launch.program = r->program;
	r->launch.kernel = &r->b.object->kernels.at[0];
	r->launch.params = r->params;
	bool ok = hd_interp_run(&r->launch, r->memory, &(hd_interp_options){.call_depth = 16, .max_instructions = r->limit}, &r->stats, &r->trap);
	if (!ok)
		hd_trap_print(&r->message, &r->trap, &r->launch, r->memory);
	return ok;
}

static inline uint32_t rig_word(rig *r, unsigned i)
{
	uint32_t word[4];
	hd_load_lane(hd_memory_at(r->memory, r->out + 4 * i, 4), HD_SIZE_32, word);
	return word[0];
}

static inline void rig_free(rig *r)
{
	hd_trap_free(&r->trap);
	hd_text_free(&r->message);
	hd_program_free(r->program);
	hd_memory_free(r->memory);
	hd_object_free(r->b.object);
	free(r);
}

/* The message must hold every one of these texts. */
static inline void rig_says(const rig *r, const char *text)
{
	if (!r->message.at || !strstr(r->message.at, text))
		fail_msg("expected '%s' in:\n%s", text, r->message.at ? r->message.at : "(nothing)");
}

#endif
