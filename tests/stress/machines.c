#include "machines.h"

const stress_machine stress_machines[] = {
    {"default", {NULL}, false, false},
    {"serial", {NULL}, true, false},
    {"two counters", {"multi_issue.window=1", "fence.counters=2", "fence.high_latency=1", NULL}, false, false},
    {"three counters, no split", {"fence.counters=3", "fence.high_latency=0", NULL}, false, false},
    /* PD-1: the other line geometries, HZ-1: more counters than a word names */
    {"wide lines, seven counters", {"predecode.geometry=wide", "fence.counters=7", "fence.high_latency=3", NULL}, false, false},
    {"wide lines, sixteen counters", {"predecode.geometry=wide", "fence.counters=16", "fence.high_latency=8", NULL}, false, false},
    {"short lines", {"predecode.geometry=short", NULL}, false, false},
    {"short lines, twelve counters, window of four",
     {"predecode.geometry=short", "fence.counters=12", "fence.high_latency=5", "multi_issue.window=4", NULL},
     false,
     false},
    {"wide lines, eight counters, no carrier, serial", {"predecode.geometry=wide", "fence.counters=8", "predecode.carrier=none", NULL}, true, false},
    {"wide lines, stack", {"predecode.geometry=wide", "fence.counters=8", "divergence.mode=stack", NULL}, false, false},
    /* PD-33 */
    {"two scheduling words in front, ten counters", {"predecode.geometry=front", "fence.counters=10", "fence.high_latency=4", NULL}, false, false},
    {"32-bit instructions", {"predecode.geometry=compact", NULL}, false, false},
    {"32-bit instructions, stack, replays, buffer of eight",
     {"predecode.geometry=compact", "divergence.mode=stack", "divergence.pop=flag", "predecode.buffer=8", "memory.l1_misses=1",
      "predecode.refetch=true", "multi_issue.window=1", "predecode.issue_width=2", NULL},
     false,
     false},
    {"32-bit instructions, barriers, no carrier, predictions",
     {"predecode.geometry=compact", "divergence.mode=barriers", "predecode.carrier=none", "predecode.speculate=counters", "fetch.l1i_lines=8", NULL},
     false,
     false},
    {"two scheduling words in front, hint registers",
     {"predecode.geometry=front", "predecode.carrier=register", "multi_issue.window=1", "predecode.issue_width=2", NULL},
     false,
     false},
    {"sixteen registers", {"machine.registers=2048", NULL}, false, false},
    {"queues of one",
     {"multi_issue.window=1", "queue.alu.fifo=1", "queue.alu.hazard=1", "queue.lsu.fifo=1", "queue.lsu.hazard=1", "machine.schedulers=1", NULL},
     false,
     false},
    {"slow units",
     {"latency.alu.latency=9", "latency.fma.latency=15", "latency.cvt.latency=15", "latency.sfu.interval=8", "fence.classify=latency",
      "fence.threshold=12", NULL},
     false,
     false},
    {"latencies beyond a delay",
     {"multi_issue.window=1", "latency.sfu.latency=30", "latency.f64.latency=40", "fence.classify=latency", "fence.threshold=35", NULL},
     false,
     false},
    {"stack (RC-16)", {"divergence.mode=stack", NULL}, false, false},
    {"stack, serial", {"divergence.mode=stack", NULL}, true, false},
    {"stack, taken side first (RC-21)", {"divergence.mode=stack", "divergence.first=taken", NULL}, false, false},
    {"stack, taken side first, serial, blocks in any order",
     {"divergence.mode=stack", "divergence.first=taken", "compile.layout=random", NULL},
     true,
     false},
    {"stack, pop by a flag (RC-21)", {"divergence.mode=stack", "divergence.pop=flag", NULL}, false, false},
    {"stack, pop by a flag, taken side first, serial, window of one, pairs",
     {"divergence.mode=stack", "divergence.pop=flag", "divergence.first=taken", "multi_issue.window=1", "predecode.issue_width=2", NULL},
     true,
     false},
    {"stack, pop by a flag, sixteen counters, blocks in any order, window of eight, FIFOs",
     {"divergence.mode=stack", "divergence.pop=flag", "predecode.geometry=wide", "fence.counters=16", "compile.layout=random", "multi_issue.window=8",
      "predecode.fifo=2"},
     false,
     false},
    {"stack, pop by a flag, scoreboard, no carrier, window of four",
     {"divergence.mode=stack", "divergence.pop=flag", "fence.mode=scoreboard", "predecode.carrier=none", "multi_issue.window=4", NULL},
     false,
     false},
    {"membership by entry (RC-20)", {"divergence.membership=entry", NULL}, false, false},
    {"membership by entry, serial, no MINRC", {"divergence.membership=entry", "divergence.minrc=false", NULL}, true, false},
    /* RC-23 */
    {"blocks in the order of the source", {"compile.layout=source", NULL}, false, false},
    {"blocks in any order", {"compile.layout=random", "compile.seed=7", NULL}, false, false},
    {"blocks in any order, stack", {"compile.layout=random", "divergence.mode=stack", NULL}, false, false},
    {"blocks in any order, barriers, serial", {"compile.layout=random", "divergence.mode=barriers", "compile.seed=3", NULL}, true, false},
    {"warps of seven threads, membership by range", {"machine.lanes=7", "divergence.membership=range", NULL}, false, false},
    {"warps of three threads, stack, pop by a flag, window of one",
     {"machine.lanes=3", "divergence.mode=stack", "divergence.pop=flag", "multi_issue.window=1", NULL},
     false,
     false},
    {"warps of sixteen threads, barriers, scoreboard", {"machine.lanes=16", "divergence.mode=barriers", "fence.mode=scoreboard", NULL}, false, false},
    {"convergence barriers (RC-16)", {"divergence.mode=barriers", NULL}, false, false},
    {"convergence barriers, serial", {"divergence.mode=barriers", NULL}, true, false},
    {"convergence barriers, window of one, scoreboard",
     {"multi_issue.window=1", "divergence.mode=barriers", "fence.mode=scoreboard", NULL},
     false,
     false},
    {"convergence barriers, wide lines, two counters",
     {"predecode.geometry=wide", "divergence.mode=barriers", "fence.counters=2", "fence.high_latency=1", NULL},
     false,
     false},
    /* HZ-26 */
    {"counters inside pipelines", {"multi_issue.window=1", "fence.within_pipeline=true", NULL}, false, false},
    {"three-bit carrier", {"multi_issue.window=1", "predecode.carrier=instruction", NULL}, false, false},
    /* PD-28 */
    {"three-bit carrier with a table",
     {"multi_issue.window=1", "predecode.carrier=instruction", "predecode.hint_table=true", "predecode.issue_width=2", "memory.l1_misses=2", NULL},
     false,
     false},
    {"three-bit carrier with a table, slow units, default waits",
     {"multi_issue.window=1", "predecode.carrier=instruction", "predecode.hint_table=true", "latency.alu.latency=9", "latency.fma.latency=15",
      "predecode.default_hint=wait", "predecode.default_delay=2", "predecode.priority=program"},
     false,
     false},
    {"no carrier", {"multi_issue.window=1", "predecode.carrier=none", NULL}, false, false},
    /* PD-25 */
    {"hint registers", {"multi_issue.window=1", "predecode.carrier=register", NULL}, false, false},
    {"hint registers, written late, pairs, wide lines",
     {"multi_issue.window=1", "predecode.carrier=register", "latency.nop.latency=3", "predecode.issue_width=2", "predecode.geometry=wide", NULL},
     false,
     false},
    {"hint registers, default waits, replays",
     {"multi_issue.window=1", "predecode.carrier=register", "predecode.default_hint=wait", "predecode.default_delay=2", "memory.l1_misses=1", NULL},
     false,
     false},
    {"scoreboard", {"fence.mode=scoreboard", NULL}, false, false},
    {"baseline", {"fence.mode=scoreboard", "predecode.carrier=none", "divergence.mode=stack", "last_use.flags=false", NULL}, false, false},
    /* PD-7 to PD-16, PD-22 */
    {"pairs", {"multi_issue.window=1", "predecode.issue_width=2", NULL}, false, false},
    {"pairs of slow units, small queues",
     {"multi_issue.window=1", "predecode.issue_width=4", "latency.alu.latency=9", "latency.fma.latency=15", "latency.cvt.latency=13",
      "fence.classify=latency", "fence.threshold=12", "queue.alu.fifo=1"},
     false,
     false},
    {"replays",
     {"multi_issue.window=1", "memory.l1_misses=1", "predecode.replay=2", "memory.shared_banks=4", "register_file.read_ports=1",
      "predecode.issue_width=2", NULL},
     false,
     false},
    /* PD-35 */
    {"sorter of five warps, rounds of three cycles, priorities by the program",
     {"multi_issue.window=1", "predecode.priority=program", "predecode.sort_period=3", "predecode.sort_warps=5", NULL},
     false,
     false},
    /* PD-26 */
    {"units that refuse, pairs",
     {"multi_issue.window=1", "predecode.issue_width=2", "predecode.replay=4", "predecode.refuse_busy=true", "predecode.refuse_atomics=true",
      "predecode.refuse_constants=true", "memory.constant_bytes=2048", "predecode.replay_misses=true"},
     false,
     false},
    /* PD-27 */
    {"branches predicted", {"predecode.speculate=static", NULL}, false, false},
    {"branches predicted by counters, window of one, pairs, loads with low-latency counters, small queues",
     {"predecode.speculate=counters", "multi_issue.window=1", "predecode.issue_width=4", "fence.memory_high=false", "latency.flow.latency=9",
      "queue.alu.fifo=2", "queue.alu.hazard=1"},
     false,
     false},
    {"branches predicted, stack of flags, window of eight, no hazard queues",
     {"predecode.speculate=counters", "divergence.mode=stack", "divergence.pop=flag", "multi_issue.window=8", "queue.alu.hazard=0",
      "queue.lsu.hazard=0", "fence.memory_high=false"},
     false,
     false},
    {"branches predicted, barriers, scoreboard, window of one, no carrier",
     {"predecode.speculate=static", "divergence.mode=barriers", "fence.mode=scoreboard", "multi_issue.window=1", "predecode.carrier=none", NULL},
     false,
     false},
    {"branches predicted, PC in steps, two counters of four bits, FIFOs, serial",
     {"predecode.speculate=static", "divergence.minrc=false", "fence.counters=2", "fence.high_latency=0", "fence.bits=4", "predecode.fifo=4",
      "latency.flow.latency=20"},
     true,
     false},
    {"branches predicted, constants absent, units that refuse, narrow pipes",
     {"predecode.speculate=counters", "memory.constant_bytes=256", "memory.constant_line=32", "predecode.geometry=combined",
      "predecode.refuse_constants=true", "lanes.alu=8", "lanes.lsu=16"},
     false,
     true},
    /* PD-37 */
    {"constants in the L1.5, descriptors",
     {"fetch.l15_constants=true", "memory.constant_bytes=256", "memory.constant_line=32", "fetch.l15_lines=8", "grids.descriptor_bytes=200", NULL},
     false,
     false},
    /* PD-38 */
    {"small TLBs, two walks at a time, replays of misses",
     {"pages.kib=4", "pages.tlb_entries=2", "pages.tlb_ways=1", "pages.tlb2_entries=0", "pages.walks=2", "predecode.replay_misses=true", NULL},
     false,
     false},
    {"system memory, pages of 64 KiB, constant cache",
     {"host.bytes_per_cycle=3", "host.latency=300", "host.queue=1", "host.system_memory=true", "pages.kib=64", "memory.constant_bytes=1024", NULL},
     false,
     false},
    {"units that refuse for ports, two hints an entry, one queue",
     {"predecode.geometry=combined", "multi_issue.queues=shared", "predecode.replay=3", "predecode.refuse_busy=true", "predecode.refuse_ports=true",
      "register_file.read_ports=1", "register_file.banks=2"},
     false,
     false},
    {"delays alone",
     {"multi_issue.window=1", "predecode.hold=false", "predecode.boost=false", "predecode.replay=0", "predecode.default_delay=3", NULL},
     false,
     false},
    {"default waits, priorities by the program",
     {"multi_issue.window=1", "predecode.default_hint=wait", "predecode.default_delay=2", "predecode.priority=program", NULL},
     false,
     false},
    /* PD-23 */
    {"every hint",
     {"multi_issue.window=1", "predecode.issue_width=2", "predecode.priority=program", "predecode.boost_loads=true", "memory.l1_misses=2", NULL},
     false,
     false},
    /* PD-29, PD-30 */
    {"chains of four strict pairs, the consecutive cycle",
     {"multi_issue.window=1", "predecode.issue_width=4", "predecode.chain=4", "predecode.strict_pairs=true", "predecode.consecutive=true",
      "latency.alu.latency=7", "latency.fma.latency=9"},
     false,
     false},
    {"strict pairs, FIFOs of two entries, small queues and counters",
     {"multi_issue.window=1", "predecode.issue_width=2", "predecode.strict_pairs=true", "predecode.fifo=2", "queue.alu.fifo=1", "queue.alu.hazard=1",
      "fence.bits=4", "memory.constant_bytes=1024"},
     false,
     false},
    /* PD-39 */
    {"decoders ahead, one decoder, FIFOs of two instructions",
     {"multi_issue.window=1", "predecode.carrier=ahead", "predecode.fifo=2", "predecode.fifo_rate=1", "predecode.issue_width=2", NULL},
     false,
     false},
    {"decoders ahead, window of four, stack",
     {"predecode.carrier=ahead", "predecode.fifo=8", "divergence.mode=stack", "memory.constant_bytes=1024", NULL},
     false,
     false},
    {"decoders ahead, scoreboard", {"predecode.carrier=ahead", "predecode.fifo=8", "fence.mode=scoreboard", NULL}, false, false},
    {"replays that are fetched again",
     {"multi_issue.window=1", "predecode.refetch=true", "memory.l1_misses=1", "predecode.replay=3", "predecode.refuse_busy=true",
      "predecode.refuse_ports=true", "register_file.read_ports=1", "register_file.banks=2"},
     false,
     false},
    /* PD-34 */
    {"FIFOs of one entry, pairs",
     {"multi_issue.window=1", "predecode.issue_width=2", "predecode.fifo=1", "predecode.fifo_rate=1", NULL},
     false,
     false},
    {"FIFOs of three entries, window of four, short lines",
     {"predecode.fifo=3", "predecode.data_buffer=8", "predecode.geometry=short", NULL},
     false,
     false},
    /* PD-24 */
    {"two hints an entry",
     {"multi_issue.window=1", "predecode.geometry=combined", "predecode.issue_width=2", "predecode.priority=program", "predecode.boost_loads=true",
      "memory.l1_misses=2", NULL},
     false,
     false},
    {"two hints an entry, window of four, eight counters",
     {"predecode.geometry=combined", "fence.counters=8", "fence.high_latency=3", "memory.l1_misses=1", NULL},
     false,
     false},
    {"four-wide issue", {"multi_issue.window=1", "predecode.issue_width=4", NULL}, false, false},
    {"window of two", {"multi_issue.window=2", NULL}, false, false},
    {"window of four, two counters", {"multi_issue.window=4", "fence.counters=2", "fence.high_latency=1", NULL}, false, false},
    {"window of four, slow units",
     {"multi_issue.window=4", "latency.alu.latency=9", "latency.fma.latency=15", "latency.cvt.latency=15", "fence.classify=latency",
      "fence.threshold=12", NULL},
     false,
     false},
    {"window of three, waits passed, nothing held",
     {"multi_issue.window=3", "multi_issue.pass_waits=true", "multi_issue.hold=255", NULL},
     false,
     false},
    /* MI-13 */
    {"window of two, waits passed, eligible places",
     {"multi_issue.window=2", "multi_issue.pass_waits=true", "multi_issue.places=eligible", NULL},
     false,
     false},
    {"window of six, two counters, all held",
     {"multi_issue.window=6", "fence.counters=2", "fence.high_latency=1", "multi_issue.hold=0", NULL},
     false,
     false},
    {"window of eight", {"multi_issue.window=8", NULL}, false, false},
    {"window of eight, waits passed", {"multi_issue.window=8", "multi_issue.pass_waits=true", NULL}, false, false},
    {"window of eight, small queues",
     {"multi_issue.window=8", "queue.alu.fifo=1", "queue.alu.hazard=1", "queue.lsu.fifo=1", "predecode.issue_width=2", NULL},
     false,
     false},
    {"window of eight, serial", {"multi_issue.window=8", NULL}, true, false},
    {"window of eight, scoreboard", {"multi_issue.window=8", "fence.mode=scoreboard", NULL}, false, false},
    {"window of four, stack, scoreboard", {"multi_issue.window=4", "divergence.mode=stack", "fence.mode=scoreboard", NULL}, false, false},
    {"window of eight, three-bit carrier", {"multi_issue.window=8", "predecode.carrier=instruction", NULL}, false, false},
    {"window of eight, no carrier", {"multi_issue.window=8", "predecode.carrier=none", NULL}, false, false},
    /* MI-12 */
    {"one queue, window of one", {"multi_issue.window=1", "multi_issue.queues=shared", NULL}, false, false},
    {"one queue of one entry, window of four, replays",
     {"multi_issue.queues=shared", "multi_issue.queue_entries=1", "memory.l1_misses=1", "predecode.replay=2", NULL},
     false,
     false},
    {"one queue, scoreboard, narrow units, stack",
     {"multi_issue.queues=shared", "multi_issue.queue_entries=5", "fence.mode=scoreboard", "lanes.sfu=4", "lanes.lsu=16", "divergence.mode=stack",
      NULL},
     false,
     true},
    /* HZ-6: few bits, so that primaries wait for room; MI-10 */
    {"counters of four bits", {"fence.bits=4", NULL}, false, false},
    {"counters of five bits, window of one, pairs", {"fence.bits=5", "multi_issue.window=1", "predecode.issue_width=2", NULL}, false, false},
    /* HZ-31 */
    {"counters of one bit count instructions, memory returns groups of eight, narrow pipes",
     {"fence.unit=instruction", "fence.bits=1", "memory.return_groups=true", "fence.group_lanes=8", "lanes.alu=4", "lanes.lsu=16", NULL},
     false,
     false},
    {"counters count lanes, memory returns lane by lane, operand buffers",
     {"fence.unit=lane", "fence.bits=7", "memory.return_groups=true", "fence.group_lanes=1", "last_use.compensation_of=warp", NULL},
     false,
     false},
    /* HZ-34, HZ-35 */
    {"counters in rotation, three", {"fence.assign=rotate", "fence.counters=3", "fence.high_latency=1", NULL}, false, false},
    {"counters never shared, window of one", {"fence.assign=unshared", "multi_issue.window=1", NULL}, false, false},
    {"no wait counters, free of deadlocks", {"fence.wait_counters=false", "fence.deadlock_free=true", NULL}, false, false},
    {"no wait counters, free of deadlocks, serial", {"fence.wait_counters=false", "fence.deadlock_free=true", NULL}, true, false},
    {"no wait counters, free of deadlocks, waits passed, two counters, queues of one",
     {"fence.wait_counters=false", "fence.deadlock_free=true", "fence.counters=2", "fence.high_latency=1", "multi_issue.pass_waits=true",
      "queue.alu.fifo=1", "queue.alu.hazard=0", "queue.sfu.hazard=1", NULL},
     false,
     false},
    {"no wait counters, free of deadlocks, fixed split, window of one, stack, FIFOs",
     {"fence.wait_counters=false", "fence.deadlock_free=true", "fence.split=fixed", "multi_issue.window=1", "divergence.mode=stack",
      "queue.alu.hazard=0", "queue.lsu.hazard=0", "queue.sfu.hazard=0", NULL},
     false,
     false},
    /* HZ-36 */
    {"status in each seventh cycle, window of one, pairs",
     {"fence.status_period=7", "multi_issue.window=1", "predecode.issue_width=2", NULL},
     false,
     false},
    {"status on request, no wait counters, free of deadlocks",
     {"fence.status_period=0", "fence.wait_counters=false", "fence.deadlock_free=true", NULL},
     false,
     false},
    {"status in each second cycle, one queue, counters of four bits, stack",
     {"fence.status_period=2", "multi_issue.queues=shared", "fence.bits=4", "divergence.mode=stack", NULL},
     false,
     false},
    /* HZ-30 */
    {"short branches guarded", {"divergence.if_convert=24", NULL}, false, false},
    {"short branches guarded, no active logic, memory returns groups, narrow pipes, one miss",
     {"divergence.if_convert=64", "fence.active_logic=false", "memory.return_groups=true", "lanes.alu=8", "lanes.lsu=16", "memory.l1_misses=1"},
     false,
     true},
    {"short branches guarded, no active logic, stack, scoreboard, window of one",
     {"divergence.if_convert=8", "fence.active_logic=false", "divergence.mode=stack", "fence.mode=scoreboard", "multi_issue.window=1", NULL},
     false,
     false},
    /* MT-4 */
    {"slices and rows", {"memory.slices=4", "memory.dram_banks=4", NULL}, false, false},
    {"slices without room, replays of misses",
     {"memory.slices=2", "memory.slice_queue=1", "memory.request_bytes=9", "memory.request_queue=1", "memory.answer_bytes=7", "memory.l1_misses=2",
      "memory.l1_writes=1", "memory.l2_misses=2", "multi_issue.window=1", "predecode.replay=2", "predecode.replay_misses=true"},
     false,
     false},
    {"window of one", {"multi_issue.window=1", NULL}, false, false},
    {"window of one, serial", {"multi_issue.window=1", NULL}, true, false},
    {"window of one, stack", {"multi_issue.window=1", "divergence.mode=stack", "predecode.issue_width=2", NULL}, false, false},
    {"window of one, four-wide, odd latencies",
     {"multi_issue.window=1", "predecode.issue_width=4", "latency.alu.latency=7", "latency.fma.latency=3", "latency.mul.latency=11",
      "latency.cvt.latency=2", "latency.coord.latency=9", "latency.sfu.latency=23", "latency.flow.latency=5", NULL},
     false,
     false},
    /* LU-4, LU-10, LU-15 */
    {"operand buffer", {"last_use.compensation_of=warp", "last_use.compensation=6", NULL}, false, false},
    {"operand buffer of one register, one last result, one port",
     {"last_use.compensation_of=warp", "last_use.compensation=1", "last_use.last_result=1", "register_file.read_ports=1", NULL},
     false,
     false},
    {"operand buffer of sixteen for four slots, window of one",
     {"last_use.compensation_of=warp", "last_use.compensation=16", "last_use.compensation_share=4", "multi_issue.window=1", NULL},
     false,
     false},
    {"operand buffer, not across, stack",
     {"last_use.compensation_of=warp", "last_use.compensation=3", "last_use.across=false", "divergence.mode=stack", NULL},
     false,
     false},
    {"operand buffer, narrow pipes, no paths",
     {"last_use.compensation_of=warp", "last_use.compensation=4", "last_use.last_result=4", "last_use.path_a=0", "last_use.path_b=0", "lanes.alu=8",
      "lanes.sfu=4", "lanes.lsu=16"},
     false,
     true},
    {"compensation registers by the pipeline, six, slow ports",
     {"last_use.compensation=6", "register_file.banks=1", "register_file.read_ports=1", NULL},
     false,
     false},
    /* LU-11 */
    {"slow register file, hidden", {"register_file.read_latency=2", "register_file.write_latency=3", NULL}, false, false},
    {"slow register file, open, window of one, pairs",
     {"register_file.read_latency=3", "register_file.write_latency=4", "multi_issue.window=1", "predecode.issue_width=2", NULL},
     false,
     false},
    {"slow register file, no paths across, narrow pipes, stack",
     {"register_file.read_latency=1", "register_file.write_latency=1", "last_use.across=false", "lanes.alu=16", "lanes.sfu=8",
      "divergence.mode=stack", NULL},
     false,
     true},
    /* HZ-7, HZ-9, HZ-16 */
    {"pipes of sixteen lanes",
     {"lanes.alu=16", "lanes.coord=16", "lanes.sfu=16", "lanes.f64=16", "lanes.cvt=16", "lanes.latom=16", "lanes.lsu=16", NULL},
     false,
     true},
    {"pipes of eight lanes, window of one",
     {"lanes.alu=8", "lanes.coord=8", "lanes.sfu=8", "lanes.f64=8", "lanes.cvt=8", "lanes.latom=8", "lanes.lsu=8", "multi_issue.window=1", NULL},
     false,
     true},
    {"narrow units, wide ALU", {"lanes.coord=4", "lanes.sfu=4", "lanes.f64=8", "lanes.cvt=8", "lanes.latom=4", NULL}, false, true},
    /* MI-14 */
    {"floats in a pipe of their own, eight counters", {"pipe.fma=tex", "predecode.geometry=combined", "fence.counters=8", NULL}, false, false},
    {"floats with coordinates, multiplications with conversions, waits passed, narrow units",
     {"pipe.fma=coord", "pipe.mul=cvt", "pipe.sfu=tex", "multi_issue.pass_waits=true", "multi_issue.window=8", "lanes.cvt=8", "lanes.coord=16"},
     false,
     true},
    {"one pipe for all fixed latencies, window of one, pairs",
     {"pipe.coord=alu", "pipe.sfu=alu", "pipe.f64=alu", "pipe.cvt=alu", "pipe.cvt64=alu", "multi_issue.window=1", "predecode.issue_width=2"},
     false,
     false},
    {"two copies of each pipe, two wide",
     {"copies.alu=2", "copies.coord=2", "copies.sfu=3", "copies.f64=2", "copies.cvt=4", "copies.lsu=2", "predecode.issue_width=2", NULL},
     false,
     false},
    /* HZ-37 */
    {"pipes of all schedulers", {"machine.shared_pipes=coord+sfu+f64+cvt", "machine.schedulers=4", NULL}, false, false},
    {"every pipe shared, queues of one, no hazard queues, window of one, pairs",
     {"machine.shared_pipes=alu+coord+sfu+f64+cvt+tex", "queue.alu.fifo=1", "queue.alu.hazard=0", "queue.sfu.fifo=1", "multi_issue.window=1",
      "predecode.issue_width=2", "copies.sfu=2", "pipe.fma=tex"},
     false,
     false},
    {"shared pipes, scoreboard, narrow units, stack",
     {"machine.shared_pipes=alu+sfu", "fence.mode=scoreboard", "lanes.sfu=8", "lanes.alu=16", "divergence.mode=stack", "copies.f64=2", NULL},
     false,
     true},
    {"shared pipes, no wait counters, free of deadlocks, counters of four bits",
     {"machine.shared_pipes=alu+cvt", "fence.wait_counters=false", "fence.deadlock_free=true", "fence.bits=4", "copies.alu=2", NULL},
     false,
     false},
    {"narrow units, pairs",
     {"lanes.coord=4", "lanes.sfu=4", "lanes.f64=8", "lanes.cvt=8", "lanes.lsu=16", "multi_issue.window=1", "predecode.issue_width=2", NULL},
     false,
     true},
};
const unsigned stress_machine_count = HD_COUNT(stress_machines);

