"""Operations of the lanes that a mask names (.sync) gather these lanes from the branches in which they are, as from sm_70 on: generated kernels, whose lanes come to the same
steps by different branches and loops, with whole and partial masks, against a model of the steps; in all modes of divergence, timed and interpreted. What can't be met is reported."""
import json
import random
import re
import sys

from harness import Cases, values

WORD = 0xFFFFFFFF
KINDS = {  # the effect of a step on v, with the mask m, the lane f of the mask, and the lane t
    "shuffle": "v += __shfl_sync(m, v, f) * 3;",
    "down": "v ^= __shfl_down_sync(m, v, (f - t) & 31);",
    "up": "v ^= __shfl_up_sync(m, v, (t - f) & 31) + 1;",
    "across": "v -= __shfl_xor_sync(m, v, f ^ t);",
    "wide": "v += (unsigned)(__shfl_sync(m, v * 0x100000001ull, f) >> 32);",
    "ballot": "v = v * 5 + __ballot_sync(m, v & 4);",
    "any": "v = v * 3 + (__any_sync(m, (v & 7) == 3) ? 11 : 2);",
    "all": "v = v * 3 + (__all_sync(m, (v & 7) != 3) ? 11 : 2);",
    "uniform": 'asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, %2; selp.u32 %0, 9, 4, q;}" : "=r"(x) : "r"(v & 4), "r"(m)); v = v * 3 + x;',
    "match": "v = v * 7 + __match_any_sync(m, v & 3);",
    "match64": "v = v * 7 + __match_any_sync(m, (v & 1) * 0x500000003ull);",
    "agree": "v = v * 7 + __match_all_sync(m, v >> 31, &x) + x;",
    "sum": "v += __reduce_add_sync(m, v) * 2;",
    "least": "v = v * 3 + __reduce_min_sync(m, (int)v);",
    "store": "s[t] = v; __syncwarp(m); x = s[f]; __syncwarp(m); v += x * 9;",
}


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def step(kind, v, members, source):
    """The new v of each lane. members: the lanes with which each lane meets."""
    new = list(v)
    for t, met in members.items():
        of, own, mask = [v[i] for i in met], v[t], members[t]
        bits = lambda true: sum(1 << i for i in mask if true(v[i]))
        f = source[t]
        new[t] = {
            "shuffle": lambda: own + v[f] * 3,
            "down": lambda: own ^ v[f if f >= t else t],
            "up": lambda: own ^ (v[f if f <= t else t] + 1),
            "across": lambda: own - v[f],
            "wide": lambda: own + v[f],
            "ballot": lambda: own * 5 + bits(lambda x: x & 4),
            "any": lambda: own * 3 + (11 if any(x & 7 == 3 for x in of) else 2),
            "all": lambda: own * 3 + (11 if all(x & 7 != 3 for x in of) else 2),
            "uniform": lambda: own * 3 + (9 if len({x & 4 for x in of}) == 1 else 4),
            "match": lambda: own * 7 + bits(lambda x: x & 3 == own & 3),
            "match64": lambda: own * 7 + bits(lambda x: x & 1 == own & 1),
            "agree": lambda: own * 7 + (NAMED[t] + 1 if len({x >> 31 for x in of}) == 1 else 0),
            "sum": lambda: own + sum(of) * 2,
            "least": lambda: own * 3 + min(signed(x) for x in of),
            "store": lambda: own + v[f] * 9,
        }[kind]() & WORD
    return new


NAMED = {}


