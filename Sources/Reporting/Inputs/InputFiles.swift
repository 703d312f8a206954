package import RollcallCapture
import Foundation
package import RollcallPrimitives

/// What the inputs of the command line stand for: the same for every verb.
///
/// `-` is standard input. A folder stands for every file below it whose name ends as one of the wanted kind, hidden
/// ones left out, in the order of their paths. Any other path stands for itself, a pipe as well.
package enum InputFiles {
  package static let standardInput = "-"
  /// Names of captures; each also with `.gz` behind it.
  package static let captures = [".pcap", ".pcapng", ".cap", ".btsnoop"]
  /// What the capture of a folder of its own is called; its reviewed reports lie beside it.
  package static let ownNames = ["capture.pcapng", "capture.btsnoop"]
  /// What can be judged: captures, and traces of runs.
  package static let judged = captures + [".trace"]
  package static let scenarios = [".yaml", ".yml"]
  /// Whether a file is named as a scenario is.
  package static func isScenario(_ path: String) -> Bool { scenarios.contains { path.hasSuffix($0) } }
  /// More of a pipe is not kept, where it has to be read more than once.
  static let keptBytesMaximum = 1 << 30

  /// - Parameter endings: what names of files in a folder end with; case does not matter.
  /// - Returns: `nil` where there is nothing at `path`; for a folder it may be empty.
  package static func paths(at path: String, endings: [String]) -> [String]? {
    if path == standardInput { return [path] }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    guard isFolder.boolValue else { return [path] }
    let base = path.hasSuffix("/") ? String(path.dropLast()) : path
    // With the bar behind it a link to a folder is gone through as well.
    let below = FileManager.default.enumerator(atPath: base + "/")?.compactMap { $0 as? String } ?? []
    return below.filter { isNamed($0, endings) }.sorted().map { base + "/" + $0 }
  }

  /// Whether the name is that of a capture, a trace or a scenario.
  package static func looksLikeInput(_ name: String) -> Bool { isNamed(name, judged + scenarios) }

  private static func isNamed(_ name: String, _ endings: [String]) -> Bool {
    if name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) { return false }
    let lower = name.lowercased()
    return endings.contains { lower.hasSuffix($0) || captures.contains($0) && lower.hasSuffix($0 + ".gz") }
  }

  /// Whether the path can be read as often as one likes: standard input and pipes cannot.
  package static func isRepeatable(_ path: String) -> Bool {
    guard path != standardInput else { return false }
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let type = (try? FileManager.default.attributesOfItem(atPath: real))?[.type] as? FileAttributeType
    return type == .typeRegular
  }

  /// All bytes of a file, of a pipe, or of standard input.
  package static func bytes(at path: String, bytesMaximum: Int = keptBytesMaximum) throws(CaptureError) -> [UInt8] {
    let file = try CaptureFile(path: path)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { file.read(into: $0) }
      if count == 0 { return bytes }
      guard count > 0 else { throw .unreadable(file.failure ?? "it cannot be read") }
      if bytes.count + count > bytesMaximum {
        throw .unreadable("it has more than \(bytesMaximum) bytes, and a pipe is kept in memory: name a file")
      }
      bytes += chunk[..<count]
    }
  }

  /// All text of a file, of a pipe, or of standard input, without the mark of byte order at its start.
  package static func text(at path: String) throws(CaptureError) -> String {
    withoutMark(String(decoding: try bytes(at: path), as: UTF8.self))
  }

  /// What some editors write before the first line says nothing.
  package static func withoutMark(_ text: String) -> String {
    text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }

  /// When the first frame of a capture was taken that has a time; `nil` where that cannot be looked at beforehand.
  package static func start(of path: String) -> Instant? {
    guard isRepeatable(path), var reader = try? CaptureReader(path: path) else { return nil }
    var frame = CaptureFrame()
    while reader.next(&frame) { if frame.hasTime { return frame.time } }
    return nil
  }

  /// Opens a capture as often as it is called, each time from its start; what can be read only once is kept.
  package static func opener(of path: String) throws(CaptureError) -> () throws -> CaptureReader {
    if isRepeatable(path) { return { try CaptureReader(path: path) } }
    let kept = try bytes(at: path)
    return { try reader(of: kept) }
  }

  /// Reads a capture that is in memory.
  package static func reader(of bytes: [UInt8]) throws(CaptureError) -> CaptureReader {
    var place = 0
    return try CaptureReader { buffer in
      let count = min(buffer.count, bytes.count - place)
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<(place + count)])) }
      place += count
      return count
    }
  }
}

/// An input that could not be read, for reports that are not for people.
package enum InputFailureLines {
  /// `{"kind":"error",…}`, in the place of all that would have been said of the input.
  package static func json(input: String, message: String) -> String {
    var line = JSONLine(kind: "error")
    line.add("input", input)
    line.add("message", message)
    return line.closed
  }

  /// A suite with one case, an error.
  /// - Parameter findings: each mistake with its place, where that is known.
  package static func suite(input: String, message: String, findings: [ResultFinding] = []) -> ResultSuite {
    let read = ResultCase("read", outcome: .error(message: message, type: "unreadable"), findings: findings)
    return ResultSuite(input, file: input, cases: [read])
  }
}
