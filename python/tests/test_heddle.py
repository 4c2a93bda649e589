"""The Python package as its users see it."""
import contextlib
import inspect
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest
import unittest.mock

try:
    import cffi  # noqa: F401
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import heddle

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAXPY = """kernel void saxpy(global const float *x, global float *y, float a, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		y[i] = fma(a, x[i], y[i]);
}
kernel void sum(global const int *x, global long *out, local int *room)
{
	room[get_local_id(0)] = x[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		for (uint i = 0; i < get_local_size(0); i++)
			out[get_group_id(0)] += room[i];
}
kernel void forever(global volatile int *x) { while (x[0] == 0); }
kernel void slow(global volatile int *x) { for (int i = 0; i < 1 << 28; i++) x[0] += i; }
kernel void far(global int *x) { x[1 << 20] = 1; }
kernel void kinds(global double *out, uchar a, short b, long c, double d, float e) { out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; }
typedef struct pair { int a; float b; } pair;
kernel void structure(global float *out, pair p) { out[0] = p.a + p.b; }
kernel void say(global int *x) { printf("x is %d\\n", x[get_global_id(0)]); }
"""


def setUpModule():
    global program, machine
    program = heddle.compile(SAXPY, name="test.cl")
    machine = heddle.Machine()


class Machines(unittest.TestCase):
    def test_presets_and_keys(self):
        self.assertIn("heddle", heddle.presets())
        self.assertGreater(len(heddle.keys()), 100)
        key = heddle.keys()["fence.counters"]
        self.assertEqual((key.minimum, key.unit), (2, "counters"))
        self.assertIn("fence counters", key.documentation)
        self.assertIsNone(heddle.keys()["fence.mode"].minimum)
        self.assertEqual(machine.describe("fence.counters"), key)

    def test_values_have_their_types(self):
        m = heddle.Machine("heddle", {"multi_issue.window": 4, "fence.mode": "fence", "fence.wait_counters": True})
        self.assertIs(m["fence.wait_counters"], True)
        self.assertEqual((m["multi_issue.window"], m["fence.mode"]), (4, "fence"))
        self.assertTrue(any(isinstance(m[path], float) for path in m))
        self.assertEqual(len(m), len(heddle.keys()))
        self.assertEqual(list(m), list(heddle.keys()))

    def test_state_bits(self):
        self.assertEqual(heddle.Machine().state_bits, 46728)
        self.assertEqual(heddle.Machine("heddle", {"fence.counters": 3, "multi_issue.window": 1}).state_bits, 40384)
        with self.assertRaisesRegex(heddle.ConfigurationError, "fence.high_latency"):
            heddle.Machine("heddle", {"fence.counters": 2}).state_bits
        self.assertIn("state_bits", dir(machine))

    def test_sections_are_attributes(self):
        m = heddle.Machine()
        self.assertIn("fence", dir(m))
        self.assertIn("counters", dir(m.fence))
        self.assertIn("alu", dir(m.latency))
        m.fence.counters = 8
        self.assertEqual((m.fence.counters, m["fence.counters"], m.latency.alu.latency), (8, 8, m["latency.alu.latency"]))
        self.assertIn("fence.counters: 8", repr(m.fence))
        with self.assertRaises(AttributeError):
            m.fence.no_such_key
        with self.assertRaises(AttributeError):
            m.fences = 3

    def test_a_wrong_key_has_a_suggestion(self):
        with self.assertRaisesRegex(heddle.ConfigurationError, "fence.counters"):
            heddle.Machine("heddle", {"fence.counter": 4})
        with self.assertRaisesRegex(KeyError, "did you mean fence.counters"):
            machine["fence.counter"]
        with self.assertRaisesRegex(KeyError, "did you mean fence.counters"):
            machine.describe("fence.counter")
        with self.assertRaisesRegex(heddle.ConfigurationError, "from 2 to 16"):
            heddle.Machine()["fence.counters"] = 99
        with self.assertRaises(heddle.ConfigurationError):
            heddle.Machine("no-such-machine")
        with self.assertRaises(TypeError):
            del heddle.Machine()["fence.counters"]

    def test_copies_and_files_are_equal(self):
        m = heddle.Machine("heddle", {"machine.cores": 3})
        self.assertEqual(m.copy(), m)
        self.assertNotEqual(m.copy({"machine.cores": 4}), m)
        self.assertEqual(m["machine.cores"], 3)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.yaml"
            path.write_text(m.yaml())
            self.assertEqual(heddle.Machine(path), m)


