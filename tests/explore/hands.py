"""The explorer's page in the hands of a reader: cells that several instructions share, the colours of what a warp waits for, what a tip and a click say of
lost slots, keys and names for those who do not use a mouse, and pages of runs that ended badly or have nothing to show."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from webdriver import Browser, KEYS, absent

if absent():
    print(absent())
    sys.exit(77)

from harness import Cases

KEYS.update(Tab="\ue004")
KERNEL = """kernel void steps(global uint *out, global const uint *in)
{
	uint i = get_global_id(0), x = in[i], n = 0;
	while (x != 1 && n < 24) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		n += in[x & 63] > 7;
		if (get_global_size(0) > 256 && n == 9)
			__builtin_trap();
		n++;
	}
	out[i] = n;
}
"""
LAUNCH = "steps.cl", "--block", 64, "--arg", "zero:u32:512", "--arg", "rand:u32:512:1", "--quiet"
FRAME = "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))"
# The text that the page draws, with its alignment: recorded from the next drawing on.
RECORD = """(() => { const draw = CanvasRenderingContext2D.prototype.fillText; window.texts = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { window.texts.push([text, x, this.textAlign]); return draw.call(this, text, x, y); }; return 1; })()"""


def show(b, first, last):
    b.js(f"H.show(0, {first}, {last}), 1")
    b.wait("H.runs[0].known(H.views[0].first, H.views[0].last) !== null")
    b.js(FRAME)


def place(b, row, cycle, down=8):
    """Where a cycle (with a fraction) of a row is in the window; row -1 - N: of scheduler N."""
    return b.js(f"""(() => {{ const p = H.panels[0], box = p.canvas.getBoundingClientRect();
        const item = p.layout.items.find((i) => {row} >= 0 ? i.row === {row} : i.kind === "scheduler" && i.scheduler === {-1 - row});
        return [box.left + p.c.x({cycle}), box.top + H.AXIS + item.y - H.views[0].top + {down}]; }})()""")


def colour(b, row, cycle):
    """Of the pixel in the middle of a cycle."""
    return b.js(f"""(() => {{ const p = H.panels[0], item = p.layout.items.find((i) => {row} >= 0 ? i.row === {row} : i.kind === "scheduler" && i.scheduler === {-1 - row});
        const copy = document.createElement("canvas").getContext("2d", {{ willReadFrequently: true }});
        copy.drawImage(p.canvas, Math.round(p.c.x({cycle} + 0.5)), H.AXIS + item.y - H.views[0].top + 9, 1, 1, 0, 0, 1, 1);
        const data = copy.getImageData(0, 0, 1, 1).data;
        return "#" + [...data].slice(0, 3).map((x) => x.toString(16).padStart(2, "0")).join(""); }})()""")


def cells(b, cases):
    """A click on a part of a cell chooses the instruction of that part."""
    pair = b.js("""H.runs[0].tiles(0, 1e9).then((tiles) => { for (const t of tiles) for (let i = 0; i + 1 < t.n; i++)
        if (t.row[i] === t.row[i + 1] && t.issue[i] === t.issue[i + 1] && t.issue[i] !== t.issue[i + 2]) return [t.row[i], t.issue[i], t.number[i], t.number[i + 1]]; })""")
    cases.check(pair is not None, "the kernel has two instructions in a cycle")
    row, issue, *numbers = pair
    for length in (12, 120, 700):
        show(b, issue - length / 2, issue + length / 2)
        wide = b.js("H.panels[0].c.perCycle") >= 6
        for part, number in enumerate(numbers):
            b.press("Escape")
            b.click_at(*place(b, row, issue + 0.25 + 0.5 * part))
            b.wait("H.chosen.record !== null")
            got = b.js("H.chosen.record.tile.number[H.chosen.record.at]")
            cases.check(got == number if wide else got in numbers, f"{length} cycles on the screen, part {part}: a click chooses {got}, expected {number}")
    b.press("Escape")


def texts(b, cases):
    """The name of a warp stands in its row, each time that the page is drawn."""
    b.js(RECORD)
    show(b, 0, 100)
    b.js("(window.texts.length = 0, H.panels[0].draw(), 1)")
    b.js(FRAME)
    names = [t for t in b.js("window.texts") if t[0].startswith("warp ")]
    cases.check(names and all(align == "left" and x >= 84 for _, x, align in names), f"names of warps: {names}")


def lost_slots(b, cases):
    """Behind a branch a warp waits for its fetch: its row has the colour of its scheduler's. A tip names the cause, and a click chooses the instruction."""
    stretch = b.js("""H.runs[0].tiles(0, 1e9).then((tiles) => { for (const t of tiles) { const l = t.lost; for (let k = 0; k < l.n; k++) {
        const name = H.runs[0].index.causes[l.cause[k]].name, row = l.row[k];
        if (name !== "fetch" || row < 0 || !l.slots[k] || l.first[k] < 500) continue;
        for (let i = t.begin[row]; i < t.begin[row + 1]; i++) if (t.waitUntil[i] < t.issue[i] && t.waitUntil[i] <= l.first[k] && t.issue[i] === l.first[k] + l.cycles[k] && t.pc[i] === l.pc[k] && H.runs[0].index.causes[t.waitCause[i] - 1].name === "flow")
            return [row, H.runs[0].rows[row].scheduler, l.first[k], l.cycles[k], t.waitSince[i], t.waitUntil[i], t.number[i]]; } } })""")
    cases.check(stretch is not None, "a warp waits for its fetch behind a branch")
    row, scheduler, first, cycles, since, until, number = stretch
    show(b, since - 10, first + cycles + 10)
    b.move_to(5, 5)
    for cycle, name in ((first, "fetch"), (until - 1, "flow")):
        expected = b.js(f"H.runs[0].index.causes.find((c) => c.name === '{name}').colour")
        found = colour(b, row, cycle), colour(b, -1 - scheduler, cycle)
        cases.check(found == (expected, expected), f"cycle {cycle}, {name}: warp and scheduler are {found}, expected {expected}")
    for at, tip in ((row, "waits: fetch, "), (-1 - scheduler, f"slots lost: fetch, {cycles} cycle")):
        b.move_to(*place(b, at, first + 0.5))
        b.wait("!document.querySelector('.tip').hidden")
        said = b.js("document.querySelector('.tip').innerText").replace("\u202f", "")
        cases.check(tip in said, f"the tip of a lost slot: {said}, expected {tip}")
    b.click_at(*place(b, row, first + 0.5))
    b.wait("H.chosen.record !== null")
    cases.check(b.js("H.chosen.record.tile.number[H.chosen.record.at]") == number, "a click on lost slots chooses the instruction that they belong to")
    said = b.js("H.by('details').innerText").replace("\u202f", "")
    cases.check(re.search(rf"flow\s+{until - since}\s", said) and re.search(rf"from there to its issue\s+{first + cycles - until}\s", said), f"the wait and what came behind it: {said}")
    b.press("Escape")


    # In a delay a warp waits for nothing that is followed; its instruction is the one that the slots belong to.
    row, first, number = b.js("""H.runs[0].tiles(0, 1e9).then((tiles) => { for (const t of tiles) { const l = t.lost; for (let k = 0; k < l.n; k++) for (let i = t.begin[l.row[k]]; i < t.begin[l.row[k] + 1]; i++)
        if (H.runs[0].index.causes[l.cause[k]].name === "delay" && t.issue[i] === l.first[k] + l.cycles[k] && t.pc[i] === l.pc[k] && !t.waitCause[i] && l.cycles[k] > 1) return [l.row[k], l.first[k], t.number[i]]; } })""")
    show(b, first - 10, first + 10)
    b.click_at(*place(b, row, first + 0.5))
    b.wait("H.chosen.record !== null")
    cases.check(b.js("H.chosen.record.tile.number[H.chosen.record.at]") == number, "a click on a delay chooses the instruction behind it")
    b.press("Escape")


