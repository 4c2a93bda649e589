"""The subjects of rtl/energy.py: the units, their events, and the operations of published energy."""


class Unit:
    """A unit of the energy model as gates.

    events: (what, expression in C) for each kind of event; the expression is counted in each cycle (netlist.as_c). machine: the preset whose recorded runs
    drive it. ports: for each kind of event in a recording, how many the module takes in a cycle; a cycle with more is spread over several. sizes: parameters
    that differ from those of the replay, or all of them for random stimulus. payload: what queues hold of an instruction is 32 random
    bits of its address, instead of zeros. slots: of these kinds of events, by the beginning of their names, only those of the first MACHINE_WARPS warp slots
    are replayed, and no other kinds. counted: flip-flops are those of the module, so rtl/energy.py check can count them anew. apart: outputs and state; the
    gates and flip-flops that serve nothing else are driven, and not counted."""

    def __init__(self, name, module, events, machine=None, ports=None, sizes=None, payload=False, slots="", counted=False, apart=""):
        self.name, self.module, self.events, self.machine = name, module, events, machine
        self.ports, self.sizes, self.payload, self.slots, self.counted = ports or {}, sizes or {}, payload, tuple(slots.split()), counted
        self.apart = tuple(apart.split())


class Anchor:
    """An operation of published energy."""

    def __init__(self, name, picojoule, source, verilog):
        self.name, self.picojoule, self.source, self.verilog = name, picojoule, source, verilog


UNITS = [
    Unit("fence_counters", "fence_counters", [("a primary raises its counter", "ones(raise_valid)")], "heddle",
         {"FENCE_WRITTEN": 2, "FENCE_RELEASED": 2, "FENCE_RAISED": 1}, {"WRITES": 2, "RELEASES": 2, "RAISES": 1}),
    Unit("wait_counters", "wait_counters", [("a secondary is sent", "ones(send_valid)")], "heddle", {"WAIT_LEFT": 2, "WAIT_SENT": 1}, {"LEAVES": 2, "SENDS": 1}, counted=True),
    Unit("decode_check", "decode_check", [("an instruction is checked", "switching_checks()")], "heddle"),
    Unit("hazard_monitor", "hazard_monitor", [("operands are read or a result is written", "ones(write_valid) + ones(read_valid)"),
                                              ("a warp is sent back", "ones(deschedule)")], "heddle", counted=True),
    Unit("active_logic", "active_logic", [("an instruction enters a pipe", "switching_checks()")], "heddle"),
    Unit("issue_queue", "issue_queue", [("an instruction enters a queue", "ones(push_valid)")], "heddle"),
    Unit("payload", "issue_queue", [("an instruction enters a queue", "ones(push_valid)")], "heddle", payload=True),
    Unit("fifo", "issue_queue", [("an instruction enters a queue", "ones(push_valid)")], "baseline"),
    Unit("scoreboard", "scoreboard", [("an instruction is checked", "switching_checks() - ones(issue_valid)"), ("an instruction is entered", "ones(issue_valid)")],
         "baseline", {"SCORE_READ": 2, "SCORE_WRITTEN": 2, "SCORE_DONE": 2, "SCORE_CHECK": 99, "SCORE_ISSUE": 1}, {"READS": 2, "WRITES": 2, "DONES": 2}),
    Unit("macro_scheduler", "macro_scheduler", [("a cycle with a warp", "ones(occupied) > 0")], "heddle",
         sizes={"MACHINE_WARPS": 16, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 0, "ADJUST_BITS": 4}),
    Unit("resume_unit", "resume_unit", [("a flow instruction", "ones(op_valid) && ones(op_ready)"), ("a step", "ones(step_valid) && ones(step_ready)")], "heddle",
         sizes={"MACHINE_WARPS": 2, "LANES": 32, "PC_BITS": 24, "DIVERGENCE_CALL_DEPTH": 8, "MEMBERSHIP_RANGE": 0}, slots="FLOW"),
    Unit("reconvergence_stack", "reconvergence_stack", [("an operation", "ones(op_valid) && ones(op_ready)"), ("a step", "ones(step_valid)")], "baseline",
         sizes={"MACHINE_WARPS": 2, "LANES": 32, "PC_BITS": 24, "TOKENS": 32}, slots="FLOW"),
    Unit("window_select", "window_select", [("something is sent", "ones(pick_valid) && ones(targets)")], "heddle",
         sizes={"MACHINE_WARPS": 2, "MULTI_ISSUE_WINDOW": 4, "WINDOW_SPAN": 32, "PIPES": 8, "FENCE_COUNTERS": 6, "QUEUE_SPACING": 20}, slots="WINDOW PICKED HELD SELECTED"),
    # Values are priced as wires and small files (docs/energy.md, G), so those gates are apart.
    Unit("write_controller", "write_controller", [("a register that is read", "switching_words(PORT(operand_words), 3, PORT(operand_valid), PORT(reader_valid), 3)")],
         "last-use", apart="operand_value place_value kept_value"),
]
ANCHORS = [
    Anchor("add32", 0.089, "H", "module add32 (input logic [31:0] a, input logic [31:0] b, output logic [31:0] out); assign out = a + b; endmodule\n"),
    Anchor("compare32", 0.029, "A", "module compare32 (input logic [31:0] a, input logic [31:0] b, output logic out); assign out = a < b; endmodule\n"),
]

