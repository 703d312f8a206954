extension PageScript {
  /// The space-time diagram.
  static let lanes = #"""
    // ---- The space-time diagram

    const laneHeight = laneCount <= 10 ? 52 : laneCount <= 24 ? 40 : 30;
    const lanePane = makePane("Space-time diagram. Arrow keys move from mark to mark, c and e to cause and effect.",
      laneCount, laneHeight, 34);
    // What was drawn last, for the pointer: arrows with their marks.
    let drawnArrows = [];
    let selected = -1;
    let chain = null;
    let matches = null;

    function levelOf(kind) {
      const shift = Math.min(14, lanePane.rowHeight * 0.28);
      return isReport[kind] ? -shift : isBelow[kind] ? shift : 0;
    }
    function markX(index) { return xOf(lanePane, places[index]); }
    function markY(index) { return yOf(lanePane, lanes[index]) + levelOf(kinds[index]); }

    function colourOf(kind) {
      switch (kindNames[kind]) {
        case "found": return colours.found;
        case "changed": return colours.changed;
        case "lost": case "refused": case "fault": return colours.bad;
        case "report": return colours.known;
        case "asked": return colours.asked;
        case "host": case "note": return colours.muted;
        default: return colours.message;
      }
    }

    // The sign of each kind differs in shape as well, for those who see no difference in colour.
    const outlines = {
      found: [[0, -1.1], [1, 0.8], [-1, 0.8]],
      lost: [[0, 1.1], [1, -0.8], [-1, -0.8]],
      changed: [[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]],
      asked: [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
      fault: [[-0.3, -1.3], [0.9, -1.3], [0.2, -0.2], [0.9, -0.2], [-0.7, 1.4], [-0.2, 0.3], [-0.9, 0.3]],
      host: [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]],
      report: [[-0.7, -0.7], [0.7, -0.7], [0.7, 0.7], [-0.7, 0.7]],
      aimed: [[0, -0.9], [0.9, 0], [0, 0.9], [-0.9, 0]],
    };
    outlines.note = outlines.host;
    const hollow = ["report", "aimed", "heard"];

    function drawSign(context, kind, x, y, size) {
      const name = kindNames[kind];
      context.fillStyle = hollow.includes(name) ? colours.panel : colourOf(kind);
      context.strokeStyle = colourOf(kind);
      context.lineWidth = 1.6;
      context.beginPath();
      if (name === "refused") {
        context.moveTo(x - size * 0.8, y - size * 0.8);
        context.lineTo(x + size * 0.8, y + size * 0.8);
        context.moveTo(x + size * 0.8, y - size * 0.8);
        context.lineTo(x - size * 0.8, y + size * 0.8);
        context.lineWidth = 2.2;
        return context.stroke();
      }
      if (outlines[name]) {
        for (const [dx, dy] of outlines[name]) context.lineTo(x + dx * size, y + dy * size);
        context.closePath();
      } else {
        context.arc(x, y, size * 0.7, 0, 7);
      }
      context.fill();
      if (hollow.includes(name)) context.stroke();
    }

    function drawArrow(context, x1, y1, x2, y2) {
      const [dx, dy] = [x2 - x1, y2 - y1];
      const length = Math.hypot(dx, dy);
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
      if (length < 14) return;
      const [ux, uy] = [dx / length, dy / length];
      const [px, py] = [x2 - ux * 4.5, y2 - uy * 4.5];
      context.beginPath();
      context.moveTo(px, py);
      context.lineTo(px - ux * 7 - uy * 3.2, py - uy * 7 + ux * 3.2);
      context.lineTo(px - ux * 7 + uy * 3.2, py - uy * 7 - ux * 3.2);
      context.fill();
    }
    // What did not arrive ends on its way, in a cross.
    function drawLost(context, x, y1, y2) {
      const end = y1 + (y2 - y1) * 0.62;
      const shift = Math.min(10, Math.abs(y2 - y1) * 0.12);
      context.setLineDash([4, 3]);
      context.beginPath();
      context.moveTo(x, y1);
      context.lineTo(x + shift, end);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.moveTo(x + shift - 3.5, end - 3.5); context.lineTo(x + shift + 3.5, end + 3.5);
      context.moveTo(x + shift + 3.5, end - 3.5); context.lineTo(x + shift - 3.5, end + 3.5);
      context.stroke();
      return [x + shift, end];
    }

    function drawLanes() {
      const pane = lanePane;
      const context = pane.context;
      drawFolds(pane);
      drawTicks(pane);
      const [firstRow, lastRow] = rowsInView(pane);
      for (let row = firstRow; row < lastRow; row++) {
        context.strokeStyle = colours.lane;
        context.lineWidth = 1;
        const y = Math.round(yOf(pane, row)) + 0.5;
        context.beginPath();
        context.moveTo(gutter(), y);
        context.lineTo(pane.width - endMargin, y);
        context.stroke();
      }
      const from = firstAt(timeOf(view.from) - 1);
      const to = firstAt(timeOf(view.to) + 1);
      const lastArrow = firstAt(timeOf(view.to) + longestFlight + 1);
      const visibleCount = to - from;
      context.save();
      context.beginPath();
      context.rect(gutter() - 6, pane.headHeight - 6, pane.width - gutter() + 6, pane.height);
      context.clip();
      if (visibleCount > denseCount) drawDensity(context, from, to);
      drawArrows(context, from, lastArrow, visibleCount);
      drawMarks(context, from, to, visibleCount);
      drawLabels(context, from, to, visibleCount);
      context.restore();
      context.fillStyle = colours.panel;
      context.fillRect(0, 0, pane.width, 8);
      drawFoldTexts(pane);
      const isEngine = (row) => picture.lanes[row][1] === "engine";
      drawNames(pane, (row) => [picture.lanes[row][0], picture.lanes[row][2]], isEngine);
    }

    // Where thousands are in view, what would be drawn twice at one place is drawn once.
    function drawArrows(context, from, to, visibleCount) {
      drawnArrows = [];
      const seen = visibleCount > 1500 ? new Set() : null;
      const dense = visibleCount > denseCount;
      for (const pass of chain ? ["others", "chain"] : ["others"]) {
        for (let index = from; index < to; index++) {
          if (isArrow(index)) {
            const cause = causes[index];
            const isChained = chain !== null && chain.has(index) && chain.has(cause);
            if ((pass === "chain") !== isChained || (dense && !isChained)) continue;
            const [x1, x2] = [markX(cause), markX(index)];
            const [y1, y2] = [markY(cause), markY(index)];
            if (x2 < gutter() - 20 || x1 > lanePane.width + 20) continue;
            if (seen && pass === "others") {
              const start = Math.round(x1) * laneCount + lanes[cause];
              const key = (start * 8192 + Math.round(x2)) * laneCount + lanes[index];
              if (seen.has(key)) continue;
              seen.add(key);
            }
            const isRefused = kinds[index] === kindOf.refused;
            const colour = isChained ? colours.accent : isRefused ? colours.bad : colours.message;
            context.strokeStyle = colour;
            context.fillStyle = colour;
            context.globalAlpha = isChained ? 1 : (chain ? 0.16 : visibleCount > 1500 ? 0.35 : 0.62);
            context.lineWidth = isChained ? 2.2 : 1.1;
            drawArrow(context, x1, y1, x2, y2);
            if (drawnArrows.length < 6000) drawnArrows.push([x1, y1, x2, y2, index]);
          }
          if (pass === "others") drawLosses(context, index, seen, dense);
        }
      }
      context.globalAlpha = 1;
    }
    function drawLosses(context, index, seen, dense) {
      for (const lane of lossesOf(index)) {
        const x = markX(index);
        if (x < gutter() - 20 || x > lanePane.width + 20) continue;
        if (seen) {
          const key = -((Math.round(x) * laneCount + lanes[index]) * laneCount + lane + 1);
          if (seen.has(key)) continue;
          seen.add(key);
        }
        context.strokeStyle = colours.bad;
        context.globalAlpha = chain && !chain.has(index) ? 0.2 : dense ? 0.55 : 0.95;
        context.lineWidth = 1.4;
        const [y1, y2] = [markY(index), yOf(lanePane, lane)];
        const [endX, endY] = drawLost(context, x, y1, y2);
        if (drawnArrows.length < 6000) drawnArrows.push([x, y1, endX, endY, index, lane]);
      }
    }

    // With so many marks in view, messages are shown as how many there are, and arrows when one looks closer.
    const denseCount = 6000;
    function drawDensity(context, from, to) {
      const width = Math.max(1, Math.ceil(lanePane.width));
      const counts = new Uint32Array(width * laneCount);
      let most = 1;
      for (let index = from; index < to; index++) {
        const x = Math.round(markX(index));
        if (!isMessage[kinds[index]] || x < 0 || x >= width) continue;
        most = Math.max(most, ++counts[lanes[index] * width + x]);
      }
      context.fillStyle = colours.message;
      context.globalAlpha = chain || matches ? 0.3 : 0.8;
      const [firstRow, lastRow] = rowsInView(lanePane);
      for (let row = firstRow; row < lastRow; row++) {
        const y = yOf(lanePane, row);
        for (let x = 0; x < width; x++) {
          const count = counts[row * width + x];
          if (count === 0) continue;
          const half = 1 + Math.log1p(count) / Math.log1p(most) * lanePane.rowHeight * 0.2;
          context.fillRect(x, y - half, 1, half * 2);
        }
      }
      context.globalAlpha = 1;
    }

    function drawMarks(context, from, to, visibleCount) {
      const dense = visibleCount > denseCount;
      const seen = visibleCount > 1500 ? new Set() : null;
      const size = lanePane.rowHeight < 36 ? 4 : 5;
      for (let index = from; index < to; index++) {
        const [x, y] = [markX(index), markY(index)];
        if (y < lanePane.headHeight - 20 || y > lanePane.height + 20) continue;
        const isChained = chain !== null && chain.has(index);
        const isMatch = matches !== null && matches[saidOf[index]];
        if (dense && isMessage[kinds[index]] && !isChained && !isMatch) continue;
        if (seen && !isChained && !isMatch) {
          const key = (Math.round(x) * laneCount + lanes[index]) * 16 + kinds[index];
          if (seen.has(key)) continue;
          seen.add(key);
        }
        if (isMatch) {
          context.globalAlpha = 0.9;
          context.strokeStyle = colours.stale;
          context.lineWidth = 2.5;
          context.beginPath();
          context.arc(x, y, size + 4, 0, 7);
          context.stroke();
        }
        context.globalAlpha = (chain && !isChained) || (matches && !isMatch) ? 0.28 : 1;
        drawSign(context, kinds[index], x, y, size);
      }
      context.globalAlpha = 1;
      if (selected >= 0) {
        const [x, y] = [markX(selected), markY(selected)];
        context.strokeStyle = colours.accent;
        context.lineWidth = 2.5;
        context.beginPath();
        context.arc(x, y, size + 5, 0, 7);
        context.stroke();
      }
    }

    // Words beside marks, where there is room for them: reports first, then what was asked, then messages.
    function drawLabels(context, from, to, visibleCount) {
      if (visibleCount > 2500) return;
      context.font = "11px " + sansFont;
      const taken = new Map();
      const isQuiet = (index) => kinds[index] === kindOf.host || kinds[index] === kindOf.note;
      const ranks = [
        (index) => isReport[kinds[index]], (index) => isBelow[kinds[index]] && !isQuiet(index),
        (index) => kinds[index] === kindOf.sent, isQuiet,
      ];
      // What a host's system says is the least that one looks for, and its words would stand before arrows.
      if (visibleCount > 40) ranks.pop();
      for (const belongs of ranks) {
        for (let index = from; index < to; index++) {
          if (!belongs(index)) continue;
          const [x, y] = [markX(index), markY(index)];
          if (y < lanePane.headHeight - 6 || y > lanePane.height + 6) continue;
          const isSent = kinds[index] === kindOf.sent;
          const row = lanes[index] * 3 + (isReport[kinds[index]] ? 0 : isSent ? 1 : 2);
          const text = fitted(context, shortText(index), 190);
          const [clusterEnd, next] = neighbours(index, to, row);
          const left = clusterEnd + (index === selected ? 13 : 8);
          const right = left + context.measureText(text).width;
          const list = taken.get(row) || [];
          taken.set(row, list);
          // The place of the sign belongs to it, whether there is room for words or not.
          const isFree = !list.some(([start, end]) => left < end + 8 && right + 8 > start);
          if (!isFree || text === "" || right > lanePane.width - 4) { list.push([x - 5, x + 5]); continue; }
          if (next < right + 6) { list.push([x - 5, x + 5]); continue; }
          list.push([x - 5, right]);
          const height = isSent ? y - 8 : y;
          context.globalAlpha = 0.8;
          context.fillStyle = colours.panel;
          context.fillRect(left - 2, height - 7, right - left + 4, 14);
          context.globalAlpha = chain && !chain.has(index) ? 0.3 : 1;
          context.fillStyle = isReport[kinds[index]] ? colours.ink : colours.muted;
          context.fillText(text, left, height);
        }
      }
      context.globalAlpha = 1;
    }
    // Where the signs end that stand close together with this one, and where the next one of the same row is.
    function neighbours(index, to, row) {
      let end = markX(index);
      for (let next = index + 1; next < to && next < index + 200; next++) {
        if (lanes[next] !== lanes[index]) continue;
        const kind = kinds[next];
        if (lanes[next] * 3 + (isReport[kind] ? 0 : isBelow[kind] ? 2 : 1) !== row) continue;
        const x = markX(next);
        if (x > end + 7) return [end, x - 5];
        end = x;
      }
      return [end, Infinity];
    }
    """#
}
