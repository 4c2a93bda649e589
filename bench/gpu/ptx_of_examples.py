#!/usr/bin/env python3
"""ptx_of_examples.py BUILD OUT: the PTX of the examples as a driver of NVIDIA takes it. Heddle's launcher gives what an OpenCL launch's offset is, so
the PTX declares functions for it; here they return 0. The debug information goes, because ptxas does not take it."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OFFSET = re.compile(r"\.func\s+\(\.param \.b64 func_retval0\) (__heddle_global_offset_[xyz])\s*\(\s*\)\s*;\n")

# The two dot products that lighting calls, in the order of Heddle's expansion (LU-1).
DOT = {
    3: "mul.rn.f32 %t, %x0, %y0;\nfma.rn.f32 %t, %x1, %y1, %t;\nfma.rn.f32 %t, %x2, %y2, %t;\n",
    4: "mul.rn.f32 %t, %x0, %y0;\nmul.rn.f32 %u, %x1, %y1;\nfma.rn.f32 %t, %x2, %y2, %t;\nfma.rn.f32 %u, %x3, %y3, %u;\nadd.rn.f32 %t, %t, %u;\n",
}
DECLARED = re.compile(r"\.func\s+\(\.param \.b32 func_retval0\) __heddle_dp([34])\s*\([^)]*\)\s*;\n")


def dot(n):
    names = [f"%{axis}{i}" for axis in "xy" for i in range(n)]
    loads = "".join(f"ld.param.f32 {name}, [p{i}];\n" for i, name in enumerate(names))
    params = ", ".join(f".param .b32 p{i}" for i in range(2 * n))
    return (f".func (.param .b32 func_retval0) __heddle_dp{n}({params})\n{{\n.reg .f32 {', '.join(names)}, %t, %u;\n{loads}{DOT[n]}"
            "st.param.f32 [func_retval0], %t;\nret;\n}\n")


def plain(text):
    lines = [line for line in text.splitlines() if not re.match(r"\s*(\.loc\s|\.file|Ltmp\d+:|Lfunc_\w+:|Lsec\w*:)", line)]
    cut = next((i for i, line in enumerate(lines) if line.strip().startswith(".section")), len(lines))
    text = re.sub(r"\.target (\w+), debug", r".target \1", "\n".join(lines[:cut]) + "\n")
    text = re.sub(r"\.ptr \.shared( \.align \d+)?", "", text)  # the driver takes no arguments in shared memory, but numbers
    text = DECLARED.sub(lambda found: dot(int(found[1])), text)
    return OFFSET.sub(r".func (.param .b64 func_retval0) \1()\n{\nst.param.b64 [func_retval0], 0;\nret;\n}\n", text)


def main():
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for source in sorted(ROOT.glob("examples/*/*.cl")):
        target = out / (source.stem + ".ptx")
        done = subprocess.run([build / "heddle", "compile", source, "--emit", "ptx", "-o", target], capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{source}: {done.stderr.strip()[:200]}")
            continue
        target.write_text(plain(target.read_text()))


if __name__ == "__main__":
    main()
