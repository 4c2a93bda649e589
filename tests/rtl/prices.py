#!/usr/bin/env python3
"""HW-8: how rtl/energy.py spreads busy cycles of a recording, and how it makes prices of counts. Needs no hardware tools."""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "rtl"))

import energy  # noqa: E402
import energy_units  # noqa: E402

KINDS = [name for name, _ in energy.recording_kinds()]


def need(condition, *what):
    if not condition:
        sys.exit(f"prices: {' '.join(str(word) for word in what)}")


def event(name, *values):
    return bytes([KINDS.index(name)]) + b"".join(bytes(energy.leb128(value)) for value in values)


def rewritten(unit, slots, *events):
    with tempfile.TemporaryDirectory(prefix="heddle-prices-") as made:
        a, b = pathlib.Path(made) / "a", pathlib.Path(made) / "b"
        a.write_bytes(b"heddle-recording 1\n\n" + b"".join(events))
        energy.rewrite(a, b, unit, slots)
        return b.read_bytes()[len(b"heddle-recording 1\n\n"):]


def check_busy_cycles():
    """The third write of a cycle comes in a cycle of its own; warps of another instance have ports of their own; other kinds are left out."""
    unit = energy_units.Unit("x", "x", [], ports={"FENCE_WRITTEN": 2})
    writes = [event("FENCE_WRITTEN", warp, 1, 300, 0, 0, 0) for warp in (0, 1, 2, 0)]
    tick = event("TICK", 0)
    got = rewritten(unit, 2, event("BEGIN"), tick, *writes, event("COUNTED", 0, 9), tick, writes[0])
    need(got == event("BEGIN") + tick + writes[0] + writes[1] + writes[2] + tick + writes[3] + tick + writes[0], "two writes a cycle", got)
    got = rewritten(unit, 4, tick, *writes)
    need(got == tick + writes[0] + writes[1] + tick + writes[2] + writes[3], "one instance for four slots", got)


def check_slots():
    """Only events of the named kinds, and of the first warp slots."""
    unit = energy_units.Unit("x", "x", [], slots="FENCE WAIT_SENT")
    kept = [event("BEGIN"), event("TICK", 0), event("FENCE_RAISED", 1, 1, 8, 8, 1, 0), event("WAIT_SENT", 0, 3, 3)]
    left = [event("FENCE_RAISED", 2, 1, 8, 8, 1, 0), event("WAIT_LEFT", 0, 3, 0), event("COUNTED", 0, 9)]
    got = rewritten(unit, 2, *kept, *left)
    need(got == b"".join(kept), "slots", got)


def check_payload():
    """An address is the payload of a queue: nothing, or the same random bits for the same address."""
    events = [event("PUSHED", 1, 2, 3, pc, 5, 6) for pc in (700, 701, 700)] + [event("LEAVES", 1, 2, 3, 700), event("COUNTED", 0, 9)]
    plain = rewritten(energy_units.Unit("x", "x", []), 16, *events)
    need(plain == event("PUSHED", 1, 2, 3, 0, 5, 6) * 3 + event("LEAVES", 1, 2, 3, 0) + events[4], "no payload", plain)
    words = [energy.payload_of(pc) for pc in (700, 701)]
    need(all(0 < word < (1 << 32) - 1 for word in words) and 8 < bin(words[0] ^ words[1]).count("1") < 24, words)
    got = rewritten(energy_units.Unit("x", "x", [], payload=True), 16, *events)
    need(got == b"".join(event("PUSHED", 1, 2, 3, word, 5, 6) for word in (words[0], words[1], words[0])) + event("LEAVES", 1, 2, 3, words[0]) + events[4], "payload")


def check_prices():
    """Two windows: three events of the first kind and one of the second, and one and two. An event switches 4 NAND2 of the first kind, 10 of the second."""
    counts = {"anchors": {anchor.name: {"gates": anchor.picojoule / price} for anchor, price in zip(energy_units.ANCHORS, (1.0, 9.0))},
              "units": {"two": {"events": [4, 3], "gates": 46, "clocked": 0, "changed": 0, "squares": [10, 5, 5, 5], "products": [3 * 22 + 24, 0, 22 + 2 * 24, 0]},
                        "one": {"events": [5], "gates": 10, "clocked": 1000, "changed": 250, "squares": [0], "products": [0, 0]},
                        "never": {"events": [4, 3], "gates": 46, "clocked": 0, "changed": 0, "squares": [10, 5, 5, 5], "products": [20, 0, 70, 0]}}}
    made = energy.Energies(counts)
    close = lambda a, b: abs(a - b) < 1e-9
    need(close(made.nand2, 3.0), "the mean of the anchors", made.nand2)
    need(close(made.of_event("two", 0), 12) and close(made.of_event("two", 1), 30), "two kinds", made.of_event("two", 0), made.of_event("two", 1))
    need(close(made.of_event("one", 0), (30 + 1000 * energy_units.FLIP_FLOP) / 5), "one kind", made.of_event("one", 0))
    need(close(energy.Energies(counts, alone=True).of_event("one", 0), (30 + 250 * energy_units.FLIP_FLOP) / 5), "a clock gate for each flip-flop")
    need(made.of_event("never", 0) == 0 and close(made.of_event("never", 1), 46), "no price below zero", made.of_event("never", 0), made.of_event("never", 1))
    for value, text in ((0.0004, "0.000"), (0.0149, "0.015"), (0.356, "0.36"), (1.25001, "1.3"), (14.4, "14"), (0.98, "0.98")):
        need(energy.two_digits(value) == text, value, energy.two_digits(value))


def main():
    check_busy_cycles()
    check_slots()
    check_payload()
    check_prices()
    print("recordings are spread and prices made as by hand")
    return 0


if __name__ == "__main__":
    sys.exit(main())
