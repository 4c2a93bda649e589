/* The keyboard. The panel of the cycle has keys of its own, which come first. */
(function () {
	function pan(share) {
		const v = H.views[H.chosen.run];
		H.pan(H.chosen.run, share * (v.last - v.first));
	}
	function scroll(pixels) {
		H.views[H.chosen.run].top += pixels;
		H.panels[H.chosen.run].draw();
	}
	function stepCycle(by) {
		const { run, cycle } = H.chosen, v = H.views[run];
		const next = (cycle < 0 ? Math.floor((v.first + v.last) / 2) : cycle) + by;
		H.reveal(run, next);
		H.chooseCycle(run, next);
	}
	function goTo() {
		const text = prompt("Go to cycle");
		const cycle = text === null ? NaN : parseInt(text.replace(/\D/g, ""), 10);
		if (Number.isNaN(cycle)) return;
		const run = H.chosen.run;
		if (H.views[run].last - H.views[run].first > 400) H.show(run, cycle - 100, cycle + 100);
		H.reveal(run, cycle);
		H.chooseCycle(run, cycle);
	}
	/* To the instruction that held the chosen one longest. */
	async function toPrimary() {
		const { run, record } = H.chosen, links = record && record.tile.linksOf[record.at];
		if (!links) return;
		const t = record.tile, i = record.at;
		const found = await Promise.all(links.map((l) => H.findRecord(H.runs[run], l.row, l.number, t.issue[i])));
		const when = found.map((f, k) => (f ? H.releasedIn(f.tile, f.at, links[k], t.waitCause[i]) : -1)), last = when.indexOf(Math.max(...when));
		if (found[last] && H.chosen.record === record) H.chooseNumber(run, links[last].row, links[last].number, t.issue[i]);
	}
	function fit() {
		const { run, record } = H.chosen;
		if (!record) return;
		const t = record.tile, from = t.waitCause[record.at] ? t.waitSince[record.at] : t.issue[record.at], length = t.end[record.at] - from + 4;
		H.show(run, from - length * 0.4, t.end[record.at] + length * 0.4);
	}
	function nothing() {
		H.showWord(H.chosen.run, null);
		H.chooseCycle(H.chosen.run, -1);
		H.choose(H.chosen.run, null);
	}

	const actions = {
		ArrowLeft: (e) => pan(e.shiftKey ? -1 : -0.1),
		ArrowRight: (e) => pan(e.shiftKey ? 1 : 0.1),
		ArrowUp: () => scroll(-48),
		ArrowDown: () => scroll(48),
		"+": () => H.zoom(H.chosen.run, 0.5),
		"=": () => H.zoom(H.chosen.run, 0.5),
		"-": () => H.zoom(H.chosen.run, 2),
		0: () => H.show(H.chosen.run, 0, H.runs[H.chosen.run].index.cycles),
		"[": () => stepCycle(-1),
		"]": () => stepCycle(1),
		n: () => H.step(1),
		p: () => H.step(-1),
		w: toPrimary,
		g: goTo,
		f: fit,
		d: () => H.nextTab(),
		t: () => H.toggleDark(),
		c: () => H.togglePalette(),
		"?": () => H.help(),
		Escape: nothing,
	};
	document.addEventListener("keydown", (e) => {
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || H.by("help").open) return;
		if (e.target.closest && e.target.closest("input, textarea, select")) return;
		if (!actions[e.key]) return;
		if (/^Arrow(Up|Down)$/.test(e.key) && e.target.closest && e.target.closest("#side")) return; /* the panel scrolls */
		e.preventDefault();
		actions[e.key](e);
	});
})();
