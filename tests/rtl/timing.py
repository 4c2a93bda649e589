#!/usr/bin/env python3
"""HW-3: the timing diagrams of rtl/README.md are what order_unit does. Icarus runs order_unit from a folder with nothing but the files that the page names,
driven by timing.sv."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "rtl"))

import waves  # noqa: E402

SKIPPED = 77


def run(folder, *words):
    done = subprocess.run([str(word) for word in words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{words[0]}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def files_of_order_unit():
    """The files that rtl/README.md says to copy."""
    copied = re.search(r"^cp (.*?) FOLDER$", (ROOT / "rtl/README.md").read_text(), re.M)
    if not copied:
        sys.exit("rtl/README.md: error: no line `cp FILES FOLDER`")
    return copied[1].split()


def main():
    if not shutil.which("iverilog"):
        print("skipped: iverilog not installed (tools/setup.sh)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="heddle-timing-") as folder:
        for file in [*files_of_order_unit(), "tests/rtl/timing.sv"]:
            shutil.copy(ROOT / file, folder)
        run(folder, "iverilog", "-g2012", "-s", "timing", "-o", "timing", *sorted(pathlib.Path(folder).glob("*.sv")))
        for scenario, (picture, rows) in enumerate(waves.PICTURES.items()):
            seen = {}
            for name, value in re.findall(r"^([\w.]+) (\d+)$", run(folder, "vvp", "-n", "timing", f"+scenario={scenario}"), re.M):
                seen.setdefault(name, []).append(value)
            for name, wave in rows:
                if wave is not None and "".join(seen[name])[: waves.CYCLES] != wave:
                    sys.exit(f"rtl/{picture}: error: {name} is {''.join(seen[name])[:waves.CYCLES]} in order_unit, and {wave} in rtl/waves.py")
            if "1" in seen["wrong"]:
                sys.exit(f"rtl/{picture}: error: a counter leaves its range")
    print(f"{len(waves.PICTURES)} pictures are what order_unit does")
    return 0


if __name__ == "__main__":
    sys.exit(main())
