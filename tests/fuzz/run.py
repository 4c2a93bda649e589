#!/usr/bin/env python3
"""Every fuzz target for a while, under libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer; then a table: executions, coverage of the reader's
files, crashes, slow inputs and memory. An input that takes 10 s or 2 GB counts as a crash.

usage: run.py [--coverage-only] [--total] SECONDS [TARGET]...

SECONDS are processor seconds of a target, so that a busy machine does not shorten a run. --total counts the earlier runs in build-fuzz, too: a target
that has had its seconds is not run again. The corpus, and the sums of all runs, stay in build-fuzz.

Inputs that broke something lie in build-fuzz/found. Once the fault is mended, an input moves to tests/fuzz/found/TARGET/in-WHAT, and the suite runs it
for ever. The table is kept as build-fuzz/table.md."""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

from targets import SOURCE, TARGETS, dictionary, readers

BUILD = SOURCE / "build-fuzz"
FOUND, CORPUS, SEEDS = BUILD / "found", BUILD / "corpus", BUILD / "seeds"
TIMEOUT_SECONDS, MEMORY_MB, SLOW_SECONDS, LENGTH_MAX, CRASHES_MAX = 10, 2048, 1, 1 << 16, 20
SLICE_SECONDS = 300  # a run of libFuzzer: its inputs are read again, and the next one begins with what the last one found
COUNTS = ("seconds", "executions", "crashes", "slow")
OPTIONS = ["-Dfuzz=true", "-Dwerror=false", "-Db_lundef=false", "-Db_sanitize=address,undefined"]


def device_libraries():
    """The libraries that `heddle compile` links with a kernel: every lib/*.bc that the build makes."""
    rows = subprocess.run(["ninja", "-C", BUILD, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in (row.split(":")[0] for row in rows) if name.startswith("lib/") and name.endswith(".bc")]


def build(targets):
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, *OPTIONS], cwd=SOURCE, check=True, env={**os.environ, "CC": os.environ.get("CC", "clang-19")})
    programs = [f"tests/fuzz/fuzz-{target}" for target in targets] + [f"tests/fuzz/fuzz-{name}-mutations" for name in ("assembly", "object", "chain")]
    subprocess.run(["ninja", "-C", BUILD, "heddle", *device_libraries(), *programs], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, SOURCE / "tests/fuzz/seeds.py", BUILD / "heddle", SEEDS], check=True, env=environment("/dev/null"))


def environment(profile):
    return {**os.environ, "LLVM_PROFILE_FILE": str(profile), "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def number(log, name):
    return max((int(n) for n in re.findall(rf"stat::{name}:\s+(\d+)", log)), default=0)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_all(target):
    """The sums of all runs of a target in this build folder."""
    path = BUILD / f"{target}.sums"
    return json.loads(path.read_text()) if path.exists() else {"target": target, "memory": 0, **dict.fromkeys(COUNTS, 0)}


def slice_of(target, seconds, row, seen):
    """One run of libFuzzer, of `seconds` by the clock at most. Adds what it did to the row."""
    words, log_file = BUILD / f"{target}.dict", BUILD / f"{target}.log"
    before, begun = set(FOUND.glob(f"{target}-slow-unit-*")), processor_seconds()
    command = [BUILD / f"tests/fuzz/fuzz-{target}", f"-max_total_time={max(1, int(seconds))}", f"-timeout={TIMEOUT_SECONDS}",
               f"-rss_limit_mb={MEMORY_MB}", f"-malloc_limit_mb={MEMORY_MB}", f"-report_slow_units={SLOW_SECONDS}", f"-max_len={LENGTH_MAX}", "-print_final_stats=1",
               "-entropic=0",  # its sums over all features take nine tenths of the time with a library of this size
               f"-artifact_prefix={FOUND}/{target}-", *([f"-dict={words}"] if words.stat().st_size else []), *TARGETS[target][2], CORPUS / target, SEEDS / target]
    with open(log_file, "wb") as out:
        status = subprocess.run(list(map(str, command)), stdout=out, stderr=subprocess.STDOUT, env=environment("/dev/null"), cwd=BUILD).returncode
    log = log_file.read_text(errors="replace")
    row["seconds"] += processor_seconds() - begun
    row["executions"] += number(log, "number_of_executed_units")
    row["memory"] = max(row["memory"], number(log, "peak_rss_mb"))
    row["slow"] += len(set(FOUND.glob(f"{target}-slow-unit-*")) - before)
    if status == 0:
        return
    row["crashes"] += 1
    kind = re.sub(r"0x\w+|==\d+==", "", "".join(re.findall(r"SUMMARY.*|.*internal error.*", log)))
    if kind not in seen:
        seen.add(kind)
        print(f"{target}: exit status {status}\n" + "\n".join(line for line in log.splitlines() if re.search(r"ERROR|internal error|runtime error|SUMMARY|written to", line)), flush=True)


def fuzz(target, seconds, total):
    """Runs a target for so many processor seconds, again after each crash. The row of the table."""
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    FOUND.mkdir(parents=True, exist_ok=True)
    (BUILD / f"{target}.dict").write_text(dictionary(target))
    row, seen, crashes = in_all(target), set(), 0
    end = seconds if total else row["seconds"] + seconds
    while row["seconds"] < end - 0.5 and crashes < CRASHES_MAX:
        before = row["crashes"]
        slice_of(target, min(SLICE_SECONDS, end - row["seconds"]), row, seen)
        crashes += row["crashes"] - before
        (BUILD / f"{target}.sums").write_text(json.dumps(row) + "\n")
    return row, crashes


def coverage(target):
    """Lines of the reader's files that the corpus reaches, and their number; 0 of 0 where LLVM's tools are not installed."""
    if not shutil.which("llvm-cov-19") or not shutil.which("llvm-profdata-19"):
        return 0, 0
    raw, data, program = BUILD / f"{target}.profraw", BUILD / f"{target}.profdata", BUILD / f"tests/fuzz/fuzz-{target}"
    folders = [folder for folder in (CORPUS / target, SEEDS / target) if folder.is_dir()]
    subprocess.run([program, "-runs=0", f"-rss_limit_mb={MEMORY_MB}", *folders], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(raw), cwd=BUILD, check=False)
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", raw, "-o", data], check=True)
    exported = subprocess.run(["llvm-cov-19", "export", "-summary-only", f"-instr-profile={data}", program], check=True, capture_output=True).stdout
    raw.unlink()
    wanted = set(readers(target))
    lines = [file["summary"]["lines"] for file in json.loads(exported)["data"][0]["files"] if pathlib.Path(file["filename"]).resolve() in wanted]
    return sum(file["covered"] for file in lines), sum(file["count"] for file in lines)


def main(arguments):
    only, total = "--coverage-only" in arguments, "--total" in arguments
    arguments = [argument for argument in arguments if not argument.startswith("--")]
    seconds, targets = int(arguments[0]) if arguments else 30, arguments[1:] or list(TARGETS)
    build(targets)
    table = ["| target | processor seconds | executions | a second | lines of the reader reached | crashes | slow (> 1 s) | MB |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    failed = 0
    for target in targets:
        row, crashes = (in_all(target), 0) if only else fuzz(target, seconds, total)
        reached, lines = coverage(target)
        failed += crashes
        table.append(f"| {target} | {row['seconds']:,.0f} | {row['executions']:,} | {row['executions'] // max(1, int(row['seconds'])):,} | "
                     f"{reached:,} of {lines:,} ({100 * reached // max(1, lines)} %) | {row['crashes']} | {row['slow']} | {row['memory']} |")
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
