#!/usr/bin/env bash
# area.sh [TABLE|energy]: what the hardware costs in standard cells and on an FPGA, and the energy of what switches in it (rtl/energy.py). All of it takes
# about an hour; a name chooses one of the tables of rtl/area.py, or the energy alone.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build
part=${1-all}
[ "$part" = energy ] || rtl/area.py "$part"
case $part in all | energy) rtl/energy.py measure ;; esac
