#!/usr/bin/env python3
"""The lists of mutations (tests/mutants) can be read, fit the tree and have each mutation once: `make mutants` itself takes too long for the suite."""
import collections
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "tests/mutants"))
import lists  # pylint: disable=wrong-import-position

LEAST = 120
FOLDERS = ["src/check", "src/core", "src/isa", "src/passes"]

try:
    everything = lists.read_all(sorted((root / "tests/mutants").glob("*.list")))
except lists.ListError as error:
    sys.exit(f"tests/mutants/{error}")
errors = []
seen = {}  # a mutated file -> the first that mutates it so, white space apart
for mutant in everything:
    why = lists.stale(root, mutant)
    if why:
        errors.append(f"tests/mutants/{mutant.list}:{mutant.line}: error: {mutant.id}: {mutant.file}: {why}")
        continue
    changed = (mutant.file, hash(" ".join((root / mutant.file).read_text().replace(mutant.old, mutant.new).split())))
    other = seen.setdefault(changed, mutant)
    if other is not mutant:
        errors.append(f"tests/mutants/{mutant.list}:{mutant.line}: error: {mutant.id}: the same mutation as {other.id} in {other.list}:{other.line}")
count = collections.Counter(lists.folder(mutant) for mutant in everything)
errors += [f"tests/mutants: error: no mutation of {folder}" for folder in FOLDERS if not count[folder]]
if len(everything) < LEAST:
    errors.append(f"tests/mutants: error: {len(everything)} mutations, expected at least {LEAST}")
print("\n".join([f"{number:5} {folder}" for folder, number in sorted(count.items())] + errors))
sys.exit(1 if errors else 0)
