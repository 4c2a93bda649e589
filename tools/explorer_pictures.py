#!/usr/bin/env python3
"""explorer_pictures.py HEDDLE [FOLDER]: makes the pictures of docs/reports.md from a run of examples/matmul, with the clicks that the page tells
about, in headless Chromium. FOLDER is docs/pictures where it is left out."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/explore"))
from webdriver import Browser, absent

PAGE = (ROOT / "docs/reports.md").read_text()
COMMAND = re.search(r"^\$ heddle (run examples/matmul.*?)\n(?!  )", PAGE.replace("\\\n", " "), re.M)[1]


def click_on(b, slot, cycle):
    """A click on a warp's row, in the middle of a cycle."""
    x, y = b.js(f"""(() => {{ const p = H.panels[0], box = p.canvas.getBoundingClientRect(), row = H.runs[0].rows.findIndex((r) => r.core === 0 && r.unit === 0 && r.slot === {slot});
        const item = H.layout(H.runs[0], true).items.find((i) => i.row === row);
        return [box.left + p.c.x({cycle}) + p.c.perCycle / 2, box.top + H.AXIS + item.y - H.views[0].top + 8]; }})()""")
    b.click_at(x, y)


def settle(b):
    b.js("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => f(1), 200))))")


def main():
    if len(sys.argv) < 2 or absent():
        sys.exit(absent() or __doc__)
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/pictures"
    heddle = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as home, Browser(1280, 760) as b:
        page = pathlib.Path(home) / "matmul.html"
        subprocess.run([heddle, *COMMAND.replace("matmul.html", str(page)).split()], cwd=ROOT, check=True)
        b.open(page)
        # The stretch of 421 cycles before the store of warp slot 3.
        b.js("H.show(0, 1600, 2200), 1")
        b.wait("H.runs[0].known(H.views[0].first, H.views[0].last) !== null")
        settle(b)
        click_on(b, 3, 1900)
        b.wait("H.chosen.record !== null || H.chosen.cycle >= 0")
        if b.js("H.chosen.record === null"):
            click_on(b, 3, 2072)
            b.wait("H.chosen.record !== null")
        b.move_to(400, 4)  # away from the rows, whose tip would cover the arrows
        settle(b)
        b.picture(folder / "explorer-stall.png")
        # Its warp in the middle of the wait.
        b.click("#tab-cycle")
        b.wait("H.by('cycle').dataset.cycle !== undefined")
        b.js("H.by('cycle-number').value = '1900', H.by('cycle-number').dispatchEvent(new Event('change')), 1")
        b.wait("H.by('cycle').dataset.cycle === '1900'")
        b.click("#cycle [data-do=wide]")
        settle(b)
        b.picture(folder / "explorer-cycle.png")
        # A busy cycle, in dark.
        b.theme("dark")
        b.js("H.chooseCycle(0, 2600, H.runs[0].rows.findIndex((r) => r.core === 0 && r.unit === 0 && r.slot === 5)), 1")
        b.wait("H.by('cycle').dataset.cycle === '2600'")
        settle(b)
        b.picture(folder / "explorer-dark.png")
        b.theme("light")
        b.screen(390, 844, phone=True)
        settle(b)
        b.picture(folder / "explorer-phone.png")


main()
