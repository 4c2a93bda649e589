"""heddle run --explore and heddle compare --explore: what is on the page is what the report counted, the same run has the same bytes, and no text from
outside is markup."""
import json
import re

from explorer_page import DROPPED, ENTERED, Run, runs
from harness import Cases, SOURCE

c = Cases()
matmul = [SOURCE / "examples/matmul/matmul.cl", "--kernel", "matmul_tiled", "--grid", "2,1", "--block", "16,16", "--arg", "rand:f32:1024:1", "--arg", "rand:f32:1024:2",
          "--arg", "zero:f32:1024", "--arg", "u32:16", "--arg", "u32:32", "--arg", "u32:16"]


def explore(name, *arguments, status=0):
    page = c.root / f"{name}.html"
    r = c.run("run", *arguments, "--quiet", "--explore", page, "--lines", "--report", f"{name}.json")
    c.check(r.status == status, f"{name}: a run with a page", r)
    return page, runs(page)[0], json.loads((c.root / f"{name}.json").read_text())


# Whole runs: tiles, levels and index are what the report counted.
for machine in ("heddle", "baseline", "baseline+multi-issue"):
    page, run, report = explore(machine, *matmul, "--config", machine)
    x = run.index
    stalls = list(report["stall_cycles"].values())
    c.check(x["used"] == report["run"]["slots_used"] and [k["lost"] for k in x["causes"]] == stalls, f"{machine}: slots by cause, {x['used']}")
    c.check([k["name"] for k in x["causes"]] == list(report["stall_cycles"]), f"{machine}: names of causes")
    c.check(x["instructions"] == report["run"]["issued"] == len(run.column("pc")), f"{machine}: a record an instruction")
    c.check(x["executed"] == report["run"]["warp_instructions"], f"{machine}: {x['executed']} warp instructions")
    c.check(x["message"] == "", f"{machine}: {x['message']}")
    c.check(x["cycles"] == report["run"]["cycles"] + 1, f"{machine}: the page ends behind the report's last cycle")
    c.check(run.lost() == stalls, f"{machine}: lost slots of tiles")
    memory = report["memory"]
    c.check((sum(run.column("sectors")), sum(run.column("hits"))) == (memory["sectors"], memory["l1_hits"]), f"{machine}: sectors of records")
    # A packet is at its slice behind the access and before the end; what the first cache had sends none (MT-1).
    there = [(a, e, x, s - h) for t in run.tiles for a, e, x, s, h in zip(t["access"], t["enter"], t["arrival"], t["sectors"], t["hits"])]
    lengths = [x - e for t in run.tiles for x, e in zip(t["end"], t["enter"])]
    c.check(any(x for _, _, x, _ in there) and all(a < x <= end for (a, _, x, _), end in zip(there, lengths) if x), f"{machine}: ways of packets")
    c.check(all(not x for _, _, x, behind in there if not behind), f"{machine}: hits send no packet")
    c.check(sum(bool(f & ENTERED) for f in run.column("flags")) == sum(report["pipelines"].values()), f"{machine}: entries into pipes")
    c.check(sum(bool(f & DROPPED) for f in run.column("flags")) == report["run"]["dropped"], f"{machine}: drops")
    for i in range(len(run.of["level"])):
        width, n, sums = run.level(i)
        c.check(sums == [*stalls, x["used"], x["instructions"]], f"{machine}: level {i} of {n} bins of {width} cycles: {sums}")
    c.check(x["kernels"] == ["matmul_tiled"] and x["machine"]["name"] == machine and not x["cut"], f"{machine}: names")
    counted = {i["pc"]: i.get("issued", 0) for i in run.code["instructions"]}
    c.check(all(run.column("pc").count(pc) == n for pc, n in counted.items()), f"{machine}: counts of instructions")
    heat = {i["word"]: i["counts"]["lost"] for i in report["heat"]["instructions"]}
    c.check(all(i["lost"] == heat[i["pc"]] for i in run.code["instructions"]) and any(heat.values()), f"{machine}: lost slots of instructions")
    # The annotation says p1.r where the read of operands lowers counter 1, else p1.w.
    raisers = [i for i in run.code["instructions"] if i.get("raises")]
    c.check(all(bool(i.get("byRead")) == (f"p{i['raises']}.r" in i["note"]) for i in raisers), f"{machine}: who lowers a counter by its read")
    c.check(machine != "heddle" or any(i.get("byRead") for i in raisers), f"{machine}: one does")
    files = {f["name"]: f["lines"] for f in run.code["files"]}
    c.check([line for lines in files.values() for line in lines] == (SOURCE / "examples/matmul/matmul.cl").read_text().splitlines(), f"{machine}: the source")
    # A link leads to an instruction that is there, was issued earlier, and raised the counter that it names.
    where = {(p, n): (pc, cycle) for p, n, pc, cycle in zip(*(run.column(k) for k in ("place", "number", "pc", "issue")))}
    by = {i["pc"]: i for i in run.code["instructions"]}
    links = 0
    for t in run.tiles:
        for i, of in enumerate(t["of"]):
            for what, place, number in of:
                pc, cycle = where[place, number]
                links += 1
                good = cycle <= t["issue"][i]
                if what & 7 == 0:
                    good = good and by[pc]["raises"] == what >> 3 and by[t["pc"][i]]["waits"] >> (what >> 3) - 1 & 1
                c.check(good, f"{machine}: the link from {pc} to {t['pc'][i]}")
    c.check(links > 100, f"{machine}: {links} links")

