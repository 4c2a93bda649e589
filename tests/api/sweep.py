"""docs/library.md shows what the example of a sweep prints; any number of threads prints the same."""
import os
import pathlib
import subprocess
import sys

page = (pathlib.Path(os.environ["HEDDLE_SOURCE"]) / "docs/library.md").read_text()
shown = [subprocess.run([sys.argv[1], threads], capture_output=True, text=True, timeout=120, check=True).stdout for threads in ("0", "1", "3", "99")]
assert len(set(shown)) == 1, "the number of threads changes the results:\n" + "\n".join(shown)
assert shown[0] in page, "docs/library.md shows something else: run tools/docs.sh\n" + shown[0]