bool stress_machine_load(const stress_machine *description, hd_machine *machine, hd_diag *diag)
{
	hd_machine_default(machine);
	for (unsigned i = 0; description->settings[i]; i++)
		if (!hd_machine_set(machine, description->settings[i], diag))
			return false;
	return hd_machine_validate(machine, NULL, diag);
}

/* -- random machines ----------------------------------------------------------------------------------------------------------------------- */

typedef struct drawing {
	uint64_t seed;
	hd_machine *machine;
	hd_text *settings;
} drawing;

static unsigned any(drawing *d, unsigned n) { return (unsigned)(hd_random(&d->seed) >> 16) % n; }

static void set(drawing *d, const char *key, const char *value)
{
	char setting[64];
	hd_diag diag = {0};
	snprintf(setting, sizeof setting, "%s=%s", key, value);
	hd_invariant(hd_machine_set(d->machine, setting, &diag), "%s: %s", setting, diag.text.at);
	hd_text_printf(d->settings, "%s--set %s", d->settings->n ? " " : "", setting);
}

static void set_number(drawing *d, const char *key, unsigned value)
{
	char number[16];
	snprintf(number, sizeof number, "%u", value);
	set(d, key, number);
}

static void draw_passed_waits(drawing *d)
{
	set(d, "multi_issue.pass_waits", "true");
	if (any(d, 2))
		set(d, "multi_issue.places", "eligible");
}

