/* Tiles: the records of instructions, as columns with absolute values (src/explore/tiles.c writes them). */
(function () {
	H.flag = { entered: 1, dropped: 2, squashed: 4, accessed: 8, beside: 16, unfinished: 32, replayed: 64, noPipe: 128 };
	H.link = { queue: 0, issue: 1, barrier: 2, flow: 3, register: 4 };
	H.LANES = 6; /* of a row, in which its instructions under way lie side by side */

	H.decodeTile = function (bytes, run) {
		const r = H.reader(bytes), n = r.number(), lost = r.number();
		const t = { n, run };
		const place = r.changes(new Float64Array(n));
		t.number = r.changes(new Float64Array(n));
		t.pc = r.changes(new Uint32Array(n));
		t.issue = r.changes(new Float64Array(n));
		t.flags = r.column(new Uint8Array(n));
		t.enter = r.column(new Float64Array(n));
		t.access = r.column(new Float64Array(n));
		t.end = r.column(new Float64Array(n));
		t.lanes = r.changes(new Uint32Array(n));
		t.executing = r.column(new Uint32Array(n));
		t.waitCause = r.column(new Uint8Array(n));
		t.waitSince = r.column(new Float64Array(n));
		t.waitUntil = r.column(new Float64Array(n));
		t.waitCounters = r.column(new Uint16Array(n));
		t.spared = r.column(new Uint8Array(n));
		t.sectors = r.column(new Uint16Array(n));
		t.hits = r.column(new Uint16Array(n));
		t.dram = r.column(new Uint16Array(n));
		t.arrival = r.column(new Float64Array(n)); /* 0: no packet */
		t.released = r.column(new Float64Array(n)); /* 0: it raised no counter, or did not lower it */
		const links = r.column(new Uint8Array(n));
		t.row = new Int32Array(n);
		t.begin = new Int32Array(run.rows.length + 1).fill(-1); /* of each row's records */
		t.linksOf = [];
		for (let i = 0; i < n; i++) {
			t.row[i] = run.rowOf.get(place[i]);
			if (t.begin[t.row[i]] < 0) t.begin[t.row[i]] = i;
			t.enter[i] += t.issue[i];
			t.access[i] += t.enter[i];
			if (t.arrival[i]) t.arrival[i] += t.enter[i];
			if (t.released[i]) t.released[i] += t.issue[i];
			t.end[i] += t.issue[i];
			t.executing[i] = (t.executing[i] ^ t.lanes[i]) >>> 0;
			t.waitSince[i] = t.issue[i] - t.waitSince[i];
			t.waitUntil[i] = t.issue[i] - t.waitUntil[i];
			let list = null;
			for (let k = 0; k < links[i]; k++) {
				const what = r.number(), from = place[i] + r.change(), number = t.number[i] - r.change();
				(list ||= []).push({ kind: what & 7, counter: what >> 3, row: run.rowOf.get(from), number });
			}
			t.linksOf.push(list);
		}
		closeRows(t, run.rows.length);
		t.lane = lanesOf(t);
		shareCells(t);
		t.lost = {
			n: lost,
			scheduler: r.changes(new Int32Array(lost)),
			slot: r.column(new Uint8Array(lost)),
			cause: r.column(new Uint8Array(lost)),
			first: r.changes(new Float64Array(lost)),
			cycles: r.column(new Float64Array(lost)),
			slots: r.column(new Float64Array(lost)),
			pc: r.changes(new Uint32Array(lost)),
		};
		t.lost.row = new Int32Array(lost);
		for (let i = 0; i < lost; i++) {
			const s = t.lost.scheduler[i], row = t.lost.slot[i] ? run.rowOf.get(s * run.index.machine.slots + t.lost.slot[i] - 1) : undefined;
			t.lost.row[i] = row === undefined ? -1 : row;
			t.lost.scheduler[i] = run.schedulerOf.get(s);
		}
		return t;
	};

	/* t.begin[row] to t.begin[row + 1] are the row's records. */
	function closeRows(t, rows) {
		t.begin[rows] = t.n;
		for (let i = rows - 1; i >= 0; i--) if (t.begin[i] < 0) t.begin[i] = t.begin[i + 1];
	}

	/* A lane for each record that none before it holds. */
	function lanesOf(t) {
		const lane = new Uint8Array(t.n), free = new Float64Array(H.LANES);
		for (let i = 0, row = -1; i < t.n; i++) {
			if (t.row[i] !== row) free.fill(-1);
			row = t.row[i];
			let k = 0;
			while (k < H.LANES - 1 && free[k] > t.issue[i]) k++;
			lane[i] = k;
			free[k] = t.end[i];
		}
		return lane;
	}

	/* Instructions that a warp issued in one cycle share its cell: record i has part t.part[i] of t.parts[i], from left to right. */
	function shareCells(t) {
		t.part = new Uint8Array(t.n);
		t.parts = new Uint8Array(t.n).fill(1);
		for (let i = 0, n; i < t.n; i += n) {
			for (n = 1; i + n < t.n && t.row[i + n] === t.row[i] && t.issue[i + n] === t.issue[i]; n++) t.part[i + n] = n;
			t.parts.fill(n, i, i + n);
		}
	}
	/* Where a record's part of its cell begins, in cycles, and how long it is. Parts of less than three pixels lie on each other. */
	H.cellOf = function (t, i, perCycle) {
		const length = 1 / t.parts[i];
		return perCycle * length < 3 ? [t.issue[i], 1] : [t.issue[i] + t.part[i] * length, length];
	};

	/* The stretch of lost slots of a scheduler in a cycle, or of the wait of a warp slot's row, which has no slots: {tile, at}, or null. */
	H.lostAt = function (tiles, cycle, row, scheduler) {
		for (const tile of tiles) {
			const l = tile.lost;
			for (let at = 0; at < l.n; at++) if ((row >= 0 ? !l.slots[at] && l.row[at] === row : l.slots[at] && l.scheduler[at] === scheduler) && l.first[at] <= cycle && cycle < l.first[at] + l.cycles[at]) return { tile, at };
		}
		return null;
	};

	/* The numbers of the row's records in `t` that are issued in first..last; with those under way before. */
	H.recordsOf = function (t, row, first, last, back = 0) {
		const from = t.begin[row], to = t.begin[row + 1];
		return [H.search(t.issue, first - back, from, to), H.search(t.issue, last + 1, from, to)];
	};

	/* The cycle in which a record let go one that waits for `cause` and is linked to it: when its fence counter was down, when it left its queue and
	 * lowered the wait counter, or when it was decided. */
	H.releasedIn = function (t, i, link, cause) {
		if (link.kind !== H.link.queue && link.kind !== H.link.issue) return t.end[i];
		const causes = t.run.index.causes, waits = cause > 0 && causes[cause - 1].name === "wait_counter" && link.kind === H.link.issue;
		if (waits) return t.flags[i] & H.flag.entered ? t.enter[i] : t.end[i];
		return t.released[i] || t.end[i];
	};

	/* A promise of the record of instruction `number` of a row, which was under way around `near`: {tile, at}, or null. */
	H.findRecord = async function (run, row, number, near) {
		for (const i of run.blocksOf("tile").sort((a, b) => distance(run, a, near) - distance(run, b, near))) {
			const t = await run.tile(i).promise;
			const at = H.search(t.number, number, t.begin[row], t.begin[row + 1]);
			if (at < t.begin[row + 1] && t.number[at] === number) return { tile: t, at };
		}
		return null;
	};
	function distance(run, i, near) {
		const [, first, last] = run.index.blocks[i];
		return near < first ? first - near : near > last ? near - last : 0;
	}
})();
