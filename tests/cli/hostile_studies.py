"""heddle sweep with studies and files of results from outside: what is read stays as it was, with nothing beside it, and what is wrong is one line with its
place (ST-1, ST-2, ST-5)."""
import os
import random
import resource
import shutil
import sqlite3
import subprocess

from harness import Cases
from sweep_tables import TABLES, query

c = Cases()
os.chmod(c.root, 0o755)
AXES = "examples: [saxpy 0, goto 0]\naxes:\n  issue: [single -> multi_issue.window=1, double -> multi_issue.window=2]\n"
STUDY = AXES + "  memory.dram_latency: [100, 200]\narea: state_bits\ntables:\n  t:\n    - cycles -> base.cycles\n    - each -> ratio(base.cycles, each.cycles)\n  u:\n    - x -> mean(own.cycles)\n"
c.file("s.yaml", STUDY)
r = c.run("sweep", "s.yaml", "--db", "s.db")
c.check(r.status == 0, "the study", r)
before = (c.root / "s.db").read_bytes()
READERS = (("status", "{}"), ("report", "{}", "--table", "all"), ("report", "{}", "--report", "out/page.html"), ("report", "{}", "--report", "out/rows.csv"), ("report", "{}", "--sql", "SELECT * FROM run"),
           ("merge", "out/merged.db", "{}"), ("s.yaml", "--db", "out/done.db", "--done", "{}"), ("s.yaml", "--db", "{}", "--dry-run"))


def beside(folder, name="s.db"):
    return sorted(path.name for path in (c.root / folder).iterdir() if path.name.startswith(name + "-"))


def read(db, what, left=(), before=None):
    """Every command that reads the file, with what is beside it afterwards."""
    for words in READERS:
        shutil.rmtree(c.root / "out", ignore_errors=True)
        os.mkdir(c.root / "out")
        os.chmod(c.root / "out", 0o777)
        r = c.run("sweep", *(word.format(db) for word in words), before=before)
        folder, _, name = db.rpartition("/")
        c.check(r.status == 0 and not r.err, f"{what}: {words[0]}", r)
        c.check(beside(folder, name) == list(left), f"{what}: {words[0]} leaves {beside(folder, name)} beside the file", r)


read("s.db", "a file")
c.check((c.root / "s.db").read_bytes() == before, "the file is as it was")
# A sweep that was killed leaves its log, which belongs to the results.
os.mkdir(c.root / "killed")
with sqlite3.connect(c.root / "s.db") as writer:
    writer.execute("UPDATE launch SET name = 'from the log' WHERE name LIKE 'saxpy%'")
    writer.commit()
    for end in ("", "-wal", "-shm"):
        # Another process copies: closing a file ends all locks that this one has on it.
        subprocess.run(["cp", c.root / f"s.db{end}", c.root / f"killed/s.db{end}"], check=True)
    # Files of somebody who has the results open stay, and go with their owner.
    read("s.db", "a file that is open", ("s.db-shm", "s.db-wal"))
    writer.execute("UPDATE launch SET name = 'saxpy 0' WHERE name = 'from the log'")
writer.close()
c.check(not beside("."), "and go with their owner")
r = c.run("sweep", "report", "killed/s.db", "--sql", "SELECT name FROM launch ORDER BY 1")
c.check("from the log" in r.out and not beside("killed"), f"the log of a killed sweep is read, and nothing is beside: {beside('killed')}", r)


# Who may not write reads all the same. Root may, so it becomes somebody else.
def nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


for mode in (0o555, 0o777):
    os.mkdir(c.root / f"fixed-{mode:o}")
    for name in ("s.db", "?x=%20#.db"):
        path = c.root / f"fixed-{mode:o}/{name}"
        shutil.copy(c.root / "s.db", path)
        os.chmod(path, 0o444)
    os.chmod(c.root / f"fixed-{mode:o}", mode)
    for name in ("s.db", "?x=%20#.db"):
        read(f"fixed-{mode:o}/{name}", f"a file that cannot be written in a folder of mode {mode:o}", before=nobody)
    os.chmod(c.root / f"fixed-{mode:o}", 0o755)