class Programs(unittest.TestCase):
    def test_kernels_are_attributes(self):
        self.assertEqual(program.saxpy, program["saxpy"])
        self.assertIn("saxpy", dir(program))
        self.assertEqual([p.name for p in program.saxpy.parameters], ["x", "y", "a", "n"])
        self.assertTrue(program.saxpy.parameters[0].constant and not program.saxpy.parameters[1].constant)
        self.assertTrue(program.sum.parameters[2].local)
        with self.assertRaisesRegex(AttributeError, "saxpy"):
            program.saxpi

    def test_sources_of_every_kind(self):
        path = ROOT / "examples/saxpy/saxpy.cl"
        for source in (path, str(path)):
            self.assertIn("saxpy", heddle.compile(source).kernels)
        text = heddle.compile(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n")
        self.assertEqual(machine.run(text.nothing, 1, 32).run.warp_instructions, 1)
        assembly = program.assembly()
        self.assertIn("saxpy", assembly)
        again = heddle.compile(assembly, name="again.hasm")
        self.assertEqual(again.assembly(), assembly)

    def test_options_reach_clang(self):
        source = "kernel void k(global int *x) { x[0] = N; }\n"
        x = np.zeros(1, np.int32)
        machine.run(heddle.compile(source, options=["-DN=41"]).k, 1, 1, x)
        self.assertEqual(x[0], 41)

    def test_errors_have_places(self):
        with self.assertRaises(heddle.BuildError) as caught:
            heddle.compile("kernel void k(global int *x)\n{\n\tx[0] = y;\n}\n", name="wrong.cl")
        self.assertEqual((caught.exception.file, caught.exception.line), ("wrong.cl", 3))
        self.assertIn("'y'", caught.exception.messages[0].text)
        self.assertEqual(caught.exception.messages[0].kind, "error")
        with self.assertRaises(heddle.BuildError):
            heddle.compile(pathlib.Path("/nowhere/at/all.cl"))
        m = heddle.Machine()
        for path in ("fence.first", "fence.second"):
            with self.assertRaises(heddle.ConfigurationError) as caught:
                m[path] = 1
            self.assertEqual(len(caught.exception.messages), 1)

    def test_accesses_outside_of_buffers_may_warn(self):
        edge = heddle.compile("kernel void edge(global int *x)\n{\n\tx[0] = 1 + x[1 << 20];\n\tx[1 << 21] = 5;\n}\n", name="edge.cl")
        x = np.full(4, 7, np.int32)
        for functional in (False, True):
            with self.assertRaises(heddle.Fault):
                machine.run(edge.edge, 1, 1, x, functional=functional)
            with unittest.mock.patch.dict(os.environ, {"HEDDLE_BOUNDS": "warn"}):
                report = machine.run(edge.edge, 1, 1, x, functional=functional)
            self.assertEqual([(m.kind, m.file, m.line) for m in report.messages], [("warning", "edge.cl", 3), ("warning", "edge.cl", 4)])
            self.assertEqual(x.tolist(), [1, 7, 7, 7])
            with unittest.mock.patch.dict(os.environ, {"HEDDLE_BOUNDS": "maybe"}), self.assertRaisesRegex(heddle.LaunchError, "expected trap or warn"):
                machine.run(edge.edge, 1, 1, x, functional=functional)
        self.assertEqual(machine.run(program.saxpy, 1, 32, np.ones(32, np.float32), np.ones(32, np.float32), 2.0, 32).messages, [])

    def test_the_checker(self):
        proof = program.check()
        self.assertTrue(proof)
        self.assertGreater(proof.by_counter, 0)
        wrong = heddle.compile(ROOT / "tests/regressions/programs/shared_memory_by_two_pipes.hasm")
        proof = wrong.check()
        self.assertFalse(proof)
        finding = proof.findings[0]
        self.assertEqual((proof.verdict, finding.kind), ("refuted", "memory"))
        self.assertEqual((finding.path[0], finding.path[-1]), (finding.producer.word, finding.consumer.word))
        self.assertIn("is not covered", str(finding))
        guard = heddle.compile(ROOT / "tests/regressions/programs/guard_overwritten_before_it_is_read.hasm").check()
        self.assertIn("p0", {f.register for f in guard.findings})
        self.assertTrue(wrong.check(heddle.Machine("heddle", {"fence.mode": "scoreboard"})).by_scoreboard)


class Runs(unittest.TestCase):
    def test_values_are_those_of_numpy(self):
        for count in (1, 63, 1000):
            for functional in (False, True):
                x, y = np.arange(count, dtype=np.float32), np.ones(count, np.float32)
                report = machine.run(program.saxpy, (count + 63) // 64, 64, x, y, 2, count, functional=functional)
                np.testing.assert_array_equal(y, 2 * np.arange(count, dtype=np.float32) + 1)
                self.assertEqual((report.cycles is None, report.ipc is None, report.run.issue_slots is None), (functional,) * 3)
                self.assertIn("functional" if functional else f"{report.cycles} cycles", repr(report))

    def test_arrays_of_any_layout(self):
        table = np.zeros((64, 4), np.float32)
        column = table[:, 1]
        machine.run(program.saxpy, 1, 64, np.arange(128, dtype=np.float32)[::2], column, 1.0, 64)
        np.testing.assert_array_equal(table[:, 1], np.arange(0, 128, 2))
        self.assertEqual(table[:, 0].sum() + table[:, 2].sum(), 0)

    def test_only_what_the_kernel_writes_is_copied_back(self):
        x, y = np.ones(64, np.float32), np.ones(64, np.float32)
        x.flags.writeable = False
        machine.run(program.saxpy, 1, 64, x, y, 1, 64)
        y.flags.writeable = False
        with self.assertRaisesRegex(heddle.LaunchError, "read-only"):
            machine.run(program.saxpy, 1, 64, x, y, 1, 64)

    def test_buffers_are_views(self):
        session = machine.load(program)
        self.assertIs(session, machine.load(program))
        # The memory of the array is that of the device: the address that the library maps, and nothing is copied by a run.
        x = session.buffer(np.arange(1 << 16, dtype=np.float32))
        mapped = heddle._library.lib.heddle_map(session.handle.c, x.address, x.array.nbytes)
        self.assertEqual(x.array.ctypes.data, int(heddle._library.ffi.cast("uintptr_t", mapped)))
        with unittest.mock.patch.object(np, "frombuffer", side_effect=AssertionError("a view is made")), unittest.mock.patch.object(heddle.Session, "buffer", side_effect=AssertionError("a copy is made")):
            session.run("saxpy", 1, 64, x, x, 1.0, np.uint32(64))
        self.assertEqual((x.array[63], x.array[64]), (126, 64))
        x.release()

    def test_a_sequence_of_launches(self):
        session = machine.load(program)
        self.assertIs(session, machine.load(program))
        x, y = session.buffer(np.arange(64, dtype=np.float32)), session.buffer(64)
        view = y.array
        for turn in range(3):
            session.run("saxpy", 1, 64, x, y, 1, 64)
        np.testing.assert_array_equal(view, 3 * np.arange(64))
        view[:] = 5
        x.array[0] = 7
        session.run("saxpy", 1, 64, x, y, 1, 64)
        self.assertEqual((view[0], view[1]), (12, 6))
        with self.assertRaisesRegex(heddle.LaunchError, "another session"):
            heddle.Machine().run(program.saxpy, 1, 64, x, y, 1, 64)
        x.release()
        x.release()
        y.release()

    def test_a_run_gives_its_memory_back(self):
        session, made = machine.load(program), []
        original = heddle.Session.buffer

        def noted(*arguments, **options):
            made.append(original(*arguments, **options))
            return made[-1]

        with unittest.mock.patch.object(heddle.Session, "buffer", noted):
            session.run("saxpy", 1, 64, np.ones(64, np.float32), np.ones(64, np.float32), 1, 64)
        self.assertEqual([b.address for b in made], [0, 0])

    def test_a_machine_that_changes_has_a_new_session(self):
        m = heddle.Machine()
        first = m.load(program)
        m.machine.cores = 1
        self.assertIsNot(m.load(program), first)

    def test_numbers_have_the_types_of_their_parameters(self):
        out = np.zeros(5)
        machine.run(program.kinds, 1, 1, out, 200, -3, 1 << 40, 0.1, 0.1)
        np.testing.assert_array_equal(out, [200, -3, 1 << 40, 0.1, np.float32(0.1)])
        machine.run(program.kinds, 1, 1, out, np.uint8(1), np.int16(2), np.int64(3), np.float64(4), np.float32(5))
        np.testing.assert_array_equal(out, [1, 2, 3, 4, 5])
        machine.run(program.kinds, 1, 1, out, 1, 2, 3, 4, 5)
        np.testing.assert_array_equal(out, [1, 2, 3, 4, 5])
        for wrong in ([256, 0, 0, 0, 0], [0, 1 << 16, 0, 0, 0], [0, 0, "x", 0, 0], [np.int32(0), 0, 0, 0, 0]):
            with self.assertRaises(heddle.LaunchError):
                machine.run(program.kinds, 1, 1, out, *wrong)

    def test_local_memory_and_structures(self):
        x, out = np.arange(128, dtype=np.int32), np.zeros(2, np.int64)
        machine.run(program.sum, 2, 64, x, out, heddle.local(256))
        np.testing.assert_array_equal(out, [x[:64].sum(), x[64:].sum()])
        pair = np.zeros(1, np.dtype([("a", np.int32), ("b", np.float32)]))
        pair["a"], pair["b"] = 3, 0.5
        total = np.zeros(1, np.float32)
        machine.run(program.structure, 1, 1, total, pair.tobytes())
        self.assertEqual(total[0], 3.5)

    def test_arguments_that_do_not_fit(self):
        x = np.zeros(64, np.float32)
        for arguments in ([x, x, 1], [x, x, 1, 64, 5], [x.astype(np.int32), x, 1, 64], [x, x, 1, None]):
            with self.assertRaises(heddle.LaunchError):
                machine.run(program.saxpy, 1, 64, *arguments)
        with self.assertRaises(heddle.LaunchError):
            machine.run(program.saxpy, 1, 4096, x, x, 1, 64)

    def test_numbers_are_not_guessed(self):
        x = np.zeros(64, np.float32)
        for wrong in (0, -1, 1 << 32, 1000 / 64, 16.0, "8", True, None, b"8", np.float32(2), np.bool_(True), (), (1, 1, 1, 1), (1, 1.5), ["2"], np.zeros((1, 1), int), np.zeros(1)):
            for name in ("grid", "block"):
                sizes = {"grid": 1, "block": 64, name: wrong}
                with self.assertRaisesRegex(heddle.ArgumentError, f"^error: {name} cannot be .*, expected .* from 1 to 4294967295"):
                    machine.run(program.saxpy, sizes["grid"], sizes["block"], x, x, 1, 64)
        for wrong in (0.5, "0", (0, -1), (0, 0, 0, 0), 1 << 64):
            with self.assertRaisesRegex(heddle.ArgumentError, "^error: offset cannot be"):
                machine.run(program.saxpy, 1, 64, x, x, 1, 64, offset=wrong)
        for right in (np.int64(1), np.uint8(1), (1,), [1, np.int16(1)], np.ones(3, np.int32)):
            machine.run(program.saxpy, right, 64, x, x, 1, 64, functional=True)
        for shape, dtype, name in (((2, 1.5), None, "content"), (-1, None, "content"), ("8", None, "content"), ([1, 2], None, "content"), (8, "no type", "dtype")):
            with self.assertRaisesRegex(heddle.ArgumentError, f"^error: {name} cannot be"):
                machine.load(program).buffer(shape, dtype)
        # A number of a kernel is in the range of its parameter's type.
        source = "__global__ void k(unsigned u, int i, unsigned char c, signed char s, unsigned long long l, bool b, short h, size_t z, float f) { }"
        kernel, good = heddle.compile(source, name="ranges.cu").k, [1, 1, 1, 1, 1, True, 1, 1, 1.0]
        wrong = [(-1, 1 << 32), (1 << 31, -(1 << 31) - 1), (-1, 256), (128, -129), (-1, 1 << 64), (2, -1), (1 << 15,), (-1,), (1e39, -1e300, 10**400)]
        machine.run(kernel, 1, 1, *good)
        machine.run(kernel, 1, 1, 2**32 - 1, -(2**31), 255, -128, 2**64 - 1, False, -(2**15), 2**64 - 1, float("inf"))
        for place, numbers in enumerate(wrong):
            for number in [*numbers, "8", None, 1j, [1]] + ([np.int64(-1).astype(np.int32)] if place == 0 else []):
                with self.assertRaisesRegex(heddle.LaunchError, f"parameter '{kernel.parameters[place].name}' .* cannot be"):
                    machine.run(kernel, 1, 1, *good[:place], number, *good[place + 1 :])

    def test_types_that_would_be_other_bits_are_refused(self):
        """The default types of numpy, float64 and int64, are refused."""
        x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        for wrong in (np.arange(64.0), np.arange(64), np.arange(64, dtype=np.float16), np.arange(64, dtype=np.uint32), np.zeros(64, bool), np.arange(64, dtype=complex), np.array(["a"] * 64)):
            with self.assertRaisesRegex(heddle.LaunchError, f"'x' .const float \\*. cannot be an array of {wrong.dtype}, expected float32"):
                machine.run(program.saxpy, 1, 64, wrong, y, 1, 64)
        with self.assertRaisesRegex(heddle.LaunchError, "cannot hold object"):
            machine.load(program).buffer(np.array([object()]))
        total = np.zeros(1, np.int64)
        for right in (np.int32, np.uint32):
            machine.run(program.sum, 1, 64, np.ones(64, right), total, heddle.local(256))
        self.assertEqual(total[0], 128)
        pairs = np.array([complex(i, 1) for i in range(32)], np.complex64)
        machine.run(program.saxpy, 1, 64, pairs, y, 1, 64)
        np.testing.assert_array_equal(y, pairs.view(np.float32))
        for numbers in ((np.int32(2), 64), (np.uint32(2), 64), (2.0, 64.0), (2.0, np.float32(64))):
            with self.assertRaisesRegex(heddle.LaunchError, "cannot be"):
                machine.run(program.saxpy, 1, 64, x, y, *numbers)
        for number in (3, 3.5, np.uint64(1 << 40), True):
            with self.assertRaisesRegex(heddle.LaunchError, "'y' .float \\*. cannot be"):
                machine.run(program.saxpy, 1, 64, x, number, 2, 64)
        source = "__global__ void kinds(int *out, unsigned a, long long b, size_t c, bool d, unsigned char e, float f) { out[0] = a + b + c + d + e + f; }"
        kernel, out = heddle.compile(source, name="kinds.cu").kinds, np.zeros(1, np.int32)
        machine.run(kernel, 1, 1, out, 1, 2, np.uint64(3), True, np.uint8(4), 5)
        self.assertEqual(out[0], 16)
        for place in range(5):
            numbers = [1, 2, 3, True, 4, 5]
            numbers[place] = 1.5
            with self.assertRaisesRegex(heddle.LaunchError, "cannot be 1.5"):
                machine.run(kernel, 1, 1, out, *numbers)

    def test_another_order_of_bytes(self):
        x, y = np.arange(64, dtype=">f4"), np.ones(64, ">f4")
        machine.run(program.saxpy, 1, 64, x, y, 2, 64)
        np.testing.assert_array_equal(y, 2 * np.arange(64) + 1)
        self.assertEqual(y.dtype, np.dtype(">f4"))
        self.assertEqual(machine.load(program).buffer(x).array.dtype, np.dtype("<f4"))

    def test_a_trap_has_a_place_and_a_report(self):
        with self.assertRaises(heddle.Fault) as caught:
            machine.run(program.far, 1, 1, np.zeros(16, np.int32))
        self.assertIn("test.cl:17", str(caught.exception))
        self.assertGreater(caught.exception.report.cycles, 0)
        with self.assertRaises(heddle.Fault):
            machine.run(program.forever, 1, 1, np.zeros(1, np.int32), max_cycles=5000)

    def test_progress_can_end_a_run(self):
        seen = []

        def progress(cycle, done, ctas):
            seen.append((cycle, done, ctas))
            return len(seen) == 3

        with self.assertRaises(heddle.Interrupted) as caught:
            machine.run(program.slow, 1, 1, np.zeros(1, np.int32), progress=progress, max_cycles=10**9)
        self.assertEqual(len(seen), 3)
        self.assertEqual(seen[2][1:], (0, 1))
        self.assertGreaterEqual(caught.exception.report.cycles, seen[2][0])

        def broken(cycle, done, ctas):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            machine.run(program.slow, 1, 1, np.zeros(1, np.int32), progress=broken, max_cycles=10**9)

    def test_ctrl_c_ends_a_run(self):
        for functional in (False, True):
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                machine.run(program.slow, 1, 1, np.zeros(1, np.int32), functional=functional, max_cycles=10**9)
            self.assertLess(time.monotonic() - begin, 60)
            timer.join()

    def test_machines_run_side_by_side(self):
        results = [np.ones(4096, np.float32) for _ in range(4)]
        cycles = []

        def one(y):
            cycles.append(heddle.Machine().run(program.saxpy, 64, 64, np.ones(4096, np.float32), y, 1, 4096).cycles)

        threads = [threading.Thread(target=one, args=(y,)) for y in results]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(cycles)), 1)
        self.assertTrue(all((y == 2).all() for y in results))

    def test_what_the_kernel_prints(self):
        report = machine.run(program.say, 1, 2, np.array([4, 5], np.int32))
        self.assertEqual(report.printed, "x is 4\nx is 5\n")


