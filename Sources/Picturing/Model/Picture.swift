package import RollcallPrimitives

/// What happened in a run, a capture or an examination, as a page shows it: lanes with marks on them, what belongs
/// together, devices over time, expectations, clauses.
///
/// Pure, ordered and bounded: `PictureDraft` makes it, and counts what has no room. All text in it is fit to be looked
/// at (`PlainText.shown`) and still has to be escaped where it is written.
package struct Picture: Hashable, Sendable {
  /// What the numbers of marks count.
  package enum Unit: String, Hashable, Sendable { case entry, frame }

  package enum Grade: String, Hashable, Sendable {
    case good, bad
    /// Neither: it is not known, or nothing was looked at.
    case open
  }

  package struct Fact: Hashable, Sendable {
    package var name: String
    package var value: String
    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// What it came to, in a word or two.
  package struct Outcome: Hashable, Sendable {
    package var text: String
    package var grade: Grade
    package init(_ text: String, _ grade: Grade) { (self.text, self.grade) = (text, grade) }
  }

  /// One host.
  package struct Lane: Hashable, Sendable {
    package enum Role: String, Hashable, Sendable {
      /// Whose reports are compared with the truth.
      case engine
      case host
      /// No host: what happens to the network.
      case network
      /// All that have no lane of their own.
      case others
    }
    package var name: String
    package var role: Role
    /// Its address, or what it says that it is; may be empty.
    package var detail: String
  }

  /// Something that happened at an instant on a lane.
  package struct Mark: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case sent
      case heard
      /// Heard, and refused by the engine.
      case refused
      /// Sent to this host; nothing says whether it arrived.
      case aimed
      /// The host was asked to do this: by its application, or by the timeline of a scenario.
      case asked
      /// What the system of the host said, and what it was asked for.
      case host
      case note
      case found, changed, lost
      /// Another report.
      case report
      case fault

      /// Whether it is the end of an arrow that begins at its cause.
      package var endsArrow: Bool { self == .heard || self == .refused || self == .aimed }
    }
    /// Since the origin of the picture.
    package var time: Interval
    /// Index into `lanes`.
    package var lane: Int
    package var kind: Kind
    /// Of the entry or frame, from 1; 0: none.
    package var number: Int
    /// Index into `sayings`.
    package var saying: Int
    /// Index of the mark that led to it; −1: none.
    package var cause: Int
  }

  /// What a mark says: a line, and the parts of a message by name. Numbers index `strings`.
  package struct Saying: Hashable, Sendable {
    package var title: Int
    package var fields: [Field]

    package struct Field: Hashable, Sendable {
      package var name: Int
      package var value: Int
    }
  }

  /// What was sent and did not arrive.
  package struct Loss: Hashable, Sendable {
    package var mark: Int
    package var lane: Int
  }

  /// A device over time.
  package struct Device: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
      /// Reported; and there, as far as that is known.
      case known
      /// Reported, and no longer there.
      case stale
      /// There, and not reported.
      case missing
      /// Of two sides, only this one has it.
      case differs
    }
    package struct Span: Hashable, Sendable {
      package var from: Interval
      package var to: Interval
      package var state: State
      /// Indices of the marks with which it begins and ends; −1: none.
      package var first: Int
      package var last: Int
    }
    package var name: String
    /// How reports name it, where `name` says something else; may be empty.
    package var detail: String
    package var spans: [Span]
  }

  /// A quiet stretch that is drawn as wide as `foldedWidth`.
  package struct Fold: Hashable, Sendable {
    package var from: Interval
    package var to: Interval
  }

  package struct Expectation: Hashable, Sendable {
    package var id: String
    package var text: String
    package var place: String
    package var outcome: Outcome
    package var expected: String
    package var found: String
    /// Since the origin; `nil`: no moment can be named.
    package var time: Interval?
  }

  /// What has no room in the picture.
  package struct LeftOut: Hashable, Sendable {
    package var what: String
    package var count: Int
  }

  package var verb: String
  package var title: String
  package var outcome: Outcome?
  package var facts: [Fact]
  package var unit: Unit
  /// When it begins: zero in a run, since the Unix epoch in a capture.
  package var origin: Instant
  package var span: Interval
  package var lanes: [Lane]
  package var strings: [String]
  package var sayings: [Saying]
  /// In order of time.
  package var marks: [Mark]
  package var losses: [Loss]
  package var devices: [Device]
  package var folds: [Fold]
  package var foldedWidth: Interval
  package var expectations: [Expectation] = []
  package var matrix: PictureMatrix?
  package var comparison: PictureComparison?
  package var leftOut: [LeftOut]
}

/// How much a page holds, so that a browser can show it.
package struct PictureBounds: Hashable, Sendable {
  /// Messages and notes; the first of them are kept.
  package var marks = 100_000
  /// Reports, with what caused them, beside those.
  package var reports = 20_000
  package var lanes = 128
  package var losses = 20_000
  package var devices = 500
  package var spansPerDevice = 400
  package var folds = 500
  /// Different texts, and the bytes of all of them.
  package var strings = 100_000
  package var textBytes = 8 << 20
  /// Of one text.
  package var scalarsPerText = 400
  package var fieldsPerMessage = 48
  package var parties = 24
  package var findings = 1_000
  package var rows = 500

  package init() {}
}
