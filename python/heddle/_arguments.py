"""The types of the arguments of public functions: their annotations, which are checked. A value of another type is refused by the argument's name;
nobody guesses which number it stands for."""
from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
import operator
import sys
import typing
from typing import Annotated, Any, Callable, Iterable, Iterator

from .errors import ArgumentError

U32 = Annotated[int, (0, 2**32 - 1)]
U64 = Annotated[int, (0, 2**64 - 1)]
_NAMES = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", bytes: "bytes", type(None): "None"}


def refused(name: str, value: Any, expected: str) -> ArgumentError:
    return ArgumentError(f"error: {name} cannot be {value!r}, expected {expected}")


def whole(name: str, value: Any, minimum: int, maximum: int) -> int:
    """A number without a fraction: Python's or numpy's. A truth value is none."""
    number = None
    if not isinstance(value, bool) and getattr(value, "dtype", None) != bool:
        try:
            number = operator.index(value)
        except TypeError:
            pass
    if number is None or not minimum <= number <= maximum:
        raise refused(name, value, f"a whole number from {minimum} to {maximum}")
    return number


def _alternatives(annotation: str, names: dict[str, Any]) -> Iterator[Any]:
    """The types of an annotation such as `str | Sequence[str]`, each on its own: Python 3.9 has no `|` of types."""
    depth, begin = 0, 0
    for at, letter in enumerate(annotation + "|"):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            kind = eval(annotation[begin:at].strip(), names)  # a text of this package
            yield from typing.get_args(kind) if typing.get_origin(kind) is typing.Union else [type(None) if kind is None else kind]
            begin = at + 1


def _fits(value: Any, kind: Any) -> bool:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return True
    if origin is Annotated or kind is int:
        try:
            whole("", value, *(kind.__metadata__[0] if origin else (-(2**64), 2**64)))
        except ArgumentError:
            return False
        return True
    if kind is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(parts) and all(map(_fits, value, parts))
    if origin is collections.abc.Sequence:
        return isinstance(value, origin) and not isinstance(value, (str, bytes)) and all(_fits(one, parts[0]) for one in value)
    return isinstance(value, origin or kind)


def _name(kind: Any) -> str:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return "a whole number from {} to {}".format(*kind.__metadata__[0])
    if origin is tuple:
        return f"a tuple of {len(parts)}"
    if origin is collections.abc.Callable:
        return "a function"
    return _NAMES.get(kind) or f"a {(origin or kind).__name__}"


@functools.lru_cache(maxsize=None)
def kinds_of(function: Callable[..., Any]) -> dict[str, list[Any]]:
    """The types that each parameter may have. Called when the package is complete: its modules name each other's classes."""
    names = {**vars(sys.modules[__package__]), **vars(sys.modules[function.__module__])}
    parameters = inspect.signature(function).parameters.values()
    return {p.name: list(_alternatives(p.annotation, names)) for p in parameters if isinstance(p.annotation, str) and p.kind is not p.VAR_POSITIONAL}


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which looks at its arguments first."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        allowed = kinds_of(function)
        for name, value in signature.bind(*arguments, **options).arguments.items():
            if name in allowed and not any(_fits(value, kind) for kind in allowed[name]):
                raise refused(name, value, " or ".join(map(_name, allowed[name])))
        return function(*arguments, **options)

    return call


def check_public(names: dict[str, Any], public: Iterable[str]) -> None:
    """Lets the public functions and methods of a package check their arguments."""
    for name in public:
        thing = names[name]
        if inspect.isfunction(thing):
            names[name] = checked(thing)
        elif inspect.isclass(thing) and not issubclass(thing, Exception) and not hasattr(thing, "__dataclass_fields__"):
            for method, function in list(vars(thing).items()):
                if inspect.isfunction(function) and (not method.startswith("_") or method in ("__init__", "__getitem__", "__setitem__")):
                    setattr(thing, method, checked(function))
