import Foundation

/// What scapy and bumble say of bytes of Bluetooth LE: oracles that are asked while a test runs, where they are installed.
///
/// `Tools/python-packages.sh` installs them from PyPI; without them a test says by name what it could not compare. All
/// questions of a test go to one process (`Tools/oracles/bluetooth.py`).
package enum OtherStacks {
  package struct Question: Hashable, Sendable {
    /// `att`, `ad`, `ll` or `crc`.
    package var kind: String
    package var bytes: [UInt8]
    /// What we read in the bytes.
    package var fields: String
    package init(kind: String, bytes: [UInt8], fields: String) {
      (self.kind, self.bytes, self.fields) = (kind, bytes, fields)
    }

    var line: String { "\(kind)\t\(OtherStacks.hex(bytes))\t\(fields)\n" }
  }

  /// Of one library: what it reads in the bytes, and the bytes that it writes for our fields; `nil` where it has no class
  /// for them.
  package struct Answer: Hashable, Sendable {
    package var fields: String?
    package var bytes: String?
  }

  package struct Answers: Hashable, Sendable {
    package var scapy: Answer
    package var bumble: Answer
  }

  /// Asks all at once; `nil` where the libraries are not installed, which is said.
  /// - Parameter what: what is compared with them.
  package static func ask(_ questions: [Question], for what: String) throws -> [Answers]? {
    guard let python = PythonOracle.packages else {
      print("skipped: \(what): scapy and bumble are not installed (Tools/python-packages.sh)")
      return nil
    }
    return try PythonOracle.ask("bluetooth.py", by: python, questions.map(\.line)).map { data in
      let line = String(decoding: data, as: UTF8.self)
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map { $0 == "-" ? nil : String($0) }
      func answer(_ place: Int) -> Answer {
        parts.count == 4 ? Answer(fields: parts[place], bytes: parts[place + 1]) : Answer(fields: line)
      }
      return Answers(scapy: answer(0), bumble: answer(2))
    }
  }

  /// Digits as Python writes them.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
  }

  /// What a comparison came to: how many answers were those that are right, and those that were not, each in a line.
  package struct Comparison: Hashable, Sendable {
    package var scapy = 0
    package var bumble = 0
    /// Questions that a library has no class for: the kind, and the first field.
    package var left: [String] = []
    package var differences: [String] = []
  }

  /// Compares what the libraries read with our fields, and what they write with our bytes.
  /// - Parameter writes: whether the bytes are those that a program of today would write for the fields.
  package static func compare(_ questions: [Question], _ answers: [Answers], writes: Bool = true) -> Comparison {
    var comparison = Comparison()
    if questions.count != answers.count { comparison.differences = ["\(answers.count) answers"] }
    for (question, answers) in zip(questions, answers) {
      let digits = hex(question.bytes)
      for (name, answer) in [("scapy", answers.scapy), ("bumble", answers.bumble)] {
        guard let fields = answer.fields else {
          comparison.left.append("\(name) \(question.kind) \(question.fields.split(separator: " ").first ?? "")")
          continue
        }
        if fields != question.fields {
          comparison.differences.append("\(name) reads \(digits) as \(fields), and we as \(question.fields)")
        } else if writes, let bytes = answer.bytes, bytes != digits {
          comparison.differences.append("\(name) writes \(question.fields) as \(bytes), and we as \(digits)")
        } else if name == "scapy" {
          comparison.scapy += 1
        } else {
          comparison.bumble += 1
        }
      }
    }
    return comparison
  }
}
