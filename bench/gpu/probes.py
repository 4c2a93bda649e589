#!/usr/bin/env python3
"""Probes of latencies by wrong answers (docs/validation.md): two instructions that a register ties, so many cycles apart that the second one may come
too early. A probe runs in a loop: new values, an old value in the register, the first instruction, a gap, the second one, a pause, the second one again
(now surely right), and a comparison. Lanes whose two answers differ are counted.

    probes.py TEMPLATE.cubin OUT [--returns]      writes OUT: a line of JSON that lists the probes and the images, then the images, compressed

An image is the code of many probes at one distance. Distance 0 is the control: there the first instruction comes behind the second one, so the count
says how many wrong answers the probe can notice."""
import json
import lzma
import struct
import sys

from words import PT, RZ, URZ, back, branch, constant, control, data, field, ins

# Registers. X is what ties the two, Y and Z are the answers. V: new values, O: old ones.
OUT, SEED, COUNT, BAD, V, O, X, Y, Z = 2, 4, 5, 7, 8, 12, 16, 24, 28
ZEROS, ONE, FONE, FNEG0, HNEG0, DONE, DNEG0, HONE, ONES, LIFT = 32, 36, 37, 38, 39, 40, 42, 44, 46, 48
T0, T1, GLOBAL, SHARED, BASE, MUL, ADD, USEED, LANE = 50, 51, 52, 54, 56, 60, 61, 62, 63
UV, UO, UX, UY, UCONST, UONES = 8, 9, 16, 20, 24, 25
TRUE, TEST, VP, HALF_OF_ONE, LIFT2 = 1, 2, 3, 64, 86
TABLE = 0x400  # the first place in shared memory that a program may use
SETTLE = 6  # pauses of 15 cycles


class Code:
    def __init__(self):
        self.words = []

    def add(self, word, stall=15, **fields):
        self.words.append(control(word, stall, **fields))

    def slow(self, *words):
        """Instructions far apart."""
        for word in words:
            self.add(word, 15)

    def settle(self, wait=0x3f):
        self.add(ins("NOP"), 15, wait=wait)
        for _ in range(SETTLE - 1):
            self.add(ins("NOP"), 15)

    def gap(self, word, cycles, yields, **fields):
        """The instruction, so that the next one issues `cycles` later."""
        first = min(cycles, 11)
        self.add(word, first, yields=yields, **fields)
        cycles -= first
        while cycles > 0:
            step = min(cycles, 11)
            self.add(ins("NOP"), step, yields=yields)
            cycles -= step


def mov(d, s):
    return ins("MOV", d=d, b=s)


def imm(d, value):
    return ins("MOV.I", d=d, imm=value & 0xffffffff)


def prologue(c):
    descriptor = constant("ULDC.64", 4, 0x208)
    c.add(descriptor, 15)
    c.add(constant("LDC", OUT, 0x210), 15, write=0)
    c.add(constant("LDC", OUT + 1, 0x214), 15, write=0)
    c.add(constant("LDC", BASE, 0x218), 15, write=0)
    c.add(constant("LDC", BASE + 1, 0x21c), 15, write=0)
    c.add(constant("LDC", T0, 0x224), 15, write=0)  # seed
    c.add(ins("S2R.TID", d=T1), 15, write=0)
    c.add(ins("S2R.CTAID", d=55), 15, write=0)
    c.settle()
    for register, value in ((ONE, 1), (FONE, 0x3f800000), (FNEG0, 0x80000000), (HNEG0, 0x80008000), (HONE, 0x3c003c00), (MUL, 0x9e3779b1), (ADD, 0x7f4a7c15),
                            (DONE + 1, 0x3ff00000), (DNEG0 + 1, 0x80000000), (ONES, 0xffffffff), (ONES + 1, 0xffffffff), (HALF_OF_ONE, 0x38003800), (65, 512), (66, 32),
                            (67, 16), (68, 0x85ebca6b), (69, 0x7c)):
        c.slow(imm(register, value))
    for register in (32, 33, 34, 35, DONE, DNEG0, BAD, LIFT):
        c.slow(mov(register, RZ))
    c.slow(ins("IMAD", d=USEED, a=55, b=68, c=T0),  # of the CTA
           ins("IMAD", d=55, a=55, b=65, c=T1),  # number of the thread
           ins("IMAD", d=SEED, a=55, b=68, c=T0),
           ins("IMAD", d=LANE, a=55, b=MUL, c=ADD),
           ins("IMAD", d=GLOBAL, a=55, b=66, c=BASE),
           mov(GLOBAL + 1, BASE + 1),
           ins("IADD3", d=GLOBAL, a=GLOBAL, b=imm_register(c, 0x10000), c=RZ),
           ins("IMAD", d=SHARED, a=T1, b=67, c=RZ),
           ins("IADD3", d=SHARED, a=SHARED, b=imm_register(c, 0x800), c=RZ),
           # a table in shared memory
           ins("LOP3.I", d=T1, a=T1, imm=63, c=RZ, extra=0xc000),
           ins("IMAD", d=55, a=T1, b=MUL, c=ADD),
           ins("SHF.L", d=T1, a=T1, b=imm_register(c, 2), c=RZ))
    c.add(ins("STS", a=T1, b=55, off=TABLE), 15, read=0)
    c.settle()
    c.add(ins("BAR"), 15)
    c.slow(ins("ISETP.NE", a=ONE, b=RZ, p=TRUE), ins("UMOV.I", d=UCONST, imm=0x55), ins("UMOV.I", d=UONES, imm=0xffffffff))


def imm_register(c, value):
    """Register 70 with this value. The instruction that uses it is written behind."""
    c.slow(imm(70 + imm_register.next, value))
    imm_register.next = (imm_register.next + 1) % 16
    return 70 + (imm_register.next - 1) % 16


imm_register.next = 0


def land(d, a, b):
    return ins("LOP3", d=d, a=a, b=b, c=RZ, extra=0xc000)


def lor(d, a, b):
    return ins("LOP3", d=d, a=a, b=b, c=RZ, extra=0xfc00)


def lxor(d, a, b):
    return ins("LOP3", d=d, a=a, b=b, c=RZ, extra=0x3c00)


def shift_right(d, a, n):
    return ins("SHF.R.I", d=d, a=RZ, imm=n, c=a)


