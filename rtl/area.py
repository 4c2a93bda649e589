#!/usr/bin/env python3
"""What the modules of rtl/ cost (HW-7, `make area`): Yosys and ABC with the standard cells of osu018 (Debian package qflow-tech-osu018, 180 nm).

    rtl/area.py table      fence counters of K = 2..8 against scoreboards of 1, 3, 63 and 127 consumers, for one warp slot pair at equal ports
    rtl/area.py queues     issue queues of several sizes
    rtl/area.py divergence resume counters against the stack of tokens, memories apart
    rtl/area.py window     the selection of several instructions of a warp, without the comparators of registers
    rtl/area.py all

Printed are flip-flops, cells, area in the library's units, NAND2 equivalents, and the delay of the longest path by ABC in NAND2 delays. Areas of another
library differ, ratios hardly do. Delays are relative: no wire is counted, and buffers only where ABC adds them.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
WARPS = 2  # a warp slot's share is linear in the number of slots; `rtl/area.py linear` shows it
RESOURCES = 264  # registers and predicates of a warp
SHARE = 4  # a scoreboard is this many times a scoreboard of RESOURCES / SHARE, which takes two minutes instead of many


def cell_areas():
    text = LIBERTY.read_text()
    return {name: float(area) for name, area in re.findall(r"cell \((\w+)\) \{.*?area : ([\d.]+);", text, re.S)}


# Memories as blocks of 256 words of 64 bits, one write port and one read port without a clock: they stay apart from the logic.
MEMORY = """bram MEMORY_BLOCK
  init 0
  abits 8
  dbits 64
  groups 2
  ports 1 1
  wrmode 0 1
  enable 0 1
  transp 0 0
  clocks 0 1
  clkpol 0 1
