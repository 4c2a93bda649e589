"""docs/library.md shows what the example of the library prints, and its counts are whole."""
import os
import pathlib
import subprocess
import sys
import tempfile

program = sys.argv[1]
page = (pathlib.Path(os.environ["HEDDLE_SOURCE"]) / "docs/library.md").read_text()
with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "out.kanata"
    shown = subprocess.run([program, trace], capture_output=True, text=True, timeout=120, check=True).stdout
    assert trace.read_text().startswith("Kanata"), "no trace"
    plain = subprocess.run([program], capture_output=True, text=True, timeout=120, check=True).stdout
    wrong = subprocess.run([program, folder], capture_output=True, text=True, timeout=120)
assert shown == plain, "a trace changes the counts"
assert shown in page, "docs/library.md shows something else: run tools/docs.sh\n" + shown
assert wrong.returncode == 1 and folder in wrong.stderr, wrong.stderr
