import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Lines that an examined control point prints")
struct ControlPointOutputTests {
  private static let prefix = "b4170000-0000-4000-8000-00000000000"
  private let first = ControlPointOutputTests.prefix + "0"
  /// A UUID whose last digit alone is a letter.
  private let last = ControlPointOutputTests.prefix + "a"

  /// An examination of eleven baits, of which the sixth has a UUID that is no hexadecimal number.
  private let examination: ControlPointExamination = {
    var examination = ControlPointExamination(Examined.setting([.byebye]))
    for number in 0..<11 { _ = examination.bait(.anyUUID, number == 5 ? .probe : .control, .story) }
    return examination
  }()

  private func sightings(_ line: String) -> [ControlPointOutput.Sighting] {
    var output = ControlPointOutput()
    return output.take(line, names: examination)
  }

  /// A UUID that is named in a line.
  private func named(
    _ bait: Int, _ usn: String, isGone: Bool = false, isWhole: Bool = false, hasCapitals: Bool = false, in line: String
  ) -> ControlPointOutput.Sighting {
    .init(
      bait: bait, usn: usn, path: nil, isGone: isGone, isWhole: isWhole, isMention: false, hasCapitals: hasCapitals,
      line: line)
  }

  /// A LOCATION that stands in a line.
  private func placed(
    _ bait: Int, _ path: ControlPointPath, isMention: Bool = false, in line: String
  ) -> ControlPointOutput.Sighting {
    .init(
      bait: bait, usn: nil, path: path, isGone: false, isWhole: false, isMention: isMention, hasCapitals: false,
      line: line)
  }

  @Test("a UUID has a part behind two colons: printed bytes up to a blank, a quotation mark or a comma")
  func parts() {
    let rows: [(text: String, usn: String)] = [
      ("", ""), (" b", ""), (":b", ""), ("::", ""), ("::upnp:rootdevice", "upnp:rootdevice"), ("::Ab Cd", "ab"),
      ("::a!#$+-.~b", "a!#$+-.~b"), ("::a\u{7F}b", "a"), ("::a\u{E9}b", "a"), ("::a\"b", "a"), ("::a,b", "a"),
      ("::a\tb", "a"), (";:b", ""), (":;b", ""), ("::x:\(last)", "x:\(last)"),
    ]
    for (text, usn) in rows {
      let line = "uuid:\(first)\(text)"
      expectEqual(sightings(line), [named(0, usn, in: line)], "\(text)")
    }
    let two = "\(first)::a,\(last)::b rollcall_bait.000000000005::c \(first)::a"
    expectEqual(sightings(two), [named(0, "a", in: two), named(10, "b", in: two), named(5, "c", in: two)])
    // One right behind the other, and the begin of one.
    let close = "\(first)\(last)b4170000-0000"
    expectEqual(sightings(close), [named(0, "", in: close), named(10, "", in: close)])
    let strange = "\(first.dropLast()) \(Self.prefix)b rollcall_bait.00000000000 rollcall"
    expectEqual(sightings(strange), [])
  }

  @Test("a UUID has capitals where one of its letters is one, and only the UUID counts")
  func capitals() {
    let upper = last.uppercased()
    let rows: [(text: String, hasCapitals: Bool)] = [
      ("UUID:\(last)::UPNP", false), (upper, true), ("b\(upper.dropFirst())", true), ("B\(last.dropFirst())", true),
      ("\(last)A", false),
    ]
    for (text, hasCapitals) in rows {
      let usn = text.hasPrefix("UUID") ? "upnp" : ""
      expectEqual(sightings(text), [named(10, usn, hasCapitals: hasCapitals, in: text)], "\(text)")
    }
  }

  @Test("a word of departure tells of an end where no letter, hyphen or underscore is beside it")
  func departures() {
    let words = [
      "unavailable", "lost", "gone", "removed", "byebye", "expired", "offline", "disappeared", "left", "vanished",
      "LOST", "lost.", "(lost)", "lost{", "`lost", "[lost", "lost/", "lost^", "lost0", "0lost", "xlost lost",
      "lostlost lost",
    ]
    for word in words {
      for line in ["\(word) \(first)", "\(first) \(word)"] {
        expectEqual(sightings(line), [named(0, "", isGone: true, in: line)], "\(line)")
      }
    }
    let others = [
      "alost", "losta", "zlost", "lostz", "-lost", "lost-", "_lost", "lost_", "los", "ost", "lo st", "found",
    ]
    for word in others {
      for line in ["\(word) \(first)", "\(first) \(word)"] {
        expectEqual(sightings(line), [named(0, "", in: line)], "\(line)")
      }
    }
  }

