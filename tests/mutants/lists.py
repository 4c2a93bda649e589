"""Lists of mutations that are kept by hand: what a list looks like, and whether it still fits the tree.

extra.list and rtl/mutants.list hold mutations that no program makes, a sequence of blocks:

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

equivalent.list holds made mutations that no test can notice:

    src/check/judge.c: pipe_of: the line of the mutation, without the space before it
    	old -> new
    	why no test can notice, on one line or more
"""
import collections
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


def stale(root, mutant):
    """Why the mutant does not fit the tree at `root`; "" if it does."""
    path = root / mutant.file
    if not path.is_file():
        return "there is no such file"
    count = path.read_text().count(mutant.old)
    return "" if count == 1 else f"the old text occurs {count} times, expected once"


def entries(path):
    """The entries of a list of equivalent mutations: (line, file, function, text of the line, change, reason)."""
    found = []
    line = 1
    for block in path.read_text().split("\n\n"):
        lines = [text for text in block.splitlines() if not text.startswith("#")]
        if lines:
            head = re.fullmatch(r"(\S+): (\w+): (.*)", lines[0])
            if not head or len(lines) < 3 or not all(text.startswith("\t") for text in lines[1:]):
                raise ListError(f"{path.name}:{line}: error: expected `FILE: FUNCTION: LINE`, a change and a reason")
            found.append((line, *head.groups(), lines[1].strip(), " ".join(text.strip() for text in lines[2:])))
        line += block.count("\n") + 2
    return found


def equivalents(path, root, mutations, wanted):
    """The mutations that the list calls equivalent, {mutation: reason}, and what of the list is stale, for files whose names begin with `wanted`."""
    made = collections.defaultdict(list)
    texts = {}
    for mutation in mutations:
        if mutation.file not in texts:
            texts[mutation.file] = (root / mutation.file).read_text().splitlines()
        made[mutation.file, mutation.function, texts[mutation.file][mutation.line - 1].strip(), f"{mutation.old} -> {mutation.new}".strip()].append(mutation)
    called, stale = {}, []
    for line, file, function, text, change, reason in entries(path):
        if file.startswith(wanted):
            found = made[file, function, text, change]
            called.update((mutation, reason) for mutation in found)
            if not found:
                stale.append(f"{path.name}:{line}: {file}: {function}: no such mutation: {change}")
    return called, stale
