/* Events, elements and numbers. */
(function () {
	const listeners = {};
	H.on = (event, f) => (listeners[event] ||= []).push(f);
	H.emit = (event, value) => (listeners[event] || []).forEach((f) => f(value));

	/* An element with a class and a text. `parent` may be left out. */
	H.make = function (tag, className, text, parent) {
		const e = document.createElement(tag);
		if (className) e.className = className;
		if (text !== undefined) e.textContent = text;
		if (parent) parent.append(e);
		return e;
	};
	H.button = function (className, text, title, parent, f) {
		const e = H.make("button", className, text, parent);
		e.type = "button";
		e.title = title;
		if (!/[a-z]/i.test(text || "x")) e.setAttribute("aria-label", title); /* a sign has no name of its own */
		e.addEventListener("click", f);
		return e;
	};
	H.by = (id) => document.getElementById(id);
	H.digits = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
	H.percent = (part, whole) => (whole ? ((100 * part) / whole).toFixed(1) : "0.0") + "\u202f%";
	H.cycles = (n) => H.digits(n) + (n === 1 ? " cycle" : " cycles");
	H.clamp = (x, low, high) => Math.min(Math.max(x, low), Math.max(low, high));
	H.lastPart = (path) => path.slice(path.lastIndexOf("/") + 1);

	/* One call of `f` in the next frame, however often it is asked for. */
	H.once = function (f) {
		let asked = false;
		return () => {
			if (asked) return;
			asked = true;
			requestAnimationFrame(() => {
				asked = false;
				f();
			});
		};
	};
	/* The index of the first element of sorted `at[low..high)` that is not below `value`. */
	H.search = function (at, value, low, high) {
		while (low < high) {
			const middle = (low + high) >> 1;
			if (at[middle] < value) low = middle + 1;
			else high = middle;
		}
		return low;
	};
})();
