"""The command line itself: help, unknown words, options without values, values that are none."""
from harness import Cases

c = Cases()
help_text = c.run("--help")
c.check(help_text.status == 0 and "heddle run IN" in help_text.out, "--help is on standard output", help_text)
c.check(c.run("run", "--help").out.startswith("Usage: heddle run IN"), "--help works behind a command, too")
version = c.run("--version")
c.check(version.status == 0 and version.out.startswith("heddle 0."), "--version", version)

c.expect(2, r"^heddle compile IN")
c.expect(2, r"^heddle: error: there is no command 'frobnicate', expected compile, asm, disasm, run, check, compare or config", "frobnicate")
for command in ("compile", "run", "asm", "disasm", "check"):
    c.expect(2, rf"^heddle: error: {command}: no input", command)
    c.expect(2, rf"^heddle: error: {command}: unknown option --nonsense", command, "x.ptx", "--nonsense")
    c.expect(2, rf"^heddle: error: {command}: one input at a time, got x.ptx and y.ptx", command, "x.ptx", "y.ptx")
c.expect(2, r"^heddle: error: compile: option -o wants a value", "compile", "x.ptx", "-o")
c.expect(2, r"^heddle: error: asm: no output, expected -o", "asm", "x.hasm")
c.expect(2, r"--emit cannot be 'elf', expected ptx, ir, asm or obj", "compile", "x.ptx", "--emit", "elf")
c.expect(2, r"^x.txt: error: has an unknown ending, expected a name that ends in .cl, .cu, .ptx, .hasm or .hko", "run", "x.txt")
c.expect(2, r"^no/x.cl: error: cannot be opened: No such file or directory", "run", "no/x.cl")
c.expect(2, r"^x.hko: error: cannot be opened", "disasm", "x.hko")

for option, value, expected in [
    ("--grid", "0", "from 1 to 2147483647"),
    ("--grid", "1,2,3,4", "expected X"),
    ("--grid", "1,,2", "expected X"),
    ("--grid", "1,", "expected X"),
    ("--grid", "-1", "expected X"),
    ("--grid", "99999999999999999999", "expected X"),
    ("--block", "1025", "from 1 to 1024"),
    ("--block", "many", "expected X"),
    ("--max-cycles", "0", "expected a number above 0"),
    ("--max-cycles", "1e6", "expected a number above 0"),
    ("--report", "x.pdf", "expected a file that ends in .txt, .json or .html, or -"),
    ("--trace", "kanata:x", "expected konata:FILE, perfetto:FILE or vcd:FILE"),
]:
    c.expect(2, expected, "run", "x.ptx", option, value)

for argument, expected in [
    ("i32:2147483648", "from -2147483648 to 2147483647"),
    ("i32:", "i32: with a whole number"),
    ("i32:1.5", "i32: with a whole number"),
    ("u32:-1", "u32: with a whole number"),
    ("u64:18446744073709551616", "u64: with a whole number"),
    ("i64:-9223372036854775809", "i64: with a whole number"),
    ("f32:one", "f32: with a number"),
    ("f64:1.5x", "f64: with a number"),
    ("f32:", "f32: with a number"),
    ("in:", "in:FILE.npy"),
    ("out:x.npy", "out:FILE.npy:TYPE:COUNT"),
    ("out:x.npy:f32", "out:FILE.npy:TYPE:COUNT"),
    ("out:x.npy:f33:4", "out:FILE.npy:TYPE:COUNT"),
    ("out::f32:4", "out:FILE.npy:TYPE:COUNT"),
    ("zero:f32:many", "zero:TYPE:COUNT"),
    ("zero:f32:4:5", "zero:TYPE:COUNT"),
    ("zero:f64:999999999999", "zero:TYPE:COUNT"),
    ("rand:f32:4", "rand:TYPE:COUNT:SEED"),
    ("rand:f16:4:1", "rand:TYPE:COUNT:SEED"),
    ("local:-5", "local: with a number of bytes"),
    ("local:99999999", "local: with a number of bytes"),
    ("banana:4", "i32: u32:"),
    ("", "i32: u32:"),
]:
    c.expect(2, rf"--arg {argument}: error: is no argument, expected .*{expected}", "run", "x.ptx", "--arg", argument)
c.expect(2, "two arguments write to x.npy", "run", "x.ptx", "--arg", "out:x.npy:f32:4", "--arg", "out:x.npy:f32:4")
c.end()
