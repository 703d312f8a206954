package import RollcallPrimitives
import RollcallReducing
package import RollcallTrace

/// Makes a picture of a trace, entry by entry: what each station was given and wanted, and what led to what.
///
/// What a station wants after it was given something comes of that. What it wants when its own clock wakes it comes of
/// nothing that the trace names, but an answer comes of the question that was heard from the socket that it goes to.
package struct TracePicture {
  package var draft: PictureDraft
  /// What engines and nearby peers reported.
  package var reported: ReportedLives
  let cast: TraceCast
  var flights = Flights()
  private var neighbours: Neighbours
  var stations: [Station]
  /// Lanes of addresses that are no station's.
  private var strangers: [IPAddress: Int] = [:]
  /// What the same datagram said before.
  private var sayings: [UInt64: Int] = [:]
  var links = StationLinks()

  struct Station {
    var lane: Int
    /// What it was given last; −1: its own clock woke it, or there was no room.
    var cause = -1
    /// The datagram that it was given last.
    var heard: RecordedDatagram?
    /// That there was no room for it, and a report may still come of it.
    var isHeld = false
    var heldNumber = 0
    var heldOrigin = -1
    /// The latest question from each socket, for answers that come later.
    var questions: [Endpoint: Int] = [:]
  }

  private static let questionsMaximum = 4_096

  package init(_ cast: TraceCast, knowsTruth: Bool, bounds: PictureBounds = PictureBounds()) {
    self.cast = cast
    var draft = PictureDraft(bounds: bounds)
    stations = cast.stations.map { Station(lane: draft.lane($0.name, $0.role)) }
    self.draft = draft
    reported = ReportedLives(knowsTruth: knowsTruth, bounds: bounds)
    neighbours = Neighbours(cast)
  }

  /// - Parameter number: of the entry, from 1.
  package mutating func take(_ entry: TraceEntry, number: Int) {
    let station = Int(entry.station)
    guard stations.indices.contains(station) else { return }
    let time = cast.moment(entry.time, of: station)
    draft.stretch(to: time)
    if entry.isInput { beginInput(of: station) }
    switch entry.content {
    case .woken: break
    case .received(let datagram): hear(datagram, station, time, number)
    case .sent(let datagram): send(datagram, station, time, number)
    case .signal(let signal): take(signal, station, time, number)
    case .effect(.application(let report)): tell(report, station, time, number)
    case .effect(.lan(let effect)):
      neighbours.take(effect, of: station)
      note(.host, effect.text, station, time, number)
    case .effect(let effect): take(effect, station, time, number)
    }
  }

  /// The picture; `verb` and `title` stand above it.
  package mutating func finish(verb: String, title: String, origin: Instant?) -> Picture {
    for station in stations.indices { beginInput(of: station) }
    let end = draft.last ?? .zero
    for loss in flights.losses(end: end) { draft.lose(loss.mark, lane: stations[loss.station].lane) }
    return draft.finished(verb: verb, title: title, unit: .entry, origin: origin, lives: reported.all)
  }

  private mutating func beginInput(of station: Int) {
    if stations[station].isHeld { draft.leaveOutMessage() }
    (stations[station].cause, stations[station].heard, stations[station].isHeld) = (-1, nil, false)
  }

  /// A mark beside what a station does, with a line of text.
  @discardableResult mutating func note(
    _ kind: Picture.Mark.Kind, _ text: String, _ station: Int, _ time: Instant, _ number: Int,
    fields: [Picture.Fact] = []
  ) -> Int {
    guard draft.hasRoomForMessages else {
      draft.leaveOutMessage()
      return -1
    }
    return draft.mark(
      kind, lane: stations[station].lane, at: time, number: number, saying: draft.say(text, fields),
      cause: stations[station].cause)
  }

  // MARK: - Datagrams

  private mutating func saying(of datagram: RecordedDatagram, _ key: UInt64, _ time: Instant) -> Int {
    if let known = sayings[key] { return known }
    let words = MarkWords.of(DiffDatagram(datagram, at: time), byteCount: datagram.bytes.count)
    let made = draft.say(words.title, words.fields)
    sayings[key] = made
    return made
  }

  private mutating func send(_ datagram: RecordedDatagram, _ station: Int, _ time: Instant, _ number: Int) {
    guard draft.hasRoomForMessages else { return draft.leaveOutMessage() }
    let key = Flights.key(datagram)
    let saying = saying(of: datagram, key, time)
    var cause = stations[station].cause
    if cause < 0 { cause = stations[station].questions[datagram.destination] ?? -1 }
    let mark = draft.mark(
      .sent, lane: stations[station].lane, at: time, number: number, saying: saying, cause: cause)
    let awaited = neighbours.listeners(to: datagram, from: station)
    if awaited == nil {
      draft.leaveOut("messages to more than \(Neighbours.membersMaximum) hosts, of which no loss is shown")
    }
    flights.send(mark, key: key, way: Flights.way(datagram), at: time, awaited: awaited ?? [])
    let destination = datagram.destination.address
    if !destination.isMulticast, !destination.isBroadcast, !neighbours.isKnown(destination) {
      draft.mark(.aimed, lane: lane(of: destination), at: time, number: 0, saying: saying, cause: mark)
    }
  }

  private mutating func hear(_ datagram: RecordedDatagram, _ station: Int, _ time: Instant, _ number: Int) {
    let key = Flights.key(datagram)
    let origin = flights.hear(key: key, way: Flights.way(datagram), station: station)
    stations[station].heard = datagram
    guard draft.hasRoomForMessages else {
      (stations[station].isHeld, stations[station].heldNumber) = (true, number)
      stations[station].heldOrigin = origin
      return
    }
    put(datagram, key, origin, station, time, number, isWithReport: false)
  }

  private mutating func put(
    _ datagram: RecordedDatagram, _ key: UInt64, _ origin: Int, _ station: Int, _ time: Instant, _ number: Int,
    isWithReport: Bool
  ) {
    let saying = saying(of: datagram, key, time)
    var origin = origin
    let source = datagram.source.address
    if origin < 0, !isWithReport, !neighbours.isKnown(source) {
      origin = draft.mark(.sent, lane: lane(of: source), at: time, number: 0, saying: saying)
    }
    let mark = draft.mark(
      .heard, lane: stations[station].lane, at: time, number: number, saying: saying, cause: origin,
      isWithReport: isWithReport)
    stations[station].cause = mark
    if stations[station].questions.count < TracePicture.questionsMaximum || isAsked(station, datagram.source) {
      stations[station].questions[datagram.source] = mark
    }
  }

  private func isAsked(_ station: Int, _ socket: Endpoint) -> Bool { stations[station].questions[socket] != nil }

  /// The lane of an address that no station has.
  private mutating func lane(of address: IPAddress) -> Int {
    if let known = strangers[address] { return known }
    let made = draft.lane(address.description, .host)
    strangers[address] = made
    return made
  }

  // MARK: - Reports

  private mutating func tell(_ report: Report, _ station: Int, _ time: Instant, _ number: Int) {
    if case .rejected(let rejection) = report { return refuse(rejection, station, time) }
    if stations[station].isHeld, let datagram = stations[station].heard {
      stations[station].isHeld = false
      put(
        datagram, Flights.key(datagram), stations[station].heldOrigin, station, time, stations[station].heldNumber,
        isWithReport: true)
    }
    let words = MarkWords.of(report, cast: cast)
    let mark = draft.mark(
      MarkWords.kind(of: report), lane: stations[station].lane, at: time, number: number,
      saying: draft.say(words.title, words.fields), cause: stations[station].cause)
    reported.take(report, at: time, mark: mark, cast: cast)
  }

  /// The engine refused what it was given.
  private mutating func refuse(_ rejection: Rejection, _ station: Int, _ time: Instant) {
    guard stations[station].cause >= 0, let datagram = stations[station].heard else { return }
    var words = MarkWords.of(DiffDatagram(datagram, at: time), byteCount: datagram.bytes.count)
    words.fields.insert(
      Picture.Fact("refused", "\(rejection.reason.rawValue) at byte \(rejection.offset)"), at: 0)
    draft.turn(stations[station].cause, into: .refused, saying: draft.say(words.title, words.fields))
  }

  // MARK: - Interfaces

  mutating func take(_ change: InterfaceChange, of station: Int) {
    neighbours.take(change, of: station)
    if let first = change.addresses.first {
      draft.describe(lane: stations[station].lane, first.address.description)
    }
  }
}
