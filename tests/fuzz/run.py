#!/usr/bin/env python3
"""Every fuzz target for a while, under libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer; then a table: executions, coverage of the reader's
files, crashes, slow inputs and memory. An input that takes 10 s or 2 GB counts as a crash.

usage: run.py [--coverage-only] SECONDS [TARGET]...

Inputs that broke something lie in build-fuzz/found. Once the fault is mended, an input moves to tests/fuzz/found/TARGET/in-WHAT, and the suite runs it
for ever. The table is kept as build-fuzz/table.md."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from targets import SOURCE, TARGETS, dictionary, readers

BUILD = SOURCE / "build-fuzz"
FOUND, CORPUS, SEEDS = BUILD / "found", BUILD / "corpus", BUILD / "seeds"
TIMEOUT_SECONDS, MEMORY_MB, SLOW_SECONDS, LENGTH_MAX, CRASHES_MAX = 10, 2048, 1, 1 << 16, 20
OPTIONS = ["-Dfuzz=true", "-Dwerror=false", "-Db_lundef=false", "-Db_sanitize=address,undefined"]


def build(targets):
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, *OPTIONS], cwd=SOURCE, check=True, env={**os.environ, "CC": os.environ.get("CC", "clang-14")})
    programs = [f"tests/fuzz/fuzz-{target}" for target in targets] + [f"tests/fuzz/fuzz-{name}-mutations" for name in ("assembly", "object", "chain")]
    subprocess.run(["ninja", "-C", BUILD, "heddle", "lib/heddle_builtins.bc", *programs], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, SOURCE / "tests/fuzz/seeds.py", BUILD / "heddle", SEEDS], check=True, env=environment("/dev/null"))


def environment(profile):
    return {**os.environ, "LLVM_PROFILE_FILE": str(profile), "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def number(log, name):
    return max((int(n) for n in re.findall(rf"stat::{name}:\s+(\d+)", log)), default=0)


def fuzz(target, seconds):
    """Runs a target for so long, again after each crash. The row of the table."""
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    FOUND.mkdir(parents=True, exist_ok=True)
    words = BUILD / f"{target}.dict"
    words.write_text(dictionary(target))
    row = {"target": target, "seconds": 0, "executions": 0, "crashes": 0, "slow": 0, "memory": 0}
    begun, before, seen = time.monotonic(), set(FOUND.glob(f"{target}-*")), set()
    while time.monotonic() - begun < seconds - 0.5 and row["crashes"] < CRASHES_MAX:
        command = [BUILD / f"tests/fuzz/fuzz-{target}", f"-max_total_time={max(1, int(seconds - (time.monotonic() - begun)))}", f"-timeout={TIMEOUT_SECONDS}",
                   f"-rss_limit_mb={MEMORY_MB}", f"-malloc_limit_mb={MEMORY_MB}", f"-report_slow_units={SLOW_SECONDS}", f"-max_len={LENGTH_MAX}", "-print_final_stats=1",
                   f"-artifact_prefix={FOUND}/{target}-", *([f"-dict={words}"] if words.stat().st_size else []), *TARGETS[target][2], CORPUS / target, SEEDS / target]
        with open(BUILD / f"{target}.log", "wb") as out:
            status = subprocess.run(list(map(str, command)), stdout=out, stderr=subprocess.STDOUT, env=environment("/dev/null"), cwd=BUILD).returncode
        log = (BUILD / f"{target}.log").read_text(errors="replace")
        row["executions"] += number(log, "number_of_executed_units")
        row["memory"] = max(row["memory"], number(log, "peak_rss_mb"))
        if status == 0:
            continue
        row["crashes"] += 1
        kind = re.sub(r"0x\w+|==\d+==", "", "".join(re.findall(r"SUMMARY.*|.*internal error.*", log)))
        if kind not in seen:
            seen.add(kind)
            print(f"{target}: exit status {status}\n" + "\n".join(line for line in log.splitlines() if re.search(r"ERROR|internal error|runtime error|SUMMARY|written to", line)), flush=True)
    row["seconds"] = round(time.monotonic() - begun)
    row["slow"] = len([path for path in set(FOUND.glob(f"{target}-slow-unit-*")) - before])
    return row


def coverage(target):
    """Lines of the reader's files that the corpus reaches, and their number; 0 of 0 where LLVM's tools are not installed."""
    if not shutil.which("llvm-cov-14") or not shutil.which("llvm-profdata-14"):
        return 0, 0
    raw, data, program = BUILD / f"{target}.profraw", BUILD / f"{target}.profdata", BUILD / f"tests/fuzz/fuzz-{target}"
    folders = [folder for folder in (CORPUS / target, SEEDS / target) if folder.is_dir()]
    subprocess.run([program, "-runs=0", f"-rss_limit_mb={MEMORY_MB}", *folders], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(raw), cwd=BUILD, check=False)
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", raw, "-o", data], check=True)
    exported = subprocess.run(["llvm-cov-14", "export", "-summary-only", f"-instr-profile={data}", program], check=True, capture_output=True).stdout
    raw.unlink()
    wanted = set(readers(target))
    lines = [file["summary"]["lines"] for file in json.loads(exported)["data"][0]["files"] if pathlib.Path(file["filename"]).resolve() in wanted]
    return sum(file["covered"] for file in lines), sum(file["count"] for file in lines)


def main(arguments):
    only = arguments[:1] == ["--coverage-only"]
    arguments = arguments[only:]
    seconds, targets = int(arguments[0]) if arguments else 30, arguments[1:] or list(TARGETS)
    build(targets)
    table = ["| target | seconds | executions | a second | lines of the reader reached | crashes | slow (> 1 s) | MB |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    failed = 0
    for target in targets:
        row = {"target": target, "seconds": 0, "executions": 0, "crashes": 0, "slow": 0, "memory": 0} if only else fuzz(target, seconds)
        reached, lines = coverage(target)
        failed += row["crashes"]
        table.append(f"| {target} | {row['seconds']} | {row['executions']:,} | {row['executions'] // max(1, row['seconds']):,} | {reached:,} of {lines:,} ({100 * reached // max(1, lines)} %) | "
                     f"{row['crashes']} | {row['slow']} | {row['memory']} |")
        print(table[-1], flush=True)
        (BUILD / "table.md").write_text("\n".join(table) + "\n")
    if not only and not arguments[1:]:
        # Then inputs of the examples' own files that mostly mean something, from a seed that nobody had before: thirty a second that is asked for.
        first = int(time.time()) * 10000
        print(f"mutations: from seed {first}", flush=True)
        failed += subprocess.run([sys.executable, SOURCE / "tests/fuzz/mutations.py", BUILD / "heddle", BUILD / "tests/fuzz", str(first), str(30 * seconds)],
                                 env={**environment("/dev/null"), "HEDDLE_SOURCE": str(SOURCE)}).returncode != 0
    print("\n".join(table))
    print(f"{failed} failed")
    return failed != 0


sys.exit(main(sys.argv[1:]))
