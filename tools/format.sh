#!/usr/bin/env bash
# Formats every C file by .clang-format; with --check only says which files differ, and fails if any does.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format-14 >/dev/null || { echo "format: clang-format-14 is not installed, run tools/setup.sh" >&2; exit 1; }
mapfile -t files < <(git ls-files 'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'examples/*.[ch]' 'examples/*.cu' 'examples/*.cuh' 'bench/*.[ch]' 'rtl/*.[ch]')
if [ "${1:-}" = --check ]; then
	clang-format-14 --dry-run --Werror "${files[@]}"
else
	clang-format-14 -i "${files[@]}"
fi
