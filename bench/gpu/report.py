#!/usr/bin/env python3
"""report.py [DATA]: the tables of docs/validation.md, from data/h200."""
import json
import pathlib
import statistics
import sys

from pack import unpack
from table import cells, least

DATA = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "data/h200"


def load(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def row(*words):
    print("| " + " | ".join(str(word) for word in words) + " |")


def latencies():
    found = cells([DATA / "latency.json", DATA / "returns.json"])
    head, probes = unpack(DATA / "latency.json")
    print(f"{len(probes)} probes, {sum(head['lanes']):,} lanes for each distance of each\n")
    readers = ("ALU", "FMA", "HALF", "HALF_MMA", "FP64", "MMA_2X", "DECOUPLED", "AGU", "CBU")
    row("writer", *readers)
    for writer in ("ALU", "FMA", "WIDE_DL", "WIDE_DH", "DISP64", "HALF", "HALF_F32", "HALF_MMA", "FP64", "IMMA_88", "MMA_1X", "MMA_2X"):
        row(writer, *(found.get(("RAW", writer, reader), [""])[0] for reader in readers))
    print()


def assumptions():
    head, probes = unpack(DATA / "assumptions.json")
    sums = {}
    for name, hazard, _, _, counts, _ in probes:
        if not hazard.startswith("A4"):
            told = sums.setdefault(hazard, [0, 0, 0, 0])
            told[0] += 1
            told[1] += bool(counts.get(0, [0])[0])
            told[2] = max(told[2], *counts.get(1, [0]))
            told[3] += bool(any(counts.get(1, [0, 0])))
    row("rule", "probes", "can notice", "break it", "most wrong of %d" % head["lanes"][1])
    for hazard, (n, notices, worst, broken) in sorted(sums.items()):
        row(hazard, n, notices, broken, f"{worst:,}")
    print()
    for name, hazard, _, _, counts, _ in probes:
        if hazard in ("S2", "S4") or hazard == "A4" and "8" in name:
            row(hazard, name, *(f"{d}: {b / head['lanes'][1]:.1%}" for d, (_, b) in sorted(counts.items())))
    print()


def litmus():
    tests = load("litmus-more.json")["tests"] + load("litmus.json")["tests"]
    print(f"{len(load('litmus.json')['tests'])} tests, {sum(t['copies'] for t in tests) / 1e9:.1f} thousand million copies, "
          f"{sum(bool(t['forbidden']) for t in tests)} with an outcome that the model forbids")
    print("shapes never seen:", ", ".join(s for s in dict.fromkeys(t["shape"] for t in tests) if not any(t["shape_seen"] for t in tests if t["shape"] == s)), "\n")
    for scope in ("gpu", "cta"):
        forms = list(dict.fromkeys(t["form"] for t in tests if t["scope"] == scope and t["place"] == "apart"))
        row(f"scope {scope}", *forms)
        for shape in ("MP", "SB", "LB", "S", "R", "2+2W", "WRC", "ISA2", "IRIW", "CoRR"):
            words = []
            for form in forms:
                t = next(t for t in tests if (t["shape"], t["form"], t["scope"], t["place"]) == (shape, form, scope, "apart"))
                rate = t["shape_seen"] * 1000 / t["copies"]
                words.append("-" if not t["shape_allowed"] else "<0.01" if 0 < rate < 0.005 else f"{rate:.2f}")
            row(shape, *words)
        print()


def memory():
    found = load("memory.json")
    row("bytes", "cycles, first cache allowed", "past it")
    for power in (10, 15, 17, 18, 20, 24, 25, 26, 27, 28, 30, 32, 33):
        some = [x for x in found["chase"] if x["bytes"] == 1 << power and x["stride"] == 128]
        row(f"2^{power}", *(f"{statistics.median(x['cycles']):.0f}" for x in some))
    print(f"\nshared memory {found['shared_cycles']:.0f} cycles\n")
    row("MiB", "copy", "read", "write")
    for power in (26, 28, 30, 32):
        row(1 << power - 20, *(f"{(2 if x['what'] == 'copy' else 1) * x['bytes'] / statistics.median(x['ms']) / 1e6:,.0f}" for x in found["copy"] if x["bytes"] == 1 << power))
    print()
    row("MiB", "random sectors, GB/s")
    for x in found["sectors"]:
        if x["bytes"] >> 20 in (1, 16, 64, 256, 1024, 8192):
            row(x["bytes"] >> 20, f"{x['sectors'] * 32 / statistics.median(x['ms']) / 1e6:,.0f}")
    print()
    row("places", "words apart", "atom, thousand million/s", "red")
    for x in found["atomics"]:
        if x["what"] == "add_atom":
            other = next(y for y in found["atomics"] if y["what"] == "add_red" and (y["places"], y["words_apart"]) == (x["places"], x["words_apart"]))
            row(x["places"], x["words_apart"], *(f"{y['additions'] / statistics.median(y['ms']) / 1e6:.2f}" for y in (x, other)))
    print()
    row("lanes in a bank", "chain, 1 warp", "independent, 1 warp", "independent, 16 warps")
    for ways in (1, 2, 4, 8, 16, 32):
        one, many = (next(x["cycles"][1] for x in found["banks"] if (x["ways"], x["warps"]) == (ways, warps)) for warps in (1, 16))
        row(ways, f"{one[0]:.1f}", f"{one[1]:.1f}", f"{many[1]:.1f}")
    print()


def shapes():
    found = load("shapes.json")["shapes"]
    row("shape", "apart", "slowest lane's work alone", "ratio", "mean lane's work alone")
    for kernel in dict.fromkeys(x["kernel"] for x in found):
        apart, together = (next(x["warp_cycles"] for x in found if (x["kernel"], x["version"]) == (kernel, version)) for version in ("apart", "together"))
        mine = [statistics.median(s[1 + w] for s in apart if s[0] == 1) for w in (0, 1)]
        lanes = [[statistics.median(s[1 + 2 * lane + w] for s in together if s[0] == 32) for lane in range(32)] for w in (0, 1)]
        slowest, mean = sum(map(max, lanes)) / 2, sum(map(statistics.mean, lanes)) / 2
        row(kernel, f"{sum(mine) / 2:,.0f}", f"{slowest:,.0f}", f"{sum(mine) / 2 / slowest:.2f}", f"{mean:,.0f}")
    print()


def stalls():
    head, probes = unpack(DATA / "cycles.json")
    found = {name: counts[1][0] / head["lanes"][0] for name, _, _, _, counts, _ in probes if counts.get(1)}
    empty = found["nothing"]
    row("stall", "may not give way", "may give way")
    for stall in range(16):
        row(stall, *(f"{(found[name] - empty) / 16:.2f}" if (name := f"16 NOP, stall {stall}{more}") in found else "" for more in ("", ", may give way")))
    print()
    row("instruction", "cycles between two of them, stall 1")
    for name, cycles in found.items():
        if name.endswith(", stall 1") and "NOP" not in name:
            row(name[3:-9], f"{(cycles - empty) / 16:.1f}")
    print()


if __name__ == "__main__":
    latencies()
    stalls()
    assumptions()
    litmus()
    memory()
    shapes()
