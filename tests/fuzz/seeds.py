"""Seeds of the fuzz targets, made from the examples and the presets; and small ones of tests/fuzz/seeds, which have been found by fuzzing.

usage: seeds.py HEDDLE FOLDER"""
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

from targets import SOURCE, TARGETS

HEDDLE, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
LIMIT = 1 << 16  # longer seeds slow down more than they help
PTX_LIMIT = 12000  # of the targets that compile
for target in TARGETS:
    (folder / target).mkdir(parents=True, exist_ok=True)
    for kind in ("seeds", "found"):
        for path in sorted((SOURCE / "tests/fuzz" / kind / target).glob("in-*")):
            shutil.copy(path, folder / target / f"{kind}-{path.name}")


def put(target, name, content):
    content = content.encode() if isinstance(content, str) else content
    if len(content) <= LIMIT:
        (folder / target / name).write_bytes(content)


def run(*arguments):
    return subprocess.run([HEDDLE, *map(str, arguments)], capture_output=True, check=True).stdout


for source in sorted(SOURCE.glob("examples/*/*.cl")):
    name = source.stem
    ptx, made = folder / f"{name}.ptx", folder / f"{name}.hko"
    if made.exists():
        continue
    run("compile", source, "--emit", "ptx", "-o", ptx)  # clang runs once
    run("compile", ptx, "-o", made)
    if ptx.stat().st_size <= PTX_LIMIT:
        put("chain", name, ptx.read_bytes())
    put("ptx", name, ptx.read_bytes())
    put("assembly", name, run("disasm", made))
    put("ir", name, run("compile", ptx, "--emit", "ir"))
    put("object", name, made.read_bytes())
    log = b"a log"
    put("cache", name, struct.pack("<QQQ", 3, len(log), made.stat().st_size) + log + made.read_bytes())
for path in sorted((SOURCE / "tests/sass/fixtures").iterdir()):
    if path.suffix in (".cubin", ".fatbin", ".o"):
        put("sass", path.name, path.read_bytes())
HEADER = ".version 6.3\n.target sm_70\n.address_size 64\n"
REGISTERS = (".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
             ".local .align 16 .b8 loc[64];\n.shared .align 16 .b8 sh[64];\n")
# Instructions of every kind: those whose lowering the tests of the reader know, some to a kernel.
for path in sorted((SOURCE / "tests/ptx/lowering").iterdir()):
    lines = [line for line in path.read_text().splitlines() if line and line[0] not in "#\t "]
    for number in range(0, len(lines), 8):
        body = "\n".join(lines[number:number + 8])
        for target in ("ptx", "chain"):
            put(target, f"{path.name}-{number}", f"{HEADER}.entry k(.param .u64 pin, .param .u32 pa)\n{{\n{REGISTERS}ld.param.u64 %rd1, [pin];\n{body}\nret;\n}}\n")
# Whole modules of these tests: calls, tables of branches, data with addresses. The macros of the test are put in first.
text = (SOURCE / "tests/ptx/test_kernels.c").read_text().replace("\\\n", "\n")
LITERALS = r'"(?:[^"\\]|\\.)*"'
for name, value in reversed(re.findall(rf"^#define (\w+)\s+((?:\s*{LITERALS})+)", text, re.M)):
    text = re.sub(rf"\b{name}\b", lambda match, value=value: value, text)
for number, literals in enumerate(re.findall(rf"(?:{LITERALS}\s*)+", text)):
    module = "".join(re.findall(LITERALS, literals)).replace('""', "").strip('"').replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if module.startswith(".version"):
        for target in ("ptx", "chain"):
            put(target, f"module-{number}", module)
for line in run("config").decode().splitlines():
    preset = line.split()[0]
    put("configuration", preset, run("config", preset))
    put("configuration", f"{preset}-short", (SOURCE / f"src/config/presets/{preset}.yaml").read_bytes())
put("study", "bits", (SOURCE / "studies/bits.yaml").read_bytes())
for number, text in enumerate(re.findall(r'"(examples: .*?)"[:,)]', (SOURCE / "tests/cli/sweep.py").read_text())):
    put("study", f"text-{number}", text.replace("\\n", "\n"))
for kind, size in (("<f4", 4), ("<f8", 8), ("|u1", 1), ("|b1", 1), ("<i2", 2)):
    for shape, count in (("(1,)", 1), ("(2, 3)", 6), ("()", 1), ("(0,)", 0)):
        header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        for version in (1, 2):
            length = struct.pack("<H" if version == 1 else "<I", len(header))
            put("array", f"{kind[1:]}-{count}-{len(shape)}-{version}", b"\x93NUMPY" + bytes([version, 0]) + length + header + bytes(size * count))
for path in sorted(SOURCE.glob("examples/grids/*.txt")):
    put("launches", path.stem, path.read_bytes())
for number, words in enumerate(("u32:5", "i64:-9223372036854775808", "f32:1e30", "f64:nan", "in:x.npy", "out:a:b.npy:f32:64", "inout:y.npy", "zero:i8:100", "rand:u64:7:3", "local:64",
                                "bytes:00ff12", "\1fence.counters=4", "\1latency.alu.latency=3", "\2konata:out.kanata", "\2100:200", "\0023.7",
                                "\3--set\nfence.counters=3\n-DX=1\n-I\n/x\nk.cl\n-o\nk.hko")):
    put("arguments", f"seed-{number}", words if words[0] < " " else "\0" + words)
for number, text in enumerate(("name", "a\"b\\c\n\t\x01", "\u00e9\u20ac\U0001f600", "</script><!--")):
    put("json", f"seed-{number}", text)
put("json", "broken", b"a\xff\xc3(\xed\xa0\x80z")
# A record: its bytes, two arguments, the address of the format, which is the text at a known place; then the text.
for number, text in enumerate((b"%d and %5.2f\n\0", b"%v4hx %s %c\0", b"%-08lx%%%p\0", b"%.3s|%8s\0")):
    records = struct.pack("<IIQBBxxIIQ", 40, 2, 0x1000000000, 4, 8, 7, 0, 0).ljust(40, b"\0")
    put("print", f"seed-{number}", (struct.pack("<QQ", 80, 0) + records * 2).ljust(2048, b"\0") + text)
put("metadata", "seed", """
define spir_kernel void @k(float addrspace(1)* %x, i32 %n) #0 !kernel_arg_addr_space !3 !kernel_arg_access_qual !4 !kernel_arg_type !5 !kernel_arg_type_qual !6 !kernel_arg_name !7 !reqd_work_group_size !8 !vec_type_hint !9 {
}
!3 = !{i32 1, i32 0}
!4 = !{!"none", !"none"}
!5 = !{!"float*", !"uint"}
!6 = !{!"const restrict", !""}
!7 = !{!"x", !"n"}
!8 = !{i32 8, i32 4, i32 1}
!9 = !{<4 x i32> undef, i32 1}
""")
dice = random.Random(1)
for number in range(200):
    put("opencl", f"seed-{number}", bytes(dice.choice((dice.randrange(256), dice.randrange(16), dice.randrange(16))) for _ in range(dice.randrange(20, 250))))
