"""Machine descriptions: presets, keys with documentation, and runs."""
from __future__ import annotations

import dataclasses
import functools
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, MutableMapping, Sequence, Union

from ._arguments import U32, U64
from ._library import Handle, ffi, lib, names, taken, text
from .errors import ConfigurationError

if TYPE_CHECKING:
    from .program import Kernel, Proof, Program
    from .report import Report
    from .session import Session

Value = Union[int, float, bool, str]


@dataclasses.dataclass(frozen=True)
class Key:
    """A key of the machine description."""

    path: str
    expected: str
    unit: str
    documentation: str
    minimum: int | None
    maximum: int | None

    def __str__(self) -> str:
        return f"{self.path}: {self.expected}\n{self.documentation}"


@functools.lru_cache(maxsize=None)
def keys() -> Mapping[str, Key]:
    """Every key, by its path, in the order of docs/configuration.md."""
    found = {}
    key = ffi.new("heddle_key *")
    for i in range(lib.heddle_key_count()):
        lib.heddle_key_at(i, key)
        path = text(key.path)
        limits = (int(key.minimum), int(key.maximum)) if key.number else (None, None)
        found[path] = Key(path, text(key.expected), text(key.unit), text(key.documentation), *limits)
    return found


def presets() -> list[str]:
    """Names of the machines that come with Heddle."""
    return names(lib.heddle_presets())


def _parsed(value: str) -> Value:
    if value in ("true", "false"):
        return value == "true"
    if re.fullmatch(r"-?\d+", value):
        return int(value)
    return float(value) if re.fullmatch(r"-?\d+\.\d+", value) else value


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class Section:
    """Keys below a path, as attributes: `machine.fence.counters`. Completion knows them, and `help(...)` of a key is `machine.describe(path)`."""

    def __init__(self, machine: Machine, path: str) -> None:
        object.__setattr__(self, "_machine", machine)
        object.__setattr__(self, "_path", path)

    def __dir__(self) -> list[str]:
        return _below(self._path)

    def __getattr__(self, name: str) -> Any:
        return _attribute(self._machine, f"{self._path}.{name}")

    def __setattr__(self, name: str, value: Value) -> None:
        self._machine[f"{self._path}.{name}"] = value

    def __repr__(self) -> str:
        return "\n".join(f"{path}: {_written(self._machine[path])}" for path in keys() if path.startswith(self._path + "."))


def _below(path: str) -> list[str]:
    start = path + "." if path else ""
    return sorted({key[len(start) :].split(".")[0] for key in keys() if key.startswith(start)})


def _attribute(machine: Machine, path: str) -> Any:
    if path in keys():
        return machine[path]
    if _below(path):
        return Section(machine, path)
    raise AttributeError(f"there is no key or section '{path}'")


class Machine(MutableMapping[str, Value]):
    """A machine description: a preset (or a YAML file) and keys that differ from it.

    >>> machine = Machine("heddle", {"multi_issue.window": 4})
    >>> machine["fence.counters"] = 8
    >>> machine.fence.counters
    8
    """

    _handle: Handle

    def __init__(self, description: str | os.PathLike[str] = "heddle", keys: Mapping[str, Value] | None = None) -> None:
        object.__setattr__(self, "_handle", Handle())
        object.__setattr__(self, "_loaded", {})
        if not lib.heddle_config(self._handle.c, os.fsencode(description)):
            raise ConfigurationError(self._handle.messages())
        self.update(keys or {})

    # -- a mapping from keys to values

    def __getitem__(self, path: str) -> Value:
        value = taken(lib.heddle_get(self._handle.c, path.encode()))
        if value is None:
            raise KeyError(self._handle.messages().strip())
        return _parsed(value)

    def __setitem__(self, path: str, value: Value) -> None:
        if not lib.heddle_set(self._handle.c, f"{path}={_written(value)}".encode()):
            raise ConfigurationError(self._handle.messages())
        self._loaded.clear()

    def __delitem__(self, path: str) -> None:
        raise TypeError("a machine has all its keys")

    def __iter__(self) -> Iterator[str]:
        return iter(keys())

    def __len__(self) -> int:
        return len(keys())

    # -- sections as attributes

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)) | set(_below("")))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _attribute(self, name)

    def __setattr__(self, name: str, value: Value) -> None:
        raise AttributeError(f"'{name}' is no key; keys have a section: machine.fence.counters = 4")

    def __repr__(self) -> str:
        name = re.search(r"^name: *(.*)$", self.yaml(), re.M)
        return f"<heddle.Machine {name[1] if name else '?'}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and self.yaml() == other.yaml()

    __hash__ = None  # type: ignore[assignment]

    # -- description

    def yaml(self) -> str:
        """The whole description, as a file for `heddle run --config` or `Machine(path)`."""
        return taken(lib.heddle_machine(self._handle.c)) or ""

    @property
    def state_bits(self) -> int:
        """Bits of a core that keep registers in order, of candidate windows, and of results outside of the register file (docs/studies.md). Raises
        ConfigurationError when the keys contradict each other."""
        bits = int(lib.heddle_state_bits(self._handle.c))
        if not bits:
            raise ConfigurationError(self._handle.messages())
        return bits

    def describe(self, path: str) -> Key:
        """The meaning of a key, and its possible values."""
        if path not in keys():
            self[path]  # raises KeyError with a suggestion
        return keys()[path]

    def copy(self, changes: Mapping[str, Value] | None = None) -> Machine:
        """A machine of its own, with some keys changed."""
        other = Machine()
        for path, value in self.items():
            if other[path] != value:
                other[path] = value
        other.update(changes or {})
        return other

    # -- actions

    def load(self, program: Program) -> Session:
        """The program compiled for this machine, with memory of its own. The same session comes again while neither of the two changes."""
        from .session import Session

        if program not in self._loaded:
            self._loaded[program] = Session(self, program)
        session: Session = self._loaded[program]
        return session

    def run(
        self,
        kernel: Kernel,
        grid: Any,
        block: Any,
        *arguments: Any,
        functional: bool = False,
        shared: U32 = 0,
        offset: Any = (0, 0, 0),
        max_cycles: U64 = 0,
        profile: bool = False,
        hazards: bool = False,
        roofline: bool = False,
        trace: str | os.PathLike[str] | Sequence[str] = (),
        trace_cycles: tuple[U64, U64] = (0, 0),
        progress: Callable[[int, int, int], Any] | None = None,
    ) -> Report:
        """Runs a kernel on arrays of numpy, which it may change, and on numbers. `Session.run` describes the options."""
        return self.load(kernel.program).run(
            kernel.name,
            grid,
            block,
            *arguments,
            functional=functional,
            shared=shared,
            offset=offset,
            max_cycles=max_cycles,
            profile=profile,
            hazards=hazards,
            roofline=roofline,
            trace=trace,
            trace_cycles=trace_cycles,
            progress=progress,
        )

    def check(self, program: Program) -> Proof:
        """The checker's report of the program on this machine."""
        return self.load(program).check()

