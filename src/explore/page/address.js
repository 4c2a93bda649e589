/* The state of the screen, as the part of the page's address behind #, so that a view can be kept and sent. */
(function () {
	const write = H.once(() => {
		const { run, record } = H.chosen, v = H.views[run], parts = ["cycles=" + Math.round(v.first) + "-" + Math.round(v.last)];
		if (run) parts.push("run=" + run);
		if (record) parts.push("row=" + record.tile.row[record.at], "number=" + record.tile.number[record.at]);
		else if (H.chosen.cycle >= 0) parts.push("cycle=" + H.chosen.cycle);
		try {
			history.replaceState(null, "", "#" + parts.join("&"));
		} catch {
			/* a frame without an address */
		}
	});

	H.openAddress = async function () {
		const said = new URLSearchParams(location.hash.slice(1)), number = (name) => parseInt(said.get(name), 10);
		const run = H.clamp(number("run") || 0, 0, H.runs.length - 1), cycles = /^(\d+)-(\d+)$/.exec(said.get("cycles") || "");
		H.chosen.run = run;
		if (cycles) H.show(run, +cycles[1], +cycles[2]);
		if (number("cycle") >= 0) H.chooseCycle(run, number("cycle"));
		if (number("row") < H.runs[run].rows.length && number("number") >= 0) await H.chooseNumber(run, number("row"), number("number"), H.views[run].first);
		if (said.get("tab") && H.by("tab-" + said.get("tab"))) H.tab(said.get("tab"));
		for (const event of ["view", "cycle", "instruction"]) H.on(event, write);
	};
})();
