#!/usr/bin/env bash
# Warp instructions a second of every example, timed and functional, on one host core.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x bench/run ] || { echo "bench: bench/run is missing" >&2; exit 1; }
exec bench/run build "$@"
