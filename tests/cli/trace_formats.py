"""Strict readers of the three trace formats, written from the formats' own descriptions, not from what writes them: Kanata log format 0004 (docs of the
Konata viewer), Chrome's JSON trace events, VCD (IEEE 1364-2005, chapter 18). Each gives the same thing: the set of events
(what, cycle, core, scheduler, slot, number, pc) with what = issue, enter, drop, access, done; and raises Bad on a file that breaks a rule."""
import collections
import json
import re

Event = collections.namedtuple("Event", "what cycle core scheduler slot number pc")


class Bad(Exception):
    pass


def need(condition, line, what):
    if not condition:
        raise Bad(f"line {line}: {what}")


class Row:
    """An instruction of a Konata file."""

    def __init__(self, gid, thread, cycle):
        self.gid, self.thread, self.begin, self.end, self.flushed = gid, thread, cycle, None, None
        self.stages, self.open, self.labels, self.from_ids = [], {}, ["", ""], []


def konata_rows(path):
    lines = open(path, encoding="ascii").read().split("\n")
    need(lines[0] == "Kanata\t0004", 1, "the header")
    need(lines[-1] == "", len(lines), "the last line ends")
    cycle, rows, retired, begun = None, [], 0, False
    for n, line in enumerate(lines[1:-1], 2):
        word = line.split("\t")
        if word[0] == "C=":
            need(not begun and len(word) == 2 and word[1].isdigit(), n, "C= stands once, at the beginning")
            cycle, begun = int(word[1]), True
            continue
        need(begun, n, "C= before everything")
        if word[0] == "C":
            need(len(word) == 2 and word[1].isdigit() and int(word[1]) > 0, n, "time goes forward")
            cycle += int(word[1])
            continue
        need(len(word) == 4 and word[1].isdigit(), n, f"four columns: {line}")
        number = int(word[1])
        if word[0] == "I":
            need(number == len(rows), n, "rows are numbered in order")
            rows.append(Row(int(word[2]), int(word[3]), cycle))
            continue
        need(number < len(rows), n, "a row that has not begun")
        row = rows[number]
        need(row.end is None, n, "a row that has ended")
        if word[0] == "L":
            need(word[2] in "01", n, "type of a label")
            row.labels[int(word[2])] += word[3]
        elif word[0] == "S":
            need(word[2] not in row.open and word[2].isdigit() and word[3], n, "one stage at a time in a lane")
            row.open[word[2]] = (word[3], cycle)
        elif word[0] == "E":
            need(row.open.get(word[2], ("",))[0] == word[3], n, "the stage that ends has begun")
            row.stages.append((word[3], row.open.pop(word[2])[1], cycle))
        elif word[0] == "R":
            need(word[3] in "01" and not row.open, n, "retired or flushed, with every stage ended")
            row.end, row.flushed = cycle, word[3] == "1"
            need(row.flushed or int(word[2]) == retired, n, "retirement numbers in order")
            retired += not row.flushed
        elif word[0] == "W":
            need(word[2].isdigit() and int(word[2]) < len(rows) and word[3] == "0", n, "the producer is a row")
            row.from_ids.append(int(word[2]))
        else:
            raise Bad(f"line {n}: no command of this name: {line}")
    need(all(row.end is not None for row in rows), 0, "every row has an end")
    return rows


DETAIL = re.compile(r"core (\d+), scheduler (\d+), warp slot (\d+): warp \d+ of CTA \(\d+,\d+,\d+\), instruction (\d+), lanes")


def konata(path):
    events = set()
    for row in konata_rows(path):
        detail = DETAIL.search(row.labels[1])
        if not detail:
            continue  # a warp that waited until the end
        place = tuple(map(int, detail.groups()))
        pc = int(re.search(r": L(\d+) ", row.labels[0])[1])
        need(row.labels[0].startswith("c%d s%d w%d: " % place[:3]), 0, "label and detail agree")
        begin = {name: (start, stop) for name, start, stop in row.stages}
        begin.update({name: (start, None) for name, start in row.open.values()})
        if "N" in begin:
            events.add(Event("issue", begin["N"][0], *place, pc))
            continue
        events.add(Event("issue", begin["Q"][0], *place, pc))
        if "X" in begin:
            need(begin["Q"][1] == begin["X"][0], 0, "the pipe follows the queue")
            events.add(Event("enter", begin["X"][0], *place, pc))
        elif begin["Q"][1] is not None:
            need(row.flushed, 0, "what never enters a pipe is flushed")
            if "dropped" in row.labels[1]:
                events.add(Event("drop", begin["Q"][1], *place, pc))
        if "M" in begin:
            events.add(Event("access", begin["M"][0], *place, pc))
        for again in re.findall(r"replayed in cycle (\d+)", row.labels[1]):
            events.add(Event("replay", int(again), *place, pc))
        if "X" in begin and not row.flushed:
            events.add(Event("done", row.end, *place, pc))
    return events


