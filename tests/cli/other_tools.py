"""Completion scripts and manual pages, as the programs that they are for understand them: zsh, fish, groff, mandoc.

Arguments: the command, the folder of the manual pages, the tool."""
import pathlib
import shutil
import subprocess
import sys

from harness import Cases

PAGES, TOOL = sorted(pathlib.Path(sys.argv[2]).glob("*.1")), sys.argv[3]
if not shutil.which(TOOL):
    print(f"{TOOL} is not installed")
    sys.exit(77)
c = Cases()


def asked(*words):
    return subprocess.run(words, cwd=c.root, capture_output=True, text=True)


def lint(*words):
    c.check(len(PAGES) == 10, f"a page for each command and one for all, got {PAGES}")
    for page in PAGES:
        result = asked(*words, page)
        complaint = result.stderr if TOOL == "groff" else result.stdout + result.stderr
        c.check(result.returncode == 0 and not complaint, f"{page.name}: {complaint}")


def zsh():
    c.file("_heddle", c.run("completion", "zsh").out)
    checked = asked("zsh", "-f", "-n", "_heddle")
    c.check(checked.returncode == 0 and not checked.stderr, f"zsh understands the script: {checked.stderr}")


def fish():
    c.file("heddle.fish", c.run("completion", "fish").out)
    for line, expected in [("heddle com", {"compile", "compare", "completion"}), ("heddle run --trace-c", {"--trace-cycles", "--trace-core"}),
                           ("heddle compile x --emit a", {"asm"}), ("heddle compile --set fence.cou", {"fence.counters="}), ("heddle help dis", {"disasm"})]:
        result = asked("fish", "--no-config", "-c", f"source heddle.fish; complete -C '{line}'")
        got = {row.split("\t")[0] for row in result.stdout.splitlines()}
        c.check(got == expected and not result.stderr, f"fish: {line}: expected {expected}, got {got} {result.stderr}")


if TOOL == "groff":
    lint("groff", "-man", "-ww", "-b", "-Tutf8")
elif TOOL == "mandoc":
    lint("mandoc", "-T", "lint", "-W", "warning")
else:
    {"zsh": zsh, "fish": fish}[TOOL]()
c.end()
