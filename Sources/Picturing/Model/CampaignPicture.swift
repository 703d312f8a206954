/// What a campaign came to, as its page shows it. Ordered and bounded, with a count of what has no room. It names no
/// folder and no process, so it is the same wherever the results are, and in however many parts they came.
///
/// All text in it is fit to be looked at (`PictureText.shown`) and still has to be escaped where it is written.
package struct CampaignPicture: Hashable, Sendable {
  /// Whether something ever happened, and where it can be seen.
  package struct Happening: Hashable, Sendable {
    package var name: String
    package var about: String
    /// `nil`: it never happened.
    package var count: Int?
    /// Of all runs.
    package var share: String
    /// The first run in which it happened.
    package var first: String
    /// Whether a person ought to look at it: it never happened where it might have.
    package var isProblem: Bool
  }

  /// Runs in which the same went wrong.
  package struct Failure: Hashable, Sendable {
    package var text: String
    package var count: Int
    package var first: String
    /// The command that repeats the first of them, as it was run.
    package var again: String
    package var kept: [Kept]

    /// A run whose files are kept.
    package struct Kept: Hashable, Sendable {
      /// In the folder of the results.
      package var folder: String
      /// The command that repeats it as small as the failure allows, in the same folder.
      package var again: String
    }
  }

  /// A table of curves; a row of one cell is the name of the curve that begins.
  package struct CurveTable: Hashable, Sendable {
    package var heads: [String]
    package var rows: [[String]]
  }

  package var verb = "rollcall campaign"
  package var title: String
  package var outcome: Picture.Outcome
  package var facts: [Picture.Fact]
  /// Markup of SVG, whose texts are escaped; `nil`: there are no curves.
  package var curves: String?
  package var table: CurveTable?
  package var failures: [Failure]
  package var happenings: [Happening]
  /// How a run of the campaign is repeated by its seed.
  package var again: String
  /// The lines of the scenario that is swept; none where each seed draws one.
  package var plan: [String]
  package var leftOut: [Picture.LeftOut]
}
