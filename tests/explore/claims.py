"""The claims of a page about each instruction, against a Perfetto file of the same run: its stages, its warp, what it waited for, and who let it go
and when. The kernel has divergence, barriers, atomics and a chain through a pipe with few lanes; the machines differ in what holds an instruction."""
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from explorer_page import ENTERED, Reader, runs
from harness import Cases

KERNEL = """__kernel void irregular(__global uint *out, __global const uint *in, uint n)
{
	__local uint bins[32];
	uint me = get_local_id(0), x = in[get_global_id(0) % n], steps = 0;
	float f = x;
	bins[me % 32] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	while (x > 1 && steps < 6) {
		if (x & 1)
			x = x * 3 + 1;
		else if (x & 2)
			x >>= 1;
		else {
			atomic_add(&bins[x & 31], 1u);
			x >>= 2;
		}
		if (++steps % 3 == me % 3)
			x ^= in[(x ^ me) % n] & 7;
		f = native_sin(f) + native_exp2(f * 0.01f);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_max(&out[n], steps + bins[me % 32]);
	out[get_global_id(0)] = x + (uint)f;
}
"""
LAUNCH = "irregular.cl", "--grid", 2, "--block", 96, "--arg", "zero:u32:256", "--arg", "rand:u32:192:1", "--arg", "u32:192"
QUEUE, ISSUE, BARRIER, FLOW, REGISTER = range(5)
# Arguments of a run, and kinds of links and causes that it has to have.
MACHINES = (
    ((), {QUEUE, ISSUE, BARRIER, FLOW}, {"high_latency", "flow", "barrier"}),
    (("--set", "fence.high_latency=0", "--set", "machine.warps=2"), {QUEUE, ISSUE}, {"wait_counter"}),
    (("--set", "fence.unit=instruction", "--set", "fence.bits=1", "--set", "fence.counters=3"), {QUEUE, ISSUE}, {"counter_full"}),
    (("--set", "fence.status_period=8"), {QUEUE, ISSUE}, {"high_latency"}),
    (("--config", "baseline+multi-issue"), {BARRIER, FLOW, REGISTER}, {"scoreboard"}),
)
c = Cases()


class Told:
    """The contents of the Perfetto file: instructions by core and number, values of fence counters by core, scheduler and slot."""

    def __init__(self, path):
        self.instruction, self.values = {}, collections.defaultdict(list)
        for e in json.loads(path.read_text())["traceEvents"]:
            if e.get("cat") == "instruction":
                self.instruction[e["pid"] - 1, e["args"]["number"]] = e["args"]
            elif e["ph"] == "C" and (found := re.match(r"s(\d+) w(\d+) fence", e["name"])):
                self.values[e["pid"] - 1, int(found[1]), int(found[2])].append((e["ts"], e["args"]))

    def first_zero(self, slot, counter, since):
        """The first cycle behind `since` in which the counter falls to zero, or None."""
        up = False
        for at, values in self.values[slot]:
            value = values.get(str(counter), 0)
            if up and not value and at > since:
                return at
            up = value > 0
        return None


