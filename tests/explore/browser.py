"""The explorer's page in headless Chromium, with clicks and keys: what it says against other traces of the same run (VCD, Konata), in light and dark,
on a screen and on a phone, of one run and of two. Further arguments FROM==>TO
change the page first: they break it, for tests of this test."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from webdriver import Browser, absent

if absent():
    print(absent())
    sys.exit(77)

from harness import Cases
import two_runs
from vcd import Vcd

KERNEL = """uint deeper(uint x, uint n) { for (uint i = 0; i < n; i++) x = x * 1664525u + i; return x; }
__kernel void lanes(__global uint *out, __global const uint *in)
{
	uint i = get_global_id(0), x = in[i];
	if (i & 1)
		x += deeper(x, i & 7);
	else
		x ^= in[(i * 7) & 127];
	out[i] = x;
}
"""
CORE = "core0.scheduler"


class Konata:
    """Instructions of core 0 by number: cycles of issue and retirement, text."""

    def __init__(self, path):
        now, row, self.text, self.issue, self.end = 0, {}, {}, {}, {}
        for line in open(path, encoding="utf-8"):
            word = line.rstrip("\n").split("\t")
            if word[0] == "C=":
                now = int(word[1])
            elif word[0] == "C":
                now += int(word[1])
            elif word[0] == "L" and word[2] == "0":
                self.text[word[1]] = word[3]
            elif word[0] == "L" and (found := re.search(r"instruction (\d+),", word[3])):
                row[word[1]] = int(found[1])
            elif word[0] == "S" and word[3] == "Q":
                self.issue[word[1]] = now
            elif word[0] == "R":
                self.end[word[1]] = now
        rows = {r: n for r, n in row.items() if self.text[r].startswith("c0 ")}
        self.text = {n: self.text[r] for r, n in rows.items()}
        self.issue = {n: self.issue[r] for r, n in rows.items() if r in self.issue}
        self.end = {n: self.end[r] for r, n in rows.items() if r in self.end}


def chosen(b):
    """Number and row of the instruction that is chosen; None: none."""
    return b.js("H.chosen.record && [H.chosen.record.tile.number[H.chosen.record.at], H.chosen.row]")


def cycle(b):
    return int(b.js("H.by('cycle').dataset.cycle"))


def at_cycle(b, wanted):
    b.wait(f"H.by('cycle').dataset.cycle === '{wanted}'")


def shown(b):
    """The values of the cycle's view, by cell; and its scheduler and warp slot."""
    return b.js("[H.cycleView.scheduler, H.cycleView.slot, Object.fromEntries([...document.querySelectorAll('#cycle [data-cell]')].map((e) => [e.dataset.cell, [Number(e.dataset.value), e.textContent]]))]")


