#!/usr/bin/env python3
"""study_tables.py FOLDER [--write]: the tables and pictures of docs/studies.md, from the pages and the table that tools/study.sh has written.

A mean is geometric, over the launches of one kind; each value is a ratio to the best machine of its launch, as in the page."""
import csv
import math
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
root = pathlib.Path(__file__).resolve().parent.parent
AXES = ("counters", "queue", "operands", "candidates")
FIGURES = {"cycles": "run_cycles", "energy": "energy_total_fj"}
rows = [row for row in csv.DictReader((folder / "bits.csv").open()) if row["status"] == "done"]
kinds = list(dict.fromkeys(row["kind"] for row in rows))


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


best = {(figure, row["launch"]): min(int(other[column]) for other in rows if other["launch"] == row["launch"]) for figure, column in FIGURES.items() for row in rows}


def ratio(row, figure):
    return int(row[FIGURES[figure]]) / best[figure, row["launch"]]


def effects():
    """The main effects: the mean over all machines with a value, and the bits that the value adds."""
    yield "| axis | value | " + " | ".join(f"{figure}, {kind}" for figure in FIGURES for kind in kinds) + " | state bits | with queues |"
    yield "|---|---|" + "---|" * (len(kinds) * len(FIGURES) + 2)
    for axis in AXES:
        values = list(dict.fromkeys(row[axis] for row in rows))
        for value in values:
            chosen = [row for row in rows if row[axis] == value]
            cells = [f"{mean(ratio(row, figure) for row in chosen if row['kind'] == kind):.4f}" for figure in FIGURES for kind in kinds]
            bits = [f"{sum(int(row[name]) for row in chosen) / len(chosen):,.0f}" for name in ("state_bits", "area")]
            yield f"| {axis if value == values[0] else ''} | {value} | " + " | ".join(cells + bits) + " |"


def machines(kind, figures):
    """Each machine: the means of the figures, its bits, its name."""
    found = {}
    for row in rows:
        if row["kind"] == kind:
            found.setdefault(row["machine_id"], []).append(row)
    for group in found.values():
        yield [mean(ratio(row, figure) for row in group) for figure in figures] + [int(group[0]["state_bits"]), int(group[0]["area"])], group[0]


def front(kind, figure, bits):
    """The machines that no other beats in a figure and in bits (2 = state bits, 3 = with queues), at most one for each step of 0.1 %."""
    all_of = sorted(machines(kind, list(FIGURES)), key=lambda m: (m[0][bits], m[0][figure]))
    least, shown = math.inf, []
    for values, row in all_of:
        if values[figure] < least - 0.001:
            shown.append((values, row))
            least = values[figure]
    yield f"| {' | '.join(AXES)} | " + " | ".join(FIGURES) + " | state bits | with queues |"
    yield "|" + "---|" * (len(AXES) + 4)
    for values, row in shown:
        yield f"| {' | '.join(row[a] for a in AXES)} | {values[0]:.4f} | {values[1]:.4f} | {values[2]:,} | {values[3]:,} |"


def tables():
    out = {"effects": list(effects())}
    for kind in kinds:
        out[f"cycles, {kind}"] = list(front(kind, 0, 2))
        out[f"energy, {kind}"] = list(front(kind, 1, 3))
    return out


STYLE = """<style>svg{font:13px Arial,'DejaVu Sans',sans-serif}text{fill:#222}.axis{fill:#5f6670;font-size:12.5px}.grid{stroke:#d9dde3;fill:none}.point{fill:#9aa7b4;fill-opacity:.65}
.front{fill:#d55e00;stroke:#fff}.steps{fill:none;stroke:#d55e00;stroke-width:1.6}.line{fill:none!important;stroke-width:2}.none{fill:#d9dde3}.s0{stroke:#0072b2;fill:#0072b2}.s1{stroke:#d55e00;fill:#d55e00}</style>"""


def svgs(page, section):
    text = (folder / page).read_text()
    begin = text.index(f'<h2 id="{section}">')
    return re.findall(r"<svg class=\"plot.*?</svg>", text[begin : text.index("<h2", begin + 4)], re.S)


def standing_alone(parts, columns, titles=None):
    """Plots side by side as one picture."""
    sizes = [tuple(map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', part).groups())) for part in parts]
    width, height = max(w for w, _ in sizes), max(h for _, h in sizes) + (22 if titles else 0)
    lines = (len(parts) + columns - 1) // columns
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * columns} {height * lines}" width="{width * columns}">', STYLE, '<rect width="100%" height="100%" fill="#fff"/>']
    for i, part in enumerate(parts):
        x, y = i % columns * width, i // columns * height
        if titles:
            out.append(f'<text x="{x + 60}" y="{y + 16}">{titles[i]}</text>')
            y += 22
        out.append(re.sub(r'<svg class="[^"]*" viewBox="0 0 (\d+) (\d+)"[^>]*>', rf'<svg x="{x}" y="{y}" width="\1" height="\2" viewBox="0 0 \1 \2">', part))
    return "\n".join(out) + "\n</svg>\n"


def pictures():
    kind_titles = [f"{kind} kernels" for kind in kinds]
    return {"study-front.svg": standing_alone(svgs("bits.html", "pareto"), 2, kind_titles), "study-energy.svg": standing_alone(svgs("energy.html", "pareto"), 2, kind_titles),
            "study-effects.svg": standing_alone(svgs("bits.html", "effects"), 4), "study-energy-effects.svg": standing_alone(svgs("energy.html", "effects"), 4),
            "study-heat.svg": standing_alone(svgs("bits.html", "heat"), 2, kind_titles)}


def main():
    all_tables = tables()
    if "--write" not in sys.argv:
        for name, lines in all_tables.items():
            print(f"{name}\n\n" + "\n".join(lines) + "\n")
        return
    page = root / "docs/studies.md"
    text = page.read_text()
    for name, lines in all_tables.items():
        pattern = rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)"
        text, n = re.subn(pattern, lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
        assert n <= 1, name
    page.write_text(text)
    for name, picture in pictures().items():
        (root / "docs/pictures" / name).write_text(picture)


main()