def waits(b, cases):
    """Of many warps one has the scheduler's lost slots. Each shows what it waits for, as long as it does, and nothing when it is ready."""
    found = b.js("""H.runs[0].tiles(0, 1e9).then((tiles) => { const found = {}; for (const t of tiles) for (let i = 0; i < t.n; i++) {
        if (!t.waitCause[i]) continue;
        const find = (from, to, cause) => { for (let c = from; c < to; c++) { const at = H.lostAt(tiles, c, t.row[i]); if ((at ? at.tile.lost.cause[at.at] : -1) === cause) return c; } return -1; };
        const cause = t.waitCause[i] - 1, held = find(t.waitSince[i] + 1, t.waitUntil[i], cause), ready = find(t.waitUntil[i], t.issue[i], -1), name = H.runs[0].index.causes[cause].name;
        if (held >= 0 && ready >= 0) found[name] ||= [t.row[i], held, ready]; } return found; })""")
    cases.check({"flow", "high_latency"} <= set(found), f"warps that wait, and are ready then: {found}")
    for name, (row, held, ready) in found.items():
        show(b, held - 6, ready + 6)
        b.js(f"H.panels[0].scrollTo({row})")
        b.js(FRAME)
        shown = colour(b, row, held), colour(b, row, ready)
        expected = b.js(f"[H.runs[0].index.causes.find((c) => c.name === '{name}').colour, H.ink('row')]")
        cases.check(list(shown) == expected, f"{name}, row {row}: held in {held}, ready in {ready}: {shown}, expected {expected}")


