import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("SSDP reader, one reading after another") struct SSDPIndexReuseTests {
  /// All that an index says of a message.
  private struct Facts: Hashable {
    var message: SSDPOwnedMessage
    var seen: UInt32
    var repeated: UInt32
    var ranges: [Range<Int>?]

    init(_ message: SSDPMessage) {
      self.message = SSDPOwnedMessage(message)
      (seen, repeated) = (message.index.pointee.seen, message.index.pointee.repeated)
      ranges = SSDPField.allCases.map { message.range(of: $0) }
    }
  }

  /// Reads into an index that somebody used before; `padding` is what stands behind the datagram.
  private func reading(
    _ bytes: [UInt8], _ mode: SSDPMode, _ index: inout SSDPIndex, padding: UInt8 = 0
  ) -> Facts? {
    let padded = bytes + [UInt8](repeating: padding, count: PayloadStore.paddingBytes)
    return padded.withUnsafeBytes { buffer -> Facts? in
      let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])
      return withUnsafeMutablePointer(to: &index) { pointer -> Facts? in
        guard SSDPReader.read(datagram, mode: mode, into: pointer) == nil else { return nil }
        return Facts(SSDPMessage(bytes: datagram, index: UnsafePointer(pointer)))
      }
    }
  }

  private func reading(_ bytes: [UInt8], _ mode: SSDPMode, padding: UInt8 = 0) -> Facts? {
    var index = SSDPIndex()
    return reading(bytes, mode, &index, padding: padding)
  }

  private static let lines: [[String]] = [
    ["NOTIFY * HTTP/1.1"], ["M-SEARCH * HTTP/1.1"], ["HTTP/1.1 200 OK"], ["NOTIFY * HTTP/1.1", "X: 1"],
    [
      "NOTIFY * HTTP/1.1", "NTS: ssdp:byebye", "CACHE-CONTROL: max-age=7", "BOOTID.UPNP.ORG: 1", "MX: 2", "NT: a",
      "CONFIGID.UPNP.ORG: 3", "NEXTBOOTID.UPNP.ORG: 4", "SEARCHPORT.UPNP.ORG: 5", "X: 1", "x: 2", "nt: b", "USN: c",
    ],
    ["NOTIFY * HTTP/1.1", "NTS: ssdp:other", "USN: a", "CACHE-CONTROL: none"],
  ]

  /// Each for the fast reader and, with lone line feeds, for the slow one.
  private static let samples: [[UInt8]] = lines.flatMap { lines -> [[UInt8]] in
    ["\r\n", "\n"].map { end in Array((lines.joined(separator: end) + end + end).utf8) }
  }

  @Test("what an index held before does not change what is read into it")
  func reuse() {
    for mode in SSDPMode.allCases {
      for sample in Self.samples + SSDPSamples.composed {
        let fresh = reading(sample, mode)
        for other in Self.samples + SSDPSamples.composed {
          var index = SSDPIndex()
          _ = reading(other, mode, &index)
          if reading(sample, mode, &index) != fresh {
            Issue.record("\(mode): \(SSDPGolden.escaped(sample)) after \(SSDPGolden.escaped(other))")
          }
        }
      }
    }
    // Without fields all numbers are absent, and no field is seen.
    for sample in Self.samples[..<6] {
      let found = reading(sample, .lenient)
      #expect(found?.seen == 0 && found?.repeated == 0 && found?.message.fields == [])
      expectEqual(found?.message.byteCount, sample.count)
    }
  }

  @Test("blanks, line ends, colons or letters behind a datagram that was cut are no part of it")
  func paddings() {
    let texts = [
      "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\t", "HTTP/1.1 200 OK\r\nX:", "HTTP/1.1 200 OK\nX", "NOTIFY * HTTP/1.1\nX: a",
      "M-SEARCH * HTTP/1.1\r", "NOTIFY * HTTP/1.1\nNT: ", "NOTIFY * HTTP/1.1\nNTS:ssdp:alive", "NOTIFY * HTTP/1.",
      "HTTP/1.1 200 OK\nCACHE-CONTROL: max-age", "HTTP/1.1 200 OK\nCACHE-CONTROL: max-age=1",
      "HTTP/1.1 200 OK\nBOOTID.UPNP.ORG: 1", "HTTP/1.1 200 OK\r\nUS", "NOTIFY * HTTP/1.1\n\r",
    ]
    for text in texts {
      let bytes = Array(text.utf8)
      for mode in SSDPMode.allCases {
        let expected = reading(bytes, mode)
        for padding in Array(" \t\r\n:=1aN".utf8) + [0x80, 0xBF] {
          expectEqual(reading(bytes, mode, padding: padding), expected, "\(SSDPGolden.escaped(bytes)) and \(padding)")
        }
      }
    }
  }

  @Test("a name with one bit changed is the field that it then names, or none")
  func names() {
    var known: [[UInt8]: SSDPField] = [:]
    for field in SSDPField.allCases.dropFirst() { known[Array(field.name.utf8)] = field }
    for whole in known.keys {
      for place in whole.indices {
        for bit in 0..<8 {
          var name = whole
          name[place] ^= 1 << UInt8(bit)
          // A blank at the start would fold the line.
          if place == 0, name[0] == 32 || name[0] == 9 { continue }
          let upper = name.map { (97...122).contains($0) ? $0 - 32 : $0 }
          let expected = known[upper] ?? .other
          for lineEnd in ["\r\n", "\n"] {
            let start = Array("NOTIFY * HTTP/1.1\(lineEnd)".utf8)
            let bytes = start + name + Array(": 1\(lineEnd)\(lineEnd)".utf8)
            let found = SSDPReader.read(bytes, mode: .lenient).message?.fields.map(\.number)
            if found != [expected] { Issue.record("\(SSDPGolden.escaped(bytes)): \(String(describing: found))") }
          }
        }
      }
    }
  }

  @Test("names that are long, or hold a blank, are no known field, and may come twice in both modes")
  func unknownNames() {
    for count in [23, 24, 25, 26, 31, 32, 64, 255] {
      let name = String(repeating: "x", count: count)
      for mode in SSDPMode.allCases {
        let lines = SSDPSamples.notify("\(name): 1", "\(name.uppercased()): 2")
        let found = SSDPReader.read(lines, mode: mode).message
        #expect(found?.fields.map(\.number) == [.other, .other] && found?.value(of: .other) == "1", "\(count)")
      }
    }
    for name in ["US N", "N T", "USN\u{1}", "\u{1}USN", "NT\0", "S\tT"] {
      let found = SSDPReader.read(SSDPSamples.notify("\(name): 1", "X: 2"), mode: .lenient).message
      expectEqual(found?.fields.map(\.number), [.other, .other])
    }
  }

  @Test("a value of nothing but one byte of 0x80 is shown as that byte")
  func loneBytes() {
    let cases: [([UInt8], String)] = [
      ([0x80], "\\x80"), ([0x80, 0x80], "\\x80\\x80"), ([0, 0x80], "\u{0}\\x80"), ([0x7F], "\u{7F}"),
    ]
    for (value, text) in cases {
      let bytes = Array("NOTIFY * HTTP/1.1\r\nX: ".utf8) + value + [13, 10, 13, 10]
      expectEqual(SSDPSamples.headers(bytes).headers.map(\.value), [text], "\(value)")
    }
  }
}
