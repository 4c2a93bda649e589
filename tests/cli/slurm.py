"""A Slurm of one node, for as long as a test runs: munged, slurmctld and slurmd of this user, with a folder, ports and a key of their own."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "sinfo", "scancel"]
FOLDERS = os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/usr/local/sbin", "/sbin"]


def find(program):
    return shutil.which(program, path=":".join(FOLDERS))


def missing():
    """The programs that are not there."""
    return [program for program in PROGRAMS if not find(program)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Slurm:
    """`env` is what a client needs. Ends with its context."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="heddle-slurm-")
        self.root = pathlib.Path(self.folder.name)
        self.root.chmod(0o755)
        self.processes = []
        self.env = {**os.environ, "SLURM_CONF": str(self.root / "slurm.conf")}

    def start(self, name, *arguments):
        log = open(self.root / f"{name}.out", "wb")
        self.processes.append(subprocess.Popen([find(name), *map(str, arguments)], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.env, start_new_session=True))

    def write_configuration(self):
        user, host = pwd.getpwuid(os.getuid()).pw_name, socket.gethostname().split(".")[0]
        (self.root / "slurm.conf").write_text("\n".join([
            "ClusterName=heddle", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={free_port()}", f"SlurmdPort={free_port()}",
            f"SlurmUser={user}", f"SlurmdUser={user}", "AuthType=auth/munge", f"AuthInfo=socket={self.root}/munge.socket", "CryptoType=crypto/munge".replace("CryptoType", "CredType").replace("crypto/", "cred/"),
            f"StateSaveLocation={self.root}/state", f"SlurmdSpoolDir={self.root}/spool", f"SlurmctldPidFile={self.root}/slurmctld.pid", f"SlurmdPidFile={self.root}/slurmd.pid",
            f"SlurmctldLogFile={self.root}/slurmctld.log", f"SlurmdLogFile={self.root}/slurmd.log",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SwitchType=switch/none", "MpiDefault=none", "ReturnToService=2",
            "SchedulerType=sched/backfill", "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none", "MinJobAge=300", "SchedulerParameters=sched_interval=1,batch_sched_delay=0",
            f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN", f"PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP", ""]))
        # slurmd looks for control groups, although nothing here uses them.
        (self.root / "cgroup.conf").write_text(f"CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint={self.root}/cgroup\n")

    def __enter__(self):
        for name in ("state", "spool"):
            (self.root / name).mkdir()
        key = self.root / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.write_configuration()
        self.start("munged", "--foreground", "--force", f"--socket={self.root}/munge.socket", f"--key-file={key}", f"--pid-file={self.root}/munged.pid", f"--log-file={self.root}/munged.log", f"--seed-file={self.root}/munge.seed")
        for _ in range(100):
            if (self.root / "munge.socket").exists():
                break
            time.sleep(0.1)
        self.start("slurmctld", "-D", "-f", self.root / "slurm.conf")
        self.start("slurmd", "-D", "-f", self.root / "slurm.conf")
        for _ in range(300):
            sinfo = subprocess.run([find("sinfo"), "-h", "-o", "%T"], env=self.env, capture_output=True, text=True)
            if sinfo.stdout.strip().startswith("idle"):
                return self
            time.sleep(0.1)
        logs = self.logs()
        self.__exit__()
        raise RuntimeError(f"Slurm did not start: {sinfo.stdout}{sinfo.stderr}\n{logs}")

    def logs(self):
        return "\n".join(f"-- {path.name}\n{path.read_text(errors='replace')[-1500:]}" for path in sorted(self.root.glob("*.log")) + sorted(self.root.glob("*.out")))

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.root, ignore_errors=True)
        self.folder.cleanup()
