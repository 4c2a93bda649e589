#!/usr/bin/env python3
"""What the modules of rtl/ cost (HW-7, `tools/area.sh`): Yosys and ABC with the standard cells of osu018 (Debian package qflow-tech-osu018, 180 nm).

    rtl/area.py table       fence counters of K = 2..8 against scoreboards of 1, 3, 63 and 127 consumers, a warp slot at equal ports
    rtl/area.py presets     the modules in the sizes of the presets, for a whole scheduler: fence counters with their queues, scoreboard with its queues
    rtl/area.py depth       the issue check of both mechanisms in gates
    rtl/area.py others      macro scheduler and write controller
    rtl/area.py buffer      operand buffers of K = 2..8 registers against ports of the register file
    rtl/area.py divergence  resume counters against the stack of tokens, memories apart
    rtl/area.py decoders    a decoder of pre-decode bytes against a full decoder, as a scheduler needs one that compares operands
    rtl/area.py window      the selection of several instructions of a warp, without the comparators of registers
    rtl/area.py ice40       LUTs, flip-flops and frequency on an ice40 HX8K (nextpnr-ice40)
    rtl/area.py flipflops   do the flip-flops agree with the model's formula (src/config/state_bits.h)? No standard cells are needed.
    rtl/area.py linear      is a warp slot's share the same for any number of slots?
    rtl/area.py all         all but linear

Printed are flip-flops, cells, area in the library's units, NAND2 equivalents, and the delay of the longest path by ABC. Areas of another library differ,
ratios hardly do. Delays are relative: no wire is counted, and buffers only where ABC adds them. Status 77: a tool is missing. Sizes of presets come from
build/libheddle.a (`make build`, or --build).
"""
import argparse
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
WARPS = 2  # a warp slot's share is linear in the number of slots; `rtl/area.py linear` shows it
RESOURCES = 264  # registers and predicates of a warp
SHARE = 4  # a scoreboard is this many times a scoreboard of RESOURCES / SHARE, which takes two minutes instead of many
PUBLISHED = 332  # registers and predicates of the published formula (src/config/state_bits.h)
ORDER_BITS = 7  # a scoreboard's counts of accesses to memory, three a warp (rtl/scoreboard.sv); the published formula has none
PRESETS = ["heddle", "fence", "baseline"]
TOOLS = {"decoders": ["yosys", "gcc", "iverilog"], "flipflops": ["yosys", "gcc"], "ice40": ["yosys", "nextpnr-ice40"]}
SKIPPED = 77


def source(name):
    if isinstance(name, pathlib.Path):
        return name
    file = ROOT / f"rtl/{name}.sv"
    return file if file.exists() else ROOT / f"rtl/area/{name}.sv"


def read(module, parameters, parts=()):
    sizes = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    return f"read_verilog -defer -sv {' '.join(str(source(name)) for name in [*parts, module])}; hierarchy -top {module}{sizes}"


