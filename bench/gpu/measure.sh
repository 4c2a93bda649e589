#!/usr/bin/env bash
# measure.sh OUT [PART...]: measures on a GPU, in the folder that build.sh filled. Each part has a limit of time and leaves its results in OUT.
out=$1
shift
parts=${*:-latency assumptions cycles returns litmus memory shapes examples}
mkdir -p "$out"
export LD_LIBRARY_PATH=$PWD/lib:${LD_LIBRARY_PATH:-}
for part in $parts; do
	begin=$(date +%s.%N)
	case $part in
	latency) timeout -k 2 "${LATENCY:-110}" python3 run_probes.py template.cubin probes.xz "$out/latency.json" --seconds "${LATENCY_SECONDS:-90}" ;;
	assumptions) timeout -k 2 40 python3 run_probes.py template.cubin assumptions.xz "$out/assumptions.json" --made-by assumptions --rounds "${ROUNDS:-2000}" --seconds 30 ;;
	cycles) timeout -k 2 20 python3 run_probes.py template.cubin cycles.xz "$out/cycles.json" --made-by cycles --seconds 15 ;;
	returns) timeout -k 2 10 python3 run_probes.py template.cubin returns.xz "$out/returns.json" --made-by returns --seconds 8 ;;
	litmus) timeout -k 2 80 python3 litmus.py run litmus litmus.jsonl "$out/litmus.json" --seconds 65 --launches "${LAUNCHES:-10}" ;;
	memory) timeout -k 2 40 python3 memory.py memory.cubin "$out/memory.json" ;;
	shapes) timeout -k 2 20 python3 shapes.py run shapes "$out/shapes.json" ;;
	examples) timeout -k 2 60 ./heddle-gpu-examples ptx "$out/examples.out" --gpu >"$out/examples.txt" ;;
	esac
	echo "$part: status $?, $(awk "BEGIN { print $(date +%s.%N) - $begin }") s"
done
