package import NIOCore  // the trait Live
import NIOPosix  // the trait Live
package import RollcallPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Who is driven by a live run: one machine, or a whole world behind a real interface.
///
/// All calls come from one event loop. `now` never goes back, and is the only clock there is.
package protocol LiveParty: AnyObject {
  /// When it wants to be moved on, on the clock of the run; `nil`: only if something arrives.
  var deadline: Instant? { get }
  /// Where what it wants goes; set before anything else is called.
  var outlet: (any LiveOutlet)? { get set }
  /// Time has come to `now`: everything that was due on the way happens at the time when it was due.
  func advance(to now: Instant)
  func hear(_ datagram: HeardDatagram, at now: Instant)
  func take(_ change: InterfaceChange, at now: Instant)
  func take(_ refusal: Refusal, at now: Instant)
  /// What becomes of a stream.
  func take(_ signal: StreamSignal, at now: Instant)
  /// What becomes of the program that was started.
  func take(_ signal: ProcessSignal, at now: Instant)
  /// The run begins; every interface was told of.
  func begin(at now: Instant)
  /// The run ends: nothing is called any more.
  func end(at now: Instant)
}

extension LiveParty {
  /// A party without streams.
  package func take(_ signal: StreamSignal, at now: Instant) {}
  /// A party that starts no program.
  package func take(_ signal: ProcessSignal, at now: Instant) {}
}

/// Where a party's wishes go.
package protocol LiveOutlet: AnyObject {
  func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer)
  func join(_ group: Endpoint, on interface: InterfaceID)
  func leave(_ group: Endpoint, on interface: InterfaceID)
  /// Keeps a socket open there, so that what is sent to it is heard.
  func listen(at endpoint: Endpoint, on interface: InterfaceID)
  /// Whether a socket of this run sends from there.
  func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool
  func want(_ effect: StreamEffect)
  func want(_ effect: ProcessEffect)
}

extension LiveOutlet {
  /// An outlet without streams.
  package func want(_ effect: StreamEffect) {}
  /// An outlet without programs.
  package func want(_ effect: ProcessEffect) {}
}

/// What a live run is asked for.
package struct LivePlan: Sendable {
  /// Names of interfaces, in the order of their numbers.
  package var interfaces: [String]
  /// Whether others are taken in as soon as they can be used: those that come later, or get an address later.
  package var followsOthers = false
  /// `nil`: until it is stopped.
  package var duration: Interval?
  /// How often it is looked whether an interface came or went.
  var scanInterval = Interval.seconds(1)
  /// Whether another port will do where the one that is asked for is taken.
  package var movesTakenPorts = true

  package init(interfaces: [String], duration: Interval?) { (self.interfaces, self.duration) = (interfaces, duration) }
}

