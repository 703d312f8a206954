/// Clauses and the parties that kept or broke them, as a table that leads to the frame or entry.
package struct PictureMatrix: Hashable, Sendable {
  package struct Party: Hashable, Sendable {
    package var name: String
    package var role: String
    package var detail: String
  }

  package struct Cell: Hashable, Sendable {
    package enum Mark: String, Hashable, Sendable { case held, violated, inconclusive, notExercised }
    package var mark: Mark
    /// Occasions that the mark stands for.
    package var count: Int
    /// The frame or entry of the first finding; 0: there is none.
    package var number: Int
  }

  package struct Row: Hashable, Sendable {
    package var clause: String
    package var gist: String
    package var level: String
    /// One for each of `parties`.
    package var cells: [Cell]
  }

  package struct Finding: Hashable, Sendable {
    package var clause: String
    package var level: String
    package var isBreach: Bool
    package var party: String
    /// What it is about, beside the party; may be empty.
    package var device: String
    /// Of the frame or entry; 0: it shows at the end.
    package var number: Int
    package var count: Int
    package var expected: String
    package var found: String
    package var remedy: String
  }

  /// Those with breaches first.
  package var parties: [Party]
  /// Clauses with breaches and doubts first, then those that were held.
  package var rows: [Row]
  package var findings: [Finding]
  /// Clauses that there was no occasion to judge.
  package var notExercisedCount: Int
}

/// Two sides beside each other, from the first report that differs.
package struct PictureComparison: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package enum Mark: String, Hashable, Sendable { case equal, changed, onlyA, onlyB }
    package var mark: Mark
    package var a: Entry?
    package var b: Entry?
  }
  package struct Entry: Hashable, Sendable {
    /// Seconds since the start of its side.
    package var time: String
    /// Index of its mark; −1: it has none.
    package var mark: Int
    package var text: String
  }
  /// What made the difference, and what each side made of it.
  package struct Datagram: Hashable, Sendable {
    package var title: String
    package var fields: [Picture.Fact]
    package var madeA: [String]
    package var madeB: [String]
  }

  package var titleA: String
  package var titleB: String
  package var rows: [Row]
  package var datagram: Datagram?
}
