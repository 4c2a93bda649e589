#!/usr/bin/env python3
"""Applies the mutations of tests/mutants/*.list to copies of the tree, one at a time, and sees whether a test notices (`make mutants`).

A mutant is killed when a test that it names fails, crashes, runs out of memory or hangs, or, when none of those notices, any other quick test: the unit
tests of all rooms but those in SLOW_ROOMS. The exit status is 1 when a mutant survives that is not called equivalent, or does not fit the tree.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import lists

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SLOW_ROOMS = {"fuzz", "kernels", "opencl", "project", "stress"}
MEMORY = 8 << 20  # KiB of address space that a test may use
OPTIONS = ["-Dbuildtype=plain", "-Doptimization=1", "-Ddefault_library=shared", "-Dwerror=false"]
STATES = ["killed", "survived", "equivalent", "stale"]


@dataclasses.dataclass
class Result:
    mutant: lists.Mutant
    state: str
    why: str
    seconds: float


class BuildError(Exception):
    """The tree does not build, or a test fails without a mutation."""


class Tree:
    """A copy of the tree, and a build of it."""

    def __init__(self, folder, jobs, limit):
        self.root, self.build, self.jobs, self.limit = folder / "tree", folder / "build", jobs, limit
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=lambda at, names: [n for n in names if at == str(ROOT) and (n.startswith("build") or n == ".git")])
        self.command("meson", "setup", self.build, self.root, *OPTIONS)
        files = {target["id"]: target["filename"] for target in self.introspect("targets")}
        self.tests = {test["name"]: test for test in self.introspect("tests")}
        self.parts = {name: [os.path.relpath(file, self.build) for part in test["depends"] for file in files.get(part, [])] for name, test in self.tests.items()}
        self.quick = [name for name, test in self.tests.items() if name.split("/")[0] not in SLOW_ROOMS and re.search(r"-test_\w+$", test["cmd"][0])]
        self.took = {}  # seconds of the tests that passed

    def command(self, *words):
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise BuildError(" | ".join(re.findall(r".*(?:error|ERROR|FAILED).*", done.stdout)[:3]) or done.stdout[-500:])
        return done.stdout

    def introspect(self, what):
        return json.loads(self.command("meson", "introspect", self.build, f"--{what}"))

    def make(self, names):
        self.command("ninja", "-C", self.build, "-j", self.jobs, *sorted({part for name in names for part in self.parts[name]}))

    def run(self, name):
        """Runs one test. "" when it passes, otherwise what happened."""
        test = self.tests[name]
        child = subprocess.Popen(["sh", "-c", f'ulimit -v {MEMORY}; ulimit -c 0; exec "$@"', "sh", *test["cmd"]], cwd=test["workdir"] or self.build,
                                 env={**os.environ, **test["env"]}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        begin = time.monotonic()
        try:
            output = child.communicate(timeout=self.limit)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return f"hangs, longer than {self.limit} s"
        if child.returncode == 0:
            self.took[name] = time.monotonic() - begin
            return ""
        failed = re.findall(r"^\[  FAILED  \] (?!\w+:)(\w+)", output, re.M)
        return failed[0] if failed else f"signal {-child.returncode}" if child.returncode < 0 else f"status {child.returncode}"

    def check(self, names):
        """The tests pass on the tree without a mutation."""
        self.make(names)
        for name in names:
            what = self.run(name)
            if what:
                raise BuildError(f"{name} fails without a mutation: {what}")

    def notices(self, names):
        """The first test that fails on the tree as it is now, and how; None when all pass."""
        self.make(names)
        for name in sorted(names, key=lambda name: self.took.get(name, 0)):
            what = self.run(name)
            if what:
                return name, what
        return None

    def attempt(self, mutant, trusted):
        """State of a mutant that fits the tree, and the reason. `trusted`: tests that pass without a mutation."""
        path = self.root / mutant.file
        text = path.read_text()
        path.write_text(text.replace(mutant.old, mutant.new))
        try:
            found = self.notices(mutant.kills) or self.notices(set(self.quick) - set(mutant.kills))
        except BuildError as error:
            return "stale", f"does not build: {error}"
        finally:
            path.write_text(text)
        if not found:
            return "survived", "no quick test notices"
        name, what = found
        if name not in trusted:
            self.check([name])
            trusted.add(name)
        return "killed", f"{name}: {what}" + (" (a test that the list does not name)" if mutant.kills and name not in mutant.kills else "")


class Work:
    """What the workers share: the mutants by file, since a change of file costs a compilation more, and the results."""

    def __init__(self, chosen, options):
        self.options = options
        self.files = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.results = []
        self.trusted = set()
        self.errors = []
        by_file = collections.defaultdict(list)
        for mutant in chosen:
            why = lists.stale(ROOT, mutant)
            if why:
                self.tell(Result(mutant, "stale", why, 0))
            elif mutant.equivalent and not options.equivalent:
                self.tell(Result(mutant, "equivalent", mutant.equivalent, 0))
            else:
                by_file[mutant.file].append(mutant)
        for group in sorted(by_file.values(), key=len, reverse=True):
            self.files.put(group)
        self.left = len(by_file)

    def tell(self, result):
        with self.lock:
            self.results.append(result)
            print(f"{result.state:10} {result.seconds:6.1f} s  {result.mutant.id:40} {result.mutant.file}: {result.why}", flush=True)

    def judge(self, tree, mutant):
        begin = time.monotonic()
        state, why = tree.attempt(mutant, self.trusted)
        if mutant.equivalent and state == "survived":
            state, why = "equivalent", mutant.equivalent
        elif mutant.equivalent:
            state, why = "stale", f"called equivalent, yet {state}: {why}"
        self.tell(Result(mutant, state, why, time.monotonic() - begin))

    def worker(self, folder, jobs):
        try:
            tree = Tree(folder, jobs, self.options.limit)
            while True:
                group = self.files.get_nowait()
                named = {name for mutant in group for name in mutant.kills}
                unknown = named - set(tree.tests)
                if unknown:
                    raise BuildError(f"no test is called {', '.join(sorted(unknown))}")
                tree.check(sorted(named - self.trusted))
                self.trusted |= named
                for mutant in group:
                    self.judge(tree, mutant)
        except queue.Empty:
            pass
        except BuildError as error:
            self.errors.append(str(error))


def table(results):
    rows = collections.defaultdict(list)
    for result in results:
        rows[lists.folder(result.mutant)].append(result)
    rows = dict(sorted(rows.items()))
    rows["all"] = results
    lines = [f"{'folder':16} {'mutants':>8} " + " ".join(f"{state:>10}" for state in STATES) + f" {'seconds':>8}"]
    for name, row in rows.items():
        counts = collections.Counter(result.state for result in row)
        lines.append(f"{name:16} {len(row):8} " + " ".join(f"{counts[state]:10}" for state in STATES) + f" {sum(result.seconds for result in row):8.0f}")
    return "\n".join(lines)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="N", dest="workers", help="workers, each with a copy of the tree (default: one a processor)")
    parser.add_argument("--list", action="append", metavar="FILE", help="only the mutants of this list (may be repeated)")
    parser.add_argument("--only", metavar="PREFIX", help="only mutants whose id begins so")
    parser.add_argument("--equivalent", action="store_true", help="try those that are called equivalent, too")
    parser.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="a test that takes longer hangs (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="writes the results")
    return parser.parse_args()


def main():
    options = parse_options()
    begin = time.monotonic()
    try:
        chosen = lists.read_all(options.list or sorted(pathlib.Path(__file__).parent.glob("*.list")))
    except lists.ListError as error:
        sys.exit(str(error))
    chosen = [mutant for mutant in chosen if mutant.id.startswith(options.only or "")]
    work = Work(chosen, options)
    with tempfile.TemporaryDirectory(prefix="heddle-mutants-") as folder:
        workers = max(1, min(options.workers, work.left))
        jobs = max(1, (os.cpu_count() or 1) // workers)
        threads = [threading.Thread(target=work.worker, args=(pathlib.Path(folder, str(i)), jobs)) for i in range(workers if work.left else 0)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"\n{table(work.results)}\n{time.monotonic() - begin:.0f} seconds with {options.workers} workers")
    for result in work.results:
        if result.state in ("survived", "stale"):
            print(f"{result.state}: {result.mutant.list}:{result.mutant.line}: {result.mutant.id}: {result.why}")
    for error in work.errors:
        print(f"error: {error}", file=sys.stderr)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps([dataclasses.asdict(result) for result in work.results], indent=1) + "\n")
    return 1 if work.errors or any(result.state in ("survived", "stale") for result in work.results) else 0


if __name__ == "__main__":
    sys.exit(main())
