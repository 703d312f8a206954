import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// A line with a USN, a line with another one or a target: taken apart as the reference takes it apart, put together
  /// again, and equal exactly where the reference says so.
  package static let usn = FuzzTarget(name: "usn", dictionary: words, seeds: usnSeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    let (first, second) = lines(bytes)
    for usn in [first, second] + cuts(of: first).map({ Array(first[..<$0]) }) { try checkUSN(usn) }
    try checkEquality(first, second)
    let goes = first.withUnsafeBytes { usn in second.withUnsafeBytes { USN.goes(usn, with: $0) } }
    try expect(goes == NameReference.goes(first, with: second), "goes: \(goes), the reference says otherwise")
  }

  /// A line with what is asked, a line with what is offered.
  package static let searchTarget = FuzzTarget(name: "search-target", dictionary: words, seeds: targetSeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    let (asked, offered) = lines(bytes)
    for target in [asked, offered] + cuts(of: asked).map({ Array(asked[..<$0]) }) { try checkTarget(target) }
    for (left, right) in [(asked, offered), (offered, asked), (asked, asked), (Array("ssdp:all".utf8), asked)] {
      var answers: [Bool] = []
      for ignoringCase in [false, true] {
        let answer = left.withUnsafeBytes { left in
          right.withUnsafeBytes { SearchTarget.matches(asked: left, offered: $0, ignoringCase: ignoringCase) }
        }
        let expected = NameReference.matches(asked: left, offered: right, ignoringCase: ignoringCase)
        try expect(answer == expected, "matches: \(answer), reference: \(expected), ignoring case: \(ignoringCase)")
        answers.append(answer)
      }
      try expect(!answers[0] || answers[1], "what matches with case does not match without")
      if let left = String(validating: left, as: UTF8.self), let right = String(validating: right, as: UTF8.self) {
        let asValues = SearchTarget(left).matches(offered: SearchTarget(right))
        try expect(asValues == answers[0], "values match otherwise than bytes")
      }
    }
  }

  /// What stands before the first line feed, and what stands behind it.
  private static func lines(_ bytes: [UInt8]) -> ([UInt8], [UInt8]) {
    guard let feed = bytes.firstIndex(of: 0x0A) else { return (bytes, bytes) }
    return (Array(bytes[..<feed]), Array(bytes[(feed + 1)...]))
  }

  private static func checkUSN(_ bytes: [UInt8]) throws(FuzzFinding) {
    let parts = bytes.withUnsafeBytes { USN.split($0) }
    let expected = NameReference.split(bytes)
    guard let parts, let expected else {
      try expect(parts == nil && expected == nil, "split: \(String(describing: parts)), reference: \(expected != nil)")
      return
    }
    let end = parts.target?.upperBound ?? parts.uuid.upperBound
    try expect(parts.uuid.lowerBound == 5 && !parts.uuid.isEmpty && end == bytes.count, "parts do not add up")
    let uuid = Array(bytes[parts.uuid])
    try expect(uuid == expected.uuid && parts.target.map { Array(bytes[$0]) } == expected.target, "other parts")
    let again = Array(bytes[..<5]) + uuid + (parts.target.map { Array("::".utf8) + bytes[$0] } ?? [])
    try expect(again == bytes, "the parts put together are another USN")
    let isStandard = uuid.withUnsafeBytes { USN.isStandardUUIDForm($0) }
    try expect(isStandard == NameReference.isStandardUUID(uuid), "standard form: \(isStandard)")
  }

  /// Equality is an equivalence, blind to the case of letters, and equal UUIDs share their hash.
  private static func checkEquality(_ first: [UInt8], _ second: [UInt8]) throws(FuzzFinding) {
    func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
      left.withUnsafeBytes { left in right.withUnsafeBytes { USN.areEqualUUIDs(left, $0) } }
    }
    func hash(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { USN.hash(ofUUID: $0) } }
    let flipped = first.map { (0x41...0x5A).contains($0 & 0xDF) ? $0 ^ 0x20 : $0 }
    try expect(equal(first, first) && equal(first, flipped) && equal(flipped, first), "case tells UUIDs apart")
    try expect(hash(first) == hash(flipped), "case changes the hash")
    let isEqual = equal(first, second)
    try expect(isEqual == equal(second, first), "equality has a direction")
    try expect(isEqual == equal(flipped, second), "equality is not transitive")
    try expect(isEqual == NameReference.areEqual(first, second), "equal: \(isEqual)")
    try expect(!isEqual || hash(first) == hash(second), "equal UUIDs with different hashes")
  }

  private static func checkTarget(_ bytes: [UInt8]) throws(FuzzFinding) {
    for ignoringCase in [false, true] {
      let parts = bytes.withUnsafeBytes { SearchTarget.parse($0, ignoringCase: ignoringCase) }
      let expected = NameReference.target(bytes, ignoringCase: ignoringCase)
      let found = NameReference.Target(
        form: parts.form, domain: Array(bytes[parts.domain]), type: Array(bytes[parts.type]), version: parts.version,
        isCanonical: parts.isCanonicalVersion)
      try expect(found == expected, "parse: \(found), reference: \(expected)")
    }
    let target = bytes.withUnsafeBytes { SearchTarget(bytes: $0) }
    try expect(SearchTarget(target.description) == target, "printed, it reads differently")
    if let text = String(validating: bytes, as: UTF8.self) {
      try expect(Array(target.description.utf8) == bytes, "it prints otherwise than it was written: \(text)")
      try expect(SearchTarget(text) == target, "text reads otherwise than bytes")
    }
  }

  private static let words = [
    "uuid:", "UUID:", "::", ":", "urn:", "URN:", ":device:", ":service:", ":DEVICE:", "schemas-upnp-org", "ssdp:all",
    "SSDP:ALL", "upnp:rootdevice", "2fac1234-31f8-11b4-a222-08002b34c003", "4294967295", "4294967296", "00", ":1", ":2",
    ":10", "\n", " ", "é", "RINCON_", "Basic:1.0",
  ]

  private static let usnSeeds = [
    "uuid:2fac1234-31f8-11b4-a222-08002b34c003::upnp:rootdevice\nupnp:rootdevice",
    "UUID:2FAC1234-31F8-11B4-A222-08002B34C003\nuuid:2fac1234-31f8-11b4-a222-08002b34c003",
    "uuid:RINCON_000E58A0123401400::urn:schemas-upnp-org:device:ZonePlayer:1\nurn:schemas-upnp-org:device:ZonePlayer:1",
    "uuid:a::\n", "uuid:a:b:::c\n::c", "uuid::x\nuuid:",
  ].map { Array($0.utf8) }

  private static let targetSeeds = [
    "urn:schemas-upnp-org:device:Foo:1\nurn:schemas-upnp-org:device:Foo:10", "ssdp:all\nroku:ecp",
    "urn:a:service:b:4294967295\nurn:a:service:b:99999999999", "URN:a:Device:b:01\nurn:a:device:B:1",
    "uuid:AbC\nUUID:aBc", "urn:a:device:b:\nurn:a:device::1", "upnp:rootdevice\nUPNP:ROOTDEVICE",
    "urn:schemas-upnp-org:device:Basic:1.0\nurn:schemas-upnp-org:device:Basic:1",
  ].map { Array($0.utf8) }
}
