/* The whole run in one strip: where issue slots went, and what part of it is on the screen. */
(function () {
	const strips = [];

	function sums(level) {
		const columns = [];
		for (let c = 0; c < level.schedulers[0].length; c++) {
			if (!level.schedulers.some((s) => s[c])) {
				columns.push(null);
				continue;
			}
			const sum = new Float64Array(level.n);
			for (const s of level.schedulers) if (s[c]) for (let b = 0; b < level.n; b++) sum[b] += s[c][b];
			columns.push(sum);
		}
		return columns;
	}

	function draw(s) {
		const ratio = devicePixelRatio || 1, width = s.box.clientWidth, height = s.box.clientHeight, g = s.canvas.getContext("2d");
		s.canvas.width = width * ratio;
		s.canvas.height = height * ratio;
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		const run = s.run, level = H.pickLevel(run, 0, run.index.cycles, width * 1.5);
		if (!level || !level.schedulers.length) return;
		if (s.level !== level) s.columns = sums((s.level = level));
		if (!(height >= 1)) return; /* it is hidden */
		const image = new ImageData(level.n, height), pixels = new Uint32Array(image.data.buffer);
		H.schedulerBins(pixels, 0, level.n, height, s.columns, 0, level.n);
		const shot = document.createElement("canvas");
		shot.width = level.n;
		shot.height = height;
		shot.getContext("2d").putImageData(image, 0, 0);
		g.imageSmoothingEnabled = true;
		const scale = width / run.index.cycles;
		g.drawImage(shot, 0, 0, level.n * level.width * scale, height);
		const v = H.views[run.number], x = v.first * scale, end = Math.max(v.last * scale, x + 3);
		g.fillStyle = H.ink("bg");
		g.globalAlpha = 0.62;
		g.fillRect(0, 0, x, height);
		g.fillRect(end, 0, width - end, height);
		g.globalAlpha = 1;
		g.strokeStyle = H.ink("fg");
		g.lineWidth = 1.5;
		g.strokeRect(x + 0.75, 0.75, end - x - 1.5, height - 1.5);
	}

	H.makeOverview = function (parent, run) {
		const box = H.make("div", "strip", undefined, parent), canvas = H.make("canvas", "", undefined, box), s = { box, canvas, run };
		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", "issue slots of the whole run by cause");
		s.draw = H.once(() => draw(s));
		strips.push(s);
		new ResizeObserver(() => draw(s)).observe(box);
		let down = null;
		const cycle = (e) => ((e.clientX - canvas.getBoundingClientRect().left) / box.clientWidth) * run.index.cycles;
		canvas.addEventListener("pointerdown", (e) => {
			canvas.setPointerCapture(e.pointerId);
			down = { at: cycle(e), x: e.clientX };
		});
		canvas.addEventListener("pointermove", (e) => {
			if (down && Math.abs(e.clientX - down.x) > 3) H.show(run.number, Math.min(down.at, cycle(e)), Math.max(down.at, cycle(e)));
		});
		canvas.addEventListener("pointerup", (e) => {
			const v = H.views[run.number];
			if (down && Math.abs(e.clientX - down.x) <= 3) H.pan(run.number, cycle(e) - (v.first + v.last) / 2);
			down = null;
		});
	};
	for (const event of ["view", "theme", "data"]) H.on(event, () => strips.forEach((s) => s.draw()));
})();
