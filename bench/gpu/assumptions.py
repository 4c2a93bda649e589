#!/usr/bin/env python3
"""Probes of the assumptions of `heddle check` (src/sass/assumptions.def) and of what it takes a stall and a counter to mean (pending.h, S1 to S4).

    assumptions.py TEMPLATE.cubin OUT [--cycles]     images for run_probes.py: those that count wrong answers, or those that count cycles

A probe has modes in place of distances: 0, nothing orders the two accesses, so that the count says whether the probe can notice; 1, what the assumption
allows; 2, each access waits for a counter of its own, which must give no wrong answer. Calibrations count cycles instead of wrong answers."""
import sys

from probes import (BASE, DNEG0, DONE, GLOBAL, LANE, O, ONE, SEED, SHARED, TABLE, TRUE, UO, UV, UX, V, X, Y, Z, Probe, compare, imm, loop, mov, old, text_of, values, write)
from words import PT, RZ, constant, depbar, field, ins

FAR, CONFLICT, OTHER = 82, 84, 88  # registers: a far address (pair), an address that conflicts, results that nobody reads
REGION = 0x3000  # of shared memory, for accesses with conflicts


def bank(c):
    """An address of shared memory in which all lanes meet in one bank."""
    c.add(ins("S2R.TID", d=CONFLICT), 15, write=0)
    c.settle()
    c.slow(ins("LOP3.I", d=CONFLICT, a=CONFLICT, imm=0x1f, c=RZ, extra=0xc000), imm(70, 7), ins("SHF.L", d=CONFLICT, a=CONFLICT, b=70, c=RZ), imm(70, REGION),
           ins("IADD3", d=CONFLICT, a=CONFLICT, b=70, c=RZ))


def far(c):
    """A global address that changes with each round, in 4 MiB."""
    c.slow(ins("IMAD", d=FAR, a=SEED, b=68, c=LANE), imm(70, 0x3fff80), ins("LOP3", d=FAR, a=FAR, b=70, c=RZ, extra=0xc000), imm(70, 0x800000),
           ins("IADD3", d=FAR, a=FAR, b=70, c=BASE), mov(FAR + 1, BASE + 1))


# Loads and their kin: the result goes to register d.
LOADS = {
    "LDS conflict": lambda d: ins("LDS", d=d, a=CONFLICT),
    "LDS.128 conflict": lambda d: ins("LDS.128", d=d, a=CONFLICT),
    "LDS": lambda d: ins("LDS", d=d, a=V),
    "SHFL": lambda d: ins("SHFL.BFLY", d=d, a=LANE, p=PT),
    "ATOMS one address": lambda d: ins("ATOMS.ADD", d=d, a=RZ, b=RZ, off=TABLE),
    "LDG far": lambda d: ins("LDG", d=d, a=FAR),
    "LDG hot": lambda d: ins("LDG", d=d, a=BASE),
    "LDC": lambda d: constant("LDC", d, 0x210),
}
SLOW = {
    "MUFU": lambda d: ins("MUFU.RCP", d=d, b=V),
    "POPC": lambda d: ins("POPC", d=d, b=V),
    "BREV": lambda d: ins("BREV", d=d, b=V),
    "FLO": lambda d: ins("FLO", d=d, b=V),
    "F2I": lambda d: ins("F2I", d=d, b=V),
    "I2F.F64": lambda d: ins("I2F.F64", d=d, b=V),
    "F2F.F32.F64": lambda d: ins("F2F.F32.F64", d=d, b=V),
    "F2F.F64.F32": lambda d: ins("F2F.F64.F32", d=d, b=V),
    "S2R": lambda d: ins("S2R.TID", d=d),
}


