#!/usr/bin/env bash
# Which lines the suite runs: builds in build-coverage, runs the suite and names the files with the least coverage.
#   tools/coverage.sh [--install] [arguments of `meson test`, such as --suite ptx or the names of tests]
# Needs lcov; --install installs it (Debian).
set -euo pipefail
cd "$(dirname "$0")/.."

worst=20 # files to name
build="build-coverage"
if [ "${1:-}" = --install ]; then
	shift
	root=()
	[ "$(id -u)" -eq 0 ] || root=(sudo)
	DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get -q install -y --no-install-recommends lcov
fi
command -v lcov >/dev/null || { echo "coverage: lcov is not installed; tools/coverage.sh --install installs it" >&2; exit 1; }

[ -d "$build" ] || meson setup "$build" -Db_coverage=true -Dbuildtype=debug
find "$build" -name '*.gcda' -delete
failed=0
meson test -C "$build" "$@" || failed=1

lcov --quiet --rc lcov_branch_coverage=1 --capture --directory "$build" --output-file "$build/all.info"
lcov --quiet --rc lcov_branch_coverage=1 --extract "$build/all.info" "$PWD/src/*" --output-file "$build/coverage.info"
genhtml --quiet --branch-coverage --output-directory "$build/coverage" "$build/coverage.info"
# Lines of a tracefile: SF:file, LF and LH lines found and hit, BRF and BRH branches.
awk -F: -v root="$PWD/" '
	$1 == "SF" { file = $2; sub(root, "", file) }
	$1 == "LF" { lines = $2; all_lines += $2 }
	$1 == "LH" { hit = $2; all_hit += $2 }
	$1 == "BRF" { branches += $2 }
	$1 == "BRH" { taken += $2 }
	/^end_of_record/ && lines { printf "%5.1f%% %5d %s\n", 100 * hit / lines, lines - hit, file; lines = 0 }
	END { printf "%5.1f%% of %d lines, %.1f%% of %d branches\n", 100 * all_hit / all_lines, all_lines, 100 * taken / branches, branches > "/dev/stderr" }
' "$build/coverage.info" 2>"$build/coverage.txt" | sort -n >"$build/files.txt"
echo "coverage: lines, lines not run, file:"
head -n "$worst" "$build/files.txt"
cat "$build/coverage.txt"
echo "coverage: $build/coverage/index.html has the rest"
exit "$failed"
