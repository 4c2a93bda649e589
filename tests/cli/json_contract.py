"""The keys of the JSON documents that scripts rely on: json_keys.list has them all, by kind of document. With HEDDLE_ADD_KEYS=1 a test that uses this adds the
lines of new keys to the list, and takes none away."""
import json
import os
import pathlib

# Objects that leave out what is zero. Their keys are those of `stall_cycles`, `energy_pj` and the machine around them, and stand as one here.
SPARSE = {"lost", "pj", "ratio"}
LIST = pathlib.Path(__file__).resolve().parent / "json_keys.list"


def keys(kind):
    """The keys that the list has for a kind: `KIND KEY` a line, `#` begins a comment."""
    rows = [line.split() for line in LIST.read_text().splitlines() if line and line[0] != "#"]
    return {key for of, key in rows if of == kind}


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
    wanted = keys(kind)
    if os.environ.get("HEDDLE_ADD_KEYS"):
        lines = LIST.read_text().splitlines()
        top = [line for line in lines if line.startswith("#")]
        LIST.write_text("\n".join(top + sorted({line for line in lines if line not in top} | {f"{kind} {key}" for key in seen})) + "\n")
        wanted |= seen
    return [f"{kind} {key}: is not there any more; scripts rely on it" for key in sorted(wanted - seen)] + [
        f"{kind} {key}: is new; HEDDLE_ADD_KEYS=1 adds its line to {LIST.name}" for key in sorted(seen - wanted)
    ]


def problems(kind, *documents):
    """The same for documents that show all keys together."""
    return compare(kind, set().union(*(paths(document) for document in documents)))


def load(path):
    return json.loads(pathlib.Path(path).read_text())
