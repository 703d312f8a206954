import Foundation

/// What came of each mutant of a room, as it is committed: a row a mutant, tabs between its columns.
struct Table {
  enum Status: String {
    case killed
    /// No test noticed it.
    case survived
    /// It changes nothing that anybody could see; the row says why.
    case equivalent
    case unbuildable = "does not compile"
  }
  struct Row {
    var status: Status
    /// The test that noticed it, or the reason why none can.
    var note: String
    var change: String
  }

  static let head = "status\tby or why\tchange\tfile\tfunction\ttext\tordinal"
  var rows: [Mutant.Key: Row] = [:]

  init() {}

  init(at url: URL) throws {
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where index > 0 && !line.isEmpty {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 7, let status = Status(rawValue: columns[0]), let ordinal = Int(columns[6]) else {
        throw Complaint("\(url.path):\(index + 1): a row has seven columns (\(Self.head)), and this is '\(line)'")
      }
      if status == .equivalent, columns[1].isEmpty {
        throw Complaint("\(url.path):\(index + 1): an equivalent mutant needs its reason")
      }
      let key = Mutant.Key(file: columns[3], function: columns[4], text: columns[5], ordinal: ordinal)
      rows[key] = Row(status: status, note: columns[1], change: columns[2])
    }
  }

  var text: String {
    let lines = rows.sorted { $0.key < $1.key }.map { key, row in
      [row.status.rawValue, row.note, row.change, key.file, key.function, key.text, "\(key.ordinal)"]
        .map { $0.replacingOccurrences(of: "\t", with: " ") }.joined(separator: "\t")
    }
    return ([Self.head] + lines).joined(separator: "\n") + "\n"
  }

  func write(to url: URL) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
}
