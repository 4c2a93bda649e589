#!/usr/bin/env bash
# lint.sh [PART]...: static analysis of the tree; fails if anything is found. Parts, all without an argument:
#   format    clang-format (tools/format.sh mends it)
#   shell     shellcheck over the scripts
#   cppcheck  warnings and portability
#   analyzer  gcc -fanalyzer over the rooms where it is quiet; in the others it reports paths that cannot be
#   tidy      clang-tidy with the checks of .clang-tidy
# Needs a configured build/ (make build). A tool that is not installed is named and counts as a failure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
parts=("$@")
[ $# -gt 0 ] || parts=(format shell cppcheck analyzer tidy)
[ -f build/compile_commands.json ] || { echo "lint: no build/compile_commands.json, run make build first" >&2; exit 1; }
failed=()

# with TOOL PACKAGE COMMAND...: runs the command if the tool is there.
with() {
	command -v "$1" >/dev/null || { echo "lint: $1 is not installed (Debian package $2)"; return 1; }
	"${@:3}"
}

includes=(-Isrc -Iinclude -Ibuild/src)
definitions=(-D_POSIX_C_SOURCE=200809L -DHD_PATH=generic)

shell() { git ls-files 'tools/*.sh' .ci/run | xargs shellcheck --severity=warning; }

run_cppcheck() {
	git ls-files 'src/*.c' | xargs cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 -j "$(nproc)" \
		--suppressions-list=tools/cppcheck.txt "${includes[@]}" "${definitions[@]}"
}

run_analyzer() {
	git ls-files 'src/base/*.c' 'src/cli/*.c' 'src/config/*.c' 'src/launch/*.c' 'src/isa/*.c' 'src/api/*.c' |
		xargs -P "$(nproc)" -n 1 gcc -std=c17 -O1 -fanalyzer -Werror -c -o /dev/null "${includes[@]}" "${definitions[@]}"
}

# Each source file once, with the flags of its first compilation.
# clang ignores a --param of gcc, and has no warning for it here.
tidy() {
	git ls-files 'src/*.c' | xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p build \
		--extra-arg=-Wno-unused-command-line-argument 2>/dev/null
}

for part in "${parts[@]}"; do
	echo "== $part"
	case $part in
	format) tools/format.sh --check ;;
	shell) with shellcheck shellcheck shell ;;
	cppcheck) with cppcheck cppcheck run_cppcheck ;;
	analyzer) with gcc gcc run_analyzer ;;
	tidy) with clang-tidy-14 clang-tidy-14 tidy ;;
	*)
		echo "lint.sh: unknown part '$part', expected format, shell, cppcheck, analyzer or tidy" >&2
		exit 2
		;;
	esac || failed+=("$part")
done
[ ${#failed[@]} -eq 0 ] || { echo "lint: found something: ${failed[*]}"; exit 1; }
echo "lint: nothing found"
