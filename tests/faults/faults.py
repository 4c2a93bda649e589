#!/usr/bin/env python3
"""Every call that can fail fails once, at every place of a path (as SQLite tests itself): the N-th allocation, write, fork, rename and so on, for each N
(interpose.c). Each time the command must end with a documented status and a message, or do all of its work; outputs are whole or as they were; nothing is
left in any folder; no process goes on.

Arguments: the command, the library, the OpenCL client or "-", options:
  --all        every N; otherwise some of each kind, the first and the last among them
  --only NAME  the scenarios whose name contains NAME
  --asan FILE  the run-time library of AddressSanitizer, or `linked`: allocations do not fail then, and leaks on the ways out of an error are found"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("heddle", type=os.path.abspath)
parser.add_argument("library", type=os.path.abspath)
parser.add_argument("client", type=lambda path: path if path == "-" else os.path.abspath(path))
parser.add_argument("--all", action="store_true")
parser.add_argument("--only", default="")
parser.add_argument("--asan", default="")
options = parser.parse_args()

DOCUMENTED = {0, 1, 2, 71}
BEFORE = b"as it was\n"
# As much of each kind as keeps the suite short. Most of what can be told apart is near the beginning and the end of a path.
SOME = 12

PTX = """.version 6.0
.target sm_60
.address_size 64
.visible .entry scale(.param .u64 y, .param .u32 n)
{
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .b64 %d<4>;
ld.param.u64 %d1, [y];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r2, %r2, 64, %r3;
setp.ge.u32 %p1, %r2, %r1;
@%p1 bra END;
mul.wide.u32 %d2, %r2, 4;
add.s64 %d3, %d1, %d2;
ld.global.u32 %r4, [%d3];
mul.lo.u32 %r5, %r4, 3;
st.global.u32 [%d3], %r5;
END:
ret;
}
"""
CL = """kernel void scale(global uint *y, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		y[i] *= 3;
}
"""

# clang, but fast: what it wrote for these arguments before. All sources of this test are always the same.
CLANG = """#!/bin/sh
kept="$(dirname "$0")/$(printf '%s\\n' "$@" | cksum | tr -d ' ')"
[ -e "$kept" ] || { clang-19 "$@" >"$kept.$$" 2>"$kept.$$.err" && mv "$kept.$$.err" "$kept.err" && mv "$kept.$$" "$kept" || exit 1; }
cat "$kept.err" >&2
exec cat "$kept"
"""
fast = tempfile.TemporaryDirectory(prefix="heddle-faults-clang-")
clang = pathlib.Path(fast.name) / "clang"
if not os.environ.get("HEDDLE_CLANG"):
    clang.write_text(CLANG)
    clang.chmod(0o755)
    os.environ["HEDDLE_CLANG"] = str(clang)

failed = checked = 0


def check(ok, what, seen=""):
    global failed, checked
    checked += 1
    if not ok:
        failed += 1
        print(f"FAILED: {what}\n{seen[-1500:]}\n", flush=True)


def content(path):
    """A file without what differs between two equal runs."""
    data = path.read_bytes()
    if path.suffix == ".json" and data.startswith(b"{"):
        try:
            document = json.loads(data)
        except ValueError:
            return "no JSON"
        document.pop("host", None)
        return document
    if path.suffix == ".html":
        return data.startswith(b"<!DOCTYPE html>") and data.rstrip().endswith(b"</html>")
    return data


class Scenario:
    """One command, run again and again with another fault."""

    def __init__(self, name, command, outputs, kinds, inputs=None, environment=None, aborts=False, failures=None):
        self.name, self.command, self.outputs, self.kinds = name, command, outputs, kinds
        self.inputs, self.environment, self.aborts, self.failures = inputs or {}, environment or {}, aborts, failures

    def folder(self):
        return tempfile.TemporaryDirectory(prefix="heddle-faults-")

    def run(self, root, **variables):
        for name in ("work", "tmp", "home"):
            (root / name).mkdir(exist_ok=True)
        for name, text in self.inputs.items():
            (root / "work" / name).write_text(text) if isinstance(text, str) else (root / "work" / name).write_bytes(text)
        preload = " ".join(filter(None, [options.asan.removesuffix("linked"), options.library]))
        environment = {**os.environ, "TMPDIR": str(root / "tmp"), "XDG_CACHE_HOME": str(root / "home"), "HOME": str(root / "home"), "LD_PRELOAD": preload,
                       "FAULT_COUNT": str(root / "count"), **self.environment, **variables}
        return subprocess.run([str(one) for one in self.command], cwd=root / "work", env=environment, capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=120)

    def reference(self):
        with self.folder() as name:
            root = pathlib.Path(name)
            r = self.run(root)
            check(r.returncode == 0, f"{self.name} without a fault", f"{r.returncode} {r.stdout}{r.stderr}")
            counts = {one.split()[0]: int(one.split()[1]) for one in (root / "count").read_text().splitlines()}
            return counts, {one: content(root / "work" / one) for one in self.outputs}, r.stdout

    def one(self, fault, wanted, variables):
        where = f"{self.name}, {fault} {variables or ''}"
        with self.folder() as name:
            root = pathlib.Path(name)
            (root / "work").mkdir()
            for output in self.outputs:
                (root / "work" / output).write_bytes(BEFORE)
            try:
                r = self.run(root, FAULT=fault, **variables)
            except subprocess.TimeoutExpired:
                check(False, f"{where}: hangs")
                return
            seen = f"exit status {r.returncode}\n{r.stdout[-500:]}{r.stderr}"
            abort = self.aborts and r.returncode == -signal.SIGABRT and "the host is out of memory" in r.stderr
            # glibc itself ends a process whose library has no memory for its thread-local variables.
            if self.aborts and r.returncode == 127 and "cannot allocate memory for thread-local data" in r.stderr:
                return
            check(abort or r.returncode in DOCUMENTED, f"{where}: a documented status", seen)
            check("Sanitizer" not in r.stderr and "internal error" not in r.stderr, f"{where}: no crash, no leak", seen)
            states = [(root / "work" / output).read_bytes() == BEFORE for output in self.outputs]
            if r.returncode == 0:
                for output in self.outputs:
                    check(content(root / "work" / output) == wanted[output], f"{where}: status 0, so {output} is right", seen)
            else:
                check(re.search("error: .", r.stderr), f"{where}: a message", seen)
                check(r.returncode != 71 or "the host is out of memory" in r.stderr, f"{where}: status 71 is a lack of memory", seen)
                # A rename that fails behind another one cannot take that back.
                check(all(states) or fault.startswith("rename"), f"{where}: outputs are as they were", seen)
                for output, same in zip(self.outputs, states):
                    check(same or content(root / "work" / output) == wanted[output], f"{where}: {output} is not half written", seen)
            left = set(os.listdir(root / "work")) - set(self.outputs) - set(self.inputs) | set(os.listdir(root / "tmp"))
            check(not left, f"{where}: nothing is left, but {left}", seen)
            if self.failures:
                self.failures(root, where, r)

    def test(self):
        begin = time.time()
        counts, wanted, _ = self.reference()
        n = 0
        for kind in self.kinds:
            kind, _, unnamed = kind.partition("/")
            if options.asan and kind == "memory":
                continue
            check(kind != "thread" or counts[kind], f"{self.name} makes threads")
            last = counts[kind] + 1 if unnamed else counts[kind]
            numbers = range(1, last + 1)
            if not options.all and last > SOME:
                numbers = sorted({1 + i * (last - 1) // (SOME - 1) for i in range(SOME)})
            for number in numbers:
                self.one(f"{kind}:{number}", wanted, {"FAULT_UNNAMED": "0"} if unnamed else {})
                n += 1
        print(f"{self.name}: {n} faults in {time.time() - begin:.1f} s", flush=True)


FILES = ["open", "read", "write", "close", "link", "rename", "fsync", "map"]
PROCESS = ["fork", "exec", "pipe", "dup", "limit", "read", "map"]
launch = ["--grid", "4", "--block", "64", "--arg", "inout:y.npy", "--arg", "u32:200"]
y = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<u4', 'fortran_order': False, 'shape': (200,), }".ljust(117) + b"\n" + b"\x05\0\0\0" * 200
H = options.heddle
scenarios = [
    Scenario("compile PTX", [H, "compile", "k.ptx", "-o", "k.hko"], ["k.hko"], ["memory", *FILES], {"k.ptx": PTX}),
    Scenario("compile PTX, named", [H, "compile", "k.ptx", "-o", "k.hko"], ["k.hko"], [f"{one}/named" for one in FILES], {"k.ptx": PTX}),
    Scenario("compile C", [H, "compile", "k.cl", "-o", "k.hko"], ["k.hko"], PROCESS, {"k.cl": CL}),
    Scenario("memory of compile C", [H, "compile", "k.cl", "-o", "k.hko"], ["k.hko"], ["memory"], {"k.cl": CL}),
    Scenario("check", [H, "check", "k.ptx"], [], ["memory", "open", "read"], {"k.ptx": PTX}),
    Scenario("run", [H, "run", "k.ptx", *launch, "--arg", "out:z.npy:u32:4", "--report", "r.json", "--trace", "konata:t.log", "--trace", "vcd:t.vcd"],
             ["z.npy", "r.json", "t.log", "t.vcd"], ["memory", *FILES],
             {"k.ptx": PTX.replace(".param .u32 n)", ".param .u32 n, .param .u64 z)"), "y.npy": y}),
    Scenario("run, page and listing", [H, "run", "k.ptx", *launch, "--report", "r.html", "--listing", "l.txt", "--trace", "perfetto:t.json"],
             ["r.html", "l.txt", "t.json"], ["memory", "write", "close"], {"k.ptx": PTX, "y.npy": y}),
    # PA-1: with fewer threads of the host than were asked for, or none, the results are the same.
    Scenario("run, threads", [H, "run", "k.ptx", *launch, "--threads", "4", "--set", "machine.clusters=4", "--report", "r.json"], ["r.json"], ["thread"],
             {"k.ptx": PTX, "y.npy": y}),
    Scenario("run, threads of the interpreter", [H, "run", "k.ptx", "--grid", "20000", *launch[2:], "--threads", "4", "--functional", "--report", "r.json"], ["r.json"], ["thread"],
             {"k.ptx": PTX, "y.npy": y}),
    Scenario("compare", [H, "compare", "k.ptx", *launch, "--machine", "heddle", "--machine", "baseline", "--jobs", "2", "--report", "c.json"], ["c.json"],
             ["thread", "memory", "write", "open"], {"k.ptx": PTX, "y.npy": y}),
]


# -- the OpenCL driver and its cache --------------------------------------------------------------------------------------------------------------
def cached(root):
    return [one.name for one in root.glob("home/heddle/*")]


def next_process_works(root, where, r):
    """The files in the cache are whole: the same program builds and runs, with or without it."""
    names = cached(root)
    again = opencl.run(root, FAULT="")
    check(again.returncode == 0, f"{where}: the next process works", again.stdout + again.stderr)
    check(all(re.fullmatch("[0-9a-f]{32}", name) for name in names), f"{where}: the cache has whole files alone, not {names}", r.stderr)


LATE = {"FAULT_LATE": "1"}
opencl = Scenario("OpenCL", [options.client], [], ["memory", "fork", "pipe", "exec", "thread", "map", "write", "close", "open", "link", "rename", "fsync", "folder"], environment=LATE,
                  aborts=True, failures=next_process_works)
linked = Scenario("OpenCL, compile and link", [options.client, "header"], [], ["memory", "fork", "map", "write"], environment=LATE, aborts=True, failures=next_process_works)
if options.client != "-":
    scenarios += [opencl, linked]


def killed_at_every_write():
    """SIGKILL before every call that changes a file, while the cache is filled; with and without files that have no names."""
    counts, _, _ = opencl.reference()
    begin, n, left = time.time(), 0, 0
    for unnamed in ("1", "0"):
        with opencl.folder() as name:
            numbers = range(1, counts["kill"] + 2)
            if not options.all:
                numbers = numbers[-SOME:]
            for number in numbers:
                root = pathlib.Path(name)
                shutil.rmtree(root / "home", ignore_errors=True)
                r = opencl.run(root, FAULT=f"kill:{number}", FAULT_UNNAMED=unnamed)
                n += 1
                where = f"kill at call {number}, files without names {unnamed}"
                # The process that is killed may be the one that watches over clang.
                check(r.returncode in (-signal.SIGKILL, 0) or "watches over it was killed" in r.stderr, f"{where}: the status", r.stderr)
                check(not os.listdir(root / "tmp"), f"{where}: nothing in the folder for temporary files")
                names = cached(root) if (root / "home").exists() else []
                temporary = [one for one in names if one.endswith(".tmp")]
                left += len(temporary)
                # A file without a name has one for the length of two calls.
                check(len(temporary) <= 1, f"{where}: {names}")
                again = opencl.run(root, FAULT="")
                check(again.returncode == 0, f"{where}: the next process works", again.stdout + again.stderr)
        print(f"kill at every write: {n} kills in {time.time() - begin:.1f} s, {left} names left", flush=True)


def two_processes():
    """Two processes fill one cache, one of them killed at some write, at the same time."""
    counts, _, _ = opencl.reference()
    for number in range(max(1, counts["kill"] - (40 if options.all else 4)), counts["kill"] + 1):
        with opencl.folder() as name:
            root = pathlib.Path(name)
            (root / "home").mkdir()
            environment = {**os.environ, "XDG_CACHE_HOME": str(root / "home"), "TMPDIR": name, "LD_PRELOAD": " ".join(filter(None, [options.asan.removesuffix("linked"), options.library])), **LATE}
            faults = [f"kill:{number}", "", ""]
            running = [subprocess.Popen(opencl.command, env={**environment, "FAULT": fault}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for fault in faults]
            for one, fault in zip(running, faults):
                _, err = one.communicate(timeout=120)
                check(one.returncode == 0 or fault and one.returncode == -signal.SIGKILL, f"two processes, {fault}: {one.returncode}", err)
            whole = [one for one in cached(root) if not one.endswith(".tmp")]
            check(len(whole) >= 1, "a whole file is in the cache")


def cache_that_cannot_be_written():
    """A home that is none, or that refuses: programs build all the same."""
    for home in ("/dev/null", "/proc", "/nowhere/at/all"):
        with opencl.folder() as name:
            r = opencl.run(pathlib.Path(name), FAULT="", XDG_CACHE_HOME=home, HOME=home)
            check(r.returncode == 0, f"a cache in {home}", r.stdout + r.stderr)


def full_disk():
    """No byte more than LIMIT: of files (RLIMIT_FSIZE), at every size up to the whole."""
    for mode in ("ignored", "not ignored"):
        for limit in range(0, 60 if options.all else 12, 4):
            with tempfile.TemporaryDirectory(prefix="heddle-faults-") as name:
                root = pathlib.Path(name)
                (root / "k.ptx").write_text(PTX)
                (root / "y.npy").write_bytes(y)
                for output in ("r.json", "t.log"):
                    (root / output).write_bytes(BEFORE)
                trap = "trap '' XFSZ; " if mode == "ignored" else ""
                command = f"{trap}ulimit -c 0; ulimit -f {limit}; exec \"$0\" \"$@\""
                r = subprocess.run(["bash", "-c", command, H, "run", "k.ptx", *launch, "--report", "r.json", "--trace", "konata:t.log"], cwd=root, capture_output=True, text=True)
                seen, states = f"{r.returncode} {r.stderr}", [(root / one).read_bytes() == BEFORE for one in ("r.json", "t.log")]
                if mode == "ignored":
                    check(r.returncode in (0, 2) and (r.returncode == 0 or "File too large" in r.stderr), f"{limit} KiB: a message", seen)
                check(all(states) if r.returncode else not any(states), f"{limit} KiB, signal {mode}: all outputs or none", seen)
                check(sorted(os.listdir(root)) == ["k.ptx", "r.json", "t.log", "y.npy"], f"{limit} KiB, signal {mode}: nothing is left", str(os.listdir(root)))


if not options.asan:
    scenarios.append(full_disk)
if options.client != "-":
    scenarios += [killed_at_every_write, two_processes, cache_that_cannot_be_written]
for scenario in scenarios:
    if isinstance(scenario, Scenario):
        if options.only in scenario.name:
            scenario.test()
    elif options.only.replace(" ", "_") in scenario.__name__:
        scenario()
print(f"{checked - failed} of {checked} checks passed")
sys.exit(failed != 0)
