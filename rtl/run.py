#!/usr/bin/env python3
"""Lint, lockstep, formal proofs and mutations of the modules in rtl/ (`tools/rtl.sh`; rtl/README.md).

    rtl/run.py lint                        Verilator, Icarus and Yosys read each module without a word
    rtl/run.py lockstep --cycles 1000000   each module against its C unit (HW-4), in several sizes
    rtl/run.py replay --size 1             each module against what the timed machine recorded on every example and preset (HW-4)
    rtl/run.py formal                      the properties of rtl/formal (HW-5)
    rtl/run.py mutants                     the mutations of rtl/mutants.list (HW-6): does lockstep or a proof notice?
    rtl/run.py all                         lint, lockstep, replay and formal

Names of modules behind the command restrict it to them. Status 77: a tool is missing. Lockstep needs build/libheddle.a (`make build`, or --build).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import configurations
import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = {"lint": ["verilator", "iverilog", "yosys"], "lockstep": ["verilator", "g++"], "replay": ["verilator", "g++"], "formal": ["yosys", "yosys-smtbmc", "z3"]}
TOOLS["mutants"] = TOOLS["all"] = sorted({tool for tools in TOOLS.values() for tool in tools})
SKIPPED = 77  # exit status of a test that cannot run here


class Failure(Exception):
    """A check that failed; the text says which and why."""


def command(*words, **options):
    """Runs a command. Returns its exit status and its output."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    return done.returncode, done.stdout


def must(*words, **options):
    status, output = command(*words, **options)
    if status:
        raise Failure(f"{' '.join(str(word) for word in words)}: status {status}\n{output}")
    return output


def sources(module, rtl):
    """The files of a module: its own, and those of the modules in it."""
    return [rtl / f"{name}.sv" for name in [*configurations.PARTS.get(module, []), module]]


def title(module, parameters):
    return f"{module} {' '.join(f'{name}={value}' for name, value in parameters.items())}".strip()


def lint(modules, rtl, options):
    for module in modules:
        for parameters in configurations.LOCKSTEP[module][:1] if options.smallest else configurations.LOCKSTEP[module]:
            files = sources(module, rtl)
            verilog = [f"-G{name}={value}" for name, value in parameters.items()]
            chparam = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
            tops = [f"-P{module}.{name}={value}" for name, value in parameters.items()]
            said = must("verilator", "--lint-only", "-Wall", "--top-module", module, *verilog, *files)
            said += must("iverilog", "-g2012", "-Wall", "-t", "null", "-s", module, *tops, *files)
            read = f"read_verilog -defer -sv {' '.join(str(file) for file in files)}; hierarchy -top {module}{chparam}; proc; check -assert"
            said += must("yosys", "-q", "-p", read + "; select -assert-none t:$dlatch t:$_DLATCH_P_ t:$sr")
            if said.strip():
                raise Failure(f"{title(module, parameters)}: {said}")
        print(f"lint {module}: no word from Verilator, Icarus and Yosys, no latch")


def state_of(text):
    """State is what a comment `// state` behind its declaration names."""
    return re.findall(r"^\s*logic (?:\[[^\]]*\] )?(\w+)(?: \[[^\]]*\])?; // state", text, re.M)


def shim(module, text):
    """dut.cpp: the table of ports and state of the verilated module."""
    ports = re.findall(r"^\s*(?:input|output) logic (?:signed )?(?:\[[^\]]*\] )?(\w+)", text, re.M)
    state = state_of(text)
    rows = [f'\t{{"{name}", &dut.{name}, sizeof dut.{name}}},' for name in ports]
    rows += [f'\t{{"{name}", &dut.rootp->{module}__DOT__{name}, sizeof dut.rootp->{module}__DOT__{name}}},' for name in state]
    clock = "dut.clk = level;\n\tdut.eval();" if "clk" in ports else ""
    return f"""#include "Vdut.h"
#include "Vdut___024root.h"
#include "lockstep.h"
static Vdut dut;
lockstep_port dut_ports[] = {{
{chr(10).join(rows)}
}};
const unsigned dut_n_ports = sizeof dut_ports / sizeof *dut_ports;
void dut_new(void) {{ dut.eval(); }}
void dut_eval(void) {{ dut.eval(); }}
void dut_clock(bool level) {{
	(void)level;
	{clock}
}}
"""


