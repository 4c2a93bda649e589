/* The program: source lines, their instructions, and what they cost. */
(function () {
	let shown = -1, rows = new Map();
	H.chosenWord = null; /* {run, pc}: its executions are shown, the others are faint */

	const cost = (inst) => (inst.slots || 0) + Object.values(inst.lost).reduce((a, b) => a + b, 0);

	function instruction(parent, run, inst, most) {
		const e = H.button("instruction", "", "show its executions only", parent, () => H.showWord(run.number, H.chosenWord && H.chosenWord.pc === inst.pc ? null : inst.pc));
		heat(e, inst, most);
		H.make("span", "word muted mono", "L" + inst.pc, e);
		const text = H.make("span", "mono", inst.text, e);
		if (inst.note) H.make("span", "note", "  " + inst.note.trim(), text);
		rows.set(inst.pc, e);
	}
	/* A bar: used slots, then lost ones by cause. */
	function heat(parent, inst, most) {
		const bar = H.make("span", "heat", undefined, parent), causes = H.runs[0].index.causes;
		const part = (n, colour, name) => {
			if (!n) return;
			const e = H.make("i", "", undefined, bar);
			e.style.width = (100 * n) / most + "%";
			e.style.background = colour;
			e.title = name + ": " + H.digits(n);
		};
		part(inst.slots, H.colour(causes.length), "slots used");
		causes.forEach((c, i) => part(inst.lost[c.name], H.colour(i), "slots lost, " + c.label));
	}
	function sum(list) {
		const all = { slots: 0, lost: {} };
		for (const inst of list) {
			all.slots += inst.slots || 0;
			for (const [name, n] of Object.entries(inst.lost)) all.lost[name] = (all.lost[name] || 0) + n;
		}
		return all;
	}

	function show(number) {
		const panel = H.by("code"), run = H.runs[number], groups = new Map(), loose = [];
		shown = number;
		rows = new Map();
		panel.replaceChildren();
		for (const inst of run.code.instructions) {
			if (!inst.issued && !cost(inst) && inst.text === "nop") continue;
			const key = inst.line && inst.file + ":" + inst.line;
			if (!key || !run.code.files.some((f) => f.name === inst.file)) loose.push(inst);
			else if (groups.has(key)) groups.get(key).push(inst);
			else groups.set(key, [inst]);
		}
		const most = Math.max(1, ...[...groups.values(), ...loose.map((i) => [i])].map((list) => cost(sum(list))));
		H.make("p", "muted", "Bars: issue slots used and lost. A click shows an instruction's executions only.", panel);
		for (const file of run.code.files) {
			H.make("h3", "", file.name, panel);
			file.lines.forEach((line, i) => {
				const list = groups.get(file.name + ":" + (i + 1)), e = H.make("div", "line" + (list ? " has" : ""), undefined, panel);
				if (list) heat(e, sum(list), most);
				else H.make("span", "heat", undefined, e);
				H.make("span", "word muted mono", String(i + 1), e);
				H.make("span", "mono", line, e);
				if (!list) return;
				const box = H.make("div", "machine", undefined, panel);
				for (const inst of list) instruction(box, run, inst, most);
			});
		}
		if (loose.length) H.make("h3", "", "without a source line", panel);
		for (const inst of loose) instruction(panel, run, inst, most);
		mark();
	}
	function mark() {
		for (const e of rows.values()) e.classList.remove("chosen", "only");
		const { record, run } = H.chosen;
		if (record && run === shown && rows.has(record.tile.pc[record.at])) {
			const e = rows.get(record.tile.pc[record.at]);
			e.classList.add("chosen");
			if (H.tabIs("code")) e.scrollIntoView({ block: "nearest" });
		}
		if (H.chosenWord && H.chosenWord.run === shown && rows.has(H.chosenWord.pc)) rows.get(H.chosenWord.pc).classList.add("only");
	}

	H.showWord = function (run, pc) {
		H.chosenWord = pc === null ? null : { run, pc };
		mark();
		H.emit("word");
	};
	H.on("tab", (name) => name === "code" && (shown !== H.chosen.run ? show(H.chosen.run) : mark()));
	H.on("instruction", () => H.tabIs("code") && (shown !== H.chosen.run ? show(H.chosen.run) : mark()));
	H.on("theme", () => shown >= 0 && show(shown));
})();
