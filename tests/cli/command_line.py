"""The table of options (src/cli/options.def): the help of each command, suggestions for mistyped words, completion in bash, manual pages.

Arguments: the command, then the folder of the manual pages. What zsh, fish, groff and mandoc say is in other_tools.py."""
import pathlib
import re
import subprocess
import sys

from harness import SOURCE, Cases

c = Cases()
PAGES = pathlib.Path(sys.argv[2])
COMMANDS = ["compile", "asm", "disasm", "run", "check", "compare", "cudart", "config", "completion", "help"]

# -- help -----------------------------------------------------------------------------------------------------------------------------------
overview = c.run("--help")
c.check(c.run("help").out == overview.out and c.run("-h").out == overview.out, "three ways to the overview")
options = {}
for command in COMMANDS:
    text = c.run(command, "--help")
    c.check(text.status == 0 and not text.err and text.out.startswith(f"Usage: heddle {command} "), f"help of {command}", text)
    c.check(c.run("help", command).out == text.out and c.run(command, "x", "-h").out == text.out, f"other ways to the help of {command}")
    c.check(f"heddle {command} " in overview.out, f"the overview names {command}")
    c.check(all(len(line) <= 140 for line in text.out.splitlines()), f"no long line in the help of {command}", text)
    options[command] = re.findall(r"^  (--?[A-Za-z][a-z-]*)", text.out.split("In a line of")[0], re.M)
    c.check("--help" in options[command], f"{command} has --help")
    # The right columns of an option list begin at one place.
    part = re.split(r"^(?:Forms of|Examples)", text.out, flags=re.M)[0]
    starts = {len(left) for left in re.findall(r"^  --?[a-zA-Z].*?  +(?=\S)", part, re.M)}
    alone = [line for line in re.findall(r"^  --?[a-zA-Z].*$", part, re.M) if "  " not in line.strip()]
    c.check(all(len(line) > 26 for line in alone), f"the help of a short option stands beside it: {alone}")
    c.check(len(starts) <= 1, f"aligned columns in the help of {command}: {starts}", text)

# -- every option is understood where the help names it, and nowhere else ---------------------------------------------------------------------
every = sorted({o for names in options.values() for o in names if o.startswith("--") and o != "--help"})
c.check(len(every) > 20, f"the help names the options: {every}")
for command in COMMANDS:
    for option in every:
        result = c.run(command, option)
        known = "unknown option" not in result.err
        c.check(known == (option in options[command]), f"{command} {option}: in the help and understood, or neither", result)
        c.check(result.status == 2 or (command, option) == ("config", "--markdown"), f"{command} {option} alone is an error", result)

# -- mistyped words -----------------------------------------------------------------------------------------------------------------------------
for words, expected in [
    (["run", "--reprot", "x"], r"unknown option --reprot, did you mean --report\? `heddle run --help` lists them"),
    (["run", "--func"], r"did you mean --functional\?"),
    (["run", "--max_cycles=5"], r"unknown option --max_cycles=5, did you mean --max-cycles\?"),
    (["compile", "--grid", "4"], r"unknown option --grid, an option of run, compare, `heddle compile --help` lists them"),
    (["check", "--zzzzzz"], r"unknown option --zzzzzz, `heddle check --help` lists them$"),
    (["rnu"], r"there is no command 'rnu', .*; did you mean run\? `heddle --help` says more"),
    (["dissasm"], r"did you mean disasm\?"),
    (["help", "comparre"], r"did you mean compare\?"),
    (["zzz"], r"compare, sweep, cc, cudart or config; `heddle --help` says more$"),
    (["run", "--serial=1"], r"option --serial takes no value"),
    (["run", "x.ptx", "-D"], r"option -D wants a value"),
    (["run", "-output"], r"unknown option -output"),
    (["completion"], r"no shell, expected bash, zsh or fish"),
    (["completion", "bsh"], r"the shell cannot be 'bsh', did you mean bash\?"),
    (["compile", "x.ptx", "--emit", "ams"], r"--emit cannot be 'ams', did you mean asm\? expected ptx, ir, asm or obj"),
    (["run", "x.ptx", "--trace", "knata:trace.log"], r"--trace cannot be 'knata:trace.log', did you mean konata:\? expected"),
    (["scale.cl"], r"scale.cl is no command, did you mean `heddle run scale.cl`\?"),
    (["completion", "tcsh"], r"the shell cannot be 'tcsh', expected bash, zsh or fish"),
    (["completion", "bash", "zsh"], r"one shell at a time, got bash and zsh"),
    (["help", "run", "asm"], r"one command at a time, got run and asm"),
    (["run", "x.cl", *["-DA"] * 40], r"more than 32 options for the compiler"),
]:
    c.expect(2, r"^heddle: error: .*" + expected, *words)
for words, expected in [
    (["config", "heddel"], r"heddel: error: is no machine, did you mean heddle\? expected one of heddle, "),
    (["config", "--set", "fence.countres=4"], r"did you mean fence.counters\?"),
    (["compile", "x.ptx", "--dump-after", "shedule"], r"there is no pass 'shedule', did you mean schedule\? expected one of read"),
]:
    c.expect(2, expected, *words)

