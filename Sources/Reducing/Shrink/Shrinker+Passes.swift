import RollcallPrimitives
import RollcallScenarios

// The steps: from what is largest to what is smallest, and again until nothing goes any more.
extension Shrinker {
  /// Shrinks until no step is kept any more, or a bound is reached.
  package mutating func shrink() -> Outcome {
    let before = ScenarioSize(original)
    while true {
      let start = best
      pass("inhabitants") { shrinker in
        shrinker.thin({ $0["inhabitants"]?.keyed.count ?? 0 }) { References.withoutInhabitants($0, $1) }
      }
      pass("members") { $0.lowerCounts() }
      pass("timeline") { shrinker in
        let spoken = shrinker.options.fault == nil ? shrinker.spokenOf : nil
        shrinker.thin({ $0["timeline"]?.listed.count ?? 0 }) { tree, range in
          tree.changing(TreePath([.key("timeline")])) { list in
            let items = list.listed.enumerated().filter { index, item in
              !range.contains(index) || spoken.map { $0.touches(item) } ?? false
            }
            return items.isEmpty ? nil : Tree(.list(items.map(\.element)))
          }
        }
      }
      pass("faults") { $0.thinList(TreePath([.key("faults")])) }
      pass("datagrams") { $0.thinDatagrams() }
      pass("links") { $0.flatten() }
      pass("time") { $0.shorten() }
      pass("keys") { $0.removeKeys() }
      pass("header lines") { $0.thinPayloads() }
      if best == start || isOver { break }
    }
    return outcome(before)
  }

  private mutating func pass(_ name: String, _ body: (inout Shrinker) -> Void) {
    current = Pass(name: name, size: ScenarioSize())
    body(&self)
    if let scenario = try? Scenario.read(best) { current.size = ScenarioSize(scenario) }
    if current.tried > 0 { passes.append(current) }
  }

  private func outcome(_ before: ScenarioSize) -> Outcome {
    var scenario = (try? Scenario.read(best)) ?? original
    switch options.fault {
    case .engine(let one): scenario.bites = .engine(one)
    case .peers(let one): scenario.bites = .peers(one)
    case .bite, nil: break
    }
    return Outcome(
      scenario: scenario, kind: kind, verdict: verdict, passes: passes, before: before, after: ScenarioSize(scenario),
      wasCut: isOver, removed: Removals.list(from: original, to: scenario))
  }

  // MARK: Lists

  /// Takes away runs of a list, half of it first, then ever smaller ones, until no single one can go.
  mutating func thin(_ count: (Tree) -> Int, _ without: (Tree, Range<Int>) -> Tree) {
    var chunk = max(1, count(best))
    while !isOver {
      var isProgress = false
      // From the end: what comes later seldom carries what comes before.
      var end = count(best)
      while end > 0, !isOver {
        let range = max(0, end - chunk)..<end
        if attempt(without(best, range)) { isProgress = true }
        end = min(range.lowerBound, count(best))
      }
      if chunk > 1 { chunk = max(1, chunk / 2) } else if !isProgress { return }
    }
  }

  mutating func thinList(_ path: TreePath) {
    thin({ $0.node(at: path)?.listed.count ?? 0 }) { tree, range in
      tree.changing(path) { list in
        var items = list.listed
        items.removeSubrange(range)
        return items.isEmpty ? nil : Tree(.list(items))
      }
    }
  }

  // MARK: Members

  private mutating func lowerCounts() {
    for entry in best["inhabitants"]?.keyed ?? [] {
      guard let text = entry.value["count"]?.scalarText, let count = Int(text), count > 1 else { continue }
      if attempt(References.counted(best, entry.key, 1)) { continue }
      var low = 1
      var high = count
      while high - low > 1, !isOver {
        let middle = (low + high) / 2
        if attempt(References.counted(best, entry.key, middle)) { high = middle } else { low = middle }
      }
    }
  }

  // MARK: Datagrams

  private mutating func thinDatagrams() {
    for entry in best["inhabitants"]?.keyed ?? [] {
      for key in ["says", "answers"] where entry.value[key] != nil {
        thinList(TreePath([.key("inhabitants"), .key(entry.key), .key(key)]))
      }
      let lines = TreePath([.key("inhabitants"), .key(entry.key), .key("lines")])
      thin({ $0.node(at: lines)?.listed.count ?? 0 }) { References.withoutLines($0, of: entry.key, lines, $1) }
    }
  }

  /// Header lines of spelled-out datagrams.
  private mutating func thinPayloads() {
    for entry in best["inhabitants"]?.keyed ?? [] {
      for index in (entry.value["lines"]?.listed ?? []).indices {
        let path = TreePath([.key("inhabitants"), .key(entry.key), .key("lines"), .index(index), .key("text")])
        guard best.node(at: path) != nil else { continue }
        thin({ $0.node(at: path)?.scalarText?.headerLines.count ?? 0 }) { tree, range in
          tree.changing(path) { node in
            guard var lines = node.scalarText?.headerLines else { return node }
            lines.removeSubrange(range)
            return Tree.text(lines.joined())
          }
        }
      }
    }
  }

