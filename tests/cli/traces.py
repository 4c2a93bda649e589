"""heddle run --trace: files that strict readers of the formats take (trace_formats.py), the same events in all three, limits, and a file that is whole
whatever ends the run."""
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import time

from harness import Cases, FOREVER, HEDDLE, SOURCE
from trace_formats import konata, konata_flow, konata_rows, perfetto, perfetto_counters, perfetto_events, perfetto_flow, vcd, vcd_counters, vcd_flow

c = Cases()
READERS = {"konata": konata, "perfetto": perfetto, "vcd": vcd}
matmul = [SOURCE / "examples/matmul/matmul.cl", "--kernel", "matmul_tiled", "--grid", "2,1", "--block", "16,16", "--arg", "rand:f32:1024:1", "--arg", "rand:f32:1024:2",
          "--arg", "zero:f32:1024", "--arg", "u32:16", "--arg", "u32:32", "--arg", "u32:16"]


def trace(name, *arguments, status=0):
    files = {kind: c.root / f"{name}.{kind}" for kind in READERS}
    r = c.run("run", *arguments, "--report", f"{name}.json", *(x for kind, f in files.items() for x in ("--trace", f"{kind}:{f}")))
    c.check(r.status == status, f"{name}: a run with three traces", r)
    events = {kind: READERS[kind](f) for kind, f in files.items()}
    for kind in ("perfetto", "vcd"):
        c.check(events[kind] == events["konata"],
                f"{name}: {kind} and konata show the same events; only one of them: {sorted(events[kind] ^ events['konata'])[:6]}")
    return events["konata"], files, json.loads((c.root / f"{name}.json").read_text())


# Whole runs: what is in the file is what the report counted, and watching changes nothing.
for machine in ("heddle", "baseline+multi-issue"):
    events, files, report = trace(machine, *matmul, "--config", machine)
    count = lambda what: sum(e.what == what for e in events)
    c.check(count("issue") == report["run"]["issued"], f"{machine}: every issue")
    c.check(count("drop") == report["run"]["dropped"], f"{machine}: every drop")
    c.check(count("enter") == sum(report["pipelines"].values()), f"{machine}: every entry into a pipe")
    c.check(count("done") == count("enter"), f"{machine}: what enters a pipe is done")
    r = c.run("run", *matmul, "--config", machine, "--report", "quiet.json")
    quiet = json.loads((c.root / "quiet.json").read_text())
    c.check({k: v for k, v in quiet.items() if k != "host"} == {k: v for k, v in report.items() if k != "host"}, f"{machine}: the same without", r)
    if machine == "heddle":
        whole, whole_files, whole_report = events, files, report

# PA-1: threads of the host change nothing of what is observed, on a machine whose clusters run by themselves.
seen = []
wide = [SOURCE / "examples/matmul/matmul.cl", "--kernel", "matmul_tiled", "--grid", "3,3", "--block", "16,16", "--arg", "rand:f32:2304:1", "--arg", "rand:f32:2304:2",
        "--arg", "zero:f32:2304", "--arg", "u32:48", "--arg", "u32:48", "--arg", "u32:48", "--set", "machine.clusters=5"]
for threads in ("1", "2", "7"):
    r = c.run("run", *wide, "--threads", threads, "--hazards", "--lines", "--report", "threads.json", *(f"--trace={kind}:threads.{kind}" for kind in READERS))
    c.check(r.status == 0, f"a trace with {threads} threads", r)
    report = json.loads((c.root / "threads.json").read_text())
    report.pop("host")
    seen.append((report, *((c.root / f"threads.{kind}").read_bytes() for kind in READERS)))
c.check(all(one == seen[0] for one in seen), "traces, profile and hazards are the same for any number of threads")

# A name that ends in .gz: the same trace, compressed.
names = {kind: c.root / f"compressed.{kind}.gz" for kind in READERS}
r = c.run("run", *matmul, "--config", "heddle", "--quiet", *(x for kind, f in names.items() for x in ("--trace", f"{kind}:{f}")))
c.check(r.status == 0, "compressed traces", r)
for kind, f in names.items():
    c.check(gzip.decompress(f.read_bytes()) == whole_files[kind].read_bytes(), f"{kind}: the same trace, compressed")
    c.check(f.stat().st_size < whole_files[kind].stat().st_size / 5, f"{kind}: less than a fifth of the size")

# Cut and compressed together, for each writer, with either sign between the cycles.
every = [*READERS, "stages"]
for sign, ending in ((":", ""), ("..", ".gz")):
    r = c.run("run", *matmul, "--config", "heddle", "--quiet", *(x for kind in every for x in ("--trace", f"{kind}:part.{kind}{ending}")), "--trace-cycles", f"400{sign}450")
    c.check(r.status == 0, f"cut traces with '{sign}' {ending}", r)
