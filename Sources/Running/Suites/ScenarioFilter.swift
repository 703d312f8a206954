/// Which of the scenarios that were named are run: by their paths and by their tags.
package struct ScenarioFilter: Hashable, Sendable {
  /// One of these tags, if there are any.
  package var tags: [String]
  /// None of these.
  package var skippedTags: [String]
  /// A path that one of these fits, if there are any.
  package var paths: [PathPattern]
  /// None of these fits.
  package var skippedPaths: [PathPattern]

  package init(
    tags: [String] = [], skippedTags: [String] = [], paths: [PathPattern] = [], skippedPaths: [PathPattern] = []
  ) {
    (self.tags, self.skippedTags) = (tags, skippedTags)
    (self.paths, self.skippedPaths) = (paths, skippedPaths)
  }

  package func takes(path: String) -> Bool {
    (paths.isEmpty || paths.contains { $0.fits(path) }) && !skippedPaths.contains { $0.fits(path) }
  }

  package func takes(tags own: [String]) -> Bool {
    (tags.isEmpty || tags.contains { own.contains($0) }) && !skippedTags.contains { own.contains($0) }
  }
}

/// A pattern for paths: names with bars between them, which have to be names of the path, one behind the other.
///
/// `ssdp` fits every path with a folder or file of that name, `ssdp/lamp-*` what lies in such a folder and begins so.
/// In a name `*` stands for any characters and `?` for one; the name `**` for any number of names. A file may be named
/// without its `.yaml` or `.yml`.
package struct PathPattern: Hashable, Sendable {
  private let names: [String]

  /// `nil`: there is no name in it.
  package init?(_ text: String) {
    names = PathPattern.names(of: text)
    if names.isEmpty { return nil }
  }

  private static func names(of path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  package func fits(_ path: String) -> Bool {
    let own = PathPattern.names(of: path)
    // Places in the path before which all names of the pattern so far were found; it may begin anywhere.
    var reached = own.map { _ in true } + [false]
    for name in names {
      reached =
        name == "**"
        ? PathPattern.spread(reached)
        : [false] + own.indices.map { reached[$0] && fits(name, own[$0], isLast: $0 == own.count - 1) }
    }
    return reached.contains(true)
  }

  private func fits(_ name: String, _ own: String, isLast: Bool) -> Bool {
    if PathPattern.fits(name, own) { return true }
    guard isLast, let ending = [".yaml", ".yml"].first(where: { own.hasSuffix($0) }) else { return false }
    return PathPattern.fits(name, String(own.dropLast(ending.count)))
  }

  private static func fits(_ name: String, _ own: String) -> Bool {
    let letters = Array(own)
    var reached = [true] + letters.map { _ in false }
    for one in name {
      reached =
        one == "*"
        ? spread(reached)
        : [false] + letters.indices.map { reached[$0] && (one == "?" || one == letters[$0]) }
    }
    return reached.last == true
  }

  /// Each place behind a reached one is reached as well.
  private static func spread(_ reached: [Bool]) -> [Bool] {
    let first = reached.firstIndex(of: true) ?? reached.count
    return reached.indices.map { $0 >= first }
  }
}
