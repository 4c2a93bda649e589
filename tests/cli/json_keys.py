"""The keys of JSON reports are a contract (docs/spec/interface.md): each one of json_keys.list is there, and no other. tests/opencl/environment.py does the same for
the summary of a program."""
import re

import json_contract
from harness import SOURCE, Cases

c = Cases()


def report(status, *arguments):
    r = c.run(*arguments, "--report", "r.json")
    c.check(r.status == status, "a report", r)
    return json_contract.load(c.root / "r.json")


def same(kind, *documents):
    wrong = json_contract.problems(kind, *documents)
    c.check(not wrong, f"keys of {kind}:\n  " + "\n  ".join(wrong))


launch = [SOURCE / "examples/saxpy/saxpy.cl", "--grid", 4, "--block", 64, "--arg", "rand:f32:256:1", "--arg", "rand:f32:256:2", "--arg", "f32:2", "--arg", "u32:256"]
c.file("list", " ".join(map(str, launch[1:])) + "\n" + " ".join(map(str, launch[1:])) + " --priority 2\n")
programs = SOURCE / "tests/regressions/programs"
c.file("guard.hasm", re.sub(r"^\.function .*$", r"\g<0>\n.line 0, 1, 1", (programs / "guard_overwritten_before_it_is_read.hasm").read_text(), flags=re.M).replace(".kernel", '.file "guard.cl"\n.kernel', 1))
hazard = ["run", "guard.hasm", "--grid", 1, "--block", 64, "--arg", "zero:u32:64", "--arg", "zero:u32:256", "--hazards"]
barrier = ["run", programs / "exit_in_a_subroutine.hasm", *hazard[2:]]
c.file("race.cl", "kernel void race(global int *x)\n{\n\tx[get_local_id(0) / 2] += 1;\n}\n")
timed = report(0, "run", *launch, "--lines", "--roofline")
same("run", timed, report(0, "run", launch[0], "--launches", "list"), report(1, *hazard), report(1, *barrier),
     report(1, "run", "race.cl", "--block", 64, "--arg", "zero:i32:32", "--functional", "--races"))
machines = ["--machine", "baseline", "--machine", "heddle", "--lines", "source"]
same("compare", report(0, "compare", *launch, *machines), report(0, "compare", *launch, "--ablation"))

# Real machine code: one that is proven, one that is not.
fixtures = SOURCE / "tests/sass/fixtures"
proofs = [c.run("check", fixtures / f"{name}.cubin", "--slack", "--report", f"{name}.json") and json_contract.load(c.root / f"{name}.json") for name in ("lines-sm80", "broken-sm80")]
same("sass", *proofs)

# A machine description, key by key.
section, described = "", set()
for line in c.run("config", "heddle").out.splitlines():
    key = re.match(r"( *)([\w.]+):", line)
    if key and key[1]:
        described.add(f"{section}.{key[2]}")
    elif key:
        section = key[2]
wrong = json_contract.compare("config", described)
c.check(not wrong, "keys of a machine description:\n  " + "\n  ".join(wrong))

# The promises of the pages.
interface = (SOURCE / "docs/spec/interface.md").read_text()
promise = re.search(r"The JSON report has at least (.*?)\. Everything", interface, re.S)[1]
words = re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", promise))
within = [f"{group}.{key}" for group, keys in re.findall(r"`(\w+)`\s*\(((?:\s*`\w+`,?)+)\)", promise) for key in re.findall(r"`(\w+)`", keys)]
c.check(len(words) >= 16 and len(within) >= 8, f"the promise can be read: {words} {within}")
c.check(set(words + within) <= json_contract.paths(timed), f"what the interface promises: {set(words + within) - json_contract.paths(timed)}")
table = re.search(r"schema `heddle-sass-check-1`.*?\n\n\|(.*?)\n\n", (SOURCE / "docs/sass.md").read_text(), re.S)[1]
parts = {part for path in json_contract.keys()["sass"] for part in re.split(r"\[?\]?\.", path)}
named = {part for word in re.findall(r"`([\w.]+)`", table) for part in word.split(".")}
c.check(len(named) >= 25 and named <= parts, f"what docs/sass.md names: {named - parts}")
for kind, schema in (("run", "heddle-report-1"), ("compare", "heddle-compare-1"), ("sass", "heddle-sass-check-1")):
    c.check({"run": timed, "compare": json_contract.load(c.root / "r.json"), "sass": proofs[0]}[kind]["schema"] == schema, f"the schema of {kind}")
c.end()
