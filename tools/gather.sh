#!/usr/bin/env bash
# The worth of `may_replay` on scattered loads (docs/predecode.md): cycles of bench/gather.cl on the default machine, which has a candidate window, by
# the size of the table that it reads. usage: tools/gather.sh [HEDDLE]
set -euo pipefail
cd "$(dirname "$0")/.."
heddle=${1:-build/heddle}
cycles() {
	"$heddle" run bench/gather.cl --set predecode.replay="$2" --grid 32 --block 256 --arg zero:f32:8192 --arg rand:f32:1048576:1 \
		--arg rand:f32:32:2 --arg u32:$(($1 * 256 - 1)) --arg u32:16 2>&1 | sed -n 's/.*: \([0-9,]*\) cycles.*/\1/p' | tr -d ,
}
echo "| table, KiB | no replay | buffer of 8 | buffer of 32 |"
echo "|--:|--:|--:|--:|"
for size in 16 64 256 1024 4096; do
	awk -v size=$size -v none="$(cycles $size 0)" -v small="$(cycles $size 8)" -v large="$(cycles $size 32)" \
		'BEGIN { printf "| %d | %d | %.3f | %.3f |\n", size, none, small / none, large / none }'
done