  // MARK: Time

  private mutating func shorten() {
    while !isOver {
      guard let scenario = try? Scenario.read(best) else { return }
      let least = options.fault == nil ? Durations.least(scenario, kind.manner) : .zero
      let isShorter = Durations.candidates(scenario, verdict, least: least).contains {
        attempt(Durations.cut(scenario, $0).document)
      }
      if !isShorter { return }
    }
  }

  // MARK: Links

  /// One link for everybody in the place of several, and one interface for a host that has more.
  private mutating func flatten() {
    attempt(References.onOneLink(best))
    for host in ["engine"] + (best["inhabitants"]?.keyed.map(\.key) ?? []) {
      attempt(References.withOneInterface(best, host))
    }
  }

  // MARK: Keys

  private mutating func removeKeys() {
    for path in Keys.longLists(best) { thinList(path) }
    var tried: Set<TreePath> = []
    // A key that went takes its paths along: the walk starts anew until it finds nothing it has not tried.
    while !isOver {
      let paths = Keys.removable(best).filter { !tried.contains($0) }
      guard let path = paths.first else { return }
      tried.insert(path)
      // Later items of a list move up when one goes: look at the place again.
      if attempt(best.changing(path) { _ in nil }) { tried.remove(path) }
    }
  }
}

extension String {
  /// Lines with their ends.
  fileprivate var headerLines: [String] {
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      line.append(scalar)
      if scalar == "\n" {
        lines.append(String(line))
        line = String.UnicodeScalarView()
      }
    }
    if !line.isEmpty { lines.append(String(line)) }
    return lines
  }
}

/// Which keys of a document may be left out on trial.
enum Keys {
  /// Lists of an inhabitant whose items are datagrams.
  private static let ownLists = ["lines", "says", "answers"]
  private static let kept = ["scenario", "why", "tags", "bites", "seed", "seeds", "expect", "duration", "budget"]
  /// Without them a mapping is no longer what it is.
  private static let needed = ["kind", "at", "text", "hex"]

  /// Paths from the outside in: with a mapping go all its keys.
  static func removable(_ document: Tree) -> [TreePath] {
    var paths: [TreePath] = []
    for entry in document.keyed where !kept.contains(entry.key) {
      let path = TreePath([.key(entry.key)])
      if !["inhabitants", "timeline", "faults"].contains(entry.key) { paths.append(path) }
      collect(entry.value, path, into: &paths)
    }
    // Who the one expectation is about may be fewer.
    let expect = TreePath([.key("expect"), .index(0)])
    if let expectation = document.node(at: expect) { collectNames(expectation, expect, into: &paths) }
    return paths
  }

  /// Lists that are long enough to be halved, those inside before those around them.
  static func longLists(_ document: Tree) -> [TreePath] {
    var paths: [TreePath] = []
    func walk(_ tree: Tree, _ path: TreePath) {
      for entry in tree.keyed { walk(entry.value, path.adding(entry.key)) }
      for (index, item) in tree.listed.enumerated() { walk(item, path.adding(index)) }
      if tree.listed.count >= 4, path.steps.count > 1 { paths.append(path) }
    }
    for section in ["network", "engine", "inhabitants"] {
      if let tree = document[section] { walk(tree, TreePath([.key(section)])) }
    }
    return paths.filter { path in
      !(path.steps.count == 3 && ownLists.contains { path.steps.last == .key($0) })
    }
  }

  private static func collect(_ tree: Tree, _ path: TreePath, into paths: inout [TreePath]) {
    for entry in tree.keyed where !needed.contains(entry.key) {
      let next = path.adding(entry.key)
      // The name of an inhabitant goes with the inhabitant, in a step of its own.
      if path.steps.count > 1 || path.steps.first != .key("inhabitants") { paths.append(next) }
      collect(entry.value, next, into: &paths)
    }
    // Deeds, faults and datagrams have steps of their own.
    let isOwnStep =
      path.steps.count == 1 || path.steps.count == 3 && ownLists.contains { path.steps.last == .key($0) }
    for (index, item) in tree.listed.enumerated() {
      let next = path.adding(index)
      if !isOwnStep { paths.append(next) }
      collect(item, next, into: &paths)
    }
  }

  private static func collectNames(_ tree: Tree, _ path: TreePath, into paths: inout [TreePath]) {
    for entry in tree.keyed {
      let next = path.adding(entry.key)
      if ["each-of", "any-of", "devices"].contains(entry.key), entry.value.listed.count > 1 {
        for index in entry.value.listed.indices { paths.append(next.adding(index)) }
      } else {
        collectNames(entry.value, next, into: &paths)
      }
    }
  }
}
