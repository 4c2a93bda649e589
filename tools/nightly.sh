#!/usr/bin/env bash
# What is too slow for every commit: static analysis (tools/lint.sh), and ThreadSanitizer over the tests of what uses threads (the OpenCL driver's queues,
# `heddle compare`). Fails if anything is found.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
bad=0
tools/build.sh build && tools/lint.sh || bad=1

echo "== ThreadSanitizer"
tests=(opencl/test_threads opencl/test_any_order opencl/test_svm_atomics opencl/test_svm_atomics-functional opencl/test_objects opencl/test_programs cli/compare)
# The loader starts the driver in threads of its own choosing; a report names the driver's functions.
if tools/build.sh build-tsan -Dtests=enabled -Dwerror=false -Db_sanitize=thread -Db_lundef=false; then
	TSAN_OPTIONS=halt_on_error=1 meson test -C build-tsan --no-rebuild --print-errorlogs --timeout-multiplier 10 "${tests[@]}" || bad=1
else
	bad=1
fi
exit $bad
