"""The HTML pages of run and compare: well formed, nothing from outside, every number from the report, nothing drawn outside its picture; and, where a Chromium is
installed, laid out by it: nothing is wider than a laptop's window, every picture has a size."""
import html.parser
import json
import os
import re
import shutil
import subprocess

from harness import SOURCE, Cases

c = Cases()
VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """Every element that is opened is closed, in order; collects what the tests look at."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.problems, self.ids, self.links, self.tags, self.view = [], [], set(), [], {}, None
        self.rows, self.cell = [], None
        self.feed(text)
        self.close()
        if self.stack:
            self.problems.append(f"not closed: {self.stack}")

    def handle_startendtag(self, tag, attributes):
        self.look(tag, dict(attributes))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.look(tag, attributes)
        if tag not in VOID:
            self.stack.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell.replace("\xa0", " ").strip())
            self.cell = None
        if not self.stack or self.stack[-1] != tag:
            self.problems.append(f"</{tag}> closes {self.stack[-3:]} at {self.getpos()}")
        else:
            self.stack.pop()

    def handle_data(self, text):
        if self.cell is not None:
            self.cell += text

    def look(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.problems.append(f"id {attributes['id']} twice")
            self.ids.add(attributes["id"])
        if "href" in attributes:
            self.links.append(attributes["href"])
        if tag in ("script", "link", "img", "iframe", "object") or "src" in attributes or any(k.startswith("on") for k in attributes):
            self.problems.append(f"<{tag}> wants something that the page has not")
        if tag == "svg":
            self.view = tuple(map(float, attributes["viewbox"].split()))
        if tag == "rect":
            x, y, w, h = (float(attributes[k]) for k in ("x", "y", "width", "height"))
            if w < 0 or h < 0 or x < 0 or y < -0.2 or x + w > self.view[2] + 0.5 or y + h > self.view[3] + 0.5:
                self.problems.append(f"a rectangle outside of its picture {self.view}: {attributes}")


def page(name, needed):
    text = (c.root / name).read_text(encoding="utf-8")
    p = Page(text)
    c.check(not p.problems, f"{name}: {p.problems[:5]}")
    c.check(not re.search(r"https?://|@import|url\(", text) and "nan" not in text.lower().replace("nano", "") and "inf<" not in text, f"{name}: nothing from outside, no number missing")
    c.check(all(link.startswith("#") and link[1:] in p.ids for link in p.links), f"{name}: links lead to places in the page: {p.links}")
    for word in needed:
        c.check(word in text, f"{name}: {word}")
    return p, text


matmul = [SOURCE / "examples/matmul/matmul.cl", "--kernel", "matmul_tiled", "--grid", "3,2", "--block", "16,16", "--arg", "rand:f32:2304:1", "--arg", "rand:f32:2304:2",
          "--arg", "zero:f32:2304", "--arg", "u32:32", "--arg", "u32:48", "--arg", "u32:48"]
for machine in ("heddle", "baseline+multi-issue"):
    r = c.run("run", *matmul, "--config", machine, "--report", "run.html")
    c.check(r.status == 0, "a page", r)
    c.run("run", *matmul, "--config", machine, "--report", "run.json")
    report = json.loads((c.root / "run.json").read_text())
    p, text = page("run.html", ["Where the issue slots went", "Over time", "Occupancy", "Memory instructions", "Power", "Warps", "Energy", "Line by line", "Counters",
                                "sum = fma(a_tile[y][i]", f"{report['cycles']:,}", f"{report['run']['issue_slots']:,}"])
    energy, error = report["energy_pj"], report["energy_uncertainty_pj"]
    c.check(f"{energy['total'] / 1e3:.1f} &#177; {error['total'] / 1e3:.1f} nJ" in text, f"{machine}: the energy has its uncertainty")
    for unit in ("dram", "alu", "leakage"):
        c.check(f"{energy[unit] / 1e3:.2f} &#177;{100 * error[unit] / energy[unit]:.0f} %" in text, f"{machine}: so has the unit {unit}")
    number = lambda cell: int(cell.replace(",", "") or 0)
    listed = [row for row in p.rows if len(row) == 7 and re.match(r"L\d+ |no instruction", row[5])]
    c.check(sum(number(row[0]) for row in listed) == report["run"]["issue_slots"], f"{machine}: rows of the listing add up to all slots")
    c.check(sum(number(row[3]) for row in listed) == report["run"]["issued"], f"{machine}: and to all that was issued")
    causes = {}
    for row in listed:
        for name, slots in re.findall(r"([a-z][a-z ]+) ([\d,]+)(?=, |$)", row[6].split("(")[0].strip()):
            causes[name.strip().replace(" ", "_")] = causes.get(name.strip().replace(" ", "_"), 0) + number(slots)
    c.check(causes == {k: v for k, v in report["stall_cycles"].items() if v}, f"{machine}: cause by cause: {causes} {report['stall_cycles']}")
    c.check(p.tags["svg"] >= 6 and p.tags["rect"] > 100, f"{machine}: pictures")

c.run("run", *matmul, "--functional", "--report", "functional.html")
page("functional.html", ["interpreter: values without time", "Counters"])
c.run("run", *matmul, "--max-cycles", "300", "--report", "cut.html")
page("cut.html", ["cycle_limit", "Where the issue slots went"])
c.file("launches", "".join(" ".join(map(str, matmul)) + "\n" for _ in range(2)))
c.run("compare", "--launches", "launches", "--machine", "baseline", "--machine", "heddle", "--report", "compare.html")
page("compare.html", ["Machines compared", "geometric mean", "matmul_tiled", "state bits of a core"])
c.run("compare", *matmul, "--ablation", "--report", "ablation.html")
page("ablation.html", ["Mechanisms added and removed", "+minrc", "-last-use"])

browser = shutil.which("chromium") or shutil.which("chromium-browser")
if browser and not os.environ.get("HEDDLE_SANITIZED"):
    probe = """<script>addEventListener('load',()=>{const w=innerWidth,wide=[...document.querySelectorAll('body *')].filter(e=>!e.closest('.scroll,svg,pre')&&e.getBoundingClientRect()
.right>w+1).map(e=>e.tagName);const flat=[...document.querySelectorAll('svg')].filter(e=>e.getBoundingClientRect().height<8).length;
document.title='PROBE '+[w,document.documentElement.scrollWidth,wide.length,flat].join(' ')})</script></head>"""
    for name in ("run.html", "ablation.html"):
        (c.root / "probe.html").write_text((c.root / name).read_text().replace("</head>", probe))
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1366,768", f"--user-data-dir={c.root}/profile", "--dump-dom", f"file://{c.root}/probe.html"]
        try:
            dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
        except subprocess.TimeoutExpired:
            dom = ""
        found = re.search(r"<title>PROBE (\d+) (\d+) (\d+) (\d+)", dom)
        if not found:
            print(f"{name}: the browser did not lay it out, not checked")
            continue
        window, width, wide, flat = map(int, found.groups())
        c.check(window >= 1300 and width <= window and not wide and not flat, f"{name} in a browser: window {window}, page {width}, {wide} elements too wide, {flat} flat pictures")
        print(f"{name}: laid out in a browser, {width} of {window} pixels wide")
c.end()
