#!/usr/bin/env bash
# Installs the Debian packages that Heddle is built and tested with; says what it does; silent and quick when all are there.
# The reason for each package is in docs/dependencies.md.
set -euo pipefail

packages=(
	gcc make meson ninja-build pkg-config python3 git
	clang-14 libclang-rt-14-dev clang-format-14
	libclc-14
	libelf-dev libyaml-dev libjansson-dev libcmocka-dev libmpfr-dev
	ocl-icd-opencl-dev opencl-headers clinfo pocl-opencl-icd
)

missing=()
for package in "${packages[@]}"; do
	[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" = "ii " ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "setup: this script knows Debian 12 only; please install the equivalents of: ${missing[*]}" >&2
	exit 1
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || { echo "setup: not root and no sudo; please install: ${missing[*]}" >&2; exit 1; }
	root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${root[@]}" apt-get -q update
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get -q install -y --no-install-recommends "${missing[@]}"
