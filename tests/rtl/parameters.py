#!/usr/bin/env python3
"""HW-2: Verilator, Icarus and Yosys read what `heddle config --emit verilog` prints, and order_unit is elaborated with it.

Usage: parameters.py HEDDLE [MACHINE]..., with the presets `heddle` and `baseline` when no machine is named."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RTL = pathlib.Path(__file__).resolve().parent.parent.parent / "rtl"
PARTS = ["fence_counters", "wait_counters", "decode_check", "issue_queue", "order_core", "active_logic", "hazard_monitor", "order_unit"]
SKIPPED = 77
NAMES = ["MACHINE_WARPS", "FENCE_COUNTERS", "FENCE_BITS", "LANE_GROUPS", "PIPES", "QUEUE_FIFO", "QUEUE_HAZARD", "QUEUE_SPACING", "QUEUE_SPACINGS"]
TOP = """module top (input logic clk, input logic reset, output logic idle);
	`include "machine.vh"
	generate
		if (FENCE_MODE == "fence") begin : with_counters
			order_unit #(PARAMETERS) unit (.clk(clk), .reset(reset), .valid(1'b0), .warp('0), .pc('0), .at_issue('0), .at_queue('0), .primary('0), .pipe('0),
				.payload('0), .advance_cycles('0), .send(), .deschedule(), .deschedule_warp(), .deschedule_pc(), .verdict(), .watch(), .begin_warps('0),
				.wake(), .asleep(), .leave_ready('0), .leave_valid(), .leave_warp(), .leave_payload(), .entry_active('0), .entry_guard('0), .entry_flow('0),
				.entry_primary('0), .entry_by_read('0), .entry_narrow('0), .enter(), .drop(), .lanes(), .lane_groups(), .read_valid('0), .read_warp('0),
				.read_counter('0), .read_groups('0), .write_valid('0), .write_warp('0), .write_counter('0), .write_groups('0), .outstanding(), .full(),
				.waited(), .waiting(), .idle(idle), .wrong());
		end else begin : without
			assign idle = 1'b1;
		end
	endgenerate
endmodule
"""


def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode or "machine.vh" in done.stdout:  # Icarus says that the constants in TOP are narrow, which is no matter
        sys.exit(f"{' '.join(str(word) for word in words)}: status {done.returncode}\n{done.stdout[-4000:]}")


VALUES = [("macro_scheduler", ".MACHINE_WARPS(4), .PREDECODE_PRIORITY", ("age", "program")),
          ("window_select", ".MACHINE_WARPS(2), .WINDOW_SPAN(4), .MULTI_ISSUE_PLACES", ("unsent", "eligible"))]


def cells(folder, module, parameter, value):
    """How many cells Yosys makes of a module with a parameter."""
    top = folder / "value.sv"
    top.write_text(f"module value (input logic clk, input logic reset);\n\t{module} #({parameter}({value})) unit (.clk(clk), .reset(reset));\nendmodule\n")
    script = f"read_verilog -defer -sv {top} {RTL / module}.sv; hierarchy -top value; proc; stat"
    done = subprocess.run(["yosys", "-p", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    return max(int(number) for number in re.findall(r"Number of cells: +(\d+)", done.stdout))


def check_values(folder):
    """A key whose values have names is a text. The modules take it, as they take its number."""
    for module, parameter, values in VALUES:
        seen = [cells(folder, module, parameter, f'"{value}"') for value in values]
        if seen != [cells(folder, module, parameter, number) for number in range(len(values))] or seen[0] == seen[1]:
            sys.exit(f"{module}: {parameter} is not the same as text and as number")


def main():
    missing = [tool for tool in ("verilator", "iverilog", "yosys") if not shutil.which(tool)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tools/setup.sh)")
        return SKIPPED
    files = [RTL / f"{name}.sv" for name in PARTS]
    for machine in sys.argv[2:] or ["heddle", "baseline"]:
        with tempfile.TemporaryDirectory(prefix="heddle-rtl-") as made:
            folder = pathlib.Path(made)
            with open(folder / "machine.vh", "w", encoding="utf-8") as out:
                subprocess.run([sys.argv[1], "config", machine, "--emit", "verilog"], stdout=out, check=True)
            top = folder / "top.sv"
            top.write_text(TOP.replace("PARAMETERS", ", ".join(f".{name}({name})" for name in NAMES)))
            run("verilator", "--lint-only", "-Wall", "-Wno-PINCONNECTEMPTY", "-Wno-UNUSEDSIGNAL", "--top-module", "top", f"-I{folder}", *files, top)
            run("iverilog", "-g2012", "-t", "null", "-s", "top", "-I", folder, *files, top)
            run("yosys", "-q", "-p", f"read_verilog -sv -I{folder} {' '.join(str(file) for file in [*files, top])}; hierarchy -check -top top")
        print(f"{machine}: Verilator, Icarus and Yosys read its parameters")
    with tempfile.TemporaryDirectory(prefix="heddle-rtl-") as made:
        check_values(pathlib.Path(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
