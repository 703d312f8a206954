import RollcallPrimitives
import RollcallWire

extension NearbyReports {
  /// What a datagram is, for people.
  static func text(of datagram: RecordedDatagram) -> String {
    guard let message = SSDPReader.read(datagram.bytes, mode: .lenient).message else {
      return "a datagram of \(datagram.bytes.count) bytes"
    }
    let target = message.value(of: message.kind == .response || message.kind == .search ? .st : .nt)
    return message.kind.name + (target.map { " " + $0 } ?? "")
  }
}
