#!/usr/bin/env python3
"""memory_picture.py OUT.svg <TABLE: the table of heddle-working-sets as curves: latency, and bandwidth, over the bytes that are read (MT-4)."""
import html
import sys

COLOURS = ["#0072b2", "#d55e00", "#009e73"]
DASHES = ["", "7 4", "2 3"]
WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 920, 330, 56, 44, 370, 220
STYLE = "text{font:13px Arial,'DejaVu Sans',sans-serif;fill:#222}.axis{fill:#5f6670;font-size:12px}.grid{stroke:#d9dde3}.line{fill:none;stroke-width:2.2}"


def read(lines):
    """Rows of the table: KiB, and for each column a number or None; the names of the columns."""
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.startswith("|")]
    return [[float(cell) if cell else None for cell in row] for row in cells[2:]], cells[0]


def size(kib):
    return f"{kib:.0f} KiB" if kib < 1024 else f"{kib / 1024:.0f} MiB"


def chart(title, rows, columns, names, left, step):
    """The columns of the table over the first one; `step`: the distance of two marks."""
    values = [row[c] for row in rows for c in columns if row[c] is not None]
    top = (max(values) // step + 1) * step
    x = lambda i: left + PLOT_WIDTH * (i + 0.3) / (len(rows) - 0.4)
    y = lambda value: TOP + PLOT_HEIGHT * (1 - value / top)
    out = [f'<text x="{left}" y="{TOP - 20}" font-weight="bold">{title}</text>']
    mark = 0
    while mark <= top:
        out.append(f'<path class="grid" d="M{left} {y(mark):.1f}h{PLOT_WIDTH}"/><text class="axis" x="{left - 7}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark}</text>')
        mark += step
    for i, row in enumerate(rows):
        if i % 2 == 0:
            out.append(f'<text class="axis" x="{x(i):.1f}" y="{TOP + PLOT_HEIGHT + 19}" text-anchor="middle">{size(row[0])}</text>')
    for k, c in enumerate(columns):
        points = [(x(i), y(row[c]), row) for i, row in enumerate(rows) if row[c] is not None]
        out.append(f'<path class="line" stroke="{COLOURS[k]}" stroke-dasharray="{DASHES[k]}" d="M' + "L".join(f"{a:.1f} {b:.1f}" for a, b, _ in points) + '"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{4 - k * 0.7:.1f}" fill="{COLOURS[k]}"><title>{names[k]}, {size(row[0])}: {row[c]:g}</title></circle>' for a, b, row in points]
    return out


def main():
    rows, head = read(sys.stdin)
    n = (len(head) - 1) // 2
    names = [html.escape(name.partition(", ")[2]) for name in head[1 : n + 1]]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"><style>{STYLE}</style>', '<rect width="100%" height="100%" fill="#fff"/>']
    out += chart("Latency of a dependent load, cycles", rows, range(1, n + 1), names, LEFT, 100)
    out += chart("Bandwidth of loads, bytes a cycle", rows, range(n + 1, 2 * n + 1), names, LEFT + PLOT_WIDTH + 80, 10)
    at = LEFT
    for k, name in enumerate(names):
        out.append(f'<path class="line" stroke="{COLOURS[k]}" stroke-dasharray="{DASHES[k]}" d="M{at} {HEIGHT - 20}h30"/><text x="{at + 38}" y="{HEIGHT - 15}">{name}</text>')
        at += 70 + 8 * len(name)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")


main()
