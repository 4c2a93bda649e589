"""heddle run and heddle coverage of machine code of real GPUs (SR-4, SR-11, SR-17): values, messages, exit statuses."""
import json
import struct

from harness import Cases, SOURCE, values

cases = Cases()
FIXTURES = SOURCE / "tests/sm/fixtures"
SM80 = FIXTURES / "values-sm80.cubin"
LAUNCH = ("--grid", "1", "--block", "8")


def run(program, *arguments):
    return cases.run("run", program, *LAUNCH, *arguments)


out, report = cases.root / "o.npy", cases.root / "r.json"
result = run(SM80, "--functional", "--kernel", "variables", "--arg", f"out:{out}:i32:8", "--report", report)
cases.check(result.status == 0, "a cubin runs", result)
cases.check(list(values(out)) == [301003, 402001, 303004, 404001, 301005, 402009, 303002, 404006], f"and has values, {values(out)}", result)
cases.check(json.loads(report.read_text())["run"]["warp_instructions"] > 10, "and a report", result)

result = run(SM80, "--kernel", "variables", "--arg", f"out:{out}:i32:8")
cases.check(result.status == 2 and "expected --functional" in result.err, "a timed run is refused", result)
result = run(SM80, "--functional", "--kernel", "variable", "--arg", f"out:{out}:i32:8")
cases.check(result.status == 2 and "variables" in result.err, "a kernel that is not there is refused, and the nearest named", result)
result = run(SM80, "--functional", "--kernel", "variables")
cases.check(result.status == 2 and "has 1 parameter, got 0" in result.err, "arguments are counted", result)
result = run(SM80, "--functional", "--kernel", "variables", "--arg", "u64:4096")
cases.check(result.status == 1 and "STG.E" in result.err and "0x1000" in result.err and "thread (0,0,0)" in result.err, "SR-17: a trap has its place", result)
result = cases.run("disasm", SM80, "--kernel", "variables")
cases.check(result.status == 0, "disasm still works", result)


def spoilt(kernel):
    """The fixture with a first word of the kernel that the table does not know."""
    data = bytearray(SM80.read_bytes())
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if data[start:data.index(b"\0", start)] == b".text." + kernel:
            data[header[4]:header[4] + 2] = bytes.fromhex("607f")
    return cases.file("spoilt.cubin", bytes(data))


bad = spoilt(b"variables")
result = run(bad, "--functional", "--kernel", "variables", "--arg", "u64:0")
cases.check(result.status == 2 and "'variables' cannot run: an unknown instruction, opcode 0x160: 0x0000 `.word" in result.err, "no meaning: refused with its place", result)
result = run(bad, "--functional", "--kernel", "waits", "--arg", "out:w.npy:u32:8")
cases.check(result.status == 0, "other kernels of the file run", result)

result = cases.run("coverage", SM80, FIXTURES / "values-sm90.cubin")
cases.check(result.status == 0 and "sm_80: 21 of 21 functions can run (100.0 %)" in result.out and "sm_90: 21 of 21" in result.out, "SR-11: coverage", result)
result = cases.run("coverage", bad)
cases.check(result.status == 0 and "20 of 21" in result.out and "1 functions: an unknown instruction, opcode 0x160" in result.out, "SR-11: and what is missing", result)
result = cases.run("coverage", SM80, "--arch", "75")
cases.check(result.status == 2 and "has no code" in result.err, "another architecture", result)
result = cases.run("coverage")
cases.check(result.status == 2 and "no input" in result.err, "no file", result)
cases.end()
