"""The sizes in which rtl/run.py tries the modules."""

# Modules that a module consists of, in the order in which they are read.
PARTS = {"order_unit": ["fence_counters", "wait_counters", "decode_check", "issue_queue"]}

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
    "order_unit": [
        {"MACHINE_WARPS": 4, "FENCE_COUNTERS": 3, "FENCE_BITS": 5, "PIPES": 3, "QUEUE_FIFO": 2, "QUEUE_HAZARD": 2, "QUEUE_SPACING": 5, "PAYLOAD_BITS": 16,
         "WRITES": 2},
        {"MACHINE_WARPS": 8, "FENCE_COUNTERS": 6, "FENCE_BITS": 12, "PIPES": 4, "QUEUE_FIFO": 4, "QUEUE_HAZARD": 4, "QUEUE_SPACING": 8, "PAYLOAD_BITS": 16,
         "WRITES": 2},
    ],
    "resume_unit": [
        {"MACHINE_WARPS": 2, "LANES": 4, "PC_BITS": 7, "DIVERGENCE_CALL_DEPTH": 4, "MEMBERSHIP_RANGE": 0},
        {"MACHINE_WARPS": 2, "LANES": 4, "PC_BITS": 8, "DIVERGENCE_CALL_DEPTH": 4, "MEMBERSHIP_RANGE": 1},
        {"MACHINE_WARPS": 4, "LANES": 32, "PC_BITS": 12, "DIVERGENCE_CALL_DEPTH": 8, "MEMBERSHIP_RANGE": 0},
        {"MACHINE_WARPS": 3, "LANES": 32, "PC_BITS": 24, "DIVERGENCE_CALL_DEPTH": 8, "MEMBERSHIP_RANGE": 1},
    ],
    "reconvergence_stack": [
        {"MACHINE_WARPS": 2, "LANES": 4, "PC_BITS": 7, "TOKENS": 8},
        {"MACHINE_WARPS": 4, "LANES": 32, "PC_BITS": 12, "TOKENS": 16},
        {"MACHINE_WARPS": 3, "LANES": 32, "PC_BITS": 24, "TOKENS": 32},
    ],
    "window_select": [
        {"MACHINE_WARPS": 2, "MULTI_ISSUE_WINDOW": 3, "WINDOW_SPAN": 6, "PIPES": 3, "FENCE_COUNTERS": 3, "QUEUE_SPACING": 5},
        {"MACHINE_WARPS": 4, "MULTI_ISSUE_WINDOW": 4, "WINDOW_SPAN": 12, "PIPES": 5, "FENCE_COUNTERS": 6, "QUEUE_SPACING": 8},
        {"MACHINE_WARPS": 3, "MULTI_ISSUE_WINDOW": 8, "WINDOW_SPAN": 32, "PIPES": 8, "FENCE_COUNTERS": 6, "QUEUE_SPACING": 63},
    ],
}

# Proofs: the module rtl/formal/TOP.sv, the depth of the bounded check (the base case), and k of the induction (0: bounded only). Z3 does them; engine
# "sat" is the solver in Yosys, which is quicker where sums are compared. `slow` proofs are no part of the suite.
FORMAL = {
    "fence_counters": [{"top": "fence_counters_properties", "engine": "sat", "induction": 3}],
    "wait_counters": [{"top": "wait_counters_properties", "depth": 3, "induction": 1}],
    "decode_check": [{"top": "decode_check_properties", "depth": 2, "induction": 1}],
    "scoreboard": [{"top": "scoreboard_properties", "engine": "sat", "induction": 3}],
    "issue_queue": [
        {"top": "issue_queue_properties", "engine": "sat", "induction": 3},
        {"top": "issue_queue_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True},
        {"top": "issue_queue_distance", "depth": 8, "induction": 0, "timeout": 600, "slow": True},
    ],
    "resume_unit": [
        {"top": "resume_unit_properties", "engine": "sat", "induction": 3},
        {"top": "resume_unit_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True},
    ],
    "window_select": [{"top": "window_select_properties", "engine": "sat", "induction": 3}],
    "reconvergence_stack": [{"top": "reconvergence_stack_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True}],
}
