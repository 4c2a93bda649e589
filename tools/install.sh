#!/usr/bin/env bash
# install.sh [--uninstall]: installs build/ under $DESTDIR$PREFIX, as meson does: the command, the libraries (shared and static), the OpenCL driver,
# headers, the pkg-config file, manual pages, completion scripts, documentation and examples. --uninstall removes what the last call installed.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --uninstall ]; then
	[ -f build/meson-logs/install-log.txt ] || { echo "uninstall: nothing was installed from build/" >&2; exit 1; }
	ninja -C build uninstall
	exit 0
fi
prefix=${PREFIX:-/usr/local}
case $prefix in
/*) ;;
*)
	echo "install: PREFIX cannot be '$prefix', expected a path that begins with /" >&2
	exit 2
	;;
esac
# The OpenCL loader looks in /etc only. An installation elsewhere keeps to itself, and OCL_ICD_VENDORS names its folder.
case $prefix in
/usr | /usr/local) vendors=/etc/OpenCL/vendors ;;
*) vendors=$prefix/etc/OpenCL/vendors ;;
esac
# setting NAME: the value that build/ is configured with.
setting() {
	meson introspect --buildoptions build | python3 -c 'import json, sys; print({o["name"]: o["value"] for o in json.load(sys.stdin)}[sys.argv[1]])' "$1"
}
if [ "$(setting prefix)" != "$prefix" ] || [ "$(setting icddir)" != "$vendors" ]; then
	meson configure build -Dprefix="$prefix" -Dicddir="$vendors"
	ninja -C build
fi
DESTDIR=${DESTDIR:-} meson install -C build --no-rebuild
[ "$vendors" = /etc/OpenCL/vendors ] || echo "OpenCL programs find the driver with OCL_ICD_VENDORS=$vendors"
