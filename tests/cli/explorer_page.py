"""A page of the explorer read back: its runs, and of each the index and the blocks (src/explore/README.md)."""
import base64
import json
import re
import zlib

RECORD = ("place", "number", "pc", "issue", "flags", "enter", "access", "end", "lanes", "executing", "cause", "since", "until", "counters", "spared", "sectors", "hits", "dram", "arrival", "released", "links")
CHANGES = {"place", "number", "pc", "issue", "lanes"}
LOST = ("scheduler", "slot", "cause", "first", "cycles", "slots", "pc")
LOST_CHANGES = {"scheduler", "first", "pc"}
ENTERED, DROPPED = 1, 2


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def change(self):
        n = self.number()
        return -(n + 1) // 2 if n & 1 else n // 2

    def columns(self, names, changes, n):
        table = {}
        for name in names:
            before, column = 0, []
            for _ in range(n):
                before = before + self.change() if name in changes else self.number()
                column.append(before)
            table[name] = column
        return table


class Run:
    """A run of a page: its index, and its blocks by kind."""

    def __init__(self, text):
        blocks = [zlib.decompress(base64.b64decode(b)) for b in re.findall(r'<script type="text/plain" class="block">([A-Za-z0-9+/=]*)</script>', text)]
        self.index = json.loads(blocks[-1])
        assert len(self.index["blocks"]) == len(blocks) - 1
        self.of = {}
        for row, block in zip(self.index["blocks"], blocks):
            self.of.setdefault(row[0], []).append(block)
        self.code = json.loads(self.of["code"][0])
        self.tiles = [self.tile(b) for b in self.of.get("tile", [])]

    @staticmethod
    def tile(block):
        r = Reader(block)
        n, lost = r.number(), r.number()
        t = r.columns(RECORD, CHANGES, n)
        t["of"] = [[(r.number(), t["place"][i] + r.change(), t["number"][i] - r.change()) for _ in range(t["links"][i])] for i in range(n)]
        t["lost"] = r.columns(LOST, LOST_CHANGES, lost)
        assert r.at == len(block), "the tile ends where its block does"
        return t

    def level(self, i):
        """Width and sums of the columns of the schedulers."""
        r = Reader(self.of["level"][i])
        width, n = 2 ** r.number(), r.number()
        sums = [0] * (len(self.index["causes"]) + 2)
        for _ in self.index["schedulers"]:
            columns = r.number()
            for k in range(len(sums)):
                if columns >> k & 1:
                    sums[k] += sum(r.number() for _ in range(n))
        return width, n, sums

    def column(self, name):
        return [x for t in self.tiles for x in t[name]]

    def lost(self):
        sums = [0] * len(self.index["causes"])
        for t in self.tiles:
            for cause, slots in zip(t["lost"]["cause"], t["lost"]["slots"]):
                sums[cause] += slots
        return sums


def runs(page):
    return [Run(part) for part in page.read_text().split('<div class="run" hidden>')[1:]]
