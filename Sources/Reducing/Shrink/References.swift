import RollcallPrimitives
import RollcallScenarios

/// Who is spoken of where: an inhabitant that goes takes along what was said of it.
enum References {
  /// The document without some of its inhabitants, and without deeds, faults and names in lists that speak of them.
  static func withoutInhabitants(_ document: Tree, _ range: Range<Int>) -> Tree {
    guard let inhabitants = document["inhabitants"]?.keyed else { return document }
    let gone = inhabitants[range].flatMap { names(of: $0) }
    var tree = document.changing(TreePath([.key("inhabitants")])) { section in
      var entries = section.keyed
      entries.removeSubrange(range)
      return entries.isEmpty ? nil : Tree(.mapping(entries))
    }
    for section in ["timeline", "faults"] {
      tree = tree.changing(TreePath([.key(section)])) { list in
        let items = list.listed.compactMap { pruned($0, of: gone) }
        return items.isEmpty ? nil : Tree(.list(items))
      }
    }
    tree = tree.changing(TreePath([.key("inhabitants")])) { section in
      Tree(
        .mapping(
          section.keyed.map { entry in
            var entry = entry
            entry.value = withoutListed(entry.value, gone)
            return entry
          }))
    }
    return tree.changing(TreePath([.key("expect")])) { withoutListed($0, gone) }
  }

  /// The document without some messages of a script; what the timeline sends is numbered anew.
  static func withoutLines(_ document: Tree, of name: String, _ path: TreePath, _ range: Range<Int>) -> Tree {
    let tree = document.changing(path) { list in
      var items = list.listed
      items.removeSubrange(range)
      return items.isEmpty ? nil : Tree(.list(items))
    }
    return tree.changing(TreePath([.key("timeline")])) { list in
      let deeds = list.listed.compactMap { deed -> Tree? in
        guard let send = deed["send"], send["who"]?.scalarText == name,
          let script = send["script"]?.scalarText.flatMap({ Int($0) }), script >= range.lowerBound
        else { return deed }
        if range.contains(script) { return nil }
        return deed.changing(TreePath([.key("send"), .key("script")])) { _ in Tree.text("\(script - range.count)") }
      }
      return deeds.isEmpty ? nil : Tree(.list(deeds))
    }
  }

  /// The document with one link: everybody is on it, each with one interface.
  static func onOneLink(_ document: Tree) -> Tree {
    var tree = document.changing(TreePath([.key("network"), .key("segments")])) { _ in nil }
    tree = without(["segment", "interfaces", "interface"], tree, in: ["engine", "inhabitants", "timeline", "faults"])
    return tree
  }

  /// The document with one interface at a host; what is said of its others is said of this one.
  static func withOneInterface(_ document: Tree, _ host: String) -> Tree {
    let path = host == "engine" ? TreePath([.key("engine")]) : TreePath([.key("inhabitants"), .key(host)])
    guard document.node(at: path.adding("interfaces")) != nil else { return document }
    let tree = document.changing(path.adding("interfaces")) { _ in nil }
    return without(["interface"], tree, in: ["timeline", "faults"])
  }

  private static func without(_ keys: [String], _ document: Tree, in sections: [String]) -> Tree {
    func cleaned(_ tree: Tree) -> Tree {
      switch tree.content {
      case .nothing, .scalar: return tree
      case .list(let items): return Tree(.list(items.map(cleaned)))
      case .mapping(let entries):
        return Tree(
          .mapping(
            entries.filter { !keys.contains($0.key) }.map { Tree.Entry($0.key, cleaned($0.value)) }))
      }
    }
    return sections.reduce(document) { tree, section in tree.changing(TreePath([.key(section)])) { cleaned($0) } }
  }

  /// The document with so many members of an inhabitant; one alone has the bare name.
  static func counted(_ document: Tree, _ name: String, _ count: Int) -> Tree {
    var tree = document.changing(TreePath([.key("inhabitants"), .key(name), .key("count")])) { _ in
      count == 1 ? nil : Tree.text("\(count)")
    }
    guard count == 1 else { return tree }
    for section in ["timeline", "faults", "expect", "inhabitants"] {
      tree = tree.changing(TreePath([.key(section)])) { renamed($0, name) }
    }
    return tree
  }

