#!/usr/bin/env bash
# From OpenCL C to a checked result and a report (examples/demo/demo.c).
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle-demo examples/matmul/matmul.cl "$@"
