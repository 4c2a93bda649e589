#!/usr/bin/env python3
"""Applies the mutations of tests/mutants/*.list to copies of the tree, one at a time, and sees whether a test notices (`make mutants`).

A mutant is killed when a test that it names fails, crashes, runs out of memory or hangs, or, when none of those notices, any other quick test. Quick
tests are the unit tests of all rooms but those in SLOW_ROOMS. The exit status is 1 when a mutant survives that is not called equivalent, or does not
fit the tree.
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
SLOW_ROOMS = {"front", "fuzz", "kernels", "opencl", "project", "semantics", "stress"}
MEMORY = 8 << 20  # KiB of address space that a test may use
BROWSERS = {"explore/browser", "explore/hands"}  # Chromium reserves far more than that, and uses little of it
OPTIONS = ["-Dbuildtype=plain", "-Doptimization=1", "-Dwerror=false"]
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

    def __init__(self, folder, limit):
        self.folder, self.root, self.build, self.limit = folder, folder / "tree", folder / "build", limit
        self.tests = {}
        self.parts = {}  # files that a test needs, relative to the build
        self.quick = []
        self.took = {}  # seconds that a test takes

    @staticmethod
    def new(folder, limit):
        """Copies and configures the tree."""
        tree = Tree(folder, limit)
        unwanted = lambda at, names: [name for name in names if at == str(ROOT) and (name.startswith("build") or name == ".git")]
        shutil.copytree(ROOT, tree.root, symlinks=True, ignore=unwanted)
        tree.command("meson", "setup", tree.build, tree.root, *OPTIONS)
        introspect = lambda what: json.loads(tree.command("meson", "introspect", tree.build, what))
        files = {target["id"]: target["filename"] for target in introspect("--targets")}
        tree.tests = {test["name"]: test for test in introspect("--tests")}
        library = [file for names in files.values() for file in names if file.endswith(".bc")]  # what OpenCL C is linked with
        for name, test in tree.tests.items():
            depends = [file for part in test["depends"] for file in files.get(part, [])]
            tree.parts[name] = [os.path.relpath(file, tree.build) for file in depends + library]
            if name.split("/")[0] not in SLOW_ROOMS and re.search(r"-test_\w+$", test["cmd"][0]):
                tree.quick.append(name)
        return tree

    def copy(self, folder):
        """A copy of this one. Times of files are kept and the build's paths are relative, so that nothing is built again."""
        tree = Tree(folder, self.limit)
        shutil.copytree(self.folder, folder, symlinks=True)
        tree.tests = json.loads(json.dumps(self.tests).replace(str(self.folder), str(folder)))
        tree.parts, tree.quick, tree.took = self.parts, self.quick, self.took
        return tree

    @staticmethod
    def command(*words):
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise BuildError(" | ".join(re.findall(r".*(?:error|ERROR|FAILED).*", done.stdout)[:3]) or done.stdout[-500:])
        return done.stdout

    def make(self, names, jobs=1):
        self.command("ninja", "-C", self.build, "-j", jobs, *sorted({part for name in names for part in self.parts[name]}))

    def run(self, name):
        """Runs one test. "" when it passes, otherwise what happened. Where the tree has no mutation, a test may take ten minutes."""
        limit = max(self.limit, 10 * self.took[name]) if name in self.took else 600
        test = self.tests[name]
        words = ["sh", "-c", f'ulimit -v {"unlimited" if name in BROWSERS else MEMORY}; ulimit -c 0; exec "$@"', "sh", *test["cmd"]]
        child = subprocess.Popen(words, cwd=test["workdir"] or self.build, env={**os.environ, **test["env"]}, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output = child.communicate(timeout=limit)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return f"hangs, longer than {limit:.0f} s"
        if child.returncode == 0:
            return ""
        failed = re.findall(r"^\[  FAILED  \] (?!\w+:)(\w+)", output, re.M)
        return failed[0] if failed else f"signal {-child.returncode}" if child.returncode < 0 else f"status {child.returncode}"

    def check(self, names):
        """Builds the tests, and runs them on the tree without a mutation."""
        self.make(names, os.cpu_count() or 1)
        for name in names:
            begin = time.monotonic()
            what = self.run(name)
            self.took.setdefault(name, time.monotonic() - begin)
            if what:
                raise BuildError(f"{name} fails without a mutation: {what}")

    def notices(self, names):
        """The first test that fails on the tree as it is now, and how: "" when all pass."""
        if not names:
            return ""
        self.make(names)
        for name in sorted(names, key=self.took.get):
            what = self.run(name)
            if what:
                return f"{name}: {what}"
        return ""

    def attempt(self, mutant):
        """State of a mutant that fits the tree, and the reason."""
        path = self.root / mutant.file
        text = path.read_text()
        path.write_text(text.replace(mutant.old, mutant.new))
        try:
            found = self.notices(mutant.kills)
            if found:
                return "killed", found
            found = self.notices(set(self.quick) - set(mutant.kills))
            if not found:
                return "survived", "no quick test notices"
            return "killed", found + (" (a test that the list does not name)" if mutant.kills else "")
        except BuildError as error:
            return "stale", f"does not build: {error}"
        finally:
            path.write_text(text)


class Work:
    """What the workers share: the mutants by file, since a change of file costs a compilation more, and the results."""

    def __init__(self, chosen, options):
        self.options = options
        self.files = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.results = []
        self.names = set()  # of the tests that the mutants name
        by_file = collections.defaultdict(list)
        for mutant in chosen:
            why = lists.stale(ROOT, mutant)
            if why:
                self.tell(Result(mutant, "stale", why, 0))
            elif mutant.equivalent and not options.equivalent:
                self.tell(Result(mutant, "equivalent", mutant.equivalent, 0))
            else:
                by_file[mutant.file].append(mutant)
                self.names |= set(mutant.kills)
        for group in sorted(by_file.values(), key=len, reverse=True):
            self.files.put(group)
        self.workers = min(options.workers, len(by_file))

    def tell(self, result):
        with self.lock:
            self.results.append(result)
            print(f"{result.state:10} {result.seconds:6.1f} s  {result.mutant.id:40} {result.mutant.file}: {result.why}", flush=True)

    def judge(self, tree, mutant):
        begin = time.monotonic()
        state, why = tree.attempt(mutant)
        if mutant.equivalent:
            state, why = ("equivalent", mutant.equivalent) if state == "survived" else ("stale", f"called equivalent, yet {state}: {why}")
        self.tell(Result(mutant, state, why, time.monotonic() - begin))

    def worker(self, tree):
        try:
            while True:
                for mutant in self.files.get_nowait():
                    self.judge(tree, mutant)
        except queue.Empty:
            pass

    def run(self, folder):
        if not self.workers:
            return
        first = Tree.new(folder / "0", self.options.limit)
        unknown = self.names - set(first.tests)
        first.quick = [name for name in first.quick if name not in self.options.without]
        if unknown:
            raise BuildError(f"no test is called {', '.join(sorted(unknown))}")
        first.check(sorted(self.names | set(first.quick)))
        trees = [first] + [first.copy(folder / str(i)) for i in range(1, self.workers)]
        threads = [threading.Thread(target=self.worker, args=(tree,), daemon=True) for tree in trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def table(results):
    rows = collections.defaultdict(list)
    for result in results:
        rows[lists.folder(result.mutant)].append(result)
    rows = dict(sorted(rows.items()))
    rows["all"] = results
    lines = [f"{'folder':16} {'mutants':>8} " + " ".join(f"{state:>10}" for state in STATES) + f" {'seconds':>8}"]
    for name, row in rows.items():
        counts = collections.Counter(result.state for result in row)
        seconds = sum(result.seconds for result in row)
        lines.append(f"{name:16} {len(row):8} " + " ".join(f"{counts[state]:10}" for state in STATES) + f" {seconds:8.0f}")
    return "\n".join(lines)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="N", dest="workers",
                        help="workers, each with a copy of the tree (default: one a processor)")
    parser.add_argument("--list", action="append", metavar="FILE", help="only the mutants of this list (may be repeated)")
    parser.add_argument("--only", metavar="PREFIX", help="only mutants whose id begins so")
    parser.add_argument("--equivalent", action="store_true", help="try those that are called equivalent, too")
    parser.add_argument("--limit", type=int, default=30, metavar="SECONDS",
                        help="a test that takes longer, and ten times as long as otherwise, hangs (default: %(default)s)")
    parser.add_argument("--without", action="append", default=[], metavar="TEST",
                        help="a quick test that is run only for mutants that name it (may be repeated)")
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
    try:
        with tempfile.TemporaryDirectory(prefix="heddle-mutants-") as folder:
            work.run(pathlib.Path(folder))
    except BuildError as error:
        sys.exit(f"error: {error}")
    print(f"\n{table(work.results)}\n{time.monotonic() - begin:.0f} seconds with {work.workers} workers")
    for result in work.results:
        if result.state in ("survived", "stale"):
            print(f"{result.state}: {result.mutant.list}:{result.mutant.line}: {result.mutant.id}: {result.why}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps([dataclasses.asdict(result) for result in work.results], indent=1) + "\n")
    return 1 if any(result.state in ("survived", "stale") for result in work.results) else 0


if __name__ == "__main__":
    sys.exit(main())
