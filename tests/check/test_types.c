/* MI-1: a pre-decode byte that names another type than its instruction's is found, where the scheduler relies on it and nowhere else. */
#include "check/check.h"
#include "../test.h"

/* Findings about types in a program whose second instruction, an addition, has the hint `hint`. */
static unsigned findings(const char *hint, const hd_machine *machine, hd_text *message)
{
	hd_text text = {0};
	hd_diag diag = {0};
	hd_check_report report;
	unsigned n = 0;
	hd_text_printf(&text, ".kernel k\n.entry k\n.registers 4\nk:\tmovi r0, 1 {delay.alu 4}\n\tiadd r1, r0, r0 {%s 1}\n\texit {delay 1}\n", hint);
	hd_object *object = hd_assemble(text.at, text.n, "t.hasm", &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_check(object, machine, &report);
	for (size_t i = 0; i < report.findings.n; i++) {
		n += report.findings.at[i].kind == HD_HAZARD_TYPE;
		if (message)
			hd_finding_print(message, &report.findings.at[i], object, "t");
	}
	hd_check_report_free(&report);
	hd_object_free(object);
	hd_text_free(&text);
	hd_diag_free(&diag);
	return n;
}

TEST(a_wrong_type_is_found)
{
	static const char *const wrong[] = {"delay.lsu", "delay.coord", "delay.sfu", "delay.rest", "may_replay"}, *const right[] = {"delay.alu",
	                                                                                                                            "delay"};
	hd_machine machine;
	hd_text message = {0};
	hd_machine_default(&machine);
	machine.multi_issue_window = 4;
	machine.multi_issue_types = HD_TYPES_PREDECODE;
	for (size_t i = 0; i < HD_COUNT(right); i++)
		assert_int_equal(findings(right[i], &machine, NULL), 0);
	for (size_t i = 0; i < HD_COUNT(wrong); i++)
		assert_int_equal(findings(wrong[i], &machine, NULL), 1);
	assert_int_equal(findings("delay.lsu", &machine, &message), 1);
	assert_non_null(strstr(message.at, "of another type than its own (MI-1)"));
	hd_text_free(&message);
	machine.multi_issue_types = HD_TYPES_OPCODE;
	assert_int_equal(findings("delay.lsu", &machine, NULL), 0);
	machine.multi_issue_types = HD_TYPES_PREDECODE;
	machine.multi_issue_window = 1;
	assert_int_equal(findings("delay.lsu", &machine, NULL), 0);
}

/* MI-14: where another pipe runs a class, its instructions have the type of that pipe. */
TEST(the_type_is_that_of_the_configured_pipe)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.pipe[HD_CLASS_ALU] = HD_PIPE_TEX;
	assert_int_equal(findings("delay.rest", &machine, NULL), 1); /* that of the first instruction, which says delay.alu */
	assert_int_equal(findings("delay.alu", &machine, NULL), 2);
	machine.pipe[HD_CLASS_ALU] = HD_PIPE_COORD;
	assert_int_equal(findings("delay.coord", &machine, NULL), 1);
}
