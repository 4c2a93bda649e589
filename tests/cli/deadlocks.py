"""Threads that can never go on are reported, with their places and source lines, in bounded time, by the interpreter and by the machine (RC-17): barriers, flags
within a warp, between warps and between CTAs. A program that only takes long is not. Which of two hand-written spin locks goes on with resume counters and with
the stack (cli/spin_locks has compiled ones)."""
import json

from harness import SOURCE, Cases, values

KERNELS = """__kernel void flag(__global volatile uint *mutex, __global uint *out)
{
	if (get_local_id(0) % 32)
		while (mutex[0] == 0)
			;
	else
		mutex[0] = 1;
}
__kernel void back_off(__global volatile uint *mutex, __global uint *out)
{
	uint wait = 1;
	if (get_local_id(0) % 32) {
		while (mutex[0] == 0) {
			for (uint i = 0; i < wait; i++)
				(void)mutex[0];
			wait = wait < 16 ? wait * 2 : 1;
		}
	} else
		mutex[0] = 1;
}
__kernel void barrier_of_some(__global volatile uint *mutex, __global uint *out)
{
	if (get_local_id(0) < 32)
		barrier(CLK_LOCAL_MEM_FENCE);
	else
		while (mutex[0] == 0)
			;
	mutex[0] = 1;
}
__kernel void barrier_of_half(__global volatile uint *mutex, __global uint *out)
{
	if (get_local_id(0) < 16)
		barrier(CLK_LOCAL_MEM_FENCE);
	else
		while (mutex[0] == 0)
			;
	mutex[0] = 1;
}
__kernel void later_group(__global volatile uint *mutex, __global uint *out)
{
	if (get_group_id(0) == get_num_groups(0) - 1)
		mutex[0] = 1;
	while (mutex[0] == 0)
		;
	out[get_local_id(0)] = 1;
}
__kernel void early_end(__global volatile uint *mutex, __global uint *out)
{
	if (get_local_id(0) >= 32)
		return;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = 1;
}
uint work(uint x)
{
	for (uint i = 0; i < 20000; i++)
		x = x * 1664525u + 1013904223u;
	return x | 1;
}
__kernel void long_work(__global volatile uint *mutex, __global uint *out) { out[get_local_id(0)] = work(7) & 1; }
__kernel void long_wait(__global volatile uint *mutex, __global uint *out)
{
	if (get_local_id(0) < 32)
		mutex[0] = work(get_local_id(0) & mutex[0]);
	while (mutex[0] == 0)
		;
	out[get_local_id(0)] = 1;
}
__kernel void meet(__global volatile uint *mutex, __global uint *out)
{
	while (mutex[0] == 0)
		barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void meet_often(__global volatile uint *mutex, __global uint *out)
{
	for (uint i = 0; i < 3000; i++)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = 1;
}
"""
# A lock, twice: only the place of the critical section differs, behind the loop that takes the lock or before it. The stack's lanes meet behind the loop, wherever that is.
START = """.config "heddle"
.counters 6
.literal 0x00000001
.kernel "lock"
.entry start
.registers 9
.param_bytes 16
.param "mutex", 0, 8, 8, pointer, global
.param "out", 8, 8, 8, pointer, global
.ss
.function "lock"
start:	mov64 r2:r3, c[0x40]
	mov64 r0:r1, c[0x48]
	movi r4, 0x00000001  {p1.w}
"""
SPIN = """spin:	casg.32 r5, [r2:r3], rz, r4  {p5.w w100000}
	isetp.ne p0, r5, rz  {p2.w w000010}
"""
WORK = """work:	sync
	ldg.32.cv r6, [r0:r1]  {p6.w}
	iadd r7, r6, #1  {p3.w w000001}
	stg.32 [r0:r1], r7  {p5.w w001000}
	atomg.exch.u32 r8, [r2:r3], rz  {p6.w w000010}
	exit  {w000001}
"""
LOCKS = {
    "behind": START + SPIN + "\tpush work\n\t@p0 bra spin  {w010000}\n" + WORK + ".end\n",
    "before": START + "\tbra spin  {w100000}\n" + WORK + SPIN + "\tpush work\n\t@!p0 bra work  {w010000}\n\tbra spin\n.end\n",
}

