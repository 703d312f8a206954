/// The product `UPnP/x.y` in SERVER or USER-AGENT: which version of UPnP its sender goes by.
///
/// Products begin at the start and behind blanks and commas, and the case of letters tells: `XUPnP/1.1` and `upnp/1.1`
/// are others. A version is digits, a point and digits; a product without one is passed over.
public struct UPnPProduct: Hashable, Sendable {
  /// From its first letter to its last digit; offsets count from the first byte of what was searched.
  public var range: Range<Int>
  /// What stands before the point and behind it. More than 2 says no more than 2 does, and counts as 2.
  public var major: Int
  public var minor: Int

  /// Whether it claims UPnP 1.1 or later: a sender of 1.0 owes no BOOTID.
  public var isLaterThan10: Bool { (major, minor) >= (1, 1) }

  /// The first one of a text; `nil` where there is none.
  public static func first(in text: UnsafeRawBufferPointer) -> UPnPProduct? {
    for start in 0..<text.count where text[start] == UInt8(ascii: "U") {
      if let product = UPnPProduct(in: text, at: start) { return product }
    }
    return nil
  }

  private init?(in text: UnsafeRawBufferPointer, at start: Int) {
    guard start == 0 || SSDPReader.isBlank(text[start - 1]) || text[start - 1] == UInt8(ascii: ",") else { return nil }
    let name: StaticString = "UPnP/"
    var place = start + name.utf8CodeUnitCount
    guard place <= text.count else { return nil }
    for offset in 0..<name.utf8CodeUnitCount where text[start + offset] != name.utf8Start[offset] { return nil }
    guard let major = UPnPProduct.number(in: text, at: &place) else { return nil }
    guard place < text.count, text[place] == UInt8(ascii: ".") else { return nil }
    place += 1
    guard let minor = UPnPProduct.number(in: text, at: &place) else { return nil }
    (range, self.major, self.minor) = (start..<place, major, minor)
  }

  /// All digits that follow, as a number; `nil` where none does.
  private static func number(in text: UnsafeRawBufferPointer, at place: inout Int) -> Int? {
    let start = place
    var value = 0
    while place < text.count, text[place] &- 48 < 10 {
      value = min(2, value * 10 + Int(text[place] &- 48))
      place += 1
    }
    return place == start ? nil : value
  }
}
