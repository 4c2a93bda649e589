#!/usr/bin/env bash
# Every fault of tests/faults/faults.py, not some of each kind; arguments go to it (--only NAME).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS-$PWD/build/opencl-vendors} HEDDLE_SOURCE=$PWD
client=build/tests/faults/heddle-faults-client
[ -x "$client" ] || client=-
exec python3 tests/faults/faults.py build/heddle build/tests/faults/libheddle-faults.so "$client" --all "$@"
