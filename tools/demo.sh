#!/usr/bin/env bash
# From OpenCL C to a checked result and a report (examples/demo/demo.c). docs/tour.md shows its output.
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle-demo examples/matmul/matmul.cl "$@"
