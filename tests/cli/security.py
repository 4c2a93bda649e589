"""The promises of SECURITY.md for programs, objects and reports from strangers."""
import os
import re
import resource
import subprocess

from harness import HEDDLE, SOURCE, Cases, values

c = Cases()
c.file("k.cl", """__kernel void across(__global int *x, __global int *y, ulong bytes)
{
	*(__global int *)((__global char *)x + bytes) = 42;
}
__kernel void outside(__global int *x, __global int *y, ulong bytes)
{
	y[0] = *(__global int *)(bytes);
}
__kernel void forever(__global volatile int *x)
{
	while (x[0] >= 0)
		x[1]++;
}
""")
c.check(c.run("compile", "k.cl", "-o", "k.hko").status == 0, "compiles")
buffers = ["--arg", "out:x.npy:i32:64", "--arg", "out:y.npy:i32:64"]
for mode in ([], ["--functional"]):
    # -- a kernel reaches every buffer of its run: the second one lies 0x10600 bytes behind the first
    result = c.run("run", "k.hko", "--kernel", "across", *buffers, "--arg", f"u64:{0x10600}", *mode)
    c.check(result.status == 0 and values(c.root / "y.npy")[0] == 42 and values(c.root / "x.npy")[0] == 0, "a kernel writes another buffer of its run", result)
    # -- and nothing else: zero, the host's code and stack, between the buffers, the ends of the address space
    for address in (0, 64, 0x400000, 0x555555554000, 0x7FFFFFFFE000, 0x1000000000 - 4, 0x1000000000 + 256, 0x1000010600 - 4, 1 << 63, (1 << 64) - 4):
        (c.root / "y.npy").unlink(missing_ok=True)
        c.expect(1, r"error: kernel 'outside': ", "run", "k.hko", "--kernel", "outside", *buffers, "--arg", f"u64:{address}", *mode, absent=["y.npy"])
    c.expect(1, r"error: kernel 'forever': ", "run", "k.hko", "--kernel", "forever", "--arg", "zero:i32:64", "--max-cycles", "20000", *mode)

# -- an object names files, kernels and parameters
text = c.run("disasm", "k.hko").out
c.file("secret.key", "the secret\n" * 100)
c.file("header.h", "the header\n" * 100)
for name, shown in (("secret.key", False), ("header.h", True), ("/dev/zero", False), ("pipe", False), (str(c.root / "secret.key"), False)):
    c.file("o.hasm", text.replace('.file "k.cl"', f'.file "{name}"'))
    c.check(c.run("asm", "o.hasm", "-o", "o.hko").status == 0, "assembles")
    for output in ("--listing", "--report"):
        result = c.run("run", "o.hko", "--kernel", "across", *buffers, "--arg", f"u64:{0x10600}", output, "p.html")
        page = (c.root / "p.html").read_text() if result.status == 0 else ""
        c.check(page and ("the header" in page) == shown and "the secret" not in page, f"{output} with a source file {name}", result)
evil = "<script>alert(1)</script>&\\\""
c.file("o.hasm", re.sub(r'(\.(kernel|function)) "across"', lambda m: f'{m[1]} "{evil}"', text))
made = c.run("asm", "o.hasm", "-o", "o.hko")
c.check(made.status == 0, "a kernel of that name", made)
result = c.run("run", "o.hko", *buffers, "--arg", f"u64:{0x10600}", "--report", "p.html")
page = (c.root / "p.html").read_text() if result.status == 0 else ""
c.check("&#60;script&#62;alert" in page and "<script>alert" not in page, "a page escapes names", result)

# -- names do not control the terminal
for name in ("\x1b[2J", "\x9b2J", "a\rb", "\x07"):
    c.file("o.hasm", re.sub(r'(\.(kernel|function)) "(across|outside)"', lambda m: f'{m[1]} "{name}{m[3]}"', text).encode("latin-1").decode("latin-1"))
    if c.run("asm", "o.hasm", "-o", "o.hko").status:
        continue
    for arguments in (("--kernel", "nothing"), ("--kernel", f"{name}outside", *buffers, "--arg", "u64:0")):
        result = c.run("run", "o.hko", *arguments)
        c.check(result.status in (1, 2) and not set(result.err) & set("\x1b\x07\r\x9b"), f"a kernel with {name!r} in its name", result)

