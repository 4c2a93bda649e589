#!/usr/bin/env bash
# Writes anew the generated pages of docs/ and docs/course, the links of docs/spec, the syntax files of editors/, the output of programs in docs/library.md, and the
# Python package's declarations and notebook; adds keys of JSON documents to their list. Tests compare the pages and files with what they are generated from.
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle config --markdown >docs/configuration.md
/usr/bin/python3 tests/isa/doc.py build/tests/isa/isa-doc docs/isa.md --write
tests/requirements --write >/dev/null
build/tests/isa/isa-syntax vim >editors/vim/syntax/heddle.vim
build/tests/isa/isa-syntax vscode >editors/vscode/syntaxes/hasm.tmLanguage.json

HEDDLE_ADD_KEYS=1 meson test -C build --no-rebuild cli/json_keys opencl/environment >/dev/null

tools/first_minutes.py build/heddle
tools/course.py build/heddle

python3 - "$(build/heddle-hot-lines)" "$(build/heddle-sweep-threads)" <<'PYTHON'
import pathlib, re, sys
page = pathlib.Path("docs/library.md")
text = page.read_text()
for name, program, shown in (("hot lines", "heddle-hot-lines", sys.argv[1]), ("sweep", "heddle-sweep-threads", sys.argv[2])):
    block = f"<!-- {name} -->\n```\n$ build/{program}\n{shown.rstrip()}\n```\n<!-- end -->"
    text = re.sub(rf"<!-- {name} -->.*?<!-- end -->", lambda _: block, text, flags=re.S)
page.write_text(text)
PYTHON

tools/python_declarations.py >python/heddle/_declarations.py
PYTHONPATH=python HEDDLE_LIBRARY=$(ls build/libheddle.so.?.*[0-9]) /usr/bin/python3 tools/notebook.py --write docs/python.ipynb
