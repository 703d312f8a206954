import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// The course of a run, made by hand: what hosts send and hear, what they are told, and what they tell.
enum Course {
  struct Step {
    enum Event {
      case sends(Said)
      case hears(Said)
      case notes(TraceEvent.Content)
    }
    var at: Interval
    var host: Int32 = 0
    var interface: UInt16 = 0
    var event: Event
  }

  static func judged(
    _ steps: [Step], until end: Interval? = nil, wanted: (Clause) -> Bool = { _ in true }
  ) -> Judgement {
    var judge = ClauseJudge(Circumstances(isComplete: true), wanted: wanted)
    let payloads = PayloadStore()
    let start = Instant.zero + .seconds(1_000)
    for (number, step) in steps.enumerated() {
      func observation(_ said: Said, _ payload: Payload) -> Observation {
        Observation(
          time: start + step.at, position: number + 1, source: said.from, destination: said.to,
          interface: InterfaceID(step.interface), host: step.host, hopLimit: said.hopLimit,
          bytes: payloads.bytes(of: payload))
      }
      switch step.event {
      case .sends(let said):
        let payload = payloads.store(Array(said.text.utf8))
        judge.hear(observation(said, payload))
        payloads.release(payload)
      case .hears(let said):
        let payload = payloads.store(Array(said.text.utf8))
        judge.overhear(observation(said, payload))
        payloads.release(payload)
      case .notes(let content):
        judge.note(TraceEvent(time: start + step.at, position: number + 1, host: step.host, content))
      }
    }
    judge.close(at: end.map { start + $0 })
    return Judgement(judge)
  }

  /// How often a clause is held, violated and left open in a run that ends then, or with its last step.
  static func expect(
    _ clause: ClauseID, _ tally: String, _ parts: [Step]..., until end: Interval? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let judgement = Course.judged(parts.flatMap { $0 }, until: end)
    expectEqual(judgement.sum(clause), tally, "\(clause): \(judgement.lines)", sourceLocation: sourceLocation)
  }

  // MARK: - Steps

  static func up(_ interface: UInt16, _ addresses: String..., at time: Interval) -> Step {
    let own = addresses.compactMap { text -> InterfaceAddress? in
      let parts = text.split(separator: "/")
      guard parts.count == 2, let address = IPAddress(parts[0]), let bits = Int(parts[1]) else { return nil }
      return InterfaceAddress(address, prefixBits: bits)
    }
    return note(.interface(InterfaceChange(interface: InterfaceID(interface), isUp: true, addresses: own)), at: time)
  }

  static func down(_ interface: UInt16, at time: Interval) -> Step {
    note(.interface(InterfaceChange(interface: InterfaceID(interface), isUp: false, addresses: [])), at: time)
  }

  static func deed(_ deed: TraceEvent.Deed, at time: Interval) -> Step { note(.deed(deed), at: time) }
  static func note(_ content: TraceEvent.Content, at time: Interval) -> Step { Step(at: time, event: .notes(content)) }
}

extension Said {
  func sent(by host: Int32 = 0, over interface: UInt16 = 0) -> Course.Step {
    Course.Step(at: at, host: host, interface: interface, event: .sends(self))
  }
  func heard(by host: Int32 = 0) -> Course.Step { Course.Step(at: at, host: host, event: .hears(self)) }

  /// One message with another NT and the USN that goes with it.
  static func named(_ target: String, _ uuid: String = Said.uuid, at time: Interval = .zero) -> Said {
    Said.alive(["NT": target, "USN": "uuid:\(uuid)::\(target)"]).later(time)
  }

  /// How often a clause is held, violated and left open in a capture.
  static func expect(
    _ clause: ClauseID, _ tally: String, _ parts: [Said]..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let judgement = Said.judged(parts.flatMap { $0 })
    expectEqual(judgement.sum(clause), tally, "\(clause): \(judgement.lines)", sourceLocation: sourceLocation)
  }
}

extension Judgement {
  /// How often a clause was held, violated and left open by anybody.
  func sum(_ clause: ClauseID) -> String {
    let total = total(clause)
    return "\(total.held) \(total.violated) \(total.inconclusive)"
  }
}

extension Interval {
  /// Milliseconds and nanoseconds.
  static func at(_ milliseconds: Int64, _ nanoseconds: Int64 = 0) -> Interval {
    .nanoseconds(milliseconds * 1_000_000 + nanoseconds)
  }
}
