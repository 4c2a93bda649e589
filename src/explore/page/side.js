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
		}
		H.emit("tab", name);
	};
	H.nextTab = () => H.tab(tabs[(tabs.findIndex(([id]) => id === now) + 1) % tabs.length][0]);

	H.makeSide = function () {
		const bar = H.by("tabs");
		bar.setAttribute("role", "tablist");
		for (const [id, name] of tabs) {
			const e = H.button("tab", name, name, bar, () => H.tab(id));
			e.id = "tab-" + id;
			e.setAttribute("role", "tab");
			e.setAttribute("aria-controls", id);
			H.by(id).setAttribute("role", "tabpanel");
		}
		for (const run of H.runs) {
			H.make("h3", "", run.name, H.by("machine"));
			H.make("pre", "", run.index.machine.yaml, H.by("machine"));
		}
		H.tab("details");
	};
	H.say = (text) => (H.by("said").textContent = text);
})();
