#!/usr/bin/env python3
"""The table of docs/results.md that tools/mechanisms.sh writes, as docs/pictures/mechanisms.svg.

usage: tools/mechanisms_picture.py [--check] [SOURCE ROOT]

A row for each machine. Left: a dot for each example, cycles as a ratio to the baseline, gains and losses on one scale.
Right: the other rows of the table as bars from 1. --check compares the picture with the table and writes nothing."""
import pathlib
import re
import sys

TABLE = re.compile(r"<!-- mechanisms: [^>]*-->\n(.*?)\n<!-- end -->", re.S)
FIGURES = (("instructions issued regular", "instructions", "issued"), ("register file writes regular", "register file", "writes"),
           ("energy of the register file regular", "energy,", "register file"), ("energy in all regular", "energy,", "all"),
           ("state bits of a core that keep registers in order", "state for", "register order"))
NAMES = {"one-queue": "one queue for all", "fence": "fence counters", "predecode": "pre-decode data", "minrc": "resume counters",
         "multi-issue": "candidate window", "fence+multi-issue": "counters, window", "last-use": "last-use flags", "heddle": "all five"}
WIDTH, TOP, ROW = 1000, 96, 62
LEFT, RIGHT, LOW, HIGH = 176, 560, 0.0, 1.35
COLUMN, BAR = 82, 62
STYLE = """
	text { font-family: system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; font-size: 12px; fill: #1f2933; }
	.background { fill: #ffffff; } .loss-side { fill: #fdecea; } .line { stroke: #cbd2d9; } .one { stroke: #3e4c59; stroke-width: 1.4; }
	.name { font-weight: 600; font-size: 14px; } .note { font-size: 11px; fill: #52606d; } .title { font-weight: 600; font-size: 13px; }
	.gain { fill: #0b6bcb; } .loss { fill: #c2410c; } .dot { fill-opacity: 0.72; } .mean { stroke: #1f2933; stroke-width: 2.4; }
	@media (prefers-color-scheme: dark) {
		text { fill: #e4e7eb; }
		.background { fill: #161b22; } .loss-side { fill: #35201c; } .line { stroke: #3b4654; } .one { stroke: #cbd2d9; }
		.note { fill: #b3bcc7; } .gain { fill: #6cb6ff; } .loss { fill: #ff9662; } .mean { stroke: #f5f7fa; }
	}
"""


def read_table(readme):
    match = TABLE.search(readme)
    if not match:
        sys.exit("docs/results.md: error: no table between the markers that tools/mechanisms.sh --write fills")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in match[1].splitlines()]
    plain = [[cell.replace("*", "").replace("`", "").replace(",", "") for cell in line] for line in lines]
    values = {row[0]: [float(cell) for cell in row[2:]] for row in plain[2:]}
    examples = {row[0]: values[row[0]] for row, line in zip(plain[2:], lines[2:]) if not line[0].startswith("*")}
    return plain[0][2:], examples, values


def text(x, y, words, kind="", anchor="start"):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"' + (f' class="{kind}"' if kind else "") + f">{words}</text>"


def place(ratio):
    return LEFT + (RIGHT - LEFT) * (min(max(ratio, LOW), HIGH) - LOW) / (HIGH - LOW)


def dots(examples, machine, y):
    """A dot for each example; those that would hide each other go above and below the row's middle."""
    out, taken = [], []
    points = sorted((values[machine], name) for name, values in examples.items())
    for ratio, name in points:
        x = place(ratio)
        shift = next((s for s in (0, -7, 7, -14, 14, -21, 21) if all(abs(x - a) >= 6 or s != b for a, b in taken)), 0)
        taken.append((x, shift))
        kind = "loss" if ratio > 1 else "gain"
        out.append(f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y + shift:.1f}" r="3.6"><title>{name}: {ratio:.3f}</title></circle>')
    (best, best_name), (worst, worst_name) = points[0], points[-1]
    if place(best) - LEFT > 140:
        out.append(text(place(best) - 9, y + 4, f"{best_name.split(':')[0]} {best:.3f}", "note", "end"))
    else:
        out.append(text(place(best) - 6, y + 18, f"{best_name.split(':')[0]} {best:.3f}", "note"))
    if worst > 1.005:
        left = place(worst) > RIGHT - 20  # no room on the right, where the other figures begin
        x, anchor = place(worst) + (-10 if left else 10), "end" if left else "start"
        out += [text(x, y - 2, worst_name.split(":")[0], "note", anchor), text(x, y + 11, f"{worst:.3f}", "note", anchor)]
    return out


