#!/usr/bin/env bash
# fuzz.sh [SECONDS [TARGET]...]: every fuzz target for a while (30 seconds by default), under clang's libFuzzer with ASan and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
exec python3 tests/fuzz/run.py "${1:-30}" "${@:2}"
