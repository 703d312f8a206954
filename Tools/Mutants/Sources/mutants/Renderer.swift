/// Writes a source file with all of its mutants in it.
struct Renderer {
  private let source: [UInt8]
  private let prefixCount: Int
  private(set) var bytes: [UInt8] = []
  /// Where each site stands in `bytes`; an inner one comes before the one around it.
  private(set) var spans: [(range: Range<Int>, site: Site)] = []

  /// - Parameter sites: those without alternatives are left as they are.
  init(prefix: String, source: [UInt8], sites: [Site]) {
    self.source = source
    bytes = Array(prefix.utf8)
    prefixCount = bytes.count
    let kept = sites.filter { !$0.alternatives.isEmpty }.sorted {
      ($0.range.lowerBound, -$0.range.upperBound, $0.form == .statement ? 0 : 1)
        < ($1.range.lowerBound, -$1.range.upperBound, $1.form == .statement ? 0 : 1)
    }
    for site in kept { site.children = [] }
    var open: [Site] = []
    var top: [Site] = []
    for site in kept {
      while let last = open.last, last.range.upperBound <= site.range.lowerBound { open.removeLast() }
      if let last = open.last { last.children.append(site) } else { top.append(site) }
      open.append(site)
    }
    write(0..<source.count, top)
  }

  private mutating func write(_ range: Range<Int>, _ inner: [Site]) {
    var position = range.lowerBound
    for site in inner {
      bytes += source[position..<site.range.lowerBound]
      write(site)
      position = site.range.upperBound
    }
    bytes += source[position..<range.upperBound]
  }

  private mutating func write(_ site: Site) {
    let start = bytes.count
    switch site.form {
    case .expression:
      put("(")
      for one in site.alternatives { put("rollcallMutant(\(one.number)) ? (\(one.text)) : ") }
      put("(")
      write(site.range, site.children)
      put("))")
    case .statement:
      for one in site.alternatives { put("if rollcallMutant(\(one.number)) { \(one.text) } else ") }
      put("{ ")
      write(site.range, site.children)
      put(" }")
    }
    spans.append((start..<bytes.count, site))
  }

  private mutating func put(_ text: String) { bytes += Array(text.utf8) }

  /// The innermost site at a line and a column, both 1-based, of the written file.
  func site(line: Int, column: Int) -> Site? {
    guard let offset = offset(line: line, column: column) else { return nil }
    return spans.first { $0.range.contains(offset) }?.site
  }

  /// The place of the original file behind a place of the written one.
  func originalOffset(line: Int, column: Int) -> Int? {
    guard let offset = offset(line: line, column: column) else { return nil }
    // Behind the last outer site that ends before it, distances are those of the original.
    var (written, original) = (prefixCount, 0)
    for span in spans where span.range.upperBound <= offset && span.range.upperBound > written {
      (written, original) = (span.range.upperBound, span.site.range.upperBound)
    }
    return original + offset - written
  }

  private func offset(line: Int, column: Int) -> Int? {
    var position = 0
    for _ in 1..<max(1, line) {
      guard let end = bytes[position...].firstIndex(of: 10) else { return nil }
      position = end + 1
    }
    return position + column - 1
  }
}
