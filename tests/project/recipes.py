#!/usr/bin/env python3
"""recipes.py SOURCE [--build FOLDER]: the files that one more of each kind touches (docs/architecture.md, "Extending Heddle"), at most five. Each edit is
made in a copy: a line goes before or behind the one line that holds a text. With --build the copy, which has all edits, is built and tried in FOLDER."""
import pathlib
import shutil
import subprocess
import sys

MOST = 5
STUDY = """name: invented
examples: [saxpy 0]
machines: [heddle]
axes:
  window: [multi_issue.window=1, multi_issue.window=2]
"""
# Kind, then edits: file (a pattern has one match with the text), text of the line, line to add behind it. ^text: before the line; |text: in it, before the text.
RECIPES = {
    "stall cause": [
        ("src/launch/stall.def", "STALL(REPLAY,", 'STALL(INVENTED, invented, "invented", "#010203", "#030201", "a warp waits at a barrier and for a counter")'),
        ("src/core/issue/readiness.c", "^if ((*whose = live & s->descheduled))",
         "\tif ((*whose = live & s->descheduled & s->at_barrier))\n\t\treturn HD_STALL_INVENTED;"),
        ("tests/core/test_readiness.c", "^a_full_queue_is_no_cause_for_a_warp_that_waits_anyway",
         "TEST(a_recipe_has_a_cause)\n{\n\tbed *t = bed_new();\n\tt->s->live = t->s->descheduled = t->s->at_barrier = 1;\n"
         "\tassert_int_equal(hd_idle_cause(t->s), HD_STALL_INVENTED);\n\tbed_free(t);\n}\n"),
        ("docs/*.md", "a refused instruction issues again", "| `invented` | a warp waits at a barrier and for a counter | | |"),
    ],
    "option of `run`": [
        ("src/cli/options.def", "HD_OPTION(QUIET_RUN,", 'HD_OPTION(INVENTED, "--invented", "", NONE, "0.3", RUN, RESULTS, "do not print the short result, either")'),
        ("src/cli/run.c", "^case HD_OPTION_QUIET_RUN:", "\tcase HD_OPTION_INVENTED:"),
        ("tests/cli/usage.py", "^heddle: error: compile: option -o wants", 'c.expect(2, r"^heddle: error: run: no input", "run", "--invented")'),
    ],
    "cache policy": [
        ("src/memory/tag_array.h", "|HD_REPLACEMENTS }", "HD_REPLACE_FIFO, "),
        ("src/memory/tag_array.c", "[HD_REPLACE_LRU] =", "    [HD_REPLACE_FIFO] = {.victim = oldest},"),
        ("tests/memory/test_tag_array.c", "|fifo = {.victim = lru->victim}", "*row = &hd_replacements[HD_REPLACE_FIFO], "),
        ("tests/memory/test_tag_array.c", "fifo = {.victim = lru->victim}", "\tcompare_with_model(7, 3, 4, row);"),
    ],
    "SASS instruction": [
        ("src/sass/sass.def", 'ROW(0x0ca, "R2UR",', 'ROW(0x0e0, "INVENTED", ALU, F_2, (), (0), D, B(0))'),
        ("tests/sass/words.def", '"IABS R2, c[0x0][0x170] ;"', 'WORD(80, 0x00005c0000027ae0, 0x000fe20000000000, "INVENTED R2, c[0x0][0x170] ;")'),
    ],
    "study": [("studies/invented.yaml", None, STUDY)],
}
BUILD = ["ninja", "heddle", "tests/core-tests", "tests/memory-tests", "tests/sass-tests"]
TRIALS = {
    "stall cause": ["tests/core-tests", "test_readiness"],
    "option of `run`": ["./heddle", "run", "--invented", "--help"],
    "cache policy": ["tests/memory-tests", "test_tag_array"],
    "SASS instruction": ["tests/sass-tests", "test_decode"],
    "study": ["./heddle", "sweep", "../copy/studies/invented.yaml", "--dry-run"],
}


def edited(root, name, text, line):
    """The one file of this name that has the text, and the file with the edit."""
    if text is None:
        return name, line
    where, text = (text[0], text[1:]) if text[0] in "^|" else ("", text)
    found = [(path, at) for path in sorted(root.glob(name)) for at, old in enumerate(path.read_text().splitlines()) if text in old]
    if len(found) != 1:
        raise SystemExit(f"{name}: error: {len(found)} lines with {text!r}, expected one: does the recipe still hold?")
    path, at = found[0]
    lines = path.read_text().splitlines()
    if where == "|":
        lines[at] = lines[at].replace(text, line + text)
    else:
        lines.insert(at if where else at + 1, line)
    return str(path.relative_to(root)), "\n".join(lines) + "\n"


def apply(root, write):
    bad = 0
    for kind, edits in RECIPES.items():
        files = []
        for edit in edits:
            name, text = edited(root, *edit)
            if write:
                (root / name).write_text(text)
            files.append(name)
        files = list(dict.fromkeys(files))
        print(f"{kind}: {len(files)}{f', at most {MOST}' if len(files) > MOST else ''}: {' '.join(files)}")
        bad |= len(files) > MOST
    return bad


def built(root, folder):
    copy, build = folder / "copy", folder / "build"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, copy / name, follow_symlinks=False)
    if apply(copy, True) or subprocess.run(["meson", "setup", build.resolve(), "-Dwerror=true", "-Dtests=enabled"], cwd=copy, check=False).returncode:
        return 1
    # A plan of a study compiles its kernels, with all built-in functions.
    subprocess.run(BUILD + [f"lib/{path.stem}.bc" for path in copy.glob("lib/*.cl")], cwd=build, check=True)
    bad = 0
    for kind, command in TRIALS.items():
        good = subprocess.run(command, cwd=build, check=False).returncode == 0
        print(f"{kind}: {'works' if good else 'FAILS'}: {' '.join(command)}")
        bad |= not good
    return bad


source = pathlib.Path(sys.argv[1])
if "--build" in sys.argv:
    sys.exit(built(source, pathlib.Path(sys.argv[sys.argv.index("--build") + 1])))
sys.exit(apply(source, False))
