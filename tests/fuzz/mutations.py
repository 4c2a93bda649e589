"""The examples' own PTX, assembly and objects, changed by fixed seeds, through the readers and through the whole chain: a message or a result, in bounded time and memory,
never a crash (fuzz_assembly.c, fuzz_object.c, fuzz_chain.c say what must hold).

usage: mutations.py HEDDLE FOLDER-OF-PROGRAMS [FIRST [COUNT]]: the suite runs few; `tools/fuzz.sh` many, from another seed each time."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HEDDLE, programs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
count = int(sys.argv[4]) if len(sys.argv) > 4 else 0
SOURCE = pathlib.Path(os.environ["HEDDLE_SOURCE"])
EXAMPLES = ["saxpy/saxpy", "reduce/reduce", "bfs/bfs", "divergent/divergent", "unstructured/goto", "histogram/histogram"]
# The targets in the suite, and how long one program may take for it.
TARGETS = {"assembly": ("asm", 200), "object": ("hko", 400), "chain": ("ptx", 80)}
LIMIT_SECONDS, LIMIT_KIB = 240, 2 << 20

failed = 0
with tempfile.TemporaryDirectory(prefix="heddle-fuzz-") as folder:
    root = pathlib.Path(folder)
    for example in EXAMPLES:
        name = example.split("/")[1]
        for kind in ("ptx", "asm", "hko"):
            source = SOURCE / f"examples/{example}.cl" if kind == "ptx" else root / f"{name}.ptx"  # clang runs once
            command = [HEDDLE, "compile", source, *(["--emit", kind] if kind != "hko" else []), "-o", root / f"{name}.{kind}"]
            subprocess.run(command, check=True)
    for target, (kind, few) in TARGETS.items():
        n = count or few
        command = [programs / f"fuzz-{target}-mutations", str(first), str(n), *sorted(str(path) for path in root.glob(f"*.{kind}"))]
        environment = {**os.environ, "FUZZ_KEEP": str(root / "input"), "FUZZ_SHOW": "1"}
        try:
            result = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=LIMIT_SECONDS if not count else None)
        except subprocess.TimeoutExpired as stopped:
            print(f"FAILED: {target}: seed {(stopped.stderr or b'').decode(errors='replace').split()[-1:]} takes too long")
            failed += 1
            continue
        if result.returncode != 0:
            kept = pathlib.Path(tempfile.gettempdir()) / f"heddle-fuzz-{target}-{os.getpid()}"
            kept.write_bytes((root / "input").read_bytes() if (root / "input").exists() else b"")
            print(f"FAILED: {target}: exit status {result.returncode}; the input is kept as {kept}\n{result.stderr[-3000:]}")
            failed += 1
        print(f"{target}: {n} inputs from seed {first}")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"at most {peak >> 10} MiB")
if peak > LIMIT_KIB:
    print(f"FAILED: more than {LIMIT_KIB >> 10} MiB")
    failed += 1
sys.exit(failed != 0)
