#!/usr/bin/env bash
# The cost of launching a small grid in functional mode, on Heddle and on PoCL (where that is installed) in turn:
# tools/opencl-launch.sh [REPEAT [CASE]...]
set -euo pipefail
cd "$(dirname "$0")/.."
repeat=${1-5}
shift || true
caches=$(mktemp -d)
trap 'rm -rf "$caches"' EXIT
export XDG_CACHE_HOME=$caches POCL_CACHE_DIR=$caches/pocl HEDDLE_FUNCTIONAL=1
vendors=$PWD/build/opencl-vendors
[ -e build/opencl-vendors-pocl/pocl.icd ] && vendors=$PWD/build/opencl-vendors-pocl
mkdir -p "$caches/pocl"
for round in 1 2; do
	echo "round $round"
	for platform in Heddle $([ "$vendors" = "$PWD/build/opencl-vendors" ] || echo Portable); do
		OCL_ICD_VENDORS=$vendors build/bench/heddle-opencl-launch "$platform" "$repeat" "$@"
	done
done