def values(c, kind, uniform):
    """New values in V.. and old ones in O.. of a kind: what the second instruction may read."""
    seed = USEED if uniform else SEED
    c.slow(ins("IMAD", d=seed, a=seed, b=MUL, c=ADD), shift_right(T0, seed, 7))
    if kind == "data":
        for i in range(4):
            c.slow(ins("IMAD", d=T0, a=T0, b=MUL, c=ADD), ins("LOP3.I", d=V + i, a=T0, imm=0x03ff03ff, c=RZ, extra=0xc000),
                   ins("LOP3.I", d=V + i, a=V + i, imm=0x3c003c00, c=RZ, extra=0xfc00), ins("LOP3.I", d=O + i, a=V + i, imm=0x00150015, c=RZ, extra=0x3c00))
    elif kind == "float":  # some 30,000 as a float; the old one has another leading bit
        for i in range(4):
            c.slow(ins("IMAD", d=T0, a=T0, b=MUL, c=ADD), ins("LOP3.I", d=V + i, a=T0, imm=0x03ffffff, c=RZ, extra=0xc000),
                   ins("LOP3.I", d=V + i, a=V + i, imm=0x44000000, c=RZ, extra=0xfc00), shift_right(O + i, V + i, 3))
    elif kind in ("shared", "lane"):
        for i in range(4):
            mask, other = (0x7c, 0x40) if kind == "shared" else (0x1f, 5)
            c.slow(ins("IMAD", d=T0, a=T0, b=ONE, c=ADD), ins("LOP3.I", d=V + i, a=T0, imm=mask, c=RZ, extra=0xc000),
                   ins("LOP3.I", d=V + i, a=V + i, imm=TABLE if kind == "shared" else 0, c=RZ, extra=0xfc00),
                   ins("LOP3.I", d=O + i, a=V + i, imm=other, c=RZ, extra=0x3c00))
    elif kind == "const":
        for i in range(4):
            c.slow(ins("LOP3.I", d=V + i, a=T0, imm=4, c=RZ, extra=0xc000), ins("LOP3.I", d=O + i, a=V + i, imm=0x10, c=RZ, extra=0x3c00))
    elif kind == "global":
        c.slow(ins("LOP3.I", d=V, a=T0, imm=0x7c, c=RZ, extra=0xc000), lor(V, V, BASE), ins("LOP3.I", d=O, a=V, imm=0x40, c=RZ, extra=0x3c00),
               shift_right(T0, T0, 9), land(T0, T0, ONE), ins("IADD3", d=V + 1, a=BASE + 1, b=T0, c=RZ), lxor(T0, T0, ONE),
               ins("IADD3", d=O + 1, a=BASE + 1, b=T0, c=RZ), mov(V + 2, V), mov(O + 2, O), mov(V + 3, V + 1), mov(O + 3, O + 1))
    elif kind == "place":
        c.slow(land(T0, T0, ONE), ins("SHF.L", d=V, a=T0, b=imm_register(c, 5), c=RZ), ins("LOP3.I", d=O, a=V, imm=32, c=RZ, extra=0x3c00))
        for i in range(1, 4):
            c.slow(mov(V + i, RZ), mov(O + i, RZ))
    elif kind == "truth":
        c.slow(land(T0, T0, ONE), ins("ISETP.NE", a=T0, b=RZ, p=VP), imm(V, 0x3c003c01), ins("SEL", d=V, a=V, b=RZ, s=VP), ins("SEL", d=O, a=RZ, b=ONE, s=VP),
               mov(V + 2, RZ), mov(V + 3, V), mov(V + 1, V), mov(O + 1, O), mov(O + 2, RZ), mov(O + 3, O),
               ins("ISETP.NE", a=V, b=RZ, p=5), ins("ISETP.NE", a=O, b=RZ, p=4))
    c.slow(mov(LIFT + 1, V + 1))
    if uniform:
        c.slow(ins("R2UR", d=UV, a=V), ins("R2UR", d=UO, a=O))
        c.settle()


class Writer:
    """How an instruction writes X. `cells`: the classes of src/sass/latency.h, by register; `same`: the value is V; `word(x, v)`: the instruction."""

    def __init__(self, name, cells, word, same=True, slow=False, file="r", zero=False, waits=False):
        self.name, self.cells, self.word, self.same, self.slow, self.file, self.zero, self.waits = name, cells, word, same, slow, file, zero, waits


def w(name, cell, word, **more):
    return Writer(name, [cell], word, **more)


WRITERS = [
    w("IADD3", "ALU", lambda x, v: ins("IADD3", d=x, a=v, b=RZ, c=RZ)),
    w("VIADD", "FMA", lambda x, v: ins("VIADD", d=x, a=v)),
    w("LOP3", "ALU", lambda x, v: lor(x, v, RZ)),
    w("MOV", "ALU", mov),
    w("SHF", "ALU", lambda x, v: ins("SHF.R.I", d=x, a=RZ, imm=0, c=v)),
    w("SEL", "ALU", lambda x, v: ins("SEL", d=x, a=v, b=RZ, s=PT)),
    w("LEA", "ALU", lambda x, v: ins("LEA", d=x, a=v, b=RZ)),
    w("PRMT", "ALU", lambda x, v: ins("PRMT.I", d=x, a=v, imm=0x3210, c=RZ)),
    w("VIMNMX", "ALU", lambda x, v: ins("VIMNMX", d=x, a=v, b=v)),
    w("FMNMX", "ALU", lambda x, v: ins("FMNMX", d=x, a=v, b=v)),
    w("FSEL", "ALU", lambda x, v: ins("FSEL", d=x, a=v, b=RZ, s=PT)),
    w("IABS", "ALU", lambda x, v: ins("IABS", d=x, b=v)),
    w("P2R", "ALU", lambda x, v: ins("P2R", d=x, a=v, imm=0)),
    w("HMNMX2", "ALU", lambda x, v: ins("HMNMX2", d=x, a=v, b=v)),
    w("I2FP", "ALU", lambda x, v: ins("I2FP", d=x, b=v), same=False),
    w("F2FP", "ALU", lambda x, v: ins("F2FP", d=x, a=v, b=v), same=False),
    w("VOTE", "ALU", lambda x, v: ins("VOTE.ANY.R", d=x, s=VP), same=False),
    w("CS2R.32", "ALU", lambda x, v: ins("CS2R.32", d=x), same=False, zero=True),
    w("IMAD", "FMA", lambda x, v: ins("IMAD", d=x, a=v, b=ONE, c=RZ)),
    w("IMAD.MOV", "FMA", lambda x, v: ins("IMAD", d=x, a=RZ, b=RZ, c=v)),
    w("FADD", "FMA", lambda x, v: ins("FADD", d=x, a=v, b=FNEG0)),
    w("FMUL", "FMA", lambda x, v: ins("FMUL", d=x, a=v, b=FONE)),
    w("FFMA", "FMA", lambda x, v: ins("FFMA", d=x, a=v, b=FONE, c=FNEG0)),
    w("IDP", "FMA", lambda x, v: ins("IDP", d=x, a=RZ, b=RZ, c=v)),
    w("IMAD.HI", "WIDE_DH", lambda x, v: ins("IMAD.HI", d=x, a=RZ, b=RZ, c=LIFT), same=True),
    Writer("IMAD.WIDE", ["WIDE_DL", "WIDE_DH"], lambda x, v: ins("IMAD.WIDE", d=x, a=v, b=ONE, c=LIFT)),
    Writer("CS2R.64", ["DISP64", "DISP64"], lambda x, v: ins("CS2R", d=x), same=False, zero=True),
    w("HADD2", "HALF", lambda x, v: ins("HADD2", d=x, a=v, b=HNEG0)),
    w("HMUL2", "HALF", lambda x, v: ins("HMUL2", d=x, a=v, b=HONE)),
    w("HFMA2", "HALF", lambda x, v: ins("HFMA2", d=x, a=v, b=HONE, c=HNEG0)),
    w("HADD2.F32", "HALF_F32", lambda x, v: ins("HADD2.F32", d=x, b=v), same=False),
    w("HSET2", "ALU", lambda x, v: ins("HSET2", d=x, a=v, b=FONE), same=False),
    w("HFMA2.MMA", "HALF_MMA", lambda x, v: ins("HFMA2.MMA", d=x, a=v, b=HONE, c=HNEG0), slow=True),
    Writer("DADD", ["FP64", "FP64"], lambda x, v: ins("DADD", d=x, a=v, c=DNEG0), slow=True),
    Writer("DMUL", ["FP64", "FP64"], lambda x, v: ins("DMUL", d=x, a=v, b=DONE), slow=True),
    Writer("DFMA", ["FP64", "FP64"], lambda x, v: ins("DFMA", d=x, a=v, b=DONE, c=DNEG0), slow=True),
    Writer("HMMA.1688.F32", ["MMA_1X"] * 4, lambda x, v: ins("HMMA.1688.F32", d=x, a=ZEROS, b=ZEROS, c=v), slow=True, same=False),
    Writer("HMMA.16816.F32", ["MMA_2X"] * 4, lambda x, v: ins("HMMA.16816.F32", d=x, a=ZEROS, b=ZEROS, c=v), slow=True, same=False),
    Writer("HMMA.16816.F16", ["MMA_2X"] * 2, lambda x, v: ins("HMMA.16816.F16", d=x, a=ZEROS, b=ZEROS, c=v), slow=True, same=False),
    Writer("IMMA.8816", ["IMMA_88"] * 2, lambda x, v: ins("IMMA.8816", d=x, a=ZEROS, b=ZEROS, c=v), slow=True),
    Writer("IMMA.16816", ["MMA_1X"] * 4, lambda x, v: ins("IMMA.16816", d=x, a=ZEROS, b=ZEROS, c=v), slow=True),
    Writer("IMMA.16832", ["MMA_2X"] * 4, lambda x, v: ins("IMMA.16832", d=x, a=ZEROS, b=ZEROS, c=v), slow=True),
]

