#!/usr/bin/env python3
"""Requests to the driver by the environment: reports of launches in three forms, a summary at the end, traces, machines, progress; and wrong values."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import json_contract  # pylint: disable=wrong-import-position

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
passed, failed = 0, 0


def check(ok, what, seen=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"FAILED: {what}\n{seen}")


def run(root, example="bfs", size=1, **variables):
    """The example on the driver; its launches are many, of two kernels."""
    environment = {**os.environ, **{f"HEDDLE_{key}": str(value) for key, value in variables.items()}}
    r = subprocess.run([PROGRAM, "--opencl", "--size", str(size), example], cwd=root, env=environment, capture_output=True, text=True, timeout=300)
    check(r.returncode == 0, f"{variables} runs", r.stdout + r.stderr)
    return r


def documents(text):
    found, decoder = [], json.JSONDecoder()
    while text := text.strip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    r = run(root, REPORT="all.json", SUMMARY="sum.json")
    check(r.stderr == "", "nothing on standard error", r.stderr)
    reports = documents((root / "all.json").read_text())
    summary = json.loads((root / "sum.json").read_text())
    check(len(reports) > 1 and all(one["result"] == "done" and one["cycles"] > 0 for one in reports), "a report a launch", reports)
    wrong = json_contract.problems("summary", summary)
    check(not wrong and summary["schema"] == "heddle-summary-1", "keys of the summary are a contract", "\n".join(wrong))
    check(summary["total"]["launches"] == len(reports), "the summary counts the launches", summary)
    check(summary["total"]["cycles"] == sum(one["cycles"] for one in reports), "and adds up their cycles", summary)
    check(sum(one["cycles"] for one in summary["kernels"]) == summary["total"]["cycles"], "a row a kernel", summary)
    energy, error = (sum(one[key]["total"] for one in reports) / 1e3 for key in ("energy_pj", "energy_uncertainty_pj"))
    check(abs(summary["total"]["energy_nj"] - energy) < 1e-3 * energy, "the energy is the sum of the reports", summary)
    check(0.5 * error < summary["total"]["energy_uncertainty_nj"] < 1.001 * error, "launches have the same errors, which add up", summary)

    # Every launch has a row: in JSON, and on the page with a bar of the time line, a section that it links to, and, if asked for, points of a roofline.
    rows = summary["launch_list"]
    check([(row["number"], row["kernel"], row["grid"], row["block"], row["cycles"], row["issue_slots"]) for row in rows] ==
          [(i, one["kernel"], one["grid"], one["block"], one["cycles"], one["run"]["issue_slots"]) for i, one in enumerate(reports)], "the list of launches", rows)
    check(abs(sum(row["energy_nj"] for row in rows) - summary["total"]["energy_nj"]) < 1e-3 * energy, "their energy adds up")
    run(root, "histogram", 2, REPORT="hist.json", SUMMARY="hist-sum.json")  # its second kernel takes more cycles than its first
    hist = json.loads((root / "hist-sum.json").read_text())
    names = [one["kernel"] for one in documents((root / "hist.json").read_text())]
    check([row["kernel"] for row in hist["launch_list"]] == names and [row["kernel"] for row in hist["kernels"]] == sorted(set(names), reverse=True), "each launch has its kernel", hist)
    r = run(root, SUMMARY="roof.html", ROOFLINE=1)
    page = (root / "roof.html").read_text()
    cells = re.findall(r'<tr><td><a href="#launch(\d+)">(\d+)</a></td><td class="left">(\w+)</td><td>([\d &times;]+)</td><td>[^<]*</td><td>([\d,]+)</td><td>([\d,]+)</td>', page)
    check([(int(a), int(b), name, int(cycles.replace(",", "")), int(issued.replace(",", ""))) for a, b, name, _, cycles, issued in cells] ==
          [(i, i, one["kernel"], one["cycles"], one["warp_instructions"]) for i, one in enumerate(reports)], "a row a launch on the page", cells)
    check([int(n) for n in re.findall(r'<h3 id="launch(\d+)">', page)] == list(range(len(reports))), "a section a launch")
    bars = [(float(x), float(w)) for _, x, w in sorted(re.findall(r'<a href="#launch(\d+)" style="left:([\d.]+)%;width:([\d.]+)%', page), key=lambda bar: int(bar[0]))]
    check(len(bars) == len(reports) and all(abs(bars[i][0] + 100 * one["cycles"] / summary["total"]["cycles"] - (bars + [(100, 0)])[i + 1][0]) < 0.005 for i, one in enumerate(reports)),
          "the time line: one behind the other, by cycles", bars)
    roof = re.findall(r'<circle cx="[\d.]+" cy="[\d.]+" r="(7.0|4.5)"', page)
    kernels = len(summary["kernels"])
    check(2 * kernels <= roof.count("7.0") <= 8 * kernels and 2 * len(reports) <= roof.count("4.5") <= 8 * len(reports), f"points of kernels and launches {roof}")
    for kernel in summary["kernels"]:
        check(re.search(rf'<td>{kernel["kernel"]}</td><td>{kernel["launches"]}</td><td>0</td>.*?<td>{kernel["cycles"]:,}</td>', page), f"sums of {kernel['kernel']}")

    # Kernels of one name from two programs have rows of their own; a program that is built twice has one.
    for form in ("sum.json", "sum.txt", "sum.html"):
        two = subprocess.run([pathlib.Path(sys.argv[2]).resolve()], cwd=root, env={**os.environ, "HEDDLE_SUMMARY": form}, capture_output=True, text=True, timeout=300)
        check(two.returncode == 0, "two programs run", two.stdout + two.stderr)
    rows = json.loads((root / "sum.json").read_text())["kernels"]
    check(sorted((row["kernel"], row["program"], row["launches"]) for row in rows) == [("work", 1, 5), ("work", 2, 1)], "a row a program", rows)
    for form in ("sum.txt", "sum.html"):
        check("work (program 2)" in (root / form).read_text() and "work (program 1)" not in (root / form).read_text(), f"{form} tells programs apart")

    for form, ending, mark in (("json", "json", '"schema"'), ("text", "txt", "cycles"), ("html", "html", "<!DOCTYPE html>")):
        run(root, REPORT=f"{form}/", REPORT_FORMAT=form)
        files = sorted((root / form).iterdir())
        check(len(files) == len(reports), f"{form}: a file a launch", files)
        check(all(re.fullmatch(rf"\d+-\d{{5}}-\w+\.{ending}", one.name) and mark in one.read_text() for one in files), f"{form}: their names and contents", files)
    run(root, REPORT="page.html", SUMMARY="sum.html", MACHINE="baseline")
    check(len(list(root.glob("page-*.html"))) == len(reports), "pages have numbers")
    check("baseline" in (root / "sum.html").read_text(), "the summary as a page, and another machine")
    run(root, REPORT="all.txt", SUMMARY="sum.txt", FUNCTIONAL=1)
    run(root, SUMMARY="values.json", FUNCTIONAL=1)
    values = json.loads((root / "values.json").read_text())
    timed = [row[name] for row in [values["total"], *values["kernels"], *values["launch_list"]] for name in ("cycles", "ipc", "energy_nj", "issue_slots") if name in row]
    check({*timed, values["statistics"]["run.cycles"], values["statistics"]["stall.fetch"]} == {None} and values["total"]["warp_instructions"] > 0, "the interpreter has no time", values["total"])
    check(re.search(r"\(all\) +\d+ +0 +- +- +\d+ +- +- ", (root / "sum.txt").read_text()), "nor in the summary as text", (root / "sum.txt").read_text())
    run(root, SUMMARY="values.html", FUNCTIONAL=1, ROOFLINE=1)
    page = (root / "values.html").read_text()
    check("Time line" not in page and "Roofline" not in page and page.count("<h3 id=") == len(reports), "a page of the interpreter has no time")
    check("functional" in (root / "sum.txt").read_text() and "(all)" in (root / "sum.txt").read_text(), "the summary as text")

    run(root, TRACE="konata:t.log,perfetto:t.json,vcd:t.vcd")
    for pattern, begin in (("t-*.log", "Kanata\t0004"), ("t-*.json", ""), ("t-*.vcd", "$")):
        files = list(root.glob(pattern))
        check(len(files) == len(reports) and all(one.read_text().startswith(begin) for one in files), f"a trace {pattern} a launch", files)
    json.loads(next(root.glob("t-*.json")).read_text())
    run(root, TRACE="konata:one.log", TRACE_LAUNCH=1, TRACE_CYCLES="0:300")
    check((root / "one.log").exists() and not list(root.glob("one-*")), "one launch, by its number")

    r = run(root, FUNCTIONAL=1, MEMORY="much", TYPE="quantum", ATOMICS="some", REPORT_FORMAT="poem", MAX_CYCLES="-1", TRACE="film:f", TRACE_CYCLES="7")
    for name in ("MEMORY", "TYPE", "ATOMICS", "REPORT_FORMAT", "MAX_CYCLES", "TRACE", "TRACE_CYCLES"):
        check(re.search(rf"^heddle: error: HEDDLE_{name} cannot be '.*', expected ", r.stderr, re.M), f"HEDDLE_{name}: told what is wrong", r.stderr)
    # MT-5: one of the two programs reads what other threads write. The driver judges each launch on its own.
    racy = {**os.environ, "HEDDLE_FUNCTIONAL": "1", "HEDDLE_RACES": "1"}
    two = subprocess.run([pathlib.Path(sys.argv[2]).resolve()], cwd=root, env=racy, capture_output=True, text=True, timeout=300)
    races = re.findall(r"error: 'work': data race on global memory at \S+ \('y' \+ \d+\): nothing orders these two accesses", two.stderr)
    check(two.returncode == 0 and races, "HEDDLE_RACES names races", two.stderr)
    pipes = subprocess.run([pathlib.Path(sys.argv[3]).resolve()], cwd=root, env=racy, capture_output=True, text=True, timeout=300)
    check(pipes.returncode == 0 and "data race" not in pipes.stderr, "HEDDLE_RACES: no race in pipes", pipes.stderr)
    r = run(root, FUNCTIONAL=1, RACES=1)
    check(r.stderr == "", "HEDDLE_RACES: no race in an example", r.stderr)
    r = run(root, RACES=1)
    check("heddle: error: HEDDLE_RACES looks at the order of accesses in the interpreter" in r.stderr, "HEDDLE_RACES on the machine", r.stderr)

    r = run(root, FUNCTIONAL=1, REPORT="missing/x.txt")
    check("missing/x.txt: error: the report cannot be written" in r.stderr, "a report that cannot be written", r.stderr)
print(f"{passed} of {passed + failed} checks passed")
sys.exit(failed != 0)
