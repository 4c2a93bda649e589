"""Machine code of NVIDIA's GPUs: what the checker says of its stall counts and counters (docs/sass.md)."""
from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Iterator, Sequence

from ._arguments import U32
from ._library import Handle, ffi, lib, taken
from .errors import Error


@dataclasses.dataclass(frozen=True)
class MachineInstruction:
    """An instruction: its byte address in the function, its text and control fields, and its source line (`file` "", `line` 0 where it is not known)."""

    address: int
    text: str
    control: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"0x{self.address:04x} `{self.text}`" + (f" ({self.file}:{self.line})" if self.file else "")


@dataclasses.dataclass(frozen=True)
class MachineFinding:
    """A dependence that nothing covers. `lacks` is cycles, counter, wait, stall or assumption; `assumptions` would cover it, were they allowed."""

    hazard: str
    registers: str
    lacks: str
    missing_cycles: int
    needed_cycles: int
    source: str
    counters: tuple[int, ...]
    assumptions: tuple[str, ...]
    first: MachineInstruction
    second: MachineInstruction
    path: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.hazard} on {self.registers} is not covered (lacks: {self.lacks}): {self.first}, then {self.second}"


@dataclasses.dataclass(frozen=True)
class Doubt:
    """A fact unknown to the checker, such as a distance that nobody publishes (`reason` "latency"). `then` is the second instruction of a pair."""

    reason: str
    at: MachineInstruction
    then: MachineInstruction | None = None


@dataclasses.dataclass(frozen=True)
class Slack:
    """By how many cycles an instruction's stall could fall alone, and the counters for which it waits though no register needs it."""

    instruction: MachineInstruction
    cycles: int
    waits_not_needed: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class MachineFunction:
    """A function of the file. `findings` and `doubts` have the first of `findings_total` and `doubts_total`; `slack` is empty unless it was asked for."""

    name: str
    demangled: str
    kernel: bool
    entry: int
    architecture: int
    toolkit: int
    verdict: str
    assumptions: tuple[str, ...]
    instructions: int
    blocks: int
    by_stall: int
    by_counter: int
    by_assumption: int
    by_guard: int
    findings: tuple[MachineFinding, ...]
    findings_total: int
    doubts: tuple[Doubt, ...]
    doubts_total: int
    slack: tuple[Slack, ...]
    cycles: int
    cycles_won: int

    def __bool__(self) -> bool:
        return self.verdict == "proven"


@dataclasses.dataclass(frozen=True)
class Assumption:
    """A rule that no document of the vendor states. `needed`: a function of the file is proven under it."""

    name: str
    text: str
    evidence: str
    source: str
    allowed: bool
    needed: bool


@dataclasses.dataclass(frozen=True)
class MachineProof(Sequence[MachineFunction]):
    """The checker's report of a file: a sequence of its functions, true in a condition when all of them are proven. `verdict` is proven, refuted or
    unknown, the worst of the functions'. `messages` is the text of the command, "" where all are proven. `json` is the report, schema
    heddle-sass-check-1."""

    verdict: str
    functions: tuple[MachineFunction, ...]
    assumptions: tuple[Assumption, ...]
    instructions: int
    ptx_only: int
    messages: str
    json: dict[str, Any] = dataclasses.field(repr=False, hash=False)

    def __bool__(self) -> bool:
        return self.verdict == "proven"

    def __len__(self) -> int:
        return len(self.functions)

    def __getitem__(self, index: Any) -> Any:
        """A function by its number or by its name, mangled or not."""
        if not isinstance(index, str):
            return self.functions[index]
        for function in self.functions:
            if index in (function.name, function.demangled, function.demangled.partition("(")[0]):
                return function
        raise KeyError(f"no function '{index}', expected one of {', '.join(function.demangled for function in self.functions)}")

    @property
    def findings(self) -> Iterator[MachineFinding]:
        """The findings of all functions."""
        return (finding for function in self.functions for finding in function.findings)


def _instruction(row: dict[str, Any]) -> MachineInstruction:
    return MachineInstruction(row["address"], row["text"], row["control"], row.get("file", ""), row.get("line", 0))


def _finding(row: dict[str, Any]) -> MachineFinding:
    return MachineFinding(
        row["hazard"], row["registers"], row["lacks"], row["missing_cycles"], row["needed_cycles"], row["source"], tuple(row["counters"]),
        tuple(row["assumptions"]), _instruction(row["first"]), _instruction(row["second"]), tuple(row["path"]),
    )  # fmt: skip


def _function(row: dict[str, Any]) -> MachineFunction:
    slack = row.get("slack", {"instructions": [], "cycles": 0, "cycles_won": 0})
    names = ("name", "demangled", "kernel", "entry", "architecture", "toolkit", "verdict", "instructions", "blocks", "by_stall", "by_counter", "by_assumption", "by_guard")
    return MachineFunction(
        **{name: row[name] for name in names},
        assumptions=tuple(row["assumptions"]),
        findings=tuple(_finding(one) for one in row["findings"]),
        findings_total=row["findings_total"],
        doubts=tuple(Doubt(one["reason"], _instruction(one["at"]), _instruction(one["then"]) if "then" in one else None) for one in row["unknown"]),
        doubts_total=row["unknown_total"],
        slack=tuple(Slack(_instruction(one), one["slack"], tuple(one["waits_not_needed"])) for one in slack["instructions"]),
        cycles=slack["cycles"],
        cycles_won=slack["cycles_won"],
    )


def sass_check(
    binary: bytes | str | os.PathLike[str],
    *,
    architecture: U32 = 0,
    kernel: str | None = None,
    assume: str | Sequence[str] | None = None,
    strict: bool = False,
    slack: bool = False,
    name: str | None = None,
) -> MachineProof:
    """Checks that stall counts and counters of machine code for NVIDIA's GPUs (sm_75 to sm_90) keep all registers in order. A file that cannot be read,
    or that has no function that was asked for, is an Error.

    binary: the path of a cubin, a fat binary, or a program or object file of the host with cubins in it; or its bytes.
    architecture: code for this one alone, 80 for sm_80; 0: all.
    kernel: this function alone.
    assume: what a proof may lean on: "all", "none", or names such as ["A1", "A3"]; None: all but A10, which a GPU refuted.
    strict: of these only assumptions with a published source.
    slack: find out how far each stall could fall, and which waits no register needs.
    name: stands for the file in messages.
    """
    if isinstance(binary, (str, os.PathLike)):
        name = os.fspath(binary) if name is None else name
        with open(binary, "rb") as file:
            content = file.read()
    else:
        content = bytes(binary)
    handle = Handle()
    words = assume if assume is None or isinstance(assume, str) else ",".join(assume) or "none"
    allowed = ffi.NULL if words is None else ffi.new("char[]", words.encode())
    only = ffi.NULL if kernel is None else ffi.new("char[]", kernel.encode())
    options = ffi.new("heddle_sass_options *", {"architecture": architecture, "kernel": only, "assume": allowed, "strict": strict, "slack": slack})
    report = ffi.new("char **")
    verdict = lib.heddle_sass_check(handle.c, content, len(content), (name or "bytes").encode(), options, report)
    text = taken(report[0])
    messages = handle.messages()
    if verdict == lib.HEDDLE_SASS_BAD_INPUT or text is None:
        raise Error(messages)
    found = json.loads(text)
    assumptions = tuple(Assumption(row["name"], row["text"], row["evidence"], row["source"], row["allowed"], row["needed"]) for row in found["assumptions"])
    return MachineProof(found["verdict"], tuple(_function(row) for row in found["functions"]), assumptions, found["instructions"], found["ptx_only"], messages, found)
