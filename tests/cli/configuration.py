"""heddle config, --config and --set: presets, files, and what is refused with file, line and key."""
from harness import Cases

c = Cases()
presets = ["heddle", "baseline", "fence", "predecode", "minrc", "multi-issue", "last-use", "one-queue", "hints"]
listing = c.run("config")
c.check(listing.status == 0 and [line.split()[0] for line in listing.out.splitlines()] == presets, "the list of presets", listing)
for name in presets:
    text = c.run("config", name)
    c.check(text.status == 0 and f"name: {name}\n" in text.out, "a preset is printed", text)
    c.file("again.yaml", text.out)
    c.check(c.run("config", "again.yaml").out == text.out, f"{name} reads back to the same description")
changed = c.run("config", "heddle", "--set", "fence.counters=4", "--set=latency.sfu.latency=20")
c.check("  counters: 4\n" in changed.out and "sfu: {latency: 20, interval: 4}" in changed.out, "--set", changed)


# HW-2: the same as parameters of the hardware description.
verilog = c.run("config", "baseline", "--set", "fence.counters=4", "--emit", "verilog")
c.check(verilog.status == 0 and "\nlocalparam FENCE_COUNTERS = 4;\n" in verilog.out and '\nlocalparam FENCE_MODE = "scoreboard";\n' in verilog.out, "--emit verilog", verilog)
c.check(c.run("config", "heddle", "--emit=yaml").out == c.run("config", "heddle").out, "--emit yaml is the default")
c.expect(2, r"^heddle: error: config: --emit cannot be 'verilg', did you mean verilog\? expected yaml or verilog", "config", "heddle", "--emit", "verilg")

c.expect(2, r"^nonsense: error: is no machine, expected one of heddle, baseline", "config", "nonsense")
c.expect(2, r"^heddle: error: config: one machine at a time", "config", "heddle", "baseline")
c.file("bad.yaml", "name: bad\nfence:\n  counters: 4\n  countres: 4\n  mode: tea\nmachine:\n  cores: 0\n")
bad = c.expect(2, r"^bad.yaml:4:3: error: fence.countres is no key of a machine description, did you mean fence.counters\?$", "config", "bad.yaml")
c.check("bad.yaml:5:9: error: fence.mode cannot be 'tea', expected `fence` or `scoreboard`" in bad.err, "further errors are shown, too", bad)
c.check("bad.yaml:7:10: error: machine.cores cannot be '0', expected a number from 1 to 64 (cores)" in bad.err, "further errors are shown, too", bad)
c.file("torn.yaml", "fence: {counters: 4\n")
c.expect(2, r"^torn.yaml:2:1: error: is not YAML", "run", "x.ptx", "--config", "torn.yaml")
c.file("empty.yaml", "")
c.expect(2, r"^empty.yaml:1:1: error: is empty", "compile", "x.ptx", "--config", "empty.yaml")
c.file("together.yaml", "fence: {counters: 3, high_latency: 3}\n")
c.expect(2, r"^together.yaml: error: fence.high_latency is 3, expected fewer than fence.counters", "config", "together.yaml")
c.expect(2, r"^fence.counters=99: error: fence.counters cannot be '99', expected a number from 2 to 16", "run", "x.ptx", "--set", "fence.counters=99")
c.expect(2, r"^fence: error: is no setting, expected KEY=VALUE", "run", "x.ptx", "--set", "fence")
c.end()