def yosys(script, out):
    """Runs a script that writes statistics to `out`. Returns the cells by type and what Yosys said."""
    done = subprocess.run(["yosys", "-p", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"area: {script}: {done.stdout[-2000:]}")
    return json.loads(out.read_text())["design"]["num_cells_by_type"], done.stdout


@functools.cache
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
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as folder:
        out = pathlib.Path(folder) / "stat.json"
        (pathlib.Path(folder) / "memory.txt").write_text(MEMORY)
        apart = f"memory_bram -rules {folder}/memory.txt; opt_clean;" if memories else ""
        cells, said = yosys(f"{read(module, parameters, parts)}; synth -flatten -run begin:fine; {apart} opt -full; synth -run fine:check; "
                            f"dfflibmap -liberty {LIBERTY}; abc -liberty {LIBERTY} -D 1000000 -script +strash;dch;map,-B,0.9;topo;buffer,-c;stime,-p; "
                            f"opt_clean -purge; tee -q -o {out} stat -json -liberty {LIBERTY}", out)
    cells = {name: number for name, number in cells.items() if name in areas}
    flip_flops = sum(number for name, number in cells.items() if name.startswith("DFF"))
    area = sum(areas[name] * number for name, number in cells.items())
    delays = [float(delay) for delay in re.findall(r"Delay = +([\d.]+) ps", said)]
    return {"flip_flops": flip_flops, "cells": sum(cells.values()), "area": area, "nand2": area / areas["NAND2X1"], "delay": max(delays, default=0.0)}


def each(jobs):
    """The costs of several modules, as many at once as there are processors that this program may use, in order."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(lambda job: synthesize(*job), jobs)


def count_flip_flops(module, parameters, parts=()):
    """Flip-flops alone, before gates are mapped."""
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as folder:
        out = pathlib.Path(folder) / "stat.json"
        cells, _ = yosys(f"{read(module, parameters, parts)}; proc; flatten; opt -full; opt_clean; simplemap; opt -full; opt_clean -purge; "
                         f"tee -q -o {out} stat -json", out)
    return sum(number for name, number in cells.items() if "DFF" in name)


def compile_helper(name, build, folder):
    """Compiles rtl/NAME.c with the library. Returns the program."""
    program = pathlib.Path(folder) / name
    done = subprocess.run(["gcc", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-I", ROOT / "src", "-o", program, ROOT / f"rtl/{name}.c", build / "libheddle.a",
                           "-lelf", "-lyaml", "-ljansson", "-lm", "-pthread"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"area: {done.stdout[-2000:]}")
    return program


@functools.cache
def preset(name, build, *settings):
    """The sizes of a machine description with settings, KEY=VALUE, and the state bits by formula."""
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as folder:
        program = compile_helper("preset_sizes", build, folder)
        return json.loads(subprocess.run([program, name, *settings], stdout=subprocess.PIPE, text=True, check=True).stdout)


def queue_parameters(sizes, queue, payload, warps=None):
    return {"MACHINE_WARPS": warps or sizes["warps"], "FENCE_COUNTERS": sizes["low"], "QUEUE_FIFO": queue["fifo"], "QUEUE_HAZARD": queue["hazard"],
            "QUEUE_SPACING": queue["spacing"], "PAYLOAD_BITS": payload}


def wait_bits(sizes):
    return sum(queue["fifo"] + queue["hazard"] for queue in sizes["queues"]).bit_length()


def heading(first="registers kept in order by"):
    print(f"| {first} | bits by formula | flip-flops | cells | area | NAND2 | delay (ns) |\n|---|--:|--:|--:|--:|--:|--:|")


def row(name, cost, bits, times=1.0):
    one = {key: times * cost[key] for key in ("flip_flops", "cells", "area", "nand2")}
    print(f"| {name} | {bits if isinstance(bits, str) else f'{bits:.0f}'} | {one['flip_flops']:.0f} | {one['cells']:.0f} | {one['area']:.0f} | {one['nand2']:.0f} | "
          f"{cost['delay'] / 1000:.2f} |", flush=True)


def table(_):
    print(f"One warp slot (half of {WARPS}); a cycle has 1 issue, 2 operand reads or drops, 2 writes. The scoreboards are {SHARE} times a quarter of one.\n")
    heading()
    rows = [(f"fence counters, K = {k}", ("fence_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": k, "FENCE_BITS": 12}), k * 13, 1) for k in range(2, 9)]
    rows += [("fence counters, K = 6, 6 bits", ("fence_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": 6, "FENCE_BITS": 6}), 6 * 7, 1),
             ("wait counters, K = 6", ("wait_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": 6, "WAIT_BITS": 7}), 6 * 8, 1),
             ("decoder's check, K = 6", ("decode_check", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": 6}), 0, 1),
             ("monitor, K = 6", ("hazard_monitor", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": 6}), 6 + 3, 1)]
    for consumers in (1, 3, 63, 127):
        rows.append((f"scoreboard, {consumers} consumer{'s' if consumers > 1 else ''}",
                     ("scoreboard", {"MACHINE_WARPS": WARPS, "RESOURCES": RESOURCES // SHARE, "FENCE_CONSUMERS": consumers}),
                     RESOURCES * (1 + consumers.bit_length()) + SHARE * 3 * ORDER_BITS, SHARE))
    for (name, _job, bits, times), cost in zip(rows, each(job for _, job, _, _ in rows)):
        row(name, cost, bits, times / WARPS)
    print("\nWhat a pipe has once, for any number of warp slots:\n")
    heading("module")
    row("active logic, 32 lanes, 8 lane groups", synthesize("active_logic", {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6}), 0)


def without_payload(cost, bit):
    """The cost of a queue with one bit of payload, less that bit."""
    return {key: cost[key] - (bit[key] if key != "delay" else 0) for key in cost}


def add(total, cost, times=1.0):
    for key in ("flip_flops", "cells", "area", "nand2"):
        total[key] = total.get(key, 0.0) + times * cost[key]
    total["delay"] = max(total.get("delay", 0.0), cost["delay"])


def preset_rows(name, sizes):
    """One scheduler. A payload is a memory and is counted apart: entries times the bits that a pipe needs of an instruction."""
    warps, total, bits = sizes["warps"], {}, 0
    scoreboard = sizes["scoreboard"]
    kinds = {}
    for queue in sizes["queues"]:
        key = (queue["fifo"],) if scoreboard else (queue["fifo"], queue["hazard"], queue["spacing"])
        kinds[key] = kinds.get(key, 0) + 1
    print(f"Preset {name}: one scheduler, {warps} warp slots.\n")
    heading("module")
    if scoreboard:
        consumers = sizes["consumers"] or sum(queue["fifo"] + queue["hazard"] for queue in sizes["queues"])
        jobs = [("scoreboard", {"MACHINE_WARPS": WARPS, "RESOURCES": RESOURCES // SHARE, "FENCE_CONSUMERS": consumers})]
        formula = [("scoreboard", warps * (RESOURCES * (1 + consumers.bit_length()) + SHARE * 3 * ORDER_BITS), SHARE * warps / WARPS)]
    else:
        jobs = [("fence_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": sizes["counters"], "FENCE_BITS": sizes["bits"]}),
                ("decode_check", {"MACHINE_WARPS": warps, "FENCE_COUNTERS": sizes["counters"]}),
                ("hazard_monitor", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": sizes["counters"]}),
                ("active_logic", {"MACHINE_WARPS": warps, "FENCE_COUNTERS": sizes["counters"]})]
        formula = [("fence_counters", warps * sizes["formula"]["fence_counters_warp"], warps / WARPS), ("decode_check", 0, 1),
                   ("hazard_monitor", warps * sizes["formula"]["monitor_warp"], warps / WARPS), ("active_logic", 0, len(sizes["queues"]))]
        if sizes["wait_counters"]:
            jobs.append(("wait_counters", {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": sizes["low"], "WAIT_BITS": wait_bits(sizes)}))
            formula.append(("wait_counters", warps * sizes["formula"]["wait_counters_warp"], warps / WARPS))
    # All queues of a preset with equal numbers of entries have the same payload. Its cost is the difference of two sizes of the first one.
    def queue_job(key, payload):
        if scoreboard:
            return ("fifo_queue", {"MACHINE_WARPS": warps, "QUEUE_FIFO": key[0], "PAYLOAD_BITS": payload})
        return ("issue_queue", queue_parameters(sizes, dict(zip(("fifo", "hazard", "spacing"), key)), payload))

    shapes = list(dict.fromkeys(key[:2] for key in kinds))
    wide = {shape: next(key for key in kinds if key[:2] == shape) for shape in shapes}
    jobs += [queue_job(key, 1) for key in kinds] + [queue_job(wide[shape], 9) for shape in shapes]
    costs = list(each(jobs))
    for (module, expected, times), cost in zip(formula, costs):
        row(module, cost, expected, times)
        add(total, cost, times)
        bits += expected
    queues, payload_bit, entries = {}, {}, 0
    narrow = dict(zip(kinds, costs[len(formula):]))
    bit_of = {shape: {key: (cost[key] - narrow[wide[shape]][key]) / 8 for key in cost} for shape, cost in zip(shapes, costs[len(formula) + len(kinds):])}
    for key, times in kinds.items():
        add(queues, without_payload(narrow[key], bit_of[key[:2]]), times)
        add(payload_bit, bit_of[key[:2]], times)
        entries += times * (key[0] if scoreboard else key[0] + key[1])
    # The state that a scoreboard's queue has, too: warp slots and the number of entries of the FIFO.
    common = entries * (warps - 1).bit_length() + sum(times * key[0].bit_length() for key, times in kinds.items())
    expected = common + (0 if scoreboard else warps * sizes["formula"]["distances_warp"] + sizes["formula"]["queue_entries"])
    row(f"{sum(kinds.values())} queues without payload", queues, expected)
    add(total, queues)
    row("**all**", total, bits + expected)
    print(f"\nPayload, a memory: {entries} entries, {payload_bit['nand2']:.0f} NAND2 for each bit of an instruction.\n", flush=True)


def presets(options):
    done = {}
    for name in PRESETS:
        sizes = preset(name, options.build)
        key = json.dumps({k: v for k, v in sizes.items() if k not in ("path_b", "path_a", "compensation", "across", "by_pipe", "priority_bits", "by_program")})
        if key in done:
            print(f"Preset {name}: as {done[key]}.\n")
            continue
        done[key] = name
        preset_rows(name, sizes)


def gates_to(module, parameters, output, parts=(), zero=()):
    """Gates, NAND2 and inverters, on the longest path to one output. A path begins at inputs and flip-flops. The inputs `zero`, pairs of name and width,
    are 0."""
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as folder:
        out = pathlib.Path(folder) / "stat.json"
        tied = "".join(f"delete -input w:{name}; connect -set {name} {width}'b{'0' * width}; " for name, width in zero)
        cells, said = yosys(f"{read(module, parameters, parts)}; proc; flatten; rename -top top; cd top; {tied}delete -output o:* o:{output} %d; cd ..; "
                            f"opt -full; opt_clean -purge; synth -run begin:fine; opt -full; synth -run fine:check; abc -g NAND; opt_clean -purge; "
                            f"ltp -noff; tee -q -o {out} stat -json", out)
    return int(re.findall(r"Longest topological path in .* \(length=(\d+)\)", said)[-1]), sum(number for name, number in cells.items() if "DFF" not in name)


def depth(_):
    print("The issue check of a warp slot out of two: NAND2 gates and inverters on the longest path to `send` or `issue_ready`, and all in front of it.\n")
    print("| issue check | depth from the state alone | gates | depth with what ends in this cycle | gates |\n|---|--:|--:|--:|--:|")
    for counters in (2, 6, 8):
        sizes = {"MACHINE_WARPS": WARPS, "FENCE_COUNTERS": counters}
        alone = gates_to("decode_check", sizes, "send")
        whole = gates_to("fence_check", sizes, "send", ["fence_counters", "wait_counters", "decode_check"])
        print(f"| fence counters, K = {counters} | {alone[0]} | {alone[1]} | {whole[0]} | {whole[1]} |", flush=True)
    for consumers in (1, 3, 63):
        sizes = {"MACHINE_WARPS": WARPS, "RESOURCES": RESOURCES, "FENCE_CONSUMERS": consumers}
        ends = [("read_valid", 2), ("written_valid", 2), ("done_valid", 2)]
        alone = gates_to("scoreboard", sizes, "issue_ready", zero=ends)
        whole = gates_to("scoreboard", sizes, "issue_ready")
        print(f"| scoreboard, {consumers} consumer{'s' if consumers > 1 else ''} | {alone[0]} | {alone[1]} | {whole[0]} | {whole[1]} |", flush=True)
    print()


def others(_):
    print("A scheduler's macro scheduler, and the write controller with four pipelines, two results in a cycle, 2 + 1 + 2 places, and results for 4 lanes of one bit.\n")
    heading("module")
    priorities = {"MACHINE_WARPS": 16, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 0, "ADJUST_BITS": 4}
    paths = {"MACHINE_WARPS": 16, "PIPES": 4, "PORTS": 2, "LAST_USE_PATH_B": 2, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 2, "LAST_USE_ACROSS": 1, "WORDS": 1, "LANES": 4,
             "WORD_BITS": 1}
    rows = [("macro_scheduler, by age, 6 bits", ("macro_scheduler", priorities)),
            ("macro_scheduler, by program, 10 bits", ("macro_scheduler", {**priorities, "PREDECODE_PRIORITY": 1, "PREDECODE_PRIORITY_BITS": 10})),
            ("write_controller, results of one word", ("write_controller", paths)),
            ("write_controller, results of one word, own pipeline alone", ("write_controller", {**paths, "LAST_USE_ACROSS": 0})),
            ("write_controller, results of up to two words", ("write_controller", {**paths, "WORDS": 2}))]
    for (name, _), cost in zip(rows, each(job for _, job in rows)):
        row(name, cost, "-")
    print()


def buffer(_):
    """Operand buffers of one warp slot, and the register file's words of a warp slot as latches would have them: what a port costs."""
    lanes, kept = 4, 2  # lanes of one bit; words of the last-result register
    flip_flop = cell_areas()["DFFPOSX1"] / cell_areas()["NAND2X1"]
    print(f"One warp slot, {lanes} lanes of one bit; three operands, results of up to two words, a last-result register of {kept} words, one result in a cycle.\n")
    print("| unit | bits by formula | flip-flops | cells | area | NAND2 | of them not flip-flops | delay (ns) |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    sizes = {"LAST_USE_COMPENSATION_SHARE": 1, "LAST_USE_LAST_RESULT": kept, "WORDS": 2, "LANES": lanes, "WORD_BITS": 1, "READERS": 1, "OPERANDS": 3}
    word = lanes + lanes + 8
    rows = [(f"operand buffer, K = {k}", ("operand_buffer", {**sizes, "LAST_USE_COMPENSATION": k}), (k + kept) * word + k * (k - 1) // 2) for k in (2, 3, 4, 6, 8)]
    rows += [(f"register file, 64 words, {reads} read port{'s' if reads > 1 else ''}, {writes} write port{'s' if writes > 1 else ''}",
              ("register_port", {"REGISTERS": 64, "BITS": lanes, "READS": reads, "WRITES": writes}), 64 * lanes)
             for reads, writes in ((1, 1), (2, 1), (3, 1), (3, 2))]
    rows += [("operand buffer, K = 6, two bits a lane", ("operand_buffer", {**sizes, "LAST_USE_COMPENSATION": 6, "WORD_BITS": 2}), 8 * (word + lanes) + 15),
             ("register file, 64 words of 8 bits, 3 read ports, 1 write port", ("register_port", {"REGISTERS": 64, "BITS": 8, "READS": 3, "WRITES": 1}), 64 * 8)]
    for (name, _job, bits), cost in zip(rows, each(job for _, job, _ in rows)):
        print(f"| {name} | {bits} | {cost['flip_flops']} | {cost['cells']} | {cost['area']:.0f} | {cost['nand2']:.0f} | "
              f"{cost['nand2'] - cost['flip_flops'] * flip_flop:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)
    print()


def wrapper(module, parameters, ports):
    """Verilog that gives a module pins enough: inputs come from a shift register, outputs go through flip-flops into one parity bit, four at a time."""
    ins = [(name, width) for kind, name, width in ports if kind == "input" and name not in ("clk", "reset")]
    outs = [(name, width) for kind, name, width in ports if kind == "output"]
    n_in, n_out = sum(width for _, width in ins), sum(width for _, width in outs)
    text = f"module wrapped (input logic clk, input logic reset, input logic in, output logic out);\n\tlogic [{n_in - 1}:0] i;\n\tlogic [{n_out - 1}:0] o;\n"
    text += f"\talways_ff @(posedge clk) i <= {{i, in}};\n"
    connections, at = [".clk(clk)", ".reset(reset)"], 0
    for name, width in ins:
        connections.append(f".{name}(i[{at} +: {width}])")
        at += width
    at = 0
    for name, width in outs:
        connections.append(f".{name}(o[{at} +: {width}])")
        at += width
    sizes = ", ".join(f".{name}({value})" for name, value in parameters.items())
    text += f"\t{module} #({sizes}) dut ({', '.join(connections)});\n\tlogic [{n_out - 1}:0] l0;\n\talways_ff @(posedge clk) l0 <= o;\n"
    level = 0
    while n_out > 1:
        n = (n_out + 3) // 4
        text += f"\tlogic [{n - 1}:0] l{level + 1};\n"
        for k in range(n):
            text += f"\talways_ff @(posedge clk) l{level + 1}[{k}] <= ^l{level}[{k * 4} +: {min(4, n_out - k * 4)}];\n"
        n_out, level = n, level + 1
    return text + f"\tassign out = l{level};\nendmodule\n"


def ports_of(module, parameters, folder, parts=()):
    out = folder / "ports.json"
    subprocess.run(["yosys", "-q", "-p", f"{read(module, parameters, parts)}; proc; write_json {out}"], check=True)
    top = next(value for value in json.loads(out.read_text())["modules"].values() if "top" in value["attributes"])
    return [(port["direction"], name, len(port["bits"])) for name, port in top["ports"].items()]


def on_ice40(name, module, parameters, parts=()):
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as made:
        folder = pathlib.Path(made)
        cells, _ = yosys(f"{read(module, parameters, parts)}; synth_ice40 -top {module} -run begin:check; tee -q -o {folder / 'stat.json'} stat -json", folder / "stat.json")
        luts, flip_flops = cells.get("SB_LUT4", 0), sum(number for cell, number in cells.items() if cell.startswith("SB_DFF"))
        frequency = "does not fit"
        if luts < 7000:
            (folder / "wrapped.sv").write_text(wrapper(module, parameters, ports_of(module, parameters, folder, parts)))
            files = " ".join(str(source(part)) for part in [*parts, module])
            done = subprocess.run(["yosys", "-q", "-p", f"read_verilog -defer -sv {files} {folder / 'wrapped.sv'}; synth_ice40 -top wrapped -json {folder / 'net.json'}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            done = subprocess.run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", folder / "net.json", "--pcf-allow-unconstrained", "--seed", "1",
                                   "--freq", "100"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            found = re.findall(r"Max frequency for clock '[^']*': ([\d.]+) MHz", done.stdout)
            frequency = found[-1] if found else "does not fit"
        print(f"| {name} | {luts} | {flip_flops} | {frequency} |", flush=True)


def ice40(_):
    print("An ice40 HX8K has 7,680 LUTs of four inputs. The frequency is that of the module between flip-flops, after placement and routing.\n")
    print("| module | LUTs | flip-flops | MHz |\n|---|--:|--:|--:|")
    four = {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 6}
    on_ice40("fence counters, 4 warp slots, K = 6, 12 bits", "fence_counters", four)
    on_ice40("fence counters, 4 warp slots, K = 6, 6 bits", "fence_counters", {**four, "FENCE_BITS": 6})
    on_ice40("wait counters, 4 warp slots, K = 6", "wait_counters", {**four, "WAIT_BITS": 7})
    on_ice40("counters and check, 4 warp slots, K = 6", "fence_check", {**four, "FENCE_BITS": 12}, ["fence_counters", "wait_counters", "decode_check"])
    on_ice40("issue queue, FIFO 4, hazard queue 8, distances up to 8, payload 32", "issue_queue",
             {**four, "QUEUE_FIFO": 4, "QUEUE_HAZARD": 8, "QUEUE_SPACING": 8, "PAYLOAD_BITS": 32})
    on_ice40("FIFO of 4, payload 32", "fifo_queue", {"MACHINE_WARPS": 4, "QUEUE_FIFO": 4, "PAYLOAD_BITS": 32})
    on_ice40("scoreboard, 2 warp slots, 66 registers, 3 consumers", "scoreboard", {"MACHINE_WARPS": 2, "RESOURCES": 66, "FENCE_CONSUMERS": 3})
    on_ice40("macro scheduler, 16 warp slots, by age", "macro_scheduler", {"MACHINE_WARPS": 16})
    print()


def flipflops(options):
    """HW-7: state bits by the model's formula and flip-flops of the synthesis agree."""
    warps, wrong, done = 4, 0, set()

    def expect(name, module, parameters, bits):
        nonlocal wrong
        got = count_flip_flops(module, parameters)
        print(f"{module} {' '.join(f'{key}={value}' for key, value in parameters.items())}: {got} flip-flops, {bits} by formula{'' if got == bits else ': error: ' + name}")
        wrong += got != bits

    for name in PRESETS:
        sizes = preset(name, options.build)
        formula = sizes["formula"]
        if json.dumps(formula) in done:
            continue
        done.add(json.dumps(formula))
        expect(name, "fence_counters", {"MACHINE_WARPS": warps, "FENCE_COUNTERS": sizes["counters"], "FENCE_BITS": sizes["bits"]}, warps * formula["fence_counters_warp"])
        expect(name, "wait_counters", {"MACHINE_WARPS": warps, "FENCE_COUNTERS": sizes["low"], "WAIT_BITS": wait_bits(sizes)}, warps * formula["wait_counters_warp"])
        expect(name, "hazard_monitor", {"MACHINE_WARPS": warps, "FENCE_COUNTERS": sizes["counters"]}, warps * formula["monitor_warp"])
        # All queues together; what a FIFO has, too, is added: warp slot and payload of an entry, and the number of entries in the FIFO.
        kinds = {json.dumps(queue): queue for queue in sizes["queues"]}
        payload, got, common = 4, 0, 0
        for key, queue in kinds.items():
            times = sum(json.dumps(other) == key for other in sizes["queues"])
            got += times * count_flip_flops("issue_queue", queue_parameters(sizes, queue, payload, warps))
            common += times * ((queue["fifo"] + queue["hazard"]) * ((warps - 1).bit_length() + payload) + queue["fifo"].bit_length())
        bits = formula["queue_entries"] + warps * formula["distances_warp"]
        print(f"{len(sizes['queues'])} issue_queue of preset {name}: {got} flip-flops, {common} as in a FIFO, {bits} more by formula"
              f"{'' if got == common + bits else ': error'}")
        wrong += got != common + bits
        # A scoreboard of part of the registers. The published formula has no counts of accesses to memory, so it is smaller by three of them.
        consumers = sizes["consumers"] or sum(queue["fifo"] + queue["hazard"] for queue in sizes["queues"])
        few = 20
        expect(name, "scoreboard", {"MACHINE_WARPS": 2, "RESOURCES": few, "FENCE_CONSUMERS": consumers, "ORDER_BITS": ORDER_BITS},
               2 * (few * formula["scoreboard_warp"] // PUBLISHED + 3 * ORDER_BITS))
    # Operand buffers with 4 lanes of one bit: the formula's other bits of lanes and values are subtracted.
    for size, share in ((6, 1), (16, 4)):
        bits = preset("heddle", options.build, "last_use.compensation_of=warp", f"last_use.compensation={size}", f"last_use.compensation_share={share}")
        last, slots, lanes = 2, bits["warps"], 4
        expect("operand buffer", "operand_buffer", {"LAST_USE_COMPENSATION_SHARE": share, "LAST_USE_COMPENSATION": size, "LAST_USE_LAST_RESULT": last, "WORDS": 2,
                                                    "LANES": lanes, "WORD_BITS": 1, "OPERANDS": 1},
               bits["formula"]["results_scheduler"] * share // slots - (size + share * last) * (32 * 33 - 2 * lanes))
    return wrong


def divergence(_):
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


def window(_):
    print("| candidates | places | flip-flops a warp | of them by formula | cells | area | NAND2 | delay (ns) |\n|--:|--:|--:|--:|--:|--:|--:|--:|")
    for candidates, places in ((2, 8), (4, 8), (4, 16)):
        cost = synthesize("window_select", {"MACHINE_WARPS": WARPS, "MULTI_ISSUE_WINDOW": candidates, "WINDOW_SPAN": places})
        print(f"| {candidates} | {places} | {cost['flip_flops'] / WARPS:.0f} | {places - 1 + 8 * (4 + 5 + 1)} | {cost['cells']} | {cost['area']:.0f} | "
              f"{cost['nand2']:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)


# Compares full_decode with what the library decodes, word by word.
DECODER_BENCH = """module bench;
  reg [127:0] words [0:COUNT-1];
  reg [63:0] word;
  wire [3:0] pipe, written;
  wire [39:0] operands;
  wire [15:0] read;
  reg [6:0] reads, writes;
  integer i, k, wrong;
  full_decode decoder (.word(word), .pipe(pipe), .operands(operands), .read(read), .written(written));
  initial begin
    wrong = 0;
    $readmemh("words.txt", words);
    for (i = 0; i < COUNT; i = i + 1) begin
      word = words[i][63:0];
      #1;
      reads = 0;
      writes = written[3] ? 7'd1 << written[2:0] : 7'd0;
      for (k = 0; k < 4; k = k + 1)
        if (read[4*k+3])
          reads = reads | 7'd1 << read[4*k +: 3];
      if ({6'd0, pipe, operands, reads, writes} !== words[i][127:64]) begin
        wrong = wrong + 1;
        if (wrong < 9) $display("%h: %h, expected %h", word, {6'd0, pipe, operands, reads, writes}, words[i][127:64]);
      end
    end
    $display("%0d words, %0d wrong", i, wrong);
    $finish;
  end
endmodule
"""


def decoders(options):
    """PD-39: the full decoder is compared with the library's first."""
    with tempfile.TemporaryDirectory(prefix="heddle-area-") as name:
        folder = pathlib.Path(name)
        program, rows, words = compile_helper("decoders", options.build, folder), folder / "decode_rows.sv", folder / "words.txt"
        rows.write_text(subprocess.run([program, "rows"], stdout=subprocess.PIPE, text=True, check=True).stdout)
        words.write_text(subprocess.run([program, "words", "100"], stdout=subprocess.PIPE, text=True, check=True).stdout)
        (folder / "bench.sv").write_text(DECODER_BENCH.replace("COUNT", str(len(words.read_text().splitlines()))))
        subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", folder / "bench", folder / "bench.sv", rows, source("full_decode")],
                       stderr=subprocess.DEVNULL, check=True)
        said = subprocess.run(["vvp", "bench"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
        print(f"Full decoder against the library's: {said}")
        if ", 0 wrong" not in said:
            return 1
        heading("decoder")
        jobs = [("pre-decode byte", ("partial_decode", {})), ("whole instruction", ("full_decode", {}, (rows,)))]
        for (title, _), cost in zip(jobs, each(job for _, job in jobs)):
            row(title, cost, 0)
        print()
    return 0


def linear(_):
    print("| module | warp slots | flip-flops | NAND2 | NAND2 a slot | delay (ns) |\n|---|--:|--:|--:|--:|--:|")
    quarter = {"RESOURCES": RESOURCES // SHARE, "FENCE_CONSUMERS": 63}
    for name, module, parameters, most in (("fence counters, K = 6", "fence_counters", {}, 16), ("wait counters, K = 6", "wait_counters", {"WAIT_BITS": 7}, 16),
                                           ("a quarter of a scoreboard, 63 consumers", "scoreboard", quarter, 4)):
        for warps in (2, 4, 8, 16):
            if warps <= most:
                cost = synthesize(module, {"MACHINE_WARPS": warps, **parameters})
                print(f"| {name} | {warps} | {cost['flip_flops']} | {cost['nand2']:.0f} | {cost['nand2'] / warps:.0f} | {cost['delay'] / 1000:.2f} |", flush=True)


def main():
    commands = {"table": table, "presets": presets, "depth": depth, "others": others, "buffer": buffer, "divergence": divergence, "window": window, "decoders": decoders, "ice40": ice40, "flipflops": flipflops, "linear": linear}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=[*commands, "all"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where libheddle.a is")
    options = parser.parse_args()
    chosen = [name for name in commands if name != "linear"] if options.command == "all" else [options.command]
    missing = sorted({tool for name in chosen for tool in TOOLS.get(name, ["yosys"]) if not shutil.which(tool)})
    if any(name not in TOOLS and name != "depth" for name in chosen) and not LIBERTY.exists():
        missing.append("standard cells of osu018")
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tools/setup.sh)")
        return SKIPPED
    wrong = 0
    for name in chosen:
        wrong += commands[name](options) or 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
