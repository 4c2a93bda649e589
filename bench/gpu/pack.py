#!/usr/bin/env python3
"""pack.py IN.json OUT.json: the counts of run_probes.py as they are kept in data/: a line for each probe.

A probe is [name, hazard, first class, second class, counts]. Counts are four texts: one warp a multiprocessor, then 16, while the warp never gives way
in the gap, then the same two where it may. A text has the wrong answers at each of `distances`, divided by blanks; `.` is every lane, and what is left
out at the end is 0. The first distance is 0, the control: there the second instruction came first."""
import json
import sys


def series(counts, distances, suffix, which, all_lanes):
    words = []
    for distance in distances:
        key = f"{distance}{suffix}" if distance else "0"
        count = counts.get(key, [0, 0])[which]
        words.append("." if count == all_lanes else str(count))
    while words and words[-1] == "0":
        words.pop()
    return " ".join(words)


def unpack(path):
    """(head, probes): each probe is [name, hazard, first, second, {distance: counts of one warp and of 16}, the same where the warp may give way]."""
    with open(path, encoding="utf-8") as file:
        packed = json.load(file)
    probes = []
    for name, hazard, first, second, which, texts in packed["probes"]:
        distances, found = packed["distances"][which], []
        for pair in (texts[:2], texts[2:]):
            counts = {d: [0, 0] for d in distances} if pair and pair[0] is not None else {}
            for config, text in enumerate(pair):
                for distance, word in zip(distances, (text or "").split()):
                    counts[distance][config] = packed["lanes"][config] if word == "." else int(word)
            found.append(counts)
        probes.append([name, hazard, first, second, *found])
    return packed, probes


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    lists, lines = [], []
    for probe, counts in zip(results["probes"], results["wrong"]):
        if counts is None:
            continue
        distances = sorted({int(key.rstrip("y")) for key in counts})
        if distances not in lists:
            lists.append(distances)
        texts = [series(counts, distances, "", which, results["lanes"][which]) for which in (0, 1)]
        if any(key.endswith("y") for key in counts):
            texts += [series(counts, distances, "y", which, results["lanes"][which]) for which in (0, 1)]
        lines.append(json.dumps([*probe, lists.index(distances), texts], separators=(",", ":")))
    head = {key: results[key] for key in ("card", "command", "rounds", "lanes", "seconds", "complete", "refused")}
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(json.dumps(head)[:-1] + ',\n"distances": ' + json.dumps(lists) + ',\n"probes": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
