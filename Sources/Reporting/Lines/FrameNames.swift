/// What frames are called: by their number, and by their file too where several files make one replay.
package struct FrameNames: Hashable, Sendable {
  /// A name for each file of a merged replay; empty where there is one file.
  package var labels: [String] = []

  package init(labels: [String] = []) { self.labels = labels }

  /// Short names for files: what is left of their paths where they differ.
  package init(paths: [String]) {
    let parts = paths.map { $0.split(separator: "/").map(String.init) }
    guard parts.count > 1 else { return }
    // Whatever all have in common in front and behind says nothing.
    let shortest = parts.map(\.count).min() ?? 0
    var front = 0
    while front < shortest - 1, parts.allSatisfy({ $0[front] == parts[0][front] }) { front += 1 }
    var behind = 0
    while behind < shortest - front - 1,
      parts.allSatisfy({ $0[$0.count - 1 - behind] == parts[0][parts[0].count - 1 - behind] })
    { behind += 1 }
    var names = parts.map { $0[front..<($0.count - behind)].joined(separator: "/") }
    let endings = [".pcapng.gz", ".pcap.gz", ".pcapng", ".pcap"]
    for ending in endings where names.allSatisfy({ $0.hasSuffix(ending) && $0.count > ending.count }) {
      names = names.map { String($0.dropLast(ending.count)) }
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) { names[index] += "#\(index + 1)" }
    labels = names
  }

  private static let fileShift = 40

  /// One number for a frame of a file, from 0; in the first file it is the frame's own.
  package static func number(file: Int, frame: Int) -> Int { file << fileShift | frame }
  package static func file(of number: Int) -> Int { number >> fileShift }
  package static func frame(of number: Int) -> Int { number & (1 << fileShift - 1) }

  /// The name of a frame's file; `nil` where there is one file.
  package func file(of number: Int) -> String? {
    let file = FrameNames.file(of: number)
    return file < labels.count ? labels[file] : nil
  }

  /// `12`, or `eth0:12`.
  package func text(_ number: Int) -> String {
    let file = FrameNames.file(of: number)
    return (file < labels.count ? labels[file] + ":" : "") + String(FrameNames.frame(of: number))
  }

  /// Without the file where that is the one of `earlier`.
  package func text(_ number: Int, after earlier: Int) -> String {
    FrameNames.file(of: number) == FrameNames.file(of: earlier) ? String(FrameNames.frame(of: number)) : text(number)
  }
}