def click_in_the_pipeline(b, cases, konata):
    """A click on a cell of the canvas chooses its instruction, and the panel says what Konata's file says."""
    mine = [n for n, text in konata.text.items() if " s0 w0:" in text and n in konata.issue and n in konata.end]
    cycles = [konata.issue[n] for n in mine]
    numbers = sorted(n for n in mine if cycles.count(konata.issue[n]) == 1)  # those of one cycle lie on top of each other
    for number in (numbers[2], numbers[len(numbers) // 2], numbers[-3]):
        issue = konata.issue[number]
        b.js(f"H.show(0, {issue - 20}, {issue + 40}), 1")
        b.wait("H.runs[0].known(H.views[0].first, H.views[0].last) !== null")
        b.js("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))")
        x, y = b.js(f"""(() => {{ const p = H.panels[0], box = p.canvas.getBoundingClientRect(), row = H.runs[0].rows.findIndex((r) => r.core === 0 && r.unit === 0 && r.slot === 0);
            const item = H.layout(H.runs[0], true).items.find((i) => i.row === row);
            return [box.left + p.c.x({issue}) + p.c.perCycle / 2, box.top + H.AXIS + item.y - H.views[0].top + 8]; }})()""")
        b.click_at(x, y)
        b.wait("H.chosen.record !== null")
        said = b.js("H.by('details').innerText")
        cases.check(chosen(b)[0] == number, f"a click at instruction {number} chooses {chosen(b)}")
        text = re.sub(r"^c0 s0 w0: (L\d+) ", "", konata.text[number])
        cases.check(text.split(" ")[0] in said, f"the panel of instruction {number} has `{text}`:\n{said}")
        cases.check(re.sub(r"\D", "", str(issue)) in re.sub(r"[\u202f ]", "", said), f"the panel of instruction {number} has its issue cycle {issue}:\n{said}")
        b.press("Escape")


def compare_units(b, cases, vcd):
    """Compares the view of a warp in this cycle with the VCD file. Returns the cells that it compared."""
    now = cycle(b)
    scheduler, slot, cells = shown(b)
    warp = f"{CORE}{scheduler}.warp{slot:02}"
    if not vcd.value(warp + ".resident", now):
        return 0
    compared = 0
    for name, (value, text) in cells.items():
        group, index, field, i = name.split(".")
        if group != "warp" or field not in ("counter", "minrc", "resume"):
            continue
        signal = {"counter": f".fence{int(i) + 1}", "minrc": ".minrc", "resume": f".resume.lane{int(i):02}"}[field]
        expected = vcd.value(warp + signal, now)
        if field != "counter":
            expected = -1 if expected in (None, 0xFFFFFFFF) else expected
        cases.check(value == expected, f"cycle {now}, {name} is {value} ({text}), in the VCD file {warp}{signal} is {expected}")
        if field == "counter":
            cases.check(text == str(value), f"cycle {now}, {name} shows {text}, and is {value}")
        compared += 1
    return compared


def releases(b, cases, vcd):
    """The panel says when the counter fell that an instruction waited for before its issue."""
    waits = b.js("""H.runs[0].tiles(0, 1e9).then((tiles) => tiles.flatMap((t) => [...Array(t.n).keys()].flatMap((at) => (t.linksOf[at] || []).filter((l) => l.kind === H.link.issue).map((l) => {
        const from = H.search(t.number, l.number, t.begin[l.row], t.begin[l.row + 1]), r = H.runs[0].rows[t.row[at]];
        return [r.core, r.unit, r.slot, t.number[at], t.row[at], l.counter, t.issue[from]]; }))))""")
    waits = [w for w in waits if w[0] == 0]
    cases.check(len(waits) > 5, f"{len(waits)} instructions waited before their issue")
    for core, unit, slot, number, row, counter, raised in (waits[0], waits[len(waits) // 2], waits[-1]):
        b.js(f"H.chooseNumber(0, {row}, {number}, {raised}), 1")
        b.wait(f"H.chosen.record && H.chosen.record.tile.number[H.chosen.record.at] === {number} && H.by('details').innerText.includes('released in cycle')")
        said = re.sub(r"[\u202f ]", "", b.js("H.by('details').innerText"))
        fell = next(at for at, value in vcd.changes[vcd.signals[f"{CORE}{unit}.warp{slot:02}.fence{counter}"]] if at > raised and value == 0)
        cases.check(f"forcounter{counter};releasedincycle{fell}" in said, f"instruction {number} waited for counter {counter}, which fell in cycle {fell}: {said}")
    b.press("Escape")


def issues(b, cases, vcd):
    """Who issued, by the table of the scheduler, and by the VCD file."""
    now = cycle(b)
    for scheduler in (0, 1):
        b.click(f"#cycle [data-scheduler='{scheduler}']")
        b.wait(f"H.cycleView.scheduler === {scheduler}")
        got = b.js("[...document.querySelectorAll('#cycle .order [data-outcome=\"0\"]')].map((e) => Number(e.closest('tr').dataset.slot))")
        expected = [vcd.value(f"{CORE}{scheduler}.issue{i}.warp", now) for i in range(4) if vcd.value(f"{CORE}{scheduler}.issue{i}.valid", now)]
        cases.check(sorted(set(got)) == sorted(set(expected)), f"cycle {now}, scheduler {scheduler}: warps {got} issued, by the VCD file {expected}")
        lost = b.js("H.parts.lost(H.cycleView).map(([cause]) => H.cycleView.stalls[cause].name)")
        wanted = [name.split(".")[-1] for name in vcd.signals if name.startswith(f"{CORE}{scheduler}.lost.") and vcd.value(name, now)]
        cases.check(lost == wanted, f"cycle {now}, scheduler {scheduler}: slots lost for {lost}, by the VCD file {wanted}")


def step_through_cycles(b, cases, vcd, konata):
    b.click("#tab-cycle")
    first = min(konata.issue.values())
    b.js(f"H.chooseCycle(0, {first + 40}, 0), 1")
    at_cycle(b, first + 40)
    compared = 0
    for _ in range(25):
        before = cycle(b)
        b.click("#cycle [data-do=step]")
        at_cycle(b, before + 1)
        compared += compare_units(b, cases, vcd)
    kept = shown(b)
    b.js("H.by('cycle').focus(), 1")
    b.press("ArrowRight", "ArrowRight", "ArrowRight")
    at_cycle(b, kept and first + 68)
    b.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    at_cycle(b, first + 65)
    cases.check(shown(b) == kept, "three steps forward and three back end in the same state")
    b.press("ArrowRight", held="Shift")
    at_cycle(b, first + 75)
    b.click("#cycle [data-do=back]")
    at_cycle(b, first + 74)
    for _ in range(8):
        before = cycle(b)
        b.click("#cycle [data-do=issue]")
        b.wait(f"Number(H.by('cycle').dataset.cycle) > {before}")
        issues(b, cases, vcd)
        compared += compare_units(b, cases, vcd)
    # Where lanes wait: MINRC and resume counters that are not empty.
    parked = next((at for at, value in vcd.changes[vcd.signals[CORE + "0.warp00.minrc"]] if value not in (None, 0, 0xFFFFFFFF)), 0)
    cases.check(parked > 0, "the kernel parks lanes")
    b.js(f"H.chooseCycle(0, {parked}, 0), 1")
    at_cycle(b, parked)
    compared += compare_units(b, cases, vcd)
    cases.check(b.js("document.querySelectorAll('#cycle .lane.least').length") > 0, "lanes at MINRC stand out")
    cases.check(compared > 700, f"{compared} cells were compared")


def play_and_keys(b, cases):
    b.js("H.by('cycle').focus(), 1")
    b.press("Home")
    at_cycle(b, 1)
    b.press("+", "+", "+", " ")
    b.wait("Number(H.by('cycle').dataset.cycle) > 4")
    b.press(" ")
    stopped = cycle(b)
    cases.check(b.js("new Promise((f) => setTimeout(() => f(H.by('cycle').dataset.cycle), 150))") == str(stopped), "space stops the play")
    b.press("n")
    b.wait(f"Number(H.by('cycle').dataset.cycle) > {stopped}")
    slot = b.js("H.cycleView.slot")
    b.press("ArrowDown")
    b.wait(f"H.cycleView.slot !== {slot}")
    b.click("#cycle [data-do=wide]")
    cases.check(b.js("getComputedStyle(H.by('runs')).display") == "none", "the wide view has the window")
    b.press("m")
    cases.check(b.js("getComputedStyle(H.by('runs')).display") != "none", "and gives it back")
    # An instruction of the view is the one of the other panels.
    b.wait("document.querySelector('#cycle .stage .inst, #cycle .operands .inst') !== null")
    number = int(b.js("document.querySelector('#cycle .stage .inst, #cycle .operands .inst').dataset.number"))
    b.click("#cycle .stage .inst, #cycle .operands .inst")
    b.wait("H.chosen.record !== null")
    cases.check(chosen(b)[0] == number, f"a click on instruction {number} in a queue chooses {chosen(b)}")
    b.press("d")


def looks(b, cases, name):
    """No text that is too small, nothing that makes the page scroll sideways, enough contrast."""
    wide = b.js("[document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]")
    cases.check(max(wide[:2]) <= wide[2], f"{name}: the page is {wide[:2]} wide, the window {wide[2]}")
    small = b.js("""[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) &&
        parseFloat(getComputedStyle(e).fontSize) < 10).map((e) => e.className + ': ' + e.textContent.slice(0, 30)).slice(0, 5)""")
    cases.check(not small, f"{name}: text below 10 pixels: {small}")
    pale = b.js("""(() => {
        const rgb = (s) => (s.match(/[\\d.]+/g) || []).map(Number), light = (c) => c.slice(0, 3).map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4)).reduce((a, x, i) => a + x * [0.2126, 0.7152, 0.0722][i], 0);
        const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
        return [...document.querySelectorAll('#cycle *, #head *, #tabs *')].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => {
            const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            return [ratio, e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 30)];
        }).filter(([ratio]) => ratio < 3).slice(0, 5); })()""")
    cases.check(not pale, f"{name}: text that one cannot see: {pale}")


def main():
    cases = Cases()
    cases.file("lanes.cl", KERNEL)
    result = cases.run("run", "lanes.cl", "--block", 128, "--grid", 2, "--arg", "zero:u32:256", "--arg", "rand:u32:256:1", "--quiet", "--explore", "page.html", "--report", "run.json",
                       "--trace", "vcd:run.vcd", "--trace", "konata:run.konata")
    cases.check(result.status == 0, "the run ends well", result)
    page = cases.root / "page.html"
    pair = two_runs.make(cases, "lanes.cl", "--block", 128, "--grid", 2, "--arg", "zero:u32:256", "--arg", "rand:u32:256:1")
    for change in sys.argv[2:]:
        before, after = change.split("==>")
        for path in cases.root.glob("*.html"):
            text = path.read_text()
            cases.check(text.count(before) > 0, f"{path.name} has `{before}`")
            path.write_text(text.replace(before, after))
    vcd, konata = Vcd(cases.root / "run.vcd"), Konata(cases.root / "run.konata")
    with Browser(1280, 860) as b:
        b.open(page)
        counted = str(json.loads((cases.root / "run.json").read_text())["run"]["cycles"])
        said = re.sub(r"[\u202f ]", "", b.js("H.by('head').innerText"))
        cases.check(counted + "cycles" in re.sub(r"\s", "", said), f"the head says the report's {counted} cycles: {said}")
        b.press("n")
        b.wait("H.chosen.record !== null")
        cases.check(chosen(b)[1] == 0, "n chooses the first instruction on the screen")
        b.press("n")
        b.press("Escape")
        b.wait("H.chosen.record === null")
        over = b.js("[...document.querySelectorAll('#legend > *')].map((e) => e.getBoundingClientRect()).filter((r, i, all) => i && r.left < all[i - 1].right - 1 && r.top < all[i - 1].bottom - 1).length")
        cases.check(over == 0, f"{over} entries of the legend lie on others")
        odd = b.js("[...document.querySelectorAll('#legend > *')].filter((e) => e.scrollWidth > e.clientWidth + 1 || e.querySelector('i').offsetWidth !== 11).map((e) => e.textContent)")
        cases.check(not odd, f"entries of the legend have a mark of 11 pixels and their text in them: {odd}")
        click_in_the_pipeline(b, cases, konata)
        releases(b, cases, vcd)
        step_through_cycles(b, cases, vcd, konata)
        looks(b, cases, "light")
        play_and_keys(b, cases)
        b.theme("dark")
        b.click("#tab-cycle")
        looks(b, cases, "dark")
        dark = b.js("getComputedStyle(document.body).backgroundColor")
        cases.check(sum(map(int, re.findall(r"\d+", dark)[:3])) < 150, f"the dark page is {dark}")
        b.screen(390, 844, phone=True)
        b.js("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))")
        looks(b, cases, "phone")
        for tab in ("details", "code", "machine"):
            b.click("#tab-" + tab)
            looks(b, cases, "phone, " + tab)
        b.screen(1280, 860)
        two_runs.two_runs(b, cases, pair)
        complaints, requests = b.complaints(), b.requests()
        cases.check(not complaints, f"the console is silent: {complaints}")
        cases.check(not requests, f"nothing is asked of the network: {requests}")
    cases.end()


main()
