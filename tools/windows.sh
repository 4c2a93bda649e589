#!/usr/bin/env bash
# PA-1: every example in every size on every preset, on machines of several clusters: the same reports, traces and statistics for any number of threads
# of the host, and without windows of time. About forty minutes of a processor.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build -Dtests=enabled
exec ninja -C build windows
