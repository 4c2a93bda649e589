# Thin by intention: what there is to know stands in meson.build and in tools/.
.PHONY: all build setup demo test bench sanitize fuzz mutants conformance opencl-clients opencl-examples format format-check install clean

all: build

setup:
	@tools/setup.sh

build: setup
	@tools/build.sh build

demo: build
	@tools/demo.sh

test: setup
	@tools/test.sh

bench: build
	@tools/bench.sh

# The suite once more under AddressSanitizer and UndefinedBehaviorSanitizer alone (a part of `make test`).
sanitize: setup
	@tools/test.sh sanitize

fuzz: setup
	@tools/fuzz.sh

# Mutations of checker, core, passes and instruction set: does a test notice each? About an hour on two cores (CONTRIBUTING.md).
mutants: setup
	@tests/mutants/run.py

# The OpenCL C built-in functions against the specification's bounds, in all widths: about ten minutes.
conformance: build
	@tools/conformance.sh

# Real programs on the OpenCL driver (docs/opencl.md); the examples on it and on PoCL.
opencl-clients: build
	@tools/opencl.sh

opencl-examples: build
	@tools/opencl.sh examples

format:
	@tools/format.sh

format-check:
	@tools/format.sh --check

install: build
	@meson install -C build --no-rebuild

clean:
	rm -rf build build-asan build-clang build-fuzz