# A barrier for 64 threads, of which 32 have ended: they are not waited for at a barrier of the whole CTA alone.
COUNTED = """.version 7.0
.target sm_70
.address_size 64
.visible .entry counted(.param .u64 out) { .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32;
@%p1 ret;
bar.sync 1, 64;
ret; }
"""

c = Cases()
c.file("k.cl", KERNELS)
c.file("counted.ptx", COUNTED)


def run(kernel, *more):
    return ["run", "k.hko", "--kernel", kernel, *arguments, *more]


arguments = ["--arg", "out:m.npy:u32:1", "--arg", "out:o.npy:u32:64"]
for more in ([], ["--functional"], ["--set", "divergence.mode=stack"], ["--config", "baseline"]):
    result = c.run("compile", "k.cl", "-o", "k.hko", *[word for word in more if word != "--functional"])
    c.check(result.status == 0, "compiles", result)

    def stuck(kernel, block, *texts, grid=1, options=()):
        result = c.expect(1, rf"kernel '{kernel}': deadlock: no warp can go on", *run(kernel, "--grid", grid, "--block", block, *more, *options), timeout=60)
        for text in texts:
            c.check(text in result.err, f"{kernel} {more}: says '{text}'", result)
        return result

    def ends(kernel, block, n, *options, grid=1):
        result = c.run(*run(kernel, "--grid", grid, "--block", block, *more, *options), timeout=60)
        c.check(result.status == 0 and values(c.root / "o.npy")[:n] == [1] * n, f"{kernel} {more}: goes on", result)

    holder = "lanes 0x00000001 wait for them at word" if more == ["--functional"] else "lanes 0x00000001 wait to resume at word"
    stuck("flag", 32, "livelock", holder, "with divergence.mode = barriers", "k.cl:4")
    stuck("flag", 64, "livelock", "warp 0", "warp 1")
    stuck("back_off", 32, holder, "k.cl:14")  # the period is made of many turns
    stuck("barrier_of_some", 64, "waits at barrier 0", "k.cl:24", "k.cl:26")
    ends("early_end", 64, 32)  # who has ended is not waited for
    result = c.expect(1, "kernel 'counted': deadlock", "run", "counted.ptx", "--block", 64, "--arg", "zero:u32:1", *more)
    texts = ["1 of 2 warps there", "warp 1 has ended"] if more == ["--functional"] else ["barrier 1 of CTA (0,0,0): arrived 0 of 2 warps; ended without coming 1"]
    for text in [*texts, "counted.ptx:6"]:
        c.check(text in result.err, f"counted {more}: says '{text}'", result)
    ends("long_work", 32, 32)  # a loop that counts is no livelock, however long it takes
    stuck("meet", 64, "livelock", "warp 0", "warp 1")  # to pass a barrier is no progress by itself
    ends("meet_often", 64, 64)
    ends("long_wait", 64, 64)  # nor is waiting for somebody who works
    if more != ["--functional"]:  # there CTAs run one after the other
        ends("later_group", 32, 32, grid=4)
        stuck("later_group", 32, "livelock", "k.cl:43", grid=4000)  # the last CTA cannot start before one of these ends

# The lanes at the lowest address run, so that the holder of the lock goes on only where its work stands before the loop; with the stack it never does (docs/divergence.md).
for place, mode, goes_on in (("behind", "resume", False), ("behind", "stack", False), ("before", "resume", True), ("before", "stack", False)):
    c.file("lock.hasm", LOCKS[place])
    result = c.run("asm", "lock.hasm", "-o", "lock.hko")
    c.check(result.status == 0, "assembles", result)
    for more in ([], ["--functional"]) if mode == "resume" else ([],):
        result = c.run("run", "lock.hko", "--kernel", "lock", "--block", 32, *arguments, "--set", f"divergence.mode={mode}", *more)
        c.check(result.status == (0 if goes_on else 1) and ("livelock" in result.err) != goes_on, f"the critical section {place} the loop, {mode} {more}", result)
        c.check(not goes_on or values(c.root / "o.npy")[0] == 32, "every lane had the lock", result)
