/* The chosen instruction, and arrows from those that it waited for, and to those that waited for it. */
(function () {
	/* Where a record's bar is: {y, cell, x, end}, or null if its row is not on the screen. */
	function place(c, items, t, i) {
		const item = items.find((k) => k.row === t.row[i]);
		if (!item) return null;
		const [begin, length] = H.cellOf(t, i, c.perCycle);
		return { cell: item.y + c.strip / 2, y: item.y + c.strip + 1 + t.lane[i] * c.lane + (c.lane - 1) / 2, x: c.x(begin), width: length * c.perCycle, issue: c.x(t.issue[i]), end: c.x(t.end[i]), enter: c.x(t.enter[i]) };
	}
	function find(tiles, row, number) {
		for (const t of tiles) {
			const at = H.search(t.number, number, t.begin[row], t.begin[row + 1]);
			if (at < t.begin[row + 1] && t.number[at] === number) return { tile: t, at };
		}
		return null;
	}
	/* Those on these tiles that are linked to the instruction: [{tile, at, link}]. */
	H.waiters = function (tiles, row, number) {
		const found = [];
		for (const t of tiles) {
			for (let i = 0; i < t.n; i++) {
				const link = t.linksOf[i] && t.linksOf[i].find((l) => l.number === number && l.row === row);
				if (link) found.push({ tile: t, at: i, link });
			}
		}
		return found;
	};

	function arrow(g, x1, y1, x2, y2, colour, dashed) {
		const bend = Math.max(18, Math.abs(x2 - x1) / 3), down = y1 === y2 ? 14 : 0;
		g.strokeStyle = g.fillStyle = colour;
		g.lineWidth = 1.8;
		g.setLineDash(dashed ? [4, 3] : []);
		g.beginPath();
		g.moveTo(x1, y1);
		g.bezierCurveTo(x1 + bend, y1 + down, x2 - bend, y2 + down, x2 - 5, y2);
		g.stroke();
		g.setLineDash([]);
		g.beginPath();
		g.moveTo(x2, y2);
		g.lineTo(x2 - 8, y2 - 4);
		g.lineTo(x2 - 8, y2 + 4);
		g.fill();
	}
	function outline(g, at, c, colour) {
		g.strokeStyle = colour;
		g.lineWidth = 2;
		g.strokeRect(at.x - 1.5, at.cell - c.strip / 2 + 1, Math.max(at.width, 3) + 2, c.strip - 2);
		g.strokeRect(at.issue - 1.5, at.y - c.lane / 2 - 0.5, Math.max(at.end - at.issue, 3) + 3, c.lane + 1);
	}

	/* Where the link ends: a queue wait at the entry into the pipe, the others at the issue. */
	const target = (at, link) => (link.kind === H.link.queue ? [at.enter, at.y] : [at.x, at.cell]);

	H.drawArrows = function (p, c, items) {
		const { record, run } = H.chosen;
		if (!record || run !== p.number) {
			if (H.twin && H.twin.run === p.number) {
				const at = place(c, items, H.twin.record.tile, H.twin.record.at);
				if (at) outline(p.g, at, c, H.ink("accent"));
			}
			return;
		}
		const t = record.tile, i = record.at, at = place(c, items, t, i);
		if (!at) return;
		for (const w of H.waiters(p.tiles, t.row[i], t.number[i])) {
			const to = place(c, items, w.tile, w.at);
			if (to) arrow(p.g, c.x(H.releasedIn(t, i, w.link, w.tile.waitCause[w.at])), at.y, ...target(to, w.link), H.ink("muted"), true);
		}
		for (const link of t.linksOf[i] || []) {
			const from = find(p.tiles, link.row, link.number), source = from && place(c, items, from.tile, from.at);
			if (source) arrow(p.g, c.x(H.releasedIn(from.tile, from.at, link, t.waitCause[i])), source.y, ...target(at, link), H.ink("accent"), false);
		}
		outline(p.g, at, c, H.ink("accent"));
	};
})();
