"""heddle check of machine code of real GPUs: exit statuses, reports, options (SA-7, SA-8)."""
import json

from harness import Cases, SOURCE

cases = Cases()
FIXTURES = SOURCE / "tests/sass/fixtures"
SM80 = FIXTURES / "plain-sm80.cubin"


def check(*arguments):
    return cases.run("check", *arguments)


def spoilt(name, word):
    """The fixture with no wait in one 16-byte word."""
    data = bytearray(SM80.read_bytes())
    data[word * 16 + 14] &= 0x0f
    data[word * 16 + 15] &= 0xfc
    return cases.file(name, bytes(data))


result = check(SM80)
cases.check(result.status == 0, "SA-7: status 0 when all is proven", result)
cases.check("proven" in result.out and " 0 refuted, 0 unknown" in result.out, "says so", result)
cases.check(check(SM80, "--quiet").out == "", "--quiet says nothing")

refuted = None
for word in range(4, SM80.stat().st_size // 16):
    result = check(spoilt("spoilt.cubin", word), "--quiet")
    if result.status == 1:
        refuted = result
        break
cases.check(refuted is not None, "SA-7: status 1 when a wait is taken away", refuted)
if refuted:
    cases.check("is not covered" in refuted.err and "path:" in refuted.err and "nothing on the way waits for SB" in refuted.err, "names what is missing", refuted)

result = check(FIXTURES / "barrier-sm90.cubin")
cases.check(result.status == 3 and "unknown" in result.err, "SA-7: status 3 where nobody measured a distance", result)

result = check(cases.file("half.cubin", SM80.read_bytes()[:-40]))
cases.check(result.status == 2 and "half.cubin" in result.err, "SA-7: status 2 for a damaged file", result)
library = bytearray((FIXTURES / "zstd.fatbin").read_bytes() * 3)
library[len(library) // 3 + 16 + 64 + 40] ^= 0xff  # an entry for sm_75
library = cases.file("library.fatbin", bytes(library))
result = check(library, "--report", "r.json")
cases.check(result.status == 2 and "offset 0x" in result.err and " proven, 0 refuted, 0 unknown" in result.out and "1 entries are damaged" in result.out,
            "SA-12: a damaged entry is named, and the others are checked", result)
cases.check(json.loads((cases.root / "r.json").read_text())["verdict"] == "unknown", "and the file is not proven", result)
cases.check(check(library, "--arch", "86").status == 0, "--arch does not look at it", None)
cases.check(cases.run("disasm", library, "--arch", "86").status == 0, "neither does disasm", None)
for arguments, text in [(("--kernel", "nobody"), "nobody"), (("--arch", "75"), "sm_75"), (("--arch", "x"), "--arch"), (("--assume", "A0"), "--assume"),
                        (("--report", "r.txt"), ".json or .html"), (("--config", "heddle"), "--config")]:
    result = check(SM80, *arguments)
    cases.check(result.status == 2 and text in result.err, f"{arguments} is refused", result)
result = check(SOURCE / "examples/saxpy/saxpy.cl", "--slack")
cases.check(result.status == 2 and "--slack" in result.err, "--slack is for machine code only", result)

NAMES = FIXTURES / "names-sm80.cubin"
SHOWN = {"ns::mixed<float, 1>", "ns::mixed<int, 2>", "ns::f(int *)", "ns::f(float *)", "ns::pack<float, int>"}
check(NAMES, "--report", "r.json")
report = json.loads((cases.root / "r.json").read_text())
cases.check({function["demangled"] for function in report["functions"]} == SHOWN, "SA-1: instances and overloads have names of their own", check(NAMES))
listing = cases.run("disasm", NAMES)
cases.check(all(f"// {name}, sm_80" in listing.out for name in SHOWN), "SA-1: also in the listing", listing)
for name, count in (("mixed", 2), ("ns::mixed<int,2>", 1), ("mixed<float>", 1), ("f(int*)", 1), ("f", 2), ("pack", 1), ("_ZN2ns1fEPi", 1)):
    for command, expected in (("check", f"{count} proven, 0 refuted"), ("disasm", None)):
        result = cases.run(command, NAMES, "--kernel", name)
        found = expected in result.out if expected else result.out.count("\n.kernel ") == count
        cases.check(result.status == 0 and found, f"{command} --kernel {name}", result)
for command in ("check", "disasm"):
    result = cases.run(command, NAMES, "--kernel", "mixd")
    cases.check(result.status == 2 and "no function named 'mixd' in the file, did you mean mixed?" in result.err, "a near name", result)

check(SM80, "--report", "r.json", "--slack")
report = json.loads((cases.root / "r.json").read_text())
cases.check(report["schema"] == "heddle-sass-check-1" and report["verdict"] == "proven", "SA-9: the report", None)
cases.check(all("slack" in function for function in report["functions"]), "SA-8: the report has the slack", None)
check(SM80, "--report", "r.html")
cases.check("</html>" in (cases.root / "r.html").read_text(), "the page is whole", None)

result = check(SM80, "--slack")
cases.check(" slack " in result.out and "could be won" in result.out, "SA-8: --slack prints", result)
result = check(SM80, "--fix", "fixed.cubin")
cases.check(result.status == 0 and "proven again" in result.out, "SA-8: --fix", result)
cases.check(check((cases.root / "fixed.cubin")).status == 0, "what --fix writes is proven", None)
cases.check(len((cases.root / "fixed.cubin").read_bytes()) == SM80.stat().st_size, "and as long as before", None)
if refuted:
    result = check("spoilt.cubin", "--fix", "no.cubin")
    cases.check(result.status == 2 and "nothing is fixed" in result.err and not (cases.root / "no.cubin").exists(), "SA-8: --fix refuses what is refuted", result)

result = check(SM80, "--strict")
cases.check(result.status in (0, 1), "SA-5: --strict", result)
needed = [row["name"] for row in report["assumptions"] if row["needed"]]
if needed:
    result = check(SM80, "--assume", "none")
    cases.check(result.status == 1 and "it is covered only under" in result.err, "SA-5: without assumptions it is refuted", result)
    cases.check(check(SM80, "--assume", ",".join(needed)).status == 0, "SA-5: those that it names are enough", None)

cases.end()
