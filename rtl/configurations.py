"""The sizes in which rtl/run.py tries the modules."""

# Modules that a module consists of, in the order in which they are read.
PARTS = {"order_core": ["fence_counters", "wait_counters", "decode_check", "issue_queue"]}
PARTS["order_unit"] = [*PARTS["order_core"], "order_core", "active_logic", "hazard_monitor"]

# Lockstep: the first size is the one for mutations, so it is small. A module that is not here is not tried.
LOCKSTEP = {
    "fence_counters": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3, "FENCE_BITS": 5, "WRITES": 2, "RELEASES": 2, "RAISES": 1},
        {"MACHINE_WARPS": 2, "FENCE_COUNTERS": 2, "FENCE_BITS": 4, "WRITES": 3, "RELEASES": 1, "RAISES": 2},
        {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6, "FENCE_BITS": 7, "WRITES": 3, "RELEASES": 3, "RAISES": 2},
    ],
    "wait_counters": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3, "WAIT_BITS": 3, "LEAVES": 2, "SENDS": 1},
        {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6, "WAIT_BITS": 4, "LEAVES": 3, "SENDS": 2},
    ],
    "decode_check": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3},
        {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6},
        {"MACHINE_WARPS": 2, "FENCE_COUNTERS": 8},
    ],
    "scoreboard": [
        {"MACHINE_WARPS": 2, "RESOURCES": 12, "FENCE_CONSUMERS": 3, "ORDER_BITS": 4, "READS": 2, "WRITES": 2, "DONES": 2},
        {"MACHINE_WARPS": 4, "RESOURCES": 20, "FENCE_CONSUMERS": 1, "ORDER_BITS": 5, "READS": 2, "WRITES": 2, "DONES": 2},
        {"MACHINE_WARPS": 2, "RESOURCES": 70, "FENCE_CONSUMERS": 63, "ORDER_BITS": 7, "READS": 3, "WRITES": 2, "DONES": 2},
    ],
    "issue_queue": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 2, "QUEUE_FIFO": 2, "QUEUE_HAZARD": 4, "QUEUE_SPACING": 5, "PAYLOAD_BITS": 16},
        {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6, "QUEUE_FIFO": 4, "QUEUE_HAZARD": 4, "QUEUE_SPACING": 63, "PAYLOAD_BITS": 32},
        {"MACHINE_WARPS": 2, "FENCE_COUNTERS": 2, "QUEUE_FIFO": 1, "QUEUE_HAZARD": 1, "QUEUE_SPACING": 0, "PAYLOAD_BITS": 16},
        {"MACHINE_WARPS": 8, "FENCE_COUNTERS": 4, "QUEUE_FIFO": 8, "QUEUE_HAZARD": 8, "QUEUE_SPACING": 7, "PAYLOAD_BITS": 16},
    ],
    "active_logic": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3},
        {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6},
    ],
    "hazard_monitor": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3, "WRITES": 2, "READS": 2, "MESSAGES": 2},
        {"MACHINE_WARPS": 16, "FENCE_COUNTERS": 6, "WRITES": 3, "READS": 3, "MESSAGES": 1},
    ],
    "order_core": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3, "FENCE_BITS": 5, "PIPES": 3, "QUEUE_FIFO": 2, "QUEUE_HAZARD": 2, "QUEUE_SPACING": 5, "QUEUE_SPACINGS": "24'h030005",
         "PAYLOAD_BITS": 16, "WRITES": 2},
        {"MACHINE_WARPS": 8, "FENCE_COUNTERS": 6, "FENCE_BITS": 12, "PIPES": 4, "QUEUE_FIFO": 4, "QUEUE_HAZARD": 4, "QUEUE_SPACING": 8, "PAYLOAD_BITS": 16,
         "WRITES": 2},
    ],
    "order_unit": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3, "FENCE_BITS": 5, "PIPES": 3, "QUEUE_FIFO": 2, "QUEUE_HAZARD": 2, "QUEUE_SPACING": 5, "QUEUE_SPACINGS": "24'h030005",
         "PAYLOAD_BITS": 16, "WRITES": 2, "READS": 2},
        {"MACHINE_WARPS": 8, "FENCE_COUNTERS": 6, "FENCE_BITS": 12, "PIPES": 4, "QUEUE_FIFO": 4, "QUEUE_HAZARD": 4, "QUEUE_SPACING": 0, "PAYLOAD_BITS": 16,
         "WRITES": 2, "READS": 1},
    ],
    "resume_unit": [
        {"MACHINE_WARPS": 2, "LANES": 4, "PC_BITS": 7, "DIVERGENCE_CALL_DEPTH": 4, "MEMBERSHIP_RANGE": 0},
        {"MACHINE_WARPS": 2, "LANES": 4, "PC_BITS": 8, "DIVERGENCE_CALL_DEPTH": 4, "MEMBERSHIP_RANGE": 1},
        {"MACHINE_WARPS": 4, "LANES": 32, "PC_BITS": 12, "DIVERGENCE_CALL_DEPTH": 8, "MEMBERSHIP_RANGE": 0},
        {"MACHINE_WARPS": 3, "LANES": 32, "PC_BITS": 24, "DIVERGENCE_CALL_DEPTH": 8, "MEMBERSHIP_RANGE": 1},
    ],
    "macro_scheduler": [
        {"MACHINE_WARPS": 8, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 1, "ADJUST_BITS": 4},
        {"MACHINE_WARPS": 16, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 0, "ADJUST_BITS": 4},
        {"MACHINE_WARPS": 16, "PREDECODE_PRIORITY_BITS": 10, "PREDECODE_PRIORITY": 1, "ADJUST_BITS": 4},
        {"MACHINE_WARPS": 4, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 0, "ADJUST_BITS": 3},
    ],
    "reconvergence_stack": [
        {"MACHINE_WARPS": 2, "LANES": 4, "PC_BITS": 7, "TOKENS": 8},
        {"MACHINE_WARPS": 4, "LANES": 32, "PC_BITS": 12, "TOKENS": 16},
        {"MACHINE_WARPS": 3, "LANES": 32, "PC_BITS": 24, "TOKENS": 32},
    ],
    "window_select": [
        {"MACHINE_WARPS": 2, "MULTI_ISSUE_WINDOW": 3, "WINDOW_SPAN": 6, "PIPES": 3, "FENCE_COUNTERS": 3, "QUEUE_SPACING": 5, "MULTI_ISSUE_PLACES": 0},
        {"MACHINE_WARPS": 4, "MULTI_ISSUE_WINDOW": 4, "WINDOW_SPAN": 12, "PIPES": 5, "FENCE_COUNTERS": 6, "QUEUE_SPACING": 8, "MULTI_ISSUE_PLACES": 1},
        {"MACHINE_WARPS": 3, "MULTI_ISSUE_WINDOW": 8, "WINDOW_SPAN": 32, "PIPES": 8, "FENCE_COUNTERS": 6, "QUEUE_SPACING": 63, "MULTI_ISSUE_PLACES": 0},
    ],
    "operand_buffer": [
        {"LAST_USE_COMPENSATION_SHARE": 2, "LAST_USE_COMPENSATION": 3, "LAST_USE_LAST_RESULT": 1, "WORDS": 2, "LANES": 3, "WORD_BITS": 4, "RESULTS": 2,
         "READERS": 2},
        {"LAST_USE_COMPENSATION_SHARE": 1, "LAST_USE_COMPENSATION": 2, "LAST_USE_LAST_RESULT": 1, "WORDS": 4, "LANES": 2, "WORD_BITS": 8, "RESULTS": 1,
         "READERS": 1},
        {"LAST_USE_COMPENSATION_SHARE": 1, "LAST_USE_COMPENSATION": 1, "LAST_USE_LAST_RESULT": 2, "WORDS": 4, "LANES": 3, "WORD_BITS": 4, "RESULTS": 2,
         "READERS": 1},
        {"LAST_USE_COMPENSATION_SHARE": 2, "LAST_USE_COMPENSATION": 6, "LAST_USE_LAST_RESULT": 0, "WORDS": 2, "LANES": 8, "WORD_BITS": 8, "RESULTS": 1,
         "READERS": 2},
        {"LAST_USE_COMPENSATION_SHARE": 4, "LAST_USE_COMPENSATION": 8, "LAST_USE_LAST_RESULT": 2, "WORDS": 4, "LANES": 2, "WORD_BITS": 8, "RESULTS": 1,
         "READERS": 1},
    ],
    "write_controller": [
        {"MACHINE_WARPS": 2, "PIPES": 2, "PORTS": 2, "DIRECTS": 1, "LAST_USE_PATH_B": 1, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 3, "LAST_USE_ACROSS": 1, "WORDS": 2, "LANES": 3,
         "WORD_BITS": 8, "READERS": 2},
        {"MACHINE_WARPS": 2, "PIPES": 2, "PORTS": 2, "DIRECTS": 2, "LAST_USE_PATH_B": 2, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 2, "LAST_USE_ACROSS": 0, "WORDS": 2, "LANES": 2,
         "WORD_BITS": 8, "READERS": 1},
        {"MACHINE_WARPS": 4, "PIPES": 3, "PORTS": 4, "DIRECTS": 1, "LAST_USE_PATH_B": 1, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 4, "LAST_USE_ACROSS": 1, "WORDS": 4, "LANES": 2,
         "WORD_BITS": 8, "READERS": 1},
        {"MACHINE_WARPS": 2, "PIPES": 2, "PORTS": 2, "DIRECTS": 2, "LAST_USE_PATH_B": 2, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 0, "LAST_USE_ACROSS": 1, "WORDS": 1, "LANES": 4,
         "WORD_BITS": 8, "READERS": 2},
    ],
}

