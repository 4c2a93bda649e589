#!/usr/bin/env python3
"""clinfo's raw output has every property, no error, and what the machine's description says."""
import subprocess
import sys

run = subprocess.run([sys.argv[1], "--raw"], capture_output=True, text=True)
text = run.stdout
wanted = {
    "CL_DEVICE_VERSION": "OpenCL 3.0 Heddle",
    "CL_DEVICE_TYPE": "CL_DEVICE_TYPE_GPU",
    "CL_DEVICE_MAX_COMPUTE_UNITS": "2",
    "CL_DEVICE_MAX_CLOCK_FREQUENCY": "1000",
    "CL_DEVICE_LOCAL_MEM_SIZE": "65536",
    "CL_DEVICE_IMAGE_SUPPORT": "CL_FALSE",
    "CL_DEVICE_AVAILABLE": "CL_TRUE",
}
bad = [f"exit status {run.returncode}, {run.stderr}"] if run.returncode or run.stderr else []
bad += [line for line in text.splitlines() if "error" in line.lower() and "ERROR_CORRECTION" not in line]
for key, value in wanted.items():
    lines = [line for line in text.splitlines() if f" {key} " in line + " "]
    if not any(value in line for line in lines):
        bad.append(f"{key}: expected {value}, got {lines}")
print("\n".join(bad) if bad else f"{len(text.splitlines())} lines, no error")
sys.exit(1 if bad else 0)
