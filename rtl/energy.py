#!/usr/bin/env python3
"""The prices of the units in rtl/ for the energy model (HW-8): gates from the synthesis, times what switches in recorded runs, times published picojoule.

    rtl/energy.py measure    synthesizes each unit, runs its gates on the recorded examples, and prints the prices; --write keeps the counts in
                             rtl/energy.json
    rtl/energy.py table      the prices that follow from rtl/energy.json, beside the entries of the model. No tool is needed.
    rtl/energy.py check      do the entries (src/config/machine.def, docs/energy.md) agree with rtl/energy.json? No tool is needed.

The standard cells are those of rtl/area.py. The bench of rtl/lockstep drives the gates as it drives the module, and compares them with the C unit in
each cycle. Where rtl/configurations.py has no replay of a module, the random stimulus of the bench takes the place of the recorded runs. docs/energy.md
says what is measured here and what is assumed. Status 77: a tool is missing. It needs build/libheddle.a and build/tests/rtl/heddle-record.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import area
import configurations
import energy_units
import netlist
import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = ROOT / "rtl/energy.json"
TOOLS = ["yosys", "gcc"]
RANDOM_CYCLES = 20000  # of random stimulus, for each of two seeds


def recording_kinds():
    """(name, names of its values) of each kind of event."""
    rows = re.findall(r'^HD_RECORD\((\w+),\s+"([^"]*)"', (ROOT / "src/launch/record.def").read_text(), re.M)
    return [(name, [field for word in values.split() for field in [word] * int((re.findall(r"\[(\d+)\]", word) or ["1"])[0])]) for name, values in rows]


def payload_of(pc):
    """32 random bits for an address, in LEB128."""
    pc = pc * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return (pc ^ pc >> 29) * 0xBF58476D1CE4E5B9 >> 32 & 0xFFFFFFFE


def leb128(value):
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return made


def rewrite(path, out, unit, slots):
    """Copies a recording. A cycle with more events than a module has ports (unit.ports) becomes several cycles, and then all other kinds of events are left
    out, but those that begin something. `slots`: warp slots of the module; each of its instances counts for itself. Addresses of instructions in queues are
    the payload there: they become 0, or 32 random bits with unit.payload."""
    kinds, data = recording_kinds(), path.read_bytes()
    at = data.index(b"\n\n") + 2
    made = bytearray(data[:at])
    tick, used, ports = [name for name, _ in kinds].index("TICK"), {}, unit.ports
    while at < len(data):
        name, fields = kinds[data[at]]
        begin, at, ends = at, at + 1, []
        for _ in fields:
            ends.append(at)
            while data[at] > 127:
                at += 1
            at += 1
        if name == "TICK":
            used = {}
        elif name in ports:
            key = (name, data[begin + 1] // slots)
            if used.get(key, 0) == ports[name]:
                made += bytes([tick, 0])
                used = {}
            used[key] = used.get(key, 0) + 1
        warp = data[begin + 1] if fields[:1] == ["warp"] else 0
        if unit.slots and name not in ("BEGIN", "TICK") and (not name.startswith(unit.slots) or warp >= slots):
            continue
        if name in ("PUSHED", "LEAVES"):
            from_pc, behind_pc = ends[3], (ends + [at])[4]
            pc = sum((byte & 127) << 7 * i for i, byte in enumerate(data[from_pc:behind_pc]))
            made += data[begin:from_pc] + leb128(payload_of(pc) if unit.payload else 0) + data[behind_pc:at]
        elif not ports or name in ports or name in ("BEGIN", "TICK", "WARP"):
            made += data[begin:at]
    out.write_bytes(made)


def build_bench(module, parameters, events, folder, options, replay, apart=()):
    """The program that drives the gates of a module, and the design."""
    at = folder / re.sub(r"\W+", "_", f"{module} {sorted(parameters.items())}")
    at.mkdir(exist_ok=True)
    sources = run.sources(module, ROOT / "rtl")
    began = time.monotonic()
    if not (at / "netlist.json").exists():  # it may be there with --keep
        netlist.synthesize(module, parameters, sources, at)
    design = netlist.load(module, at)
    print(f"{module} {' '.join(f'{key}={value}' for key, value in parameters.items())}: synthesized in {time.monotonic() - began:.0f} s", file=sys.stderr)
    state = run.state_of(sources[-1].read_text())
    (at / "netlist.c").write_text(netlist.as_c(design, state, events, apart))
    harness = ROOT / "rtl/lockstep"
    defines = [f"-D{key}={value}" for key, value in parameters.items()] + ["-DLOCKSTEP_REPLAY", "-DLOCKSTEP_EVERY_CYCLE"] * replay
    defines += [f"-DRTL_CLOG2(n)=({'+'.join(f'((n)>{1 << i})' for i in range(16))}>0?{'+'.join(f'((n)>{1 << i})' for i in range(16))}:1)", "-D_POSIX_C_SOURCE=200809L"]
    flags = ["-std=c17", "-O2", "-Wno-override-init", *defines, "-I", ROOT / "src", "-I", harness, "-I", ROOT / "tests/core"]
    run.must("gcc", *flags, "-Dlockstep_expect=switching_expect", "-c", "-o", at / "module.o", harness / f"{module}.c")
    files = [at / "module.o", at / "netlist.c", *[harness / f"{name}.c" for name in ["lockstep", "switching"] + ["replay"] * replay]]
    cmocka = ["-lcmocka"] if "stage_rig.h" in (harness / f"{module}.c").read_text() else []
    run.must("gcc", *flags, "-o", at / "bench", *files, options.build / "libheddle.a", *cmocka, "-lelf", "-lyaml", "-ljansson", "-lm", "-pthread")
    return at / "bench", design


def counts_of(output):
    return json.loads(re.search(r"^switching (.*)$", output, re.M)[1])


def add(total, counts, times=1):
    for key, value in counts.items():
        if isinstance(value, list):
            total[key] = [a + times * b for a, b in zip(total.get(key, [0] * len(value)), value)]
        else:
            total[key] = total.get(key, 0) + times * value


def drive(command, name):
    status, output = run.command(*command)
    if status:
        raise run.Failure(f"{name}: {output[-3000:]}")
    return counts_of(output)


def measure_unit(unit, recordings, folder, options):
    """The switching of a unit, over all recorded runs or in random stimulus."""
    total = {"module": unit.module, "events": []}
    totals, nand2, flip_flops, programs, work = {}, {}, {}, {}, []
    replayed = configurations.REPLAY.get(unit.module)
    if replayed:
        for recording in recordings[unit.machine]:
            path = recording.path.with_suffix(f".{unit.name}")
            rewrite(recording.path, path, unit, unit.sizes.get("MACHINE_WARPS", 2 if unit.module == "scoreboard" else recording.head["machine.warps"]))
            for instance in replayed.instances(recording.head):
                parameters = {**replayed.sizes(recording.head, instance), **unit.sizes}
                key = json.dumps(parameters)
                programs.setdefault(key, parameters)
                work.append((key, path, instance))
    else:
        key = json.dumps(unit.sizes)
        programs[key] = unit.sizes
        work = [(key, None, seed) for seed in (1, 2)]
    made = {}
    for key, parameters in programs.items():
        bench, design = build_bench(unit.module, parameters, [expression for _, expression in unit.events], folder, options, bool(replayed), unit.apart)
        there = netlist.counted(design, unit.apart)
        flops = [cell for cell in netlist.flip_flops_of(design) if netlist.output_of(cell) in there]
        made[key], nand2[key], flip_flops[key] = bench, netlist.nand2(design, unit.apart), len(flops)

    def one(job):
        key, path, instance = job
        return drive([made[key], options.cycles if path else RANDOM_CYCLES, instance, folder / "difference.vcd", *([path] if path else [])], f"{unit.name} {path} {instance}")

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for counts in pool.map(one, work):
            add(totals, counts)
    # A unit has as many copies of a module as there are instances of a size in one recording.
    copies = {key: sum(job[0] == key and job[1] == work[0][1] for job in work) if replayed else 1 for key in programs}
    total.update({"source": "recorded" if replayed else "random", "runs": len({job[1] for job in work}), "cycles": totals["cycles"],
                  "nand2": [round(sum(copies[key] * nand2[key][i] for key in programs)) for i in range(2)],
                  "sizes": [{"copies": copies[key], "parameters": parameters} for key, parameters in programs.items()], "flip_flops": sum(copies[key] * flip_flops[key] for key in programs), "gates": round(totals["gates"], 1), "clocked": totals["clocked"], "changed": totals["changed"],
                  "copies": len(work) // len({job[1] for job in work}) if replayed else 1, "events": totals["events"], "squares": totals["squares"], "products": totals["products"]})
    return total


def record(folder, options):
    """The recordings of every example, by machine."""
    program, found = options.build / "tests/rtl/heddle-record", {}
    environment = {**os.environ, "HEDDLE_SOURCE": str(ROOT)}
    names = options.examples or run.must(program, "--list").split()
    for machine in sorted({unit.machine for unit in energy_units.UNITS if unit.machine}):
        found[machine] = []
        for name in names:
            path = folder / f"{machine}_{name}.recording"
            run.must(program, "--machine", machine, "--size", "0", "--cycles", options.cycles, name, path, env=environment)
            found[machine].append(run.Recording(path, f"{name} on {machine}"))
    return found


def measure_anchor(anchor, folder, options):
    """The gates that switch in an operation of published energy, in NAND2, with random operands."""
    source = folder / f"{anchor.name}.sv"
    source.write_text(anchor.verilog)
    at = folder / anchor.name
    at.mkdir(exist_ok=True)
    netlist.synthesize(anchor.name, {}, [source], at)
    design = netlist.load(anchor.name, at)
    (at / "netlist.c").write_text(netlist.as_c(design, [], []))
    harness = ROOT / "rtl/lockstep"
    run.must("gcc", "-std=c17", "-O2", "-Wno-override-init", "-D_POSIX_C_SOURCE=200809L", "-I", ROOT / "src", "-I", harness, "-o", at / "bench", harness / "anchor.c",
             harness / "switching.c", harness / "lockstep.c", at / "netlist.c",
             options.build / "libheddle.a", "-lelf", "-lyaml", "-ljansson", "-lm", "-pthread")
    counts = drive([at / "bench", 10000, 1, at / "difference.vcd"], anchor.name)
    return {"nand2": round(netlist.nand2(design)[0]), "gates": round(counts["gates"] / counts["cycles"], 3)}


def measure(options):
    missing = [tool for tool in TOOLS if not shutil.which(tool)] + ["standard cells of osu018"] * (not area.LIBERTY.exists())
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tools/setup.sh)")
        return run.SKIPPED
    counts = json.loads(COUNTS.read_text()) if options.units and COUNTS.exists() else {"anchors": {}, "units": {}}
    with tempfile.TemporaryDirectory(prefix="heddle-energy-") as made:
        folder = options.keep or pathlib.Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        for anchor in energy_units.ANCHORS:
            counts["anchors"][anchor.name] = measure_anchor(anchor, folder, options)
            print(anchor.name, counts["anchors"][anchor.name], flush=True)
        recordings = record(folder, options)
        for unit in energy_units.UNITS:
            if options.units and unit.name not in options.units:
                continue
            counts["units"][unit.name] = measure_unit(unit, recordings, folder, options)
            print(unit.name, counts["units"][unit.name], flush=True)
            if options.write:
                if COUNTS.exists() and options.units:
                    counts["units"] = {**json.loads(COUNTS.read_text())["units"], unit.name: counts["units"][unit.name]}
                COUNTS.write_text(json.dumps(counts, indent="\t") + "\n")
    if all(unit.name in counts["units"] for unit in energy_units.UNITS):
        print(tables(counts))
    return 0


class Energies:
    """The counts of rtl/energy.json in picojoules. `alone`: with a clock gate for each flip-flop, instead of one for a bank."""

    def __init__(self, counts, alone=False):
        self.counts, self.alone = counts["units"], alone
        anchors = [(anchor, anchor.picojoule / counts["anchors"][anchor.name]["gates"]) for anchor in energy_units.ANCHORS]
        self.nand2 = math.prod(price for _, price in anchors) ** (1 / len(anchors))
        self.anchors = anchors

    def weigh(self, unit, gates, clocked):
        row = self.counts[unit]
        reached = clocked * row["changed"] / row["clocked"] if self.alone and clocked else clocked
        return self.nand2 * gates + energy_units.FLIP_FLOP * reached

    def events(self, unit, event=0):
        return self.counts[unit]["events"][event]

    def of_unit(self, unit):
        return self.weigh(unit, self.counts[unit]["gates"], self.counts[unit]["clocked"])

    def of_event(self, unit, event):
        """One kind of event: all energy by the number of events. Two kinds: least squares over windows of cycles, no price below zero, and the sum is that of
        the unit."""
        row = self.counts[unit]
        n = len(row["events"])
        if n == 1:
            return self.of_unit(unit) / row["events"][0]
        a, b, _, d = row["squares"]
        x, y = [self.weigh(unit, *row["products"][2 * i : 2 * i + 2]) for i in range(2)]
        fit = [(x * d - y * b) / (a * d - b * b), (a * y - b * x) / (a * d - b * b)]
        if fit[0] < 0:
            fit = [0, y / d]
        elif fit[1] < 0:
            fit = [x / a, 0]
        return fit[event] * self.of_unit(unit) / sum(fit[i] * row["events"][i] for i in range(2))


def two_digits(picojoule):
    """As the table of the model has it: two digits, at most three decimals."""
    digits = min(3, max(0, 1 - math.floor(math.log10(picojoule)))) if picojoule > 0 else 3
    return f"{round(picojoule, digits):.{digits}f}"


def entries():
    """The model's entries in picojoule."""
    text = (ROOT / "src/config/machine.def").read_text()
    return {key: int(fj) / 1000 for key, fj in re.findall(r"^KEY\(energy, (\w+), PJ, (\d+),", text, re.M)}


