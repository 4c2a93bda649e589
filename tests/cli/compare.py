"""heddle compare: the same launch on several machines; the table, the reports, what is refused; the number of threads changes nothing."""
import csv
import json
import re
import signal
import subprocess
import time

from harness import Cases, FOREVER, HEDDLE, npy, values

c = Cases()
c.file("scale.ptx", """.version 6.0
.target sm_60
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y)
{
.reg .b32 %r<6>;
.reg .b64 %d<6>;
ld.param.u64 %d1, [x];
ld.param.u64 %d2, [y];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d3, %r1, 4;
add.s64 %d4, %d1, %d3;
add.s64 %d5, %d2, %d3;
ld.global.u32 %r2, [%d4];
mul.lo.u32 %r3, %r2, 3;
st.global.u32 [%d5], %r3;
ret;
}
""")
# Every thread writes the clock: machines cannot agree on it.
c.file("clock.ptx", """.version 6.0
.target sm_60
.address_size 64
.visible .entry clock(.param .u64 y)
{
.reg .b32 %r<6>;
.reg .b64 %d<6>;
ld.param.u64 %d1, [y];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d3, %r1, 4;
add.s64 %d4, %d1, %d3;
ld.global.u32 %r2, [%d4];
add.u32 %r3, %r2, %r1;
mov.u32 %r4, %clock;
add.u32 %r4, %r4, %r3;
st.global.u32 [%d4], %r4;
ret;
}
""")
c.file("slow.yaml", "memory:\n  dram_latency: 900\n")
c.file("x.npy", npy(range(64), "u4"))
launch = ["scale.ptx", "--block", "64", "--arg", "in:x.npy", "--arg", "out:y.npy:u32:64"]
machines = ["--machine", "heddle", "--machine", "slow.yaml"]
for name in ("a.json", "b.csv", "c.html", "d.txt"):
    r = c.run("compare", *launch, *machines, "--report", name)
    c.check(r.status == 0 and "cycles" in r.out and "same" in r.out, "the table", r)
c.check(values(c.root / "y.npy") == [3 * i for i in range(64)], "outputs are written when all agree")
one = json.loads((c.root / "a.json").read_text())["launches"][0]["machines"]
c.check([m["machine"] for m in one] == ["heddle", "slow.yaml"], "machines in the order given")
c.check(one[1]["cycles"] > one[0]["cycles"] and abs(one[1]["ratio"]["cycles"] - one[1]["cycles"] / one[0]["cycles"]) < 1e-6, "ratios to the first")
for m in one:
    lost = sum(v for k, v in m.items() if k.startswith("stall."))
    c.check(m["slots_used"] + lost == m["issue_slots"], "every slot is issued or lost to one cause")
table = list(csv.DictReader(open(c.root / "b.csv")))
c.check([int(row["cycles"]) for row in table] == [m["cycles"] for m in one], "CSV and JSON agree")
page = (c.root / "c.html").read_text()
c.check("http" not in page and 'class="track parts"><i style="width:' in page, "one page that needs nothing else")

# RC-16, RC-22: what each mode of divergence keeps, by the formulas of docs/divergence.md: A = 24, L = 32, D = 64, 64 warps.
kept = {"resume": 33 * 24 + 32 + 7 + 64 * (2 * 24 + 32), "stack": 96 * (2 + 24 + 32) + 7, "barriers": 32 * (24 + 5 + 5) + 16 * 32 + 6 + 7 + 64 * (24 + 32)}
for mode in kept:
    c.file(f"{mode}.yaml", f"machine:\n  schedulers: 4\n  warps: 16\ndivergence:\n  mode: {mode}\n  call_depth: 64\n")
for report in ("modes.json", "modes.csv", "modes.txt", "modes.html"):
    c.run("compare", *launch, *(part for mode in kept for part in ("--machine", f"{mode}.yaml")), "--report", report)
modes = json.loads((c.root / "modes.json").read_text())["launches"][0]["machines"]
c.check([m["divergence_state_bits_warp"] for m in modes] == list(kept.values()), f"bits of a warp: {modes}")
c.check([m["divergence_state_bits"] for m in modes] == [64 * bits for bits in kept.values()], f"bits of a core: {modes}")
table = list(csv.DictReader(open(c.root / "modes.csv")))
c.check([(int(row["divergence_state_bits"]), int(row["divergence_state_bits_warp"])) for row in table] == [(64 * bits, bits) for bits in kept.values()], f"CSV: {table}")
shown = next(line for line in (c.root / "modes.txt").read_text().splitlines() if "divergence bits of a core" in line)
c.check(all(str(64 * bits) in shown.split() for bits in kept.values()), f"text: {shown}")
page = (c.root / "modes.html").read_text()
c.check(all(f"{64 * bits:,}" in page or str(64 * bits) in page for bits in kept.values()) and "divergence bits of a core" in page, "HTML")

