/* The head of the page, the legend, and the help. */
(function () {
	function figures(parent, run) {
		const x = run.index, offered = x.used + x.causes.reduce((sum, c) => sum + c.lost, 0);
		const one = (value, what) => {
			const e = H.make("span", "figure", undefined, parent);
			H.make("b", "", value, e);
			e.append(" " + what);
		};
		H.make("span", "machine-name", run.name, parent);
		one(H.digits(run.cycles), "cycles");
		one((x.executed / Math.max(run.cycles, 1)).toFixed(2), "instructions a cycle");
		one(H.percent(x.used, offered), "of issue slots used");
		if (!x.blocks.some((b) => b[0] === "tile")) H.make("span", "", "no instruction in detail: none was issued in the traced part", parent);
		else if (x.first > 0 || x.last < x.cycles - 1) {
			const text = "in detail: cycles " + H.digits(x.first) + " to " + H.digits(x.last);
			H.button("window", text, x.cut ? "the page was full behind them" : "chosen by --trace-cycles", parent, () => H.show(run.number, x.first, x.last + 1));
		}
	}

	/* How a run ended that did not end well: its first line, and behind a click all of them. */
	function ending(run, parent) {
		const lines = run.index.message.trimEnd().split("\n");
		if (!lines[0]) return;
		const e = H.make("details", "ending", undefined, parent), place = H.runs.length > 1 ? run.name + ": " : "";
		const line = H.make("summary", "", place + lines[0], e);
		line.setAttribute("role", "alert");
		H.make("pre", "", lines.slice(1).join("\n"), e);
	}

	let safe = null;
	function legend() {
		safe.setAttribute("aria-pressed", H.theme.safe);
		const box = H.by("legend"), causes = H.runs[0].index.causes, n = causes.length;
		box.replaceChildren();
		const lost = (i) => H.runs.reduce((sum, run) => sum + (i === n ? run.index.used : run.index.causes[i].lost), 0);
		const all = [...Array(n + 1).keys()].reduce((sum, i) => sum + lost(i), 0);
		for (const i of [...Array(n + 1).keys()].filter(lost).sort((a, b) => (a === n ? -1 : b === n ? 1 : lost(b) - lost(a)))) {
			const title = i === n ? "slots in which something was issued" : causes[i].meaning;
			const e = H.button("entry" + (H.dimmed(i) ? " off" : ""), "", title + ". Click to show it alone.", box, () => H.highlight(i));
			e.setAttribute("aria-pressed", H.theme.only === i);
			H.make("i", "", undefined, e).style.background = H.colour(i);
			e.append(H.cause(i) + " ");
			H.make("span", "muted", H.percent(lost(i), all), e);
		}
		for (const [name, text] of [["queue thin", "in a queue"], ["memory thin", "on its way to the second level"], ["memory", "memory access"]]) {
			const e = H.make("span", "entry phase", undefined, box), [ink, thin] = name.split(" ");
			H.make("i", thin, undefined, e).style.background = H.ink(ink);
			e.append(text);
		}
	}

	const keys = [
		["← →", "move by a tenth of the screen; with Shift, by a whole one"],
		["↑ ↓", "rows"],
		["+ −", "zoom in and out, around the chosen cycle"],
		["0", "the whole run"],
		["[ ]", "one cycle back or on"],
		["n p", "next and previous instruction of the warp; if none is chosen, the first one on the screen"],
		["w", "to the instruction that the chosen one waited for"],
		["g", "go to a cycle"],
		["f", "fit the chosen instruction into the screen"],
		["d", "next panel at the side"],
		["t c", "dark or light; colours for colour-blind people"],
		["Esc", "choose nothing"],
	];
	H.help = function () {
		const e = H.by("help");
		if (e.open) return e.close();
		e.replaceChildren();
		H.make("h2", "", "What you see", e);
		H.make("p", "", "A row is a warp slot of a scheduler, columns are cycles. Far away, a column shows what share of its cycles the warp issued (blue, at the bottom) and what it waited for. Near, each instruction has a cell in the cycle of its issue, and a bar from issue to end below it: a thin line in its queue, blue in its pipe, grey while memory works: a thin line until its packets are at the second level.", e);
		H.make("p", "", "Arrows lead from the instructions that the chosen one waited for to it, dashed ones to those that waited for it.", e);
		const table = H.make("table", "", undefined, e);
		for (const [key, what] of keys) {
			const line = H.make("tr", "", undefined, table), cell = H.make("td", "", undefined, line);
			for (const k of key.split(" ")) H.make("kbd", "", k, cell);
			H.make("td", "", what, line);
		}
		H.make("p", "muted", "Drag to move, wheel to zoom, Alt and wheel for rows; two fingers on a phone. A drag in the strip at the top chooses its part of the run.", e);
		H.button("", "Close", "close", e, () => e.close());
		e.showModal();
	};

	H.makeHead = function () {
		const head = H.by("head"), run = H.runs[0];
		document.title = "Heddle: " + run.index.kernels.join(", ");
		H.make("h1", "", run.index.kernels.join(", ") || "run", head);
		const box = H.make("div", "figures", undefined, head);
		for (const r of H.runs) figures(H.make("div", "run-figures", undefined, box), r);
		const buttons = H.make("div", "buttons", undefined, head);
		H.button("", "−", "zoom out (-)", buttons, () => H.zoom(H.chosen.run, 2));
		H.button("", "+", "zoom in (+)", buttons, () => H.zoom(H.chosen.run, 0.5));
		H.button("", "Whole run", "the whole run (0)", buttons, () => H.runs.forEach((r) => H.show(r.number, 0, r.index.cycles)));
		H.button("icon", "◐", "dark or light (t)", buttons, H.toggleDark);
		safe = H.button("icon", "◍", "colours for colour-blind people (c)", buttons, H.togglePalette);
		H.button("icon", "?", "help (?)", buttons, H.help);
		for (const r of H.runs) ending(r, head);
		legend();
	};
	H.on("theme", () => H.runs.length && legend());
})();
