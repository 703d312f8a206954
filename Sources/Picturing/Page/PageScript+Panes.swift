extension PageScript {
  /// Canvases and what all of them show: rows, names, ticks, folds.
  static let panes = #"""
    // ---- Canvases

    let colours = {};
    function readColours() {
      const style = getComputedStyle(document.documentElement);
      for (const name of ["paper", "panel", "raised", "ink", "muted", "line", "lane", "accent", "message",
        "known", "stale", "missing", "differs", "good", "bad", "found", "changed", "asked"]) {
        colours[name] = style.getPropertyValue("--" + name).trim();
      }
      if (isPrinting) colours.panel = colours.paper;
    }
    const sansFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

    // Makes a canvas as large as its box, sharp on every screen; returns what to draw with.
    function prepared(canvas, width, height) {
      const scale = devicePixelRatio || 1;
      if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.width = width + "px";
        canvas.style.height = height + "px";
      }
      const context = canvas.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, width, height);
      context.direction = "ltr";
      context.textBaseline = "middle";
      return context;
    }

    // Text that fits a width: its end is left out where it does not.
    function fitted(context, text, width) {
      if (text.length > 200) text = text.slice(0, 200) + "…";
      if (context.measureText(text).width <= width) return text;
      let [low, high] = [0, text.length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle; else high = middle - 1;
      }
      return low === 0 ? "" : text.slice(0, low) + "…";
    }

    // A pane: rows below each other on one axis, in a box that scrolls where they do not fit.
    function makePane(label, rowCount, rowHeight, headHeight) {
      const box = element("div", "pane");
      const canvas = element("canvas");
      const rest = element("div", "rest");
      canvas.tabIndex = 0;
      canvas.setAttribute("role", "application");
      canvas.setAttribute("aria-label", label);
      box.append(canvas, rest);
      const pane = { box, canvas, rest, rowCount, rowHeight, headHeight, width: 0, height: 0, top: 0, context: null };
      box.addEventListener("scroll", redraw);
      return pane;
    }
    function layPane(pane, isPrinted) {
      const content = pane.headHeight + pane.rowCount * pane.rowHeight + 6;
      const most = isPrinted ? content : Math.max(140, innerHeight * (pane === lanePane ? 0.62 : 0.38));
      pane.width = isPrinted ? 1040 : pane.box.clientWidth;
      pane.height = Math.min(content, most);
      pane.rest.style.height = Math.max(0, content - pane.height) + "px";
      pane.top = isPrinted ? 0 : pane.box.scrollTop;
      pane.context = prepared(pane.canvas, pane.width, pane.height);
    }
    function areaWidth(pane) { return Math.max(40, pane.width - gutter() - endMargin); }
    function xOf(pane, place) { return gutter() + (place - view.from) / (view.to - view.from) * areaWidth(pane); }
    function placeAt(pane, x) { return view.from + (x - gutter()) / areaWidth(pane) * (view.to - view.from); }
    function yOf(pane, row) { return pane.headHeight + (row + 0.5) * pane.rowHeight - pane.top; }

    // Folds as bands behind everything; in the head, where there is room, how long what they leave out is.
    function eachFold(pane, body) {
      for (let fold = Math.max(0, foldBefore(view.from, true)); fold < axis.from.length; fold++) {
        const begin = axis.from[fold] - axis.cut[fold];
        if (begin > view.to) break;
        const from = Math.max(gutter(), xOf(pane, begin));
        const to = Math.min(pane.width - endMargin, xOf(pane, begin + picture.fold));
        if (to - from >= 1.5) body(from, to, axis.to[fold] - axis.from[fold]);
      }
    }
    function drawFolds(pane) {
      const context = pane.context;
      context.fillStyle = colours.line;
      context.globalAlpha = 0.4;
      eachFold(pane, (from, to) => context.fillRect(from, 0, to - from, pane.height));
      context.globalAlpha = 1;
    }
    function drawFoldTexts(pane) {
      const context = pane.context;
      context.font = "10.5px " + sansFont;
      context.fillStyle = colours.muted;
      context.strokeStyle = colours.muted;
      context.lineWidth = 1;
      eachFold(pane, (from, to, left) => {
        const middle = (from + to) / 2;
        for (const text of ["quiet for " + durationText(left), durationText(left)]) {
          const width = context.measureText(text).width;
          if (width + 10 <= to - from) return context.fillText(text, middle - width / 2, pane.headHeight - 5);
        }
        if (to - from < 7) return;
        // Two short strokes that lean: the axis is broken here.
        context.beginPath();
        for (const shift of [-2.5, 1.5]) {
          context.moveTo(middle + shift - 1.5, pane.headHeight - 1);
          context.lineTo(middle + shift + 2.5, pane.headHeight - 9);
        }
        context.stroke();
      });
    }
    function drawTicks(pane) {
      const context = pane.context;
      context.font = "11px " + sansFont;
      const pixels = areaWidth(pane) / (view.to - view.from);
      let end = gutter() - 20;
      for (const [place, text] of ticks(pixels)) {
        const x = xOf(pane, place);
        if (x < gutter() - 1 || x > pane.width - endMargin + 1) continue;
        context.strokeStyle = colours.line;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(Math.round(x) + 0.5, pane.headHeight > 12 ? pane.headHeight - 6 : 0);
        context.lineTo(Math.round(x) + 0.5, pane.height);
        context.stroke();
        if (pane.headHeight <= 12) continue;
        const width = context.measureText(text).width;
        const left = Math.min(Math.max(x - width / 2, gutter() - 10), pane.width - width - 4);
        if (left < end + 12) continue;
        context.fillStyle = colours.muted;
        context.fillText(text, left, pane.headHeight - 17);
        end = left + width;
      }
    }
    function drawNames(pane, nameOf, isStrong) {
      const context = pane.context;
      const [first, last] = rowsInView(pane);
      context.fillStyle = colours.panel;
      context.fillRect(0, pane.headHeight, gutter() - 6, pane.height);
      for (let row = first; row < last; row++) {
        const [name, detail] = nameOf(row);
        const y = yOf(pane, row);
        const isTall = pane.rowHeight >= 40 && detail !== "";
        context.fillStyle = colours.ink;
        context.font = (isStrong(row) ? "650 " : "500 ") + "12.5px " + sansFont;
        context.fillText(fitted(context, name, gutter() - 24), 14, isTall ? y - 7 : y);
        if (isTall) {
          context.fillStyle = colours.muted;
          context.font = "11px " + sansFont;
          context.fillText(fitted(context, detail, gutter() - 24), 14, y + 9);
        }
      }
    }
    function rowsInView(pane) {
      const first = Math.max(0, Math.floor((pane.top) / pane.rowHeight));
      return [first, Math.min(pane.rowCount, Math.ceil((pane.top + pane.height) / pane.rowHeight) + 1)];
    }
    """#
}
