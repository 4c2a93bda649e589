/* Puts the page together. */
(function () {
	H.on("ready", () => {
		for (const run of H.runs) {
			for (const i of run.code.instructions) i.mnemonic = i.text.replace(/^@!?p\d+ /, "").split(" ")[0];
			const box = H.make("section", "panel", undefined, H.by("runs"));
			box.setAttribute("aria-label", "run of " + run.name);
			if (H.runs.length > 1) H.make("h2", "", run.name, box);
			H.makeOverview(box, run);
			H.makePipeline(box, run);
		}
		H.makeHead();
		H.makeSide();
		for (const run of H.runs) H.show(run.number, 0, run.index.cycles);
		H.openAddress();
		document.body.dataset.opened = Math.round(performance.now()); /* milliseconds */
	});
	H.open().catch((error) => {
		H.by("head").textContent = "This page cannot be opened here: " + error.message + ". It needs a browser of 2023 or later.";
		throw error;
	});
})();
