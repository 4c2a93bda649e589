#!/usr/bin/env bash
# Writes the generated pages of docs/ anew; tests compare them with what they are generated from.
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle config --markdown >docs/configuration.md
