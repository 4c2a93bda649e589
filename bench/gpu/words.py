"""Words of machine code for sm_90: an instruction is an integer of 128 bits without its control fields. The opcodes and modifiers are those of code
that ptxas makes; `heddle disasm` shows what comes out. probes.py builds its probes from them."""

RZ, URZ, PT, UPT = 255, 63, 7, 7
CONTROL = (1 << 128) - (1 << 105)


def field(word, at, bits, value):
    mask = (1 << bits) - 1
    return word & ~(mask << at) | (value & mask) << at


# Name: the low and the high half, both with zeros where a register stands.
FORMS = {
    "NOP": (0x7918, 0), "EXIT": (0x794d, 0x3800000), "BRA": (0x7947, 0x3800000),
    # integers
    "IADD3": (0x7210, 0x7ffe000), "IADD3.UR": (0x7c10, 0xfffe000), "IADD3.X": (0x7210, 0x7fe400), "IADD3.P": (0x7210, 0x7f1e000), "VIADD": (0x7836, 0),
    "LOP3": (0x7212, 0x78e0000), "LOP3.P": (0x7212, 0x780c000 | RZ), "LOP3.I": (0x7812, 0x78e0000), "MOV": (0x7202, 0xf00), "MOV.I": (0x7802, 0xf00), "MOV.UR": (0x7c02, 0x8000f00),
    "SHF.R.I": (0x7819, 0x11600), "SHF.L": (0x7219, 0x600), "SEL": (0x7207, 0), "FSEL": (0x7208, 0), "LEA": (0x7211, 0x78e0000 | RZ), "PRMT.I": (0x7816, 0),
    "VIMNMX": (0x7248, 0x3fe0100), "FMNMX": (0x7209, 0x3800000), "IABS": (0x7213, 0), "I2FP": (0x7245, 0x201400), "F2FP": (0x723e, RZ),
    "HMNMX2": (0x7240, 0x3800000), "P2R": (0x7803, 0), "R2P": (0x7804, 0), "CS2R": (0x7805, 0x1ff00), "CS2R.32": (0x7805, 0xff00),
    "CLOCK": (0x7805, 0x5000), "CLOCK64": (0x7805, 0x15000), "VOTE.ANY.R": (0x7806, 0xe0100), "VOTE.ANY.P": (0x7806 | RZ << 16, 0x100),
    "ISETP.NE": (0x720c, 0x3f05070), "ISETP.NE.AND": (0x720c, 0x705270), "ISETP.GE": (0x720c, 0x3f06070), "ISETP.UR": (0x7c0c, 0xbf05070), "FSETP.NEU": (0x720b, 0x3f0d000),
    "PLOP3.NOT": (0x781c, 0xe170), "PLOP3.UP": (0x781c, 0x3f0f008), "SGXT": (0x781a, 0x200), "BMSK": (0x721b, 0),
    # the FMA pipes
    "IMAD": (0x7224, 0x78e0200), "IMAD.UR": (0x7c24, 0xf8e0200), "IMAD.X": (0x7224, 0xe0600), "FADD": (0x7221, 0), "FMUL": (0x7220, 0x400000), "FFMA": (0x7223, 0),
    "FFMA.UR": (0x7c23, 0x8000000), "IDP": (0x7226, 0), "IMAD.WIDE": (0x7225, 0x78e0000), "IMAD.WIDE.P": (0x7225, 0x7800000), "IMAD.WIDE.X": (0x7225, 0xe0400),
    "IMAD.HI": (0x7227, 0x78e0000),
    # halves
    "HADD2": (0x7230, 0), "HMUL2": (0x7232, 0), "HFMA2": (0x7231, 0), "HFMA2.MMA": (0x7235, 0), "HADD2.F32": (0x20000000ff007230, 0x4100), "HSET2": (0x7233, 0x3806000),
    "HSETP2": (0x7234, 0x3f0e800),
    # doubles
    "DADD": (0x7229, 0), "DMUL": (0x7228, 0), "DFMA": (0x722b, 0), "DSETP.NEU": (0x722a, 0x3f0d000), "DSETP.AND": (0x722a, 0x0d000),
    "DADD.UR": (0x7e29, 0x8000000),
    # matrices
    "HMMA.16816.F32": (0x723c, 0x1800), "HMMA.1688.F32": (0x723c, 0x1000), "HMMA.16816.F16": (0x723c, 0x800), "IMMA.16816": (0x7237, 0x405400), "IMMA.16832": (0x7237, 0x405c00),
    "IMMA.8816": (0x7237, 0x5400),
    # of variable latency
    "MUFU.RCP": (0x7308, 0x1000), "MUFU.EX2": (0x7308, 0x800), "MUFU.UR": (0x7d08, 0x8001000), "POPC": (0x7309, 0), "POPC.UR": (0x7d09, 0x8000000), "BREV": (0x7301, 0),
    "FLO": (0x7300, 0xe0000), "I2F.F64": (0x7312, 0x201c00), "F2F.F32.F64": (0x7310, 0x301000), "F2F.F64.F32": (0x7310, 0x201800), "F2I": (0x7305, 0x203100), "I2F.RP": (0x7306, 0x209400),
    "FCHK": (0x7302, 0), "LDC": (0x7b82, 0x800), "S2R.TID": (0x7919, 0x2100), "S2UR.CTAID": (0x79c3, 0x2500), "S2UR.CLOCK": (0x79c3, 0x5000), "S2R.CTAID": (0x7919, 0x2500), "R2UR": (0x72ca, 0xe0000), "SHFL.BFLY": (0x0e001f0000007f89, 0xe0000),
    "SHFL.IDX": (0x1f0000007589, 0xe0000), "BMOV.TO": (0x6007356, 0), "BMOV.FROM": (0x6007355, 0x100000),
    # memory; the descriptor of global memory is UR4
    "LDS": (0x7984, 0x800), "LDS.64": (0x7984, 0xa00), "LDS.128": (0x7984, 0xc00), "LDS.UR": (0x7984 | RZ << 24, 0x8000800), "STS": (0x7388, 0x800), "STS.UR": (0x7988 | RZ << 24, 0x8000800),
    "LDG": (0x407981, 0xc1e1900), "LDG.64": (0x407981, 0xc1e1b00), "LDG.STRONG": (0x407981, 0xc1ef900), "STG": (0x7986, 0xc101904), "STG.64": (0x7986, 0xc101b04), "STG.128": (0x7986, 0xc101d04), "RED.ADD": (0x798e, 0xc10e184),
    "ATOMS.ADD": (0x738c, 0), "ATOMS.CAS": (0x738d, 0), "ATOMG.ADD": (0x79a8, 0x81ee1c4), "BAR": (0x7b1d, 0x10000), "DEPBAR": (0x791a, 0), "MATCH": (0x73a1, 0xe8000), "LDSM": (0x783b, 0),
    "MEMBAR": (0x7992, 0xa000),
    # uniform
    "ULDC": (0x7ab9, 0x800), "ULDC.64": (0x7ab9, 0xa00), "ULDC.X": (0x7abb, 0x8000800), "UMOV": (0x7c82, 0x8000000), "UMOV.I": (0x7882, 0), "UIADD3": (0x7290, 0xfffe000), "ULEA": (0x7291, 0xf8e0000),
    "UIMAD": (0x72a4, 0xf8e0200), "UIMAD.WIDE": (0x72a5, 0xf8e0000), "USHF.I": (0x7899, 0x8011600), "ULOP3": (0x7292, 0xf8e0000), "USEL": (0x7287, 0x8000000), "UPOPC": (0x72bf, 0x8000000),
    "VOTEU.R": (0x7886, 0xe0100), "VOTEU.P": (0x7886 | URZ << 16, 0), "UISETP.NE": (0x728c, 0xbf05070), "UIADD3.P": (0x7290, 0xff1e000), "UIADD3.X": (0x7290, 0x87fe400), "RET.REL": (0x7950, 0x3c00000), "UPRMT.I": (0x7896, 0x8000000),
}
FORMS["LDGSTS"] = (0x7fae, 0xb921844)
FORMS["LDGDEPBAR"] = (0x79af, 0)
FORMS["LDG"] = (0x0000000400007981, 0xc1e1900)
FORMS["LDG.64"] = (0x0000000400007981, 0xc1e1b00)
FORMS["LDG.STRONG"] = (0x0000000400007981, 0xc1ef900)