/* PD-36 */
static void draw_task_managers(drawing *d)
{
	static const char *const managers[] = {"device", "cluster", "help"};
	if (any(d, 2))
		return;
	set_number(d, "machine.clusters", 1 + any(d, 3));
	set_number(d, "machine.devices", 1 + any(d, 2));
	set(d, "grids.managers", managers[any(d, 3)]);
	set(d, "grids.lend", any(d, 2) ? "true" : "false");
	set(d, "grids.join", d->machine->grids_lend ? "stay" : "away"); /* PD-32: no draw of its own, so that others stay as they are */
	set_number(d, "grids.clusters_1", any(d, d->machine->machine_clusters));
	if (any(d, 2)) {
		set(d, "grids.order", "turns");
		set_number(d, "grids.turn", any(d, 2000));
	}
}

/* PD-24, PD-33 */
static void draw_geometry(drawing *d, bool fifo)
{
	static const char *const geometries[] = {"combined", "front", "compact"};
	set(d, "predecode.geometry", geometries[any(d, fifo ? 2 : 3)]);
}

static void draw_issue(drawing *d, bool single)
{
	set_number(d, "multi_issue.window", single ? 1 : 2 + any(d, 7));
	if (!single && any(d, 2))
		draw_passed_waits(d);
	set_number(d, "predecode.issue_width", 1u << any(d, 3));
	if (any(d, 6) == 0) {
		set(d, "multi_issue.queues", "shared");
		set_number(d, "multi_issue.queue_entries", 1 + any(d, 20));
	}
	bool fifo = any(d, 4) == 0;
	if (fifo) {
		set_number(d, "predecode.fifo", 1 + any(d, 9));
		set_number(d, "predecode.fifo_rate", 1 + any(d, 4));
		set_number(d, "predecode.data_buffer", 8 + any(d, 12));
		if (any(d, 4) == 0)
			set(d, "predecode.carrier", "ahead");
	}
	if (any(d, 4) == 0)
		set(d, "predecode.refetch", "true");
	if (!fifo && any(d, 4) == 0)
		set(d, "predecode.carrier", single && any(d, 3) == 0 ? "register" : any(d, 2) ? "instruction" : "none");
	else if (any(d, 2) == 0)
		draw_geometry(d, fifo);
	if (any(d, 2))
		set(d, "predecode.hint_table", "true");
	if (any(d, 4) == 0)
		set_number(d, "latency.nop.latency", 1 + any(d, 6));
	set_number(d, "predecode.replay", any(d, 3) * 4);
	if (any(d, 4) == 0) {
		set_number(d, "predecode.sort_period", 1 + any(d, 16));
		set_number(d, "predecode.sort_warps", 2 + any(d, 15));
	}
	if (any(d, 2))
		set_number(d, "predecode.chain", 2 + any(d, 3));
	if (any(d, 4) == 0 && !d->machine->predecode_fifo && d->machine->multi_issue_queues == HD_QUEUES_TYPED)
		set(d, "predecode.strict_pairs", "true");
	if (any(d, 4) == 0)
		set(d, "predecode.consecutive", "true");
	static const char *const refusals[] = {"refuse_busy", "refuse_atomics", "refuse_constants", "refuse_ports", "replay_misses"};
	for (unsigned i = 0; i < HD_COUNT(refusals); i++) {
		char key[48];
		snprintf(key, sizeof key, "predecode.%s", refusals[i]);
		if (any(d, 4) == 0)
			set(d, key, "true");
	}
	if (any(d, 4) == 0)
		set_number(d, "memory.constant_bytes", 1024);
	if (any(d, 4) == 0)
		set(d, "fetch.l15_constants", "true");
	if (any(d, 4) == 0)
		set_number(d, "grids.descriptor_bytes", any(d, 400));
	draw_task_managers(d);
	if (any(d, 2))
		set(d, "divergence.mode", any(d, 2) ? "stack" : "barriers");
	if (d->machine->predecode_carrier != HD_CARRIER_INSTRUCTION && any(d, 2))
		set(d, "divergence.pop", "flag");
}

