#!/usr/bin/env bash
# Draws docs/pictures/report.png: the upper part of the HTML report of the tiled matrix product, as Chromium shows it in a window of 1366 pixels.
set -euo pipefail
cd "$(dirname "$0")/.."
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "report_picture: Chromium is not installed" >&2; exit 1; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
m=150 n=140 k=160
build/heddle run examples/matmul/matmul.cl --kernel matmul_tiled --grid $(((n + 15) / 16)),$(((m + 15) / 16)) --block 16,16 --quiet \
	--arg "rand:f32:$((m * k)):1" --arg "rand:f32:$((k * n)):2" --arg "zero:f32:$((m * n))" --arg "u32:$m" --arg "u32:$n" --arg "u32:$k" \
	--report "$directory/report.html"
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$directory/profile" --window-size=1366,2340 \
	--screenshot="$directory/report.png" "file://$directory/report.html" >/dev/null 2>"$directory/log" || { cat "$directory/log" >&2; exit 1; }
cp "$directory/report.png" docs/pictures/report.png
