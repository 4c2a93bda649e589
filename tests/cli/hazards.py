"""heddle run --hazards: the hazard sanitizer (docs/sanitizer.md). The programs are those of tests/regressions that the checker refutes."""
import json
import re

from harness import Cases, SOURCE

cases = Cases()
PROGRAMS = SOURCE / "tests/regressions/programs"
RUN = ["--grid", 1, "--block", 64, "--arg", "out:out.npy:u32:64", "--arg", "zero:u32:256"]


def run(name, *more):
    return cases.run("run", PROGRAMS / name, *RUN, "--quiet", *more)


# Hazards that the checker refutes and the run shows, whether bytes differ or not.
FOUND = {
    "barrier_passes_a_fence.hasm": "fence on memory",
    "exit_in_a_subroutine.hasm": "barrier on shared memory at 0x0",
    "guard_overwritten_before_it_is_read.hasm": "WAR on p0",
    "lanes_wait_behind_exit.hasm": "barrier on shared memory at 0x0",
    "lanes_wait_within_a_branch.hasm": "barrier on shared memory at 0x0",
    "shared_memory_by_two_pipes.hasm": "memory order on shared memory at 0x0",
}
for name, message in FOUND.items():
    more = ["--grid", 2] if name.startswith("barrier_") else []
    result = run(name, *more, "--hazards")
    cases.check(result.status == 1 and message in result.err, f"{name}: {message}", result)
    cases.check(run(name, *more).status == 0, f"{name}: without --hazards nothing is said")
result = run("complementary_guards.hasm", "--hazards")
cases.check(result.status == 0 and not result.err, "a program that is proven", result)

# The message: both instructions, with their cycles; where it happened.
result = run("shared_memory_by_two_pipes.hasm", "--hazards")
lines = result.err.splitlines()
cases.check(len(lines) == 4 and lines[0].startswith("error: 'k': memory order on"), "four lines", result)
cases.check("`atoms.add.u32 rz, [rz], r9` at word 6: issued in cycle " in lines[1] and "took effect in " in lines[1], "the first", result)
cases.check("`lds.32 r8, [rz]` at word 7: issued in cycle " in lines[2], "the second", result)
cases.check("CTA (0,0,0), warp 0, lanes 0xffffffff, core 0, scheduler 0, slot 0; 2 times" in lines[3], "the place", result)

# A compiled program has lines. A wait less in saxpy's ffma: RAW, and the position of the reader.
cases.run("compile", SOURCE / "examples/saxpy/saxpy.cl", "-o", "saxpy.hko")
listing = cases.run("disasm", "saxpy.hko").out.splitlines()
at = next(i for i, line in enumerate(listing) if "ffma" in line)
cases.file("bare.hasm", "\n".join(listing[:at] + [re.sub(r"\bw[01]+\b", "", listing[at])] + listing[at + 1:]) + "\n")
SAXPY = ["--grid", 4, "--block", 128, "--arg", "rand:f32:500:1", "--arg", "rand:f32:500:2", "--arg", "f32:2.0", "--arg", "u32:500"]
result = cases.run("run", "bare.hasm", *SAXPY, "--hazards")
cases.check(result.status == 1 and "RAW on r" in result.err and "saxpy.cl:" in result.err, "a wait less", result)

# The report: the same in text and JSON; everything else as without the watcher.
bare = cases.run("run", "bare.hasm", *SAXPY, "--report", "off.json")
watched = cases.run("run", "bare.hasm", *SAXPY, "--hazards", "--report", "on.json")
cases.check(bare.status == 0 and watched.status == 1, "the exit status", watched)
off, on = (json.loads((cases.root / name).read_text()) for name in ("off.json", "on.json"))
hazards = on.pop("hazards")
cases.check("hazards" not in off, "no `hazards` without --hazards")
off.pop("host"), on.pop("host")
cases.check(off == on, "nothing else changes")
cases.check(hazards["violations"] == sum(one["count"] for one in hazards["list"]) > 0, "violations are counted")
one = hazards["list"][0]
cases.check(one["kind"] == "RAW" and one["on"].startswith("r") and one["lanes"].startswith("0x"), "kind, register, lanes", watched)
cases.check(one["first"]["instruction"].startswith("ldg.32") and "ffma" in one["second"]["instruction"], "both instructions", watched)
cases.check(one["first"]["issued"] <= one["second"]["issued"] <= one["second"]["entered"] < one["first"]["written"], "their cycles", watched)
cases.check(one["second"]["file"].endswith("saxpy.cl") and one["second"]["line"] > 0, "their lines", watched)
cases.check(one["core"] >= 0 and one["cta"][1:] == [0, 0] and one["warp"] in range(4), "where", watched)
cases.check(one["second"]["performed"] is None, "a cycle that there was not", watched)
text = cases.run("run", "bare.hasm", *SAXPY, "--hazards", "--report", "-")
cases.check(f"hazards   {hazards['violations']} violated\n" in text.out, "the text report", text)
clean = cases.run("run", "saxpy.hko", *SAXPY, "--hazards", "--report", "-")
cases.check(clean.status == 0 and "hazards   0 violated\n" in clean.out, "a clean run says so", clean)
result = cases.run("run", "saxpy.hko", *SAXPY, "--hazards", "--trace", "konata:trace.log")
cases.check(result.status == 0 and (cases.root / "trace.log").stat().st_size > 1000, "beside a trace", result)

result = cases.run("run", "saxpy.hko", *SAXPY, "--hazards", "--functional")
cases.check(result.status == 2 and "--hazards" in result.err, "there are no cycles in a functional run", result)
cases.check("--hazards" in cases.run("run", "--help").out, "--help")
cases.end()
