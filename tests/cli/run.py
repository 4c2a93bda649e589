"""heddle run and its neighbours on good input: every kind of source gives the same bytes, timed, functional and serial; reports are the same on every run."""
import json

from harness import Cases, npy, values

SAXPY = """__kernel void saxpy(uint n, float a, __global const float *x, __global float *y)
{
	uint i = get_global_id(0);
	if (i < n)
		y[i] = a * x[i] + y[i] + BIAS;
}
__kernel void reverse(__global const int *in, __global int *out, __local int *part)
{
	part[get_local_id(0)] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = part[get_local_size(0) - 1 - get_local_id(0)];
}
"""
N = 1000
c = Cases()
c.file("k.cl", SAXPY)
c.file("x.npy", npy([i * 0.5 for i in range(N)]))
c.file("y.npy", npy([float(i % 7) for i in range(N)]))
expected = [3.0 * (i * 0.5) + i % 7 + 1.0 for i in range(N)]
launch = ["--kernel", "saxpy", "--grid", 16, "--block", 64, "--arg", f"u32:{N}", "--arg", "f32:3", "--arg", "in:x.npy", "--arg", "inout:work.npy"]


def saxpy(source, *more):
    (c.root / "work.npy").write_bytes((c.root / "y.npy").read_bytes())
    result = c.run("run", source, *launch, "--quiet", *more)
    c.check(result.status == 0 and result.err == "", f"{source} runs without a word", result)
    c.check(values(c.root / "work.npy") == expected, f"{source} {more}: the values", result)
    return (c.root / "work.npy").read_bytes()


# A source of any kind, and the chain through all of them by hand.
saxpy("k.cl", "-DBIAS=1.0f")
for arguments in (
    ["compile", "k.cl", "-D", "BIAS=1.0f", "-o", "k.hko"],
    ["compile", "k.cl", "-DBIAS=1.0f", "--emit", "ptx", "-o", "k.ptx"],
    ["compile", "k.cl", "-DBIAS=1.0f", "--emit", "asm", "-o", "k.hasm"],
    ["compile", "k.ptx", "-o", "from-ptx.hko"],
    ["asm", "k.hasm", "-o", "from-asm.hko"],
    ["disasm", "k.hko", "-o", "again.hasm"],
    ["compile", "k.ptx", "--emit", "ir", "-o", "k.ir"],
    ["compile", "k.cl", "-DBIAS=1.0f", "--serial", "-o", "serial.hko"],
):
    result = c.run(*arguments)
    c.check(result.status == 0 and result.err == "", "compiles without a word", result)
c.check((c.root / "k.hko").read_bytes() == (c.root / "from-asm.hko").read_bytes(), "asm(disasm(x)) is x, byte for byte")
c.check((c.root / "k.hasm").read_bytes() == (c.root / "again.hasm").read_bytes(), "--emit asm is what disasm prints")
c.check((c.root / "k.hko").read_bytes() != (c.root / "serial.hko").read_bytes(), "--serial makes another object")
for source in ("k.hko", "k.ptx", "k.hasm", "from-ptx.hko", "serial.hko"):
    saxpy(source)
    saxpy(source, "--functional")
saxpy("k.ptx", "--serial")
saxpy("k.hko", "--set", "machine.cores=1", "--set", "machine.schedulers=1")

# printf of OpenCL C goes to standard output, from every kind of source.
c.file("p.cl", '__kernel void p(__global float4 *v)\n{\n\tif (get_global_id(0) == 2)\n\t\tprintf("%s %d %v4hlf\\n", "item", (int)get_global_id(0), *v);\n}\n')
c.run("compile", "p.cl", "--emit", "asm", "-o", "p.hasm")
(c.root / "v.npy").write_bytes(npy([1.0, 2.0, 3.0, 4.5]))
for source in ("p.cl", "p.hasm"):
    for more in ([], ["--functional"]):
        result = c.run("run", source, "--block", 4, "--arg", "in:v.npy", *more)
        c.check(result.status == 0 and result.out == "item 2 1.000000,2.000000,3.000000,4.500000\n", f"printf {source} {more}", result)

# In the current directory without -o, as compilers do.
result = c.run("compile", "k.ptx")
c.check(result.status == 0 and (c.root / "k.hko").exists(), "the object's default name", result)
dump = c.run("compile", "k.ptx", "--dump-after", "no-such-pass")
c.check(dump.status == 2 and "there is no pass 'no-such-pass', expected one of " in dump.err, "unknown pass", dump)

