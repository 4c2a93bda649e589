"""The driver interface of CUDA by ctypes: what the measurements of this folder need of libcuda.so.1, loaded when a program starts. Every fault is an
exception with the name of the call."""
import ctypes
import datetime
import json
import subprocess

C = ctypes


class Fault(RuntimeError):
    pass


class Gpu:
    def __init__(self):
        self.lib = C.CDLL("libcuda.so.1")
        self.call("cuInit", C.c_uint(0))
        self.device = C.c_int()
        self.call("cuDeviceGet", C.byref(self.device), C.c_int(0))
        self.context = C.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", C.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)
        self.events = [self.event(), self.event()]

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status:
            text = C.c_char_p()
            self.lib.cuGetErrorName(C.c_int(status), C.byref(text))
            raise Fault(f"{name}: {(text.value or b'?').decode()}")

    def attribute(self, number):
        value = C.c_int()
        self.call("cuDeviceGetAttribute", C.byref(value), C.c_int(number), self.device)
        return value.value

    def event(self):
        event = C.c_void_p()
        self.call("cuEventCreate", C.byref(event), C.c_uint(0))
        return event

    def alloc(self, size):
        address = C.c_uint64()
        self.call("cuMemAlloc_v2", C.byref(address), C.c_size_t(size))
        return address.value

    def free(self, address):
        self.call("cuMemFree_v2", C.c_uint64(address))

    def write(self, address, data):
        self.call("cuMemcpyHtoD_v2", C.c_uint64(address), C.c_char_p(bytes(data)), C.c_size_t(len(data)))

    def read(self, address, size):
        buffer = C.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", buffer, C.c_uint64(address), C.c_size_t(size))
        return buffer.raw

    def words(self, address, count):
        return list(memoryview(self.read(address, 4 * count)).cast("I"))

    def fill(self, address, value, count):
        self.call("cuMemsetD32_v2", C.c_uint64(address), C.c_uint(value), C.c_size_t(count))

    def module(self, data):
        module = C.c_void_p()
        if data[:4] == b"\x7fELF":
            self.call("cuModuleLoadData", C.byref(module), C.c_char_p(data))
            return module
        log = C.create_string_buffer(8192)  # PTX: the messages of the compiler
        options, values = (C.c_int * 2)(5, 6), (C.c_void_p * 2)(C.cast(log, C.c_void_p), C.c_void_p(len(log)))
        try:
            self.call("cuModuleLoadDataEx", C.byref(module), C.c_char_p(data + b"\0"), C.c_uint(2), options, values)
        except Fault as fault:
            raise Fault(f"{fault}\n{log.value.decode(errors='replace')}") from None
        return module

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def function(self, module, name):
        function = C.c_void_p()
        self.call("cuModuleGetFunction", C.byref(function), module, C.c_char_p(name.encode()))
        return function

    def launch(self, function, grid, block, arguments, shared=0):
        """Arguments: ctypes values."""
        grid, block = ((x + (1, 1))[:3] if isinstance(x, tuple) else (x, 1, 1) for x in (grid, block))
        pointers = (C.c_void_p * max(len(arguments), 1))(*[C.cast(C.pointer(a), C.c_void_p) for a in arguments])
        self.call("cuLaunchKernel", function, *map(C.c_uint, grid), *map(C.c_uint, block), C.c_uint(shared), C.c_void_p(), pointers, C.c_void_p())

    def large_shared(self, function, size):
        self.call("cuFuncSetAttribute", function, C.c_int(8), C.c_int(size))

    def wait(self):
        self.call("cuCtxSynchronize")

    def timed(self, run):
        """Milliseconds of what `run` launches."""
        self.call("cuEventRecord", self.events[0], C.c_void_p())
        run()
        self.call("cuEventRecord", self.events[1], C.c_void_p())
        self.call("cuEventSynchronize", self.events[1])
        ms = C.c_float()
        status = self.lib.cuEventElapsedTime(C.byref(ms), self.events[0], self.events[1])
        if status:
            raise Fault("cuEventElapsedTime")
        return ms.value


QUERY = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.draw,temperature.gpu,ecc.mode.current,vbios_version"


def card(gpu):
    """The conditions that the results name: the card, its driver, its clocks, the date."""
    answer = subprocess.run(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader"], capture_output=True, text=True, check=False).stdout.strip().split(", ")
    about = dict(zip(QUERY.split(","), answer))
    about["multiprocessors"], about["l2_bytes"] = gpu.attribute(16), gpu.attribute(38)
    about["date"] = datetime.date.today().isoformat()
    return about


def save(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


def u32(value):
    return C.c_uint32(value & 0xffffffff)


def u64(value):
    return C.c_uint64(value)
