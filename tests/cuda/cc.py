#!/usr/bin/env python3
"""cc.py HEDDLE: `heddle cc`: several files, objects, macros, what goes to clang, and what is refused."""
import os
import pathlib
import subprocess
import sys
import tempfile

heddle = os.path.abspath(sys.argv[1])
failures = 0

KERNELS = """
#include "shared.h"
__global__ void fill(int *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = i * FACTOR; }
int run(int *out, int n)
{
    int *d;
    if (cudaMalloc(&d, n * sizeof(int)) != cudaSuccess) return 1;
    fill<<<(n + 31) / 32, 32>>>(d, n);
    return cudaMemcpy(out, d, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess || cudaFree(d) != cudaSuccess;
}
"""
MAIN = """
#include "shared.h"
#include <cuda_runtime_api.h>
#include <cmath>
#include <cstdio>
int main()
{
    int v[50], devices = 0;
    if (run(v, 50) || cudaGetDeviceCount(&devices) || devices < 1) return 1;
    printf("%d %d %.0f\\n", v[1], v[49], std::sqrt(MORE));
    return 0;
}
"""
DRIVER = """
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
__global__ void triple(int *v) { v[threadIdx.x] *= 3; }
int main()
{
    int *d, h = 7, version = 0;
    CUcontext context = nullptr;
    cudaFunction_t function;
    if (cudaMalloc(&d, 4) || cuCtxGetCurrent(&context) || !context || cuDriverGetVersion(&version)) return 1;
    if (cuMemcpyHtoD((CUdeviceptr)d, &h, 4) || cudaGetFuncBySymbol(&function, (const void *)triple)) return 2;
    void *arguments[] = {&d};
    if (cuLaunchKernel((CUfunction)function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, nullptr)) return 3;
    if (cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost) || cuMemFree((CUdeviceptr)d)) return 4;
    printf("%d %d\\n", version, h);
}
"""
ONE = """
#include <cstdio>
extern __device__ int scale(int x);
extern __device__ int shared_var;
extern __constant__ int limits[2];
static __global__ void k(int *o) { o[threadIdx.x] = scale(threadIdx.x) + shared_var + limits[1]; }
void set(int);
int main()
{
    int *d, h[4];
    cudaMalloc(&d, 16);
    set(100);
    k<<<1, 4>>>(d);
    cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
    printf("%d %d\\n", h[0], h[3]);
}
"""
TWO = """
__device__ int shared_var = 1;
__constant__ int limits[2] = {4, 5};
__device__ int scale(int x) { return x * 3; }
static __global__ void k(int v) { shared_var = v; }
void set(int v) { k<<<1, 1>>>(v); }
"""


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1


def call(*words, environment=None, folder=None):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=folder, env={**os.environ, **(environment or {})}, timeout=200)


def expect(status, text, *words, **more):
    done = call(heddle, "cc", *words, **more)
    check(done.returncode == status and text in done.stderr, f"{words}: status {done.returncode}\n{done.stderr}expected {status}: {text}")


