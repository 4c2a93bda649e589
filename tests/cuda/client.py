#!/usr/bin/env python3
"""client.py HEDDLE: a client of the driver interface that loads PTX, as packages of Python do: by ctypes and cuGetProcAddress."""
import ctypes
import os
import sys

HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"
AXPY = HEAD + """.visible .entry axpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
.reg .pred %p<2>; .reg .u32 %r<6>; .reg .f32 %f<5>; .reg .u64 %d<6>;
ld.param.f32 %f1, [a]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
setp.ge.u32 %p1, %r5, %r1; @%p1 bra L;
cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2; mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
ld.global.f32 %f2, [%d4]; ld.global.f32 %f3, [%d5]; fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%d5], %f4;
L: ret;
}
"""
N = 1000
failures = 0


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1


if len(sys.argv) > 1:  # again, with the library found
    os.execv(sys.argv[1], [sys.argv[1], "cudart", "--", sys.executable, __file__])

library = ctypes.CDLL("libcuda.so.1")
by_name = library.cuGetProcAddress_v2


def driver(name, *arguments):
    """Calls a function of version 12 by its plain name; its result."""
    address, status = ctypes.c_void_p(), ctypes.c_int(-1)
    check(by_name(name.encode(), ctypes.byref(address), 12000, ctypes.c_uint64(0), ctypes.byref(status)) == 0 and status.value == 0, name)
    return ctypes.CFUNCTYPE(ctypes.c_int, *[type(a) if hasattr(a, "value") else ctypes.c_void_p for a in arguments])(address.value)(*arguments)


def good(name, *arguments):
    result = driver(name, *arguments)
    check(result == 0, f"{name} returns {result}")


def pointer(to):
    return ctypes.cast(ctypes.byref(to), ctypes.c_void_p)


context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
x, y = ctypes.c_uint64(), ctypes.c_uint64()
a, n = ctypes.c_float(2), ctypes.c_uint32(N)
values = (ctypes.c_float * N)(*range(N))
name = ctypes.create_string_buffer(64)
good("cuInit", ctypes.c_uint(0))
good("cuDeviceGetName", pointer(name), ctypes.c_int(64), ctypes.c_int(0))
check(name.value.startswith(b"Heddle"), f"the device is {name.value}")
good("cuDevicePrimaryCtxRetain", pointer(context), ctypes.c_int(0))
good("cuCtxPushCurrent", context)
text = ctypes.create_string_buffer(AXPY.encode())
good("cuModuleLoadData", pointer(module), pointer(text))
symbol = ctypes.create_string_buffer(b"axpy")
good("cuModuleGetFunction", pointer(function), module, pointer(symbol))
for memory in (x, y):
    good("cuMemAlloc", pointer(memory), ctypes.c_size_t(4 * N))
    good("cuMemcpyHtoD", memory, pointer(values), ctypes.c_size_t(4 * N))
arguments = (ctypes.c_void_p * 4)(*[pointer(v).value for v in (a, x, y, n)])
one = ctypes.c_uint(1)
good("cuLaunchKernel", function, ctypes.c_uint((N + 127) // 128), one, one, ctypes.c_uint(128), one, one, ctypes.c_uint(0), None, pointer(arguments), None)
good("cuMemcpyDtoH", pointer(values), y, ctypes.c_size_t(4 * N))
check(list(values) == [3 * i for i in range(N)], "values")
# An error has a place in the text.
log = ctypes.create_string_buffer(256)
options, places = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(pointer(log).value, 256)
wrong = ctypes.create_string_buffer((HEAD + "nonsense").encode())
result = driver("cuModuleLoadDataEx", pointer(module), pointer(wrong), ctypes.c_uint(2), pointer(options), pointer(places))
check(result == 218 and b":4:" in log.value, f"result {result}, {log.value}")
for memory in (x, y):
    good("cuMemFree", memory)
good("cuCtxPopCurrent", pointer(context))
good("cuDevicePrimaryCtxRelease", ctypes.c_int(0))
print(f"{failures} failures")
sys.exit(failures != 0)
