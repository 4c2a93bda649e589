"""A program on a machine, with device memory of its own."""
from __future__ import annotations

import math
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

import numpy as np

from ._arguments import U32, U64, refused, whole
from ._library import Handle, ffi, lib, taken, text
from .errors import BuildError, Error, Fault, Interrupted, LaunchError, Message, messages_of
from .program import Kernel, Parameter, Proof, proof_of
from .report import Report

if TYPE_CHECKING:
    from .machine import Machine
    from .program import Program


class Local:
    """An argument for a pointer to local (shared) memory: so many bytes for each CTA."""

    def __init__(self, size: U32) -> None:
        self.size = size


class Buffer:
    """Device memory. `array` is a view of its bytes, so the host reads and writes it without a copy between runs. It lives until `release`, or as long
    as its session."""

    def __init__(self, session: Session, shape: Any, dtype: Any, name: str) -> None:
        try:
            kind = np.dtype(dtype)
        except TypeError:
            raise refused("dtype", dtype, "a type of numpy") from None
        shape = tuple(whole("content", n, 0, 2**63 - 1) for n in (shape if isinstance(shape, tuple) else (shape,)))
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        self.session = session
        self.address = int(lib.heddle_alloc(session.handle.c, name.encode(), size))
        if not self.address:
            raise Error(session.handle.messages())
        memory = lib.heddle_map(session.handle.c, self.address, size) if size else ffi.NULL
        self.array = np.frombuffer(ffi.buffer(memory, size), dtype=kind).reshape(shape) if size else np.empty(shape, kind)

    def release(self) -> None:
        """Gives the memory back. The array must not be used afterwards."""
        if not self.address:
            return
        self.array = np.empty(0, self.array.dtype)
        lib.heddle_release(self.session.handle.c, self.address)
        self.address = 0

    def __repr__(self) -> str:
        return f"<heddle.Buffer at {self.address:#x}: {self.array.shape} {self.array.dtype}>"


_FLOATS = {"float": np.float32, "double": np.float64, "half": np.float16}
_INTEGER = re.compile(
    r"(const )?((?P<bool>bool)|(?P<unsigned>unsigned( (char|short|int|long( long)?))?( int)?|u(char|short|int|long)|uint\d+_t|size_t|uintptr_t)"
    r"|(signed( |$))?(char|short|int|long( long)?)?( int)?|int\d+_t|ssize_t|intptr_t|ptrdiff_t)"
)


def _fits(kind: np.dtype[Any], element: str) -> bool:
    """Whether an array of this type can be what a pointer to `element` ("f32", "u8") points to. Structures, and elements that are not known, are whatever
    their bytes are."""
    size = int(element[1:]) // 8
    if kind.kind in "fc":
        return element[0] == "f" and kind.itemsize == size * (2 if kind.kind == "c" else 1)
    if kind.kind in "iub":
        return element[0] in "iu" and kind.itemsize == size
    return kind.kind in "VS"


