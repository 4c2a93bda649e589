#include "program.h"

#include <stddef.h>

typedef struct writer {
	const litmus_test *test;
	litmus_variant variant;
	hd_text *text;
	litmus_lines *lines;
	unsigned labels;
} writer;

static uint32_t line_now(const writer *w)
{
	uint32_t line = 1;
	for (size_t i = 0; i < w->text->n; i++)
		line += w->text->at[i] == '\n';
	return line;
}

static void put_delay(writer *w, unsigned access)
{
	unsigned label = w->labels++;
	hd_text_printf(w->text,
	               "ld.global.u32 %%w, [%%record+%zu];\nadd.u32 %%w, %%w, %%warm;\n"
	               "WAIT%u:\nsetp.eq.u32 %%p, %%w, 0;\n@%%p bra GO%u;\nsub.u32 %%w, %%w, 1;\nbra WAIT%u;\nGO%u:\n",
	               offsetof(litmus_record, delay) + 4 * (size_t)access, label, label, label, label);
}

static void put_fence(writer *w, unsigned thread)
{
	static const char *const membars[] = {"cta", "gl", "sys"};
	litmus_scope scope = w->test->scope;
	litmus_fence fence = w->test->form->fence;
	if (fence == LITMUS_MIXED)
		fence = thread % 2 ? LITMUS_ACQ_REL : LITMUS_SC;
	if (fence == LITMUS_MEMBAR)
		hd_text_printf(w->text, "membar.%s;\n", membars[scope]);
	else if (fence)
		hd_text_printf(w->text, "fence.%s.%s;\n", fence == LITMUS_SC ? "sc" : "acq_rel", litmus_scope_names[scope]);
}

/* ".relaxed.gpu.global", say. */
static void strength(const litmus_test *test, const litmus_access *access, char words[40])
{
	static const char *const names[] = {"", "", ".volatile", ".relaxed", ".relaxed", NULL, ".relaxed", NULL, ".acq_rel"};
	const char *name = names[access->strength];
	if (!name)
		name = access->kind == LITMUS_LOAD ? ".acquire" : ".release";
	bool scoped = access->strength >= LITMUS_RELAXED;
	snprintf(words, 40, "%s%s%s.global%s", name, scoped ? "." : "", scoped ? litmus_scope_names[litmus_scope_of(test, access)] : "",
	         access->strength == LITMUS_WEAK_CG ? ".cg" : "");
}

/* Puts the value of a store into %v. `before`: the register that the thread read last, or -1. */
static void put_value(writer *w, const litmus_access *access, int before)
{
	bool depends = access->depends && before >= 0;
	if (!w->variant.settled || depends)
		hd_text_printf(w->text, "mov.u32 %%v, %u;\n", access->value);
	if (depends)
		hd_text_printf(w->text, "and.b32 %%v, %%r%d, %%zero;\nadd.u32 %%v, %%v, %u;\n", before, access->value);
}

/* The first thread of each CTA counts them, as in cooperative groups. */
static void put_barrier(writer *w, unsigned thread, const litmus_access *barrier)
{
	unsigned first, n = litmus_company(w->test, thread, barrier, &first), ctas = 0;
	if (barrier->value == 0) {
		hd_text_printf(w->text, "bar.sync 0;\n");
		return;
	}
	hd_text_printf(w->text, "bar.%s %u, %%threads%u;\n", barrier->kind == LITMUS_ARRIVE ? "arrive" : "sync", barrier->value, n);
	if (barrier->kind != LITMUS_GRID)
		return;
	for (unsigned t = 0; t < w->test->n_threads; t++) {
		unsigned leader;
		ctas += litmus_company(w->test, t, barrier, &leader) && leader == t;
	}
	if (first == thread)
		hd_text_printf(w->text,
		               "atom.add.release.gpu.global.u32 %%w, [%%barrier], 1;\nSPIN%u:\nld.acquire.gpu.global.u32 %%w, [%%barrier];\n"
		               "setp.lo.u32 %%p, %%w, %u;\n@%%p bra SPIN%u;\n",
		               thread, ctas, thread);
	hd_text_printf(w->text, "bar.sync %u, %%threads%u;\n", barrier->value, n);
}

