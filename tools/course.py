#!/usr/bin/env python3
"""docs/course: lessons whose commands are run, and whose figures and pictures come from what the commands print.

  tools/course.py HEDDLE [LESSON...]            writes LESSON.md and its picture from LESSON.lesson (tools/docs.sh does so)
  tools/course.py HEDDLE --check [LESSON...]    fails when a page or a picture is not what the commands say now
  --course FOLDER                               lessons of another folder

A lesson is a page in Markdown with four kinds of blocks. The reader of the page sees what `run` prints and the pictures.

  ```run NAME [REGEX]       commands, which one shell runs from the lesson's beginning to its end in a copy of docs/course. A line that begins
                            with a blank, or with `done`, continues a command. REGEX: only the lines of the output in which it is found are shown.
  ```let                    A, B = NAME: /REGEX/   the numbers that the group of REGEX finds in the whole output of NAME: as many as there are names
                            C = EXPRESSION         of names before
                            claim EXPRESSION       what the lesson says in words; a lesson whose claim is false is not written
  ```pipeline FILE.svg      TITLE=FILE.konata      a panel of the picture (tools/course_picture.py)
  ```lanes FILE.svg         the same
  ```stacked FILE.svg       first line: title | unit | names of the parts; then NAME: VALUE VALUE ...
  ```curves FILE.svg        first line: title | axis | places; then NAME: VALUE VALUE ...

{{A}} in the text is a figure, {{A:.1f}} one in Python's format. No figure of a run is written by hand: CYCLES and the like behind a number are refused.
Clang's versions give different programs, so under another clang than CLANG everything but the numbers and instructions is compared."""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

import course_picture

CLANG, WIDTH = "19", 120
BLOCK = re.compile(r"^```(run|let|pipeline|lanes|stacked|curves) ?([^\n]*)\n(.*?)^```\n", re.S | re.M)
BY_HAND = re.compile(r"(?<![\w{.,])(?:(?:\d{3,}|\d[\d,]*[.,]\d+) (?:cycles|sectors|writes|misses|times|slots|results|bits)\b|[\d.,]+ ?%)")
MARK = "\x1d"


class Wrong(Exception):
    """The lesson is not what it should be."""


def number(words):
    value = words.replace(",", "")
    return float(value) if "." in value else int(value)


def commands(text):
    """A command with the lines that continue it."""
    return re.findall(r"^\S[^\n]*\n(?:(?:[ \t]|done)[^\n]*\n)*", text, re.M)


def evaluate(expression, names):
    return eval(expression, {"__builtins__": {}}, {"min": min, "max": max, "round": round, "abs": abs, **names})  # the expression is a line of the repository


def fill(text, names):
    def figure(match):
        name, _, shape = match[1].partition(":")
        value = evaluate(name, names)
        return format(value, shape or ("," if isinstance(value, int) else ""))

    return re.sub(r"\{\{([^}]+)\}\}", figure, text)


def wrap(text):
    """Paragraphs and list items with lines of WIDTH at most, because figures have any length."""
    parts = re.split(r"(\n\n+|\n(?=- ))", text)
    for i, part in enumerate(parts):
        if part.strip() and not part.lstrip().startswith(("#", "<", "|", "!")):
            head, tail = re.match(r"\s*", part)[0], re.search(r"\s*$", part)[0]
            parts[i] = head + textwrap.fill(" ".join(part.split()), WIDTH, subsequent_indent="  " if part.lstrip().startswith("- ") else "", break_long_words=False, break_on_hyphens=False) + tail
    return "".join(parts)


