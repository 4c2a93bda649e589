#!/usr/bin/env python3
"""The last line of `make test` (tools/test_summary.py): what passed, what failed, what was skipped and why."""
import json
import pathlib
import subprocess
import sys
import tempfile

tool = sys.argv[1]


def row(name, result, stdout="", stderr=""):
    """A line of testlog.json, as meson 1.0 writes it."""
    return json.dumps({"name": f"heddle:room / {name}", "result": result, "stdout": stdout, "stderr": stderr})


with tempfile.TemporaryDirectory() as folder:
    def log(name, *rows):
        path = pathlib.Path(folder) / name
        path.write_text("".join(r + "\n" for r in rows))
        return str(path)

    good = log("good", row("a", "OK"), row("b", "OK"), row("c", "EXPECTEDFAIL"))
    skips = log("skips", row("a", "OK"), row("cli/zsh", "SKIP", "checking\nzsh is not installed\n"), row("d", "SKIP", "", "no driver\n"), row("e", "SKIP"))
    allowed = pathlib.Path(folder) / "allowed"
    allowed.write_text("# why\n\ncli/*: zsh is not installed\nd: no driver\ne: no reason given\n")
    LIST = ["--allowed", allowed]
    bad = log("bad", row("a", "OK"), row("b", "FAIL", "long " * 100), row("c", "TIMEOUT", "first\nlast\n"), row("d", "UNEXPECTEDPASS"), row("e", "INTERRUPT"), row("f", "ERROR"))
    failed_once = log("failed", row("z", "FAIL", "wrong"))
    BAD = f"ERROR f: no reason given; FAIL b: {('long ' * 100)[:200]}; INTERRUPT e: no reason given; TIMEOUT c: last; UNEXPECTEDPASS d: no reason given"
    ZSH, REST = "cli/zsh: zsh is not installed", "d: no driver; e: no reason given"
    cases = [
        ([], "0 passed, 0 failed, 0 skipped"),
        ([good, "0"], "3 passed, 0 failed, 0 skipped"),
        ([*LIST, skips, "0"], f"1 passed, 0 failed, 3 skipped ({ZSH}; {REST})"),
        # A skip that the list does not have, for this reason or at all, is a failure, whatever meson says.
        ([*LIST, log("other", row("cli/zsh", "SKIP", "too late\n"), row("d", "SKIP", "", "no driver\n"), row("z", "OK")), "0"],
         "1 passed, 1 failed, 1 skipped (SKIP cli/zsh: too late; d: no driver)"),
        ([skips, "0"], f"1 passed, 3 failed, 0 skipped (SKIP {ZSH}; SKIP d: no driver; SKIP e: no reason given)"),
        ([*LIST, skips, "0", skips, "0"], f"2 passed, 0 failed, 6 skipped ({ZSH}, 2 times; d: no driver, 2 times; e: no reason given, 2 times)"),
        ([bad, "1"], f"1 passed, 5 failed, 0 skipped ({BAD})"),
        (["--broken", "clang", "--broken", "plain", bad, "1"], f"1 passed, 7 failed, 0 skipped (BUILD clang: it failed; BUILD plain: it failed; {BAD})"),
        # Failures come before skips.
        ([*LIST, skips, "0", failed_once, "1", failed_once, "1"], f"1 passed, 2 failed, 3 skipped (FAIL z: wrong, 2 times; {ZSH}; {REST})"),
        # meson failed, but no test did; meson left no log.
        ([good, "1"], "3 passed, 1 failed, 0 skipped"),
        ([folder + "/none", "1", good, "0"], "3 passed, 1 failed, 0 skipped"),
    ]
    wrong = 0
    for arguments, expected in cases:
        got = subprocess.run([sys.executable, tool, *arguments], capture_output=True, text=True).stdout
        if got != expected + "\n":
            wrong += 1
            print(f"{arguments}: expected\n{expected}\ngot\n{got}")
print(f"{len(cases) - wrong} of {len(cases)} lines as expected")
sys.exit(1 if wrong else 0)
