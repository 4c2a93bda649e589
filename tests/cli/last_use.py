"""The last-use mechanism on the whole machine (LU-14): the dot product of examples/last-use in the trace `stages` (LU-13). The checker proves the
programs, and each thread's result is right. Cycles are those of docs/last-use.md, from the entry of the first product on."""
import json
import re

from harness import SOURCE, Cases, values

COLUMNS = ["cycle", "warp", "A", "B", "C", "operands from", "written", "left out", "instruction in A"]
LATENCY = ["--set", "latency.fma.latency=2"]

c = Cases()


def sums_of(text):
    """The rows of each warp, from the one on in which its first product is in stage A: [cycle, A, B, C, sums and where they come from, written, left out]."""
    rows = {}
    lines = text.splitlines()
    c.check(re.split(r"\s{2,}", lines[0].strip()) == COLUMNS, f"the columns are {lines[0]}")
    for line in lines[1:]:
        row = dict(zip(COLUMNS, re.split(r"\s{2,}", line.strip())))
        of_warp = rows.setdefault(row["warp"], [])
        if of_warp or row["A"] == "r20":
            sums = " ".join(re.findall(r"r2[0-3]:[\w-]+", row["operands from"]))
            of_warp.append([int(row["cycle"]), row["A"], row["B"], row["C"], sums, row["written"], row["left out"]])
    for of_warp in rows.values():
        first = of_warp[0][0]
        for row in of_warp:
            row[0] -= first
    return rows


def run(name, *settings, warps=1, flags=True, edit=("", "")):
    """Runs a program, with an edit of its text. Returns its rows by warp, and the counters of the register file."""
    source = (SOURCE / "examples/last-use" / name).read_text().replace(*edit)
    c.file("k.hasm", source if flags else source.replace(".lu", ""))
    c.file("out.npy", "")
    what = f"{name} {' '.join(settings)}"
    result = c.run("asm", "k.hasm", "-o", "k.hko")
    result = c.run("check", "k.hko", *LATENCY, *settings) if result.status == 0 else result
    c.check(result.status == 0, f"{what}: the checker proves it", result)
    launch = ["--block", 32 * warps, "--arg", f"out:out.npy:f32:{32 * warps}"]
    right = [5.0 * (i + 1) + 12 + 21 + 32 for i in range(32 * warps)]
    for more in (["--functional"], [*LATENCY, *settings, "--trace", "stages:stages.txt", "--report", "report.json"]):
        result = c.run("run", "k.hasm", *launch, "--quiet", *more)
        c.check(result.status == 0 and values(c.root / "out.npy") == right, f"{what}: the sums are right", result)
    return sums_of((c.root / "stages.txt").read_text()), json.loads((c.root / "report.json").read_text())["register_file"]


def expect(what, got, expected):
    c.check(got == expected, f"{what}\n  is       {got}\n  expected {expected}")


# T1 to T8 are cycles 0 to 7 (LU-8): stages A, B, C, what the sums come from, what is written and left out.
NO_REGISTERS = ["--set", "last_use.compensation=0"]
rows, counters = run("dp4.hasm", *NO_REGISTERS, flags=False)
WITHOUT = [
    [0, "r20", "-", "-", "", "-", "-"],
    [1, "r21", "r20", "-", "", "-", "-"],
    [2, "r22", "r21", "r20", "r20:C-B", "-", "-"],
    [3, "r23", "r22", "r21", "r21:C-B", "-", "-"],
    [4, "-", "r23", "r22", "", "r20", "-"],
    [5, "-", "-", "r23", "", "r21", "-"],
    [6, "r24", "-", "-", "r22:C-A r23:C-B", "r22", "-"],
    [7, "-", "r24", "-", "", "r23", "-"],
]
expect("T1 to T8 without flags", [r for r in rows["0.0.0"] if r[0] < 7], [r for r in WITHOUT if r[0] < 7])
expect("T8 without flags", [r[5] for r in rows["0.0.0"] if r[0] == 7], ["r23"])
expect("R4 is written", [r[5] for r in rows["0.0.0"] if r[0] == 10], ["r24"])
expect("flags in vain without flags", counters["writes_flagged"], 0)
without = counters["writes"]

