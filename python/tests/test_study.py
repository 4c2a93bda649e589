"""Studies from Python: running, progress, stopping, and what is refused."""
import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

try:
    import cffi  # noqa: F401
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import heddle
import heddle.study

SMALL = "examples: [saxpy 0, goto 0]\naxes:\n  fence.counters: 3..4\n  multi_issue.window: [1, 2]\n"
KERNEL = "kernel void k(global int *x) { x[get_global_id(0)] = %s; }\n"
KERNELS = "launches: ['k.cl --grid 1 --block 32 --arg out:x.npy:i32:32']\n%saxes:\n  fence.counters: [3, 4]\n"
LONG = "launches: ['slow.cl --grid 1 --block 32 --arg zero:i32:1 --arg i32:%s']\naxes:\n  fence.counters: 3..6\n  memory.dram_latency: 100..400 step 100\n"
SLOW = "kernel void slow(global volatile int *x, int n) { for (int i = 0; i < n; i++) x[0] += i; }\n"
FOREVER = LONG % 100000000
# A study that nobody stops, because a test failed before, comes to its end by itself.
LIMIT = "limits: {seconds: 120}\n"
# Four runs end at once, and four would take hours.
SOME = LIMIT + "launches: ['slow.cl --grid 1 --block 32 --arg zero:i32:1 --arg i32:100000000', 'k.cl --grid 1 --block 32 --arg zero:i32:32']\naxes:\n  fence.counters: 3..6\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.folder = pathlib.Path(folder.name)
        os.chdir(self.folder)

    def study(self, text, name="study.yaml", **options):
        (self.folder / name).write_text(text)
        (self.folder / "slow.cl").write_text(SLOW)
        if not (self.folder / "k.cl").exists():
            (self.folder / "k.cl").write_text(KERNEL % 1)
        return heddle.Study(name, **options)


class Runs(Case):
    def test_a_study(self):
        study, seen = self.study(SMALL, name="first.yaml"), []
        self.assertEqual(study.status(), {})
        self.assertEqual(study.run(jobs=2, progress=lambda done, all: seen.append((done, all))), {"done": 8})
        self.assertEqual(seen[-1], (8, 8))
        self.assertEqual(seen, sorted(set(seen)))
        self.assertEqual(pathlib.Path(study.db).resolve(), (self.folder / "first.db").resolve())
        rows = study.query("SELECT name, state_bits FROM machine ORDER BY state_bits, name")
        self.assertEqual(len(rows), 4)
        self.assertIsInstance(rows[0]["state_bits"], int)
        self.assertIn("fence.counters=3", rows[0]["name"])
        self.assertEqual(study.query("SELECT count(*) AS n FROM run WHERE status = ?", ["done"]), [{"n": 8}])
        self.assertEqual(study.query("SELECT count(*) AS n FROM run WHERE status = :s", {"s": "trap"}), [{"n": 0}])
        again = []
        self.assertEqual(heddle.Study("first.yaml").run(progress=lambda *now: again.append(now)), {"done": 8})
        self.assertEqual(again, [(8, 8)])
        self.assertEqual(study.status(), {"done": 8})

    def test_jobs_reach_the_command(self):
        study = self.study(SMALL)
        with self.assertRaisesRegex(heddle.StudyError, "--jobs cannot be '0'") as caught:
            study.run(jobs=0)
        self.assertEqual((caught.exception.file, caught.exception.messages[0].kind), ("", "error"))

    def test_the_study_that_ran_last_counts(self):
        """Another kernel is another study with the same text, also within a second, and also when it comes back."""
        study = self.study(KERNELS % "")
        for value, runs in ((1, 2), (2, 4), (1, 4)):
            (self.folder / "k.cl").write_text(KERNEL % value)
            seen = []
            self.assertEqual(study.run(progress=lambda *now: seen.append(now)), {"done": 2})
            self.assertEqual(seen[-1], (2, 2))
            self.assertEqual(study.query("SELECT count(*) AS n FROM run"), [{"n": runs}])
            outputs = {row["outputs"] for row in study.query("SELECT outputs FROM run JOIN member m ON m.run = run.id WHERE study = ?", (study._last()[0],))}
            self.assertEqual(len(outputs), 1)
            first = outputs if runs == 2 else first
            self.assertEqual(outputs == first, value == 1)

    def test_progress_is_of_the_study_that_runs(self):
        """The file has another study with the same text, whose runs are all there."""
        study, seen = self.study(LIMIT + KERNELS % ""), []
        study.run()
        (self.folder / "k.cl").write_text("kernel void k(global volatile int *x) { for (;;) x[0] += 1; }\n")
        self.assertRaises(heddle.StudyStopped, study.run, progress=lambda *now: seen.append(now) or True)
        self.assertEqual((seen, study.status()), ([(0, 2)], {"missing": 2}))

    def test_another_text_has_no_results(self):
        study = self.study(KERNELS % "")
        study.run()
        self.study(KERNELS % "name: other\n")
        self.assertEqual(study.status(), {})
        self.assertRaisesRegex(heddle.StudyError, "as it is now", study.report, "page.html")

    def test_faults_are_counts(self):
        study = self.study("limits: {cycles: 10000}\n" + LONG % 100000)
        self.assertEqual(study.run(jobs=2), {"limit": 16})

    def test_retry(self):
        study = self.study("limits: {seconds: 1}\n" + FOREVER.replace("3..6", "3").replace("100..400 step 100", "100"))
        self.assertEqual(study.run(), {"timeout": 1})
        started = "SELECT worker_started AS at FROM run"
        first = study.query(started)
        self.assertEqual((study.run(), study.query(started)), ({"timeout": 1}, first))
        study.run(retry=True)
        self.assertGreater(study.query(started)[0]["at"], first[0]["at"])

    def test_names_that_are_words(self):
        for name in ("status", "-x.yaml"):
            self.assertEqual(self.study(KERNELS % "", name=name, db="w.db").run(), {"done": 2})


