/* HW-2: a machine description as parameters of the hardware description. tests/rtl/parameters.py shows that Verilator, Icarus and Yosys read them. */
#include "../test.h"

#include "config/keys.h"
#include "config/verilog.h"

static char *print(const char *preset, const char *setting)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_text text = {0};
	if (!hd_machine_load(&machine, preset, &diag) || (setting && !hd_machine_set(&machine, setting, &diag)))
		fail_msg("%s", diag.text.at);
	hd_machine_print_verilog(&machine, &text);
	return text.at;
}

static void has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no line '%s' in\n%s", line, text);
}

TEST(every_key_but_energies_is_a_parameter_of_its_name)
{
	char *text = print("heddle", NULL);
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		char name[80] = "\nlocalparam ";
		size_t n = strlen(name);
		for (const char *at = key.path; *at; at++)
			name[n++] = (char)(*at == '.' ? '_' : *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
		memcpy(name + n, " = ", 4);
		assert_int_equal(strstr(text, name) != NULL, key.kind != HD_KEY_PJ);
	}
	free(text);
}

TEST(values_are_those_of_the_machine)
{
	char *text = print("baseline", "fence.counters=5");
	has(text, "// The machine `baseline` as parameters");
	has(text, "\nlocalparam FENCE_COUNTERS = 5;\n");
	has(text, "\nlocalparam FENCE_MODE = \"scoreboard\";\n");
	has(text, "\nlocalparam LAST_USE_FLAGS = 0;\n");
	has(text, "\nlocalparam FENCE_WAIT_COUNTERS = 1;\n");
	has(text, "\nlocalparam QUEUE_LSU_HAZARD = 8;\n");
	free(text);
}

TEST(numbers_for_modules_follow_from_the_keys)
{
	char *text = print("heddle", "queue.sfu.fifo=6");
	has(text, "\nlocalparam PIPES = 9;\n");
	has(text, "\nlocalparam DATA_PIPES = 8;\n");
	has(text, "\nlocalparam LANE_GROUPS = 8;\n");
	has(text, "\nlocalparam QUEUE_FIFO = 6;\n");
	has(text, "\nlocalparam QUEUE_HAZARD = 8;\n");
	has(text, "\nlocalparam QUEUE_SPACING = 20;\n");
	/* Queues of pipes without a fixed latency, flow, lsu and latom, keep no distance. */
	has(text, "\nlocalparam [71:0] QUEUE_SPACINGS = {8'd0, 8'd0, 8'd0, 8'd20, 8'd");
	has(text, "\nlocalparam WAIT_BITS = 7;\n"); /* 110 instructions */
	free(text);
}

TEST(a_name_stays_within_its_comment)
{
	hd_machine machine;
	hd_text text = {0};
	hd_machine_default(&machine);
	strcpy(machine.name, "a\nmodule b; endmodule");
	hd_machine_print_verilog(&machine, &text);
	has(text.at, "// The machine `a?module b; endmodule` as");
	hd_text_free(&text);
}
