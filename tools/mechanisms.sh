#!/usr/bin/env bash
# mechanisms.sh [--size N] [--write]: `heddle compare` of all presets over all examples, as the table of docs/results.md. --write puts it there and draws
# docs/pictures/mechanisms.svg from it.
# Size 1 of the examples without --size. Outputs must be equal on all machines.
set -euo pipefail
cd "$(dirname "$0")/.."
size=1 write=
while [ $# -gt 0 ]; do
	case $1 in
	--size) size=$2; shift 2 ;;
	--write) write=1; shift ;;
	*) echo "usage: tools/mechanisms.sh [--size N] [--write]" >&2; exit 2 ;;
	esac
done
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
build/examples/heddle-launches "$directory" --size "$size"
# Beside the presets: the prior art of multi-issue (MI-12), and a window with fence counters, because a scoreboard never lets a dependent pair go
# together (MI-15; compare its column with that of `fence`).
machines=(baseline one-queue fence predecode minrc multi-issue fence+multi-issue last-use heddle)
build/heddle compare --launches "$directory/launches" "${machines[@]/#/--machine=}" --report "$directory/table.json" >/dev/null
python3 - "$directory" "$size" "$write" <<'PYTHON'
import json, math, pathlib, re, sys
directory, size, write = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
examples, current, unstructured = [], None, set()
for line in (directory / "launches").read_text().splitlines():
    if line.startswith("# "):
        current = line[2:].replace(" (unstructured)", "")
        if current != line[2:]:
            unstructured.add(current)
    else:
        examples.append(current)
launches = json.loads((directory / "table.json").read_text())["launches"]
names = [m["machine"] for m in launches[0]["machines"]]
order = list(dict.fromkeys(examples))
sums = {e: [{} for _ in names] for e in order}
for e, launch in zip(examples, launches):
    for i, m in enumerate(launch["machines"]):
        assert m["outputs_equal"] and m["result"] == "done", (e, m["machine"])
        for key in ("cycles", "energy_pj", "energy_register_file_pj", "register_file.writes", "issued"):
            sums[e][i][key] = sums[e][i].get(key, 0) + m[key]
        # The uncertainty of the ratio of energies (docs/energy.md), weighted: launches have the same errors of prices, so this is a bound.
        weight = m["energy_ratio_uncertainty"] * launch["machines"][0]["energy_pj"]
        sums[e][i]["energy_error"] = sums[e][i].get("energy_error", 0) + weight
ratio = lambda e, i, key: sums[e][i][key] / sums[e][0][key]
# Regular kernels and those whose threads part without structure are never in one mean.
kinds = {"regular": [e for e in order if e not in unstructured], "unstructured": [e for e in order if e in unstructured]}
mean = lambda i, key, kind: math.exp(sum(math.log(ratio(e, i, key)) for e in kinds[kind]) / len(kinds[kind]))
rows = ["| example: size | " + " | ".join(f"`{n}`" for n in names) + " |", "|---|" + "---:|" * len(names)]
for e in order:
    rows.append(f"| {e} | {sums[e][0]['cycles']:,} | " + " | ".join(f"{ratio(e, i, 'cycles'):.3f}" for i in range(1, len(names))) + " |")
for key, what in (("cycles", "cycles, geometric mean"), ("issued", "instructions issued"), ("register_file.writes", "register file writes"),
                  ("energy_register_file_pj", "energy of the register file"), ("energy_pj", "energy in all")):
    for kind in kinds:
        rows.append(f"| **{what}, {kind}** | | " + " | ".join(f"**{mean(i, key, kind):.3f}**" for i in range(1, len(names))) + " |")
    if key == "energy_pj":
        for kind in kinds:
            error = lambda i: sum(sums[e][i]["energy_error"] / sums[e][0]["energy_pj"] for e in kinds[kind]) / len(kinds[kind])
            rows.append(f"| **energy in all, {kind}: its uncertainty** | | " + " | ".join(f"**{error(i):.3f}**" for i in range(1, len(names))) + " |")
bits = [m["state_bits"] for m in launches[0]["machines"]]
rows.append(f"| **state bits of a core that keep registers in order** | {bits[0]:,} | " + " | ".join(f"**{b / bits[0]:.3f}**" for b in bits[1:]) + " |")
comparators = [m["window_register_comparators"] for m in launches[0]["machines"]]
rows.append(f"| **8-bit comparators of register numbers in a core's windows** | {comparators[0]} | " + " | ".join(f"**{c}**" for c in comparators[1:]) + " |")
table = "\n".join(rows)
print(table)
if write:
    page = pathlib.Path("docs/results.md")
    block = f"<!-- mechanisms: tools/mechanisms.sh --size {size} --write -->\n{table}\n<!-- end -->"
    text, n = re.subn(r"<!-- mechanisms.*?<!-- end -->", lambda _: block, page.read_text(), flags=re.S)
    assert n == 1, "docs/results.md has no place for the table"
    page.write_text(text)
PYTHON
[ -z "$write" ] || tools/mechanisms_picture.py
