#!/usr/bin/env bash
# Build times of OpenCL programs, on Heddle and on PoCL (where that is installed), alternately: tools/opencl-build.sh [REPEAT [CASE]...]
set -euo pipefail
cd "$(dirname "$0")/.."
repeat=${1-5}
shift || true
caches=$(mktemp -d)
trap 'rm -rf "$caches"' EXIT
export XDG_CACHE_HOME=$caches POCL_CACHE_DIR=$caches/pocl
vendors=$PWD/build/opencl-vendors
[ -e build/opencl-vendors-pocl/pocl.icd ] && vendors=$PWD/build/opencl-vendors-pocl
mkdir -p "$caches/pocl"
# The first round only warms files.
for round in 1 2 3; do
	again=$repeat
	[ $round = 1 ] && again=1
	for platform in Heddle $([ "$vendors" = "$PWD/build/opencl-vendors" ] || echo Portable); do
		[ $round = 1 ] || echo "round $((round - 1))"
		OCL_ICD_VENDORS=$vendors build/bench/heddle-opencl-build "$platform" "$again" "$@" |
			if [ $round = 1 ]; then cat >/dev/null; else cat; fi
	done
done
