#!/usr/bin/env bash
# deb.sh: builds the Debian packages in a temporary copy of the tree, into build/deb. deb.sh --test: unpacks them below a temporary folder, and compiles,
# proves, runs and links with what is there. Nothing is installed on this machine. Needs dpkg-dev and debhelper.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build_packages() {
	for tool in dpkg-buildpackage dh; do
		command -v $tool >/dev/null || { echo "deb: $tool is not installed (Debian packages dpkg-dev and debhelper)" >&2; exit 1; }
	done
	mkdir "$work/heddle"
	git ls-files --cached --others --exclude-standard -z | tar --null --files-from=- --create | tar --extract --directory="$work/heddle"
	# Debian's own Python, whatever else the user has.
	(cd "$work/heddle" && PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage --build=binary --no-sign ${DEB_FLAGS:-})
	mkdir -p build/deb
	rm -f build/deb/*
	cp "$work"/*.deb build/deb/
	ls -l build/deb
}

# expect WHAT COMMAND...
expect() {
	local what=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		echo "deb: $what"
	else
		echo "deb: FAILED: $what: $*"
		cat "$work/out"
		exit 1
	fi
}

# The compiler's flags for the library below the folder.
package_flags() {
	PKG_CONFIG_LIBDIR=$library/pkgconfig:/usr/lib/$(basename "$library")/pkgconfig:/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
		pkg-config --cflags --libs "$@" heddle
}

test_packages() {
	local root=$work/root package library name source=examples/saxpy/saxpy.cl
	compgen -G 'build/deb/*.deb' >/dev/null || { echo "deb: no packages in build/deb, run tools/deb.sh first" >&2; exit 1; }
	for package in build/deb/*.deb; do
		dpkg-deb --extract "$package" "$root"
	done
	library=$(dirname "$(find "$root/usr/lib" -name libheddle.a)")
	# The paths of an installation, moved below the folder. HEDDLE_DATA is where the built-in functions are. The cache has nothing of other builds.
	export XDG_CACHE_HOME=$work/cache HEDDLE_DATA=$root/usr/share/heddle LD_LIBRARY_PATH=$library OCL_ICD_VENDORS=$work/vendors
	cp $source "$work/kernel.cl"
	source=$work/kernel.cl
	expect "the command runs" "$root/usr/bin/heddle" --version
	expect "it compiles OpenCL C" "$root/usr/bin/heddle" compile "$source" -o "$work/kernel.hko"
	expect "it proves the object" "$root/usr/bin/heddle" check "$work/kernel.hko"
	expect "it runs the object" "$root/usr/bin/heddle" run "$work/kernel.hko" --grid 4 --block 64 --arg rand:f32:256:1 --arg out:"$work"/y.npy:f32:256 --arg f32:2 --arg u32:256
	# One more is that of heddle itself.
	expect "a manual page for each command" test "$(find "$root/usr/share/man/man1" -name 'heddle*.1.gz' | wc -l)" -eq \
		$(($("$root/usr/bin/heddle" --help | grep -c '^heddle [a-z]') + 1))
	expect "completion for three shells" ls "$root/usr/share/bash-completion/completions/heddle" "$root/usr/share/zsh/vendor-completions/_heddle" \
		"$root/usr/share/fish/vendor_completions.d/heddle.fish"
	expect "documentation and examples" ls "$root/usr/share/doc/heddle-doc/docs/course/tour.md" "$root/usr/share/doc/heddle-doc/examples/saxpy/saxpy.cl"
	# Python finds the package below the folder, and its library by the loader's path.
	expect "the Python package is installed, with its data" ls "$root/usr/lib/python3/dist-packages/heddle/py.typed" "$root"/usr/lib/python3/dist-packages/heddle-*.dist-info/METADATA
	expect "what the Python package depends on" sh -c 'dpkg-deb --field build/deb/python3-heddle_*_all.deb Depends | grep "libheddle0 (>=.*libheddle0 (<<.*python3-cffi.*python3-numpy.*python3"'
	if /usr/bin/python3 -c "import cffi, numpy" 2>/dev/null; then
		expect "Python compiles, runs and proves" env PYTHONPATH="$root/usr/lib/python3/dist-packages" HEDDLE_LIBRARY="$library/libheddle.so.0" /usr/bin/python3 -c "
import heddle, numpy
assert heddle.__file__.startswith('$root'), heddle.__file__
x = numpy.arange(64, dtype=numpy.float32)
program = heddle.compile('kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }\n')
assert heddle.Machine().run(program.twice, 2, 32, x).cycles > 0 and (x == 2 * numpy.arange(64)).all() and program.check()
assert not heddle.sass_check('tests/sass/fixtures/broken-sm80.cubin')"
		echo 'examples: [saxpy, goto]' >"$work/study.yaml"
		# The command is found in the library's prefix.
		expect "Python runs a study" env PYTHONPATH="$root/usr/lib/python3/dist-packages" HEDDLE_LIBRARY="$library/libheddle.so.0" /usr/bin/python3 -c "
import heddle, heddle.study
assert heddle.study._command().startswith('$root'), heddle.study._command()
assert heddle.Study('$work/study.yaml', db='$work/study.db').run() == {'done': 2}"
	else
		echo "deb: Python is not tried, because python3-cffi or python3-numpy is not installed"
	fi
	# shellcheck disable=SC2046
	expect "a program links with the shared library" gcc -o "$work/demo" examples/demo/demo.c $(package_flags) -lm
	expect "and runs" "$work/demo" examples/matmul/matmul.cl
	rm "$library/libheddle.so"
	# shellcheck disable=SC2046
	expect "a program links with the static library" gcc -o "$work/static" examples/demo/demo.c $(package_flags --static)
	expect "and runs" env -u LD_LIBRARY_PATH "$work/static" examples/matmul/matmul.cl
	cp -r "$root/usr/share/doc/heddle-doc/examples" "$work/examples"
	expect "a CUDA example is built" "$root/usr/bin/heddle" cc "$work/examples/saxpy/saxpy.cu" -o "$work/saxpy"
	expect "and runs" "$root/usr/bin/heddle" cudart -- "$work/saxpy"
	for name in libcuda.so.1 libcudart.so.12 libcudart.so.13; do
		expect "$name loads" env -u LD_LIBRARY_PATH /usr/bin/python3 -c "import ctypes; ctypes.CDLL('$library/heddle/cuda/$name')"
	done
	mkdir "$work/vendors"
	sed "s|^|$root|" "$root/etc/OpenCL/vendors/heddle.icd" >"$work/vendors/heddle.icd"
	if command -v clinfo >/dev/null; then
		expect "OpenCL programs see the device" sh -c 'clinfo --raw | grep -q "OpenCL 3.0 Heddle"'
	fi
	echo "deb: all packages work"
}

case ${1:-} in
"") build_packages ;;
--test) test_packages ;;
*)
	echo "usage: tools/deb.sh [--test]" >&2
	exit 2
	;;
esac