endbram
match MEMORY_BLOCK
endmatch
"""


def synthesize(module, parameters, parts=(), memories=False):
    """Returns flip-flops, cells, area and the delay of the longest path in picoseconds. `memories`: arrays are no flip-flops, and are not counted."""
    areas = cell_areas()
    files = " ".join(str(ROOT / f"rtl/{name}.sv") for name in [*parts, module])
    sizes = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as folder:
        out = pathlib.Path(folder) / "stat.json"
        (pathlib.Path(folder) / "memory.txt").write_text(MEMORY)
        apart = f"memory_bram -rules {folder}/memory.txt; opt_clean;" if memories else ""
        script = (f"read_verilog -sv {files}; hierarchy -top {module}{sizes}; synth -flatten -run begin:fine; {apart} opt -full; synth -run fine:check; "
                  f"dfflibmap -liberty {LIBERTY}; abc -liberty {LIBERTY} -D 1000000 -script +strash;dch;map,-B,0.9;topo;buffer,-c;stime,-p; "
                  f"opt_clean -purge; tee -q -o {out} stat -json -liberty {LIBERTY}")
        done = subprocess.run(["yosys", "-p", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"area: {module}: {done.stdout[-2000:]}")
        cells = json.loads(out.read_text())["design"]["num_cells_by_type"]
        cells = {name: number for name, number in cells.items() if name in areas}
    flip_flops = sum(number for name, number in cells.items() if name.startswith("DFF"))
    area = sum(areas[name] * number for name, number in cells.items())
    delays = [float(delay) for delay in re.findall(r"Delay = +([\d.]+) ps", done.stdout)]
    return {"flip_flops": flip_flops, "cells": sum(cells.values()), "area": area, "nand2": area / areas["NAND2X1"], "delay": max(delays, default=0.0)}


def row(name, cost, bits, times=1):
    one = {key: times * cost[key] / WARPS for key in ("flip_flops", "cells", "area", "nand2")}
    print(f"| {name} | {bits:.0f} | {one['flip_flops']:.0f} | {one['cells']:.0f} | {one['area']:.0f} | {one['nand2']:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)


def table():
    print(f"One warp slot (half of {WARPS}); a cycle has 1 issue, 2 operand reads or drops, 2 writes. The scoreboards are {SHARE} times a quarter of one.\n")
    print("| registers kept in order by | bits by formula | flip-flops | cells | area | NAND2 | delay (ns) |\n|---|--:|--:|--:|--:|--:|--:|")
    for counters in range(2, 9):
        cost = synthesize("fence_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": counters, "FENCE_BITS": 12})
        row(f"fence counters, K = {counters}", cost, counters * 13)
    for counters in (6,):
        cost = synthesize("fence_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": counters, "FENCE_BITS": 6})
        row(f"fence counters, K = {counters}, 6 bits", cost, counters * 7)
        cost = synthesize("wait_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": counters, "WAIT_BITS": 7})
        row(f"wait counters, K = {counters}", cost, counters * 8)
        cost = synthesize("decode_check", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": counters})
        row(f"decoder's check, K = {counters}", cost, 0)
    for consumers in (1, 3, 63, 127):
        cost = synthesize("scoreboard", {"MACHINE_WARPS": WARPS, "RESOURCES": RESOURCES // SHARE, "FENCE_CONSUMERS": consumers})
        row(f"scoreboard, {consumers} consumer{'s' if consumers > 1 else ''}", cost, RESOURCES * (1 + consumers.bit_length()) + SHARE * 3 * 7, SHARE)


def divergence():
    """Both flow units for 16 warp slots of 32 lanes. Memories hold what one operation reads and writes at one place; the formula has their bits."""
    print("| divergence by | depth | memory bits a warp | flip-flops a warp | cells | area | NAND2 | of them flip-flops | delay (ns) |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    areas = cell_areas()
    flip_flop = areas["DFFPOSX1"] / areas["NAND2X1"]
    for name, module, depths, sizes in FLOW_UNITS:
        for depth in depths:
            parameters, bits = sizes(depth)
            cost = synthesize(module, {"MACHINE_WARPS": 16, "LANES": 32, "PC_BITS": 24, **parameters}, memories=True)
            print(f"| {name} | {depth} | {bits} | {cost['flip_flops'] / 16:.0f} | {cost['cells']} | {cost['area']:.0f} | {cost['nand2']:.0f} | "
                  f"{cost['flip_flops'] * flip_flop:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)


# Name, module, depths, and by depth: parameters, and bits of a warp that are in memories.
FLOW_UNITS = [
    ("resume counters", "resume_unit", (8, 16, 64), lambda depth: ({"DIVERGENCE_CALL_DEPTH": depth}, 32 * 24 + 64 + depth.bit_length() + depth * (32 + 48))),
    ("stack", "reconvergence_stack", (16, 32, 64),
     lambda depth: ({"TOKENS": depth}, depth * (2 + 24 + 32) + 32 + depth.bit_length() + 32 * depth.bit_length())),
]


def window():
    print("| candidates | places | flip-flops a warp | of them by formula | cells | area | NAND2 | delay (ns) |\n|--:|--:|--:|--:|--:|--:|--:|--:|")
    for candidates, places in ((2, 8), (4, 8), (4, 16)):
        cost = synthesize("window_select", {"MACHINE_WARPS": WARPS, "MULTI_ISSUE_WINDOW": candidates, "WINDOW_SPAN": places})
        print(f"| {candidates} | {places} | {cost['flip_flops'] / WARPS:.0f} | {places - 1 + 8 * (4 + 5)} | {cost['cells']} | {cost['area']:.0f} | "
              f"{cost['nand2']:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)


def queues():
    print("| queue | flip-flops | of them payload and masks | cells | area | NAND2 | delay (ns) |\n|---|--:|--:|--:|--:|--:|--:|")
    for fifo, hazard, spacing in ((4, 4, 0), (4, 4, 5), (8, 8, 5)):
        sizes = {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6, "QUEUE_FIFO": fifo, "QUEUE_HAZARD": hazard, "QUEUE_SPACING": spacing}
        cost = synthesize("issue_queue", sizes)
        entry = 4 + 6 + 32
        print(f"| FIFO {fifo}, hazard queue {hazard}, distances up to {spacing} | {cost['flip_flops']} | {(fifo + hazard) * entry} | {cost['cells']} | "
              f"{cost['area']:.0f} | {cost['nand2']:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)


def linear():
    print("| warp slots | flip-flops | NAND2 | NAND2 a slot |\n|--:|--:|--:|--:|")
    for warps in (2, 4, 8, 16):
        cost = synthesize("fence_counters", {"MACHINE_WARPS": warps})
        print(f"| {warps} | {cost['flip_flops']} | {cost['nand2']:.0f} | {cost['nand2'] / warps:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["table", "queues", "linear", "divergence", "window", "all"])
    command = parser.parse_args().command
    if not LIBERTY.exists():
        print("skipped: no standard cells of osu018 (tools/setup.sh rtl)")
        return 77
    for name, function in (("table", table), ("queues", queues), ("linear", linear), ("divergence", divergence), ("window", window)):
        if command in (name, "all"):
            function()
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
