/// A kind of report by its key in scenarios, which is the raw value.
package protocol ReportKind: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// What it is, for people.
  var about: String { get }
}

/// Which reports are meant, of a family whose kinds have a key each: `peer-found: tablet`.
package protocol ReportPattern: Hashable, Sendable {
  associatedtype Kind: ReportKind
  var kind: Kind { get }
  var of: Who { get }
  init(_ kind: Kind, of who: Who)
}

extension ReportPattern {
  /// The keys of an expectation that name such a report.
  static func fields<Root>(
    _ path: any WritableKeyPath<Root, Self?> & Sendable, choice: Choice
  ) -> [Field<Root>] {
    Kind.allCases.map { kind in
      Field<Root>(
        key: Key(name: kind.rawValue, about: kind.about, schema: Form<Who>.who.schema, choice: choice),
        read: { tree, root, reader in
          if let who = Form<Who>.who.read(tree, &reader) { root[keyPath: path] = Self(kind, of: who) }
        },
        write: { root, full in
          guard let pattern = root[keyPath: path], pattern.kind == kind else { return nil }
          return Form<Who>.who.write(pattern.of, full)
        })
    }
  }
}
