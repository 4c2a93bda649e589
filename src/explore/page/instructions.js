/* Rows with their instructions one by one: a cell for the cycle of issue, what the warp waited for before it, and below a bar for each instruction
 * from issue to end: queue, pipe, memory. */
(function () {
	const MNEMONIC = 9; /* pixels of a cycle from which on texts are drawn */

	function bars(c, t, row, item, from, to) {
		const g = c.g, per = c.perCycle;
		for (let i = from; i < to; i++) {
			if (t.end[i] < c.first) continue;
			const y = item.y + c.strip + 1 + t.lane[i] * c.lane, height = c.lane - 1, flags = t.flags[i];
			const x = c.x(t.issue[i]), entered = flags & H.flag.entered, end = c.x(t.end[i]), enter = entered ? c.x(t.enter[i]) : end;
			const access = flags & H.flag.accessed ? c.x(t.access[i]) : end;
			g.globalAlpha = flags & (H.flag.dropped | H.flag.squashed) ? 0.45 : c.faint(t, i);
			g.fillStyle = c.queue;
			g.fillRect(x, y + height / 2 - 0.5, Math.max(enter - x, 0.5), 1.5);
			if (!entered) continue;
			g.fillStyle = c.used;
			g.fillRect(enter, y, Math.max(access - enter, 0.7), height);
			g.fillStyle = c.memory;
			const there = t.arrival[i] && flags & H.flag.accessed ? c.x(t.arrival[i]) : access;
			if (there > access) g.fillRect(access, y + height / 2 - 0.5, there - access, 1.5);
			if (there < end) g.fillRect(there, y, end - there, height);
			if (per > 3 && flags & H.flag.unfinished) g.fillRect(end, y - 1, 2, height + 2);
		}
		g.globalAlpha = 1;
	}

	/* The whole mnemonic or its first part, in the cell or in the room behind it; nothing where none fits. */
	function label(c, mnemonic, x, y, width, behind) {
		for (const text of [mnemonic, mnemonic.split(".")[0]]) {
			const wanted = c.g.measureText(text).width;
			if (wanted + 3 <= width || wanted + 2 <= behind) {
				const inside = wanted + 3 <= width;
				c.g.fillStyle = inside ? "#fff" : c.text;
				c.g.fillText(text, inside ? x + 1.5 : x + width + 2, y);
				return;
			}
		}
	}

	function cells(c, t, row, item, from, to) {
		const g = c.g;
		for (let i = from; i < to; i++) {
			const [begin, length] = H.cellOf(t, i, c.perCycle), x = c.x(begin), width = Math.max(length * c.perCycle - (c.perCycle > 4 ? 1 : 0), 0.8);
			g.globalAlpha = c.faint(t, i);
			g.fillStyle = c.used;
			g.fillRect(x, item.y + 2, width, c.strip - 4);
			if (c.perCycle < MNEMONIC) continue;
			const next = i + 1 < t.begin[row + 1] ? t.waitCause[i + 1] ? t.waitSince[i + 1] : t.issue[i + 1] : t.issue[i] + 40;
			label(c, c.run.code.at(t.pc[i]).mnemonic, x, item.y + c.strip / 2 + 0.5, width, (next - begin) * c.perCycle - width - 3);
		}
		g.globalAlpha = 1;
	}

	H.drawInstructions = function (c, tiles, item) {
		const row = item.row;
		for (const t of tiles) {
			if (t.begin[row] === t.begin[row + 1]) continue;
			const [from, to] = H.recordsOf(t, row, c.first, c.last, c.reach);
			bars(c, t, row, item, from, to);
		}
		for (const t of tiles) {
			const [from, to] = H.recordsOf(t, row, c.first, c.last, 1);
			cells(c, t, row, item, from, to);
		}
	};
	/* Lost issue slots in the rows of schedulers, and in those of warps what each waited for. */
	H.drawLost = function (c, tiles, schedulers, slots) {
		for (const t of tiles) {
			const l = t.lost;
			for (let i = 0; i < l.n; i++) {
				if (l.first[i] > c.last || l.first[i] + l.cycles[i] < c.first) continue;
				const head = l.slots[i] && schedulers.get(l.scheduler[i]), item = !l.slots[i] && slots.get(l.row[i]);
				if (head) c.block(l.first[i], l.first[i] + l.cycles[i], head.y + 3, head.height - 6, l.cause[i]);
				if (item) c.block(l.first[i], l.first[i] + l.cycles[i], item.y + 4, c.strip - 8, l.cause[i]);
			}
			for (let i = 0; i < t.n; i++) {
				if (t.issue[i] > c.last || t.issue[i] + 1 < c.first) continue;
				const head = schedulers.get(c.run.rows[t.row[i]].scheduler);
				if (head) c.block(t.issue[i], t.issue[i] + 1, head.y + 3, head.height - 6, c.causes);
			}
		}
	};
})();
