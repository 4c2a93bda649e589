#!/usr/bin/env bash
# build.sh DIR [MESON OPTION]...: configures DIR when it is new, and builds it. CC chooses the compiler (gcc when unset).
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$1
shift
[ -f "$directory/build.ninja" ] || CC=${CC:-gcc} meson setup "$directory" -Dwerror=true "$@"
ninja -C "$directory"