def names(b):
    """Role and name of what a screen reader finds, as Chromium computes them."""
    nodes = b.chromium("Accessibility.getFullAXTree")["nodes"]
    return [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n["ignored"]]


def without_a_mouse(b, cases):
    b.own("POST", "/refresh")
    b.wait("document.body && document.body.dataset.opened !== undefined")
    b.js("(document.activeElement.blur(), 1)")
    def focused():
        return b.js("[document.activeElement.id, document.activeElement.getAttribute('aria-selected'), document.activeElement.tabIndex]")
    for _ in range(30):
        b.press("Tab")
        if focused()[0].startswith("tab-"):
            break
    cases.check(focused() == ["tab-details", "true", 0], f"the tab key comes to the tabs: {focused()}")
    for key, wanted in (("ArrowRight", "cycle"), ("ArrowRight", "code"), ("ArrowRight", "machine"), ("ArrowRight", "details"), ("ArrowLeft", "machine"), ("Home", "details"), ("End", "machine")):
        view = b.js("[H.views[0].first, H.views[0].last]")
        b.press(key)
        cases.check(focused() == [f"tab-{wanted}", "true", 0], f"{key} goes to {wanted}: {focused()}")
        cases.check(b.js(f"!H.by('{wanted}').hidden") and b.js("[H.views[0].first, H.views[0].last]") == view, f"{key} shows {wanted}, and does not move the view")
    cases.check(b.js("[...document.querySelectorAll('[role=tab]')].map((e) => e.tabIndex).join()") == "-1,-1,-1,0", "the tab key stops at one tab")
    # A key pressed on a tab goes to its panel: the next cycle; keys of the page work there, too.
    b.click("#tab-cycle")
    b.wait("H.by('cycle').dataset.cycle !== undefined")
    before = int(b.js("H.by('cycle').dataset.cycle"))
    b.press("ArrowRight")
    b.wait(f"H.by('cycle').dataset.cycle === '{before + 1}'")
    for key, state in (("t", "H.isDark()"), ("c", "H.theme.safe")):
        was = b.js(state)
        b.press(key)
        cases.check(b.js(state) != was, f"{key} works in the cycle's tab")
    cases.check(b.js("document.querySelector('[aria-label^=colours]').getAttribute('aria-pressed')") == "true", "the button says that its colours are on")
    b.press("c", "?")
    cases.check(b.js("H.by('help').open"), "? opens the help")
    b.press("Escape")
    # A button that is drawn anew keeps the focus.
    b.js("(document.querySelector(\"#cycle [data-scheduler='1']\").focus(), 1)")
    b.press("Enter")
    b.wait("H.cycleView.scheduler === 1")
    cases.check(b.js("document.activeElement.dataset.scheduler") == "1", "the scheduler's button has the focus")
    # The program scrolls by its keys.
    b.screen(1280, 300)
    b.click("#tab-code")
    b.press("ArrowDown", "ArrowDown", "ArrowDown")
    b.wait("H.by('code').scrollTop > 0")
    b.screen(1280, 860)
    found = names(b)
    wanted = {"button", "tab", "tabpanel", "image", "application", "combobox", "textbox", "dialog", "navigation", "complementary"}
    bare = [(role, name) for role, name in found if role in wanted and not re.search("[a-z]{2}", name)]
    cases.check(not bare, f"these have no name that one can read out: {bare}")
    roles = {role for role, _ in found}
    cases.check({"button", "tab", "tabpanel", "application"} <= roles, f"roles: {roles}")


