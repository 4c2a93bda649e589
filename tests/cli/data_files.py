"""Where the command finds the files that it brings along: an installation can be moved, and never looks into the folder in which it was built."""
import os
import pathlib
import shutil
import subprocess
import sys

from harness import HEDDLE, SOURCE, Cases

cases = Cases()
cases.file("k.cl", "__kernel void k(__global uint *y) { y[get_global_id(0)] = 7; }\n")
cases.file("k.cu", '#include <heddle_device.h>\nextern "C" __global__ void k(unsigned *y) { y[threadIdx.x] = 7; }\n')
BUILT = sorted((pathlib.Path(HEDDLE).parent / "lib").glob("*.bc"))
HEADERS = sorted((SOURCE / "lib").glob("*.h")) + [SOURCE / "lib/cuda"]
# The configured folder, which may have the files of an installation.
INSTALLED = pathlib.Path(sys.argv[2])


def compiles(program, source="k.cl", **environment):
    process = subprocess.run([program, "compile", source, "-o", "k.hko"], cwd=cases.root, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    return process.returncode == 0, process.stderr


def put(folder, files):
    (cases.root / folder).mkdir(parents=True, exist_ok=True)
    for file in files:
        if os.path.isdir(file):
            shutil.copytree(file, cases.root / folder / file.name)
        else:
            shutil.copy(file, cases.root / folder)


put("one/bin", [HEDDLE])
program = cases.root / "one/bin/heddle"
ok, text = compiles(program)
if not INSTALLED.exists():
    cases.check(not ok and "heddle_builtins.bc: error: not found in " in text and "HEDDLE_DATA" in text, f"a program alone: {text}")
put("one/share/heddle", BUILT + HEADERS)
for source in ("k.cl", "k.cu"):
    ok, text = compiles(program, source)
    cases.check(ok, f"installed, {source}: {text}")

# Files of the installation, not of any other place: these are no bitcode.
(cases.root / "one/share/heddle/heddle_core.bc").write_text("no bitcode")
ok, text = compiles(program)
cases.check(not ok, "an installation uses its own files")
shutil.copy(BUILT[0].with_name("heddle_core.bc"), cases.root / "one/share/heddle")

put("one/lib/host", [HEDDLE])
ok, text = compiles(cases.root / "one/lib/host/heddle")
cases.check(ok, f"a folder of libraries may be one deeper: {text}")

os.rename(cases.root / "one", cases.root / "two")
ok, text = compiles(cases.root / "two/bin/heddle")
cases.check(ok, f"an installation that was moved: {text}")

# HEDDLE_DATA is the only place when it is set.
os.rename(cases.root / "two/share/heddle", cases.root / "elsewhere")
ok, text = compiles(cases.root / "two/bin/heddle", HEDDLE_DATA=str(cases.root / "elsewhere"))
cases.check(ok, f"HEDDLE_DATA: {text}")
for other in (HEDDLE, cases.root / "two/bin/heddle"):
    ok, text = compiles(other, HEDDLE_DATA=str(cases.root / "two"))
    cases.check(not ok and "the value of HEDDLE_DATA" in text, f"HEDDLE_DATA without the files: {text}")

# A build folder that was moved, with the source around it.
put("source/build", [HEDDLE])
put("source/build/lib", BUILT)
put("source/lib", HEADERS)
if not INSTALLED.exists():
    cases.check(not compiles(cases.root / "source/build/heddle")[0], "a folder is a build folder by its build.ninja")
(cases.root / "source/build/build.ninja").write_text("")
put("source/build/tests/cli", [HEDDLE])
for program in ("heddle", "tests/cli/heddle"):
    for source in ("k.cl", "k.cu"):
        ok, text = compiles(cases.root / "source/build" / program, source)
        cases.check(ok, f"a build folder that was moved, {program}, {source}: {text}")
# Somebody else may have put a build folder around the program.
os.chmod(cases.root / "source/build/tests", 0o777)
if not INSTALLED.exists():
    cases.check(not compiles(cases.root / "source/build/tests/cli/heddle")[0], "a folder in which others may write is passed by")
cases.end()
