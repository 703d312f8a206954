import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallTrace
import Testing

/// What a picture makes of the entries of a trace: causes, arrows, losses.
@Suite("Pictures of traces") struct TracePictureTests {
  private static let alive = #"NOTIFY * HTTP/1.1\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\nUSN: uuid:a\r\n\r\n"#
  private static let group = "192.168.1.20:1900 -> 239.255.255.250:1900 if0 ttl2"

  private static let lines = [
    "0.000000000 tv < interface 0 up 192.168.1.20/24",
    "0.000000000 engine < interface 0 up 192.168.1.10/24",
    "0.000000000 engine > join 239.255.255.250:1900 if0",
    "1.000000000 tv < command appear",
    "1.000000000 tv > \(group) \(alive)",
    "1.001000000 engine < \(group) \(alive)",
    "1.001000000 engine > found uuid:a - 192.168.1.20 if0",
    "5.000000000 tv < wake",
    "5.000000000 tv > \(group) \(alive)",
    "6.000000000 engine > \(search)",
    "6.001000000 tv < \(search)",
    "6.500000000 tv < wake",
    "6.500000000 tv > \(answer)",
    "6.501000000 engine < \(answer)",
    "6.501000000 engine > rejected noOpenSearch at 0",
    "6.600000000 tv > 192.168.1.20:1900 -> 10.9.9.9:80 if0 ttl2 hello",
  ]
  private static let search = "192.168.1.10:5000 -> 192.168.1.20:1900 if0 ttl2 M-SEARCH"
  private static let answer = "192.168.1.20:1900 -> 192.168.1.10:5000 if0 ttl2 HTTP/1.1 200 OK"

  private static func picture(
    _ lines: [String] = TracePictureTests.lines, bounds: PictureBounds = PictureBounds(), end: Int64 = 20
  ) throws -> Picture {
    var making = TracePicture(
      TraceCast([TraceCast.Station("engine", .engine), TraceCast.Station("tv", .host)]), knowsTruth: false,
      bounds: bounds)
    for (place, line) in lines.enumerated() {
      making.take(try TraceText.read(Substring(line)) { $0 == "engine" ? 0 : 1 }, number: place + 1)
    }
    making.draft.stretch(to: .zero + .seconds(end))
    return making.finish(verb: "rollcall run", title: "A title", origin: .zero)
  }

  /// Kind, lane and number of each mark, and the number of its cause.
  private static func rows(_ picture: Picture) -> [String] {
    picture.marks.map { mark in
      let cause = mark.cause < 0 ? "" : " by \(picture.marks[mark.cause].number)"
      return "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause)"
    }
  }

  @Test("each mark has what led to it, an answer the question, and what nobody here has the address of a lane")
  func causes() throws {
    let picture = try Self.picture()
    expectEqual(
      Self.rows(picture),
      [
        "host tv 1", "host engine 2", "host engine 3 by 2", "asked tv 4", "sent tv 5 by 4", "heard engine 6 by 5",
        "found engine 7 by 6", "sent tv 9", "sent engine 10 by 6", "heard tv 11 by 10", "sent tv 13 by 11",
        "refused engine 14 by 13", "sent tv 16", "aimed 10.9.9.9 0 by 16",
      ])
  }

  @Test("what a host of the group does not hear is lost, unless the picture ends just then")
  func losses() throws {
    let picture = try Self.picture()
    expectEqual(
      picture.losses.map { "\(picture.marks[$0.mark].number) at \(picture.lanes[$0.lane].name)" }, ["9 at engine"])
    let short = try Self.picture(Array(Self.lines.prefix(9)), end: 5)
    expectEqual(short.losses, [])
    var left = Array(Self.lines.prefix(7))
    left += ["4.000000000 engine > leave 239.255.255.250:1900 if0", Self.lines[8]]
    let unheard = try Self.picture(left)
    expectEqual(unheard.losses, [])
  }

  @Test("a report has its cause where messages have no room any more, and what is left out is counted")
  func bounded() throws {
    var bounds = PictureBounds()
    bounds.marks = 5
    let picture = try Self.picture(bounds: bounds)
    expectEqual(
      Self.rows(picture),
      [
        "host tv 1", "host engine 2", "host engine 3 by 2", "asked tv 4", "sent tv 5 by 4", "heard engine 6 by 5",
        "found engine 7 by 6",
      ])
    expectEqual(picture.leftOut.map(\.count), [6])
  }

  @Test("a message has its parts by name, and a report its whole line")
  func words() throws {
    let picture = try Self.picture()
    func said(_ number: Int) -> [String] {
      guard let mark = picture.marks.first(where: { $0.number == number }) else { return [] }
      let saying = picture.sayings[mark.saying]
      return [picture.strings[saying.title]]
        + saying.fields.map { "\(picture.strings[$0.name]): \(picture.strings[$0.value])" }
    }
    expectEqual(
      said(5),
      [
        "notify-alive upnp:rootdevice", "from: 192.168.1.20:1900", "to: 239.255.255.250:1900", "NT: upnp:rootdevice",
        "NTS: ssdp:alive", "USN: uuid:a", "bytes: 72",
      ])
    expectEqual(said(7), ["found uuid:a", "report: found uuid:a - 192.168.1.20 if0"])
  }
}
