"""The lists of mutations, tests/mutants/*.list: what a list looks like, and whether it still fits the tree.

A list is a sequence of blocks:

    --- ID: a name that no other block of any list has
    file: src/check/judge.c
    kills: check/test_judge, check/test_settle    (names of tests as `meson test` knows them; without it all quick tests are run)
    note: what the mutation breaks                (optional)
    equivalent: why no test can notice            (optional)
    old:
    text that occurs exactly once in the file
    new:
    text that takes its place

The line break behind the last line of a text and the empty line behind a block belong to neither text, so that a text can be a part of a line.
"""
import dataclasses
import pathlib
import re

BLOCK = re.compile(r"(?P<id>\S+)\n(?P<head>(?:[a-z]+: [^\n]*\n)*)old:\n(?P<old>.*?)\nnew:\n(?P<new>.*?)\n*\Z", re.S)
KEYS = {"file", "kills", "note", "equivalent"}


@dataclasses.dataclass
class Mutant:
    list: str
    line: int
    id: str
    file: str
    old: str
    new: str
    kills: list
    equivalent: str


class ListError(Exception):
    """A list that cannot be read; says where."""


def read(path):
    """The mutants of one list."""
    mutants = []
    line = 1
    for number, block in enumerate(re.split(r"^--- ID: ", path.read_text(), flags=re.M)):
        if number == 0:
            if block.strip():
                raise ListError(f"{path.name}:1: error: text before the first block")
        else:
            match = BLOCK.match(block)
            if not match:
                raise ListError(f"{path.name}:{line}: error: not a block: {block.splitlines()[0]}")
            head = dict(entry.split(": ", 1) for entry in match["head"].splitlines())
            if set(head) - KEYS or "file" not in head:
                raise ListError(f"{path.name}:{line}: error: {match['id']}: expected `file` and some of {', '.join(sorted(KEYS))}")
            if not match["old"] or match["old"] == match["new"]:
                raise ListError(f"{path.name}:{line}: error: {match['id']}: changes nothing")
            kills = [name for name in re.split(r"[, ]+", head.get("kills", "")) if name]
            mutants.append(Mutant(path.name, line, match["id"], head["file"], match["old"], match["new"], kills, head.get("equivalent", "")))
        line += block.count("\n")
    return mutants


def read_all(paths):
    """The mutants of all lists. Their ids are unique."""
    mutants = [mutant for path in paths for mutant in read(pathlib.Path(path))]
    seen = {}
    for mutant in mutants:
        if mutant.id in seen:
            raise ListError(f"{mutant.list}:{mutant.line}: error: {mutant.id} is also in {seen[mutant.id]}")
        seen[mutant.id] = f"{mutant.list}:{mutant.line}"
    return mutants


def stale(root, mutant):
    """Why the mutant does not fit the tree at `root`; "" if it does."""
    path = root / mutant.file
    if not path.is_file():
        return "there is no such file"
    count = path.read_text().count(mutant.old)
    return "" if count == 1 else f"the old text occurs {count} times, expected once"


def folder(mutant):
    """Row of the table: the room, for example src/core."""
    return "/".join(mutant.file.split("/")[:2])
