package import RollcallPrimitives
import RollcallWire

/// A root device on the network: announces itself, answers searches, leaves in good order or not at all.
///
/// Without quirks it does what UDA asks, from nothing but UDA's text: it shares no code with the engine under test but
/// the readers of `Wire`. All chance comes from three streams named after it. One device takes some 250 bytes beside
/// the blueprint that it shares with its kind.
package struct RootDevice: Machine, Sendable {
  /// ST of a foreign search is kept up to this length, where a quirk echoes it.
  static let echoByteCountMaximum = 512
  /// Sets that may be under way at a time; more are not begun.
  package static let burstCountMaximum = 16
  static let echoCountMaximum = 64
  static let ssdpPort: UInt16 = 1_900

  enum Phase: UInt8 { case off, on, leaving }

  package let blueprint: DeviceBlueprint
  package internal(set) var uuid: DeviceUUID
  /// BOOTID in force.
  package internal(set) var bootID: UInt32
  package internal(set) var configID: UInt32
  /// The port of LOCATION.
  package internal(set) var port: UInt16

  var phase = Phase.off
  /// Whether the present leave is the first half of a reboot.
  var willRestart = false
  /// Whether the device forgot its BOOTID in a crash.
  var lostState = false
  /// Whether anything was announced since the start.
  var hasAnnounced = false
  /// Flips with each set and each answer, for devices with two LOCATIONs.
  var alternates = false
  var starts: UInt32 = 0
  var answerSequence: UInt32 = 0

  var jitter: RandomStream
  var answerDraws: RandomStream
  var renewalDraws: RandomStream

  var attachments: [Attachment] = []
  var bursts: [Burst] = [] { didSet { areBurstsNew = true } }
  /// Whether the bursts changed since `nextBurst` was found out.
  var areBurstsNew = false
  /// When the next of them has something to send.
  var nextBurst = Instant.never
  package internal(set) var answers = PendingAnswers()
  var echoes: [[UInt8]] = []
  var renewalDue = Instant.never
  var restartDue = Instant.never
  var spuriousDue = Instant.never
  var nextDeadline = Instant.never
  /// The HTTP side of a device that has one: none or one, since an array takes eight bytes in those that have none.
  var descriptionHosts: [DescriptionHost] = []

  /// One of many devices of a kind.
  package init(_ blueprint: DeviceBlueprint, seed: Seed, name: String) {
    self.init(
      blueprint, uuid: blueprint.description.root.uuid ?? DeviceUUID(seed: seed, name: name), seed: seed, name: name)
  }

  package init(_ blueprint: DeviceBlueprint, uuid: DeviceUUID, seed: Seed, name: String) {
    self.blueprint = blueprint
    self.uuid = uuid
    bootID = blueprint.description.initialBootID
    configID = blueprint.description.configID
    port = blueprint.description.port
    jitter = seed.stream(name + "/jitter")
    answerDraws = seed.stream(name + "/answers")
    renewalDraws = seed.stream(name + "/renewal")
    if blueprint.servesDescriptions { descriptionHosts = [DescriptionHost(blueprint.description.television)] }
  }

  /// A device of its own kind.
  package init(_ description: DeviceDescription, quirks: [Quirk] = [], seed: Seed, name: String) {
    self.init(DeviceBlueprint(description, quirks: quirks), seed: seed, name: name)
  }

  /// Sets and single messages that are on their way out.
  package var burstCount: Int { bursts.count }

  /// Whether it is on the network and has not begun to leave it.
  package var isPresent: Bool { phase == .on }

  package var presentDevices: [String] {
    isPresent ? ["uuid:" + uuid.text(blueprint.description.uuidStyle)] : []
  }

  package var deadline: Instant? { nextDeadline == .never ? nil : nextDeadline }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      guard phase == .on, hear(datagram, at: now, into: &outbox) else { return }
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)): take(change, at: now, into: &outbox)
      case .application(.act(let act)): perform(act, at: now, into: &outbox)
      case .streams(let signal): take(signal, at: now, into: &outbox)
      default: return
      }
    }
    settle(at: now, into: &outbox)
  }

  package var heardKinds: DatagramKinds { blueprint.heardKinds }

  /// What most devices hear most of the time is announcements and answers of others, and searches for other devices.
  package static func kinds(of datagram: Datagram, in payloads: PayloadStore) -> DatagramKinds {
    guard case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: .lenient) else {
      return []
    }
    switch message.kind {
    case .search: return message.value(of: .st).map { DatagramKinds(searchFor: $0) } ?? []
    case .response: return []
    case .notifyAlive, .notifyByebye, .notifyUpdate, .notifyOther: return .announcement
    }
  }

  package mutating func prefetch() -> UInt64 {
    var sum = UInt64(bitPattern: answers.nextDue.nanoseconds)
    if let attachment = attachments.first { sum ^= UInt64(attachment.interface.number) ^ UInt64(attachment.announced6) }
    return sum
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard now >= nextDeadline else { return }
    settle(at: now, into: &outbox)
  }

  /// Does everything that is due, and finds out when the next thing is.
  private mutating func settle(at now: Instant, into outbox: inout Outbox) {
    if restartDue <= now { start(at: now, into: &outbox) }
    while let answer = answers.pop(at: now) { send(answer, at: now, into: &outbox) }
    if answers.isEmpty, !echoes.isEmpty { echoes = [] }
    if renewalDue <= now { renew(at: now) }
    if spuriousDue <= now { sayByebyeForNothing(at: now) }
    if areBurstsNew || nextBurst <= now { advanceBursts(at: now, into: &outbox) }
    nextDeadline = min(min(min(answers.nextDue, renewalDue), min(restartDue, spuriousDue)), nextBurst)
    if !descriptionHosts.isEmpty { settleDescriptions(at: now, into: &outbox) }
  }

  /// Apart from what every device does.
  @inline(never)
  private mutating func settleDescriptions(at now: Instant, into outbox: inout Outbox) {
    serveDescriptions(at: now, into: &outbox)
    nextDeadline = min(nextDeadline, descriptionHosts[0].deadline)
  }

  private mutating func advanceBursts(at now: Instant, into outbox: inout Outbox) {
    var index = 0
    while index < bursts.count {
      if bursts[index].due > now {
        index += 1
      } else if advanceBurst(index, at: now, into: &outbox) {
        end(bursts.remove(at: index), at: now, into: &outbox)
      }
    }
    if bursts.isEmpty, bursts.capacity > 0 { bursts = [] }
    nextBurst = .never
    for burst in bursts where burst.due < nextBurst { nextBurst = burst.due }
    areBurstsNew = false
  }

  /// What a message from `address` says about this device now.
  func fill(
    _ owner: Int, _ attachment: Attachment, _ address: IPAddress, isV6: Bool, version: UInt32 = 0, at now: Instant
  ) -> MessageFill {
    let habits = blueprint.behaviour.habits
    let wantsV6 = habits.contains(.v6LocationOnV4)
    return MessageFill(
      uuid: blueprint.uuid(of: owner, root: uuid), uuidStyle: blueprint.description.uuidStyle,
      host: wantsV6 ? attachment.address(true) ?? address : address, hostText: attachment.v4Text,
      isHostZoned: habits.contains(.v6LocationWithScope), isV6: isV6, port: port,
      alternatePort: alternates ? port &+ 1 : port, bootID: bootID, nextBootID: bootID, configID: configID,
      version: version, clockSeconds: blueprint.description.clockEpochSeconds &+ now.nanoseconds / 1_000_000_000)
  }

  /// The BOOTID after this one; 31 bits (UDA-1.2.2-BOOT-INT31), after the last one comes 0.
  static func bootID(after bootID: UInt32) -> UInt32 { bootID >= 0x7FFF_FFFF ? 0 : bootID &+ 1 }
}