# -- nor does any other word from outside, which is shown as text: files, kernels, parameters, machines, studies
EVIL = b"a\xff\xfe\x9b\x1b[2J\xc2\x9b"
evil = os.fsdecode(EVIL)
os.makedirs(os.path.join(os.fsencode(c.root), EVIL))
assembly = c.run("disasm", "k.hko").out.encode().replace(b'"across"', b'"' + EVIL + b'"').replace(b'"y"', b'"' + EVIL + b'"').replace(b'"k.cl"', b'"' + EVIL + b'"')
c.file(f"{evil}/e.hasm", assembly)
c.file(f"{evil}/e.cl", b"kernel void k(global int *x) { x[0] = " + EVIL + b"; }")
c.file(f"{evil}/good.cl", b"kernel void k(global int *x) { x[get_global_id(0)] = 1; }")
c.file(f"{evil}/m.yaml", b'name: "a\\x1b[2J"\npreset: heddle\n')
c.file(f"{evil}/bad.yaml", b"name: " + EVIL + b"\n" + EVIL + b": 1\n")
c.file(f"{evil}/s.yaml", b'study: "a\\x1b[2J"\nexamples: [saxpy]\nmachines: [heddle]\nsizes: [0]\n')
c.file(f"{evil}/x.cubin", (SOURCE / "tests/sass/fixtures/broken-sm80.cubin").read_bytes().replace(b"saxpy", b"s\xff\xfe\x1bx"))
c.file(f"{evil}/l.txt", b"--grid " + EVIL + b"\n")
one = ["--block", 64, "--arg", f"out:{evil}/o.npy:i32:64"]
asked = [[command, f"{evil}/{name}"] for command in ("check", "run", "compile", "disasm", "sweep", "compare") for name in ("none", "e.hasm", "e.cl", "bad.yaml", "x.cubin", "none.hko")]
asked += [["check", f"{evil}/{name}"] for name in ("e.hasm", "x.cubin", "good.cl")] + [["check", f"{evil}/x.cubin", "--kernel", evil], ["config", evil], [evil], ["run", evil, evil]]
asked += [["run", f"{evil}/e.hasm", "--kernel", evil, *buffers, "--arg", f"u64:{number}"] for number in (0, 5)] + [["run", f"{evil}/e.hasm", "--arg", evil], ["run", f"{evil}/e.hasm", "--kernel", evil + "x"]]
asked += [["run", f"{evil}/good.cl", *one, *words] for words in ([], ["--config", f"{evil}/m.yaml"], ["--config", f"{evil}/bad.yaml"], ["--report", "-"], ["--listing", "-"], ["--set", evil], ["--trace", evil])]
asked += [["run", f"{evil}/good.cl", "--launches", f"{evil}/l.txt"], ["compare", f"{evil}/good.cl", *one, "--machine", f"{evil}/m.yaml", "--machine", "heddle"], ["sweep", f"{evil}/s.yaml", "--db", f"{evil}/s.db"]]
asked += [["sweep", "status", f"{evil}/s.db"], ["sweep", "status", f"{evil}/none.db"], ["check", f"{evil}/x.cubin", "--fix", f"{evil}/fixed.cubin"]]
for words in asked:
    done = subprocess.run([HEDDLE, *map(str, words)], cwd=c.root, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=120)
    output = done.stderr + (b"" if words[0] in ("disasm", "compile") else done.stdout)
    shown = output.decode(errors="surrogateescape")
    wrong = sorted({letter for letter in shown if (ord(letter) < 32 and letter not in "\n\t") or 127 <= ord(letter) < 160 or 0xD800 <= ord(letter) < 0xE000})
    c.check(not wrong, f"{words!r} prints {wrong}: {shown[:600]!r}")

