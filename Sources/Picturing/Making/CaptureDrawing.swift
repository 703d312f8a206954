import RollcallCapture
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting

/// Draws what a replay shows, event by event: a lane for the engine, and one for each address that is heard.
///
/// What goes to a group is drawn to the engine, which hears it. What goes to one host is drawn to that host; the
/// capture does not say whether it arrived there.
final class CaptureDrawing {
  private var draft: PictureDraft
  private var reported: ReportedLives
  private let cast = TraceCast([])
  private let engineLane: Int
  private let isEverybody: Bool
  private var scene: CaptureScene
  private let fileNames: FrameNames
  /// What files call addresses.
  private var addressNames: [IPAddress: String] = [:]
  private var lanes: [String: Int] = [:]
  private var current = Place()
  /// The mark that the engine heard last, and in which frame.
  private var heard: (frame: Int, mark: Int) = (-1, -1)
  /// A message that had no room, until it shows whether a report comes of it.
  private var held: (message: DiffDatagram, byteCount: Int, place: Place)?
  private var undrawnCount = 0

  private struct Place {
    var frame = -1
    var time = Instant.zero
    var isOwn = false
    var byteCount = 0
  }

  /// - Parameters:
  ///   - scene: of the files, as the replay has it.
  ///   - names: what the files call addresses; of two for one address the first counts.
  init(
    _ options: ReplayOptions, scene: CaptureScene, names: [CaptureName], fileNames: FrameNames, bounds: PictureBounds
  ) {
    var draft = PictureDraft(bounds: bounds)
    var detail = "hears everything"
    if case .host(let host) = options.perspective { detail = "as \(host)" }
    engineLane = draft.lane("engine", .engine, detail: detail)
    self.draft = draft
    isEverybody = options.perspective == .everybody
    reported = ReportedLives(knowsTruth: false, bounds: bounds)
    self.scene = scene
    self.fileNames = fileNames
    for one in names where addressNames[one.address] == nil { addressNames[one.address] = one.name }
  }

  func see(_ event: ReplayEvent) {
    switch event {
    case .datagram(let frame, let datagram): begin(frame, datagram)
    case .message(let message):
      undrawnCount -= 1
      draw(DiffDatagram(message), refused: message.rejection)
    case .packet(let packet, let time, let frame): draw(packet, at: time, frame: frame)
    case .report(let report, let time, let frame): tell(report, at: time, frame: frame)
    }
  }

  func finish(verb: String, title: String) -> Picture {
    countHeld()
    draft.leaveOut("datagrams that are no discovery", count: undrawnCount)
    return draft.finished(verb: verb, title: title, unit: .frame, origin: nil, lives: reported.all)
  }

  func leaveOut(_ what: String, count: Int) { draft.leaveOut(what, count: count) }

  // MARK: - Messages

  private func begin(_ frame: CaptureFrame, _ datagram: ExtractedDatagram) {
    let time = frame.hasTime ? frame.time : current.time
    current = Place(
      frame: frame.number, time: time, isOwn: scene.isSent(frame, by: datagram.source.address),
      byteCount: datagram.payload.count)
    draft.stretch(to: time)
    undrawnCount += 1
    // Messages of multicast DNS are no event of a replay.
    guard DiffDatagram.isMulticastDNS(datagram.source, datagram.destination) else { return }
    undrawnCount -= 1
    draw(
      DiffDatagram(
        multicast: datagram.payload, from: datagram.source, to: datagram.destination, frame: frame.number, at: time),
      refused: nil)
  }

  private func draw(_ message: DiffDatagram, refused: Rejection?) {
    countHeld()
    guard draft.hasRoomForMessages else {
      held = (message, current.byteCount, current)
      return
    }
    draw(message, current.byteCount, current, refused: refused, isWithReport: false)
  }

  /// Counts a message that had no room, and led to nothing. Where one is held, the next has no room either, and takes
  /// its place.
  private func countHeld() { if held != nil { draft.leaveOutMessage() } }

  private func draw(
    _ message: DiffDatagram, _ byteCount: Int, _ place: Place, refused: Rejection?, isWithReport: Bool
  ) {
    guard let source = message.source, let destination = message.destination else { return }
    var words = MarkWords.of(message, byteCount: byteCount)
    if let file = fileNames.file(of: place.frame) { words.fields.append(Picture.Fact("file", file)) }
    let number = FrameNames.frame(of: place.frame)
    let saying = draft.say(words.title, words.fields)
    func mark(_ kind: Picture.Mark.Kind, _ lane: Int, _ saying: Int, cause: Int) -> Int {
      draft.mark(
        kind, lane: lane, at: place.time, number: number, saying: saying, cause: cause, isWithReport: isWithReport)
    }
    let sent = mark(.sent, place.isOwn ? engineLane : lane(of: source.address), saying, cause: -1)
    var last = sent
    let isToAll = destination.address.isMulticast || destination.address.isBroadcast
    let isToEngine = isToAll ? !place.isOwn : !isEverybody && scene.isHeard(at: destination.address)
    if isToEngine {
      last = mark(.heard, engineLane, saying, cause: sent)
    } else if !isToAll {
      last = mark(.aimed, lane(of: destination.address), saying, cause: sent)
    }
    if let refused {
      words.fields.insert(Picture.Fact("refused", "\(refused.reason.rawValue) at byte \(refused.offset)"), at: 0)
      let refusal = draft.say(words.title, words.fields)
      if isToEngine {
        draft.turn(last, into: .refused, saying: refusal)
      } else {
        last = mark(.refused, engineLane, refusal, cause: sent)
      }
    }
    heard = (place.frame, last)
  }

  private func lane(of address: IPAddress) -> Int {
    let name = addressNames[address]
    return lane(named: name ?? address.description, detail: name == nil ? "" : address.description)
  }

  private func lane(named name: String, detail: String = "") -> Int {
    if let known = lanes[name] { return known }
    let made = draft.lane(name, .host, detail: detail)
    lanes[name] = made
    return made
  }

  private func draw(_ packet: RadioPDU, at time: Instant, frame: Int) {
    draft.stretch(to: time)
    guard draft.hasRoomForMessages else { return draft.leaveOutMessage() }
    let shown = DiffDatagram(packet, frame: frame, at: time)
    let words = MarkWords.of(shown, byteCount: packet.bytes.count)
    let (saying, number) = (draft.say(words.title, words.fields), FrameNames.frame(of: frame))
    var sent = -1
    if let sender = shown.advertiser {
      sent = draft.mark(.sent, lane: lane(named: sender.description), at: time, number: number, saying: saying)
    }
    heard = (
      frame, draft.mark(.heard, lane: engineLane, at: time, number: number, saying: saying, cause: sent)
    )
  }

  // MARK: - Reports

  private func tell(_ report: Report, at time: Instant, frame: Int?) {
    if let one = held, one.place.frame == frame {
      held = nil
      draw(one.message, one.byteCount, one.place, refused: nil, isWithReport: true)
    }
    let words = MarkWords.of(report, cast: cast)
    let mark = draft.mark(
      MarkWords.kind(of: report), lane: engineLane, at: time, number: frame.map { FrameNames.frame(of: $0) } ?? 0,
      saying: draft.say(words.title, words.fields), cause: frame == heard.frame ? heard.mark : -1)
    reported.take(report, at: time, mark: mark, cast: cast)
  }
}
