#!/usr/bin/env python3
"""The lists of mutations kept by hand (tests/mutants) can be read and fit the tree; `tools/mutants.sh` itself takes too long for the suite. That the
generator finds what it should and that all mutations of a file stand together is tried on a file of the test's own."""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "tests/mutants"))
import lists  # pylint: disable=wrong-import-position

errors = []
seen = set()
for name in ["tests/mutants/extra.list", "rtl/mutants.list"]:
    for mutant in lists.read(root / name):
        why = lists.stale(root, mutant) or ("has the name of another one" if mutant.id in seen else "")
        seen.add(mutant.id)
        if why:
            errors.append(f"{name}:{mutant.line}: error: {mutant.id}: {mutant.file}: {why}")
for line, file, function, text, change, reason in lists.entries(root / "tests/mutants/equivalent.list"):
    path = root / file
    found = path.is_file() and any(text == row.strip() for row in path.read_text().splitlines())
    if not found:
        errors.append(f"tests/mutants/equivalent.list:{line}: error: {file}: {function}: there is no such line")

try:
    import generate  # pylint: disable=wrong-import-position
except ImportError as error:
    sys.exit(f"{error}: python3-clang-19 is missing")

TEXT = """
#include <stdbool.h>
#define LIMIT 8
#define SUM(a, b) ((a) + (b))
enum { COUNT = 3 };
struct pair { int a, b; };
static const int table[COUNT + 1] = {1, 2};
static int larger(int a, int b) { return a > b ? a : b; }
static void put(int *to, int a, int b)
{
	*to = larger(a, b); // behind it a comment
	(*to)++;
}
bool both(int a, int b, struct pair *p)
{
	int values[2] = {[1] = b};
	put(&p->a, a, b);
	for (int i = 0; i < LIMIT; i++)
		p->b += table[i & 1] + values[1];
	while (p->a > 100)
		p->a >>= 1;
	switch (a) {
	case 1:
		p->a = 7;
		break;
	}
	if (!(a < 2 && b) || p->a == LIMIT)
		return false;
	return true;
}
int corners(int a, int b)
{
	static int kept = 2 + 1;
	enum { LOCAL = 4 };
	int sum = SUM(a, b);
	put(&a, sum, b);
	put(&b,
#ifdef SUM
	    kept,
#endif
	    LOCAL);
	put(&sum, a, b);
	put(&a, b, sum);
	put(&b, sum, a);
	sum += (int)sizeof table[1];
	return sum;
}
"""
# The mutations of the text by each operator: (line, operator, old, new).
WANTED = [
    (8, "operator", "a > b", "a >= b"), (8, "condition constant", "a > b", "0"), (8, "0 is returned", "a > b ? a : b", "0"),
    (10, "early return", "{", "return;"), (11, "0 is assigned", "larger(a, b)", "0"), (11, "arguments swapped", "larger(a, b)", "larger(b, a)"),
    (11, "call dropped", "larger(a, b)", "b"), (11, "statements swapped", "*to = larger(a, b); (*to)++;", "(*to)++; *to = larger(a, b);"),
    (12, "operator", "(*to)++", "(*to)--"), (15, "early return", "{", "return 1;"), (17, "0 is passed", "a", "0"), (18, "operator", "i < LIMIT", "i <= LIMIT"),
    (19, "operator", "p->b += table[i & 1] + values[1]", "p->b -= (table[i & 1] + values[1])"), (19, "constant", "1", "0"),
    (19, "operand dropped", "table[i & 1] + values[1]", "values[1]"), (20, "condition constant", "p->a > 100", "0"),
    (24, "statement deleted", "p->a = 7;", ""), (25, "statement deleted", "break;", ""), (27, "conjunct dropped", "a < 2 && b", "b"),
    (27, "operator dropped", "!(a < 2 && b)", "(a < 2 && b)"), (28, "constant", "false", "true"),
    (36, "statement deleted", "put(&a, sum, b);", ""), (42, "arguments swapped", "put(&sum, a, b)", "put(&sum, b, a)"),
]
UNWANTED = [5, 7, 23, 33, 34, 35]  # constants that the compiler must know, and the output of a macro
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder).resolve() / "unit.c"
    path.write_text(TEXT)
    found = generate.in_unit(path.parent, {"directory": folder, "file": "unit.c", "command": "cc -std=c17 -c unit.c"})[str(path)]
    made = {(mutation.line, mutation.operator, mutation.old, mutation.new) for mutation in found}
    errors += [f"generate.py: error: not made: {wanted}" for wanted in WANTED if wanted not in made]
    errors += [f"generate.py: error: made of a constant: {one}" for one in made if one[0] in UNWANTED or one[:2] == (45, "constant")]  # 45: sizeof
    changed = generate.rendered(TEXT, list(enumerate(found, 1)))
    if changed.count("\n") != TEXT.count("\n"):
        errors.append("generate.py: error: lines moved")
    path.write_text(changed)
    done = subprocess.run(["gcc", "-w", "-std=gnu17", "-fsyntax-only", "-include", root / "tests/mutants/mutation.h", path], capture_output=True, text=True)
    if done.returncode:
        errors.append(f"generate.py: error: all mutations together do not compile: {done.stderr}")
print("\n".join([f"{len(found)} mutations of a file with every construct", *errors]))
sys.exit(1 if errors else 0)
