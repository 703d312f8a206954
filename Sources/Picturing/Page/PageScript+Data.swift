extension PageScript {
  /// The picture as the page reads it: marks in arrays, and what led to what.
  static let data = #"""
    const picture = JSON.parse(document.getElementById("picture").textContent);
    const laneCount = picture.lanes.length;
    const markCount = picture.marks.length;
    const kindNames = picture.kinds;
    const kindOf = {};
    kindNames.forEach((name, number) => { kindOf[name] = number; });

    // Marks by number, in order of time. The time is in nanoseconds since the start of the picture.
    const times = new Float64Array(markCount);
    const lanes = new Int32Array(markCount);
    const kinds = new Uint8Array(markCount);
    const numbers = new Float64Array(markCount);
    const saidOf = new Int32Array(markCount);
    const causes = new Int32Array(markCount);
    let longestFlight = 0;
    {
      let time = 0;
      picture.marks.forEach((row, index) => {
        time += row[0];
        times[index] = time;
        [lanes[index], kinds[index], numbers[index], saidOf[index], causes[index]] = row.slice(1);
      });
      for (let index = 0; index < markCount; index++) {
        if (isArrow(index)) longestFlight = Math.max(longestFlight, times[index] - times[causes[index]]);
      }
    }

    // A mark of these kinds is the end of an arrow, and its cause is where the arrow begins.
    function isArrow(index) {
      if (causes[index] < 0) return false;
      return kinds[index] === kindOf.heard || kinds[index] === kindOf.aimed || kinds[index] === kindOf.refused;
    }
    const isReport = kindNames.map((name) => ["found", "changed", "lost", "report"].includes(name));
    const isMessage = kindNames.map((name) => ["sent", "heard", "aimed"].includes(name));
    const isBelow = kindNames.map((name) => ["asked", "host", "note", "fault"].includes(name));

    // What each mark led to, and where what it sent did not arrive: lists beside each other, with where each begins.
    function grouped(count, pairs) {
      const starts = new Int32Array(count + 1);
      for (const [key] of pairs()) starts[key + 1]++;
      for (let index = 0; index < count; index++) starts[index + 1] += starts[index];
      const list = new Int32Array(starts[count]);
      const next = starts.slice();
      for (const [key, value] of pairs()) list[next[key]++] = value;
      return (key) => list.subarray(starts[key], starts[key + 1]);
    }
    const effectsOf = grouped(markCount, function* () {
      for (let index = 0; index < markCount; index++) if (causes[index] >= 0) yield [causes[index], index];
    });
    const lossesOf = grouped(markCount, () => picture.lost);

    function shortText(index) { return picture.strings[picture.said[saidOf[index]][0]]; }
    function fieldsOf(index) {
      const row = picture.said[saidOf[index]];
      const fields = [];
      for (let place = 1; place < row.length; place += 2) {
        fields.push([picture.strings[row[place]], picture.strings[row[place + 1]]]);
      }
      return fields;
    }
    function laneName(lane) { return picture.lanes[lane][0]; }

    // The first mark that is not before a time.
    function firstAt(time) {
      let low = 0;
      let high = markCount;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < time) low = middle + 1; else high = middle;
      }
      return low;
    }

    // Everything that led to a mark, and everything that it led to, as far as the picture says.
    function chainOf(index) {
      const chain = new Set([index]);
      for (let at = causes[index]; at >= 0 && !chain.has(at); at = causes[at]) chain.add(at);
      const open = [index];
      while (open.length > 0 && chain.size < 4000) {
        for (const effect of effectsOf(open.pop())) {
          if (!chain.has(effect)) { chain.add(effect); open.push(effect); }
        }
      }
      return chain;
    }

    // ---- Times as text

    function exactTime(nanoseconds) {
      return (nanoseconds / 1e9).toFixed(9).replace(/0{1,6}$/, "") + " s";
    }
    function durationText(nanoseconds) {
      if (nanoseconds < 1e6) return (nanoseconds / 1e3).toFixed(nanoseconds < 1e4 ? 1 : 0) + " µs";
      if (nanoseconds < 1e9) return (nanoseconds / 1e6).toFixed(nanoseconds < 1e7 ? 1 : 0) + " ms";
      if (nanoseconds < 120e9) return (nanoseconds / 1e9).toFixed(nanoseconds < 10e9 ? 1 : 0) + " s";
      if (nanoseconds < 7200e9) return (nanoseconds / 60e9).toFixed(1) + " min";
      return (nanoseconds / 3600e9).toFixed(1) + " h";
    }
    // The time of day of a capture, in UTC; null where times count from the start of a run.
    function clockText(nanoseconds) {
      const [seconds, fraction] = picture.origin.split(".");
      if (seconds === "0") return null;
      const all = BigInt(seconds) * 1000000000n + BigInt(fraction) + BigInt(Math.round(nanoseconds));
      const date = new Date(Number(all / 1000000n));
      if (Number.isNaN(date.getTime())) return null;
      const rest = String(all % 1000000000n).padStart(9, "0");
      return date.toISOString().replace("T", " ").slice(0, -5) + "." + rest + " UTC";
    }
    """#
}
