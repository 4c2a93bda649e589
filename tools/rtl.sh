#!/usr/bin/env bash
# rtl.sh [PART] [OPTION]...: the hardware description: lint, lockstep with the C units, proofs (rtl/README.md). `--cycles 10000000` for the long mode;
# `mutants` tries mutations.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build
case ${1-} in
'' | -*) exec rtl/run.py all --cycles 100000 "$@" ;;
*) exec rtl/run.py "$@" ;;
esac