# Whoever reads cannot write, with a query or with the text of a study.
before = (c.root / "s.db").read_bytes()
RECURSION = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
for sql, expected in (("DELETE FROM run", "does more than read"), ("UPDATE run SET run_cycles = 1 RETURNING id", "does more than read"), ("PRAGMA journal_mode = DELETE", "does more than read"), ("PRAGMA query_only = 0", "does more than read"),
                      ("ATTACH 'made.db' AS o", "does more than read"), ("VACUUM INTO 'made.db'", "authorization denied"), ("CREATE TEMP TABLE t(x)", "does more than read"), ("BEGIN", "does more than read"),
                      ("SELECT * FROM pragma_user_version", "not authorized"), ("SELECT hex(zeroblob(1000000))", "too big"), ("SELECT 1 / 0, x FROM run", "no such column: x"),
                      (f"{RECURSION} count(*) FROM (SELECT DISTINCT i, randomblob(10000) FROM n)", "takes more than 512 MiB")):
    r = c.run("sweep", "report", "s.db", "--sql", sql)
    c.check(r.status == 2 and expected in r.err and r.err.count("\n") == 1, f"{sql}: {expected}", r)
c.check((c.root / "s.db").read_bytes() == before and not (c.root / "made.db").exists(), "queries write nothing")
COLUMNS = {
    "x -> base.nought": "no such column: ", "x -> [three].cycles": "no such column: three.cycles", "x -> base.cycles +": "syntax error", "x -> base.cycles, 2": "row value misused", "x -> base.cycles /*": "incomplete input",
    "x -> (DELETE FROM run)": "syntax error", "x -> 1) FROM run b; DELETE FROM run --": "is no query", "x -> 1); ATTACH 'made.db' AS o --": "is no query", "x -> (SELECT 1 FROM pragma_user_version)": "not authorized",
    "x -> load_extension('x')": "not authorized", "x -> " + "(" * 1500 + "1" + ")" * 1500: "overflow", "x -> " + "1" * 5000: "more than 4000 characters", "x": "expected HEAD -> EXPRESSION",
}
for column, expected in COLUMNS.items():
    text = AXES + "tables:\n  t:\n    - '" + column.replace("'", "''") + "'\n"
    c.file("t.yaml", text)
    r = c.run("sweep", "t.yaml", "--db", "t.db")
    c.check(r.status == 2 and r.err.startswith("t.yaml:6:7: error: ") and expected in r.err and r.err.count("\n") == 1 and not (c.root / "t.db").exists(), f"{column[:60]}: {expected}", r)
    # The same text in a file of results.
    shutil.copy(c.root / "s.db", c.root / "t.db")
    with sqlite3.connect(c.root / "t.db") as database:
        database.execute("UPDATE study SET text = ?", (text,))
    database.close()
    before = (c.root / "t.db").read_bytes()
    r = c.run("sweep", "report", "t.db", "--table", "all")
    c.check(r.status == 2 and expected in r.err and r.err.count("\n") == 1 and (c.root / "t.db").read_bytes() == before and not beside(".", "t.db"), f"in a file of results: {column[:60]}: {expected}", r)
    os.unlink(c.root / "t.db")
c.check(not (c.root / "made.db").exists(), "tables write nothing")
# What is no number has no digits, and names cannot break a table.
c.file("t.yaml", 'examples: [saxpy 0]\naxes:\n  issue:\n    - "o|n\\ne]\\"\' -> multi_issue.window=1"\n    - "[two]]. -> multi_issue.window=2"\ntables:\n  t:\n' + "".join(f"    - '{column}'\n" for column in (
    "a -> ratio(base.cycles, 0)", "b -> base.cycles / 0", "c -> 9e999", "d -> ''''", "e -> 1e300", '"f|g" -> own.cycles > 0', "each -> ratio(each.cycles, each.cycles)")))
r = c.run("sweep", "t.yaml")
r = c.run("sweep", "report", "t.db", "--table", "t")
c.check(r.out.splitlines() == ["| issue | a, regular | b | c | d | e | \"f\\|g\" | [two]]., regular |", "|---|--:|--:|--:|--:|--:|--:|--:|", "| o\\|n e]\"' | - | - | - | - | 1e+300 | 1 | 1.000 |", "| [two]]. | - | - | - | - | 1e+300 | 1 | 1.000 |"],
        "a table with odd names and numbers", r)

