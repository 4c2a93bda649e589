/* The recorded state of a core's units (src/launch/units.def): numbers by group, instance, field and place, in one cycle at a time. The block has what
 * changed in each cycle, so a step in either direction adds or takes away the differences of one cycle. */
(function () {
	function decode(json) {
		const text = atob(json.data);
		const bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
		const r = H.reader(bytes), n = json.cycles;
		const cycle = new Float64Array(n), begin = new Uint32Array(n + 1), at = [], by = [];
		for (let k = 0, now = json.first; k < n; k++) {
			now += r.number();
			cycle[k] = now;
			begin[k] = at.length;
			for (let left = r.number(), cell = -1; left > 0; left--) {
				cell += r.number();
				at.push(cell);
				by.push(r.change());
			}
		}
		begin[n] = at.length;
		return { cycle, begin, at: Uint32Array.from(at), by: Float64Array.from(by) };
	}

	/* A model of one run's log; it is in the first cycle that was recorded. */
	H.openUnits = function (json) {
		const log = decode(json), cells = new Float64Array(json.sizes.cells), groups = {};
		let now = -1, fresh = new Set();
		for (const g of json.groups) {
			groups[g.name] = { ...g, field: Object.fromEntries(g.fields.map(([name, at, count, text]) => [name, { at, count, text }])) };
		}
		function add(k, sign) {
			for (let i = log.begin[k]; i < log.begin[k + 1]; i++) cells[log.at[i]] += sign * log.by[i];
		}
		const cellOf = (group, index, field, i) => groups[group].at + index * groups[group].cells + groups[group].field[field].at + i;
		const model = {
			json,
			groups,
			first: json.first,
			last: json.last,
			/* The cycle in which the model is. */
			cycle: () => log.cycle[now],
			/* Goes to the last recorded cycle up to `cycle`. False when there is none. */
			seek(cycle) {
				let k = H.search(log.cycle, cycle, 0, log.cycle.length);
				if (k === log.cycle.length || log.cycle[k] > cycle) k--;
				if (k < 0) return false;
				while (now < k) add(++now, 1);
				while (now > k) add(now--, -1);
				fresh = new Set(log.at.subarray(log.begin[now], log.begin[now + 1]));
				return true;
			},
			get: (group, index, field, i = 0) => cells[cellOf(group, index, field, i)],
			/* True when the value came in this cycle. */
			isNew: (group, index, field, i = 0) => now > 0 && fresh.has(cellOf(group, index, field, i)),
			/* The first recorded cycle in direction `by` (1 or -1) of which `wanted()` holds; the model is there then. -1: none, and it stays. */
			find(by, wanted) {
				const from = log.cycle[now];
				for (let k = now + by; k >= 0 && k < log.cycle.length; k += by) if (model.seek(log.cycle[k]) && wanted()) return log.cycle[k];
				model.seek(from);
				return -1;
			},
		};
		model.seek(json.first);
		return model;
	};

	/* A promise of the model of a run; null when nothing was recorded. */
	H.unitsOf = function (run) {
		const block = run.blocksOf("units")[0];
		run.units ||= block === undefined ? Promise.resolve(null) : run.block(block).then((bytes) => H.openUnits(JSON.parse(new TextDecoder().decode(bytes))));
		return run.units;
	};
})();
