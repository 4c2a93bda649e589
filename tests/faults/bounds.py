#!/usr/bin/env python3
"""clang has bounds, and ends with us: the two lines that took minutes and a gigabyte end in seconds with a message, for the command and for OpenCL; whatever
signal ends us, no process goes on, no file stays in the folder for temporary files or beside an output, and no output is half written.

Arguments: the command, the OpenCL client or "-"."""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HEDDLE, CLIENT = (one if one == "-" else os.path.abspath(one) for one in sys.argv[1:3])
BIG = "constant int t[200000000] = {[0 ... 199999999] = 1};\nkernel void k(global int *o) { o[0] = t[get_global_id(0)]; }\n"
SMALL = "kernel void k(global int *o) { o[0] = 1; }\n"
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE]
ROUNDS = int(os.environ.get("HEDDLE_ROUNDS", "2"))
failed = checked = 0
random.seed(17)


def check(ok, what, seen=""):
    global failed, checked
    checked += 1
    if not ok:
        failed += 1
        print(f"FAILED: {what}\n{seen[-1500:]}\n", flush=True)


def compile_with(root, source, **variables):
    (root / "k.cl").write_text(source)
    begin = time.time()
    r = subprocess.run([HEDDLE, "compile", "k.cl", "-o", "k.hko"], cwd=root, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300)
    return r, time.time() - begin


def bounds():
    with tempfile.TemporaryDirectory(prefix="heddle-bounds-") as name:
        root = pathlib.Path(name)
        for variables, message in (
            ({}, r"asked for more memory than 1024 MiB; the environment variable HEDDLE_CLANG_MEMORY sets another limit, 0 none"),
            ({"HEDDLE_CLANG_MEMORY": "100"}, r"asked for more memory than 100 MiB; the environment variable HEDDLE_CLANG_MEMORY"),
            ({"HEDDLE_CLANG_MEMORY": "0", "HEDDLE_CLANG_CPU": "1"}, r"used the processor for more than 1 seconds; the environment variable HEDDLE_CLANG_CPU"),
            ({"HEDDLE_CLANG_MEMORY": "0", "HEDDLE_CLANG_TIME": "1"}, r"ran for more than 1 seconds; the environment variable HEDDLE_CLANG_TIME"),
        ):
            r, seconds = compile_with(root, BIG, **variables)
            check(r.returncode == 2 and re.fullmatch(rf"k\.cl: error: clang was ended: it {message}.*\n", r.stderr), f"{variables}: one message", r.stderr)
            check(seconds < 60, f"{variables}: in time, not {seconds:.0f} s")
            check(os.listdir(root) == ["k.cl"], f"{variables}: nothing is left", str(os.listdir(root)))
        r, _ = compile_with(root, "constant int t[400000] = {[0 ... 399999] = 1};\nkernel void k(global int *o) { o[0] = t[o[1]]; }\n", HEDDLE_CLANG_OUTPUT="1")
        check(r.returncode == 2 and "it wrote more than 1 MiB; the environment variable HEDDLE_CLANG_OUTPUT" in r.stderr, "output", r.stderr)
        r, _ = compile_with(root, SMALL, HEDDLE_CLANG_MEMORY="lots")
        check(r.returncode == 2 and r.stderr == "HEDDLE_CLANG_MEMORY: error: cannot be 'lots', expected a number of MiB from 1 to 1048576, or 0 for no limit\n", "no number", r.stderr)
        r, _ = compile_with(root, SMALL, HEDDLE_CLANG_MEMORY="0", HEDDLE_CLANG_CPU="0", HEDDLE_CLANG_TIME="0", HEDDLE_CLANG_OUTPUT="0")
        check(r.returncode == 0, "no bounds", r.stderr)
        if CLIENT != "-":
            environment = {**os.environ, "XDG_CACHE_HOME": name, "HEDDLE_CLANG_MEMORY": "100"}
            r = subprocess.run([CLIENT, "large"], env=environment, capture_output=True, text=True, timeout=60)
            check(r.returncode == 1 and "program.cl: error: clang was ended: it asked for more memory than 100 MiB" in r.stderr, "OpenCL: the build log says so", r.stderr)


def others(mark):
    """Processes that have the mark in their environment, the dead ones aside."""
    found = []
    for one in pathlib.Path("/proc").iterdir():
        try:
            if one.name.isdigit() and int(one.name) != os.getpid() and mark.encode() in (one / "environ").read_bytes():
                if (one / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append((one.name, (one / "cmdline").read_bytes()[:60]))
        except OSError:
            pass
    return found


def killed(command, output):
    with tempfile.TemporaryDirectory(prefix="heddle-bounds-") as name:
        root = pathlib.Path(name)
        folders = {one: root / one for one in ("work", "tmp", "home")}
        for folder in folders.values():
            folder.mkdir()
        (folders["work"] / "k.cl").write_text(SMALL)
        mark = f"HEDDLE_MARK={root.name}"
        environment = {**os.environ, "TMPDIR": str(folders["tmp"]), "XDG_CACHE_HOME": str(folders["home"]), "HEDDLE_MARK": root.name, "HEDDLE_CACHE": "0"}

        def start():
            return subprocess.Popen(command, cwd=folders["work"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

        begin = time.time()
        check(start().wait() == 0, f"{command} runs")
        whole = time.time() - begin
        expected = sorted(os.listdir(folders["work"]))
        good = (folders["work"] / output).read_bytes() if output else b""
        for number in [one for one in SIGNALS for _ in range(ROUNDS)]:
            process = start()
            time.sleep(random.random() * whole)
            os.killpg(process.pid, number) if random.random() < 0.5 else process.send_signal(number)
            process.wait()
            end = time.time() + 5
            while others(mark) and time.time() < end:
                time.sleep(0.01)
            check(not others(mark), f"{command}, {number!r}: no process goes on", str(others(mark)))
            check(not os.listdir(folders["tmp"]), f"{command}, {number!r}: nothing among the temporary files", str(os.listdir(folders["tmp"])))
            check(sorted(os.listdir(folders["work"])) == expected, f"{command}, {number!r}: nothing is left", str(os.listdir(folders["work"])))
            check(not output or (folders["work"] / output).read_bytes() == good, f"{command}, {number!r}: the output is whole")


bounds()
killed([HEDDLE, "compile", "k.cl", "-o", "k.hko"], "k.hko")
if CLIENT != "-":
    killed([CLIENT, "header"], None)
print(f"{checked - failed} of {checked} checks passed")
sys.exit(failed != 0)
