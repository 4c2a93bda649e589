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


def output_of(cell):
    """The net that a gate or a flip-flop drives."""
    kind = cells()[cell["type"]]
    return cell["connections"][kind["output"] if "table" in kind else "Q"][0]


def counted(design, apart):
    """The cells that do more than serve the outputs and state of these names, by the nets that they drive. Those of values, for example, are another unit."""
    if not apart:
        return {output_of(cell) for cell in design["cells"].values()}
    drivers = {output_of(cell): cell for cell in design["cells"].values()}
    left_out = {bit for name in apart if name in design["netnames"] for bit in design["netnames"][name]["bits"]}
    left = [net for name, port in design["ports"].items() if port["direction"] == "output" and name not in apart for net in port["bits"]]
    left += [net for net, cell in drivers.items() if "table" not in cells()[cell["type"]] and net not in left_out]
    found = set()
    while left:
        net = left.pop()
        if net in found or net not in drivers or (net in left_out and "table" not in cells()[drivers[net]["type"]]):
            continue
        found.add(net)
        left += [other for pin, nets in drivers[net]["connections"].items() for other in nets if other != net and pin != "CLK"]
    return found


def nand2(design, apart=()):
    """Area in NAND2 equivalents: gates, and flip-flops."""
    known, sums, there = cells(), [0.0, 0.0], counted(design, apart)
    for cell in design["cells"].values():
        if output_of(cell) in there:
            sums[cell["type"].startswith("DFF")] += known[cell["type"]]["area"] / known["NAND2X1"]["area"]
    return sums


def banks(design, there):
    """The bank of each flip-flop, by the net of its output. Those that are not `there` are not counted, and have no bank."""
    named, numbers = {}, {}
    for name, signal in sorted(design["netnames"].items(), key=lambda item: (item[1]["hide_name"], -len(item[1]["bits"]), item[0])):
        for i, bit in enumerate(signal["bits"]):
            named.setdefault(bit, (name, i // BANK))
    outputs = [cell["connections"]["Q"][0] for cell in flip_flops_of(design)]
    found = {net: numbers.setdefault(named[net], len(numbers)) for net in outputs if net in there}
    return {net: found.get(net, len(numbers)) for net in outputs}


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


def as_c(design, state, events, apart=()):
    """The netlist as C. `events` are expressions: `ones(NAME)` is the number of ones in a port, `PORT(NAME)` the port. What only serves the outputs and
    state `apart` is there, and nothing of it is counted."""
    made, levels = gates(design)
    there = counted(design, apart)
    bank, numbers = banks(design, there), {"0": 0, "1": 1, "x": 0}
    number = lambda net: numbers.setdefault(net, len(numbers) - 1)
    rows = ports(design, state)
    unit = cells()["NAND2X1"]["area"]
    text = ['#include "switching.h"']
    gate_rows = []
    for net, (kind, inputs) in made.items():
        nets = ", ".join(str(number(other)) for other in inputs)
        area_of = round(1000 * kind["area"] / unit) if net in there else 0
        gate_rows.append(f"\t{{{kind['table']}, {levels[net]}, {area_of}, {{{nets}}}, {number(net)}}},")
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
                        ("nets", len(numbers)), ("levels", max(levels.values(), default=0)), ("banks", len({bank[net] for net in bank if net in there})), ("events", len(events))):
        text.append(f"const unsigned switching_n_{name} = {value};")
    at = {name: i for i, (name, _, _) in enumerate(rows)}
    body = [f"\tevents[{i}] += {expression};" for i, expression in enumerate(events)]
    body = [re.sub(r"\bones\((\w+)", lambda m: f"switching_ones(&dut_ports[{at[m[1]]}]", line) for line in body]
    body = [re.sub(r"\bPORT\((\w+)\)", lambda m: f"&dut_ports[{at[m[1]]}]", line) for line in body]
    text += ["void switching_events(uint64_t events[SWITCHING_EVENTS])", "{", "\t(void)events;", *body, "}", ""]
    return "\n".join(text)
