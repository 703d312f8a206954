import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallTrace
import Testing

/// What a picture makes of streams, of the radio, and of ports whose values it only notes.
@Suite("Pictures of other ports than that of datagrams") struct PortPictureTests {
  /// An entry: when in nanoseconds, of which station, what.
  private typealias Row = (time: Int64, station: UInt32, content: TraceEntry.Content)

  /// Entries ten milliseconds apart.
  private func spaced(_ rows: [(UInt32, TraceEntry.Content)]) -> [Row] {
    rows.enumerated().map { (time: Int64($0.offset) * 10_000_000, station: $0.element.0, content: $0.element.1) }
  }

  /// The picture of an engine, a television and a lamp.
  private func picture(_ rows: [Row], marks: Int = 1_000, strings: Int = 1_000_000) -> Picture {
    var bounds = PictureBounds()
    (bounds.marks, bounds.strings) = (marks, strings)
    let cast = TraceCast([
      TraceCast.Station("engine", .engine), TraceCast.Station("tv", .host), TraceCast.Station("lamp", .host),
    ])
    var making = TracePicture(cast, knowsTruth: false, bounds: bounds)
    for (place, row) in rows.enumerated() {
      let time = Instant.zero + .nanoseconds(row.time)
      making.take(TraceEntry(time: time, station: row.station, content: row.content), number: place + 1)
    }
    return making.finish(verb: "", title: "", origin: .zero)
  }

  /// Each mark: kind, lane, number of the entry, the place of the mark that it comes of, what it says.
  private func lines(_ picture: Picture) -> [String] {
    picture.marks.map { mark in
      let saying = picture.sayings[mark.saying]
      let fields = saying.fields.map { ", \(picture.strings[$0.name]) \(picture.strings[$0.value])" }.joined()
      let cause = mark.cause < 0 ? "" : " by \(mark.cause)"
      return "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause): "
        + picture.strings[saying.title] + fields
    }
  }

  private func leftOut(_ picture: Picture) -> [String] { picture.leftOut.map { "\($0.count) \($0.what)" } }

  private static let caller = Endpoint(IPAddress(10, 0, 0, 1), port: 5000)
  private static let server = Endpoint(IPAddress(10, 0, 0, 2), port: 80)

  // MARK: - Streams

  @Test("what arrives on a stream comes of what its other end wrote last; room, a listener and pauses are no marks")
  func streams() {
    func given(_ signal: StreamSignal) -> TraceEntry.Content { .signal(.streams(signal)) }
    func wanted(_ effect: StreamEffect) -> TraceEntry.Content { .effect(.streams(effect)) }
    let (own, other) = (StreamID(1), StreamID(9))
    let rows = spaced([
      (0, wanted(.connect(own, to: Self.server, InterfaceID(0)))),
      (0, wanted(.write(own, Array("early".utf8)))),
      (0, given(.opened(own, local: Self.caller))),
      (1, given(.accepted(other, listener: StreamID(3), local: Self.server, remote: Self.caller))),
      (0, wanted(.write(own, Array("GET / x".utf8)))),
      (1, given(.bytes(other, Array("GET / x".utf8)))),
      (1, wanted(.write(other, [1, 2]))),
      (0, given(.room(own, byteCount: 7))),
      (0, given(.bytes(own, [1, 2]))),
      (0, given(.ended(own, .finished))),
      (0, wanted(.reset(own))),
      (0, wanted(.listen(StreamID(4), at: Self.caller, InterfaceID(0)))),
      (0, wanted(.finish(own))),
      (0, wanted(.pause(own))),
      (0, wanted(.resume(own))),
      // Nobody said between whom this one is.
      (0, given(.bytes(StreamID(77), Array("abcd".utf8)))),
      (0, .effect(.store(.get(key: "k")))),
      (0, .signal(.store(.stored(key: "k")))),
    ])
    let (there, back) = ("stream 10.0.0.1:5000 with 10.0.0.2:80", "stream 10.0.0.2:80 with 10.0.0.1:5000")
    let drawn = picture(rows)
    expectEqual(
      lines(drawn),
      [
        "note engine 1: connects to 10.0.0.2:80",
        "sent engine 2: early, stream 10.0.0.2:0 with 10.0.0.2:80, bytes 5",
        "note engine 3: stream 1 opened 10.0.0.1:5000",
        "note tv 4: accepted 10.0.0.1:5000",
        "sent engine 5 by 2: GET / x, \(there), bytes 7",
        "heard tv 6 by 4: GET / x, \(back), bytes 7",
        "sent tv 7 by 5: 2 bytes, \(back), bytes 2",
        "heard engine 9 by 6: 2 bytes, \(there), bytes 2",
        "note engine 10: stream 1 finished",
        "note engine 11 by 8: stream 1 reset",
        "heard engine 16: abcd, bytes 4",
        "note engine 17 by 10: \(StoreEffect.get(key: "k").text)",
        "note engine 18: \(StoreSignal.stored(key: "k").text)",
      ])
    expectEqual(leftOut(drawn), [])
    let full = picture(rows, marks: 0)
    expectEqual(lines(full), [])
    expectEqual(leftOut(full), ["13 messages and notes behind the first 0"])
  }

