/* Two runs: the instruction of the other run that is the same one. It is of the same warp of the same CTA, of the same instruction of the program,
 * in its same execution by the warp. Programs may differ, because each was compiled for its machine: their instructions are matched in order, by
 * operation and source line. */
(function () {
	const MOST = 4000; /* instructions of a program that are matched in order */
	let matched = null; /* for run 0 and 1: word of the one to word of the other */
	H.twin = null;

	const keyOf = (i) => (i.file || "") + ":" + (i.line || 0) + " " + i.mnemonic;

	/* The longest common sequence of the programs of the kernels that ran. */
	function match() {
		const lists = H.runs.map((run) => run.code.instructions.filter((i) => i.issued));
		const maps = [new Map(), new Map()], [a, b] = lists;
		matched = maps;
		if (a.length > MOST || b.length > MOST) return;
		const ka = a.map(keyOf), kb = b.map(keyOf), width = b.length + 1, best = new Uint16Array((a.length + 1) * width);
		for (let i = a.length - 1; i >= 0; i--)
			for (let k = b.length - 1; k >= 0; k--)
				best[i * width + k] = ka[i] === kb[k] ? best[(i + 1) * width + k + 1] + 1 : Math.max(best[(i + 1) * width + k], best[i * width + k + 1]);
		for (let i = 0, k = 0; i < a.length && k < b.length; ) {
			if (ka[i] === kb[k]) {
				maps[0].set(a[i].pc, b[k].pc);
				maps[1].set(b[k].pc, a[i].pc);
				i++;
				k++;
			} else if (best[(i + 1) * width + k] >= best[i * width + k + 1]) i++;
			else k++;
		}
	}

	const same = (a, b) => a.number === b.number && a.cta.every((x, i) => x === b.cta[i]);
	/* The first cycle with records, where that is behind the begin of the warp: its executions cannot be counted from there on. */
	const partOf = (run, warp) => (run.index.first > warp.begin ? run.index.first : -1);
	/* {record} or {why}, in words. */
	async function twinOf(number, record) {
		const run = H.runs[number], other = H.runs[1 - number], t = record.tile, i = record.at, row = t.row[i];
		if (!matched) match();
		const warp = run.warpAt(row, t.issue[i]), pc = matched[number].get(t.pc[i]);
		const nothing = { why: "This instruction was not found in the run of " + other.name + "." };
		if (!warp || pc === undefined) return nothing;
		let its = null;
		other.warps.forEach((list, r) => list.forEach((w) => same(w, warp) && (its ||= { ...w, row: r })));
		if (!its) return nothing;
		const part = Math.max(partOf(run, warp), partOf(other, its));
		if (part >= 0) return { why: "Records begin in cycle " + H.digits(part) + ", behind the first instruction of the warp. Which execution is the same one is not known." };
		let turn = 0;
		for (const tile of await run.tiles(warp.begin, t.issue[i]))
			for (let k = tile.begin[row]; k < tile.begin[row + 1]; k++) turn += tile.pc[k] === t.pc[i] && tile.issue[k] >= warp.begin && tile.number[k] < t.number[i] ? 1 : 0;
		const found = [];
		for (const tile of await other.tiles(its.begin, its.end))
			for (let k = tile.begin[its.row]; k < tile.begin[its.row + 1]; k++) if (tile.pc[k] === pc && tile.issue[k] >= its.begin && tile.issue[k] <= its.end) found.push({ tile, at: k });
		found.sort((a, b) => a.tile.number[a.at] - b.tile.number[b.at]);
		return found[turn] ? { record: found[turn] } : nothing;
	}

	let asked = 0;
	H.on("instruction", async ({ run, record }) => {
		const mine = ++asked;
		H.twin = null;
		if (H.runs.length < 2 || !record) return;
		const { record: twin, why } = await twinOf(run, record);
		if (mine !== asked) return;
		const box = H.make("div", "twin"), other = H.runs[1 - run];
		if (!twin) {
			H.make("div", "muted", why, box);
		} else {
			H.twin = { run: 1 - run, record: twin };
			const t = record.tile, i = record.at, u = twin.tile, k = twin.at, from = H.views[run];
			const share = (t.issue[i] - from.first) / (from.last - from.first), length = from.last - from.first;
			const later = u.issue[k] - t.issue[i], whole = u.end[k] - u.issue[k] - (t.end[i] - t.issue[i]);
			H.make("h3", "", "In the run of " + other.name, box);
			H.make("div", "mono", "L" + u.pc[k] + "  " + other.code.at(u.pc[k]).text, box);
			H.make("div", "", "Issued in cycle " + H.digits(u.issue[k]) + ", " + H.cycles(Math.abs(later)) + (later < 0 ? " earlier" : " later") + "; from issue to end " + H.cycles(Math.abs(whole)) + (whole < 0 ? " fewer." : " more."), box);
			H.button("", "Choose it there", "choose the instruction of the other run", box, () => H.choose(1 - run, twin));
			H.panels[1 - run].scrollTo(u.row[k]);
			H.show(1 - run, u.issue[k] - share * length, u.issue[k] + (1 - share) * length);
		}
		H.by("details").append(box);
	});
})();
