/* Notes on instructions that read other lanes where nothing makes lanes meet (apart.c). The annotations do not matter here. */
#include "programs.h"

#define STACK "divergence.mode=stack"
#define FLAGS "divergence.mode=stack divergence.pop=flag"
#define BARRIERS "divergence.mode=barriers"
#define DIFFERS "isetp.lo p0, r0, #9\n" /* r0: the number of the thread */
#define READS "ballot r20, r1, p1\nexit\n"

static const struct {
	const char *what, *settings, *body;
	unsigned notes;
} rows[] = {
    {"a branch, and nothing else", STACK, DIFFERS "@p0 bra over\nmovi r9, 5\nover: " READS, 1},
    {"the same with barriers", BARRIERS, DIFFERS "@p0 bra over\nmovi r9, 5\nover: " READS, 1},
    {"resume counters meet at the least address", "divergence.mode=resume", DIFFERS "@p0 bra over\nmovi r9, 5\nover: " READS, 0},
    {"a branch that all lanes take alike", STACK, "isetp.lo p0, rz, c[0x40]\n@p0 bra over\nmovi r9, 5\nover: " READS, 0},
    {"a shuffle", STACK, DIFFERS "@p0 bra over\nmovi r9, 5\nover: shfl.idx r20, r0, r1, r2\nexit\n", 1},
    {"a value that a wsync gathered", STACK, DIFFERS "@p0 bra over\nwsync r1, r0\nover: xlane r20, r1\nexit\n", 0},
    {"an exit leaves one group", STACK, DIFFERS "@p0 exit\n" READS, 0},
    {"a token", STACK, DIFFERS "push over\n@p0 brk over\nmovi r9, 5\nover: sync\n" READS, 0},
    {"on one side", STACK, DIFFERS "push over\n@p0 brk over\nballot r21, r1, p1\nover: sync\n" READS, 0},
    {"a token of one side gathers that side alone", STACK,
     DIFFERS "@p0 bra over\npush in\n@p2 brk in\nmovi r9, 5\nin: sync\nballot r21, r1, p1\nover: " READS, 1},
    {"a flag", FLAGS, DIFFERS "push over\n@p0 bra over\nmovi r9, 5\nover: ballot r20, r1, p1 {h4}\nexit\n", 0},
    {"no flag", FLAGS, DIFFERS "push over\n@p0 bra over\nmovi r9, 5\nover: ballot r20, r1, p1\nexit\n", 1},
    {"a barrier", BARRIERS, DIFFERS "bssy 1\n@p0 bra over\nmovi r9, 5\nover: bsync 1\n" READS, 0},
    {"a barrier of one side", BARRIERS, DIFFERS "@p0 bra over\nbssy 1\nmovi r9, 5\nbsync 1\nover: " READS, 1},
    {"behind a loop that lanes leave at different times", STACK,
     DIFFERS "back: movi r9, 5\nisub r0, r0, #1\nisetp.lo p0, r0, #9\n@p0 bra back\n" READS, 1},
    {"with a token", STACK, "push out\nback: isub r0, r0, #1\nisetp.lo p0, r0, #9\n@p0 bra back\nout: sync\n" READS, 0},
    {"inside such a loop", STACK, "push out\nback: ballot r21, r1, p1\nisub r0, r0, #1\nisetp.lo p0, r0, #9\n@p0 bra back\nout: sync\nexit\n", 0},
    {"what a side wrote differs behind it", STACK,
     DIFFERS "movi r9, 4\npush over\n@p0 brk over\nmovi r9, 5\nover: sync\nisetp.eq p2, r9, #5\n@p2 bra last\nmovi r10, 1\nlast: " READS, 1},
    {"what is made of a vote does not", STACK, DIFFERS "movi r9, -1\nvote.any p2, r9, p0\n@p2 bra over\nmovi r9, 5\nover: " READS, 0},
    {"a value loaded from one address does not", STACK, "movi r9, 0\nlds.32 r9, [r9]\nisetp.lo p0, r9, #9\n@p0 bra over\nmovi r9, 5\nover: " READS,
     0},
    {"what an atomic brings differs", STACK, "movi r9, 0\natoms.add.u32 r9, [r9], r9\nisetp.lo p0, r9, #9\n@p0 bra over\nmovi r9, 5\nover: " READS,
     1},
    {"what a subroutine makes may", STACK, "movi r9, 4\ncall FUNCTION\nisetp.eq p2, r9, #5\n@p2 bra over\nmovi r9, 5\nover: " READS "FUNCTION: ret\n",
     1},
};

TEST(lanes_that_need_not_meet)
{
	(void)state;
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		program p = {.what = rows[i].what, .body = rows[i].body};
		hd_object *object = program_assemble(&p);
		hd_machine machine;
		hd_check_report report;
		unsigned found = 0;
		hd_machine_default(&machine);
		program_set(&machine, rows[i].settings);
		hd_check(object, &machine, &report);
		for (size_t n = 0; n < report.notes.n; n++)
			found += report.notes.at[n].kind == HD_NOTE_APART;
		if (found != rows[i].notes)
			fail_msg("%s: %u notes, expected %u", rows[i].what, found, rows[i].notes);
		hd_check_report_free(&report);
		hd_object_free(object);
	}
}

/* The whole text of one. */
TEST(the_note_names_both)
{
	(void)state;
	hd_object *object = program_assemble(&(program){.what = "f", .body = rows[0].body});
	hd_machine machine;
	hd_check_report report;
	hd_text text = {0};
	hd_machine_default(&machine);
	program_set(&machine, STACK);
	hd_check(object, &machine, &report);
	hd_note_print(&text, &report.notes.at[0], object, "f.hasm");
	assert_string_equal(text.at,
	                    "f.hasm: note: k: `ballot r20, r1, p1` at 12 reads other lanes, and those that part at `@p0 bra 12` at 10 need not "
	                    "meet before it on this machine: the interpreter may give another result\n");
	hd_text_free(&text);
	hd_check_report_free(&report);
	hd_object_free(object);
}
