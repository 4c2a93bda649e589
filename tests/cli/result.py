"""The standard error of `heddle run` without --report; colour on terminals only; progress of compilations."""
import os
import pty
import re
import select
import subprocess
import time

from harness import FOREVER, HEDDLE, Cases, npy

SCALE = "kernel void scale(uint n, float a, global const float *x, global float *y)\n{\n\tuint i = get_global_id(0);\n\tif (i < n)\n\t\ty[i] = a * x[i];\n}\n"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
c = Cases()
c.file("scale.cl", SCALE)
c.file("x.npy", npy([0.5 * i for i in range(64)]))
launch = ["scale.cl", "--block", "64", "--arg", "u32:64", "--arg", "f32:2.5", "--arg", "in:x.npy"]


def on_terminal(*arguments, limit=60, **variables):
    """Status, and what the command writes to a terminal on standard error."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen([HEDDLE, *map(str, arguments)], cwd=c.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs, env={**environment, "TERM": "xterm", **variables})
    os.close(theirs)
    text, end = "", time.time() + limit
    while time.time() < end:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                got = os.read(ours, 65536).decode(errors="replace")
            except OSError:
                break
            if not got:
                break
            text += got
        elif process.poll() is not None:
            break
    os.close(ours)
    return process.wait(10), text


r = c.run("run", *launch, "--arg", "out:y.npy:f32:64")
c.check(r.status == 0 and r.out == "", "standard output is the kernel's", r)
c.check(re.match(r"scale on heddle: [\d,]+ cycles, IPC 0\.\d{3}, [\d,]+ warp instructions in 1 CTA\n", r.err), "the title", r)
c.check("\n  y: y.npy, 64 x f32: 0 1.25 2.5 3.75 5 6.25 ...\n" in r.err, "the first values", r)
shares = [float(share) for share in re.findall(r"^ +([\d.]+) %  [a-z ]+: \S", r.err, re.M)]
c.check(len(shares) == 3 and shares == sorted(shares, reverse=True) and sum(shares) <= 100.1, f"three causes, the largest first: {shares}", r)
c.check("No array was kept" not in r.err and "--report -" in r.err, "what to do next", r)
r = c.run("run", *launch, "--arg", "zero:f32:64")
c.check("No array was kept; --arg out:FILE.npy:TYPE:COUNT" in r.err, "how to keep an array", r)
c.check("\n  y: not kept, 64 x f32: 0 1.25 2.5 3.75 5 6.25 ...\n" in r.err and "  x: " not in r.err, "values of what the kernel can write", r)
c.file("copy.cu", "struct constants { int at; };\n__global__ void copy(constants *to, const constants *from) { to[threadIdx.x] = from[threadIdx.x]; }\n")
r2 = c.run("run", "copy.cu", "--block", "4", "--arg", "zero:i32:4", "--arg", "rand:i32:4:1")
c.check("\n  to: not kept, 4 x i32: " in r2.err and "  from: " not in r2.err, "the same for CUDA", r2)
c.check(not re.search(r" $", r.err, re.M), "no blank at the end of a line", r)
for quiet in (["--quiet"], ["--report", "r.txt"], ["--report", "r.json"]):
    r = c.run("run", *launch, "--arg", "zero:f32:64", *quiet)
    c.check(r.status == 0 and r.err == "" and r.out == "", f"nothing with {quiet}", r)
r = c.run("run", *launch, "--arg", "zero:f32:64", "--functional")
c.check(re.match(r"scale on heddle: \d+ warp instructions in 1 CTA \(interpreter: values without time\)\n", r.err) and "cycles" not in r.err and "time went" not in r.err, "a functional run has no time", r)
r = c.run("run", *launch, "--arg", "out:y2.npy:f32:4")
c.check(r.status == 1 and re.search(r"error: .*\n(.*\n)+scale on heddle: ended by 'address' after [\d,]+ cycles", r.err) and "y2.npy, " not in r.err, "a trap: first the message, no values", r)
kinds = {"i1": ("b", "char", [-128, 127]), "u8": ("Q", "ulong", [1 << 63, 7]), "i4": ("i", "int", [-5, 6]), "f8": ("d", "double", [0.1, -2.0])}
for kind, (_, name, numbers) in kinds.items():
    c.file("all.cl", f"kernel void all(global {name} *p) {{ p[0] = ({name}){numbers[0]}{'ul' if kind == 'u8' else ''}; p[1] = {numbers[1]}; }}")
    r = c.run("run", "all.cl", "--arg", f"out:p.npy:{kind[0]}{8 * int(kind[1])}:2")
    c.check(f"  p: p.npy, 2 x {kind[0]}{8 * int(kind[1])}: {numbers[0]} {numbers[1]:.0f}\n" in r.err, f"values of {name}", r)
c.file("half.cl", "kernel void halves(global half *p, global float *x) { for (int i = 0; i < 6; i++) vstore_half(x[i], i, p); }")
c.file("h.npy", npy([1.5, -0.25, 65504.0, 6e-8, float("inf"), float("nan")]))
r = c.run("run", "half.cl", "--arg", "out:p.npy:f16:6", "--arg", "in:h.npy")
c.check("  p: p.npy, 6 x f16: 1.5 -0.25 6.55e+04 5.96e-08 inf nan\n" in r.err, "values of half", r)
c.file("list", "--kernel scale --block 64 --arg u32:64 --arg f32:2 --arg in:x.npy --arg out:a.npy:f32:64\n--kernel scale --block 64 --arg u32:64 --arg f32:4 --arg in:x.npy --arg out:b.npy:f32:64\n")
r = c.run("run", "scale.cl", "--launches", "list")
c.check("  y: a.npy, 64 x f32: 0 1 2 " in r.err and "  y: b.npy, 64 x f32: 0 2 4 " in r.err, "the outputs of a list", r)

# -- colour -----------------------------------------------------------------------------------------------------------------------------------
status, text = on_terminal("run", *launch, "--arg", "zero:f32:64")
c.check(status == 0 and "\x1b[1mscale\x1b[0m on heddle" in text, f"a terminal has colour: {text!r}")
status, text = on_terminal("run", "x.ptx", "--nonsense")
c.check(status == 2 and "heddle: \x1b[1;31merror:\x1b[0m run: unknown option" in text, f"messages, too: {text!r}")
for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
    status, text = on_terminal("run", *launch, "--arg", "zero:f32:64", **variables)
    c.check(status == 0 and not COLOUR.search(text), f"no colour with {variables}: {text!r}")
status, text = on_terminal("run", *launch, "--arg", "zero:f32:64", NO_COLOR="")
c.check("\x1b[1m" in text, "an empty NO_COLOR says nothing")
status, text = on_terminal("run", *launch, "--arg", "zero:f32:64", "--color=never")
c.check(status == 0 and not COLOUR.search(text), f"--color=never: {text!r}")
status, text = on_terminal("run", *launch, "--arg", "zero:f32:64", "--color=always", NO_COLOR="1")
c.check(status == 0 and "\x1b[1m" in text, f"--color=always is stronger than NO_COLOR: {text!r}")
r = c.run("run", *launch, "--arg", "zero:f32:64")
c.check("\x1b" not in r.err, "no colour in a pipe", r)
r = c.run("run", "--color", "always", *launch, "--arg", "zero:f64:64", "--report", "-")
c.check(r.status == 2 and "\x1b[1;31merror:\x1b[0m an array of f64" in r.err and "\x1b" not in r.out, "--color=always in a pipe", r)
c.expect(2, r"--color cannot be 'alway', did you mean always\? expected auto, always or never", "run", *launch, "--color=alway")
r = c.run("config", "heddle", "--color=always")
c.check(r.status == 0 and "\x1b" not in r.out, "machine-readable output has none", r)

# -- progress of a compilation ---------------------------------------------------------------------------------------------------------------------
slow = c.root / "slow-clang"
slow.write_text('#!/bin/sh\nsleep 2.5\nexec "${REAL_CLANG:-clang-19}" "$@"\n')
slow.chmod(0o755)
clang = os.environ.get("HEDDLE_CLANG", "clang-19")
for arguments, word in ((["run", *launch, "--arg", "zero:f32:64"], "run"), (["compile", "scale.cl", "-o", "s.hko"], "compile"), (["check", "scale.cl"], "check")):
    status, text = on_terminal(*arguments, HEDDLE_CLANG=str(slow), REAL_CLANG=clang)
    c.check(status == 0 and re.search(r"\r\x1b\[Kcompiling scale.cl: clang, [12] s", text), f"{word}: {text!r}")
    c.check(re.search(r"clang, \d s\r\x1b\[K(?!.*clang, \d s)", text, re.S), f"{word}: the line is wiped: {text!r}")


def compile_large(branches):
    """Compiles a program of so many branches. Status, text on the terminal, and the lines of progress: step, number, seconds, seconds that are left."""
    ifs = "".join(f"ld.global.u32 %r1, [%d1+{4 * i}];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L{i};\nmul.lo.u32 %r2, %r2, %r1;\nL{i}:\n" for i in range(branches))
    c.file("large.ptx", f""".version 6.0