def in_order(first, second, kind, off=False, pressure=False):
    """Two results in the order of issue: the wait is for the second one's counter, the first one's is read."""
    def emit(c, number, mode, _):
        def body():
            values(c, kind, False)
            bank(c)
            far(c)
            old(c, "r")
            c.slow(mov(OTHER, RZ))
            c.settle()
            if pressure:
                for i in range(6):
                    c.add(first(92 + 4 * (i % 4)), 2, write=3)
            c.add(first(X), 2, write=1 if mode == 2 else 7)
            word = second(OTHER)
            if off:
                word = field(word, 12, 4, TRUE | 8)  # never
            c.add(word, 2, write=0)
            c.add(mov(Y, X), 15, wait={0: 0, 1: 1, 2: 3}[mode])
            c.settle()
            c.slow(mov(Z, X))
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


STORES = {
    "STG": (ins("STG", a=GLOBAL, b=X), ins("LDG.STRONG", d=Y, a=GLOBAL), 0),
    "STG.128": (ins("STG.128", a=GLOBAL, b=X), ins("LDG.STRONG", d=Y, a=GLOBAL, off=12), 3),
    "STS": (ins("STS", a=SHARED, b=X), ins("LDS", d=Y, a=SHARED), 0),
    "ATOMS": (ins("ATOMS.ADD", d=OTHER + 8, a=SHARED, b=X), ins("LDS", d=Y, a=SHARED), 0),
}
SECONDS = {
    "STS": (ins("STS", a=SHARED, b=LANE, off=4), "read"), "STS conflict": (ins("STS", a=CONFLICT, b=LANE), "read"), "STG": (ins("STG", a=GLOBAL, b=LANE, off=16), "read"),
    "LDS": (ins("LDS", d=OTHER, a=SHARED), "read"), "LDG hot": (ins("LDG", d=OTHER, a=BASE), "read"), "SHFL": (ins("SHFL.BFLY", d=OTHER, a=LANE, p=PT), "read"),
    "@never STS": (ins("STS", a=SHARED, b=LANE, off=4, guard=TRUE, gnot=True), "read"),
}


def prepare(c, number, pressure):
    values(c, "data", False)
    bank(c)
    far(c)
    for i in range(4):
        c.slow(mov(X + i, V + i))
    c.add(ins("STS", a=SHARED, b=RZ), 15, read=0)
    c.settle()
    for i in range(pressure):
        c.add(ins("LDS.128", d=92, a=CONFLICT) if i % 2 else ins("STS", a=CONFLICT, b=LANE), 2, **({"write": 3} if i % 2 else {"read": 4}))


def read_back(c, load, register):
    c.settle()
    c.add(load, 15, write=0)
    c.settle()
    c.slow(mov(Z, V + register))
    compare(c, Y, Z, (0,))


def reads(store, load, register, second, pressure):
    """A2: the store has no counter; a later instruction's read barrier stands for it."""
    def emit(c, number, mode, _):
        def body():
            prepare(c, number, pressure)
            more = {"write": 5} if store & 0xfff == 0x38c else {}
            c.add(store, 2, read=1 if mode == 2 else 7, **more)
            if mode:
                c.add(second, 2, read=0, **({"write": 5} if second & 0xfff in (0x984, 0x981, 0xf89) else {}))
            c.add(mov(X + register, LANE), 15, wait={0: 0, 1: 1, 2: 3}[mode])
            read_back(c, load, register)
        loop(c, number, body)
    return emit


def overtakes(store, load, register, second, pressure):
    """A3: a later memory instruction's result goes to the register that the store reads."""
    def emit(c, number, mode, _):
        def body():
            prepare(c, number, pressure)
            more = {"write": 5} if store & 0xfff == 0x38c else {}
            c.add(store, 2, read=1 if mode == 2 else 7, **more)
            if mode:
                c.add(second(X + register), 2, write=0, wait=2 if mode == 2 else 0)
            else:
                c.add(mov(X + register, LANE), 2)
            read_back(c, load, register)
        loop(c, number, body)
    return emit


