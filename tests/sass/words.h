/* Words of machine code for sm_80, as a test writes them: an operation with its registers and its control fields. The bits are those that nvdisasm
 * names; a test does not need it. */
#ifndef HD_TEST_SASS_WORDS_H
#define HD_TEST_SASS_WORDS_H

#include "sass/check.h"
#include "sass/fix.h"
#include "sass/pending.h"
#include "sass/slack.h"
#include "../test.h"

enum { RZ = 255, UNGUARDED = 7, NOT = 8 };

typedef struct words {
	HD_VEC(uint8_t) bytes;
	unsigned architecture;
	hd_sass_targets targets;
	hd_sass_label labels[4];
	size_t n_labels;
	hd_sass_function function;
	hd_sass_code code;
	hd_sass_result result;
	bool checked;
} words;

static inline words begin(unsigned architecture) { return (words){.architecture = architecture}; }

/* Appends a word with a stall of 1 and no counter; the functions below change the last one. */
static inline void put_word(words *w, uint64_t low, uint64_t high)
{
	high = hd_sass_control_encode(high, (hd_sass_control){.stall = 1, .write_barrier = HD_SASS_NO_BARRIER, .read_barrier = HD_SASS_NO_BARRIER});
	for (unsigned i = 0; i < 16; i++)
		hd_vec_push(&w->bytes, (uint8_t)((i < 8 ? low : high) >> 8 * (i % 8)));
}
static inline uint64_t high_of(const words *w)
{
	uint64_t high = 0;
	for (unsigned i = 0; i < 8; i++)
		high |= (uint64_t)w->bytes.at[w->bytes.n - 8 + i] << 8 * i;
	return high;
}
static inline void set_control(words *w, hd_sass_control control)
{
	uint64_t high = hd_sass_control_encode(high_of(w), control);
	for (unsigned i = 0; i < 8; i++)
		w->bytes.at[w->bytes.n - 8 + i] = (uint8_t)(high >> 8 * i);
}
static inline hd_sass_control control_of(const words *w) { return hd_sass_control_decode(high_of(w)); }
static inline void stall(words *w, unsigned cycles)
{
	hd_sass_control c = control_of(w);
	c.stall = (uint8_t)cycles;
	c.yield = cycles > 11;
	set_control(w, c);
}
/* A stall of 0 with yield. */
static inline void pause_(words *w)
{
	hd_sass_control c = control_of(w);
	c.stall = 0;
	c.yield = true;
	set_control(w, c);
}
static inline void raise_write(words *w, unsigned counter)
{
	hd_sass_control c = control_of(w);
	c.write_barrier = (uint8_t)counter;
	set_control(w, c);
}
static inline void raise_read(words *w, unsigned counter)
{
	hd_sass_control c = control_of(w);
	c.read_barrier = (uint8_t)counter;
	set_control(w, c);
}
static inline void wait_for(words *w, unsigned mask)
{
	hd_sass_control c = control_of(w);
	c.wait_mask = (uint8_t)mask;
	set_control(w, c);
}
/* A predicate, | NOT when negated. */
static inline void guard(words *w, unsigned predicate)
{
	uint8_t *byte = &w->bytes.at[w->bytes.n - 15];
	*byte = (uint8_t)((*byte & 0x0f) | predicate << 4);
}

