#!/usr/bin/env bash
# setup.sh [build|test|missing]: looks for the programs and libraries that Heddle is built and tested with; silent and quick when all is there.
# On Debian and its children it installs the packages of what is missing, the same for `build` and `test`, so that one configuration serves both. Where it
# cannot install, it says what is missing, and fails when the build (build) or the build or the suite (test) cannot do without. `missing` only prints
# what is missing (tools/build.sh). The reason for each is in docs/install.md.
set -euo pipefail

# USE KIND NAME PACKAGE: a command, a clang of version 19 or later, a pkg-config module, or a file by a pattern, that the build needs, or the suite.
needs="
build command gcc gcc
build command meson meson
build command ninja ninja-build
build command pkg-config pkg-config
build command python3 python3
build clang clang-19|clang clang-19
build file /usr/lib/clc/nvptx64--nvidiacl.bc|/usr/*/clc/nvptx64--nvidiacl.bc libclc-19
build module libelf libelf-dev
build module yaml-0.1 libyaml-dev
build module jansson libjansson-dev
build module liblz4 liblz4-dev
build module libzstd libzstd-dev
build module zlib zlib1g-dev
build module sqlite3 libsqlite3-dev
build module OpenCL ocl-icd-opencl-dev
build module OpenCL-Headers opencl-headers
test command make make
test command git git
test command g++ g++
test command clang-19 clang-19
test command ld.lld lld
test command llvm-symbolizer-19 llvm-19
test command clang-format-14 clang-format-14
test file /usr/lib/llvm-19/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a libclang-rt-19-dev
test module cmocka libcmocka-dev
test module mpfr libmpfr-dev
test command clinfo clinfo
test command llvm-spirv-14 llvm-spirv-14
test command clang-14 clang-14
test file /etc/OpenCL/vendors/pocl.icd pocl-opencl-icd
test file /usr/lib/python3/dist-packages/cffi/__init__.py python3-cffi
test file /usr/lib/python3/dist-packages/clang/cindex.py python3-clang-19
test file /usr/lib/python3/dist-packages/numpy/__init__.py python3-numpy
test file /usr/lib/python3/dist-packages/pandas/__init__.py python3-pandas
test command mypy mypy
test command chromium chromium
test command chromedriver chromium-driver
test command zsh zsh
test command fish fish
test command groff groff
test command mandoc mandoc
test file /usr/sbin/slurmctld slurm-wlm
test command verilator verilator
test command iverilog iverilog
test command yosys yosys
test command z3 z3
test command nextpnr-ice40 nextpnr-ice40
test file /usr/share/qflow/tech/osu018/osu018_stdcells.lib qflow-tech-osu018
"

# there KIND NAME|NAME...: whether one of the names is there.
there() {
	local name
	local -a names
	IFS='|' read -ra names <<<"$2"
	for name in "${names[@]}"; do
		case $1 in
		command) command -v "$name" >/dev/null && return 0 ;;
		clang) [ "$("$name" -dumpversion 2>/dev/null | cut -d. -f1)" -ge 19 ] 2>/dev/null && return 0 ;;
		module) pkg-config --exists "$name" 2>/dev/null && return 0 ;;
		file) compgen -G "$name" >/dev/null && return 0 ;;
		esac
	done
	return 1
}

# missing: the rows of `needs` that are not there.
missing() {
	local use kind name package
	while read -r use kind name package; do
		[ -z "$use" ] || there "$kind" "$name" || echo "$use $kind $name $package"
	done <<<"$needs"
}

# give_up REASON: says what is missing, and fails when the part cannot do without.
give_up() {
	echo "setup: $1; missing:" >&2
	sed -E 's/^test /tests /; s/^(\w+) (.*) ([^ ]+)$/  \2 (Debian package \3, for the \1)/' <<<"$lacks" >&2
	if [ "$part" = test ] || grep -q '^build ' <<<"$lacks"; then
		exit 1
	fi
	exit 0
}

part=${1:-test}
lacks=$(missing)
case $part in
build | test) ;;
missing)
	echo "$lacks"
	exit 0
	;;
*)
	echo "setup: unknown part '$part', expected build, test or missing" >&2
	exit 2
	;;
esac
[ -n "$lacks" ] || exit 0
if [ ! -e /etc/debian_version ] || ! command -v apt-get >/dev/null; then
	give_up "this is not Debian, please install what is missing"
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || give_up "not root and no sudo"
	root=(sudo)
fi
"${root[@]}" apt-get -q update
# First those of the build, which does not depend on whether the others can be installed.
for use in build test; do
	mapfile -t packages < <(sed -n "s/^$use .* //p" <<<"$lacks")
	[ ${#packages[@]} -gt 0 ] || continue
	echo "setup: installing ${packages[*]}"
	if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${packages[@]}"; then
		lacks=$(missing)
		give_up "apt-get cannot install ${packages[*]}"
	fi
done
