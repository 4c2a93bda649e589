#!/usr/bin/env python3
"""tables.py [--write] [--list] [WORD]...: are the tables of docs/ still what their commands print?

Each line of tools/tables.list is a page and a command whose output has tables of that page, or studies whose tables they are. The commands run in turn,
from the top of the repository, with the programs of build/. Results of studies are in build/studies. A row of a page's table is compared with the printed rows that have its first cell and its number of cells:

  the same    one of them is equal
  stale       none is equal: the row is shown with what the command prints now
  by hand     no row like it is printed (a table in shortened form, or of another source)

--write puts printed rows in place of stale ones where the table of the page and the printed table have the same head. Prose is nobody's but the
writer's: read what stands beside a table that changed. With words only commands and pages that contain one of them. The exit status is 1 if a row is
stale or a command fails. All figures are simulated, so a busy host changes none of them; all pages take about an hour of one processor.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cells(line):
    """The cells of a table's line without marks and superfluous blanks, or None for any other line."""
    if not line.startswith("|"):
        return None
    return tuple(re.sub(r"[*`]", "", cell).strip() for cell in line.strip().strip("|").split("|"))


def tables(text):
    """Rows of all tables: (number of the line, head of its table, cells)."""
    rows, head, inside = [], None, False
    for number, line in enumerate(text.splitlines()):
        row = cells(line)
        if row is None:
            inside = False
            continue
        if not inside:
            head, inside = row, True
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in row):
            rows.append((number, head, row))
    return rows


def commands(words, root=ROOT):
    """Page -> commands, in the order of the list."""
    pages = {}
    for line in (root / "tools/tables.list").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            page, command = line.split(None, 1)
            if not words or any(word in line for word in words):
                pages.setdefault(page, []).append(command)
    return pages


# The command of studies. A study of machines that trap ends with exit status 1.
STUDIES = """mkdir -p build/studies; for study in {0}; do
    db=build/studies/$(basename $(dirname $study)).db
    build/heddle sweep $study --db $db >&2 || [ $? = 1 ] || exit 1
    build/heddle sweep report $db --table all || exit 1
done"""


def printed(page, command):
    start = time.monotonic()
    if command.startswith("studies/"):
        command = STUDIES.format(command)
    line = re.sub(r"\bheddle-litmus\b", "build/tests/litmus/heddle-litmus", re.sub(r"\bheddle-(?!litmus)", "build/bench/heddle-", command))
    run = subprocess.run(["bash", "-c", line], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    print(f"{page}: {command.splitlines()[0]}: {time.monotonic() - start:.0f} s" + (f", exit status {run.returncode}\n{run.stderr}" if run.returncode else ""), flush=True)
    return tables(run.stdout), run.returncode == 0


def compare(page, rows, write, root=ROOT):
    """Compares a page with printed rows, and returns the number of stale rows that remain."""
    path = root / page
    lines = path.read_text().splitlines()
    by_key = {}
    for _, head, row in rows:
        by_key.setdefault((row[0], len(row)), []).append((head, row))
    same = by_hand = stale = mended = 0
    for number, head, row in tables(path.read_text()):
        like = by_key.get((row[0], len(row)))
        if not like:
            by_hand += 1
        elif any(other == row for _, other in like):
            same += 1
        else:
            now = [other for other_head, other in like if other_head == head] or [other for _, other in like]
            if write and len(now) == 1 and any(other_head == head for other_head, _ in like):
                bold = ["**" * ("**" in cell) for cell in lines[number].strip().strip("|").split("|")]
                lines[number] = "|" + "".join(f" {b}{cell}{b} |" if cell else " |" for b, cell in zip(bold, now[0]))
                mended += 1
                continue
            stale += 1
            print(f"{page}:{number + 1}: stale\n  page:    {' | '.join(row)}")
            for other in now[:3]:
                print(f"  printed: {' | '.join(other)}")
    if mended:
        path.write_text("\n".join(lines) + "\n")
    print(f"{page}: {same} rows the same, {stale} stale, {mended} written anew, {by_hand} by hand", flush=True)
    return stale


def main():
    parser = argparse.ArgumentParser(usage="tools/tables.py [--write] [--list] [WORD]...")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("word", nargs="*")
    options = parser.parse_args()
    pages = commands(options.word)
    if not pages:
        sys.exit(f"tables.py: error: no line of tools/tables.list contains {' or '.join(options.word)}")
    if options.list:
        for page, all_of_page in pages.items():
            print("\n".join(f"{page} {command}" for command in all_of_page))
        return
    bad = 0
    for page, all_of_page in pages.items():
        rows = []
        for command in all_of_page:
            more, fine = printed(page, command)
            rows += more
            bad += not fine
        bad += compare(page, rows, options.write)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
