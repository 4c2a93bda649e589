# Thin by intention: what there is to know stands in meson.build and in tools/.
.PHONY: all build setup demo test bench sanitize fuzz conformance exhaust coverage opencl-clients opencl-examples format format-check install clean

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

# The OpenCL C built-in functions against the specification's bounds, in all widths: about ten minutes.
conformance: build
	@tools/conformance.sh

# Tiny programs by the hundred thousand, checked and run (docs/checker.md).
exhaust: build
	@build/tests/exhaust/exhaust --full

# Lines and branches that the suite runs, and the files with the least (lcov; not a part of `make test`).
coverage: setup
	@tools/coverage.sh

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
