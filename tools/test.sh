#!/usr/bin/env bash
# The whole check.
#   plain      gcc -Werror build, and the suite without hostile input and without most of the unit tests
#   sanitize   a clang -Werror build under AddressSanitizer and UndefinedBehaviorSanitizer: the unit tests, hostile input, and what else may touch memory (HEDDLE_SANITIZED=1:
#              slow ones draw less)
#   quick      (only by name) the plain build, the unit tests and the tests of the tree: less than two minutes after the build
# With arguments only those parts. The last line, also in build/test-summary, reads `N passed, N failed, N skipped (what failed, and the reasons for skips)`.
# A skip that tests/skips.list does not allow is a failure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
parts=("$@")
[ $# -gt 0 ] || parts=(plain sanitize)
broken=()
logs=()
rm -f build/test-summary

# Suites of quick tests, which need no compilation of kernels.
quick=(api base check config core device interp ir isa launch memory object passes project ptx report runtime sanitizer sass semantics sm study tasks trace)
# Each test once, where it notices more: hostile input under the sanitizers; not there what runs the command for its output's sake, hardware, Python, the tree, and the
# suite `plain`: statistics of long runs, pages in a browser, and programs that the sanitized half runs in another way.
hostile=(input fuzz sass sm)
elsewhere=(cli project python rtl plain)
chosen=()

# suite NAME DIR [MESON OPTION]...
suite() {
	local name=$1 directory=$2 log=$2/meson-logs/testlog.json
	shift 2
	echo "== $name: build"
	if ! tools/build.sh "$directory" "$@" -Dtests=enabled; then
		echo "== $name: the build failed"
		broken+=(--broken "$name")
		return
	fi
	echo "== $name: tests"
	rm -f "$log"
	meson test -C "$directory" --no-rebuild --print-errorlogs --timeout-multiplier 4 --num-processes "$(nproc)" "${chosen[@]}"
	logs+=("$log" $?)
}

for part in "${parts[@]}"; do
	case $part in
	plain)
		chosen=("${hostile[@]/#/--no-suite=}")
		suite plain build -Dunit_tests=false
		chosen=()
		;;
	quick)
		chosen=("${quick[@]/#/--suite=}")
		suite quick build
		chosen=()
		;;
	sanitize)
		chosen=("${elsewhere[@]/#/--no-suite=}")
		HEDDLE_SANITIZED=1 suite sanitize build-sanitized --sanitized
		chosen=()
		;;
	*)
		echo "test.sh: unknown part '$part', expected plain, sanitize or quick" >&2
		exit 2
		;;
	esac
done

mkdir -p build
python3 tools/test_summary.py --allowed tests/skips.list "${broken[@]}" "${logs[@]}" >build/test-summary
cat build/test-summary
grep -q ', 0 failed,' build/test-summary
