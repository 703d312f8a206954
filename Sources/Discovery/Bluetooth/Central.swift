package import RollcallPrimitives
import RollcallWire

/// A connection that stands, for who looks into an engine.
package struct CentralLink: Hashable, Sendable {
  package var peripheral: RadioAddress
  package var mtu: Int
  /// How many writes without response would be sent now.
  package var commandRoom: Int
  /// What the peripheral calls itself, if it said so.
  package var ownName: String?
}

/// Connects to peripherals, as many as the controller has room for, and asks for their attributes.
///
/// An attempt to connect has no end of its own (CB-33): it waits until the peripheral can be connected to, and begins
/// again where the peripheral did not answer (notEstablished). A connection stands when the other side has acknowledged
/// something; what it was asked for and did not answer has failed before its end is reported (CB-38).
struct Central {
  /// What it wants of its owner, in order.
  enum Output {
    case want(LinkID, LinkEffect)
    case report(RadioAddress, PeripheralReport.Event)
    /// A connection to this peripheral stands: it is there, however long it is silent.
    case stands(RadioAddress)
    case isOver(RadioAddress)
    case name(RadioAddress, String)
    case rejected(at: Int)
  }

  private struct Connection {
    enum State { case waiting, begun, stands, ending }
    let address: RadioAddress
    var number: LinkID
    var state = State.waiting
    var client: AttributeClient
    /// When a planted fault gives up.
    var givesUpAt = Instant.never
    /// Questions for the strength that were not answered yet.
    var strengthCount = 0
    /// Why it is ended, where that is not for the application.
    var cause: LinkEnd?
    var hasStood = false
  }

  private let faults: CentralFaults
  /// In the order in which they were asked for.
  private var connections: [Connection] = []
  private var linkCount: UInt32 = 0
  private(set) var output: [Output] = []

  static let parameters = LinkParameters()

  init(faults: CentralFaults) { self.faults = faults }

  var deadline: Instant {
    connections.reduce(.never) { min($0, $1.client.deadline, $1.givesUpAt) }
  }

  /// The connections that stand.
  var links: [CentralLink] {
    connections.filter { $0.state == .stands }.map {
      CentralLink(peripheral: $0.address, mtu: $0.client.mtu, commandRoom: $0.client.commandRoom)
    }
  }

  var brokenInvariants: [String] { connections.flatMap(\.client.brokenInvariants) }

  /// A planted fault: connected peripherals are lost by silence as well.
  var losesConnected: Bool { faults.contains(.losesConnected) }

  /// Hands over what it wants.
  mutating func takeOutput() -> [Output] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  // MARK: - The application

  mutating func perform(_ command: CentralCommand, at now: Instant) {
    let (address, place) = (command.peripheral, connections.firstIndex { $0.address == command.peripheral })
    switch command.request {
    case .connect:
      guard place == nil else { return refuse(address, .connect, .alreadyConnected) }
      var connection = Connection(address: address, number: LinkID(0), client: AttributeClient(faults: faults))
      if faults.contains(.givesUpConnecting) { connection.givesUpAt = now + .seconds(10) }
      connections.append(connection)
      connect(connections.count - 1)
    case .disconnect:
      guard let place, connections[place].state != .ending else { return refuse(address, .connect, .notConnected) }
      connections[place].state = .ending
      fail(place)
      output.append(.want(connections[place].number, .end))
    case .readStrength:
      guard let place, connections[place].state == .stands else { return refuse(address, .strength, .notConnected) }
      connections[place].strengthCount += 1
      output.append(.want(connections[place].number, .readStrength))
    default:
      guard let place, connections[place].state == .stands else {
        return refuse(address, command.request.kind, .notConnected, command.request.attribute)
      }
      connections[place].client.ask(command.request, at: now)
      drain(place)
    }
  }

  /// Everything ends, now.
  mutating func stop() {
    while !connections.isEmpty {
      output.append(.want(connections[0].number, .end))
      end(0, .closed)
    }
  }

  private mutating func refuse(
    _ address: RadioAddress, _ request: GATTFailure.Request, _ reason: GATTFailure.Reason,
    _ attribute: GATTAttribute? = nil
  ) {
    output.append(.report(address, .failed(GATTFailure(request, reason, attribute))))
  }

  private mutating func connect(_ place: Int) {
    linkCount &+= 1
    connections[place].number = LinkID(linkCount)
    connections[place].state = .waiting
    output.append(.want(connections[place].number, .connect(to: connections[place].address, Central.parameters)))
  }

  // MARK: - The controller

