"""Programs, their kernels, and what the checker says of them."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import TYPE_CHECKING, Any, Sequence

from ._library import ffi, lib, text

if TYPE_CHECKING:
    from .machine import Machine
    from .session import Session


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel. `type` is as in the source, `element` what a pointer points to (f32, u8, ...); "" where it is not known."""

    name: str
    size: int
    pointer: bool
    local: bool
    type: str
    element: str

    @property
    def constant(self) -> bool:
        """True when the source says that the kernel only reads what the pointer points to."""
        return self.type.startswith("const ")


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of a program. Registers and memory are those for the machine that the program was first compiled for."""

    program: Program = dataclasses.field(repr=False)
    name: str
    source_name: str
    registers: int
    shared_bytes: int
    local_bytes: int
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"{self.source_name}({', '.join((p.type or ('pointer' if p.pointer else str(p.size) + ' bytes')) + ' ' + p.name for p in self.parameters)})"


@dataclasses.dataclass(frozen=True)
class Place:
    """An instruction: its word in the program, and its source line (`file` "" where it is not known)."""

    word: int
    file: str
    line: int


@dataclasses.dataclass(frozen=True)
class Finding:
    """A dependence that nothing covers. `kind` is raw, war, waw, memory, order, call, counter, type, reuse or last_use."""

    kind: str
    producer: Place
    consumer: Place
    register: str
    missing_cycles: int
    path: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class Proof:
    """The checker's report. It is true in a condition when the program is proven. `findings` has the first 100 of `total`."""

    verdict: str
    findings: tuple[Finding, ...]
    total: int
    dependences: int
    by_counter: int
    by_delay: int
    by_order: int
    last_uses: int
    by_scoreboard: bool

    def __bool__(self) -> bool:
        return self.verdict == "proven"


def _register(resource: int) -> str:
    return "" if resource < 0 else f"p{resource - 256}" if resource >= 256 else f"r{resource}"


def _place(place: Any) -> Place:
    return Place(int(place.word), text(place.file), int(place.line))


def proof_of(session: Session) -> Proof:
    """Asks the checker about a program that is loaded."""
    from .errors import Error

    proof = ffi.new("heddle_proof *")
    finding = ffi.new("heddle_finding *")
    verdict = lib.heddle_check(session.handle.c, proof)
    if verdict == lib.HEDDLE_UNDECIDED:
        raise Error(session.handle.messages())
    findings: list[Finding] = []
    while lib.heddle_finding_at(session.handle.c, len(findings), finding):
        path = tuple(int(finding.path[i]) for i in range(finding.n_path))
        findings.append(
            Finding(text(finding.kind), _place(finding.producer), _place(finding.consumer), _register(int(finding.resource)), int(finding.missing), path, text(finding.text).rstrip())
        )
    return Proof(
        "proven" if verdict == lib.HEDDLE_PROVEN else "refuted",
        tuple(findings),
        int(proof.findings),
        int(proof.dependences),
        int(proof.by_counter),
        int(proof.by_delay),
        int(proof.by_order),
        int(proof.last_uses),
        bool(proof.by_scoreboard),
    )


class Program:
    """A source, an object or assembly, compiled for each machine that it runs on. Kernels are attributes and items: `program.saxpy`."""

    def __init__(self, name: str, content: bytes | None, options: Sequence[str], serial: bool, unproven: bool, machine: Machine) -> None:
        self.name = name
        self._content = content
        self._options = tuple(options)
        self._serial = serial
        self._unproven = unproven
        self.kernels: dict[str, Kernel] = {}
        session = machine.load(self)
        for kernel in session.kernels():
            self.kernels[kernel.source_name if kernel.source_name not in self.kernels else kernel.name] = kernel

    def __getitem__(self, name: str) -> Kernel:
        return self.kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_") or name not in self.kernels:
            raise AttributeError(f"{self.name} has no kernel '{name}', expected one of {', '.join(self.__dict__.get('kernels', {}))}")
        return self.kernels[name]

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)) | set(self.kernels))

    def __repr__(self) -> str:
        return f"<heddle.Program {self.name}: {', '.join(str(k) for k in self.kernels.values())}>"

    def check(self, machine: Machine | None = None) -> Proof:
        """The checker's report of the program on a machine, `heddle` unless another is given."""
        from .machine import Machine

        return (Machine() if machine is None else machine).check(self)

    def assembly(self, machine: Machine | None = None) -> str:
        """The program compiled for a machine, with its annotations."""
        from .machine import Machine

        return (Machine() if machine is None else machine).load(self).assembly()


def compile(
    source: str | bytes | os.PathLike[str],
    *,
    name: str | None = None,
    options: Sequence[str] = (),
    machine: Machine | None = None,
    serial: bool = False,
    unproven: bool = False,
) -> Program:
    """Compiles a program. Errors in it are a BuildError.

    source: a path (any os.PathLike, or a text of one line that ends in .cl, .cu, .ptx, .hasm or .hko), or the program itself.
    name: stands for the file in messages; its ending says what the source is. OpenCL C (.cl) unless the text begins as PTX does.
    options: for clang, such as ["-DN=4", "-I", "include"].
    machine: the program is compiled for it at once, and for others when they run it.
    serial: each instruction waits for the one before, to find a wrong annotation.
    unproven: run objects on machines for which the checker does not prove them.
    """
    from .machine import Machine

    content: bytes | None
    if isinstance(source, os.PathLike):
        name, content = os.fspath(source), None
    elif isinstance(source, str) and "\n" not in source and pathlib.PurePath(source).suffix in (".cl", ".cu", ".ptx", ".hasm", ".hko"):
        name, content = source, None
    else:
        content = source.encode() if isinstance(source, str) else bytes(source)
        if name is None:
            name = "program.hko" if content[:4] == b"\x7fELF" else "program.ptx" if content.lstrip().startswith((b".version", b"//")) else "program.cl"
    return Program(name, content, options, serial, unproven, Machine() if machine is None else machine)
