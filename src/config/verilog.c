#include "config/verilog.h"

#include <ctype.h>

#include "config/keys.h"

static void print_name(const char *path, hd_text *out)
{
	for (; *path; path++)
		hd_text_printf(out, "%c", isalnum((unsigned char)*path) ? toupper((unsigned char)*path) : '_');
}

static void print_key(const hd_machine *machine, const hd_key *key, hd_text *out)
{
	char value[HD_KEY_VALUE_MAX];
	hd_key_format(machine, key, value);
	if (key->doc[0])
		hd_text_printf(out, "// %s%s%s%s\n", key->doc, key->unit[0] ? " (" : "", key->unit, key->unit[0] ? ")" : "");
	hd_text_printf(out, "localparam ");
	print_name(key->path, out);
	if (key->kind == HD_KEY_U32 || key->kind == HD_KEY_FLAG)
		hd_text_printf(out, " = %u;\n", hd_key_value(machine, key));
	else
		hd_text_printf(out, " = \"%s\";\n", value);
}

/* Bits that hold numbers up to `most`. */
static uint32_t width(uint32_t most)
{
	uint32_t bits = 0;
	for (; most; most >>= 1)
		bits++;
	return bits;
}

static void print_number(const char *name, uint32_t value, const char *doc, hd_text *out)
{
	hd_text_printf(out, "// %s\nlocalparam %s = %u;\n", doc, name, value);
}

/* Numbers that follow from the keys. */
static void print_derived(const hd_machine *machine, hd_text *out)
{
	uint32_t fifo = 0, hazard = 0, spacing = 0, room = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		fifo = hd_max_u32(fifo, machine->queue[pipe].fifo);
		hazard = hd_max_u32(hazard, machine->queue[pipe].hazard);
		spacing = hd_max_u32(spacing, hd_machine_spacing(machine, (hd_pipe)pipe));
		room += machine->queue[pipe].fifo + machine->queue[pipe].hazard;
	}
	hd_text_printf(out, "\n// Numbers that follow from the keys above. Pipes in the order of their bits:");
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		hd_text_printf(out, " %s", hd_pipe_names[pipe]);
	hd_text_printf(out, ".\n");
	print_number("PIPES", HD_PIPE_COUNT, "pipelines of a scheduler", out);
	print_number("DATA_PIPES", HD_PIPE_COUNT - 1, "pipelines but the flow unit's: PIPES of window_select and write_controller", out);
	print_number("LANE_GROUPS", hd_machine_units(machine), "lane groups of a warp: what a primary raises its counter by (fence.unit)", out);
	print_number("QUEUE_FIFO", fifo, "entries of the largest FIFO", out);
	print_number("QUEUE_HAZARD", hazard, "entries of the largest hazard instruction queue", out);
	print_number("QUEUE_SPACING", spacing, "the longest distance that a queue keeps (cycles)", out);
	hd_text_printf(out, "// the longest distance of each queue, 8 bits each, pipe 0 in the lowest bits\nlocalparam [%u:0] QUEUE_SPACINGS = {",
	               8u * HD_PIPE_COUNT - 1);
	for (unsigned pipe = HD_PIPE_COUNT; pipe-- > 0;)
		hd_text_printf(out, "8'd%u%s", hd_machine_spacing(machine, (hd_pipe)pipe), pipe ? ", " : "};\n");
	print_number("WAIT_BITS", width(room), "holds the number of instructions in the queues of a scheduler", out);
}

void hd_machine_print_verilog(const hd_machine *machine, hd_text *out)
{
	hd_text_printf(out, "// The machine `");
	for (const char *at = machine->name; *at; at++)
		hd_text_printf(out, "%c", isprint((unsigned char)*at) ? *at : '?');
	hd_text_printf(out, "` as parameters for the modules of Heddle. Include this file in the body of a module:\n"
	                    "//     heddle config NAME --emit verilog > machine.vh\n"
	                    "//     `include \"machine.vh\"\n"
	                    "//     order_unit #(.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), ...) unit (...);\n"
	                    "// Every key is explained in docs/configuration.md.\n\n"
	                    "/* verilator lint_off UNUSED */\n");
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (key.kind != HD_KEY_PJ)
			print_key(machine, &key, out);
	}
	print_derived(machine, out);
	hd_text_printf(out, "/* verilator lint_on UNUSED */\n");
}
