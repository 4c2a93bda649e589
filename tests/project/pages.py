#!/usr/bin/env python3
"""The pages of docs/ and of OTHERS: what they name in backquotes exists, links lead somewhere, lines are at most 120 columns wide,
and docs/README.md has a link to every page of docs/.

Tables and code are as wide as they need to be. Words in capitals, as in `tests/ROOM/test_UNIT.c`, stand for any name."""
import fnmatch
import pathlib
import re
import sys

WIDTH = 120
FOLDERS = ("src", "docs", "tests", "tools", "bench", "examples", "lib", "include", "rtl", "python", "studies")
SOURCES = (".c", ".h", ".def", ".inc", ".py", ".sh", ".list", ".yaml", ".md", ".svg", ".sv")
BUILT = (".git", "build")

root = pathlib.Path(sys.argv[1]).resolve()
OTHERS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "tests/fuzz/README.md", "rtl/README.md", "python/README.md", "src/explore/README.md")
pages = sorted((root / "docs").rglob("*.md")) + [root / name for name in OTHERS]
files = {str(p.relative_to(root)) for folder in FOLDERS for p in (root / folder).rglob("*")}
files |= {p.name for p in root.iterdir() if not p.name.startswith(BUILT)}
folders = {str(pathlib.PurePosixPath(f).parent) for f in files}
errors = []


def exists(word):
    """A path from the top of the tree, or the end of one."""
    word = re.sub(r"^(tests/\w+)-tests$", r"\1", word.rstrip("/"))  # a target of the build: tests/core-tests
    pattern = re.sub(r"[A-Z]{2,}", "*", word) if word not in files else word
    if word.split("/")[0] in FOLDERS:
        return pattern in files or any(fnmatch.fnmatch(f, pattern) for f in files)
    return any(fnmatch.fnmatch(f, pattern) or fnmatch.fnmatch(f, "*/" + pattern) for f in files)


def is_path(word):
    if not re.fullmatch(r"[\w./*-]+", word) or word.startswith((".", "/", "*")) or "/." in word:
        return False
    return word.split("/")[0] in FOLDERS and "/" in word or word.endswith(SOURCES)


def slug(heading):
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)", "", heading).lower()).strip().replace(" ", "-")


def anchors(page):
    text = page.read_text()
    return set(re.findall(r'<a id="([^"]+)"></a>', text)) | {slug(h) for h in re.findall(r"^#+ (.+)$", text, re.M)}


def prose(page):
    """The lines that are no code, with their numbers."""
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "\t")):
            yield number, line


made_by_the_reader = set(re.findall(r"\b(\w+\.yaml)\b", (root / "docs/course/tour.md").read_text())) | {"mine.yaml", "FILE.yaml", "NAME.yaml", "STUDY.yaml"}
count = 0
for page in pages:
    name = page.relative_to(root)
    for number, line in prose(page):
        if len(line.expandtabs(4)) > WIDTH and not line.startswith("|") and " " in line.strip():
            errors.append(f"{name}:{number}: error: {len(line.expandtabs(4))} columns, expected at most {WIDTH}")
        for code in re.findall(r"`([^`]+)`", line):
            for word in code.split():
                word = word.strip(",;:()")
                if is_path(word) and word not in made_by_the_reader and not ("/" not in word and page.name == "isa.md"):  # mnemonics such as fshl.c
                    count += 1
                    if not exists(word):
                        errors.append(f"{name}:{number}: error: there is no `{word}`")
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"\w+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                errors.append(f"{name}:{number}: error: the link leads to {path}, which does not exist")
            elif anchor and anchor not in anchors(file):
                errors.append(f"{name}:{number}: error: {path or name} has no heading or anchor #{anchor}")
map_of_pages = (root / "docs/README.md").read_text()
for page in sorted((root / "docs").glob("*.md")):
    if page.name != "README.md" and f"]({page.name})" not in map_of_pages:
        errors.append(f"docs/README.md: error: no link to {page.name}")
# docs/architecture.md has a table of units: each name in its first column is a file of src/core or src/device, and each file of src/core has a row.
core = {pathlib.PurePosixPath(f).stem for f in files if f.startswith("src/core/") and f.endswith((".c", ".h"))}
table = re.search(r"^\| file \| unit \|.*\n(?:\|.*\n)*", (root / "docs/architecture.md").read_text(), re.M)[0]
named = [unit for cell in re.findall(r"^\| (`[^|]*) \|", table, re.M) for unit in re.findall(r"`([^`]+)`", cell)]
errors += [f"docs/architecture.md: error: there is no unit `{unit}`" for unit in named if not exists(unit) and not exists(unit + ".h")]
for unit in sorted(core - {pathlib.PurePosixPath(unit).stem for unit in named} - {"state"}):
    errors.append(f"docs/architecture.md: error: the table of units has no row for `{unit}`")
# docs/reports.md has a row for each cause of a stall.
causes = re.findall(r"^STALL\(\w+, (\w+)", (root / "src/launch/stall.def").read_text(), re.M)
rows = re.findall(r"^\| `(\w+)` \|", re.search(r"^\| cause \|.*\n(?:\|.*\n)*", (root / "docs/reports.md").read_text(), re.M)[0], re.M)
if causes != rows:
    errors.append(f"docs/reports.md: error: rows {rows}, expected the causes of src/launch/stall.def: {causes}")
print("\n".join(errors) if errors else f"{count} names and links in {len(pages)} pages lead somewhere")
sys.exit(1 if errors or not count else 0)
