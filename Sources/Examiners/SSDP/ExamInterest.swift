package import RollcallPrimitives

/// Whose datagrams an examination judges; what others send need not be kept for it.
package struct ExamInterest: Hashable, Sendable {
  package var address: IPAddress
  /// In small letters; empty: the address says it.
  package var uuids: [String]

  /// Whether a datagram is of the device; one without a USN is of the device at its address.
  func concerns(_ datagram: RecordedDatagram) -> Bool {
    let mark = Array("\r\nusn:".utf8)
    let bytes = datagram.bytes
    guard !uuids.isEmpty,
      let place = bytes.indices.first(where: { start in
        start + mark.count <= bytes.count
          && mark.indices.allSatisfy {
            mark[$0] == (bytes[start + $0] &- 65 < 26 ? bytes[start + $0] | 32 : bytes[start + $0])
          }
      })
    else { return datagram.source.address == address }
    let value = bytes[(place + mark.count)...].prefix { $0 != 13 && $0 != 10 }
    let text = String(decoding: value, as: UTF8.self).lowercased()
    return uuids.contains { text.contains("uuid:" + $0) }
  }

  /// Whether it may be found to be of the device when more is known of it.
  package func mayConcern(_ datagram: RecordedDatagram) -> Bool {
    datagram.source.address == address || concerns(datagram)
  }
}

extension ExamSubject {
  var interest: ExamInterest { ExamInterest(address: address, uuids: all.map { $0.uuid.lowercased() }) }
}

extension DeviceExam {
  /// `nil`: nobody is chosen yet.
  package var interest: ExamInterest? { subject?.interest }
}

extension ResponderExam {
  /// `nil`: nobody is chosen yet.
  package var interest: ExamInterest? { examined.map { ExamInterest(address: $0, uuids: []) } }
}
