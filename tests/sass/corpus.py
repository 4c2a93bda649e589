#!/usr/bin/env python3
"""The corpus of real machine code (SA-10, SA-11): compiles the kernels beside it with nvcc and ptxas of CUDA 13, proves them, compares the text with
nvdisasm's, changes control fields, and prints the tables of docs/sass.md.

    corpus.py [--build DIR] [--arch 75,80,...] [--mutations N|all|none] [--keep DIR] [--verbose]

NVCC and PTXAS name other compilers than those in PATH or in /usr/local/cuda/bin; NVDISASM another disassembler. Ends with 77, "skipped", where there is
no compiler. The comparison with nvdisasm is skipped where that is missing, and the output says so."""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARCHITECTURES = (75, 80, 86, 89, 90)
EXAMPLES = ("examples/saxpy/saxpy.cu", "examples/matmul/matmul.cu")
OPENCL = ("saxpy", "matmul", "bfs", "reduce", "scan", "spmv", "stencil", "transpose", "histogram", "nbody", "bitonic", "sha256", "mandelbrot", "convolution")
SKIPPED = 77


def tool(name):
    """The tool of this name: from the environment, PATH, or the place where CUDA is usually installed; None where there is none."""
    places = [os.environ.get(name.upper(), ""), name, "/usr/local/cuda/bin/" + name]
    return next((found for found in map(shutil.which, filter(None, places)) if found), None)


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **options)


def wanted(name, arch):
    """Kernels for newer architectures have the first one in the file's name; the last letter of sm_90a excludes others."""
    found = re.search(r"_sm(\d+)(a?)$", name)
    return not found or (arch == int(found[1]) if found[2] else arch >= int(found[1]))


# Heddle's launcher supplies what an OpenCL program's offset is; for ptxas it is a function that returns 0.
OFFSET = re.compile(r"\.func\s+\(\.param \.b64 func_retval0\) (__heddle_global_offset_[xyz])\s*\(\s*\)\s*;\n")


def opencl_ptx(build, folder):
    """PTX of our own examples, without the debug information that ptxas does not take."""
    files = []
    for name in OPENCL:
        out = folder / f"opencl_{name}.ptx"
        if run([build / "heddle", "compile", ROOT / f"examples/{name}/{name}.cl", "--emit", "ptx", "-o", out]).returncode:
            continue
        lines = out.read_text().splitlines()
        lines = [line for line in lines if not re.match(r"\s*(\.loc\s|\.file\s|Ltmp\d+:|Lfunc_\w+:|Lsec\w*:)", line)]
        cut = next((i for i, line in enumerate(lines) if line.strip().startswith(".section")), len(lines))
        text = "\n".join(lines[:cut]) + "\n"
        out.write_text(OFFSET.sub(r".func (.param .b64 func_retval0) \1()\n{\nst.param.b64 [func_retval0], 0;\nret;\n}\n", text))
        files.append(out)
    return files