class Reports(unittest.TestCase):
    def run_saxpy(self, **options):
        return machine.run(program.saxpy, 4, 64, np.ones(256, np.float32), np.ones(256, np.float32), 1, 256, **options)

    def test_groups_are_attributes(self):
        report = self.run_saxpy()
        self.assertEqual(report.run.cycles, report.cycles)
        self.assertEqual(report["run"]["cycles"], report.to_dict()["run"]["cycles"])
        self.assertAlmostEqual(report.ipc, report.run.warp_instructions / report.cycles)
        self.assertIn("stall_cycles", dir(report))
        self.assertIn("cycles", dir(report.run))
        with self.assertRaisesRegex(AttributeError, "cycles"):
            report.run.cicles
        self.assertIn(str(report.cycles), repr(report))

    def test_a_report_outlives_its_session(self):
        report = self.run_saxpy()
        cycles = report.cycles
        self.run_saxpy(functional=True)
        self.assertEqual(report.run.cycles, cycles)
        self.assertIn("</html>", report.html())
        self.assertIn("cycles", report.text())

    def test_equal_runs_have_equal_reports(self):
        one, other = self.run_saxpy().to_dict(), self.run_saxpy(profile=True).to_dict()
        for group in one:
            if group != "host":
                self.assertEqual(one[group], other[group], group)

    def test_the_profile(self):
        report = self.run_saxpy(profile=True)
        self.assertEqual(sum(i.counts.issued for i in report.instructions), report.run.warp_instructions)
        self.assertEqual({line.line for line in report.lines} & {3, 4, 5}, {3, 4, 5})
        self.assertEqual({line.file for line in report.lines}, {"test.cl"})
        self.assertGreater(sum(sum(line.counts.lost.values()) for line in report.lines), 0)
        self.assertEqual(sum(one.counts.sectors for one in report.instructions), report.memory.sectors)
        self.assertIn("slots", report.listing())
        plain = self.run_saxpy()
        self.assertEqual((plain.lines, plain.instructions, plain.listing()), ([], [], ""))

    def test_roofline(self):
        report = self.run_saxpy(roofline=True)
        dram = report.roofline.levels.dram
        self.assertEqual(dram.bytes, 32 * (report.memory.dram_reads + report.memory.dram_writes))
        self.assertGreater(report.roofline.ceilings.bytes_per_cycle.dram, 1)

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        report = self.run_saxpy(profile=True)
        series = report.to_pandas()
        self.assertEqual(series["run.cycles"], report.cycles)
        lines, instructions = report.to_pandas("lines"), report.to_pandas("instructions")
        self.assertEqual(lines["issued"].tolist(), [line.counts.issued for line in report.lines])
        self.assertEqual(instructions["issued"].sum(), report.run.warp_instructions)
        self.assertIn("lost_fetch", lines.columns)
        with self.assertRaises(ValueError):
            report.to_pandas("words")

    def test_files(self):
        report = self.run_saxpy(profile=True)
        with tempfile.TemporaryDirectory() as folder:
            for end, begin in ((".html", "<!"), (".json", "{"), (".txt", "")):
                path = pathlib.Path(folder) / ("report" + end)
                report.save(path)
                self.assertTrue(path.read_text().startswith(begin) and path.stat().st_size > 500)
            with self.assertRaises(ValueError):
                report.save(pathlib.Path(folder) / "report.pdf")
        self.assertIn("&lt;", report._repr_html_())

    def test_hazards_and_traces(self):
        wrong = heddle.compile(ROOT / "tests/regressions/programs/shared_memory_by_two_pipes.hasm", unproven=True)
        kernel = next(iter(wrong.kernels.values()))
        arguments = (np.zeros(64, np.uint32), np.zeros(256, np.uint32))
        self.assertEqual(machine.run(kernel, 1, 64, *arguments).violations, 0)
        report = machine.run(kernel, 1, 64, *arguments, hazards=True)
        self.assertGreater(report.violations, 0)
        self.assertIn("memory order", report.messages[0].text)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "all.kanata"
            self.run_saxpy(trace=f"konata:{path}")
            whole = path.stat().st_size
            self.run_saxpy(trace=[f"konata:{path}", f"vcd:{folder}/all.vcd"], trace_cycles=(100, 120))
            self.assertLess(path.stat().st_size, whole)
            path.unlink()
            self.run_saxpy()
            self.assertFalse(path.exists())
            with self.assertRaisesRegex(heddle.LaunchError, "konata:FILE"):
                self.run_saxpy(trace="kanata:x")


