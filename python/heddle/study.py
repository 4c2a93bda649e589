"""Studies: many machines, one file of results (docs/studies.md). The command `heddle sweep` runs them, as a process of its own."""
from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import urllib.parse
from typing import Any, Callable, Iterator, Mapping, Sequence

from ._arguments import U32
from ._declarations import VERSION
from ._library import library_path
from .errors import StudyError, StudyStopped

_APPLICATION = 0x48644C73  # of the files that `heddle sweep` writes
_TIMEOUT, _INTERRUPTED = 124, 130  # exit statuses; 0 and 1 are a study that ran to its end
_PAUSE, _GRACE, _BUSY = 0.1, 10.0, 10.0  # seconds
_WORDS = ("status", "report", "merge")  # words that `heddle sweep` takes in place of a study
_PR_SET_PDEATHSIG = 1
_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_libc = ctypes.CDLL(None)


def _candidates() -> Iterator[str]:
    """Where the command may be, best place first: HEDDLE_COMMAND, beside the library (a build folder), the `bin` of the library's prefix, and PATH."""
    named = os.environ.get("HEDDLE_COMMAND")
    if named:
        yield named
        return
    folder = pathlib.Path(library_path()).resolve().parent
    # lib/libheddle.so.0, and lib/x86_64-linux-gnu/libheddle.so.0
    for place in (folder / "heddle", folder.parent / "bin" / "heddle", folder.parent.parent / "bin" / "heddle"):
        yield str(place)
    found = shutil.which("heddle")
    if found:
        yield found


def _command() -> str:
    """The command `heddle` of the package's version. The name of a run has the digest of the program that ran it, so another one would not do."""
    problems = []
    for path in _candidates():
        if not (os.path.isfile(path) and os.access(path, os.X_OK)):
            problems.append(f"{path} is not there")
            continue
        said = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False).stdout.strip()
        if said == f"heddle {VERSION}":
            return path
        problems.append(f"{path} is {said or 'no heddle'}, expected heddle {VERSION}")
    raise StudyError("error: the command heddle was not found; HEDDLE_COMMAND can name it: " + "; ".join(problems))