rows, counters = run("dp4.hasm", *NO_REGISTERS)
expect("T1 to T8 with flags", [r for r in rows["0.0.0"] if r[0] < 8], [
    [0, "r20", "-", "-", "", "-", "-"],
    [1, "r21", "r20", "-", "", "-", "-"],
    [2, "r22", "r21", "r20", "r20:C-B", "-", "r20"],
    [3, "r23", "r22", "r21", "r21:C-B", "-", "r21"],
    [4, "-", "r23", "r22", "", "-", "-"],
    [5, "-", "-", "r23", "", "-", "-"],
    [6, "r24", "-", "-", "r22:C-A r23:C-B", "-", "r22 r23"],
])
expect("of five writes one is left", [counters["writes"], counters["writes_skipped"]], [without - 4, 4])

# Both compensation registers hold a product when the third sub-instruction comes four cycles late.
rows, counters = run("dp4_delayed.hasm", "--set", "last_use.compensation=2")
expect("both compensation registers", [[r[0], r[1], r[4], r[6]] for r in rows["0.0.0"] if r[6] != "-"],
       [[6, "r22", "r20:comp2", "r20"], [7, "r23", "r21:comp2", "r21"], [10, "r24", "r22:C-A r23:C-B", "r22 r23"]])
expect("reads by compensation registers", [counters["compensation_reads"], counters["writes_skipped"]], [2, 4])
for registers, late in ((0, 2), (1, 2)):
    rows, counters = run("dp4_delayed.hasm", "--set", f"last_use.compensation={registers}")
    expect(f"with {registers} compensation registers the products are written", [counters["writes_flagged"], counters["writes_skipped"]], [late, 4 - late])
    expect("R0 is written when it leaves its last place", [r[0] for r in rows["0.0.0"] if r[5] == "r20"], [4 + registers])

# The pseudo-code's R4, two cycles behind the T7 of the table: R2 and R3 come from the two compensation registers.
rows, counters = run("dp4.hasm", "--set", "last_use.compensation=2", edit=("{delay 3}", "{delay 5}"))
expect("R4 from both compensation registers", [r for r in rows["0.0.0"] if r[1] == "r24"], [[8, "r24", "-", "-", "r22:comp2 r23:comp1", "-", "r22 r23"]])
expect("of five writes one is left again", [counters["compensation_reads"], counters["writes_skipped"]], [2, 4])

# LU-6 with a real miss: the line of the third sub-instruction is not in the instruction cache, and nothing asked for it before.
rows, counters = run("dp4_fetch.hasm", *NO_REGISTERS, "--set", "predecode.prefetch=0")
late = [[r[0] > 100, r[1], r[4], r[6]] for r in rows["0.0.0"] if r[1] in ("r22", "r23", "r24")]
expect("a fetch miss", late, [[True, "r22", "r20:file", "(r20 late)"], [True, "r23", "r21:file", "(r21 late)"], [True, "r24", "r22:C-A r23:C-B", "r22 r23"]])
expect("both products are written", [[r[0], r[5]] for r in rows["0.0.0"] if r[5] in ("r20", "r21")], [[4, "r20"], [5, "r21"]])
expect("flags in vain of a fetch miss", [counters["writes_flagged"], counters["writes_skipped"]], [2, 2])

# LU-6 with lost arbitration: the oldest of four warps takes the slots in which the others could issue.
rows, counters = run("dp4.hasm", *NO_REGISTERS, "--set", "machine.schedulers=1", warps=4)
expect("warp 0 goes first", [r[0] for r in rows["0.0.0"] if r[1] in ("r20", "r21", "r22", "r23", "r24")], [0, 1, 2, 3, 6])
lost = [[r[0], r[1], r[4], r[6]] for r in rows["0.0.1"] if r[1] == "r22"]
expect("warp 1 loses slots to warp 0", lost, [[5, "r22", "r20:file", "(r20 late)"]])
expect("its product is written", [r[0] for r in rows["0.0.1"] if r[5] == "r20"], [4])
c.check(counters["writes_flagged"] > 0 and counters["writes_flagged"] + counters["writes_skipped"] == 16, f"each of 16 flags saves a write or is late: {counters}")
c.end()
