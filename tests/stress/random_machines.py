#!/usr/bin/env python3
"""random_machines.py [--count N] [--seed S] [--build DIR]: random machine descriptions, each with random programs and with examples.

`stress --print` draws the descriptions (tests/stress/draw.h). On each machine the checker must prove what the compiler made, the timed machine must
give the interpreter's bytes, and the hazard sanitizer must be silent. A crash, a trap and a program that takes longer than --limit seconds are
failures. The same seed gives the same machines and programs. A failure is printed with commands that repeat it and with the keys of the description
that it needs. The exit status is 1 when something failed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

FAILURES_MAX = 10  # failing machines after which the rest is not tried


class Trial:
    """One program on one machine."""

    def __init__(self, options, name, words):
        self.options, self.name, self.words = options, name, words

    def command(self, machine):
        return [str(machine) if word == "MACHINE" else word for word in self.words]

    def run(self, machine):
        """"" when all is right, otherwise what happened."""
        environment = {**os.environ, "HEDDLE_SOURCE": str(ROOT), "HEDDLE_BUILD": str(self.options.build)}
        try:
            done = subprocess.run(self.command(machine), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=self.options.limit, check=False, cwd=self.options.build)
        except subprocess.TimeoutExpired:
            return f"takes longer than {self.options.limit} s"
        text = done.stdout.decode(errors="replace")
        return "" if done.returncode == 0 else text.strip() or f"status {done.returncode}"


def settings_of(text):
    """The keys of a description, as `section.key: value`."""
    found, path = {}, []
    for line in text.splitlines():
        match = re.match(r"( *)([\w.]+):\s*(\S*)$", line)
        if match:
            path = path[:len(match[1]) // 2] + [match[2]]
            if match[3] and path != ["name"]:
                found[".".join(path)] = match[3]
    return found


def description(settings):
    """The text of a description with these keys alone."""
    lines, before = [], []
    for key, value in settings.items():
        path = key.split(".")
        for depth, name in enumerate(path[:-1]):
            if path[:depth + 1] != before[:depth + 1]:
                lines.append("  " * depth + name + ":")
        lines.append("  " * (len(path) - 1) + f"{path[-1]}: {value}")
        before = path[:-1]
    return "".join(line + "\n" for line in lines)


def reduce(trial, settings, folder):
    """The keys that the failure needs: none when the trial fails on the default machine, too."""
    file = folder / f"reduced-{os.getpid()}-{id(trial)}.yaml"

    def fails(keys):
        file.write_text(description({key: settings[key] for key in settings if key in keys}) or "name: default\n")
        what = trial.run(file)
        return what and "expected" not in what.splitlines()[0]  # a message of the loader is another failure

    if fails([]):
        return []
    keys, size = list(settings), len(settings)
    while size:
        begin = 0
        while begin < len(keys):
            rest = keys[:begin] + keys[begin + size:]
            if fails(rest):
                keys = rest
            else:
                begin += size
        size //= 2
    return keys


class Work:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.stress = str(options.build / "tests/stress/stress")
        self.examples_program = str(options.build / "tests/kernels/heddle-examples")
        listed = subprocess.run([self.examples_program], stderr=subprocess.PIPE, text=True, check=False).stderr
        self.examples = listed.split("examples:")[1].split()
        self.default = settings_of(self.draw(None))

    def draw(self, seed):
        if seed is None:
            words = [str(self.options.build / "heddle"), "config", "heddle"]
        else:
            words = [self.stress, "--print", str(seed), "1"]
        return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout

    def trials(self, seed):
        choose = random.Random(seed)
        yield Trial(self.options, f"random programs {2 * seed} and {2 * seed + 1}", [self.stress, "--machine", "MACHINE", str(2 * seed), "2"])
        for name in choose.sample(self.examples, min(self.options.examples, len(self.examples))):
            yield Trial(self.options, f"example {name}", [self.examples_program, "--machine", "MACHINE", "--size", "0", name])

    def machine(self, seed):
        """The reports about one machine."""
        text = self.draw(seed)
        file = self.folder / f"{seed}.yaml"
        file.write_text(text)
        reports = []
        for trial in self.trials(seed):
            what = trial.run(file)
            if not what:
                continue
            settings = {key: value for key, value in settings_of(text).items() if self.default[key] != value}
            keys = reduce(trial, settings, self.folder) if self.options.reduce else settings
            name = f"drawn-{seed}.yaml"
            report = [f"machine {seed}, {trial.name}: " + "\n    ".join(what.splitlines()[:12]),
                      f"  all of machine {seed} again: tools/random-machines.sh --count 1 --seed {seed}",
                      f"  this alone, from the root of the tree: {self.stress} --print {seed} 1 >{name}; " + " ".join(trial.command(name)),
                      f"  keys that it needs, as another {name}:" if keys else "  the default machine fails, too"]
            report += ["    " + line for line in description({key: settings[key] for key in keys}).splitlines()]
            reports.append("\n".join(report))
        return reports


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, metavar="N", help="machines (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first machine; the next ones follow (default: %(default)s)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="DIR", help="a build of the tree (default: build)")
    parser.add_argument("--examples", type=int, default=3, metavar="N", help="examples a machine (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=300, metavar="SECONDS", help="for one program (default: %(default)s)")
    parser.add_argument("--no-reduce", dest="reduce", action="store_false", help="do not search for the keys that a failure needs")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="N", dest="workers", help="workers (default: one a processor)")
    return parser.parse_args()


def main():
    options = parse_options()
    options.build = options.build.resolve()
    begin, bad = time.monotonic(), 0
    print(f"{options.count} random machines, SEED={options.seed}, {options.build}", flush=True)
    with tempfile.TemporaryDirectory(prefix="heddle-random-machines-") as folder:
        work = Work(options, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            for reports in pool.map(work.machine, range(options.seed, options.seed + options.count)):
                bad += bool(reports)
                for report in reports:
                    print(report, flush=True)
                if bad == FAILURES_MAX:
                    pool.shutdown(cancel_futures=True)
                    break
    tried = "not all tried, " if bad == FAILURES_MAX else ""
    print(f"{options.count} machines, {tried}{bad} with a failure, {time.monotonic() - begin:.0f} seconds")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