# The flow state of a warp (RC-24): active lanes, members, call depth, MINRC (None: none), {address: lanes that wait there}.
Flow = collections.namedtuple("Flow", "active members depth minrc waiting")


def konata_flow(path):
    """{(core, scheduler, slot, number): Flow without active} of the instructions that have one: of warps that wait or are in a subroutine."""
    states = {}
    for row in konata_rows(path):
        detail = DETAIL.search(row.labels[1])
        state = re.search(r"\\ncall depth (\d+), members ([0-9a-f]{8}), MINRC (none|L\d+)((?:, [0-9a-f]{8} at L\d+)*)(?:\\n|$)", row.labels[1])
        need(bool(state) == ("MINRC" in row.labels[1]), 0, "a flow state of this form")
        if detail and state:
            waiting = {int(at): int(lanes, 16) for lanes, at in re.findall(r"([0-9a-f]{8}) at L(\d+)", state[4])}
            minrc = None if state[3] == "none" else int(state[3][1:])
            states[tuple(map(int, detail.groups()))] = Flow(None, int(state[2], 16), int(state[1]), minrc, waiting)
    return states


def without_repetitions(states):
    """{warp slot: [(cycle, Flow)]}: the last state of each cycle, where it differs from the one before."""
    result = {}
    for place, some in states.items():
        last = dict(some)  # of several states in a cycle the last one
        result[place] = [(cycle, state) for i, (cycle, state) in enumerate(last.items()) if i == 0 or state != list(last.values())[i - 1]]
    return result


def perfetto_flow(path):
    """{(core, scheduler, slot): [(cycle, Flow)]}"""
    states = collections.defaultdict(list)
    items, threads = perfetto_events(path)
    for e in items:
        if e.get("cat") != "flow":
            continue
        name, args = re.fullmatch(r"s(\d+) w(\d+)", threads[e["tid"]][1]), e["args"]
        waiting = {int(at[1:]): int(lanes, 16) for at, lanes in args["waiting"].items()}
        minrc = int(args["minrc"][1:]) if "minrc" in args else None
        states[e["pid"] - 1, int(name[1]), int(name[2])].append((e["ts"], Flow(int(args["active"], 16), int(args["members"], 16), args["depth"], minrc, waiting)))
    return without_repetitions(states)


def vcd_flow(path):
    """The same, of the warps that are resident."""
    none, states = 2**32 - 1, collections.defaultdict(list)
    file = Vcd(path)
    warps = sorted({m[0] for m in (re.match(r"heddle\.core(\d+)\.scheduler(\d+)\.warp(\d+)\.", n) for n, _ in file.names.values()) if m})
    for cycle, v in file.cycles():
        for w in warps:
            if not v[w + "resident"]:
                continue
            waiting = collections.defaultdict(int)
            for lane in range(32):
                if v[f"{w}resume.lane{lane:02}"] != none:
                    waiting[v[f"{w}resume.lane{lane:02}"]] |= 1 << lane
            minrc = None if v[w + "minrc"] == none else v[w + "minrc"]
            states[tuple(map(int, re.findall(r"\d+", w)))].append((cycle, Flow(v[w + "active"], v[w + "members"], v[w + "call_depth"], minrc, dict(waiting))))
    return without_repetitions(states)


def perfetto_counters(path):
    """{(core, scheduler, slot): [(cycle, (values of the fence counters))]} (HZ-31)"""
    states = collections.defaultdict(list)
    for e in perfetto_events(path)[0]:
        if e["ph"] == "C":
            name = re.fullmatch(r"s(\d+) w(\d+) fence counters", e["name"])
            states[e["pid"] - 1, int(name[1]), int(name[2])].append((e["ts"], tuple(e["args"].values())))
    return without_repetitions(states)