class Reports(Case):
    def test_page_and_table(self):
        study = self.study(SMALL, db="r.db")
        study.run()
        study.report("page.html", pareto=("cycles", "energy"), heat=("fence.counters", "multi_issue.window"), figure="energy", sql="SELECT 41 + 1 AS sum")
        page = (self.folder / "page.html").read_text()
        self.assertIn("<td>42</td>", page)
        study.report("table.csv")
        self.assertEqual(len((self.folder / "table.csv").read_text().splitlines()), 9)
        self.assertRaisesRegex(heddle.StudyError, "ends in .html or .csv", study.report, "page.pdf")
        self.assertRaisesRegex(heddle.StudyError, "nothing", study.report, "page.html", figure="nothing")
        self.assertRaisesRegex(heddle.StudyError, "no axis 'x'", study.report, "page.html", heat=("x", "fence.counters"))
        self.assertRaisesRegex(heddle.StudyError, "--pareto", study.report, "page.html", pareto=("cycles",))

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        study = self.study(KERNELS % "" + "  w: ['NA -> multi_issue.window=1', '2 -> multi_issue.window=2', 'bad -> predecode.issue_width=3']\n")
        study.run()
        table = study.to_pandas()
        self.assertEqual(len(table), sum(study.status().values()))
        self.assertEqual(set(table["w"]), {"NA", "2", "bad"})
        done = table[table.status == "done"]
        self.assertEqual(list(done["fence.counters"]), [3, 3, 4, 4])
        self.assertTrue((done.run_cycles > 0).all() and table[table.status == "refused"].run_cycles.isna().all())
        self.assertEqual(table["run"].str.len().unique().tolist(), [64])

    def test_queries_that_are_refused(self):
        study = self.study(KERNELS % "")
        self.assertRaisesRegex(heddle.StudyError, "is not there", study.query, "SELECT 1")
        study.run()
        for sql, words in (
            ("DELETE FROM run", "not authorized"),
            ("ATTACH 'made.db' AS made", "not authorized"),
            ("PRAGMA query_only", "not authorized"),
            ("SELECT colour", "no such column"),
            ("SELECT 1; SELECT 2", "one statement"),
            ("SELECT id, id FROM run", "two columns named 'id'"),
        ):
            with self.assertRaisesRegex(heddle.StudyError, words) as caught:
                study.query(sql)
            self.assertNotIn("made.db", os.listdir())
            if "two" not in words:
                self.assertEqual(caught.exception.file, study.db)
        self.assertEqual(study.status(), {"done": 2})

    def test_a_file_without_a_log_in_a_folder_that_cannot_be_written(self):
        os.mkdir("%23 #?")
        study = self.study(KERNELS % "", db="%23 #?/r.db")
        study.run()
        os.chmod("%23 #?", 0o500)
        self.addCleanup(os.chmod, "%23 #?", 0o700)
        self.assertEqual(study.query("SELECT count(*) AS n FROM run"), [{"n": 2}])


