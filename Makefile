# Thin by intention: what there is to know stands in meson.build and in tools/.
.PHONY: all build setup demo test bench bench-compile sanitize fuzz mutants conformance exhaust faults coverage opencl-clients opencl-examples cuda-examples format format-check install clean

.PHONY: random-machines windows sass setup-build uninstall deb test-deb lint nightly rtl area study

all: build

# What build and tests need, one set: installs packages on Debian when something is missing, and says what is missing elsewhere. `setup-build` goes on
# without the part of the tests where it cannot be installed.
setup:
	@tools/setup.sh test

setup-build:
	@tools/setup.sh build

build: setup-build
	@tools/build.sh build

demo: build
	@tools/demo.sh

test: setup
	@tools/test.sh

bench: build
	@tools/bench.sh

# The study of docs/studies.md from scratch: 2,560 runs, two minutes on two cores of their own. The pages are in build/study.
study: build
	@tools/study.sh

# CPU seconds and memory of compilations of 1,000 to 100,000 instructions, by shape (docs/compile-time.md).
bench-compile: build
	@build/bench/heddle-bench-compile

# The suite once more under AddressSanitizer and UndefinedBehaviorSanitizer alone (a part of `make test`).
sanitize: setup
	@tools/test.sh sanitize

# `make fuzz SECONDS=3600` fuzzes each target for an hour; `TARGETS='ptx opencl'` chooses targets (tests/fuzz/README.md).
SECONDS ?= 30
fuzz: setup
	@tools/fuzz.sh $(SECONDS) $(TARGETS)

# Mutations of checker, core, passes and instruction set: does a test notice each? About twenty minutes on two cores (CONTRIBUTING.md).
mutants: setup
	@tests/mutants/run.py

# Random machine descriptions, each with random programs and examples: `make random-machines N=1000 SEED=5`. SANITIZED=1 uses a build with
# AddressSanitizer and UndefinedBehaviorSanitizer (CONTRIBUTING.md).
N ?= 200
SEED ?= 1
random-machines: setup
	@SANITIZED=$(SANITIZED) tools/random-machines.sh --count $(N) --seed $(SEED)

# PA-1: every example in every size on every preset, on machines of several clusters: the same reports, traces and statistics for any number of threads
# of the host, and without windows. About forty minutes of a processor.
windows: build
	@tools/build.sh build -Dtests=enabled
	@ninja -C build windows

# The OpenCL C built-in functions against the specification's bounds, in all widths: about ten minutes.
conformance: build
	@tools/conformance.sh

# Every allocation, write, fork and rename of a few commands fails once (tests/faults): about ten minutes.
faults: build
	@tools/faults.sh

# Tiny programs by the hundred thousand, checked and run (docs/checker.md).
exhaust: build
	@build/tests/exhaust/exhaust --full

# Machine code of real GPUs (docs/sass.md): hostile files, and the corpus where nvcc and ptxas of CUDA 13 are installed. About ten minutes on two cores.
sass: setup
	@tools/build.sh build -Dtests=enabled
	@cd tests/sass/fixtures && ../../../build/tests/sass/sass-hostile --corruptions 6700 *.cubin *.fatbin *.o
	@tests/sass/corpus.py --mutations all || [ $$? = 77 ]

# Lines and branches that the suite runs, and the files with the least (lcov; not a part of `make test`).
coverage: setup
	@tools/coverage.sh

# Real programs on the OpenCL driver (docs/opencl.md); the examples on it and on PoCL.
opencl-clients: build
	@tools/opencl.sh

opencl-examples: build
	@tools/opencl.sh examples

# The examples as CUDA programs, by clang and, where it is installed, by nvcc, on every preset; `make cuda-examples TABLE=1` prints their cycles
# (docs/cuda.md#the-examples-as-cuda-programs).
NVCC ?= $(firstword $(wildcard /usr/local/cuda/bin/nvcc) $(shell command -v nvcc))
cuda-examples: setup
	@tools/build.sh build -Dtests=enabled
	@tests/cuda/examples.py build --with clang $(NVCC:%=--with %) $(if $(TABLE),--table,--all --jobs 2)

# The hardware description: lint, lockstep with the C units, proofs (rtl/README.md). `CYCLES=10000000` for the long mode; MUTANTS=1 tries mutations too.
CYCLES ?= 100000
rtl: setup
	@tools/build.sh build
	@rtl/run.py all --cycles $(CYCLES)
	@[ -z "$(MUTANTS)" ] || rtl/run.py mutants

# What the hardware costs in standard cells and on an FPGA, and the energy of what switches in it (rtl/energy.py); about an hour. `make area AREA=table`
# for one of the tables of rtl/area.py, `make area AREA=energy` for the energy alone.
AREA ?= all
area: setup
	@tools/build.sh build
	@[ "$(AREA)" = energy ] || rtl/area.py $(AREA)
	@case "$(AREA)" in all | energy) rtl/energy.py measure ;; esac

format:
	@tools/format.sh

format-check:
	@tools/format.sh --check

# `make install PREFIX=/usr DESTDIR=/tmp/root`; PREFIX is /usr/local without it. `make uninstall` removes what the last `make install` wrote.
PREFIX ?= /usr/local
install: build
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" tools/install.sh

uninstall:
	@tools/install.sh --uninstall

# Debian packages in build/deb, and a test of what is in them. Both need debhelper, and are no part of `make test`.
deb:
	@tools/deb.sh

test-deb: deb
	@tools/deb.sh --test

# Static analysis; and what is too slow for every commit.
lint: build
	@tools/lint.sh

nightly: setup
	@tools/nightly.sh

clean:
	rm -rf build build-asan build-clang build-fuzz build-tsan