  mutating func receive(_ number: LinkID, _ signal: LinkSignal, at now: Instant) {
    guard let place = connections.firstIndex(where: { $0.number == number }) else { return }
    if case .ended(let end) = signal { return ended(place, end) }
    guard connections[place].state != .ending else { return }
    switch signal {
    case .connected:
      connections[place].state = .begun
      connections[place].givesUpAt = .never
      connections[place].client.begin(at: now)
    case .frame(let bytes):
      stands(place)
      if !takeSignalling(bytes, place) { connections[place].client.receive(bytes, at: now) }
    case .acknowledged(let frames):
      stands(place)
      connections[place].client.acknowledged(frames)
    case .strength(let strength):
      guard connections[place].strengthCount > 0 else { return }
      connections[place].strengthCount -= 1
      output.append(.report(connections[place].address, .strength(strength)))
    // No application is told of that (CB-45).
    case .updated: break
    case .ended: break
    }
    drain(place)
  }

  /// Whether a frame was one of the signalling channel: there a peripheral asks for other parameters.
  private mutating func takeSignalling(_ frame: [UInt8], _ place: Int) -> Bool {
    let read = frame.withUnsafeBytes { bytes -> Result<SignallingCommand, RadioFault>? in
      guard let frame = try? ChannelFrame(bytes), frame.channel == .signalling else { return nil }
      do throws(RadioFault) {
        return .success(try SignallingCommand(UnsafeRawBufferPointer(rebasing: bytes[frame.payload])))
      } catch {
        return .failure(RadioFault(error.reason, at: frame.payload.lowerBound + error.offset))
      }
    }
    switch read {
    case nil: return false
    case .failure(let fault): output.append(.rejected(at: fault.offset))
    case .success(.parameterRequest(let number, let request)):
      let parameters = ParameterPolicy.answer(to: request)
      connections[place].client.signal(.parameterResponse(number: number, isAccepted: parameters != nil))
      drain(place)
      if let parameters { output.append(.want(connections[place].number, .update(parameters))) }
    case .success(.other(let code, let number)):
      if SignallingCommand.other(code: code, number: number).isRequest {
        connections[place].client.signal(.reject(number: number))
      }
    case .success(.reject), .success(.parameterResponse): break
    }
    return true
  }

  private mutating func stands(_ place: Int) {
    guard connections[place].state == .begun else { return }
    connections[place].state = .stands
    connections[place].hasStood = true
    output.append(.stands(connections[place].address))
    output.append(.report(connections[place].address, .connected))
  }

  private mutating func ended(_ place: Int, _ end: LinkEnd) {
    // The request to connect was not heard: the attempt goes on, with an attempt of the controller's of its own.
    if end == .notEstablished, connections[place].state == .begun, !faults.contains(.reportsUnestablished) {
      connections[place].client = AttributeClient(faults: faults)
      return connect(place)
    }
    self.end(place, end)
  }

  private mutating func end(_ place: Int, _ end: LinkEnd) {
    fail(place)
    let connection = connections.remove(at: place)
    let end = end == .closed ? connection.cause ?? end : end
    switch connection.state {
    case .waiting, .begun: output.append(.report(connection.address, .connectionFailed(end)))
    // Its server never said anything, and nobody gave it up.
    case .ending where connection.cause != nil && !connection.hasStood:
      output.append(.report(connection.address, .connectionFailed(end)))
    case .stands, .ending:
      output.append(.isOver(connection.address))
      if !faults.contains(.silentDisconnect) || end == .closed {
        output.append(.report(connection.address, .disconnected(end)))
      }
    }
  }

  /// All that was asked and not answered has failed.
  private mutating func fail(_ place: Int) {
    connections[place].client.stop(.disconnected)
    drain(place)
    for _ in 0..<connections[place].strengthCount {
      refuse(connections[place].address, .strength, .disconnected)
    }
    connections[place].strengthCount = 0
  }

  mutating func advance(to now: Instant) {
    var place = 0
    while place < connections.count {
      if connections[place].givesUpAt <= now {
        output.append(.want(connections[place].number, .end))
        end(place, .timedOut)
        continue
      }
      connections[place].client.advance(to: now)
      drain(place)
      place += 1
    }
  }

  /// Passes on what the client of a connection wants.
  private mutating func drain(_ place: Int) {
    let (address, number) = (connections[place].address, connections[place].number)
    for wanted in connections[place].client.output {
      switch wanted {
      case .send(let frame): output.append(.want(number, .send(frame)))
      case .event(let event): output.append(.report(address, event))
      case .name(let name): output.append(.name(address, name))
      case .rejected(let offset): output.append(.rejected(at: offset))
      case .end:
        (connections[place].state, connections[place].cause) = (.ending, .timedOut)
        output.append(.want(number, .end))
      }
    }
    connections[place].client.output.removeAll(keepingCapacity: true)
  }
}