def compile_all(arch, folder, nvcc, ptxas, extra):
    """Cubins of an architecture. A source that a compiler refuses is an error, but for PTX of our own examples."""
    cubins, refused = [], []
    sources = sorted(HERE.glob("kernels/*.cu")) + sorted(HERE.glob("kernels/*.ptx")) + [ROOT / name for name in EXAMPLES] + extra
    for source in sources:
        if not wanted(source.stem, arch):
            continue
        out = folder / f"{source.stem}.cubin"
        name = f"sm_{arch}a" if re.search(r"_sm\d+a$", source.stem) else f"sm_{arch}"
        if source.suffix == ".cu":
            command = [nvcc, "-cubin", f"-arch={name}", "-lineinfo", "-std=c++17", "-diag-suppress", "177", "-o", out, source]
        else:
            command = [ptxas, f"-arch={name}", *(["-c"] if source in extra else []), "-o", out, source]
        done = run(command)
        if done.returncode == 0:
            cubins.append(out)
        elif source not in extra:
            sys.exit(f"{source}: not compiled for sm_{arch}:\n{done.stdout}{done.stderr}")
        else:
            refused.append(source.name)
    return cubins, refused


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check(build, cubins, folder):
    """The sums of `heddle check` over files, and its time and memory."""
    sums = {"functions": 0, "instructions": 0, "proven": 0, "unknown": 0, "refuted": 0, "kernels": set(), "assumptions": set(), "bad": []}
    begin = processor_seconds()
    for cubin in cubins:
        report = folder / "report.json"
        done = run([build / "heddle", "check", cubin, "--report", report, "--quiet"])
        if done.returncode not in (0, 1, 3):
            sys.exit(f"{cubin.name}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        answer = json.loads(report.read_text())
        for function in answer["functions"]:
            sums["functions"] += 1
            sums["instructions"] += function["instructions"]
            sums[function["verdict"]] += 1
            sums["assumptions"].update(function["assumptions"])
            sums["kernels"].add((cubin.name, function["name"]))
            if function["verdict"] != "proven":
                sums["bad"].append(f"{cubin.name} {function['name']}: {function['verdict']}")
    sums["seconds"] = processor_seconds() - begin
    return sums


def sections(cubin):
    """Name and bytes of the code sections of a cubin."""
    data = cubin.read_bytes()
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        name = data[start:data.index(b"\0", start)].decode()
        if name.startswith(".text."):
            yield name[6:], data[header[4]:header[4] + header[5]]


# Instructions whose text names a place in the code: the vendor's tool counts from the start of what it is given.
PLACES = re.compile(r"^(?:@!?U?P\w+ )?(?:BRA|BSSY|CALL\.REL|RET\.REL|BRX|JMX|LEPC)\b")


def normal(text, base):
    """Removes what the comparison leaves out: the number of blanks, a blank before the semicolon, and the base of the addresses of branches."""
    text = re.sub(r"\s+", " ", text).replace(" ;", ";").strip()
    if base and PLACES.match(text):
        text = re.sub(r"\b0x([0-9a-f]+)(?=[;)]|$)", lambda m: hex(int(m[1], 16) - base) if int(m[1], 16) >= base else m[0], text)
    return text


def vendor_texts(nvdisasm, arch, code):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        done = run([nvdisasm, "-b", f"SM{arch}", "-hex", file.name])
    return {int(m[1], 16): m[2] for m in re.finditer(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?;)\s*/\*", done.stdout, re.M)}


def agreement(build, nvdisasm, arch, cubins, verbose):
    """Instructions, equal ones, those that the vendor's tool does not know, those that ours does not know, and different ones."""
    total = equal = strange = unknown = 0
    different = []
    for cubin in cubins:
        ours = {}
        for line in run([build / "tests/sass/sass-listing", cubin]).stdout.splitlines():
            name, address, _, _, text = line.split(" ", 4)
            ours[name, int(address, 16)] = text
        base, code, places = 0, b"", []
        for name, part in sections(cubin):
            places.append((name, base, len(part)))
            code += part
            base += len(part)
        texts = vendor_texts(nvdisasm, arch, code)
        for name, base, size in places:
            for address in range(0, size, 16):
                total += 1
                text, mine = texts.get(base + address), ours[name, address]
                if text is None or text.startswith("."):
                    strange += 1
                elif mine.startswith("."):
                    unknown += 1
                elif normal(text, base) == normal(mine, 0):
                    equal += 1
                else:
                    different.append(f"sm_{arch} {name} 0x{address:04x}: vendor '{normal(text, base)}', ours '{normal(mine, 0)}'")
    for line in different if verbose else different[:10]:
        print(line)
    return total, equal, strange, unknown, len(different)


def mutations(build, cubins, limit):
    options = [] if limit == "all" else ["--limit", limit]
    return run([build / "tests/sass/sass-mutate", *options, *cubins])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--arch", default=",".join(map(str, ARCHITECTURES)))
    parser.add_argument("--mutations", default="none")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    nvcc, ptxas, nvdisasm = tool("nvcc"), tool("ptxas"), tool("nvdisasm")
    if not nvcc or not ptxas:
        print("no nvcc and ptxas of CUDA 13: the corpus cannot be compiled")
        return SKIPPED
    rows, texts, bad, faults, kernels = [], [], [], 0, set()
    with tempfile.TemporaryDirectory() as temporary:
        top = options.keep or pathlib.Path(temporary)
        (top / "ptx").mkdir(parents=True, exist_ok=True)
        extra = opencl_ptx(options.build, top / "ptx")
        for arch in map(int, options.arch.split(",")):
            folder = top / f"sm{arch}"
            folder.mkdir(exist_ok=True)
            cubins, refused = compile_all(arch, folder, nvcc, ptxas, extra)
            if refused:
                print(f"sm_{arch}: ptxas refuses PTX of the examples: {', '.join(refused)}")
            sums = check(options.build, cubins, folder)
            kernels |= sums["kernels"]
            bad += [f"sm_{arch} {line}" for line in sums["bad"]]
            named = ", ".join(sorted(sums["assumptions"], key=lambda name: int(name[1:])))
            rows.append(f"| sm_{arch} | {sums['functions']} | {sums['instructions']:,} | {sums['proven']} | {sums['unknown']} | {sums['refuted']} | {named} "
                        f"| {sums['seconds'] * 1e6 / sums['instructions']:.1f} |")
            faults += sums["refuted"]
            if nvdisasm:
                total, equal, strange, unknown, different = agreement(options.build, nvdisasm, arch, cubins, options.verbose)
                texts.append(f"| sm_{arch} | {total:,} | {equal:,} | {different} | {unknown} | {strange} |")
                faults += different
            if options.mutations != "none":
                done = mutations(options.build, cubins, options.mutations)
                print(f"sm_{arch}: {done.stdout}{done.stderr}", flush=True)
                faults += done.returncode != 0
    sys.stdout.flush()
    for line in bad if options.verbose else bad[:20]:
        print(line)
    print(f"\n{len(kernels)} functions of {len({file for file, _ in kernels})} files\n")
    print("| architecture | functions | instructions | proven | unknown | refuted | under | processor seconds a million instructions, with start and reports |")
    print("|---|--:|--:|--:|--:|--:|---|--:|")
    print("\n".join(rows))
    print(f"\nMemory of the largest run: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB, the compilers included.\n")
    if texts:
        print("| architecture | instructions | text equal to nvdisasm's | different | unknown to us | unknown to nvdisasm |\n|---|--:|--:|--:|--:|--:|")
        print("\n".join(texts))
    else:
        print("no nvdisasm: the text is not compared (skipped)")
    return 1 if faults else 0


sys.exit(main())
