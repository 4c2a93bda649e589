# Thin by intention: what there is to know stands in meson.build and in tools/, which has everything else (docs/install.md lists it).
.PHONY: build test quick demo bench lint install setup

build:
	@tools/setup.sh build
	@tools/build.sh build

# The whole suite by gcc, and what may touch memory again by clang under sanitizers. It installs on Debian what is missing (`make setup`), or says what is.
test: setup
	@tools/test.sh

# The checks that a change needs before it is committed, in less than two minutes once it is built: the unit tests and the tests of the tree.
quick: setup
	@tools/test.sh quick

demo: build
	@tools/demo.sh

bench: build
	@tools/bench.sh

lint: build
	@tools/lint.sh

# `make install PREFIX=/usr DESTDIR=/tmp/root`; PREFIX is /usr/local without it. `tools/install.sh --uninstall` removes what the last one wrote.
PREFIX ?= /usr/local
install: build
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" tools/install.sh

setup:
	@tools/setup.sh test