/* `value`: the register that has the value. */
static void put_access(writer *w, unsigned thread, const litmus_access *access, const char *value)
{
	if (litmus_is_barrier(access)) {
		put_barrier(w, thread, access);
		return;
	}
	char words[40], place[32];
	bool atomic = access->strength >= LITMUS_ATOMIC;
	strength(w->test, access, words);
	if (w->variant.offset)
		snprintf(place, sizeof place, "[%%at0+%u]", access->location * w->variant.offset);
	else
		snprintf(place, sizeof place, "[%%at%u]", access->location);
	int reg = access->reg >= 0 ? access->reg : LITMUS_REGISTERS;
	if (access->kind == LITMUS_LOAD && !atomic)
		hd_text_printf(w->text, "ld%s.u32 %%r%d, %s;\n", words, reg, place);
	else if (access->kind == LITMUS_LOAD)
		hd_text_printf(w->text, "atom%s.or.b32 %%r%d, %s, 0;\n", words, reg, place);
	else if (access->kind == LITMUS_ADD)
		hd_text_printf(w->text, "atom%s.add.u32 %%r%d, %s, 1;\n", words, reg, place);
	else if (access->kind == LITMUS_EXCHANGE)
		hd_text_printf(w->text, "atom%s.exch.b32 %%r%d, %s, %u;\n", words, reg, place, access->value);
	else if (atomic)
		hd_text_printf(w->text, "atom%s.exch.b32 %%r%d, %s, %s;\n", words, reg, place, value);
	else
		hd_text_printf(w->text, "st%s.u32 %s, %s;\n", words, place, value);
}

/* Waits for all addresses, and makes the values of the stores, which the compiler does not know. */
static void put_settled(writer *w, unsigned thread)
{
	hd_text_printf(w->text, "cvt.u64.u32 %%none, %%zero;\nadd.u64 %%results, %%results, %%none;\n");
	for (unsigned l = 0; l < w->test->n_locations; l++)
		hd_text_printf(w->text, "add.u64 %%at%u, %%at%u, %%none;\n", l, l);
	for (unsigned i = 0; i < w->test->n[thread]; i++)
		if (w->test->access[thread][i].kind == LITMUS_STORE)
			hd_text_printf(w->text, "add.u32 %%v%u, %%zero, %u;\n", i, w->test->access[thread][i].value);
}

static void put_thread(writer *w, unsigned thread)
{
	int before = -1;
	hd_text_printf(w->text, "THREAD%u:\n", thread);
	if (w->variant.settled)
		put_settled(w, thread);
	for (unsigned i = 0; i < w->test->n[thread]; i++) {
		const litmus_access *access = &w->test->access[thread][i];
		char value[16] = "%v";
		if (w->variant.settled && !access->depends)
			snprintf(value, sizeof value, "%%v%u", i);
		if (i == 0 || !w->variant.tight)
			put_delay(w, i);
		if (litmus_fenced(w->test, thread, i))
			put_fence(w, thread);
		if (access->kind == LITMUS_STORE)
			put_value(w, access, before);
		w->lines->first[thread][i] = line_now(w);
		put_access(w, thread, access, value);
		w->lines->last[thread][i] = line_now(w) - 1;
		before = access->reg >= 0 ? access->reg : before;
	}
	if (w->variant.settled)
		put_delay(w, 0);
	for (unsigned i = 0; i < w->test->n[thread]; i++)
		if (w->test->access[thread][i].reg >= 0)
			hd_text_printf(w->text, "st.global.u32 [%%results+%d], %%r%d;\n", 4 * w->test->access[thread][i].reg,
			               w->test->access[thread][i].reg);
	hd_text_printf(w->text, "ret;\n");
}

/* Loads, stores and atomics on 128 bytes that no thread of the test uses. Beside barriers also stores to one bank of shared memory, which fill the
 * queue of a scheduler, so that a fence of another warp is late there. */
static void put_stress(writer *w)
{
	hd_text_printf(w->text, "STRESS:\nld.global.u32 %%w, [%%record+%zu];\n", offsetof(litmus_record, times));
	if (w->test->barriers)
		hd_text_printf(w->text, "mov.u32 %%v, %%laneid;\nmul.lo.u32 %%v, %%v, 128;\nmov.u32 %%role, busy;\nadd.u32 %%v, %%v, %%role;\n");
	hd_text_printf(w->text, "AGAIN:\nsetp.eq.u32 %%p, %%w, 0;\n@%%p ret;\nsub.u32 %%w, %%w, 1;\n");
	for (unsigned i = 0; i < 4 && w->test->barriers; i++)
		hd_text_printf(w->text, "st.volatile.shared.u32 [%%v+%u], %%w;\n", 4 * i);
	hd_text_printf(w->text, "ld.volatile.global.u32 %%r0, [%%at0];\nld.global.u32 %%r1, [%%at0+64];\nst.global.u32 [%%at0+4], %%r0;\n"
	                        "red.global.add.u32 [%%at0+8], %%r1;\nst.volatile.global.u32 [%%at0+96], %%r1;\nbra AGAIN;\n");
}

