#!/usr/bin/env python3
"""table.py LATENCY.json RETURNS.json: the rows of src/sass/latency-sm90.def, from the counts in data/h200.

The figure of a pair of classes is the largest over its probes, and that of a probe is the least distance from which on no run of any kind had a wrong
answer, while the warp never gives way. A probe whose control finds less than 1 % wrong answers says nothing. A class
whose value can be no address was tried as data alone: its figure for the address unit is a cycle more. `guarded` is what the first one's guard adds (writes behind writes)."""
import sys

from pack import unpack

# A read by these ends at no fixed time: no row (docs/sass.md). What they write without a counter has none either.
LATE = ("DECOUPLED", "AGU", "CBU", "P_DECOUPLED")


def least(counts):
    """The least distance from which on nothing is wrong."""
    found = None
    for distance in sorted(counts, reverse=True):
        if distance == 0 or any(counts[distance]):
            break
        found = distance
    return found


def cells(paths):
    """{(hazard, first, second): (figure, probes)}; None as a figure where some probe was wrong at every distance."""
    found = {}
    for path in paths:
        head, probes = unpack(path)
        for name, hazard, first, second, counts, _ in probes:
            if counts[0][0] < head["lanes"][0] / 100:
                continue
            figure = least(counts)
            old = found.setdefault((hazard, first, second), [1, 0, False])
            old[1] += 1
            old[0] = None if figure is None or old[0] is None else max(figure, old[0])
            old[2] |= name.endswith(("-> LDS", "-> LDG.address"))
    for (hazard, _, second), cell in found.items():  # addresses are read a cycle before data, as far as both were measured
        if hazard == "RAW" and second == "AGU" and not cell[2]:
            cell[0] += 1
    return found


# Pairs that no probe of data/h200 tried. A class behind itself needed one cycle wherever it was tried.
INFERRED = ("DISP64", "WIDE_DH", "U_LDC")


def inferred(found):
    """Rows of a class behind itself."""
    themselves = {first: figure for (hazard, first, second), (figure, *_) in found.items() if hazard in ("WAW", "WAWG") and first == second}
    if set(themselves.values()) != {1}:
        raise ValueError("a class behind itself needs more than a cycle")
    for name in INFERRED:
        if ("WAW", name, name) not in found:
            yield f"HD_SASS_DISTANCE(WAW, T({name}), T({name}), 1, 0, H200_INFERRED)"


ORDER = ["ALU", "DISP64", "FMA", "WIDE_AB", "WIDE_CL", "WIDE_CH", "WIDE_DL", "WIDE_DH", "HALF", "HALF_ALU", "HALF_F32", "HALF_MMA", "FP64", "IMMA_88", "MMA_1X", "MMA_2X", "DMMA",
         "CBU", "DECOUPLED", "AGU", "P_DISP", "P_ALU", "P_FMA", "P_WIDE", "P_HALF", "P_HALF_MMA", "P_FP64", "P_DECOUPLED", "P_GUARD", "U_COUPLED", "U_DECOUPLED", "U_CBU", "U_BINDLESS",
         "U_TO", "U_UDP", "U_LDC", "U_MOV", "U_VOTE", "UP_COUPLED", "UP_UDP", "UP_VOTE", "UP_GUARD", "UP_BRANCH", "UP_LDC"]
FILES = ["registers", "predicates", "uniform registers", "uniform predicates"]
NAMES = {"RAW": "a read behind a write", "WAW": "a write behind a write", "WAR": "a write behind a read"}


def file_of(name):
    return 3 if name.startswith("UP_") else 2 if name.startswith("U_") else 1 if name.startswith("P_") else 0


def names(some):
    return " | ".join(f"T({name})" for name in sorted(some, key=ORDER.index))


def rows(found, hazard, file):
    """Rows in which pairs with the same figures stand together."""
    figures = {}
    for (h, first, second), (figure, *_) in found.items():
        if h != hazard or file_of(first) != file or figure is None or hazard == "WAR" and first in LATE:
            continue
        guarded = 0
        if hazard == "WAW" and (with_guard := found.get(("WAWG", first, second))):
            guarded = max((with_guard[0] or figure) - figure, 0)
        figures.setdefault((figure, guarded), {}).setdefault(first, set()).add(second)
    for (figure, guarded), by_first in sorted(figures.items()):
        by_seconds = {}
        for first, seconds in by_first.items():
            by_seconds.setdefault(frozenset(seconds), set()).add(first)
        for seconds, firsts in sorted(by_seconds.items(), key=lambda row: min(ORDER.index(name) for name in row[1])):
            yield f"HD_SASS_DISTANCE({hazard}, {names(firsts)}, {names(seconds)}, {figure}, {guarded}, H200)"


def main():
    found = cells(sys.argv[1:])
    print("/* Distances in cycles for sm_90 (SA-4), measured on one NVIDIA H200 by wrong answers: bench/gpu/table.py makes this file of data/h200/latency.json and\n"
          " * data/h200/returns.json (docs/validation.md). latency-sm80.def says how to read a row. A pair that was not measured stands in no row. */")
    for file, title in enumerate(FILES):
        for hazard in ("RAW", "WAW", "WAR"):
            lines = list(rows(found, hazard, file))
            if lines:
                print(f"\n/* {title}, {NAMES[hazard]} */\n" + "\n".join(lines))
    lines = list(inferred(found))
    if lines:
        print("\n/* not measured: a class behind itself, which needed one cycle wherever it was tried */\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