def _end_with_parent() -> None:
    """The command stops, and keeps what is done, when Python is killed."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _said(text: str) -> str:
    """Messages of the command, without its name where they have no place."""
    return re.sub(r"^heddle: (?=(?:error|warning|note): )", "", text, flags=re.MULTILINE)


class Study:
    """A study file and its file of results. `run` runs what is missing; everything else reads.

    path: the study, YAML.
    db: the file of results; default: the study's name with the ending .db, in the current folder.
    """

    def __init__(self, path: str | os.PathLike[str], db: str | os.PathLike[str] | None = None) -> None:
        self.path = os.fspath(path)
        base = os.path.basename(self.path)
        dot = base.rfind(".")
        self.db = os.path.abspath((base[:dot] if dot > 0 else base) + ".db" if db is None else db)
        self.messages = ""

    def run(
        self,
        jobs: U32 | None = None,
        progress: Callable[[int, int], Any] | None = None,
        timeout: float | None = None,
        retry: bool = False,
    ) -> dict[str, int]:
        """Runs what the file of results lacks, and gives the counts of `status`. Runs that trapped or were wrong are counts, too, and no exception.

        jobs: processes at a time; None: one a processor.
        progress: called with the runs that are done, and all runs. A true result stops the study with StudyStopped.
        timeout: seconds; StudyStopped when they are over.
        retry: run again what ran out of time or memory, or died.

        Whatever stops it, the runs that have ended are in the file, and the next call goes on. Ctrl-C stops it with KeyboardInterrupt. A study that is
        wrong, or a file that cannot be used, is a StudyError with its place. `messages` has the warnings.
        """
        path = os.path.join(".", self.path) if self.path.startswith("-") or self.path in _WORDS else self.path
        words = [_command(), "sweep", path, "--db", self.db, "--color", "never"]
        words += ["--jobs", str(jobs)] if jobs is not None else []
        words += ["--timeout", f"{timeout:f}"] if timeout is not None else []
        words += ["--retry"] if retry else []
        before, stopped = self._last(), False
        with tempfile.TemporaryFile() as said:
            # A session of its own: Ctrl-C of a terminal reaches Python alone, which stops the command once.
            with subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True, preexec_fn=_end_with_parent
            ) as process:
                try:
                    stopped = self._watch(process, progress, before)
                except BaseException:
                    _stop(process)
                    raise
                finally:
                    self._settle()
            said.seek(0)
            self.messages = _said(said.read().decode(errors="replace"))
        if stopped:
            raise StudyStopped("error: the progress function stopped the study", self.status())
        if process.returncode in (_TIMEOUT, _INTERRUPTED):
            raise StudyStopped(self.messages or "error: somebody stopped the study", self.status())
        if process.returncode not in (0, 1):
            raise StudyError(self.messages or f"error: heddle sweep ended with exit status {process.returncode}")
        return self.status()

    def _settle(self) -> None:
        """Puts the log into the file, so that somebody who copies the file alone has all runs: a command that was killed leaves its log, and so does one
        that ends while somebody reads."""
        log = self.db + "-wal"
        if os.path.isfile(log) and os.path.getsize(log):
            with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(self.db, timeout=_BUSY)) as file:
                file.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _watch(self, process: subprocess.Popen[bytes], progress: Callable[[int, int], Any] | None, before: tuple[str, int] | None) -> bool:
        """Waits for the command. True when progress stopped it."""
        shown: tuple[int, int] | None = None
        pause = _PAUSE
        while True:
            try:
                process.wait(pause if progress else None)
            except subprocess.TimeoutExpired:
                pass
            ended = process.returncode is not None
            if progress is None or (ended and process.returncode not in (0, 1)):
                return False
            begin = time.monotonic()
            last = self._last()
            # Until the command has written its study, the last one is that of an earlier call.
            if last is not None and last != before:
                counts = self._counts(last[0])
                now = (sum(counts.values()) - counts.get("missing", 0), sum(counts.values()))
                if now != shown and progress(*now) and not ended:
                    _stop(process)
                    return True
                shown = now
            if ended:
                return False
            pause = max(_PAUSE, 10 * (time.monotonic() - begin))

    def status(self) -> dict[str, int]:
        """Runs of the study by status: "done", "trap", ..., and "missing". It is empty before the study first ran. Another process may be running it."""
        last = self._last()
        return self._counts(last[0]) if last else {}

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
        """The rows that a query selects from the file of results, each a dictionary by columns. The file can only be read.

        parameters: values for `?` in the query, or a mapping for `:name`.
        """
        try:
            with self._reading() as file:
                cursor = file.execute(sql, parameters)
                names = [column[0] for column in cursor.description or ()]
                twice = sorted({name for name in names if names.count(name) > 1})
                if twice:
                    raise StudyError(f"error: the query has two columns named '{twice[0]}', expected one: AS gives names")
                return [dict(zip(names, row)) for row in cursor]
        except (sqlite3.Error, sqlite3.Warning) as problem:
            raise StudyError(f"{self.db}: error: the query failed: {problem}") from problem

    def to_pandas(self) -> Any:
        """A data frame with a row for each run of the study: machine, launch, the value of each axis, status, and every figure. What a run does not have is
        NaN."""
        import pandas

        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.csv")
            self.report(table)
            texts = dict.fromkeys(("launch", "kind", "name", "status", "message", "outputs", "program", "inputs", "machine_id", "run"), str)
            # "NA" and "null" are labels of somebody's axis; only an empty cell is none.
            return pandas.read_csv(table, dtype=texts, keep_default_na=False, na_values=[""])

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        pareto: Sequence[str] = (),
        heat: Sequence[str] = (),
        figure: str | None = None,
        sql: str | None = None,
    ) -> None:
        """Writes the page (.html) or the table of all runs (.csv).

        pareto: two or three figures of the front; default: cycles and state_bits.
        heat: two axes of the heat map; default: the two that interact most.
        figure: what effects and heat maps show; default: cycles.
        sql: a query whose rows are added to the page.
        """
        last = self._last()
        if last is None:
            raise StudyError(f"{self.db}: error: has no results of {self.path} as it is now, expected a study that has run")
        words = [_command(), "sweep", "report", self.db, "--color", "never", "--study", last[0], "--report", os.path.abspath(path)]
        for option, value in (("--pareto", ",".join(pareto)), ("--heat", ",".join(heat)), ("--figure", figure), ("--sql", sql)):
            words += [option, value] if value else []
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise StudyError(_said(done.stderr) or f"error: heddle sweep report ended with exit status {done.returncode}")

    def _open(self) -> sqlite3.Connection:
        """Opens the file of results for reading. A file that cannot be written and has no log beside it does not change."""
        if not os.path.isfile(self.db) or not os.path.getsize(self.db):
            raise StudyError(f"{self.db}: error: is not there, expected a file that `heddle sweep` has written")
        uri = "file:" + urllib.parse.quote(self.db)
        log = os.path.exists(self.db + "-wal") and os.path.getsize(self.db + "-wal")
        return _connect(uri + ("?mode=ro" if log or self._writable() else "?immutable=1"), self.db)

    def _writable(self) -> bool:
        return os.access(self.db, os.W_OK) and os.access(os.path.dirname(self.db) or ".", os.W_OK)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The file of results, with nothing beside it at the end: the last connection that closes deletes the files there if it can write."""
        file = self._open()
        try:
            yield file
        finally:
            file.close()
            if self._writable():
                with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(self.db)) as last:
                    last.execute("SELECT 1 FROM sqlite_master")

    def _last(self) -> tuple[str, int] | None:
        """Number and time of the study that has the text of the file. With changed kernels or inputs it is another study: the one that ran last counts."""
        try:
            text = pathlib.Path(self.path).read_bytes()
        except OSError:
            return None
        if not os.path.isfile(self.db) or not os.path.getsize(self.db):
            return None
        try:
            with self._reading() as file:
                rows = file.execute("SELECT id, worker_time FROM study WHERE text = CAST(? AS TEXT) ORDER BY worker_time DESC, id LIMIT 1", (text,)).fetchall()
        except sqlite3.OperationalError:
            return None  # the command is still making the file
        except sqlite3.Error as problem:
            raise StudyError(f"{self.db}: error: cannot be read: {problem}") from problem
        return (rows[0][0], rows[0][1]) if rows else None

    def _counts(self, study: str) -> dict[str, int]:
        rows = self.query(
            "SELECT coalesce(r.status, 'missing') AS status, count(*) AS runs FROM member m LEFT JOIN run r ON r.id = m.run WHERE m.study = ? "
            "GROUP BY 1 ORDER BY 1 <> 'done', 1 = 'missing', 1",
            (study,),
        )
        return {row["status"]: row["runs"] for row in rows}

    def __repr__(self) -> str:
        return f"<heddle.Study {self.path}, results in {self.db}>"


def _connect(uri: str, path: str) -> sqlite3.Connection:
    file = sqlite3.connect(uri, uri=True, timeout=_BUSY)
    try:
        # One transaction sees one state of the file: the command may be making its tables at this moment.
        file.execute("BEGIN")
        application = file.execute("PRAGMA application_id").fetchone()[0]
        tables = file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        file.execute("COMMIT")
        if application != _APPLICATION and tables:
            raise StudyError(f"{path}: error: is an SQLite database, but none that `heddle sweep` has written")
        # Reading alone, also of other files: ATTACH could make one.
        file.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY)
    except BaseException:
        file.close()
        raise
    return file


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stops the command as Ctrl-C does. A second Ctrl-C, and a command that does not come to an end, end it at once; what is done is in the file then, too."""
    try:
        process.send_signal(signal.SIGINT)
        process.wait(_GRACE)
    except BaseException as problem:
        process.kill()
        process.wait()
        if not isinstance(problem, subprocess.TimeoutExpired):
            raise
