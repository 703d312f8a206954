public import RollcallPrimitives

/// Whether the same message again is a copy that the network made, or one that its sender sent again.
///
/// A bridge, a loop, or a recorder that stands at two places of a path shows one packet twice, moments apart and with one
/// identification. Who sends a message again numbers it anew (RFC 6864 section 4 lets whole packets go without a number:
/// then all have the same). Where packets have no number, as in IPv6, the time alone decides.
public enum NetworkCopy {
  /// Copies that a network makes follow closer upon each other than this.
  public static let gap = Interval.milliseconds(2)

  /// - Parameters:
  ///   - identification: of the packet; −1: it has none.
  ///   - earlier: of the one that came before with the same message, from the same address.
  ///   - pause: how long after that one it came.
  public static func isCopy(_ identification: Int32, of earlier: Int32, after pause: Interval) -> Bool {
    guard pause < gap else { return false }
    return identification == earlier || identification < 0 || earlier < 0
  }
}
