#!/usr/bin/env python3
"""Pictures of the course (docs/course) as SVG, from Konata traces and from numbers. tools/course.py calls the functions.

  tools/course_picture.py pipeline OUT.svg TITLE=FILE.konata ...   instructions down, cycles across, arrows for fence counters
  tools/course_picture.py lanes OUT.svg TITLE=FILE.konata ...      lanes of a warp down, cycles across: which of them are active

A long time in which nothing begins or ends is cut out of the pipeline's picture, with its length."""
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/cli"))
from trace_formats import konata_rows  # noqa: E402

STYLE = """
	text { font-family: system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; font-size: 12px; fill: #1f2933; }
	.code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 11px; }
	.title { font-weight: 600; font-size: 13px; } .note { font-size: 11px; fill: #52606d; } .in { font-size: 10px; fill: #111827; }
	.back { fill: #ffffff; } .grid { stroke: #dde2e8; } .arrow { stroke: #b3261e; stroke-width: 1.4; fill: none; } .head { fill: #b3261e; }
	.W { fill: #d5dae0; } .D { fill: #f0a868; } .Q { fill: #f2d95c; } .X { fill: #6fb1e8; } .M { fill: #c9a4e4; } .N { fill: #9aa5b1; }
	.c0 { fill: #0072b2; } .c1 { fill: #e69f00; } .c2 { fill: #009e73; } .c3 { fill: #cc79a7; } .c4 { fill: #999999; }
	.l0 { stroke: #0072b2; } .l1 { stroke: #d55e00; } .l2 { stroke: #009e73; } .l3 { stroke: #cc79a7; } .line { fill: none; stroke-width: 2.2; }
	.p0 { fill: #0072b2; } .p1 { fill: #d55e00; } .p2 { fill: #009e73; } .p3 { fill: #cc79a7; } .on { stroke: #0072b2; } .off { fill: #e4e7eb; }
	@media (prefers-color-scheme: dark) {
		text { fill: #e4e7eb; } .note { fill: #b3bcc7; } .back { fill: #161b22; } .grid { stroke: #333c47; } .in { fill: #111827; }
		.arrow { stroke: #ff8a80; } .head { fill: #ff8a80; } .W { fill: #66707c; } .off { fill: #29313b; } .on { stroke: #6cb6ff; }
		.l0 { stroke: #6cb6ff; } .l1 { stroke: #ff9662; } .p0 { fill: #6cb6ff; } .p1 { fill: #ff9662; }
	}
"""
STAGES = (("W", "next, waits for issue"), ("D", "de-scheduled"), ("Q", "queue of its pipeline"), ("X", "pipeline"), ("M", "memory"))


def text(x, y, words, kind="", anchor="start"):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:g}" y="{y:g}"' + (f' text-anchor="{anchor}"' if anchor != "start" else "") + (f' class="{kind}"' if kind else "") + f">{words}</text>"


def box(x, y, width, height, kind):
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" class="{kind}"/>'


def page(width, height, parts, about):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img">\n'
            f"<title>{about}</title>\n<style>{STYLE}</style>\n" + "\n".join([box(0, 0, width, height, "back")] + parts) + "\n</svg>\n")


def stages(row):
    return row.stages + [(name, start, None) for name, start in row.open.values()]


def number(cycle):
    return f"{cycle:,}"


class Axis:
    """Cycles to places. Where nothing begins or ends for more than LONG cycles, the time between takes the room of GAP cycles."""
    LONG, GAP = 9, 6

    def __init__(self, times, left, step):
        self.points, x = [], left
        times = sorted(set(times))
        for a, b in zip(times, times[1:] + [times[-1] + 1]):
            cut = b - a > self.LONG
            self.points.append((a, b, x, (self.GAP if cut else b - a) * step, cut))
            x += self.points[-1][3]
        self.right = x

    def at(self, cycle):
        for a, b, x, width, _ in self.points:
            if a <= cycle < b:
                return x + (cycle - a) * width / (b - a)
        return self.right

    def cuts(self):
        return [(x, width, b - a) for a, b, x, width, cut in self.points if cut]


