import Foundation
import RollcallReporting

/// Files as they are at a moment, each with what tells that it was changed.
package struct WatchedFiles: Hashable, Sendable {
  /// What differs where a file was written, replaced or touched.
  package struct Mark: Hashable, Sendable {
    /// When it was written last, in seconds and nanoseconds.
    var seconds: Int64
    var nanoseconds: Int64
    var size: Int64
    /// Of the file in its file system.
    var number: UInt64

    package init(seconds: Int64, nanoseconds: Int64 = 0, size: Int64 = 0, number: UInt64 = 0) {
      (self.seconds, self.nanoseconds, self.size, self.number) = (seconds, nanoseconds, size, number)
    }

    /// `nil`: there is no such file.
    init?(of path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      #if os(Linux)
        let time = info.st_mtim
      #else
        let time = info.st_mtimespec
      #endif
      self.init(
        seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec), size: Int64(info.st_size),
        number: UInt64(info.st_ino))
    }
  }

  /// Scenarios, by path.
  package var scenarios: [String: Mark]
  /// Files that matter to every scenario, by path.
  package var others: [String: Mark]

  package init(scenarios: [String: Mark] = [:], others: [String: Mark] = [:]) {
    (self.scenarios, self.others) = (scenarios, others)
  }

  /// Looks at all scenarios that files and folders stand for now.
  /// - Parameter companions: files that matter to every scenario.
  package init(_ paths: [String], filter: ScenarioFilter, beside companions: [String]) {
    self.init()
    for path in paths {
      for file in InputFiles.paths(at: path, endings: InputFiles.scenarios) ?? [] where filter.takes(path: file) {
        scenarios[file] = Mark(of: file)
      }
    }
    for file in companions { others[file] = Mark(of: file) }
  }

  /// The paths of two moments, in order.
  fileprivate static func paths(_ old: [String: Mark], _ new: [String: Mark]) -> [String] {
    Set(old.keys).union(new.keys).sorted()
  }
}

/// What is different between two moments, and what is to be run therefore.
package struct WatchChange: Hashable, Sendable {
  package enum Wanted: Hashable, Sendable {
    case nothing
    case everything
    case these([String])

    package func takes(_ path: String) -> Bool {
      switch self {
      case .nothing: false
      case .everything: true
      case .these(let paths): paths.contains(path)
      }
    }
  }

  /// Paths, in order.
  package var added: [String]
  package var changed: [String]
  package var removed: [String]
  /// Those that matter to every scenario.
  package var others: [String]

  package init(from old: WatchedFiles, to new: WatchedFiles) {
    let paths = WatchedFiles.paths(old.scenarios, new.scenarios)
    added = paths.filter { old.scenarios[$0] == nil }
    removed = paths.filter { new.scenarios[$0] == nil }
    changed = paths.filter { path in
      guard let before = old.scenarios[path], let now = new.scenarios[path] else { return false }
      return before != now
    }
    others = WatchedFiles.paths(old.others, new.others).filter { old.others[$0] != new.others[$0] }
  }

  package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty && others.isEmpty }

  /// A scenario that is gone has nothing to run; a file that matters to all has all of them run.
  package var wanted: Wanted {
    if !others.isEmpty { return .everything }
    let files = (added + changed).sorted()
    return files.isEmpty ? .nothing : .these(files)
  }

  /// `changed: a.yaml b.yaml; removed: c.yaml`.
  package var text: String {
    let parts: [(word: String, paths: [String])] = [
      ("changed", (changed + others).sorted()), ("new", added), ("removed", removed),
    ]
    return parts.filter { !$0.paths.isEmpty }.map { part in
      let listed = part.paths.prefix(WatchChange.listedMaximum).joined(separator: " ")
      let more = part.paths.count - WatchChange.listedMaximum
      return "\(part.word): \(listed)" + (more > 0 ? " and \(more) more" : "")
    }.joined(separator: "; ")
  }

  static let listedMaximum = 8
}
