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
    "macro_scheduler": [
        {"MACHINE_WARPS": 8, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 1, "ADJUST_BITS": 4},
        {"MACHINE_WARPS": 16, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 0, "ADJUST_BITS": 4},
        {"MACHINE_WARPS": 16, "PREDECODE_PRIORITY_BITS": 10, "PREDECODE_PRIORITY": 1, "ADJUST_BITS": 4},
        {"MACHINE_WARPS": 4, "PREDECODE_PRIORITY_BITS": 6, "PREDECODE_PRIORITY": 0, "ADJUST_BITS": 3},
    ],
    "write_controller": [
        {"MACHINE_WARPS": 2, "PIPES": 2, "LAST_USE_PATH_B": 1, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 2, "LAST_USE_ACROSS": 1, "WORDS": 2, "LANES": 3,
         "WORD_BITS": 8, "READERS": 2},
        {"MACHINE_WARPS": 2, "PIPES": 2, "LAST_USE_PATH_B": 2, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 2, "LAST_USE_ACROSS": 0, "WORDS": 2, "LANES": 2,
         "WORD_BITS": 8, "READERS": 1},
        {"MACHINE_WARPS": 4, "PIPES": 3, "LAST_USE_PATH_B": 1, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 4, "LAST_USE_ACROSS": 1, "WORDS": 4, "LANES": 2,
         "WORD_BITS": 8, "READERS": 1},
        {"MACHINE_WARPS": 2, "PIPES": 2, "LAST_USE_PATH_B": 2, "LAST_USE_PATH_A": 1, "LAST_USE_COMPENSATION": 0, "LAST_USE_ACROSS": 1, "WORDS": 1, "LANES": 4,
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
    "issue_queue": [
        {"top": "issue_queue_properties", "engine": "sat", "induction": 3},
        {"top": "issue_queue_distance", "depth": 8, "induction": 0, "timeout": 600},
        {"top": "issue_queue_order", "depth": 8, "induction": 0, "timeout": 600, "slow": True},
    ],
    "macro_scheduler": [{"top": "macro_scheduler_properties", "engine": "sat", "induction": 4}],
    "write_controller": [{"top": "write_controller_properties", "engine": "sat", "induction": 2, "slow": True}],
}
