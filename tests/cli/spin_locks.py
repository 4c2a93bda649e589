"""A lane that holds a lock goes on while lanes of its warp wait for it, in every divergence mode (RC-17, src/passes/lower/critical_sections.h): the ways in which programs
take locks, each compiled from source, proven, run by the interpreter and by the machine. Every thread adds its number to a sum in the critical section."""
import itertools

from harness import Cases, values

THREADS = 64
ADD = "out[0] += get_global_id(0) + 1; mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);"
UNLOCK = "atomic_xchg(lock, 0u);"
SUM = THREADS * (THREADS + 1) // 2
LOCKS = {
    "test_and_set": f"while (atomic_cmpxchg(lock, 0u, 1u) != 0) continue; {ADD} {UNLOCK}",
    "exchange": f"while (atomic_xchg(lock, 1u)) continue; {ADD} {UNLOCK}",
    "flag_of_success": f"bool done = false; while (!done) {{ if (atomic_cmpxchg(lock, 0u, 1u) == 0) {{ {ADD} {UNLOCK} done = true; }} }}",
    "break_behind": f"for (;;) if (atomic_cmpxchg(lock, 0u, 1u) == 0) {{ {ADD} {UNLOCK} break; }}",
    "test_first": f"do while (lock[0]) continue; while (atomic_cmpxchg(lock, 0u, 1u)); {ADD} {UNLOCK}",
    "back_off": f"uint wait = 1; while (atomic_cmpxchg(lock, 0u, 1u)) {{ for (uint i = 0; i < wait; i++) (void)lock[1]; wait = wait < 16 ? wait * 2 : 1; }} {ADD} {UNLOCK}",
    "element_of_several": f"bool done = false; while (!done) if (atomic_cmpxchg(lock + 2, 0u, 1u) == 0) {{ {ADD} lock[2] = 0; done = true; }}",
    "plain_store": f"while (atomic_cmpxchg(lock, 0u, 1u)) continue; {ADD} lock[0] = 0;",
    "ticket": f"uint mine = atomic_inc(lock); while (lock[1] != mine) continue; {ADD} lock[1] = mine + 1;",
    "turns": "while (lock[0] != get_num_groups(0) * get_local_size(0) - 1 - get_global_id(0)) continue; out[0] += get_global_id(0) + 1; mem_fence(CLK_GLOBAL_MEM_FENCE); lock[0] = lock[0] + 1;",
    "ticket_atomic": f"uint mine = atomic_inc(lock); while (atomic_or(lock + 1, 0u) != mine) continue; {ADD} atomic_inc(lock + 1);",
    "one_of_several": f"volatile global uint *l = lock + (get_global_id(0) & 3); while (atomic_cmpxchg(l, 0u, 1u)) continue; atomic_add(out, get_global_id(0) + 1); mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(l, 0u);",
    "nested": f"while (atomic_cmpxchg(lock, 0u, 1u)) continue; while (atomic_cmpxchg(lock + 1, 0u, 1u)) continue; {ADD} atomic_xchg(lock + 1, 0u); {UNLOCK}",
    "one_after_the_other": f"while (atomic_cmpxchg(lock, 0u, 1u)) continue; {ADD} {UNLOCK} while (atomic_cmpxchg(lock, 0u, 1u)) continue; out[1] += 1; mem_fence(CLK_GLOBAL_MEM_FENCE); {UNLOCK}",
    "loop_in_section": f"while (atomic_cmpxchg(lock, 0u, 1u)) continue; for (uint i = 0; i <= get_global_id(0); i++) out[0] += 1; mem_fence(CLK_GLOBAL_MEM_FENCE); {UNLOCK}",
    "two_releases": f"while (atomic_cmpxchg(lock, 0u, 1u)) continue; if (get_global_id(0) & 1) {{ {ADD} {UNLOCK} }} else {{ out[0] = out[0] + get_global_id(0) + 1; out[1]++; mem_fence(CLK_GLOBAL_MEM_FENCE); {UNLOCK} }}",
    "in_a_loop": f"for (uint i = 0; i < 2 + (get_global_id(0) & 1); i++) {{ while (atomic_cmpxchg(lock, 0u, 1u)) continue; if (i == 0) out[0] += get_global_id(0) + 1; mem_fence(CLK_GLOBAL_MEM_FENCE); {UNLOCK} }}",
    "in_a_branch": f"if (get_global_id(0) & 1) {{ while (atomic_cmpxchg(lock, 0u, 1u)) continue; {ADD} {UNLOCK} }} else atomic_add(out + 1, get_global_id(0) + 1);",
    "in_a_call": f"locked_add(lock, out);",
    "calls": "while (atomic_cmpxchg(lock, 0u, 1u)) continue; add(out); mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(lock, 0u);",
    "in_local_memory": f"local volatile uint here; if (get_local_id(0) == 0) here = 0; barrier(CLK_LOCAL_MEM_FENCE); while (atomic_cmpxchg(&here, 0u, 1u)) continue; atomic_add(out, get_global_id(0) + 1); out[1]++; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(&here, 0u);",
    "acquire_release": f"uint free = 0; global atomic_uint *a = (global atomic_uint *)lock; while (!atomic_compare_exchange_strong_explicit(a, &free, 1u, memory_order_acquire, memory_order_relaxed, memory_scope_device)) free = 0; out[0] += get_global_id(0) + 1; atomic_store_explicit(a, 0u, memory_order_release, memory_scope_device);",
    "load_acquire": f"uint mine = atomic_inc(lock); global atomic_uint *a = (global atomic_uint *)(lock + 1); while (atomic_load_explicit(a, memory_order_acquire, memory_scope_device) != mine) continue; out[0] += get_global_id(0) + 1; atomic_store_explicit(a, mine + 1, memory_order_release, memory_scope_device);",
    "flag_set": f"global atomic_flag *a = (global atomic_flag *)lock; while (atomic_flag_test_and_set_explicit(a, memory_order_acquire, memory_scope_device)) continue; out[0] += get_global_id(0) + 1; atomic_flag_clear_explicit(a, memory_order_release, memory_scope_device);",
}
BEFORE = """__attribute__((noinline)) void add(volatile global uint *out) { out[0] += get_global_id(0) + 1; }
__attribute__((noinline)) void locked_add(volatile global uint *lock, volatile global uint *out)
{
	while (atomic_cmpxchg(lock, 0u, 1u)) continue;
	out[0] += get_global_id(0) + 1;
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	atomic_xchg(lock, 0u);
}
"""
ODD = sum(i + 1 for i in range(THREADS) if i & 1)
WANT = {"in_a_branch": [ODD, SUM - ODD], "one_after_the_other": [SUM, THREADS], "two_releases": [SUM, THREADS // 2], "in_local_memory": [SUM, THREADS]}
ONE_GROUP = {"in_local_memory", "turns"}  # a lock for each group, or a group that waits for a later one

c = Cases()
c.file("k.cl", BEFORE + "".join(f"kernel void {name}(volatile global uint *lock, volatile global uint *out)\n{{\n{text}\n}}\n" for name, text in LOCKS.items()))
for mode in ("resume", "stack", "barriers"):
    setting = ["--set", f"divergence.mode={mode}"]
    result = c.run("compile", "k.cl", "--std", "CL3.0", "-o", "k.hko", *setting, timeout=120)
    c.check(result.status == 0, f"{mode}: compiles", result)
    result = c.run("check", "k.hko", *setting, timeout=120)
    c.check(result.status == 0, f"{mode}: is proven", result)
    for name, more in itertools.product(LOCKS, ([], ["--functional"])):
        grid = 1 if name in ONE_GROUP else 2
        result = c.run("run", "k.hko", "--kernel", name, "--grid", grid, "--block", THREADS // grid, "--arg", "zero:u32:8", "--arg", "out:o.npy:u32:2", *setting, *more, timeout=60)
        c.check(result.status == 0 and values(c.root / "o.npy") == WANT.get(name, [SUM, 0]), f"{name} {mode} {more}: every thread has added once", result)
c.end()