for kind in every:
    plain = (c.root / f"part.{kind}").read_bytes()
    c.check(gzip.decompress((c.root / f"part.{kind}.gz").read_bytes()) == plain, f"{kind}: the same part, compressed")
    if kind in READERS:
        issued = [e.cycle for e in READERS[kind](c.root / f"part.{kind}") if e.what == "issue"]
        c.check(len(issued) > 10 and min(issued) >= 400 and max(issued) <= 450, f"{kind}: the cycles of the part {min(issued)} to {max(issued)}")
    else:
        shown = [int(n) for n in re.findall(r"^ *(\d+) ", plain.decode(), re.M)]
        c.check(shown and min(shown) >= 400, f"stages: the cycles of the part: {shown[:3]}")

# RC-17: parts of a warp that come to a barrier of the CTA one after the other. Each of two warps issues the `bar` once for each part.
events, files, report = trace("parts", SOURCE / "tests/regressions/programs/parts_of_a_warp_at_a_barrier.hasm", "--kernel", "k", "--block", "64", "--arg", "zero:u32:64",
                              "--set", "divergence.mode=barriers")
c.check(sum(e.what == "issue" for e in events) == report["run"]["issued"], "parts of a warp: every issue")
c.check(files["konata"].read_text().count("bar.sync") == 4, "parts of a warp: each comes to the barrier")

# HZ-31: the values of fence counters, by lane groups and by instructions.
a, b = perfetto_counters(whole_files["perfetto"]), vcd_counters(whole_files["vcd"])
c.check(a and all(b[place][0][1] == (0,) * 6 and b[place][1:] == states for place, states in a.items()), "perfetto and vcd show the same fence counters")
c.check(all(states[-1][1] == (0,) * 6 for states in a.values()), "every counter falls to zero in the end")
raised = max(value for states in a.values() for _, values in states for value in values)
c.check(raised % 8 == 0 and raised > 8, f"several primaries of eight lane groups: {raised}")
noted = [row.labels[1] for row in konata_rows(whole_files["konata"]) if "fence counters" in row.labels[1]]
c.check(len(noted) > 100 and all(re.search(r"fence counters(,? \d: [1-9]\d*)+", text) for text in noted), "konata names counters that are not zero")
_, files, _ = trace("instructions", *matmul, "--set", "fence.unit=instruction")
a = perfetto_counters(files["perfetto"])
c.check(max(value for states in a.values() for _, values in states for value in values) * 8 == raised, "a primary counts as one")

# RC-24: the flow state, the same in all three files, and in itself. Recursion, a loop of other length in each lane, lanes that exit early.
c.file("flow.cu", """__device__ __attribute__((noinline)) unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void flow(unsigned *out)
{
	unsigned i = threadIdx.x, v = 0;
	if (i % 11 == 3)
		return;
#pragma unroll 1
	for (unsigned k = 0; k < i % 5; k++)
		v = v * 7 + k;
	if (i & 1)
		v += fib(i % 6);
	out[i] = v;
}
""")
for mode in ("resume", "stack", "barriers"):
    name = f"flow-{mode}"
    events, files, report = trace(name, "flow.cu", "--block", "72", "--arg", "zero:u32:72", "--set", f"divergence.mode={mode}")
    a, b, k = perfetto_flow(files["perfetto"]), vcd_flow(files["vcd"]), konata_flow(files["konata"])
    c.check(a == b, f"{name}: perfetto and vcd show the same flow states")
    c.check(len(a) == 3 and all(len(states) > 20 for states in a.values()), f"{name}: three warps with their states")
    issued = {"issued_all": 0, "issued_some": 0, "issued_none": 0}
    for e in sorted((e for e in events if e.what == "issue"), key=lambda e: (e.core, e.number)):
        states = a[e[2:5]]
        # A resume check in sequence is of the cycle of the issue and comes behind it. A decision comes before it.
        around = [s for cycle, s in states if cycle < e.cycle][-1:] + [s for cycle, s in states if cycle == e.cycle]
        shown = k.get((*e[2:5], e.number))
        c.check(any((shown is None and not s.waiting and not s.depth) or shown == s._replace(active=None) for s in around), f"{name}: the state at an issue {e} {shown} {around}")
    for place, states in a.items():
        first = states[0][1]
        c.check(first.active == first.members == (0xff if bin(first.active).count("1") == 8 else 0xffffffff) and not first.waiting and first.depth == 0, f"{name}: a warp begins {first}")
        for cycle, s in states:
            waiting = sum(s.waiting.values())
            c.check(not s.active & waiting and not (s.active | waiting) & ~first.active, f"{name}: a lane is active or waits {s}")
            if mode == "resume":
                own = [at for at, lanes in s.waiting.items() if lanes & s.members]
                c.check(s.active and not s.active & ~s.members and s.minrc == (min(own) if own else None), f"{name}: MINRC is the lowest of the members {s}")
    depths = {s.depth for states in a.values() for _, s in states}
    c.check(depths == set(range(report["divergence"]["max_depth"] + 1)), f"{name}: depths of calls {depths}")
    d = report["divergence"]
    c.check(d["issued_all"] + d["issued_some"] == report["run"]["issued"] and d["issued_some"] > d["issued_all"] > 0 and d["issued_none"] == 0, f"{name}: issues by lanes {d}")
