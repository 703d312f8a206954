package import RollcallDevices
package import RollcallPrimitives
import RollcallSimulation

/// `kind: recorded` — a host as a capture shows it: sets of messages in its own words, and when it says them.
package struct RecordedSection: Hashable, Sendable {
  /// What `{nt}` and `{usn}` stand for in one message of a set; in an answer `{nt}` stands in ST.
  package struct Advert: Hashable, Sendable {
    package var nt: String
    package var usn: String
    package init(nt: String, usn: String = "") { (self.nt, self.usn) = (nt, usn) }
  }

  package struct AdvertSet: Hashable, Sendable {
    package var name: String
    package var adverts: [Advert]
    package init(_ name: String, _ adverts: [Advert]) { (self.name, self.adverts) = (name, adverts) }
  }

  /// How a message is spelled: its lines, with holes for what differs from message to message of a set.
  package struct Wording: Hashable, Sendable {
    package var lines: [String]
    /// Between the lines.
    package var lineEnd: String
    /// Behind the last line: its end, and the blank line.
    package var tail: String

    package init(lines: [String] = [], lineEnd: String = "\r\n", tail: String = "\r\n\r\n") {
      (self.lines, self.lineEnd, self.tail) = (lines, lineEnd, tail)
    }

    /// The message about `advert`.
    package func bytes(_ advert: Advert) -> [UInt8] {
      let text = lines.joined(separator: lineEnd) + tail
      return Array(RecordedSection.filled(text, advert).utf8)
    }
  }

  package struct Utterance: Hashable, Sendable {
    package var wording: Wording
    /// The name of a set; `nil`: one message without holes.
    package var set: String?
    package var at: [Interval]
    package var thenEvery: Interval?
    package var pace: [Interval]
    package var paces: [[Interval]]
    /// `nil`: the group.
    package var to: Target?
    package var sourcePort: UInt16
    package var ttl: Int

    package init(
      _ wording: Wording = Wording(), set: String? = nil, at: [Interval] = [], thenEvery: Interval? = nil,
      pace: [Interval] = [], paces: [[Interval]] = [], to: Target? = nil, sourcePort: UInt16 = 1_900, ttl: Int = 2
    ) {
      self.wording = wording
      self.set = set
      self.at = at
      self.thenEvery = thenEvery
      self.pace = pace
      self.paces = paces
      self.to = to
      self.sourcePort = sourcePort
      self.ttl = ttl
    }
  }

  package struct Answer: Hashable, Sendable {
    /// ST of the searches that it answers.
    package var target: String
    package var wording: Wording
    package var set: String?
    package var replies: [Recorded.Answer.Reply]
    package var sourcePort: UInt16

    package init(
      target: String = "", _ wording: Wording = Wording(), set: String? = nil, replies: [Recorded.Answer.Reply] = [],
      sourcePort: UInt16 = 1_900
    ) {
      self.target = target
      self.wording = wording
      self.set = set
      self.replies = replies
      self.sourcePort = sourcePort
    }
  }

  package var sets: [AdvertSet]
  package var says: [Utterance]
  package var answers: [Answer]
  /// Whether it is a program on the engine's host: it speaks from the engine's address, and its searches are the
  /// engine's own, as a replay of a capture has it.
  package var isBesideEngine: Bool

  package init(
    sets: [AdvertSet] = [], says: [Utterance] = [], answers: [Answer] = [], isBesideEngine: Bool = false
  ) {
    self.sets = sets
    self.says = says
    self.answers = answers
    self.isBesideEngine = isBesideEngine
  }

  static func filled(_ text: String, _ advert: Advert) -> String {
    var filled = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      filled += rest[..<brace]
      rest = rest[brace...]
      if rest.hasPrefix("{nt}") {
        filled += advert.nt
        rest = rest.dropFirst(4)
      } else if rest.hasPrefix("{usn}") {
        filled += advert.usn
        rest = rest.dropFirst(5)
      } else {
        filled += "{"
        rest = rest.dropFirst()
      }
    }
    return filled + rest
  }

  func messages(_ wording: Wording, set: String?) -> [[UInt8]] {
    guard let set else { return [wording.bytes(Advert(nt: ""))] }
    return sets.first { $0.name == set }?.adverts.map { wording.bytes($0) } ?? []
  }
}

extension Scenario {
  /// Whether the engine takes part in searches of a program beside it.
  var hasSharedSearches: Bool {
    inhabitants.contains { if case .recorded(let section) = $0.kind { section.isBesideEngine } else { false } }
  }
}
