"""Every reader of files against what is no file of its kind: folders, links in a circle, pipes without an end, sparse files, NUL bytes, deep nesting, long lines, numbers at the edges.
Always a message and exit status 2, in bounded time and memory."""
import os
import subprocess
import threading
import time

from harness import HEDDLE, Cases, npy

c = Cases()
SANITIZED = os.environ.get("HEDDLE_SANITIZED") == "1"
LIMIT_SECONDS, LIMIT_MIB = (300, 4096) if SANITIZED else (60, 700)
c.file("k.cl", "__kernel void k(__global const float *x) { }\n")
built = c.run("compile", "k.cl", "-o", "k.hko")
c.check(built.status == 0, "the good object", built)

# How a file of each kind comes to its reader.
READERS = {
    "x.hko": ["disasm", "x.hko", "-o", "out"],
    "x.cubin": ["check", "x.cubin"],
    "x.hasm": ["asm", "x.hasm", "-o", "out"],
    "x.ptx": ["compile", "x.ptx", "-o", "out"],
    "x.cl": ["compile", "x.cl", "-o", "out"],
    "x.cu": ["compile", "x.cu", "-o", "out"],
    "x.yaml": ["config", "x.yaml"],
    "x.npy": ["run", "k.hko", "--block", "32", "--arg", "in:x.npy"],
    "x.txt": ["run", "k.hko", "--launches", "x.txt"],
}


def bounded(name, what, pattern=r"error: ", status=2, arguments=None, most=LIMIT_MIB):
    """Runs the reader of the file `name`: its message, and that it ends within its bounds. `status` None: 0 or 2."""
    before = time.monotonic()
    with open(c.root / "err", "wb") as errors:
        process = subprocess.Popen([HEDDLE, *(arguments or READERS[name])], cwd=c.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
    killer = threading.Timer(LIMIT_SECONDS, process.kill)
    killer.start()
    _, code, usage = os.wait4(process.pid, 0)
    err = (c.root / "err").read_bytes()
    killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(code)
    seconds, mib = time.monotonic() - before, usage.ru_maxrss >> 10
    text = err.decode(errors="replace")
    told = f"{what} as {name}: exit status {process.returncode}, {seconds:.1f} s, {mib} MiB\n{text[:600]}"
    c.check(process.returncode == status or (status is None and process.returncode in (0, 2)), told)
    c.check(process.returncode == 0 or "error: " in text, f"a message: {told}")
    c.check(pattern in text or pattern == r"error: ", f"expected {pattern!r}: {told}")
    c.check("Sanitizer" not in text and "internal error" not in text, f"no crash: {told}")
    c.check(seconds < LIMIT_SECONDS and mib < most, f"in bounds: {told}")
    c.check(len(err) < 20000, f"a short message: {len(err)} bytes: {told}")
    c.check(process.returncode == 0 or not (c.root / "out").exists(), f"nothing is written: {told}")
    (c.root / "out").unlink(missing_ok=True)
    if os.environ.get("HOSTILE_SHOW"):
        print(f"{what:32} {name:8} {seconds:6.2f} s {mib:5} MiB  {text.splitlines()[0][:150] if text else ''}")


def endless(begin, more):
    """A pipe whose writer never stops by itself. The writer ends when the reader has closed the pipe."""
    def write():
        try:
            with open(c.root / "pipe", "wb") as pipe:
                pipe.write(begin)
                while True:
                    pipe.write(more)
        except BrokenPipeError:
            pass
    (c.root / "pipe").unlink(missing_ok=True)
    os.mkfifo(c.root / "pipe")
    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


for name, arguments in READERS.items():
    path = c.root / name
    # -- no file at all
    path.mkdir()
    bounded(name, "a folder")
    path.rmdir()
    path.symlink_to(path.name)
    bounded(name, "a link to itself", "Too many levels of symbolic links")
    path.unlink()
    path.symlink_to("nothing")
    bounded(name, "a link to nothing", "No such file")
    path.unlink()
    # -- no end. clang reads source files itself, and reads them twice.
    if name not in ("x.cl", "x.cu"):
        for begin in (b"\0" * 65536, b"(" * 65536, b"a\n" * 30000):
            writer = endless(begin, begin)
            path.symlink_to("pipe")
            # Libraries with machine code for many GPUs have hundreds of MiB, so 1 GiB is read.
            bounded(name, f"a pipe of {begin[:1]!r} without an end", most=max(1100, LIMIT_MIB) if name == "x.cubin" else LIMIT_MIB)
            path.unlink()
            writer.join(LIMIT_SECONDS)
            c.check(not writer.is_alive(), f"{name}: the reader closes the pipe")
    # -- huge, with nothing in it
    if name not in ("x.cl", "x.cu"):
        with open(path, "wb") as file:
            file.truncate(1 << 40)
        bounded(name, "a sparse file of a terabyte", "is no .npy file" if name == "x.npy" else "is larger than the limit of", most=LIMIT_MIB // 4)
        path.unlink()
    # -- nothing, and nothing but one character. An empty program and an empty description are valid.
    if name in ("x.cl", "x.cu"):
        continue  # clang's bounds are tested elsewhere
    for content in (b"", b"\0" * 100000, b"\xff" * 100000, b"(" * 100000, b"[" * 100000, b"{" * 100000, b"-" * 100000, b'"' * 100000, b"9" * 100000, b"a" * 1000000, b"\n" * 1000000,
                    b"a: " * 30000, b"@" * 100000, b"'" * 100001, b"/*" * 50000, b"; " * 50000):
        path.write_bytes(content)
        bounded(name, f"{content[:3]!r} {len(content)} times", status=None)
        path.unlink()

# -- an array whose header promises what does not come, or less than what comes
small, file = npy([1.0] * 64), c.root / "x.npy"
header = small[:-256]
for begin, more, expected in (
    (header, b"\1" * 65536, "has more than 256 bytes of data"),
    (b"\x93NUMPY\x02\0\xff\xff\xff\x7f", b" " * 65536, "has a header of more than 65536 bytes"),
    (header.replace(b"(64,)", b"(5000000000,)").replace(b"<f4", b"|u1"), b"\1" * 65536, "damaged shape"),
):
    writer = endless(begin, more)
    file.symlink_to("pipe")
    bounded("x.npy", f"a pipe of {begin[-20:]!r}", expected)
    file.unlink()
    writer.join(LIMIT_SECONDS)
    c.check(not writer.is_alive(), "the reader closes the pipe")
for shape, expected in ((b"(1000000000,)", "has 256 bytes of data, expected 4000000000"), (b"(1073741825,)", "expected at most 4294967296 bytes"), (b"(0, 4294967296)", "has more than 0 bytes of data, expected 0"),
                        (b"(18446744073709551616,)", "damaged shape"), (b"(" + b"1," * 33 + b")", "damaged shape"), (b"(" * 100 + b"64,)", "damaged shape")):
    text = header[10:].replace(b"(64,)", shape)
    file.write_bytes(header[:8] + len(text).to_bytes(2, "little") + text + small[-256:])
    bounded("x.npy", f"a shape of {shape[:30]!r}", expected)
file.write_bytes(header[:8] + b"\xff\xff" + small[10:])
bounded("x.npy", "a header that ends behind the file", "is cut off in its header")
c.end()
