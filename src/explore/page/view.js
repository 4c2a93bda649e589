/* The state that all views share: the part on the screen and the choice. */
(function () {
	H.views = []; /* by run: {run, first, last, top}; cycles may be fractions, top is a pixel of the rows */
	H.chosen = { run: 0, record: null, cycle: -1, row: -1 };
	const LEAST = 8; /* cycles on the screen */

	H.on("ready", () => (H.views = H.runs.map((run) => ({ run, first: 0, last: run.index.cycles, top: 0 }))));

	H.show = function (run, first, last) {
		const v = H.views[run], all = Math.max(H.runs[run].index.cycles, LEAST);
		const length = H.clamp(last - first, LEAST, all);
		v.first = H.clamp(first + (last - first - length) / 2, 0, all - length);
		v.last = v.first + length;
		H.emit("view", { run, first: v.first, last: v.last });
	};
	/* Zooms by `factor` around a cycle. */
	H.zoom = function (run, factor, around) {
		const v = H.views[run];
		if (around === undefined) around = H.chosen.run === run && H.chosen.cycle >= v.first && H.chosen.cycle <= v.last ? H.chosen.cycle : (v.first + v.last) / 2;
		H.show(run, around - (around - v.first) * factor, around + (v.last - around) * factor);
	};
	H.pan = function (run, cycles) {
		const v = H.views[run];
		H.show(run, v.first + cycles, v.last + cycles);
	};
	/* Moves the screen only if the cycles are not on it. */
	H.reveal = function (run, first, last = first) {
		const v = H.views[run], length = v.last - v.first;
		if (first >= v.first && last <= v.last) return;
		const wanted = Math.max(length, (last - first) * 1.3);
		H.show(run, (first + last - wanted) / 2, (first + last + wanted) / 2);
	};

	H.chooseCycle = function (run, cycle, row = -1) {
		H.chosen.run = run;
		H.chosen.cycle = cycle < 0 ? -1 : H.clamp(Math.floor(cycle), 0, H.runs[run].index.cycles - 1);
		if (row >= 0) H.chosen.row = row;
		H.emit("cycle", { run, cycle: H.chosen.cycle, row: H.chosen.row });
	};
	/* Chooses an instruction, {tile, at}, or none. */
	H.choose = function (run, record) {
		H.chosen.run = run;
		H.chosen.record = record;
		if (record) {
			H.chosen.row = record.tile.row[record.at];
			H.chooseCycle(run, record.tile.issue[record.at], H.chosen.row);
		}
		H.emit("instruction", { run, record });
	};
	H.chooseNumber = async function (run, row, number, near) {
		const record = await H.findRecord(H.runs[run], row, number, near);
		if (!record) return false;
		H.reveal(run, record.tile.issue[record.at], record.tile.end[record.at]);
		H.choose(run, record);
		return true;
	};
	/* The first instruction of the screen: of the uppermost row that has one. */
	async function chooseFirst(run) {
		const v = H.views[run], first = H.chosen.cycle >= v.first && H.chosen.cycle < v.last ? H.chosen.cycle : v.first;
		let best = null;
		for (const tile of await H.runs[run].tiles(first, v.last)) {
			for (const row of H.panels[run].rowsInView()) {
				const at = H.search(tile.issue, first, tile.begin[row], tile.begin[row + 1]);
				if (at === tile.begin[row + 1] || tile.issue[at] > v.last) continue;
				if (!best || row < best.tile.row[best.at] || (row === best.tile.row[best.at] && tile.issue[at] < best.tile.issue[best.at])) best = { tile, at };
				break;
			}
		}
		if (best) H.choose(run, best);
	}
	/* The instruction of the same warp slot that was issued before (-1) or behind (1) the chosen one. */
	H.step = async function (by) {
		const { run, record } = H.chosen;
		if (!record) return chooseFirst(run);
		const t = record.tile, row = t.row[record.at], from = t.issue[record.at], number = t.number[record.at], of = H.runs[run];
		const blocks = (by > 0 ? of.blocksOf("tile", from) : of.blocksOf("tile", 0, from)).map((i) => [i, ...of.index.blocks[i].slice(1, 3)]);
		blocks.sort((a, b) => (by > 0 ? a[1] - b[1] : b[2] - a[2]));
		let best = null;
		for (const [i, begin, end] of blocks) {
			if (best && (by > 0 ? begin > best.tile.issue[best.at] : end < best.tile.issue[best.at])) break;
			const tile = await of.tile(i).promise;
			const at = H.search(tile.number, number + (by > 0 ? 1 : 0), tile.begin[row], tile.begin[row + 1]) - (by > 0 ? 0 : 1);
			if (at < tile.begin[row] || at >= tile.begin[row + 1]) continue;
			if (!best || (tile.number[at] - best.tile.number[best.at]) * by < 0) best = { tile, at };
		}
		if (!best) return;
		H.reveal(run, best.tile.issue[best.at], best.tile.end[best.at]);
		H.choose(run, best);
	};
})();
