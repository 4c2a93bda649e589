/* The side panel: one of its parts at a time. */
(function () {
	const tabs = [["details", "Instruction"], ["cycle", "Cycle"], ["code", "Program"], ["machine", "Machine"]];
	let now = "details";
	H.tabIs = (name) => now === name;
	H.tab = function (name) {
		now = name;
		for (const [id] of tabs) {
			H.by(id).hidden = id !== name;
			H.by("tab-" + id).setAttribute("aria-selected", id === name);
			H.by("tab-" + id).tabIndex = id === name ? 0 : -1;
		}
		H.emit("tab", name);
	};
	H.nextTab = () => H.tab(tabs[(tabs.findIndex(([id]) => id === now) + 1) % tabs.length][0]);

	/* Arrow keys go from tab to tab while one of them has the focus. */
	function arrows(e) {
		const at = tabs.findIndex(([id]) => id === now), n = tabs.length;
		const next = { ArrowLeft: at - 1 + n, ArrowRight: at + 1, Home: 0, End: n - 1 }[e.key];
		if (next === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		H.tab(tabs[next % n][0]);
		H.by("tab-" + now).focus();
	}

	H.makeSide = function () {
		const bar = H.by("tabs");
		bar.setAttribute("role", "tablist");
		for (const [id, name] of tabs) {
			const e = H.button("tab", name, name, bar, () => {
				H.tab(id);
				H.by(id).focus({ preventScroll: true }); /* its keys work at once */
			});
			e.id = "tab-" + id;
			e.setAttribute("role", "tab");
			e.setAttribute("aria-controls", id);
			H.by(id).setAttribute("role", "tabpanel");
			H.by(id).setAttribute("aria-labelledby", e.id);
			H.by(id).tabIndex = 0; /* it scrolls */
		}
		bar.addEventListener("keydown", arrows);
		for (const run of H.runs) {
			H.make("h3", "", run.name, H.by("machine"));
			H.make("pre", "", run.index.machine.yaml, H.by("machine"));
		}
		H.tab("details");
	};
	H.say = (text) => (H.by("said").textContent = text);
})();
