#!/usr/bin/env bash
# Writes the generated pages of docs/ and the syntax files of editors/ anew (tests compare them with what they are generated from), and the demo's output in the README.
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle config --markdown >docs/configuration.md
build/tests/isa/isa-doc >docs/isa.md
build/tests/isa/isa-syntax vim >editors/vim/syntax/heddle.vim
build/tests/isa/isa-syntax vscode >editors/vscode/syntaxes/hasm.tmLanguage.json

# The head of the report: as far as the causes of lost issue slots.
demo=$(tools/demo.sh | sed '/^Pipelines/,$d')
python3 - "$demo" <<'PYTHON'
import pathlib, re, sys
readme = pathlib.Path("README.md")
block = "<!-- demo -->\n```\n$ make demo\n" + sys.argv[1].rstrip() + "\n...\n```\n<!-- end -->"
readme.write_text(re.sub(r"<!-- demo -->.*?<!-- end -->", lambda _: block, readme.read_text(), flags=re.S))
PYTHON