class MachineCode(unittest.TestCase):
    """heddle.sass_check; what the checker finds is tested in tests/sass."""

    FIXTURES = ROOT / "tests/sass/fixtures"

    def test_findings_are_objects(self):
        proof = heddle.sass_check(self.FIXTURES / "broken-sm80.cubin")
        self.assertFalse(proof)
        self.assertEqual((proof.verdict, len(proof), [f.verdict for f in proof].count("refuted")), ("refuted", 3, 1))
        self.assertEqual(len(list(proof.findings)), 3)
        broken = proof["saxpy"]
        self.assertEqual((broken.architecture, broken.kernel, broken.findings_total, bool(broken)), (80, True, 3, False))
        found = next(f for f in broken.findings if f.hazard == "RAW" and f.registers == "R2")
        self.assertEqual((found.lacks, found.counters, found.path), ("wait", (2,), (0xA0, 0xC0)))
        self.assertEqual((found.first.address, found.first.text, found.first.line), (0xA0, "LDG.E R2, [R2.64]", 6))
        self.assertTrue(found.first.file.endswith("fixture.cu") and found.second.control.startswith("[W:"))
        self.assertIn("RAW on R2 is not covered (lacks: wait): 0x00a0 `LDG.E R2, [R2.64]`", str(found))
        self.assertIn("refuted", proof.messages)
        self.assertEqual(proof.json["schema"], "heddle-sass-check-1")
        self.assertRaisesRegex(KeyError, "expected one of .*saxpy", lambda: proof["nothing"])

    def test_a_proof_names_its_assumptions(self):
        content = (self.FIXTURES / "plain-sm80.cubin").read_bytes()
        proof = heddle.sass_check(content, name="plain")
        self.assertTrue(proof and all(proof) and not proof.messages and not list(proof.findings))
        needed = {one.name for one in proof.assumptions if one.needed}
        self.assertEqual(needed, {name for function in proof for name in function.assumptions})
        self.assertIn("A14", proof["steps"].assumptions)
        self.assertTrue(all(one.text for one in proof.assumptions))
        self.assertEqual({one.name for one in proof.assumptions if not one.allowed}, {"A10"})
        self.assertEqual(proof["steps"].slack, ())
        none = heddle.sass_check(content, assume=[])
        self.assertFalse(none["steps"])
        self.assertEqual(heddle.sass_check(content, assume=["A14"], kernel="steps").verdict, "proven")
        self.assertFalse(any(one.allowed for one in none.assumptions))
        self.assertEqual({one.name for one in heddle.sass_check(content, strict=True).assumptions if one.allowed}, {one.name for one in proof.assumptions if one.source})

    def test_slack(self):
        steps = heddle.sass_check(self.FIXTURES / "plain-sm80.cubin", kernel="steps", slack=True)[0]
        self.assertEqual(len(steps.slack), steps.instructions)
        self.assertGreater(steps.cycles, steps.cycles_won)
        self.assertTrue(any(one.cycles for one in steps.slack) and steps.slack[1].instruction.address == 16)

    def test_what_is_unknown(self):
        proof = heddle.sass_check(self.FIXTURES / "barrier-sm90.cubin", architecture=90)
        self.assertEqual((proof.verdict, {function.architecture for function in proof}), ("unknown", {90}))
        doubt = proof["waits"].doubts[0]
        self.assertEqual(doubt.reason, "latency")
        self.assertGreater(doubt.then.address, doubt.at.address)

    def test_bad_input(self):
        for content, words in ((b"no cubin", "."), (b"", ".")):
            with self.assertRaisesRegex(heddle.Error, words) as caught:
                heddle.sass_check(content, name="x.cubin")
            self.assertEqual(caught.exception.file, "x.cubin")
        self.assertRaisesRegex(heddle.Error, "nothing", heddle.sass_check, self.FIXTURES / "plain-sm80.cubin", kernel="nothing")
        self.assertRaisesRegex(heddle.Error, "A99", heddle.sass_check, self.FIXTURES / "plain-sm80.cubin", assume="A99")
        self.assertRaises(FileNotFoundError, heddle.sass_check, "no-such-file.cubin")