FLIP_FLOP = 0.009  # pJ, source A of docs/energy.md: a flip-flop that the clock reaches, and its output


class Price:
    """An entry of the model: a sum of terms, each a function of the energies of the units (energy.Energies) in picojoule."""

    def __init__(self, key, terms, how):
        self.key, self.terms, self.how = key, terms, how


def each(unit, event=0, times=1.0):
    """The energy of an event of a unit, by least squares where the unit has several kinds of events."""
    return lambda energy: times * energy.of_event(unit, event)


def all_of(units, events):
    """All energy of some units, divided by a number of events: pairs (unit, times)."""
    return lambda energy: sum(energy.of_unit(unit) for unit in units) / sum(times * energy.events(unit) for unit, times in events)


def of_comparison(energy):
    """The energy of the write controller for a register that is read, by the results that the model compares it with (hd_result_comparators)."""
    sizes = energy.counts["write_controller"]["sizes"][0]["parameters"]
    places = sizes["LAST_USE_PATH_B"] + sizes["LAST_USE_PATH_A"] + sizes["LAST_USE_COMPENSATION"]
    return energy.of_event("write_controller", 0) / (places * sizes["PIPES"])


# An entry counts 2 events for each primary and each secondary: its counter rises, and falls.
PRICES = [
    Price("fence_update", [all_of(["fence_counters", "wait_counters", "hazard_monitor"], [("fence_counters", 2), ("wait_counters", 2)])],
          "fence and wait counters and monitor, divided by raises and lowers"),
    Price("fence_check", [each("decode_check"), each("issue_queue"), each("fifo", 0, -1)],
          "decoder's check, and what an instruction costs more in an issue queue than in the baseline's FIFO: masks and distances"),
    Price("scoreboard_check", [each("scoreboard", 0)], "a check that changes the inputs of the scoreboard"),
    Price("scoreboard_update", [each("scoreboard", 1)], "an instruction entered, read and written"),
    Price("queue", [each("fifo"), each("active_logic"), each("payload", 0, 2), each("issue_queue", 0, -2)],
          "the baseline's FIFO, active logic, and 64 bits of payload: twice the difference of two runs with 32 bits"),
    Price("hazard_entry", [each("payload", 0, 2), each("issue_queue", 0, -2)], "the same 64 bits of payload once more"),
    Price("window_check", [each("window_select", 0, 1 / 3)], "picks in which something is sent, divided by three candidates behind the first"),
    Price("register_compare", [of_comparison],
          "the write controller without values, divided by registers that are read and by the 40 results with which the model compares each of them"),
    Price("schedule", [each("macro_scheduler")], "a cycle of the macro scheduler; the choice of the first ready warp is no module"),
    Price("divergence", [each("resume_unit")], "a flow instruction"),
    Price("stack_token", [each("reconvergence_stack")], "an operation of the stack"),
]
