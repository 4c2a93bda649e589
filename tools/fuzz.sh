#!/usr/bin/env bash
# Every fuzz target for a while (SECONDS_EACH, 30 by default), under clang's libFuzzer with ASan and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x tests/fuzz/run ] || { echo "fuzz: tests/fuzz/run is missing" >&2; exit 1; }
exec tests/fuzz/run "${SECONDS_EACH:-30}"
