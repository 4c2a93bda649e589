"""heddle sweep of a whole CUDA program that `heddle cc` has built (ST-1): started by itself and by `heddle cudart`, on four machines. What decides about
its device is in the names of its runs (ST-2)."""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cases, HEDDLE
from sweep_tables import dump, query

c = Cases()
c.file("app.cu", """#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void step(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] + 0.25f * (in[i ? i - 1 : i] - 2 * in[i] + in[i + 1 < n ? i + 1 : i]);
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 256;
	std::vector<float> host(n, 1.f);
	float *a, *b;
	if (cudaMalloc(&a, n * 4) || cudaMalloc(&b, n * 4))
		return 3;
	cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
	step<<<(n + 63) / 64, 64>>>(a, b, n);
	step<<<(n + 63) / 64, 64>>>(b, a, n);
	cudaMemcpy(host.data(), a, n * 4, cudaMemcpyDeviceToHost);
	for (float f : host)
		if (f != 1.f)
			return 4;
	printf("%d\\n", n);
}
""")
r = c.run("cc", "app.cu", "-o", "app")
c.check(r.status == 0, "heddle cc", r)
os.environ["TMPDIR"] = str(c.root)
c.file("app.yaml", f"""commands: [small -> ./app 256, ./app 1024, 'by hand -> {HEDDLE} cudart -- ./app 256']
axes: {{fence.counters: [3, 6], memory.dram_latency: [100, 900]}}
""")
r = c.run("sweep", "app.yaml", "--jobs", 2)
rows = query(c.root / "app.db", "SELECT l.name, m.name, r.run_cycles, r.energy_total_fj, l.kind FROM run r JOIN machine m ON m.id = r.machine JOIN launch l ON l.id = r.launch ORDER BY 2, 1")
c.check(r.status == 0 and len(rows) == 12 and all(row[2] > 0 and row[3] > 0 and row[4] == "application" for row in rows), f"three applications on four machines: {rows}", r)
cycles = {(row[0], row[1]): row[2] for row in rows}
for machine in {row[1] for row in rows}:
    c.check(cycles["small", machine] == cycles["by hand", machine] < cycles["./app 1024", machine], f"the library is found either way: {machine}")
c.check(len({value for (name, _), value in cycles.items() if name == "small"}) == 2, f"the machine decides: {cycles}")
r = c.run("sweep", "app.yaml", "--db", "one.db", "--jobs", 1)
c.check(dump(c.root / "one.db") == dump(c.root / "app.db"), "any number of jobs gives the same rows", r)
r = c.run("sweep", "report", "app.db", "--report", "app.html")
c.check(r.status == 0 and "Launches: application" in (c.root / "app.html").read_text(), "the page", r)


def missing(expected, what, study="app", **variables):
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    r = c.run("sweep", f"{study}.yaml", "--dry-run")
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
    c.check(r.status == 0 and f"\n{expected} of " in r.out, what, r)


missing(0, "nothing is run twice")
# Another libcudart.so, and another device behind it, are other runs, except for `heddle cudart`, whose own folders come first. The same ones in another
# place are the same runs.
runtime = pathlib.Path(HEDDLE).parent / "src/cuda"
(c.root / "12").mkdir()
shutil.copy(runtime / "12/libcudart.so.12", c.root / "12")
shutil.copy(runtime / "libheddle-cuda.so", c.root)
missing(0, "a copy of the libraries", LD_LIBRARY_PATH=str(c.root / "12"))
device = c.root / "libheddle-cuda.so"
device.write_bytes(device.read_bytes() + b"more")
missing(8, "another device", LD_LIBRARY_PATH=str(c.root / "12"))
device.unlink()
missing(8, "a device that is not there", LD_LIBRARY_PATH=str(c.root / "12"))
shutil.copy(runtime / "libheddle-cuda.so", c.root)
library = c.root / "12/libcudart.so.12"
library.write_bytes(library.read_bytes() + b"more")
missing(8, "another library", LD_LIBRARY_PATH=f"/nowhere::{c.root / '12'}")
# The program can be a word of another one.
c.file("word.yaml", "commands: ['env ./app 256']\n")
r = c.run("sweep", "word.yaml")
missing(0, "a program among the words", study="word")
missing(1, "another library of it", study="word", LD_LIBRARY_PATH=str(c.root / "12"))
missing(0, "folders without it", LD_LIBRARY_PATH=f"{c.root}:/nowhere")
missing(12, "another memory of the device", HEDDLE_MEMORY="64")
missing(12, "accesses outside of buffers may be warnings", HEDDLE_BOUNDS="warn")
missing(0, "which they usually are not", HEDDLE_BOUNDS="trap")
missing(0, "the study has the limit of cycles", HEDDLE_MAX_CYCLES="10")
os.environ["HEDDLE_MAX_CYCLES"] = "10"
r = c.run("sweep", "app.yaml", "--db", "limit.db")
c.check(r.status == 0 and dump(c.root / "limit.db") == dump(c.root / "app.db"), "a limit of the environment ends no run", r)
del os.environ["HEDDLE_MAX_CYCLES"]
c.file("app.yaml", "commands: [./app 256]\nlimits: {cycles: 10}\n")
r = c.run("sweep", "app.yaml", "--db", "cut.db")
c.check(r.status == 1 and "1 failed" in r.out, "the study's limit does", r)
# A program that is no ELF file, and one that says it is.
for name, content in (("text", b"#!/bin/sh\nexit 5\n"), ("bad", b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8)):
    (c.root / name).write_bytes(content)
    os.chmod(c.root / name, 0o755)
    c.file("app.yaml", f"commands: [./{name} text bad]\n")
    r = c.run("sweep", "app.yaml", "--db", f"{name}.db")
    c.check(r.status == 1 and "1 failed" in r.out, f"{name}: a row", r)
c.check(not list(c.root.glob("heddle-sweep-*")), "no folder is left")
c.end()
