#!/usr/bin/env python3
"""Prints a page with parameters and ports of each module, with width and meaning, from the comments in the modules."""
import pathlib
import re
import sys

RTL = pathlib.Path(__file__).resolve().parent
ORDER = ["order_unit", "order_core", "fence_counters", "wait_counters", "decode_check", "issue_queue", "active_logic", "hazard_monitor", "macro_scheduler",
         "resume_unit", "window_select", "write_controller", "operand_buffer", "scoreboard", "reconvergence_stack"]
PARAMETER = re.compile(r"^\tparameter (?:\[[^\]]+\] )?(\w+) = (.*?),?\s*(?://\s*(.*))?$")
PORT = re.compile(r"^\t(input|output) logic (?:signed )?(?:\[(.+?):0\] )?(\w+),?\s*(?://\s*(.*))?$")
HEAD = """# Parameters and ports

`rtl/ports.py` prints this page from the comments in the modules. How the modules fit together, and in which phase of a
cycle each port counts, is in README.md. A bus of several elements has element 0 in its lowest bits: the
width `WRITES*WARP_BITS` means `WRITES` elements of `WARP_BITS` bits. Parameters that end in `_BITS` and have an
expression as value follow from the others.
"""


def cell(text):
    return (text or "").replace("|", "\\|").strip()


def width(last):
    """The width of a port whose highest bit is `last`."""
    if not last or last.isdigit():
        return str(int(last or 0) + 1)
    return f"`{last[:-2]}`" if last.endswith("-1") else f"`{last} + 1`"


def sentence(text):
    return text[0].upper() + text[1:] + ("" if text[-1] in ".:!?" else ".")


def wrapped(text):
    """Lines of at most 120 characters, as in the other pages."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 120:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def parameters(head):
    rows = ["| parameter | value | meaning |", "|---|---|---|"]
    for line in head.split(") (")[0].splitlines():
        match = PARAMETER.match(line)
        if match:
            rows.append(f"| `{match[1]}` | `{cell(match[2])}` | {cell(match[3])} |")
    return [*rows, ""] if len(rows) > 2 else []


def ports(head):
    """A paragraph for each comment above a group of ports, and a table of the group."""
    out, said, rows = [], [], []

    def end_group():
        if said:
            out.extend([*wrapped(sentence(" ".join(said))), ""])
        if rows:
            out.extend(["| port | | width | meaning |", "|---|---|---|---|", *rows, ""])
        said.clear()
        rows.clear()

    for line in head[head.find(") (") if ") (" in head else 0 :].splitlines():
        port = PORT.match(line)
        if port:
            rows.append(f"| `{port[3]}` | {port[1]} | {width(port[2])} | {cell(port[4])} |")
        elif re.match(r"\s*(input|output)\b", line):
            sys.exit(f"ports: error: the form of a port is `input logic [WIDTH] name`: {line.strip()}")
        elif line.strip().startswith("//"):
            if rows:
                end_group()
            said.append(line.strip()[2:].strip())
        elif not line.strip():
            end_group()
    end_group()
    return out


def page():
    out = [HEAD]
    for name in ORDER:
        text = (RTL / f"{name}.sv").read_text()
        head = text[re.search(r"^module ", text, re.M).start() : text.index("\n);")]
        out += [f"## {name}", "", *parameters(head), *ports(head)]
    return "\n".join(out).rstrip()


def main():
    modules = {path.stem for path in RTL.glob("*.sv")}
    if modules != set(ORDER):
        sys.exit(f"ports: error: ORDER and the modules differ in {', '.join(sorted(modules ^ set(ORDER)))}")
    print(page())


if __name__ == "__main__":
    main()