class Package(unittest.TestCase):
    def test_every_argument_is_checked(self):
        """Each parameter of each public function and method refuses a value of another type by its name."""
        fitting = {type(None): None, typing.Sequence[str]: (), bool: False, str: "x", float: 1.0, heddle.Kernel: program.saxpy, heddle.Program: program, heddle.Machine: machine, heddle.Session: machine.load(program)}
        public = [getattr(heddle, name) for name in heddle.__all__]
        functions = [thing for thing in public if inspect.isfunction(thing)]
        functions += [one for thing in public if inspect.isclass(thing) for name, one in vars(thing).items() if inspect.isfunction(one) and hasattr(one, "__wrapped__")]
        seen = 0
        for function in functions:
            kinds = heddle._arguments.kinds_of(function.__wrapped__)
            needed = {name: p for name, p in inspect.signature(function).parameters.items() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL}
            others = {name: next((fitting[kind] for kind in kinds.get(name, ()) if kind in fitting), 1) for name in needed}
            for name in kinds:
                if heddle._arguments.Any in kinds[name]:
                    continue
                numeric = any(getattr(kind, "__metadata__", None) for kind in kinds[name])
                for wrong in [object(), 1.5, "8", -1, 1 << 64, True] if numeric else [object()]:
                    with self.assertRaisesRegex(heddle.ArgumentError, f"error: {name} cannot be", msg=f"{function.__qualname__}, {wrong}"):
                        function(**{**others, name: wrong})
                    seen += 1
        self.assertGreater(seen, 100)

    def test_declarations_are_those_of_the_header(self):
        made = subprocess.run([sys.executable, ROOT / "tools/python_declarations.py"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(made, (ROOT / "python/heddle/_declarations.py").read_text(), "run tools/docs.sh")

    def test_another_version_is_refused(self):
        environment = dict(os.environ, HEDDLE_LIBRARY="/nowhere/libheddle.so")
        failed = subprocess.run([sys.executable, "-c", "import heddle"], capture_output=True, text=True, env=environment, check=False)
        self.assertIn("HEDDLE_LIBRARY", failed.stderr)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "python/heddle", pathlib.Path(folder) / "heddle", ignore=shutil.ignore_patterns("__pycache__"))
            declarations = pathlib.Path(folder) / "heddle/_declarations.py"
            declarations.write_text(declarations.read_text().replace(heddle.__version__, "9.9.9", 1))
            environment = dict(os.environ, PYTHONPATH=folder)
            failed = subprocess.run([sys.executable, "-c", "import heddle"], capture_output=True, text=True, env=environment, check=False)
        self.assertIn("expected 9.9.9", failed.stderr)

    def test_types(self):
        checker = shutil.which("mypy")
        if not checker:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as cache:
            checked = subprocess.run([checker, "--strict", "--cache-dir", cache, "heddle"], cwd=ROOT / "python", capture_output=True, text=True, check=False)
            self.assertEqual(checked.returncode, 0, checked.stdout)
            # A program of somebody else: its mistakes are found, options of a run among them.
            user = pathlib.Path(cache) / "user.py"
            user.write_text(
                "import heddle\nimport numpy as np\nmachine = heddle.Machine('heddle', {'multi_issue.window': 4})\nprogram = heddle.compile('')\n"
                "report = machine.run(program.f, 1, (2, 2), np.zeros(4, np.float32), 3, profile=True, progress=lambda cycle, done, ctas: cycle > 9)\n"
                "cycles: int = report.cycles\nmachine.run(program.f, 1, 1, prophile=True)\nname: bytes = program.name\n"
            )
            environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
            checked = subprocess.run([checker, "--strict", "--ignore-missing-imports", "--cache-dir", cache, user], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual([line.split(":")[1] for line in checked.stdout.splitlines() if ": error: " in line], ["7", "8"], checked.stdout)
        names = set(inspect.signature(heddle.Machine.run).parameters) - {"kernel"}
        self.assertEqual(names, set(inspect.signature(heddle.Session.run).parameters) - {"kernel"})

    def test_handles_are_released(self):
        import gc
        import weakref

        m = heddle.Machine()
        p = heddle.compile("kernel void k(global int *x) { x[0] = 1; }\n", machine=m)
        watched, finalizer = weakref.ref(m.load(p).handle), m.load(p).handle._release
        self.assertTrue(finalizer.alive)
        del m, p
        gc.collect()
        self.assertIsNone(watched())
        self.assertFalse(finalizer.alive)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        unittest.main()
