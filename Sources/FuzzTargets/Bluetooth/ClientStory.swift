import RollcallPrimitives
import RollcallWire

/// What was asked of a peripheral and has not ended, by the reports alone.
struct ClientStory {
  enum Attempt { case none, pending, connected }
  /// Whether discoveries are of everything; else of one kind of attribute at a time.
  let asksAll: Bool
  private(set) var attempt = Attempt.none
  /// Failures of `connect` and `disconnect` since somebody looked.
  var connectFailures = 0
  /// Why the controller says, at this moment, that the connection is over.
  var controllerEnd: LinkEnd?
  /// Everything is asked to end, whatever the controller has said of it.
  var isStopping = false
  private var isGivenUp = false
  private var open: [GATTFailure.Request: Int] = [:]
  /// Writes without response, of which only failures are told.
  private var commands = 0

  init(asksAll: Bool) { self.asksAll = asksAll }

  var isQuiet: Bool { GATTFailure.Request.allCases.allSatisfy { open[$0, default: 0] == 0 } }

  /// - Returns: how many failures to connect or to disconnect are told at once.
  mutating func asked(_ request: CentralCommand.Request, isEnding: Bool) -> Int {
    switch request {
    case .connect:
      if attempt != .none { return 1 }
      attempt = .pending
    case .disconnect:
      if attempt == .none || isEnding { return 1 }
      isGivenUp = true
    case .write(_, _, withResponse: false): commands += 1
    default: open[request.kind, default: 0] += 1
    }
    return 0
  }

  private mutating func ends(_ request: GATTFailure.Request) throws(FuzzFinding) {
    open[request, default: 0] -= 1
    try expect(open[request, default: 0] >= 0, "\(request) ended without being asked for")
  }

  private mutating func isOver() throws(FuzzFinding) {
    (attempt, isGivenUp, commands) = (.none, false, 0)
    try expect(isQuiet, "the connection is over, and something that was asked is not")
  }

  mutating func tell(_ report: Report) throws(FuzzFinding) {
    switch report {
    case .peripheral(let report): try tell(report.event)
    case .lost(_, let cause):
      try expect(attempt != .connected || cause == .stopped, "a connected peripheral is lost: \(cause)")
    default: break
    }
  }

  private mutating func tell(_ event: PeripheralReport.Event) throws(FuzzFinding) {
    switch event {
    case .connected:
      try expect(attempt == .pending, "connected without being asked for, or twice")
      attempt = .connected
    case .connectionFailed(let end):
      try expect(attempt == .pending, "a connection failed that nobody waits for")
      // A server that says nothing for 30 s is given up before its connection is lost, or before everything stops.
      try expect(
        end == .closed || end == controllerEnd || end == .timedOut && (controllerEnd == .closed || isStopping),
        "an attempt ended by itself: \(end)")
      try isOver()
    case .disconnected:
      try expect(attempt == .connected || attempt == .pending && isGivenUp, "the end of no connection")
      try isOver()
    case .services, .includedServices, .characteristics, .descriptors: if !asksAll { try ends(.discover) }
    case .discovered: try ends(.discover)
    case .value(_, _, _, .read): try ends(.read)
    case .written: try ends(.write)
    case .notifying: try ends(.notify)
    case .strength: try ends(.strength)
    case .failed(let failure):
      switch (failure.request, failure.attribute) {
      case (.connect, _): connectFailures += 1
      case (.write, .characteristic):
        commands -= 1
        try expect(commands >= 0, "a write without response failed twice")
      default: try ends(failure.request)
      }
      try expect((failure.error != nil) == (failure.reason == .refused), "\(failure.text)")
    case .value, .readyToWrite, .servicesChanged: break
    }
  }
}

extension ClientScript {
  /// Writes without response name a UUID, all others a handle: so their failures can be told apart.
  static func request(_ choices: inout ByteChoices, asksAll: Bool) -> CentralCommand.Request {
    let deed = choices.below(13)
    let handle = 1 + UInt16(choices.below(40))
    switch deed {
    case 0, 12: return .connect
    case 1: return .disconnect
    case 2: return asksAll ? .discover : .services(choices.bool() ? [AttributeParts.own] : [])
    case 3: return .read(.handle(handle))
    case 4: return .write(.handle(handle), value(&choices), withResponse: true)
    case 5: return .write(.characteristic(BluetoothUUID(short: 0x2A06)), value(&choices), withResponse: false)
    case 6: return .notify(.handle(handle), choices.bool())
    case 7: return .readStrength
    case 8: return asksAll ? .discover : .characteristics(service: handle, [])
    case 9: return asksAll ? .discover : .includedServices(service: handle)
    case 10: return asksAll ? .discover : .descriptors(characteristic: handle)
    default: return .read(.characteristic(choices.pick(AttributeParts.uuids)))
    }
  }

  private static func value(_ choices: inout ByteChoices) -> [UInt8] {
    let count = choices.pick([0, 1, 2, 20, 21, 44, 120, 300, 512, 513])
    return [UInt8](repeating: choices.byte(), count: count)
  }

  /// Pump; connect; discover; half a minute.
  static let words = ["\u{0}\u{7F}", "\u{5}\u{0}\u{0}", "\u{2}\u{0}", "\u{4}\u{0}\u{0}\u{4}"]

  /// 0 pumps, 80 changes an answer, 125 and 145 answer, 155 acknowledges, 165 asks, 210 lets time go by, 225 ends a
  /// connection, 233 says something unasked, 245 switches the radio.
  static let seeds: [[UInt8]] = {
    let (pump, connect, discover): ([UInt8], [UInt8], [UInt8]) = ([0, 250], [165, 0, 0], [165, 2, 0])
    let connected = connect + pump
    let all = connected + discover + pump
    func read(_ handle: UInt8) -> [UInt8] { [165, 3, handle - 1] }
    func write(_ handle: UInt8, _ size: UInt8) -> [UInt8] { [165, 4, handle - 1, size, 5] }
    let command: [UInt8] = [165, 5, 0, 1, 5]
    let parts = (1...40).flatMap { [165, 8, $0, 0, 250] as [UInt8] }
    return [
      [1, 3] + all + read(19) + pump + write(19, 7) + pump + [165, 6, 11, 1] + pump + [165, 1, 0] + pump,
      [1, 0] + all + write(19, 8) + [0, 1, 80, 0, 2, 9, 0, 250] + read(19) + pump,
      [1, 0] + all + write(19, 7) + [0, 0, 145, 3, 225, 0], [1, 0] + all + write(19, 7) + [145, 9, 145, 3],
      [0, 2] + connected + discover + [0] + pump + parts,
      [1, 4] + connected + discover + [0, 2, 80, 3, 1, 99, 0, 250],
      [1, 3] + all + (0..<36).flatMap { _ in command } + [155, 31] + command + pump,
      [1, 3] + connect + [210, 5] + pump,
      [1, 3] + connect + [0, 0, 225, 2] + pump + [225, 0], [1, 3] + all + [210, 6] + pump + [225, 1] + connected,
      [1, 3] + all + read(19) + [210, 5] + pump, [1, 3] + all + [233, 2, 3, 1, 1, 2, 3] + pump + read(19) + [225, 0],
      [1, 3] + all + [245, 245] + connected, [1, 3] + connect + [245] + pump + connect + [245] + connected,
      [1, 2] + all + [165, 7, 0, 233, 0, 1, 1, 9, 233, 9, 5, 3, 1, 165, 1, 0, 0, 5],
    ]
  }()
}
