package import RollcallPrimitives

/// A datagram of an examination, as evidence.
package struct ProbeMessage: Hashable, Sendable {
  package var time: Instant
  package var isSent: Bool
  /// The other end.
  package var peer: Endpoint
  /// The examiner's own port.
  package var port: UInt16
  package var bytes: [UInt8]

  package init(time: Instant, isSent: Bool, peer: Endpoint, port: UInt16, bytes: [UInt8]) {
    (self.time, self.isSent, self.peer, self.port, self.bytes) = (time, isSent, peer, port, bytes)
  }

  /// The lines of the message, without their ends, at most 32.
  private var lines: [Substring] {
    let lines = String(decoding: bytes, as: UTF8.self).split(maxSplits: 32, omittingEmptySubsequences: true) {
      $0 == "\r\n" || $0 == "\n" || $0 == "\r"
    }
    return Array(lines.prefix(32))
  }

  /// The start line and the fields that tell searches and answers apart.
  package var text: String {
    let shown = ["ST", "MX", "MAN", "NT", "NTS", "USN", "NEXTBOOTID.UPNP.ORG"]
    var words: [String] = []
    // What is as it always is tells nothing.
    let usual = "MAN: \"ssdp:discover\""
    for (number, line) in lines.enumerated() {
      if number == 0 {
        words.append(Self.printable(line))
        continue
      }
      let name = line.prefix { $0 != ":" }.uppercased()
      if shown.contains(name), line != usual { words.append(Self.printable(line)) }
    }
    return words.isEmpty ? "(no bytes)" : words.joined(separator: "  ")
  }

  private static func printable(_ text: Substring) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(120) {
      if scalar.value >= 32, scalar.value != 127 { shown.unicodeScalars.append(scalar) } else { shown += "·" }
    }
    return shown
  }
}
