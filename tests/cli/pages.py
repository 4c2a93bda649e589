"""The HTML pages of run and compare: well formed, nothing from outside, every number from the report, nothing drawn outside its picture; and, where a Chromium is
installed, laid out by it for a laptop and a phone, light and dark."""
import html
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
    listed = [row for row in p.rows if len(row) == 10 and re.match(r"L\d+ |no instruction", row[8])]
    c.check(sum(number(row[0]) for row in listed) == report["run"]["issue_slots"], f"{machine}: rows of the listing add up to all slots")
    c.check(sum(number(row[5]) for row in listed) == report["run"]["issued"], f"{machine}: and to all that was issued")
    causes = {}
    for row in listed:
        for name, slots in re.findall(r"([a-z][a-z ]+) ([\d,]+)(?=, |$)", row[9].split("(")[0].strip()):
            causes[name.strip().replace(" ", "_")] = causes.get(name.strip().replace(" ", "_"), 0) + number(slots)
    c.check(causes == {k: v for k, v in report["stall_cycles"].items() if v}, f"{machine}: cause by cause: {causes} {report['stall_cycles']}")
    c.check(p.tags["svg"] >= 5 and p.tags["rect"] > 100, f"{machine}: pictures")

c.run("run", *matmul, "--roofline", "--report", "roofline.html")
p, text = page("roofline.html", ["Roofline", "lowest roof", "matmul_tiled: "])
c.check(p.tags["circle"] == 8, "a point by bytes of DRAM, a ring by those of each other level, for a wide and a narrow screen")
c.run("run", *matmul, "--functional", "--report", "functional.html")
page("functional.html", ["interpreter: values without time", "Counters"])
c.run("run", *matmul, "--max-cycles", "300", "--report", "cut.html")
page("cut.html", ["cycle_limit", "Where the issue slots went"])
c.file("launches", "".join(" ".join(map(str, matmul)) + "\n" for _ in range(2)))
c.run("compare", "--launches", "launches", "--machine", "baseline", "--machine", "heddle", "--report", "compare.html")
page("compare.html", ["Machines compared", "geometric mean", "matmul_tiled", "state bits of a core"])
c.run("compare", *matmul, "--ablation", "--report", "ablation.html")
page("ablation.html", ["Mechanisms added and removed", "+minrc", "-last-use"])

# Names and text from outside stay text.
nasty = "</td></table><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
c.file("<img src=x>&'.cl", f"kernel void k(global int *x)\n{{\n\tx[get_global_id(0)] += 3; /* {nasty} ".encode() + b"\x01\xff\xc3 \xe2\x82\xac */\n}\n")
r = c.run("run", "<img src=x>&'.cl", "--block", "32", "--arg", "zero:i32:32", "--report", "nasty.html", "--set", "machine.cores=1")
c.check(r.status == 0, "a hostile source", r)
p, text = page("nasty.html", ["+= 3", "€"])
c.check("script" not in p.tags and "img" not in p.tags and any(nasty in row[8] and "��� €" in row[8] for row in p.rows if len(row) == 10), "the text of the line is shown as it is")
c.run("compare", "<img src=x>&'.cl", "--block", "32", "--arg", "zero:i32:32", "--machine", "heddle", "--machine", "baseline", "--report", "nasty.html")
p, text = page("nasty.html", ["Machines compared"])
c.check("script" not in p.tags and "img" not in p.tags, "a comparison of a hostile source")

browser = shutil.which("chromium") or shutil.which("chromium-browser")
# Laid out for a laptop and a phone, in light and dark: what is wider than the window (but for boxes that scroll), faults of pictures (no height, wider than the
# window, letters on letters, letters outside), the smallest letters of pictures in pixels, and the least contrast of a text with the page behind it.
PROBE = """<script>addEventListener('load',()=>{const w=innerWidth,all=[...document.querySelectorAll('body *')];
const wide=all.filter(e=>!e.closest('.scroll,svg,pre')&&e.getBoundingClientRect().right>w+1).length;
const flat=all.filter(e=>e.tagName=='svg'&&e.getClientRects().length&&e.getBoundingClientRect().height<8).length;
const texts=[...document.querySelectorAll('svg text')].filter(e=>e.getClientRects().length),boxes=texts.map(e=>e.getBoundingClientRect());
const sideways=all.filter(e=>e.tagName=='svg'&&e.getBoundingClientRect().right>w).length;
const over=texts.filter((e,i)=>boxes.some((b,k)=>k<i&&texts[k].closest('svg')==e.closest('svg')&&b.left<boxes[i].right-1&&b.right>boxes[i].left+1&&b.top<boxes[i].bottom-2&&b.bottom>boxes[i].top+2)).length;
const out=texts.filter((e,i)=>{const b=e.closest('svg').getBoundingClientRect();return boxes[i].left<b.left-1||boxes[i].right>b.right+1||boxes[i].bottom>b.bottom+3}).length;
const small=Math.min(...texts.map(e=>parseFloat(getComputedStyle(e).fontSize)*e.getScreenCTM().a),99);
const lum=c=>{const v=c.match(/[\\d.]+/g).slice(0,3).map(x=>(x/=255)<=.03928?x/12.92:((x+.055)/1.055)**2.4);return .2126*v[0]+.7152*v[1]+.0722*v[2]};
const back=lum(getComputedStyle(document.body).backgroundColor);
const ratio=c=>{const l=lum(c);return (Math.max(l,back)+.05)/(Math.min(l,back)+.05)};
const least=Math.min(...all.filter(e=>[...e.childNodes].some(n=>n.nodeType==3&&n.data.trim())&&!['STYLE','SCRIPT','title'].includes(e.tagName)).map(e=>
ratio(e.closest('svg')?getComputedStyle(e).fill:getComputedStyle(e).color)));
parent.document.title='PROBE '+[w,document.documentElement.scrollWidth,wide,flat+sideways+over+out,small.toFixed(1),least.toFixed(1),back<.2?1:0].join(' ')})</script></head>"""
laid_out = 0
for name in (("run.html", "roofline.html", "ablation.html", "nasty.html") if browser and not os.environ.get("HEDDLE_SANITIZED") else ()):
    for wanted, dark in ((1366, 0), (390, 0), (390, 1)):
        # A frame, because the browser's own window is never as narrow as a phone.
        inner = html.escape((c.root / name).read_text().replace("</head>", PROBE))
        (c.root / "probe.html").write_text(f'<!DOCTYPE html><meta charset="utf-8"><title>-</title><iframe width="{wanted}" height="768" style="border:0" srcdoc="{inner}"></iframe>')
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1500,900", f"--user-data-dir={c.root}/profile", "--dump-dom", f"--blink-settings=preferredColorScheme={1 - dark}",
                   f"file://{c.root}/probe.html"]
        try:
            dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
        except subprocess.TimeoutExpired:
            dom = ""
        found = re.search(r"<title>PROBE (\d+) (\d+) (\d+) (\d+) ([\d.]+) ([\d.]+) (\d)", dom)
        if not found:
            print(f"{name}: the browser did not lay it out, not checked")
            continue
        window, width, wide, flat, is_dark = (int(found[i]) for i in (1, 2, 3, 4, 7))
        small, least = float(found[5]), float(found[6])
        what = f"{name} in a window of {window}: page {width}, {wide} elements too wide, {flat} faults of pictures, letters of {small} pixels, contrast {least}, dark {is_dark}"
        c.check(window == wanted and width <= window and not wide and not flat and small >= 9 and least >= 4 and is_dark == dark, what)
        laid_out += 1
print(f"{laid_out} pages laid out in a browser")
c.end()