# Files that begin in the middle know the state.
late = [cycle for cycle, s in a[0, 0, 0] if s.depth][3]
part, files, _ = trace("late", "flow.cu", "--block", "72", "--arg", "zero:u32:72", "--set", "divergence.mode=barriers", "--trace-cycles", f"{late - 1}:{late + 60}")
b = vcd_flow(files["vcd"])[0, 0, 0]
c.check(b[0][1] == [s for cycle, s in a[0, 0, 0] if cycle < late - 1][-1] and [x for x in b[1:] if x[0] <= late + 60] == [x for x in a[0, 0, 0] if late - 1 <= x[0] <= late + 60],
        f"the state at the beginning of a part: {b[:2]}")

# The order within an instruction, by the timing contract: entry after issue, the access and the result after entry.
by_instruction = {}
for e in whole:
    by_instruction.setdefault((e.core, e.number), {})[e.what] = e.cycle
for parts in by_instruction.values():
    if "enter" in parts:
        c.check(parts["issue"] < parts["enter"] < parts["done"] and parts["enter"] < parts.get("access", parts["done"]) <= parts["done"], f"in order: {parts}")

# Lost slots: the scheduler's threads add up to the report's causes; a wire each in the VCD file.
items, threads = perfetto_events(whole_files["perfetto"])
for cause, slots in whole_report["stall_cycles"].items():
    lost = sum(e["args"]["slots"] for e in items if e.get("cat") == "lost" and e["name"] == cause.replace("_", " "))
    c.check(lost == slots, f"{cause}: {lost} slots in the trace, {slots} in the report")
rows = konata_rows(whole_files["konata"])
arrows = [(row, rows[i]) for row in rows for i in row.from_ids]
c.check(arrows and all(a.thread == b.thread and b.begin <= a.end for a, b in arrows), "arrows lead from an earlier instruction of the same warp")
c.check(any("de-scheduled for counter" in row.labels[1] and re.search(r"counter \d \(L\d+ ld", row.labels[1]) for row in rows), "the raising load is named")

# Ten cycles: the instructions that were issued in them, to their end.
issues = [e.cycle for e in whole if e.what == "issue"]
first = max(range(0, max(issues), 10), key=lambda t: sum(t <= cycle < t + 10 for cycle in issues))
ten, _, _ = trace("ten", *matmul, "--trace-cycles", f"{first}:{first + 9}")
chosen = {(e.core, e.number) for e in whole if e.what == "issue" and first <= e.cycle <= first + 9}
c.check(len(chosen) > 5, f"something is issued in ten cycles: {len(chosen)}")
c.check(ten == {e for e in whole if (e.core, e.number) in chosen}, "limits choose by issue")
one, _, _ = trace("one", *matmul, "--trace-cycles", ":2000", "--trace-core", "1", "--trace-warp", "0.2")
chosen = {(e.core, e.number) for e in whole if e.what == "issue" and e.cycle <= 2000 and (e.core, e.scheduler, e.slot) == (1, 0, 2)}
c.check(chosen and one == {e for e in whole if (e.core, e.number) in chosen}, "one warp of one core")

# Other people's reader, where it is installed.
if shutil.which("vcd2fst"):
    p = subprocess.run(["vcd2fst", whole_files["vcd"], c.root / "whole.fst"], capture_output=True, text=True)
    c.check(p.returncode == 0 and (c.root / "whole.fst").stat().st_size > 1000, f"vcd2fst takes it: {p.stdout}{p.stderr}")

