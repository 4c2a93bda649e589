"""Bad input: damaged objects, wrong PTX, arrays and arguments that do not fit. Always a message, exit status 2, and no output file."""
import random

from harness import Cases, npy

c = Cases()
c.file("k.cl", "__kernel void k(uint n, __global const float *x, __global float *y) { uint i = get_global_id(0); if (i < n) y[i] = x[i]; }\n")
built = c.run("compile", "k.cl", "-o", "k.hko")
c.check(built.status == 0, "the good object", built)
c.check(c.run("compile", "k.cl", "--emit", "ptx", "-o", "k.ptx").status == 0, "the good PTX")
good = (c.root / "k.hko").read_bytes()
ptx = (c.root / "k.ptx").read_text()
c.file("x.npy", npy([1.0] * 64))
launch = ["--block", 64, "--arg", "u32:64", "--arg", "in:x.npy", "--arg", "out:y.npy:f32:64"]
c.check(c.run("run", "k.hko", *launch).status == 0, "the good launch")
(c.root / "y.npy").unlink()

# -- OpenCL C: clang's own message -----------------------------------------------------------------------------------------------------
c.file("bad.cl", "__kernel void k(__global float *x)\n{\n\tx[0] = y;\n}\n")
c.expect(2, r"^bad.cl:3:9: error: use of undeclared identifier 'y'", "run", "bad.cl", absent=["bad.hko"])
c.file("image.cl", "__kernel void k(__global float *x) { printf(\"%d\", 1); }\n")
c.expect(2, r"error: ", "run", "image.cl")

