"""Rooflines against a count by hand: arithmetic instructions of the disassembly, bytes by the sizes of the arrays."""
import json
import re

from harness import SOURCE, Cases

c = Cases()
ARITHMETIC = {"ALU", "FMA", "MUL", "ALU64", "MUL64", "SFU", "F64", "CVT", "CVT64"}
classes = dict(re.findall(r'^OP\(\w+, "([\w.]+)", \w+, (\w+),', (SOURCE / "src/isa/ops.def").read_text(), re.M))


def arithmetic(text):
    """Whether an instruction as the disassembler writes it is an arithmetic one."""
    name = re.match(r"(?:@!?p\d+ )?([\w.]+)", text)[1]
    while name not in classes:  # without a type that is no part of the operation's name
        name = name[:name.rindex(".")]
    return classes[name] in ARITHMETIC


def measured(*launch):
    r = c.run("run", *launch, "--roofline", "--lines", "--report", "roof.json")
    c.check(r.status == 0, "a roofline", r)
    return json.loads((c.root / "roof.json").read_text())


# Every lane executes every instruction of saxpy once, except the `exit` of lanes past the end, of which there are none.
n = 4096
c.run("compile", SOURCE / "examples/saxpy/saxpy.cl", "-o", "saxpy.hko")
listing = c.run("disasm", "saxpy.hko").out
code = [line.strip() for line in listing.split(".function", 1)[1].splitlines() if line.startswith("\t")]
words = len(code) + listing.count("\n.ss\n")
each = sum(map(arithmetic, code))
report = measured("saxpy.hko", "--grid", n // 256, "--block", 256, "--arg", f"rand:f32:{n}:1", "--arg", f"rand:f32:{n}:2", "--arg", "f32:2", "--arg", f"u32:{n}")
roof = report["roofline"]
c.check(each == 11 and roof["operations"] == each * n, f"saxpy has 11 arithmetic instructions, {each} counted: {roof['operations']}")
# x and y are read. Both caches begin empty; the code comes from DRAM once. What was written stays in the second level.
wanted = {"shared": 0, "l1": 8 * n, "l2": 12 * n + 8 * words, "dram": 8 * n + 8 * words}
c.check({k: v["bytes"] for k, v in roof["levels"].items()} == wanted, f"bytes of saxpy: {roof['levels']}, expected {wanted}")
for level, moved in wanted.items():
    c.check(not moved or abs(roof["levels"][level]["intensity"] - each * n / moved) < 1e-9, f"intensity at {level}")

# The tiled product reads two words of shared memory for each multiply-add, and copies both matrices there, tile by tile.
m, tile = 64, 16
report = measured(SOURCE / "examples/matmul/matmul.cl", "--kernel", "matmul_tiled", "--grid", "4,4", "--block", "16,16", "--arg", f"rand:f32:{m * m}:1", "--arg", f"rand:f32:{m * m}:2",
                  "--arg", f"zero:f32:{m * m}", *(word for _ in range(3) for word in ("--arg", f"u32:{m}")))
roof, heat = report["roofline"], report["heat"]
by_hand = sum(row["counts"]["lanes"] for row in heat["instructions"] if arithmetic(row["text"]))
multiply = sum(row["counts"]["lanes"] for row in heat["instructions"] if "ffma" in row["text"])
c.check(multiply == m**3, f"as many multiply-adds as the product has: {multiply}")
c.check(by_hand == roof["operations"] > m**3, f"operations by instruction: {by_hand}, {roof['operations']}")
copied = 2 * m * m * (m // tile)
c.check(roof["levels"]["shared"]["bytes"] == 4 * (2 * m**3 + copied), f"words of shared memory: {roof['levels']['shared']}")
c.check(roof["levels"]["l1"]["bytes"] == 4 * copied, f"sectors of the first cache: {roof['levels']['l1']}")
c.check(roof["bound"] == "shared" and roof["levels"]["shared"]["roof"] < roof["ceilings"]["operations_per_cycle"]["alu"], f"shared memory is the limit: {roof}")
c.end()
