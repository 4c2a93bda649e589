#!/usr/bin/env python3
"""Draws rtl/timing.svg and rtl/descheduled.svg, the timing diagrams of rtl/README.md. Each row is one signal: 0 and 1 are levels, other characters are
values of a bus. tests/rtl/timing.py compares each row with what order_unit does (tests/rtl/timing.sv). `--check` fails when a picture is not that."""
import pathlib
import sys

CYCLES = 9
# A primary is sent in cycle 1 and raises counter 1. A secondary of the same warp is sent in cycle 2 and waits for the write, which comes in cycle 6.
WAITS = [
    ("clk", None),
    ("decode_check.send", "011000000"),
    ("fence_counters.raise_valid", "010000000"),
    ("fence_counters.value", "008888800"),
    ("issue_queue.push_valid", "001000000"),
    ("issue_queue.fifo_n", "000100000"),
    ("issue_queue.hazard_n", "000011100"),
    ("wait_counters.value", "000111100"),
    ("fence_counters.written_valid", "000000100"),
    ("fence_counters.outstanding", "001111100"),
    ("fence_counters.outstanding_written", "001111000"),
    ("issue_queue.leave_valid", "000000100"),
]
# The same with a counter that the decoder checks: ports of order_unit. The warp is sent back in cycle 2 and wakes in cycle 6.
DESCHEDULED = [
    ("clk", None),
    ("valid", "011000010"),
    ("send", "010000010"),
    ("deschedule", "001000000"),
    ("verdict", "001000000"),
    ("watch", "001000000"),
    ("asleep", "000111000"),
    ("write_valid", "000000100"),
    ("outstanding", "001111000"),
    ("wake", "000000100"),
    ("leave_valid", "000000001"),
    ("enter", "000000001"),
]
PICTURES = {"timing.svg": WAITS, "descheduled.svg": DESCHEDULED}  # by number of the scenario of tests/rtl/timing.sv
BUSES = {"fence_counters.value", "issue_queue.fifo_n", "issue_queue.hazard_n", "wait_counters.value", "verdict", "watch"}
LEFT, STEP, HEIGHT, LEVEL = 250, 56, 26, 14


def clock(y):
    points = []
    for cycle in range(CYCLES):
        x = LEFT + cycle * STEP
        points += [(x, y - LEVEL), (x + STEP // 2, y - LEVEL), (x + STEP // 2, y), (x + STEP, y)]
        if cycle == 0:
            points.insert(0, (x, y))
    return points


def level(wave, y):
    points = []
    for cycle, value in enumerate(wave):
        height = y - LEVEL if value == "1" else y
        points += [(LEFT + cycle * STEP, height), (LEFT + (cycle + 1) * STEP, height)]
    return points


def bus(wave, y):
    """Boxes with the value, one for each run of equal values."""
    out, begin = [], 0
    for cycle in range(1, CYCLES + 1):
        if cycle == CYCLES or wave[cycle] != wave[begin]:
            x, width = LEFT + begin * STEP, (cycle - begin) * STEP
            out.append(f'<rect x="{x + 2}" y="{y - LEVEL}" width="{width - 4}" height="{LEVEL}" rx="3" fill="#eef3fb" stroke="#345"/>')
            out.append(f'<text x="{x + width / 2}" y="{y - 3}" text-anchor="middle">{wave[begin]}</text>')
            begin = cycle
    return out


def picture(rows):
    width, height = LEFT + CYCLES * STEP + 10, HEIGHT * (len(rows) + 1) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for cycle in range(CYCLES):
        x = LEFT + cycle * STEP
        out.append(f'<text x="{x + STEP / 2}" y="14" text-anchor="middle" fill="#666">{cycle}</text>')
        out.append(f'<line x1="{x}" y1="20" x2="{x}" y2="{height}" stroke="#ddd"/>')
    for row, (name, wave) in enumerate(rows):
        y = HEIGHT * (row + 2)
        out.append(f'<text x="{LEFT - 8}" y="{y - 3}" text-anchor="end">{name}</text>')
        if name in BUSES:
            out += bus(wave, y)
        else:
            points = clock(y) if wave is None else level(wave, y)
            out.append(f'<polyline fill="none" stroke="#135" stroke-width="1.5" points="{" ".join(f"{x},{v}" for x, v in points)}"/>')
    return "\n".join([*out, "</svg>", ""])


def main():
    for name, rows in PICTURES.items():
        target = pathlib.Path(__file__).resolve().parent / name
        if "--check" not in sys.argv:
            target.write_text(picture(rows))
        elif target.read_text() != picture(rows):
            sys.exit(f"rtl/{name}: error: it is not what rtl/waves.py draws")


if __name__ == "__main__":
    main()