# -- objects: every truncation (in steps), and flips of single bits ------------------------------------------------------------------------
for size in list(range(0, 64)) + list(range(64, len(good), max(1, len(good) // 60))):
    c.file("cut.hko", good[:size])
    c.expect(2, r"^cut.hko:.*error: ", "disasm", "cut.hko", "-o", "cut.hasm", absent=["cut.hasm"])
dice = random.Random(1)
for _ in range(150):
    at, bit = dice.randrange(len(good)), dice.randrange(8)
    c.file("flip.hko", good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1 :])
    # A flip may fall into padding, a name or a value: then it is another program, which may run, trap or never end, but not crash.
    result = c.run("run", "flip.hko", *launch, "--max-cycles", 20000)
    c.check(result.status in (0, 1, 2) and "Sanitizer" not in result.err and "internal error" not in result.err, f"bit {bit} of byte {at} flipped", result)
    c.check(result.status == 0 or "error: " in result.err, "a message", result)
    c.check(result.status == 0 or not (c.root / "y.npy").exists(), "no output after a failure", result)
    (c.root / "y.npy").unlink(missing_ok=True)
c.file("text.hko", "this is no object\n")
c.expect(2, r"^text.hko: error: ", "run", "text.hko")

# -- PTX: an error in ten different places ---------------------------------------------------------------------------------------------------
HEAD = ".version 6.0\n.target sm_70\n.address_size 64\n"
BODY = HEAD + ".visible .entry k(.param .u64 k_param_0)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n\t.reg .pred %p<2>;\n"
for name, text, expected in [
    ("version", ".verzion 6.0\n", r":1:1: error: "),
    ("directive", HEAD + ".visible .entri k()\n{\n\tret;\n}\n", r":4:\d+: error: "),
    ("opcode", BODY + "\tfrob.u32 %r1, %r2;\n\tret;\n}\n", r":9:2: error: .*frob"),
    ("type", BODY + "\tadd.q32 %r1, %r2, %r3;\n\tret;\n}\n", r":9:\d+: error: .*add"),
    ("undeclared register", BODY + "\tadd.u32 %r1, %r2, %r9;\n\tret;\n}\n", r":9:\d+: error: .*%r9"),
    ("operand count", BODY + "\tadd.u32 %r1, %r2;\n\tret;\n}\n", r":9:\d+: error: .*"),
    ("register width", BODY + "\tadd.u32 %r1, %rd2, %r3;\n\tret;\n}\n", r":9:\d+: error: .*"),
    ("label", BODY + "\tbra NOWHERE;\n\tret;\n}\n", r":9:\d+: error: .*NOWHERE"),
    ("parameter", BODY + "\tld.param.u64 %rd1, [k_param_7];\n\tret;\n}\n", r":9:\d+: error: .*k_param_7"),
    ("call", BODY + "\tcall.uni missing, ();\n\tret;\n}\n", r":9:\d+: error: .*missing"),
    ("character", BODY + "\tadd.u32 %r1, %r2, `3;\n\tret;\n}\n", r":9:\d+: error: "),
    ("end of file", BODY + "\tadd.u32 %r1, %r2, %r3;\n", r":\d+:\d+: error: "),
    ("texture", BODY + "\ttex.2d.v4.f32.f32 {%r1, %r2, %r3, %r1}, [t, {%r1, %r2}];\n\tret;\n}\n", r":9:\d+: error: .*tex"),
]:
    c.file("bad.ptx", text)
    c.expect(2, "^bad.ptx" + expected, "compile", "bad.ptx", "-o", "bad.hko", absent=["bad.hko"])
for size in range(0, len(ptx), max(1, len(ptx) // 40)):
    c.file("cut.ptx", ptx[:size])
    result = c.run("compile", "cut.ptx", "-o", "cut.hko")
    c.check(result.status in (0, 2) and "Sanitizer" not in result.err and "internal error" not in result.err, f"PTX cut after {size} bytes", result)

# -- assembly ------------------------------------------------------------------------------------------------------------------------------------
c.file("bad.hasm", "frobnicate r1, r2\n")
c.expect(2, r"^bad.hasm:1:\d+: error: ", "asm", "bad.hasm", "-o", "bad.hko", absent=["bad.hko"])

# -- the launch --------------------------------------------------------------------------------------------------------------------------------
c.expect(2, r"error: the program has no kernel 'nix', expected one of k", "run", "k.hko", "--kernel", "nix", *launch, absent=["y.npy"])
c.expect(2, r"error: kernel 'k' has 3 parameters \(uint n, const float \*x, float \*y\), got 1 argument$", "run", "k.hko", "--arg", "u32:64")
c.expect(2, r"error: argument 1 of kernel 'k' is a pointer, expected an integer of 4 bytes for parameter '.*'", "run", "k.hko", "--arg", "in:x.npy", *launch[4:], absent=["y.npy"])
c.expect(2, r"error: argument 1 of kernel .k. is a 32-bit float, expected an integer of 4 bytes", "run", "k.hko", "--arg", "f32:1", *launch[4:], absent=["y.npy"])
c.expect(2, r"error: argument 2 of kernel 'k' is a 32-bit float, expected a pointer", "run", "k.hko", *launch[:4], "--arg", "f32:1", *launch[6:], absent=["y.npy"])
c.expect(2, r"error: argument 1 of kernel 'k' is a 64-bit integer, expected an integer of 4 bytes", "run", "k.hko", "--arg", "i64:1", *launch[4:], absent=["y.npy"])
c.expect(2, r"error: .*threads", "run", "k.hko", "--block", "64,64", *launch[2:], absent=["y.npy"])

# -- arrays ------------------------------------------------------------------------------------------------------------------------------------
def array(expected):
    c.expect(2, expected, "run", "k.hko", *launch[:4], "--arg", "in:a.npy", *launch[6:], absent=["y.npy"])


array(r"^a.npy: error: cannot be opened: No such file or directory$")
c.file("a.npy", "nothing of the kind")
array(r"^a.npy: error: is no .npy file$")
c.file("a.npy", npy([1.0] * 64)[:-3])
array(r"^a.npy: error: has 253 bytes of data, expected 256 for 64 elements of 4 bytes$")
c.file("a.npy", npy([1.0] * 64)[:40])
array(r"^a.npy: error: is cut off in its header$")
c.file("a.npy", npy([1.0] * 64).replace(b"'<f4'", b"'>f4'"))
array(r"^a.npy: error: has elements of an unsupported type")
c.file("a.npy", npy([1.0] * 64).replace(b"'<f4'", b"'<c8'"))
array(r"^a.npy: error: has elements of an unsupported type")
c.file("a.npy", npy([1.0] * 64).replace(b"False", b"True "))
array(r"^a.npy: error: is in Fortran order")
c.file("a.npy", npy([1.0] * 64).replace(b"(64,)", b"(65,)"))
array(r"^a.npy: error: has 256 bytes of data, expected 260")
c.expect(2, r"error: no room for \d+ bytes of device memory", "run", "k.hko", *launch[:4], "--arg", "zero:f32:1000000000", "--arg", "zero:f32:1000000000", absent=["y.npy"])

# -- machines that cannot be -----------------------------------------------------------------------------------------------------------------------
c.expect(2, r"^heddle: error: fence.counters is 7, expected at most 6: lines of predecode.geometry `line` name no more, those of `wide`, `short` and `front` do$", "compile", "k.cl", "--set", "fence.counters=7", "-o", "k7.hko", absent=["k7.hko"])

# -- files that cannot be written ------------------------------------------------------------------------------------------------------------------
c.expect(2, r"^no/y.npy: error: cannot be written", "run", "k.hko", *launch[:6], "--arg", "out:no/y.npy:f32:64")
c.expect(2, r"^no/r.json: error: cannot be written", "run", "k.hko", *launch, "--report", "no/r.json")
c.expect(2, r"^no/k.hko: error: cannot be written", "compile", "k.cl", "-o", "no/k.hko")
c.end()
