import RollcallCapture
import RollcallDevices
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallWire

/// Searches of programs beside the engine: it adopts them at the instants at which they leave, as a replay does.
enum SharedSearches {
  /// The most copies that a run adopts.
  static let copiesMaximum = 100_000

  private struct Copy {
    var at: Instant
    var payload: [UInt8]
    var source: Endpoint
    var destination: Endpoint
  }

  /// - Parameter appearances: when everybody joins the network; who appears by the timeline is not listened to.
  static func commands(of resolved: Resolved, _ appearances: [ResolvedCommand]) -> [ResolvedCommand] {
    var copies: [Copy] = []
    for (index, host) in resolved.hosts.enumerated() {
      guard case .other(.recorded(let plan)) = host.role, !plan.speaksAs.isEmpty,
        let start = appearances.first(where: { $0.host == index })?.at
      else { continue }
      let own = resolved.plan.hosts[index].interfaces.flatMap(\.addresses).map(\.address)
      for utterance in plan.utterances {
        let isV6 = utterance.destination.map { $0.address.family == .v6 } ?? !own.contains { $0.family == .v4 }
        guard let address = plan.speaksAs.first(where: { ($0.family == .v6) == isV6 }) else { continue }
        let destination = utterance.destination ?? Endpoint.ssdp(isV6: isV6)
        var round = 0
        while copies.count < copiesMaximum, let first = utterance.offset(round: round, message: 0),
          start + first <= resolved.end
        {
          for (number, message) in utterance.messages.enumerated() {
            guard let offset = utterance.offset(round: round, message: number) else { continue }
            copies.append(
              Copy(
                at: start + offset, payload: message, source: Endpoint(address, port: utterance.sourcePort),
                destination: destination))
          }
          round += 1
        }
      }
    }
    if copies.isEmpty { return [] }
    return adopted(
      copies.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element))
  }

  /// The same sessions under the same numbers as a replay of these copies.
  private static func adopted(_ copies: [Copy]) -> [ResolvedCommand] {
    var sockets = SearchSockets()
    let store = PayloadStore()
    return copies.compactMap { copy in
      let payload = store.store(copy.payload)
      defer { store.release(payload) }
      guard case .message(let message) = SSDPReader.reading(of: payload, in: store, mode: .lenient),
        message.kind == .search, let target = message.value(of: .st), !target.isEmpty
      else { return nil }
      let search = sockets.adopt(
        target: target, from: copy.source, to: copy.destination,
        maximumWaitSeconds: Int(message.index.pointee.maximumWaitSeconds), at: copy.at, anyAddress: true)
      return ResolvedCommand(id: "adopt", at: copy.at, host: 0, command: .adopt(search, copyAt: copy.source))
    }
  }
}