# The same run, the same bytes; what the page costs the run: nothing.
again, _, report_again = explore("again", *matmul, "--config", "baseline+multi-issue")
c.check(again.read_bytes() == page.read_bytes(), "the same bytes")
c.run("run", *matmul, "--config", "baseline+multi-issue", "--report", "without.json")
without = json.loads((c.root / "without.json").read_text())
c.check({k: v for k, v in without.items() if k != "host"} == {k: v for k, v in report_again.items() if k not in ("host", "heat", "energy_over_time")}, "the run is the same without a page")
r = c.run("run", *matmul, "--config", "baseline+multi-issue", "--quiet", "--trace", "explore:trace.html")
c.check(r.status == 0 and (c.root / "trace.html").read_bytes() == page.read_bytes(), "--trace explore:FILE is --explore FILE", r)

# A window of cycles has records; the levels have the whole run.
whole = Run((c.root / "heddle.html").read_text())
_, part, _ = explore("part", *matmul, "--config", "heddle", "--trace-cycles", "400..460")
c.check(part.index["first"] == 400 and part.index["last"] == 460, "the window")
c.check(sorted(part.column("number")) == sorted(n for n, i in zip(whole.column("number"), whole.column("issue")) if 400 <= i <= 460), "the records of the window")
c.check(part.of["level"] == whole.of["level"] and part.of["warps"] == whole.of["warps"], "the levels of the whole run")
lost = sum(cycles for t in part.tiles for cycles in t["lost"]["cycles"])
c.check(all(400 <= f and f + n <= 461 for t in part.tiles for f, n in zip(t["lost"]["first"], t["lost"]["cycles"])) and lost > 0, "lost slots of the window")
_, one, _ = explore("one", *matmul, "--config", "heddle", "--trace-warp", "1.2", "--trace-core", "0")
places = {1 * whole.index["machine"]["slots"] + 2}
c.check(set(one.column("place")) == places and one.of["level"] == whole.of["level"], "one warp slot")

# A window in which nothing is issued: the page is there, and a warning.
late = whole.index["cycles"] + 100
for command in (("run", *matmul, "--quiet"), ("compare", *matmul, "--machine", "baseline", "--machine", "heddle")):
    r = c.run(*command, "--explore", "none.html", "--trace-cycles", f"{late}..")
    c.check(r.status == 0 and f"warning: the trace has no instruction: none was issued from cycle {late} on" in r.err, "a warning", r)
    c.check(not any(x.column("pc") for x in runs(c.root / "none.html")), "a page without records")

