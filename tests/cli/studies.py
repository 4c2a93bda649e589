"""Every study of the folder `studies` in its quick form: it runs, each of its tables has a row for each launch, and the results are what the pages say of
them, as far as two small examples show it."""
import os
import re

from harness import Cases, SOURCE

c = Cases()
TRAPS = {"divergence/stack", "divergence/lanes"}  # too few tokens, and more warps than a CTA can have
# study: launches where they are not the usual two, and their size
LAUNCHES = {"predecode/every-hint": ("1", "sha256,spmv,blackscholes"), "multi-issue/cores": ("0", "mandelbrot"), "divergence/state": ("0", "saxpy"),
            "multi-issue/map": ("0", "nbody,mix"), "multi-issue/wide-scarce": ("0", "nbody,mix"), "memory/tlbs": ("0", "nbody,gather, 64 KiB"), "predecode/gather": ("0", "64 KiB")}
# study, table, row, column, least, most
FACTS = [
    ("fence-counters/cycles", "cycles", "nbody", "K=2", 1.005, 1.1),
    ("fence-counters/cycles", "state", "sb inf", 4, 84992, 84992),
    ("fence-counters/units", "cycles", "nbody", "instructions, 9 bits", 1, 1),
    ("fence-counters/units", "cycles", "nbody", "instructions, 1 bit", 1.01, 1.1),
    ("fence-counters/assign", "cycles", "nbody", "unshared", 1.01, 1.3),
    ("fence-counters/deadlock", "state", "free of deadlock", "bits a warp", 148, 148),
    ("fence-counters/status", "cycles", "goto", "16", 1.05, 1.5),
    ("fence-counters/guards", "dropped", "nbody", 4, 5000, 5437),
    ("last-use/savings", "savings", "nbody", "writes skipped %", 30, 60),
    ("last-use/savings", "energy", "goto", "0", -50, -20),
    ("last-use/slow-file", "cycles", "nbody", "4 and 4, no paths", 1.4, 2),
    ("last-use/slow-file", "cycles", "nbody", "4 and 4, 6 registers", 1, 1.1),
    ("last-use/buffers", "size", "16, one slot", "comparators", 252, 252),
    ("last-use/stages", "positions", "nothing, 8 more", 1, 0, 0),
    ("divergence/layout", "instructions", "goto", "random", 1.05, 4),
    ("divergence/state", "state", "stack", "bits a warp", 5575, 5575),
    ("divergence/state", "state", "resume counters, membership by flag", "bits a warp", 5951, 5951),
    ("multi-issue/alone", "speed-up", "nbody", "window 4", 1.001, 1.05),
    ("multi-issue/wide-scarce", "speed-up", "mix", "window 4", 1.02, 1.4),
    ("predecode/fetch", "cycles", "nbody", "none", 1.1, 3),
    ("predecode/geometries", "code", "nbody", "compact, 2 lines", 0.4, 0.8),
    ("predecode/gather", "cycles", "64 KiB", "buffer of 8", 0.6, 0.9),
    ("memory/tlbs", "cycles", "gather, 64 KiB", "8 alone", 2, 20),
]


def tables(text):
    """Name -> (head, rows by their first cell)."""
    out = {}
    for name, body in re.findall(r"^[\w-]+, ([\w-]+)\n\n((?:\|.*\n)+)", text, re.M):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]
        out[name] = rows[0], {row[0]: row for row in reversed(rows[2:])}
    return out


for path in sorted(SOURCE.glob("studies/*/*.yaml")):
    study = f"{path.parent.name}/{path.stem}"
    size, launches = LAUNCHES.get(study, ("0", "nbody,goto"))
    # Launches of a study name files from the top of the source, where it is run.
    r = c.run("sweep", path, "--db", c.root / "s.db", "--size", size, "--only", launches, before=lambda: os.chdir(SOURCE))
    c.check(r.status == (1 if study in TRAPS else 0), f"{study} runs", r)
    r = c.run("sweep", "report", "s.db", "--table", "all")
    found = tables(r.out)
    c.check(r.status == 0 and found and all(rows for _, rows in found.values()), f"{study} has tables", r)
    for _, table, row, column, least, most in (fact for fact in FACTS if fact[0] == study):
        head, rows = found.get(table, ([], {}))
        at = column if isinstance(column, int) else head.index(column) if column in head else None
        value = rows[row][at] if at is not None and row in rows else "none"
        c.check(re.fullmatch(r"[-+\d.]+", value) and least <= float(value) <= most, f"{study}: {row}, {column} is {value}, expected {least} to {most}", r)
    if study == "predecode/every-hint":
        head, rows = found["cycles"]
        for hint in ("pairs", "held", "boosts", "lowers", "replays"):
            c.check(sum(int(row[head.index(hint)]) for row in rows.values() if row[head.index(hint)]), f"PD-23: {hint} take effect in compiled code", r)
for study in {fact[0] for fact in FACTS} | set(LAUNCHES) | set(TRAPS):
    c.check((SOURCE / "studies" / f"{study}.yaml").exists(), f"there is no study {study}")
c.end()