# Predicates: X is P0. `uniform`: all lanes have one truth value.
PWRITERS = [
    w("ISETP", "P_ALU", lambda x, v: ins("ISETP.NE", a=v, b=RZ, p=x), file="p"),
    w("FSETP", "P_ALU", lambda x, v: ins("FSETP.NEU", a=v, b=RZ, p=x), file="p"),
    w("IADD3", "P_ALU", lambda x, v: ins("IADD3.P", d=RZ, a=v, b=ONES, c=RZ, p=x), file="p"),
    w("LOP3", "P_ALU", lambda x, v: ins("LOP3.P", d=RZ, a=v, b=ONES, c=RZ, p=x), file="p"),
    w("PLOP3", "P_ALU", lambda x, v: ins("PLOP3.NOT", p=x, q=PT, s=4 if v == V else 5), file="p"),
    w("R2P", "P_HALF", lambda x, v: ins("R2P", a=v, imm=1), file="p"),
    w("HSETP2", "P_ALU", lambda x, v: ins("HSETP2", a=v, b=HALF_OF_ONE, p=x), file="p"),
    w("VOTE", "P_DISP", lambda x, v: ins("VOTE.ANY.P", s=5 if v == V else 4, p=x), file="p"),
    w("IMAD.WIDE", "P_WIDE", lambda x, v: ins("IMAD.WIDE.P", d=T0 + 30, a=v, b=ONE, c=ONES, p=x), file="p"),
    w("DSETP", "P_FP64", lambda x, v: ins("DSETP.NEU", a=v + 2, b=RZ, p=x), file="p", slow=True),
]

UWRITERS = [
    w("ULDC", "U_LDC", None, file="u"),  # its value is a constant of the launch: see uniform_first
    w("UMOV", "U_MOV", lambda x, v: ins("UMOV", d=x, b=v), file="u"),
    w("UMOV.I", "U_MOV", lambda x, v: ins("UMOV.I", d=x, imm=TABLE + 0x20), file="u", same=False),
    w("UIADD3", "U_UDP", lambda x, v: ins("UIADD3", d=x, a=v, b=URZ, c=URZ), file="u"),
    w("ULEA", "U_UDP", lambda x, v: ins("ULEA", d=x, a=v, b=URZ, c=URZ), file="u"),
    w("UIMAD", "U_UDP", lambda x, v: ins("UIMAD", d=x, a=URZ, b=URZ, c=v), file="u"),
    w("USHF", "U_UDP", lambda x, v: ins("USHF.I", d=x, a=URZ, imm=0, c=v), file="u"),
    w("ULOP3", "U_UDP", lambda x, v: ins("ULOP3", d=x, a=v, b=URZ, c=URZ, extra=0xfc00), file="u"),
    w("USEL", "U_UDP", lambda x, v: ins("USEL", d=x, a=v, b=URZ, s=PT), file="u"),
    w("UPRMT", "U_UDP", lambda x, v: ins("UPRMT.I", d=x, a=v, imm=0x3210, c=URZ), file="u"),
    w("UPOPC", "U_UDP", lambda x, v: ins("UPOPC", d=x, b=v), file="u", same=False),
    w("VOTEU", "U_VOTE", lambda x, v: ins("VOTEU.R", d=x, s=VP), file="u", same=False),
    w("R2UR", "U_TO", lambda x, v: ins("R2UR", d=x, a=V if v == UV else O), file="u"),
]
QWRITERS = [
    w("UISETP", "UP_UDP", lambda x, v: ins("UISETP.NE", a=v, b=URZ, p=x), file="q"),
    w("UIADD3", "UP_UDP", lambda x, v: ins("UIADD3.P", d=URZ, a=v, b=UONES, c=URZ, p=x), file="q"),
    w("VOTEU", "UP_VOTE", lambda x, v: ins("VOTEU.P", p=x, s=5 if v == UV else 4), file="q"),
]
UWRITERS[0].word = lambda x, v: constant("ULDC", x, 0x224)
UWRITERS[0].same = False


class Reader:
    """How an instruction reads X into Y. `reads`: which register of an aligned pair or quad (None: any); `word(y, x)`; `kind`: of the value; `after`:
    instructions that bring the answer to Y; `before`: that prepare; `waits`: it has a counter; `wide`: which registers of Y count."""

    def __init__(self, name, cell, word, kind="data", after=None, before=None, waits=False, wide=(0,), align=1, reads=None, file="r", stores=False):
        self.stores = stores
        self.name, self.cell, self.word, self.kind, self.after, self.before = name, cell, word, kind, after, before
        self.waits, self.wide, self.align, self.reads, self.file = waits, wide, align, reads, file


def truth(y):
    return [ins("SEL", d=y, a=ONE, b=RZ, s=6)]


