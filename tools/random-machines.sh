#!/usr/bin/env bash
# random-machines.sh [ARGUMENT]...: builds what tests/stress/random_machines.py needs, and runs it. SANITIZED=1: in a build with AddressSanitizer and
# UndefinedBehaviorSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
build=build
if [ -n "${SANITIZED-}" ]; then
	build="build-asan"
	export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	tools/build.sh "$build" -Dtests=enabled -Dwerror=false -Db_sanitize=address,undefined -Db_lundef=false
else
	tools/build.sh "$build"
fi
exec tests/stress/random_machines.py --build "$build" "$@"
