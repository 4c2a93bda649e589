#!/usr/bin/env python3
"""trace_picture.py FIRST LAST FILE.konata FILE.perfetto OUT.html: the same cycles of a Konata and of a Perfetto file as a page, each drawn from its own file by the rules
of its viewer (rows and stages; threads and slices). Not the viewers themselves: a picture to lay beside theirs."""
import html
import re
import sys

from trace_formats import konata_rows, perfetto_events

first, last = int(sys.argv[1]), int(sys.argv[2])
COLOURS = {"W": "#ddd", "D": "#e15759", "Q": "#edc948", "X": "#4e79a7", "M": "#b07aa1", "N": "#888", "queue": "#edc948", "memory": "#b07aa1"}
STEP = 62


def box(x0, x1, y, colour, text, label=""):
    x0, x1 = max(x0, first), min(x1, last + 1)
    if x0 >= x1:
        return ""
    a, b = 330 + (x0 - first) * STEP, 330 + (x1 - first) * STEP
    return f'<rect x="{a}" y="{y}" width="{b - a - 1}" height="15" fill="{colour}"/><text x="{a + 3}" y="{y + 11}" font-size="9">{html.escape(text)}</text>'


def picture(title, lines):
    width, height = 330 + (last - first + 1) * STEP, 30 + 18 * len(lines)
    out = [f"<h2>{title}</h2><svg width='{width}' height='{height}' font-family='sans-serif' font-size='10'>"]
    for t in range(first, last + 1):
        x = 330 + (t - first) * STEP
        out.append(f'<text x="{x + 2}" y="12">{t}</text><path d="M{x} 16V{height}" stroke="#ccc"/>')
    for i, (label, boxes) in enumerate(lines):
        y = 20 + 18 * i
        out.append(f'<text x="0" y="{y + 11}">{html.escape(label)}</text>' + "".join(box(a, b, y, colour, text) for a, b, colour, text in boxes))
    return "".join(out) + "</svg>"


lines = []
for row in konata_rows(sys.argv[3]):
    stages = row.stages + [(name, start, last + 1) for name, start in row.open.values()]
    issue = next((start for name, start, _ in stages if name in "QN"), None)
    if issue is not None and first <= issue <= last:
        lines.append((issue, row.labels[0], [(a, b, COLOURS[name], name) for name, a, b in stages]))
lines.sort(key=lambda line: line[0])
konata = picture("Konata file: rows of instructions issued in these cycles", [(label, boxes) for _, label, boxes in lines])

events, threads = perfetto_events(sys.argv[4])
shown = {}
for e in events:
    if e["ph"] == "X" and e["ts"] <= last and e["ts"] + e["dur"] > first and not (e.get("cat") == "instruction"):
        name = f"core {e['pid'] - 1} {threads[e['tid']][1]}"
        shown.setdefault((e["tid"], name), []).append((e["ts"], e["ts"] + e["dur"], COLOURS.get(e["name"], "#c9b7a5" if e["cat"] == "lost" else "#4e79a7"), e["name"]))
    if e.get("cat") == "instruction" and first <= e["ts"] <= last:
        shown.setdefault((e["tid"], f"core {e['pid'] - 1} {threads[e['tid']][1]}"), [])
perfetto = picture("Perfetto file: threads with slices in these cycles", [(name, boxes) for (tid, name), boxes in sorted(shown.items())])
open(sys.argv[5], "w").write(f"<meta charset='utf-8'>{konata}{perfetto}")
