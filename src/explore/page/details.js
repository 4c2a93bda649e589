/* The panel of the chosen instruction: line, assembly, annotation, its time, what it waited for, and who waited for it. */
(function () {
	let asked = 0;
	const bits = (mask) => [...Array(16).keys()].filter((i) => (mask >> i) & 1).map((i) => i + 1);

	H.sourceLine = function (run, inst) {
		const file = inst.line && run.code.files.find((f) => f.name === inst.file);
		return file ? file.lines[inst.line - 1] : undefined;
	};
	const verbs = [
		(l) => "in its queue, for counter " + l.counter,
		(l) => "before issue, for counter " + l.counter,
		(l) => "at barrier " + l.counter + ", for the last warp",
		() => "before issue, until it was decided",
		() => "before issue, for a register",
	];

	function section(parent, title) {
		H.make("h3", "", title, parent);
		return H.make("div", "block", undefined, parent);
	}

	/* A row that chooses another instruction. */
	function toInstruction(parent, run, row, number, near, link, cause, forwards) {
		const e = H.button("link", "", "choose this instruction", parent, () => H.chooseNumber(run.number, row, number, near));
		H.make("span", "arrow", forwards ? "→" : "←", e);
		const text = H.make("span", "mono", "…", e), more = H.make("span", "muted", verbs[link.kind](link), e);
		const mine = asked;
		H.findRecord(run, row, number, near).then((found) => {
			if (mine !== asked) return;
			if (!found) {
				text.textContent = "issued outside of the traced cycles";
				e.disabled = true;
				return;
			}
			const t = found.tile, i = found.at, inst = run.code.at(t.pc[i]);
			text.textContent = "L" + t.pc[i] + " " + inst.text;
			const byRead = inst.byRead && t.released[i] && (link.kind === H.link.queue || link.kind === H.link.issue);
			more.textContent += forwards ? "; issued in cycle " + H.digits(t.issue[i]) : "; released in cycle " + H.digits(H.releasedIn(t, i, link, cause)) + (byRead ? " by its read" : "");
			if (!forwards && t.arrival[i]) more.textContent += "; its last packet was at the second level in cycle " + H.digits(t.arrival[i]);
		});
	}

	function annotation(parent, inst) {
		const said = [];
		if (inst.raises) said.push("Raises fence counter " + inst.raises + "; its " + (inst.byRead ? "read of operands" : "write") + " lowers it.");
		if (inst.waits) said.push("Waits for fence counter" + (bits(inst.waits).length > 1 ? "s " : " ") + bits(inst.waits).join(", ") + ".");
		if (inst.lastUse) said.push("Last use of operand " + ["a", "b", "c"].filter((_, i) => (inst.lastUse >> i) & 1).join(", ") + ".");
		for (const line of said) H.make("div", "", line, parent);
		if (!said.length) H.make("div", "muted", "No fence counter, no last use.", parent);
	}

	/* The stages of its time as one bar with numbers. */
	function time(parent, t, i) {
		const entered = t.flags[i] & H.flag.entered, accessed = t.flags[i] & H.flag.accessed, end = t.end[i];
		const enter = entered ? t.enter[i] : end, access = accessed ? t.access[i] : end, stages = [];
		if (t.waitCause[i]) stages.push([H.cause(t.waitCause[i] - 1), t.waitSince[i], t.waitUntil[i], H.colour(t.waitCause[i] - 1)]);
		if (t.waitCause[i] && t.waitUntil[i] < t.issue[i]) stages.push(["from there to its issue", t.waitUntil[i], t.issue[i], H.ink("idle")]);
		if (t.flags[i] & H.flag.noPipe) stages.push(["issue only", t.issue[i], end, H.colour(99)]);
		else stages.push(["queue", t.issue[i], enter, H.ink("queue")]);
		if (entered) stages.push(["pipe", enter, access, H.colour(99)]);
		const there = accessed && t.arrival[i] ? t.arrival[i] : 0;
		if (there) stages.push(["on its way to the second level", access, there, H.ink("queue")], ["second level, way back", there, end, H.ink("memory")]);
		else if (accessed) stages.push(["memory", access, end, H.ink("memory")]);
		const bar = H.make("div", "stages", undefined, parent), table = H.make("table", "", undefined, parent);
		for (const [name, from, to, colour] of stages) {
			const part = H.make("i", "", undefined, bar);
			part.style.flexGrow = to - from;
			part.style.background = colour;
			part.title = name + ": " + H.cycles(to - from);
			const line = H.make("tr", "", undefined, table), cell = H.make("td", "", undefined, line);
			H.make("i", "dot", undefined, cell).style.background = colour;
			cell.append(name);
			H.make("td", "number", H.digits(to - from), line);
			H.make("td", "muted", "from cycle " + H.digits(from), line);
		}
	}

	/* Where its sectors were. */
	function memory(parent, t, i) {
		const n = t.sectors[i], hits = t.hits[i], dram = t.dram[i];
		if (!n) return;
		const box = section(parent, "Memory"), sectors = (k) => k + (k === 1 ? " sector" : " sectors");
		H.make("div", "", sectors(n) + " of 32 bytes, " + (hits ? hits === n ? "all" : hits : "none") + " in the first cache.", box);
		if (t.arrival[i]) H.make("div", "", "Its last packet is at its slice of the second level in cycle " + H.digits(t.arrival[i]) + ".", box);
		if (dram) H.make("div", "", sectors(dram) + " came from DRAM.", box);
	}

	function lanes(parent, t, i) {
		const box = H.make("div", "lanes", undefined, parent);
		let n = 0;
		for (let lane = 31; lane >= 0; lane--) {
			const active = (t.lanes[i] >>> lane) & 1, runs = active && (t.executing[i] >>> lane) & 1;
			n += runs;
			H.make("i", runs ? "runs" : active ? "active" : "", undefined, box).title = "lane " + lane + (runs ? " executes" : active ? " is active, and its guard is false" : " is not active");
		}
		box.setAttribute("role", "img");
		box.setAttribute("aria-label", n + " lanes execute");
		H.make("span", "muted", n + " of 32 lanes", parent);
	}

	/* Slots lost to this instruction's warp between the issue before and its own. */
	function lost(parent, run, t, i) {
		const before = i > t.begin[t.row[i]] ? t.issue[i - 1] : t.issue[i], sum = new Map();
		for (const tile of run.known(before, t.issue[i]) || []) {
			const l = tile.lost;
			for (let k = 0; k < l.n; k++) if (l.slots[k] && l.row[k] === t.row[i] && l.pc[k] === t.pc[i] && l.first[k] >= before && l.first[k] < t.issue[i]) sum.set(l.cause[k], (sum.get(l.cause[k]) || 0) + l.slots[k]);
		}
		if (!sum.size) return;
		const box = section(parent, "Issue slots lost because of it");
		for (const [cause, n] of sum) H.chip(cause, H.make("div", "", undefined, box), H.cause(cause) + ": " + H.digits(n));
	}

	const states = [
		[H.flag.dropped, "dropped: no lane executed it"],
		[H.flag.squashed, "squashed: the branch before it went elsewhere"],
		[H.flag.beside, "shared the issue slot of another instruction"],
		[H.flag.replayed, "issued again from the replay buffer"],
		[H.flag.unfinished, "under way when the trace ended"],
	];

	function head(parent, run, t, i, inst) {
		H.make("div", "title mono", "L" + t.pc[i] + "  " + inst.text, parent);
		if (inst.note) H.make("div", "note mono", inst.note.trim(), parent);
		const line = H.sourceLine(run, inst);
		if (inst.line) {
			const place = H.button("source", "", "show it in the program", parent, () => H.tab("code"));
			H.make("span", "muted", H.lastPart(inst.file) + ":" + inst.line, place);
			if (line !== undefined) H.make("span", "mono", line.trim(), place);
		}
		const w = run.warpAt(t.row[i], t.issue[i]);
		H.make("div", "muted", (run.rows.length && H.rowLabel(run, t.row[i])) + (w ? " · warp " + w.number + " of CTA (" + w.cta.join(", ") + ")" : "") + " · number " + t.number[i], parent);
		for (const [flag, text] of states) if (t.flags[i] & flag) H.make("div", "state", text, parent);
	}

	function show({ run: number, record }) {
		const panel = H.by("details"), run = H.runs[number];
		asked++;
		panel.replaceChildren();
		if (!record) {
			if (!run.index.blocks.some((b) => b[0] === "tile")) return H.make("p", "muted", "This page has no instruction one by one, because none was issued in the traced part. Levels of the whole run are there.", panel);
			H.make("p", "muted", "Choose an instruction: zoom in until single instructions appear, and click one. Key n chooses the first one on the screen; n and p go to the next and the previous one of its warp.", panel);
			return;
		}
		const t = record.tile, i = record.at, inst = run.code.at(t.pc[i]), near = t.issue[i];
		head(panel, run, t, i, inst);
		time(section(panel, H.cycles(t.end[i] - Math.min(t.issue[i], t.waitCause[i] ? t.waitSince[i] : t.issue[i])) + ", issued in cycle " + H.digits(t.issue[i])), t, i);
		const links = t.linksOf[i] || [], box = section(panel, "It waited for");
		for (const l of links) toInstruction(box, run, l.row, l.number, near, l, t.waitCause[i], false);
		if (!links.length) H.make("div", "muted", "No other instruction.", box);
		const behind = section(panel, "Waited for it");
		run.tiles(near, t.end[i] + 64).then((tiles) => {
			const found = H.waiters(tiles, t.row[i], t.number[i]);
			for (const w of found.slice(0, 12)) toInstruction(behind, run, w.tile.row[w.at], w.tile.number[w.at], w.tile.issue[w.at], w.link, w.tile.waitCause[w.at], true);
			if (found.length > 12) H.make("div", "muted", "and " + (found.length - 12) + " more", behind);
			if (!found.length) H.make("div", "muted", "No instruction.", behind);
		});
		lost(panel, run, t, i);
		annotation(section(panel, "Annotation"), inst);
		if (t.spared[i]) H.make("div", "", t.spared[i] + " register(s) that it read last were never written.", panel.lastChild);
		memory(panel, t, i);
		lanes(section(panel, "Lanes"), t, i);
		H.say("L" + t.pc[i] + " " + inst.text + ", issued in cycle " + t.issue[i]);
	}
	H.on("instruction", show);
	H.on("theme", () => H.runs.length && H.chosen.record && show(H.chosen));
	H.on("ready", () => show({ run: 0, record: null }));
})();
