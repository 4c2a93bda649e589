#!/usr/bin/env python3
"""HW-1, HW-3: the files of rtl/ are modules with documented ports, one clock, a synchronous reset, and nothing that synthesis cannot make. Needs no hardware tools.

Each module names the requirements that it implements. Each port has a width, a comment of its own or one above its group of lines, and a group has no
blank line in it."""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PORT = re.compile(r"^\t(input|output) logic (?:signed )?(\[[^\]]+\] )?(\w+)(,?)(.*)$")
REQUIREMENT = re.compile(r"\b(HZ|PD|RC|MI|LU|HW)-\d+\b")
FORBIDDEN = {r"\binitial\b": "an initial block", r"\bnegedge\b": "a falling edge", r"\balways_latch\b": "a latch", r"#\d": "a delay", r"\$(display|random|time)\b": "a system task",
             r"\b(import|package|interface|`include)\b": "another file", r"\balways @|\balways\s*\(": "a block of no kind", r"\b(SB_|DFF|BUFG|RAMB|altera)\w*": "a vendor's primitive"}


def problems(path):
    """The faults of a module, as lines of text."""
    text = path.read_text()
    code = re.sub(r"//.*|/\*.*?\*/", "", text)
    found = [f"{path.name}: error: {what}" for pattern, what in FORBIDDEN.items() if re.search(pattern, code)]
    if re.findall(r"^module (\w+)", code, re.M) != [path.stem]:
        found.append(f"{path.name}: error: it is not one module with the name of the file")
    if not REQUIREMENT.search(text):
        found.append(f"{path.name}: error: no requirement is named")
    clocks = set(re.findall(r"always_ff @\(posedge (\w+)\)", code)) | set(re.findall(r"always_ff @\((?!posedge \w+\))([^)]*)\)", code))
    if not clocks <= {"clk"}:
        found.append(f"{path.name}: error: clocks are {', '.join(sorted(clocks))}")
    documented, ports = False, 0
    head = text[text.index("module ") : text.index("\n);")]
    for line in head[max(head.find(") ("), 0) :].splitlines():
        port = PORT.match(line)
        if re.match(r"^\t//", line):
            documented = True
        elif not line.strip():
            documented = False
        elif port:
            ports += 1
            if not documented and "//" not in port[5] and port[3] != "clk":
                found.append(f"{path.name}: error: port {port[3]} has no comment")
        elif re.match(r"^\t(input|output|inout)\b", line):
            found.append(f"{path.name}: error: the form of a port is `input logic [WIDTH] name`: {line.strip()}")
    if not ports:
        found.append(f"{path.name}: error: no ports")
    return found


BROKEN = """// HZ-1
module broken (
	input logic clk,
	input logic [3:0] a, // its meaning

	output logic b
);
	initial b = 1'b0;
	always_ff @(posedge a[0]) b <= a[1];
endmodule
"""


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-ports-") as made:
        broken = pathlib.Path(made) / "broken.sv"
        broken.write_text(BROKEN)
        said = " ".join(problems(broken))
        for text in ("an initial block", "port b has no comment", "clocks are"):
            if text not in said:
                sys.exit(f"ports: the broken module is said to be: {said or 'right'}; expected: {text}")
    modules = sorted((ROOT / "rtl").glob("*.sv"))
    found = [line for path in modules for line in problems(path)]
    print("\n".join(found) or f"{len(modules)} modules")
    return 1 if found or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