static void draw_counters(drawing *d)
{
	static const uint8_t bits[] = {4, 5, 12, 12};
	unsigned counters = 2 + any(d, 5);
	set_number(d, "fence.counters", counters);
	unsigned high = any(d, counters);
	set_number(d, "fence.high_latency", high);
	if (any(d, 4) == 0)
		set_number(d, "fence.status_period", any(d, 20));
	if (high && any(d, 3) == 0) {
		set(d, "fence.deadlock_free", "true");
		set(d, "fence.wait_counters", "false");
	}
	if (any(d, 3) == 0)
		set(d, "fence.assign", any(d, 2) ? "rotate" : "unshared");
	set_number(d, "fence.bits", bits[any(d, HD_COUNT(bits))]);
	if (any(d, 3) == 0)
		set(d, "fence.unit", "instruction");
	if (any(d, 3) == 0)
		set(d, "memory.return_groups", "true");
	if (any(d, 2)) {
		set(d, "fence.classify", "latency");
		set_number(d, "fence.threshold", 1 + any(d, 30));
	}
	if (any(d, 4) == 0)
		set(d, "fence.within_pipeline", "true");
	if (any(d, 4) == 0)
		set(d, "fence.memory_high", "false");
	if (any(d, 4) == 0)
		set(d, "fence.active_logic", "false");
	if (any(d, 2))
		set_number(d, "divergence.if_convert", 1 + any(d, 40));
}

