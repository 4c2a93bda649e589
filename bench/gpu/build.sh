#!/usr/bin/env bash
# build.sh BUILD OUT: everything that measure.sh needs, in OUT: code for sm_90 and a program. Needs nvcc and ptxas of CUDA 13 (NVCC, PTXAS), and a build of
# Heddle with its tests. No GPU is needed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
ptxas=${PTXAS:-/usr/local/cuda/bin/ptxas}
cd "$root"
cp "$here"/*.py "$here/measure.sh" "$out"
python3 "$here/template.py" >"$out/template.ptx"
"$ptxas" -arch=sm_90 "$out/template.ptx" -o "$out/template.cubin"
(cd "$here" && python3 probes.py "$out/template.cubin" "$out/probes.xz")
(cd "$here" && python3 probes.py "$out/template.cubin" "$out/returns.xz" --returns)
(cd "$here" && python3 assumptions.py "$out/template.cubin" "$out/assumptions.xz")
(cd "$here" && python3 assumptions.py "$out/template.cubin" "$out/cycles.xz" --cycles)
"$nvcc" -arch=sm_90 -O3 -cubin -o "$out/memory.cubin" "$here/memory.cu"
cc -O2 -std=gnu17 -Iinclude -Isrc -Itests/litmus -Itests/stress "$here/litmus_tests.c" tests/litmus/litmus.c tests/litmus/model.c "$build/libheddle.a" -lm -o "$out/litmus-tests"
"$out/litmus-tests" >"$out/litmus.jsonl"
python3 "$here/litmus.py" make "$out/litmus.jsonl" "$out/litmus"
for file in "$out"/litmus/*.ptx; do
	"$ptxas" -arch=sm_90 "$file" -o "${file%.ptx}.cubin"
done
"$nvcc" -arch=sm_90 -O3 -cubin -o "$out/litmus/classify.cubin" "$here/classify.cu"
python3 "$here/shapes.py" make "$build" "$out/shapes"
python3 "$here/ptx_of_examples.py" "$build" "$out/ptx"
cc -O2 -std=gnu17 -Iinclude -Isrc -Iexamples "$here/examples.c" "$build/examples/libexamples.a" "$build/libheddle.a" -lm -lelf -lyaml -ljansson -lz -ldl -o "$out/heddle-gpu-examples"
"$out/heddle-gpu-examples" "$out/ptx" "$out/interpreter.out" >"$out/interpreter.txt"
