"""The harness of the command's tests: a temporary directory, files to put in it, and a run of the command with what is expected of it."""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HEDDLE = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(os.environ["HEDDLE_SOURCE"])
TYPES = {"f4": "f", "f8": "d", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "u2": "H", "u1": "B"}


def npy(values, kind="f4", shape=None):
    """A .npy file's bytes."""
    shape = (len(values),) if shape is None else shape
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{TYPES[kind]}", *values)


def values(path):
    """The numbers in a .npy file that the command wrote."""
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"\x93NUMPY", f"{path} is no .npy file"
    length = struct.unpack("<H", data[8:10])[0]
    kind = re.search(r"'descr': '[<|](\w\d)'", data[10 : 10 + length].decode())[1]
    body = data[10 + length :]
    return list(struct.unpack(f"<{len(body) // int(kind[1])}{TYPES[kind]}", body))

# A kernel that counts in memory and never ends: what is cut short is tested with it.
FOREVER = """.version 6.0
.target sm_60
.address_size 64
.visible .entry forever(.param .u64 y)
{
.reg .b32 %r<3>;
.reg .b64 %d<2>;
ld.param.u64 %d1, [y];
LOOP:
ld.volatile.global.u32 %r1, [%d1];
add.u32 %r1, %r1, 1;
st.volatile.global.u32 [%d1], %r1;
bra LOOP;
}
"""


class Result:
    def __init__(self, arguments, process):
        self.arguments, self.status = arguments, process.returncode
        self.out, self.err = process.stdout, process.stderr

    def __str__(self):
        return f"heddle {' '.join(map(str, self.arguments))}\nexit status {self.status}\n-- standard output\n{self.out[-3000:]}\n-- standard error\n{self.err[-3000:]}"


class Cases:
    """Collects failures, so that one run shows them all."""

    def __init__(self):
        self.failed, self.count = 0, 0
        self.directory = tempfile.TemporaryDirectory(prefix="heddle-cli-")
        self.root = pathlib.Path(self.directory.name)

    def file(self, name, content):
        (self.root / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def run(self, *arguments, timeout=120, before=None):
        """`before`: is called in the new process before the command, to limit what it may use."""
        process = subprocess.run([HEDDLE, *map(str, arguments)], cwd=self.root, capture_output=True, text=True, errors="replace", timeout=timeout, stdin=subprocess.DEVNULL, preexec_fn=before)
        return Result(arguments, process)

    def check(self, condition, what, result=None):
        self.count += 1
        if not condition:
            self.failed += 1
            print(f"FAILED: {what}\n{result if result else ''}\n")

    def expect(self, status, pattern, *arguments, timeout=120, absent=()):
        """Runs the command; `pattern` must be found in its standard error, the files in `absent` must not be there afterwards."""
        result = self.run(*arguments, timeout=timeout)
        self.check(result.status == status, f"expected exit status {status}", result)
        self.check(re.search(pattern, result.err, re.M) is not None, f"expected a message like {pattern!r}", result)
        self.check("Sanitizer" not in result.err and "internal error" not in result.err, "no crash", result)
        for name in absent:
            self.check(not (self.root / name).exists(), f"{name} must not be written", result)
        self.check(not list(self.root.glob("*.tmp")), "no temporary file is left", result)
        return result

    def end(self):
        print(f"{self.count - self.failed} of {self.count} checks passed")
        self.directory.cleanup()
        sys.exit(1 if self.failed else 0)
