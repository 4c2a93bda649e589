"""heddle sweep report (ST-5): the page and the table hold what the file holds, with plots that are well formed; queries; what is refused. And sweeps of
whole applications on the OpenCL device (ST-1)."""
import csv
import os
import pathlib
import re
import xml.etree.ElementTree as xml

from harness import Cases, SOURCE
from sweep_tables import query

c = Cases()
c.file("study.yaml", """name: <study> & more
examples: [saxpy, reduce, goto]
machines: [heddle, baseline]
axes:
  multi_issue.window: [1, 2, 4]
  counters: [few -> fence.counters=3 fence.high_latency=1, many -> fence.counters=6]
where: [machine = heddle or multi_issue.window = 1]
area: state_bits * 2
""")
r = c.run("sweep", "study.yaml", "--db", "s.db")
c.check(r.status == 0, "the study", r)


def page(*arguments):
    r = c.run("sweep", "report", "s.db", "--report", "s.html", *arguments)
    return r, (c.root / "s.html").read_text() if r.status == 0 else ""


r, text = page()
c.check(r.status == 0 and "&#60;study&#62; &#38; more" in text and "<study>" not in text, "the page, escaped", r)
svgs = re.findall(r"<svg.*?</svg>", text, re.S)
for svg in svgs:
    xml.fromstring(svg.replace("&middot;", "."))
# Two kinds: a front and a heat map each; three axes of effects.
c.check(len(svgs) == 2 + 3 + 2, f"plots: {len(svgs)}")
c.check("http" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.S) and "<script" not in text and "nan" not in text, "self-contained, and no number that is none")
c.check("prefers-color-scheme:dark" in text and "max-width:40em" in text, "dark mode and phone width")
best = query(c.root / "s.db", "SELECT l.name, min(r.run_cycles) FROM run r JOIN launch l ON l.id = r.launch GROUP BY 1 ORDER BY 1")
for name, cycles in best:
    c.check(re.search(rf'<tr><td class="text">{name}</td><td>\w+</td><td>{cycles:,}</td>', text), f"the best of {name}: {cycles}")
for anchor in ("best", "pareto", "effects", "interactions", "heat", "plan"):
    c.check(f'id="{anchor}"' in text and f'href="#{anchor}"' in text, f"section {anchor}")
c.check("Launches: regular" in text and "Launches: unstructured" in text, "kinds are apart")
# Every machine of the front is one that no other beats.
rows = query(c.root / "s.db", "SELECT m.name, m.state_bits, r.run_cycles FROM run r JOIN machine m ON m.id = r.machine JOIN launch l ON l.id = r.launch WHERE l.name = 'goto'")
section = text[text.index("Launches: unstructured") : text.index('id="effects"')]
front = [row for row in rows if not any(o[1] <= row[1] and o[2] <= row[2] and o[1:] != row[1:] for o in rows)]
shown = set(re.findall(r'<td class="text">(.*?)</td>', section))
c.check({row[0] for row in front} >= shown and len(shown) == len({row[1:] for row in front}), f"the Pareto front: {shown}, {front}")
# A study that says something else of the same machines runs nothing, and has its own area.
(c.root / "other.yaml").write_text((c.root / "study.yaml").read_text().replace("state_bits * 2", "state_bits * 3").replace("<study> & more", "other"))
r = c.run("sweep", "other.yaml", "--db", "two.db")
(c.root / "other.yaml").write_text((c.root / "study.yaml").read_text().replace("<study> & more", "third"))
r = c.run("sweep", "other.yaml", "--db", "two.db")
c.check("0 runs now" in r.out, "nothing is run again", r)
for name, factor in (("other", 3), ("third", 2)):
    r = c.run("sweep", "report", "two.db", "--study", name, "--report", "two.csv")
    table = list(csv.DictReader((c.root / "two.csv").open()))
    c.check(len(table) == 24 and all(int(row["area"]) == factor * int(row["state_bits"]) for row in table), f"the area of {name}", r)
