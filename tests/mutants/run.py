#!/usr/bin/env python3
"""Mutates the sources by a program and sees whether a test notices (`tools/mutants.sh -n 500`).

All mutations that tests/mutants/generate.py makes of the chosen files are numbered; a sample of them is built into one copy of the tree, where a variable
of the environment chooses one. Each test runs once without a mutation and records which ones it reaches; then each mutation meets the tests that
reach it, the likely and quick ones first, until one fails, crashes, runs out of memory or hangs.

The exit status is 1 when a mutation survives, or an entry of equivalent.list or extra.list does not fit the tree any more.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import generate
import lists

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
MEMORY = 8 << 20  # KiB of address space that a test may use
BROWSERS = {"explore/browser", "explore/hands"}  # Chromium reserves far more than that, and uses little of it
WITHOUT = {"heddle:project", "heddle:fuzz"}  # suites that read the sources, which are mutated, or are slow for what they notice
OPTIONS = ["-Dbuildtype=plain", "-Doptimization=1", "-Dwerror=false", "-Dtests=enabled"]
STATES = ["killed", "survived", "unreached", "equivalent"]
START = "src/base/base.c"  # the file that every program has
REACHED = 1 << 18  # HD_MUTATIONS_MAX


class BuildError(Exception):
    """The tree does not build."""


@dataclasses.dataclass
class Result:
    mutation: generate.Mutation
    state: str
    why: str
    seconds: float


def command(*words, fine=False):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode and not fine:
        raise BuildError(" | ".join(re.findall(r".*(?:error|ERROR|FAILED).*", done.stdout)[:3]) or done.stdout[-500:])
    return done.stdout


def room(name):
    return "/".join(name.split("/")[:2])


def mutations_of(arguments):
    """The mutations of what some units read; runs in a process of its own."""
    root, units, wanted = arguments
    known = {}
    for unit in units:
        known.update(generate.in_unit(root, unit, known))
    return [mutation for found in known.values() for mutation in found if mutation.file.startswith(wanted)]


class Tree:
    """A copy of the tree, its mutations, and its build."""

    def __init__(self, folder, jobs):
        self.root, self.build, self.jobs = folder / "tree", folder / "build", jobs
        self.reached = folder / "reached"
        self.tests = {}
        unwanted = lambda at, names: [name for name in names if at == str(ROOT) and (name.startswith("build") or name == ".git")]
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=unwanted)
        command("meson", "setup", self.build, self.root, *OPTIONS, f"-Dc_args=-w -include {self.root}/tests/mutants/mutation.h")
        made = command("ninja", "-C", self.build, "-t", "targets", "rule", "CUSTOM_COMMAND").split()
        self.make([name for name in made if name.endswith((".h", ".inc", ".def", ".c"))])

    def make(self, targets=()):
        return command("ninja", "-C", self.build, "-j", self.jobs, *targets)

    def mutations(self, wanted):
        """All mutations of the files whose names begin with one of `wanted`, sorted."""
        units = {}
        for unit in json.loads((self.build / "compile_commands.json").read_text()):
            name = os.path.relpath((pathlib.Path(unit["directory"]) / unit["file"]).resolve(), self.root)
            if name.endswith(".c") and not name.startswith("tests/mutants/"):
                units.setdefault(name, unit)
        rooms = {room(name) for name in wanted}  # a header is read by a unit of its room
        chosen = [unit for name, unit in sorted(units.items()) if name.startswith(wanted) or room(name) in rooms]
        parts = [(self.root, chosen[i::2 * self.jobs], wanted) for i in range(2 * self.jobs)]
        with concurrent.futures.ProcessPoolExecutor(self.jobs) as pool:
            return sorted({mutation for part in pool.map(mutations_of, parts) for mutation in part})

    def put(self, chosen):
        """Builds the mutations into the tree: {number: Mutation}. Those that the compiler refuses are left out, and returned."""
        refused = {}
        texts = {START: (self.root / START).read_text()}
        while True:
            for name in {mutation.file for mutation in chosen.values()} | set(texts):
                text = texts.setdefault(name, (self.root / name).read_text())
                mine = [(number, mutation) for number, mutation in chosen.items() if mutation.file == name and number not in refused]
                new = generate.rendered(text, mine) + ((HERE / "mutation.c").read_text() if name == START else "")
                if new != (self.root / name).read_text():
                    (self.root / name).write_text(new)
            output = command("ninja", "-C", self.build, "-k", 0, "-j", self.jobs, fine=True)
            places = {(os.path.relpath(os.path.normpath(self.build / name), self.root), int(line))
                      for name, line in re.findall(r"^(\S+?):(\d+):\d+: error:", output, re.M)}
            wrong = {number: mutation for number, mutation in chosen.items() if number not in refused and (mutation.file, mutation.line) in places}
            if places and not wrong:  # an error behind the line of the mutation: those nearest before it
                for name, line in places:
                    before = [(mutation.line, number) for number, mutation in chosen.items() if number not in refused and mutation.file == name and mutation.line <= line]
                    wrong.update({number: chosen[number] for at, number in before if at == max(before)[0]})
            if not wrong:
                if "FAILED:" in output:
                    raise BuildError(" | ".join(re.findall(r".*(?:error|ERROR|FAILED).*", output)[:3]))
                return refused
            refused.update(wrong)

    def introspect(self, without, quick):
        names = re.search(r"^quick=\((.*)\)", (ROOT / "tools/test.sh").read_text(), re.M)[1].split()
        suites = {f"heddle:{name}" for name in names} if quick else None
        for test in json.loads(command("meson", "introspect", self.build, "--tests")):
            own = set(test["suite"])
            if not own & WITHOUT and not test["name"].startswith(tuple(without)) and (not suites or own & suites):
                self.tests[test["name"]] = test

    def run(self, name, limit, **variables):
        """Runs one test. "" when it passes, otherwise what happened."""
        test = self.tests[name]
        words = ["sh", "-c", f'ulimit -v {"unlimited" if name in BROWSERS else MEMORY}; ulimit -c 0; exec "$@"', "sh", *test["cmd"]]
        child = subprocess.Popen(words, cwd=test["workdir"] or self.build, env={**os.environ, **test["env"], **variables}, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output = child.communicate(timeout=limit)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return f"hangs, longer than {limit:.0f} s"
        if child.returncode in (0, 77):
            return ""
        failed = re.findall(r"^\[  FAILED  \] (?!\w+:)(\w+)", output, re.M)
        return failed[0] if failed else f"signal {-child.returncode}" if child.returncode < 0 else f"status {child.returncode}"

    def reaches(self, name, limit):
        """Runs a test without a mutation: (what happened, seconds, numbers of the mutations that it reaches)."""
        file = self.reached.with_name("reached-" + name.replace("/", "-"))
        file.write_bytes(bytes(REACHED))
        begin = time.monotonic()
        what = self.run(name, limit, HEDDLE_MUTATIONS_REACHED=str(file))
        seconds = time.monotonic() - begin
        data = file.read_bytes()
        file.unlink()
        return what, seconds, [number for number, byte in enumerate(data) if byte]


class Work:
    """State shared by the workers: for each mutation the tests that reach it, and which test noticed what so far."""

    def __init__(self, tree, options):
        self.tree, self.options = tree, options
        self.lock = threading.Lock()
        self.took = {}
        self.reach = collections.defaultdict(list)
        self.noticed = collections.Counter()  # (file, test) -> mutations of the file that the test noticed
        self.results = []

    def tell(self, result):
        with self.lock:
            self.results.append(result)
            mutation = result.mutation
            print(f"{result.state:10} {result.seconds:6.1f} s  {mutation.file}:{mutation.line}: {mutation.operator}: {mutation.old} -> {mutation.new or '(nothing)'}: "
                  f"{result.why}", flush=True)

    def map(self):
        """Runs every test once; tests that fail or are slow are not used, and named."""
        unused = []

        def one(name):
            what, seconds, numbers = self.tree.reaches(name, self.options.slow)
            with self.lock:
                if what:
                    unused.append(f"{name} ({what})")
                    return
                self.took[name] = seconds
                for number in numbers:
                    self.reach[number].append(name)

        with concurrent.futures.ThreadPoolExecutor(self.options.workers) as pool:
            list(pool.map(one, sorted(self.tree.tests)))
        print(f"{len(self.took)} tests, {sum(self.took.values()):.0f} s; not used: {', '.join(sorted(unused)) or 'none'}", flush=True)

    def judge(self, number, mutation):
        begin = time.monotonic()
        names = sorted(self.reach[number], key=lambda name: (-self.noticed[mutation.file, name] / (0.05 + self.took[name]), self.took[name]))
        if not names:
            self.tell(Result(mutation, "unreached", "no test executes it", 0))
            return
        spent = 0.0
        for i, name in enumerate(names):
            if spent > self.options.budget:
                self.tell(Result(mutation, "survived", f"{i} tests of {len(names)} that reach it", time.monotonic() - begin))
                return
            spent += self.took[name]
            what = self.tree.run(name, max(self.options.limit, 10 * self.took[name]), HEDDLE_MUTATION=str(number))
            if what:
                with self.lock:
                    self.noticed[mutation.file, name] += 1
                self.tell(Result(mutation, "killed", f"{name}: {what}", time.monotonic() - begin))
                return
        self.tell(Result(mutation, "survived", f"all {len(names)} tests that reach it", time.monotonic() - begin))

    def run(self, chosen):
        with concurrent.futures.ThreadPoolExecutor(self.options.workers) as pool:
            list(pool.map(lambda item: self.judge(*item), chosen.items()))

    def extra(self, mutant):
        """A mutation that no operator makes: its text is put into the tree, and the tests that it names run."""
        path = self.tree.root / mutant.file
        text = path.read_text()
        found = generate.Mutation(mutant.file, 0, 0, mutant.id, generate.one_line(mutant.old), generate.one_line(mutant.new), "value", "", text[:text.find(mutant.old)].count("\n") + 1)
        begin = time.monotonic()
        path.write_text(text.replace(mutant.old, mutant.new))
        try:
            self.tree.make()
            for name in mutant.kills:
                what = self.tree.run(name, max(self.options.limit, 10 * self.took.get(name, 60)))
                if what:
                    self.tell(Result(found, "killed", f"{name}: {what}", time.monotonic() - begin))
                    return
            self.tell(Result(found, "survived", "the tests that extra.list names", time.monotonic() - begin))
        except BuildError as error:
            self.tell(Result(found, "survived", f"does not build: {error}", 0))
        finally:
            path.write_text(text)


def table(results):
    rows = collections.defaultdict(list)
    for result in results:
        rows[room(result.mutation.file)].append(result)
    rows = dict(sorted(rows.items()))
    rows["all"] = results
    lines = [f"{'room':16} {'mutations':>9} " + " ".join(f"{state:>10}" for state in STATES) + f" {'killed of reached':>18} {'seconds':>8}"]
    for name, row in rows.items():
        counts = collections.Counter(result.state for result in row)
        judged = counts["killed"] + counts["survived"]
        share = f"{100 * counts['killed'] / judged:.1f} %" if judged else "-"
        lines.append(f"{name:16} {len(row):9} " + " ".join(f"{counts[state]:10}" for state in STATES) + f" {share:>18} {sum(result.seconds for result in row):8.0f}")
    return "\n".join(lines)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=500, metavar="N", dest="count", help="size of the sample, 0 for all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: %(default)s)")
    parser.add_argument("--files", action="append", metavar="PREFIX", help="only files whose names begin so, such as src/check (default: src/; may be repeated)")
    parser.add_argument("--operator", metavar="NAME", help="only this operator")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="N", dest="workers", help="processes (default: one a processor)")
    parser.add_argument("--equivalent", action="store_true", help="try those that are called equivalent, too")
    parser.add_argument("--extra", action="store_true", help="try those of extra.list instead of a sample")
    parser.add_argument("--quick", action="store_true", help="only the tests of `make quick`: minutes for what takes hours")
    parser.add_argument("--without", action="append", default=[], metavar="PREFIX", help="tests that are not run (may be repeated)")
    parser.add_argument("--slow", type=int, default=120, metavar="SECONDS", help="a test that takes longer without a mutation is not used (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=10, metavar="SECONDS",
                        help="a test that takes longer, and ten times as long as otherwise, hangs (default: %(default)s)")
    parser.add_argument("--budget", type=int, default=300, metavar="SECONDS", help="of tests for one mutation (default: %(default)s)")
    parser.add_argument("--folder", metavar="NEW", help="where the copy is built, and stays (default: a temporary one)")
    parser.add_argument("--only-list", action="store_true", help="print the mutations that the files have, and try none")
    parser.add_argument("--json", metavar="FILE", help="writes the results")
    return parser.parse_args()


def work(folder, options):
    """Results of a whole run, and what does not fit the tree."""
    tree = Tree(folder, options.workers)
    wanted = tuple(options.files or ["src/"])
    everything = tree.mutations(wanted)
    if options.only_list:
        for mutation in everything:
            print(f"{mutation.file}:{mutation.line}: {mutation.function}: {mutation.operator}: {mutation.old} -> {mutation.new or '(nothing)'}")
        return [], []
    equivalents, stale = lists.equivalents(HERE / "equivalent.list", ROOT, everything, wanted)
    chosen = [mutation for mutation in everything if not options.operator or mutation.operator == options.operator]
    if options.extra:
        chosen = []
    elif options.count and options.count < len(chosen):
        chosen = sorted(random.Random(options.seed).sample(chosen, options.count))
    numbered = dict(enumerate(chosen, 1))
    tried = {number: mutation for number, mutation in numbered.items() if options.equivalent or mutation not in equivalents}
    refused = tree.put(tried)
    print(f"{len(everything)} mutations, {len(numbered)} chosen (seed {options.seed}); {len(refused)} of them the compiler refuses", flush=True)
    tree.introspect(options.without, options.quick)
    task = Work(tree, options)
    if not options.extra:
        task.map()
    for number, mutation in numbered.items():
        if number not in tried:
            task.tell(Result(mutation, "equivalent", equivalents[mutation], 0))
    task.run({number: mutation for number, mutation in tried.items() if number not in refused})
    if options.extra:
        for mutant in lists.read(HERE / "extra.list"):
            if mutant.file.startswith(wanted):
                why = lists.stale(ROOT, mutant)
                if why:
                    stale.append(f"extra.list:{mutant.line}: {mutant.id}: {why}")
                else:
                    task.extra(mutant)
    if options.equivalent:
        stale += [f"called equivalent, yet {result.state}: {result.mutation.file}:{result.mutation.line}: {result.mutation.old} -> {result.mutation.new}: {result.why}"
                  for result in task.results if result.state == "killed" and result.mutation in equivalents]
    return task.results, stale


def main():
    options = parse_options()
    begin = time.monotonic()
    try:
        if options.folder:
            folder = pathlib.Path(options.folder)
            folder.mkdir()
            results, stale = work(folder.resolve(), options)
        else:
            with tempfile.TemporaryDirectory(prefix="heddle-mutants-") as name:
                results, stale = work(pathlib.Path(name), options)
    except (BuildError, ValueError, lists.ListError, FileExistsError) as error:
        sys.exit(f"error: {error}")
    if options.only_list:
        return 0
    print(f"\n{table(results)}\n{time.monotonic() - begin:.0f} seconds with {options.workers} workers")
    survived = [result for result in results if result.state == "survived"]
    for result in survived:
        mutation = result.mutation
        print(f"survived: {mutation.file}:{mutation.line}: {mutation.function}: {mutation.operator}: {mutation.old} -> {mutation.new or '(nothing)'}: {result.why}")
    for line in stale:
        print(f"stale: {line}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps([dataclasses.asdict(result) for result in results], indent=1) + "\n")
    return 1 if survived or stale else 0


if __name__ == "__main__":
    sys.exit(main())
