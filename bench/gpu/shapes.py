#!/usr/bin/env python3
"""Cycles of shapes of control flow (tests/kernels/shapes.cl), threads apart beside the same work with warps together (docs/validation.md).

    shapes.py make BUILD FOLDER     PTX of both versions, in which each thread keeps the cycles from its beginning to its end
                                    (`together`: all lanes of CTA k do the work of lane k; but for barrier_after_break)
    shapes.py run FOLDER OUT.json"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
THREADS, SAMPLES = 64, 7
KERNELS = ("nested_break", "nested_continue", "early_return", "switch_in_loop", "go_to", "short_circuit", "do_while", "two_exits", "nested_loops", "calls", "if_else", "guard",
           "search", "barrier_after_break")
BEGIN = """	.reg .b64 %clk<6>;
	.reg .b32 %clw<3>;
	mov.u64 %clk0, %clock64;
"""
END = """	mov.u64 %clk1, %clock64;
	sub.u64 %clk2, %clk1, %clk0;
	mov.u32 %clw0, %ctaid.x;
	mov.u32 %clw1, %tid.x;
	mad.lo.u32 %clw2, %clw0, 64, %clw1;
	mov.u64 %clk3, cycles;
	mad.wide.u32 %clk4, %clw2, 8, %clk3;
	st.global.u64 [%clk4], %clk2;
	ret;
"""


def with_clock(text):
    """Every way through an entry keeps its cycles."""
    parts = re.split(r"(?m)^(?=\.(?:visible \.)?entry )", text)
    out = []
    for i, part in enumerate(parts):
        if i:
            body, rest = part, ""
            end = part.index("\n}\n")
            body, rest = part[:end + 3], part[end + 3:]
            body = body.replace("\n{\n", "\n{\n" + BEGIN, 1)
            body = re.sub(r"(?m)^\s*((?:@!?%p\d+ )?)ret;\n", lambda m: END if not m[1] else m[0], body)
            part = body + rest
        out.append(part)
    text = "".join(out)
    at = text.index(".address_size 64\n") + len(".address_size 64\n")
    return text[:at] + ".visible .global .align 8 .b64 cycles[65536];\n" + text[at:]


def make(build, folder):
    from ptx_of_examples import plain
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source = (ROOT / "tests/kernels/shapes.cl").read_text()
    for name, text in (("apart", source), ("together", source.replace("i = get_global_id(0), x", "i = (get_local_id(0) & 32) | (get_group_id(0) & 31), x"))):
        (folder / f"{name}.cl").write_text(text)
        subprocess.run([f"{build}/heddle", "compile", folder / f"{name}.cl", "--emit", "ptx", "-o", folder / f"{name}.ptx"], check=True)
        (folder / f"{name}.ptx").write_text(with_clock(plain((folder / f"{name}.ptx").read_text())))


def run(folder, out):
    import driver
    gpu = driver.Gpu()
    results = {"card": driver.card(gpu), "command": " ".join(sys.argv), "shapes": []}
    words = 32 * THREADS * 2
    output, inputs = gpu.alloc(4 * words), gpu.alloc(4 * THREADS)
    gpu.write(inputs, b"".join((7 * i).to_bytes(4, "little") for i in range(THREADS)))
    for version in ("apart", "together"):
        module = gpu.module(open(f"{folder}/{version}.ptx", "rb").read())
        address, size = driver.C.c_uint64(), driver.C.c_size_t()
        gpu.call("cuModuleGetGlobal_v2", driver.C.byref(address), driver.C.byref(size), module, driver.C.c_char_p(b"cycles"))
        for kernel in KERNELS:
            function, samples = gpu.function(module, kernel), []
            for ctas in (1, 32):
                for _ in range(SAMPLES):
                    gpu.fill(output, 0, words)
                    gpu.launch(function, ctas, THREADS, [driver.u64(output), driver.u64(inputs if kernel != "guard" else 40)])
                    gpu.wait()
                    if ctas == 1:
                        first = gpu.words(output, 2 * THREADS)
                    cycles = memoryview(gpu.read(address.value, 8 * THREADS * ctas)).cast("Q")
                    samples.append([ctas] + [max(cycles[w:w + 32]) for w in range(0, THREADS * ctas, 32)])
            results["shapes"].append({"kernel": kernel, "version": version, "warp_cycles": samples, "out": first})
    with open(out, "w", encoding="utf-8") as file:
        json.dump(results, file, separators=(",", ":"))
    print("shapes done")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3])
    else:
        run(sys.argv[2], sys.argv[3])
