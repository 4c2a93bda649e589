/* The units of a core in the chosen cycle. */
(function () {
	H.on("cycle", () => {});
})();
