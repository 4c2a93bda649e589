/* Colours: those of the report's causes, those of the palette for colour-blind people, light and dark. */
(function () {
	const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
	const kept = (key) => {
		try {
			return localStorage.getItem("heddle-explorer-" + key);
		} catch {
			return null;
		}
	};
	const keep = (key, value) => {
		try {
			localStorage.setItem("heddle-explorer-" + key, value);
		} catch {
			/* a page without storage forgets */
		}
	};
	H.theme = { safe: kept("palette") === "safe", only: -1 };

	const inks = {};
	function read() {
		const style = getComputedStyle(root);
		for (const name of ["bg", "fg", "muted", "line", "panel", "accent", "idle", "queue", "memory", "row"]) inks[name] = style.getPropertyValue("--" + name).trim();
	}
	H.ink = (name) => inks[name];
	H.isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
	/* The colour of a cause by its number; the number behind the last one is "used". */
	H.colour = function (cause) {
		const causes = H.runs[0].index.causes;
		if (cause >= causes.length) return H.theme.safe ? "#0072b2" : "#4e79a7";
		if (cause === 0) return inks.idle;
		return H.theme.safe ? causes[cause].safe : causes[cause].colour;
	};
	H.cause = (cause) => (cause < H.runs[0].index.causes.length ? H.runs[0].index.causes[cause].label : "used");
	/* A chip of the colour and the name of a cause. */
	H.chip = function (cause, parent, text) {
		const e = H.make("span", "chip", undefined, parent);
		H.make("i", "", undefined, e).style.background = H.colour(cause);
		e.append(text === undefined ? H.cause(cause) : text);
		return e;
	};
	/* Red, green and blue of "#rrggbb". */
	H.rgb = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

	function changed() {
		read();
		H.emit("theme");
	}
	H.toggleDark = function () {
		root.dataset.theme = H.isDark() ? "light" : "dark";
		keep("theme", root.dataset.theme);
		changed();
	};
	H.togglePalette = function () {
		H.theme.safe = !H.theme.safe;
		keep("palette", H.theme.safe ? "safe" : "report");
		changed();
	};
	/* Shows one cause only; -1 shows all of them. */
	H.highlight = function (cause) {
		H.theme.only = H.theme.only === cause ? -1 : cause;
		H.emit("theme");
	};
	H.dimmed = (cause) => H.theme.only >= 0 && H.theme.only !== cause;
	if (kept("theme")) root.dataset.theme = kept("theme");
	dark.addEventListener("change", changed);
	read();
})();
