#!/usr/bin/env python3
"""scalars.py CLANG LIBCLC OUTPUT: bitcode with libclc's functions of scalars but conversions, and with what these call.

clang's time to link a bitcode file grows with the number of functions in it, whether they are called or not. Nine of ten functions of libclc are
conversions or take vectors, and most programs call neither.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NAME = re.compile(r"@([\w.$]+)")
CLANG = [sys.argv[1], "-target", "nvptx64--nvidiacl", "-x", "ir", "-Wno-override-module", "-Xclang", "-disable-llvm-passes"]


def split(text):
    """The parts of a module in text form: lines before the functions, functions by name, declarations by name, lines behind them."""
    begin = re.search(r"(?m)^(; Function Attrs|define |declare )", text).start()
    head, functions, declarations, tail = text[:begin], {}, {}, []
    for part in re.split(r"(?m)^(?=define |declare |attributes |!|; Function)", text[begin:]):
        if part.startswith("define "):
            functions[NAME.search(part)[1]] = part
        elif part.startswith("declare "):
            declarations[NAME.search(part)[1]] = part
        elif not part.startswith("; Function"):
            tail.append(part)
    return head, functions, declarations, tail


def wanted(name):
    """A name in the form of C++, without arguments that are vectors (Dv), no conversion."""
    return "Dv" not in name and "convert_" not in name


def main():
    with tempfile.TemporaryDirectory() as directory:
        module = pathlib.Path(directory) / "libclc.ll"
        subprocess.run([*CLANG, "-S", "-emit-llvm", sys.argv[2], "-o", module], check=True)
        head, functions, declarations, tail = split(module.read_text())
        names = {name: set(NAME.findall(body)) for name, body in functions.items()}
        kept = {name for name in functions if wanted(name)}
        new = set(kept)
        while new:
            new = {callee for name in new for callee in names[name] if callee in functions} - kept
            kept |= new
        used = {name for function in kept for name in names[function]}
        lines = [line for line in head.splitlines(True) if not line.startswith("@") or NAME.match(line)[1] in used]
        lines += [body for name, body in functions.items() if name in kept]
        lines += [line for name, line in declarations.items() if name in used]
        module.write_text("".join(lines + tail))
        subprocess.run([*CLANG, "-emit-llvm", "-c", module, "-o", sys.argv[3]], check=True)


main()
