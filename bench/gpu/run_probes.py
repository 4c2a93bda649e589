#!/usr/bin/env python3
"""run_probes.py TEMPLATE.cubin IMAGES OUT.json [--made-by probes|returns|assumptions|cycles] [--rounds N] [--seconds S]: runs the images that probes.py or
assumptions.py wrote and counts wrong answers. A warp alone on each multiprocessor, then 16 warps on each. A process of its own works on the GPU. When an
instruction stops it, another one goes on with halves of the group of probes, until the one that the GPU does not take is alone."""
import argparse
import json
import lzma
import os
import random
import struct
import sys
import time

import driver
import probes

WARPS = (32, 512)  # threads of a CTA
HIGH = 1 << 32


def table(gpu, base):
    """Two tables of 64 words, 4 GiB apart, for loads whose address the probes compute."""
    words = random.Random(1)
    for at in (base, base + HIGH):
        gpu.write(at, struct.pack("<64I", *(words.getrandbits(32) for _ in range(64))))


class Work:
    """The work to do: groups as they were written, and groups that are made here."""

    def __init__(self, options):
        self.options = options
        self.template = open(options.template, "rb").read()
        self.at, _, self.exit_at = probes.text_of(self.template)
        self.data = lzma.open(options.images).read()
        line = self.data.index(b"\n")
        self.index = json.loads(self.data[:line])
        place, self.places = line + 1, []
        for group in self.index["groups"]:
            self.places.append(place)
            place += sum(image[2] for image in group["images"])
        self.made = None

    def jobs(self):
        return [(number, list(range(group["first"], group["first"] + group["probes"])), False) for number, group in enumerate(self.index["groups"])]

    def make(self):
        """The probes again, in the order of the index."""
        if self.made is None:
            import assumptions
            some = {"probes": probes.all_probes, "returns": probes.return_probes, "assumptions": lambda: assumptions.select(False), "cycles": lambda: assumptions.select(True)}
            self.made = [probe for _, group in probes.groups_of(some[self.options.made_by](), self.exit_at) for probe in group]
        return self.made

    def images(self, job):
        number, members, fresh = job
        place = self.places[number]
        for distance, yields, size in self.index["groups"][number]["images"]:
            if fresh:
                yield distance, yields, probes.image([self.make()[i] for i in members], distance, bool(yields), self.exit_at)
            else:
                yield distance, yields, self.data[place:place + size]
            place += size


def child(work, jobs, pipe):
    """Does the jobs, and says after each what came out."""
    gpu = driver.Gpu()
    out, base = gpu.alloc(4096), gpu.alloc(HIGH + (16 << 20))
    table(gpu, base)
    sms, rounds = gpu.attribute(16), work.options.rounds
    pipe.write(json.dumps({"card": driver.card(gpu)}) + "\n")
    for job in jobs:
        members, wrong = job[1], [{} for _ in job[1]]
        for distance, yields, code in work.images(job):
            module = gpu.module(work.template[:work.at] + code + work.template[work.at + len(code):])
            function = gpu.function(module, "probe")
            for threads in WARPS:
                gpu.fill(out, 0, 1024)
                gpu.launch(function, sms, threads, [driver.u64(out), driver.u64(base), driver.u32(rounds), driver.u32(0x1234567 + 977 * distance)], 16384)
                gpu.wait()
                for probe, count in enumerate(gpu.words(out, len(members))):
                    wrong[probe].setdefault(f"{distance}{'y' if yields else ''}", []).append(count)
            gpu.unload(module)
        pipe.write(json.dumps({"members": members, "wrong": wrong}) + "\n")
        pipe.flush()


def in_child(work, jobs):
    """Starts a process for the jobs; what it said, line by line."""
    read, written = os.pipe()
    process = os.fork()
    if not process:
        os.close(read)
        status = 1
        try:
            with os.fdopen(written, "w") as pipe:
                child(work, jobs, pipe)
            status = 0
        except driver.Fault as fault:
            print(fault, file=sys.stderr)
        finally:
            os._exit(status)
    os.close(written)
    with os.fdopen(read) as pipe:
        for line in pipe:
            yield json.loads(line)
    os.waitpid(process, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("template")
    parser.add_argument("images")
    parser.add_argument("out")
    parser.add_argument("--made-by", default="probes")
    parser.add_argument("--rounds", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=100)
    options = parser.parse_args()
    work, begin, about = Work(options), time.monotonic(), {}
    wrong, refused, jobs = [None] * len(work.index["probes"]), [], work.jobs()
    while jobs and time.monotonic() - begin < options.seconds:
        done = 0
        for said in in_child(work, jobs):
            if "card" in said:
                about = said["card"]
                continue
            for probe, counts in zip(said["members"], said["wrong"]):
                wrong[probe] = counts
            done += 1
            if time.monotonic() - begin > options.seconds:
                break
        jobs = jobs[done:]
        if jobs and time.monotonic() - begin < options.seconds:  # the process stopped in the first of these
            number, members, _ = jobs.pop(0)
            half = len(members) // 2
            if half:
                jobs[:0] = [(number, members[:half], True), (number, members[half:], True)]
            else:
                refused += members
                print("refused:", *work.index["probes"][members[0]])
    results = {"card": about, "command": " ".join(sys.argv), "rounds": options.rounds, "lanes": [about.get("multiprocessors", 0) * t * options.rounds for t in WARPS],
               "probes": work.index["probes"], "refused": refused, "seconds": time.monotonic() - begin, "complete": not jobs, "wrong": wrong}
    driver.save(options.out, results)
    print(f"{sum(w is not None for w in wrong)} of {len(wrong)} probes, {results['seconds']:.1f} s, refused {len(refused)}, left {len(jobs)} groups")


if __name__ == "__main__":
    main()