def vcd_counters(path):
    states = collections.defaultdict(list)
    file = Vcd(path)
    names = {name for name, _ in file.names.values()}
    warps = sorted({m[0] for m in (re.match(r"heddle\.core(\d+)\.scheduler(\d+)\.warp(\d+)\.", n) for n in names) if m})
    for cycle, v in file.cycles():
        for w in warps:
            values = []
            while f"{w}fence{len(values) + 1}" in names:
                values.append(v[f"{w}fence{len(values) + 1}"])
            states[tuple(map(int, re.findall(r"\d+", w[w.index("core"):])))].append((cycle, tuple(values)))
    return without_repetitions(states)


def perfetto_events(path):
    """Checks what trace viewers rely on: phases, times, names of processes and threads, slices of a thread that nest."""
    root = json.load(open(path, encoding="ascii"))
    need(set(root) == {"traceEvents", "displayTimeUnit", "otherData"} and root["displayTimeUnit"] in ("ms", "ns"), 0, "the object")
    processes, threads, open_slices, slices = {}, {}, collections.Counter(), collections.defaultdict(list)
    for i, e in enumerate(root["traceEvents"]):
        need(e["ph"] in "MXBEiC" and isinstance(e["pid"], int) and e["pid"] > 0 and isinstance(e["tid"], int) and e["tid"] > 0, i, f"event {e}")
        where = (e["pid"], e["tid"])
        if e["ph"] == "M":
            if e["name"] == "process_name":
                need(e["pid"] not in processes, i, "a process has one name")
                processes[e["pid"]] = e["args"]["name"]
            elif e["name"] == "thread_name":
                need(e["tid"] not in threads, i, "a thread has one name, and one process")
                threads[e["tid"]] = (e["pid"], e["args"]["name"])
            else:
                need(e["name"] == "thread_sort_index" and isinstance(e["args"]["sort_index"], int), i, f"metadata {e}")
            continue
        need(isinstance(e["ts"], int) and e["ts"] >= 0, i, "a time")
        need(e["pid"] in processes and threads.get(e["tid"], (0,))[0] == e["pid"], i, f"a thread that was named before: {e}")
        if e["ph"] == "X":
            need(isinstance(e["dur"], int) and e["dur"] >= 0 and e["name"], i, f"a slice {e}")
            slices[where].append((e["ts"], -e["dur"], i))
        elif e["ph"] == "C":
            need(e["name"] and e["args"] and all(isinstance(value, int) for value in e["args"].values()), i, f"a graph {e}")
        elif e["ph"] == "i":
            need(e["s"] == "t" and e["name"], i, f"an instant of a thread {e}")
        else:
            open_slices[where] += 1 if e["ph"] == "B" else -1
            need(open_slices[where] in (0, 1), i, "B and E in pairs")
    need(not any(open_slices.values()), 0, "every B has its E")
    for where, some in slices.items():
        ends = []
        for ts, dur, i in sorted(some):
            while ends and ends[-1] <= ts:
                ends.pop()
            need(not ends or ts - dur <= ends[-1], i, f"slices of thread {threads[where[1]]} nest")
            ends.append(ts - dur)
    return root["traceEvents"], threads


def perfetto(path):
    events = set()
    items, threads = perfetto_events(path)
    for e in items:
        if e.get("cat") not in ("instruction", "replay"):
            continue
        name = re.fullmatch(r"s(\d+) w(\d+) instructions \d+", threads[e["tid"]][1])
        args = e["args"]
        place = (e["pid"] - 1, int(name[1]), int(name[2]), args["number"], args["pc"])
        if e["cat"] == "replay":
            events.add(Event("replay", e["ts"], *place))
            continue
        need(e["ts"] == args["issued"] and re.match(rf"L{args['pc']} ", e["name"]), 0, "slice and arguments agree")
        for key, what in (("issued", "issue"), ("entered", "enter"), ("dropped", "drop"), ("accessed", "access"), ("done", "done")):
            if key in args:
                events.add(Event(what, args[key], *place))
        if "done" in args:
            need(e["ts"] + e["dur"] == args["done"], 0, "the slice ends when the instruction is done")
    return events


