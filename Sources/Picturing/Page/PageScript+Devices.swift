extension PageScript {
  /// Devices over time, and everything at a glance.
  static let devices = #"""
    // ---- Devices over time

    const devices = picture.devices;
    const devicePane = makePane("Devices over time. Arrow keys move from change to change.", devices.length, 30, 8);
    const stateNames = picture.states;
    const stateWords = {
      known: "known", stale: "stale: it is gone, and still reported", missing: "missing: it is there, and not reported",
      differs: "on this side only",
    };

    function hatch(context, colour, isCrossed) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = 8;
      const brush = tile.getContext("2d");
      brush.strokeStyle = colour;
      brush.lineWidth = 1.6;
      brush.beginPath();
      for (const shift of [-8, 0, 8]) { brush.moveTo(shift, 8); brush.lineTo(shift + 8, 0); }
      if (isCrossed) for (const shift of [-8, 0, 8]) { brush.moveTo(shift, 0); brush.lineTo(shift + 8, 8); }
      brush.stroke();
      return context.createPattern(tile, "repeat");
    }

    function drawBar(context, state, x, y, width, height) {
      const colour = colours[state] || colours.known;
      context.fillStyle = colour;
      context.globalAlpha = state === "known" ? 0.85 : 0.22;
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
      if (state === "known") return;
      context.fillStyle = hatch(context, colour, state === "missing");
      context.fillRect(x, y, width, height);
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.strokeRect(x + 0.75, y + 0.75, Math.max(0, width - 1.5), height - 1.5);
    }

    function drawDevices() {
      const pane = devicePane;
      const context = pane.context;
      drawFolds(pane);
      drawTicks(pane);
      const [firstRow, lastRow] = rowsInView(pane);
      context.save();
      context.beginPath();
      context.rect(gutter(), 0, pane.width - gutter() - endMargin, pane.height);
      context.clip();
      for (let row = firstRow; row < lastRow; row++) {
        const y = yOf(pane, row);
        context.strokeStyle = colours.lane;
        context.setLineDash([1, 4]);
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(gutter(), Math.round(y) + 0.5);
        context.lineTo(pane.width - endMargin, Math.round(y) + 0.5);
        context.stroke();
        context.setLineDash([]);
        for (const [from, to, state] of devices[row][2]) {
          const [left, right] = [xOf(pane, placeOf(from)), xOf(pane, placeOf(to))];
          if (right < gutter() || left > pane.width) continue;
          const [x, end] = [Math.max(left, gutter() - 4), Math.min(right, pane.width)];
          const width = Math.max(2, end - x);
          const name = stateNames[state];
          drawBar(context, name, x, y - 8, width, 16);
          const text = name + (name === "known" ? "" : " " + durationText(to - from));
          context.font = "600 11px " + sansFont;
          if (context.measureText(text).width + 14 < width) {
            const wide = context.measureText(text).width;
            if (name !== "known") {
              context.fillStyle = colours.panel;
              context.globalAlpha = 0.85;
              context.fillRect(x + 4, y - 6.5, wide + 6, 13);
              context.globalAlpha = 1;
            }
            context.fillStyle = name === "known" ? colours.paper : colours.ink;
            context.fillText(text, x + 7, y + 0.5);
          }
        }
      }
      context.restore();
      if (selected >= 0) {
        const x = markX(selected);
        if (x >= gutter() && x <= pane.width) {
          context.strokeStyle = colours.accent;
          context.lineWidth = 1.2;
          context.beginPath();
          context.moveTo(x, 0);
          context.lineTo(x, pane.height);
          context.stroke();
        }
      }
      drawNames(pane, (row) => [devices[row][0], devices[row][1]], () => false);
    }
    function spanAt(x, y) {
      const row = Math.floor((y + devicePane.top - devicePane.headHeight) / devicePane.rowHeight);
      if (row < 0 || row >= devices.length || x < gutter()) return null;
      const time = timeOf(placeAt(devicePane, x));
      const near = Math.abs(timeOf(placeAt(devicePane, x + 3)) - time);
      const span = devices[row][2].find(([from, to]) => time >= from - near && time <= to + near);
      return { row, span, time };
    }

    // ---- The whole at a glance

    const overview = element("canvas");
    overview.id = "overview";
    overview.setAttribute("aria-hidden", "true");
    let counted = { width: 0, isFolded: null, columns: null, most: 1 };

    function drawOverview() {
      const width = lanePane.width;
      const height = 48;
      const context = prepared(overview, width, height);
      const [left, area] = [gutter(), areaWidth(lanePane)];
      const columnCount = Math.max(1, Math.floor(area / 2));
      if (counted.width !== columnCount || counted.isFolded !== axis.isFolded) {
        const columns = new Int32Array(columnCount);
        for (let index = 0; index < markCount; index++) {
          const column = Math.floor(places[index] / axis.total * columnCount);
          columns[Math.min(columnCount - 1, Math.max(0, column))]++;
        }
        const most = columns.reduce((a, b) => Math.max(a, b), 1);
        counted = { width: columnCount, isFolded: axis.isFolded, columns, most };
      }
      context.fillStyle = colours.message;
      context.globalAlpha = 0.7;
      for (let column = 0; column < columnCount; column++) {
        const count = counted.columns[column];
        if (count === 0) continue;
        const tall = 3 + Math.log1p(count) / Math.log1p(counted.most) * 25;
        context.fillRect(left + column * 2, 36 - tall, 1.5, tall);
      }
      context.globalAlpha = 1;
      for (const problem of problems) {
        context.fillStyle = colours.bad;
        context.fillRect(left + placeOf(problem.time) / axis.total * area - 1, 38, 2, 6);
      }
      const [from, to] = [left + view.from / axis.total * area, left + view.to / axis.total * area];
      context.fillStyle = colours.accent;
      context.globalAlpha = 0.13;
      context.fillRect(from, 2, Math.max(3, to - from), height - 4);
      context.globalAlpha = 1;
      context.strokeStyle = colours.accent;
      context.lineWidth = 1.5;
      context.strokeRect(from, 2, Math.max(3, to - from), height - 4);
      context.fillStyle = colours.muted;
      context.font = "11px " + sansFont;
      context.fillText(fitted(context, "everything", gutter() - 24), 14, 24);
    }

    let drawRequested = false;
    function redraw() {
      if (drawRequested) return;
      drawRequested = true;
      requestAnimationFrame(drawNow);
    }
    function drawNow() {
      drawRequested = false;
      for (const pane of [lanePane, devicePane]) layPane(pane, isPrinting);
      drawOverview();
      drawLanes();
      if (devices.length > 0) drawDevices();
      if (selected >= 0) {
        lanePane.canvas.dataset.x = Math.round(markX(selected));
        lanePane.canvas.dataset.y = Math.round(markY(selected));
      }
    }
    """#
}
