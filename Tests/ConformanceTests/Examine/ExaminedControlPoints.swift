import RollcallConformance
import RollcallExaminers
import RollcallDiscovery
import RollcallPrimitives
import RollcallReporting

/// A control point in process: what it is given, and what it does about it.
protocol Examinee {
  /// Begins; datagrams that it sends are taken from `sent`, lines that it prints from `printed`.
  mutating func start(at now: Instant)
  mutating func hear(_ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, at now: Instant)
  mutating func wake(at now: Instant)
  var deadline: Instant? { mutating get }
  var sent: [(bytes: [UInt8], from: Endpoint, to: Endpoint)] { get set }
  var printed: [String] { get set }
  /// Paths that it asks for.
  var fetches: [String] { get set }
  /// How it ended by itself.
  var end: ControlPointExamination.CommandEnd? { get }
  /// Whether it reads a page to its end, however long that is.
  var takesHugePages: Bool { get }
  /// Where it was told that a page is elsewhere.
  mutating func redirected(to path: String)
}

extension Examinee {
  var takesHugePages: Bool { false }
  mutating func redirected(to path: String) {}
}

/// An examination and an examinee in virtual time, without sockets.
struct Examined {
  static let device = IPAddress(10, 77, 1, 10)
  static let control = IPAddress(10, 77, 1, 20)

  static func setting(
    _ probes: [ControlPointProbe] = ControlPointProbe.allCases,
    _ change: (inout ControlPointExamination.Setting) -> Void = { _ in }
  ) -> ControlPointExamination.Setting {
    var setting = ControlPointExamination.Setting(address: device)
    setting.hasCommand = true
    setting.probes = probes
    change(&setting)
    return setting
  }

  /// Runs it to its end.
  static func run(
    _ setting: ControlPointExamination.Setting, _ make: () -> any Examinee
  ) -> ControlPointExamination {
    var examination = ControlPointExamination(setting)
    var examinee: (any Examinee)? = setting.hasCommand ? nil : make()
    var now = Instant.zero
    examination.begin(at: now)
    examinee?.start(at: now)
    var turns = 0
    while !examination.isOver, turns < 2_000_000 {
      turns += 1
      let wishes = examination.takeWishes()
      for wish in wishes {
        switch wish {
        case .send(let bytes, let source, let destination):
          examinee?.hear(bytes, from: source, to: destination, at: now)
        case .startCommand:
          examinee = make()
          examinee?.start(at: now)
        case .stopCommand:
          examinee = nil
          examination.commandEnded(.stopped, at: now)
        }
        settle(&examinee, &examination, now)
      }
      settle(&examinee, &examination, now)
      if !wishes.isEmpty { continue }
      let next = min(examination.deadline ?? .never, examinee?.deadline ?? .never)
      if next == .never { break }
      now = max(now, next)
      if let deadline = examinee?.deadline, deadline <= now { examinee?.wake(at: now) }
      settle(&examinee, &examination, now)
      examination.advance(to: now)
    }
    return examination
  }

  private static func settle(
    _ examinee: inout (any Examinee)?, _ examination: inout ControlPointExamination, _ now: Instant
  ) {
    guard examinee != nil else { return }
    let (sent, printed, fetches) = (examinee?.sent ?? [], examinee?.printed ?? [], examinee?.fetches ?? [])
    examinee?.sent = []
    examinee?.printed = []
    examinee?.fetches = []
    for one in sent { examination.hear(one.bytes, from: one.from, to: one.to, at: now) }
    for line in printed { examination.read(line, at: now) }
    for path in fetches {
      let page = examination.fetched(path, at: examination.setting.speaker, from: control, at: now)
      if case .redirect(let location) = page { examinee?.redirected(to: location) }
      if case .huge = page { examination.tookPage(path, whole: examinee?.takesHugePages ?? false) }
    }
    if let end = examinee?.end, examination.setting.hasCommand {
      examinee = nil
      examination.commandEnded(end, at: now)
    } else if examinee?.fetches.isEmpty == false {
      settle(&examinee, &examination, now)
    }
  }
}

/// The engine of `rollcall discover`, which prints its reports as JSON lines.
struct ExaminedEngine: Examinee {
  private var engine: DiscoveryEngine
  private var outbox = Outbox(payloads: PayloadStore())
  private let search: Search
  var sent: [(bytes: [UInt8], from: Endpoint, to: Endpoint)] = []
  var printed: [String] = []
  var fetches: [String] = []
  var end: ControlPointExamination.CommandEnd? { nil }

  init(
    _ switches: EngineSwitches = [], target: String = "urn:schemas-upnp-org:device:Basic:1", broadcasts: Int = 2,
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) {
    var configuration = EngineConfiguration()
    configuration.switches = switches
    configuration.userAgent = "Linux/6.1 UPnP/1.1 rollcall/1"
    configure(&configuration)
    engine = DiscoveryEngine(configuration)
    search = Search(id: SearchID(1), target: target, maximumWaitSeconds: 1, broadcasts: broadcasts)
  }

  var deadline: Instant? { mutating get { engine.deadline } }

  mutating func start(at now: Instant) {
    let change = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(Examined.control, prefixBits: 24)])
    engine.receive(.interface(change), at: now, into: &outbox)
    engine.receive(.command(.search(search)), at: now, into: &outbox)
    settle(at: now)
  }

  mutating func hear(_ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, at now: Instant) {
    let payload = outbox.payloads.store(bytes)
    engine.receive(
      .datagram(
        Datagram(source: source, destination: destination, interface: InterfaceID(0), hopLimit: 2, payload: payload)),
      at: now, into: &outbox)
    settle(at: now)
    outbox.payloads.release(payload)
  }

  mutating func wake(at now: Instant) {
    engine.wake(at: now, into: &outbox)
    settle(at: now)
  }

  private mutating func settle(at now: Instant) {
    for effect in outbox.effects {
      switch effect {
      case .transmit(let datagram):
        sent.append((outbox.payloads.array(of: datagram.payload), datagram.source, datagram.destination))
        outbox.payloads.release(datagram.payload)
      case .application(.rejected): break
      case .application(let report): printed.append(ReportLine.json(report, time: now.description, frame: nil))
      default: break
      }
    }
    outbox.removeAll()
  }
}
