#!/usr/bin/env bash
# Machine code of real GPUs (docs/sass.md): hostile files, and the corpus where nvcc and ptxas of CUDA 13 are installed. About ten minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
(cd tests/sass/fixtures && ../../../build/tests/sass/sass-hostile --corruptions 6700 ./*.cubin ./*.fatbin ./*.o)
tests/sass/corpus.py --mutations all || [ $? = 77 ]
