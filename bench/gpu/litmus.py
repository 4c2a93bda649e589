#!/usr/bin/env python3
"""Litmus tests on a GPU (docs/validation.md): the tests of tests/litmus, all their outcomes counted.

    litmus.py make TESTS.jsonl FOLDER [SHAPE...]     PTX of the tests that heddle-gpu-litmus-tests lists, a file for each shape
    litmus.py run FOLDER TESTS.jsonl OUT.json [--launches N] [--seconds S] [SHAPE...]

A launch has many copies of a test. The threads of one copy are in different CTAs, or in different warps of one CTA; the CTAs of a role run side by
side. Each thread does its role of 16 copies, one after the other: places, delays, warm first caches and stress by further CTAs differ between launches.
FOLDER also needs classify.cubin (classify.cu)."""
import argparse
import json
import os
import re
import sys
import time

ROUNDS, THREADS, CTAS = 16, 256, 264  # copies of each thread; threads of a CTA; CTAs of the test (as many again may stress)
MEMBAR = {"cta": "cta", "gpu": "gl", "sys": "sys"}


def read_tests(path, shapes):
    with open(path, encoding="utf-8") as file:
        tests = [json.loads(line) for line in file]
    for number, test in enumerate(tests):
        test["number"] = number
    return [test for test in tests if not shapes or test["shape"] in shapes]


def access(a):
    kind, strength, scope, location, value, depends, register = a
    word = {"weak": "", "cg": "", "volatile": ".volatile", "relaxed": ".relaxed", "relaxed.sys": ".relaxed", "atomic": ".relaxed", "acq_rel": ".acq_rel"}.get(strength)
    if word is None:
        word = ".acquire" if kind == "load" else ".release"
    scoped = strength not in ("weak", "cg", "volatile")
    words = f"{word}{'.' + scope if scoped else ''}.global{'.cg' if strength == 'cg' else ''}"
    atomic = strength in ("atomic", "half", "acq_rel")
    r = f"%r{register}" if register >= 0 else "%none"
    if kind == "load":
        return f"atom{words}.or.b32 {r}, [%at{location}], 0;" if atomic else f"ld{words}.u32 {r}, [%at{location}];"
    if kind == "add":
        return f"atom{words}.add.u32 {r}, [%at{location}], 1;"
    if kind == "exchange":
        return f"atom{words}.exch.b32 {r}, [%at{location}], {value};"
    return f"atom{words}.exch.b32 %none, [%at{location}], %v;" if atomic else f"st{words}.u32 [%at{location}], %v;"


def fence(test, thread):
    kind = test["fence"]
    if kind == "mixed":
        kind = "acq_rel" if thread % 2 else "sc"
    if not kind:
        return ""
    return f"membar.{MEMBAR[test['scope']]};" if kind == "membar" else f"fence.{kind}.{test['scope']};"


def role(test, number):
    """One thread's accesses. The delay comes before the first; what a store writes is ready before, unless it depends on a load."""
    out, before = [], -1
    for i, a in enumerate(test["threads"][number]):
        if i and fence(test, number):
            out.append(fence(test, number))
        if a[0] == "store":
            if a[5] and before >= 0:
                out.append(f"and.b32 %v, %r{before}, %zero;\nadd.u32 %v, %v, {a[4]};")
            else:
                out.append(f"add.u32 %v, %zero, {a[4]};")
        out.append(access(a))
        before = a[6] if a[6] >= 0 else before
    stores = [f"st.global.u32 [%results+{4 * a[6]}], %r{a[6]};" for a in test["threads"][number] if a[6] >= 0]
    return "\n".join(out + stores)


