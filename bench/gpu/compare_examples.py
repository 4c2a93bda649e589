#!/usr/bin/env python3
"""compare_examples.py INTERPRETER.out GPU.out: where the outputs of the examples differ (heddle-gpu-examples). Floats that differ are told with the
largest distance in units of the last place, other words with their number."""
import struct
import sys


def read(path):
    """(example, size, name): (bytes, floats)."""
    data, found, at = open(path, "rb").read(), {}, 0
    while at < len(data):
        end = data.index(b"\n", at)
        example, size, name, n, kind = data[at:end].decode().split("|")
        found[example, size, name] = data[end + 1:end + 1 + int(n)], kind == "floats"
        at = end + 1 + int(n)
    return found


def place(word):
    """The number of a float in their order."""
    return word if word < 1 << 31 else (1 << 31) - word


def main():
    one, other = read(sys.argv[1]), read(sys.argv[2])
    equal = 0
    for key, (a, floats) in one.items():
        if key not in other:
            print("|".join(key), "| missing")
            continue
        b = other[key][0]
        if a == b:
            equal += 1
            continue
        words = list(zip(*(struct.unpack(f"<{len(x) // 4}I", x[:len(x) // 4 * 4]) for x in (a, b))))
        different = [(x, y) for x, y in words if x != y]
        text = f"{len(different)} of {len(words)} words differ"
        if floats:
            far = max(abs(place(x) - place(y)) for x, y in different)
            text += f", at most {far} units in the last place"
        print("|".join(key), "|", text)
    print(f"{equal} of {len(one)} outputs are equal byte for byte")


if __name__ == "__main__":
    main()