def barrier(pressure, store="STS", waits=False):
    """A4: the register is overwritten `distance` cycles behind a barrier. Distance 0: there is no barrier."""
    def emit(c, number, distance, _):
        def body():
            prepare(c, number, pressure)
            c.add(STORES[store][0], 2, read=1 if waits else 7)
            if distance:
                c.gap(ins("BAR"), distance, False, wait=2 if waits else 0)
            c.add(mov(X, LANE), 15)
            read_back(c, STORES[store][1], 0)
        loop(c, number, body)
    return emit


def barrier_cycles(pressure, what):
    """Cycles from a barrier to the next instruction (`issue`), or from there until its own store has read (`read`)."""
    def emit(c, number, _, __):
        def body():
            prepare(c, number, pressure)
            c.add(STORES["STS"][0], 2, read=1)
            c.add(ins("CLOCK", d=80), 2)
            c.add(ins("BAR"), 5)
            c.add(ins("CLOCK", d=81), 5)
            c.add(ins("CLOCK", d=90), 15, wait=2)
            c.settle()
            first, second = (80, 81) if what == "issue" else (81, 90)
            c.slow(ins("IADD3", d=first, a=second, b=first, c=RZ) | 1 << 63, ins("IADD3", d=7, a=7, b=first, c=RZ))
        loop(c, number, body)
    return emit


