import RollcallDevices
package import RollcallPrimitives
import RollcallWire

/// An examination of a control point as a machine: the course of it (`ControlPointExamination`), and the ports it needs.
///
/// Datagrams, requests for descriptions, lines of the command and its end are signals; messages, answers and the start
/// of the command are effects. So an examination has a trace, and a recorded one comes to the same verdicts. It begins
/// when it is told of an interface with its address, and ends early when it is told to stop.
package struct ControlPointExaminer: Machine {
  /// Why nothing was examined.
  package enum Failure: Hashable, Sendable {
    /// The interface has not got the address.
    case noAddress
    /// None of the ports from this one on is free.
    case noPort(Endpoint)
    /// The command cannot be started.
    case notStarted(errno: Int32)
  }

  /// Ports that are tried for descriptions.
  static let portsMaximum: UInt16 = 32
  /// A listener that is refused is told so at once; who was told nothing by then has it.
  static let listenPatience = Interval.milliseconds(100)
  /// How long it waits for an address.
  static let addressPatience = Interval.seconds(5)
  /// Between the signal that asks a command to end and the one that ends it.
  static let endPatience = Interval.milliseconds(1_500)
  private static let (terminate, kill): (Int32, Int32) = (15, 9)

  package private(set) var examination: ControlPointExamination
  /// The program and its arguments; `nil`: the control point runs anyway.
  package let command: [String]?
  package private(set) var failure: Failure?
  /// When the examiner's own interface went away.
  package private(set) var lostInterface: Instant?

  private enum Stage: Hashable, Sendable { case waiting, listening, examining, over }
  private var stage = Stage.waiting
  /// When the stage ends, while there is nothing to examine yet.
  private var due = Instant.never
  private var connections = HTTPConnections()
  /// Subscriptions to the events of baits.
  private var events = EventPublisher()
  private var listeners: [(stream: StreamID, at: Endpoint, isOffSubnet: Bool)] = []
  private var lastStream: UInt32 = 0
  /// Huge pages that were asked for, by the numbers of their answers.
  private var hugePaths: [String] = []
  /// Whether the command runs, and whether it was asked to end.
  private enum Program: Hashable, Sendable { case gone, running, stopping }
  private var program = Program.gone
  private var killTime = Instant.never

  /// - Parameter command: not empty, if `setting` says that there is one.
  package init(_ setting: ControlPointExamination.Setting, command: [String]? = nil) {
    examination = ControlPointExamination(setting)
    self.command = command
  }

  package var isOver: Bool { stage == .over }
  private var setting: ControlPointExamination.Setting { examination.setting }

  package var deadline: Instant? {
    if stage == .over { return nil }
    let course = stage == .examining ? examination.deadline ?? .never : due
    let next = min(min(course, events.deadline), min(connections.deadline, killTime))
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard stage != .over else { return }
    switch signal {
    case .datagram(let datagram):
      guard stage == .examining else { return }
      examination.hear(
        outbox.payloads.array(of: datagram.payload), from: datagram.source, to: datagram.destination,
        hopLimit: datagram.hopLimit, at: now)
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)): take(change, at: now, into: &outbox)
      case .host(.refused(let refusal)):
        if stage == .examining, refusal.deed == .send { examination.refused() }
      case .application(.stop):
        if stage == .examining { examination.breakOff(at: now) } else { stage = .over }
      case .streams(.ended(let stream, _)) where listeners.contains { $0.stream == stream }:
        listenElsewhere(stream, at: now, into: &outbox)
      case .streams(let signal): serve(signal, at: now, into: &outbox)
      case .process(let signal): take(signal, at: now)
      default: break
      }
    }
    settle(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if stage == .waiting, due <= now {
      fail(.noAddress)
    } else if stage == .listening, due <= now {
      stage = .examining
      examination.begin(at: now)
    } else if stage == .examining {
      examination.advance(to: now)
    }
    // No answer has a delay, so that none is written here, and nothing is told of one.
    _ = connections.advance(to: now, into: &outbox)
    events.advance(to: now, into: &outbox)
    if killTime <= now {
      killTime = .never
      outbox.want(ProcessEffect.signal(ControlPointExaminer.kill))
    }
    settle(at: now, into: &outbox)
  }

  private mutating func fail(_ failure: Failure) { (self.failure, stage) = (failure, .over) }

  /// Carries out what the course of the examination wants.
  private mutating func settle(at now: Instant, into outbox: inout Outbox) {
    for wish in examination.takeWishes() {
      switch wish {
      case .send(let bytes, let source, let destination):
        outbox.transmit(
          Datagram(
            source: source, destination: destination, interface: setting.interface, hopLimit: 2,
            payload: outbox.payloads.store(bytes)))
      case .startCommand:
        guard let command else { continue }
        (program, killTime) = (.running, .never)
        outbox.want(ProcessEffect.start(command))
      case .stopCommand: stopCommand(at: now, into: &outbox)
      }
    }
    if stage == .examining, examination.isOver { stage = .over }
    guard stage == .over else { return }
    stopCommand(at: now, into: &outbox)
    for listener in listeners { outbox.want(StreamEffect.reset(listener.stream)) }
    connections.reset(into: &outbox)
    events.reset(into: &outbox)
  }

  private mutating func stopCommand(at now: Instant, into outbox: inout Outbox) {
    guard program == .running else { return }
    (program, killTime) = (.stopping, now + ControlPointExaminer.endPatience)
    outbox.want(ProcessEffect.signal(ControlPointExaminer.terminate))
  }

  // MARK: - Getting ready

  private mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    guard change.interface == setting.interface else { return }
    let isThere = change.hasAddress(setting.address)
    if stage == .listening || stage == .examining {
      if isThere { return }
      lostInterface = now
      if stage == .listening { fail(.noAddress) } else { examination.cutOff(at: now) }
      return
    }
    guard isThere else {
      // An interface that is not ready yet may become so.
      if due == .never { due = now + ControlPointExaminer.addressPatience }
      return
    }
    (stage, due) = (.listening, now + ControlPointExaminer.listenPatience)
    outbox.join(.ssdp(setting.address.family), on: setting.interface)
    listen(at: Endpoint(setting.address, port: setting.pagePort), isOffSubnet: false, into: &outbox)
    if setting.isOffSubnetWatched { listen(at: setting.offSubnet, isOffSubnet: true, into: &outbox) }
  }

  private mutating func listen(at endpoint: Endpoint, isOffSubnet: Bool, into outbox: inout Outbox) {
    lastStream += 1
    listeners.append((StreamID(lastStream), endpoint, isOffSubnet))
    outbox.want(StreamEffect.listen(StreamID(lastStream), at: endpoint, setting.interface))
  }

  /// A port is taken: the next one may be free.
  private mutating func listenElsewhere(_ stream: StreamID, at now: Instant, into outbox: inout Outbox) {
    guard let place = listeners.firstIndex(where: { $0.stream == stream }) else { return }
    let refused = listeners.remove(at: place)
    // LOCATIONs that are told already cannot be moved.
    guard stage == .listening else { return }
    var setting = setting
    let first = ControlPointExamination.Setting(address: setting.address)
    let base = refused.isOffSubnet ? first.offSubnet.port : first.pagePort
    let next = Endpoint(refused.at.address, port: refused.at.port &+ 1)
    guard next.port >= base, next.port - base < ControlPointExaminer.portsMaximum else {
      return fail(.noPort(Endpoint(refused.at.address, port: base)))
    }
    if refused.isOffSubnet { setting.offSubnet = next } else { setting.pagePort = next.port }
    examination = ControlPointExamination(setting)
    due = now + ControlPointExaminer.listenPatience
    listen(at: next, isOffSubnet: refused.isOffSubnet, into: &outbox)
  }

  // MARK: - Descriptions

  private mutating func serve(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    if let stream = signal.stream, events.owns(stream) { return events.receive(signal, into: &outbox) }
    // Taken out for the call, in which the course of the examination is asked.
    var serving = connections
    connections = HTTPConnections()
    let taken = serving.receive(signal, at: now, into: &outbox) { answer(to: $0, at: now) }
    connections = serving
    if let taken { take(taken) }
  }

  private mutating func answer(to request: HTTPConnections.Request, at now: Instant) -> HTTPConnections.Answer {
    guard case .head(let head) = request.reading else {
      if case .refused(let status) = request.reading {
        return HTTPConnections.Answer(HTTPResponse.refusal(status).bytes())
      }
      return HTTPConnections.Answer([])
    }
    let isHead = head.method == "HEAD"
    if stage == .examining, let answer = serviceAnswer(to: request, head, at: now) {
      return HTTPConnections.Answer(answer.bytes(isHead: isHead))
    }
    guard isHead || head.method == "GET" else { return HTTPConnections.Answer(HTTPResponse.readOnly.bytes()) }
    guard stage == .examining else { return HTTPConnections.Answer(HTTPResponse.refusal(404).bytes(isHead: isHead)) }
    switch examination.fetched(head.path, at: request.local, from: request.remote.address, at: now) {
    case .document(let bytes): return HTTPConnections.Answer(HTTPResponse.description(bytes).bytes(isHead: isHead))
    case .redirect(let location):
      return HTTPConnections.Answer(HTTPResponse.redirect(to: location).bytes(isHead: isHead))
    case .unknown: return HTTPConnections.Answer(HTTPResponse.refusal(404).bytes(isHead: isHead))
    case .huge:
      let page = [UInt8](repeating: 32, count: ControlPointExamination.hugePageByteCount)
      var answer = HTTPConnections.Answer(HTTPResponse.description(page).bytes(isHead: isHead))
      if !hugePaths.contains(head.path) { hugePaths.append(head.path) }
      if !isHead { answer.number = hugePaths.firstIndex(of: head.path) }
      return answer
    }
  }

  /// What a bait's description names of its services is there, so that strict clients build a device.
  private mutating func serviceAnswer(
    to request: HTTPConnections.Request, _ head: HTTPRequestHead, at now: Instant
  ) -> HTTPResponse? {
    guard let document = examination.described(at: head.path), let wanted = ServiceRequest(head, of: document) else {
      return nil
    }
    let (names, interface, client) = (examination.names, setting.interface, request.remote.address)
    // Events go to the one that asks for them alone.
    let publisher = EventPublisher.Publisher(
      sid: { names.subscription($0) }, product: ControlPointBaitMessage.server, answerDelay: .zero,
      interface: { $0 == client ? interface : nil })
    var (events, lastStream) = (events, lastStream)
    let answer = wanted.answer(body: request.body, &events, by: publisher, at: now) {
      lastStream += 1
      return StreamID(lastStream)
    }
    (self.events, self.lastStream) = (events, lastStream)
    return answer
  }

  private mutating func take(_ taken: HTTPConnections.Taken) {
    examination.tookPage(hugePaths[taken.number], whole: taken.isWhole)
  }

  // MARK: - The command

  private mutating func take(_ signal: ProcessSignal, at now: Instant) {
    switch signal {
    case .line(let bytes, let isError):
      guard stage == .examining, !isError else { return }
      examination.advance(to: now)
      examination.read(String(decoding: bytes, as: UTF8.self), at: now)
    case .ended(let end):
      let wasStopped = program == .stopping
      (program, killTime) = (.gone, .never)
      guard stage == .examining else { return }
      examination.advance(to: now)
      switch end {
      case .notStarted(let errno):
        failure = .notStarted(errno: errno)
        examination.breakOff(at: now)
      case _ where wasStopped: examination.commandEnded(.stopped, at: now)
      case .exit(let code): examination.commandEnded(.exited(code), at: now)
      case .signal(let number): examination.commandEnded(.signalled(number), at: now)
      }
    }
  }
}