def _native(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The type in the order of bytes that the machine has."""
    if kind.hasobject:
        raise LaunchError(f"error: device memory cannot hold {kind}")
    return kind.newbyteorder("<")


def _range(parameter: Parameter) -> tuple[int, int]:
    """The numbers that an integer parameter can be. A type that is not known may have a sign or none."""
    match, bits = _INTEGER.fullmatch(parameter.type or "") if parameter.type else None, 8 * parameter.size
    if match and match["bool"]:
        return 0, 1
    return 0 if match and match["unsigned"] else -(1 << (bits - 1)), (1 << (bits - 1 if match and not match["unsigned"] else bits)) - 1


def _number(value: Any, parameter: Parameter, hold: list[Any]) -> Any:
    """An argument that is a number, in the type of its parameter. A number of numpy keeps its own type, whose size must be the parameter's."""
    floating, integer = parameter.type in _FLOATS, bool(parameter.type) and _INTEGER.fullmatch(parameter.type) is not None
    kind = value.dtype.kind if isinstance(value, np.generic) else "f" if isinstance(value, float) else "i" if isinstance(value, int) else ""
    if parameter.pointer or kind not in ("i", "u", "b", "f") or (integer and kind == "f") or (floating and kind != "f" and isinstance(value, np.generic)):
        raise LaunchError(f"error: parameter '{parameter.name}' ({parameter.type or ('a pointer' if parameter.pointer else 'a number')}) cannot be {value!r}")
    minimum, maximum = _range(parameter)
    if kind != "f" and not floating and not minimum <= value <= maximum:
        raise LaunchError(f"error: parameter '{parameter.name}' ({parameter.type or 'a number'}) cannot be {value!r}, expected a number from {minimum} to {maximum}")
    if isinstance(value, np.generic):
        data = np.asarray(value, _native(value.dtype))
    elif floating or (kind == "f" and parameter.size in (4, 8)):
        with np.errstate(over="ignore"):
            try:
                data = np.asarray(value, _FLOATS.get(parameter.type, np.float32 if parameter.size == 4 else np.float64))
            except OverflowError:
                data = np.asarray(math.inf)
        if np.isinf(data) and value not in (math.inf, -math.inf):
            raise LaunchError(f"error: parameter '{parameter.name}' ({parameter.type or 'a number'}) cannot be {value!r}, which is beyond its range")
    elif kind == "f":
        raise LaunchError(f"error: parameter '{parameter.name}' ({parameter.size} bytes) cannot be {value!r}")
    else:
        data = np.frombuffer((value & ((1 << (8 * parameter.size)) - 1)).to_bytes(parameter.size, "little"), np.uint8)
    raw = ffi.new("char[]", data.tobytes())
    hold.append(raw)
    return {"kind": lib.HEDDLE_ARG_BYTES, "size": data.nbytes, "bits": 0, "bytes": raw}


def _three(name: str, extent: Any, least: int, most: int) -> list[int]:
    """One to three numbers; the others are the least."""
    numbers = list(extent) if isinstance(extent, (tuple, list)) or (isinstance(extent, np.ndarray) and extent.ndim == 1) else [extent]
    if not 1 <= len(numbers) <= 3:
        raise refused(name, extent, f"one to three whole numbers from {least} to {most}")
    return [whole(name, n, least, most) for n in numbers] + [least] * (3 - len(numbers))


class Session:
    """A program compiled for a machine, and its memory. `Machine.load` makes it."""

    def __init__(self, machine: Machine, program: Program) -> None:
        self.handle = Handle()
        self.program = program
        c = self.handle.c
        configured = self._configure(machine)
        if not configured:
            raise BuildError(self.handle.messages())
        words = [ffi.new("char[]", word.encode()) for word in program._options]
        options = ffi.new("heddle_build_options *", {"serial": program._serial, "unproven": program._unproven})
        arguments = ffi.new("char *[]", words + [ffi.NULL])
        options.arguments = ffi.cast("const char *const *", arguments)
        name = os.fsencode(program.name)
        content = program._content
        built = lib.heddle_build(c, name, options) if content is None else lib.heddle_build_text(c, name, content, len(content), options)
        if not built:
            raise BuildError(self.handle.messages())
        self.warnings: list[Message] = messages_of(self.handle.messages())

    def _configure(self, machine: Machine) -> bool:
        """The same description, by way of its text."""
        import tempfile

        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(machine.yaml())
            file.flush()
            return bool(lib.heddle_config(self.handle.c, file.name.encode()))

    def kernels(self) -> Iterator[Kernel]:
        kernel = ffi.new("heddle_kernel *")
        param = ffi.new("heddle_param *")
        for i in range(lib.heddle_kernel_count(self.handle.c)):
            lib.heddle_kernel_at(self.handle.c, i, kernel)
            parameters: list[Parameter] = []
            while lib.heddle_param_at(self.handle.c, kernel.name, len(parameters), param):
                parameters.append(Parameter(text(param.name), int(param.size), bool(param.pointer), bool(param.local), text(param.type), text(param.element)))
            yield Kernel(
                self.program, text(kernel.name), text(kernel.source_name), int(kernel.registers), int(kernel.shared_bytes), int(kernel.local_bytes), tuple(parameters)
            )

    def assembly(self) -> str:
        return taken(lib.heddle_assembly(self.handle.c)) or ""

    def check(self) -> Proof:
        return proof_of(self)

    def buffer(self, content: Any, dtype: Any = None, name: str = "") -> Buffer:
        """Device memory with the content of an array, or zeroed with a shape (a number or a tuple) and a type."""
        if isinstance(content, np.ndarray):
            buffer = Buffer(self, content.shape, _native(content.dtype if dtype is None else np.dtype(dtype)), name)
            buffer.array[...] = content
            return buffer
        return Buffer(self, content, np.float32 if dtype is None else dtype, name)

    def run(
        self,
        kernel: str,
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
        """Runs a kernel.

        grid, block: CTAs, and threads of a CTA; a number or up to three.
        arguments: numbers; arrays of numpy, which are copied to the device and, unless the source says that the kernel only reads them, back; buffers
            of this session, which are not copied; `heddle.local(bytes)`; bytes for structures.
        functional: on the in-order interpreter, without time.
        profile: counts by instruction and source line (Report.lines, Report.instructions).
        roofline: measures what the machine can reach, once; reports of timed runs of this session then have the group `roofline`.
        hazards: the hazard sanitizer watches; Report.violations counts what it found.
        trace: "konata:FILE", "perfetto:FILE", "vcd:FILE", "stages:FILE" or "explore:FILE", or several of them; trace_cycles: the first and last cycle in them.
        progress: called with cycle, CTAs that are done, and all CTAs. A true result ends the run with Interrupted. Ctrl-C always does, with
            KeyboardInterrupt.

        Raises LaunchError when nothing could run, Fault when the program trapped; the arrays then have what was written until the trap.
        """
        c = self.handle.c
        if roofline and not lib.heddle_roofline(c):
            raise LaunchError(self.handle.messages())
        self._watch(profile, hazards, [trace] if isinstance(trace, (str, os.PathLike)) else trace, trace_cycles)
        call = _Call(self, kernel, arguments)
        launch = ffi.new("heddle_launch *")
        kernel_name = ffi.new("char[]", kernel.encode())
        launch.kernel = kernel_name
        launch.grid, launch.block, launch.offset = _three("grid", grid, 1, 2**32 - 1), _three("block", block, 1, 2**32 - 1), _three("offset", offset, 0, 2**64 - 1)
        launch.args, launch.n_args = call.c, len(call.list)
        launch.dynamic_shared, launch.functional, launch.max_cycles = shared, functional, max_cycles
        raised: list[BaseException] = []

        def poll(_context: Any, cycle: int, done: int, ctas: int) -> bool:
            return bool(progress and progress(cycle, done, ctas))

        def failed(_kind: Any, value: BaseException, _traceback: Any) -> bool:
            raised.append(value)
            return True

        callback = ffi.callback("bool(void *, uint64_t, uint64_t, uint64_t)", poll, onerror=failed)
        launch.poll = callback
        try:
            status = lib.heddle_run(c, launch)
            call.fetch(status != lib.HEDDLE_BAD_INPUT)
        finally:
            call.release()
        messages = self.handle.messages()
        if raised:
            raise raised[0]
        if status == lib.HEDDLE_BAD_INPUT:
            raise LaunchError(messages)
        report = Report(self, messages, profile and not functional)
        if status == lib.HEDDLE_FAULT:
            raise Fault(messages, report)
        if status == lib.HEDDLE_INTERRUPTED:
            raise Interrupted("", report)
        return report

    def _watch(self, profile: bool, hazards: bool, traces: Sequence[Any], cycles: tuple[int, int]) -> None:
        c = self.handle.c
        lib.heddle_profile(c, profile)
        lib.heddle_hazards(c, hazards)
        lib.heddle_untrace(c)
        limits = ffi.new("heddle_trace_limits *", {"first": cycles[0], "last": cycles[1]})
        for trace in traces:
            if not lib.heddle_trace(c, os.fsencode(trace), limits):
                raise LaunchError(self.handle.messages())


class _Call:
    """The arguments of a launch: buffers for arrays, and what must live as long as the launch."""

    def __init__(self, session: Session, kernel: str, arguments: Sequence[Any]) -> None:
        self.session = session
        self.hold: list[Any] = []
        self.copies: list[tuple[Buffer, np.ndarray[Any, Any], bool]] = []
        try:
            self.list = [self._argument(value, self._parameter(kernel, i)) for i, value in enumerate(arguments)]
        except BaseException:
            self.release()
            raise
        self.c = ffi.new("heddle_arg[]", self.list)

    def _parameter(self, kernel: str, index: int) -> Parameter:
        param = ffi.new("heddle_param *")
        if not lib.heddle_param_at(self.session.handle.c, kernel.encode(), index, param):
            found = ffi.new("heddle_kernel *")
            if not lib.heddle_kernel_find(self.session.handle.c, kernel.encode(), found):
                raise LaunchError(self.session.handle.messages())
            raise LaunchError(f"error: kernel '{kernel}' has {found.n_params} parameters, got more arguments")
        return Parameter(text(param.name), int(param.size), bool(param.pointer), bool(param.local), text(param.type), text(param.element))

    def _argument(self, value: Any, parameter: Parameter) -> Any:
        if isinstance(value, Local):
            return {"kind": lib.HEDDLE_ARG_LOCAL, "size": value.size, "bits": 0, "bytes": ffi.NULL}
        if isinstance(value, (bytes, bytearray)):
            raw = ffi.new("char[]", bytes(value))
            self.hold.append(raw)
            return {"kind": lib.HEDDLE_ARG_BYTES, "size": len(value), "bits": 0, "bytes": raw}
        if isinstance(value, Buffer):
            if value.session is not self.session:
                raise LaunchError(f"error: the buffer for '{parameter.name}' belongs to another session: device memory belongs to a machine and a program")
            return {"kind": lib.HEDDLE_ARG_POINTER, "size": 8, "bits": value.address, "bytes": ffi.NULL}
        if isinstance(value, np.ndarray) and value.ndim:
            return self._array(value, parameter)
        return _number(value[()] if isinstance(value, np.ndarray) else value, parameter, self.hold)

    def _array(self, array: np.ndarray[Any, Any], parameter: Parameter) -> Any:
        element = parameter.element
        if element and not _fits(array.dtype, element):
            expected = np.dtype({"f": "float", "i": "int", "u": "uint"}[element[0]] + element[1:])
            raise LaunchError(f"error: parameter '{parameter.name}' ({parameter.type}) cannot be an array of {array.dtype}, expected {expected}")
        writes = not parameter.constant
        if writes and not array.flags.writeable:
            raise LaunchError(f"error: the kernel may write to '{parameter.name}', whose array is read-only")
        buffer = self.session.buffer(array, name=parameter.name)
        self.copies.append((buffer, array, writes))
        return {"kind": lib.HEDDLE_ARG_POINTER, "size": 8, "bits": buffer.address, "bytes": ffi.NULL}

    def fetch(self, ran: bool) -> None:
        for buffer, array, writes in self.copies:
            if ran and writes:
                array[...] = buffer.array

    def release(self) -> None:
        for buffer, _, _ in self.copies:
            buffer.release()
        self.copies = []