class Wrong(Case):
    def test_places(self):
        for text, line, words in (("examples: [saxpy 0]\naxes:\n  fence.countres: [3]\n", 3, "fence.counters"), ("examples: [saxby 0]\naxes: {fence.counters: 3}\n", 1, "saxpy")):
            with self.assertRaisesRegex(heddle.StudyError, words) as caught:
                self.study(text).run()
            first = caught.exception.messages[0]
            self.assertEqual((first.kind, first.file, first.line), ("error", "study.yaml", line))
            self.assertEqual((caught.exception.line, caught.exception.column), (line, first.column))
            self.assertGreater(first.column, 0)
            self.assertFalse(os.path.exists("study.db"))

    def test_a_kernel(self):
        (self.folder / "k.cl").write_text("kernel void k(global int *x)\n{\n\tx[0] = y;\n}\n")
        with self.assertRaises(heddle.StudyError) as caught:
            self.study(KERNELS % "").run()
        self.assertIn(("k.cl", 3, 9), [(one.file, one.line, one.column) for one in caught.exception.messages])

    def test_files(self):
        study = heddle.Study("nowhere.yaml")
        self.assertEqual(study.status(), {})
        with self.assertRaises(heddle.StudyError) as caught:
            study.run()
        self.assertEqual(caught.exception.file, "nowhere.yaml")
        (self.folder / "text.db").write_text("no database\n" * 100)
        with contextlib.closing(sqlite3.connect("other.db")) as other:
            other.execute("CREATE TABLE study(id)")
        for name, words in (("text.db", "not a database"), ("other.db", "none that `heddle sweep` has written")):
            study = self.study(KERNELS % "", db=name)
            for use in (study.run, study.status, lambda: study.query("SELECT 1"), lambda: study.report("x.html")):
                with self.assertRaisesRegex(heddle.StudyError, words) as caught:
                    use()
                self.assertEqual(caught.exception.file, study.db)

    def test_the_command_makes_its_tables_while_the_file_is_opened(self):
        study = self.study(KERNELS % "")
        command = sqlite3.connect(study.db)
        self.addCleanup(command.close)
        command.execute("PRAGMA journal_mode = WAL").fetchall()

        class Reader(sqlite3.Connection):
            def execute(self, sql, *parameters):
                cursor = super().execute(sql, *parameters)
                if sql == "PRAGMA application_id":
                    command.executescript(f"BEGIN; CREATE TABLE study(id, text, worker_time); PRAGMA application_id = {heddle.study._APPLICATION}; COMMIT")
                return cursor

        connect = sqlite3.connect
        with unittest.mock.patch.object(sqlite3, "connect", lambda *words, **options: connect(*words, factory=Reader, **options)):
            self.assertEqual(study.status(), {})


