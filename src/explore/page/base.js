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
	H.by = (id) => document.getElementById(id);
	H.digits = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
})();
