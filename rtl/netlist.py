"""A module as standard cells, for the energy of its switching (rtl/energy.py): Yosys and ABC, and the result as C for rtl/lockstep/switching.c."""
import functools
import json
import re
import subprocess

import area

BANK = 8  # flip-flops behind a clock gate: neighbouring bits of one signal


@functools.cache
def cells():
    """Of each standard cell: its area, its inputs in alphabetic order, its output, and its truth table. Flip-flops have no truth table."""
    text, found = area.LIBERTY.read_text(), {}
    for name, body in re.findall(r"^cell \((\w+)\) \{(.*?)^\}", text, re.S | re.M):
        pins = re.findall(r"pin\((\w+)\)\s*\{(.*?)(?=pin\(|\Z)", body, re.S)
        inputs = sorted(pin for pin, of in pins if re.search(r"direction : input", of))
        outputs = [(pin, re.search(r'function : "([^"]+)"', of)) for pin, of in pins if re.search(r"direction : output", of)]
        size = float(re.search(r"area : ([\d.]+)", body)[1])
        if len(outputs) != 1 or not set(re.findall(r"\w+", outputs[0][1][1])) <= set(inputs):  # flip-flops, latches, adders of one bit, tristate buffers
            found[name] = {"area": size}
            continue
        pin, function = outputs[0][0], outputs[0][1][1]
        code = re.sub(r"(?<=[\w)]) +(?=[\w(!])", " & ", function).replace("+", "|").replace("!", "~")
        table = sum((eval(code, {}, dict(zip(inputs, [number >> i & 1 for i in range(len(inputs))]))) & 1) << number for number in range(1 << len(inputs)))
        found[name] = {"area": size, "inputs": inputs, "output": pin, "table": table}
    return found