r, three = page("--pareto", "cycles,energy,state_bits", "--figure", "energy", "--heat", "counters,multi_issue.window", "--sql", "SELECT name, '<b>' AS x FROM machine LIMIT 1")
c.check(r.status == 0 and "larger point" in three and "of <b>energy</b>" in three and "&#60;b&#62;" in three and ">x</th>" in three, "three figures, another figure, a query", r)
c.check("energy" not in text[text.index('id="pareto"') : text.index('id="effects"')], "the front has cycles and state bits")
heat = three[three.index('id="heat"') :]
c.check(">counters</text>" in heat[: heat.index("</svg>")] and ">multi_issue.window</text>" in heat[: heat.index("</svg>")], "the heat map has both axes")
r, two = page("--pareto", "area,stall_fetch")
c.check(r.status == 0 and "stall fetch, to the best" in two, "any column is a figure", r)
# The table: a row for each run, and no column of the host.
r = c.run("sweep", "report", "s.db", "--report", "s.csv")
table = list(csv.DictReader((c.root / "s.csv").open()))
c.check(r.status == 0 and len(table) == 24 and not [k for k in table[0] if k.startswith("worker")], f"the table: {len(table)} rows", r)
c.check(all(row["status"] == "done" and int(row["run_cycles"]) > 0 and int(row["area"]) == 2 * int(row["state_bits"]) for row in table) and {row["counters"] for row in table} == {"few", "many"}, "its columns")
again = (c.root / "s.csv").read_bytes()
c.run("sweep", "report", "s.db", "--report", "s.csv")
c.check((c.root / "s.csv").read_bytes() == again, "the same bytes again")
# Queries.
r = c.run("sweep", "report", "s.db", "--sql", "SELECT kind, count(*) AS n FROM launch GROUP BY 1")
c.check(r.status == 0 and r.out == "kind,n\nregular,2\nunstructured,1\n", "a query", r)
before = (c.root / "s.db").read_bytes()
for sql, expected in (("DROP TABLE run", "does more than read"), ("ATTACH 'other.db' AS o", "does more than read"), ("SELECT nonsense", "no such column"), ("SELECT 1; DROP TABLE run", "expected one query")):
    r = c.run("sweep", "report", "s.db", "--sql", sql)
    c.check(r.status == 2 and expected in r.err, f"{sql}: {expected}", r)
c.check((c.root / "s.db").read_bytes() == before and not (c.root / "other.db").exists(), "queries change nothing")
for arguments, expected in ((("--pareto", "cycles"), "--pareto takes 2 or 3"), (("--pareto", "a,b,c,d"), "--pareto takes"), (("--pareto", "cycles,energi"), "did you mean energy"), (("--heat", "machine"), "--heat takes"),
                            (("--heat", "machine,widnow"), "has no axis"), (("--figure", "cycels"), "did you mean cycles"), (("--study", "other"), "has no study other")):
    r, _ = page(*arguments)
    c.check(r.status == 2 and expected in r.err, f"{arguments}: {expected}", r)
r = c.run("sweep", "report", "s.db", "--report", "s.txt")
c.check(r.status == 2 and ".html or .csv" in r.err, "an ending that is none", r)
# A folder that cannot be written: the file can be read all the same (root writes everywhere, so only what others see is tested there).
os.chmod(c.root / "s.db", 0o444)
r = c.run("sweep", "status", "s.db")
c.check(r.status == 0 and "24 done" in r.out, "a file that cannot be written is read", r)

# ST-1: a whole application under the OpenCL device, on two machines.
build = pathlib.Path(os.environ["HEDDLE_BUILD"])
vendors, application = build / "opencl-vendors", build / "tests/kernels/heddle-examples"
if (build / "src/opencl/libheddle-opencl.so").exists() and vendors.exists() and application.exists():
    os.environ["OCL_ICD_VENDORS"], os.environ["EX_OPENCL_PLATFORM"] = str(vendors), "Heddle"
    c.file("app.yaml", f"commands: ['{application} --opencl --size 0 reduce']\nmachines: [heddle, baseline]\naxes: {{memory.dram_latency: [100, 900]}}\n")
    r = c.run("sweep", "app.yaml", "--jobs", 2)
    rows = query(c.root / "app.db", "SELECT m.name, r.run_cycles, r.energy_total_fj, r.message FROM run r JOIN machine m ON m.id = r.machine ORDER BY 1")
    c.check(r.status == 0 and len(rows) == 4 and len({row[1] for row in rows}) >= 3 and all(row[1] and row[2] for row in rows), f"an application on four machines: {rows}", r)
    r = c.run("sweep", "app.yaml")
    c.check("0 runs now" in r.out, "an application is not run twice", r)
    # Everything that decides about the device is in the name of the run: its settings, and the driver itself.
    os.environ["HEDDLE_MEMORY"], os.environ["HEDDLE_FUNCTIONAL"] = "64", "1"
    r = c.run("sweep", "app.yaml")
    del os.environ["HEDDLE_MEMORY"], os.environ["HEDDLE_FUNCTIONAL"]
    c.check("4 runs now" in r.out and "4 done" in r.out, "another device memory is another run, and the interpreter is not asked", r)
    (c.root / "vendors").mkdir()
    driver = c.root / "driver.so"
    driver.write_bytes((build / "src/opencl/libheddle-opencl.so").read_bytes() + b"more")
    c.file("vendors/heddle.icd", f"{driver}\n")
    os.environ["OCL_ICD_VENDORS"] = str(c.root / "vendors")
    r = c.run("sweep", "app.yaml", "--dry-run")
    c.check("4 of 4 runs are missing" in r.out, "another driver is another run", r)
    os.environ["OCL_ICD_VENDORS"] = str(vendors)
    r = c.run("sweep", "app.yaml", "--dry-run")
    c.check("0 of 4 runs are missing" in r.out, "a dry run says what is missing", r)
    c.file("cut.yaml", f"commands: ['{application} --opencl --size 0 reduce']\nlimits: {{cycles: 10}}\n")
    r = c.run("sweep", "cut.yaml")
    c.check(r.status == 1 and "failed" in r.out, "an application whose kernel hits the limit", r)
else:
    print("no OpenCL application was built: sweeps of applications were not tested")
c.end()