KERNEL = """.visible .entry t{number}(.param .u64 memory, .param .u64 results, .param .u32 slot, .param .u32 bits, .param .u32 nothing, .param .u64 gate)
{{
.reg .b32 %r<6>, %v, %none, %zero, %w, %a, %b, %c, %me, %cta, %copy, %role, %rounds, %slot, %bits, %seed, %n<4>;
.reg .b64 %memory, %results, %at<3>, %x, %gate;
.reg .pred %p, %q;
ld.param.u64 %memory, [memory]; ld.param.u32 %slot, [slot]; ld.param.u32 %bits, [bits]; ld.param.u32 %zero, [nothing]; ld.param.u64 %gate, [gate];
mov.u32 %me, %tid.x; mov.u32 %cta, %ctaid.x;
setp.ge.u32 %p, %cta, {ctas};
@%p bra STRESS;
// all CTAs begin together, if they are all there soon enough
setp.ne.u32 %p, %me, 0;
@%p bra GO;
atom.relaxed.gpu.global.add.u32 %a, [%gate], 1;
mov.u32 %b, 20000;
KNOCK:
ld.relaxed.gpu.global.u32 %a, [%gate];
setp.ge.u32 %p, %a, {ctas};
sub.u32 %b, %b, 1;
setp.eq.u32 %q, %b, 0;
or.pred %p, %p, %q;
@!%p bra KNOCK;
GO:
bar.sync 0;
{who}
mad.lo.u32 %seed, %copy, 0x9e3779b1, %bits;
mov.u32 %rounds, 0;
ROUND:
// the places of this copy: x, y, z in thirds of the memory
mad.lo.u32 %a, %rounds, {copies}, %copy;
mul.lo.u32 %b, %a, %slot;
mul.wide.u32 %x, %b, 4;
add.u64 %at0, %memory, %x;
mul.wide.u32 %x, %slot, {third};
add.u64 %at1, %at0, %x;
add.u64 %at2, %at1, %x;
mul.wide.u32 %x, %a, 32;
ld.param.u64 %results, [results];
add.u64 %results, %results, %x;
// sometimes a warm first cache
mad.lo.u32 %seed, %seed, 1664525, 1013904223;
shr.u32 %c, %seed, 8;
and.b32 %b, %bits, %c;
and.b32 %b, %b, 1;
setp.eq.u32 %p, %b, 0;
mov.u32 %n0, 0; mov.u32 %n1, 0; mov.u32 %n2, 0;
@%p bra COLD;
{warm}
COLD:
add.u32 %w, %n0, %n1; add.u32 %w, %w, %n2; and.b32 %w, %w, %zero;
// a delay of up to 63 * 8 cycles; the clock keeps the compiler from leaving it out
shr.u32 %b, %bits, 1; and.b32 %b, %b, 63; shr.u32 %c, %seed, 16; and.b32 %b, %b, %c; shl.b32 %b, %b, 3; add.u32 %w, %w, %b;
mov.u32 %a, %clock;
WAIT:
mov.u32 %b, %clock; sub.u32 %b, %b, %a;
setp.lt.u32 %p, %b, %w;
@%p bra WAIT;
{roles}
NEXT:
add.u32 %rounds, %rounds, 1;
setp.lt.u32 %p, %rounds, {rounds};
@%p bra ROUND;
ret;
STRESS:
// further CTAs store and load in a MiB behind the places
mul.wide.u32 %x, %slot, {behind};
add.u64 %at0, %memory, %x;
mov.u32 %w, 400;
AGAIN:
mad.lo.u32 %me, %me, 1664525, 1013904223;
shr.u32 %a, %me, 14; and.b32 %a, %a, 0x3ffff;
mul.wide.u32 %x, %a, 4; add.u64 %at1, %at0, %x;
st.global.u32 [%at1], %me;
ld.volatile.global.u32 %b, [%at1+128];
add.u32 %me, %me, %b;
sub.u32 %w, %w, 1;
setp.ne.u32 %p, %w, 0;
@%p bra AGAIN;
ret;
}}
"""


def copies_of(test):
    """Copies of a test of which each thread does one at a time."""
    n = len(test["threads"])
    return CTAS // n * THREADS if test["apart"] else CTAS * (THREADS // 32 // n) * 32


def kernel(test):
    n, apart, copies = len(test["threads"]), test["apart"], copies_of(test)
    if apart:  # a CTA has one role
        who = (f"rem.u32 %role, %cta, {n};\ndiv.u32 %copy, %cta, {n};\nmad.lo.u32 %copy, %copy, {THREADS}, %me;\nsetp.ge.u32 %p, %cta, {CTAS // n * n};\n@%p ret;")
    else:  # a warp has one role
        warps = THREADS // 32 // n
        who = (f"shr.u32 %a, %me, 5;\nrem.u32 %role, %a, {n};\ndiv.u32 %b, %a, {n};\nsetp.ge.u32 %p, %b, {warps};\n@%p ret;\nand.b32 %c, %me, 31;\n"
               f"mad.lo.u32 %copy, %cta, {warps}, %b;\nmad.lo.u32 %copy, %copy, 32, %c;")
    warm = "\n".join(f"ld.global.u32 %n{i}, [%at{i}];" for i in range(test["locations"]))
    parts = []
    for i in range(n):
        parts.append(f"ROLE{i}:\nsetp.ne.u32 %p, %role, {i};\n@%p bra ROLE{i + 1};\n{role(test, i)}\nbra NEXT;")
    parts.append(f"ROLE{n}:")
    return KERNEL.format(number=test["number"], ctas=CTAS, who=who, copies=copies, third=4 * copies * ROUNDS, behind=12 * copies * ROUNDS, warm=warm, roles="\n".join(parts), rounds=ROUNDS)

