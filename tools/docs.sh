#!/usr/bin/env bash
# Writes anew the generated pages of docs/ and docs/course, the syntax files of editors/, the output of programs in docs/tour.md and docs/library.md, and the
# Python package's declarations and notebook. Tests compare the pages and files with what they are generated from.
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle config --markdown >docs/configuration.md
build/tests/isa/isa-doc >docs/isa.md
tests/requirements --write >/dev/null
build/tests/isa/isa-syntax vim >editors/vim/syntax/heddle.vim
build/tests/isa/isa-syntax vscode >editors/vscode/syntaxes/hasm.tmLanguage.json

tools/first_minutes.py build/heddle
tools/course.py build/heddle

# The head of the report: as far as the causes of lost issue slots.
demo=$(tools/demo.sh | sed '/^Pipelines/,$d')
python3 - "$demo" <<'PYTHON'
import pathlib, re, sys
page = pathlib.Path("docs/tour.md")
block = "<!-- demo -->\n```\n$ make demo\n" + sys.argv[1].rstrip() + "\n...\n```\n<!-- end -->"
page.write_text(re.sub(r"<!-- demo -->.*?<!-- end -->", lambda _: block, page.read_text(), flags=re.S))
PYTHON

lines=$(build/heddle-hot-lines)
python3 - "$lines" <<'PYTHON'
import pathlib, re, sys
page = pathlib.Path("docs/library.md")
block = "<!-- hot lines -->\n```\n$ build/heddle-hot-lines\n" + sys.argv[1].rstrip() + "\n```\n<!-- end -->"
page.write_text(re.sub(r"<!-- hot lines -->.*?<!-- end -->", lambda _: block, page.read_text(), flags=re.S))
PYTHON

tools/python_declarations.py >python/heddle/_declarations.py
PYTHONPATH=python HEDDLE_LIBRARY=$(ls build/libheddle.so.?.*[0-9]) /usr/bin/python3 tools/notebook.py --write docs/python.ipynb
