#if Scenarios
  import Yams

  /// YAML as a tree, by Yams.
  enum YAMLReader {
    static func tree(of text: String) -> Result<Tree, Complaint.Stop> {
      do {
        // The parser holds the anchors that its nodes only point at weakly: it has to outlive the walk.
        // No value is guessed from its looks: two keys are the same where their text is.
        let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
        return try withExtendedLifetime(parser) {
          guard let root = try parser.singleRoot() else { return .failure(.init("the file is empty")) }
          return .success(try tree(of: root, depth: 1))
        }
      } catch let stopped as Complaint.Stop {
        return .failure(stopped)
      } catch let error as YamlError {
        return .failure(stop(for: error))
      } catch {
        return .failure(.init("not YAML"))
      }
    }

    private static func tree(of node: Node, depth: Int) throws -> Tree {
      let mark = node.mark.map { Tree.Mark(line: $0.line, column: $0.column) } ?? .none
      func refuse(_ message: String) -> Complaint.Stop { Complaint.Stop(message, at: mark) }
      if depth > DocumentLimits.depthMaximum {
        throw refuse("nested deeper than \(DocumentLimits.depthMaximum) levels")
      }
      if let anchor = node.anchor { throw refuse("anchors and aliases are not allowed: '&\(anchor.rawValue)'") }
      switch node {
      case .scalar(let scalar):
        let isQuoted = scalar.style != .plain
        let tag = scalar.tag.description
        if tag != Tag.Name.implicit.rawValue, !(isQuoted && tag == Tag.Name.str.rawValue) {
          throw refuse("tags are not allowed: '\(tag)'")
        }
        if scalar.string.isEmpty, !isQuoted { return Tree(.nothing, mark: mark) }
        return Tree(.scalar(scalar.string), mark: mark)
      case .sequence(let sequence):
        if sequence.tag.description != Tag.Name.implicit.rawValue {
          throw refuse("tags are not allowed: '\(sequence.tag)'")
        }
        return Tree(.list(try sequence.map { try tree(of: $0, depth: depth + 1) }), mark: mark)
      case .mapping(let mapping):
        if mapping.tag.description != Tag.Name.implicit.rawValue {
          throw refuse("tags are not allowed: '\(mapping.tag)'")
        }
        return Tree(.mapping(try mapping.map { try entry($0.key, $0.value, depth: depth) }), mark: mark)
      case .alias(let alias):
        throw refuse("anchors and aliases are not allowed: '*\(alias.anchor.rawValue)'")
      }
    }

    private static func entry(_ key: Node, _ value: Node, depth: Int) throws -> Tree.Entry {
      let mark = key.mark.map { Tree.Mark(line: $0.line, column: $0.column) } ?? .none
      func refuse(_ message: String) -> Complaint.Stop { Complaint.Stop(message, at: mark) }
      guard case .scalar(let scalar) = key else { throw refuse("a key is a plain word") }
      // The duplicate check of the parser has made text of every key that names no other tag.
      let tag = scalar.tag.description
      if tag != Tag.Name.implicit.rawValue, tag != Tag.Name.str.rawValue {
        throw refuse("tags are not allowed: '\(tag)'")
      }
      if let anchor = scalar.anchor { throw refuse("anchors and aliases are not allowed: '&\(anchor.rawValue)'") }
      if scalar.string == "<<" { throw refuse("merge keys are not allowed: '<<'") }
      return Tree.Entry(scalar.string, try tree(of: value, depth: depth + 1), keyMark: mark)
    }

    private static func stop(for error: YamlError) -> Complaint.Stop {
      func make(_ message: String, _ mark: Mark) -> Complaint.Stop {
        Complaint.Stop(message, at: Tree.Mark(line: mark.line, column: mark.column))
      }
      switch error {
      case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
        return make("not YAML: " + (context.map { $0.text + " " } ?? "") + problem, mark)
      case .composer(_, let problem, let mark, _):
        if problem == "but found another document" { return make("more than one document in the file", mark) }
        if problem == "found undefined alias" { return make("anchors and aliases are not allowed", mark) }
        return make("not YAML: " + problem, mark)
      case .duplicatedKeysInMapping(let duplicates, let context):
        return make("duplicate key '\(duplicates.first ?? "")'", context.mark)
      case .reader(let problem, _, _, _): return .init("not YAML: " + problem)
      default: return .init("not YAML")
      }
    }
  }
#else
  /// Without the trait `Scenarios` no YAML is read.
  enum YAMLReader {
    static func tree(of text: String) -> Result<Tree, Complaint.Stop> {
      .failure(.init("scenarios are not built in: the trait Scenarios of the package Rollcall is off"))
    }
  }
#endif