def picture(machines, examples, values):
    height = TOP + ROW * len(machines) + 62
    bottom = TOP + ROW * len(machines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title">',
           "<!-- Written by tools/mechanisms_picture.py from the table of docs/results.md. -->",
           '<title id="title">What each mechanism gains and loses against the baseline, by example</title>', f"<style>{STYLE}</style>",
           f'<rect class="background" width="{WIDTH}" height="{height}" rx="10"/>',
           f'<rect class="loss-side" x="{place(1):.1f}" y="{TOP - 12}" width="{RIGHT - place(1):.1f}" height="{bottom - TOP + 12}"/>',
           text(LEFT, 30, f"Cycles of {len(examples)} examples, as a ratio to the baseline", "title"),
           text(LEFT, 48, "a dot for each; tall bar: mean of the regular, short: of the unstructured", "note"),
           text(RIGHT + 30, 30, "Other figures of the regular ones (geometric means)", "title")]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        kind = "one" if tick == 1 else "line"
        out.append(f'<line class="{kind}" x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{TOP - 12}" y2="{bottom}"/>')
        out.append(text(place(tick), bottom + 18, f"{tick:g}", "note", "middle"))
    out += [text(place(1) - 8, bottom + 38, "← gain: fewer cycles", "note", "end"), text(place(1) + 8, bottom + 38, "loss →", "note")]
    for column, (_, first, second) in enumerate(FIGURES):
        one = RIGHT + 25 + COLUMN * column + BAR
        out += [text(one, 58, first, "note", "end"), text(one, 72, second, "note", "end"),
                f'<line class="one" x1="{one}" x2="{one}" y1="{TOP - 12}" y2="{bottom}"/>']
    for i, machine in enumerate(machines):
        y = TOP + ROW * i + ROW / 2 - 6
        mean, other = values["cycles geometric mean regular"][i], values["cycles geometric mean unstructured"][i]
        out += [text(24, y - 2, NAMES.get(machine, machine), "name"), text(24, y + 15, f"{machine}: {mean:.3f}, {other:.3f}", "note")]
        if i:
            out.append(f'<line class="line" x1="24" x2="{WIDTH - 24}" y1="{TOP + ROW * i - 6}" y2="{TOP + ROW * i - 6}"/>')
        out += dots(examples, i, y)
        out.append(f'<line class="mean" x1="{place(mean):.1f}" x2="{place(mean):.1f}" y1="{y - 22}" y2="{y + 22}"/>')
        out.append(f'<line class="mean" x1="{place(other):.1f}" x2="{place(other):.1f}" y1="{y - 9}" y2="{y + 9}"/>')
        for column, (figure, _, _) in enumerate(FIGURES):
            ratio = values[figure][i]
            one = RIGHT + 25 + COLUMN * column + BAR
            length = BAR * abs(1 - ratio)
            x, kind = (one, "loss") if ratio > 1 else (one - length, "gain")
            out.append(f'<rect class="{kind}" x="{x:.1f}" y="{y + 2}" width="{max(length, 0.1):.1f}" height="12"/>')
            out.append(text(one - 3, y - 4, f"{ratio:.3f}", "", "end"))
    return "\n".join(out + ["</svg>"]) + "\n"


arguments = [a for a in sys.argv[1:] if a != "--check"]
root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
drawing = picture(*read_table((root / "docs/results.md").read_text()))
file = root / "docs/pictures/mechanisms.svg"
if "--check" not in sys.argv:
    file.write_text(drawing)
elif not file.exists() or file.read_text() != drawing:
    sys.exit("docs/pictures/mechanisms.svg: error: not the picture of docs/results.md's table, expected what tools/mechanisms_picture.py writes")
