import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallWire

@Suite("SSDP reader")
struct SSDPReaderTests {
  @Test("every truncation of every sample is read without harm, and strict accepts nothing that lenient refuses")
  func truncations() {
    var fast = 0
    for sample in SSDPSamples.all {
      for count in 0...sample.count {
        let bytes = Array(sample[..<count])
        let lenient = SSDPReader.read(bytes, mode: .lenient)
        let strict = SSDPReader.read(bytes, mode: .strict)
        if strict.message != nil, lenient.message == nil { Issue.record("only strict accepts \(bytes)") }
        for rejection in [lenient.rejection, strict.rejection] {
          if let rejection, !(0...count).contains(rejection.offset) { Issue.record("offset outside of \(bytes)") }
        }
        guard count == sample.count else { continue }
        for mode in SSDPMode.allCases {
          switch SSDPReader.fastAgreesWithSlow(bytes, mode: mode) {
          case true?: fast += 1
          case false?: Issue.record("fast and slow reader disagree on \(SSDPGolden.escaped(bytes))")
          case nil: break
          }
        }
      }
    }
    #expect(fast > 100)
  }

  @Test("the fast reader takes what well-behaved stacks send, in both modes")
  func fastPath() {
    for bytes in SSDPSamples.composed {
      for mode in SSDPMode.allCases { expectEqual(SSDPReader.fastAgreesWithSlow(bytes, mode: mode), true) }
    }
    expectEqual(SSDPReader.fastAgreesWithSlow(Array("NOTIFY * HTTP/1.1\nNT: a\n\n".utf8), mode: .lenient), nil)
    expectEqual(SSDPReader.fastAgreesWithSlow(SSDPSamples.notify("SERVER: a\u{e9}"), mode: .strict), nil)
    expectEqual(SSDPReader.fastAgreesWithSlow(SSDPSamples.notify("SERVER: a\u{e9}"), mode: .lenient), true)
  }

  @Test("what lies behind the datagram does not change what is read", arguments: SSDPMode.allCases)
  func paddingIsNotRead(mode: SSDPMode) {
    let tails: [[UInt8]] = [
      Array(repeating: 0xFF, count: 64), Array("\r\n\r\nUSN: uuid:x\r\n\r\n".utf8) + Array(repeating: 10, count: 46),
      Array(repeating: 58, count: 64),
    ]
    for sample in SSDPSamples.composed + [Array("HTTP/1.1 200 OK\r\nST: a\r\nUSN: b".utf8)] {
      for count in stride(from: 1, through: sample.count, by: 1) {
        let expected = SSDPReader.read(Array(sample[..<count]), mode: mode)
        // The rest of the sample itself is the most tempting tail of all.
        for tail in tails + [Array((sample[count...] + [UInt8](repeating: 13, count: 64)).prefix(64))] {
          let memory = sample[..<count] + tail
          let found: SSDPOwnedReading = Array(memory).withUnsafeBytes { buffer in
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            var index = SSDPIndex()
            return withUnsafeMutablePointer(to: &index) {
              if let rejection = SSDPReader.read(bytes, mode: mode, into: $0) { return .rejected(rejection) }
              return .message(SSDPOwnedMessage(SSDPMessage(bytes: bytes, index: UnsafePointer($0))))
            }
          }
          if found != expected { Issue.record("\(count) bytes of \(SSDPGolden.escaped(sample))") }
        }
      }
    }
  }

  @Test("a line end may fall on any byte of a block of 64")
  func blockBorders() {
    for length in 0...140 {
      let padding = String(repeating: "x", count: length)
      let bytes = SSDPSamples.notify("X: \(padding)", "NT: a", "NTS: ssdp:alive", "USN: b")
      for mode in SSDPMode.allCases {
        let message = SSDPReader.read(bytes, mode: mode).message
        expectEqual(message?.fields.map(\.value), [padding, "a", "ssdp:alive", "b"])
        expectEqual(message?.kind, .notifyAlive)
        expectEqual(message?.byteCount, bytes.count)
        expectEqual(SSDPReader.fastAgreesWithSlow(bytes, mode: mode), true)
      }
      // The same with a CR that no LF follows, wherever it falls.
      let odd = SSDPSamples.notify("X: \(padding)\ry", "NT: a", "USN: b")
      expectEqual(SSDPReader.fastAgreesWithSlow(odd, mode: .lenient), nil)
      expectEqual(SSDPReader.read(odd, mode: .strict).rejection, Rejection(.controlByte, at: 22 + length))
    }
  }

