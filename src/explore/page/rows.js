/* Where rows are on the screen: of each scheduler one for its issue slots, and below it one for each warp slot. */
(function () {
	H.GUTTER = 84;
	H.AXIS = 26;
	const HEAD = 22, COARSE = 16, STRIP = 18, LANE = 5, GAP = 4;

	/* {items: [{kind, y, height, ...}], height}. Rows are higher where instructions are drawn one by one. */
	H.layout = function (run, detailed) {
		const items = [], height = detailed ? STRIP + H.LANES * LANE + GAP : COARSE;
		let y = 0, scheduler = -1;
		for (const row of run.rows) {
			if (row.scheduler !== scheduler) {
				scheduler = row.scheduler;
				items.push({ kind: "scheduler", y, height: HEAD, scheduler, row: -1, label: "core " + row.core + " · s" + row.unit });
				y += HEAD + GAP;
			}
			items.push({ kind: "slot", y, height, row: row.row, scheduler, label: "w" + String(row.slot).padStart(2, "0") });
			y += height;
		}
		return { items, height: y + GAP, strip: STRIP, lane: LANE };
	};
	H.rowLabel = (run, row) => {
		const r = run.rows[row];
		return "core " + r.core + ", scheduler " + r.unit + ", warp slot " + r.slot;
	};
	/* Distance of the marks of an axis: 1, 2 or 5 times a power of ten, `wanted` pixels apart at least. */
	H.tickStep = function (cyclesPerPixel, wanted) {
		const least = Math.max(cyclesPerPixel * wanted, 1), power = 10 ** Math.floor(Math.log10(least));
		return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least);
	};
})();
