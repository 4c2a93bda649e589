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
rows = re.findall(r"^ +(\d+) +[\d.]+% +\d+ +\d+    (?:L\d+|no instruction)", listing, re.M)
c.check(sum(map(int, rows)) == slots, "instructions add up to all slots")
for cause, lost in report["stall_cycles"].items():
    lines = [x.split("; lost:")[1].split(" (")[0] for x in listing.splitlines() if "; lost:" in x]
    c.check(sum(int(n) for x in lines for n in re.findall(rf" {cause} (\d+)", x)) == lost, f"cause {cause} adds up")
r = c.run(*launch, "--report", "p.html")
page = (c.root / "p.html").read_text() if r.status == 0 else ""
c.check("<svg" in page and "Line by line" in page and "http" not in page, "one page that needs nothing else", r)
r = c.run(*launch, "--functional", "--report", "f.html")
c.check(r.status == 0 and (c.root / "f.html").exists(), "a page of a run without time", r)
c.expect(2, "--listing counts issue slots", *launch, "--functional", "--listing", "x")
c.end()