# --dump-after prints the IR after a pass. It writes the object only on request.
c.file("d.ptx", (c.root / "k.ptx").read_bytes())
dump = c.run("compile", "d.ptx", "--dump-after", "schedule")
c.check(dump.status == 0 and "ldg" in dump.out and not (c.root / "d.hko").exists(), "--dump-after prints the IR and writes no object", dump)
again = c.run("compile", "d.ptx", "--dump-after", "schedule", "--emit", "obj")
c.check(again.out == dump.out and (c.root / "d.hko").exists(), "--emit obj writes the object, too", again)

# A wrong option ends the command, although the input is good.
(c.root / "d.hko").unlink()
for words in (["--emit", "elf"], ["--nonsense"], ["second.ptx"]):
    c.expect(2, r"^heddle: error: compile: ", "compile", "d.ptx", *words, absent=["d.hko"])

# The checker (HZ-27): proven as compiled; not for a machine with longer latencies than it was compiled for.
check = c.run("check", "k.hko")
c.check(check.status == 0 and "k.hko: proven for machine heddle: " in check.out and check.err == "", "proven", check)
check = c.run("check", "k.hko", "--set", "latency.alu.latency=9")
c.check(check.status == 1 and ": RAW on r" in check.err, "compiled for another machine", check)

# Outputs, made inputs and local memory.
c.file("in.npy", npy(list(range(128)), "i4"))
result = c.run("run", "k.hko", "--kernel", "reverse", "--grid", "2", "--block=64", "--arg", "in:in.npy", "--arg", "out:out.npy:i32:128", "--arg", "local:256")
c.check(result.status == 0, "runs", result)
c.check(values(c.root / "out.npy") == [63 - i for i in range(64)] + [127 - i for i in range(64)], "local memory and outputs", result)
result = c.run("run", "k.hko", *launch[:8], "--arg", "f32:3", "--arg", "rand:f32:1000:7", "--arg", "zero:f32:1000")
c.check(result.status == 0, "made inputs", result)

# Reports: the same bytes on every run outside `host`; every ending.
reports = []
for i in range(2):
    saxpy("k.hko", "--report", f"r{i}.json")
    text = (c.root / f"r{i}.json").read_text()
    reports.append(json.loads(text))
    reports[i].pop("host")
c.check(reports[0] == reports[1], "two runs, one report")
c.check(reports[0]["cycles"] > 0 and reports[0]["result"] == "done" and reports[0]["kernel"] == "saxpy" and reports[0]["config"] == "heddle", "what it says")
c.check(sum(reports[0]["stall_cycles"].values()) + reports[0]["run"]["slots_used"] == reports[0]["run"]["issue_slots"], "every issue slot is accounted for")
# PA-1: threads of the host change nothing. More of them than clusters are not made.
eight = ["--set", "machine.clusters=8"]
for mode in (eight, ["--functional", "--grid", "6000"]):
    threaded = []
    for words in ([], ["--threads", "1"], ["--threads", "2"], ["--threads", "3"], ["--threads", "1000"]):
        saxpy("k.hko", *mode, *words, "--report", "t.json")
        threaded.append(json.loads((c.root / "t.json").read_text()))
        threaded[-1].pop("host")
    c.check(all(report == threaded[0] for report in threaded), f"{mode}: any number of threads, one report")
for wrong in ("0", "many", "-1", "1025"):
    c.expect(2, rf"--threads cannot be '{wrong}', expected a number from 1 to 1024", "run", "k.hko", "--threads", wrong)
saxpy("k.hko", "--functional", "--report", "f.json")
functional = json.loads((c.root / "f.json").read_text())
without_time = [functional["cycles"], functional["ipc"], *(functional["run"][name] for name in ("cycles", "issue_slots", "slots_used")), *functional["stall_cycles"].values()]
c.check(set(without_time) == {None} and functional["mode"] == "functional", f"the interpreter counts no time: {without_time}")
c.check(functional["warp_instructions"] == reports[0]["warp_instructions"], "the interpreter executes as many instructions")
saxpy("k.hko", "--report", "r.txt")
c.check("kernel    saxpy" in (c.root / "r.txt").read_text(), "text report")
result = c.run("run", "k.hko", *launch, "--report", "-")
c.check("kernel    saxpy" in result.out, "text report on standard output", result)
c.end()
