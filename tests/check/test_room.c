/* Notes of counters that may have no room for another primary (HZ-8, HZ-18): the rules R1 to R5 of src/check/room.c. A counter of 12 bits has room
 * for 511 primaries of eight lane groups each. */
#include "programs.h"

#include "check/room.h"

/* The checker's notes, as "5 stg, 6 ldg": counter and primary. */
static void expect_notes(const char *what, const char *body, const char *settings, int high, const char *notes)
{
	const program p = {.what = what, .body = body, .high = high};
	hd_object *object = program_assemble(&p);
	hd_machine machine;
	hd_check_report report;
	hd_text text = {0};
	hd_machine_default(&machine);
	program_set(&machine, PROGRAM_MACHINE);
	machine.memory_l1_writes = 4096; /* no bound, unless the row sets one */
	program_set(&machine, settings);
	hd_check(object, &machine, &report);
	hd_text_printf(&text, "%s", "");
	for (size_t i = 0; i < report.notes.n; i++) {
		hd_inst inst;
		const char *why;
		assert_true(hd_line_get(object->geometry, object->code.at, report.notes.at[i].word, &inst, &why));
		hd_text_printf(&text, "%s%u %s", i ? ", " : "", report.notes.at[i].counter, hd_ops[inst.op].mnemonic);
	}
	if (strcmp(text.at, notes) != 0)
		fail_msg("%s: noted \"%s\", expected \"%s\"", what, text.at, notes);
	hd_text_free(&text);
	hd_check_report_free(&report);
	hd_object_free(object);
}

#define BEGIN "movi r21, 9 {p1.w}\nisetp.lo p1, r0, #9 {p1.w}\nL: "
#define AGAIN "@p1 bra L {w100000}\n"
#define END "exit\n"

