import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("SSDP field rules at their bounds")
struct SSDPRuleBoundTests {
  /// A message of names and values, so that the place of each value is known.
  private struct Draft {
    var start = "NOTIFY * HTTP/1.1"
    var fields: [(name: String, value: String)] = []

    var bytes: [UInt8] {
      Array((start + "\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
    }

    /// Where the value of a field begins; the end of the message where there is no such field.
    func place(of name: String) -> Int {
      var offset = start.utf8.count + 2
      for field in fields {
        if field.name == name { return offset + name.utf8.count + 2 }
        offset += field.name.utf8.count + field.value.utf8.count + 4
      }
      return offset + 2
    }

    /// The draft with another value in a field, or with one field more.
    func with(_ name: String, _ value: String) -> Draft {
      var draft = self
      if let index = fields.firstIndex(where: { $0.name == name }) {
        draft.fields[index].value = value
      } else {
        draft.fields.append((name: name, value: value))
      }
      return draft
    }

    func without(_ names: String...) -> Draft {
      var draft = self
      draft.fields.removeAll { names.contains($0.name) }
      return draft
    }

    func check(_ mode: SSDPMode, isMulticast: Bool = true) -> Rejection? {
      SSDPSamples.check(bytes, mode, isMulticast: isMulticast)
    }

    func rejection(_ reason: RejectionReason, _ name: String) -> Rejection { Rejection(reason, at: place(of: name)) }
  }

  /// A value that a rule refuses, why, and the value that takes its place then.
  private struct Step {
    var name: String
    var wrong: String
    var reason: RejectionReason
    var right: String
    init(_ name: String, _ wrong: String, _ reason: RejectionReason, _ right: String) {
      (self.name, self.wrong, self.reason, self.right) = (name, wrong, reason, right)
    }
  }

  /// Begins with every fault at once, fields in the order opposite to that of the rules, and mends one after the other.
  private func mended(_ whole: Draft, _ steps: [Step], _ mode: SSDPMode, isMulticast: Bool = true) -> Draft {
    var draft = whole
    for step in steps where !draft.fields.contains(where: { $0.name == step.name }) {
      draft.fields.insert((name: step.name, value: step.wrong), at: 0)
    }
    for step in steps {
      let expected = draft.rejection(step.reason, step.name)
      expectEqual(draft.check(mode, isMulticast: isMulticast), expected, "\(draft.start), \(step.name): \(step.wrong)")
      draft = draft.with(step.name, step.right)
    }
    expectEqual(draft.check(mode, isMulticast: isMulticast), nil, "\(draft.start), all mended")
    return draft
  }

  private static func nameSteps(_ target: String) -> [Step] {
    [Step(target, "", .emptyField, "a"), Step("USN", "", .emptyField, "b")]
  }
  private static let hostStep = Step("HOST", "239.255.255.251:1900", .badHost, "239.255.255.250:1900")
  private static func numberSteps(next: String) -> [Step] {
    [
      Step("BOOTID.UPNP.ORG", "2147483648", .badNumber, "2147483646"), Step("CONFIGID.UPNP.ORG", "", .badNumber, "0"),
      Step("NEXTBOOTID.UPNP.ORG", "1x", .badNumber, next), Step("SEARCHPORT.UPNP.ORG", "49151", .badNumber, "49152"),
    ]
  }
  private static let lifeSteps = [
    Step("CACHE-CONTROL", "", .emptyField, "max-age="), Step("CACHE-CONTROL", "max-age=", .badMaxAge, "max-age=0"),
    Step("LOCATION", "", .emptyField, "x"), Step("SERVER", "", .emptyField, "a/1 UPnP/1.1 b/1"),
  ]

  @Test("of several faults of an announcement the first by the rules is told, wherever its field stands")
  func announcements() {
    let alive = mended(
      Draft(fields: [("NTS", "ssdp:alive")]),
      Self.nameSteps("NT") + [Self.hostStep] + Self.numberSteps(next: "0") + Self.lifeSteps,
      .strict)
    expectEqual(alive.without("NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG").check(.strict), nil)
    for name in ["BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG"] {
      expectEqual(alive.without(name).check(.strict), alive.without(name).rejection(.missingField, name))
    }

    let update = mended(
      Draft(fields: [("NTS", "ssdp:update"), ("CACHE-CONTROL", ""), ("SERVER", "")]),
      Self.nameSteps("NT") + [Self.hostStep] + Self.numberSteps(next: "2147483646") + [
        Step("LOCATION", "", .emptyField, "x"), Step("NEXTBOOTID.UPNP.ORG", "2147483646", .badNumber, "2147483647"),
      ], .strict)
    for name in ["LOCATION", "BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG"] {
      expectEqual(update.without(name).check(.strict), update.without(name).rejection(.missingField, name))
    }

    let byebye = mended(
      Draft(fields: [("NTS", "ssdp:byebye"), ("CACHE-CONTROL", ""), ("LOCATION", ""), ("SERVER", "UPnP/1.1")]),
      Self.nameSteps("NT") + [Self.hostStep] + Self.numberSteps(next: "0"), .strict)
    expectEqual(byebye.without("BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG").check(.strict), nil)

    for nts in ["ssdp:alive", "ssdp:update", "ssdp:byebye"] {
      _ = mended(
        Draft(fields: [("NTS", nts), ("HOST", ""), ("BOOTID.UPNP.ORG", "x"), ("CACHE-CONTROL", ""), ("LOCATION", "")]),
        Self.nameSteps("NT"), .lenient)
    }
  }

  @Test("of several faults of an answer or a search the first by the rules is told, wherever its field stands")
  func answersAndSearches() {
    let response = mended(
      Draft(start: "HTTP/1.1 200 OK", fields: [("EXT", ""), ("HOST", ""), ("NTS", "x")]),
      Self.nameSteps("ST") + Self.lifeSteps + Self.numberSteps(next: "0"), .strict)
    for name in ["EXT", "BOOTID.UPNP.ORG"] {
      expectEqual(response.without(name).check(.strict), response.without(name).rejection(.missingField, name))
    }
    let few = response.without("CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG", "HOST")
    expectEqual(few.check(.strict), nil)
    _ = mended(
      Draft(start: "HTTP/1.1 200 OK", fields: [("LOCATION", ""), ("CACHE-CONTROL", ""), ("BOOTID.UPNP.ORG", "-1")]),
      Self.nameSteps("ST"), .lenient)

    let search = Draft(start: "M-SEARCH * HTTP/1.1")
    let st = Step("ST", "", .emptyField, "a")
    let man = [
      Step("MAN", "", .emptyField, "ssdp:discover"), Step("MAN", "ssdp:discover", .badMAN, "\"ssdp:discover\""),
    ]
    _ = mended(
      search,
      [
        st, Step("HOST", "", .emptyField, "[ff02::c]:1901"), Step("HOST", "[ff02::c]:1901", .badHost, "[ff02::c]:1900"),
      ] + man + [
        Step("MX", "", .emptyField, "0"), Step("MX", "0", .badMX, "6"), Step("MX", "6", .badMX, "5"),
      ], .strict)
    _ = mended(
      search.with("MX", "none"), [st, Step("HOST", "", .emptyField, "10.0.0.1:50000")] + man, .strict,
      isMulticast: false)
    _ = mended(
      search.with("HOST", ""), [st, Step("MAN", "", .badMAN, "ssdp:discover"), Step("MX", "", .badMX, "0")], .lenient)
    _ = mended(
      search.with("HOST", "").with("MX", ""), [st, Step("MAN", "", .badMAN, "ssdp:discover")], .lenient,
      isMulticast: false)
  }

  @Test("a NOTIFY without NTS, with an empty or another one is refused for that, whatever else it lacks")
  func nts() {
    for mode in SSDPMode.allCases {
      let empty = Draft(fields: [("HOST", ""), ("NTS", ""), ("USN", "")])
      expectEqual(empty.check(mode), empty.rejection(.emptyField, "NTS"))
      let other = empty.with("NTS", "ssdp:aliv")
      expectEqual(other.check(mode), other.rejection(.badNTS, "NTS"))
      let none = empty.without("NTS")
      expectEqual(none.check(mode), none.rejection(.missingField, "NTS"))
    }
  }

  private static let alive = Draft(fields: [
    ("HOST", "239.255.255.250"), ("CACHE-CONTROL", "max-age=1"), ("LOCATION", "x"), ("NT", "a"), ("NTS", "ssdp:alive"),
    ("SERVER", "UPnP/1.0"), ("USN", "b"),
  ])
  private static let response = Draft(
    start: "HTTP/1.1 200 OK",
    fields: [
      ("CACHE-CONTROL", "max-age=1"), ("EXT", ""), ("LOCATION", "x"), ("SERVER", "UPnP/1.0"), ("ST", "a"), ("USN", "b"),
    ])
  private static let search = Draft(
    start: "M-SEARCH * HTTP/1.1",
    fields: [("HOST", "239.255.255.250"), ("MAN", "\"ssdp:discover\""), ("MX", "1"), ("ST", "a")])

  @Test("BOOTID, CONFIGID, NEXTBOOTID have 31 bits, SEARCHPORT is 49152 ... 65535; no larger number wraps into those")
  func numbers() {
    let values: [(text: String, isNumber: Bool, isPort: Bool)] = [
      ("0", true, false), ("00", true, false), ("1", true, false), ("49151", true, false), ("49152", true, true),
      ("0000049152", true, true), ("65535", true, true), ("65536", true, false), ("114688", true, false),
      ("2147483647", true, false), ("2147483648", false, false), ("4294967295", false, false),
      ("4295016448", false, false), ("18446744073709600768", false, false), ("-0", false, false), ("-1", false, false),
      ("+49152", false, false), ("49152.", false, false), ("49152:", false, false), ("/49152", false, false),
      ("4915 2", false, false), ("", false, false),
    ]
    let drafts = [Self.alive, Self.alive.with("NTS", "ssdp:byebye"), Self.response]
    for draft in drafts {
      expectEqual(draft.check(.strict), nil)
      for (text, isNumber, isPort) in values {
        for name in ["BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG"] {
          let one = draft.with(name, text)
          let isWell = name.hasPrefix("SEARCH") ? isPort : isNumber
          expectEqual(one.check(.strict), (isWell ? nil : one.rejection(.badNumber, name)), "\(name): \(text)")
          expectEqual(one.check(.lenient), nil)
        }
      }
    }
    let update = Self.alive.with("NTS", "ssdp:update").with("CONFIGID.UPNP.ORG", "0")
    let pairs: [(String, String, Bool)] = [
      ("0", "1", true), ("0", "0", false), ("1", "0", false), ("2147483646", "2147483647", true),
      ("2147483647", "2147483647", false), ("2147483647", "0", false), ("7", "007", false), ("7", "008", true),
    ]
    for (boot, next, isWell) in pairs {
      let one = update.with("BOOTID.UPNP.ORG", boot).with("NEXTBOOTID.UPNP.ORG", next)
      let expected = isWell ? nil : one.rejection(.badNumber, "NEXTBOOTID.UPNP.ORG")
      expectEqual(one.check(.strict), expected, "\(boot), then \(next)")
    }
  }

  @Test("MX of a search to a group is 1 ... 5 for strict, any number of 31 bits for lenient, and none that wraps")
  func mx() {
    let values: [(text: String, strict: Bool, lenient: Bool)] = [
      ("0", false, true), ("1", true, true), ("5", true, true), ("6", false, true), ("05", true, true),
      ("2147483647", false, true), ("2147483648", false, false), ("4294967297", false, false),
      ("18446744073709551617", false, false), ("+1", false, false), ("1s", false, false), ("/", false, false),
      (":", false, false),
    ]
    for (text, strict, lenient) in values {
      let one = Self.search.with("MX", text)
      expectEqual(one.check(.strict), (strict ? nil : one.rejection(.badMX, "MX")), "\(text)")
      expectEqual(one.check(.lenient), (lenient ? nil : one.rejection(.badMX, "MX")), "\(text)")
    }
    let empty = Self.search.with("MX", "")
    expectEqual(empty.check(.strict), empty.rejection(.emptyField, "MX"))
    expectEqual(Self.search.without("MX").check(.lenient), nil)
  }

  @Test("HOST is one of four groups to the byte, the case of letters aside, with port 1900 or none")
  func host() {
    for group in ["239.255.255.250", "[ff02::c]", "[ff05::c]", "[ff0e::c]"] {
      for draft in [Self.search, Self.alive] {
        for text in [group, group + ":1900", group.uppercased() + ":1900", group + ":1900 \t"] {
          expectEqual(draft.with("HOST", text).check(.strict), nil, "\(text)")
        }
      }
      func refuses(_ text: String) {
        let one = Self.search.with("HOST", text)
        expectEqual(one.check(.strict), one.rejection(.badHost, "HOST"), "\(text)")
        #expect(one.check(.strict, isMulticast: false) == nil && one.check(.lenient) == nil, "\(text)")
      }
      let whole = Array((group + ":1900").utf8)
      for position in whole.indices {
        var other = whole
        other[position] = UInt8(ascii: "x")
        refuses(String(decoding: other, as: UTF8.self))
        refuses(String(decoding: whole[..<position] + whole[(position + 1)...], as: UTF8.self))
      }
      for end in [":", ":19000", ":01900", ":1901", ":1899", "x", " :1900", ":1900."] { refuses(group + end) }
      refuses("x" + group)
    }
  }

  @Test("MAN is one text to the byte; lenient reads it without both quotation marks, too")
  func man() {
    let whole = Array("\"ssdp:discover\"".utf8)
    func refuses(_ bytes: [UInt8], _ modes: [SSDPMode]) {
      let one = Self.search.with("MAN", String(decoding: bytes, as: UTF8.self))
      for mode in modes { expectEqual(one.check(mode), one.rejection(.badMAN, "MAN"), "\(one.fields[1].value)") }
    }
    for position in whole.indices {
      for mask in [0x01, 0x20] as [UInt8] {
        var other = whole
        other[position] ^= mask
        if other[position] > 0x20 { refuses(other, SSDPMode.allCases) }
        if (1...13).contains(position), other[position] > 0x20 { refuses(Array(other[1...13]), SSDPMode.allCases) }
      }
      refuses(Array(whole[..<position] + whole[(position + 1)...]), SSDPMode.allCases)
    }
    refuses(whole + whole, SSDPMode.allCases)
    refuses(Array(whole[1...13]), [.strict])
    expectEqual(Self.search.with("MAN", "ssdp:discover").check(.lenient), nil)
  }

  @Test("numbers of devices that stray into a search, and MX of a unicast search, are not looked at")
  func strayNumbers() {
    let names = ["BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG"]
    for text in ["", "x", "-1", "49151", "2147483648"] {
      var multicast = Self.search
      for name in names { multicast = multicast.with(name, text) }
      let unicast = multicast.with("HOST", "10.0.0.1:50000").with("MX", text)
      for mode in SSDPMode.allCases {
        expectEqual(multicast.check(mode), nil, "\(text)")
        expectEqual(unicast.check(mode, isMulticast: false), nil, "\(text)")
      }
    }
  }

  @Test("the first product UPnP/x.y in SERVER says which version is claimed: from 1.1 on BOOTID is owed, below nothing")
  func server() {
    let values: [(String, Bool)] = [
      ("UPnP/1.0", false), ("UPnP/1.1", true), ("UPnP/1.9", true), ("UPnP/1./", false), ("UPnP/1.:", false),
      ("UPnP/0.9", false), ("UPnP//.9", false), ("UPnP/:.9", false), ("UPnP/2.0", true), ("UPnP/9.0", true),
      ("UPnP/1,1", false), ("UPnP/2-0", false), ("UPnP/1.", false), ("UPnP/", false), ("UPnP1.1", false),
      ("UPnp/1.1", false), ("a/1 UPnP/1.1", true), ("a/1, UPnP/1.1, b/2", true), ("UPnP UPnP/1.1", true),
      ("a/1.1 UPnP/1.0", false), ("UPnP/1.0 UPnP/1.1", false), ("UPnP/1.1 UPnP/1.0", true),
      ("UPnP/10.0", true), ("UPnP/1.10", true), ("UPnP/1.01", true), ("UPnP/01.1", true), ("UPnP/0.11", false),
      ("UPnP/1.00", false), ("UPnP/01.0", false), ("UPnP/18446744073709551616.0", true), ("UPnP/1.1x", true),
      // A product begins at the start and behind a blank or a comma.
      ("XUPnP/1.1", false), ("a/UPnP/1.1", false), ("(UPnP/1.1)", false), ("a;UPnP/1.1", false),
      ("a/1,UPnP/1.1", true), ("a/1\tUPnP/1.1", true), ("XUPnP/1.1 UPnP/1.0", false), ("XUPnP/1.0 UPnP/1.1", true),
      // What says no version is passed over.
      ("UPnP/x UPnP/1.1", true), ("UPnP/ UPnP/2.0", true), ("UPnP/1 UPnP/1.1", true), ("UPnP/1. UPnP/1.1", true),
      ("UPnP/.1 UPnP/1.1", true), ("UPnP/1, UPnP/1.0", false),
    ]
    for (text, isOwed) in values {
      let alive = Self.alive.with("SERVER", text)
      expectEqual(alive.check(.strict), (isOwed ? alive.rejection(.missingField, "BOOTID.UPNP.ORG") : nil), "\(text)")
      let half = alive.with("BOOTID.UPNP.ORG", "0")
      expectEqual(half.check(.strict), (isOwed ? half.rejection(.missingField, "CONFIGID.UPNP.ORG") : nil), "\(text)")
      expectEqual(half.with("CONFIGID.UPNP.ORG", "0").check(.strict), nil)
      let response = Self.response.with("SERVER", text)
      expectEqual(response.check(.strict), (isOwed ? response.rejection(.missingField, "BOOTID.UPNP.ORG") : nil))
      expectEqual(response.with("BOOTID.UPNP.ORG", "0").check(.strict), nil)
      expectEqual(Self.alive.with("NTS", "ssdp:byebye").with("SERVER", text).check(.strict), nil)
    }
  }
}
