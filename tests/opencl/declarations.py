#!/usr/bin/env python3
"""The built-in functions that programs see (clang's own declarations and lib/heddle_opencl.h) are those of clang's header opencl-c.h: every function of
the header is called once, and LLVM's module must be the same with both. Arguments: clang, lib/heddle_opencl.h. With files of bitcode
behind them: every function of the header is defined there (half a minute; `tools/conformance.sh`)."""
import re
import subprocess
import sys
import tempfile

CLANG, HEADER = sys.argv[1:3]
TARGET = ["-target", "nvptx64-nvidia-nvcl", "-march=sm_70", "-x", "cl", "-cl-no-stdinc", "-Xclang", "-finclude-default-header",
          "-Xclang", "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp16,+cl_khr_subgroups,+__opencl_c_subgroups,"
          "+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables,+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst,+__opencl_c_pipes,+__opencl_c_device_enqueue"]
# Features that lib/heddle_opencl.h defines, for clang's header.
FEATURES = [f"-D{name}=1" for name in re.findall(r"#define ((?:__opencl_c|cl_khr)_\w+) 1", open(HEADER).read())]
OURS = ["-Xclang", "-fdeclare-opencl-builtins", "-include", HEADER]
TYPE = re.compile(r"(u?(char|short|int|long)|float|double|half)(2|3|4|8|16)?|size_t|cl_mem_fence_flags|memory_order|memory_scope|event_t|u?intptr_t|ptrdiff_t|atomic_\w+")
# In OpenCL C 3.0 the header has forms that take a conversion to call clang's: operands of the other signedness.
# It has halves where the extension has none (fast_length and its like), and misspells some loads and stores.
OTHER = re.compile(r"atomic_fetch_(or|xor|and|min|max)(_explicit)?\(.*u?intptr_t|fast_\w+\(.*\bhalf|(vload|vstore)\(")
HALVES = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"


def clang(language, *arguments, text):
    with tempfile.NamedTemporaryFile("w", suffix=".cl") as file:
        file.write(text)
        file.flush()
        return subprocess.run([CLANG, *TARGET, "-cl-std=" + language, *(FEATURES if language == "CL3.0" and HEADER not in arguments else []), *arguments, file.name], capture_output=True, text=True)


def uses(language):
    """A function for each prototype of the header, which calls it."""
    expanded = clang(language, *(["-Xclang", "-cl-ext=+__opencl_c_images"] if language == "CL3.0" else []), "-E", "-P", text="").stdout
    expanded = re.sub(r"(const size_t)\s*\[\d\]", r"\1 __private *", expanded)
    expanded = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|#pragma[^\n]*", "", expanded)
    for result, name, arguments in re.findall(r"(?:^|;|\})\s*([\w\s\*]+?)\b(\w+)\s*\(([^()]*)\)\s*(?=;)", expanded):
        if result.startswith("typedef") or "image" in arguments or name == "printf" or (OTHER.search(f"{name}({arguments}")):
            continue
        types = []
        for argument in arguments.split(",") if arguments.strip() not in ("", "void") else []:
            words = re.match(r"(.*?[\s*])(\w+)$", argument.strip())
            types.append(words[1] if words and not TYPE.fullmatch(words[2]) else argument)
        parameters = ", ".join(f"{type} p{i}" for i, type in enumerate(types))
        yield f"{result.strip()} FUNCTION({parameters or 'void'}) {{ {'' if result.strip() == 'void' else 'return '}{name}({', '.join(f'p{i}' for i in range(len(types)))}); }}\n"


failed = 0


def check(ok, what, errors):
    global failed
    failed += not ok
    if not ok:
        print(f"FAILED: {what}\n{errors[:2000]}")


for language in "CL1.2", "CL3.0":
    functions = list(uses(language))
    text = HALVES + "".join(line.replace("FUNCTION", f"use{i}") for i, line in enumerate(functions))
    check(len(functions) > 9000, f"{language}: {len(functions)} functions in clang's header", "")
    r = clang(language, *OURS, "-w", "-ferror-limit=5", "-fsyntax-only", text=text)
    check(r.returncode == 0, f"{language}: every function of the header is declared", r.stderr)

# One language suffices for the module, of every tenth function and all in half precision.
text = HALVES + "".join(line.replace("FUNCTION", f"use{i}") for i, line in enumerate(functions) if i % 10 == 0 or "half" in line)
module = ["-O2", "-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", "-o", "-"]
theirs = clang(language, "-Xclang", "-cl-ext=+__opencl_c_images", *module, text=text)
ours = clang(language, *OURS, *module, text=text)
# The file's name is in the module.
same = [re.sub(r"(ModuleID|source_filename).*", "", r.stdout) for r in (theirs, ours)]
check(theirs.returncode == 0 and ours.returncode == 0 and same[0] == same[1], "the modules are the same", theirs.stderr + ours.stderr)

# Functions that become operations in the PTX reader (docs/ptx.md) have no definition.
if len(sys.argv) > 3:
    text = HALVES + "".join(line.replace("FUNCTION", f"use{i}") for i, line in enumerate(functions))
    linked = [word for file in sys.argv[3:] for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", file)]
    r = clang("CL3.0", *OURS, "-w", "-O1", "-emit-llvm", "-S", "-o", "-", *linked, text=text)
    missing = [name for name in re.findall(r"^declare .*?@([\w.]+)\(", r.stdout, re.M) if not re.match(r"llvm\.|__heddle_", name)]
    check(r.returncode == 0 and not missing, f"{len(functions)} functions of OpenCL C 3.0 are defined", r.stderr + " ".join(missing))
    print(f"{len(functions)} functions of OpenCL C 3.0, {len(missing)} without a definition")
sys.exit(failed != 0)
