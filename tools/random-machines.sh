#!/usr/bin/env bash
# random-machines.sh [ARGUMENT]...: builds what tests/stress/random_machines.py needs, and runs it. SANITIZED=1: in a build with AddressSanitizer and
# UndefinedBehaviorSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
build=build
if [ -n "${SANITIZED-}" ]; then
	build="build-sanitized"
	export ASAN_OPTIONS=detect_leaks=1:handle_sigill=1
	tools/build.sh "$build" --sanitized -Dtests=enabled
else
	tools/build.sh "$build"
fi
exec tests/stress/random_machines.py --build "$build" "$@"