static void draw_pipes(drawing *d, bool narrow)
{
	char key[48];
	const hd_machine *m = d->machine;
	bool refuses = m->predecode_replay && (m->predecode_refuse_busy || m->predecode_refuse_ports || m->predecode_refuse_constants);
	for (unsigned klass = 0; klass < HD_CLASS_COUNT; klass++) {
		if (klass == HD_CLASS_NOP)
			continue;
		snprintf(key, sizeof key, "latency.%s.latency", hd_class_names[klass]);
		set_number(d, key, 1 + any(d, any(d, 4) ? 9 : 40));
		snprintf(key, sizeof key, "latency.%s.interval", hd_class_names[klass]);
		if (klass != HD_CLASS_FLOW && any(d, 2))
			set_number(d, key, 1 + any(d, 9));
	}
	if (!refuses && d->machine->multi_issue_queues != HD_QUEUES_SHARED && any(d, 3) == 0) { /* HZ-37 */
		static const char *const sets[] = {"alu", "coord+f64", "sfu+cvt+tex", "alu+coord+sfu+f64+cvt+tex"};
		set(d, "machine.shared_pipes", sets[any(d, HD_COUNT(sets))]);
	}
	bool map = any(d, 3) == 0, copies = !refuses && !narrow && d->machine->multi_issue_queues != HD_QUEUES_SHARED && any(d, 3) == 0; /* MI-14 */
	for (unsigned pipe = 0; copies && pipe < HD_PIPE_LATOM; pipe++) {
		snprintf(key, sizeof key, "copies.%s", hd_pipe_names[pipe]);
		set_number(d, key, 1 + any(d, HD_MAX_COPIES));
	}
	if (copies) /* no draw of its own, so that others stay as they are */
		set_number(d, "copies.lsu", d->machine->copies[HD_PIPE_ALU]);
	for (unsigned klass = 0; map && klass <= HD_CLASS_TEX; klass++) {
		snprintf(key, sizeof key, "pipe.%s", hd_class_names[klass]);
		if (any(d, 2))
			set(d, key, hd_pipe_names[any(d, HD_PIPE_LATOM)]);
	}
	for (unsigned pipe = 0; pipe < HD_PIPE_FLOW; pipe++) {
		snprintf(key, sizeof key, "lanes.%s", hd_pipe_names[pipe]);
		if (narrow && any(d, 2))
			set_number(d, key, 4u << any(d, 3));
		snprintf(key, sizeof key, "queue.%s.fifo", hd_pipe_names[pipe]);
		set_number(d, key, 1 + any(d, 4));
		snprintf(key, sizeof key, "queue.%s.hazard", hd_pipe_names[pipe]);
		set_number(d, key, any(d, 9));
	}
}

