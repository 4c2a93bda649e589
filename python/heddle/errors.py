"""The exceptions. Every one has the library's messages, each with its place."""
from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report import Report

_PLACE = re.compile(r"^(?:(?P<file>[^:\n]+):(?:(?P<line>\d+):(?:(?P<column>\d+):)?)? )?(?P<kind>error|warning|note): (?P<text>.*)$")


@dataclasses.dataclass(frozen=True)
class Message:
    """A message of the library. `line` and `column` count from 1; 0 is unknown."""

    kind: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0


def messages_of(text: str) -> list[Message]:
    """The messages of a text, one for each line that begins one. Lines that follow it belong to it."""
    found: list[Message] = []
    for line in text.splitlines():
        match = _PLACE.match(line)
        if match:
            found.append(Message(match["kind"], match["text"], match["file"] or "", int(match["line"] or 0), int(match["column"] or 0)))
        elif found and line.strip():
            found[-1] = dataclasses.replace(found[-1], text=found[-1].text + "\n" + line)
        elif line.strip():
            found.append(Message("error", line))
    return found


class Error(Exception):
    """The library refused something. `str()` is the whole text, `messages` are its parts."""

    def __init__(self, text: str) -> None:
        super().__init__(text.rstrip("\n") or "the library gave no reason")
        self.messages = messages_of(text)

    @property
    def file(self) -> str:
        """The file of the first error."""
        return self.messages[0].file if self.messages else ""

    @property
    def line(self) -> int:
        """The line of the first error, from 1; 0: unknown."""
        return self.messages[0].line if self.messages else 0

    @property
    def column(self) -> int:
        """The column of the first error, from 1; 0: unknown."""
        return self.messages[0].column if self.messages else 0


class ArgumentError(Error, TypeError):
    """An argument of a function that has another type, or a number outside of its range."""


class ConfigurationError(Error):
    """A machine, a key or a value that does not exist or does not fit."""


class BuildError(Error):
    """A program that cannot be built."""


class LaunchError(Error):
    """A launch that cannot be made: nothing ran."""


class Fault(Error):
    """The program caused a trap, a deadlock or the cycle limit. `report` is the run until then."""

    def __init__(self, text: str, report: Report) -> None:
        super().__init__(text)
        self.report = report


class Interrupted(Error):
    """`progress` ended the run. `report` is the run until then."""

    def __init__(self, text: str, report: Report) -> None:
        super().__init__(text or "the progress function ended the run")
        self.report = report


class StudyError(Error):
    """A study, or its file of results, that cannot be used."""


class StudyStopped(StudyError):
    """A study that `timeout` or `progress` stopped. `status` counts its runs; the file of results has all that ended."""

    def __init__(self, text: str, status: dict[str, int]) -> None:
        super().__init__(text)
        self.status = status
