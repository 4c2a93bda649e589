/* The blocks of the page: what a run is made of, decoded when somebody asks for it. */
(function () {
	const TILES = 96; /* kept decoded */
	H.runs = [];

	async function inflate(element) {
		const text = atob(element.textContent);
		const bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}
	const json = async (element) => JSON.parse(new TextDecoder().decode(await inflate(element)));

	H.reader = function (bytes) {
		let at = 0;
		function number() {
			let byte = bytes[at++];
			if (byte < 128) return byte;
			let value = byte & 127, scale = 128;
			do {
				byte = bytes[at++];
				value += (byte & 127) * scale;
				scale *= 128;
			} while (byte > 127);
			return value;
		}
		const signed = (n) => (n % 2 ? -(n + 1) / 2 : n / 2);
		return {
			number,
			change: () => signed(number()),
			column(to) {
				for (let i = 0; i < to.length; i++) to[i] = number();
				return to;
			},
			changes(to) {
				for (let i = 0, before = 0; i < to.length; i++) to[i] = before += signed(number());
				return to;
			},
		};
	};

	/* -- levels: the bins of schedulers and slots, column by column; null where nothing was counted */
	function decodeLevel(bytes, index) {
		const r = H.reader(bytes), width = 2 ** r.number(), n = r.number();
		const row = () => {
			const mask = r.number(), columns = [];
			for (let c = 0; c < index.causes.length + 2; c++) columns.push((mask >>> c) & 1 ? r.column(new Uint32Array(n)) : null);
			return columns;
		};
		return { width, n, schedulers: index.schedulers.map(row), slots: index.slots.map(row) };
	}

	/* -- warps, by row */
	function decodeWarps(bytes, count, run) {
		const r = H.reader(bytes);
		for (let i = 0; i < count; i++) {
			const row = run.rowOf.get(r.number()), begin = r.number(), end = begin + r.number();
			const cta = [r.number(), r.number(), r.number()];
			const warp = { row, begin, end, cta, number: r.number(), lanes: r.number() };
			if (row !== undefined) run.warps[row].push(warp);
		}
	}

	async function openRun(element, number) {
		const blocks = [...element.querySelectorAll("script.block")];
		const index = await json(blocks[blocks.length - 1]);
		const run = { number, index, levels: [], warps: index.slots.map(() => []) };
		const m = index.machine, each = m.slots, cache = new Map();
		run.rowOf = new Map(index.slots.map((place, row) => [place, row]));
		run.schedulerOf = new Map(index.schedulers.map((place, i) => [place, i]));
		/* Of a row: its core, scheduler and slot, and a name. */
		run.rows = index.slots.map((place, row) => {
			const scheduler = Math.floor(place / each), core = Math.floor(scheduler / m.schedulers);
			return { row, place, scheduler: run.schedulerOf.get(scheduler), core, unit: scheduler % m.schedulers, slot: place % each };
		});
		run.name = m.name;
		run.cycles = Math.max(index.cycles - 1, 0); /* as reports count them: the last one has this number */
		run.block = (i) => inflate(blocks[i]);
		run.blocksOf = function (kind, first = 0, last = Infinity) {
			const found = [];
			index.blocks.forEach((row, i) => row[0] === kind && row[1] <= last && row[2] >= first && found.push(i));
			return found;
		};
		const code = run.blocksOf("code")[0];
		run.code = JSON.parse(new TextDecoder().decode(await run.block(code)));
		const byWord = new Map(run.code.instructions.map((i) => [i.pc, i]));
		run.code.at = (pc) => byWord.get(pc) || { pc, text: "?", lost: {}, pipe: "none" };
		for (const i of run.blocksOf("warps")) decodeWarps(await run.block(i), index.blocks[i][3], run);
		run.warps.forEach((list) => list.sort((a, b) => a.begin - b.begin));
		run.warpAt = (row, cycle) => run.warps[row].find((w) => w.begin <= cycle && cycle <= w.end);

		const levels = run.blocksOf("level");
		run.levelCount = levels.length;
		/* The decoded level, or the coarsest one that is decoded while it is on its way. */
		run.level = function (i) {
			if (run.levels[i]) return run.levels[i];
			run.levels[i] = null;
			run.block(levels[i]).then((bytes) => {
				run.levels[i] = decodeLevel(bytes, index);
				H.emit("data");
			});
			for (let k = i; k >= 0; k--) if (run.levels[k]) return run.levels[k];
			return run.levels.find((l) => l);
		};
		/* Widths of the levels without decoding them: bins of the whole run. */
		run.levelBins = (i) => index.blocks[levels[i]][3];
		if (levels.length) run.levels[0] = decodeLevel(await run.block(levels[0]), index);

		/* A promise of tile `i`, which is decoded once as long as it is in use. */
		run.tile = function (i) {
			let tile = cache.get(i);
			if (tile) cache.delete(i);
			else {
				tile = { ready: null };
				tile.promise = run.block(i).then((bytes) => (tile.ready = H.decodeTile(bytes, run)));
			}
			cache.set(i, tile);
			if (cache.size > TILES) cache.delete(cache.keys().next().value);
			return tile;
		};
		run.tiles = (first, last) => Promise.all(run.blocksOf("tile", first, last).map((i) => run.tile(i).promise));
		/* The tiles of these cycles, or null and an event `data` when they are there. */
		run.known = function (first, last) {
			const tiles = run.blocksOf("tile", first, last).map((i) => run.tile(i));
			if (tiles.every((t) => t.ready)) return tiles.map((t) => t.ready);
			Promise.all(tiles.map((t) => t.promise)).then(() => H.emit("data"));
			return null;
		};
		/* Records in these cycles, about. */
		run.estimate = function (first, last) {
			let n = 0;
			for (const i of run.blocksOf("tile", first, last)) {
				const [, from, to, count] = index.blocks[i];
				n += (count * (Math.min(to, last) - Math.max(from, first) + 1)) / (to - from + 1);
			}
			return n;
		};
		run.hasDetail = (first, last) => first <= index.last && last >= index.first && run.blocksOf("tile", first, last).length > 0;
		return run;
	}

	H.open = async function () {
		H.runs = await Promise.all([...document.querySelectorAll("div.run")].map(openRun));
		H.emit("ready");
	};
})();
