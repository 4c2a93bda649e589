#!/usr/bin/env python3
"""Prints the declarations of include/heddle/heddle.h as cffi reads them: no comments, no preprocessor, no bodies of inline functions."""
import pathlib
import re

header = pathlib.Path(__file__).parent.parent / "include/heddle/heddle.h"
text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
version = re.search(r'#define HEDDLE_VERSION "(.*)"', text)[1]
text = re.sub(r"^static inline .*?(?:\{[^\n]*\}|^\})$", "", text, flags=re.S | re.M)
text = re.sub(r'^#.*$|^extern "C" \{$|^\}$', "", text, flags=re.M)
lines = [line.rstrip() for line in text.splitlines()]
print('"""Written by tools/python_declarations.py from include/heddle/heddle.h."""')
print(f'VERSION = "{version}"')
print('DECLARATIONS = """')
print("\n".join(line for line in lines if line))
print('"""')
