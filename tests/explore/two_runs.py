"""A page of two runs (heddle compare --explore): a click on an instruction of one shows the same instruction of the other. What is the same is known
from a Konata file of each run on its own."""
import re

MACHINES = "heddle", "baseline"


class Executions:
    """Instructions of a run in the order in which each warp executed them: {(cta, warp): [{...}]}."""

    def __init__(self, path):
        now, rows = 0, {}
        for line in open(path, encoding="utf-8"):
            word = line.rstrip("\n").split("\t")
            if word[0] in ("C", "C="):
                now = int(word[1]) + (now if word[0] == "C" else 0)
            elif word[0] == "I":
                rows[word[1]] = {}
            elif word[0] == "L" and (found := re.match(r"c\d+ s\d+ w\d+: L(\d+) (?:@!?p\d+ )?(\S+)", word[3])):
                rows[word[1]].update(pc=int(found[1]), operation=found[2])
            elif word[0] == "L" and (found := re.match(r"core (\d+),.*: warp (\d+) of CTA \((.*?)\), instruction (\d+),", word[3])):
                rows[word[1]].update(core=int(found[1]), warp=(found[3], int(found[2])), number=int(found[4]))
            elif word[0] == "L" and (found := re.fullmatch(r"\\n.*:(\d+)", word[3])):
                rows[word[1]]["line"] = int(found[1])
            elif word[0] == "S" and word[3] == "Q":
                rows[word[1]]["issue"] = now
        self.of, self.by = {}, {}
        for row in sorted((r for r in rows.values() if "issue" in r), key=lambda r: r["number"]):
            mine = self.of.setdefault(row["warp"], [])
            row["turn"] = sum(r["pc"] == row["pc"] for r in mine)
            mine.append(row)
            self.by[row["core"], row["number"]] = row


def shown(b, run):
    """Core and number of the instruction that is chosen in a run, or outlined in it; and where it is in the part that is shown."""
    record = "(H.chosen.run === %d ? H.chosen.record : H.twin && H.twin.record)" % run
    return b.js(f"""(() => {{ const r = {record}, v = H.views[{run}], issue = r.tile.issue[r.at];
        return [H.runs[{run}].rows[r.tile.row[r.at]].core, r.tile.number[r.at], (issue - v.first) / (v.last - v.first), issue]; }})()""")


def click(b, run, row):
    """Shows an instruction of a run and clicks on its cell."""
    b.js(f"H.show({run}, {row['issue'] - 20}, {row['issue'] + 40}), 1")
    b.wait(f"H.runs[{run}].known(H.views[{run}].first, H.views[{run}].last) !== null")
    where = f"""(() => {{ const p = H.panels[{run}], run = H.runs[{run}], box = p.canvas.getBoundingClientRect();
        const at = run.warps.findIndex((list) => list.some((w) => w.number === {row["warp"][1]} && w.cta.join(",") === "{row["warp"][0]}"));
        const item = H.layout(run, true).items.find((i) => i.row === at);
        H.views[{run}].top = item.y;
        p.draw();
        return new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() =>
            f([box.left + p.c.x({row["issue"]}) + p.c.perCycle / 2, box.top + H.AXIS + item.y - H.views[{run}].top + 8])))); }})()"""
    b.click_at(*b.js(where))
    b.wait("H.chosen.record !== null && document.querySelector('#details .twin') !== null")


def outlined(b, run):
    """Pixels in the colour of what is chosen where the outlined instruction is issued."""
    return b.js(f"""new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => {{
        const p = H.panels[{run}], r = H.twin.record, item = p.layout.items.find((i) => i.row === r.tile.row[r.at]), [red, green, blue] = H.rgb(H.ink("accent"));
        const copy = document.createElement("canvas").getContext("2d", {{ willReadFrequently: true }});
        copy.drawImage(p.canvas, p.c.x(r.tile.issue[r.at]) - 3, H.AXIS + item.y - H.views[{run}].top, 12, item.height, 0, 0, 12, item.height);
        const data = copy.getImageData(0, 0, 12, item.height).data;
        f([...Array(data.length / 4).keys()].filter((i) => data[4 * i] === red && data[4 * i + 1] === green && data[4 * i + 2] === blue).length); }})))""")


