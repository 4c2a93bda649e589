#!/usr/bin/env bash
# mutants.sh [OPTION]...: mutates the sources by a program and sees whether a test notices (tests/mutants/run.py --help; CONTRIBUTING.md).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
exec tests/mutants/run.py "$@"