with tempfile.TemporaryDirectory() as name:
    at = pathlib.Path(name)
    (at / "include").mkdir()
    (at / "include/shared.h").write_text("int run(int *out, int n);\n")
    (at / "kernels.cu").write_text(KERNELS)
    (at / "main.cpp").write_text(MAIN.replace("\\\\", "\\"))
    (at / "wrong.cu").write_text("// line 1\n__global__ void k(int *p) { p[0] = missing; }\n")
    (at / "device.cu").write_text("// line 1\n#include <mma.h>\n__global__ void k() { }\n")
    (at / "host.cu").write_text("__global__ void k() { }\nint main() { return nothing; }\n")

    # Two sources, macros for both sides, a folder of headers, words for clang.
    expect(0, "", "kernels.cu", "main.cpp", "-o", "app", "-I", "include", "-DFACTOR=3", "-D", "MORE=49", "--", "-lm", "-O1", folder=at)
    done = call(at / "app")
    check(done.returncode == 0 and done.stdout == "3 147 7\n", f"app: {done.returncode} {done.stdout}{done.stderr}")
    # An object that the host's own compiler links; what it leaves undefined is the runtime's.
    expect(0, "", "-c", "kernels.cu", "-o", "kernels.o", "-Iinclude", "-DFACTOR=5", folder=at)
    expect(0, "", "-c", "main.cpp", "-o", "main.o", "-Iinclude", "-DMORE=81", folder=at)
    undefined = {line.split()[-1] for line in call("nm", "-u", at / "kernels.o").stdout.splitlines() if "cuda" in line}
    wanted = {"__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaRegisterFunction", "__cudaUnregisterFatBinary", "__cudaPushCallConfiguration",
              "__cudaPopCallConfiguration", "cudaLaunchKernel", "cudaMalloc", "cudaMemcpy", "cudaFree"}
    check(undefined == wanted, f"undefined: {sorted(undefined)}")
    expect(0, "", "kernels.o", "main.o", "-o", "linked", folder=at)
    done = call(at / "linked")
    check(done.returncode == 0 and done.stdout == "5 245 9\n", f"linked: {done.returncode} {done.stdout}{done.stderr}")
    # A program that is told what its kernels are when it runs on the machine: the same numbers.
    done = call(at / "app", environment={"HEDDLE_FUNCTIONAL": "1"})
    check(done.stdout == "3 147 7\n", f"functional: {done.stdout}{done.stderr}")

    # A program that calls the driver interface, too; the others are not linked with it.
    (at / "driver.cu").write_text(DRIVER)
    expect(0, "", "driver.cu", "-o", "driver", folder=at)
    done = call(at / "driver")
    check(done.returncode == 0 and done.stdout == "13000 21\n", f"driver: {done.returncode} {done.stdout}{done.stderr}")
    check("libcuda.so.1" in call("readelf", "-d", at / "driver").stdout, "the program with the driver interface is not linked with it")
    check("libcuda.so.1" not in call("readelf", "-d", at / "app").stdout, "a program without the driver interface is linked with it")

    # Device code of several sources: at once, and one after the other. What none of them has is a line for each name.
    (at / "one.cu").write_text(ONE)
    (at / "two.cu").write_text(TWO)
    expect(0, "", "one.cu", "two.cu", "-o", "units", "-use_fast_math", folder=at)
    expect(0, "", "-c", "two.cu", "-o", "two.o", "--", "-fgpu-rdc", folder=at)
    expect(0, "", "one.cu", "two.o", "-o", "parts", "--", "-fgpu-rdc", folder=at)
    for program in ["units", "parts"]:
        done = call(at / program)
        check(done.returncode == 0 and done.stdout == "105 114\n", f"{program}: {done.returncode} {done.stdout}{done.stderr}")
    for words, says in [(["one.cu", "-o", "x"], "no source of the program defines"), (["-c", "one.cu", "-o", "x.o"], "it does not define")]:
        done = call(heddle, "cc", *words, folder=at)
        names = ["scale(int)", "shared_var", "limits"]
        lines = done.stderr.splitlines()
        check(done.returncode == 2 and len(lines) == 3 and all(f"one.cu: error: device code uses {n}, which {says}" in line for n, line in zip(names, lines)), done.stderr)
    expect(2, "defined twice", "one.cu", "two.cu", "two.cu", "-o", "x", folder=at)

    # Words behind -- are for both sides; nvcc's there are refused, because clang reads -use_fast_math as -u se_fast_math.
    (at / "both.cu").write_text("__global__ void k(int *p) { p[0] = FACTOR; }\nint main() { return FACTOR - 7; }\n")
    expect(0, "", "both.cu", "-o", "both", "-O3", "--", "-DFACTOR=7", "-I", "include", "-Xclang", "-disable-llvm-passes", "-std=c++20", "-lm", folder=at)
    check(call(at / "both").returncode == 0, "both sides have the macro")
    expect(0, "", "both.cu", "-o", "both", "--", "-Xarch_device", "-DFACTOR=8", "-Xarch_host", "-DFACTOR=7", folder=at)
    check(call(at / "both").returncode == 0, "each side has its macro")
    for word in ["-use_fast_math", "-odir", "-c"]:
        expect(2, f"cc: {word} stands behind --", "both.cu", "-o", "x", "--", word, folder=at)
    for words, says in [(["-ftz=yes"], "--ftz cannot be 'yes', expected true or false"), (["-Ofast"], "-O cannot be 'fast', expected 0 to 3"),
                        (["--use_fast_math=1"], "--use_fast_math takes no value"), (["-arch=sm_75"], "unknown option -arch=sm_75"), (["-fmad"], "--fmad wants a value")]:
        expect(2, says, "both.cu", "-o", "x", *words, folder=at)

    expect(2, "cc: no input", folder=at)
    expect(2, "cc: no output", "kernels.cu", folder=at)
    expect(2, "cc: -c takes one source file", "-c", "kernels.cu", "main.cpp", "-o", "x.o", folder=at)
    expect(2, "cc: -c takes one source file", "-c", "kernels.o", "-o", "x.o", folder=at)
    expect(2, "wrong.cu:2:", "wrong.cu", "-o", "x", folder=at)
    expect(2, "tensor instructions", "device.cu", "-o", "x", folder=at)
    for header, what in [("cuda_gl_interop.h", "OpenGL"), ("cudaGL.h", "OpenGL"), ("cuda_egl_interop.h", "EGL"), ("cudaEGL.h", "EGL"), ("cuda_vdpau_interop.h", "VDPAU"), ("cudaVDPAU.h", "VDPAU")]:
        (at / "graphics.cu").write_text(f"#include <{header}>\n__global__ void k() {{}}\nint main() {{}}\n")
        done = call(heddle, "cc", "graphics.cu", "-o", "x", folder=at)
        check(done.returncode == 2 and done.stderr.count("error:") == 1 and f'{header}:1:2: error: "this device shares no memory with {what}"' in done.stderr, done.stderr)
    expect(2, "host.cu:2:", "host.cu", "-o", "x", folder=at)
    expect(2, "none.cu", "none.cu", "-o", "x", folder=at)
    expect(2, "libcudart.so.12", "kernels.o", "-o", "x", folder=at, environment={"HEDDLE_CUDART": str(at)})
    expect(2, "HEDDLE_CLANG", "kernels.o", "-o", "x", folder=at, environment={"HEDDLE_CLANG": "/nowhere/clang"})
    check(not (at / "x").exists() and not (at / "x.o").exists(), "nothing is written after an error")
    left = sorted(path.name for path in at.iterdir() if path.name.startswith((".", "tmp")))
    check(not left, f"left behind: {left}")

print(f"{failures} failures")
sys.exit(failures != 0)