def uniform_reads(word, kind, pressure, stores=False):
    """A5: the uniform register is overwritten in the next cycle. Mode 0: it was overwritten before."""
    def emit(c, number, mode, _):
        def body():
            values(c, kind, True)
            bank(c)
            c.slow(ins("UMOV", d=UX, b=UV))
            c.slow(mov(Y, RZ), mov(Z, RZ))
            c.settle()
            c.add(word(Z), 15, write=0)
            c.settle()
            for i in range(pressure):
                c.add(ins("LDS.128", d=92, a=CONFLICT) if kind == "shared" else ins("MUFU.RCP", d=92, b=V), 2, write=3)
            if mode == 0:
                c.slow(ins("UMOV", d=UX, b=UO))
            c.add(word(Y), 15 if mode == 2 else 1, write=0)
            if mode == 2:
                c.settle()
            c.add(ins("UMOV", d=UX, b=UO), 15)
            c.settle()
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def slow_reads(word, pressure, others=False):
    """A10: an instruction of variable latency reads X; the next one overwrites it. `others`: the warps with odd numbers fill the queue of the memory unit
    before."""
    def emit(c, number, mode, _):
        def body():
            values(c, "float", False)
            for i in range(4):
                c.slow(mov(X + i, V + i))
            c.settle()
            c.add(word(Z, X), 15, write=0)
            c.settle()
            if others:
                bank(c)
                c.add(ins("S2R.TID", d=80), 15, write=0)
                c.settle()
                c.slow(ins("LOP3.I", d=80, a=80, imm=0x20, c=RZ, extra=0xc000), ins("ISETP.NE", a=80, b=RZ, p=4))
            for i in range(pressure):
                if others:
                    c.add(ins("LDS.128", d=92, a=CONFLICT, guard=4) if i % 2 else ins("STS", a=CONFLICT, b=LANE, guard=4), 2, **({"write": 3} if i % 2 else {"read": 4}))
                else:
                    c.add(word(92, V), 1, write=3)
            if mode == 0:
                c.slow(mov(X, O), mov(X + 1, O + 1))
            c.add(word(Y, X), 2 if mode == 2 else 1, write=0, read=1 if mode == 2 else 7)
            c.add(mov(X, O), 1, wait=2 if mode == 2 else 0)
            c.add(mov(X + 1, O + 1), 15)
            c.settle()
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def counted(loads, which):
    """A8: DEPBAR.LE with a count, behind loads that raise one counter."""
    def emit(c, number, mode, _):
        def body():
            values(c, "shared", False)
            bank(c)
            far(c)
            old(c, "r")
            c.settle()
            c.add(LOADS[loads[0]](X), 2, write=0)
            for name in loads[1:]:
                c.add(LOADS[name](OTHER), 2, write=0)
            if mode:
                c.add(depbar(0, len(loads) - 1 if mode == 1 else 0), 5)
            c.add(mov(Y, X), 15)
            c.settle()
            c.slow(mov(Z, X))
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def specials(second):
    """Not claimed: S2UR in order."""
    def emit(c, number, mode, _):
        def body():
            values(c, "data", True)
            c.slow(ins("UMOV", d=UX, b=UO))
            c.settle()
            c.add(ins("S2UR.CTAID", d=UX), 2, write=1 if mode == 2 else 7)
            c.add(ins(second, d=30), 2, write=0)
            c.add(ins("MOV.UR", d=Y, b=UX), 15, wait={0: 0, 1: 1, 2: 3}[mode])
            c.settle()
            c.slow(ins("MOV.UR", d=Z, b=UX))
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def constants():
    """Not claimed: two loads of constants to one register, in order."""
    def emit(c, number, mode, _):
        def body():
            values(c, "data", False)
            old(c, "r")
            c.settle()
            first, second = constant("LDC", X, 0x210), constant("LDC", X, 0x218)
            if mode == 0:
                c.add(second, 2, write=1)
                c.add(first, 15, write=0, wait=2)
            else:
                c.add(first, 2, write=1 if mode == 2 else 7)
                c.add(second, 2, write=0, wait=2 if mode == 2 else 0)
            c.settle()
            c.slow(mov(Y, X), mov(Z, BASE))
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def copies(order):
    """A8: groups of copies to shared memory (LDGSTS), as ptxas writes them."""
    def emit(c, number, mode, _):
        def body():
            values(c, "data", False)
            far(c)
            for at in (0, 4):
                c.add(ins("STS", a=SHARED, b=LANE, off=at), 15, read=0)
            c.settle()
            places = (FAR, BASE) if order == "far, hot" else (FAR, FAR)
            c.slow(ins("VIADD", d=80, a=SHARED, imm=4))
            for d, a in zip((SHARED, 80), places):
                c.add(ins("LDGSTS", d=d, a=a), 2, read=2)
                c.add(ins("LDGDEPBAR"), 2, write=0)
            if mode:
                c.add(depbar(0, 1 if mode == 1 else 0), 5)
            c.add(ins("LDS", d=Y, a=SHARED), 15, write=1)
            c.settle()
            c.add(ins("LDG", d=Z, a=FAR), 15, write=0)
            c.settle()
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def raised(stall_name):
    """S2, S4: how many cycles behind a load its counter can be waited for; how many a DEPBAR needs."""
    def emit(c, number, stall, _):
        def body():
            values(c, "shared", False)
            old(c, "r")
            c.settle()
            if stall_name == "wait":
                c.add(ins("LDS", d=X, a=V), max(stall, 1), write=0, yields=False)
                c.add(mov(Y, X), 15, wait=1 if stall else 0)
            else:
                c.add(ins("LDS", d=X, a=V), 5, write=0)
                if stall:
                    c.add(depbar(0, 0), stall, yields=False)
                c.add(mov(Y, X), 15)
            c.settle()
            c.slow(mov(Z, X))
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def cycles(words, stall, yields):
    """Cycles of sixteen instructions: the sum over lanes and rounds."""
    def emit(c, number, _, __):
        def body():
            c.settle()
            c.add(ins("CLOCK", d=80), 2, yields=False)
            for word in words:
                c.add(word, stall, yields=yields)
            c.add(ins("CLOCK", d=81), 15)
            c.settle()
            c.slow(ins("IADD3", d=80, a=81, b=80, c=RZ, extra=0) | 1 << 63, ins("IADD3", d=7, a=7, b=80, c=RZ))
        loop(c, number, body)
    return emit


