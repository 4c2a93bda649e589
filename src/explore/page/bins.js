/* A row of bins as pixels: a stacked column for each bin, used slots or instructions at the bottom, causes above. */
(function () {
	/* The finest level that has no more bins on the screen than pixels, or the finest of all. */
	H.pickLevel = function (run, first, last, pixels) {
		const share = (last - first) / Math.max(run.index.cycles, 1);
		let level = 0;
		while (level + 1 < run.levelCount && run.levelBins(level + 1) * share <= pixels) level++;
		return run.level(level);
	};

	let palette = null;
	H.on("theme", () => (palette = null));
	const opaque = (colour) => {
		const [r, g, b] = H.rgb(colour);
		return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
	};
	function colours() {
		if (palette) return palette;
		const n = H.runs[0].index.causes.length;
		palette = { idle: opaque(H.ink("idle")), row: opaque(H.ink("row")), cause: [] };
		for (let i = 0; i <= n; i++) palette.cause.push(H.dimmed(i) ? palette.idle : opaque(H.colour(i)));
		return palette;
	}

	/* Writes the column of bin `b` into `to`, `height` pixels from `at` on, `stride` apart. `whole` is what all shares are shares of. */
	function putColumn(to, at, stride, height, columns, b, whole, used) {
		const p = colours(), causes = p.cause.length - 1;
		const background = whole > 0 ? p.row : 0;
		let y = height;
		const band = (share, colour) => {
			const next = Math.max(0, y - share * height);
			for (let k = Math.round(y) - 1; k >= Math.round(next); k--) to[at + k * stride] = colour;
			y = next;
		};
		for (let k = 0; k < height; k++) to[at + k * stride] = background;
		if (whole <= 0) return;
		if (used) band(used / whole, p.cause[causes]);
		for (let c = causes - 1; c >= 0; c--) {
			const column = columns[c];
			if (column && column[b]) band(Math.min(column[b] / whole, 1), p.cause[c]);
		}
	}

	/* The bins from..to of a scheduler: every slot was used, or lost for a cause. */
	H.schedulerBins = function (pixels, at, stride, height, columns, from, to) {
		const causes = columns.length - 2;
		for (let b = from; b < to; b++) {
			let whole = 0;
			for (let c = 0; c <= causes; c++) whole += columns[c] ? columns[c][b] : 0;
			putColumn(pixels, at + b - from, stride, height, columns, b, whole, columns[causes] ? columns[causes][b] : 0);
		}
	};
	/* The bins of a warp slot: of the cycles in which a warp was there. What is left was ready. */
	H.slotBins = function (pixels, at, stride, height, columns, from, to) {
		const causes = columns.length - 2, there = columns[causes + 1], issued = columns[causes];
		for (let b = from; b < to; b++) putColumn(pixels, at + b - from, stride, height, columns, b, there ? there[b] : 0, issued ? issued[b] : 0);
	};
})();
