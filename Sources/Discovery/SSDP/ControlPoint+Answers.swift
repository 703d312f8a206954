import RollcallPrimitives
import RollcallWire

// What a driver asks of searches behind a call, for those who want answers in full. Nothing changes here; it is mutating
// so that it is not called on a copy.
extension ControlPoint {
  /// The open searches by hand that a datagram is an answer to, in the order in which they began.
  ///
  /// The control point has taken the datagram just now and did not refuse it. An answer whose LOCATION may not be handed on
  /// is none: it would lead who asked to a place that somebody else chose (H-CP-SSRF).
  mutating func searchesByHand(
    answeredBy datagram: Datagram, _ table: inout LeaseTable, in payloads: PayloadStore
  ) -> [SearchID] {
    var door = doors.first(at: datagram.destination)
    if door == SearchDoors.end { return [] }
    guard case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: intake.mode),
      message.kind == .response, let target = message.value(of: .st), let usn = message.value(of: .usn),
      let location = message.value(of: .location), let end = uuidEnd(usn)
    else { return [] }
    var found: [SearchID] = []
    while door != SearchDoors.end {
      let id = SearchID(doors.search(door))
      if id.isByHand, asks(door, for: target) { found.append(id) }
      door = doors.next(door)
    }
    if found.isEmpty { return [] }
    let part = table.uuids.find(UnsafeRawBufferPointer(rebasing: usn[USN.schemeByteCount..<end]))
    return table.reportable(location, part, none) == none ? [] : found
  }

  /// Whether every copy of a search that was sent so far was refused.
  func isUnsent(_ id: SearchID) -> Bool {
    guard let session = sessions.firstIndex(where: { $0.id == id }) else { return false }
    return sessions[session].sentCount > 0 && sessions[session].refusedCount >= sessions[session].sentCount
  }
}
