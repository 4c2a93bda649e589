"""Programs that went wrong once (programs/*), each with what is expected of it in its first comments:

  run: ARGUMENTS             of `heddle run`; an argument `out:out.npy:...` is the result
  machines: SET / SET ...    besides the presets; SET: KEY=VALUE,KEY=VALUE
  stops: TEXT                with `expect: right`, on machines with divergence.mode = stack: the run ends with a trap with this text
  expect: right              proven, and on every machine the interpreter's bytes
  values: indices            with `expect: right`: value i of the result, a word, is i
  expect: refused TEXT       bad input, with this text in the message
  expect: trap TEXT          on the machine and in the interpreter
  expect: not proven TEXT    a finding of `heddle check` has this text; with `run`, the loader refuses the program when told to"""
import os
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cases  # noqa: E402

MECHANISMS = ["fence", "predecode", "minrc", "multi-issue", "last-use"]
cases = Cases()


def presets(number):
    """Those for a program: without sanitizers also two of the mechanisms alone, in turn. `machines` names what else it needs."""
    return ["heddle", "baseline"] + ([] if "HEDDLE_SANITIZED" in os.environ else (MECHANISMS + MECHANISMS)[number % 5 : number % 5 + 2])


def right(path, number, run, machines, stops, values):
    outputs = {}
    settings = [["--config", name] for name in presets(number)]
    settings += [["--config", "heddle"] + [part for pair in machine.split(",") for part in ("--set", pair)] for machine in machines]
    for setting in settings:
        # Assembly is annotated for one kind of machine: on the others the checker says so.
        standard = [word for flag, word in zip(run, run[1:]) if flag == "--std"]
        result = cases.run("check", path, "--quiet", *setting, *(["--std"] + standard if standard else []))
        if path.suffix == ".hasm" and setting[1] != "heddle" and result.status == 1:
            continue
        cases.check(result.status == 0, f"{path.name} {setting}: proven", result)
        for way in ([["--functional"], []] if not outputs else [[]]):
            result = cases.run("run", path, *run, *setting, *way)
            if stops and not way and re.search(r"^ *mode: stack", cases.run("config", *setting[1:]).out, re.M):
                cases.check(result.status == 1 and stops in result.err, f"{path.name} {setting}: {stops}", result)
                continue
            cases.check(result.status == 0, f"{path.name} {setting} {way}: runs", result)
            outputs[" ".join(setting + way)] = (cases.root / "out.npy").read_bytes() if result.status == 0 else None
    differ = [name for name in outputs if outputs[name] != next(iter(outputs.values()))]
    cases.check(not differ, f"{path.name}: other bytes than the interpreter's: {differ}")
    if values:
        words = int(re.search(r"out:out\.npy:i32:(\d+)", " ".join(run))[1])
        wanted = struct.pack(f"<{words}i", *range(words))
        cases.check(values == "indices" and all(o and o.endswith(wanted) for o in outputs.values()), f"{path.name}: value i is i")


for number, path in enumerate(sorted((pathlib.Path(__file__).resolve().parent / "programs").iterdir())):
    text = path.read_text()
    note = dict(re.findall(r"^(?:;|//) (run|machines|stops|expect): (.*)$", text, re.M))
    run, machines, expected = note.get("run", "").split(), [m.strip() for m in note.get("machines", "").split("/") if m.strip()], note["expect"]
    if expected == "right":
        right(path, number, run, machines, note.get("stops"), note.get("values"))
    elif expected.startswith("refused "):
        result = cases.run("check", path)
        cases.check(result.status == 2 and expected[8:] in result.err, f"{path.name}: {expected}", result)
    elif expected.startswith("trap "):
        for way in ([], ["--functional"]):
            result = cases.run("run", path, *run, *way)
            cases.check(result.status == 1 and expected[5:] in result.err, f"{path.name} {way}: {expected}", result)
    elif expected.startswith("not proven "):
        result = cases.run("check", path)
        cases.check(result.status == 1 and expected[11:] in result.err, f"{path.name}: {expected}", result)
        if run:
            result = cases.run("run", path, *run, "--set", "fence.refuse_unproven=true")
            cases.check(result.status == 2, f"{path.name}: the loader refuses it when told to", result)
    else:
        cases.check(False, f"{path.name}: an unknown expectation: {expected}")
cases.end()
