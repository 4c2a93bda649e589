"""The outputs of the command: all files of a run or none, and what is no regular file stays what it is. -o once replaced devices by regular files."""
import os
import stat
import subprocess

from harness import HEDDLE, Cases, values

cases = Cases()
SOURCE = "__kernel void twice(__global uint *y) { y[get_global_id(0)] = 2 * get_global_id(0); }\n"
cases.file("twice.cl", SOURCE)
RUN = ["run", "twice.cl", "--grid", 1, "--block", 32]


def kind(name):
    return stat.S_IFMT(os.lstat(cases.root / name).st_mode)


def names():
    return sorted(entry.name for entry in cases.root.iterdir())


# A pipe is written in place, by every command that takes -o.
result = cases.run("compile", "twice.cl", "-o", "twice.hko")
cases.check(result.status == 0, "compiles", result)
whole = (cases.root / "twice.hko").read_bytes()
os.mkfifo(cases.root / "pipe")
for arguments in (["compile", "twice.cl"], ["disasm", "twice.hko"]):
    reader = os.open(cases.root / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    result = cases.run(*arguments, "-o", "pipe")
    got = os.read(reader, 1 << 20)
    os.close(reader)
    cases.check(result.status == 0 and len(got) > 100 and kind("pipe") == stat.S_IFIFO, f"{arguments[0]} -o PIPE", result)
    cases.check(arguments[0] != "compile" or got == whole, "the pipe got the object")

# Standard output, as "-" and by the name that a shell gives it.
for name in ("-", "/proc/self/fd/1"):
    process = subprocess.run([HEDDLE, "compile", "twice.cl", "-o", name], cwd=cases.root, capture_output=True, check=False)
    cases.check(process.returncode == 0 and process.stdout == whole, f"compile -o {name}: {process.stderr}")
cases.check("-" not in names(), "no file is called -")

# A link stays a link, also one that leads to a missing file. A link under the name of an earlier version's temporary file is not followed.
cases.file("real.hko", "before")
cases.file("victim", "before")
os.symlink("real.hko", cases.root / "link.hko")
os.symlink("later.hko", cases.root / "dangling.hko")
os.symlink("victim", cases.root / "real.hko.tmp")
for link, target in (("link.hko", "real.hko"), ("dangling.hko", "later.hko")):
    result = cases.run("compile", "twice.cl", "-o", link)
    cases.check(result.status == 0 and kind(link) == stat.S_IFLNK and (cases.root / target).read_bytes() == whole, f"-o {link}", result)
cases.check((cases.root / "victim").read_bytes() == b"before", "nobody writes through a planted link")

# All or none: the report, the trace and the first array are not there when the second array cannot be written.
before = names()
two = ["--report", "run.json", "--listing", "run.txt", "--trace", "konata:run.log", "--arg", "out:y.npy:u32:32"]
result = cases.run(*RUN, *two[:-2], "--arg", "out:missing/y.npy:u32:32")
cases.check(result.status == 2 and "missing/y.npy: error: cannot be written" in result.err, "an array that cannot be written", result)
cases.check(names() == before, f"nothing is left: {names()}")
result = cases.run(*RUN, *two, "--report", "missing/run.json")
cases.check(result.status == 2 and names() == before, "nothing is left when the report cannot be written", result)
result = cases.run(*RUN, *two)
cases.check(result.status == 0 and all((cases.root / name).stat().st_size for name in ("run.json", "run.txt", "run.log", "y.npy")), "all are there", result)
cases.check(values(cases.root / "y.npy") == [2 * i for i in range(32)], "the array is right")
cases.check(not [name for name in names() if name.startswith(".")], f"no temporary file is left: {names()}")

# One name for two files of a run.
result = cases.run(*RUN, "--report", "one.txt", "--listing", "./one.txt", "--arg", "out:y.npy:u32:32")
cases.check(result.status == 2 and "is written twice in one run" in result.err and "one.txt" not in names(), "one name twice", result)

# Permissions of a file that is replaced.
os.chmod(cases.root / "y.npy", 0o640)
result = cases.run(*RUN, "--arg", "out:y.npy:u32:32")
cases.check(result.status == 0 and stat.S_IMODE(os.stat(cases.root / "y.npy").st_mode) == 0o640, "permissions stay", result)
cases.end()