# Texts of studies that no study has. Each is one line, soon, and leaves nothing.
TWO = "axes:\n  memory.dram_latency: 1..1000\n  memory.l2_latency: 1..1000\n"
TEXTS = {
    "examples: {a: saxpy}\n": "bad.yaml:1:1: error: examples is no section", "examples: [saxpy]\naxes: 3\n": "bad.yaml:2:7: error: axes: expected a mapping", "examples: [saxpy]\nlimits: [1]\n": "bad.yaml:2:10: error: limits: expected a mapping",
    AXES + "tables: {t: {x: y}}\n": "bad.yaml:4:10: error: tables.t is no section", "examples: [saxpy]\naxes: &a\n  x: *a\n": "bad.yaml:3:6: error: axes.x: expected a value or a mapping, got an alias", "*a : 1\n": "bad.yaml:1:1: error: is not a key",
    "examples: [saxpy]\n<<: {a: 1}\n": "bad.yaml:2:1: error: is not a key", "{" * 100000: "bad.yaml:1:2: error: is not a key", AXES + "average: [nothing]\n": "bad.yaml:4:11: error: there is no axis 'nothing'", 'name: "a\\nb"\nexamples: [saxpy]\n': "bad.yaml:1:7: error: name cannot be 'a'",
    AXES + "sample: {kind: latin, count: 1000000000}\n": "bad.yaml:4:30: error: sample.count cannot be '1000000000'", "examples: [saxpy]\naxes: {memory.dram_latency: 1..4294967295}\n": "expected at most 4096",
    "examples: [saxpy]\n" + TWO + "  memory.l1_latency: 1..1000\n": "product of more than 1000000 points", "examples: [saxpy]\nwhere: [" + ", ".join(["1 = 1"] * 1000) + "]\n" + TWO: "bad.yaml:2:5609: error: constraints have more than 4000 characters",
    "examples: [saxpy]\naxes: {a: ['x -> " + "queue.*.hazard=1 " * 200 + "']}\n": "bad.yaml:2:12: error: one setting too many", "examples: [saxpy]\naxes: {memory.dram_latency: 1..70}\ntables: {t: [each -> each.cycles]}\n": "at most 64 tables in a join",
    "examples: [saxpy]\naxes: {memory.dram_latency: 1..1000}\ntables: {t: [each -> each.cycles, each x -> each.cycles]}\n": "bad.yaml:3:10: error: table t has more than 1000 columns", "commands: [/bin/true]\ninputs: [/dev/zero]\n": "/dev/zero: error: is no regular file",
    "examples: [saxpy]\nmachines: [/dev/zero]\n": "/dev/zero: error: ", AXES + "area: 1000000000 * 1000000000\n": "bad.yaml:4:7: error: '1000000000 * 1000000000' is no expression",
}
for text, expected in TEXTS.items():
    c.file("bad.yaml", text)
    r = c.run("sweep", "bad.yaml", "--db", "bad.db", before=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
    c.check(r.status == 2 and expected in r.err and r.err.count("\n") == 1 and not (c.root / "bad.db").exists(), f"{text[:80]!r}: {expected}", r)

# Values and bytes in files of results that no sweep writes: no command crashes, and each says one thing at most.
ODD = (None, -1, 2**63 - 1, -(2**63), 1e308, float("inf"), "", "text", b"\x00\xff\x80", "a\nb|c]\"'<b>\x1b[31m", "x" * 100000)
COLUMNS = {table: [row[1] for row in query(c.root / "s.db", f"PRAGMA table_info({table})")] for table in TABLES}
SCHEMA = query(c.root / "s.db", "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL")


def rewrite(database, sql, rows):
    """Changes texts of the schema behind SQLite's back."""
    database.execute("PRAGMA writable_schema = 1")
    database.executemany(sql, rows)
    database.execute(f"PRAGMA schema_version = {database.execute('PRAGMA schema_version').fetchone()[0] + 1}")
    database.close()
    return sqlite3.connect(c.root / "odd.db", isolation_level=None)


def odd_value(table, column, value):
    """A column with this value in all rows, which NOT NULL does not prevent."""
    database = rewrite(sqlite3.connect(c.root / "odd.db", isolation_level=None), "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = ?", [("table",)])
    database.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
    rewrite(database, "UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1", SCHEMA).close()


draw = random.Random(7)
cases = [("point", "axis", None), ("study", "text", None), ("run", "status", ODD[9])] + [(table, draw.choice(COLUMNS[table]), draw.choice(ODD)) for _ in range(3) for table in TABLES]
for case in cases + list(range(12)):
    data = bytearray((c.root / "s.db").read_bytes())
    if isinstance(case, int):
        for _ in range(draw.choice((1, 10, 100))):
            data[draw.randrange(len(data))] = draw.randrange(256)
    c.file("odd.db", bytes(data))
    if not isinstance(case, int):
        odd_value(*case)
    for words in READERS[:4]:
        r = c.run("sweep", *(word.format("odd.db") for word in words))
        c.check(r.status in (0, 2) and r.err.count("\n") == (r.status == 2) and "anitizer" not in r.err and "\x1b" not in r.out and not beside(".", "odd.db"), f"{case}: {words}", r)
c.end()
