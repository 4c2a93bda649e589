#!/usr/bin/env bash
# build.sh DIR [MESON OPTION]...: configures DIR when it is new or when an option differs, and builds it. CC chooses the compiler (gcc when unset).
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$1
shift
if [ ! -f "$directory/build.ninja" ]; then
	CC=${CC:-gcc} meson setup "$directory" -Dwerror=true "$@"
	printf '%s\n' "$@" >"$directory/options"
elif [ $# -gt 0 ] && [ "$(cat "$directory/options" 2>/dev/null)" != "$(printf '%s\n' "$@")" ]; then
	meson setup --reconfigure "$directory" "$@"
	printf '%s\n' "$@" >"$directory/options"
fi
ninja -C "$directory"