/* The record, the addresses, and the loads that fill the first cache. */
static void put_beginning(writer *w)
{
	hd_text_printf(w->text,
	               "ld.param.u64 %%record, [records];\nld.param.u32 %%zero, [nothing];\nmov.u32 %%w, %%ctaid.x;\nmov.u32 %%v, %%ntid.x;\n"
	               "mad.lo.u32 %%w, %%w, %%v, %%warm;\nmov.u32 %%v, %%tid.x;\nadd.u32 %%w, %%w, %%v;\nmul.wide.u32 %%at0, %%w, %zu;\n"
	               "add.u64 %%record, %%record, %%at0;\nld.global.u32 %%role, [%%record];\nsetp.eq.u32 %%p, %%role, %d;\n@%%p ret;\n",
	               sizeof(litmus_record), LITMUS_IDLE);
	if (w->test->barriers) {
		hd_text_printf(w->text, "ld.param.u32 %%threads1, [lanes];\nld.global.u64 %%barrier, [%%record+%zu];\n",
		               offsetof(litmus_record, barrier));
		for (unsigned n = 2; n <= LITMUS_THREADS; n++)
			hd_text_printf(w->text, "mul.lo.u32 %%threads%u, %%threads1, %u;\n", n, n);
	}
	for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
		hd_text_printf(w->text, "ld.global.u64 %%at%u, [%%record+%zu];\n", l, offsetof(litmus_record, place) + 8 * (size_t)l);
	hd_text_printf(w->text, "setp.eq.u32 %%p, %%role, %d;\n@%%p bra STRESS;\nld.global.u64 %%results, [%%record+%zu];\n", LITMUS_STRESSES,
	               offsetof(litmus_record, results));
	hd_text_printf(w->text, "ld.global.u32 %%w, [%%record+%zu];\n", offsetof(litmus_record, warm));
	for (unsigned l = 0; l < w->test->n_locations; l++)
		hd_text_printf(w->text,
		               "and.b32 %%v, %%w, %u;\nsetp.ne.u32 %%p, %%v, 0;\nmov.u32 %%v%u, 0;\n@%%p ld.global.u32 %%v%u, [%%at%u+%u];\n",
		               1u << l, l, l, w->variant.offset ? 0 : l, l * w->variant.offset);
	for (unsigned l = 0; l < w->test->n_locations; l++)
		hd_text_printf(w->text, "and.b32 %%v, %%v%u, %%zero;\nadd.u32 %%warm, %%warm, %%v;\n", l);
	for (unsigned t = 1; t < w->test->n_threads; t++)
		hd_text_printf(w->text, "setp.eq.u32 %%p, %%role, %u;\n@%%p bra THREAD%u;\n", t, t);
}

void litmus_program(const litmus_test *test, litmus_variant variant, hd_text *text, litmus_lines *lines)
{
	writer w = {.test = test, .variant = variant, .text = text, .lines = lines};
	*lines = (litmus_lines){0};
	hd_text_printf(text, ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry litmus(.param .u64 records, .param .u32 nothing, .param "
	                     ".u32 lanes)\n{\n");
	hd_text_printf(text,
	               ".reg .b32 %%w, %%v, %%warm, %%zero, %%role;\n.reg .b32 %%r<%d>;\n.reg .b32 %%v<%d>;\n.reg .b64 %%record, %%results, "
	               "%%none, %%barrier;\n.reg .b64 %%at<%d>;\n.reg .b32 %%threads<%d>;\n.reg .pred %%p;\n",
	               LITMUS_REGISTERS + 1, LITMUS_LOCATIONS, LITMUS_LOCATIONS, LITMUS_THREADS + 1);
	if (test->barriers)
		hd_text_printf(text, ".shared .align 4 .b8 busy[4096];\n");
	hd_text_printf(text, "mov.u32 %%warm, 0;\n");
	put_beginning(&w);
	for (unsigned t = 0; t < test->n_threads; t++)
		put_thread(&w, t);
	put_stress(&w);
	hd_text_printf(text, "}\n");
}