c.file("launches", "# two launches\nscale.ptx --block 64 --arg in:x.npy --arg out:p.npy:u32:64\n\n'scale.ptx' --block=32 --arg in:x.npy --arg out:q.npy:u32:64\n")
texts = set()
for jobs in (1, 2, 7):
    r = c.run("compare", "--launches", "launches", *machines, "--jobs", jobs, "--report", "j.json")
    c.check(r.status == 0 and "geometric mean" in r.out, "launches from a file", r)
    texts.add((c.root / "j.json").read_bytes() + r.out.encode())
c.check(len(texts) == 1, "the number of threads changes nothing")

r = c.run("compare", "clock.ptx", "--block", "64", "--arg", "out:z.npy:u32:64", *machines)
c.check(r.status == 1 and "differs from heddle at element" in r.err and "DIFFER" in r.out, "outputs that differ", r)
c.check(not (c.root / "z.npy").exists(), "no output when machines do not agree")
c.expect(1, "cycle", "compare", *launch, *machines, "--max-cycles", "20")
c.expect(2, "1 machines, expected --machine NAME two to", "compare", *launch, "--machine", "heddle")
c.expect(2, "no input", "compare", *machines)
c.expect(2, "unknown option --functional", "compare", *launch, *machines, "--functional")
c.expect(2, "--jobs cannot be '0'", "compare", *launch, *machines, "--jobs", "0")
c.expect(2, "expected a file that ends in", "compare", *launch, *machines, "--report", "x.pdf")
c.expect(2, "nothere", "compare", *launch, *machines, "--machine", "nothere")
c.expect(2, "beside --launches", "compare", "x.ptx", "--launches", "launches", *machines)
c.file("bad", "scale.ptx 'open\n")
c.expect(2, "^bad:1:1: error: a quote without its partner", "compare", "--launches", "bad", *machines)
c.file("empty", "\n")
c.file("unknown", "scale.ptx\n\nscale.ptx --nothing\n")
c.expect(2, "^unknown:3:11: error: unknown option --nothing", "compare", "--launches", "unknown", *machines)
c.expect(2, "holds no launch", "compare", "--launches", "empty", *machines)

# Ablation: each mechanism added to the baseline, each taken from heddle; ratios to the base of the half.
r = c.run("compare", *launch, "--ablation", "--report", "ablation.json")
c.check(r.status == 0 and "baseline+minrc" in r.out and "heddle-last-use" in r.out and "same" in r.out, "ablation", r)
root = json.loads((c.root / "ablation.json").read_text())
names = ["fence", "predecode", "minrc", "multi-issue", "last-use"]
PAIR = ["fence+multi-issue"]  # MI-15
made = root["launches"][0]["machines"]
c.check([m["machine"] for m in made] == ["baseline"] + ["baseline+" + n for n in names + PAIR] + ["heddle"] + ["heddle-" + n.replace("+", "-") for n in names + PAIR], "fourteen machines")
for base in (0, 7):
    c.check(made[base]["energy_ratio_uncertainty"] == 0, "the ratio of a base to itself is exact")
    for m in made[base + 1:base + 7]:
        apart = m["energy_uncertainty_pj"] / m["energy_pj"]
        c.check(0 < apart < 2 and m["energy_ratio_uncertainty"] < apart / 3, f"{m['machine']}: errors of prices cancel out in a ratio")
c.check(any(m["energy_ratio_uncertainty"] > 0 for m in made), "a mechanism changes the split of the energy")
c.check(root["ablation"] and all(m["outputs_equal"] for m in made), "outputs are the same")
# HZ-38: the energy of order is that of counters, of the scoreboard and of the queues, as a report of the machine alone has it.
for name in ("baseline", "heddle"):
    c.run("run", *launch, "--config", name, "--report", "order.json")
    energy = json.loads((c.root / "order.json").read_text())["energy_pj"]
    order, shown = sum(energy[unit] for unit in ("fence", "scoreboard", "queue")), next(m["energy_order_pj"] for m in made if m["machine"] == name)
    c.check(order > 0 and abs(order - shown) <= 1, f"{name}: energy of order {order}, compared {shown}")
