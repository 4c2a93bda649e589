#!/usr/bin/env python3
"""test_summary.py [--allowed FILE] [--broken BUILD]... [LOG STATUS]...: one line that counts tests, from meson's logs (testlog.json).

`N passed, N failed, N skipped`; then the name of each test that failed with the last line of what it printed, and the reason for each skip, and how often
if more than once. A log of a run elsewhere may be all that is left of it, and of that log the end, so this line says what to look for.
STATUS is what `meson test` ended with: meson can fail without a failed test, for example when it cannot start, which counts as one failure. A test that
is skipped ends with status 77 and prints its reason last; it counts as failed unless FILE (tests/skips.list) has it."""
import argparse
import collections
import fnmatch
import json
import pathlib

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}
LONGEST = 200  # characters of a reason


def results(log):
    """The results in a log, one JSON object a line; nothing if there is no log. Meson writes `PROJECT:SUITE / NAME`, and here it is the name."""
    try:
        found = [json.loads(line) for line in pathlib.Path(log).read_text().splitlines() if line.strip()]
    except OSError:
        return []
    return [{**result, "name": result["name"].split(" / ")[-1]} for result in found]


def reason(result):
    """The last line that a test printed, the beginning of it if it is long."""
    lines = [line.strip() for key in ("stdout", "stderr") for line in (result.get(key) or "").splitlines() if line.strip()]
    return lines[-1][:LONGEST] if lines else "no reason given"


def counted(reasons):
    """Each reason once, in order, with how often it was given."""
    return [text + (f", {n} times" if n > 1 else "") for text, n in sorted(reasons.items())]


def patterns(path):
    """The lines of a file, comments and empty ones excepted."""
    return [line for line in pathlib.Path(path).read_text().splitlines() if line and not line.startswith("#")] if path else []


def summary(logs, broken=(), allowed=()):
    failures, skips = collections.Counter(f"BUILD {name}: it failed" for name in broken), collections.Counter()
    passed, failed = 0, len(broken)
    for log, status in logs:
        bad = 0
        for result in results(log):
            if result["result"] in PASSED:
                passed += 1
            elif result["result"] in SKIPPED and any(fnmatch.fnmatchcase(f"{result['name']}: {reason(result)}", pattern) for pattern in allowed):
                skips[f"{result['name']}: {reason(result)}"] += 1
            else:
                bad += 1
                failures[f"{result['result']} {result['name']}: {reason(result)}"] += 1
        failed += max(bad, status != 0)
    text = f"{passed} passed, {failed} failed, {sum(skips.values())} skipped"
    reasons = counted(failures) + counted(skips)
    return text + (f" ({'; '.join(reasons)})" if reasons else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--allowed")
    parser.add_argument("--broken", action="append", default=[])
    parser.add_argument("logs", nargs="*")
    given = parser.parse_args()
    print(summary([(log, int(status)) for log, status in zip(given.logs[::2], given.logs[1::2])], given.broken, patterns(given.allowed)))