def ends_badly(b, cases):
    r = cases.run("run", *LAUNCH[:2], 512, *LAUNCH[3:], "--explore", "trap.html")
    cases.check(r.status == 1, "a trap", r)
    b.open(cases.root / "trap.html")
    said = b.js("document.querySelector('#head .ending summary').innerText")
    cases.check("the program executed a trap" in said and "steps.cl:8" in said, f"the head says how the run ended: {said}")
    cases.check(b.js("document.querySelector('#head .ending [role=alert]') !== null"), "it is an alert")
    b.click("#head .ending summary")
    b.wait("document.querySelector('#head .ending').open")
    cases.check("thread (" in b.js("document.querySelector('#head .ending pre').innerText"), "and where")
    wide = b.js("[document.documentElement.scrollWidth, innerWidth]")
    cases.check(wide[0] <= wide[1], f"the page is {wide}")


def nothing_to_show(b, cases):
    r = cases.run("run", *LAUNCH, "--explore", "none.html", "--trace-cycles", "900000..900100")
    cases.check(r.status == 0, "a window behind the run", r)
    b.open(cases.root / "none.html")
    cases.check("none was issued in the traced part" in b.js("H.by('head').innerText"), "the head says that no instruction is there")
    cases.check("none was issued in the traced part" in b.js("H.by('details').innerText"), "the panel does not ask for a click that nothing answers")
    b.press("n", "+", "+", "+", "+", "w", "f", "[", "]")
    b.click("#tab-cycle")
    b.wait("H.by('cycle').innerText.includes('No units were recorded')")
    r = cases.run("compare", *LAUNCH[:-1], "--machine", "heddle", "--machine", "baseline", "--explore", "two.html", "--trace-cycles", "900000..")
    b.open(cases.root / "two.html")
    cases.check(b.js("H.by('head').innerText.match(/none was issued/g).length") == 2, "both runs say so")


def main():
    cases = Cases()
    cases.file("steps.cl", KERNEL)
    r = cases.run("run", *LAUNCH, "--explore", "page.html")
    cases.check(r.status == 0, "the run ends well", r)
    with Browser(1280, 860) as b:
        b.open(cases.root / "page.html")
        cases.check(b.js("document.querySelector('.ending') === null"), "a run that ended well needs no word")
        cells(b, cases)
        texts(b, cases)
        lost_slots(b, cases)
        r = cases.run("run", *LAUNCH[:2], 256, *LAUNCH[3:], "--set", "machine.cores=1", "--explore", "many.html")
        b.open(cases.root / "many.html")
        waits(b, cases)
        b.open(cases.root / "page.html")
        without_a_mouse(b, cases)
        ends_badly(b, cases)
        nothing_to_show(b, cases)
        complaints, requests = b.complaints(), b.requests()
        cases.check(not complaints, f"the console is silent: {complaints}")
        cases.check(not requests, f"nothing is asked of the network: {requests}")
    cases.end()


main()