/* PD-38 */
static void draw_pages(drawing *d)
{
	if (any(d, 3) == 0) {
		unsigned ways = 1 + any(d, 4);
		set_number(d, "pages.kib", 4u << any(d, 10));
		set_number(d, "pages.levels", 1 + any(d, 5));
		set_number(d, "pages.walks", 1 + any(d, 4));
		set_number(d, "pages.tlb_ways", ways);
		set_number(d, "pages.tlb_entries", ways * (1 + any(d, 8)));
		set_number(d, "pages.tlb2_entries", 8 * any(d, 3));
	}
	if (any(d, 3) == 0) {
		set_number(d, "host.bytes_per_cycle", 1 + any(d, 40));
		set_number(d, "host.latency", 1 + any(d, 900));
		set_number(d, "host.queue", 1 + any(d, 8));
		set(d, "host.system_memory", any(d, 2) ? "true" : "false");
	}
}

/* MT-4 */
static void draw_slices(drawing *d)
{
	static const char *const sizes[] = {"16384", "32768", "1048576"};
	set_number(d, "memory.dram_partitions", 1u << any(d, 3));
	set_number(d, "memory.slices", d->machine->memory_dram_partitions << any(d, 3));
	set(d, "memory.l2_bytes", sizes[any(d, HD_COUNT(sizes))]);
	set_number(d, "memory.l2_ways", 1u << any(d, 3));
	set_number(d, "memory.l2_misses", d->machine->memory_slices * (1 + any(d, 6)));
	set(d, "memory.slice_hash", any(d, 2) ? "hashed" : "turns");
	set_number(d, "memory.slice_queue", 1 + any(d, 9));
	set_number(d, "memory.slice_banks", 1 + any(d, 5));
	set_number(d, "memory.slice_bank_cycles", 1 + any(d, 12));
	set_number(d, "memory.request_bytes", any(d, 60));
	set_number(d, "memory.request_queue", 1 + any(d, 6));
	set_number(d, "memory.answer_bytes", any(d, 60));
	set_number(d, "memory.dram_queue", 5 + any(d, 20));
	set_number(d, "memory.dram_cycles_per_sector", 1 + any(d, 20));
	if (any(d, 3) == 0)
		return;
	set_number(d, "memory.dram_banks", 1 + any(d, 9));
	set_number(d, "memory.dram_row_bytes", 256u << any(d, 5));
	set_number(d, "memory.dram_activate", any(d, 60));
	set_number(d, "memory.dram_precharge", any(d, 60));
	set_number(d, "memory.dram_row_least", any(d, 100));
	set_number(d, "memory.dram_refresh", any(d, 300));
	if (any(d, 2))
		set_number(d, "memory.dram_refresh_interval", 800 + any(d, 3000));
	set(d, "memory.dram_order", any(d, 3) ? "first_ready" : "in_order");
	set_number(d, "memory.dram_patience", 1 + any(d, 500));
}

