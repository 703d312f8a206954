extension PageScript {
  /// Times to places, folds, what is in view, and what is written on the axis.
  static let axis = #"""
    // ---- The axis: times to places. A quiet stretch that is folded takes as much room as `picture.fold`, however long
    // it is.

    const places = new Float64Array(markCount);
    const axis = { isFolded: picture.folds.length > 0, from: [], to: [], cut: [], total: 0 };

    function layAxis() {
      axis.from = []; axis.to = []; axis.cut = [];
      let cut = 0;
      if (axis.isFolded) {
        for (const [from, to] of picture.folds) {
          axis.from.push(from); axis.to.push(to); axis.cut.push(cut);
          cut += to - from - picture.fold;
        }
      }
      axis.total = Math.max(1, picture.span - cut);
      for (let index = 0; index < markCount; index++) places[index] = placeOf(times[index]);
    }

    // The last fold that begins before a time, or before a place; -1: none does.
    function foldBefore(value, isPlace) {
      let low = 0;
      let high = axis.from.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (axis.from[middle] - (isPlace ? axis.cut[middle] : 0) < value) low = middle + 1; else high = middle;
      }
      return low - 1;
    }
    function placeOf(time) {
      const fold = foldBefore(time, false);
      if (fold < 0) return time;
      const [from, to] = [axis.from[fold], axis.to[fold]];
      if (time >= to) return time - axis.cut[fold] - (to - from - picture.fold);
      return from - axis.cut[fold] + (time - from) / (to - from) * picture.fold;
    }
    function timeOf(place) {
      const fold = foldBefore(place, true);
      if (fold < 0) return place;
      const [from, to] = [axis.from[fold], axis.to[fold]];
      const start = from - axis.cut[fold];
      if (place >= start + picture.fold) return place - start - picture.fold + to;
      return from + (place - start) / picture.fold * (to - from);
    }

    // ---- What is in view

    const view = { from: 0, to: 1 };
    const gutter = () => (innerWidth < 700 ? 96 : 176);
    const endMargin = 18;

    function fitAll() { setView(0, axis.total); }
    function setView(from, to) {
      const least = 2000;
      let width = Math.min(Math.max(to - from, least), axis.total * 1.02);
      let start = from + (to - from - width) / 2;
      start = Math.min(Math.max(start, -axis.total * 0.01), Math.max(axis.total * 1.01 - width, 0));
      view.from = start; view.to = start + width;
      redraw();
    }
    function zoom(factor, place) {
      const middle = place === undefined ? (view.from + view.to) / 2 : place;
      setView(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
    }
    function pan(share) {
      const step = (view.to - view.from) * share;
      setView(view.from + step, view.to + step);
    }
    // Brings a time into view, with something around it where nothing is to be seen otherwise.
    function show(time) {
      const place = placeOf(time);
      const width = view.to - view.from;
      const isInView = place >= view.from + width * 0.04 && place <= view.to - width * 0.04;
      if (!isInView) setView(place - width / 2, place + width / 2);
    }
    function setFolded(isFolded) {
      const [from, to] = [timeOf(view.from), timeOf(view.to)];
      const wasWhole = view.to - view.from >= axis.total * 0.98;
      axis.isFolded = isFolded && picture.folds.length > 0;
      layAxis();
      if (wasWhole) fitAll(); else setView(placeOf(from), placeOf(to));
    }

    // The times that are written on the axis: [place, text].
    function ticks(pixelsPerPlace) {
      const found = [];
      const stretches = [];
      let start = view.from;
      for (let fold = Math.max(0, foldBefore(view.from, true)); fold < axis.from.length; fold++) {
        const begin = axis.from[fold] - axis.cut[fold];
        if (begin > view.to) break;
        if (begin > start) stretches.push([start, begin]);
        start = Math.max(start, begin + picture.fold);
      }
      if (start < view.to) stretches.push([start, view.to]);
      const wanted = 110 / pixelsPerPlace;
      const power = Math.pow(10, Math.floor(Math.log10(wanted)));
      const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= wanted);
      const decimals = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(step))));
      for (const [from, to] of stretches) {
        const [first, last] = [timeOf(from + (to - from) * 1e-9), timeOf(to - (to - from) * 1e-9)];
        let time = Math.ceil(first / step) * step;
        if (time > last) {
          // A short stretch between folds says where it begins, if nothing else does.
          const own = (to - from) * pixelsPerPlace;
          const digits = Math.max(decimals, own < 60 ? 1 : 3);
          found.push([placeOf(first), (first / 1e9).toFixed(digits) + " s"]);
          continue;
        }
        for (; time <= last; time += step) found.push([placeOf(time), (time / 1e9).toFixed(decimals) + " s"]);
      }
      return found;
    }
    """#
}
