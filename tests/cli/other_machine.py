"""Objects on machines other than the one that they were compiled for: what is not proven is refused (docs/checker.md, HZ-27)."""
from harness import Cases, values

cases = Cases()
cases.file("scale.cl", """__kernel void scale(uint n, float by, __global const float *in, __global float *out)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = in[i] * by + 1.0f;
}
""")
LAUNCH = ["--grid", 16, "--block", 64, "--arg", "u32:1000", "--arg", "f32:2.5", "--arg", "rand:f32:1000:7", "--arg", "out:out.npy:f32:1000"]


def run(program, *more):
    (cases.root / "out.npy").unlink(missing_ok=True)
    result = cases.run("run", program, *LAUNCH, "--quiet", *more)
    result.numbers = values(cases.root / "out.npy") if (cases.root / "out.npy").exists() else None
    return result


SLOW = ["--set", "latency.alu.latency=40"]
cases.run("compile", "scale.cl", "-o", "scale.hko")
right = run("scale.hko")
cases.check(right.status == 0 and right.numbers and not right.err, "the machine that it was compiled for", right)

# Not proven: bad input, no output, and a message with what differs, the first finding, and the way out.
result = run("scale.hko", *SLOW)
cases.check(result.status == 2 and result.numbers is None, "refused", result)
lines = result.err.splitlines()
cases.check(len(lines) == 2, "two lines", result)
cases.check(lines[0].startswith("scale.hko: error: is compiled for another machine, and not proven for this one (findings: ")
            and "latency.alu.latency is 40, the object was compiled for 4;" in lines[0] and lines[0].endswith("with --unproven"), "what differs, and the way out", result)
cases.check(lines[1].startswith("scale.hko: error: scale: RAW on r") and "(scale.cl:" in lines[1], "the first finding, with its line", result)
for more in (["--trace", "konata:t.log"], ["--report", "r.json"]):
    run("scale.hko", *SLOW, *more)
    cases.check(not (cases.root / "t.log").exists() and not (cases.root / "r.json").exists(), f"{more}: no file is left")

result = run("scale.hko", *SLOW, "--unproven")
cases.check(result.status == 0 and result.numbers != right.numbers and not result.err, "--unproven runs it, and the numbers are wrong", result)
result = run("scale.hko", *SLOW, "--functional")
cases.check(result.status == 0 and result.numbers == right.numbers, "the interpreter relies on no annotation", result)
result = run("scale.cl", *SLOW)
cases.check(result.status == 0 and result.numbers == right.numbers, "compiled for the machine", result)

# Settings that no annotation relies on; a shorter latency, which the checker proves; a scoreboard, which needs no annotations.
for more in (["--set", "machine.cores=1", "--set", "memory.l1_latency=2", "--set", "queue.alu.fifo=1"], ["--set", "latency.alu.latency=3"], ["--config", "baseline"]):
    result = run("scale.hko", *more)
    cases.check(result.status == 0 and result.numbers == right.numbers and not result.err, f"{more}: runs", result)
result = run("scale.hko", "--config", "fence")
cases.check(result.status == 2 and "predecode.carrier is none, the object was compiled for line" in result.err and "more keys differ" in result.err, "another preset", result)

# A program for the slow machine is right on the fast one, though not the other way round.
cases.run("compile", "scale.cl", "-o", "slow.hko", *SLOW)
for more in ([], SLOW):
    result = run("slow.hko", *more)
    cases.check(result.status == 0 and result.numbers == right.numbers, f"compiled for slow, {more}", result)

# Assembly keeps the record, byte for byte. Without it nobody says for which machine the program is.
cases.run("disasm", "scale.hko", "-o", "scale.hasm")
cases.run("asm", "scale.hasm", "-o", "again.hko")
cases.check((cases.root / "again.hko").read_bytes() == (cases.root / "scale.hko").read_bytes(), "asm(disasm(x)) is x")
text = (cases.root / "scale.hasm").read_text()
cases.check(text.count("\n.machine ") > 1 and max(map(len, text.splitlines())) <= 150, "lines of a width that can be read")
cases.check(run("scale.hasm", *SLOW).status == 2, "assembly with a record")
cases.file("bare.hasm", "".join(line for line in text.splitlines(True) if not line.startswith(".machine")))
result = run("bare.hasm", *SLOW)
cases.check(result.status == 0 and result.numbers != right.numbers and not result.err, "assembly without a record runs", result)
cases.run("asm", "bare.hasm", "-o", "bare.hko")
cases.check(run("bare.hko", *SLOW).status == 0, "and so does its object")
cases.file("bad.hasm", ".machine latency.alu.latency\nnop\n")
cases.expect(2, r"^bad.hasm:1:29: error: no setting, expected KEY=VALUE$", "asm", "bad.hasm", "-o", "bad.hko", absent=["bad.hko"])

# compare: each machine on its own.
machines = ["--machine", "heddle", "--machine", "fence"]
result = cases.run("compare", "scale.hko", *LAUNCH, *machines)
cases.check(result.status == 2 and "scale.hko: error: is compiled for another machine" in result.err, "compare refuses", result)
result = cases.run("compare", "scale.hko", *LAUNCH, *machines, "--unproven")
cases.check(result.status in (0, 1) and "is compiled for another" not in result.err, "compare --unproven runs", result)

# An object of an older format says so.
old = bytearray((cases.root / "scale.hko").read_bytes())
at = old.index((5).to_bytes(4, "little") + (6 | 3 << 16).to_bytes(4, "little"))
old[at] = 3
cases.file("old.hko", bytes(old))
cases.expect(2, r"^old.hko: error: is a kernel object of version 3 of the format, expected version 5: compile it anew$", "run", "old.hko", *LAUNCH)
cases.end()
