#!/usr/bin/env bash
# Writes the generated pages of docs/ anew (tests compare them with what they are generated from), and the demo's output in docs/tour.md.
set -euo pipefail
cd "$(dirname "$0")/.."
build/heddle config --markdown >docs/configuration.md
build/tests/isa/isa-doc >docs/isa.md
tests/requirements --write >/dev/null

# The head of the report: as far as the causes of lost issue slots.
demo=$(tools/demo.sh | sed '/^Pipelines/,$d')
python3 - "$demo" <<'PYTHON'
import pathlib, re, sys
page = pathlib.Path("docs/tour.md")
block = "<!-- demo -->\n```\n$ make demo\n" + sys.argv[1].rstrip() + "\n...\n```\n<!-- end -->"
page.write_text(re.sub(r"<!-- demo -->.*?<!-- end -->", lambda _: block, page.read_text(), flags=re.S))
PYTHON
