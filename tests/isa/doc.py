"""The generated blocks of docs/isa.md are what ops.def says: argument 1 prints them, argument 2 is the page. --write writes them."""
import pathlib, re, subprocess, sys

printed = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
page = pathlib.Path(sys.argv[2])
block = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end -->\n", re.S)
blocks = {found[1]: found[0] for found in block.finditer(printed)}
if "--write" in sys.argv:
    page.write_text(block.sub(lambda found: blocks[found[1]], page.read_text()))
if {found[1]: found[0] for found in block.finditer(page.read_text())} != blocks:
    sys.exit("docs/isa.md is not what ops.def says: run tools/docs.sh")