  @Test("an indented line has the departure of its heading, and a heading ends with the next one")
  func headings() {
    var output = ControlPointOutput()
    let (blank, tab) = (" \(first)", "\t\(first)")
    let rows: [(line: String, isGone: Bool?)] = [
      (blank, false), ("removed:", nil), (blank, true), (tab, true), ("\(first) ", false), (tab, false),
      ("gone", nil), ("found", nil), (blank, false), ("  lost \(first)", true), (blank, false), ("", nil),
    ]
    for (place, row) in rows.enumerated() {
      let wanted = row.isGone.map { [named(0, "", isGone: $0, in: row.line)] } ?? []
      expectEqual(output.take(row.line, names: examination), wanted, "\(place)")
    }
  }

  @Test("of a JSON line the member named event tells of an end, of the whole device, and no other word does")
  func events() {
    let id = "\"id\":\"\(first)\""
    let rows: [(line: String, isGone: Bool, isWhole: Bool)] = [
      ("{\"event\":\"lost\",\(id)}", true, true), ("{\"event\":\"LOST\",\(id)}", true, true),
      ("{\(id),\"event\":\"gone\"}", true, true), ("{\"event\":\"found\",\"x\":\"lost\",\(id)}", false, true),
      ("{\"event\":\"losts\",\(id)}", false, true), ("{\"event\":\"\",\(id)}", false, true),
      ("{\"events\":\"lost\",\(id)}", true, false), ("{\"event\": \"lost\",\(id)}", true, false),
      (" {\"event\":\"found\",\"x\":\"lost\",\(id)}", true, false), ("{\(id),\"event\":\"x lost", true, false),
      ("{\(id),\"event\":\"", false, false), ("[\"event\":\"found\",\"x\":\"lost\",\(id)]", true, false),
      ("{\"a\":\"{\",\"event\":\"found\",\"x\":\"left\",\(id)}", false, true),
    ]
    for row in rows {
      let found = [named(0, "", isGone: row.isGone, isWhole: row.isWhole, in: row.line)]
      expectEqual(sightings(row.line), found, "\(row.line)")
    }
  }

  @Test("a line is read up to 65,536 bytes, and a name that ends beyond them is not seen")
  func longLines() {
    let head = "{\"event\":\"found\",\"x\":\""
    for (count, isSeen) in [(65_536, true), (65_537, false)] {
      let line = head + String(repeating: "x", count: count - head.utf8.count - first.utf8.count) + first
      let wanted = isSeen ? [named(0, "", isWhole: true, in: String(line.prefix(400)))] : []
      expectEqual(sightings(line), wanted, "\(count)")
    }
  }

  @Test("each LOCATION of a bait in a line is seen, none where a device went, and a mention is told from the others")
  func locations() {
    let (own, second, trap) = ("/b/000000000000.xml", "/s/00000000000a.xml", "/t/000000000005.xml")
    let three = "\(own)\(second) http://10.77.1.10:50900\(trap)"
    expectEqual(
      sightings(three), [placed(0, .own, in: three), placed(10, .second, in: three), placed(5, .trap, in: three)])
    for text in ["/\(own)", "//x\(own)", own, "\(own)?a", "\(own) \(own)", "b\(own)\(own.dropLast())"] {
      expectEqual(sightings(text), [placed(0, .own, in: text)], "\(text)")
    }
    for text in ["/b/00000000000b.xml", "\(own.dropLast())", "lost \(own)", "/B/000000000000.xml", "//", ""] {
      expectEqual(sightings(text), [], "\(text)")
    }
    let rows: [(text: String, isMention: Bool)] = [
      ("\tserver:\(own)", true), (" \t server :\(own)", true), ("usn=\(own)", true), ("s erver:\(own)", true),
      ("a server:\(own)", false), ("servers:\(own)", false), ("\"server\":\(own)", false),
      ("HTTP/1.1 200 OK location: \(own)", true), ("location: \(own) HTTP/1.1", false), ("xhttp/1.1 \(own)", false),
      ("{\"server\":\"\(own)\"}", true), ("{\"a\":\"b\",\"date\":[\"\(own)\"]}", true), ("{\(own)}", false),
      ("{\"st\":1,\"location\":\"\(own)\"}", false), ("{\"sta\":\"\(own)\"}", false), ("x{\"st\":\"\(own)\"}", false),
    ]
    for (text, isMention) in rows {
      expectEqual(sightings(text), [placed(0, .own, isMention: isMention, in: text)], "\(text)")
    }
    // A UUID comes before a LOCATION, and the line is kept to 400 bytes.
    let long = "\(own) \(first) " + String(repeating: "x", count: 400)
    let kept = String(long.prefix(400))
    expectEqual(sightings(long), [named(0, "", in: kept), placed(0, .own, in: kept)])
  }
}
