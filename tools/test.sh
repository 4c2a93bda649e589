#!/usr/bin/env bash
# The whole check, below ten minutes on two cores:
#   plain      gcc -Werror build, the whole suite
#   sanitize   the suite again under AddressSanitizer and UndefinedBehaviorSanitizer (warnings allowed: gcc has false ones there; HEDDLE_SANITIZED=1: slow kernels use small sizes)
#   clang      everything compiles without a warning under clang, too
# With arguments only those parts. The last line reads `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/.."
parts=("$@")
[ $# -gt 0 ] || parts=(plain sanitize clang)
passed=0
failed=0

# Adds up the results that meson left in its log: one JSON object a line.
count() {
	local log=$1/meson-logs/testlog.json ok bad
	ok=$(grep -cE '"result": "(OK|EXPECTEDFAIL|SKIP)"' "$log" 2>/dev/null)
	bad=$(grep -cE '"result": "(FAIL|TIMEOUT|ERROR|INTERRUPT|UNEXPECTEDPASS)"' "$log" 2>/dev/null)
	passed=$((passed + ${ok:-0}))
	failed=$((failed + ${bad:-0}))
}

# suite NAME DIR [MESON OPTION]...
suite() {
	local name=$1 directory=$2
	shift 2
	echo "== $name: build"
	if ! tools/build.sh "$directory" "$@"; then
		echo "== $name: the build failed"
		failed=$((failed + 1))
		return
	fi
	echo "== $name: tests"
	rm -f "$directory/meson-logs/testlog.json"
	local before=$failed
	meson test -C "$directory" --no-rebuild --print-errorlogs --num-processes "$(nproc)"
	local status=$?
	count "$directory"
	# meson can fail without a single failed test, for example when it cannot start.
	if [ $status -ne 0 ] && [ $failed -eq $before ]; then
		failed=$((failed + 1))
	fi
}

for part in "${parts[@]}"; do
	case $part in
	plain) suite plain build ;;
	sanitize) HEDDLE_SANITIZED=1 suite sanitize build-asan -Dwerror=false -Db_sanitize=address,undefined -Db_lundef=false ;;
	clang)
		echo "== clang: build"
		if CC=clang-14 tools/build.sh build-clang; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
		;;
	*)
		echo "test.sh: unknown part '$part', expected plain, sanitize or clang" >&2
		exit 2
		;;
	esac
done

mkdir -p build
echo "$passed passed, $failed failed" | tee build/test-summary
[ "$failed" -eq 0 ]
