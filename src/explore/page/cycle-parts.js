/* The parts of the cycle's view. Each draws a unit of the core into an element: `v` is the view of cycle.js, with the model, the run, the scheduler
 * and the warp slot that are chosen. Everything comes from the recorded state. */
(function () {
	const P = (H.parts = {}), READY = -1, EMPTY = -2, MANY = 8;
	const bits = (mask) => [...Array(32).keys()].filter((i) => Math.floor(mask / 2 ** i) % 2);
	const signed = (value) => (value < 0 ? "none" : "L" + value);
	P.bits = bits;
	P.slotName = (slot) => "w" + String(slot).padStart(2, "0");

	/* A value with the name of its cell, for who looks for it; it stands out when it came in this cycle. */
	P.value = function (v, parent, group, index, field, i, text, className) {
		const value = v.model.get(group, index, field, i), e = H.make("span", "value " + (className || ""), text === undefined ? String(value) : text, parent);
		e.dataset.cell = [group, index, field, i].join(".");
		e.dataset.value = value;
		if (v.model.isNew(group, index, field, i)) e.classList.add("new");
		const f = v.model.groups[group].field[field];
		e.title = f.text + (f.count > 1 ? " [" + (i + 1) + "]" : "");
		return e;
	};

	/* An instruction that one can choose. `number` 0: it has not been issued. */
	P.instruction = function (v, parent, slot, pc, number, more) {
		const inst = v.run.code.at(pc), e = H.button("inst", "", inst.text, parent, () => (number ? v.choose(slot, number) : v.showWord(pc)));
		e.dataset.number = number;
		e.dataset.pc = pc;
		if (slot >= 0) H.make("b", "slot", P.slotName(slot), e);
		H.make("span", "muted", "L" + pc, e);
		H.make("span", "mono", inst.text, e);
		if (more) H.make("span", "note", more, e);
		if (v.isChosen(number)) e.classList.add("chosen");
		return e;
	};

	P.section = function (parent, id, title, note) {
		const e = H.make("section", "unit", undefined, parent), head = H.make("h3", "", title, e);
		e.dataset.unit = id;
		if (note) H.make("span", "note", note, head);
		return H.make("div", "unit-body", undefined, e);
	};
	const nothing = (parent, text) => H.make("div", "note", text, parent);

	/* -- the scheduler ----------------------------------------------------------------------------------------------------------------- */
	P.looks = function (v) {
		const list = [], all = v.model.groups.look.count / v.schedulers;
		for (let i = v.scheduler * all; i < (v.scheduler + 1) * all && v.model.get("look", i, "number"); i++) {
			list.push({ warp: v.model.get("look", i, "warp"), pc: v.model.get("look", i, "pc"), sent: v.model.get("look", i, "sent"), outcome: v.model.get("look", i, "outcome") });
		}
		return list;
	};
	P.lost = (v) => v.stalls.map((s, cause) => [cause, v.model.get("scheduler", v.scheduler, "lost", cause)]).filter(([, slots]) => slots);

	/* The scheduler's work, in a sentence. */
	P.sentence = function (v, parent) {
		const looks = P.looks(v), sent = looks.filter((l) => l.sent), lost = P.lost(v);
		const e = H.make("p", "sentence", undefined, parent);
		for (const l of sent) {
			e.append(P.slotName(l.warp) + " issued " + (l.sent > 1 ? l.sent + " instructions, from" : ""));
			P.instruction(v, e, -1, l.pc, 0);
		}
		if (!sent.length) e.append("Nothing issued.");
		for (const [cause, slots] of lost) H.chip(cause, e, (slots > 1 ? slots + " slots" : "slot") + " lost: " + v.stalls[cause].label);
		return e;
	};

	function state(v, e, slot, looks) {
		const why = v.model.get("warp", v.warp(slot), "why"), look = looks.find((l) => l.warp === slot);
		e.dataset.why = why;
		if (look) {
			e.dataset.outcome = look.outcome;
			if (look.sent) return H.chip(v.stalls.length, e, "issued" + (look.sent > 1 ? " " + look.sent : ""));
			return H.make("span", "", "picked: " + v.model.json.outcomes[look.outcome], e);
		}
		if (why === READY) return H.make("span", "ready", "ready; the slot was taken", e);
		if (why < EMPTY) return H.make("span", "", "nothing in its window can be sent", e);
		const wake = v.model.get("warp", v.warp(slot), "wake"), watch = v.model.get("warp", v.warp(slot), "watch");
		return H.chip(why, e, v.stalls[why].label + (wake ? " until " + H.digits(wake) : "") + (watch ? ": counter " + bits(watch).map((i) => i + 1).join(", ") : ""));
	}

	P.scheduler = function (v, parent) {
		const body = P.section(parent, "scheduler", "Scheduler " + v.scheduler, "warps in the macro scheduler's order, the first one highest");
		const looks = P.looks(v), box = H.make("div", "scroll", undefined, body), table = H.make("table", "order", undefined, box);
		const head = H.make("tr", "", undefined, H.make("thead", "", undefined, table));
		for (const name of ["", "warp", "CTA", "in this cycle", "next instruction", "in its buffer", "counters"]) H.make("th", "", name, head);
		const rows = H.make("tbody", "", undefined, table);
		for (let place = 0; place < 16; place++) {
			const slot = v.model.get("scheduler", v.scheduler, "order", place), w = v.warp(slot), live = v.model.get("warp", w, "live");
			if (!live && v.model.get("warp", w, "why") === EMPTY) continue;
			const tr = H.make("tr", slot === v.slot ? "picked" : "", undefined, rows);
			tr.dataset.slot = slot;
			tr.addEventListener("click", (e) => e.target.closest("button.inst") || v.pick(slot));
			H.make("td", "number muted", String(place + 1), tr);
			H.button("link-slot", P.slotName(slot), "show this warp", H.make("td", "", undefined, tr), () => v.pick(slot));
			H.make("td", "", v.model.get("warp", w, "cta") + "." + v.model.get("warp", w, "warp"), tr);
			state(v, H.make("td", "state-cell", undefined, tr), slot, looks);
			const pc = v.model.get("warp", w, "pc"), td = H.make("td", "", undefined, tr);
			if (live) P.instruction(v, td, -1, pc, 0);
			else H.make("span", "muted", "ended; instructions are under way", td);
			H.make("td", "number", String(v.upTo(pc, v.model.get("warp", w, "have")).length), tr);
			const counters = H.make("td", "", undefined, tr);
			for (let i = 0; i < v.model.json.counters; i++) {
				const value = v.model.get("warp", w, "counter", i);
				if (value) H.make("span", "tiny", i + 1 + ":" + value, counters).title = "fence counter " + (i + 1) + " is " + value;
			}
		}
		if (!rows.children.length) nothing(body, "No warp is here.");
	};

	/* -- a warp ------------------------------------------------------------------------------------------------------------------------ */
	P.counters = function (v, parent) {
		const m = v.model, w = v.warp(v.slot);
		const body = P.section(parent, "counters", "Fence counters of " + P.slotName(v.slot), "they count " + m.json.counter_unit + "; below each the wait counter: secondaries in queues");
		const box = H.make("div", "counters", undefined, body), outstanding = m.get("warp", w, "outstanding"), full = m.get("warp", w, "full");
		for (let i = 0; i < m.json.counters; i++) {
			const e = H.make("div", "counter", undefined, box);
			if (Math.floor(outstanding / 2 ** i) % 2) e.classList.add("up");
			if (Math.floor(full / 2 ** i) % 2) e.classList.add("full");
			H.make("span", "name", String(i + 1), e);
			P.value(v, e, "warp", w, "counter", i, undefined, "big");
			P.value(v, e, "warp", w, "waiting", i, undefined, "small");
		}
		const watch = m.get("warp", w, "watch");
		if (watch) nothing(body, "De-scheduled: it waits for counter " + bits(watch).map((i) => i + 1).join(", ") + ".");
	};

	P.fetch = function (v, parent) {
		const m = v.model, w = v.warp(v.slot), pc = m.get("warp", w, "pc");
		const body = P.section(parent, "fetch", "Fetch of " + P.slotName(v.slot), "what the scheduler sees of the program, from its PC on");
		const list = v.upTo(pc, m.get("warp", w, "have")), facts = H.make("div", "facts", undefined, body), sent = m.get("warp", w, "sent");
		for (const [name, field] of [["places taken", "buffered"], ["lines on their way", "coming"], ["in the pre-decode buffer", "predecoded"]]) {
			H.make("span", "muted", name, facts);
			P.value(v, facts, "warp", w, field, 0);
		}
		if (!list.length) nothing(body, m.get("warp", w, "live") ? "The buffer is empty." : "The warp has ended.");
		const box = H.make("div", "list", undefined, body);
		list.slice(0, 12).forEach((word, i) => {
			const e = P.instruction(v, box, -1, word, 0, Math.floor(sent / 2 ** i) % 2 ? "sent" : i < m.json.window && m.json.window > 1 ? "candidate" : "");
			if (i === 0) e.classList.add("head");
			if (word === m.get("warp", w, "minrc")) e.classList.add("at-minrc");
		});
		if (list.length > 12) nothing(body, "and " + (list.length - 12) + " more");
	};

	P.flow = function (v, parent) {
		const m = v.model, w = v.warp(v.slot), active = m.get("warp", w, "active"), alive = m.get("warp", w, "alive"), minrc = m.get("warp", w, "minrc");
		const body = P.section(parent, "flow", "Divergence of " + P.slotName(v.slot), "resume counter of each lane; the least of them is MINRC");
		const facts = H.make("div", "facts", undefined, body);
		for (const [name, field] of [["PC", "pc"], ["MINRC", "minrc"]]) {
			H.make("span", "muted", name, facts);
			P.value(v, facts, "warp", w, field, 0, signed(m.get("warp", w, field)));
		}
		H.make("span", "muted", "active lanes", facts);
		H.make("span", "", String(bits(active).length), facts);
		const box = H.make("div", "lane-grid", undefined, body);
		for (let lane = 0; lane < m.json.lanes; lane++) {
			const resume = m.get("warp", w, "resume", lane), on = Math.floor(active / 2 ** lane) % 2;
			const e = H.make("div", "lane " + (on ? "on" : Math.floor(alive / 2 ** lane) % 2 ? "off" : "gone"), undefined, box);
			if (resume >= 0 && resume === minrc) e.classList.add("least");
			H.make("span", "name", String(lane), e);
			P.value(v, e, "warp", w, "resume", lane, resume < 0 ? "" : "L" + resume);
			e.title = "lane " + lane + (on ? " runs" : resume < 0 ? " has ended, or waits for a caller" : " waits until the PC is L" + resume);
		}
		const depth = m.get("warp", w, "depth");
		if (!depth) return;
		const table = H.make("table", "calls", undefined, body), head = H.make("tr", "", undefined, table);
		for (const name of ["caller", "its MINRC", "goes on at"]) H.make("th", "", name, head);
		for (let i = 0; i < Math.min(depth, 8); i++) {
			const tr = H.make("tr", "", undefined, table);
			H.make("td", "", i ? i + 1 + " calls up" : "1 call up", tr);
			P.value(v, H.make("td", "", undefined, tr), "warp", w, "minima", i, signed(m.get("warp", w, "minima", i)));
			P.value(v, H.make("td", "", undefined, tr), "warp", w, "back", i, signed(m.get("warp", w, "back", i)));
		}
	};

	/* -- queues and pipes -------------------------------------------------------------------------------------------------------------- */
	const names = (mask) => (bits(mask).length ? bits(mask).map((i) => i + 1).join(", ") : "none");
	function waiting(m, group, i) {
		const wait = m.get(group, i, "wait"), held = m.get(group, i, "held");
		return wait ? "waits for counter " + names(wait) + (held ? ", outstanding: " + names(held) : ", all clear") : "";
	}
	function sentSlot(v, warp) {
		return warp % 16;
	}

	function queue(v, parent, pipe) {
		const m = v.model, at = v.scheduler * m.json.pipes.length + pipe, now = m.cycle();
		const fifo = m.get("pipe", at, "fifo"), hazards = m.get("pipe", at, "hazards"), free = m.get("pipe", at, "free");
		const flights = v.flights(pipe), e = H.make("div", "pipe" + (fifo || hazards || flights.length ? "" : " idle"), undefined, parent);
		e.dataset.pipe = m.json.pipes[pipe];
		const head = H.make("div", "pipe-head", undefined, e);
		H.make("b", "", m.json.pipes[pipe].toUpperCase(), head);
		H.make("span", "note", free > now + 1 ? "entry busy until cycle " + H.digits(free) : "entry free", head);
		const lanes = H.make("div", "stages-row", undefined, e);
		const column = (title, used, size, className) => {
			const c = H.make("div", "stage " + className, undefined, lanes);
			H.make("div", "note", title + (size ? " " + used + "/" + size : used ? " " + used : ""), c);
			return c;
		};
		const f = column("FIFO", fifo, m.get("pipe", at, "fifo_size"), "fifo");
		for (let i = 0; i < fifo; i++) {
			const k = at * m.json.sizes.entries + i;
			P.instruction(v, f, sentSlot(v, m.get("entry", k, "warp")), m.get("entry", k, "pc"), m.get("entry", k, "number"), waiting(m, "entry", k));
		}
		const h = column("hazard and information queue", hazards, m.get("pipe", at, "hazard_size"), "hazards");
		for (let i = 0; i < hazards; i++) {
			const k = at * m.json.sizes.hazards + i, spaced = m.get("hazard", k, "spaced"), older = m.get("hazard", k, "older");
			const text = [waiting(m, "hazard", k), spaced > now ? "distance kept until cycle " + H.digits(spaced) : "", older ? "behind an older one of its warp" : "", "here for " + H.cycles(now - m.get("hazard", k, "since"))];
			P.instruction(v, h, sentSlot(v, m.get("hazard", k, "warp")), m.get("hazard", k, "pc"), m.get("hazard", k, "number"), text.filter(Boolean).join("; "));
		}
		const p = column("in the pipe", flights.length, 0, "flights");
		for (const flight of flights.slice(0, MANY)) P.instruction(v, p, flight.warp, flight.pc, flight.number, flight.note);
		if (flights.length > MANY) nothing(p, "and " + (flights.length - MANY) + " that are written later");
		if (m.get("pipe", at, "blocked")) nothing(e, "The head of the FIFO is a hazard, and the hazard queue is full.");
	}

	P.queues = function (v, parent) {
		const body = P.section(parent, "queues", "Queues and pipes", "an instruction goes from left to right");
		const order = v.model.json.pipes.map((_, i) => i), idle = [];
		for (const pipe of order) {
			const at = v.scheduler * order.length + pipe;
			if (v.model.get("pipe", at, "fifo") || v.model.get("pipe", at, "hazards") || v.flights(pipe).length) queue(v, body, pipe);
			else idle.push(v.model.json.pipes[pipe].toUpperCase());
		}
		if (idle.length) nothing(body, "Empty: " + idle.join(", ") + ".");
	};

	/* -- operands and results ----------------------------------------------------------------------------------------------------------- */
	const registers = (reg, words) => "r" + reg + (words > 1 ? ":r" + (reg + words - 1) : "");

	P.operands = function (v, parent) {
		const m = v.model, each = m.groups.read.count / v.schedulers, list = [];
		for (let i = v.scheduler * each; i < (v.scheduler + 1) * each && m.get("read", i, "number"); i++) list.push(i);
		const body = P.section(parent, "operands", "Operands read in this cycle", "forwarding paths, compensation registers, register file");
		if (!list.length) return nothing(body, "None.");
		const table = H.make("table", "operands", undefined, H.make("div", "scroll", undefined, body));
		for (const i of list) {
			const tr = H.make("tr", "", undefined, table), place = m.get("read", i, "place");
			P.instruction(v, H.make("td", "", undefined, tr), m.get("read", i, "warp"), m.get("read", i, "pc"), m.get("read", i, "number"));
			H.make("td", "mono", "abc"[m.get("read", i, "operand")] + " = " + registers(m.get("read", i, "reg"), m.get("read", i, "words")), tr);
			P.value(v, H.make("td", "", undefined, tr), "read", i, "place", 0, m.json.places[place], place === 4 ? "" : "path");
			H.make("td", "note", m.get("read", i, "last") ? "last use" : "", tr);
		}
	};

	P.results = function (v, parent) {
		const m = v.model, body = P.section(parent, "results", "Results and write-back", "where values are between pipe and register file; the file's ports");
		const each = m.groups.result.count / v.schedulers, rows = [];
		for (let i = v.scheduler * each; i < (v.scheduler + 1) * each; i++) {
			if (m.get("result", i, "number")) rows.push([m.get("result", i, "place"), "result", i]);
		}
		for (let i = v.scheduler * m.json.sizes.buffers; i < (v.scheduler + 1) * m.json.sizes.buffers; i++) {
			if (m.get("buffer", i, "number")) rows.push([m.get("buffer", i, "last") ? 2 : 3.5, "buffer", i]);
		}
		rows.sort((a, b) => a[0] - b[0]);
		const box = H.make("div", "chips", undefined, body);
		for (const [place, group, i] of rows.slice(0, 40)) {
			const e = H.make("span", "result", undefined, box), words = group === "result" ? m.get("result", i, "words") : 1;
			e.dataset.number = m.get(group, i, "number");
			H.make("b", "", P.slotName(m.get(group, i, "warp")), e);
			H.make("span", "mono", registers(m.get(group, i, "reg"), words), e);
			H.make("span", "note", place === 3.5 ? "operand buffer" : m.json.places[place], e);
		}
		if (!rows.length) nothing(body, "No result is between a pipe and the register file.");
		const ports = H.make("table", "ports", undefined, H.make("div", "scroll", undefined, body)), banks = m.json.sizes.banks;
		const head = H.make("tr", "", undefined, ports);
		H.make("th", "", "bank", head);
		for (let b = 0; b < banks; b++) H.make("th", "", String(b), head);
		for (const field of ["reads", "writes"]) {
			const tr = H.make("tr", "", undefined, ports);
			H.make("th", "", field, tr);
			for (let b = 0; b < banks; b++) P.value(v, H.make("td", "", undefined, tr), "port", v.scheduler * banks + b, field, 0);
		}
		const free = m.get("scheduler", v.scheduler, "ports_free");
		if (free > m.cycle()) nothing(body, "No instruction enters a pipe before cycle " + H.digits(free) + ": the ports serve the excess of a bank.");
	};

	P.replays = function (v, parent) {
		const m = v.model, each = m.json.sizes.replays, list = [];
		for (let i = v.scheduler * each; i < (v.scheduler + 1) * each; i++) if (m.get("replay", i, "number")) list.push(i);
		if (!list.length) return;
		const body = P.section(parent, "replays", "Replay buffer", "instructions that a unit refused");
		for (const i of list) P.instruction(v, body, m.get("replay", i, "warp"), m.get("replay", i, "pc"), m.get("replay", i, "number"), m.get("replay", i, "times") ? "issues again from cycle " + H.digits(m.get("replay", i, "ready")) : "its replays are in the pipe");
	};
})();