def pipeline_panel(title, path, y, step=12, left=220):
    """One trace of a warp. Returns the parts, the width and the height."""
    every = konata_rows(path)
    rows = [row for row in every if any(name in "QN" for name, _, _ in stages(row))]
    begin = min(start for row in rows for name, start, _ in stages(row) if name in "QN") - 1
    spans = {id(row): [(name, max(a, begin), b) for name, a, b in stages(row) if b is None or b > begin] for row in rows}
    last = max(b or a + 1 for span in spans.values() for _, a, b in span)
    axis = Axis([t for span in spans.values() for _, a, b in span for t in (a, b or last)] + [begin], left, step)
    high, top = 18, y + 40
    bottom = top + high * len(rows)
    out, shown = [text(8, y + 14, title, "title")], left - 100
    for cycle, _, x, _, _ in axis.points:
        out.append(f'<path d="M{x:g} {top - 4}V{bottom}" class="grid"/>')
        if x - shown > 34:
            out.append(text(x, top - 8, f"{cycle:,}", "note"))
            shown = x
    places = {}
    for index, row in enumerate(rows):
        line, span = top + high * index, spans[id(row)]
        out.append(text(8, line + 12, re.sub(r"^c\d+ s\d+ w\d+: L\d+ ", "", row.labels[0]), "code"))
        for name, a, b in span:
            x0, x1 = axis.at(a), axis.at(b or last)
            out.append(box(x0, line + 1, max(x1 - x0 - 1, 1), high - 4, name))
            if x1 - x0 > 10:
                out.append(text(x0 + 3, line + 12, name, "in"))
        entry = next((a for name, a, _ in span if name == "X"), None)
        places[id(row)] = (axis.at(entry) if entry is not None else None, line + high / 2 - 1, axis.at(max(b or last for _, _, b in span)))
    for row in rows:
        for producer in (every[index] for index in row.from_ids):
            if id(producer) in places and places[id(row)][0] is not None:
                (x, line, _), (_, before, end) = places[id(row)], places[id(producer)]
                out.append(f'<path d="M{end - 1:g} {before:g}L{x:g} {line - 8:g}" class="arrow"/><path d="M{x:g} {line - 5:g}l-4 -6 8 0z" class="head"/>')
    for x, width, cycles in axis.cuts():
        out.append(text(x + width / 2, bottom + 12, f"{cycles:,} cycles", "note", "middle"))
    return out, axis.right + 24, bottom + 18 - y


def pipeline(panels):
    """[(title, path)]: a panel for each trace."""
    parts, width, y = [], 0, 4
    for title, path in panels:
        some, wide, high = pipeline_panel(title, path, y)
        parts, width, y = parts + some, max(width, wide), y + high + 12
    x = 8
    for name, words in STAGES:
        parts += [box(x, y, 12, 12, name), text(x + 17, y + 10, words, "note")]
        x += 34 + 6 * len(words)
    parts.append(f'<path d="M{x:g} {y + 6}h24" class="arrow"/>' + text(x + 30, y + 10, "counter falls", "note"))
    return page(max(width, x + 116), y + 24, parts, "Instructions down, cycles across")


def active_lanes(path):
    """[(cycle of issue, lanes)] of a trace of one warp."""
    rows = [(next((a for name, a, _ in stages(row) if name in "QN"), None), re.search(r"lanes at issue ([0-9a-f]{8})", row.labels[1])) for row in konata_rows(path)]
    return sorted((cycle, int(lanes[1], 16)) for cycle, lanes in rows if cycle is not None and lanes)


