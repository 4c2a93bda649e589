"""The report of a run."""
from __future__ import annotations

import dataclasses
import html
import json
import os
from typing import TYPE_CHECKING, Any

from ._library import ffi, lib, names, taken, text
from .errors import Message, messages_of

if TYPE_CHECKING:
    from .session import Session


class Group:
    """A group of the JSON report, as attributes: `report.run.cycles`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"there is no '{name}', expected one of {', '.join(self.__dict__.get('_values', {}))}")
        return _wrapped(self._values[name])

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._values[name])

    def __dir__(self) -> list[str]:
        return sorted(self._values)

    def __repr__(self) -> str:
        return json.dumps(self._values, indent=1)


def _wrapped(value: Any) -> Any:
    return Group(value) if isinstance(value, dict) else value


@dataclasses.dataclass(frozen=True)
class Counts:
    """Counts of an instruction or a source line. `lost` has issue slots by cause, `sectors` are the 32-byte sectors of its accesses to memory."""

    issued: int
    dropped: int
    lanes: int
    slots: int
    descheduled: int
    queue_cycles: int
    pipe_cycles: int
    sectors: int
    lost: dict[str, int]


@dataclasses.dataclass(frozen=True)
class Line:
    """A source line that has code; `text` is "" where the source cannot be read."""

    file: str
    line: int
    counts: Counts
    text: str


@dataclasses.dataclass(frozen=True)
class Instruction:
    """An instruction of the program; `word` is its address, `file` is "" where its line is not known."""

    word: int
    text: str
    file: str
    line: int
    counts: Counts


def _counts(counts: Any, causes: list[str]) -> Counts:
    lost = {cause: int(counts.lost[i]) for i, cause in enumerate(causes)}
    return Counts(
        int(counts.issued),
        int(counts.dropped),
        int(counts.lanes),
        int(counts.slots),
        int(counts.descheduled),
        int(counts.queue_cycles),
        int(counts.pipe_cycles),
        int(counts.sectors),
        lost,
    )


class Report(Group):
    """A run: groups of counters as attributes (`report.run.cycles`, `report.stall_cycles.fetch`, `report.memory.l1_hits`), as `heddle run --report x.json`
    writes them. It stays as it is when its session runs again."""

    def __init__(self, session: Session, messages: str, profile: bool) -> None:
        c = session.handle.c
        self._text = taken(lib.heddle_report(c, lib.HEDDLE_TEXT)) or ""
        self._html = taken(lib.heddle_report(c, lib.HEDDLE_HTML)) or ""
        super().__init__(json.loads(taken(lib.heddle_report(c, lib.HEDDLE_JSON)) or "{}"))
        length = ffi.new("size_t *")
        printed = lib.heddle_printed(c, length)
        self.printed: str = ffi.buffer(printed, length[0])[:].decode(errors="replace")
        self.messages: list[Message] = messages_of(messages)
        self.violations = int(lib.heddle_violations(c))
        self.seconds = float(lib.heddle_seconds(c))
        causes = names(lib.heddle_causes())
        self.lines: list[Line] = _lines(c, causes) if profile else []
        self.instructions: list[Instruction] = _instructions(c, causes) if profile else []
        self._listing = (taken(lib.heddle_listing(c)) or "") if profile else ""

    # Any: None for the few runs without time is no reason to ask everywhere.
    @property
    def cycles(self) -> Any:
        """An int; None for a functional run, which has no time."""
        return self._values["run"]["cycles"]

    @property
    def ipc(self) -> Any:
        """Warp instructions a cycle; None for a functional run."""
        return self._values["ipc"]

    def to_dict(self) -> dict[str, Any]:
        """The JSON report as it is."""
        values: dict[str, Any] = json.loads(json.dumps(self._values))
        return values

    def to_pandas(self, what: str = "counters") -> Any:
        """A pandas object: "counters" is a Series of all numbers by their names, "lines" and "instructions" are data frames of a profile."""
        import pandas

        if what == "counters":
            return pandas.Series(_flat("", {name: group for name, group in self._values.items() if name != "heat"}), name=self._values.get("kernel") or "run")
        if what not in ("lines", "instructions"):
            raise ValueError(f"to_pandas cannot give '{what}', expected counters, lines or instructions")
        rows: list[dict[str, Any]] = []
        counted: list[Any] = [*self.lines] if what == "lines" else [*self.instructions]
        for row in counted:
            cells = dataclasses.asdict(row)
            counts = cells.pop("counts")
            lost = counts.pop("lost")
            rows.append({**cells, **counts, "lost": sum(lost.values()), **{"lost_" + cause: n for cause, n in lost.items()}})
        return pandas.DataFrame(rows)

    def text(self) -> str:
        """The report for people."""
        return self._text

    def html(self) -> str:
        """The report as one page."""
        return self._html

    def listing(self) -> str:
        """The source with counts; "" without a profile."""
        return self._listing

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: .html, .json or .txt."""
        end = os.path.splitext(os.fspath(path))[1]
        if end not in (".html", ".json", ".txt"):
            raise ValueError(f"a report cannot be '{os.fspath(path)}', expected a name that ends in .html, .json or .txt")
        content = self._html if end == ".html" else self._text if end == ".txt" else json.dumps(self._values, indent=1) + "\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)) | set(self._values))

    def __repr__(self) -> str:
        time = "functional" if self.cycles is None else f"{self.cycles} cycles, IPC {self.ipc:.3f}"
        return f"<heddle.Report {self._values.get('kernel', '')}: {time}>"

    def _repr_html_(self) -> str:
        return f'<iframe style="width:100%;height:32em;border:1px solid #999" sandbox="allow-scripts" srcdoc="{html.escape(self._html)}"></iframe>'


def _flat(path: str, values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found.update(_flat(f"{path}{name}.", value))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[path + name] = value
    return found


def _lines(c: Any, causes: list[str]) -> list[Line]:
    line = ffi.new("heddle_line *")
    found: list[Line] = []
    while lib.heddle_line_at(c, len(found), line):
        found.append(Line(text(line.file), int(line.line), _counts(line.counts, causes), text(line.text)))
    return found


def _instructions(c: Any, causes: list[str]) -> list[Instruction]:
    one = ffi.new("heddle_instruction *")
    found = []
    for word in range(lib.heddle_word_count(c)):
        if lib.heddle_instruction_at(c, word, one):
            found.append(Instruction(int(one.word), text(one.text), text(one.file), int(one.line), _counts(one.counts, causes)))
    return found
