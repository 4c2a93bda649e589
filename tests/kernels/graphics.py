#!/usr/bin/env python3
"""LU-18: heddle-graphics draws a picture in three stages and writes it as PNG. This decodes the file without the encoder.

Usage: graphics.py HEDDLE-GRAPHICS, with HEDDLE_SOURCE set to the tree."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

WIDTH, HEIGHT = 23, 17


def chunks(data):
    """The chunks of a PNG file, whose check sums must be right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at = 8
    while at < len(data):
        n, = struct.unpack(">I", data[at:at + 4])
        kind, contents = data[at + 4:at + 8], data[at + 8:at + 8 + n]
        crc, = struct.unpack(">I", data[at + 8 + n:at + 12 + n])
        assert crc == zlib.crc32(kind + contents), kind
        yield kind, contents
        at += 12 + n


def pixels_of(data):
    (head, form), *rest, (end, nothing) = chunks(data)
    assert head == b"IHDR" and form == struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 6, 0, 0, 0), form
    assert end == b"IEND" and not nothing and [kind for kind, _ in rest] == [b"IDAT"], rest
    lines = zlib.decompress(rest[0][1])
    step = WIDTH * 4 + 1
    assert len(lines) == HEIGHT * step and not any(lines[::step]), len(lines)
    return [[tuple(lines[y * step + 1 + x * 4:y * step + 5 + x * 4]) for x in range(WIDTH)] for y in range(HEIGHT)]


def skip_rates(text):
    """The share of skipped writes by stage."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert rows[0][3] == "writes skipped %", rows[0]
    return {row[0]: float(row[3]) for row in rows[2:]}


def main():
    subprocess.run([sys.argv[1], "--size", "1"], check=True, stdout=subprocess.DEVNULL)  # against the host, with more of the texture
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "picture.png"
        command = [sys.argv[1], "--size", "0"]
        with_flags = subprocess.run([*command, "--png", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
        picture = pixels_of(path.read_bytes())
    without = subprocess.run([*command, "--set", "last_use.flags=false"], check=True, stdout=subprocess.PIPE, text=True).stdout

    background = {(x, y) for y in range(HEIGHT) for x in range(WIDTH) if picture[y][x][1:] == (40, 60, 255)}
    assert all(alpha == 255 for line in picture for *_, alpha in line)
    assert {(0, 0), (WIDTH - 1, 0)} <= background, "the upper corners show the ball"
    assert (WIDTH // 2, HEIGHT // 2) not in background, "the middle shows no ball"
    assert len(background) > WIDTH * HEIGHT // 3, len(background)
    colours = {picture[y][x] for y in range(HEIGHT) for x in range(WIDTH) if (x, y) not in background}
    assert len(colours) > 50, "light and texture do not vary"
    assert any(red > 2 * blue for red, _, blue, _ in colours) and any(red < 2 * blue for red, _, blue, _ in colours), "one colour of the texture"

    rates = skip_rates(with_flags)
    assert list(rates) == ["vertex", "raster", "fragment"], rates
    assert all(rate > 5 for rate in rates.values()), rates
    assert all(rate == 0 for rate in skip_rates(without).values()), without


if __name__ == "__main__":
    main()