def lanes(panels, columns=230, step=3, high=6, left=64):
    """[(title, path)]: which lanes the warp's instructions have, a column for some cycles. The panels have one scale."""
    runs = [(title, active_lanes(path)) for title, path in panels]
    begin, end = min(run[0][0] for _, run in runs), max(run[-1][0] for _, run in runs) + 1
    per = math.ceil((end - begin) / columns)
    parts, y = [], 4
    for title, run in runs:
        columns_of = {}
        for cycle, mask in run:
            columns_of.setdefault((cycle - begin) // per, []).append(mask)
        top, used = y + 24, max(columns_of) + 1
        parts += [text(8, y + 14, title, "title"), box(left, top, used * step, 32 * high, "off")]
        parts += [text(left - 6, top + high * lane + 7, f"lane {lane}", "note", "end") for lane in (0, 8, 16, 24, 31)]
        for part in (1, 2, 3, 4):  # quarters of the column's instructions in which a lane is active
            marks = []
            for lane in range(32):
                x0 = None
                for column in range(used + 1):
                    masks = columns_of.get(column, [])
                    share = math.ceil(4 * sum(mask >> lane & 1 for mask in masks) / len(masks)) if masks else 0
                    if share == part and x0 is None:
                        x0 = column
                    elif share != part and x0 is not None:
                        marks.append(f"M{left + x0 * step} {top + lane * high + high / 2:g}h{(column - x0) * step}")
                        x0 = None
            if marks:
                parts.append(f'<path class="on" stroke-width="{high - 1}" stroke-opacity="{part / 4}" d="{"".join(marks)}"/>')
        bottom = top + 32 * high
        parts += [text(left + (t - begin) / per * step, bottom + 14, f"{t:,}", "note") for t in range(-(-begin // 1000) * 1000, begin + used * per, 1000)]
        y = bottom + 26
    return page(left + columns * step + 20, y + 2, parts, "Lanes of a warp down, cycles across; dark: active")


def stacked(title, columns, rows, unit, width=520):
    """rows: [(name, [value a column])]: bars that are made of parts, all on one scale."""
    left = 24 + 6.4 * max(len(name) for name, _ in rows)
    longest = max(sum(values) for _, values in rows)
    parts, y = [text(8, 18, title, "title")], 34
    for name, values in rows:
        x = left
        parts.append(text(left - 8, y + 15, name, "", "end"))
        for index, value in enumerate(values):
            wide = value / longest * width
            parts.append(box(x, y, max(wide - 1, 0), 22, f"c{index}"))
            if wide > 34:
                parts.append(f'<text x="{x + wide / 2:g}" y="{y + 15}" text-anchor="middle" style="fill:#fff;font-size:11px">{value:,}</text>')
            x += wide
        parts.append(text(x + 6, y + 15, f"{sum(values):,} {unit}", "note"))
        y += 32
    x = left
    for index, name in enumerate(columns):
        parts += [box(x, y + 2, 12, 12, f"c{index}"), text(x + 17, y + 12, name, "note")]
        x += 34 + 6.2 * len(name)
    return page(left + width + 130, y + 26, parts, title)


def curves(title, across, xs, series, left=70, width=480, high=210):
    """series: [(name, [value an x])], the places of xs at equal distances; upwards from zero, or logarithmic where the values differ much."""
    values = [value for _, line in series for value in line]
    spread = max(values) > 4 * min(values)
    scale = math.log10 if spread else float
    low, top = (scale(min(values)) - 0.06, scale(max(values)) + 0.06) if spread else (0, max(values) * 1.06)
    step = 10 ** math.floor(math.log10(max(values) / 2))
    marks = {a * 10**b for a in (1, 2, 5) for b in range(8)} if spread else {step * i for i in range(12)}

    def place(i, value):
        return left + 20 + i * (width - 40) / (len(xs) - 1), 34 + high * (top - scale(value)) / (top - low)

    parts = [text(8, 18, title, "title")]
    for mark in sorted(marks):
        if (not spread or low <= scale(max(mark, 1))) and scale(max(mark, 1)) <= top:
            y = place(0, max(mark, 1) if spread else mark)[1]
            parts += [f'<path d="M{left} {y:.1f}H{left + width}" class="grid"/>', text(left - 6, round(y + 4, 1), f"{mark:,}", "note", "end")]
    parts += [text(round(place(i, values[0])[0], 1), high + 52, x, "note", "middle") for i, x in enumerate(xs)]
    parts.append(text(left + width / 2, high + 70, across, "note", "middle"))
    under = 0
    for index, (name, line) in sorted(enumerate(series), key=lambda one: -one[1][1][-1]):
        points = [place(i, value) for i, value in enumerate(line)]
        parts.append(f'<path class="line l{index}" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" class="p{index}"/>' for x, y in points]
        under = max(under + 15, points[-1][1] + 4)
        parts.append(text(round(points[-1][0] + 10, 1), round(under, 1), name))
    return page(left + width + 130, high + 80, parts, title)


def main():
    kinds = {"pipeline": pipeline, "lanes": lanes}
    if len(sys.argv) < 4 or sys.argv[1] not in kinds or any("=" not in panel for panel in sys.argv[3:]):
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(kinds[sys.argv[1]]([tuple(panel.rsplit("=", 1)) for panel in sys.argv[3:]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