def counted(data):
    """The words of a histogram that are not zero, by place."""
    found = {}
    for start in range(0, len(data), 1024):
        chunk = data[start:start + 1024]
        if chunk.strip(b"\0"):
            found.update({start // 4 + i: n for i, n in enumerate(memoryview(chunk).cast("I")) if n})
    return found


def mark(tests):
    for test in tests:
        test["apart"] = test["place"] == "apart"
    return tests


def make(path, folder, shapes):
    os.makedirs(folder, exist_ok=True)
    tests = mark(read_tests(path, shapes))
    for shape in dict.fromkeys(test["shape"] for test in tests):
        with open(f"{folder}/{name_of(shape)}.ptx", "w", encoding="utf-8") as file:
            file.write(".version 8.0\n.target sm_90\n.address_size 64\n")
            for test in tests:
                if test["shape"] == shape:
                    file.write(kernel(test))


def name_of(shape):
    return re.sub(r"\W", "_", shape)


# Slots of a location in words; bits: 1 warms, the others bound the delay; stress: further CTAs.
SETTINGS = [(1, 0, 0), (1, 1, 0), (8, 1, CTAS), (32, 0, 0), (32, 1, 0), (32, 127, CTAS), (8, 63, 0), (32, 31, CTAS), (1, 127, CTAS), (32, 15, 0)]


def run(folder, path, out, launches, seconds, shapes):
    import driver
    gpu = driver.Gpu()
    tests = mark(read_tests(path, shapes))
    classify_module = gpu.module(open(f"{folder}/classify.cubin", "rb").read())
    classify = gpu.function(classify_module, "classify")
    most = max(copies_of(test) for test in tests) * ROUNDS
    memory, results, histogram, gate = gpu.alloc(most * 32 * 4 * 3 + (2 << 20)), gpu.alloc(most * 32), gpu.alloc(4 << 16), gpu.alloc(256)
    found = {"card": driver.card(gpu), "command": " ".join(sys.argv), "settings": SETTINGS, "tests": []}
    begin, done = time.monotonic(), True
    for shape in dict.fromkeys(test["shape"] for test in tests):
        if time.monotonic() - begin > seconds:
            done = False
            break
        module = gpu.module(open(f"{folder}/{name_of(shape)}.cubin", "rb").read())
        for test in (t for t in tests if t["shape"] == shape):
            function, copies = gpu.function(module, f"t{test['number']}"), copies_of(test) * ROUNDS
            gpu.fill(histogram, 0, 1 << 16)
            for launch in range(launches):
                slot, bits, stress = SETTINGS[launch % len(SETTINGS)]
                gpu.fill(memory, 0, copies * slot * 3)
                gpu.fill(gate, 0, 1)
                gpu.launch(function, CTAS + stress, THREADS, [driver.u64(memory), driver.u64(results), driver.u32(slot), driver.u32(bits | launch << 8), driver.u32(0), driver.u64(gate)])
                gpu.launch(classify, 512, 256, [driver.u64(memory), driver.u64(results), driver.u32(slot), driver.u32(copies), driver.u32(test["registers"]),
                                                driver.u32(test["locations"]), driver.u64(histogram)])
            counts = counted(gpu.read(histogram, 4 << 16))
            allowed = set(test["allowed"])
            found["tests"].append({"test": test["number"], "shape": shape, "form": test["form"], "scope": test["scope"], "place": test["place"], "copies": copies * launches,
                                   "shape_seen": sum(n for o, n in counts.items() if o & test["mask"] == test["wanted"]),
                                   "shape_allowed": any(o & test["mask"] == test["wanted"] for o in allowed),
                                   "forbidden": {o: n for o, n in counts.items() if o not in allowed}, "outcomes": counts})
        gpu.unload(module)
        found["seconds"], found["complete"] = time.monotonic() - begin, done
    driver.save(out, found)
    print(f"{len(found['tests'])} tests, {found['seconds']:.1f} s, complete {done}; forbidden outcomes in {sum(1 for t in found['tests'] if t['forbidden'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("make", "run"))
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--launches", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    if options.mode == "make":
        make(options.paths[0], options.paths[1], options.paths[2:])
    else:
        run(*options.paths[:3], options.launches, options.seconds, options.paths[3:])


if __name__ == "__main__":
    main()
