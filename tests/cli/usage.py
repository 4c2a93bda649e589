"""The command line itself: help, unknown words, options without values, values that are none."""
from harness import Cases

c = Cases()
help_text = c.run("--help")
c.check(help_text.status == 0 and "heddle run IN" in help_text.out, "--help is on standard output", help_text)
c.check(c.run("run", "--help").out.startswith("Usage: heddle run IN"), "--help works behind a command, too")
version = c.run("--version")
c.check(version.status == 0 and version.out.startswith("heddle 0."), "--version", version)

c.expect(2, r"^heddle compile IN")
c.expect(2, r"^heddle: error: there is no command 'frobnicate', expected compile, asm, disasm, annotate, run, check, coverage, compare, sweep, cc, cudart or config", "frobnicate")
for command in ("compile", "run", "asm", "disasm", "check"):
    c.expect(2, rf"^heddle: error: {command}: no input", command)
    c.expect(2, rf"^heddle: error: {command}: unknown option --nonsense", command, "x.ptx", "--nonsense")
    c.expect(2, rf"^heddle: error: {command}: one input at a time, got x.ptx and y.ptx", command, "x.ptx", "y.ptx")
c.expect(2, r"^heddle: error: compile: option -o wants a value", "compile", "x.ptx", "-o")
c.expect(2, r"^heddle: error: asm: no output, expected -o", "asm", "x.hasm")
c.expect(2, r"--emit cannot be 'elf', expected ptx, ir, asm or obj", "compile", "x.ptx", "--emit", "elf")
c.expect(2, r"^x.txt: error: has an unknown ending, expected a name that ends in .cl, .cu, .spv, .ptx, .hasm or .hko", "run", "x.txt")
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
    ("--report", ".html", "expected a file that ends in .txt, .json or .html, or -"),
    ("--races-memory", "0", "expected a number from 1 to 4294967295"),
    ("--trace", "kanata:x", "expected konata:FILE, perfetto:FILE, vcd:FILE, stages:FILE or explore:FILE"),
]:
    c.expect(2, expected, "run", "x.ptx", option, value)

for argument, expected in [
    ("i32:2147483648", "2147483648 is out of range, expected a whole number from -2147483648 to 2147483647"),
    ("i32:-0x80000001", "-0x80000001 is out of range"),
    ("i32:", "the number is missing, expected a whole number"),
    ("i32:1.5", "1.5 is no whole number, expected a whole number"),
    ("i32:0x", "0x is no whole number"),
    ("u32:-1", "-1 is negative, expected a number from 0; i32: takes negative ones"),
    ("u32:12a", "the number '12a' is no whole number, expected one from 0 to 4294967295, decimal or hexadecimal"),
    ("u32:0x100000000", "the number 0x100000000 is too large, expected at most 4294967295"),
    ("u64:18446744073709551616", "the number 18446744073709551616 is too large, expected at most 18446744073709551615"),
    ("u64:0x10000000000000000", "the number 0x10000000000000000 is too large"),
    ("i64:-9223372036854775809", "-9223372036854775809 is out of range"),
    ("f32:one", "'one' is no number, expected one such as 2.5"),
    ("f32: 1", "' 1' is no number"),
    ("f64:1.5x", "'1.5x' is no number"),
    ("f32:", "the number is missing, expected one such as 2.5"),
    ("f32:1e39", "1e39 is too large, expected at most 3.4e38; f64: has a wider range"),
    ("f64:1e309", "1e309 is too large, expected at most 1.8e308"),
    ("in:", "FILE.npy is missing, expected in:FILE.npy or inout:FILE.npy"),
    ("out:", "FILE.npy, TYPE and COUNT are missing, expected out:FILE.npy:TYPE:COUNT"),
    ("out:x.npy", "TYPE and COUNT are missing, expected out:FILE.npy:TYPE:COUNT"),
    ("out:x.npy:f32", "COUNT is missing, expected out:FILE.npy:TYPE:COUNT"),
    ("out:x.npy:f33:4", "there is no type 'f33', expected f16 f32 f64"),
    ("out::f32:4", "FILE.npy is missing, expected out:FILE.npy:TYPE:COUNT"),
    ("zero:f32:many", "COUNT of f32 'many' is no whole number"),
    ("zero:f32:4:5", "':5' behind COUNT, expected zero:TYPE:COUNT"),
    ("zero:f32:", "COUNT of f32 is missing"),
    ("zero:f32", "COUNT is missing, expected zero:TYPE:COUNT"),
    ("zero:", "TYPE and COUNT are missing, expected zero:TYPE:COUNT"),
    ("zero:f64:999999999999", "COUNT of f64 999999999999 is too large, expected at most 536870912"),
    ("rand:f32:100000000000:7", "COUNT of f32 100000000000 is too large, expected at most 1073741824"),
    ("rand:f32:4", "SEED is missing, expected rand:TYPE:COUNT:SEED"),
    ("rand:f32:4:x", "SEED 'x' is no whole number"),
    ("rand:f16:4:1", "there are no random f16, expected f32 f64"),
    ("local:-5", "BYTES '-5' is no whole number"),
    ("local:99999999", "BYTES 99999999 is too large, expected at most 16777216"),
    ("bytes:012", "3 digits, expected two for each of 1 to 128 bytes"),
    ("bytes:0g", "'g' is no hexadecimal digit"),
    ("banana:4", "banana: is no form of an argument, expected i32: u32:"),
    ("zeros:f32:4", r"zeros: is no form of an argument, did you mean zero:\? expected i32: u32:"),
    ("four", "a word without a colon is no form of an argument"),
    ("", "an empty word is no form of an argument"),
]:
    c.expect(2, rf"--arg {argument}: error: {expected}", "run", "x.ptx", "--arg", argument)
c.expect(2, "two arguments write to x.npy", "run", "x.ptx", "--arg", "out:x.npy:f32:4", "--arg", "out:x.npy:f32:4")
c.end()