  // MARK: - The radio

  /// A packet of an advertiser whose address has this byte six times, with flags as its data.
  private static func packet(_ address: UInt8, _ flags: UInt8, _ strength: Int8 = -60) -> RadioPDU {
    let bytes: [UInt8] = [0x42, 9] + [UInt8](repeating: address, count: 6) + [2, 1, flags]
    return RadioPDU(channel: 37, strength: strength, accessAddress: 0x8E89_BED6, bytes: bytes)
  }

  /// What a mark says of such a packet.
  private static func said(_ address: String, _ flags: String, _ strength: Int = -60) -> String {
    let name = [String](repeating: address, count: 6).joined(separator: ":") + "/random"
    return "ADV_NONCONN_IND, address \(name), channel 37, strength \(strength) dBm, data 0201\(flags), bytes 11"
  }

  @Test("all who hear a packet within two milliseconds have it from one mark of the station that has its address")
  func radio() {
    func given(_ signal: RadioSignal) -> TraceEntry.Content { .signal(.radio(signal)) }
    func wanted(_ effect: RadioEffect) -> TraceEntry.Content { .effect(.radio(effect)) }
    let (first, second) = (Self.packet(0xC1, 4), Self.packet(0xC1, 6))
    let (near, far) = (LinkID(1), LinkID(5))
    let start: Int64 = 1_000_000_000
    var rows: [Row] = [
      (0, 1, wanted(.advertise(set: 0, every: .milliseconds(100), pdu: first.bytes, response: []))),
      (start, 0, given(.heard(first))),
      (start + 2_000_000, 2, given(.heard(Self.packet(0xC1, 4, -70)))),
      (start + 2_000_001, 2, given(.heard(first))),
      (start + 3_000_000, 0, given(.heard(second))),
      // Its own, and one of an address that nobody has yet.
      (start + 3_000_000, 1, given(.heard(second))),
      (start + 4_000_000, 0, given(.heard(Self.packet(0xC2, 4)))),
      (start + 5_000_000, 2, wanted(.resend(Self.packet(0xC2, 4)))),
      (start + 6_000_000, 0, given(.heard(Self.packet(0xC2, 4)))),
    ]
    let rest = spaced([
      (0, wanted(.link(near, .send([1, 2, 3])))),
      (1, given(.link(far, .frame([1, 2, 3])))),
      (1, wanted(.link(far, .send([9])))),
      (0, given(.link(near, .acknowledged(frames: 1)))),
      (0, given(.link(near, .strength(-50)))),
      (0, wanted(.link(near, .readStrength))),
      (0, given(.link(near, .ended(.closed)))),
      (0, wanted(.stopScan)),
      (0, wanted(.advertise(set: 1, every: .milliseconds(100), pdu: [], response: []))),
    ])
    rows += rest.map { (time: 2 * start + $0.time, station: $0.station, content: $0.content) }
    let drawn = picture(rows)
    expectEqual(
      lines(drawn),
      [
        "host tv 1: advertises as c1:c1:c1:c1:c1:c1/random",
        "sent tv 0: \(Self.said("c1", "04"))",
        "heard engine 2 by 1: \(Self.said("c1", "04"))",
        "heard lamp 3 by 1: \(Self.said("c1", "04", -70))",
        "sent tv 0: \(Self.said("c1", "04"))",
        "heard lamp 4 by 4: \(Self.said("c1", "04"))",
        "sent tv 0: \(Self.said("c1", "06"))",
        "heard engine 5 by 6: \(Self.said("c1", "06"))",
        "heard tv 6: \(Self.said("c1", "06"))",
        "heard engine 7: \(Self.said("c2", "04"))",
        "sent lamp 0: \(Self.said("c2", "04"))",
        "heard engine 9 by 10: \(Self.said("c2", "04"))",
        "sent engine 10 by 11: frame of 3 bytes, bytes 010203",
        "heard tv 11 by 12: frame of 3 bytes, bytes 010203",
        "sent tv 12 by 13: frame of 1 bytes, bytes 09",
        "note engine 16: link 1 closed",
        "host engine 17 by 15: stop-scan",
        "host engine 18 by 15: advertises",
      ])
    expectEqual(leftOut(drawn), [])
    let full = picture(rows, marks: 0)
    expectEqual(lines(full), [])
    expectEqual(leftOut(full), ["14 messages and notes behind the first 0"])
  }