READERS = [
    Reader("IADD3.a", "ALU", lambda y, x: ins("IADD3", d=y, a=x, b=ONE, c=RZ)),
    Reader("IADD3.b", "ALU", lambda y, x: ins("IADD3", d=y, a=ONE, b=x, c=RZ)),
    Reader("IADD3.c", "ALU", lambda y, x: ins("IADD3", d=y, a=ONE, b=RZ, c=x)),
    Reader("LOP3", "ALU", lambda y, x: lxor(y, x, LANE)),
    Reader("MOV", "ALU", mov),
    Reader("SHF", "ALU", lambda y, x: ins("SHF.R.I", d=y, a=RZ, imm=1, c=x)),
    Reader("PRMT", "ALU", lambda y, x: ins("PRMT.I", d=y, a=x, imm=0x2103, c=RZ)),
    Reader("VIADD", "FMA", lambda y, x: ins("VIADD", d=y, a=x, imm=3)),
    Reader("SEL", "ALU", lambda y, x: ins("SEL", d=y, a=x, b=RZ, s=PT)),
    Reader("FMNMX", "ALU", lambda y, x: ins("FMNMX", d=y, a=x, b=x)),
    Reader("I2FP", "ALU", lambda y, x: ins("I2FP", d=y, b=x)),
    Reader("ISETP", "ALU", lambda y, x: ins("ISETP.NE", a=x, b=V, p=6), after=truth),
    Reader("FFMA.a", "FMA", lambda y, x: ins("FFMA", d=y, a=x, b=FONE, c=FONE)),
    Reader("FFMA.b", "FMA", lambda y, x: ins("FFMA", d=y, a=FONE, b=x, c=FNEG0)),
    Reader("FFMA.c", "FMA", lambda y, x: ins("FFMA", d=y, a=FONE, b=FNEG0, c=x)),
    Reader("FADD", "FMA", lambda y, x: ins("FADD", d=y, a=x, b=FNEG0)),
    Reader("FMUL", "FMA", lambda y, x: ins("FMUL", d=y, a=x, b=FONE)),
    Reader("IMAD.a", "FMA", lambda y, x: ins("IMAD", d=y, a=x, b=ONE, c=RZ)),
    Reader("IMAD.b", "FMA", lambda y, x: ins("IMAD", d=y, a=ONE, b=x, c=RZ)),
    Reader("IMAD.c", "FMA", lambda y, x: ins("IMAD", d=y, a=RZ, b=ONE, c=x)),
    Reader("IDP", "FMA", lambda y, x: ins("IDP", d=y, a=x, b=ONE, c=RZ)),
    Reader("IMAD.WIDE.a", "WIDE_AB", lambda y, x: ins("IMAD.WIDE", d=y, a=x, b=LANE, c=RZ), wide=(0, 1)),
    Reader("IMAD.WIDE.b", "WIDE_AB", lambda y, x: ins("IMAD.WIDE", d=y, a=LANE, b=x, c=RZ), wide=(0, 1)),
    Reader("IMAD.WIDE.cl", "WIDE_CL", lambda y, x: ins("IMAD.WIDE", d=y, a=RZ, b=ONE, c=x), wide=(0,), align=2, reads=0),
    Reader("IMAD.WIDE.ch", "WIDE_CH", lambda y, x: ins("IMAD.WIDE", d=y, a=RZ, b=ONE, c=x), wide=(1,), align=2, reads=1),
    Reader("HADD2.a", "HALF", lambda y, x: ins("HADD2", d=y, a=x, b=HNEG0)),
    Reader("HADD2.b", "HALF", lambda y, x: ins("HADD2", d=y, a=HNEG0, b=x)),
    Reader("HMUL2", "HALF", lambda y, x: ins("HMUL2", d=y, a=x, b=HONE)),
    Reader("HFMA2.a", "HALF", lambda y, x: ins("HFMA2", d=y, a=x, b=HONE, c=HNEG0)),
    Reader("HFMA2.c", "HALF", lambda y, x: ins("HFMA2", d=y, a=HNEG0, b=HONE, c=x)),
    Reader("HADD2.F32", "HALF_F32", lambda y, x: ins("HADD2.F32", d=y, b=x)),
    Reader("HFMA2.MMA.a", "HALF_MMA", lambda y, x: ins("HFMA2.MMA", d=y, a=x, b=HONE, c=HNEG0)),
    Reader("HFMA2.MMA.c", "HALF_MMA", lambda y, x: ins("HFMA2.MMA", d=y, a=HNEG0, b=HONE, c=x)),
    Reader("DADD.a", "FP64", lambda y, x: ins("DADD", d=y, a=x, c=DNEG0), wide=(0, 1), align=2),
    Reader("DADD.c", "FP64", lambda y, x: ins("DADD", d=y, a=DNEG0, c=x), wide=(0, 1), align=2),
    Reader("DMUL", "FP64", lambda y, x: ins("DMUL", d=y, a=x, b=DONE), wide=(0, 1), align=2),
    Reader("DFMA.c", "FP64", lambda y, x: ins("DFMA", d=y, a=DNEG0, b=DONE, c=x), wide=(0, 1), align=2),
    Reader("HMMA.16816.a", "MMA_2X", lambda y, x: ins("HMMA.16816.F32", d=y, a=x, b=O, c=ZEROS), wide=(0, 1, 2, 3), align=4),
    Reader("HMMA.16816.b", "MMA_2X", lambda y, x: ins("HMMA.16816.F32", d=y, a=O, b=x, c=ZEROS), wide=(0, 1, 2, 3), align=2),
    Reader("HMMA.16816.c", "MMA_2X", lambda y, x: ins("HMMA.16816.F32", d=y, a=ZEROS, b=ZEROS, c=x), wide=(0, 1, 2, 3), align=4),
    Reader("HMMA.1688.a", "MMA_1X", lambda y, x: ins("HMMA.1688.F32", d=y, a=x, b=O, c=ZEROS), wide=(0, 1, 2, 3), align=2),
    Reader("HMMA.1688.b", "MMA_1X", lambda y, x: ins("HMMA.1688.F32", d=y, a=O, b=x, c=ZEROS), wide=(0, 1, 2, 3)),
    Reader("HMMA.1688.c", "MMA_1X", lambda y, x: ins("HMMA.1688.F32", d=y, a=ZEROS, b=ZEROS, c=x), wide=(0, 1, 2, 3), align=4),
    Reader("MUFU.RCP", "DECOUPLED", lambda y, x: ins("MUFU.RCP", d=y, b=x), waits=True),
    Reader("POPC", "DECOUPLED", lambda y, x: ins("POPC", d=y, b=x), waits=True),
    Reader("BREV", "DECOUPLED", lambda y, x: ins("BREV", d=y, b=x), waits=True),
    Reader("F2I", "DECOUPLED", lambda y, x: ins("F2I", d=y, b=x), waits=True),
    Reader("I2F.F64", "DECOUPLED", lambda y, x: ins("I2F.F64", d=y, b=x), waits=True, wide=(0, 1)),
    Reader("F2F.F32.F64", "DECOUPLED", lambda y, x: ins("F2F.F32.F64", d=y, b=x), waits=True, align=2, reads=1),
    Reader("LDC", "DECOUPLED", lambda y, x: constant("LDC", y, 0x210, a=x), kind="const", waits=True),
    Reader("R2UR", "ALU", lambda y, x: ins("R2UR", d=UY, a=x), after=lambda y: [ins("MOV.UR", d=y, b=UY)]),
    Reader("BMOV", "CBU", lambda y, x: ins("BMOV.TO", b=x), waits=True, after=lambda y: [("w", ins("BMOV.FROM", d=y))], stores=True),
    Reader("LDS", "AGU", lambda y, x: ins("LDS", d=y, a=x), kind="shared", waits=True),
    Reader("STS.address", "AGU", lambda y, x: ins("STS", a=x, b=LANE, off=0x8000), kind="slot", waits=True, after=lambda y: [("w", ins("LDS", d=y, a=SHARED))]),
    Reader("STS.data", "AGU", lambda y, x: ins("STS", a=SHARED, b=x), waits=True, after=lambda y: [("w", ins("LDS", d=y, a=SHARED))], stores=True),
    Reader("LDG.address", "AGU", lambda y, x: ins("LDG", d=y, a=x), kind="global", waits=True, align=2),
    Reader("STG.data", "AGU", lambda y, x: ins("STG", a=GLOBAL, b=x), waits=True, after=lambda y: [("w", ins("LDG.STRONG", d=y, a=GLOBAL))], stores=True),
    Reader("SHFL.data", "AGU", lambda y, x: ins("SHFL.BFLY", d=y, a=x, p=PT), waits=True),
    Reader("SHFL.lane", "AGU", lambda y, x: ins("SHFL.IDX", d=y, a=LANE, b=x, p=PT), kind="lane", waits=True),
    Reader("ATOMS.data", "AGU", lambda y, x: ins("ATOMS.ADD", d=y, a=SHARED, b=x), waits=True,
           before=[ins("STS", a=SHARED, b=RZ)], after=lambda y: [("w", ins("LDS", d=y, a=SHARED))]),
]
READERS = [r for r in READERS if r.kind != "slot"]


