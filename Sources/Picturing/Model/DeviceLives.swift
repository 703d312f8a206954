package import RollcallPrimitives

/// What an engine reported of devices, and what is true of them: from it come the bars of a picture.
package struct DeviceLives {
  private struct Key: Hashable {
    var side: Int
    var device: DeviceName
  }

  private struct Life {
    var key: Key
    var name: String
    var detail: String
    var events: [Event] = []
    /// From here on nothing more is kept of it; `nil`: all is.
    var cutAt: Instant?
    var isReported = false
    var isThere = false
  }

  /// The state from an instant on; `nil`: neither reported nor there.
  private struct Event {
    var time: Instant
    var state: Picture.Device.State?
    /// −1: none.
    var mark: Int
  }

  private var lives: [Life] = []
  private var numbers: [Key: Int] = [:]
  private var unlistedCount = 0
  /// Whether the truth is known: then a device that it does not name is not there.
  private let knowsTruth: Bool
  /// Whether two sides are compared.
  private let isComparison: Bool
  private let bounds: PictureBounds

  package init(knowsTruth: Bool, isComparison: Bool = false, bounds: PictureBounds = PictureBounds()) {
    (self.knowsTruth, self.isComparison, self.bounds) = (knowsTruth, isComparison, bounds)
  }

  /// An engine reported that it found or lost a device.
  /// - Parameters:
  ///   - mark: of the report; −1: none.
  ///   - side: of a comparison, 0 or 1; else 0.
  ///   - name: what people call it; the first one counts.
  package mutating func report(
    _ device: String, isFound: Bool, at time: Instant, mark: Int, side: Int = 0, name: String, detail: String = ""
  ) {
    guard let number = number(Key(side: side, device: DeviceName(device)), name, detail) else { return }
    lives[number].isReported = isFound
    note(number, at: time, mark: mark)
  }

  /// A device came or went in truth.
  package mutating func truth(_ device: String, isThere: Bool, at time: Instant, name: String, detail: String = "") {
    guard let number = number(Key(side: 0, device: DeviceName(device)), name, detail) else { return }
    lives[number].isThere = isThere
    note(number, at: time, mark: -1)
  }

  private mutating func number(_ key: Key, _ name: String, _ detail: String) -> Int? {
    if let known = numbers[key] { return known }
    if lives.count >= bounds.devices {
      unlistedCount += 1
      return nil
    }
    numbers[key] = lives.count
    lives.append(Life(key: key, name: name, detail: detail))
    return lives.count - 1
  }

  private mutating func note(_ number: Int, at time: Instant, mark: Int) {
    if lives[number].cutAt != nil { return }
    if lives[number].events.count >= bounds.spansPerDevice {
      lives[number].cutAt = time
      return
    }
    let life = lives[number]
    let state: Picture.Device.State?
    if life.isReported {
      state = knowsTruth && !life.isThere ? .stale : .known
    } else {
      state = knowsTruth && life.isThere ? .missing : nil
    }
    lives[number].events.append(Event(time: time, state: state, mark: mark))
  }

  // MARK: - Bars

  /// The bars, in the order in which devices were first spoken of; of two sides, those of one device below each other.
  /// - Parameter place: the place of a mark in the picture.
  func devices(origin: Instant, end: Instant, place: (Int) -> Int, cuts: inout [Picture.LeftOut]) -> [Picture.Device] {
    var devices: [Picture.Device] = []
    var cutCount = 0
    for (number, life) in lives.enumerated() {
      let twin = numbers[Key(side: 1 - life.key.side, device: life.key.device)]
      // The second of two sides stands below the first.
      if let twin, twin < number { continue }
      for one in [number, twin].compactMap({ $0 }).sorted(by: { lives[$0].key.side < lives[$1].key.side }) {
        if lives[one].cutAt != nil { cutCount += 1 }
        var spans = spans(of: lives[one], origin, end, place)
        if isComparison {
          let other = one == number ? twin : number
          spans = DeviceLives.compared(spans, with: other.map { self.spans(of: lives[$0], origin, end, place) } ?? [])
        }
        devices.append(
          Picture.Device(
            name: PictureText.shown(lives[one].name), detail: PictureText.shown(lives[one].detail), spans: spans))
      }
    }
    if unlistedCount > 0 {
      cuts.append(Picture.LeftOut(what: "changes of devices behind the first \(bounds.devices)", count: unlistedCount))
    }
    if cutCount > 0 {
      cuts.append(
        Picture.LeftOut(what: "devices with more than \(bounds.spansPerDevice) changes, cut there", count: cutCount))
    }
    return devices
  }

  private func spans(
    of life: Life, _ origin: Instant, _ end: Instant, _ place: (Int) -> Int
  ) -> [Picture.Device.Span] {
    var spans: [Picture.Device.Span] = []
    for (index, event) in life.events.enumerated() {
      let next = index + 1 < life.events.count ? life.events[index + 1] : nil
      let to = next?.time ?? life.cutAt ?? end
      let last = next.map { place($0.mark) } ?? -1
      // What ends at the instant at which it began ends what came before it.
      if to == event.time, let before = spans.last, before.to == to - origin, before.last < 0 {
        spans[spans.count - 1].last = last
      }
      guard let state = event.state, to > event.time else { continue }
      let from = max(.zero, event.time - origin)
      if let before = spans.last, before.state == state, before.to == from {
        spans[spans.count - 1].to = to - origin
        spans[spans.count - 1].last = last
        continue
      }
      spans.append(
        Picture.Device.Span(from: from, to: to - origin, state: state, first: place(event.mark), last: last))
    }
    return spans
  }

  /// The spans with those parts marked that the other side does not have. Both are in order of time.
  private static func compared(
    _ spans: [Picture.Device.Span], with others: [Picture.Device.Span]
  ) -> [Picture.Device.Span] {
    spans.flatMap { span -> [Picture.Device.Span] in
      var parts: [Picture.Device.Span] = []
      var from = span.from
      func add(to: Interval, _ state: Picture.Device.State) {
        if to <= from { return }
        parts.append(Picture.Device.Span(from: from, to: to, state: state, first: -1, last: -1))
        from = to
      }
      // One that ends before the span adds nothing.
      for other in others where other.from < span.to {
        add(to: min(other.from, span.to), .differs)
        add(to: min(other.to, span.to), span.state)
      }
      add(to: span.to, .differs)
      if !parts.isEmpty {
        parts[0].first = span.first
        parts[parts.count - 1].last = span.last
      }
      return parts
    }
  }
}
