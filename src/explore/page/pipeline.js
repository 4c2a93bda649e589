/* The canvas of a run: warps down, cycles across. */
(function () {
	const MOST = 60000; /* records that are drawn one by one */
	const panels = [];

	function size(p) {
		const ratio = devicePixelRatio || 1, width = p.box.clientWidth, height = p.box.clientHeight;
		if (p.canvas.width !== Math.round(width * ratio) || p.canvas.height !== Math.round(height * ratio)) {
			p.canvas.width = Math.round(width * ratio);
			p.canvas.height = Math.round(height * ratio);
		}
		p.width = width;
		p.height = height;
		p.g.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	function context(p) {
		const v = H.views[p.number], per = (p.width - H.GUTTER) / (v.last - v.first);
		const record = H.chosen.run === p.number && H.chosen.record, only = H.chosenWord && H.chosenWord.run === p.number ? H.chosenWord.pc : -1;
		const c = {
			g: p.g, run: p.run, perCycle: per, first: v.first, last: v.last, causes: p.run.index.causes.length,
			x: (cycle) => H.GUTTER + (cycle - v.first) * per,
			used: H.dimmed(p.run.index.causes.length) ? H.ink("idle") : H.colour(p.run.index.causes.length),
			queue: H.ink("queue"), memory: H.ink("memory"), text: H.ink("fg"), record,
			faint: (t, i) => (only >= 0 && t.pc[i] !== only ? 0.25 : 1),
		};
		c.block = function (from, to, y, height, cause) {
			p.g.fillStyle = H.dimmed(cause) ? H.ink("idle") : H.colour(cause);
			const x = Math.max(c.x(from), H.GUTTER), end = c.x(to);
			if (end > x) p.g.fillRect(x, y, Math.max(end - x - (per > 4 ? 1 : 0), 0.7), height);
		};
		return c;
	}

	function axis(p, c) {
		const g = p.g, step = H.tickStep(1 / c.perCycle, 90);
		g.fillStyle = H.ink("panel");
		g.fillRect(0, 0, p.width, H.AXIS);
		g.fillStyle = H.ink("muted");
		g.textAlign = "left";
		for (let at = Math.ceil(c.first / step) * step; at <= c.last; at += step) {
			g.fillStyle = H.ink("line");
			g.fillRect(Math.round(c.x(at)), H.AXIS - 6, 1, 6);
			g.fillStyle = H.ink("muted");
			g.fillText(H.digits(at), c.x(at) + 3, H.AXIS / 2);
		}
		g.fillStyle = H.ink("panel");
		g.fillRect(0, 0, H.GUTTER, H.AXIS);
		g.fillStyle = H.ink("muted");
		g.fillText("cycle", 10, H.AXIS / 2);
		g.fillStyle = H.ink("line");
		g.fillRect(0, H.AXIS - 1, p.width, 1);
	}

	/* Rows from the levels, through an image with a pixel for each bin. */
	function coarse(p, c, items, top) {
		const level = H.pickLevel(p.run, c.first, c.last, (p.width - H.GUTTER) * 1.5);
		if (!level || !items.length) return;
		const from = H.clamp(Math.floor(c.first / level.width), 0, level.n - 1), to = H.clamp(Math.ceil(c.last / level.width), from + 1, level.n);
		const y0 = items[0].y, height = items[items.length - 1].y + items[items.length - 1].height - y0, width = to - from;
		if (!(width >= 1 && height > 0)) return; /* it is hidden */
		const image = new ImageData(width, Math.ceil(height)), pixels = new Uint32Array(image.data.buffer);
		for (const item of items) {
			const at = Math.round(item.y - y0) * width, columns = item.kind === "scheduler" ? level.schedulers[item.scheduler] : level.slots[item.row];
			(item.kind === "scheduler" ? H.schedulerBins : H.slotBins)(pixels, at, width, item.height - 2, columns, from, to);
		}
		const shot = (p.shot ||= document.createElement("canvas"));
		shot.width = width;
		shot.height = image.height;
		shot.getContext("2d").putImageData(image, 0, 0);
		p.g.imageSmoothingEnabled = false;
		p.g.drawImage(shot, c.x(from * level.width), H.AXIS + y0 - top, width * level.width * c.perCycle, image.height);
	}

	/* Rows from the tiles. False while they are on their way. */
	function fine(p, c, items) {
		const tiles = p.run.known(c.first, c.last);
		if (!tiles) return false;
		c.reach = 2000 + (c.last - c.first);
		c.strip = p.layout.strip;
		c.lane = p.layout.lane;
		const schedulers = new Map(), slots = new Map();
		for (const item of items) (item.kind === "scheduler" ? schedulers : slots).set(item.kind === "scheduler" ? item.scheduler : item.row, item);
		p.g.textAlign = "left";
		for (const item of items) if (item.kind === "slot") residents(p, c, item);
		H.drawLost(c, tiles, schedulers, slots);
		for (const item of items) if (item.kind === "slot") H.drawInstructions(c, tiles, item);
		p.tiles = tiles;
		return true;
	}

	function residents(p, c, item) {
		const g = p.g;
		for (const w of p.run.warps[item.row]) {
			if (w.begin > c.last || w.end < c.first) continue;
			const x = Math.max(c.x(w.begin), H.GUTTER);
			g.fillStyle = H.ink("row");
			g.fillRect(x, item.y + 1, c.x(w.end) - x, item.height - 3);
			if (w.begin < c.first) continue;
			g.fillStyle = H.ink("muted");
			g.fillRect(x, item.y + 1, 1, item.height - 3);
			if (c.perCycle > 2) g.fillText("warp " + w.number + " of CTA " + w.cta.join(","), x + 4, item.y + item.height - 8);
		}
	}

	function labels(p, items, top) {
		const g = p.g;
		g.fillStyle = H.ink("panel");
		g.fillRect(0, H.AXIS, H.GUTTER, p.height);
		g.textAlign = "right";
		for (const item of items) {
			const y = H.AXIS + item.y - top + (item.kind === "slot" ? Math.min(item.height, 18) : item.height) / 2;
			g.fillStyle = item.kind === "scheduler" || (H.chosen.run === p.number && item.row === H.chosen.row) ? H.ink("fg") : H.ink("muted");
			g.fillText(item.label, H.GUTTER - 8, y);
		}
		g.fillStyle = H.ink("line");
		g.fillRect(H.GUTTER - 1, 0, 1, p.height);
	}

	function cursor(p, c) {
		if (H.chosen.run !== p.number || H.chosen.cycle < 0) return;
		const x = c.x(H.chosen.cycle), g = p.g, width = Math.max(c.perCycle, 1);
		if (x + width < H.GUTTER || x > p.width) return;
		g.fillStyle = H.ink("accent");
		g.globalAlpha = 0.14;
		g.fillRect(Math.max(x, H.GUTTER), H.AXIS, width, p.height);
		g.globalAlpha = 1;
		g.fillRect(Math.max(x, H.GUTTER), H.AXIS - 3, width, 3);
	}

	/* Instructions are drawn one by one if they are there, are not too many, and are wide enough, or the bins are too wide. */
	function isDetailed(p, c) {
		if (!p.run.hasDetail(c.first, c.last) || p.run.estimate(c.first, c.last) > MOST) return false;
		const bin = p.run.index.cycles / Math.max(p.run.levelBins(p.run.levelCount - 1), 1);
		return c.perCycle >= 0.25 || bin * c.perCycle > 6;
	}

	function draw(p) {
		size(p);
		const c = context(p), v = H.views[p.number], g = p.g;
		p.tiles = null;
		const detailed = isDetailed(p, c);
		if (!p.layout || p.detailed !== detailed) {
			const before = p.layout, middle = v.top;
			p.layout = H.layout(p.run, detailed);
			v.top = before ? (middle * p.layout.height) / before.height : 0;
			p.detailed = detailed;
		}
		v.top = H.clamp(v.top, 0, p.layout.height - (p.height - H.AXIS));
		const items = p.layout.items.filter((i) => i.y + i.height > v.top && i.y < v.top + p.height - H.AXIS);
		g.fillStyle = H.ink("bg");
		g.fillRect(0, 0, p.width, p.height);
		g.font = "11px " + getComputedStyle(document.body).fontFamily;
		g.textBaseline = "middle";
		g.save();
		g.beginPath();
		g.rect(H.GUTTER, H.AXIS, p.width - H.GUTTER, p.height - H.AXIS);
		g.clip();
		const shifted = items.map((i) => ({ ...i, y: i.y + H.AXIS - v.top }));
		if (!detailed || !fine(p, c, shifted)) coarse(p, c, items, v.top);
		cursor(p, c);
		if (p.tiles) H.drawArrows(p, c, p.layout.items.map((i) => ({ ...i, y: i.y + H.AXIS - v.top })));
		g.restore();
		axis(p, c);
		cursor(p, c);
		labels(p, items, v.top);
		p.c = c;
	}

	/* The row and cycle of a place on the canvas, and the record there, if records are drawn. */
	function hit(p, x, y) {
		const v = H.views[p.number], cycle = v.first + (x - H.GUTTER) / p.c.perCycle, at = y - H.AXIS + v.top;
		const item = p.layout.items.find((i) => at >= i.y && at < i.y + i.height);
		if (!item || x < H.GUTTER || y < H.AXIS) return { cycle, item };
		return { cycle, item, record: p.tiles && item.kind === "slot" ? recordAt(p, item, cycle, at - item.y) : null };
	}
	function recordAt(p, item, cycle, y) {
		const slack = 4 / p.c.perCycle, inStrip = y < p.layout.strip;
		const lane = Math.floor((y - p.layout.strip - 1) / p.layout.lane);
		let best = null, least = Infinity;
		for (const t of p.tiles) {
			const [from, to] = H.recordsOf(t, item.row, cycle, cycle + slack, p.c.reach + slack);
			for (let i = from; i < to; i++) {
				const [cell, length] = H.cellOf(t, i, p.c.perCycle);
				const away = inStrip ? (t.waitCause[i] && cycle >= t.waitSince[i] && cycle < t.issue[i] ? 0 : Math.max(cell - cycle, cycle - cell - length, 0)) : Math.max(t.issue[i] - cycle, cycle - t.end[i], 0) + (t.lane[i] === lane ? 0 : 1e9);
				if (away < least || (away === least && inStrip)) {
					best = { tile: t, at: i };
					least = away;
				}
			}
			if (!inStrip) continue;
			/* a wait on the screen may belong to an instruction that is issued far behind it */
			const [later] = H.recordsOf(t, item.row, cycle, Infinity, 0);
			if (later === t.begin[item.row + 1] || least === 0) continue;
			const lost = H.lostAt(p.tiles, cycle, item.row);
			if ((t.waitCause[later] && t.waitSince[later] <= cycle) || (lost && lost.tile.lost.pc[lost.at] === t.pc[later])) {
				best = { tile: t, at: later };
				least = 0;
			}
		}
		return least <= Math.max(slack, inStrip ? 2 : slack) ? best : null;
	}

	H.makePipeline = function (parent, run) {
		const box = H.make("div", "canvas", undefined, parent), canvas = H.make("canvas", "", undefined, box);
		const p = { box, canvas, g: canvas.getContext("2d"), run, number: run.number, layout: null };
		canvas.tabIndex = 0;
		canvas.setAttribute("role", "application");
		canvas.setAttribute("aria-label", "pipeline of " + run.name + ": warps down, cycles across. Arrow keys move, + and - zoom, n and p step through instructions.");
		p.hit = (x, y) => hit(p, x, y);
		/* Brings a row onto the screen. */
		p.scrollTo = function (row) {
			const item = p.layout && p.layout.items.find((i) => i.row === row), v = H.views[p.number], room = p.height - H.AXIS;
			if (item && (item.y < v.top || item.y + item.height > v.top + room)) v.top = item.y - room / 3;
			p.draw();
		};
		p.rowsInView = () => p.layout.items.filter((i) => i.kind === "slot" && i.y + i.height > H.views[p.number].top && i.y < H.views[p.number].top + p.height - H.AXIS).map((i) => i.row);
		p.draw = H.once(() => draw(p));
		panels.push(p);
		new ResizeObserver(() => draw(p)).observe(box);
		H.handle(p);
		return p;
	};
	H.panels = panels;
	const redraw = () => panels.forEach((p) => p.draw());
	for (const event of ["view", "theme", "data", "cycle", "instruction", "word"]) H.on(event, redraw);
})();
