import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a frame is before a reader fills it, and what is left of the one that stood in its place.
@Suite("Unfilled frames and left-out names") struct UnfilledFrameTests {
  @Test("a frame that nobody filled is the empty one of time zero")
  func unfilled() {
    let frame = CaptureFrame()
    expectEqual([frame.number, frame.interface, frame.capturedCount, frame.originalCount], [0, 0, 0, 0])
    expectEqual([frame.seconds, Int64(frame.fraction), frame.time.nanoseconds, Int64(frame.linkType)], [0, 0, 0, 0])
    #expect(frame.hasTime && frame.timeText == "0.000000000" && frame.content.isEmpty)
    #expect(frame.comments == [] && frame.direction == nil)
  }

  @Test("a frame made by hand is of a little-endian file")
  func order() throws {
    let programs = CapturePrograms(try CaptureFilter("ip6"))
    // The loopback header of BSD is in the order of the file.
    let headers: [([UInt8], Bool)] = [([24, 0, 0, 0], true), ([0, 0, 0, 24], false)]
    for (header, passes) in headers {
      let content = header + PacketEdgeTests.six
      let bytes = content + [UInt8](repeating: 0, count: CaptureFrame.paddingBytes)
      try bytes.withUnsafeBytes { buffer in
        var frame = CaptureFrame()
        (frame.capturedCount, frame.originalCount) = (content.count, content.count)
        frame.bytes = try #require(buffer.baseAddress)
        let isAccepted = try programs.accepts(frame)
        expectEqual(isAccepted, passes, "\(header)")
      }
    }
  }

  @Test("a frame of pcap has no comment and no direction of the frame that stood in its place")
  func places() throws {
    for bigEndian in [false, true] {
      let ng = PcapngSample(bigEndian: bigEndian)
      let options = ng.option(1, "x") + ng.option(2, ng.number(UInt32(1)))
      var other = try CaptureReader(pull: source(ng.section() + ng.interface() + ng.enhanced(0, 7, [1], options)))
      var place = CaptureFrame()
      let isThere = other.next(&place)
      #expect(isThere && place.comments == ["x"] && place.direction == .inbound)
      let sample = PcapSample(bigEndian: bigEndian)
      var reader = try CaptureReader(pull: source(sample.header + sample.record(1, 2, [4]) + sample.record(1, 3, [5])))
      var first = CaptureFrame()
      let (isFirst, isSecond) = (reader.next(&first), reader.next(&place))
      #expect(isFirst && isSecond && Array(place.content) == [5])
      #expect(place.comments == [] && place.direction == nil)
      let counts = [other.frameCount, reader.frameCount]
      expectEqual(counts, [1, 2])
    }
  }

  @Test("an empty name, or one of zero bytes only, leaves no record behind")
  func emptyNames() {
    let sample = PcapngSample()
    var writer = CaptureWriter(section: CaptureSection())
    let start = writer.bytes.count
    let names: [(UInt8, String)] = [(4, "tv"), (5, ""), (6, "\0"), (7, "box")]
    writer.names(names.map { CaptureName(address: IPAddress(1, 2, 3, $0.0), name: $0.1) })
    let records = sample.option(1, [1, 2, 3, 4, 116, 118, 0]) + sample.option(1, [1, 2, 3, 7, 98, 111, 120, 0])
    let expected = sample.block(4, records + sample.number(UInt32(0)))
    expectEqual(Array(writer.bytes[start...]), expected)
  }

  @Test("the longest frame that is written has 128 MiB, and its block is one that is read")
  func longest() {
    expectEqual(CaptureWriter.frameBytesMaximum, 134_217_728)
    #expect(CaptureWriter.frameBytesMaximum + 32 <= CaptureReader.blockBytesMaximum)
  }

  @Test("of an expression that no link layer takes, what is said is why Ethernet does not")
  func refused() {
    // Ethernet has addresses and no paths of ATM; raw IP has not even addresses.
    do throws(CaptureFilterError) {
      _ = try CaptureFilter("ether host 02:00:00:00:00:01 and vpi 3")
      Issue.record("a path of ATM was taken")
    } catch {
      guard case .wrongExpression(_, let why) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(why.contains("vpi") && !why.contains("addresses"))
    }
  }

  @Test("what libpcap says of an interface ends where its words end")
  func words() {
    for name in ["nflog:70000", "rollcall-interface-none"] {
      do throws(CaptureRecorderError) {
        _ = try CaptureRecorder(interface: name)
        Issue.record("an interface that does not exist was opened")
      } catch {
        switch error {
        case .failed(_, let why), .noSuchInterface(_, let why), .notPermitted(_, let why):
          #expect(!why.utf8.contains(0), "\(name)")
        }
      }
    }
  }
}
