import RollcallLive
import RollcallPhones
import RollcallPrimitives
import RollcallWire
import Synchronization

/// Joins a phone, the socket to its controller, and a live run. Everything but the phone is on the run's event loop.
final class PhoneParty: LiveParty, @unchecked Sendable {
  let phone: SimulatedPhone
  let failure = Mutex<String?>(nil)
  weak var outlet: (any LiveOutlet)?
  private let address: RadioAddress?
  private var hosted: HostedPhone?
  private var socket: HCIOutlet?

  init(_ phone: SimulatedPhone, address: RadioAddress?) { (self.phone, self.address) = (phone, address) }

  /// Connects to the controller there; before the run begins.
  func open(_ place: HCIPlace, on run: LiveRun) {
    let advance: @Sendable (Instant) -> Void = { [weak self] in self?.advance(to: $0) }
    let take: @Sendable (HCIOutlet.Event, Instant) -> Void = { [weak self] in self?.take($0, at: $1) }
    let hosted = HostedPhone(phone, address: address) { [weak run] in run?.tell(advance) }
    let socket = HCIOutlet(loop: run.eventLoop) { [weak run] event in run?.tell { take(event, $0) } }
    hosted.send = { socket.send($0) }
    (self.hosted, self.socket) = (hosted, socket)
    run.onEnd = { _ in socket.close() }
    socket.open(place)
  }

  private func take(_ event: HCIOutlet.Event, at now: Instant) {
    switch event {
    case .connected: hosted?.begin(at: now)
    case .bytes(let bytes):
      // What makes no sense ends the phone's radio; it has said why.
      do { try hosted?.receive(bytes, at: now) } catch { socket?.close() }
    case .closed(let reason): hosted?.end(reason, at: now)
    }
    note()
  }

  private func note() {
    let reason = hosted?.failure
    failure.withLock { $0 = reason }
  }

  var deadline: Instant? { hosted?.deadline }
  func advance(to now: Instant) {
    hosted?.advance(to: now)
    note()
  }
  func begin(at now: Instant) {}
  func end(at now: Instant) { hosted?.stop(at: now) }
  func hear(_ datagram: HeardDatagram, at now: Instant) {}
  func take(_ change: InterfaceChange, at now: Instant) {}
  func take(_ refusal: Refusal, at now: Instant) {}
}
