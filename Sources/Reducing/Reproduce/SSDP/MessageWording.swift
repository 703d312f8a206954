import RollcallScenarios

/// A message taken apart: what it shares with the others of its set, and what it fills in.
struct MessageWording {
  var wording: RecordedSection.Wording
  var advert: RecordedSection.Advert
  /// Whether the message carries a date that goes with the moment.
  var hasDate = false
  /// What tells messages of one form from those of another: the wording with its date left out.
  var key: String

  /// - Parameters:
  ///   - target: the field with the target: NT, or ST in an answer; `nil`: nothing is filled in.
  /// - Returns: `nil` for bytes that are no text, or that hold what stands for a hole.
  init?(_ payload: [UInt8], target: String?) {
    guard let text = String(validating: payload, as: UTF8.self), !text.contains("{nt}"), !text.contains("{usn}"),
      !text.isEmpty
    else { return nil }
    let scalars = Array(text.unicodeScalars)
    let lineEnd = text.unicodeScalars.contains("\r") ? "\r\n" : "\n"
    let blank = MessageWording.firstIndex(of: Array((lineEnd + lineEnd).unicodeScalars), in: scalars)
    var head = scalars[...]
    var tail = ""
    if let blank {
      head = scalars[..<blank]
      tail = MessageWording.string(scalars[blank...])
    } else if MessageWording.string(head).hasSuffix(lineEnd) {
      tail = lineEnd
      head = head.dropLast(lineEnd.unicodeScalars.count)
    }
    var lines = MessageWording.split(head, Array(lineEnd.unicodeScalars)).map { MessageWording.string($0) }
    advert = RecordedSection.Advert(nt: "")
    if let target {
      advert.nt = MessageWording.take(target, "{nt}", from: &lines) ?? ""
      advert.usn = MessageWording.take("USN", "{usn}", from: &lines) ?? ""
    }
    wording = RecordedSection.Wording(lines: lines, lineEnd: lineEnd, tail: tail)
    guard wording.bytes(advert) == payload else { return nil }
    var dateless = lines
    hasDate = MessageWording.take("DATE", "", from: &dateless) != nil
    key = dateless.joined(separator: lineEnd) + "\u{0}" + tail
  }

  /// Puts a hole in the place of a field's value and returns the value; `nil` where there is no such field, or two.
  private static func take(_ name: String, _ hole: String, from lines: inout [String]) -> String? {
    let places = lines.indices.filter { index in
      guard let colon = lines[index].unicodeScalars.firstIndex(of: ":") else { return false }
      return String(lines[index].unicodeScalars[..<colon]).lowercased() == name.lowercased()
    }
    guard let place = places.first, let colon = lines[place].unicodeScalars.firstIndex(of: ":") else { return nil }
    let line = lines[place].unicodeScalars
    let rest = line[line.index(after: colon)...]
    let lead = rest.prefix { $0 == " " || $0 == "\t" }
    let value = String.UnicodeScalarView(rest.dropFirst(lead.count))
    let trail = value.reversed().prefix { $0 == " " || $0 == "\t" }.count
    let bare = String(String.UnicodeScalarView(value.dropLast(trail)))
    if bare.isEmpty { return nil }
    lines[place] =
      String(line[...colon]) + String(lead) + hole + String(String.UnicodeScalarView(value.suffix(trail)))
    return bare
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  private static func firstIndex(of piece: [Unicode.Scalar], in scalars: [Unicode.Scalar]) -> Int? {
    guard scalars.count >= piece.count else { return nil }
    return (0...(scalars.count - piece.count)).first { scalars[$0..<($0 + piece.count)].elementsEqual(piece) }
  }

  private static func split(_ scalars: ArraySlice<Unicode.Scalar>, _ separator: [Unicode.Scalar]) -> [[Unicode.Scalar]]
  {
    var lines: [[Unicode.Scalar]] = [[]]
    var index = scalars.startIndex
    while index < scalars.endIndex {
      if index + separator.count <= scalars.endIndex,
        scalars[index..<(index + separator.count)].elementsEqual(separator)
      {
        lines.append([])
        index += separator.count
      } else {
        lines[lines.count - 1].append(scalars[index])
        index += 1
      }
    }
    return lines
  }
}
