/* The units of a core in the chosen cycle, with play, step and back. cycle-parts.js draws the units. */
(function () {
	const SPEEDS = [1, 2, 5, 10, 25];
	const v = (H.cycleView = { run: null, model: null, scheduler: 0, slot: 0, schedulers: 1, stalls: [], speed: 2, playing: 0 });
	let controls = null, body = null, asked = 0;

	/* -- what the parts ask for ----------------------------------------------------------------------------------------------------------- */
	v.warp = (slot) => v.scheduler * 16 + slot;
	v.rowOf = (slot) => (v.run.rows.find((r) => r.core === v.model.json.core && r.unit === v.scheduler && r.slot === slot) || { row: -1 }).row;
	v.isChosen = function (number) {
		const r = H.chosen.record;
		return number > 0 && H.chosen.run === v.run.number && r !== null && r.tile.number[r.at] === number && v.run.rows[r.tile.row[r.at]].core === v.model.json.core;
	};
	v.choose = async function (slot, number) {
		const cycle = v.model.cycle(), found = await H.chooseNumber(v.run.number, v.rowOf(slot), number, cycle);
		if (!found) return H.say("this instruction was issued outside of the traced cycles");
		H.chooseCycle(v.run.number, cycle, v.rowOf(slot)); /* the cycle stays */
	};
	v.showWord = (pc) => H.showWord && H.showWord(v.run.number, pc);
	v.pick = function (slot) {
		v.slot = slot;
		H.chooseCycle(v.run.number, v.model.cycle(), v.rowOf(slot));
	};
	/* The addresses of instructions from `pc` up to `end`. */
	v.upTo = function (pc, end) {
		v.run.words ||= v.run.code.instructions.map((i) => i.pc).sort((a, b) => a - b);
		const from = H.search(v.run.words, pc, 0, v.run.words.length);
		return pc < 0 || end <= pc ? [] : v.run.words.slice(from, H.search(v.run.words, end, from, v.run.words.length));
	};
	/* Instructions in a pipe of the chosen scheduler, the one that is done first at the top. */
	v.flights = function (pipe) {
		const m = v.model, name = m.json.pipes[pipe], now = m.cycle(), list = [];
		for (let i = 0; i < m.groups.flight.count; i++) {
			const number = m.get("flight", i, "number");
			if (!number || m.get("flight", i, "scheduler") !== v.scheduler) continue;
			const pc = m.get("flight", i, "pc"), due = m.get("flight", i, "due"), stage = m.get("flight", i, "stage");
			if (v.run.code.at(pc).pipe !== name) continue;
			list.push({ number, pc, due, warp: m.get("flight", i, "warp"), note: stage ? "at the memory stage in cycle " + H.digits(due) : "written in cycle " + H.digits(due) + ", in " + H.cycles(due - now) });
		}
		const at = v.scheduler * m.json.pipes.length + pipe, entering = m.get("pipe", at, "entering");
		if (entering && !list.some((f) => f.number === entering)) {
			list.push({ number: entering, pc: m.get("pipe", at, "entering_pc"), due: Infinity, warp: m.get("pipe", at, "entering_warp"), note: "its lanes are entering" });
		}
		return list.sort((a, b) => a.due - b.due);
	};

	/* -- moving -------------------------------------------------------------------------------------------------------------------------- */
	function go(cycle) {
		const next = H.clamp(cycle, v.model.first, v.model.last);
		H.reveal(v.run.number, next);
		H.chooseCycle(v.run.number, next, H.chosen.row);
		return next;
	}
	const step = (by) => v.model && go(v.model.cycle() + by);
	function play(on) {
		clearInterval(v.playing);
		v.playing = on && v.model ? setInterval(() => step(1) >= v.model.last && play(false), 1000 / v.speed) : 0;
		if (controls) {
			controls.play.textContent = v.playing ? "❚❚" : "▶";
			controls.play.title = v.playing ? "stop (space)" : "play (space)";
			controls.play.setAttribute("aria-pressed", v.playing !== 0);
		}
	}
	function speed(by) {
		v.speed = SPEEDS[H.clamp(SPEEDS.indexOf(v.speed) + by, 0, SPEEDS.length - 1)];
		controls.speed.value = v.speed;
		if (v.playing) play(true);
	}
	/* The next cycle (1) or the one before (-1) in which the chosen scheduler issues. */
	function toIssue(by) {
		if (!v.model) return;
		const cycle = v.model.find(by, () => v.model.get("scheduler", v.scheduler, "issued") > 0);
		if (cycle >= 0) go(cycle);
		else H.say("no further issue in the recorded cycles");
	}
	function toSlot(by) {
		const order = [...Array(16).keys()].map((i) => v.model.get("scheduler", v.scheduler, "order", i)).filter((slot) => v.model.get("warp", v.warp(slot), "live"));
		const at = order.indexOf(v.slot);
		if (order.length) v.pick(order[H.clamp(at + by, 0, order.length - 1)]);
	}
	function wide() {
		const on = document.body.classList.toggle("cycle-wide");
		controls.wide.setAttribute("aria-pressed", on);
		H.emit("size");
		dispatchEvent(new Event("resize"));
	}

	const keys = {
		ArrowLeft: (e) => step(e.shiftKey ? -10 : -1),
		ArrowRight: (e) => step(e.shiftKey ? 10 : 1),
		ArrowUp: () => toSlot(-1),
		ArrowDown: () => toSlot(1),
		" ": () => play(!v.playing),
		Home: () => go(v.model.first),
		End: () => go(v.model.last),
		"+": () => speed(1),
		"-": () => speed(-1),
		n: () => toIssue(1),
		p: () => toIssue(-1),
		m: wide,
	};
	function onKey(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key] || !v.model) return;
		if (e.target.closest("input, select") || (e.key === " " && e.target.closest("button"))) return;
		e.preventDefault();
		keys[e.key](e);
	}

	/* -- drawing ------------------------------------------------------------------------------------------------------------------------- */
	function makeControls(parent) {
		const bar = H.make("div", "transport", undefined, parent), c = { bar };
		const button = (name, text, title, f) => {
			c[name] = H.button("icon", text, title, bar, f);
			c[name].dataset.do = name;
			c[name].setAttribute("aria-label", title);
		};
		button("first", "|◀", "first recorded cycle (Home)", () => go(v.model.first));
		button("issueBack", "« issue", "the issue before (p)", () => toIssue(-1));
		button("back", "‹", "back a cycle (left arrow)", () => step(-1));
		button("play", "▶", "play (space)", () => play(!v.playing));
		button("step", "›", "step a cycle (right arrow)", () => step(1));
		button("issue", "issue »", "the next issue (n)", () => toIssue(1));
		button("last", "▶|", "last recorded cycle (End)", () => go(v.model.last));
		c.speed = H.make("select", "", undefined, bar);
		c.speed.setAttribute("aria-label", "cycles a second");
		for (const s of SPEEDS) H.make("option", "", s + "/s", c.speed).value = s;
		c.speed.value = v.speed;
		c.speed.addEventListener("change", () => {
			v.speed = Number(c.speed.value);
			if (v.playing) play(true);
		});
		button("wide", "⤢", "the whole window for this view (m)", wide);
		const line = H.make("div", "where", undefined, parent);
		H.make("label", "muted", "cycle", line).htmlFor = "cycle-number";
		c.number = H.make("input", "", undefined, line);
		c.number.id = "cycle-number";
		c.number.inputMode = "numeric";
		c.number.addEventListener("change", () => {
			const cycle = parseInt(c.number.value.replace(/\D/g, ""), 10);
			if (!Number.isNaN(cycle)) go(cycle);
		});
		c.range = H.make("span", "note", "", line);
		c.schedulers = H.make("div", "schedulers", undefined, parent);
		return c;
	}
	function drawSchedulers() {
		const held = controls.schedulers.contains(document.activeElement) ? document.activeElement.dataset.scheduler : undefined;
		controls.schedulers.replaceChildren();
		for (let s = 0; s < v.schedulers; s++) {
			const b = H.button("entry", "", "scheduler " + s, controls.schedulers, () => {
				v.scheduler = s;
				v.slot = v.model.get("scheduler", s, "order", 0);
				H.chooseCycle(v.run.number, v.model.cycle(), v.rowOf(v.slot));
				draw();
			});
			b.dataset.scheduler = s;
			b.setAttribute("aria-pressed", s === v.scheduler);
			b.append("scheduler " + s);
			if (String(s) === held) b.focus();
			if (v.model.get("scheduler", s, "issued")) H.make("i", "", undefined, b).style.background = H.colour(v.stalls.length);
		}
	}
	function draw() {
		const section = H.by("cycle"), top = section.scrollTop, focus = body.contains(document.activeElement);
		body.replaceChildren();
		controls.number.value = v.model.cycle();
		controls.range.textContent = "of " + H.digits(v.model.first) + " to " + H.digits(v.model.last) + ", core " + v.model.json.core;
		section.dataset.cycle = v.model.cycle();
		section.dataset.slot = v.slot;
		drawSchedulers();
		H.parts.sentence(v, body);
		const grid = H.make("div", "unit-grid", undefined, body);
		const left = H.make("div", "unit-column", undefined, grid), right = H.make("div", "unit-column", undefined, grid);
		H.parts.scheduler(v, left);
		H.parts.counters(v, left);
		H.parts.flow(v, left);
		H.parts.fetch(v, left);
		H.parts.queues(v, right);
		H.parts.operands(v, right);
		H.parts.results(v, right);
		H.parts.replays(v, right);
		section.scrollTop = top;
		if (focus) section.focus({ preventScroll: true });
	}
	function missing(text) {
		play(false);
		body.replaceChildren();
		delete H.by("cycle").dataset.cycle;
		H.make("p", "note", text, body);
	}

	async function show() {
		if (!H.tabIs("cycle")) return;
		const mine = ++asked, run = H.runs[H.chosen.run], model = await H.unitsOf(run);
		if (mine !== asked) return;
		if (!model) return missing("No units were recorded in this run.");
		if (v.run !== run || v.model !== model) {
			Object.assign(v, { run, model, schedulers: model.json.sizes.schedulers, stalls: model.json.stalls, scheduler: 0, slot: 0 });
		}
		const cycle = H.chosen.cycle, row = run.rows[H.chosen.row];
		if (row && row.core === model.json.core) {
			v.scheduler = row.unit;
			v.slot = row.slot;
		}
		controls.bar.hidden = false;
		if (cycle < 0) return go(Math.floor(H.clamp((H.views[run.number].first + H.views[run.number].last) / 2, model.first, model.last)));
		if (!model.seek(cycle) || cycle > model.last) {
			const outside = "The units were recorded in cycles " + H.digits(model.first) + " to " + H.digits(model.last) + ". ";
			return missing(outside + (model.json.complete ? "" : "There was no room for more: --trace-cycles FIRST:LAST chooses others."));
		}
		draw();
		if (row && row.core !== model.json.core) H.say("the units of core " + model.json.core + " were recorded; --trace-core chooses another one");
	}

	H.on("ready", () => {
		const section = H.by("cycle");
		section.tabIndex = 0;
		section.addEventListener("keydown", onKey);
		controls = makeControls(section);
		body = H.make("div", "units", undefined, section);
	});
	H.on("cycle", show);
	H.on("theme", show);
	H.on("instruction", show);
	H.on("tab", (name) => {
		if (name !== "cycle") play(false);
		document.body.classList.toggle("cycle-tab", name === "cycle");
		show();
	});
})();
