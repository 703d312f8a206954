import RollcallPrimitives
import RollcallWire

/// One of a device's own targets, ready to be compared with ST of a search.
struct SearchKey {
  /// The stem of a type, the whole text of anything else.
  let bytes: [UInt8]
  let hash: UInt64
  /// 0: only the very same text matches.
  let version: UInt32
  let advert: UInt8

  init(_ advert: Advert, index: Int) {
    let number = advert.versionNumber
    version = number
    let text = advert.version.map { number > 0 ? advert.stem : "\(advert.stem):\($0)" } ?? advert.stem
    let stem = Array(text.utf8)
    bytes = stem
    hash = stem.withUnsafeBytes { Digest.hash($0) }
    self.advert = UInt8(index)
  }

  func isSame(_ other: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == other.count else { return false }
    for offset in 0..<bytes.count where bytes[offset] != other[offset] { return false }
    return true
  }

  /// Where the stem of a type ends, before `:` and a version in its canonical form of at most ten digits; `nil`: the
  /// target has no such version.
  static func stemEnd(_ target: UnsafeRawBufferPointer) -> Int? {
    let count = target.count
    var start = count
    while start > 0, count &- start < 11, target[start &- 1] &- 48 < 10 { start &-= 1 }
    let digits = count &- start
    guard (1...10).contains(digits), start > 1, target[start &- 1] == UInt8(ascii: ":") else { return nil }
    return digits == 1 || target[start] != 48 ? start &- 1 : nil
  }

  /// Whether ST of a search names a UUID.
  static func isUUID(_ target: UnsafeRawBufferPointer) -> Bool {
    target.count > 5 && target[4] == UInt8(ascii: ":") && target[0] | 0x20 == UInt8(ascii: "u")
      && USN.split(target) != nil
  }
}

// What the bits are for root devices: one for announcements, one for searches for UUIDs, and for each other target the
// bit that its hash gives. Searches for different targets may share a bit.
extension DatagramKinds {
  /// What NOTIFYs are.
  static let announcement = DatagramKinds(rawValue: 1)
  private static let uuidSearch = DatagramKinds(rawValue: 2)
  private static let everySearch = DatagramKinds(rawValue: .max &- 1)

  /// Searches for the target with this hash, or for a type whose stem has it.
  private init(hash: UInt64) { self.init(rawValue: 4 &<< (hash % 62)) }

  /// The kinds of a search, by its ST.
  init(searchFor target: UnsafeRawBufferPointer) {
    if target.isEmpty {
      self = []
    } else if DeviceBlueprint.equals(target, "ssdp:all") {
      self = .everySearch
    } else if SearchKey.isUUID(target) {
      self = .uuidSearch
    } else {
      self = DatagramKinds(hash: Digest.hash(target))
      if let end = SearchKey.stemEnd(target) {
        formUnion(DatagramKinds(hash: Digest.hash(UnsafeRawBufferPointer(rebasing: target[..<end]))))
      }
    }
  }

  /// What a device with these targets and habits hears.
  init(keys: [SearchKey], _ habits: DeviceBehaviour.Habits) {
    self = .uuidSearch
    for key in keys { formUnion(DatagramKinds(hash: key.hash)) }
    if !habits.isDisjoint(with: [.answersEverySearch, .errorAnswers, .substringMatch]) { formUnion(.everySearch) }
    if !habits.isDisjoint(with: [.reanswersOwnMulticast, .answersNotify]) { formUnion(.announcement) }
  }
}
