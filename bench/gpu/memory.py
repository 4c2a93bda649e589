#!/usr/bin/env python3
"""memory.py MEMORY.cubin OUT.json: latency by size, copies, random sectors, atomics, and conflicts of banks. Every figure has raw samples."""
import sys

import driver
from driver import u32, u64

REPEATS = 5
TOGETHER = 8  # launches between two events
COPY_MAX = 4 << 30


def main():
    gpu = driver.Gpu()
    module = gpu.module(open(sys.argv[1], "rb").read())
    f = {name: gpu.function(module, name) for name in ("ring", "chase_ca", "chase_cg", "chase_shared", "copy", "sum", "fill", "sectors", "add_atom", "add_red", "banks")}
    sms = gpu.attribute(16)
    big, cycles = gpu.alloc(8 << 30), gpu.alloc(4096)
    results = {"card": driver.card(gpu), "command": " ".join(sys.argv), "chase": [], "copy": [], "sectors": [], "atomics": [], "banks": []}

    def measured():
        gpu.wait()
        return memoryview(gpu.read(cycles, 16)).cast("Q")[0]

    for stride in (32, 128):
        for power in range(10, 34):
            size = 1 << power
            n = size // stride
            gpu.launch(f["ring"], sms * 8, 256, [u64(big), u64(n), u64(stride)])
            for cache in ("ca", "cg"):
                # A small ring is walked round once before; of a large one each sample walks another part, which no cache has.
                small, steps, samples = n <= 1 << 19, 8192 if power <= 27 else 4096, []
                for sample in range(5):
                    start = 0 if small else (n // 10 * (2 * sample + (cache == "cg")) + 12345 * power) % n * stride
                    gpu.launch(f[f"chase_{cache}"], 1, 1, [u64(big), u64(start), u64(n if small else 64), u64(steps), u64(cycles)])
                    samples.append(measured() / steps)
                results["chase"].append({"bytes": size, "stride": stride, "cache": cache, "cycles": samples})
    gpu.launch(f["chase_shared"], 1, 32, [u64(8192), u64(cycles)])
    results["shared_cycles"] = measured() / 8192
    print("chase done")
    for power in range(20, 33):
        size = min(1 << power, COPY_MAX)
        for name in ("copy", "sum", "fill"):
            def run():
                for _ in range(TOGETHER):
                    gpu.launch(f[name], min(sms * 4, max(size // 8192, 1)), 512, [u64(big), u64(big + COPY_MAX), u64(size // 16)])
            run()
            samples = [gpu.timed(run) / TOGETHER for _ in range(REPEATS)]
            results["copy"].append({"what": name, "bytes": size, "ms": samples})
    for power in range(20, 34):
        def run():
            gpu.launch(f["sectors"], sms * 8, 256, [u64(big), u64((1 << power) // 32), u32(64), u64(cycles)])
        run()
        results["sectors"].append({"bytes": 1 << power, "sectors": sms * 8 * 256 * 64, "ms": [gpu.timed(run) for _ in range(REPEATS)]})
    for name in ("add_atom", "add_red"):
        for places, apart in ((1, 1), (2, 32), (8, 32), (32, 1), (32, 32), (1024, 1), (1024, 32), (1 << 20, 1), (1 << 20, 32)):
            times = 16 if places == 1 else 64

            def run():
                gpu.launch(f[name], sms * 4, 256, [u64(big), u32(places), u32(apart), u32(times)])
            run()
            results["atomics"].append({"what": name, "places": places, "words_apart": apart, "additions": sms * 4 * 256 * times, "ms": [gpu.timed(run) for _ in range(REPEATS)]})
    for ways in (1, 2, 4, 8, 16, 32):
        for warps in (1, 4, 16):
            samples = []
            for _ in range(3):
                gpu.launch(f["banks"], 1, 32 * warps, [u32(ways), u64(2048), u64(cycles)], 32768)
                gpu.wait()
                chain, independent = memoryview(gpu.read(cycles, 16)).cast("Q")[:2]
                samples.append([chain / 2048, independent / 2048])
            results["banks"].append({"ways": ways, "warps": warps, "cycles": samples})
    results["card_after"] = driver.card(gpu)
    driver.save(sys.argv[2], results)
    print("memory done")


if __name__ == "__main__":
    main()