def runtime(folder):
    """Verilator's own sources, compiled once."""
    root = must("verilator", "--getenv", "VERILATOR_ROOT").strip()
    include = pathlib.Path(root) / "include"
    objects = []
    for name in ("verilated", "verilated_threads"):
        objects.append(folder / f"{name}.o")
        if not objects[-1].exists():
            must("g++", "-O2", "-c", "-I", include, "-I", include / "vltstd", "-o", objects[-1], include / f"{name}.cpp")
    return include, objects


def netlist(module, parameters, rtl, folder):
    """A module as Yosys writes it. Verilator and Yosys do not read every expression in the same way, and Yosys says nothing."""
    chparam = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    read = f"read_verilog -sv {' '.join(str(file) for file in sources(module, rtl))}; hierarchy -top {module}{chparam}"
    must("yosys", "-q", "-p", f"{read}; proc; flatten; opt; rename -top {module}; write_verilog -noattr {folder / module}.v")
    return [folder / f"{module}.v"]


def bench(module, parameters, rtl, folder, build, quick=False, replay=False, synthesized=False):
    """Builds the program that runs module and C unit in lockstep, or the one that replays recordings. `quick`: what does not depend on the module is
    built once."""
    include, objects = runtime(folder)
    at = folder / re.sub(r"\W+", "_", ("replay " if replay else "") + title(module, parameters))
    at.mkdir(exist_ok=True)
    for file in at.glob("Vdut*"):
        file.unlink()
    sizes = [] if synthesized else [f"-G{name}={value}" for name, value in parameters.items()]
    files = netlist(module, parameters, rtl, at) if synthesized else sources(module, rtl)
    text = (rtl / f"{module}.sv").read_text()
    public = ["--public-flat-rw"] if state_of(text) else []  # without it the program of a large module is half as large
    must("verilator", "--cc", *public, "-O3", "-Wno-fatal", "--prefix", "Vdut", "--Mdir", at, "--top-module", module, *sizes, *files)
    harness, src = ROOT / "rtl/lockstep", ROOT / "src"
    (at / "dut.cpp").write_text("".join(f'#include "{file.name}"\n' for file in sorted(at.glob("Vdut*.cpp"))) + shim(module, text))
    folders = ["-I", include, "-I", include / "vltstd", "-I", at, "-I", harness, "-I", src]
    must("g++", "-O0" if quick else "-O1" if replay else "-O2", "-w", *folders, "-c", at / "dut.cpp", "-o", at / "dut.o")
    numbers = {name: re.sub(r"^\d+'h", "0x", str(value)) for name, value in parameters.items()}
    defines = [f"-D{name}={value}" for name, value in numbers.items() if int(value, 0) < 1 << 32] + ["-DLOCKSTEP_REPLAY"] * replay
    defines += ["-DRTL_CLOG2(n)=((n)<=2?1:(n)<=4?2:(n)<=8?3:(n)<=16?4:(n)<=32?5:(n)<=64?6:7)", "-D_POSIX_C_SOURCE=200809L"]
    flags = ["-std=c17", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-I", src, "-I", harness, "-I", ROOT / "tests/core"]
    parts = ["lockstep", module] + ["replay"] * replay
    for name in parts:
        if not quick or not (at / f"{name}_bench.o").exists():
            must("gcc", *flags, *defines, "-c", harness / f"{name}.c", "-o", at / f"{name}_bench.o")
    cmocka = ["-lcmocka"] if "stage_rig.h" in (harness / f"{module}.c").read_text() else []  # a bench that borrows the core of the unit tests
    libraries = [build / "libheddle.a", *cmocka, "-lelf", "-lyaml", "-ljansson", "-lm", "-pthread"]
    must("g++", "-o", at / "bench", *[at / f"{name}_bench.o" for name in parts], at / "dut.o", *objects, *libraries)
    return at / "bench"


def side_by_side(work, jobs):
    """Does `work` for each job, as many at once as there are processors that this program may use (taskset), and gives the results in the order of the
    jobs. The first failure ends it."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            yield from pool.map(work, jobs)
        except Exception:
            pool.shutdown(cancel_futures=True)
            raise


def lockstep(modules, rtl, folder, options, quick=False, other_sizes=False):
    """`quick`: the smallest size of each module, and no word unless it fails. `other_sizes`: the others instead."""
    smallest = quick or options.smallest

    def one(job):
        module, parameters = job
        program = bench(module, parameters, rtl, folder, options.build, quick, synthesized=options.netlist)
        began = time.monotonic()
        status, output = command(program, options.cycles, options.seed, program.parent / "difference.vcd")
        if status:
            raise Failure(f"lockstep {title(module, parameters)}: {output}" + ("" if options.keep else "(gone now; --keep FOLDER keeps it)"))
        return f"lockstep {title(module, parameters)} ({time.monotonic() - began:.1f} s): {output}"

    runtime(folder)
    sizes = [(module, parameters) for module in modules for parameters in (configurations.LOCKSTEP[module][1:] if other_sizes else configurations.LOCKSTEP[module][: 1 if smallest else None])]
    for told in side_by_side(one, sizes):
        if not quick:
            print(told, end="", flush=True)


class Recording:
    """A recorded run: the file, the numbers of its head, and what it is of."""

    def __init__(self, path, name):
        self.path, self.name, self.head = path, name, {}
        with open(path, "rb") as file:
            for line in iter(file.readline, b"\n"):
                words = line.split()
                if len(words) == 2 and words[1].isdigit():
                    self.head[words[0].decode()] = int(words[1])


def record(folder, options):
    """Runs every example on every machine, and returns what was recorded there."""
    program = options.build / "tests/rtl/heddle-record"
    environment = {**os.environ, "HEDDLE_SOURCE": str(ROOT)}
    names = must(program, "--list").split()
    unknown = set(options.examples or []) - set(names)
    if unknown:
        raise Failure(f"no example {', '.join(sorted(unknown))}, there are {', '.join(names)}")
    (folder / "recordings").mkdir(exist_ok=True)
    runs = [(name, preset, [*settings, *options.settings]) for preset, settings in configurations.MACHINES for name in names
            if name in (options.examples or names) and preset in (options.machines or [preset])]

    def one(run):
        name, preset, settings = run
        told = " ".join([name, "on", preset, *settings])
        path = folder / "recordings" / re.sub(r"\W+", "_", told)
        words = [word for setting in settings for word in ("--set", setting)]
        must(program, "--machine", preset, *words, "--size", options.size, "--scheduler", options.scheduler, "--cycles", options.cycles, name, path,
             env=environment)
        return Recording(path, told)

    began = time.monotonic()
    recordings = list(side_by_side(one, runs))
    print(f"replay: {len(recordings)} runs recorded ({time.monotonic() - began:.1f} s)", flush=True)
    return recordings


def replay(modules, rtl, folder, options):
    """Puts what the machine recorded into each module, and compares what comes out with what the machine recorded, in each cycle (HW-4)."""
    recordings = record(folder, options)
    runtime(folder)
    for module in modules:
        unit, work, sizes = configurations.REPLAY[module], [], {}
        for recording in recordings:
            for instance in unit.instances(recording.head) if unit.where(recording.head) else []:
                parameters = unit.sizes(recording.head, instance)
                sizes[title(module, parameters)] = parameters
                work.append((title(module, parameters), recording, instance))
        programs = dict(zip(sizes, side_by_side(lambda its: bench(module, its, rtl, folder, options.build, replay=True), sizes.values())))

        def one(job):
            program, recording, instance = programs[job[0]], *job[1:]
            difference = program.parent / f"difference-{recording.path.name}-{instance}.vcd"
            status, output = command(program, options.cycles, instance, difference, recording.path)
            if status:
                raise Failure(f"replay {module}, {recording.name}, instance {instance}: {output}" + ("" if options.keep else "(gone now; --keep FOLDER keeps it)"))
            return [int(word) for word in re.findall(r"\d+", output)[:2]]

        began = time.monotonic()
        done = list(side_by_side(one, work))
        runs = sorted({job[1].name.split(" on ")[1] for job in work})
        print(f"replay {module}: {len({job[1].name for job in work})} runs on {', '.join(runs) or 'no machine'}; {sum(row[0] for row in done)} cycles, "
              f"{sum(row[1] for row in done)} comparisons, no difference ({time.monotonic() - began:.1f} s)", flush=True)


def refuse_undefined(top, output):
    """Yosys takes a name that it does not know, such as a signal inside of the module, for a new wire. A property of it would say nothing."""
    unknown = re.search(r".*is implicitly declared.*", output)
    if unknown:
        raise Failure(f"formal {top}: {unknown.group()}")


def prove_by_sat(top, files, proof, quick):
    """Temporal induction, or a bounded check, by the solver in Yosys, which is quicker than Z3 where sums are compared."""
    began = time.monotonic()
    read = f"read_verilog -defer -formal -sv {' '.join(str(file) for file in files)}; prep -flatten -top {top}; memory_map; opt_clean"
    method, steps = ("-tempinduct", proof["induction"]) if proof["induction"] else ("-tempinduct-baseonly", proof["depth"])
    status, output = command("yosys", "-p", f"{read}; sat -verify {method} -prove-asserts -set-assumes -maxsteps {steps}", timeout=proof.get("timeout", 120))
    if status:
        raise Failure(f"formal {top}: {'induction' if proof['induction'] else 'bounded check'} fails\n{output[-2000:]}")
    refuse_undefined(top, output)
    properties = len(re.findall(r"\bassert \(", files[-1].read_text()))
    told = f"induction with k up to {steps}" if proof["induction"] else f"bounded to depth {steps}"
    if not quick:
        print(f"formal {top}: {properties} properties, {told} (SAT), {time.monotonic() - began:.1f} s")


def formal(modules, rtl, folder, options, quick=False):
    for module in modules:
        for proof in configurations.FORMAL.get(module, []):
            if options.smallest and proof.get("slow"):
                continue
            top = proof["top"]
            files = [*sources(module, rtl), ROOT / f"rtl/formal/{top}.sv"]
            if proof.get("engine") == "sat":
                prove_by_sat(top, files, proof, quick)
                continue
            smt = folder / f"{top}.smt2"
            read = f"read_verilog -defer -formal -sv {' '.join(str(file) for file in files)}; prep -flatten -top {top}; memory_map; opt -full; dffunmap; write_smt2 -wires {smt}"
            refuse_undefined(top, must("yosys", "-q", "-p", read))
            began = time.monotonic()
            steps = [["-t", proof["depth"]]] + ([["-i", "-t", proof["induction"]]] if proof["induction"] else [])
            for step in steps:
                status, output = command("yosys-smtbmc", "-s", "z3", "--unroll", "--dump-vcd", folder / f"{top}.vcd", *step, smt, timeout=proof.get("timeout", 120))
                if status:
                    raise Failure(f"formal {top}: {'induction' if '-i' in step else 'bounded check'} fails, see {folder / top}.vcd\n{output[-3000:]}")
            method = f"k-induction with k = {proof['induction']}, base case to depth {proof['depth']}" if proof["induction"] else f"bounded to depth {proof['depth']}"
            properties = len(re.findall(r"\bassert \(", files[-1].read_text()))
            if not quick:
                print(f"formal {top}: {properties} properties, {method}, {time.monotonic() - began:.1f} s")


def try_mutant(mutant, folder, options):
    """Returns who notices the mutation, or None."""
    module = pathlib.Path(mutant.file).stem
    rtl = folder / "mutated"
    shutil.rmtree(rtl, ignore_errors=True)
    shutil.copytree(ROOT / "rtl", rtl, ignore=shutil.ignore_patterns("lockstep", "formal"))
    mutants.apply(mutant, rtl / pathlib.Path(mutant.file).name)
    checks = [("lockstep", lockstep, {}), ("formal", formal, {}), ("lockstep of another size", lockstep, {"other_sizes": True})]
    for name, check, sizes in checks:
        try:
            check([module], rtl, folder, options, quick=True, **sizes)
        except Failure as failure:
            if "lockstep " not in str(failure) and check == lockstep:
                raise Failure(f"{mutant.id} does not build: {failure}") from failure
            return name
        except subprocess.TimeoutExpired:
            return f"{name} (no end)"
    return None


def check_mutants():
    """The text of each mutation occurs once in its module."""
    listed = mutants.read(ROOT / "rtl/mutants.list")
    for mutant in listed:
        if (ROOT / mutant.file).read_text().count(mutant.old) != 1:
            raise Failure(f"rtl/mutants.list:{mutant.line}: error: the text of {mutant.id} does not occur once in {mutant.file}")
    print(f"{len(listed)} mutations fit")


def try_mutants(modules, folder, options):
    survivors, counts = [], {}
    for mutant in mutants.read(ROOT / "rtl/mutants.list"):
        if pathlib.Path(mutant.file).stem not in modules or options.mutant not in (None, mutant.id):
            continue
        caught = try_mutant(mutant, folder, options)
        verdict = caught or ("equivalent" if mutant.equivalent else "SURVIVED")
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:24} {mutant.id}", flush=True)
        if not caught and not mutant.equivalent:
            survivors.append(mutant.id)
    print(", ".join(f"{verdict} {number}" for verdict, number in sorted(counts.items())), f"of {sum(counts.values())}")
    if survivors:
        raise Failure(f"nothing notices {', '.join(survivors)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=sorted(TOOLS))
    parser.add_argument("modules", nargs="*", help="all without a name")
    parser.add_argument("--cycles", type=int, default=100000, help="of each lockstep run; of a recording at most")
    parser.add_argument("--mutant", help="only this one")
    parser.add_argument("--size", type=int, default=0, help="replay: size of the examples, 0 is the smallest")
    parser.add_argument("--scheduler", default="0.0", help="replay: CORE.SCHEDULER")
    parser.add_argument("--examples", type=lambda text: text.split(","), help="replay: only these, with a comma between two")
    parser.add_argument("--machines", type=lambda text: text.split(","), help="replay: only these presets")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE", help="replay: on each machine, with this key")
    parser.add_argument("--netlist", action="store_true", help="lockstep: of what Yosys makes of the module, which is what `tools/area.sh` measures")
    parser.add_argument("--smallest", action="store_true", help="only the first size of each module, and only quick proofs: for the suite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where libheddle.a is")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for what is built, instead of one that is removed")
    options = parser.parse_intermixed_args()
    missing = [tool for tool in TOOLS[options.command] if not shutil.which(tool)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tools/setup.sh)")
        return SKIPPED
    unknown = set(options.modules) - set(configurations.LOCKSTEP)
    if unknown:
        parser.error(f"no module {', '.join(sorted(unknown))}, there are {', '.join(configurations.LOCKSTEP)}")
    modules = options.modules or list(configurations.LOCKSTEP)
    with tempfile.TemporaryDirectory(prefix="heddle-rtl-") as made:
        folder = options.keep or pathlib.Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            if options.command in ("lint", "all"):
                lint(modules, ROOT / "rtl", options)
                check_mutants()
            if options.command in ("lockstep", "all"):
                lockstep(modules, ROOT / "rtl", folder, options)
            if options.command in ("replay", "all"):
                replay([module for module in modules if module in configurations.REPLAY], ROOT / "rtl", folder, options)
            if options.command in ("formal", "all"):
                formal(modules, ROOT / "rtl", folder, options)
            if options.command == "mutants":
                try_mutants(modules, folder, options)
        except Failure as failure:
            print(f"rtl: {failure}", file=sys.stderr)
            return 1
        except subprocess.TimeoutExpired as late:
            print(f"rtl: no end within {late.timeout} s: {' '.join(late.cmd)}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
