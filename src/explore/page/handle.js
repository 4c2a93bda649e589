/* The mouse, the pen and fingers on a canvas: drag to move, wheel or pinch to zoom, click to choose. */
(function () {
	H.handle = function (p) {
		const canvas = p.canvas, fingers = new Map();
		let moved = 0, pinch = 0;
		const at = (e) => {
			const box = canvas.getBoundingClientRect();
			return [e.clientX - box.left, e.clientY - box.top];
		};
		const cycleAt = (x) => H.views[p.number].first + (x - H.GUTTER) / p.c.perCycle;
		const spread = () => {
			const [a, b] = [...fingers.values()];
			return Math.hypot(a[0] - b[0], a[1] - b[1]);
		};

		canvas.addEventListener("pointerdown", (e) => {
			canvas.setPointerCapture(e.pointerId);
			fingers.set(e.pointerId, at(e));
			moved = fingers.size > 1 ? 99 : 0;
			pinch = fingers.size === 2 ? spread() : 0;
		});
		canvas.addEventListener("pointermove", (e) => {
			const before = fingers.get(e.pointerId), now = at(e);
			if (!before) return hover(p, now);
			fingers.set(e.pointerId, now);
			if (fingers.size === 2) {
				const next = spread(), [a, b] = [...fingers.values()];
				if (pinch > 0 && next > 0) H.zoom(p.number, pinch / next, cycleAt((a[0] + b[0]) / 2));
				pinch = next;
				return;
			}
			moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
			if (moved < 4) return;
			tip.hidden = true;
			H.views[p.number].top -= now[1] - before[1];
			H.pan(p.number, (before[0] - now[0]) / p.c.perCycle);
		});
		const lift = (e) => {
			if (!fingers.delete(e.pointerId) || e.type !== "pointerup" || moved >= 4) return;
			const h = p.hit(...at(e));
			if (!h.item && h.cycle < 0) return;
			if (h.record) H.choose(p.number, h.record);
			else {
				H.choose(p.number, null);
				H.chooseCycle(p.number, h.cycle, h.item ? h.item.row : -1);
			}
		};
		canvas.addEventListener("pointerup", lift);
		canvas.addEventListener("pointercancel", lift);
		canvas.addEventListener("pointerleave", () => (tip.hidden = true));
		canvas.addEventListener("dblclick", (e) => H.zoom(p.number, 1 / 4, cycleAt(at(e)[0])));
		canvas.addEventListener(
			"wheel",
			(e) => {
				e.preventDefault();
				if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) H.pan(p.number, (e.deltaX || e.deltaY) / p.c.perCycle);
				else if (e.altKey) {
					H.views[p.number].top += e.deltaY;
					p.draw();
				} else H.zoom(p.number, 1.0015 ** H.clamp(e.deltaY, -400, 400), cycleAt(at(e)[0]));
			},
			{ passive: false },
		);
	};

	/* -- what is under the pointer, in words */
	const tip = H.make("div", "tip", undefined, document.body);
	tip.hidden = true;
	function hover(p, [x, y]) {
		if (!p.c) return;
		const h = p.hit(x, y);
		tip.hidden = !h.item || x < H.GUTTER;
		if (tip.hidden) return;
		tip.replaceChildren();
		H.make("b", "", "cycle " + H.digits(h.cycle), tip);
		tip.append(h.item.row >= 0 ? " · " + H.rowLabel(p.run, h.item.row) : " · " + h.item.label + ": its issue slots");
		if (h.record) {
			const t = h.record.tile, i = h.record.at;
			H.make("div", "mono", "L" + t.pc[i] + "  " + p.run.code.at(t.pc[i]).text, tip);
			if (t.waitCause[i]) H.chip(t.waitCause[i] - 1, H.make("div", "", undefined, tip), H.cause(t.waitCause[i] - 1) + ", " + H.cycles(t.waitUntil[i] - t.waitSince[i]) + " before issue");
		}
		if (p.tiles) lost(p, h);
		else bins(p, h);
		const box = p.canvas.getBoundingClientRect();
		tip.style.left = H.clamp(box.left + x + 14, 4, innerWidth - tip.offsetWidth - 8) + "px";
		tip.style.top = H.clamp(box.top + y + 18, 4, innerHeight - tip.offsetHeight - 8) + "px";
	}
	/* The stretch of lost slots or the wait there, and the instruction that it belongs to. */
	function lost(p, h) {
		const found = H.lostAt(p.tiles, h.cycle, h.item.row, h.item.scheduler);
		if (!found) return;
		const l = found.tile.lost, k = found.at, line = H.make("div", "", undefined, tip);
		H.chip(l.cause[k], line, (l.slots[k] ? "slots lost: " : "waits: ") + H.cause(l.cause[k]) + ", " + H.cycles(l.cycles[k]));
		if (!h.record && l.row[k] >= 0) H.make("div", "mono", "L" + l.pc[k] + "  " + p.run.code.at(l.pc[k]).text, tip);
	}
	function bins(p, h) {
		const level = H.pickLevel(p.run, p.c.first, p.c.last, p.width * 1.5), b = level ? Math.floor(h.cycle / level.width) : -1;
		if (b < 0 || b >= level.n) return;
		const columns = h.item.kind === "scheduler" ? level.schedulers[h.item.scheduler] : level.slots[h.item.row], causes = columns.length - 2;
		const of = (c) => (columns[c] ? columns[c][b] : 0);
		const parts = [...Array(causes + 1).keys()].filter(of).sort((a, c) => of(c) - of(a)).slice(0, 5);
		for (const c of parts) {
			const line = H.make("div", "", undefined, tip), what = c === causes ? (h.item.kind === "scheduler" ? " slots used" : " issued") : h.item.kind === "scheduler" ? " slots lost: " + H.cause(c) : " cycles: " + H.cause(c);
			H.chip(c, line, H.digits(of(c)) + what);
		}
		H.make("div", "muted", "in " + H.cycles(level.width), tip);
	}
})();