  /// What an inhabitant and its members are called.
  private static func names(of entry: Tree.Entry) -> [String] {
    let count = entry.value["count"]?.scalarText.flatMap { Int($0) } ?? 1
    return [entry.key] + (count > 1 ? (1...count).map { "\(entry.key)-\($0)" } : [])
  }

  /// An entry without the names in its lists; `nil` where it speaks of one of them, or of nobody any more.
  private static func pruned(_ item: Tree, of names: [String]) -> Tree? {
    switch item.content {
    case .nothing: return item
    case .scalar(let text): return names.contains(text) ? nil : item
    case .list(let items):
      let left = items.compactMap { pruned($0, of: names) }
      return left.isEmpty && !items.isEmpty ? nil : Tree(.list(left))
    case .mapping(let entries):
      var left: [Tree.Entry] = []
      for entry in entries {
        if ["id", "at", "until"].contains(entry.key) {
          left.append(entry)
          continue
        }
        guard let value = pruned(entry.value, of: names) else { return nil }
        left.append(Tree.Entry(entry.key, value))
      }
      return Tree(.mapping(left))
    }
  }

  /// The tree without the names where they stand in lists, and without items of lists that speak of them.
  private static func withoutListed(_ tree: Tree, _ names: [String]) -> Tree {
    switch tree.content {
    case .nothing, .scalar: return tree
    case .list(let items):
      return Tree(
        .list(
          items.compactMap { item in
            if let text = item.scalarText { return names.contains(text) ? nil : item }
            let isAbout = item.keyed.contains {
              ["to", "host"].contains($0.key) && names.contains($0.value.scalarText ?? "")
            }
            return isAbout ? nil : withoutListed(item, names)
          }))
    case .mapping(let entries):
      return Tree(.mapping(entries.map { Tree.Entry($0.key, withoutListed($0.value, names)) }))
    }
  }

  private static func renamed(_ tree: Tree, _ name: String) -> Tree {
    switch tree.content {
    case .nothing: return tree
    case .scalar(let text):
      let prefix = name + "-"
      return text.hasPrefix(prefix) && Int(digits: text.dropFirst(prefix.count)) != nil ? Tree.text(name) : tree
    case .list(let items): return Tree(.list(items.map { renamed($0, name) }))
    case .mapping(let entries): return Tree(.mapping(entries.map { Tree.Entry($0.key, renamed($0.value, name)) }))
    }
  }
}

/// What an expectation speaks of, for shrinking without an oracle: deeds about that are left alone.
struct SpokenOf {
  /// Words that stand for somebody; `nil`: everybody.
  var names: [String]?
  var isAboutSearches: Bool

  func touches(_ deed: Tree) -> Bool {
    if deed["search"] != nil || deed["stop-search"] != nil { return isAboutSearches }
    guard let names else { return true }
    let verbs = deed.keyed.filter { !["at", "id"].contains($0.key) }
    return verbs.contains { entry in
      let who = entry.value.scalarText ?? entry.value["who"]?.scalarText ?? ""
      return names.contains { who == $0 || who.hasPrefix($0 + "-") || $0.hasPrefix(who + "-") }
    }
  }
}

extension Shrinker {
  var spokenOf: SpokenOf {
    let text = best["expect"]?.listed.first
    var words: [String] = []
    func collect(_ tree: Tree) {
      if let word = tree.scalarText { words.append(word) }
      tree.listed.forEach(collect)
      tree.keyed.forEach { collect($0.value) }
    }
    if let text { collect(text) }
    let known = (best["inhabitants"]?.keyed ?? []).map(\.key)
    let named = words.filter { word in known.contains { word == $0 || word.hasPrefix($0 + "-") } }
    let keys = text?.keyed.map(\.key) ?? []
    let isAboutSearches = keys.contains("service") || keys.contains("search-ended") || words.contains("searchOver")
    return SpokenOf(names: named.isEmpty ? nil : named, isAboutSearches: isAboutSearches)
  }
}
