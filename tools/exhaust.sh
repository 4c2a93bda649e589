#!/usr/bin/env bash
# Tiny programs by the hundred thousand, checked and run (docs/checker.md).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
exec build/tests/exhaust/exhaust --full "$@"
