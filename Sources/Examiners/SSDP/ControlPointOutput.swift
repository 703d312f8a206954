import RollcallConformance
import RollcallPrimitives

/// Reads the output of a control point, whichever it is: lines that name a bait's UUID or LOCATION.
///
/// A line, or the heading above an indented line, with a word of departure says that the device is gone.
struct ControlPointOutput: Hashable, Sendable {
  struct Sighting: Hashable, Sendable {
    var bait: Int
    /// What followed the UUID in the USN, in small letters; `nil`: only a LOCATION was named.
    var usn: String?
    var path: ControlPointPath?
    var isGone: Bool
    /// Whether the whole device is gone, and not one message of it.
    var isWhole: Bool
    /// Whether the LOCATION is no LOCATION there, but a part of something else.
    var isMention = false
    /// Whether the UUID has capitals.
    var hasCapitals = false
    var line: String
  }

  /// Longer lines are read up to here.
  static let lineBytesMaximum = 65_536
  static let sightingsMaximum = 2_000

  private var headingIsGone = false

  /// Words by which programs say that something went.
  private static let departures = [
    "unavailable", "lost", "gone", "removed", "byebye", "expired", "offline", "disappeared", "left", "vanished",
  ]

  mutating func take(_ line: String, names: borrowing ControlPointExamination) -> [Sighting] {
    let bytes = Array(line.utf8.prefix(ControlPointOutput.lineBytesMaximum))
    let small = bytes.map { $0 &- 65 < 26 ? $0 | 32 : $0 }
    let isIndented = bytes.first == 32 || bytes.first == 9
    let isJSON: Bool
    var isGone: Bool
    if let event = ControlPointOutput.value(of: "event", in: small) {
      isJSON = true
      isGone = ControlPointOutput.departures.contains(event)
    } else {
      isJSON = false
      isGone = ControlPointOutput.departures.contains { ControlPointOutput.hasWord(Array($0.utf8), in: small) }
    }
    if !isIndented { headingIsGone = isGone }
    isGone = isGone || isIndented && headingIsGone
    var found: [Sighting] = []
    let text = String(decoding: bytes.prefix(400), as: UTF8.self)
    func add(_ sighting: Sighting) {
      if found.count < ControlPointOutput.sightingsMaximum, !found.contains(sighting) { found.append(sighting) }
    }
    // UUIDs of baits begin with one of two words.
    var place = 0
    while let start = ControlPointOutput.nextName(in: small, from: place) {
      let end = ControlPointOutput.end(of: start, in: small)
      place = end
      guard let bait = names.byUUID[String(decoding: small[start..<end], as: UTF8.self)] else { continue }
      var usn = ""
      if small[end...].starts(with: [58, 58]) {
        let part = small[(end + 2)...].prefix(while: ControlPointOutput.isTargetByte)
        usn = String(decoding: part, as: UTF8.self)
        place = part.endIndex
      }
      add(
        Sighting(
          bait: bait, usn: usn, path: nil, isGone: isGone, isWhole: isJSON,
          hasCapitals: bytes[start..<end] != small[start..<end], line: text))
    }
    // Worked out once for a line, which may hold thousands of LOCATIONs.
    let message = ControlPointOutput.place(of: Array("http/1.1".utf8), in: small) ?? small.count
    place = 0
    while place + ControlPointBaitNames.pageByteCount <= bytes.count {
      if bytes[place] == UInt8(ascii: "/"), bytes[place + 2] == UInt8(ascii: "/"),
        let (bait, path) = names.names.bait(
          of: String(decoding: bytes[place..<(place + ControlPointBaitNames.pageByteCount)], as: UTF8.self)),
        bait < names.baits.count
      {
        // Where a device went it is no news that it had a LOCATION.
        if !isGone {
          add(
            Sighting(
              bait: bait, usn: nil, path: path, isGone: false, isWhole: false,
              isMention: ControlPointOutput.isElsewhere(place, in: small, message: message), line: text))
        }
        place += ControlPointBaitNames.pageByteCount
      } else {
        place += 1
      }
    }
    return found
  }

  private static func nextName(in small: [UInt8], from start: Int) -> Int? {
    var place = start
    let (number, word) = (Array("b4170000-".utf8), Array("rollcall_bait.".utf8))
    while place < small.count {
      if small[place] == 98, small[place...].starts(with: number) { return place }
      if small[place] == 114, small[place...].starts(with: word) { return place }
      place += 1
    }
    return nil
  }

  private static func end(of start: Int, in small: [UInt8]) -> Int {
    let count = small[start] == 98 ? 36 : 26
    return min(small.count, start + count)
  }

  private static func isTargetByte(_ byte: UInt8) -> Bool { byte > 32 && byte < 127 && byte != 34 && byte != 44 }

  /// The text of a member of a JSON object; small letters.
  private static func value(of key: String, in small: [UInt8]) -> String? {
    guard small.first == UInt8(ascii: "{") else { return nil }
    let wanted = Array("\"\(key)\":\"".utf8)
    // Behind the brace.
    var place = 1
    while place < small.count {
      if small[place] == 34, small[place...].starts(with: wanted) {
        let start = place + wanted.count
        guard let end = small[start...].firstIndex(of: 34) else { return nil }
        return String(decoding: small[start..<end], as: UTF8.self)
      }
      place += 1
    }
    return nil
  }

  /// Names of fields whose values are no LOCATION.
  private static let otherFields = ["server", "user-agent", "host", "nt", "st", "usn", "cache-control", "ext", "date"]

  /// Whether what stands at a place belongs to another field than LOCATION, or to a message that is printed as it came.
  /// - Parameter message: where such a message begins.
  private static func isElsewhere(_ place: Int, in small: [UInt8], message: Int) -> Bool {
    let before = small[..<place]
    if let key = lastKey(before) { return otherFields.contains(key) }
    if place > message { return true }
    let label = before.drop { $0 == 32 || $0 == 9 }.prefix { $0 != 58 && $0 != 61 }
    return otherFields.contains(String(decoding: label.filter { $0 != 32 }, as: UTF8.self))
  }

  /// The key of the JSON member that is open at the end; `nil`: the line is no object.
  private static func lastKey(_ before: ArraySlice<UInt8>) -> String? {
    guard before.first == UInt8(ascii: "{") else { return nil }
    let mark = Array("\":".utf8)
    guard
      let end = before.indices.last(where: { before[$0...].starts(with: mark) }),
      let start = before[..<end].lastIndex(of: 34)
    else { return "" }
    return String(decoding: before[(start + 1)..<end], as: UTF8.self)
  }

  private static func hasWord(_ word: [UInt8], in small: [UInt8]) -> Bool { place(of: word, in: small) != nil }

  /// Where a word begins that is part of no other.
  private static func place(of word: [UInt8], in small: [UInt8]) -> Int? {
    func isLetter(_ byte: UInt8) -> Bool { byte >= 97 && byte <= 122 || byte == 45 || byte == 95 }
    var place = 0
    while place + word.count <= small.count {
      if small[place] == word[0], small[place...].starts(with: word) {
        let isBegin = place == 0 || !isLetter(small[place - 1])
        let isEnd = place + word.count == small.count || !isLetter(small[place + word.count])
        if isBegin, isEnd { return place }
      }
      place += 1
    }
    return nil
  }
}
