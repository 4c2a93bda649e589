#!/usr/bin/env bash
# setup.sh [build|test|rtl]: looks for what Heddle is built with (build), and also tested with (test, the default), or what reads rtl/ (rtl: `make rtl`,
# `make area`). Silent and quick when all is there.
# On Debian and its children the packages of what is missing are installed; elsewhere the script says what is missing, and changes nothing.
# The reason for each is in docs/dependencies.md.
set -euo pipefail

# KIND NAME PACKAGE: a command, a pkg-config module, or a file by a pattern.
build_needs="
command gcc gcc
command meson meson
command ninja ninja-build
command pkg-config pkg-config
command python3 python3
command clang-14|clang clang-14
file /usr/lib/clc/nvptx64--nvidiacl.bc|/usr/*/clc/nvptx64--nvidiacl.bc libclc-14
module libelf libelf-dev
module yaml-0.1 libyaml-dev
module jansson libjansson-dev
module liblz4 liblz4-dev
module libzstd libzstd-dev
module zlib zlib1g-dev
module sqlite3 libsqlite3-dev
"
# What Heddle does without, where packages are not installed by this script.
build_wishes="
command llvm-spirv-14|llvm-spirv llvm-spirv-14
"
test_needs="
command make make
command git git
command clang-14 clang-14
command clang-format-14 clang-format-14
file /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a libclang-rt-14-dev
module cmocka libcmocka-dev
module mpfr libmpfr-dev
module OpenCL ocl-icd-opencl-dev
file /usr/include/CL/cl_icd.h opencl-headers
command clinfo clinfo
command llvm-spirv-14|llvm-spirv llvm-spirv-14
file /etc/OpenCL/vendors/pocl.icd pocl-opencl-icd
file /usr/lib/python3/dist-packages/cffi/__init__.py python3-cffi
file /usr/lib/python3/dist-packages/numpy/__init__.py python3-numpy
file /usr/lib/python3/dist-packages/pandas/__init__.py python3-pandas
command mypy mypy
command chromium chromium
command chromedriver chromium-driver
"

# A test that is skipped without it.
test_wishes="
file /usr/sbin/slurmctld slurm-wlm
"

rtl_needs="
command verilator verilator
command g++ g++
command iverilog iverilog
command yosys yosys
command z3 z3
command nextpnr-ice40 nextpnr-ice40
file /usr/share/qflow/tech/osu018/osu018_stdcells.lib qflow-tech-osu018
"

# there KIND NAME|NAME...: whether one of the names is there.
there() {
	local name
	local -a names
	IFS='|' read -ra names <<<"$2"
	for name in "${names[@]}"; do
		case $1 in
		command) command -v "$name" >/dev/null && return 0 ;;
		module) pkg-config --exists "$name" 2>/dev/null && return 0 ;;
		file) compgen -G "$name" >/dev/null && return 0 ;;
		esac
	done
	return 1
}

case ${1:-test} in
build) needs=$build_needs ;;
test) needs=$build_needs$test_needs ;;
rtl) needs=$build_needs$rtl_needs ;;
*)
	echo "setup: unknown part '$1', expected build, test or rtl" >&2
	exit 2
	;;
esac
if [ -e /etc/debian_version ] && [ "${1:-test}" != rtl ]; then
	needs+=$build_wishes
	[ "${1:-test}" != test ] || needs+=$test_wishes
fi
missing=() packages=()
while read -r kind name package; do
	if [ -z "$kind" ] || there "$kind" "$name"; then
		continue
	fi
	missing+=("$kind $name")
	packages+=("$package")
done <<<"$needs"
[ ${#missing[@]} -gt 0 ] || exit 0

say_missing() {
	echo "setup: $1; missing:" >&2
	for i in "${!missing[@]}"; do
		echo "  ${missing[i]} (Debian package ${packages[i]})" >&2
	done
	exit 1
}
if [ ! -e /etc/debian_version ] || ! command -v apt-get >/dev/null; then
	say_missing "this is not Debian, please install what is missing"
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || say_missing "not root and no sudo"
	root=(sudo)
fi
echo "setup: installing ${packages[*]}"
"${root[@]}" apt-get -q update
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get -q install -y --no-install-recommends "${packages[@]}"
