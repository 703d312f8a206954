package import RollcallPrimitives

/// What became of the one that is examined, or of the way to it, in the course of an examination.
package enum ExamPresence: Hashable, Sendable {
  /// It was there to the end, as far as anybody can tell.
  case present
  /// It said that it leaves, in the word of its protocol, and answered nothing after that.
  case left(at: Instant, with: String)
  /// Nothing was heard of it any more; where nothing says what was asked last, nothing but answers counts.
  case silent(since: Instant, after: String?)
  /// It announced itself, and answered nothing any more.
  case deaf(since: Instant, after: String)
  /// The examiner's own interface went away.
  case interfaceLost(at: Instant)

  /// For people; `nil`: there is nothing to say.
  package var text: String? {
    func seconds(_ time: Instant) -> String { "\((time - .zero).seconds(decimals: 3)) s" }
    return switch self {
    case .present: nil
    case .left(let time, let word): "it left with \(word) at \(seconds(time))"
    case .silent(let since, nil): "it answered nothing after \(seconds(since))"
    case .silent(let since, let after?): "nothing was heard of it after \(seconds(since)); last asked: \(after)"
    case .deaf(let since, let after):
      "it announced itself and answered nothing after \(seconds(since)); last asked: \(after)"
    case .interfaceLost(let time): "the examiner's interface went away at \(seconds(time))"
    }
  }

  /// For programs.
  package var word: String {
    switch self {
    case .present: "present"
    case .left: "left"
    case .silent: "silent"
    case .deaf: "deaf"
    case .interfaceLost: "interfaceLost"
    }
  }
}
