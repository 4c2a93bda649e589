#!/usr/bin/env bash
# study.sh [--write]: runs studies/bits.yaml, or goes on with it, and prints the tables of docs/studies.md. The file of results, the pages and the
# table are in build/study. --write puts the tables into docs/studies.md and the pictures into docs/pictures.
# About two minutes of processor time.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build
tools/build.sh build
mkdir -p build/study
build/heddle sweep studies/bits.yaml --db build/study/bits.db
build/heddle sweep report build/study/bits.db --report build/study/bits.html --heat counters,candidates
build/heddle sweep report build/study/bits.db --report build/study/energy.html --figure energy --pareto energy,area --heat operands,candidates
build/heddle sweep report build/study/bits.db --report build/study/bits.csv
exec tools/study_tables.py build/study "$@"