def guarded(word):
    """The instruction under P0."""
    return field(word, 12, 4, 0)


PREADERS = [
    Reader("@MOV", "P_GUARD", lambda y, x: guarded(mov(y, ONE)), file="p"),
    Reader("@IADD3", "P_GUARD", lambda y, x: guarded(ins("IADD3", d=y, a=ONE, b=RZ, c=RZ)), file="p"),
    Reader("@IMAD", "P_GUARD", lambda y, x: guarded(ins("IMAD", d=y, a=ONE, b=ONE, c=RZ)), file="p"),
    Reader("@FFMA", "P_GUARD", lambda y, x: guarded(ins("FFMA", d=y, a=FONE, b=FONE, c=FONE)), file="p"),
    Reader("@HADD2", "P_GUARD", lambda y, x: guarded(ins("HADD2", d=y, a=HONE, b=HNEG0)), file="p"),
    Reader("@DADD", "P_GUARD", lambda y, x: guarded(ins("DADD", d=y, a=DONE, c=DNEG0)), wide=(0, 1), file="p"),
    Reader("@IMAD.WIDE", "P_GUARD", lambda y, x: guarded(ins("IMAD.WIDE", d=y, a=ONE, b=LANE, c=RZ)), wide=(0, 1), file="p"),
    Reader("@MUFU", "P_GUARD", lambda y, x: guarded(ins("MUFU.RCP", d=y, b=HONE)), waits=True, file="p"),
    Reader("@LDS", "P_GUARD", lambda y, x: guarded(ins("LDS", d=y, a=RZ, off=TABLE + 0x20)), waits=True, file="p"),
    Reader("@LDG", "P_GUARD", lambda y, x: guarded(ins("LDG", d=y, a=BASE)), waits=True, file="p"),
    Reader("@STS", "P_GUARD", lambda y, x: guarded(ins("STS", a=SHARED, b=ONE)), waits=True, file="p", before=[ins("STS", a=SHARED, b=RZ)],
           after=lambda y: [("w", ins("LDS", d=y, a=SHARED))], stores=True),
    Reader("@UMOV", "P_GUARD", None, file="p"),
    Reader("@BRA", "P_GUARD", None, file="p"),
    Reader("BRA p", "P_DECOUPLED", None, file="p"),
    Reader("SEL", "P_ALU", lambda y, x: ins("SEL", d=y, a=ONE, b=LANE, s=0), file="p"),
    Reader("FSEL", "P_ALU", lambda y, x: ins("FSEL", d=y, a=FONE, b=LANE, s=0), file="p"),
    Reader("IADD3.X", "P_ALU", lambda y, x: ins("IADD3.X", d=y, a=LANE, b=RZ, c=RZ, s=0), file="p"),
    Reader("P2R", "P_ALU", lambda y, x: ins("P2R", d=y, a=RZ, imm=1), file="p"),
    Reader("ISETP", "P_ALU", lambda y, x: ins("ISETP.NE.AND", a=ONE, b=RZ, p=6, s=0), after=truth, file="p"),
    Reader("PLOP3", "P_ALU", lambda y, x: ins("PLOP3.NOT", p=6, q=PT, s=0), after=truth, file="p"),
    Reader("IMAD.X", "P_FMA", lambda y, x: ins("IMAD.X", d=y, a=LANE, b=ONE, c=RZ, s=0), file="p"),
    Reader("IMAD.WIDE.X", "P_WIDE", lambda y, x: ins("IMAD.WIDE.X", d=y, a=LANE, b=ONE, c=RZ, s=0), wide=(0, 1), file="p"),
    Reader("VOTE", "P_DISP", lambda y, x: ins("VOTE.ANY.R", d=y, s=0), file="p"),
    Reader("VOTEU", "P_DISP", lambda y, x: ins("VOTEU.R", d=UY, s=0), after=lambda y: [ins("MOV.UR", d=y, b=UY)], file="p"),
    Reader("DSETP", "P_FP64", lambda y, x: ins("DSETP.AND", a=DONE, b=RZ, p=6, q=PT, s=0), after=truth, file="p"),
]
PREADERS = [r for r in PREADERS if r.word or r.name in ("@BRA", "BRA p")]


def from_uniform(y):
    return [ins("MOV.UR", d=y, b=UY)]


