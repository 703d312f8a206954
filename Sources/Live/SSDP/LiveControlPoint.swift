import RollcallConformance
package import RollcallExaminers
package import RollcallPrimitives
import RollcallWire

/// Puts the baits of an examination on real sockets.
///
/// Lives on the event loop of its run, like every party.
package final class LiveControlPoint: LiveParty, @unchecked Sendable {
  package weak var outlet: (any LiveOutlet)?
  package private(set) var examination: ControlPointExamination
  /// Starts and ends the command; on the event loop.
  package var startCommand: () -> Void = {}
  package var stopCommand: () -> Void = {}
  /// Called when everything was put, on the event loop.
  package var whenOver: () -> Void = {}

  private var isToldOver = false

  package init(_ setting: ControlPointExamination.Setting) { examination = ControlPointExamination(setting) }

  /// Begins anew with what became known since, before the run begins.
  package func renew(_ setting: ControlPointExamination.Setting) { examination = ControlPointExamination(setting) }

  package var deadline: Instant? { examination.deadline }

  package func begin(at now: Instant) {
    outlet?.join(.ssdp(examination.setting.address.family), on: examination.setting.interface)
    outlet?.listen(at: examination.setting.speaker, on: examination.setting.interface)
    examination.begin(at: now)
    settle()
  }

  package func end(at now: Instant) {
    examination.breakOff(at: now)
    settle()
  }

  package func advance(to now: Instant) {
    examination.advance(to: now)
    settle()
  }

  package func hear(_ datagram: HeardDatagram, at now: Instant) {
    // What the baits said comes back from the group.
    if outlet?.isOwn(datagram.source, on: datagram.interface) == true { return }
    examination.hear(
      Array(datagram.bytes), from: datagram.source, to: datagram.destination, hopLimit: datagram.hopLimit, at: now)
    settle()
  }

  package func take(_ change: InterfaceChange, at now: Instant) {}
  package func take(_ refusal: Refusal, at now: Instant) {}

  /// What the description server answers.
  package func page(
    _ path: String, at listener: Endpoint, from client: IPAddress?, at now: Instant
  ) -> DescriptionServer.Answer {
    switch examination.fetched(path, at: listener, from: client, at: now) {
    case .document(let bytes): .document(bytes)
    case .redirect(let location): .redirect(location)
    case .huge:
      .measured(Array(repeating: 32, count: ControlPointExamination.hugePageByteCount)) { [weak self] whole in
        self?.examination.tookPage(path, whole: whole)
      }
    case .unknown: .unknown
    }
  }

  package func read(_ line: String, at now: Instant) {
    examination.advance(to: now)
    examination.read(line, at: now)
    settle()
  }

  package func commandEnded(_ end: ControlPointExamination.CommandEnd, at now: Instant) {
    examination.advance(to: now)
    examination.commandEnded(end, at: now)
    settle()
  }

  private func settle() {
    for wish in examination.takeWishes() {
      switch wish {
      case .send(let bytes, let source, let destination):
        bytes.withUnsafeBytes { view in
          // The outlet looks at the addresses and at the bytes beside them.
          let store = PayloadStore()
          let payload = store.store(view)
          outlet?.send(
            Datagram(
              source: source, destination: destination, interface: examination.setting.interface, hopLimit: 2,
              payload: payload), view)
        }
      case .startCommand: startCommand()
      case .stopCommand: stopCommand()
      }
    }
    if examination.isOver, !isToldOver {
      isToldOver = true
      whenOver()
    }
  }
}
