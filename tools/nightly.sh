#!/usr/bin/env bash
# The checks too slow for every commit: static analysis (tools/lint.sh); all examples on several clusters with any number of threads (`tools/windows.sh`); the recipes' edits; a sample of mutations;
# and ThreadSanitizer over the tests of what uses threads (windows of time, the interpreter, the OpenCL driver's queues, `heddle compare`). Fails if anything is found.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
bad=0
tools/setup.sh test || exit 1
tools/build.sh build && tools/lint.sh || bad=1

echo "== unit tests by gcc"
tools/test.sh quick || bad=1

echo "== windows of time"
tools/build.sh build -Dtests=enabled && ninja -C build windows || bad=1

# The smaller sizes of all examples on all presets, too: a race needs no long run, and a wrong address may need a preset.
few() { HEDDLE_SOURCE=$PWD "$1/tests/kernels/heddle-windows" --all --size 1 --threads 2 --threads 3 || bad=1; }

echo "== recipes"
recipes=$(mktemp -d)
tests/project/recipes.py . --build "$recipes" || bad=1
rm -rf "$recipes"

echo "== mutations"
tests/mutants/run.py -n 200 --seed "$(date +%Y%j)" || bad=1

echo "== AddressSanitizer and UndefinedBehaviorSanitizer"
if tools/build.sh build-sanitized --sanitized -Dtests=enabled; then
	ASAN_OPTIONS=handle_sigill=1 few build-sanitized
	# `make test` leaves some suites out there.
	HEDDLE_SANITIZED=1 meson test -C build-sanitized --no-rebuild --print-errorlogs --timeout-multiplier 10 || bad=1
else
	bad=1
fi

echo "== ThreadSanitizer"
tests=(base/test_team device/test_time_windows interp/test_parallel kernels/windows opencl/test_threads opencl/test_any_order opencl/test_svm_atomics opencl/test_svm_atomics-functional opencl/test_objects opencl/test_programs cli/compare)
# The loader starts the driver in threads of its own choosing; a report names the driver's functions.
if tools/build.sh build-tsan -Dtests=enabled -Dwerror=false -Db_sanitize=thread -Db_lundef=false; then
	TSAN_OPTIONS=halt_on_error=1 meson test -C build-tsan --no-rebuild --print-errorlogs --timeout-multiplier 10 "${tests[@]}" || bad=1
	TSAN_OPTIONS=halt_on_error=1 few build-tsan
else
	bad=1
fi
exit $bad