def ins(name, d=None, a=None, b=None, c=None, imm=None, off=None, guard=None, gnot=False, p=None, q=None, s=None, snot=False, extra=0):
    """An instruction. d, a, b, c: registers; imm: bits 32 to 64; off: byte offset of an address; guard: a predicate; p, q: predicates that it writes;
    s: one that it reads; extra: more bits of the high half."""
    low, high = FORMS[name]
    word = low | (high | extra) << 64
    for at, value in ((16, d), (24, a), (32, b), (64, c)):
        if value is not None:
            word = field(word, at, 8, value)
    if imm is not None:
        word = field(word, 32, 32, imm)
    if off is not None:
        word = field(word, 40, 24, off)
    if guard is not None:
        word = field(word, 12, 4, guard | (8 if gnot else 0))
    for at, value in ((81, p), (84, q), (87, s)):
        if value is not None:
            word = field(word, at, 3, value)
    if snot:
        word |= 1 << 90
    return word


def branch(distance, guard=PT, gnot=False, s=None):
    """BRA over `distance` bytes, counted from the next instruction."""
    units = distance // 4
    word = ins("BRA", guard=guard, gnot=gnot, s=s)
    word = field(word, 16, 8, units)
    return field(word, 34, 48, units >> 8)


def back(register, distance):
    """RET.REL.NODEC: to the value of a pair of registers, counted from `distance` behind the next instruction."""
    word = branch(distance)
    return field(word & ~0xffff | 0x7950, 24, 8, register) | 1 << 86


def constant(name, d, offset, a=None, bank=0):
    """A load from a constant bank."""
    word = ins(name, d=d, a=RZ if a is None and name.startswith("LDC") else a)
    return field(field(word, 38, 16, offset), 54, 5, bank)


def depbar(counter, left):
    """DEPBAR.LE."""
    return field(ins("DEPBAR"), 32, 16, 0x8000 | counter << 12 | left << 6)


def control(word, stall=15, yields=None, write=7, read=7, wait=0):
    """With the control fields. `yields`: the warp may give way; None: as ptxas does, from a stall of 12 on."""
    if yields is None:
        yields = stall >= 12
    return word & ~CONTROL | stall << 105 | (0 if yields else 1) << 109 | write << 110 | read << 113 | wait << 116


def data(words):
    return b"".join(word.to_bytes(16, "little") for word in words)
