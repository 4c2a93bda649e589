"""The syntax files of editors/ are what ops.def says, and colour every operation. Arguments: the generator, the folder editors/."""
import json
import pathlib
import re
import subprocess
import sys

generator, editors = sys.argv[1], pathlib.Path(sys.argv[2])
wrong = 0


def check(condition, what):
    global wrong
    if not condition:
        wrong += 1
        print(f"FAILED: {what}")


def printed(kind):
    return subprocess.run([generator, kind], capture_output=True, text=True, check=True).stdout


for kind, name in (("vim", "vim/syntax/heddle.vim"), ("vscode", "vscode/syntaxes/hasm.tmLanguage.json")):
    check(printed(kind) == (editors / name).read_text(), f"editors/{name} is not what ops.def says: run tools/docs.sh")
check(subprocess.run([generator], capture_output=True).returncode == 2, "the generator wants to know which editor")

grammar = json.loads((editors / "vscode/syntaxes/hasm.tmLanguage.json").read_text())
json.loads((editors / "vscode/package.json").read_text())
json.loads((editors / "vscode/language-configuration.json").read_text())
patterns = {}
for pattern in grammar["patterns"]:
    for one in [pattern, *pattern.get("patterns", [])]:
        for key in ("match", "begin", "end"):
            if key in one:
                patterns[one["name"]] = re.compile(one[key])
rows = re.findall(r'^OP\(\w+, "([^"]+)"', (editors.parent / "src/isa/ops.def").read_text(), re.M)
check(len(rows) > 100, f"ops.def has {len(rows)} rows")
vim = set(re.search(r"^syn keyword heddleOperation (.*)$", (editors / "vim/syntax/heddle.vim").read_text(), re.M)[1].split())
for mnemonic in rows:
    found = patterns["keyword.operator.operation.hasm"].match(mnemonic)
    check(found and found[0] == mnemonic.split(".")[0], f"VS Code colours {mnemonic}")
    check(mnemonic.split(".")[0] in vim, f"Vim colours {mnemonic}")
for text, name in [("ctaid", "support.constant.special-register.hasm"), ("r12", "variable.other.register.hasm"), ("pt", "variable.other.register.hasm"),
                   ("w010100", "constant.other.wait.hasm"), ("p3.r", "constant.other.primary.hasm"), ("delay", "storage.modifier.hint.hasm"),
                   ("@!p0", "keyword.control.guard.hasm"), ("#-1.5", "constant.numeric.hasm"), ("\t.registers", "keyword.control.directive.hasm"),
                   ("L20:", "entity.name.label.hasm"), ("; word 8", "comment.line.semicolon.hasm"), ("wide", "support.constant.geometry.hasm")]:
    found = patterns[name].match(text)
    check(found and found[0] == text, f"VS Code: {text} is {name}")
print(f"{wrong} wrong")
sys.exit(1 if wrong else 0)
