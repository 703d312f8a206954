/// A document as it was written: scalars as text, mappings in their order, every node with its place.
///
/// Two trees are equal when they say the same; places and quoting do not count.
package struct Tree: Sendable {
  package enum Content: Hashable, Sendable {
    /// A key without a value.
    case nothing
    case scalar(String)
    case list([Tree])
    case mapping([Entry])
  }

  package struct Entry: Hashable, Sendable {
    package var key: String
    var keyMark: Mark
    package var value: Tree
    package init(_ key: String, _ value: Tree, keyMark: Mark = .none) {
      (self.key, self.value, self.keyMark) = (key, value, keyMark)
    }
    package static func == (left: Entry, right: Entry) -> Bool { left.key == right.key && left.value == right.value }
    package func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(value)
    }
  }

  /// Line and column from 1, columns in Unicode scalars; line 0 for a tree that no file holds.
  package struct Mark: Hashable, Sendable, Comparable {
    package var line: Int
    package var column: Int
    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
    package static var none: Mark { Mark(line: 0, column: 0) }
    package static func < (left: Mark, right: Mark) -> Bool {
      (left.line, left.column) < (right.line, right.column)
    }
  }

  package var content: Content
  package var mark: Mark

  package init(_ content: Content, mark: Mark = .none) { (self.content, self.mark) = (content, mark) }

  static func scalar(_ text: String) -> Tree { Tree(.scalar(text)) }
  static func list(_ items: [Tree]) -> Tree { Tree(.list(items)) }
  static func mapping(_ entries: [(String, Tree)]) -> Tree { Tree(.mapping(entries.map { Entry($0.0, $0.1) })) }

  var entries: [Entry]? { if case .mapping(let entries) = content { entries } else { nil } }
  var items: [Tree]? { if case .list(let items) = content { items } else { nil } }
  var text: String? { if case .scalar(let text) = content { text } else { nil } }

  /// How many nodes hang here, this one included.
  var nodeCount: Int {
    switch content {
    case .nothing, .scalar: 1
    case .list(let items): items.reduce(1) { $0 + $1.nodeCount }
    case .mapping(let entries): entries.reduce(1) { $0 + 1 + $1.value.nodeCount }
    }
  }
}

extension Tree: Hashable {
  package static func == (left: Tree, right: Tree) -> Bool { left.content == right.content }
  package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

/// The way from the root of a document to one of its nodes; prints as `inhabitants.tv.quirks[0]`.
package struct TreePath: Hashable, Sendable, CustomStringConvertible {
  package enum Step: Hashable, Sendable {
    case key(String)
    case index(Int)
  }
  package var steps: [Step]

  package init(_ steps: [Step] = []) { self.steps = steps }

  /// Reads what `description` writes; indices may also be written between dots: `timeline.0.at`.
  package init?(_ text: String) {
    var steps: [Step] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      guard let key = pieces.first, !key.isEmpty else { return nil }
      if let index = Number.natural(key), !steps.isEmpty {
        guard let index = Int(exactly: index) else { return nil }
        steps.append(.index(index))
      } else {
        steps.append(.key(String(key)))
      }
      for piece in pieces.dropFirst() {
        guard piece.last == "]", let index = Number.natural(piece.dropLast()).flatMap({ Int(exactly: $0) }) else {
          return nil
        }
        steps.append(.index(index))
      }
    }
    self.steps = steps
  }

  package var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .key(let key): text += text.isEmpty ? key : "." + key
      case .index(let index): text += "[\(index)]"
      }
    }
    return text
  }

  func appending(_ key: String) -> TreePath { TreePath(steps + [.key(key)]) }
  func appending(_ index: Int) -> TreePath { TreePath(steps + [.index(index)]) }
}

extension Tree {
  /// Where the node at `path` stands, or the deepest of its ancestors that was written down.
  func place(of path: TreePath) -> Mark {
    var node = self
    for step in path.steps {
      switch step {
      case .key(let key):
        guard let entry = node.entries?.first(where: { $0.key == key }) else { return node.mark }
        node = entry.value
      case .index(let index):
        guard let items = node.items, items.indices.contains(index) else { return node.mark }
        node = items[index]
      }
    }
    return node.mark
  }

  /// The tree with `value` at `path`; keys that are not there are added, but nobody is invented: an inhabitant and a
  /// segment have to be there. `nil` where the way leads through something that is not there.
  func replacing(_ path: TreePath, with value: Tree) -> Tree? {
    let parents: [[TreePath.Step]] = [[.key("inhabitants")], [.key("network"), .key("segments")]]
    let isInvented = parents.contains { parent in
      guard path.steps.starts(with: parent), path.steps.count > parent.count else { return false }
      return !holds(path.steps.prefix(parent.count + 1))
    }
    return isInvented ? nil : replacing(path.steps[...], with: value)
  }

  private func holds(_ path: ArraySlice<TreePath.Step>) -> Bool {
    guard let step = path.first else { return true }
    guard case .key(let key) = step, let entry = entries?.first(where: { $0.key == key }) else { return false }
    return entry.value.holds(path.dropFirst())
  }

  private func replacing(_ path: ArraySlice<TreePath.Step>, with value: Tree) -> Tree? {
    guard let step = path.first else { return value }
    var copy = self
    switch (step, content) {
    case (.key(let key), .mapping(var entries)):
      if let position = entries.firstIndex(where: { $0.key == key }) {
        guard let changed = entries[position].value.replacing(path.dropFirst(), with: value) else { return nil }
        entries[position].value = changed
      } else {
        // Only mappings come into being on the way: an index into nothing has no meaning.
        guard let made = Tree.mapping([]).replacing(path.dropFirst(), with: value) else { return nil }
        entries.append(Entry(key, made, keyMark: value.mark))
      }
      copy.content = .mapping(entries)
    case (.index(let index), .list(var items)):
      guard items.indices.contains(index), let changed = items[index].replacing(path.dropFirst(), with: value) else {
        return nil
      }
      items[index] = changed
      copy.content = .list(items)
    default: return nil
    }
    return copy
  }
}
