#!/usr/bin/env bash
# Speed of kernels in the interpreter beside PoCL (where that is installed), with the same number of threads: tools/opencl-speed.sh [THREADS [REPEAT
# [CASE]...]]. The default is one thread, five times.
set -euo pipefail
cd "$(dirname "$0")/.."
threads=${1-1}
repeat=${2-5}
shift $(($# < 2 ? $# : 2))
caches=$(mktemp -d)
trap 'rm -rf "$caches"' EXIT
mkdir -p "$caches/pocl"
export XDG_CACHE_HOME=$caches POCL_CACHE_DIR=$caches/pocl HEDDLE_FUNCTIONAL=1 HEDDLE_THREADS=$threads POCL_MAX_PTHREAD_COUNT=$threads
vendors=$PWD/build/opencl-vendors
[ -e build/opencl-vendors-pocl/pocl.icd ] && vendors=$PWD/build/opencl-vendors-pocl
OCL_ICD_VENDORS=$vendors build/bench/heddle-opencl-speed "$repeat" "$@"