class Vcd:
    """Values of all variables, change by change."""

    def __init__(self, path):
        text = open(path, encoding="ascii").read()
        head, end, body = text.partition("$enddefinitions $end\n")
        need(end, 0, "definitions end")
        self.names, scope, seen = {}, [], set()
        for command in re.findall(r"\$(\w+)\s+(.*?)\s*\$end", head, re.S):
            if command[0] == "scope":
                kind, name = command[1].split()
                need(kind == "module" and re.fullmatch(r"[A-Za-z_]\w*", name), 0, f"scope {command[1]}")
                scope.append(name)
            elif command[0] == "upscope":
                scope.pop()
            elif command[0] == "var":
                kind, bits, code, name, *span = command[1].split()
                need(kind == "wire" and (span == [f"[{int(bits) - 1}:0]"] if int(bits) > 1 else not span), 0, f"variable {command[1]}")
                need(code not in seen and all(33 <= ord(c) <= 126 for c in code), 0, "an identifier code of printable characters, used once")
                seen.add(code)
                self.names[code] = (".".join(scope + [name]), int(bits))
            else:
                need(command[0] in ("version", "comment", "timescale"), 0, f"${command[0]}")
                need(command[0] != "timescale" or re.fullmatch(r"(1|10|100) (s|ms|us|ns|ps|fs)", command[1]), 0, "timescale")
        need(not scope, 0, "every scope is left")
        self.body = body

    def cycles(self):
        """(cycle, {name: value}) after the changes of each time; initial values come with the first."""
        time, values, dumping = None, {}, False
        for n, line in enumerate(self.body.splitlines(), 1):
            if line.startswith("#"):
                if time is not None:
                    yield time, values
                need(time is None or int(line[1:]) > time, n, "time goes forward")
                time = int(line[1:])
            elif line == "$dumpvars":
                need(not values, n, "$dumpvars comes first")
                dumping = True
            elif line == "$end":
                need(dumping and len(values) == len(self.names), n, "$dumpvars gives every variable a value")
                dumping = False
            else:
                match = re.fullmatch(r"(?:([01])|b([01]+) )(\S+)", line)
                need(match and match[3] in self.names, n, f"a value change: {line}")
                name, bits = self.names[match[3]]
                need((bits == 1) == (match[1] is not None) and len(match[2] or "0") <= bits, n, f"as wide as its variable: {line}")
                value = int(match[1] or match[2], 2)
                need(dumping or values.get(name) != value, n, f"a change that is none: {name}")
                values[name] = value
        yield time, values


def vcd(path):
    events, pcs = set(), {}
    file = Vcd(path)
    names = {name for name, _ in file.names.values()}
    schedulers = sorted({m[0] for m in (re.match(r"heddle\.core(\d+)\.scheduler(\d+)\.", n) for n in names) if m})
    for cycle, v in file.cycles():
        for s in schedulers:
            core, scheduler = map(int, re.findall(r"\d+", s))
            port = 0
            while f"{s}issue{port}.valid" in v:
                p = f"{s}issue{port}."
                if v[p + "valid"]:
                    pcs[core, scheduler, v[p + "number"]] = (v[p + "warp"], v[p + "pc"])
                    events.add(Event("issue", cycle, core, scheduler, v[p + "warp"], v[p + "number"], v[p + "pc"]))
                port += 1
            port = 0
            while f"{s}replay{port}" in v:
                if v[f"{s}replay{port}"]:
                    number = v[f"{s}replay{port}_number"]
                    slot, pc = pcs[core, scheduler, number]
                    events.add(Event("replay", cycle, core, scheduler, slot, number, pc))
                port += 1
            for pipe in ("alu", "coord", "sfu", "f64", "cvt", "tex", "latom", "lsu", "flow"):
                p = f"{s}pipe_{pipe}."
                if v[p + "enter"] or v[p + "drop"]:
                    what = "enter" if v[p + "enter"] else "drop"
                    events.add(Event(what, cycle, core, scheduler, v[p + "warp"], v[p + "number"], v[p + "pc"]))
                if v[p + "access"]:
                    number = v[p + "access_number"]
                    slot, pc = pcs[core, scheduler, number]
                    events.add(Event("access", cycle, core, scheduler, slot, number, pc))
                ports = 8 if pipe in ("lsu", "latom") else 3
                done = [v[f"{p}done{i}_number"] for i in range(ports) if v[f"{p}done{i}"]]
                need(len(done) == min(v[p + "done_count"], ports), cycle, "as many results as are counted")
                for number in done:
                    slot, pc = pcs[core, scheduler, number]
                    events.add(Event("done", cycle, core, scheduler, slot, number, pc))
    return events
