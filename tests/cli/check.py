"""heddle check (HZ-27), and the loader that refuses what is not proven (fence.refuse_unproven)."""
import re

from harness import Cases, SOURCE

cases = Cases()

def saxpy():
    return cases.run("check", SOURCE / "examples/saxpy/saxpy.cl")


result = saxpy()
cases.check(result.status == 0, "an example is proven", result)
cases.check("proven for machine heddle" in result.out, "says so", result)
cases.check(cases.run("check", SOURCE / "examples/saxpy/saxpy.cl", "--serial", "--quiet").out == "", "--quiet says nothing")

# Marks taken out by hand, in assembly that the disassembler wrote.
cases.run("compile", SOURCE / "examples/saxpy/saxpy.cl", "-o", "saxpy.hko")
listing = cases.run("disasm", "saxpy.hko").out
again = cases.file("same.hasm", listing)
cases.check(cases.run("asm", again, "-o", "same.hko").status == 0, "the listing assembles")
cases.check(cases.run("check", "same.hko").status == 0, "marks written in assembly are read and proven")

lines = listing.splitlines()
ffma = next(i for i, line in enumerate(lines) if " ffma" in line or "\tffma" in line)
bare = lines[:]
bare[ffma] = re.sub(r"\bw[01]+\b", "", bare[ffma])
cases.check(bare[ffma] != lines[ffma], "the ffma waits for its loads", None)
cases.file("bare.hasm", "\n".join(bare) + "\n")
cases.run("asm", "bare.hasm", "-o", "bare.hko")
result = cases.run("check", "bare.hko")
cases.check(result.status == 1, "a wait less is found", result)
cases.check("RAW on r" in result.err and "`ldg.32" in result.err and "`ffma" in result.err and "path" in result.err, "names hazard, instructions, path", result)
cases.check("saxpy.cl:" in result.err, "and the source lines", result)

arguments = ["--grid", 4, "--block", 128, "--arg", "rand:f32:500:1", "--arg", "rand:f32:500:2", "--arg", "f32:2.0", "--arg", "u32:500"]
signature = re.findall(r"^\.param .*", listing, re.M)
cases.check(len(signature) == 4, "saxpy has four parameters", None)
result = cases.run("run", "bare.hko", *arguments, "--set", "fence.refuse_unproven=true")
cases.check(result.status == 2 and "RAW on r" in result.err, "the loader refuses it when told to", result)

# A note is no error. Slow shared memory holds more stores than a counter counts.
cases.file("room.hasm", """.kernel "k"
.entry L
.registers 8
.function "k"
L:	sts.32 [rz], rz {p5.w}
	@p0 bra L
	exit
.end
""")
SLOW = ["--set", "memory.shared_latency=600"]
result = cases.run("check", "room.hasm", *SLOW)
cases.check(result.status == 0, "a counter without room is no error", result)
cases.check("room.hasm: note: k: counter 5 may have no room for `sts.32 [rz], rz` at 1" in result.err, "but it is noted", result)
result = cases.run("check", "room.hasm", "--quiet", *SLOW)
cases.check(result.status == 0 and result.out == "" and result.err == "", "--quiet leaves notes out", result)

result = cases.run("check", "nothing.hko")
cases.check(result.status == 2 and "nothing.hko" in result.err, "a file that is not there", result)
cases.check(cases.run("check").status == 2, "no input")
cases.end()
