"""Finds libheddle and opens it. Everything else of the package goes through `ffi` and `lib`."""
from __future__ import annotations

import ctypes.util
import os
import pathlib
import weakref
from typing import Any

import cffi

from ._declarations import DECLARATIONS, VERSION

ffi: Any = cffi.FFI()
ffi.cdef(DECLARATIONS)


def _candidates() -> list[str]:
    """Where the library may be, best place first: HEDDLE_LIBRARY, the build folder of the checkout, and where the system looks."""
    named = os.environ.get("HEDDLE_LIBRARY")
    if named:
        return [named]
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "libheddle.so"
    found = ctypes.util.find_library("heddle")
    return ([str(built)] if built.exists() else []) + ([found] if found else []) + ["libheddle.so.0"]


def _open() -> Any:
    problems = []
    for path in _candidates():
        try:
            library = ffi.dlopen(path)
        except OSError as problem:
            problems.append(str(problem))
            continue
        version = ffi.string(library.heddle_version()).decode()
        if version != VERSION:
            raise ImportError(f"{path} is Heddle {version}, expected {VERSION}, for which this package was made")
        return library
    raise ImportError("libheddle was not found; HEDDLE_LIBRARY can name it: " + "; ".join(problems))


lib: Any = _open()


def library_path() -> str:
    """The file that `lib` is."""
    finder: Any = cffi.FFI()
    finder.cdef("typedef struct { const char *file; void *base; const char *name; void *at; } Dl_info; int dladdr(const void *, Dl_info *);")
    info = finder.new("Dl_info *")
    address = finder.cast("void *", int(ffi.cast("uintptr_t", ffi.addressof(lib, "heddle_version"))))
    return text(info.file) if finder.dlopen(None).dladdr(address, info) else ""


def text(chars: Any) -> str:
    """A text that the library keeps."""
    return str(ffi.string(chars).decode(errors="replace")) if chars else ""


def taken(chars: Any) -> str | None:
    """A text that the caller owns: it is copied and released."""
    if not chars:
        return None
    copy = text(chars)
    lib.heddle_text_free(chars)
    return copy


class Handle:
    """A `heddle` of the library. It is released when nothing refers to it."""

    def __init__(self) -> None:
        self.c = lib.heddle_new()
        self._release = weakref.finalize(self, lib.heddle_free, self.c)

    def messages(self) -> str:
        """The messages since the last call."""
        said = text(lib.heddle_messages(self.c))
        lib.heddle_clear(self.c)
        return said


def names(array: Any) -> list[str]:
    """A list of C strings that NULL ends."""
    found: list[str] = []
    while array[len(found)]:
        found.append(text(array[len(found)]))
    return found