# Proofs: the module rtl/formal/TOP.sv, the depth of the bounded check (the base case), and k of the induction (0: bounded only). Z3 does them; engine
# "sat" is the solver in Yosys, which is quicker where sums are compared. `slow` proofs are no part of the suite.
FORMAL = {
    "fence_counters": [{"top": "fence_counters_properties", "engine": "sat", "induction": 3}],
    "wait_counters": [{"top": "wait_counters_properties", "depth": 3, "induction": 1}],
    "decode_check": [{"top": "decode_check_properties", "depth": 2, "induction": 1}],
    "scoreboard": [{"top": "scoreboard_properties", "engine": "sat", "induction": 3}],
    "active_logic": [{"top": "active_logic_properties", "depth": 2, "induction": 1}],
    "hazard_monitor": [{"top": "hazard_monitor_properties", "depth": 4, "induction": 1}],
    "order_core": [{"top": "order_core_properties", "engine": "sat", "depth": 7, "induction": 0, "timeout": 600, "slow": True}],
    "order_unit": [{"top": "order_unit_properties", "engine": "sat", "depth": 6, "induction": 0, "timeout": 900, "slow": True}],
    "issue_queue": [
        {"top": "issue_queue_properties", "engine": "sat", "induction": 3},
        {"top": "issue_queue_distance", "depth": 8, "induction": 0, "timeout": 600},
        {"top": "issue_queue_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True},
    ],
    "resume_unit": [
        {"top": "resume_unit_properties", "engine": "sat", "induction": 3},
        {"top": "resume_unit_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True},
    ],
    "macro_scheduler": [{"top": "macro_scheduler_properties", "engine": "sat", "induction": 4}],
    "window_select": [{"top": "window_select_properties", "engine": "sat", "induction": 3}],
    "reconvergence_stack": [{"top": "reconvergence_stack_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True}],
    "operand_buffer": [{"top": "operand_buffer_properties", "engine": "sat", "induction": 3, "timeout": 300}],
    "write_controller": [{"top": "write_controller_properties", "engine": "sat", "induction": 2, "timeout": 1800, "slow": True}],
}

# Replay of recorded runs (HW-4): the machines on which every example is recorded, as (preset, settings), and the units that are replayed.
MACHINES = [(preset, ()) for preset in ("heddle", "baseline", "fence", "predecode", "minrc", "multi-issue", "last-use")]
MACHINES.append(("heddle", ("multi_issue.window=1",)))
MACHINES.append(("heddle", ("multi_issue.window=2", "multi_issue.pass_waits=true", "multi_issue.places=eligible")))  # MI-13
MACHINES.append(("last-use", ("last_use.compensation_of=warp", "last_use.compensation=6")))  # operand buffers, which are in no preset


class Replay:
    """A module that recordings are replayed on. `head` holds the numbers of a recording's head (rtl/record.c).

    where(head): the unit is on, and the module can do what the machine does. instances(head): numbers of the units of a scheduler that are replayed one
    after the other. sizes(head, instance): parameters of the module; a text is a Verilog number in hexadecimal, and the bench gets
    those below 2 ** 32. `buffers`: the module is replayed on the machines with operand buffers, and on no other one."""

    def __init__(self, where, sizes, instances=lambda head: [0], buffers=False):
        self.where, self.sizes, self.instances = lambda head: head["last_use.of_warp"] == buffers and where(head), sizes, instances


def fence_on(head):
    return not head["fence.scoreboard"]


def one_a_cycle(head):
    return head["predecode.issue_width"] == 1 and head["multi_issue.window"] <= 1


def has_paths(head):
    """The requirements of write_controller.sv: a path, and two places in all. Its register file takes no time (LU-11)."""
    paths = head["last_use.path_b"] + head["last_use.path_a"]
    return paths >= 1 and paths + head["last_use.compensation"] >= 2 and not head["register_file.latency"]


def counter_sizes(head):
    return {"MACHINE_WARPS": head["machine.warps"], "FENCE_COUNTERS": head["fence.counters"]}


def queue_sizes(head, pipe):
    return {**counter_sizes(head), "QUEUE_FIFO": head[f"queue.{pipe}.fifo"], "QUEUE_HAZARD": head[f"queue.{pipe}.hazard"],
            "QUEUE_SPACING": head[f"queue.{pipe}.spacing"], "PAYLOAD_BITS": 32}


def unit_sizes(head):
    spacings = [head[f"queue.{pipe}.spacing"] for pipe in range(head["pipes"])]
    packed = sum(spacing << 8 * pipe for pipe, spacing in enumerate(spacings))
    return {**counter_sizes(head), "FENCE_BITS": head["fence.bits"], "PIPES": head["pipes"], "QUEUE_FIFO": head["queue.0.fifo"],
            "QUEUE_HAZARD": head["queue.0.hazard"], "QUEUE_SPACING": max(spacings), "QUEUE_SPACINGS": f"{8 * head['pipes']}'h{packed:x}", "PAYLOAD_BITS": 32,
            "WRITES": 8}


REPLAY = {
    "fence_counters": Replay(fence_on, lambda head, _: {**counter_sizes(head), "FENCE_BITS": head["fence.bits"], "WRITES": 8, "RELEASES": 9, "RAISES": 4}),
    "wait_counters": Replay(lambda head: fence_on(head) and head["fence.wait_counters"],
                            lambda head, _: {**counter_sizes(head), "WAIT_BITS": 7, "LEAVES": 9, "SENDS": 4}),
    "decode_check": Replay(fence_on, lambda head, _: counter_sizes(head)),
    # A queue takes one instruction in a cycle. Of the machines that issue several, those with a window send each to another queue (MI-4).
    "issue_queue": Replay(lambda head: head["predecode.issue_width"] == 1 or head["multi_issue.window"] > 1, queue_sizes, lambda head: range(head["pipes"])),
    # Warp slots are independent: two slots a time.
    "scoreboard": Replay(lambda head: head["fence.scoreboard"],
                         lambda head, _: {"MACHINE_WARPS": 2, "RESOURCES": head["scoreboard.resources"], "FENCE_CONSUMERS": head["fence.consumers"] or 127, "ORDER_BITS": 8, "READS": 4,
                                          "WRITES": 4, "DONES": 4},
                         lambda head: range(head["machine.warps"] // 2)),
    # The examples have no narrow pipes, and the lane groups that are written are those that entered: a recording has their number.
    "active_logic": Replay(lambda head: True, lambda head, _: counter_sizes(head)),
    "hazard_monitor": Replay(fence_on, lambda head, _: {**counter_sizes(head), "WRITES": 8, "READS": 9, "MESSAGES": 4}),
    # A step a cycle, for all slots (PD-35).
    "macro_scheduler": Replay(lambda head: head["predecode.sort_period"] == 4 and head["predecode.sort_warps"] >= head["machine.warps"] and not head["predecode.sort_whole"], lambda head, _: {
        "MACHINE_WARPS": head["machine.warps"], "PREDECODE_PRIORITY_BITS": head["predecode.priority_bits"],
        "PREDECODE_PRIORITY": head["predecode.priority.program"], "ADJUST_BITS": 4}),
    # The largest program is below 2 ** 16 words. Subroutines by address (RC-9, RC-20), and a PC that does not go to MINRC (RC-18, RC-19), are not recorded.
    "resume_unit": Replay(lambda head: head["divergence.resume"] and head["divergence.flag"] and head["divergence.minrc"], lambda head, _: {
        "MACHINE_WARPS": head["machine.warps"], "LANES": 32, "PC_BITS": 24, "DIVERGENCE_CALL_DEPTH": head["divergence.call_depth"], "MEMBERSHIP_RANGE": 0}),
    # The module sends the side at the lower address first (RC-21). 32 tokens are more than any example needs.
    "reconvergence_stack": Replay(lambda head: head["divergence.stack"] and not head["divergence.taken"], lambda head, _: {
        "MACHINE_WARPS": head["machine.warps"], "LANES": 32, "PC_BITS": 24, "TOKENS": min(32, head["divergence.tokens"])}),
    # Pipe 8 is the flow unit's. A window of 1 is not in the module.
    "window_select": Replay(lambda head: head["multi_issue.window"] > 1 and head["predecode.issue_width"] == 1, lambda head, _: {
        "MACHINE_WARPS": head["machine.warps"], "MULTI_ISSUE_WINDOW": head["multi_issue.window"], "WINDOW_SPAN": 32, "PIPES": head["pipes"] - 1,
        "FENCE_COUNTERS": head["fence.counters"], "MULTI_ISSUE_PLACES": head["multi_issue.eligible"], "QUEUE_SPACING": max(1, *[head[f"queue.{pipe}.spacing"] for pipe in range(head["pipes"])])}),
    # Values have a bit for each lane (record.def). Three results and three readers a cycle are the most on the examples.
    "write_controller": Replay(has_paths, lambda head, _: {
        "MACHINE_WARPS": head["machine.warps"], "PIPES": head["pipes"] - 1, "PORTS": 3, "DIRECTS": 1 if head["last_use.across"] else 2,
        **{f"LAST_USE_{name.upper()}": head[f"last_use.{name}"] for name in ("path_b", "path_a", "compensation", "across")},
        "WORDS": 4, "LANES": 32, "WORD_BITS": 1, "READERS": 2 if one_a_cycle(head) else 3}),
    # A buffer of some warp slots is one instance.
    "operand_buffer": Replay(lambda head: head["last_use.across"], lambda head, _: {
        **{f"LAST_USE_{name.upper()}": head[f"last_use.{name}"] for name in ("compensation_share", "compensation", "last_result")},
        "WORDS": 4, "LANES": 32, "WORD_BITS": 1, "RESULTS": 2, "READERS": 2},
                             lambda head: range(head["machine.warps"] // head["last_use.compensation_share"]), buffers=True),
    "order_core": Replay(lambda head: fence_on(head) and one_a_cycle(head), lambda head, _: unit_sizes(head)),
    # The examples have no narrow pipes, so nothing is read later than at entry.
    "order_unit": Replay(lambda head: fence_on(head) and one_a_cycle(head), lambda head, _: {**unit_sizes(head), "READS": 1}),
}
