extension PageScript {
  /// The keyboard, searching, the tools, and the beginning.
  static let keys = #"""
    // ---- The keyboard

    function step(direction) {
      if (markCount === 0) return;
      if (selected < 0) {
        const first = Math.min(markCount - 1, firstAt(timeOf(Math.max(0, view.from))));
        return select(direction > 0 ? first : Math.max(0, firstAt(timeOf(view.to)) - 1));
      }
      for (let index = selected + direction; index >= 0 && index < markCount; index += direction) {
        if (lanes[index] === lanes[selected]) return select(index);
      }
    }
    function changeLane(direction) {
      if (selected < 0) return step(1);
      for (let lane = lanes[selected] + direction; lane >= 0 && lane < laneCount; lane += direction) {
        let [best, distance] = [-1, Infinity];
        for (let index = 0; index < markCount; index++) {
          if (lanes[index] !== lane) continue;
          const apart = Math.abs(times[index] - times[selected]) + Math.abs(index - selected) * 1e-3;
          if (apart < distance) [best, distance] = [index, apart];
        }
        if (best >= 0) return select(best);
      }
    }
    const commands = {
      ArrowLeft: (event) => (event.shiftKey ? pan(-0.2) : step(-1)),
      ArrowRight: (event) => (event.shiftKey ? pan(0.2) : step(1)),
      ArrowUp: () => changeLane(-1), ArrowDown: () => changeLane(1),
      "+": () => zoom(0.6, focusPlace()), "=": () => zoom(0.6, focusPlace()), "-": () => zoom(1 / 0.6, focusPlace()),
      "0": () => fitAll(),
      c: () => { if (selected >= 0 && causes[selected] >= 0) select(causes[selected]); },
      e: () => { if (selected >= 0 && effectsOf(selected).length > 0) select(effectsOf(selected)[0]); },
      n: () => goToProblem(1), p: () => goToProblem(-1),
      f: () => toggleFolds(), t: () => toggleTheme(), "/": () => search.focus(), Escape: () => select(-1),
      Home: () => select(markCount > 0 ? 0 : -1), End: () => select(markCount - 1),
    };
    function focusPlace() { return selected >= 0 ? placeOf(times[selected]) : undefined; }
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target;
      if (target === search) {
        if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
        if (event.key === "Enter") { event.preventDefault(); goToMatch(event.shiftKey ? -1 : 1); }
        return;
      }
      const isArrowKey = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
      // Elsewhere arrow keys scroll the page, as everybody expects.
      if (isArrowKey && target !== lanePane.canvas && target !== devicePane.canvas) return;
      const command = commands[event.key];
      if (!command) return;
      event.preventDefault();
      if (event.key !== "n" && event.key !== "p") problemAt = -1;
      command(event);
    });

    // ---- Searching

    const search = element("input");
    search.type = "search";
    search.placeholder = "search messages";
    search.setAttribute("aria-label", "search messages");
    const searchOutput = element("output");
    const problemOutput = element("output");

    function find() {
      const wanted = search.value.trim().toLowerCase();
      matches = null;
      if (wanted !== "") {
        const isHit = picture.strings.map((text) => text.toLowerCase().includes(wanted));
        matches = picture.said.map((row) => row.some((place) => isHit[place]));
      }
      let count = 0;
      if (matches) for (let index = 0; index < markCount; index++) if (matches[saidOf[index]]) count++;
      searchOutput.textContent = matches ? count + " found" : "";
      redraw();
    }
    function goToMatch(direction) {
      if (!matches) return;
      const start = selected < 0 ? (direction > 0 ? -1 : markCount) : selected;
      for (let round = 1; round <= markCount; round++) {
        const index = (((start + direction * round) % markCount) + markCount) % markCount;
        if (matches[saidOf[index]]) { closer(times[index]); return select(index); }
      }
    }
    search.addEventListener("input", find);

    // ---- The tools above the diagram

    const foldButton = button("fold quiet stretches", "f", () => toggleFolds());
    function toggleFolds() {
      setFolded(!axis.isFolded);
      foldButton.setAttribute("aria-pressed", String(axis.isFolded));
    }

    const legend = element("div", "legend");
    function drawLegend() {
      legend.replaceChildren();
      const used = new Set(kinds);
      const words = { aimed: "sent to it, arrival unknown", asked: "asked of it", host: "its system", note: "other",
        report: "another report" };
      kindNames.forEach((name, kind) => {
        if (used.has(kind)) legend.append(sample(words[name] || name, (context) => drawSign(context, kind, 13, 8, 5)));
      });
      if (picture.lost.length > 0) {
        legend.append(sample("did not arrive", (context) => {
          context.strokeStyle = colours.bad;
          context.lineWidth = 1.4;
          drawLost(context, 10, 0, 16);
        }));
      }
      stateNames.forEach((name, state) => {
        if (devices.some(([, , spans]) => spans.some((span) => span[2] === state))) {
          legend.append(sample(stateWords[name] || name, (context) => drawBar(context, name, 1, 2, 24, 12)));
        }
      });
    }
    function sample(text, draw) {
      const canvas = element("canvas");
      draw(prepared(canvas, 26, 16));
      const made = element("span");
      made.append(canvas, text);
      return made;
    }

    // ---- The beginning

    function start() {
      const section = document.getElementById("diagram");
      const tools = element("div", "tools");
      tools.append(button("−", "wider: -", () => zoom(1 / 0.6, focusPlace())),
        button("+", "closer: +", () => zoom(0.6, focusPlace())), button("everything", "0", () => fitAll()));
      if (picture.folds.length > 0) {
        foldButton.setAttribute("aria-pressed", "true");
        tools.append(foldButton);
      }
      if (problems.length > 0) {
        problemOutput.textContent = problems.length + (problems.length === 1 ? " problem" : " problems");
        tools.append(button("‹", "problem before: p", () => goToProblem(-1)), problemOutput,
          button("›", "next problem: n", () => goToProblem(1)));
      }
      tools.append(element("span", "gap"), search, searchOutput, button("dark / light", "t", () => toggleTheme()));
      const panes = element("div", "panes");
      panes.append(overview, lanePane.box);
      if (devices.length > 0) panes.append(devicePane.box);
      const left = element("div");
      left.append(panes, legend);
      const stage = element("div", "stage");
      stage.append(left, detail);
      section.append(tools, stage);
      section.hidden = false;
      document.body.append(tip);
      readColours();
      layAxis();
      showDetail();
      drawLegend();
      new ResizeObserver(redraw).observe(panes);
      addEventListener("resize", redraw);
      followTheme(() => { readColours(); drawLegend(); drawNow(); });
      fitAll();
    }
    if (markCount > 0 || devices.length > 0) start();
    """#
}
