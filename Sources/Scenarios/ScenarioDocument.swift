// A scenario as a document that can be taken apart: for tools that change what a person wrote, as a shrinker does.

extension Scenario {
  /// What the scenario says and no more, as a tree: defaults are left out.
  package var document: Tree { tree }

  /// Reads and checks a tree as if it stood in a file.
  /// - Throws: `ScenarioErrors`; without places where the tree has none.
  package static func read(_ document: Tree, file: String = "scenario") throws(ScenarioErrors) -> Scenario {
    try checked(document, file: file)
  }
}

extension Tree {
  package static func text(_ text: String) -> Tree { .scalar(text) }

  /// The keys and values of a mapping; empty for anything else.
  package var keyed: [Entry] { entries ?? [] }
  /// The items of a list; empty for anything else.
  package var listed: [Tree] { items ?? [] }
  /// The text of a scalar.
  package var scalarText: String? { text }

  package subscript(_ key: String) -> Tree? { entries?.first { $0.key == key }?.value }

  /// The node at a path; `nil` where the way does not lead.
  package func node(at path: TreePath) -> Tree? {
    var node = self
    for step in path.steps {
      switch step {
      case .key(let key):
        guard let next = node[key] else { return nil }
        node = next
      case .index(let index):
        guard node.listed.indices.contains(index) else { return nil }
        node = node.listed[index]
      }
    }
    return node
  }

  /// The tree with the node at `path` put through `change`; `nil` from it takes the node away.
  package func changing(_ path: TreePath, _ change: (Tree) -> Tree?) -> Tree {
    changing(path.steps[...], change) ?? self
  }

  private func changing(_ path: ArraySlice<TreePath.Step>, _ change: (Tree) -> Tree?) -> Tree? {
    guard let step = path.first else { return change(self) }
    var copy = self
    switch (step, content) {
    case (.key(let key), .mapping(var entries)):
      guard let place = entries.firstIndex(where: { $0.key == key }) else { return self }
      if let value = entries[place].value.changing(path.dropFirst(), change) {
        entries[place].value = value
      } else {
        entries.remove(at: place)
      }
      copy.content = .mapping(entries)
    case (.index(let index), .list(var items)):
      guard items.indices.contains(index) else { return self }
      if let value = items[index].changing(path.dropFirst(), change) {
        items[index] = value
      } else {
        items.remove(at: index)
      }
      copy.content = .list(items)
    default: break
    }
    return copy
  }

  /// How many nodes hang here: the measure of how much a person has to read.
  package var size: Int { nodeCount }
}

extension TreePath {
  package func adding(_ key: String) -> TreePath { appending(key) }
  package func adding(_ index: Int) -> TreePath { appending(index) }
}
