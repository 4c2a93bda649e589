#!/usr/bin/env python3
"""Debian's pyopencl on Heddle: arrays, mathematics, reductions, scans, sorting and random numbers, against NumPy. pyopencl writes the kernels."""
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as ca
import pyopencl.clmath as cm
from pyopencl.algorithm import RadixSort, copy_if
from pyopencl.clrandom import PhiloxGenerator
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel

platform = next(p for p in cl.get_platforms() if p.name == "Heddle")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
random = np.random.default_rng(1)
bad = 0


def check(name, ok):
    global bad
    bad += not ok
    print(f"{name:40} {'right' if ok else 'WRONG'}", flush=True)


for dtype in (np.float32, np.float64, np.int32, np.int64, np.uint8, np.complex64):
    a = (random.random(1000) * 100).astype(dtype)
    b = (random.random(1000) * 50 + 1).astype(dtype)
    da, db = ca.to_device(queue, a), ca.to_device(queue, b)
    check(f"a * b + a - 3, {np.dtype(dtype)}", np.allclose((da * db + da - 3).get(), a * b + a - dtype(3), rtol=1e-5))

x = random.random(2000)
for dtype, bound in ((np.float32, 4e-7), (np.float64, 1e-15)):
    dx = ca.to_device(queue, x.astype(dtype))
    for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "atan", "floor"):
        expected = getattr(np, {"atan": "arctan"}.get(name, name))(x.astype(dtype))
        check(f"{name}, {np.dtype(dtype)}", np.allclose(getattr(cm, name)(dx).get(), expected, rtol=bound, atol=bound))

numbers = random.integers(-1000, 1000, 5000).astype(np.int32)
dn = ca.to_device(queue, numbers)
check("sum", ca.sum(dn).get() == numbers.sum())
check("max, min", ca.max(dn).get() == numbers.max() and ca.min(dn).get() == numbers.min())
floats = random.random(5000).astype(np.float32)
df = ca.to_device(queue, floats)
check("dot", np.allclose(ca.dot(df, df).get(), np.dot(floats.astype(np.float64), floats), rtol=1e-5))
check("vdot of complex", np.allclose(ca.vdot(da, db).get(), np.vdot(a, b), rtol=1e-4))
kernel = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a+b", map_expr="(long)x[i]*x[i]", arguments="__global int *x")
check("a reduction of its own", kernel(dn).get() == (numbers.astype(np.int64) ** 2).sum())
kernel = ElementwiseKernel(context, "float a, float *x, float *z", "z[i] = a * x[i] + (i % 7)", "own")
out = ca.empty_like(df)
kernel(np.float32(2), df, out)
check("an elementwise kernel of its own", np.allclose(out.get(), 2 * floats + np.arange(5000) % 7))
scanned = dn.copy()
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(scanned)
check("inclusive scan", (scanned.get() == np.cumsum(numbers)).all())
scanned = dn.copy()
ExclusiveScanKernel(context, np.int32, "a+b", neutral="0")(scanned)
check("exclusive scan", (scanned.get() == np.cumsum(numbers) - numbers).all())
kept, count, _ = copy_if(dn, "ary[i] > 300")
check("copy_if", (kept.get()[: int(count.get())] == numbers[numbers > 300]).all())
positive = ca.to_device(queue, (numbers + 1000).astype(np.int32))
(ordered,), _ = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])(positive)
check("radix sort", (ordered.get() == np.sort(numbers + 1000)).all())
uniform = PhiloxGenerator(context, seed=7).uniform(queue, 4000, np.float32).get()
check("Philox random numbers", 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.03)
event = cl.enqueue_copy(queue, np.empty_like(floats), df.data)
event.wait()
check("profiling", event.profile.end > event.profile.start)
print("pyopencl on Heddle:", "all right" if not bad else f"{bad} wrong")
sys.exit(bad != 0)