  // MARK: - Datagrams of strangers, and large groups

  /// Each mark without its text.
  private func places(_ picture: Picture) -> [String] {
    picture.marks.map { mark in
      "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)"
        + (mark.cause < 0 ? "" : " by \(mark.cause)")
    }
  }

  @Test("a datagram of an address that no station has comes from a lane of its own, and where none has room from none")
  func strangers() {
    let stranger = RecordedDatagram(
      source: Endpoint(IPAddress(10, 9, 9, 9), port: 1900), destination: Self.caller, interface: InterfaceID(0),
      hopLimit: 2, bytes: Array("hello".utf8))
    let lost = Report.lost(device: "uuid:a", cause: .byebye)
    let rows = spaced([(0, .received(stranger)), (0, .effect(.report(lost)))])
    let drawn = picture(rows)
    expectEqual(places(drawn), ["sent 10.9.9.9 0", "heard engine 1 by 0", "lost engine 2 by 1"])
    expectEqual(drawn.lanes.map(\.name), ["engine", "tv", "lamp", "10.9.9.9"])
    let full = picture(rows, marks: 0)
    expectEqual(places(full), ["heard engine 1", "lost engine 2 by 0"])
    expectEqual(full.lanes.map(\.name), ["engine", "tv", "lamp"])
    expectEqual(leftOut(full), [])
  }

  /// Two bytes that no reader makes anything of.
  private static func odd(from source: Endpoint, to destination: Endpoint) -> RecordedDatagram {
    RecordedDatagram(
      source: source, destination: destination, interface: InterfaceID(0), hopLimit: 2, bytes: [0xFF, 0xFE])
  }