  @Test("what stood in an index before does not change what is read into it", arguments: SSDPMode.allCases)
  func indexOfBefore(mode: SSDPMode) {
    func read(_ bytes: [UInt8], over before: UInt8) -> SSDPOwnedReading {
      let padded = bytes + [UInt8](repeating: 0, count: PayloadStore.paddingBytes)
      return padded.withUnsafeBytes { buffer in
        let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])
        var index = SSDPIndex()
        return withUnsafeMutablePointer(to: &index) { index in
          // So every line has the field before whose number this is.
          UnsafeMutableRawBufferPointer(start: index, count: MemoryLayout<SSDPIndex>.size)
            .initializeMemory(as: UInt8.self, repeating: before)
          if let rejection = SSDPReader.read(datagram, mode: mode, into: index) { return .rejected(rejection) }
          return .message(SSDPOwnedMessage(SSDPMessage(bytes: datagram, index: UnsafePointer(index))))
        }
      }
    }
    var messages = SSDPSamples.composed
    for field in SSDPField.allCases {
      let name = field.name
      let swapped = String(name.map { $0 == "-" ? "." : $0 == "." ? "-" : $0 })
      for line in ["\(name): 1", "\(name):", "\(name)X: 1", "\(name) : 1", "X\(name): 1", "\(swapped): 1", "\(name)"] {
        messages.append(SSDPSamples.notify(line, "\(name.lowercased()):2 "))
      }
    }
    for bytes in messages {
      let expected = SSDPReader.read(bytes, mode: mode)
      for before in (0...32 as ClosedRange<UInt8>) + [0xFF] where read(bytes, over: before) != expected {
        Issue.record("\(before) before \(SSDPGolden.escaped(bytes))")
      }
    }
  }

  @Test("every known name is found in any case, and nothing that is almost a known name")
  func names() {
    for field in SSDPField.allCases.dropFirst() {
      let name = field.name
      let mixed = String(name.enumerated().map { $0.offset % 2 == 0 ? Character($0.element.lowercased()) : $0.element })
      for spelling in [name, name.lowercased(), mixed] {
        let message = SSDPReader.read(SSDPSamples.notify("\(spelling): 1"), mode: .strict).message
        expectEqual(message?.fields.map(\.number), [field])
      }
      for wrong in [name + "X", "X" + name, String(name.dropLast()), String(name.dropFirst()), name + "."] {
        guard !wrong.isEmpty, !SSDPField.allCases.contains(where: { $0.name == wrong }) else { continue }
        let message = SSDPReader.read(SSDPSamples.notify("\(wrong): 1"), mode: .lenient).message
        expectEqual(message?.fields.map(\.number), [.other], "\(wrong)")
      }
      // One byte changed: never the same field.
      for position in name.utf8.indices {
        var bytes = Array(name.utf8)
        bytes[name.utf8.distance(from: name.startIndex, to: position)] ^= 0x01
        let line = Array("NOTIFY * HTTP/1.1\r\n".utf8) + bytes + Array(": 1\r\n\r\n".utf8)
        #expect(SSDPReader.read(line, mode: .lenient).message?.fields.first?.number != field)
      }
    }
  }

  @Test(
    "numbers of 31 bits are read, everything else is -1",
    arguments: [
      ("0", 0), ("7", 7), ("2147483647", 2_147_483_647), ("2147483648", -1), ("000000000000000000000000000009", 9),
      ("99999999999999999999999999", -1), ("18446744073709551617", -1), ("", -1), ("-1", -1), ("+1", -1), ("1 2", -1),
      ("1.0", -1), ("0x10", -1), ("one", -1), ("1\u{661}", -1),
    ] as [(String, Int64)])
  func numbers(text: String, value: Int64) {
    let bytes = SSDPSamples.notify(
      "BOOTID.UPNP.ORG: \(text)", "CONFIGID.UPNP.ORG:\(text)", "NEXTBOOTID.UPNP.ORG: \(text) ",
      "SEARCHPORT.UPNP.ORG: \(text)", "MX: \(text)")
    let message = SSDPReader.read(bytes, mode: .lenient).message
    expectEqual(message?.bootID, value)
    expectEqual(message?.configID, value)
    expectEqual(message?.nextBootID, value)
    expectEqual(message.map { Int64($0.searchPort) }, value)
    expectEqual(message.map { Int64($0.maximumWaitSeconds) }, value)
  }

  @Test("the largest datagram is read to its last byte, one byte more is refused")
  func largest() {
    let head = "NOTIFY * HTTP/1.1\r\nX: "
    let tail = "\r\nUSN: uuid:last\r\n\r\n"
    let filling = SSDPReader.byteCountMaximum - head.utf8.count - tail.utf8.count
    var bytes = Array((head + String(repeating: "x", count: filling) + tail).utf8)
    for mode in SSDPMode.allCases {
      let message = SSDPReader.read(bytes, mode: mode).message
      expectEqual(message?.value(of: .usn), "uuid:last")
      expectEqual(message?.fields.first?.valueBytes.count, filling)
      expectEqual(message?.byteCount, 65_507)
    }
    bytes.append(0)
    for mode in SSDPMode.allCases {
      expectEqual(SSDPReader.read(bytes, mode: mode), .rejected(Rejection(.tooLong, at: 65_507)))
    }
  }

  @Test("ten thousand fields end the reading at the thirty-third")
  func manyFields() {
    let bytes = Array(("NOTIFY * HTTP/1.1\r\n" + String(repeating: "A:1\r\n", count: 10_000) + "\r\n").utf8)
    for mode in SSDPMode.allCases {
      expectEqual(SSDPReader.read(bytes, mode: mode), .rejected(Rejection(.tooManyFields, at: 19 + 32 * 5)))
    }
  }

  /// Most machines run only one of both ways.
  private static func lanesAgree(on bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { buffer in
      let span = buffer.bytes
      var controls: UInt64 = 0
      var high: UInt64 = 0
      var colons: UInt32 = 0
      for (offset, byte) in bytes.enumerated() {
        if byte < 32 { controls |= 1 << UInt64(offset) }
        if byte > 126 { high |= 1 << UInt64(offset) }
        if byte == 58, offset < 32 { colons |= 1 << UInt32(offset) }
      }
      return PortableLanes.controls(span, 0) == controls && Lanes.controls(span, 0) == controls
        && PortableLanes.high(span, 0) == high && Lanes.high(span, 0) == high
        && PortableLanes.colons(span, 0) == colons && Lanes.colons(span, 0) == colons
    }
  }

  @Test("both ways of looking at 64 bytes at once agree with looking at each byte")
  func lanes() {
    var stream = Seed(1).stream("lanes")
    let interesting: [UInt8] = [0, 9, 10, 13, 31, 32, 57, 58, 59, 126, 127, 128, 255]
    for _ in 0..<400 {
      let block = (0..<64).map { _ in
        stream.below(2) == 0 ? interesting[Int(stream.below(13))] : UInt8(stream.below(256))
      }
      #expect(Self.lanesAgree(on: block))
    }
  }

  @Test("a payload is read once a mode, and remembers why it was refused")
  func notes() {
    let store = PayloadStore()
    #expect(MemoryLayout<SSDPIndex>.size <= PayloadStore.noteBytes)
    expectEqual(MemoryLayout<SSDPIndex>.offset(of: \.places), SSDPIndex.placesOffset)
    expectEqual(MemoryLayout<SSDPIndex>.offset(of: \.fields), SSDPIndex.fieldsOffset)
    let payload = store.store(Array("NOTIFY * HTTP/1.1\nNTS: ssdp:alive\nNT: a\nUSN: b\n\n".utf8))
    guard case .message(let first) = SSDPReader.reading(of: payload, in: store, mode: .lenient),
      case .message(let second) = SSDPReader.reading(of: payload, in: store, mode: .lenient)
    else {
      Issue.record("refused")
      return
    }
    expectEqual(first.index, second.index)
    expectEqual(UnsafeRawPointer(first.index), UnsafeRawPointer(store.note(of: payload).memory))
    expectEqual(second.kind, .notifyAlive)
    expectEqual(second.text(of: .usn), "b")
    for _ in 0..<2 {
      guard case .rejected(let rejection) = SSDPReader.reading(of: payload, in: store, mode: .strict) else {
        Issue.record("accepted")
        return
      }
      expectEqual(rejection, Rejection(.lineEnd, at: 17))
    }
    guard case .message(let again) = SSDPReader.reading(of: payload, in: store, mode: .lenient) else {
      Issue.record("refused")
      return
    }
    expectEqual(again.text(of: .nt), "a")
    store.release(payload)
  }
}
