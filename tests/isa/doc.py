"""docs/isa.md is what ops.def says: argument 1 prints it, argument 2 is the page."""
import pathlib, subprocess, sys

if subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout != pathlib.Path(sys.argv[2]).read_text():
    sys.exit("docs/isa.md is not what ops.def says: run tools/docs.sh")