UREADERS = [
    Reader("IADD3", "U_COUPLED", lambda y, x: ins("IADD3.UR", d=y, a=ONE, b=x, c=RZ), file="u"),
    Reader("MOV", "U_COUPLED", lambda y, x: ins("MOV.UR", d=y, b=x), file="u"),
    Reader("IMAD", "U_COUPLED", lambda y, x: ins("IMAD.UR", d=y, a=ONE, b=x, c=RZ), file="u"),
    Reader("FFMA", "U_COUPLED", lambda y, x: ins("FFMA.UR", d=y, a=FONE, b=x, c=FNEG0), file="u"),
    Reader("ISETP", "U_COUPLED", lambda y, x: ins("ISETP.UR", a=V, b=x, p=6), after=truth, file="u"),
    Reader("MUFU", "U_DECOUPLED", lambda y, x: ins("MUFU.UR", d=y, b=x), waits=True, file="u"),
    Reader("POPC", "U_DECOUPLED", lambda y, x: ins("POPC.UR", d=y, b=x), waits=True, file="u"),
    Reader("LDS", "U_DECOUPLED", lambda y, x: field(ins("LDS.UR", d=y), 32, 8, x), kind="shared", waits=True, file="u"),
    Reader("STS", "U_DECOUPLED", None, kind="shared", waits=True, file="u"),
    Reader("UIADD3", "U_UDP", lambda y, x: ins("UIADD3", d=UY, a=x, b=URZ, c=URZ), after=from_uniform, file="u"),
    Reader("UIMAD", "U_UDP", lambda y, x: ins("UIMAD", d=UY, a=URZ, b=URZ, c=x), after=from_uniform, file="u"),
    Reader("USHF", "U_UDP", lambda y, x: ins("USHF.I", d=UY, a=URZ, imm=1, c=x), after=from_uniform, file="u"),
    Reader("ULEA", "U_UDP", lambda y, x: ins("ULEA", d=UY, a=x, b=URZ, c=URZ), after=from_uniform, file="u"),
    Reader("UMOV", "U_MOV", lambda y, x: ins("UMOV", d=UY, b=x), after=from_uniform, file="u"),
    Reader("ULDC", "U_LDC", lambda y, x: constant("ULDC.X", UY, 0x210, a=x), kind="const", after=from_uniform, file="u"),
    Reader("UISETP", "U_UDP", lambda y, x: ins("UISETP.NE", a=x, b=UV, p=2), after=lambda y: [ins("PLOP3.UP", p=6), ins("SEL", d=y, a=ONE, b=RZ, s=6)], file="u"),
]
UREADERS = [r for r in UREADERS if r.word and r.name != "UISETP"]
QREADERS = [
    Reader("UIADD3.X", "UP_UDP", lambda y, x: ins("UIADD3.X", d=UY, a=UCONST, b=URZ, c=URZ, s=0), after=from_uniform, file="q"),
    Reader("USEL", "UP_UDP", lambda y, x: ins("USEL", d=UY, a=UCONST, b=URZ, s=0), after=from_uniform, file="q"),
    Reader("PLOP3", "UP_COUPLED", lambda y, x: ins("PLOP3.UP", p=6), after=truth, file="q"),
    Reader("@UMOV", "UP_GUARD", lambda y, x: guarded(ins("UMOV.I", d=UY, imm=0x77)), before=[ins("UMOV.I", d=UY, imm=0)], after=from_uniform, file="q"),
    Reader("@UIADD3", "UP_GUARD", lambda y, x: guarded(ins("UIADD3", d=UY, a=UCONST, b=URZ, c=URZ)), before=[ins("UMOV.I", d=UY, imm=0)], after=from_uniform, file="q"),
]


def fits(writer, reader, half=0):
    """An image of the writer's value is an address only when the value is V itself, or 0."""
    if reader.kind == "data":
        return True
    if reader.kind == "global" and half and writer.cells[0] in ("HALF", "HALF_MMA") or writer.name == "HMNMX2" and reader.kind == "global":
        return False  # the upper half of an address is no number in half precision
    if writer.zero:
        return reader.kind in ("const", "lane")
    return writer.same or (writer.name == "UMOV.I" and reader.kind == "shared")


def counters(reader):
    """The counter that the second instruction raises: of its result, or where it has none, of its operands."""
    return {} if not reader.waits else {"read": 1} if reader.stores else {"write": 0}


def answer(c, reader, y, x, word, gap=None):
    """The second instruction and what brings its answer to y."""
    if reader.name == "RET":  # to one of two places
        c.add(back(x, 0), 15)
        c.slow(mov(y, ONE))
        c.add(branch(16), 15)
        c.slow(mov(y, FONE))
        c.settle()
        return
    if word is None:  # a branch around an instruction
        c.add(branch(16, guard=0) if reader.name == "@BRA" else branch(16, s=0), 15)
        c.slow(mov(y, ONE))
        c.settle()
        return
    c.add(word, 15, **(counters(reader)))
    c.settle()
    for instruction in (reader.after(y) if reader.after else []):
        if isinstance(instruction, tuple):
            c.add(instruction[1], 15, write=0)
        else:
            c.add(instruction, 15)
        c.settle()


def compare(c, y, z, wide):
    for i in wide:
        c.slow(ins("ISETP.NE", a=y + i, b=z + i, p=TEST), ins("IADD3", d=BAD, a=BAD, b=ONE, c=RZ, guard=TEST))
        if i != wide[-1]:
            c.slow()


def loop(c, number, body):
    """Runs the body as often as the launch says and adds the wrong answers to word `number` of the results."""
    c.add(constant("LDC", COUNT, 0x220), 15, write=0)
    c.slow(mov(BAD, RZ))
    c.settle()
    start = len(c.words)
    body()
    c.slow(ins("VIADD", d=COUNT, a=COUNT, imm=0xffffffff), ins("ISETP.NE", a=COUNT, b=RZ, p=TEST))
    c.settle(0)
    c.add(branch((start - len(c.words) - 1) * 16, guard=TEST), 15)
    c.add(ins("RED.ADD", a=OUT, b=BAD, off=4 * number), 15, read=0)
    c.settle()


class Probe:
    def __init__(self, name, hazard, first, second, emit, distances, kind="", pair=("", "")):
        self.name, self.hazard, self.first, self.second, self.emit, self.distances, self.kind, self.pair = name, hazard, first, second, emit, distances, kind, pair


def old(c, reader_file, quad=True):
    if reader_file == "r":
        for i in range(4):
            c.slow(mov(X + i, O + i))
    elif reader_file == "p":
        c.slow(ins("ISETP.NE", a=O, b=RZ, p=0))
    elif reader_file == "u":
        c.slow(ins("UMOV", d=UX, b=UO))
    else:
        c.slow(ins("UISETP.NE", a=UO, b=URZ, p=0))


def raw(writer, reader, half, guard_first=False):
    """A read behind a write: of register X + half."""
    wide_writer = len(writer.cells) > 1
    file = writer.file
    target = {"r": X if wide_writer else X + half, "p": 0, "u": UX, "q": 0}[file]
    source = {"r": V if wide_writer else V + half, "p": V, "u": UV, "q": UV}[file]
    read = (X + half) // reader.align * reader.align if file == "r" else target
    kind = "truth" if file in "pq" else reader.kind
    uniform = file in "uq" or writer.name == "VOTE" and file == "p" or reader.word is None

    def emit(c, number, distance, yields):
        def body():
            values(c, kind, uniform)
            if writer.name == "IMAD.HI":
                c.slow(mov(LIFT + 1, V + half))
            old(c, file)
            for i in range(4):
                c.slow(mov(Y + i, LANE), mov(Z + i, LANE))
            for word in reader.before or []:
                c.add(word, 15, read=7 if word & 0xff == 0x82 else 0)
            c.settle()
            first = writer.word(target, source)
            if distance:
                c.gap(first, distance, yields)
            answer(c, reader, Y, read, reader.word(Y, read) if reader.word else None)
            if not distance:
                c.add(first, 15)
            for word in reader.before or []:
                c.add(word, 15, read=7 if word & 0xff == 0x82 else 0)
            c.settle()
            answer(c, reader, Z, read, reader.word(Z, read) if reader.word else None)
            compare(c, Y, Z, reader.wide)
        loop(c, number, body)
    return emit


