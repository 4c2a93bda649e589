#!/usr/bin/env bash
# energy.sh [--size N] [--before] [--write]: the energy table beside published figures (bench/energy.c), as the tables of docs/energy.md. --before uses
# the prices from before the calibration. --write puts the tables into the page.
set -euo pipefail
cd "$(dirname "$0")/.."
size=2 write="" before=()
while [ $# -gt 0 ]; do
	case $1 in
	--size) size=$2; shift 2 ;;
	--before)
		for price in register_file_scale=100 pipeline=0 clock_core=0 l1i=71 l15=182 alu=0.95 fma=5.2 mul=3.9 alu64=1.9 mul64=13.3 coord=2.8 \
			sfu=9.8 f64=17.1 cvt=1.4 cvt64=2.8 tex=10.4 latom=1.9 lsu=2 shared_word=4.6 constant=4.5 l1=71 interconnect=76 l2=356 \
			dram=1920 leakage_core=70; do
			before+=(--set "energy.$price")
		done
		shift ;;
	--write) write=1; shift ;;
	*) echo "usage: tools/energy.sh [--size N] [--before] [--write]" >&2; exit 2 ;;
	esac
done
[ -z "$write" ] || [ ${#before[@]} -eq 0 ] || { echo "energy: --before is not for the page" >&2; exit 2; }
tables=$(build/bench/heddle-energy --size "$size" "${before[@]}")
echo "$tables"
[ -z "$write" ] || python3 - "$tables" <<'PYTHON'
import pathlib, re, sys
page = pathlib.Path("docs/energy.md")
text = page.read_text()
for name, table in zip(("microbenchmarks", "split"), sys.argv[1].split("\n\n")):
    if name == "split":  # the page has the means alone, the output a row for each example
        lines = table.strip().split("\n")
        means = next(i for i, line in enumerate(lines) if line.startswith("| **mean"))
        table = "\n".join(lines[:2] + lines[means:])
    block = f"<!-- {name}: tools/energy.sh --write -->\n{table.strip()}\n<!-- end -->"
    text, n = re.subn(rf"<!-- {name}:.*?<!-- end -->", lambda _: block, text, flags=re.S)
    assert n == 1, f"docs/energy.md has no place for {name}"
page.write_text(text)
PYTHON
