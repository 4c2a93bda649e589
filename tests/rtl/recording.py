#!/usr/bin/env python3
"""HW-4: what the timed machine records of its units is complete: the recorded inputs alone give the recorded outputs. Needs no hardware tools.

Usage: recording.py HEDDLE-RECORD. It reads the format of rtl/recording.h on its own."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "rtl"))

import configurations  # noqa: E402

ROWS = re.findall(r'^HD_RECORD\((\w+),\s+"([^"]*)"', (ROOT / "src/launch/record.def").read_text(), re.M)


def fields(row):
    names = []
    for name in row.split():
        match = re.fullmatch(r"(\w+)\[(\d+)\]", name)
        names += [f"{match[1]}{i}" for i in range(int(match[2]))] if match else [name]
    return names


KINDS = [(name, fields(row)) for name, row in ROWS]


def events(data):
    at = data.index(b"\n\n") + 2
    while at < len(data):
        name, names = KINDS[data[at]]
        at += 1
        values = {}
        for field in names:
            shift = value = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            values[field] = value
        yield name, values


def record(program, folder, *words):
    path = pathlib.Path(folder) / "recording"
    subprocess.run([program, *words, path], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "HEDDLE_SOURCE": str(ROOT)})
    data = path.read_bytes()
    head = dict(line.split() for line in data[: data.index(b"\n\n")].decode().splitlines()[1:])
    return {key: int(value) for key, value in head.items()}, list(events(data))


def need(condition, *what):
    if not condition:
        sys.exit(f"recording: {' '.join(str(word) for word in what)}")


def check_counters(stream):
    """HZ-5 to HZ-8, HZ-17: each event changes its counter by what it says, flags follow the values, and all counters end at zero."""
    value, waits, raised, rows = {}, {}, 0, {}
    for name, e in stream:
        if name.startswith("FENCE_"):
            at = (e["warp"], e["counter"])
            value[at] = value.get(at, 0) + (e["groups"] if name == "FENCE_RAISED" else -e["groups"])
            need(value[at] == e["value"], name, e, "expected the value", value[at])
            need(e["outstanding"] >> (e["counter"] - 1) & 1 == (value[at] != 0), name, e)
            raised += name == "FENCE_RAISED"
            rows[e["warp"]] = e
        if name.startswith("WAIT_"):
            for bit in range(16):
                if e["mask"] >> bit & 1:
                    at = (e["warp"], bit)
                    waits[at] = waits.get(at, 0) + (1 if name == "WAIT_SENT" else -1)
                    need(e["waited"] >> bit & 1 == (waits[at] != 0), name, e)
        if name == "CHECKED":
            row = rows.get(e["warp"], {"outstanding": 0, "full": 0})
            need(row["outstanding"] == e["outstanding"] and row["full"] == e["full"], name, e, "expected", row)
            late = e["at_issue"] & e["outstanding"]
            own = 1 << e["primary"] - 1 if e["primary"] else 0
            verdict = 1 if late else 2 if own & e["waited"] else 3 if own & e["full"] else 0
            need(e["verdict"] == verdict and e["watch"] == (late or own if verdict else 0), name, e, "expected the verdict", verdict)
    need(raised and not any(value.values()) and not any(waits.values()), "counters do not end at zero, or none was raised")
    return raised


def check_queues(head, stream):
    """HZ-10 to HZ-15: what enters a queue leaves it once, in the order of its warp, at most one in a cycle."""
    inside, pushed, ticked = {}, 0, set()
    for name, e in stream:
        if name == "TICK":
            ticked = set()
        elif name == "PUSHED":
            inside.setdefault((e["pipe"], e["warp"]), []).append((e["pc"], e["wait"]))
            need(e["gap"] <= head[f"queue.{e['pipe']}.spacing"], name, e)
            pushed += 1
        elif name == "QUEUE":
            need(e["pipe"] not in ticked, "two cycles of a queue in one", e)
            ticked.add(e["pipe"])
            need(e["ready"] or not e["leaves"], "an instruction leaves for a pipe that is not ready", e)
            left = sum(len(entries) for (pipe, _), entries in inside.items() if pipe == e["pipe"]) - e["leaves"]
            need(left == e["fifo"] + e["hazard"], name, e, "expected", left, "entries")
        elif name == "LEAVES":
            need(inside[e["pipe"], e["warp"]].pop(0) == (e["pc"], e["wait"]), name, e)
    need(pushed and not any(inside.values()), "queues do not end empty")


def check_scoreboard(stream):
    """An instruction issues only after a check that it passed; what issues reads, and is written, once."""
    passed, pending, issued = None, {}, 0
    for name, e in stream:
        if name == "SCORE_CHECK" and e["ready"]:
            passed = {key: value for key, value in e.items() if key != "ready"}
        elif name == "SCORE_ISSUE":
            need(passed == e, "issue without a check", e)
            issued += 1
            for word in range(5):
                pending[e["warp"], word] = pending.get((e["warp"], word), 0) | e[f"writes{word}"]
        elif name == "SCORE_WRITTEN":
            for word in range(5):
                need(e[f"writes{word}"] & ~pending[e["warp"], word] == 0, "a register is written that nobody writes", e)
                pending[e["warp"], word] &= ~e[f"writes{word}"]
    need(issued and not any(pending.values()), "writes are left")


def check_entries(stream):
    """HZ-16: an instruction without a lane does not enter its pipe. No example has one, because the compiler branches around it."""
    enters = 0
    for name, e in stream:
        if name == "ENTERS":
            lanes = e["active"] if e["flow"] else e["active"] & e["guard"]
            need(e["lanes"] == lanes and e["enters"] == (1 if lanes or e["flow"] else 0), name, e)
            enters += 1
    need(enters, "nothing enters a pipe")


def check_waiting_warps(stream):
    """HZ-18, HZ-22: only a warp that the decoder sent back waits, and each one comes back."""
    waiting = 0
    for name, e in stream:
        if name == "DESCHEDULED":
            waiting |= 1 << e["warp"]
            need(e["watch"] and e["verdict"], name, e)
        elif name == "MONITOR":
            need(e["descheduled"] & ~waiting == 0, "a warp waits that was not sent back", e)
            waiting = e["descheduled"]
    need(not waiting, "warps wait at the end")


def check_flow(head, stream):
    """RC-1 to RC-14: a warp goes on where its last event left it, each step ends at MINRC or before it, and warps that begin end."""
    at, begun, ended = {}, 0, 0
    for name, e in stream:
        if name == "FLOW_BEGINS":
            at[e["warp"]] = e["pc"]
            begun += 1
        elif name == "FLOW_STEP":
            need(e["active"] and e["pc"] < e["minrc"] and e["pc"] > at[e["warp"]], name, e)
            at[e["warp"]] = e["pc"]
        elif name == "FLOW":
            need(e["pc"] == at[e["warp"]], name, e, "expected the address", at[e["warp"]])
            need(e["active"] & ~e["alive"] == 0 and (e["active"] != 0) == (e["result"] == 0), name, e)
            need(head["divergence.stack"] or not e["tokens"], name, e)
            at[e["warp"]] = e["pc_behind"]
            ended += e["result"] == 1
    need(begun and begun == ended, "of", begun, "warps", ended, "ended")


def check_macro(stream):
    """PD-12: the order holds each slot once, a step changes it only where its network compares, and warps begin in empty slots."""
    live, order, step = set(), None, None
    pairs = {1: [(i, i + 2) for i in range(16) if i % 4 < 2], 2: [(i, i + 1) for i in range(0, 16, 2)], 3: [(i, i + 1) for i in range(1, 15, 2)], 0: []}
    for name, e in stream:
        if name == "MACRO_BEGINS":
            need(e["warp"] not in live, name, e)
            live.add(e["warp"])
        elif name == "MACRO_ENDS":
            live.remove(e["warp"])
        elif name == "MACRO":
            now = [e["order"] >> 4 * i & 15 for i in range(16)]
            need(sorted(now) == list(range(16)), name, e)
            if order and e["step"] == (step + 1) % 4:
                moved = list(order)
                for low, high in pairs[e["step"]]:
                    if now[low] == order[high]:
                        moved[low], moved[high] = moved[high], moved[low]
                need(now == moved, name, e, "the order before was", order)
            order, step = now, e["step"]
    need(order and not live, "warps are left")


def check_window(head, stream):
    """MI-2, MI-4, MI-8: what a window sends was not sent before, each pipe takes one instruction, and no more are sent than the window holds."""
    rows, picked, several = {}, None, 0
    for name, e in stream:
        if name == "WINDOW_ROW":
            rows[e["pc"]] = e
        elif name == "PICKED":
            picked = e
        elif name == "SELECTED":
            places = [picked["pc"]]
            while len(places) < 32:
                places.append(rows[places[-1]]["next"] if places[-1] in rows else places[-1] + 1)
            n = places.index(e["pc"])
            sent = (e["sent"] << n | (1 << n) - 1) & ~picked["sent"]
            pipes = [rows[place]["pipe"] for i, place in enumerate(places) if sent >> i & 1]
            need(len(set(pipes)) == len(pipes) <= head["multi_issue.window"], name, e, "pipes", pipes)
            need(not picked["sent"] & 1 and not e["sent"] & 1, "the PC is at a place that was sent", e)
            need(not (e["descheduled"] and sent), name, e)
            several += len(pipes) > 1
    need(several, "no window sends several instructions")


def hash_of_zero():
    """The recorded number of a register that is 0 in all lanes (src/core/observe/recording.c)."""
    number = 0
    for lane in range(32):
        bits = lane * 0x9E3779B9 & 0xFFFFFFFF
        bits = (bits ^ bits >> 16) * 0x85EBCA6B & 0xFFFFFFFF
        bits = (bits ^ bits >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
        number |= (bits >> 31) << lane
    return number


def check_results(head, stream):
    """LU-4 to LU-7: each operand has the value of the latest result of its register, in each lane that reads. Flags of the last use change nothing."""
    latest, zero, forwarded, lasts = {}, hash_of_zero(), 0, 0
    direct = any(name == "RESULT_DIRECT" for name, _ in stream)
    need(direct == (not int(head["last_use.across"])), "results from memory use", "no path" if direct else "the paths")
    for name, e in stream:
        if name == "WARP":
            latest = {at: word for at, word in latest.items() if at[0] != e["warp"]}
        elif name in ("RESULT", "RESULT_DIRECT"):
            need(0 < e["words"] <= 4 and e["lanes"], name, e)
            for i in range(e["words"]):
                at = (e["warp"], e["reg"] + i)
                latest[at] = (latest.get(at, zero) & ~e["lanes"]) | (e[f"values{i}"] & e["lanes"])
        elif name == "READS":
            reader, forwarded = e, forwarded + e["forwarded"]
            need(e["forwarded"] <= e["words"], name, e)
        elif name == "OPERAND":
            need(reader["warp"] == e["warp"], name, e, "is not of", reader)
            lasts += e["last"]
            for i in range(e["words"]):
                word = latest.get((e["warp"], e["reg"] + i), zero)
                need(not (e[f"values{i}"] ^ word) & reader["lanes"], name, e, "expected", word, "for the lanes", reader["lanes"])
    need(forwarded, "nothing is forwarded")
    need(lasts or not head["last_use.flags"], "no last use")


def check_refusals(program, folder):
    """A machine that no module describes is not recorded, and the message names each key of it. A scoreboard has no use for most of these keys."""
    path = pathlib.Path(folder) / "refused"

    def refused(machine, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run([program, "--machine", machine, *words, "saxpy", path], capture_output=True, text=True, check=False,
                              env={**os.environ, "HEDDLE_SOURCE": str(ROOT)})
        keys = re.findall(r"^(?:\w+: )?error: ([\w.]+) (?:must be .* for a recording: |is \d+, expected)", done.stderr, re.M)
        need(done.returncode == (1 if keys else 0) and path.exists() == (not keys), machine, settings, done.stderr)
        path.unlink(missing_ok=True)
        return keys

    settings = ["fence.unit=instruction", "fence.group_lanes=8", "fence.status_period=0", "fence.active_logic=false", "multi_issue.queues=shared"]
    for setting in [*settings, "fence.unit=lane", "fence.status_period=2", "machine.shared_pipes=f64", "copies.alu=2", "queue.alu.hazard=0", "queue.flow.hazard=0"]:
        window = ["multi_issue.window=1"] if "queues" in setting else []
        need(refused("heddle", setting, *window) == [setting.split("=")[0]], "is not refused, or not by its name:", setting)
    need(refused("fence", *settings[1:4], "queue.lsu.hazard=0") == [setting.split("=")[0] for setting in settings[1:4]] + ["queue.lsu.hazard"], "several keys")
    need(refused("heddle", "fence.counters=2") == ["fence.high_latency"], "a machine that cannot be")
    need(refused("heddle", "queue.alu.hazard=1") == [], "one entry is refused")
    need(refused("baseline", "fence.status_period=2", "fence.group_lanes=8") == [], "keys of fence counters do not matter to a scoreboard")
    need(refused("baseline", "queue.alu.hazard=0") == ["queue.alu.hazard"], "a queue without hazard entries")


def check_replayed(program, folder):
    """A module is not replayed where the machine does what the module does not (rtl/configurations.py)."""
    def replayed(machine, *settings):
        head, _ = record(program, folder, "--machine", machine, *[word for setting in settings for word in ("--set", setting)], "--cycles", "10", "saxpy")
        return {module for module, replay in configurations.REPLAY.items() if replay.where(head)}

    other = {"heddle": {"divergence.membership=entry": "resume_unit", "divergence.minrc=false": "resume_unit", "register_file.read_latency=1": "write_controller",
                        "fence.wait_counters=false": "wait_counters", "predecode.sort_period=8": "macro_scheduler", "predecode.sort_whole=true": "macro_scheduler"},
             "baseline": {"divergence.first=taken": "reconvergence_stack", "register_file.write_latency=1": "write_controller"}}
    for machine, settings in other.items():
        every = replayed(machine)
        for setting, module in settings.items():
            need(every - replayed(machine, setting) == {module}, machine, setting, "expected all but", module)
    for way in ((0, 0, 2), (1, 0, 0)):
        settings = [f"last_use.{name}={cycles}" for name, cycles in zip(("path_b", "path_a", "compensation"), way)]
        need(replayed("heddle") - replayed("heddle", *settings) == {"write_controller"}, "places of a write controller", way)
    need(replayed("fence") == replayed("fence", "last_use.path_b=1", "last_use.path_a=0", "last_use.compensation=1"), "two places")
    need(replayed("fence") - replayed("fence", "predecode.issue_width=2") == {"issue_queue", "order_core", "order_unit"}, "two instructions in a cycle")


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-recording-") as folder:
        for machine, example in (("fence", "matmul-tiled"), ("heddle", "bfs"), ("heddle", "short-circuit")):
            head, stream = record(sys.argv[1], folder, "--machine", machine, example)
            check_counters(stream)
            check_queues(head, stream)
            check_waiting_warps(stream)
            check_entries(stream)
            check_results(head, stream)
            check_flow(head, stream)
            check_macro(stream)
            if machine == "heddle":
                check_window(head, stream)
            need([name for name, _ in stream][0] == "BEGIN", "the first event")
        head, stream = record(sys.argv[1], folder, "--machine", "baseline", "matmul-tiled")
        check_queues(head, stream)
        check_scoreboard(stream)
        check_results(head, stream)
        check_results(*record(sys.argv[1], folder, "--machine", "last-use", "--set", "last_use.compensation_of=warp", "--set", "last_use.compensation=6", "bitonic"))
        _, short = record(sys.argv[1], folder, "--machine", "baseline", "--cycles", "100", "matmul-tiled")
        need(sum(name == "TICK" for name, _ in short) == 100 and short == stream[: len(short)], "--cycles 100")
        _, other = record(sys.argv[1], folder, "--machine", "baseline", "--scheduler", "0.1", "matmul-tiled")
        need(any(name == "PUSHED" for name, _ in other), "scheduler 0.1 issues nothing")
        check_refusals(sys.argv[1], folder)
        check_replayed(sys.argv[1], folder)
    print("recorded inputs give the recorded outputs")


if __name__ == "__main__":
    main()
