/* The machine and instructions of two lengths (PD-33): where the next one is, and what each takes of the instruction buffer. */
#include "../test.h"

#include "core/code.h"
#include "core/fetch/fetch.h"
#include "launch/launch.h"

/* Words 1, 2-3, 4, 5-6, an empty one; 9-10, 11-12, 13-14, an empty one; 17. */
static const char text[] = ".geometry compact\nmovi r1, 1\niadd r100, r1, r1\nmovi r2, 2\niadd r101, r1, r1\niadd r102, r1, r1\n"
                           "iadd r103, r1, r1\niadd r104, r1, r1\nexit {long}\n";

typedef struct fixture {
	hd_object *object;
	hd_program *program;
	hd_memory *memory;
	hd_machine machine;
	hd_code *code;
} fixture;

static fixture start(void)
{
	hd_diag diag = {0};
	fixture x = {.object = hd_assemble(text, strlen(text), "t.hasm", &diag), .memory = hd_memory_new(1 << 20)};
	if (!x.object || !(x.program = hd_program_new(x.object, x.memory, &diag)))
		fail_msg("%s", diag.text.at);
	hd_machine_default(&x.machine);
	x.machine.predecode_geometry = HD_GEOMETRY_COMPACT;
	x.code = hd_code_new(&x.machine, x.program, true);
	return x;
}

static void stop(fixture *x)
{
	hd_code_free(x->code);
	hd_program_free(x->program);
	hd_memory_free(x->memory);
	hd_object_free(x->object);
}

TEST(rows_know_the_length)
{
	static const uint32_t words[] = {1, 2, 4, 5, 9, 11, 13, 17, 19}, room[] = {1, 2, 1, 3, 2, 2, 3, 2};
	fixture x = start();
	for (uint32_t word = 0; word < x.code->n_words; word++) {
		unsigned i = 0;
		while (i < HD_COUNT(room) && words[i] != word)
			i++;
		if (word < 19)
			assert_int_equal(x.code->at[word].kind == HD_KIND_BAD, i == HD_COUNT(room));
		if (i == HD_COUNT(room))
			continue;
		assert_int_equal(x.code->at[word].next, words[i + 1]);
		assert_int_equal(x.code->at[word].room, room[i]);
	}
	stop(&x);
}

/* The instructions of whole lines take as much as the lines took when they were requested. */
TEST(the_buffer_is_empty_at_the_end_of_a_line)
{
	fixture x = start();
	hd_stats stats = {0};
	hd_fetch fetch;
	hd_fetch *const buffers[] = {&fetch};
	hd_fetch_port port;
	hd_icache l15;
	uint32_t fed;
	x.machine.predecode_prefetch = 0;
	hd_icache_init(&l15, 64, 8);
	for (uint32_t line = 0; line < 3; line++)
		hd_icache_fill(&l15, line, 0);
	hd_fetch_init(&fetch, &x.machine, &stats);
	hd_fetch_port_init(&port, &x.machine, &l15, NULL, &stats, x.code->n_words);
	assert_int_equal(port.line_bytes, 32);
	assert_int_equal(port.lines, 3);
	hd_fetch_restart(&fetch, 0, 1);
	uint64_t now = 0;
	for (uint32_t pc = 1; pc < 17; pc = x.code->at[pc].next) {
		while (fetch.starved & 1) {
			hd_fetch_request(&port, buffers, 1, now++);
			hd_fetch_arrive(&fetch, now + 1000, &fed);
		}
		hd_fetch_consume(&fetch, 0, x.code->at[pc].room, x.code->at[pc].next);
		if (x.code->at[pc].next / 8 > pc / 8) {
			assert_int_equal(fetch.buffered[0], 0);
			assert_true(fetch.starved & 1);
		} else {
			assert_false(fetch.starved & 1);
		}
	}
	assert_int_equal(stats.predecode_lines, 2);
	hd_fetch_free(&fetch);
	hd_fetch_port_free(&port);
	hd_icache_free(&l15);
	stop(&x);
}
