"""The mutations of rtl/mutants.list, in the form of tests/mutants/*.list (tests/mutants/lists.py describes it)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/mutants"))
import lists  # noqa: E402


def read(path):
    return lists.read(path)


def apply(mutant, file):
    text = file.read_text()
    if text.count(mutant.old) != 1:
        raise SystemExit(f"rtl: {mutant.id}: its text occurs {text.count(mutant.old)} times in {mutant.file}")
    file.write_text(text.replace(mutant.old, mutant.new))
