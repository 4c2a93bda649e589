#!/usr/bin/env bash
# The table of conformance, whole; arguments go to the program (--only PART, --markdown, --platform NAME).
# Without arguments, also mathematics with each set of options.
# `tools/conformance.sh --page` writes the section of docs/validation.md.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS-$PWD/build/opencl-vendors} HEDDLE_FUNCTIONAL=${HEDDLE_FUNCTIONAL-1}
if [ "${1-}" = --page ]; then
	table=$(build/tests/conformance/conformance --markdown) || true
	sets=$(build/tests/conformance/conformance --reduced --sets --kept --markdown) || true
	{
		cat <<'TEXT'
`tools/conformance.sh --page` writes this section. `tools/conformance.sh` prints a row for each function and type, and a
sum for each set of options. [ptx.md](ptx.md#built-in-functions) says which functions of libclc are replaced.

A *form* is one kernel: a function in one vector width and one spelling. Mathematical functions are compared with MPFR.
Bounds are those of the OpenCL 1.2 specification, tables 7.1 and 7.2 (full profile), and of cl_khr_fp16. Functions
without a bound show the worst error seen. *Exact* means every bit, NaNs aside; for arithmetic that is correct rounding.

Inputs (`tests/conformance/inputs.h`) are special values against each other, the places at which functions change or
leave the range with their neighbours, whole numbers, denormal numbers, powers of two, ties, and random bits from a
fixed seed (`--seed N` for others).

The second table has the functions that some type rounds by more than 1.5 ulp: the worst error in ulp *of* the bound.
All others are exact or within 1.5 ulp. An empty cell is exact, or the function has no such type.

TEXT
		echo "$table" | tools/conformance_page.py
		cat <<'TEXT'

### Options

Mathematics with each option of a program, on reduced inputs; the last has all types, the others floats.
`tests/conformance/options.def` says what an option changes. Functions keep the bounds above and denormal numbers under
all of them (`--kept`), because an option reaches the program's own operators alone. Without `--kept` the program
compares with the relaxed bounds of OpenCL C 3.0, 7.4.

TEXT
		echo "$sets"
	} | python3 -c '
import pathlib, re, sys
page, section = pathlib.Path("docs/validation.md"), sys.stdin.read()
marked = r"(<!-- built-in functions: .*?-->\n).*?(<!-- end -->)"
text, n = re.subn(marked, lambda m: m[1] + section + m[2], page.read_text(), flags=re.S)
assert n == 1, "docs/validation.md has no place for the section"
page.write_text(text)'
	exit 0
fi
if [ $# -eq 0 ]; then
	libclc=$({ find /usr/lib/clc /usr/share/clc -name nvptx64--nvidiacl.bc 2>/dev/null || true; } | head -1) # one of the folders is missing
	python3 tests/opencl/declarations.py clang-19 lib/heddle_opencl.h build/lib/heddle_range.bc build/lib/heddle_half.bc build/lib/heddle_queue.bc build/lib/heddle_opencl3.bc build/lib/heddle_builtins.bc "$libclc"
	build/tests/conformance/conformance
	build/tests/conformance/conformance --sets --kept
	exit
fi
exec build/tests/conformance/conformance "$@"
