#!/usr/bin/env bash
# Real OpenCL programs on Heddle, through the system's loader (docs/opencl.md has a table of the results):
#   examples   the repository's examples in every size on Heddle (in the interpreter) and on PoCL, results compared
#   clpeak     Debian's clpeak to its end, in the interpreter and on a small machine
#   blas       CLBlast against OpenBLAS
#   clients    hashcat, pyopencl, clFFT
# Without arguments all of them. TIMED=1: blas and clFFT on the machine instead of in the interpreter.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
tools/setup.sh test && tools/build.sh build || exit 1
parts=("$@")
[ $# -gt 0 ] || parts=(examples clpeak blas clients)
build=$PWD/build
export HEDDLE_SOURCE=$PWD OCL_ICD_VENDORS=$build/opencl-vendors
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# have WHAT PACKAGE: whether a command or file is there; says which package it is in.
have() {
	command -v "$1" >/dev/null || [ -e "$1" ] && return 0
	echo "opencl: $1 is missing: Debian package $2"
	bad=1
	return 1
}

# timed NAME COMMAND...: runs it and says how long it took and how it ended.
timed() {
	local name=$1 begin=$SECONDS status
	shift
	"$@"
	status=$?
	echo "== $name: exit status $status, $((SECONDS - begin)) s"
	[ $status -eq 0 ] || bad=1
}

run_examples() {
	have /etc/OpenCL/vendors/pocl.icd pocl-opencl-icd || return
	mkdir -p "$work/vendors"
	cp /etc/OpenCL/vendors/pocl.icd "$build/opencl-vendors/heddle.icd" "$work/vendors"
	timed "examples on Heddle and on PoCL" env OCL_ICD_VENDORS="$work/vendors" HEDDLE_FUNCTIONAL=1 "$build/tests/opencl/heddle-platforms"
}

# In full clpeak is made for devices of teraflops. It adapts itself to what it is offered: here a device that calls itself a CPU (a twelfth of the work-groups
# and repetitions), with work-groups of 32 and 16 MiB; timed, a machine of one core.
run_clpeak() {
	have clpeak clpeak || return
	export HEDDLE_MEMORY=16 HEDDLE_MAX_GROUP=32 HEDDLE_TYPE=cpu
	timed "clpeak, functional" env HEDDLE_FUNCTIONAL=1 clpeak
	printf 'name: small\npreset: heddle\nmachine:\n  cores: 1\n' >"$work/small.yaml"
	timed "clpeak, timed, one core" env HEDDLE_MACHINE="$work/small.yaml" clpeak --use-event-timer
	unset HEDDLE_MEMORY HEDDLE_MAX_GROUP HEDDLE_TYPE
}

functional() { [ "${TIMED:-0}" = 1 ] || export HEDDLE_FUNCTIONAL=1; }

run_blas() {
	have "$build/tests/opencl/heddle-blas" "libclblast-dev and libopenblas-dev, then meson setup --reconfigure build" || return
	(functional && timed "CLBlast against OpenBLAS" "$build/tests/opencl/heddle-blas" ${HEDDLE_FUNCTIONAL:+--large}; exit $bad) || bad=1
}

run_clients() {
	if have hashcat hashcat; then
		local hash=900150983cd24fb0d6963f7d28e17f72 # MD5 of abc
		mkdir -p "$work/cache"
		timed "hashcat finds the word of an MD5 sum" env HEDDLE_FUNCTIONAL=1 HOME="$work" XDG_CACHE_HOME="$work/cache" sh -c \
			"hashcat -O -m 0 -a 3 --potfile-disable --force -n 1 -u 16 -T 64 $hash '?l?l?l' >$work/hashcat; grep $hash:abc $work/hashcat || { cat $work/hashcat; exit 1; }"
	fi
	if have /usr/lib/python3/dist-packages/pyopencl python3-pyopencl; then
		timed "pyopencl" env HEDDLE_FUNCTIONAL=1 PYOPENCL_NO_CACHE=1 /usr/bin/python3 tests/opencl/pyopencl_client.py
	fi
	if have "$build/tests/opencl/heddle-fft" "libclfft-dev, then meson setup --reconfigure build"; then
		(functional && timed "clFFT against a plain transform" "$build/tests/opencl/heddle-fft"; exit $bad) || bad=1
	fi
}

for part in "${parts[@]}"; do
	case $part in
	examples | clpeak | blas | clients) "run_$part" ;;
	*)
		echo "opencl.sh: unknown part '$part', expected examples, clpeak, blas or clients" >&2
		exit 2
		;;
	esac
done
exit $bad
