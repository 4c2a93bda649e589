"""--timeout: every phase of every command ends in time with status 124 and a message; a run still writes its report; outputs stay as they were; nothing that
was started goes on."""
import json
import os
import pathlib
import time

from harness import Cases, FOREVER

MESSAGE = r"^heddle: error: stopped after {} seconds \(--timeout\)$"
c = Cases()
c.file("forever.ptx", FOREVER)
c.file("y.npy", "as it was")
launch = ["forever.ptx", "--grid", "4", "--block", "64", "--arg", "out:y.npy:u32:4"]
# A compiler that never ends, with a child of its own.
c.file("slow", "#!/bin/sh\nsleep 1000 &\necho $$ $! >pids\nwait\n")
(c.root / "slow").chmod(0o755)
c.file("k.cl", "kernel void k(global int *y) { *y = 1; }\n")


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def expect(seconds, *arguments):
    begin = time.time()
    result = c.expect(124, MESSAGE.format(seconds), *arguments)
    c.check(float(seconds) <= time.time() - begin < float(seconds) + 4, f"in time, not {time.time() - begin}", result)
    c.check((c.root / "y.npy").read_text() == "as it was", "outputs are untouched", result)
    c.check(not [one for one in os.listdir(c.root) if one.startswith(".heddle")], "nothing is left", result)
    return result


def report(name):
    return json.loads((c.root / name).read_text())


# A simulation stops at a cycle, with what was measured.
expect("0.5", "run", *launch, "--timeout", "0.5", "--report", "r.json", "--trace", "konata:t.log", "--trace-cycles", "0:99")
c.check(report("r.json")["result"] == "interrupted" and report("r.json")["cycles"] > 0, "the report so far")
c.check((c.root / "t.log").read_text().startswith("Kanata"), "and the trace")
expect("0.5", "--timeout", "0.5", "run", *launch, "--functional", "--report", "f.json")
c.check(report("f.json")["result"] == "interrupted", "the interpreter")
result = expect("1", "compare", *launch, "--machine", "heddle", "--timeout=1", "--machine", "baseline", "--report", "c.json")
c.check("interrupted" in result.out and (c.root / "c.json").exists(), "the table so far", result)

# Before it, the process ends, and so does the compiler with its children.
os.environ["HEDDLE_CLANG"] = str(c.root / "slow")
for command in (["compile", "k.cl", "-o", "y.npy"], ["check", "k.cl"], ["run", "k.cl", "--arg", "out:y.npy:i32:1"]):
    expect("0.7", *command, "--timeout", "0.7")
    pids = (c.root / "pids").read_text().split()
    end = time.time() + 5
    while time.time() < end and any(map(is_alive, pids)):
        time.sleep(0.02)
    c.check(len(pids) == 2 and not any(map(is_alive, pids)), f"{command}: what it started has ended")
    (c.root / "pids").unlink()
# While a comparison builds, nobody asks for the time; the process ends after some seconds.
begin = time.time()
c.expect(124, MESSAGE.format("0.5"), "compare", "k.cl", "--arg", "out:y.npy:i32:1", "--machine", "heddle", "--machine", "baseline", "--timeout", "0.5")
c.check(time.time() - begin < 12, "a comparison that builds")
del os.environ["HEDDLE_CLANG"]

# In time nothing changes.
result = c.run("compile", "k.cl", "-o", "k.hko", "--timeout", "60")
c.check(result.status == 0 and not result.err, "a command that ends in time", result)
for wrong in ("0", "-1", "5s", "", "1e3", "inf", "nan", "1.2.3", "999999999"):
    c.expect(2, "--timeout cannot be '.*', expected a number of seconds above 0", "compile", "k.cl", "--timeout", wrong)
    c.expect(2, "--timeout cannot be '.*', expected a number of seconds above 0", "--timeout", wrong, "compile", "k.cl")
c.expect(2, "option --timeout wants a value", "compile", "k.cl", "--timeout")
c.end()
