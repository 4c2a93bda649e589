"""heddle run --listing and HTML reports: totals are the run's, the page needs nothing else."""
import json
import re

from harness import SOURCE, Cases

c = Cases()
launch = ["run", SOURCE / "examples/saxpy/saxpy.cl", "--grid", "8", "--block", "64", "--arg", "rand:f32:512:1", "--arg", "zero:f32:512", "--arg", "f32:2", "--arg", "u32:512"]
r = c.run(*launch, "--listing", "l.txt", "--report", "r.json")
c.check(r.status == 0, "a listing", r)
report, listing = json.loads((c.root / "r.json").read_text()), (c.root / "l.txt").read_text()
slots = report["run"]["issue_slots"]
c.check(re.search(rf"^ +{slots} 100.0%    all$", listing, re.M), "the listing's total is the run's slots")
c.check("fma(a, x[i], y[i])" in listing, "source text")
rows = re.findall(r"^ +(\d+) +[\d.]+% +\d+ +\d+ +([\d.]+) +([\d.]+) +(\d+)    (?:L\d+|no instruction)", listing, re.M)
c.check(sum(int(row[0]) for row in rows) == slots, "instructions add up to all slots")
c.check(abs(sum(float(row[1]) for row in rows) - report["cycles"]) < 0.1 * len(rows), "and to all cycles")
c.check(sum(int(row[3]) for row in rows) == report["memory"]["sectors"] > 0, "and to all sectors")
for cause, lost in report["stall_cycles"].items():
    lines = [x.split("; lost:")[1].split(" (")[0] for x in listing.splitlines() if "; lost:" in x]
    c.check(sum(int(n) for x in lines for n in re.findall(rf" {cause} (\d+)", x)) == lost, f"cause {cause} adds up")
r = c.run(*launch, "--report", "p.html")
page = (c.root / "p.html").read_text() if r.status == 0 else ""
c.check("<svg" in page and "Line by line" in page and "http" not in page, "one page that needs nothing else", r)
# Each line and instruction in JSON and text: the same counts, which add up to the run's.
r = c.run(*launch, "--lines", "--report", "lines.json")
report = json.loads((c.root / "lines.json").read_text())
heat = report["heat"]
total = lambda rows, key: sum(row[key] for row in rows)
for name, rows in (("lines", [x["counts"] for x in heat["lines"]] + [heat["no_line"]]), ("instructions", [x["counts"] for x in heat["instructions"]])):
    rows.append(heat["no_instruction"])
    run, stalls = report["run"], report["stall_cycles"]
    for key, sum_of in (("slots", run["issue_slots"]), ("slots_used", run["slots_used"]), ("issued", run["issued"]), ("dropped", run["dropped"]),
                        ("sectors", report["memory"]["sectors"])):
        c.check(total(rows, key) == sum_of, f"{name}: {key} add up: {total(rows, key)}, {sum_of}")
    c.check(abs(total(rows, "cycles") - report["cycles"]) < 1e-6 * report["cycles"], f"{name}: cycles add up to the run's")
    share = report["cycles"] * (run["issue_slots"] - run["slots_used"]) / run["issue_slots"]
    c.check(abs(total(rows, "stall_cycles") - share) < 1e-6 * share, f"{name}: stall cycles add up to the lost share of them")
    c.check({k: sum(row["lost"].get(k, 0) for row in rows) for k in stalls} == stalls, f"{name}: cause by cause")
c.check([x["text"] for x in heat["lines"] if "fma" in x["text"]] == ["		y[i] = fma(a, x[i], y[i]);"], f"the source: {[x['text'] for x in heat['lines']]}")
c.check(any(x["waits"] and x["text"].startswith("ffma") for x in heat["instructions"]), "who waited for whom")
text = c.run(*launch, "--lines", "--report", "lines.txt")
text = (c.root / "lines.txt").read_text()
c.check("Line by line" in text and listing in text, "the text report has the listing")
words = [int(word) for word in re.findall(r"    L(\d+) ", listing)]
c.check(len(set(words)) == len(words) and {x["word"] for x in heat["instructions"]} <= set(words), "each instruction once", r)
c.check(all(word % 8 for word in words), "no scheduling word")
c.check("heat" not in json.loads((c.run(*launch, "--report", "r.json"), c.root / "r.json")[1].read_text()), "and none without --lines")
c.expect(2, "--lines counts issue slots", *launch, "--functional", "--lines", "--report", "x.json")
c.expect(2, "--lines without --report", *launch, "--lines")

# Whatever the source is called, its lines are found; and the assembly of its object says the same name.
for name in ("\u00fc b.cl", 'a"b.cl', "a\\303.cl", "it's <b>.cl"):
    c.file(name, "kernel void odd(global uint *out)\n{\n\tout[get_global_id(0)] = 7;\n}\n")
    odd = c.run("run", name, "--block", 32, "--arg", "zero:u32:32", "--listing", "-", "--quiet")
    c.check("out[get_global_id(0)] = 7;" in odd.out, f"lines of {name}", odd)
    c.run("compile", name, "-o", "odd.hko")
    c.run("disasm", "odd.hko", "-o", "odd.hasm")
    c.run("asm", "odd.hasm", "-o", "again.hko")
    c.check((c.root / "odd.hko").read_bytes() == (c.root / "again.hko").read_bytes(), f"the assembly of {name}")

# A roofline: numbers of the run, and ceilings of the machine; without the option there is none, and the rest of the report is the same.
r = c.run(*launch, "--roofline", "--report", "roof.json")
report = json.loads((c.root / "roof.json").read_text())
roof, plain = report.pop("roofline"), json.loads((c.run(*launch, "--report", "r.json"), c.root / "r.json")[1].read_text())
c.check({k: v for k, v in report.items() if k != "host"} == {k: v for k, v in plain.items() if k != "host"}, "a roofline changes nothing else", r)
memory, dram = report["memory"], roof["levels"]["dram"]
c.check(dram["bytes"] == 32 * (memory["dram_reads"] + memory["dram_writes"]) and abs(dram["intensity"] - roof["operations"] / dram["bytes"]) < 1e-9, f"bytes of DRAM: {roof}")
c.check(roof["levels"]["l2"]["bytes"] == 32 * (memory["l2_hits"] + memory["l2_misses"]), "bytes of the second level")
lanes = sum(v for k, v in report["lanes"].items() if k not in ("coord", "tex", "latom", "lsu", "flow"))
c.check(roof["operations"] == lanes and abs(roof["operations_per_cycle"] - lanes / report["cycles"]) < 1e-9, "operations")
c.check(roof["bound"] == "dram" and abs(dram["roof"] - dram["intensity"] * roof["ceilings"]["bytes_per_cycle"]["dram"]) < 1e-9, f"saxpy is bound by DRAM: {roof}")
c.check(0 < dram["reached"] < 1 and abs(dram["reached"] * dram["roof"] - roof["operations_per_cycle"]) < 1e-9, "what it reached")
r = c.run(*launch, "--roofline", "--report", "-")
c.check("Roofline: against what" in r.out and "(the lowest roof)" in r.out, "a roofline as text", r)
c.expect(2, "--roofline shows operations a cycle", *launch, "--functional", "--roofline", "--report", "x.json")
c.expect(2, "--roofline without --report", *launch, "--roofline")

r = c.run(*launch, "--functional", "--report", "f.html")
c.check(r.status == 0 and (c.root / "f.html").exists(), "a page of a run without time", r)
c.expect(2, "--listing counts issue slots", *launch, "--functional", "--listing", "x")
c.end()