# -DNAME and -D NAME are the same.
c.file("d.cl", "__kernel void k(__global int *x) { *x = A + B; }\n")
c.check(c.run("compile", "d.cl", "-DA=1", "-D", "B=2", "-I", ".", "-I.", "-UC", "--emit", "ptx").status == 0, "options of clang in one word and in two")

# The version of OpenCL C: 3.0 has sub-groups, 1.2 has not.
c.file("groups.cl", "__kernel void k(__global int *x) { *x = sub_group_reduce_add(*x); }\n")
c.check(c.run("compile", "groups.cl", "--std", "CL3.0", "--emit", "ptx").status == 0, "OpenCL C 3.0")
c.check(c.run("compile", "groups.cl", "--std=CL2.0", "--emit", "ptx").status == 0, "OpenCL C 2.0 with sub-groups")
c.expect(2, r"sub_group_reduce_add", "compile", "groups.cl", "--std", "CL1.2")
c.expect(2, r"--std cannot be 'CL3', did you mean CL3.0\? expected CL1.2, CL2.0 or CL3.0", "compile", "groups.cl", "--std", "CL3")
c.file("k.cu", "__global__ void k(int *x) { *x = 1; }\n")
c.file("k.ptx", "")
for words in (["-DA"], ["-I", "."], ["--std", "CL3.0"]):  # clang does not see it
    c.expect(2, r"k.ptx: error: is compiled already, so option -", "compile", "k.ptx", *words)
c.expect(2, r"k.cu: error: is CUDA; a version of OpenCL C \(CL3.0\) is for .cl files", "compile", "k.cu", "-DA", "--std", "CL3.0")
r = c.run("run", "groups.cl", "--std", "CL3.0", "--grid", "1", "--block", "32", "--arg", "zero:i32:32")
c.check(r.status == 0, "a launch takes it, too", r)

# -- completion ------------------------------------------------------------------------------------------------------------------------------------
c.file("bash", c.run("completion", "bash").out)
c.file("case.npy", "")
c.file("some.cl", "")


def bash(*words):
    """The completions that bash offers for the last of these words, cut at ':' and '=' as bash does; + if no blank follows it."""
    cut = [part for word in words for part in re.findall(r"[:=]|[^:=]+", word) or [""]]
    quoted = " ".join(f"'{w}'" for w in cut)
    script = f"source ./bash; compopt() {{ [[ $2 != nospace ]] || echo +; }}; COMP_WORDS=({quoted}); COMP_CWORD={len(cut) - 1}; _heddle; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "--norc", "-c", script], cwd=c.root, capture_output=True, text=True).stdout.split()


BASH = [
    (["heddle", "com"], ["compile", "compare", "completion"]),
    (["heddle", "run", "--trace-c"], ["--trace-cycles", "--trace-core"]),
    (["heddle", "run", "--config", "mult"], ["multi-issue"]),
    (["heddle", "run", "--config=mult"], ["multi-issue"]),
    (["heddle", "compile", "x", "--emit", "a"], ["asm"]),
    (["heddle", "compile", "--set", "fence.cou"], ["+", "fence.counters="]),
    (["heddle", "compile", "--set", "fence.counters="], []),
    (["heddle", "run", "--trace", "kon"], ["+", "konata:"]),
    (["heddle", "run", "--arg", "inou"], ["+", "inout:"]),
    (["heddle", "run", "--arg", "in:cas"], ["case.npy"]),
    (["heddle", "run", "--arg=in:cas"], ["case.npy"]),
    (["heddle", "run", "so"], ["some.cl"]),
    (["heddle", "help", "dis"], ["disasm"]),
    (["heddle", "completion", "z"], ["zsh"]),
    (["heddle", "compile", "--dump-after", "schedu"], ["schedule"]),
    (["heddle", "asm", "--c"], ["--color"]),
    (["heddle", "asm", "--z"], []),
    (["heddle", "run", "--color", "al"], ["always"]),
]
for words, expected in BASH:
    got = bash(*words)
    c.check(got == expected, f"bash: {words}: expected {expected}, got {got}")
for command in COMMANDS:
    offered = bash("heddle", command, "-")
    c.check(sorted(offered) == sorted(options[command] and {o[:2] if re.match(r"-[A-Z]", o) else o for o in options[command]}), f"bash offers the options of {command}: {offered}")
# -- manual pages -------------------------------------------------------------------------------------------------------------------------------------
for command in ["", *COMMANDS]:
    page = PAGES / (f"heddle-{command}.1" if command else "heddle.1")
    text = page.read_text()
    plain = text.replace("\\-", "-")
    for option in options.get(command, []):
        name = option[:2] if re.match(r"-[A-Z]", option) else option
        c.check(f"\\fB{name}" in plain, f"{page.name} has {name}")
    for other in COMMANDS:
        c.check(f"heddle-{other} (1)" in plain or other == command, f"{page.name} points to {other}")
version = re.search(r'HEDDLE_VERSION "(.*)"', (SOURCE / "include/heddle/heddle.h").read_text())[1]
c.check(f"Heddle {version}" in (PAGES / "heddle.1").read_text(), "the pages have the version of the library")
c.end()
