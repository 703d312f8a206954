import Foundation

/// What a misuse of one framework can be.
package protocol MisuseKind: RawRepresentable<String>, Hashable, Sendable {
  /// The framework whose documentation it is.
  static var framework: String { get }
  /// What is done with a misuse that no device takes.
  static var handler: Guarded<@Sendable (Misuse<Self>) -> Void> { get }
}

/// Something that the documentation of a framework forbids, or says nothing of. At Apple's it is one line of the log;
/// here the device hears of it.
package struct Misuse<Reason: MisuseKind>: Hashable, Sendable, CustomStringConvertible {
  package typealias Kind = Reason

  package var kind: Kind
  /// The call, by its Swift name.
  package var call: String
  package var detail: String

  package init(_ kind: Kind, in call: String, _ detail: String) {
    self.kind = kind
    self.call = call
    self.detail = detail
  }

  package var description: String { "\(Kind.framework): \(kind.rawValue) in \(call): \(detail)" }

  /// What is done with a misuse that no device takes: a line on standard error, unless a test puts something else here.
  package static var handler: @Sendable (Misuse) -> Void {
    get { Kind.handler.current }
    set { Kind.handler.withLock { $0 = newValue } }
  }

  package static func report(_ misuse: Misuse) { handler(misuse) }

  @Sendable package static func print(_ misuse: Misuse) {
    FileHandle.standardError.write(Data((misuse.description + "\n").utf8))
  }
}
