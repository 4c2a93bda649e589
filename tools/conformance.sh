#!/usr/bin/env bash
# The table of conformance, whole; arguments go to the program (--only PART, --markdown, --platform NAME).
# docs/conformance.md is written by `tools/conformance.sh --markdown`.
set -euo pipefail
cd "$(dirname "$0")/.."
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS-$PWD/build/opencl-vendors} HEDDLE_FUNCTIONAL=${HEDDLE_FUNCTIONAL-1}
exec build/tests/conformance/conformance "$@"