/// Drives a party on real sockets, with a clock that is read only where a call goes in.
///
/// One event loop, one thread: sockets, timers and the party live there, and nowhere else.
package final class LiveRun: @unchecked Sendable {
  private let plan: LivePlan
  private let party: any LiveParty
  private let group: MultiThreadedEventLoopGroup
  private let loop: any EventLoop
  private let sockets: LiveSockets
  private var streams: LiveStreams?
  private var process: LiveProcess?
  private let scan: () -> [LiveInterface]
  private let start: NIODeadline
  private var last = Instant.zero
  private var roll: InterfaceRoll
  private var timer: Scheduled<Void>?
  private var timerAt = Instant.never
  private var scanner: RepeatedTask?
  private var isOver = false
  private let over: EventLoopPromise<Void>
  /// The system's words about what it refused, each once, for people.
  private var refusals: [String] = []
  /// Called on the event loop whenever interfaces are looked at: once a second, unless the plan says otherwise.
  package var onLook: ((Instant) -> Void)?
  /// Called on the event loop when the run ends, before its sockets are closed.
  package var onEnd: ((Instant) -> Void)?
  package private(set) var heardCount = 0
  package private(set) var sentCount = 0
  package private(set) var dropCount = 0

  package init(_ plan: LivePlan, party: any LiveParty, scan: @escaping () -> [LiveInterface] = LiveInterface.scan) {
    (self.plan, self.party, self.scan) = (plan, party, scan)
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    loop = group.next()
    sockets = LiveSockets(loop: loop)
    start = .now()
    roll = InterfaceRoll(plan.interfaces, follows: plan.followsOthers)
    over = loop.makePromise()
  }

  /// The event loop, for callers that have channels of their own on it.
  package var eventLoop: any EventLoop { loop }

  /// Runs until the end of the plan, or until `stop`; called from a thread that may wait.
  package func run() throws {
    loop.execute { self.begin() }
    defer {
      sockets.end()
      try? group.syncShutdownGracefully()
    }
    try over.futureResult.wait()
    process?.waitForEnd()
  }

  /// Ends the run in good order; may be called from any thread, and more than once.
  package func stop() { loop.execute { self.finish() } }

  /// Does something at its time on the clock of the run; on the event loop.
  package func perform(at time: Instant, _ deed: @escaping @Sendable (Instant) -> Void) {
    loop.scheduleTask(deadline: start + .nanoseconds(time.nanoseconds)) { deed(self.read()) }
  }

  /// The time on the clock of the run; on the event loop.
  package var now: Instant { read() }

  /// What is known of an interface; on the event loop.
  package func interface(_ id: InterfaceID) -> LiveInterface? { roll[id] }

  /// Tells the party something that came neither from a socket nor from a timer; from any thread.
  package func tell(_ content: @escaping @Sendable (Instant) -> Void) {
    loop.execute {
      guard !self.isOver else { return }
      content(self.read())
      self.reschedule()
    }
  }

  /// Interfaces that are down, or have no address, as they were looked at last; after the run, at its end.
  package var downInterfaces: [String] { roll.down }

  /// What the system said when it refused something, each sentence once.
  package var refusalTexts: [String] { refusals }

  // MARK: On the loop

  /// The one place where the clock is read.
  private func read() -> Instant {
    last = max(last, Instant(nanoseconds: (NIODeadline.now() - start).nanoseconds))
    return last
  }

  private func begin() {
    // It was stopped before it began.
    if isOver { return }
    party.outlet = self
    sockets.movesTakenPorts = plan.movesTakenPorts
    sockets.systemIndex = { [unowned self] id in
      interface(id).flatMap { $0.isUp ? $0.index : nil }
    }
    sockets.hear = { [unowned self] in heard($0) }
    sockets.refuse = { [unowned self] in refused($0, $1) }
    streams = LiveStreams(
      loop: loop, interface: { [unowned self] in interface($0) }, tell: { [unowned self] in streamed($0) },
      refused: { [unowned self] in note($1, on: $0) })
    process = LiveProcess(loop: loop) { [unowned self] in told($0) }
    guard sockets.begin() else {
      isOver = true
      return over.fail(SocketError(step: "a pipe", number: errno))
    }
    look()
    party.begin(at: read())
    let delay = TimeAmount.nanoseconds(plan.scanInterval.nanoseconds)
    scanner = loop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { [weak self] _ in self?.lookAgain() }
    if let duration = plan.duration {
      loop.scheduleTask(deadline: start + .nanoseconds(duration.nanoseconds)) { self.finish() }
    }
    reschedule()
  }

  private func finish() {
    guard !isOver else { return }
    isOver = true
    let now = read()
    party.advance(to: now)
    party.end(at: now)
    onEnd?(now)
    timer?.cancel()
    scanner?.cancel()
    (sentCount, dropCount) = (sockets.sentCount, sockets.dropCount)
    // What was written last leaves in this turn of the loop.
    loop.execute {
      self.sockets.closeAll()
      self.streams?.closeAll()
      self.process?.close()
      self.over.succeed(())
    }
  }

  private func heard(_ datagram: HeardDatagram) {
    guard !isOver else { return }
    heardCount += 1
    party.hear(datagram, at: read())
    reschedule()
  }

  private func streamed(_ signal: StreamSignal) {
    guard !isOver else { return }
    party.take(signal, at: read())
    reschedule()
  }

  private func told(_ signal: ProcessSignal) {
    guard !isOver else { return }
    party.take(signal, at: read())
    reschedule()
  }

  private func refused(_ refusal: Refusal, _ why: String) {
    note(why, on: refusal.interface)
    guard !isOver else { return }
    party.take(refusal, at: read())
    reschedule()
  }

  private func note(_ why: String, on interface: InterfaceID) {
    let text = "\(roll.name(of: interface)): \(why)"
    if refusals.count < 64, !refusals.contains(text) { refusals.append(text) }
  }

  private func lookAgain() {
    guard !isOver else { return }
    look()
    onLook?(read())
    reschedule()
  }

  /// Compares the interfaces with what was known of them.
  private func look() {
    let found = scan()
    roll.takeIn(found)
    for number in roll.names.indices {
      guard let news = roll.look(number, in: found) else { continue }
      let change = news.change
      sockets.close(on: change.interface, except: news.isOther ? [] : change.addresses.map(\.address))
      party.take(change, at: read())
    }
  }

  /// One timer, for whatever comes next.
  private func reschedule() {
    let next = party.deadline ?? .never
    guard next != timerAt, !isOver else { return }
    timer?.cancel()
    timer = nil
    timerAt = next
    if next == .never { return }
    timer = loop.scheduleTask(deadline: start + .nanoseconds(max(0, next.nanoseconds))) { self.tick() }
  }

  private func tick() {
    timerAt = .never
    guard !isOver else { return }
    party.advance(to: read())
    reschedule()
  }
}

extension LiveRun: LiveOutlet {
  package func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer) { sockets.send(datagram, payload) }
  package func join(_ group: Endpoint, on interface: InterfaceID) { sockets.join(group, on: interface) }
  package func leave(_ group: Endpoint, on interface: InterfaceID) { sockets.leave(group, on: interface) }
  package func listen(at endpoint: Endpoint, on interface: InterfaceID) {
    sockets.open(endpoint, on: interface)
  }
  package func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool {
    sockets.isOwn(endpoint, on: interface)
  }
  package func want(_ effect: StreamEffect) { streams?.want(effect) }
  package func want(_ effect: ProcessEffect) { process?.want(effect) }
}
