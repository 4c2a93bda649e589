#!/usr/bin/env bash
# build.sh DIR [--sanitized] [MESON OPTION]...: configures DIR when it is new, when an option differs (without options it keeps those that it has), or when not
# the same is missing as at the last configuration, and builds it. CC chooses the compiler (gcc when unset).
# --sanitized: by clang, with AddressSanitizer and UndefinedBehaviorSanitizer. Undefined behaviour ends the program by SIGILL (ASAN_OPTIONS=handle_sigill=1
# shows where): calls that would describe it double the time of the build. Tests call functions through other types. gcc takes four times as long as clang.
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$1
shift
if [ "${1-}" = --sanitized ]; then
	shift
	CC=clang-19
	set -- -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=false '-Dc_args=-gline-tables-only -fsanitize-trap=undefined -fno-sanitize=function' "$@"
fi
# lld takes a third of the time of the usual linker, and each of 200 programs is linked with the library.
! command -v ld.lld >/dev/null || export CC_LD=${CC_LD-lld}
# An option that is not given keeps its value, but a build with tests has unit tests unless told otherwise.
[[ "$*" != *-Dtests=enabled* || "$*" == *-Dunit_tests=* ]] || set -- "$@" -Dunit_tests=true
# The options, `--`, and what was missing.
state=$directory/configured
if [ $# -eq 0 ] && [ -f "$state" ]; then
	mapfile -t kept < <(sed '/^--$/,$d' "$state")
	set -- "${kept[@]}"
fi
wanted=$(printf '%s\n' "$@" -- "$(tools/setup.sh missing)")
if [ ! -f "$directory/build.ninja" ]; then
	CC=${CC:-gcc} meson setup "$directory" -Dwerror=true "$@"
elif [ ! -f "$state" ] || [ "$(cat "$state")" != "$wanted" ]; then
	# setup reads options that are new, and alone it keeps the c_args of an old folder. ninja configures again after configure.
	meson setup --reconfigure "$directory" "$@"
	[ $# -eq 0 ] || meson configure "$directory" "$@"
fi
echo "$wanted" >"$state"
ninja -C "$directory"