def all_probes():
    probes, modes = [], [0, 1, 2]

    def add(hazard, name, emit, distances=modes):
        probes.append(Probe(name, hazard, "", "", emit, distances))

    for first in ("LDS conflict", "LDS.128 conflict", "LDS", "SHFL", "ATOMS one address"):
        for second in ("LDS", "SHFL", "ATOMS one address", "LDC", "LDG hot"):
            claimed = "A1" if second not in ("LDC", "LDG hot") else "A1 not claimed"
            add(claimed, f"{first}, {second}", in_order(LOADS[first], LOADS[second], "shared"))
        for second in ("LDS", "SHFL"):
            add("A1", f"{first}, never {second}", in_order(LOADS[first], LOADS[second], "shared", off=True))
        add("A1", f"pressure {first}, LDS", in_order(LOADS[first], LOADS["LDS"], "shared", pressure=True))
    for first, second in (("LDG far", "LDS"), ("LDG far", "LDG hot"), ("LDG far", "SHFL"), ("LDC", "LDS"), ("LDG hot", "LDG far")):
        add("A1 not claimed", f"{first}, {second}", in_order(LOADS[first], LOADS[second], "shared"))
    for pressure in (0, 8):
        for name, (store, load, register) in STORES.items():
            for second, (word, _) in SECONDS.items():
                add("A2", f"{name}, {second}, pressure {pressure}", reads(store, load, register, word, pressure))
            for second in ("LDS", "SHFL", "LDG hot", "LDS conflict"):
                loader = {"LDS": lambda d: ins("LDS", d=d, a=RZ, off=TABLE), "SHFL": LOADS["SHFL"], "LDG hot": LOADS["LDG hot"], "LDS conflict": LOADS["LDS conflict"]}[second]
                add("A3", f"{name}, {second}, pressure {pressure}", overtakes(store, load, register, loader, pressure))
        spans = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 60, 90, 120, 180, 240]
        add("A4", f"STS, BAR, pressure {pressure}", barrier(pressure), spans)
        add("A4 not claimed", f"STG, BAR, pressure {pressure}", barrier(pressure, "STG"), spans)
        add("A4 with a wait", f"STS, BAR, pressure {pressure}", barrier(pressure, waits=True), spans)
        for what in ("issue", "read"):
            add("cycles", f"STS, BAR, pressure {pressure}: {what}", barrier_cycles(pressure, what), [1])
        add("A5", f"LDS, UMOV, pressure {pressure}", uniform_reads(lambda y: field(ins("LDS.UR", d=y), 32, 8, UX), "shared", pressure))
        add("A5", f"MUFU, UMOV, pressure {pressure}", uniform_reads(lambda y: ins("MUFU.UR", d=y, b=UX), "data", pressure))
        add("A5", f"POPC, UMOV, pressure {pressure}", uniform_reads(lambda y: ins("POPC.UR", d=y, b=UX), "data", pressure))
        for name, word in (("MUFU", lambda y, x: ins("MUFU.RCP", d=y, b=x)), ("POPC", lambda y, x: ins("POPC", d=y, b=x)), ("BREV", lambda y, x: ins("BREV", d=y, b=x)),
                           ("FLO", lambda y, x: ins("FLO", d=y, b=x)), ("F2I", lambda y, x: ins("F2I", d=y, b=x)), ("I2F.F64", lambda y, x: ins("I2F.F64", d=y, b=x)),
                           ("F2F.F32.F64", lambda y, x: ins("F2F.F32.F64", d=y, b=x)), ("F2F.F64.F32", lambda y, x: ins("F2F.F64.F32", d=y, b=x))):
            for more in (pressure, 3 * pressure) if pressure else (0,):
                add("A10", f"{name}, MOV, pressure {more}", slow_reads(word, more))
                if more:
                    add("A10", f"{name}, MOV, other warps press {more}", slow_reads(word, more, True))
    for loads in (("LDS conflict", "LDS", "LDS"), ("LDS", "LDS", "SHFL")):
        add("A8", ", ".join(loads), counted(loads, 0))
    for loads in (("LDG far", "LDG hot"), ("LDG far", "LDS")):
        add("A8 not claimed", ", ".join(loads), counted(loads, 0))
    for second in ("S2UR.CTAID", "S2UR.CLOCK"):
        add("S2UR not claimed", f"S2UR.CTAID, {second}", specials(second))
    add("LDC not claimed", "LDC, LDC to one register", constants())
    add("A8", "LDGSTS far, LDGSTS hot", copies("far, hot"))
    add("A8", "LDGSTS far, LDGSTS far", copies("far, far"))
    for first in SLOW:
        for second in SLOW:
            add("A11" if "S2R" not in (first, second) else "A11 not claimed", f"{first}, {second}", in_order(SLOW[first], SLOW[second], "data"))
        add("A11" if first != "S2R" else "A11 not claimed", f"{first}, never MUFU", in_order(SLOW[first], SLOW["MUFU"], "data", off=True))
        add("A11" if first != "S2R" else "A11 not claimed", f"pressure {first}, MUFU", in_order(SLOW[first], SLOW["MUFU"], "data", pressure=True))
    add("S2", "LDS and a wait so many cycles behind it", raised("wait"), [0, 1, 2, 3, 4, 5])
    add("S4", "DEPBAR.LE with this stall", raised("depbar"), [0, 1, 2, 3, 4, 5, 6, 7, 8])
    nop, add3 = ins("NOP"), ins("IADD3", d=94, a=LANE, b=ONE, c=RZ)
    units = {"IADD3": add3, "IMAD": ins("IMAD", d=94, a=LANE, b=ONE, c=RZ), "FFMA": ins("FFMA", d=94, a=LANE, b=LANE, c=LANE), "IMAD.WIDE": ins("IMAD.WIDE", d=94, a=LANE, b=ONE, c=RZ),
             "HADD2": ins("HADD2", d=94, a=LANE, b=LANE), "HFMA2.MMA": ins("HFMA2.MMA", d=94, a=LANE, b=LANE, c=LANE), "DADD": ins("DADD", d=94, a=DNEG0, c=DNEG0),
             "DFMA": ins("DFMA", d=94, a=DNEG0, b=DONE, c=DNEG0), "LOP3": ins("LOP3", d=94, a=LANE, b=ONE, c=RZ, extra=0xc000), "SHF": ins("SHF.R.I", d=94, a=RZ, imm=1, c=LANE),
             "FMNMX": ins("FMNMX", d=94, a=LANE, b=LANE), "ISETP": ins("ISETP.NE", a=LANE, b=RZ, p=6), "PRMT": ins("PRMT.I", d=94, a=LANE, imm=0x3210, c=RZ),
             "UIADD3": ins("UIADD3", d=30, a=24, b=25, c=63), "HMMA.16816.F32": ins("HMMA.16816.F32", d=92, a=32, b=32, c=32),
             "HMMA.1688.F32": ins("HMMA.1688.F32", d=92, a=32, b=32, c=32), "IMMA.16816": ins("IMMA.16816", d=92, a=32, b=32, c=32)}
    add("cycles", "nothing", cycles([], 1, False), [1])
    for yields in (False, True):
        for stall in range(0, 16):
            if stall == 0 and not yields:
                continue  # ptxas never writes it
            add("cycles", f"16 NOP, stall {stall}{', may give way' if yields else ''}", cycles([nop] * 16, stall, yields), [1])
            add("cycles", f"16 IADD3, stall {stall}{', may give way' if yields else ''}", cycles([add3] * 16, stall, yields), [1])
    for name, word in units.items():
        for stall in (1, 2, 4):
            add("cycles", f"16 {name}, stall {stall}", cycles([word] * 16, stall, False), [1])
    return probes


def select(cycles_alone):
    """The probes that count wrong answers, or those that count cycles."""
    return [probe for probe in all_probes() if (probe.hazard == "cycles") == cycles_alone]


def main():
    template = open(sys.argv[1], "rb").read()
    _, _, exit_at = text_of(template)
    print("%d probes, %d images, %d bytes of code" % write(sys.argv[2], select(sys.argv[3:] == ["--cycles"]), exit_at))


if __name__ == "__main__":
    main()
