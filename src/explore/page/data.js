/* The blocks of the page. */
(function () {
	H.runs = [];

	async function inflate(element) {
		const text = atob(element.textContent);
		const bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}
	const json = async (element) => JSON.parse(new TextDecoder().decode(await inflate(element)));

	async function openRun(element, number) {
		const blocks = [...element.querySelectorAll("script.block")];
		const run = { number, index: await json(blocks[blocks.length - 1]) };
		run.block = (i) => inflate(blocks[i]);
		run.blocksOf = function (kind, first = 0, last = Infinity) {
			const found = [];
			run.index.blocks.forEach((row, i) => row[0] === kind && row[1] <= last && row[2] >= first && found.push(i));
			return found;
		};
		return run;
	}

	H.open = async function () {
		H.runs = await Promise.all([...document.querySelectorAll("div.run")].map(openRun));
		H.emit("ready");
	};
})();
