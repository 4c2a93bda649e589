"""Values of a VCD file by cycle, for tests that compare them with something else."""
import re


class Vcd:
    """signals["core0.scheduler0.warp00.fence1"] names a signal; value(name, cycle) is its value behind the cycle, 0 before its first change."""

    def __init__(self, path):
        scope, self.signals, self.changes = [], {}, {}
        now = 0
        for line in open(path, encoding="utf-8", errors="replace"):
            words = line.split()
            if not words:
                continue
            if words[0] == "$scope":
                scope.append(words[2])
            elif words[0] == "$upscope":
                scope.pop()
            elif words[0] == "$var":
                name = ".".join(scope[1:] + [words[4]])
                self.signals[name] = words[3]
                self.changes[words[3]] = []
            elif words[0][0] == "#":
                now = int(words[0][1:])
            elif words[0][0] in "bB":
                digits = words[0][1:]
                self.changes[words[1]].append((now, int(digits, 2) if re.fullmatch("[01]+", digits) else None))
            elif words[0][0] in "01xz" and words[0][1:] in self.changes:
                self.changes[words[0][1:]].append((now, int(words[0][0]) if words[0][0] in "01" else None))

    def value(self, name, cycle):
        value = 0
        for at, new in self.changes[self.signals[name]]:
            if at > cycle:
                break
            value = new
        return value