# With convergence barriers lanes that yield go on in turn, and lanes that wait for them do not wait for ever.
c.file("flags.cl", """__kernel void flag(__global volatile uint *turn, __global volatile uint *out)
{
	if (get_local_id(0) != 31) {
		while (*turn == 0)
			;
		out[get_local_id(0)] = 2;
	} else {
		out[get_local_id(0)] = 1;
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		*turn = 1;
	}
}
__kernel void local_flag(__global volatile uint *turn, __global volatile uint *out)
{
	__local volatile uint set;
	set = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) != 31)
		while (set == 0)
			;
	else
		set = 1;
	out[get_local_id(0)] = 2 - get_local_id(0) / 31;
}
""")
WANT = {"flag": [2] * 31 + [1], "local_flag": [2] * 31 + [1]}
for mode, kernel in ((mode, kernel) for mode in ("stack", "barriers") for kernel in WANT):
    result = c.run("run", "flags.cl", "--kernel", kernel, "--block", 32, "--arg", "zero:u32:1", "--arg", "out:o.npy:u32:32", "--set", f"divergence.mode={mode}", timeout=60)
    if mode == "barriers":
        c.check(result.status == 0 and values(c.root / "o.npy") == WANT[kernel], f"{kernel}: lanes of one warp go on one after the other", result)
    else:
        c.check(result.status == 1 and "with divergence.mode = barriers" in result.err, f"{kernel}: with the stack the lane that sets the flag waits for the others for ever", result)
# The lanes at a barrier of the CTA wait for the others of their warp, as threads do on Volta (RC-17). The report names both.
result = c.expect(1, "kernel 'barrier_of_half': deadlock: no warp can go on", "run", "k.cl", "--kernel", "barrier_of_half", "--grid", 1, "--block", 32, "--set", "divergence.mode=barriers", *arguments, timeout=60)
for text in ("livelock", "lanes 0x0000ffff wait to resume at word", "active lanes 0xffff0000", "k.cl:33", "k.cl:35"):
    c.check(text in result.err, f"gathered lanes: says '{text}'", result)
# An observer changes nothing: a run whose queues wait for each other (HZ-15) ends in the same cycle, with the same counters. With lines of `plain` some
# results wait to be written when it ends.
LAUNCH = ["--kernel", "matmul_tiled", "--grid", "2,2", "--block", "16,16", *["--arg", "zero:f32:1024"] * 3, *["--arg", "u32:32"] * 3]
for geometry in ("line", "plain"):
    machine = ["--config", "fence", "--set", "multi_issue.window=3", "--set", "fence.wait_counters=false", "--set", f"predecode.geometry={geometry}"]
    c.run("compile", SOURCE / "examples/matmul/matmul.cl", "-o", "m.hko", *machine)
    alone = {}
    for observer, clusters in ((observer, clusters) for observer in ([], ["--explore", "x.html"], ["--trace", "stages:t"]) for clusters in (1, 3)):
        result = c.run("run", "m.hko", *LAUNCH, *machine, "--set", f"machine.clusters={clusters}", "--report", "r.json", *observer, timeout=20)
        c.check(result.status == 1 and "deadlock" in result.err, f"{observer}, {geometry}: a deadlock ends", result)
        report = json.loads((c.root / "r.json").read_text())
        counters = {key: value for key, value in report.items() if key != "host"}
        c.check(alone.setdefault(clusters, counters) == counters, f"{observer}, {clusters} clusters, {geometry}: a deadlocked run has the counters that it has alone")
c.end()
