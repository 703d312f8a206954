package import RollcallPrimitives

/// A picture in the making: marks in any order, each text once, and what has no room counted.
package struct PictureDraft {
  package let bounds: PictureBounds
  private var lanes: [Picture.Lane] = []
  private var strings: [String] = []
  private var stringNumbers: [String: Int] = [:]
  private var textBytes = 0
  private var sayings: [Picture.Saying] = []
  private var sayingNumbers: [Picture.Saying: Int] = [:]
  private var marks: [PlacedMark] = []
  private var messageCount = 0
  private var reportCount = 0
  private var losses: [Picture.Loss] = []
  private var cuts: [Picture.LeftOut] = []
  private var othersLane: Int?
  private var isFullOfText = false
  /// The earliest and the latest instant of anything.
  private(set) var first: Instant?
  private(set) var last: Instant?

  private struct PlacedMark {
    var time: Instant
    var mark: Picture.Mark
  }

  package init(bounds: PictureBounds = PictureBounds()) { self.bounds = bounds }

  /// Counts something that the picture does not show.
  package mutating func leaveOut(_ what: String, count: Int = 1) {
    if count <= 0 { return }
    if let place = cuts.firstIndex(where: { $0.what == what }) {
      cuts[place].count += count
    } else {
      cuts.append(Picture.LeftOut(what: what, count: count))
    }
  }

  // MARK: - Lanes

  /// A new lane; with as many as there may be, that of all others.
  package mutating func lane(_ name: String, _ role: Picture.Lane.Role, detail: String = "") -> Int {
    if role == .host, lanes.count >= bounds.lanes {
      leaveOut("hosts without a lane of their own")
      if let othersLane { return othersLane }
      let number = lanes.count
      lanes.append(Picture.Lane(name: "all others", role: .others, detail: ""))
      othersLane = number
      return number
    }
    lanes.append(Picture.Lane(name: shown(name), role: role, detail: shown(detail)))
    return lanes.count - 1
  }

  /// What is said of a lane below its name, where nothing is yet.
  package mutating func describe(lane: Int, _ detail: String) {
    if lanes[lane].detail.isEmpty, lanes[lane].role != .others { lanes[lane].detail = shown(detail) }
  }

  // MARK: - Texts

  private func shown(_ text: String) -> String {
    PictureText.shown(text, scalarsMaximum: bounds.scalarsPerText)
  }

  private mutating func string(_ text: String) -> Int {
    let text = shown(text)
    if let known = stringNumbers[text] { return known }
    if strings.count >= bounds.strings || textBytes + text.utf8.count > bounds.textBytes {
      leaveOut("texts, shown as …")
      isFullOfText = true
      return string(at: "…")
    }
    return string(at: text)
  }

  private mutating func string(at text: String) -> Int {
    if let known = stringNumbers[text] { return known }
    stringNumbers[text] = strings.count
    textBytes += text.utf8.count
    strings.append(text)
    return strings.count - 1
  }

  /// What marks say: a title, and what stands in a message.
  /// - Returns: its number; the same for the same.
  package mutating func say(_ title: String, _ fields: [Picture.Fact] = []) -> Int {
    // Where there is no room for text, it need not be taken apart.
    var saying = Picture.Saying(title: string(title), fields: [])
    if !isFullOfText {
      for field in fields.prefix(bounds.fieldsPerMessage) {
        saying.fields.append(Picture.Saying.Field(name: string(field.name), value: string(field.value)))
      }
      if fields.count > bounds.fieldsPerMessage {
        let rest = string("\(fields.count - bounds.fieldsPerMessage) more")
        saying.fields.append(Picture.Saying.Field(name: string("and"), value: rest))
      }
    }
    if let known = sayingNumbers[saying] { return known }
    sayingNumbers[saying] = sayings.count
    sayings.append(saying)
    return sayings.count - 1
  }

  // MARK: - Marks

  /// Whether one more message has room.
  package var hasRoomForMessages: Bool { messageCount < bounds.marks }

  /// Puts a mark.
  /// - Parameters:
  ///   - cause: the mark that led to it; −1: none.
  ///   - isWithReport: it caused a report, and has a place among reports where messages have none any more.
  /// - Returns: its number, for causes and losses; −1: it has no room.
  @discardableResult package mutating func mark(
    _ kind: Picture.Mark.Kind, lane: Int, at time: Instant, number: Int, saying: Int, cause: Int = -1,
    isWithReport: Bool = false
  ) -> Int {
    stretch(to: time)
    let isReport: Bool
    switch kind {
    case .found, .changed, .lost, .report, .fault: isReport = true
    default: isReport = isWithReport && !hasRoomForMessages
    }
    if isReport {
      if reportCount >= bounds.reports {
        leaveOut("reports behind the first \(bounds.reports)")
        return -1
      }
      reportCount += 1
    } else {
      if !hasRoomForMessages {
        leaveOutMessage()
        return -1
      }
      messageCount += 1
    }
    marks.append(
      PlacedMark(
        time: time,
        mark: Picture.Mark(time: .zero, lane: lane, kind: kind, number: number, saying: saying, cause: cause)))
    return marks.count - 1
  }

  /// Counts a message or note that has no room.
  package mutating func leaveOutMessage() { leaveOut("messages and notes behind the first \(bounds.marks)") }

  /// Takes a mark for another kind than it was put as, which says more.
  package mutating func turn(_ mark: Int, into kind: Picture.Mark.Kind, saying: Int) {
    if !marks.indices.contains(mark) { return }
    (marks[mark].mark.kind, marks[mark].mark.saying) = (kind, saying)
  }

  /// What `mark` sent did not arrive at a lane.
  package mutating func lose(_ mark: Int, lane: Int) {
    if mark < 0 { return }
    if losses.count >= bounds.losses { return leaveOut("losses behind the first \(bounds.losses)") }
    losses.append(Picture.Loss(mark: mark, lane: lane))
  }

  /// Makes the picture reach to an instant, whatever happens there.
  package mutating func stretch(to time: Instant) {
    first = first.map { min($0, time) } ?? time
    last = last.map { max($0, time) } ?? time
  }

  // MARK: - The end

  /// The picture, with its marks in order of time.
  /// - Parameters:
  ///   - origin: from which times count; `nil`: the first instant of anything.
  ///   - lives: whose bars the picture has, in this order.
  ///   - comparison: with marks as `mark` numbered them.
  package func finished(
    verb: String, title: String, unit: Picture.Unit, origin: Instant?, lives: [DeviceLives],
    comparison: PictureComparison? = nil
  ) -> Picture {
    let origin = origin ?? first ?? .zero
    let end = max(last ?? origin, origin)
    let order = marks.indices.sorted { (marks[$0].time, $0) < (marks[$1].time, $1) }
    var places = [Int](repeating: -1, count: marks.count)
    for (place, index) in order.enumerated() { places[index] = place }
    func place(_ mark: Int) -> Int { places.indices.contains(mark) ? places[mark] : -1 }
    let sorted = order.map { index -> Picture.Mark in
      var mark = marks[index].mark
      mark.time = max(.zero, marks[index].time - origin)
      // What comes of something comes behind it; a clock that runs wrong does not turn that round.
      mark.cause = place(mark.cause)
      return mark
    }
    let losses = losses.map { Picture.Loss(mark: place($0.mark), lane: $0.lane) }
      .sorted { ($0.mark, $0.lane) < ($1.mark, $1.lane) }
    var cuts = cuts
    var devices: [Picture.Device] = []
    for one in lives { devices += one.devices(origin: origin, end: end, place: place, cuts: &cuts) }
    let span = end - origin
    let (folds, width) = PictureFolds.folds(sorted.map(\.time), span: span, countMaximum: bounds.folds)
    var comparison = comparison
    for row in (comparison?.rows ?? []).indices {
      if let mark = comparison?.rows[row].a?.mark { comparison?.rows[row].a?.mark = place(mark) }
      if let mark = comparison?.rows[row].b?.mark { comparison?.rows[row].b?.mark = place(mark) }
    }
    return Picture(
      verb: shown(verb), title: shown(title), outcome: nil, facts: [], unit: unit, origin: origin, span: span,
      lanes: lanes, strings: strings, sayings: sayings, marks: sorted, losses: losses, devices: devices, folds: folds,
      foldedWidth: width, comparison: comparison, leftOut: cuts)
  }
}