  private static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)
  private static let stranger = Endpoint(IPAddress(10, 9, 9, 9), port: 1900)

  @Test("an effect of the first mark has it as its cause, a stranger has one lane, and the last entry ends the picture")
  func firstMark() {
    let (own, other) = (Self.odd(from: Self.server, to: Self.group), Self.odd(from: Self.stranger, to: Self.group))
    let drawn = picture(
      spaced([(1, .sent(own)), (0, .received(own)), (0, .received(other)), (0, .received(other)), (0, .woken)]))
    expectEqual(
      places(drawn),
      [
        "sent tv 1", "heard engine 2 by 0", "sent 10.9.9.9 0", "heard engine 3 by 2", "sent 10.9.9.9 0",
        "heard engine 4 by 4",
      ])
    expectEqual(drawn.lanes.map(\.name), ["engine", "tv", "lamp", "10.9.9.9"])
    expectEqual(drawn.span, .milliseconds(40))
    // What the same datagram says is written once, also where there is no room for its text.
    let full = picture(spaced([(1, .sent(own)), (1, .sent(own))]), strings: 0)
    expectEqual(places(full), ["sent tv 1", "sent tv 2"])
    expectEqual(leftOut(full), ["1 texts, shown as …"])
  }

  @Test("a message that is kept for its report may be refused after it, and says that first")
  func refusedLate() {
    let message = Self.odd(from: Self.stranger, to: Self.caller)
    let rows = spaced([
      (0, .received(message)), (0, .effect(.report(.lost(device: "uuid:a", cause: .byebye)))),
      (0, .effect(.report(.rejected(Rejection(.tooShort, at: 3))))),
    ])
    let drawn = picture(rows, marks: 0)
    expectEqual(
      lines(drawn),
      [
        "refused engine 1: 2 bytes, refused \(RejectionReason.tooShort.rawValue) at byte 3, from 10.9.9.9:1900, "
          + "to 10.0.0.1:5000, bytes 2",
        "lost engine 2 by 0: lost uuid:a (byebye), report lost uuid:a byebye",
      ])
    expectEqual(leftOut(drawn), [])
  }

  @Test("a datagram sent by a timer has as its cause the latest search of its socket, of 4096 sockets")
  func questions() {
    func socket(_ port: UInt16) -> Endpoint { Endpoint(Self.server.address, port: port) }
    let addresses = [Self.server.address, IPAddress(10, 0, 0, 3)].map { InterfaceAddress($0, prefixBits: 24) }
    let up = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: addresses)
    var rows: [(UInt32, TraceEntry.Content)] = [(1, .signal(.host(.interface(up))))]
    for port in Array(UInt16(1)...4_097) + [1] {
      rows.append((0, .received(Self.odd(from: socket(port), to: Self.caller))))
    }
    rows.append((0, .woken))
    for port in [UInt16(1), 4_096, 4_097] { rows.append((0, .sent(Self.odd(from: Self.caller, to: socket(port))))) }
    let drawn = picture(spaced(rows), marks: 10_000)
    expectEqual(drawn.marks.count, 1 + 4_098 + 3)
    expectEqual(
      Array(places(drawn).suffix(3)),
      ["sent engine 4101 by 4098", "sent engine 4102 by 4096", "sent engine 4103"])
    // Of two addresses the first stands below the name of the host.
    expectEqual(drawn.lanes.map(\.detail), ["", "10.0.0.2", ""])
  }

  @Test("of a group of more than 256 no loss is looked for, which is said")
  func largeGroup() {
    let message = RecordedDatagram(
      source: Self.caller, destination: Self.group, interface: InterfaceID(0), hopLimit: 2, bytes: Array("hello".utf8))
    func told(_ count: Int) -> [String] {
      let stations = (0...count).map { TraceCast.Station("h\($0)", .engine) }
      var making = TracePicture(TraceCast(stations), knowsTruth: false)
      for number in 1...count {
        let join = TraceEntry.Content.effect(.join(Self.group, InterfaceID(0)))
        making.take(TraceEntry(time: .zero, station: UInt32(number), content: join), number: number)
      }
      making.take(TraceEntry(time: .zero, station: 0, content: .sent(message)), number: count + 1)
      return leftOut(making.finish(verb: "", title: "", origin: .zero))
    }
    expectEqual(told(256), [])
    expectEqual(told(257), ["1 messages to more than 256 hosts, of which no loss is shown"])
  }
}