def waw(first_writer, second_writer, half, guard):
    """A write behind a write: X + half must be the second one's."""
    file = first_writer.file
    kind = {"r": "data", "p": "truth", "u": "data", "q": "truth"}[file]
    uniform = file in "uq" or "VOTE" in (first_writer.name, second_writer.name) and file == "p"

    def target(writer):
        return {"r": X if len(writer.cells) > 1 else X + half, "p": 0, "u": UX, "q": 0}[file]

    def emit(c, number, distance, yields):
        def body():
            values(c, kind, uniform)
            # The first one writes O, the second one V.
            old_source = {"r": O if len(first_writer.cells) > 1 else O + half, "p": O, "u": UO, "q": UO}[file]
            new_source = {"r": V if len(second_writer.cells) > 1 else V + half, "p": V, "u": UV, "q": UV}[file]
            for i in range(4):
                c.slow(mov(X + i, LANE))
            c.settle()
            first = first_writer.word(target(first_writer), old_source)
            second = second_writer.word(target(second_writer), new_source)
            if file == "r":  # the value lifted into the upper half: one for each of the two
                c.slow(mov(LIFT + 1, O + (half if first_writer.name == "IMAD.HI" else 1)), mov(LIFT2, RZ), mov(LIFT2 + 1, V + (half if second_writer.name == "IMAD.HI" else 1)))
                if second_writer.name in ("IMAD.WIDE", "IMAD.HI"):
                    second = field(second, 64, 8, LIFT2)
            if guard:
                first = field(first, 12, 4, TRUE)
            c.settle()
            if distance:
                c.gap(first, distance, yields)
                c.add(second, 15, **({"write": 0} if second_writer.waits else {}))
            else:
                c.add(second, 15, **({"write": 0} if second_writer.waits else {}))
                c.settle()
                c.add(first, 15)
            c.settle()
            got(c, file, Y, half)
            c.settle()
            c.add(second, 15, **({"write": 0} if second_writer.waits else {}))
            c.settle()
            got(c, file, Z, half)
            c.settle(0)
            compare(c, Y, Z, (0,))
        loop(c, number, body)
    return emit


def got(c, file, y, half):
    if file == "r":
        c.slow(mov(y, X + half))
    elif file == "p":
        c.slow(ins("SEL", d=y, a=ONE, b=RZ, s=0))
    elif file == "u":
        c.slow(ins("MOV.UR", d=y, b=UX))
    else:
        c.slow(ins("PLOP3.UP", p=6), ins("SEL", d=y, a=ONE, b=RZ, s=6))


def war(reader, writer, half):
    """A write behind a read, without a counter: Y must come from the value before."""
    file = writer.file
    target = {"r": X if len(writer.cells) > 1 else X + half, "p": 0, "u": UX, "q": 0}[file]
    read = (X + half) // reader.align * reader.align if file == "r" else target
    kind = "truth" if file in "pq" else reader.kind
    uniform = file in "uq" or writer.name == "VOTE" and file == "p"
    source = {"r": V if len(writer.cells) > 1 else V + half, "p": V, "u": UV, "q": UV}[file]

    def emit(c, number, distance, yields):
        def body():
            values(c, kind, uniform)
            for i in range(4):
                c.slow(mov(Y + i, LANE), mov(Z + i, LANE))
            old(c, file)
            for word in reader.before or []:
                c.add(word, 15, read=7 if word & 0xff == 0x82 else 0)
            c.settle()
            answer(c, reader, Z, read, reader.word(Z, read) if reader.word else None)  # of the old value
            for word in reader.before or []:
                c.add(word, 15, read=7 if word & 0xff == 0x82 else 0)
            c.settle()
            second = writer.word(target, source)
            word = reader.word(Y, read)
            if distance:
                c.gap(word, distance, yields, **(counters(reader)))
                c.add(second, 15)
                c.settle()
            else:
                c.add(second, 15)
                c.settle()
                c.add(word, 15, **(counters(reader)))
                c.settle()
            for instruction in (reader.after(Y) if reader.after else []):
                if isinstance(instruction, tuple):
                    c.add(instruction[1], 15, write=0)
                else:
                    c.add(instruction, 15)
                c.settle()
            compare(c, Y, Z, reader.wide)
        loop(c, number, body)
    return emit


FAST, SLOW, GUARDS, UNIFORM = list(range(0, 13)), list(range(0, 19)) + [20, 22, 24, 28, 32], list(range(0, 19)), list(range(0, 19))
MATRIX = ("MMA_1X", "MMA_2X", "IMMA_88")


def halves_of(writer, reader):
    """Which registers of X to try: both registers of a pair, for a writer of one register the even and the odd one."""
    if len(writer.cells) == 4:
        return (0, 1, 2, 3)
    if reader is not None and reader.reads is not None:
        return (reader.reads,)
    return (0, 1)


def reads_it(reader, half):
    if reader.align == 4:
        return True
    return half < 2 or reader.align <= 2


