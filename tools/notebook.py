#!/usr/bin/env python3
"""Runs the cells of a notebook, and compares what they print with what it holds: notebook.py [--write] FILE.ipynb

The outputs are those of a Jupyter kernel as far as the notebook of docs/ needs them: what a cell prints, and the value of its last expression as text (and as
HTML, which is not compared). --write stores them instead."""
import ast
import contextlib
import io
import json
import pathlib
import sys


def run(source, names):
    """Runs a cell. Returns what it printed and the value of its last expression (None: it has none)."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    return printed.getvalue(), value


def outputs_of(printed, value, number):
    """The outputs as nbformat 4 has them."""
    outputs = []
    if printed:
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def compared(outputs):
    """The part of the outputs that has to be equal."""
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


def main():
    write = "--write" in sys.argv
    path = pathlib.Path(sys.argv[-1])
    book = json.loads(path.read_text())
    names, number, wrong = {"__name__": "__main__"}, 0, 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        made = outputs_of(*run("".join(cell["source"]), names), number)
        if not write and compared(made) != compared(cell["outputs"]):
            print(f"{path}: cell {number} gives something else:")
            print("".join("".join(part) for part in compared(made)))
            wrong += 1
        cell["outputs"], cell["execution_count"] = made, number
    if write:
        path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n")
    return 1 if wrong else 0


sys.exit(main())