static inline uint64_t registers(unsigned opcode, unsigned d, unsigned a, unsigned b)
{
	return opcode | UNGUARDED << 12 | (uint64_t)d << 16 | (uint64_t)a << 24 | (uint64_t)b << 32;
}
static inline void iadd3(words *w, unsigned d, unsigned a, unsigned b) { put_word(w, registers(0x210, d, a, b), 0x07ffe0ff); }
static inline void ffma(words *w, unsigned d, unsigned a, unsigned b, unsigned c) { put_word(w, registers(0x223, d, a, b), c); }
static inline void imad(words *w, unsigned d, unsigned a, unsigned b) { put_word(w, registers(0x224, d, a, b), 0x078e02ff); }
static inline void dadd(words *w, unsigned d, unsigned a, unsigned c) { put_word(w, registers(0x229, d, a, 0), c); }
static inline void isetp(words *w, unsigned p, unsigned a) { put_word(w, registers(0x20c, 0, a, RZ), 0x03f06270 | (uint64_t)p << 17); }
static inline void mufu(words *w, unsigned d, unsigned b) { put_word(w, registers(0x308, d, 0, b), 0x1000); }
static inline void popc(words *w, unsigned d, unsigned b) { put_word(w, registers(0x309, d, 0, b), 0); }
static inline void shfl(words *w, unsigned d, unsigned a, unsigned b) { put_word(w, registers(0x589, d, a, b) | UINT64_C(0x1f) << 40, 0x0e0000); }
static inline void hmma(words *w, unsigned d, unsigned a, unsigned b, unsigned c) { put_word(w, registers(0x23c, d, a, b), 0x1800 | c); }
static inline void ldg(words *w, unsigned d, unsigned a) { put_word(w, registers(0x981, d, a, 4), 0x0c1e1900); }
static inline void stg(words *w, unsigned a, unsigned b) { put_word(w, registers(0x986, 0, a, b), 0x0c101904); }
static inline void lds(words *w, unsigned d, unsigned a) { put_word(w, registers(0x984, d, a, 0), 0x0800); }
static inline void sts(words *w, unsigned a, unsigned b) { put_word(w, registers(0x388, 0, a, b), 0x0800); }
static inline void tex(words *w, unsigned d, unsigned a)
{
	put_word(w, registers(0xb60, d, a, 10) | UINT64_C(0x5a) << 40 | UINT64_C(3) << 60, 0x019e01ff);
}
static inline void s2r(words *w, unsigned d) { put_word(w, registers(0x919, d, 0, 0), 0x2100); }
static inline void uiadd3(words *w, unsigned d, unsigned a) { put_word(w, registers(0x890, d, a, 16), 0x0fffe03f); }
static inline void iadd3_uniform(words *w, unsigned d, unsigned a, unsigned u) { put_word(w, registers(0xc10, d, a, u), 0x0fffe0ff); }
static inline void bar(words *w) { put_word(w, registers(0xb1d, 0, 0, 0), 0x010000); }
static inline void depbar(words *w, unsigned counter, unsigned count)
{
	put_word(w, registers(0x91a, 0, 0, 0) | (uint64_t)count << 38 | UINT64_C(1) << 47 | (uint64_t)counter << 44, 0);
}
static inline void errbar(words *w) { put_word(w, registers(0x9ab, 0, 0, 0), 0); }
static inline void trap(words *w) { put_word(w, registers(0x95c, 0, 0, 4), 0x300000); }
static inline void nop(words *w) { put_word(w, registers(0x918, 0, 0, 0), 0); }
static inline void exit_(words *w) { put_word(w, registers(0x94d, 0, 0, 0), 0x03800000); }
static inline uint32_t here(const words *w) { return (uint32_t)(w->bytes.n / HD_SASS_BYTES); }
/* To instruction `to`; relative to the next instruction. */
static inline void flow(words *w, unsigned opcode, unsigned d, unsigned a, uint32_t to, uint64_t high)
{
	int64_t distance = ((int64_t)to - (int64_t)here(w) - 1) * HD_SASS_BYTES;
	uint64_t bits = (uint64_t)distance;
	put_word(w, registers(opcode, d, a, 0) | (bits & 0xffffffff) << 32, high | (bits >> 32 & 0x3ffff));
}
static inline void bra(words *w, uint32_t to) { flow(w, 0x947, 0, 0, to, 0x03800000); }
static inline void bssy(words *w, unsigned b, uint32_t to) { flow(w, 0x945, b, 0, to, 0x03800000); }
static inline void bsync(words *w, unsigned b) { put_word(w, registers(0x941, b, 0, 0), 0x03800000); }
static inline void call(words *w, uint32_t to) { flow(w, 0x944, 0, 0, to, 0x03c00000); }
static inline void ret(words *w, unsigned a) { flow(w, 0x950, 0, a, 0, 0x03c00000); }
static inline void brx(words *w, unsigned a) { flow(w, 0x949, 0, a, here(w) + 1, 0x03800000); }

static inline const hd_sass_code *code_of(words *w)
{
	w->function = (hd_sass_function){.name = "k",
	                                 .pretty = "k",
	                                 .kernel = true,
	                                 .code = w->bytes.at,
	                                 .size = w->bytes.n,
	                                 .targets = &w->targets,
	                                 .n_targets = w->targets.n ? 1 : 0,
	                                 .labels = w->labels,
	                                 .n_labels = w->n_labels};
	if (!w->code.at)
		hd_sass_code_init(&w->code, w->architecture, &w->function);
	return &w->code;
}
static inline hd_sass_verdict check_under(words *w, hd_sass_assumed assume)
{
	hd_sass_options options = {.assume = assume};
	if (w->checked)
		hd_sass_result_free(&w->result);
	w->checked = true;
	return hd_sass_check(code_of(w), &options, &w->result);
}
static inline hd_sass_verdict check(words *w) { return check_under(w, HD_SASS_ASSUME_ALL); }
static inline void end(words *w)
{
	if (w->checked)
		hd_sass_result_free(&w->result);
	if (w->code.at)
		hd_sass_code_free(&w->code);
	hd_vec_free(&w->bytes);
}
/* Ends the code with EXIT, checks it and frees it. */
static inline hd_sass_verdict verdict(words *w)
{
	exit_(w);
	stall(w, 5);
	hd_sass_verdict v = check(w);
	end(w);
	return v;
}

#endif