def all_probes():
    probes = []
    for writer in WRITERS:
        for reader in READERS:
            if not fits(writer, reader):
                continue
            for half in halves_of(writer, reader):
                if not fits(writer, reader, half):
                    continue
                cell = writer.cells[half if len(writer.cells) > 1 else 0]
                distances = SLOW if writer.slow and cell in MATRIX else list(range(0, 13)) + [14, 16, 18, 20] if writer.slow else FAST
                probes.append(Probe(f"{writer.name} {half} -> {reader.name}", "RAW", cell, reader.cell, raw(writer, reader, half), distances))
    for writer in PWRITERS:
        for reader in PREADERS:
            probes.append(Probe(f"{writer.name} -> {reader.name}", "RAW", writer.cells[0], reader.cell, raw(writer, reader, 0), GUARDS))
    for writer in UWRITERS:
        for reader in UREADERS:
            if fits(writer, reader):
                probes.append(Probe(f"{writer.name} -> {reader.name}", "RAW", writer.cells[0], reader.cell, raw(writer, reader, 0), UNIFORM))
    variable = [w("MUFU.EX2", "DECOUPLED", lambda x, v: ins("MUFU.EX2", d=x, b=v), same=False, waits=True),
                w("POPC", "DECOUPLED", lambda x, v: ins("POPC", d=x, b=v), same=False, waits=True),
                w("LDC", "DECOUPLED", lambda x, v: constant("LDC", x, 0x210), same=False, waits=True),
                w("S2R", "DECOUPLED", lambda x, v: ins("S2R.TID", d=x), same=False, waits=True),
                w("LDS", "AGU", lambda x, v: ins("LDS", d=x, a=RZ, off=TABLE + 0x20), same=False, waits=True),
                w("SHFL", "AGU", lambda x, v: ins("SHFL.BFLY", d=x, a=v, p=PT), same=False, waits=True)]
    some = ("IADD3", "MOV", "SHF", "FMNMX", "IMAD", "FFMA", "IMAD.HI", "IMAD.WIDE", "CS2R.64", "HADD2", "HFMA2", "HADD2.F32", "HFMA2.MMA", "DADD", "DFMA", "HMMA.1688.F32", "HMMA.16816.F32",
            "IMMA.8816", "IMMA.16816")
    chosen = [writer for writer in WRITERS if writer.name in some]
    for first in chosen:
        for second in chosen + variable:
            for half in (0, 1):
                if second.zero and first.zero:
                    continue
                a, b = (writer.cells[half if len(writer.cells) > 1 else 0] for writer in (first, second))
                distances = [d for d in SLOW if d < 19] if a in MATRIX else list(range(0, 13)) if first.slow else list(range(0, 9))
                for guard in (False, True):
                    probes.append(Probe(f"{'@' if guard else ''}{first.name} {half} / {second.name}", "WAW" + ("G" if guard else ""), a, b,
                                        waw(first, second, half, guard), distances))
    # Pairs of one instruction with two values: a clock and 0; two constants.
    clock = Writer("CS2R.64 clock", ["DISP64", "DISP64"], lambda x, v: ins("CLOCK64", d=x))
    zero = next(writer for writer in WRITERS if writer.name == "CS2R.64")
    constants = [w(f"ULDC {offset:#x}", "U_LDC", lambda x, v, offset=offset: constant("ULDC", x, offset), file="u", same=False) for offset in (0x220, 0x224)]
    for guard in (False, True):
        probes.append(Probe(f"{'@' if guard else ''}CS2R.64 clock 0 / CS2R.64", "WAW" + ("G" if guard else ""), "DISP64", "DISP64", waw(clock, zero, 0, guard), list(range(0, 9))))
        probes.append(Probe(f"{'@' if guard else ''}ULDC / ULDC", "WAW" + ("G" if guard else ""), "U_LDC", "U_LDC", waw(*constants, 0, guard), list(range(0, 15))))
    for writer in QWRITERS:
        for reader in QREADERS:
            probes.append(Probe(f"{writer.name} -> {reader.name}", "RAW", writer.cells[0], reader.cell, raw(writer, reader, 0), UNIFORM))
    late = [w("SHFL", "P_DECOUPLED", lambda x, v: ins("SHFL.BFLY", d=82, a=LANE, p=x), file="p", waits=True),
            w("FCHK", "P_DECOUPLED", lambda x, v: ins("FCHK", a=v, b=HONE, p=x), file="p", waits=True)]
    for file_writers, behind in ((PWRITERS, late), (UWRITERS, []), (QWRITERS, [])):
        for first in file_writers:
            for second in file_writers + behind:
                if first is second and not first.same:
                    continue
                for guard in (False, True) if first.file == "p" else (False,):
                    probes.append(Probe(f"{'@' if guard else ''}{first.name} / {second.name}", "WAW" + ("G" if guard else ""), first.cells[0], second.cells[0],
                                        waw(first, second, 0, guard), list(range(0, 15))))
    for reader in READERS:
        for writer in chosen:
            if not fits(writer, reader):
                continue
            for half in halves_of(writer, reader)[:2]:
                if not fits(writer, reader, half):
                    continue
                cell = writer.cells[half if len(writer.cells) > 1 else 0]
                if writer.name in ("IADD3", "IMAD", "HADD2", "DADD", "CS2R.64", "IMAD.WIDE", "HFMA2.MMA", "IMMA.16816"):
                    probes.append(Probe(f"{reader.name} <- {writer.name} {half}", "WAR", reader.cell, cell, war(reader, writer, half), [0, 1, 2, 3, 4, 6, 8, 12, 16]))
    for reader in UREADERS:
        for writer in UWRITERS:
            if fits(writer, reader) and writer.name in ("UMOV", "UIADD3", "ULDC", "VOTEU", "R2UR"):
                probes.append(Probe(f"{reader.name} <- {writer.name}", "WAR", reader.cell, writer.cells[0], war(reader, writer, 0), [0, 1, 2, 3, 4, 6, 8, 12]))
    for reader in QREADERS:
        for writer in QWRITERS:
            probes.append(Probe(f"{reader.name} <- {writer.name}", "WAR", reader.cell, writer.cells[0], war(reader, writer, 0), [0, 1, 2, 3, 4]))
    for reader in PREADERS:
        for writer in PWRITERS:
            if reader.word and writer.name in ("ISETP", "VOTE", "IMAD.WIDE", "DSETP"):
                probes.append(Probe(f"{reader.name} <- {writer.name}", "WAR", reader.cell, writer.cells[0], war(reader, writer, 0), [0, 1, 2, 3, 4]))
    return probes


def return_probes():
    """A return to a place that a register has. A wrong place may be anywhere, so these run apart from the others."""
    reader = Reader("RET", "CBU", None, kind="place", align=2)
    names = ("IADD3", "VIADD", "MOV", "SHF", "LOP3", "PRMT", "IMAD", "IMAD.MOV", "IMAD.WIDE", "FADD", "HADD2", "HFMA2.MMA", "DADD")
    return [Probe(f"{writer.name} 0 -> RET", "RAW", writer.cells[0], "CBU", raw(writer, reader, 0), list(range(0, 17))) for writer in WRITERS if writer.name in names]


def image(probes, distance, yields, exit_at):
    """The code of probes at one distance. Code that is too long is a fault of the caller."""
    c = Code()
    prologue(c)
    for number, probe in enumerate(probes):
        probe.emit(c, number, distance, yields)
    if len(c.words) * 16 > exit_at:
        raise ValueError("too long")
    c.add(branch(exit_at - 16 * len(c.words) - 16), 15)
    return data(c.words)


def text_of(cubin):
    """Place and size of the kernel's code, and place of its EXIT there."""
    table, = struct.unpack_from("<Q", cubin, 40)
    count, names = struct.unpack_from("<HH", cubin, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + 64 * i) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if cubin[start:].startswith(b".text."):
            code = cubin[header[4]:header[4] + header[5]]
            exits = [at for at in range(0, len(code), 16) if struct.unpack_from("<H", code, at)[0] == 0x794d]
            return header[4], header[5], exits[-1]
    raise ValueError("no code")


def groups_of(probes, exit_at):
    """Probes with the same distances that fit in one image."""
    by_distances = {}
    for probe in probes:
        by_distances.setdefault((tuple(probe.distances), probe.hazard == "RAW"), []).append(probe)
    start = Code()
    prologue(start)
    for (distances, _), some in by_distances.items():
        group, room = [], exit_at // 16 - len(start.words) - 2
        for probe in some:
            need = 0
            for distance in (0, max(distances)):
                c = Code()
                probe.emit(c, 0, distance, False)
                need = max(need, len(c.words))
            if need > room or len(group) == 256:
                yield distances, group
                group, room = [], exit_at // 16 - len(start.words) - 2
            group.append(probe)
            room -= need
        if group:
            yield distances, group


def write(path, probes, exit_at):
    """Reads behind writes are tried twice: the warp may give way in the gap, or never."""
    index, sizes, numbered = {"groups": [], "probes": []}, 0, 0
    packer, packed = lzma.LZMACompressor(preset=1), []
    for distances, group in groups_of(probes, exit_at):
        entry = {"first": numbered, "probes": len(group), "images": []}
        for probe in group:
            index["probes"].append([probe.name, probe.hazard, probe.first, probe.second])
        numbered += len(group)
        for distance in distances:
            for y in (False, True) if distance and group[0].hazard == "RAW" else (False,):
                code = image(group, distance, y, exit_at)
                entry["images"].append([distance, int(y), len(code)])
                packed.append(packer.compress(code))
                sizes += len(code)
        index["groups"].append(entry)
    packed.append(packer.flush())
    with open(path, "wb") as file:
        file.write(lzma.compress(json.dumps(index, separators=(",", ":")).encode() + b"\n"))
        for part in packed:
            file.write(part)
    return numbered, sum(len(group["images"]) for group in index["groups"]), sizes


def main():
    template = open(sys.argv[1], "rb").read()
    _, _, exit_at = text_of(template)
    probes = return_probes() if sys.argv[3:] == ["--returns"] else all_probes()
    print("%d probes, %d images, %d bytes of code" % write(sys.argv[2], probes, exit_at))


if __name__ == "__main__":
    main()
