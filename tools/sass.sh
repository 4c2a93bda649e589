#!/usr/bin/env bash
# Machine code of real GPUs (docs/sass.md): hostile files, and the corpus where nvcc and ptxas of CUDA 13 are installed, checked and run. About twenty
# minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
(cd tests/sass/fixtures && ../../../build/tests/sass/sass-hostile --corruptions 6700 ./*.cubin ./*.fatbin ./*.o)
tests/sass/corpus.py --mutations all || [ $? = 77 ]
HEDDLE_SM_SETS=3200 HEDDLE_SOURCE=$PWD build/tests/sm-tests
build/tests/sm/sm-hostile --corruptions 2000 tests/sm/fixtures/*.cubin
# Not hopper_sm90a: it waits for barriers in memory that have no meaning. Not texture.
kernels=$(ls tests/sass/kernels/*.cu | grep -v 'hopper\|texture')
tests/sm/values.py build/heddle --arch 75,80,86,89,90 $kernels examples/*/*.cu || [ $? = 77 ]