static void draw_memory(drawing *d)
{
	if (any(d, 4) == 0)
		set(d, "memory.values", "at_once");
	if (any(d, 3) == 0)
		set_number(d, "memory.far_latency", 1 + any(d, 400));
	set_number(d, "memory.l1_latency", 1 + any(d, 200));
	set_number(d, "memory.shared_latency", 1 + any(d, 100));
	set_number(d, "memory.l1_misses", 1 + any(d, 8));
	set_number(d, "memory.l1_writes", 1 + any(d, 8));
	set_number(d, "memory.shared_banks", 1 + any(d, 32));
	set_number(d, "register_file.read_ports", 1 + any(d, 2));
	set_number(d, "register_file.write_ports", 1 + any(d, 2));
	if (any(d, 4) == 0) { /* not with an operand buffer */
		set_number(d, "register_file.read_latency", any(d, 6));
		set_number(d, "register_file.write_latency", any(d, 6));
		set_number(d, "last_use.compensation", any(d, 9));
	} else if (any(d, 2)) {
		set(d, "last_use.compensation_of", "warp");
		set_number(d, "last_use.compensation", any(d, 9));
		set_number(d, "last_use.compensation_share", 1u << any(d, 4));
		set_number(d, "last_use.last_result", any(d, 5));
	}
	set_number(d, "machine.schedulers", 1 + any(d, 4));
	draw_pages(d);
	if (d->machine->memory_values == HD_VALUES_TRAVEL && !d->machine->memory_return_groups && any(d, 3) == 0)
		draw_slices(d);
	if (any(d, 3) == 0)
		set_number(d, "machine.lanes", 6 + any(d, 26)); /* 16 warps hold a CTA of 96 threads (RC-23) */
}

/* PD-27. Last, because it goes by what was drawn. */
static void draw_speculation(drawing *d)
{
	if (d->machine->fence_wait_counters && d->machine->multi_issue_queues == HD_QUEUES_TYPED && !d->machine->machine_shared_pipes && any(d, 2))
		set(d, "predecode.speculate", any(d, 2) ? "static" : "counters");
}

void stress_machine_random(uint64_t seed, bool single, bool narrow, hd_machine *machine, hd_text *settings)
{
	drawing d = {seed * 0x9e3779b97f4a7c15u + 1, machine, settings};
	hd_diag diag = {0};
	hd_machine_default(machine);
	draw_issue(&d, single);
	draw_counters(&d);
	draw_pipes(&d, narrow);
	draw_memory(&d);
	draw_speculation(&d);
	hd_invariant(hd_machine_validate(machine, NULL, &diag), "random machine %llu: %s", (unsigned long long)seed, diag.text.at);
}
