"""Launch lists (PD-19): several grids in one run from a file, their report, what is refused."""
import json

import harness

cases = harness.Cases()
GRIDS = harness.SOURCE / "examples/grids/grids.cl"
EXAMPLES = harness.SOURCE / "examples/grids"

# The lists of the examples: the same arrays from the interpreter and from the machine, with and without eviction.
short = (EXAMPLES / "urgent.txt").read_text().replace("--grid 256", "--grid 64").replace("u32:16384", "u32:4096").replace("u32:2000", "u32:300").replace("20000", "5000")
cases.file("urgent.txt", short)
cases.run("run", GRIDS, "--launches", "urgent.txt", "--functional")
expected = harness.values(cases.root / "long.npy"), harness.values(cases.root / "urgent.npy")
turnaround = {}
for evict in ("none", "drain", "save"):
    result = cases.run("run", GRIDS, "--launches", "urgent.txt", "--set", "grids.slots=1", "--set", f"grids.evict={evict}", "--report", "r.json")
    cases.check(result.status == 0, f"urgent list, {evict}", result)
    got = harness.values(cases.root / "long.npy"), harness.values(cases.root / "urgent.npy")
    cases.check(got == expected, f"urgent list, {evict}: same arrays as the interpreter's", result)
    report = json.loads((cases.root / "r.json").read_text())
    grids = report["grid_list"]
    cases.check([g["kernel"] for g in grids] == ["work", "work"] and all(g["ended"] for g in grids), "the report lists both grids", result)
    cases.check(grids[1]["arrival"] == 5000 and grids[1]["end"] - 5000 == grids[1]["turnaround"] and grids[1]["begin"] > 5000, "arrival, begin, end", result)
    cases.check(grids[0]["evictions"] == (evict != "none") and (grids[0]["ctas_saved"] > 0) == (evict == "save"), f"evictions, {evict}", result)
    turnaround[evict] = grids[1]["turnaround"]
cases.check(turnaround["save"] < turnaround["drain"] < turnaround["none"], f"turnaround of the urgent grid: {turnaround}")

for mode in ([], ["--functional"], ["--config", "baseline"]):
    result = cases.run("run", GRIDS, "--launches", EXAMPLES / "worklist.txt", "--report", "-", *mode)
    cases.check(result.status == 0, f"work list {mode}", result)
    cases.check(harness.values(cases.root / "seen.npy") == [3 * i + 1 for i in range(4000)], f"work list {mode}: every node once", result)
    cases.check("turnaround" in result.out and "visit" in result.out, "the text report has the table", result)

# A line that is not understood has a place and ends with status 2; nothing is written.
for lines, text in (
    ("--kernel work --after nobody --arg zero:u32:64 --arg u32:1", "x.txt:1:23: error: no line of the list has this name"),
    ("--kernel work --priority 8", "--priority cannot be '8'"),
    ("--kernel work --kind 4", "--kind cannot be '4'"),
    ("--kernel work --arg zero:u32:64 --arg u32:1 --device 1", "a device below machine.devices (1)"),
    ("--kernel work --entries 1", "x.txt:1:25: error: entries and producers belong to a --queue"),
    ("--queue --kernel visit --entries 1,two", "expected whole numbers"),
    ("--kernel work --arg as:0:1 --arg u32:1", "expected an argument of an earlier line"),
    ("--kernel work --arg as:0 --arg u32:1", "expected as:NAME:N"),
    ("--kernel produce --arg queue:0 --arg u32:1", "no such launch of the list, or no queue"),
    ("--name a --kernel work --after b --arg zero:u32:1 --arg u32:1\n--name b --kernel work --arg zero:u32:1 --arg u32:1", "x.txt:1:32: error: a launch can wait for earlier lines only"),
    ("other.cl --kernel work", "expected only what belongs to one launch"),
    ("--kernel work --set grids.slots=1", "expected only what belongs to one launch"),
    ("--kernel nothing", "no kernel 'nothing'"),
    ("# nothing", "holds no launch"),
):
    cases.file("x.txt", lines + "\n")
    result = cases.run("run", GRIDS, "--launches", "x.txt")
    cases.check(result.status == 2 and text in result.err, f"{lines!r}: {text}", result)
result = cases.run("run", GRIDS, "--launches", "urgent.txt", "--kernel", "work")
cases.check(result.status == 2 and "beside --launches" in result.err, "a launch beside a list", result)

# Kinds and devices (PD-36): the same array wherever a grid runs, and as much of the machine as its kind has.
cycles = []
for options, settings in (("", []), ("--kind 1", ["--set", "grids.clusters_1=1"]), ("--device 1", ["--set", "machine.devices=2"])):
    cases.file("kind.txt", f"--kernel work --grid 64 --block 64 --arg out:kind.npy:u32:4096 --arg u32:50 {options}\n")
    result = cases.run("run", GRIDS, "--launches", "kind.txt", "--set", "machine.clusters=4", *settings, "--report", "r.json")
    cases.check(result.status == 0, f"kinds and devices: {options}", result)
    cycles.append((json.loads((cases.root / "r.json").read_text())["run"]["cycles"], harness.values(cases.root / "kind.npy")))