def same(b, cases, runs, clicked, row):
    """Clicks, and expects the same instruction on the other side."""
    other = 1 - clicked
    click(b, clicked, row)
    core, number, share, issue = shown(b, clicked)
    cases.check((core, number) == (row["core"], row["number"]), f"a click on {row} chooses {number} of core {core}")
    said = b.js("document.querySelector('#details .twin').innerText")
    alike = [r for r in runs[other].of[row["warp"]] if (r["operation"], r.get("line"), r["turn"]) == (row["operation"], row.get("line"), row["turn"])]
    if b.js("H.twin === null"):
        cases.check(not alike or len({r["pc"] for r in alike}) > 1, f"{row} was not found in the other run, which has {alike}")
        cases.check("not found" in said, f"the panel says so: {said}")
        return False
    core, number, there, cycle = shown(b, other)
    twin = runs[other].by[core, number]
    cases.check(twin in alike and twin["warp"] == row["warp"] and twin["issue"] == cycle, f"the twin of {row} is {twin}")
    length = b.js(f"H.views[{other}].last - H.views[{other}].first")
    edge = b.js(f"H.views[{other}].first === 0 || H.views[{other}].last >= H.runs[{other}].index.cycles")
    cases.check(edge or abs(share - there) * length < 1, f"the twin is at {there:.3f} of its side, the instruction at {share:.3f}")
    later = cycle - issue
    text = re.sub(r"[\u202f ]", "", said)
    cases.check(f"cycle{cycle},{abs(later)}cycle" in text and ("earlier" if later < 0 else "later") in text, f"the panel says cycle {cycle}, {later} later: {said}")
    cases.check(outlined(b, other) > 10, f"the twin of {row} is outlined")
    return True


def make(cases, source, *launch):
    """Writes two.html, part.html with records of a part, and a Konata file of each run."""
    for machine in MACHINES:
        r = cases.run("run", source, *launch, "--config", machine, "--quiet", "--trace", f"konata:{machine}.konata")
        cases.check(r.status == 0, f"a Konata file of {machine}", r)
    both = [word for machine in MACHINES for word in ("--machine", machine)]
    for name, window in (("two", ()), ("part", ("--trace-cycles", "500:"))):
        r = cases.run("compare", source, *launch, *both, "--explore", f"{name}.html", *window)
        cases.check(r.status == 0, f"{name}.html of two runs", r)
    return [Executions(cases.root / f"{machine}.konata") for machine in MACHINES]


def two_runs(b, cases, runs):
    b.open(cases.root / "two.html")
    cases.check(b.js("H.panels.map((p) => p.canvas.getBoundingClientRect().width > 200).join()") == "true,true", "both runs are side by side")
    found = 0
    for clicked, warp in ((0, ("0,0,0", 0)), (1, ("1,0,0", 1))):
        mine = runs[clicked].of[warp]
        alone = [r for r in mine if sum(q["issue"] == r["issue"] for q in mine) == 1]
        looped = [r for r in alone if r["turn"] > 1]
        for row in (alone[1], alone[len(alone) // 3], looped[0], looped[-1]):
            found += same(b, cases, runs, clicked, row)
            b.press("Escape")
    cases.check(found >= 5, f"{found} of 8 instructions were found on the other side")
    # The button goes to the other run, from where the first instruction is the same one.
    row = next(r for r in runs[0].of["0,0,0", 0] if r["turn"] == 1)
    same(b, cases, runs, 0, row)
    b.click("#details .twin button")
    b.wait("H.chosen.run === 1 && H.twin !== null && H.twin.run === 0")
    cases.check(tuple(shown(b, 0)[:2]) == (row["core"], row["number"]), "the twin's twin is the instruction itself")
    # Executions of a loop cannot be counted where the records begin behind the warp.
    b.open(cases.root / "part.html")
    late = next(r for r in runs[0].of["0,0,0", 0] if r["issue"] > 520 and r["turn"] > 0)
    click(b, 0, late)
    said = b.js("document.querySelector('#details .twin').innerText")
    cases.check(b.js("H.twin === null") and "500" in said, f"a part of a run has no twins: {said}")
