#!/usr/bin/env python3
"""conformance_page.py < TABLE: the tables of docs/validation.md, made of the Markdown that the program of conformance prints: a sum for each section,
each function that some type rounds by more than 1.5 ulp, and every row that is wrong."""
import re
import sys

TYPES = ("float", "double", "half")
lines = sys.stdin.read().splitlines()
rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if re.match(r"\| (?!section )", line)]
print("| section | functions | rows | forms | values | rows wrong |\n|---|--:|--:|--:|--:|--:|")
for section in dict.fromkeys(row[0] for row in rows):
    of = [row for row in rows if row[0] == section]
    print(f"| {section} | {len({row[1] for row in of})} | {len(of)} | {sum(int(row[3]) for row in of)} | {sum(int(row[4]) for row in of)} | "
          f"{sum(row[6] != 'met' for row in of)} |")
print(f"\n{lines[-1]}\n")
worst = {}  # function -> type -> error
for _, function, kind, _, _, error, _ in rows:
    if error != "exact":
        worst.setdefault(function, {})[kind] = error.replace(", no bound", "")
rounded = [function for function, errors in worst.items() if any(float(error.split()[0]) > 1.5 for error in errors.values())]
print("| function | " + " | ".join(TYPES) + " |\n|---|" + "---|" * len(TYPES))
for function in rounded:
    print("|".join(["", f" {function} "] + [f" {worst[function].get(kind, '')} ".replace("  ", " ") for kind in TYPES] + [""]))
wrong = [row for row in rows if row[6] != "met"]
if wrong:
    print("\n| section | function | type | forms | values | worst error (ulp) | |\n|---|---|---|--:|--:|---|---|")
    for row in wrong:
        print("| " + " | ".join(row) + " |")
