import Foundation
import RollcallPrimitives
import RollcallWire

/// A Markdown file of cases: a heading, a reason, an input as escaped text, and what each mode makes of it.
struct SSDPGolden {
  struct Case {
    var name: String
    var input: [UInt8]
    /// Recorded outcomes, line by line.
    var lenient: [String]
    var strict: [String]
  }

  static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/ssdp-form.md")

  /// The file as pieces: text that stays, and outcomes that can be rewritten.
  private(set) var cases: [Case] = []
  private var lines: [String]
  private var outcomes: [(lines: Range<Int>, name: Int, mode: SSDPMode)] = []

  init() throws {
    lines = try String(contentsOf: Self.file, encoding: .utf8).components(separatedBy: "\n")
    var position = 0
    while position < lines.count {
      let line = lines[position]
      position += 1
      if line.hasPrefix("## ") {
        cases.append(Case(name: String(line.dropFirst(3)), input: [], lenient: [], strict: []))
      } else if line.hasPrefix("```"), line.count > 3 {
        let start = position
        while position < lines.count, lines[position] != "```" { position += 1 }
        let body = Array(lines[start..<position])
        switch line {
        case "```input": cases[cases.count - 1].input = try Self.bytes(body.joined())
        case "```lenient":
          cases[cases.count - 1].lenient = body
          outcomes.append((start..<position, cases.count - 1, .lenient))
        case "```strict":
          cases[cases.count - 1].strict = body
          outcomes.append((start..<position, cases.count - 1, .strict))
        default: throw Malformed(what: "block \(line)")
        }
        position += 1
      }
    }
  }

  struct Malformed: Error { var what: String }

  /// Writes the file again with what the reader says now.
  func record() throws {
    var lines = lines
    for (range, name, mode) in outcomes.reversed() {
      lines.replaceSubrange(range, with: Self.outcome(cases[name].input, mode))
    }
    try lines.joined(separator: "\n").write(to: Self.file, atomically: true, encoding: .utf8)
  }

  static func bytes(_ escaped: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(escaped.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "r"): bytes.append(13)
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "\\"): bytes.append(92)
      case UInt8(ascii: "x"):
        guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
          throw Malformed(what: "escape in \(escaped)")
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: throw Malformed(what: "escape in \(escaped)")
      }
    }
    return bytes
  }

  static func escaped(_ bytes: [UInt8]) -> String {
    SSDPText.text(bytes).unicodeScalars.map { scalar in
      switch scalar {
      case "\r": "\\r"
      case "\n": "\\n"
      case "\t": "\\t"
      default:
        scalar.value < 32 || scalar.value == 127
          ? "\\x" + String(scalar.value + 256, radix: 16).suffix(2) : String(scalar)
      }
    }.joined()
  }

  /// What reader and field rules say, line by line; strict says only where it differs.
  static func outcome(_ input: [UInt8], _ mode: SSDPMode) -> [String] {
    let whole = wholeOutcome(input, mode)
    return mode == .strict && whole == wholeOutcome(input, .lenient) ? ["as lenient"] : whole
  }

  private static func wholeOutcome(_ input: [UInt8], _ mode: SSDPMode) -> [String] {
    SSDPReader.withReading(input, mode: mode) { reading in
      switch reading {
      case .rejected(let rejection): return [text(rejection)]
      case .message(let borrowed):
        let message = SSDPOwnedMessage(borrowed)
        var head = "\(message.kind.name), \(message.byteCount) bytes"
        if message.maxAgeSeconds >= 0 { head += ", max-age \(message.maxAgeSeconds)" }
        if message.bootID >= 0 { head += ", BOOTID \(message.bootID)" }
        if message.nextBootID >= 0 { head += ", NEXTBOOTID \(message.nextBootID)" }
        if message.configID >= 0 { head += ", CONFIGID \(message.configID)" }
        if message.searchPort >= 0 { head += ", SEARCHPORT \(message.searchPort)" }
        if message.maximumWaitSeconds >= 0 { head += ", MX \(message.maximumWaitSeconds)" }
        let fields = message.fields.map { field in
          "  [\(field.number == .other ? "-" : "\(field.number)")] \(escaped(field.nameBytes)):"
            + (field.valueBytes.isEmpty ? "" : " " + escaped(field.valueBytes))
        }
        return [head] + fields + ["fields: " + (borrowed.check(mode).map(text) ?? "well")]
      }
    }
  }

  private static func text(_ rejection: Rejection) -> String { "\(rejection.reason.rawValue) at \(rejection.offset)" }
}
