#!/usr/bin/env python3
"""report_pictures.py BUILD [FOLDER]: makes the pictures of docs/reports.md and docs/studies.md from runs of this build, in headless Chromium. FOLDER is
docs/pictures where it is left out. The picture of an application needs the OpenCL driver of the build."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/explore"))
from webdriver import Browser, absent

WAIT = "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => f(1), 300))))"
PHONES = """<!DOCTYPE html><style>body{margin:0;display:flex;gap:20px;background:#808080}iframe{border:0;width:390px;height:1100px}</style>
""" + "".join(f'<iframe src="report.html#{part}"></iframe>' for part in ("", "time", "memory"))


def product(m, n, k):
    return ["examples/matmul/matmul.cl", "--kernel", "matmul_tiled", "--grid", f"{(n + 15) // 16},{(m + 15) // 16}", "--block", "16,16", "--arg", f"rand:f32:{m * k}:1",
            "--arg", f"rand:f32:{k * n}:2", "--arg", f"zero:f32:{m * n}", *(word for x in (m, n, k) for word in ("--arg", f"u32:{x}"))]


def picture(b, page, path, width, height, at=None):
    """The page from its begin, or from the first element of a selector on."""
    b.screen(width, height)
    b.chromium("Emulation.setScrollbarsHidden", hidden=True)
    b.own("POST", "/url", {"url": f"file://{page}"})
    b.js(WAIT)
    if at:
        b.js(f"(scrollTo(0, document.querySelector('{at}').getBoundingClientRect().top + scrollY - 12), 1)")
    b.js(WAIT)
    b.picture(path)


def main():
    if len(sys.argv) < 2 or absent():
        sys.exit(absent() or __doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else ROOT / "docs/pictures"
    with tempfile.TemporaryDirectory() as home, Browser(1366, 900) as b:
        at = pathlib.Path(home)

        def heddle(*words):
            subprocess.run([build / "heddle", *map(str, words)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

        heddle("run", *product(150, 140, 160), "--quiet", "--roofline", "--report", at / "report.html")
        picture(b, at / "report.html", folder / "report.png", 1366, 2340)
        picture(b, at / "report.html", folder / "report-roofline.png", 1280, 725, "#roofline")
        (at / "phones.html").write_text(PHONES)
        b.theme("dark")
        picture(b, at / "phones.html", folder / "report-phone.png", 1210, 1100)
        b.theme("light")
        heddle("compare", *product(32, 48, 32), "--machine", "baseline", "--machine", "heddle", "--lines", "difference", "--report", at / "two.html")
        picture(b, at / "two.html", folder / "report-lines.png", 1280, 340, "details")
        driver = {"OCL_ICD_VENDORS": str(build / "opencl-vendors"), "EX_OPENCL_PLATFORM": "Heddle", "HEDDLE_SOURCE": str(ROOT), "HEDDLE_BUILD": str(build)}
        subprocess.run([build / "tests/kernels/heddle-examples", "--opencl", "--size", "1", "bfs"], cwd=at, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **driver, "HEDDLE_SUMMARY": "app.html", "HEDDLE_ROOFLINE": "1"})
        picture(b, at / "app.html", folder / "report-application.png", 1280, 1120)


main()