# Loads that are worked off in several passes, from the replay buffer (PD-16).
c.file("strided.ptx", """.version 6.0
.target sm_60
.address_size 64
.visible .entry strided(.param .u64 x)
{
.reg .b32 %r<6>;
.reg .b64 %d<6>;
.shared .align 4 .b8 tile[16384];
ld.param.u64 %d1, [x];
mov.u32 %r1, %tid.x;
mul.lo.u32 %r2, %r1, 128;
mov.u32 %r3, tile;
add.u32 %r3, %r3, %r2;
st.shared.u32 [%r3], %r1;
ld.shared.u32 %r4, [%r3];
mul.wide.u32 %d2, %r1, 128;
add.s64 %d3, %d1, %d2;
st.global.u32 [%d3], %r4;
ret;
}
""")
assembly = c.run("compile", "strided.ptx", "--config", "heddle-multi-issue", "--emit", "asm").out
c.file("strided.hasm", re.sub(r"^(\t(?:sts|lds)\..*?) ?[a-z_.]+ \d+\}", r"\1 may_replay 1}", assembly, flags=re.M))
events, _, report = trace("strided", "strided.hasm", "--config", "heddle-multi-issue", "--block", "64", "--arg", "zero:u32:4096")
again = sum(e.what == "replay" for e in events)
c.check(again == report["predecode"]["replays"] > 0, f"every replay: {again}, {report['predecode']['replays']} in the report")

# A run that is cut short leaves whole files, and a longer run takes no more memory.
c.file("forever.ptx", FOREVER)
events, _, report = trace("cut", "forever.ptx", "--grid", "4", "--block", "64", "--arg", "zero:u32:4", "--max-cycles", 8000, status=1)
c.check(max(e.cycle for e in events) > 7500, "to the end")
memory = []
for cycles in (10000, 150000):
    # A shell between: a process inherits the peak of the one that it was made from.
    kinds = " ".join(f"--trace {kind}:long.{kind}" for kind in READERS)
    subprocess.run(["sh", "-c", f"{HEDDLE} run forever.ptx --grid 4 --block 64 --arg zero:u32:4 --max-cycles {cycles} --report long.json {kinds}; true"], cwd=c.root,
                   capture_output=True)
    memory.append(json.loads((c.root / "long.json").read_text())["host"]["peak_rss_bytes"])
size = sum((c.root / f"long.{kind}").stat().st_size for kind in READERS)
c.check(size > 20 << 20 and ("HEDDLE_SANITIZED" in os.environ or memory[1] < memory[0] + (2 << 20)),
        f"memory does not grow with the run: {memory} bytes, {size} bytes written")
for kind in READERS:
    (c.root / f"long.{kind}").unlink()
process = subprocess.Popen([HEDDLE, "run", "forever.ptx", "--arg", "zero:u32:4", "--trace", "konata:int.konata", "--trace", "perfetto:int.perfetto", "--trace", "vcd:int.vcd",
                            "--report", "int.json", "--trace-cycles", ":5000"], cwd=c.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
time.sleep(1.5)
process.send_signal(signal.SIGINT)
out, err = process.communicate(timeout=60)
c.check(process.returncode == 130 and json.loads((c.root / "int.json").read_text())["result"] == "interrupted", f"Ctrl-C: {process.returncode} {err}")
sets = [READERS[kind](c.root / f"int.{kind}") for kind in READERS]
c.check(sets[0] == sets[1] == sets[2] and len(sets[0]) > 100, "files of an interrupted run are whole")

for option, value, pattern in (("--trace", "tea:x", "expected konata:FILE, perfetto:FILE, vcd:FILE, stages:FILE or explore:FILE"), ("--trace", "vcd:", "expected konata:FILE"),
                               ("--trace-cycles", "9:3", "expected FIRST:LAST"), ("--trace-cycles", "ten", "expected FIRST:LAST"), ("--trace-cycles", ":", "expected FIRST"),
                               ("--trace-core", "-1", "expected the number of a core"), ("--trace-core", "2", "the machine has 2 cores"),
                               ("--trace-warp", "1.16", "expected SLOT or SCHEDULER.SLOT"), ("--trace-warp", "5.1", "names no warp")):
    c.expect(2, pattern, "run", "forever.ptx", "--arg", "zero:u32:4", "--max-cycles", "100", "--trace", "vcd:t.vcd", option, value, absent=["t.vcd"] if "names" not in pattern and "machine" not in pattern else ())
c.expect(2, "shows cycles", "run", "forever.ptx", "--arg", "zero:u32:4", "--functional", "--trace", "vcd:t2.vcd", absent=["t2.vcd"])
c.expect(2, "without --trace", "run", "forever.ptx", "--arg", "zero:u32:4", "--trace-core", "1")
c.expect(2, "cannot be written", "run", "forever.ptx", "--arg", "zero:u32:4", "--max-cycles", "100", "--trace", "vcd:no/such/t.vcd")
c.expect(2, "expected one core to be chosen", "run", "forever.ptx", "--arg", "zero:u32:4", "--max-cycles", "100", "--trace", "vcd:t3.vcd", "--set", "machine.cores=32", absent=["t3.vcd"])
if os.path.exists("/dev/full"):
    c.expect(2, "cannot be written to its end", "run", "forever.ptx", "--arg", "zero:u32:4", "--max-cycles", "100", "--trace", "konata:/dev/full")
c.end()