# Text from outside is never markup.
bad = "</script></div><img src=x onerror=alert(1)><!--"
folder = c.root / "<img src=y onerror=alert(2)>"
folder.mkdir()
source = folder / "a&b'<b>.cl"
source.write_text(f"/* {bad} \u2028 \xff */\n__kernel void f(__global int *x) {{ x[get_global_id(0)] = 1; }} // {bad}\n", encoding="latin-1", errors="replace")
page, run, _ = explore("hostile", source, "--grid", "1", "--block", "32", "--arg", "zero:i32:32")
text = page.read_text()
c.check("onerror" not in text and "<img" not in text, "no markup from outside")
c.check(text.count("<script") == len(run.index["blocks"]) + 2 == text.count("</script>"), "scripts are ours")
c.check(not re.search(r"https?:|src=|@import|url\(", text), "the page asks nothing of a network")
c.check(any(bad in line for f in run.code["files"] for line in f["lines"]), "the source is on it, as text")

# A run that ends early has a whole page.
_, run, report = explore("early", *matmul, "--max-cycles", "500", status=1)
c.check("error: kernel 'matmul_tiled': the limit was reached" in run.index["message"], f"what it says: {run.index['message']}")
c.check(run.index["cycles"] <= 502 and run.index["instructions"] == report["run"]["issued"] == len(run.column("pc")), "a run that was stopped")

# Two runs on a page.
r = c.run("compare", *matmul, "--machine", "baseline", "--machine", "heddle", "--explore", "two.html")
c.check(r.status == 0, "a page of two runs", r)
two = runs(c.root / "two.html")
c.check([x.index["machine"]["name"] for x in two] == ["baseline", "heddle"], "two runs in their order")
c.check(two[1].of["tile"] == whole.of["tile"] and two[1].of["level"] == whole.of["level"], "each as on a page of its own")
c.check((c.root / "two.html").read_text().count("const H = {}") == 1, "one page")
# One with nops, with instructions that no lane executes, and with calls; on machines that drop them and on one that does not. A trap, as an application has it.
c.file("odd.cl", "uint gcd(uint a, uint b) { while (a != b) { if (a < b) b -= a; else a -= b; } return a; }\n"
       "kernel void odd(global uint *out) { uint i = get_global_id(0); if (i & 1) i = gcd(i + 1, 36); out[i & 63] = i; if (get_global_size(0) > 64 && i == 4) __builtin_trap(); }\n")
for machine in ("heddle", "baseline", "multi-issue", "minrc"):
    _, run, report = explore("odd", "odd.cl", "--block", "64", "--arg", "zero:u32:64", "--config", machine)
    c.check(run.index["executed"] == report["run"]["warp_instructions"], f"odd, {machine}: {run.index['executed']}, {report['run']}")
_, run, _ = explore("trap", "odd.cl", "--grid", "2", "--block", "64", "--arg", "zero:u32:64", status=1)
c.check("executed a trap" in run.index["message"], f"a trap: {run.index['message']}")
r = c.run("compare", "odd.cl", "--grid", "2", "--block", "64", "--arg", "zero:u32:64", "--machine", "baseline", "--machine", "heddle", "--explore", "two.html")
c.check(all("executed a trap" in x.index["message"] for x in runs(c.root / "two.html")), "traps of two runs", r)
r = c.run("compare", *matmul, "--machine", "baseline", "--machine", "heddle", "--explore", "two.html", "--trace-cycles", "100:200")
c.check(r.status == 0 and all(100 <= i <= 200 for x in runs(c.root / "two.html") for i in x.column("issue")), "a window of two runs", r)

# Impossible combinations.
for command, pattern in (
    (("run", *matmul, "--functional", "--explore", "no.html"), "--explore shows cycles, which a --functional run"),
    (("run", *matmul, "--functional", "--trace", "vcd:no.vcd"), "--trace shows cycles, which a --functional run"),
    (("compare", *matmul, "--machine", "baseline", "--machine", "heddle", "--machine", "fence", "--explore", "no.html"), "two machines"),
    (("compare", *matmul, "--machine", "baseline", "--machine", "heddle", "--trace-cycles", "1:2"), "--trace-cycles without --explore"),
    (("compare", *matmul, "--machine", "baseline", "--machine", "heddle", "--explore", "no.html", "--trace-cycles", "2:1"), "FIRST:LAST"),
    (("run", *matmul, "--explore", "nowhere/no.html"), "nowhere/no.html"),
):
    r = c.run(*command)
    c.check(r.status == 2 and pattern in r.err and not (c.root / "no.html").exists(), f"refused: {pattern}", r)

c.end()