class Page:
    def __init__(self, path):
        run, = runs(path)
        machine = run.index["machine"]
        self.causes = [None] + [cause["name"] for cause in run.index["causes"]]
        self.code = {i["pc"]: i for i in run.code["instructions"]}
        self.warps = collections.defaultdict(list)
        for block in run.of["warps"]:
            r = Reader(block)
            while r.at < len(block):
                place, begin, length, x, y, z, warp, _ = (r.number() for _ in range(8))
                self.warps[place].append((begin, begin + length, (x, y, z), warp))
        self.records = {}
        self.lost = [(*divmod(s, machine["schedulers"]), slot - 1, self.causes[cause + 1], first, cycles)
                     for t in run.tiles for s, slot, cause, first, cycles in zip(*(t["lost"][k] for k in ("scheduler", "slot", "cause", "first", "cycles"))) if slot]
        for tile in run.tiles:
            names = [n for n, column in tile.items() if n not in ("of", "lost", "links")]
            for i, links in enumerate(tile["of"]):
                r = {name: tile[name][i] for name in names}
                scheduler, slot = divmod(r["place"], machine["slots"])
                r["slot"] = (scheduler // machine["schedulers"], scheduler % machine["schedulers"], slot)
                r["links"] = [(what & 7, what >> 3, place, number) for what, place, number in links]
                for name in ("enter", "end"):
                    r[name] += r["issue"]
                r["cause"] = self.causes[r["cause"]]
                r["since"], r["until"] = r["issue"] - r["since"], r["issue"] - r["until"]
                r["inst"] = self.code[r["pc"]]
                self.records[r["slot"][0], r["number"]] = r

    def warp(self, r):
        return [w for w in self.warps[r["place"]] if w[0] <= r["issue"] <= w[1]]


def released(r, kind, cause):
    """In which cycle a record let go one that waited for `cause`, as page/tiles.js has it."""
    if kind == ISSUE and cause == "wait_counter":
        return r["enter"] if r["flags"] & ENTERED else r["end"]
    return r["issue"] + r["released"] if kind in (QUEUE, ISSUE) and r["released"] else r["end"]


def link_holds(page, told, r, link):
    """None if the link is right, else what is wrong."""
    kind, counter, place, number = link
    from_ = page.records.get((r["slot"][0], number))
    if not from_ or from_["place"] != place or from_["number"] >= r["number"]:
        return "it leads to no earlier instruction"
    when = released(from_, kind, r["cause"])
    if kind == QUEUE:
        leaves = r["enter"] if r["flags"] & ENTERED else r["end"]
        return None if when <= leaves and from_["inst"]["raises"] == counter and r["inst"]["waits"] >> counter - 1 & 1 else f"released in {when}"
    if kind == ISSUE:
        named = from_["inst"].get("waits", 0) >> counter - 1 & 1 if r["cause"] == "wait_counter" else from_["inst"]["raises"] == counter
        return None if when <= r["issue"] and named else f"released in {when}"
    if kind == BARRIER:
        alike = page.warp(r)[0][2] == page.warp(from_)[0][2] and from_["inst"]["text"].startswith("bar")
        return None if alike and r["since"] <= from_["end"] <= r["issue"] else f"its bar ended in {from_['end']}"
    if kind == FLOW:
        return None if from_["inst"]["pipe"] == "flow" and from_["end"] <= r["issue"] and (r["cause"] != "flow" or r["since"] == from_["issue"] + 1) else "flow"
    return None if from_["end"] > r["since"] else f"it ended in {from_['end']}"


def wait_holds(page, told, r, published):
    """The wait before the issue: the last link that lets go does it in the wait."""
    kind = {"high_latency": ISSUE, "wait_counter": ISSUE, "counter_full": ISSUE, "barrier": BARRIER, "flow": FLOW}.get(r["cause"])
    mine = [page.records[r["slot"][0], number] for k, _, _, number in r["links"] if k == kind]
    if kind is None:
        return None
    if not mine:
        return "no link"
    last = max(released(of, kind, r["cause"]) for of in mine)
    if r["cause"] == "counter_full":
        return None # a part of a counter is enough
    return None if last <= r["issue"] and (last >= r["since"] or not published) else f"the last one was released in {last}"


def colours(page, name, published):
    """The cause of a warp's wait is the one that the report charges its lost slots to: the same colour in the row of the warp and of its scheduler."""
    waits, other, bare = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for r in page.records.values():
        if r["cause"]:
            c.check(r["since"] <= r["until"] <= r["issue"], f"{name}: {r['since']} to {r['until']} before {r['issue']}")
            waits[r["slot"]].append((r["since"], r["until"], r["cause"]))
    followed = {"high_latency", "wait_counter", "flow", "barrier", "scoreboard"} & {cause for list_ in waits.values() for _, _, cause in list_}
    slots = 0
    for *slot, cause, first, cycles in page.lost:
        over = [(min(until, first + cycles) - max(since, first), its) for since, until, its in waits[tuple(slot)]]
        slots += cycles
        if cause != "scoreboard": # held() keeps the first cause of two
            # Of a full counter a part is enough, so nobody tells the end of that wait.
            other[cause] += sum(n for n, its in over if n > 0 and its not in (cause, "scoreboard", "counter_full"))
        # An undecided `bar` is followed by the wait at its barrier, and an `exit` by nothing.
        if cause in followed and published and cause not in ("flow", "scoreboard"):
            bare[cause] += cycles - sum(n for n, its in over if n > 0 and its == cause)
    c.check(slots > 1000, f"{name}: {slots} lost slots of warps")
    # Where flags are published later, a counter is down and holds on, and what comes behind it is not told.
    c.check(sum(other.values()) <= (0 if published else 0.01 * slots), f"{name}: of {slots} lost slots these lie in a wait for something else: {dict(other)}")
    c.check(not any(bare.values()), f"{name}: lost slots of warps that wait for nothing: {dict(bare)}")


def compare(page, told, name, published):
    wrong = collections.defaultdict(list)
    def check(holds, what, r, more=""):
        if not holds:
            wrong[what].append(f"{r['slot']} {r['number']} {r['inst']['text']} in {r['issue']}, {r['cause']} since {r['since']}: {more}")
    c.check(set(page.records) == set(told.instruction), f"{name}: the same instructions")
    kinds = collections.Counter()
    for key, r in page.records.items():
        of = told.instruction[key]
        check((of["issued"], of["pc"], int(of["lanes"], 16)) == (r["issue"], r["pc"], r["lanes"] ^ r["executing"]), "issue", r, of)
        check(of.get("entered", r["enter"]) == r["enter"] and of.get("done", r["end"]) == r["end"], "stages", r, of)
        check(len(page.warp(r)) == 1, "its warp", r, page.warp(r))
        fell = told.first_zero(r["slot"], r["inst"]["raises"], r["issue"]) if r["inst"].get("raises") and r["released"] else None
        if fell is not None and fell <= r["end"]:
            check(r["issue"] + r["released"] == fell, "release", r, f"{r['issue'] + r['released']}, the counter fell in {fell}")
        for link in r["links"]:
            kinds[link[0]] += 1
            why = link_holds(page, told, r, link)
            check(why is None, "link", r, (link, why))
        why = wait_holds(page, told, r, published)
        check(why is None, "wait", r, why)
        kinds[r["cause"]] += 1
    colours(page, name, published)
    for what, list_ in wrong.items():
        c.check(False, f"{name}: {what} of {len(list_)} instructions, " + "; ".join(list_[:3]))
    return kinds


c.file("irregular.cl", KERNEL)
for arguments, kinds, causes in MACHINES:
    name = " ".join(arguments) or "heddle"
    r = c.run("run", *LAUNCH, *arguments, "--quiet", "--trace", "perfetto:run.json", "--explore", "run.html")
    c.check(r.status == 0, f"{name}: a run", r)
    found = compare(Page(c.root / "run.html"), Told(c.root / "run.json"), name, "fence.status_period=8" not in arguments)
    c.check(all(found[k] for k in kinds | causes), f"{name}: {dict(found)}")
c.end()
