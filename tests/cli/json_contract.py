"""The keys of the JSON documents that scripts rely on: json_keys.list has them all, by kind of document and object. HEDDLE_ADD_KEYS=1 (tools/docs.sh) lets a test
that uses this add new keys to the list; it takes none away."""
import collections
import json
import os
import pathlib
import re
import textwrap

# Objects that leave out what is zero. Their keys are those of `stall_cycles`, `energy_pj` and the machine around them, and stand as one here.
SPARSE = {"lost", "pj", "ratio"}
LIST = pathlib.Path(__file__).resolve().parent / "json_keys.list"


def keys():
    """The keys that the list has: a set for each kind. `KIND OBJECT, KIND OBJECT...: KEY...` a row, `-` is the document itself, `#` begins a comment."""
    found = collections.defaultdict(set)
    for row in re.sub(r"\n +", " ", LIST.read_text()).splitlines():
        objects, _, names = row.partition(": ")
        for kind, above in (of.split() for of in objects.split(", ") if row[0] != "#"):
            found[kind] |= {name if above == "-" else f"{above}.{name}" for name in names.split()}
    return found


def write(known):
    """The list with these keys. Objects with the same keys are one row."""
    objects, rows = collections.defaultdict(set), collections.defaultdict(list)
    for kind in known:
        for key in known[kind]:
            above, _, name = key.rpartition(".")
            objects[f"{kind} {above or '-'}"].add(name)
    for of in sorted(objects):
        rows[" ".join(sorted(objects[of]))].append(of)
    top = [line for line in LIST.read_text().splitlines() if line.startswith("#")]
    lines = [textwrap.fill(f"{', '.join(of)}: {names}", 160, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) for names, of in rows.items()]
    LIST.write_text("\n".join(top + lines) + "\n")


def paths(document, above=""):
    """All keys of a document, such as `heat.lines[].line`. All elements of a list count."""
    found = set()
    if isinstance(document, dict):
        for key, value in document.items():
            found |= {above + key}
            found |= {above + key + ".*"} if key in SPARSE and isinstance(value, dict) else paths(value, above + key + ".")
    elif isinstance(document, list):
        for value in document:
            found |= paths(value, above[:-1] + "[].")
    return found


def compare(kind, seen):
    """The faults in the keys that documents of a kind show: lines to print."""
    known = keys()
    if os.environ.get("HEDDLE_ADD_KEYS"):
        known[kind] |= seen
        write(known)
    return [f"{kind} {key}: is not there any more; scripts rely on it" for key in sorted(known[kind] - seen)] + [
        f"{kind} {key}: is new; HEDDLE_ADD_KEYS=1 adds it to {LIST.name}" for key in sorted(seen - known[kind])
    ]


def problems(kind, *documents):
    """The same for documents that show all keys together."""
    return compare(kind, set().union(*(paths(document) for document in documents)))


def load(path):
    return json.loads(pathlib.Path(path).read_text())
