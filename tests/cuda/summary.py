#!/usr/bin/env python3
"""summary.py HEDDLE LIBRARY: all launches of a CUDA program on one page (HEDDLE_SUMMARY), with a roofline, by their names in the source, and as JSON and text;
a page to explore of one launch (HEDDLE_TRACE)."""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

heddle, library = (os.path.abspath(word) for word in sys.argv[1:3])
failures = 0

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
template <typename T> __global__ void scale(T *v, T by) { v[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void touch(int *v) { v[threadIdx.x] += 1; }
__global__ void touch(float *v, int n) { for (int i = 0; i < n; i++) v[threadIdx.x] = v[threadIdx.x] * 0.5f + 1.0f; }
int main()
{
    int *i;
    float *f;
    if (cudaMalloc(&i, 4096) || cudaMalloc(&f, 4096) || cudaMemset(i, 0, 4096) || cudaMemset(f, 0, 4096)) return 1;
    for (int n = 1; n <= 3; n++) {
        scale<int><<<n, 64>>>(i, 3);
        scale<float><<<1, 32 * n>>>(f, 0.5f);
    }
    touch<<<1, 64>>>(i);
    touch<<<1, 64>>>(f, 9);
    return cudaDeviceSynchronize();
}
"""
NAMES = {"scale<int>": 3, "scale<float>": 3, "touch(int *)": 1, "touch(float *, int)": 1}


def check(ok, what, *more):
    global failures
    if not ok:
        print("FAILED:", what, *more, sep="\n")
        failures += 1


def text(cell):
    return html.unescape(re.sub("<[^>]*>", "", cell)).strip()


def rows(page, part):
    """Cells of the first table of a section, without its head."""
    table = re.search(rf'<h2 id="{part}">.*?<table>(.*?)</table>', page, re.S)[1]
    return [[text(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)] for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]]


with tempfile.TemporaryDirectory() as name:
    at = pathlib.Path(name)
    (at / "app.cu").write_text(PROGRAM)
    done = subprocess.run([heddle, "cc", "app.cu", "-o", "app"], cwd=at, capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, "heddle cc", done.stderr)

    def run(**settings):
        environment = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(library), **{f"HEDDLE_{k}": str(v) for k, v in settings.items()}}
        r = subprocess.run([at / "app"], cwd=at, capture_output=True, text=True, env=environment, timeout=200)
        check(r.returncode == 0 and r.stderr == "", settings, r.stdout, r.stderr)

    run(SUMMARY="all.json")
    summary = json.loads((at / "all.json").read_text())
    launches = summary["launch_list"]
    check(len(launches) == summary["total"]["launches"] == sum(NAMES.values()), "launches", launches)
    run(SUMMARY="all.html", ROOFLINE=1)
    page = (at / "all.html").read_text()
    kernels = rows(page, "kernels")
    check({row[0]: int(row[1]) for row in kernels} == {**NAMES, "(all)": 8}, "kernels have the names of the source", kernels)
    check({row[4] for row in kernels} == {f"{one['cycles']:,}" for one in [*summary["kernels"], summary["total"]]}, "and the sums of the summary as JSON", kernels)
    found = rows(page, "launches")
    check([(row[1], row[4]) for row in found] == [(shown, f"{one['cycles']:,}") for shown, one in zip([*["scale<int>", "scale<float>"] * 3, "touch(int *)", "touch(float *, int)"], launches)],
          "a row a launch, in their order", found)
    check(len(re.findall(r'<h3 id="launch\d+">', page)) == 8 and page.count("class=\"frame\"") >= 2, "sections, and a roofline for screens and phones")
    # No name in the roofline stands on another one.
    for picture in re.findall(r"<svg.*?</svg>", page, re.S):
        boxes = []
        for x, y, anchor, label in re.findall(r'<text x="([\d.-]+)" y="([\d.-]+)" text-anchor="(\w+)">([^<]*)</text>', picture):
            x, width = float(x), 6.5 * len(html.unescape(label))
            boxes.append((x - width if anchor == "end" else x, x if anchor == "end" else x + width, float(y), label))
        over = [(a[3], b[3]) for i, a in enumerate(boxes) for b in boxes[i + 1:] if a[0] < b[1] and b[0] < a[1] and abs(a[2] - b[2]) < 12]
        check(not over, "names of the roofline stand on each other", over)
        check("frame" not in picture or len(boxes) == len(NAMES), "the roofline names each kernel", boxes)
    run(SUMMARY="all.txt")
    check(all(re.search(rf"^{re.escape(kernel)} +{n} ", (at / "all.txt").read_text(), re.M) for kernel, n in NAMES.items()), "the text has the names", (at / "all.txt").read_text())
    run(TRACE="explore:one.html", TRACE_LAUNCH=launches[1]["number"])
    check("<title>Heddle:" in (at / "one.html").read_text(), "a launch as a page to explore")

sys.exit(failures != 0)
