import RollcallPrimitives
import RollcallWire

/// Several NOTIFYs of one device, one after another.
enum ControlPointStory {
  struct Step: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case alive, byebye, update }
    /// After the story's begin.
    var after: Interval
    var kind = Kind.alive
    /// 0: upnp:rootdevice; 1: the UUID; 2: the type.
    var parts = [0, 1, 2]
    /// As it is written.
    var boot = "1"
    var nextBoot: Int64 = 0
    var config = "1"
    var maxAge = "1800"
    var path = ControlPointPath.own
    var isUpperCase = false
  }

  /// When what a story is about happens.
  static let turn = Interval.seconds(2)
  static let leaseSeconds: Int64 = 3
  /// Of baits for who searches for no type.
  static let plainType = "urn:schemas-upnp-org:device:Basic:1"
  /// When the last of the first alives of a short lease leaves.
  static let secondCopy = Interval.milliseconds(300)

  static func steps(_ probe: ControlPointProbe, _ variant: Int) -> [Step] {
    /// Announced, and announced again as devices do: who tells of every message is known by that.
    func start(_ change: (inout Step) -> Void = { _ in }) -> [Step] {
      [Interval.zero, .milliseconds(800)].map { after in
        var step = Step(after: after)
        change(&step)
        return step
      }
    }
    /// One copy soon after the other, so that the lease is known.
    func short(_ maxAge: String) -> [Step] {
      [Step(after: .zero, maxAge: maxAge), Step(after: secondCopy, maxAge: maxAge)]
    }
    let again = turn + .milliseconds(200)
    switch probe {
    case .setOrder: return start { $0.parts = [[0, 1, 2], [2, 1, 0], [1, 2, 0]][variant] }
    case .byebye: return start() + [turn, again].map { Step(after: $0, kind: .byebye) }
    case .byebyePart: return start() + [turn, again].map { Step(after: $0, kind: .byebye, parts: [variant + 1]) }
    case .reboot:
      let (old, new) = variant == 0 ? ("1", "2") : ("5", "3")
      return start { $0.boot = old } + [turn, again].map { Step(after: $0, boot: new) }
    case .update:
      return start()
        + [
          Step(after: turn, kind: .update, nextBoot: 2), Step(after: turn + .milliseconds(400), boot: "2"),
          Step(after: turn + .milliseconds(600), boot: "2"),
        ]
    case .bootZeros: return start { $0.boot = "7" } + [turn, again].map { Step(after: $0, boot: "007") }
    case .expiry: return short("\(leaseSeconds)")
    case .keptByPart:
      let renewals = [Interval.seconds(2), .milliseconds(3_500), .seconds(5)]
      return short("\(leaseSeconds)") + renewals.map { Step(after: $0, parts: [2], maxAge: "\(leaseSeconds)") }
    case .oddMaxAge: return short(["0", "-1", "65539", "4294967299"][variant])
    case .uuidCase:
      return start { $0.isUpperCase = variant == 1 }
        + [turn, again].map { Step(after: $0, kind: .byebye, isUpperCase: variant == 0) }
    case .newConfig: return start() + [turn, again].map { Step(after: $0, config: "2") }
    case .newLocation: return start() + [turn, again].map { Step(after: $0, path: .second) }
    default: return start()
    }
  }

  /// Byebyes of what a bait announced, or answered with.
  static func farewell(
    of bait: ControlPointBait, _ names: ControlPointBaitNames, searched: String, _ store: PayloadStore
  ) -> [[UInt8]] {
    if bait.way == .story {
      return messages(Step(after: .zero, kind: .byebye), of: bait, names, searched: searched, store)
    }
    let target = ControlPointBaitMessage.target(searched)
    let words = ControlPointBaitMessage.Words(target: target, usn: "uuid:\(bait.uuid)::\(target)", location: "")
    return [ControlPointBaitMessage(.byebye, words, store).bytes]
  }

  /// The messages of a step.
  static func messages(
    _ step: Step, of bait: ControlPointBait, _ names: ControlPointBaitNames, searched: String, _ store: PayloadStore
  ) -> [[UInt8]] {
    let uuid = step.isUpperCase ? bait.uuid.uppercased() : bait.uuid
    let type = searched.hasPrefix("urn:") ? searched : plainType
    return step.parts.map { part in
      let target = part == 0 ? "upnp:rootdevice" : part == 1 ? "uuid:\(uuid)" : type
      let words = ControlPointBaitMessage.Words(
        target: target, usn: part == 1 ? target : "uuid:\(uuid)::\(target)",
        location: names.location(bait.number, step.path), nextBootID: step.nextBoot)
      let kind: ControlPointBaitMessage.Kind
      switch step.kind {
      case .alive: kind = .alive
      case .byebye: kind = .byebye
      case .update: kind = .update
      }
      var message = ControlPointBaitMessage(kind, words, store)
      message.set("BOOTID.UPNP.ORG", step.boot)
      message.set("CONFIGID.UPNP.ORG", step.config)
      message.set("CACHE-CONTROL", "max-age=\(step.maxAge)")
      return message.bytes
    }
  }
}