/* R1 to R4 */
TEST(in_loops)
{
	static const struct {
		const char *what, *body, *settings;
		int high;
		const char *notes;
	} rows[] = {
	    {"a store in a loop", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n" AGAIN END, NULL, 0, "5 stg"},
	    {"none that raises", BEGIN "stg.32 [r2:r3], r0\n" AGAIN END, NULL, 0, ""},
	    {"no loop", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n" END, NULL, 0, ""},
	    {"two counters, and two primaries of one",
	     BEGIN "stg.32 [r2:r3], r0 {p5.w}\nstg.32 [r2:r3+4], r0 {p6.w}\nsts.32 [r1], r0 {p5.w}\n" AGAIN END, NULL, 0, "5 stg, 6 stg"},
	    {"the branch waits", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n@p1 bra L {w100010}\n" END, NULL, 0, ""},
	    {"the branch waits for another", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n@p1 bra L {w100100}\n" END, NULL, 0, "5 stg"},
	    {"a queue waits", BEGIN "stg.32 [r2:r3], r0 {p5.w}\nmov r22, r21 {w000010}\n" AGAIN END, NULL, 0, ""},
	    {"a queue waits, without wait counters", BEGIN "stg.32 [r2:r3], r0 {p5.w}\nmov r22, r21 {w000010}\n" AGAIN END,
	     "fence.wait_counters=false", 0, "5 stg"},
	    {"the decoder waits, without wait counters", BEGIN "stg.32 [r2:r3], r0 {p5.w}\nmov r22, r21 {w000010}\n" AGAIN END,
	     "fence.wait_counters=false", 2, ""},
	    {"the branch waits, without wait counters", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n@p1 bra L {w100010}\n" END, "fence.wait_counters=false", 0,
	     ""},
	    {"one way does not wait", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n@p1 bra M {w100000}\nmov r22, r21 {w000010}\nM: " AGAIN END, NULL, 0,
	     "5 stg"},
	    {"a hold", BEGIN "stg.32 [r2:r3], r0 {p5.w}\nmov r22, r21 {hold 1}\n" AGAIN END, NULL, 0, ""},
	    {"a hold, in a window", BEGIN "stg.32 [r2:r3], r0 {p5.w}\nmov r22, r21 {hold 1}\n" AGAIN END, "multi_issue.window=2", 0, "5 stg"},
	    {"a hold for memory alone", BEGIN "stg.32 [r2:r3], r0 {p5.w}\nmov r22, r21 {hold.mem 1}\n" AGAIN END, NULL, 0, "5 stg"},
	    {"a call, where nothing may be outstanding", BEGIN "stg.32 [r2:r3], r0 {p5.w}\ncall F\n" AGAIN END "FUNCTION:\nF: ret\n", NULL, 0, ""},
	    {"another function",
	     BEGIN "stg.32 [r2:r3], r0 {p5.w}\n" AGAIN END "FUNCTION:\nM: atomg.add.u32 r22, [r2:r3], r0 {p5.w}\n@p1 bra M\nret\n", NULL, 0,
	     "5 stg, 5 atomg"},
	    {"a barrier's counter falls before anything else", BEGIN "bar.sync 0 {p5.w}\n" AGAIN END, NULL, 0, ""},
	    {"a scoreboard needs no counters", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n" AGAIN END, "fence.mode=scoreboard", 0, ""},
	    {"the scoreboard's machine with counters", BEGIN "stg.32 [r2:r3], r0 {p5.w}\n" AGAIN END, "fence.mode=fence", 0, "5 stg"},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		expect_notes(rows[i].what, rows[i].body, rows[i].settings, rows[i].high, rows[i].notes);
}

/* R5: what a pipe of fixed latency and its queue hold is few; of several pipes on one counter it adds up. */
TEST(what_a_pipe_holds)
{
	static const char fixed[] = BEGIN "fex2 r22, rz {p5.w}\ndneg r24:r25, r2:r3 {p5.w}\ni2f.f32.u32 r26, r0 {p5.w}\n" AGAIN END;
	static const char with_memory[] = BEGIN "stg.32 [r2:r3], r0 {p5.w}\nfex2 r22, rz {p5.w}\n" AGAIN END;
	expect_notes("pipes of fixed latency", fixed, NULL, 0, "");
	/* A FIFO of 4, a hazard queue of 8, and the latency, three times: 511. */
	expect_notes("pipes with long latencies", fixed, "latency.sfu.latency=159 latency.f64.latency=158 latency.cvt.latency=158", 0, "5 fex2");
	expect_notes("a cycle shorter", fixed, "latency.sfu.latency=158 latency.f64.latency=158 latency.cvt.latency=158", 0, "");
	expect_notes("a place longer", fixed, "latency.sfu.latency=158 latency.f64.latency=158 latency.cvt.latency=158 queue.cvt.hazard=9", 0,
	             "5 fex2");
	expect_notes("a FIFO longer", fixed, "latency.sfu.latency=158 latency.f64.latency=158 latency.cvt.latency=158 queue.cvt.fifo=5", 0, "5 fex2");
	expect_notes("two copies (MI-14)", fixed, "latency.sfu.latency=158 latency.f64.latency=100 latency.cvt.latency=109 copies.cvt=2", 0,
	             "5 fex2");
	expect_notes("two copies, a cycle shorter", fixed, "latency.sfu.latency=158 latency.f64.latency=100 latency.cvt.latency=108 copies.cvt=2", 0,
	             "");
	expect_notes("with memory", with_memory, NULL, 0, "5 stg");
	/* Stores have the room that memory has for them: a FIFO of 4, a hazard queue of 8, 8 cycles of the pipe, 21 of shared memory, and the places.
	 */
	static const char stores[] = BEGIN "stg.32 [r2:r3], r0 {p5.w}\n" AGAIN END, shared[] = BEGIN "sts.32 [r1], r0 {p5.w}\n" AGAIN END;
	expect_notes("as many stores as the counter counts", stores, "memory.l1_writes=470", 0, "5 stg");
	expect_notes("one fewer", stores, "memory.l1_writes=469", 0, "");
	expect_notes("a narrow counter", stores, "memory.l1_writes=469 fence.bits=11", 0, "5 stg");
	expect_notes("shared memory is quick", shared, NULL, 0, "");
	expect_notes("shared memory is slow", shared, "memory.shared_latency=490", 0, "5 sts");
	expect_notes("loads that nothing waits for have no bound", BEGIN "ldg.32 r22, [r2:r3] {p5.w}\n" AGAIN END, "memory.l1_misses=1", 0, "5 ldg");
}

/* 511 fit, 512 do not. */
TEST(the_counters_width)
{
	enum { ROOM = 511 };
	for (unsigned n = ROOM; n <= ROOM + 1; n++) {
		hd_text text = {0};
		for (unsigned i = 0; i < n; i++)
			hd_text_printf(&text, "stg.32 [r2:r3], r0 {p5.w}\n");
		hd_text_printf(&text, END);
		expect_notes("in a row", text.at, NULL, 0, n == ROOM ? "" : "5 stg");
		hd_text_free(&text);
	}
}

TEST(the_text_of_a_note)
{
	const program p = {.what = "note", .body = BEGIN "nop\nM: sts.32 [r1], r0\nstg.32 [r2:r3], r0 {p5.w}\n@p1 bra M\n" AGAIN END};
	hd_object *object = program_assemble(&p);
	hd_machine machine;
	hd_check_report report;
	hd_text text = {0};
	hd_machine_default(&machine);
	machine.memory_l1_writes = 4096;
	hd_check(object, &machine, &report);
	assert_int_equal(report.notes.n, 1);
	assert_int_equal(report.notes.at[0].kind, HD_NOTE_ROOM);
	hd_note_print(&text, &report.notes.at[0], object, "x.hko");
	assert_string_equal(
	    text.at,
	    "x.hko: note: k: counter 5 may have no room for `stg.32 [r2:r3], r0` at 13: more than 511 of its primaries can be outstanding, in "
	    "the loop at 12; the decoder then holds the warp back (HZ-18)\n");
	hd_text_free(&text);
	hd_check_report_free(&report);
	hd_object_free(object);
}
