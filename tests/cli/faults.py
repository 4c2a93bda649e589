"""Programs at fault: exit status 1, a message that names kernel, source line, PC, thread and address, a report as far as it went, no outputs (RC-13, RC-17)."""
import json
import os
import pty
import signal
import subprocess

from harness import HEDDLE, Cases

KERNELS = """__kernel void outside(__global int *x)
{
	uint i = get_global_id(0);
	x[i * 3] = i;
}
__kernel void below(__global int *x)
{
	x[-1] += get_global_id(0);
}
__kernel void endless(__global volatile int *x)
{
	while (x[0] == 0)
		x[1] += 1;
}
__kernel void half_barrier(__global volatile int *x)
{
	while (get_local_id(0) >= 64 && x[127] == 0) ;
	barrier(CLK_LOCAL_MEM_FENCE);
	x[get_global_id(0)] = 1;
}
__kernel void stop(__global int *x)
{
	x[get_global_id(0)] = 1;
	if (get_global_id(0) == 70)
		__builtin_trap();
}
__kernel void shared(__local uchar *a, __local uchar *b, uint place, __global uint *out)
{
	a[0] = out[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	b[place] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[0] = a[0] + b[place];
}
__kernel void fixed(uint place, __global uint *out)
{
	__local uchar a[100];
	__local uchar *volatile b = a;
	b[place] = out[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[0] = b[place];
}
"""
c = Cases()
c.file("f.cl", KERNELS)
c.check(c.run("compile", "f.cl", "-o", "f.hko").status == 0, "compiles")
# Shared memory ends with the byte that was asked for, by the launch or by the kernel itself.
for mode in ([], ["--functional"], ["--functional", "--races"]):
    for size in (1, 4, 15, 16, 17, 100, 112):
        for place in (size - 1, size, size + 3, (size + 15) // 16 * 16 - 1, (size + 15) // 16 * 16):
            run = ["run", "f.hko", "--kernel", "shared", "--block", 1, "--arg", "local:20", "--arg", f"local:{size}", "--arg", f"u32:{place}", "--arg", "zero:u32:1", *mode]
            result = c.run(*run)
            c.check(result.status == (place >= size) and ("kernel 'shared'" in result.err and "shared memory" in result.err) == (place >= size), f"byte {place} of {size} {mode}", result)
    for place in (99, 100, 111):
        result = c.run("run", "f.hko", "--kernel", "fixed", "--block", 1, "--arg", f"u32:{place}", "--arg", "zero:u32:1", *mode)
        c.check(result.status == (place > 99), f"byte {place} of a kernel's own 100 {mode}", result)
for mode in ([], ["--functional"], ["--serial"]):
    source = "f.cl" if mode == ["--serial"] else "f.hko"

    def fault(pattern, kernel, *more):
        (c.root / "r.json").unlink(missing_ok=True)
        result = c.expect(1, pattern, "run", source, "--kernel", kernel, "--grid", 1, "--block", 128, "--arg", "out:x.npy:i32:128", "--report", "r.json", *mode, *more, absent=["x.npy"])
        report = json.loads((c.root / "r.json").read_text()) if (c.root / "r.json").exists() else {}
        c.check(report.get("result") not in (None, "done") and "error" in report.get("message", ""), "the report says how it ended", result)
        return result, report

    # x[i * 3]: thread 43 is the first beyond 128 elements.
    result, report = fault(r"^f.cl:4:\d+: error: kernel 'outside': .*0x[0-9a-f]+", "outside")
    c.check("argument 1, x (out:x.npy:i32:128)" in result.err, "names the buffer that was left", result)
    c.check("thread (43,0,0)" in result.err and "word 0x" in result.err, "names thread and PC", result)
    c.check(report.get("result") == "address", "in one word", result)
    fault(r"^f.cl:8:\d+: error: kernel 'below': .*0x[0-9a-f]+", "below")
    result, report = fault(r"^(f.cl:\d+:\d+: )?error: kernel 'endless': ", "endless", "--max-cycles", 20000)
    c.check(report.get("result") == "cycle_limit", "in one word", result)
    result, report = fault(r"error: kernel 'half_barrier': ", "half_barrier")
    c.check(report.get("result") == "deadlock", "in one word", result)
    c.check("barrier" in result.err and "warp 0" in result.err and "warp 3" in result.err and "livelock" in result.err, "names the warps that wait", result)
    result, report = fault(r"^f.cl:25:\d+: error: kernel 'stop': ", "stop")
    c.check("thread (70,0,0)" in result.err, "names the thread", result)

# Progress on a terminal, and Ctrl-C: it ends with the report so far, and without outputs.
terminal, other_end = pty.openpty()
(c.root / "r.json").unlink(missing_ok=True)
command = [HEDDLE, "run", "f.hko", "--kernel", "endless", "--grid", "2", "--block", "128", "--arg", "out:x.npy:i32:128", "--report", "r.json"]
process = subprocess.Popen(command, cwd=c.root, stderr=other_end, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
os.close(other_end)
seen = b""
while b" of 2 CTAs done" not in seen:
    seen += os.read(terminal, 1000)  # the suite's time limit ends this when nothing comes
process.send_signal(signal.SIGINT)
status = process.wait(timeout=60)
c.check(status == 130, f"expected exit status 130 after Ctrl-C, got {status}")
c.check(b"million cycles" in seen, f"progress says how far it is: {seen!r}")
report = json.loads((c.root / "r.json").read_text())
c.check(report["result"] == "interrupted" and report["cycles"] > 0, "the report so far")
c.check(not (c.root / "x.npy").exists(), "no output after Ctrl-C")
os.close(terminal)
c.end()