def tables(counts):
    """The prices of a NAND2, a row for each unit, and a row for each entry."""
    energy, alone, model = Energies(counts), Energies(counts, alone=True), entries()
    lines = ["| operation | published pJ | source | NAND2 that switch | fJ a NAND2 |", "|---|--:|---|--:|--:|"]
    for anchor, price in energy.anchors:
        lines.append(f"| `{anchor.name}` | {anchor.picojoule} | {anchor.source} | {counts['anchors'][anchor.name]['gates']:.1f} | {1000 * price:.2f} |")
    lines.append(f"| **geometric mean** | | | | **{1000 * energy.nand2:.2f}** |")
    lines += ["", "| unit | NAND2 of gates | flip-flops | activity | cycles | NAND2 that switch a cycle | flip-flops clocked a cycle | pJ a cycle | pJ a cycle, no clock gates |",
              "|---|--:|--:|---|--:|--:|--:|--:|--:|"]
    for unit in energy_units.UNITS:
        row = counts["units"][unit.name]
        gates, clocked = (row[key] / row["cycles"] * row["copies"] for key in ("gates", "clocked"))
        lines.append(f"| `{unit.name}` | {row['nand2'][0]:,} | {row['flip_flops']:,} | {'recorded, ' + unit.machine if row['source'] == 'recorded' else 'random'} | "
                     f"{row['cycles'] // row['copies']:,} | {gates:.1f} | {clocked:.2f} | {energy.weigh(unit.name, gates, clocked):.3f} | "
                     f"{energy.weigh(unit.name, gates, 0) + energy_units.FLIP_FLOP * row['flip_flops']:.1f} |")
    lines += ["", "| entry | pJ by the synthesis | a clock gate for each flip-flop | pJ in the model | what it is |", "|---|--:|--:|--:|---|"]
    for price in energy_units.PRICES:
        value, other = (sum(term(made) for term in price.terms) for made in (energy, alone))
        lines.append(f"| `{price.key}` | {value:.4f} | {other:.4f} | {model[price.key]:g} | {price.how} |")
    return "\n".join(lines)