no_order, order = (next(m["energy_order_pj"] for m in made if m["machine"] == name) for name in ("heddle", "heddle-fence"))
c.check(no_order != order, "a scoreboard spends other energy than counters")
for i, m in enumerate(made):
    c.check(abs(m["ratio"]["cycles"] - m["cycles"] / made[i // 7 * 7]["cycles"]) < 1e-6, "ratio to the base of the half")
r = c.run("compare", *launch, "--ablation", "--report", "ablation.html")
page = (c.root / "ablation.html").read_text()
c.check('class="track parts"' in page and "heddle-minrc" in page and "http" not in page, "ablation as a page", r)
c.expect(2, "--machine beside --ablation", "compare", *launch, "--ablation", *machines)

# Ctrl-C: what was counted so far, and nothing is said to differ that was not compared.
c.file("forever.ptx", FOREVER)
process = subprocess.Popen([HEDDLE, "compare", "forever.ptx", "--arg", "out:f.npy:u32:4", *machines, "--report", "f.json"], cwd=c.root, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
time.sleep(1.5)
process.send_signal(signal.SIGINT)
out, err = process.communicate(timeout=60)
c.check(process.returncode == 130, f"Ctrl-C ends with 130, not {process.returncode}: {out}{err}")
c.check("interrupted" in out and "DIFFER" not in out, f"interrupted runs are called so: {out}")
runs = json.loads((c.root / "f.json").read_text())["launches"][0]["machines"]
c.check(all(m["result"] == "interrupted" and m["cycles"] > 0 and m["outputs_equal"] is None for m in runs), "the report so far")
c.check(not (c.root / "f.npy").exists(), "no output of an interrupted comparison")
# Lines side by side are the lines of two single runs, in text, JSON and the page.
c.file("lines.cl", """kernel void lines(global const uint *x, global uint *y)
{
	uint i = get_global_id(0), sum = 0;
	for (uint k = 0; k < 9; k++)
		sum += x[(i * 7 + k * 33) & 255];
	y[i] = sum;
}
""")
lines = ["lines.cl", "--grid", "4", "--block", "64", "--arg", "rand:u32:256:1", "--arg", "zero:u32:256"]
alone = []
for machine in ("baseline", "heddle"):
    c.run("run", *lines, "--config", machine, "--lines", "--report", "one.json")
    alone.append(json.loads((c.root / "one.json").read_text(), parse_float=lambda x: round(float(x), 3)))
texts = {}
for order in ("source", "difference"):
    r = c.run("compare", *lines, "--machine", "baseline", "--machine", "heddle", "--lines", order, "--report", "lines.json")
    both = json.loads((c.root / "lines.json").read_text(), parse_float=lambda x: round(float(x), 3))["launches"][0]["machines"]
    c.check(r.status == 0 and [m["heat"] for m in both] == [a["heat"] for a in alone], f"{order}: the heat of two single runs", r)
    rows = re.findall(r"^ +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([-+][\d.]+)  (?:lines.cl:(\d+)  )?(.*)$", r.out, re.M)
    for which, run in enumerate(alone):
        shown = {int(row[5]): (float(row[2 * which]), float(row[2 * which + 1])) for row in rows if row[5]}
        single = {x["line"]: (x["counts"]["cycles"], x["counts"]["stall_cycles"]) for x in run["heat"]["lines"]}
        c.check(all(abs(shown[n][k] - single[n][k]) < 0.051 for n in single for k in (0, 1)), f"{order}: lines of one run: {shown} {single}")
        c.check(abs(sum(float(row[2 * which]) for row in rows) - run["cycles"]) < 0.06 * len(rows), f"{order}: they add up to the run's cycles")
    texts[order] = rows
    differences = [abs(float(row[4])) for row in rows]
    numbers = [int(row[5]) for row in rows if row[5]]
    c.check(differences == sorted(differences, reverse=True) if order == "difference" else numbers == sorted(numbers), f"{order}: the order: {rows}")
c.check(sorted(texts["source"]) == sorted(texts["difference"]) and len(texts["source"]) >= 4, "the same lines in either order")
c.run("compare", *lines, "--machine", "baseline", "--machine", "heddle", "--lines", "difference", "--report", "lines.html")
text = (c.root / "lines.html").read_text()
first, second = text.index("<details open>"), text.index("<details>")
c.check("largest difference first" in text[first:second] and "order of the source" in text[second:], "the page has both orders, the wanted one open")
for part in (text[first:second], text[second:]):
    found = re.findall(r'rgba[^>]*>([\d.]+)</td><td>([\d.]+)</td><td style[^>]*>([\d.]+)</td><td>([\d.]+)</td><td class="\w+">([-+][\d.]+)</td>', part)
    c.check(sorted(found) == sorted(row[:5] for row in texts["source"]), f"the page has the same numbers: {found}")
c.check("heat" not in (c.run("compare", *lines, "--machine", "baseline", "--machine", "heddle", "--report", "lines.json"), c.root / "lines.json")[1].read_text(), "none without the option")
c.expect(2, "source or difference", "compare", *lines, "--machine", "baseline", "--machine", "heddle", "--lines", "sauce")
c.end()