# -- a list of launches is as powerful as a command line: it names files to write
c.file("l.txt", f"--kernel across --arg out:{c.root}/elsewhere.npy:i32:64 --arg zero:i32:64 --arg u64:0\n")
result = c.run("run", "k.hko", "--launches", "l.txt")
c.check(result.status == 0 and (c.root / "elsewhere.npy").exists(), "a list of launches writes files", result)
# -- an array is made once device memory has room for it. (With this variable the C library touches the pages of zeros.)
os.environ.pop("MALLOC_PERTURB_", None)
c.file("l.txt", f"--kernel across --any-type --arg zero:u8:{1 << 32} --arg zero:u8:0 --arg u64:0\n" + f"--kernel across --any-type --arg rand:f64:{1 << 29}:5 --arg rand:f64:{1 << 29}:7 --arg u64:0\n" * 999)
result = c.expect(2, r"no room for 4294967296 bytes of device memory", "run", "k.hko", "--launches", "l.txt")
c.check(os.environ.get("HEDDLE_SANITIZED") == "1" or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10 < 1500, f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MiB", result)

# -- clang reads what a source includes, and messages quote it; the environment chooses the program that is started for clang; PTX needs none
c.file("include.cl", f'#include "{c.root}/secret.key"\n')
c.expect(2, r"the secret", "compile", "include.cl", "-o", "i.hko", absent=["i.hko"])
c.file("not-clang", f"#!/bin/sh\n: >'{c.root}/started'\nexit 1\n")
(c.root / "not-clang").chmod(0o755)
c.check(c.run("compile", "k.cl", "--emit", "ptx", "-o", "k.ptx").status == 0, "PTX")
os.environ["HEDDLE_CLANG"] = str(c.root / "not-clang")
c.check(c.run("compile", "k.ptx", "-o", "p.hko").status == 0 and not (c.root / "started").exists(), "PTX is compiled without clang")
c.expect(2, r"error: ", "compile", "k.cl", "-o", "i.hko", absent=["i.hko"])
c.check((c.root / "started").exists(), "HEDDLE_CLANG names the program")
del os.environ["HEDDLE_CLANG"]

# -- the bounds of SECURITY.md that no other test shows
PTX = ".version 6.0\n.target sm_70\n.address_size 64\n"


def ptx(expected, before, body=""):
    c.file("b.ptx", f"{PTX}{before}.visible .entry k()\n{{\n{body}\nret;\n}}\n")
    c.expect(2, expected, "compile", "b.ptx", "-o", "b.hko", absent=["b.hko"])


def assembly(directives, functions="K: exit\n.end\n"):
    c.file("b.hasm", f'.counters 6\n.kernel "k"\n.entry K\n{directives}.function "k"\n{functions}')
    c.check(c.run("asm", "b.hasm", "-o", "b.hko").status == 0, f"assembles: {directives}")


ptx(r"^b.ptx:4:\d+: error: expected at most 8 nested braces, found '\{'", f".global .u32 a[4] = {'{' * 100000}1{'}' * 100000};\n")
ptx(r"^b.ptx:4:\d+: error: x is larger than the 134217728 bytes that a variable may have", ".global .align 4 .b8 x[134217729];\n")
ptx(r"^b.ptx:6:\d+: error: 4294967295 is too large, expected at most 100000000", "", ".reg .b32 %r<4294967295>;")
for content, expected in (("--block 1\n" * 1001, r"^l.txt:1001:1: error: one launch too many, expected at most 1000"), ("x " * 2049, r"^l.txt:1:1: error: .*more than 2048 words")):
    c.file("l.txt", content)
    c.expect(2, expected, "run", "k.hko", "--launches", "l.txt")
assembly(".local 16777216\n")
c.expect(2, r"error: kernel 'k': its stack, .* takes 16777216 bytes of local memory a thread, expected at most 524288$", "run", "b.hko")
assembly("")
c.expect(2, r"error: kernel 'k': a grid of 65536x65536x2 CTAs is too large, expected at most 2\^32$", "run", "b.hko", "--grid", "65536,65536,2")
assembly(".call_depth 4294967295\n", 'K: call F\nexit\n.end\n.function "f"\nF: call F\nret\n.end\n')
for mode in ([], ["--functional"]):
    c.expect(1, r"error: kernel 'k': calls are nested too deeply for the machine's stack of calls \(divergence.call_depth\)$", "run", "b.hko", *mode)
c.file("b.hasm", f'.counters 6\n.kernel "{"k" * 65536}"\n.entry K\n.function "k"\nK: exit\n.end\n')
c.expect(2, r"^b.hasm:2:\d+: error: a name without an end, or of more than 65535 bytes", "asm", "b.hasm", "-o", "b2.hko", absent=["b2.hko"])
c.end()