def table(_):
    print(tables(json.loads(COUNTS.read_text())))
    return 0


def check(_):
    """Entries, their rows in docs/energy.md, and, where Yosys is there, the flip-flops of the modules as they are now."""
    counts, model, wrong = json.loads(COUNTS.read_text()), entries(), []
    energy, page = Energies(counts), (ROOT / "docs/energy.md").read_text()
    for price in energy_units.PRICES:
        value = sum(term(energy) for term in price.terms)
        if not re.search(rf"^\| `{price.key}` \|.*\| R: {re.escape(price.how)} \|$", page, re.M):
            wrong.append(f"docs/energy.md: error: the row of {price.key} does not end with \"R: {price.how}\"")
        if model[price.key] != float(two_digits(value)):
            wrong.append(f"src/config/machine.def: error: energy.{price.key} is {model[price.key]:g} pJ, expected {two_digits(value)} by rtl/energy.json")
    counted = [unit for unit in energy_units.UNITS if unit.counted] if shutil.which("yosys") else []
    for unit in counted:
        row = counts["units"][unit.name]
        now = sum(size["copies"] * area.count_flip_flops(unit.module, size["parameters"]) for size in row["sizes"])
        if now != row["flip_flops"]:
            wrong.append(f"rtl/energy.json: error: {unit.name} has {row['flip_flops']} flip-flops, the module has {now} now (rtl/energy.py measure --write {unit.name})")
    print("\n".join(wrong) or f"{len(energy_units.PRICES)} entries agree with the synthesis, flip-flops of {len(counted)} modules counted anew")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure", "table", "check"])
    parser.add_argument("units", nargs="*", help="measure: only these units, and the others stay as they are")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--examples", type=lambda text: text.split(","), help="measure: only these, with a comma between two")
    parser.add_argument("--cycles", type=int, default=4000, help="measure: of a recording, at most")
    parser.add_argument("--keep", type=pathlib.Path, help="measure: folder for what is built, instead of one that is removed; netlists in it are used")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where libheddle.a is")
    options = parser.parse_intermixed_args()
    try:
        return {"measure": measure, "table": table, "check": check}[options.command](options)
    except run.Failure as failure:
        print(f"energy: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
