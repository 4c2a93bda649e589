"""heddle annotate (HZ-33): machine code without annotations gets them, is proven, and gives the bytes of the compiled program."""
import re

from harness import Cases, SOURCE, npy

cases = Cases()
ANNOTATION = re.compile(r"  ?\{[^}]*\}")


def bare(listing):
    """The listing without annotations, and without what says for which machine they were."""
    lines = [ANNOTATION.sub("", line).replace(".lu", "") for line in listing.splitlines() if not re.match(r"\.(machine|config|counters|high_latency)", line)]
    return "\n".join(line for line in lines if "@!pt bra" not in line) + "\n"


source = SOURCE / "examples/saxpy/saxpy.cl"
cases.run("compile", source, "-o", "saxpy.hko")
listing = cases.run("disasm", "saxpy.hko").out
cases.file("bare.hasm", bare(listing))
parameters = re.findall(r"^\.param .*", listing, re.M)
pointers = [("pointer" in line, line.split('"')[1]) for line in parameters]
cases.check(len(pointers) == 4, "saxpy has four parameters", None)
result = cases.run("asm", "bare.hasm", "-o", "bare.hko")
cases.check(result.status == 0, "the bare listing assembles", result)
cases.check(cases.run("check", "bare.hko").status == 1, "bare code is not proven")

result = cases.run("annotate", "bare.hasm")
cases.check(result.status == 0 and ".w" in result.out and "delay" in result.out, "assembly goes to standard output", result)
cases.check("bare.hasm: proven for machine heddle" in result.err, "the proof goes to standard error", result)
for machine in ("heddle", "fence", "baseline", "one-queue"):
    result = cases.run("annotate", "bare.hasm", "--config", machine, "-o", "done.hko", "--quiet")
    cases.check(result.status == 0 and result.out == "" and result.err == "", f"{machine}: quiet", result)
    result = cases.run("check", "done.hko", "--config", machine)
    cases.check(result.status == 0, f"{machine}: proven", result)
result = cases.run("annotate", "saxpy.hko", "--strip", "-o", "anew.hasm")
cases.check(result.status == 0, "an object", result)
result = cases.run("annotate", "saxpy.hko", "--strip", "-o", "anew.hko")
cases.check((cases.root / "anew.hko").read_bytes() == (cases.root / "saxpy.hko").read_bytes(), "annotated anew, a compiled object is what it was", result)

arguments = []
for pointer, name in pointers:
    arguments += ["--arg", ("inout:y0.npy" if name == "y" else "rand:f32:500:2") if pointer else ("u32:500" if name == "n" else "f32:2.0")]
values = npy([i / 7 for i in range(500)])
results = []
for name in ("saxpy.hko", "done.hko", "anew.hko"):
    cases.file("y0.npy", values)
    if name == "done.hko":
        cases.run("annotate", "bare.hasm", "-o", "done.hko", "--quiet")
    result = cases.run("run", name, "--grid", 4, "--block", 128, *arguments, "--quiet")
    cases.check(result.status == 0, f"{name} runs", result)
    results.append((cases.root / "y0.npy").read_bytes())
cases.check(results[0] == results[1] == results[2] != values, "the bytes of the compiled program")

# Stripped and annotated anew, every compiled program is what it was.
for name in ("bfs", "bitonic", "grids", "histogram", "matmul", "reduce", "scan", "sha256"):
    source = next((SOURCE / "examples" / name).glob("*.cl"))
    cases.run("compile", source, "-o", "example.hko")
    result = cases.run("annotate", "example.hko", "--strip", "-o", "anew.hko", "--quiet")
    cases.check((cases.root / "anew.hko").read_bytes() == (cases.root / "example.hko").read_bytes(), f"{name}, annotated anew, is what it was", result)

# A wrong mark stays, and is found.
lines = bare(listing).splitlines()
first = next(i for i, line in enumerate(lines) if "ldg" in line)
cases.file("wrong.hasm", "\n".join(lines[:first] + [lines[first] + " {p1.w}"] + lines[first + 1:]) + "\n")
result = cases.run("annotate", "wrong.hasm", "-o", "never.hko")
cases.check(result.status == 1 and "of the other latency set (HZ-20)" in result.err and not (cases.root / "never.hko").exists(), "a wrong mark: status 1, no file", result)
result = cases.run("annotate", "wrong.hasm", "-o", "never.hko", "--strip")
cases.check(result.status == 0, "--strip forgets it", result)

for arguments, why in ((["annotate"], "no input, expected assembly .hasm or an object .hko"), (["annotate", source], "is no machine code"), (["annotate", "none.hko"], "cannot be opened")):
    result = cases.run(*arguments)
    cases.check(result.status == 2 and why in result.err, why, result)
cases.end()