class Lesson:
    def __init__(self, name, heddle, course, folder):
        self.name, self.folder, self.names, self.printed, self.pictures = name, folder, {}, {}, {}
        for file in course.iterdir():
            if file.suffix in (".cl", ".hasm"):
                shutil.copy(file, folder)
        kept = ("HEDDLE_CLANG", "HEDDLE_LIBCLC", "HEDDLE_DATA")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("HEDDLE_") or key in kept}
        environment["PATH"] = f"{heddle.parent}:{environment['PATH']}"
        self.shell = subprocess.Popen(["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def command(self, line):
        """The output of the command, standard error included, and its exit status."""
        self.shell.stdin.write(f"{{ {line.rstrip()}\n}} </dev/null\nprintf '{MARK}%d\\n' $?\n")
        self.shell.stdin.flush()
        said = []
        for out in self.shell.stdout:
            if MARK in out:
                said.append(out[:out.index(MARK)])
                return "".join(said), int(out[out.index(MARK) + 1:])
            said.append(out)
        raise Wrong(f"{self.name}: the shell ended at: {line}")

    def run(self, head, body):
        name, _, pattern = head.partition(" ")
        shown, whole = [], []
        for line in commands(body):
            said, status = self.command(line)
            whole.append(said)
            lines = [one.rstrip() for one in said.splitlines() if not pattern or re.search(pattern, one)]
            shown.append("$ " + line.rstrip() + "\n" + "".join(one + "\n" for one in lines) + (f"(exit status {status})\n" if status else ""))
        self.printed[name] = "".join(whole)
        return "```\n" + "".join(shown) + "```\n"

    def let(self, _, body):
        for line in body.splitlines():
            if line.startswith("claim "):
                if not evaluate(line[6:], self.names):
                    raise Wrong(f"{self.name}: no longer true: {line[6:]}, with {self.names}")
                continue
            names, _, value = line.partition(" = ")
            found = re.fullmatch(r"(\w+): /(.*)/", value)
            if not found:
                self.names[names] = evaluate(value, self.names)
                continue
            if found[1] not in self.printed:
                raise Wrong(f"{self.name}: error: nothing called {found[1]} has run")
            values = [number(one) for one in re.findall(found[2], self.printed[found[1]], re.M)]
            names = names.split(", ")
            if len(values) != len(names):
                raise Wrong(f"{self.name}: /{found[2]}/ is found {len(values)} times, expected {len(names)}, in\n{self.printed[found[1]]}")
            self.names.update(zip(names, values))
        return ""

    def picture(self, kind, file, body):
        body = fill(body, self.names).splitlines()
        if kind in ("pipeline", "lanes"):
            panels = [(title, self.folder / trace) for title, trace in (line.rsplit("=", 1) for line in body)]
            self.pictures[file] = getattr(course_picture, kind)(panels)
        else:
            head = [part.strip() for part in body[0].split("|")]
            rows = [(name, [number(word) for word in values.split()]) for name, values in (line.rsplit(":", 1) for line in body[1:])]
            self.pictures[file] = course_picture.stacked(head[0], head[2:], rows, head[1]) if kind == "stacked" else course_picture.curves(head[0], head[1], head[2:], rows)
        return f"![{pathlib.PurePath(file).stem}]({file})\n"

    def write(self, text):
        """The page. The text between blocks is filled when everything has run, so it may name what comes later."""
        parts, at = [], 0
        for block in BLOCK.finditer(text):
            parts += [text[at:block.start()], (block[1], block[2], block[3])]
            at = block.end()
        parts.append(text[at:])
        for part in parts:
            by_hand = BY_HAND.search(re.sub(r"`[^`]*`", "", part)) if isinstance(part, str) else None
            if by_hand:
                raise Wrong(f"{self.name}: error: {by_hand[0]!r} is written by hand, expected a figure in {{{{ }}}}")
        done = []
        for part in parts:
            if isinstance(part, str):
                done.append(part)
            elif part[0] in ("run", "let"):
                done.append((getattr(self, part[0])(*part[1:]),))
            else:
                done.append(part)
        self.shell.stdin.close()
        self.shell.wait(60)
        page = ""
        for part in done:
            page += wrap(fill(part, self.names)) if isinstance(part, str) else part[0] if len(part) == 1 else self.picture(*part)
        page = page.replace("\n", f"\n\n<!-- Written by tools/course.py from {self.name}.lesson. Change that, and run tools/docs.sh. -->\n", 1)
        return re.sub(r"\n{3,}", "\n\n", page)


def words(page):
    """The page without numbers, instructions and causes of lost slots."""
    page = re.sub(r"^\s+[\d.,]+ %  .*$", "CAUSE", page, flags=re.M)
    return re.sub(r" +", " ", re.sub(r"0x[0-9a-f]+|-?\d[\d,.]*", "N", page))


def same_clang():
    version = subprocess.run([os.environ.get("HEDDLE_CLANG") or "clang-19", "--version"], capture_output=True, text=True).stdout
    return f"version {CLANG}." in version


def check(path, text, exact):
    old = path.read_text() if path.exists() else ""
    if path.suffix == ".svg" and not exact:
        return bool(old)
    old, new = (old, text) if exact else (words(old), words(text))
    difference = list(difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(path), "what the commands say now"))
    print("".join(difference[:60]), end="")
    return not difference


def main():
    options = argparse.ArgumentParser(description="Runs the lessons of docs/course.")
    options.add_argument("heddle", type=pathlib.Path)
    options.add_argument("lessons", nargs="*")
    options.add_argument("--check", action="store_true")
    options.add_argument("--course", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "docs/course")
    chosen = options.parse_intermixed_args()
    exact, good = same_clang(), True
    for name in chosen.lessons or sorted(path.stem for path in chosen.course.glob("*.lesson")):
        with tempfile.TemporaryDirectory(prefix="heddle-course-") as folder:
            try:
                lesson = Lesson(name, chosen.heddle.resolve(), chosen.course, pathlib.Path(folder))
                files = {f"{name}.md": lesson.write((chosen.course / f"{name}.lesson").read_text()), **lesson.pictures}
            except Wrong as wrong:
                print(wrong)
                good = False
                continue
        for file, text in files.items():
            if chosen.check:
                good = check(chosen.course / file, text, exact) and good
            else:
                (chosen.course / file).write_text(text)
    if not good:
        print("run tools/docs.sh, and read the lesson again: its words may no longer fit its figures")
    return not good


if __name__ == "__main__":
    sys.exit(main())
