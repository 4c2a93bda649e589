#!/usr/bin/env bash
# build.sh DIR [MESON OPTION]...: configures DIR when it is new, when an option differs (without options it keeps those that it has), or when not the same is
# missing as at the last configuration, and builds it. CC chooses the compiler (gcc when unset).
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$1
shift
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
	meson setup --reconfigure "$directory" "$@"
fi
echo "$wanted" >"$state"
ninja -C "$directory"
