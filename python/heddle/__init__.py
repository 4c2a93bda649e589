"""Heddle: a GPU shader core in software, from Python.

>>> import heddle, numpy as np
>>> program = heddle.compile("kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }")
>>> x = np.arange(256, dtype=np.float32)
>>> report = heddle.Machine("heddle").run(program.twice, 4, 64, x)
>>> report.cycles
"""
from ._arguments import U32, check_public
from ._declarations import VERSION as __version__
from .errors import ArgumentError, BuildError, ConfigurationError, Error, Fault, Interrupted, LaunchError, Message, StudyError, StudyStopped
from .machine import Key, Machine, keys, presets
from .program import Finding, Kernel, Parameter, Place, Program, Proof, compile
from .report import Counts, Instruction, Line, Report
from .sass import Assumption, Doubt, MachineFinding, MachineFunction, MachineInstruction, MachineProof, Slack, sass_check
from .session import Buffer, Local, Session
from .study import Study


def local(size: U32) -> Local:
    """An argument for a pointer to local (shared) memory: bytes for each CTA."""
    return Local(size)


__all__ = [
    "ArgumentError", "Assumption", "BuildError", "Buffer", "ConfigurationError", "Counts", "Doubt", "Error", "Fault", "Finding", "Instruction", "Interrupted", "Kernel", "Key", "LaunchError",
    "Line", "Local", "Machine", "MachineFinding", "MachineFunction", "MachineInstruction", "MachineProof", "Message", "Parameter", "Place", "Program", "Proof", "Report",
    "Session", "Slack", "Study", "StudyError", "StudyStopped", "compile", "keys", "local", "presets", "sass_check",
]  # fmt: skip
check_public(globals(), __all__)
