#!/usr/bin/env bash
# cuda-examples.sh [--table]: the examples as CUDA programs, by clang and, where it is installed, by nvcc (NVCC names it), on every preset; with --table
# their cycles (docs/cuda.md#the-examples-as-cuda-programs).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
nvcc=${NVCC:-$(command -v nvcc || compgen -G /usr/local/cuda/bin/nvcc || true)}
what=(--all --jobs 2)
[ "${1-}" != --table ] || what=(--table)
exec tests/cuda/examples.py build --with clang ${nvcc:+--with "$nvcc"} "${what[@]}"
