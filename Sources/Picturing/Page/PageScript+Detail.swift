extension PageScript {
  /// The text about a mark: beside the diagram, and at the pointer.
  static let detail = #"""
    // ---- What is told of a mark. Text from anywhere becomes text of the page, never markup.

    function pairs(list, rows) {
      for (const [name, value] of rows) list.append(element("dt", "", name), element("dd", "mono", value));
      return list;
    }

    const kindWords = {
      sent: "sent", heard: "heard", refused: "heard and refused", aimed: "was sent", asked: "was asked",
      host: "its system", note: "note",
      found: "reported", changed: "reported", lost: "reported", report: "reported", fault: "fault",
    };
    function kindWord(index) { return kindWords[kindNames[kinds[index]]] || kindNames[kinds[index]]; }
    function numberText(index) { return numbers[index] > 0 ? picture.unit + " " + numbers[index] : ""; }
    function headline(index) { return laneName(lanes[index]) + ": " + kindWord(index) + " " + shortText(index); }

    const detail = element("aside", "");
    detail.id = "detail";
    detail.setAttribute("aria-live", "polite");

    function showDetail() {
      detail.replaceChildren();
      if (selected < 0) {
        detail.classList.add("empty");
        detail.append(element("h2", "", "Nothing is selected"));
        detail.append(element("p", "note", "Point at a mark or an arrow for its message; click for cause and effect."));
        detail.append(keyList());
        return;
      }
      detail.classList.remove("empty");
      const index = selected;
      detail.append(element("h2", "", shortText(index)));
      const facts = [["host", laneName(lanes[index])], ["what", kindWord(index)], ["time", exactTime(times[index])]];
      const clock = clockText(times[index]);
      if (clock) facts.push(["clock", clock]);
      if (numbers[index] > 0) facts.push([picture.unit, String(numbers[index])]);
      if (isArrow(index)) facts.push(["on its way", durationText(times[index] - times[causes[index]])]);
      detail.append(pairs(element("dl"), facts));
      const fields = fieldsOf(index);
      if (fields.length > 0) {
        detail.append(element("h3", "", "What it says"));
        detail.append(pairs(element("dl"), fields));
      }
      detail.append(element("h3", "", "Because of"));
      const before = [];
      for (let at = causes[index]; at >= 0 && before.length < 12; at = causes[at]) before.push(at);
      detail.append(before.length > 0 ? links(before, before.length)
        : element("p", "note", "nothing that the picture has: its own clock, or what came before"));
      const after = Array.from(effectsOf(index));
      const losses = Array.from(lossesOf(index));
      if (after.length > 0) {
        detail.append(element("h3", "", "Led to"), links(after.slice(0, 40), after.length));
      }
      if (losses.length > 0) {
        detail.append(element("h3", "", "Did not arrive at"));
        detail.append(element("p", "bad", losses.map(laneName).join(", ")));
      }
    }
    function links(list, count) {
      const made = element("ul");
      for (const index of list) {
        const button = element("button", "", headline(index));
        button.type = "button";
        const place = [numberText(index), exactTime(times[index])].filter(Boolean).join(", ");
        button.append(element("small", "", "  " + place));
        button.addEventListener("click", () => select(index));
        const item = element("li");
        item.append(button);
        made.append(item);
      }
      if (count > list.length) made.append(element("li", "note", "and " + (count - list.length) + " more"));
      return made;
    }
    function keyList() {
      const list = element("dl", "keys");
      for (const [key, what] of [
        ["← →", "mark before, mark behind, on this lane"], ["↑ ↓", "lane above, lane below"],
        ["c e", "to the cause, to the first effect"], ["p n", "problem before, problem behind"],
        ["+ − 0", "closer, wider, everything"], ["⇧← ⇧→", "move the view"], ["f", "fold and unfold quiet stretches"],
        ["/", "search"], ["t", "dark and light"], ["Esc", "select nothing"],
      ]) {
        const name = element("dt");
        for (const part of key.split(" ")) name.append(element("kbd", "", part), " ");
        list.append(name, element("dd", "", what));
      }
      return list;
    }

    function select(index) {
      selected = index;
      chain = index >= 0 ? chainOf(index) : null;
      if (index >= 0) {
        show(times[index]);
        reveal(lanePane, lanes[index]);
      } else {
        delete lanePane.canvas.dataset.x;
      }
      showDetail();
      redraw();
    }
    function reveal(pane, row) {
      const y = pane.headHeight + row * pane.rowHeight;
      if (y < pane.box.scrollTop + pane.headHeight) pane.box.scrollTop = y - pane.headHeight;
      if (y + pane.rowHeight > pane.box.scrollTop + pane.height) pane.box.scrollTop = y + pane.rowHeight - pane.height;
    }

    // ---- The tip beside the pointer

    const tip = element("div");
    tip.id = "tip";
    tip.hidden = true;
    tip.setAttribute("role", "tooltip");

    function showTip(event, head, sub, rows) {
      tip.replaceChildren(element("p", "head", head), element("p", "sub", sub));
      if (rows.length > 0) tip.append(pairs(element("dl"), rows.slice(0, 12)));
      if (rows.length > 12) tip.append(element("p", "sub", "and " + (rows.length - 12) + " more lines"));
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - box.width - 12 : event.clientX + 16;
      const top = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18;
      tip.style.left = Math.max(4, left) + "px";
      tip.style.top = Math.max(4, top) + "px";
    }
    function tipOfMark(event, index, lostLane) {
      const who = laneName(lanes[index]);
      let what = kindWord(index) + " by " + who;
      if (lostLane !== undefined) what = "sent by " + who + ", and not heard by " + laneName(lostLane);
      if (isArrow(index)) {
        const sender = laneName(lanes[causes[index]]);
        what = kinds[index] === kindOf.aimed ? sender + " sent it to " + who : what + ", sent by " + sender;
      }
      const parts = [what, numberText(index), exactTime(times[index])];
      showTip(event, shortText(index), parts.filter(Boolean).join(" · "), fieldsOf(index));
    }
    """#
}