cases.check(cycles[0][1] == cycles[1][1] == cycles[2][1], "kinds and devices: the same arrays")
cases.check(cycles[1][0] > 1.5 * cycles[0][0] and cycles[2][0] == cycles[0][0], f"kinds and devices: cycles {[c for c, _ in cycles]}")

# Arrays of an earlier line, dependences, limits with a name.
cases.file("chain.txt", "--name a --kernel work --grid 2 --block 32 --arg zero:u32:64 --arg u32:3\n--kernel work --grid 2 --block 32 --arg as:a:1 --arg u32:5 --after a\n--name s --kernel sum --after a,1 --arg as:a:1 --arg out:sum.npy:u64:128 --arg u32:0 --arg u32:0 --arg u32:64\n")
cases.run("run", GRIDS, "--launches", "chain.txt", "--functional")
expected = harness.values(cases.root / "sum.npy")
result = cases.run("run", GRIDS, "--launches", "chain.txt")
cases.check(result.status == 0 and expected[0] and harness.values(cases.root / "sum.npy") == expected, "a chain through one array", result)
result = cases.run("run", GRIDS, "--launches", "chain.txt", "--set", "grids.depth=0")
cases.check(result.status == 1 and "grids.depth" in result.err and "error: kernel 'sum'" in result.err, "a limit is a trap with a name", result)

# CUDA: the same built-ins.
cases.file("k.cu", """#include <heddle_device.h>
extern "C" __global__ void nest(int *out, int depth)
{
	out[depth] = depth * 10 + 1;
	if (depth)
		heddle_launch(nest, 1u, 1u, out, depth - 1);
}
""")
for mode in ([], ["--functional"]):
    result = cases.run("run", "k.cu", "--arg", "out:nest.npy:i32:6", "--arg", "i32:5", *mode)
    cases.check(result.status == 0 and harness.values(cases.root / "nest.npy") == [1, 11, 21, 31, 41, 51], f"CUDA, {mode}", result)
# --repeat: one launch behind the other, on the same arrays; what the first has fetched is there for the others.
cases.file("again.cl", "kernel void again(global uint *x, global uint *y) { y[get_global_id(0)] += x[get_global_id(0)]; }")
(cases.root / "x.npy").write_bytes(harness.npy(range(256), "u4"))
for more in ([], ["--functional"]):
    result = cases.run("run", "again.cl", "--repeat", 3, "--grid", 4, "--block", 64, "--arg", "in:x.npy", "--arg", "out:y.npy:u32:256", *more)
    cycles = [int(line.split()[2].replace(",", "")) for line in result.err.splitlines() if line.startswith("  launch ")]
    cases.check(result.status == 0 and harness.values(cases.root / "y.npy") == [3 * i for i in range(256)], f"three launches {more}", result)
    cases.check(len(cycles) == (0 if more else 3) and all(n < cycles[0] / 2 for n in cycles[1:]), f"warm launches are quicker {more}", result)
plain, once = (cases.run("run", "again.cl", *more, "--grid", 4, "--block", 64, "--arg", "in:x.npy", "--arg", "out:y.npy:u32:256").err for more in ([], ["--repeat", 1]))
cases.check(f"  launch 1: {plain.split()[3]} cycles\n" in once, f"one launch takes as long as without --repeat: {plain}{once}")
for options, text in ((["--repeat", "0"], "expected a number from 1 to 1000"), (["--repeat", "1001"], "expected a number from 1 to 1000"), (["--repeat", "2", "--launches", "chain.txt"], "beside --launches")):
    cases.expect(2, text, "run", "again.cl", *options)
# PD-31: a kernel states its priority and sets it with the device functions, from OpenCL C and from CUDA.
for name, kernel in (("p.cl", "kernel void p(global unsigned *y)"), ("p.cu", 'extern "C" __global__ void p(unsigned *y)')):
    cases.file(name, f"#include <heddle_device.h>\n{kernel} {{ heddle_warp_priority(47, -4); heddle_set_priority(12); y[0] = 7; }}\n")
    listing = cases.run("compile", name, "--emit", "asm", "-o", "-")
    cases.check(".priority 47, -4\n" in listing.out and "setprio 12 " in listing.out, f"{name}: the functions in assembly", listing)
    run = cases.run("run", name, "--block", 64, "--arg", "zero:u32:1", "--set", "predecode.priority=program", "--report", "p.json")
    cases.check(run.status == 0 and json.loads((cases.root / "p.json").read_text())["predecode"]["priorities"] == 2, f"{name}: both warps set theirs", run)

cases.end()