def generate(r, number):
    """A kernel, and the v of each lane when it ends."""
    ends = r.choice([32, 32, 29])  # lanes from there on return at once, though masks name them
    kinds = [r.choice(list(KINDS)) for _ in range(r.randint(2, 5))]
    sides = [f"{r.choice(['t & 1', 't < 16', 't % 3 == 0', 't > 21', '(t & 5) == 1', 't == 7'])}" for _ in range(r.randint(1, 3))]
    v = [(t * 2654435761 + number) & WORD for t in range(32)]
    masks, sources = [], []
    for k, kind in enumerate(kinds):
        parts = r.choice([lambda t: 0, lambda t: 0, lambda t: t & 1, lambda t: t // 8, lambda t: t % 5, lambda t: t < 5])
        named = {t: [i for i in range(32) if parts(i) == parts(t)] for t in range(32)}
        members = {t: [i for i in named[t] if i < ends] for t in range(ends)}
        source = [r.choice(members[t]) if t < ends else 0 for t in range(32)]
        NAMED.update({t: sum(1 << i for i in named[t]) for t in named})
        masks += [NAMED[t] for t in range(32)]
        sources += source
        for t in range(ends):
            for i in range((t * 7 + k) % 5):
                v[t] = (v[t] * 3 + i) & WORD
        v = step(kind, v, members, source)
    arms = []
    for _ in range(len(sides) + 1):
        steps = [f"m = mask{number}[k * 32 + t]; f = source{number}[k * 32 + t]; for (unsigned i = 0; i < (t * 7 + k) % 5; i++) v = v * 3 + i; {KINDS[kind]}" for kind in kinds]
        if r.random() < 0.5:
            arms.append("\n".join(f"{{ const unsigned k = {k}; {text} }}" for k, text in enumerate(steps)))
        else:
            cases = "\n".join(f"case {k}: {text} break;" for k, text in enumerate(steps))
            arms.append(f"\n#pragma unroll 1\nfor (unsigned k = 0; k < {len(kinds)}; k++) switch (k) {{ {cases} }}")
    body = arms[-1]
    for condition, arm in zip(sides, arms):
        body = f"if ({condition}) {{ {arm}\n}} else {{\n{body}\n}}"
    tables = "".join(f"__device__ const unsigned {name}{number}[] = {{{', '.join(map(str, table))}}};\n" for name, table in (("mask", masks), ("source", sources)))
    text = f"""{tables}extern "C" __global__ void k{number}(unsigned *out)
{{
	__shared__ volatile unsigned s[32];
	unsigned t = threadIdx.x, v = t * 2654435761u + {number}, m, f;
	int x;
	if (t >= {ends})
		return;
{body}
	out[t] = v;
}}
"""
    return text, [v[t] if t < ends else 0 for t in range(32)]


KERNELS = int(sys.argv[2]) if len(sys.argv) > 2 else 12
c = Cases()
made = [generate(random.Random(seed), seed) for seed in range(KERNELS)]
c.file("k.cu", "".join(text for text, _ in made))
result = c.run("compile", "k.cu", "--emit", "ptx", "-o", "k.ptx", timeout=120)
c.check(result.status == 0, "clang compiles", result)
REFUSED = "with the stack one side of a branch ends before the other begins; divergence.mode = barriers or resume"
for settings in ([], ["divergence.membership=range"], ["divergence.minrc=false"], ["compile.layout=random"], ["divergence.mode=barriers"], ["divergence.mode=stack"],
                 ["divergence.mode=stack", "divergence.pop=flag"]):
    more = [word for setting in settings for word in ("--set", setting)]
    stack = "divergence.mode=stack" in settings
    result = c.run("compile", "k.ptx", "-o", "k.hko", *more, timeout=120)
    c.check(result.status == 0, f"{settings}: compiles", result)
    c.expect(0, "", "check", "k.hko", *more)
    refused = 0
    for number, (_, want) in enumerate(made):
        for how in ([], ["--functional"]):
            result = c.run("run", "k.hko", "--kernel", f"k{number}", "--block", 32, "--arg", "out:o.npy:u32:32", *more, *how)
            refused += REFUSED in result.err
            if not (stack and not how and REFUSED in result.err):
                c.check(result.status == 0 and values(c.root / "o.npy") == want, f"k{number} {settings} {how}: every lane has its value", result)
    c.check(refused <= KERNELS * stack, f"{settings}: {refused} refused")

# The same without any annotation but waits.
for mode in ("resume", "barriers"):
    for number, (_, want) in list(enumerate(made))[:3]:
        result = c.run("run", "k.ptx", "--kernel", f"k{number}", "--serial", "--block", 32, "--arg", "out:o.npy:u32:32", "--set", f"divergence.mode={mode}", timeout=120)
        c.check(result.status == 0 and values(c.root / "o.npy") == want, f"k{number} --serial, {mode}: every lane has its value", result)

# Masks that can't be met: a named lane waits elsewhere, for lanes that wait for it with another mask.
c.file("u.cu", """extern "C" __global__ void unmet(unsigned *out)
{
	unsigned t = threadIdx.x;
	if (t < 8)
		out[t] = __shfl_sync(~0u, t, 9);
	else
		out[t] = __shfl_sync(0xffffff01u, t, 10);
}
""")
for mode in ("resume", "barriers"):
    for how in ([], ["--functional"]):
        result = c.expect(1, "kernel 'unmet': deadlock", "run", "u.cu", "--kernel", "unmet", "--block", 32, "--arg", "out:o.npy:u32:32", "--set", f"divergence.mode={mode}", *how)
        for text in ("lanes 0x000000ff wait before word", "for lanes 0xffffff00 of their mask 0xffffffff", "for lanes 0x00000001 of their mask 0xffffff01"):
            c.check(text in result.err, f"unmet, {mode} {how}: says '{text}'", result)
# Lanes wait in the function that gathers them: the code of another kernel is proven as without it.
c.file("two.cu", open(c.root / "u.cu").read() + """extern "C" __global__ void plain(unsigned *out)
{
	unsigned t = threadIdx.x;
	if (t < 8)
		out[t] = __ballot_sync(0xff, t & 1);
	out[t + 32] = 1;
}
""")
c.expect(0, "", "compile", "two.cu", "-o", "two.hko")
c.expect(0, "", "check", "two.hko")
# Lanes that end while others wait for them are waited for no more.
c.file("e.cu", """extern "C" __global__ void ends(unsigned *out, unsigned turns)
{
	unsigned t = threadIdx.x, x = t;
	if (t < 8) {
		out[t] = __ballot_sync(~0u, 1);
	} else if (t < 24) {
		out[t] = __ballot_sync(~0u, t & 1);
	} else {
		for (unsigned i = 0; i < turns; i++)
			x = x * 5 + out[i & 7];
		out[t] = x;
	}
}
""")
for mode in ("resume", "barriers"):
    for how in ([], ["--functional"]):
        result = c.run("run", "e.cu", "--kernel", "ends", "--block", 32, "--arg", "out:o.npy:u32:32", "--arg", "u32:0", "--set", f"divergence.mode={mode}", *how)
        c.check(result.status == 0 and values(c.root / "o.npy") == [0xAAAAFF] * 24 + list(range(24, 32)), f"ends, {mode} {how}", result)

# Lanes that spin for what others will write behind their meeting: a deadlock in every mode, which names who waits for whom and promises nothing of other modes.
# And lanes that come first show where they wait, in the traces of a run and in the page of the explorer.
c.file("w.cu", """extern "C" __global__ void spins(unsigned *out)
{
	unsigned t = threadIdx.x;
	if (t < 8) {
		t = __shfl_sync(~0u, t, 9);
	} else {
		while (*(volatile unsigned *)&out[40] == 0)
			;
		t = __shfl_sync(~0u, t, 3);
	}
	*(volatile unsigned *)&out[40] = 1;
	out[t] = t;
}
extern "C" __global__ void meets(unsigned *out)
{
	unsigned t = threadIdx.x, x = t;
	if (t < 8) {
		for (unsigned i = 0; i < out[40] + 40; i++)
			x = x * 5 + i;
		out[t] = __shfl_sync(~0u, x, 9);
	} else
		out[t] = __shfl_sync(~0u, x, 3) + 1;
}
""")
for mode in ("resume", "barriers"):
    for how in ([], ["--serial"], ["--functional"]):
        more = ["--set", "compile.layout=random"] if mode == "resume" else []  # here the lanes that spin have the higher address
        result = c.expect(1, "kernel 'spins': deadlock", "run", "w.cu", "--kernel", "spins", "--block", 32, "--arg", "zero:u32:64", "--set", f"divergence.mode={mode}", *more, *how, timeout=120)
        who = ["lanes 0x000000ff wait"] if how == ["--functional"] else ["lanes 0x000000ff wait before word", "for lanes 0xffffff00 of their mask 0xffffffff, which do not come"]
        for text in ["livelock", *who]:
            c.check(text in result.err, f"spins, {mode} {how}: says '{text}'", result)
        c.check("take turns" not in result.err or (mode, how) == ("barriers", ["--functional"]), f"spins, {mode} {how}: another mode is no help", result)
    c.expect(0, "", "run", "w.cu", "--kernel", "meets", "--block", 32, "--arg", "zero:u32:64", "--set", f"divergence.mode={mode}", "--quiet", "--trace", "perfetto:t.json", "--trace",
             "vcd:t.vcd", "--explore", "e.html", timeout=120)
    flows = [e["args"]["waiting"] for e in json.loads((c.root / "t.json").read_text())["traceEvents"] if e.get("cat") == "flow"]
    apart = [w for w in flows if "ffffff00" in w.values() or "000000ff" in w.values()]
    c.check(apart and not flows[-1], f"meets, {mode}: the trace shows where lanes wait, and that they go on: {flows}")
    codes = dict(reversed(pair) for pair in re.findall(r"^[$]var wire 32 (\S+) (lane\d\d) ", (c.root / "t.vcd").read_text().split("warp01")[0], re.M))
    seen = {lane: set(re.findall(rf"^b([01]+) {re.escape(code)}$", (c.root / "t.vcd").read_text(), re.M)) for lane, code in codes.items()}
    c.check(len(seen) == 32 and any(len(addresses - {"1" * 32}) > 0 for addresses in seen.values()), f"meets, {mode}: the wires of lanes: {seen}")
    c.check("<title>Heddle: w.cu" in (c.root / "e.html").read_text(), f"meets, {mode}: the page")

# Inside of a subroutine: lanes that have made another call come with convergence barriers alone, and the others say so. Accesses of two branches are ordered by __syncwarp.
c.file("s.cu", """__device__ __attribute__((noinline)) unsigned f(unsigned v)
{
	unsigned x = __shfl_xor_sync(~0u, v, 16);
	return x * 3 + __shfl_xor_sync(~0u, x, 1);
}
extern "C" __global__ void calls(unsigned *out)
{
	unsigned t = threadIdx.x;
	if (t & 1)
		out[t] = f(t * 7);
	else
		out[t] = f(t + 5) * 2;
}
extern "C" __global__ void ordered(unsigned *out)
{
	__shared__ unsigned s[32];
	unsigned t = threadIdx.x;
	if (t < 16) {
		s[t] = t * 3;
		__syncwarp();
		out[t] = s[31 - t];
	} else {
		s[t] = t * 5;
		__syncwarp();
		out[t] = s[31 - t] + 1;
	}
}
extern "C" __global__ void unordered(unsigned *out)
{
	__shared__ unsigned s[32];
	unsigned t = threadIdx.x;
	if (t < 16) {
		s[t] = t * 3;
		out[t] = __shfl_xor_sync(~0u, t * t, 16) + s[31 - t];
	} else {
		s[t] = t * 5;
		out[t] = __shfl_xor_sync(~0u, t + 7, 16) * 3 + s[31 - t];
	}
}
""")
given = [t * 7 if t & 1 else t + 5 for t in range(32)]
want = [(given[t ^ 16] * 3 + given[t ^ 17]) * (1 if t & 1 else 2) for t in range(32)]
for mode in ("resume", "barriers", "stack"):
    result = c.run("run", "s.cu", "--kernel", "calls", "--block", 32, "--arg", "out:o.npy:u32:32", "--set", f"divergence.mode={mode}")
    good = result.status == 0 and values(c.root / "o.npy") == want if mode == "barriers" else result.status == 1 and "divergence.mode = barriers" in result.err
    c.check(good, f"calls, {mode}: meet, or say where they would", result)
for kernel, status in (("ordered", 0), ("unordered", 1)):
    result = c.run("run", "s.cu", "--kernel", kernel, "--block", 32, "--arg", "out:o.npy:u32:32", "--functional", "--races")
    c.check(result.status == status and ("race" in result.err) == (status == 1), f"{kernel}: races", result)
c.end()