class Stops(Case):
    def assert_nobody_runs(self, study):
        """The lock of the file is free: the command and its workers are gone."""
        deadline = time.monotonic() + 20
        while subprocess.run(["flock", "--nonblock", study.db, "true"], check=False).returncode and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(subprocess.run(["flock", "--nonblock", study.db, "true"], check=False).returncode, 0)

    def test_timeout(self):
        study = self.study(SOME)
        with self.assertRaisesRegex(heddle.StudyStopped, "--timeout") as caught:
            study.run(jobs=8, timeout=3)
        self.assertEqual((sum(caught.exception.status.values()), caught.exception.status["missing"] >= 4), (8, True))
        self.assertEqual(study.status(), caught.exception.status)
        self.assert_nobody_runs(study)
        self.assertRaisesRegex(heddle.StudyError, "--timeout cannot be", study.run, timeout=-1)

    def test_progress_stops(self):
        study = self.study(SOME)
        with self.assertRaisesRegex(heddle.StudyStopped, "progress") as caught:
            study.run(jobs=8, progress=lambda done, all: done == 4)
        self.assertEqual(caught.exception.status, {"done": 4, "missing": 4})
        self.assertIsInstance(caught.exception, heddle.StudyError)
        self.assert_nobody_runs(study)

    def test_the_file_alone_has_all_runs(self):
        """Somebody reads while the command ends, which leaves its log then."""
        study, readers = self.study(SOME), []

        def progress(done, all):
            if done == 4:
                readers.append(sqlite3.connect(study.db))
                readers[-1].execute("SELECT count(*) FROM run").fetchall()
            return done == 4

        self.assertRaises(heddle.StudyStopped, study.run, jobs=8, progress=progress)
        for reader in readers:
            self.addCleanup(reader.close)
        shutil.copy(study.db, "copy.db")
        self.assertEqual(heddle.Study("study.yaml", db="copy.db").status(), {"done": 4, "missing": 4})

    def test_reading_leaves_nothing_beside_the_file(self):
        study = self.study(KERNELS % "")
        study.run()
        study.status()
        study.query("SELECT 1 FROM run")
        self.assertRaises(heddle.StudyError, study.query, "SELECT nothing FROM run")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(os.path.basename(study.db) + "-")], [])

    def test_progress_raises(self):
        study = self.study(SOME)
        self.assertRaises(ZeroDivisionError, study.run, jobs=8, progress=lambda done, all: 0 // (done - 4))
        self.assertEqual(study.status(), {"done": 4, "missing": 4})
        self.assert_nobody_runs(study)

    def test_ctrl_c(self):
        for progress in (None, lambda done, all: None):
            study = self.study(SOME)

            ended = threading.Event()

            def press():
                deadline = time.monotonic() + 60
                try:
                    while study.status().get("done") != 4 and time.monotonic() < deadline and not ended.is_set():
                        time.sleep(0.02)
                finally:
                    if not ended.is_set():
                        os.kill(os.getpid(), signal.SIGINT)

            finger = threading.Thread(target=press)
            self.addCleanup(finger.join)
            self.addCleanup(ended.set)
            finger.start()
            self.assertRaises(KeyboardInterrupt, study.run, jobs=8, progress=progress)
            ended.set()
            self.assertEqual(study.status(), {"done": 4, "missing": 4})
            self.assert_nobody_runs(study)
            os.remove(study.db)

    def test_python_is_killed(self):
        study = self.study(SOME)
        child = subprocess.Popen([sys.executable, "-c", "import heddle; heddle.Study('study.yaml').run(jobs=8)"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        while study.status().get("done") != 4:
            self.assertIsNone(child.poll())
            time.sleep(0.02)
        self.assertRaisesRegex(heddle.StudyError, "in use by another sweep", study.run)
        child.kill()
        child.wait()
        self.assert_nobody_runs(study)
        self.assertEqual(study.status(), {"done": 4, "missing": 4})


class Command(Case):
    def candidates(self, library, **environment):
        with unittest.mock.patch.dict(os.environ, environment), unittest.mock.patch.object(heddle.study, "library_path", lambda: str(library)):
            os.environ.pop("HEDDLE_COMMAND", None) if "HEDDLE_COMMAND" not in environment else None
            return heddle.study._command()

    def test_places(self):
        real = heddle.study._command()
        self.assertTrue(os.path.samefile(pathlib.Path(real).parent, pathlib.Path(heddle.study.library_path()).parent))
        prefix = self.folder.resolve() / "prefix"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "lib/x86_64-linux-gnu/heddle").mkdir(parents=True)  # a folder of that name is no command
        os.symlink(real, prefix / "bin/heddle")
        for library in ("lib/libheddle.so.0", "lib/x86_64-linux-gnu/libheddle.so.0"):
            self.assertEqual(self.candidates(prefix / library), str(prefix / "bin/heddle"))
        self.assertEqual(self.candidates("/nowhere/a/b/libheddle.so.0", PATH=str(prefix / "bin")), str(prefix / "bin/heddle"))
        self.assertEqual(self.candidates(real, HEDDLE_COMMAND=str(prefix / "bin/heddle")), str(prefix / "bin/heddle"))

    def test_another_version_is_passed_over(self):
        other = self.folder.resolve() / "heddle"
        other.write_text("#!/bin/sh\necho heddle 9.9.9\n")
        other.chmod(0o755)
        real = heddle.study._command()
        self.assertEqual(self.candidates(self.folder / "libheddle.so", PATH=os.path.dirname(real) + ":" + os.environ["PATH"]), real)
        with self.assertRaisesRegex(heddle.StudyError, f"is heddle 9.9.9, expected heddle {heddle.__version__}"):
            self.candidates("/nowhere/a/b/libheddle.so", HEDDLE_COMMAND=str(other))
        self.assertRaisesRegex(heddle.StudyError, "is not there", self.candidates, real, HEDDLE_COMMAND="/nowhere/heddle")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        unittest.main()