def synthesize(module, parameters, sources, folder):
    """Writes the mapped design to netlist.json in the folder. State keeps its encoding, so a bench can compare it. ABC spends less effort than for the areas
    of rtl/area.py, which takes a fifth of the time and two percent more or less."""
    sizes = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    read = f"read_verilog -defer -sv {' '.join(str(file) for file in sources)}; hierarchy -top {module}{sizes}; rename -top {module}"
    out = folder / "netlist.json"
    done = subprocess.run(["yosys", "-q", "-p", f"{read}; synth -flatten -nofsm -top {module}; dfflibmap -liberty {area.LIBERTY}; "
                           f"abc -liberty {area.LIBERTY} -D 1000000 -script +strash;map,-B,0.9;topo;buffer,-c; opt_clean; write_json {out}"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"energy: {module}: {done.stdout[-2000:]}")


def load(module, folder):
    """The design that `synthesize` has written."""
    return json.loads((folder / "netlist.json").read_text())["modules"][module]


def flip_flops_of(design):
    return [cell for cell in design["cells"].values() if cell["type"].startswith("DFF")]


def nand2(design):
    """Area in NAND2 equivalents: gates, and flip-flops."""
    known, sums = cells(), [0.0, 0.0]
    for cell in design["cells"].values():
        sums[cell["type"].startswith("DFF")] += known[cell["type"]]["area"] / known["NAND2X1"]["area"]
    return sums


def banks(design):
    """The bank of each flip-flop, by the net of its output."""
    named, numbers = {}, {}
    for name, signal in sorted(design["netnames"].items(), key=lambda item: (item[1]["hide_name"], -len(item[1]["bits"]), item[0])):
        for i, bit in enumerate(signal["bits"]):
            named.setdefault(bit, (name, i // BANK))
    return {cell["connections"]["Q"][0]: numbers.setdefault(named[cell["connections"]["Q"][0]], len(numbers)) for cell in flip_flops_of(design)}


def gates(design):
    """(cell, inputs, output) of each gate, and its level."""
    known, made = cells(), {}
    for cell in design["cells"].values():
        kind, pins = known[cell["type"]], cell["connections"]
        if "table" in kind:
            made[pins[kind["output"]][0]] = (kind, [pins[pin][0] for pin in kind["inputs"]])
        elif not cell["type"].startswith("DFF"):
            raise SystemExit(f"energy: no function of the cell {cell['type']}")
    levels, stack = {}, list(made)
    while stack:
        net = stack[-1]
        waits = [other for other in made[net][1] if other in made and other not in levels]
        if net in levels or not waits:
            levels.setdefault(stack.pop(), 1 + max([levels.get(other, 0) for other in made[net][1]], default=0))
        else:
            stack += waits
    return made, levels


def ports(design, state):
    """(name, bits, is input) of each port, and of each signal that is state."""
    found = [(name, port["bits"], port["direction"] == "input") for name, port in design["ports"].items()]
    for name in state:
        if name in design["ports"]:
            continue
        if name in design["netnames"]:
            found.append((name, design["netnames"][name]["bits"], False))
            continue
        if f"{name}[0]" not in design["netnames"]:  # no output depends on it
            found.append((name, [], False))
            continue
        words = [design["netnames"][f"{name}[{i}]"]["bits"] for i in range(sum(other.startswith(f"{name}[") for other in design["netnames"]))]
        stride = [bits for bits in (8, 16, 32 * ((len(words[0]) + 31) // 32)) if bits >= len(words[0])][0]  # as Verilator keeps a memory
        found.append((name, [bit for word in words for bit in word + ["0"] * (stride - len(word))], False))
    return found


def as_c(design, state, events):
    """The netlist as C. `events` are expressions: `ones(PORT)` is the number of ones in a port."""
    made, levels = gates(design)
    bank, numbers = banks(design), {"0": 0, "1": 1, "x": 0}
    number = lambda net: numbers.setdefault(net, len(numbers) - 1)
    rows = ports(design, state)
    unit = cells()["NAND2X1"]["area"]
    text = ['#include "switching.h"']
    gate_rows = []
    for net, (kind, inputs) in made.items():
        nets = ", ".join(str(number(other)) for other in inputs)
        gate_rows.append(f"\t{{{kind['table']}, {levels[net]}, {round(1000 * kind['area'] / unit)}, {{{nets}}}, {number(net)}}},")
    flops = []
    for cell in flip_flops_of(design):
        if cell["type"] != "DFFPOSX1":
            raise SystemExit(f"energy: a flip-flop of type {cell['type']}")
        d, q = cell["connections"]["D"][0], cell["connections"]["Q"][0]
        flops.append(f"\t{{{number(d)}, {number(q)}, {bank[q]}}},")
    bits = {True: [], False: []}
    for i, (name, nets, is_input) in enumerate(rows):
        if name != "clk":
            bits[is_input] += [f"\t{{{number(net)}, {i}, {bit}}}," for bit, net in enumerate(nets)]
    for name, nets, _ in rows:
        text.append(f"static uint32_t port_{name}[{(len(nets) + 31) // 32 or 1}];")
    text += ["lockstep_port dut_ports[] = {", *[f'\t{{"{name}", port_{name}, {"sizeof port_" + name if nets else 0}}},' for name, nets, _ in rows], "};"]
    text += [f"const unsigned dut_n_ports = {len(rows)};", "const switching_gate switching_gates[] = {", *gate_rows, "\t{0}};"]
    text += ["const switching_flip_flop switching_flip_flops[] = {", *flops, "\t{0}};", "const switching_bit switching_bits[] = {", *bits[True], *bits[False], "\t{0}};"]
    for name, value in (("gates", len(gate_rows)), ("flip_flops", len(flops)), ("bits", len(bits[True]) + len(bits[False])), ("inputs", len(bits[True])),
                        ("nets", len(numbers)), ("levels", max(levels.values(), default=0)), ("banks", len(set(bank.values()))), ("events", len(events))):
        text.append(f"const unsigned switching_n_{name} = {value};")
    at = {name: i for i, (name, _, _) in enumerate(rows)}
    body = [f"\tevents[{i}] += {expression};" for i, expression in enumerate(events)]
    body = [re.sub(r"\bones\((\w+)", lambda m: f"switching_ones(&dut_ports[{at[m[1]]}]", line) for line in body]
    text += ["void switching_events(uint64_t events[SWITCHING_EVENTS])", "{", "\t(void)events;", *body, "}", ""]
    return "\n".join(text)
