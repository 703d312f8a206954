import RollcallPrimitives

/// What an engine made of one datagram, folded into a number to compare.
struct Fate: Hashable {
  var frame: Int
  /// Of the UUID, and of the device that it belongs to.
  var uuid: UInt64
  var device: UInt64
  var code: UInt64

  static func hash(_ text: String) -> UInt64 {
    var digest = Digest()
    digest.combine(text.lowercased())
    return digest.state
  }
}
