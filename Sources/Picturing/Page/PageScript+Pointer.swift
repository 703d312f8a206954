extension PageScript {
  /// Problems, ways from the tables into the diagram, and the pointer.
  static let pointer = #"""
    // ---- Problems: what a person looks for first

    // The first mark with each number of an entry or frame.
    const markOf = new Map();
    for (let index = markCount - 1; index >= 0; index--) if (numbers[index] > 0) markOf.set(numbers[index], index);

    // A device that is wrong for a shorter time than this is so because messages take their time.
    const noticed = 2e9;
    const problems = [];
    for (let index = 0; index < markCount; index++) {
      const isProblem = lossesOf(index).length > 0 || kinds[index] === kindOf.refused;
      if (isProblem) problems.push({ time: times[index], mark: index });
    }
    devices.forEach(([, , spans], row) => {
      for (const [from, to, state] of spans) {
        if (stateNames[state] !== "known" && to - from >= noticed) problems.push({ time: from, row });
      }
    });
    const jumps = Array.from(document.querySelectorAll(".jump"));
    for (const jump of jumps) {
      if (!jump.classList.contains("problem")) continue;
      const mark = targetOf(jump);
      if (mark >= 0) problems.push({ time: times[mark], mark });
    }
    problems.sort((a, b) => a.time - b.time);
    let problemAt = -1;

    function nearestMark(time) {
      const next = firstAt(time);
      let best = -1;
      for (let index = Math.max(0, next - 200); index < Math.min(markCount, next + 200); index++) {
        const [apart, least] = [Math.abs(times[index] - time), best < 0 ? Infinity : Math.abs(times[best] - time)];
        if (apart < least || (apart === least && isReport[kinds[index]] && !isReport[kinds[best]])) best = index;
      }
      return best;
    }
    function goToProblem(step) {
      if (problems.length === 0) return;
      if (problemAt < 0 && selected >= 0) {
        const behind = problems.findIndex((one) => one.time > times[selected]);
        problemAt = behind < 0 ? problems.length : behind;
        if (step > 0) problemAt--;
      } else if (problemAt < 0 && step < 0) {
        problemAt = 0;
      }
      problemAt = (problemAt + step + problems.length) % problems.length;
      const kept = problemAt;
      const problem = problems[problemAt];
      if (problem.row !== undefined) reveal(devicePane, problem.row);
      closer(problem.time);
      select(problem.mark !== undefined ? problem.mark : nearestMark(problem.time));
      problemAt = kept;
      problemOutput.textContent = (problemAt + 1) + " of " + problems.length;
    }
    // At most some two hundred marks around a time, so that it can be told apart.
    function closer(time) {
      const at = firstAt(time);
      const from = placeOf(times[Math.max(0, at - 60)] || 0);
      const to = placeOf(times[Math.min(markCount - 1, at + 60)] || 0);
      const place = placeOf(time);
      const half = Math.max(place - from, to - place, axis.total / 400, 1000);
      if (view.to - view.from > half * 3) setView(place - half, place + half);
    }

    // ---- From the tables into the diagram

    function targetOf(jump) {
      if (jump.dataset.mark !== undefined) return Number(jump.dataset.mark);
      const known = jump.dataset.number === undefined ? undefined : markOf.get(Number(jump.dataset.number));
      if (known !== undefined) return known;
      return jump.dataset.time === undefined ? -1 : nearestMark(Number(jump.dataset.time));
    }
    for (const jump of jumps) {
      if (targetOf(jump) < 0) continue;
      jump.classList.add("live");
      jump.tabIndex = 0;
      jump.setAttribute("role", "button");
      const go = () => {
        const index = targetOf(jump);
        closer(times[index]);
        select(index);
        document.getElementById("diagram").scrollIntoView({ block: "start" });
        lanePane.canvas.focus({ preventScroll: true });
      };
      jump.addEventListener("click", go);
      jump.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go();
      });
    }

    // ---- The pointer

    function markAt(x, y) {
      const pane = lanePane;
      const [from, to] = [firstAt(timeOf(placeAt(pane, x - 8))), firstAt(timeOf(placeAt(pane, x + 8)) + 1)];
      let [best, nearest] = [-1, 12];
      for (let index = from; index < Math.min(to, from + 20000); index++) {
        const distance = Math.hypot(markX(index) - x, markY(index) - y);
        if (distance < nearest) [best, nearest] = [index, distance];
      }
      if (best >= 0) return { index: best };
      nearest = 5;
      let found = null;
      for (const [x1, y1, x2, y2, index, lane] of drawnArrows) {
        const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
        const share = Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
        const distance = Math.hypot(x1 + share * (x2 - x1) - x, y1 + share * (y2 - y1) - y);
        if (distance < nearest) { nearest = distance; found = { index, lane }; }
      }
      return found;
    }
    function inCanvas(event) {
      const box = event.currentTarget.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    }
    let drag = null;
    for (const pane of [lanePane, devicePane]) {
      const canvas = pane.canvas;
      canvas.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        const [x] = inCanvas(event);
        drag = { x, from: view.from, to: view.to, hasMoved: false };
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        const [x, y] = inCanvas(event);
        if (drag) {
          if (Math.abs(x - drag.x) > 4) drag.hasMoved = true;
          if (!drag.hasMoved) return;
          canvas.classList.add("dragged");
          tip.hidden = true;
          const shift = (drag.x - x) / areaWidth(pane) * (drag.to - drag.from);
          setView(drag.from + shift, drag.to + shift);
          return;
        }
        hover(pane, event, x, y);
      });
      const end = (event) => {
        canvas.classList.remove("dragged");
        const wasDrag = drag && drag.hasMoved;
        drag = null;
        if (event.type !== "pointerup" || wasDrag) return;
        const [x, y] = inCanvas(event);
        if (pane === lanePane) {
          const found = markAt(x, y);
          select(found ? found.index : -1);
        } else {
          const found = spanAt(x, y);
          if (!found || !found.span) return select(-1);
          const [from, to, , first, last] = found.span;
          const isFirst = found.time - from < to - found.time;
          const index = isFirst ? (first >= 0 ? first : last) : (last >= 0 ? last : first);
          select(index >= 0 ? index : nearestMark(isFirst ? from : to));
        }
        problemAt = -1;
      };
      canvas.addEventListener("pointerup", end);
      canvas.addEventListener("pointercancel", end);
      canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
      canvas.addEventListener("dblclick", (event) => zoom(0.4, placeAt(pane, inCanvas(event)[0])));
      canvas.addEventListener("wheel", (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 120), placeAt(pane, inCanvas(event)[0]));
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          event.preventDefault();
          pan((event.deltaX || event.deltaY) / areaWidth(pane));
        }
      }, { passive: false });
    }
    function hover(pane, event, x, y) {
      if (pane === lanePane) {
        const found = x > gutter() - 8 ? markAt(x, y) : null;
        pane.canvas.style.cursor = found ? "pointer" : "";
        if (found) return tipOfMark(event, found.index, found.lane);
        const row = Math.floor((y + pane.top - pane.headHeight) / pane.rowHeight);
        if (x < gutter() - 8 && row >= 0 && row < laneCount) {
          return showTip(event, picture.lanes[row][0], picture.lanes[row][2], []);
        }
      } else {
        const found = spanAt(x, y);
        if (found && found.span) {
          const [from, to, state] = found.span;
          const name = stateNames[state];
          return showTip(event, devices[found.row][0], stateWords[name] || name, [
            ["from", exactTime(from)], ["to", exactTime(to)], ["for", durationText(to - from)],
            ["name", devices[found.row][1]],
          ].filter(([, value]) => value !== ""));
        }
      }
      tip.hidden = true;
    }
    overview.addEventListener("pointerdown", (event) => {
      overview.setPointerCapture(event.pointerId);
      moveOverview(event);
    });
    overview.addEventListener("pointermove", (event) => { if (event.buttons === 1) moveOverview(event); });
    function moveOverview(event) {
      const [x] = inCanvas(event);
      const place = (x - gutter()) / areaWidth(lanePane) * axis.total;
      const width = view.to - view.from;
      if (width > axis.total * 0.9) return setView(place - axis.total / 20, place + axis.total / 20);
      setView(place - width / 2, place + width / 2);
    }
    """#
}