.target sm_60
.address_size 64
.visible .entry large(.param .u64 y)
{{
.reg .pred %p<2>;
.reg .b32 %r<4>;
.reg .b64 %d<2>;
ld.param.u64 %d1, [y];
mov.u32 %r2, 1;
{ifs}
st.global.u32 [%d1], %r2;
ret;
}}
""")
    code, shown = on_terminal("compile", "large.ptx", "-o", "s.hko", limit=200)
    return code, shown, re.findall(r"compiling large.ptx: (\w+), step (\d+) of \d+, (\d+) s(?:, about (\d+) s left)?", shown)


# The line comes after a second. A fast host may then be at the last step, of which nothing is left, so the program grows until one is seen earlier.
for branches in (15000, 30000, 60000, 120000, 240000):
    status, text, lines = compile_large(branches)
    if status != 0 or any(left for *_, left in lines):
        break
c.check(status == 0 and any(left for *_, left in lines), f"compilation: the time left: {text!r}")
c.check(all(int(left) <= 10 * int(seconds) + 10 for _, _, seconds, left in lines if left), f"compilation: the time left is likely: {text!r}")
c.file("forever.ptx", FOREVER)
status, text = on_terminal("compile", "forever.ptx", "-o", "s.hko")
c.check(status == 0 and "compiling" not in text, f"nothing for what takes less than a second: {text!r}")
status, text = on_terminal("compile", "scale.cl", "-o", "s.hko", HEDDLE_CLANG=str(slow), REAL_CLANG=clang, TERM="dumb")
c.check(status == 0 and text == "", f"nothing on a terminal that cannot write over a line: {text!r}")
r = c.run("compile", "scale.cl", "-o", "s.hko")
c.check(r.err == "", "nothing in a pipe", r)
c.end()
