"""Completion scripts and manual pages, as the programs that they are for understand them: zsh, fish, groff, mandoc.

Arguments: the command, the folder of the manual pages, the tool."""
import pathlib
import re
import shutil
import subprocess
import sys

from harness import SOURCE, Cases

PAGES, TOOL = sorted(pathlib.Path(sys.argv[2]).glob("*.1")), sys.argv[3]
if not shutil.which(TOOL):
    print(f"{TOOL} is not installed")
    sys.exit(77)
c = Cases()


def asked(*words):
    return subprocess.run(words, cwd=c.root, capture_output=True, text=True)


def lint(*words):
    commands = re.findall(r"^HD_COMMAND\(\w+, \"(\w+)\"", (SOURCE / "src/cli/options.def").read_text(), re.M)
    expected = sorted(["heddle.1"] + [f"heddle-{command}.1" for command in commands])
    c.check(len(commands) > 5 and [page.name for page in PAGES] == expected, f"a page for each command and one for all, got {PAGES}")
    for page in PAGES:
        result = asked(*words, page)
        complaint = result.stderr if TOOL == "groff" else result.stdout + result.stderr
        c.check(result.returncode == 0 and not complaint, f"{page.name}: {complaint}")


# Asks zsh in a terminal of its own, because completion works on a command line only.
ZSH_SETUP = """PROMPT=
fpath=($PWD $fpath)
autoload -U compinit
compinit -u -D
bindkey '^M' undefined-key
bindkey '^J' undefined-key
bindkey '^I' complete-word
mark() { print -r -- BEGIN-END }
compprefuncs=(mark)
comppostfuncs=(mark)
compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
		builtin compadd "$@"
		return $?
	fi
	typeset -a hits
	builtin compadd -A hits "$@"
	for hit in $hits; do print -r -- "OFFER $IPREFIX$hit"; done
	builtin compadd "$@"
}
print READY
"""
ZSH_CAPTURE = """zmodload zsh/zpty || exit 2
zpty z zsh -f -i
zpty -w z "source ./setup.zsh"
repeat 50; do
	zpty -r z line
	[[ $line == *READY* ]] && break
done
zpty -w z "$1"$'\\t'
integer marks=0
while ((marks < 2)) && zpty -r z line; do
	[[ $line == *BEGIN-END* ]] && ((marks++))
	print -r -- "$line"
done
zpty -d z
"""
ZSH = [
    ("heddle com", {"compile", "compare", "completion"}),
    ("heddle run --trace-c", {"--trace-cycles", "--trace-core"}),
    ("heddle compile x --emit a", {"asm"}),
    ("heddle compile --set fence.cou", {"fence.counters="}),
    ("heddle run --config mult", {"multi-issue"}),
    ("heddle run --arg ino", {"inout:"}),
    ("heddle run --arg in:cas", {"in:case.npy"}),
    ("heddle run --trace kon", {"konata:"}),
    ("heddle run --color=al", {"--color=always"}),
    ("heddle run so", {"some.cl"}),
    ("heddle help dis", {"disasm"}),
]


def zsh():
    c.file("setup.zsh", ZSH_SETUP)
    c.file("capture.zsh", ZSH_CAPTURE)
    c.file("case.npy", "")
    c.file("some.cl", "")
    c.file("_heddle", c.run("completion", "zsh").out)
    checked = asked("zsh", "-f", "-n", "_heddle")
    c.check(checked.returncode == 0 and not checked.stderr, f"zsh understands the script: {checked.stderr}")
    for line, expected in ZSH:
        try:
            said = subprocess.run(["zsh", "-f", "capture.zsh", line], cwd=c.root, capture_output=True, text=True, timeout=60).stdout
        except subprocess.TimeoutExpired:
            said = "no answer within a minute"
        got = {row[6:].strip() for row in said.splitlines() if row.startswith("OFFER ")}
        c.check(got == expected, f"zsh: {line}: expected {expected}, got {got} {said!r}")


def fish():
    c.file("heddle.fish", c.run("completion", "fish").out)
    for line, expected in [("heddle com", {"compile", "compare", "completion"}), ("heddle run --trace-c", {"--trace-cycles", "--trace-core"}),
                           ("heddle compile x --emit a", {"asm"}), ("heddle compile --set fence.cou", {"fence.counters="}), ("heddle help dis", {"disasm"}), ("heddle run --arg ino", {"inout:"}), ("heddle run --config mult", {"multi-issue"}),
                           ("heddle run --trace kon", {"konata:"}), ("heddle run --color al", {"always"}), ("heddle completion z", {"zsh"})]:
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
