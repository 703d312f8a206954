import RollcallPrimitives
import RollcallWire

/// A peripheral that is heard.
struct Peripheral: Sendable {
  var address: RadioAddress
  var heardAt: Instant
  /// All that it said of itself.
  var fields: AdvertisedFields
  /// The name that it gave when it was asked; it counts more than what it advertises (CB-28).
  fileprivate(set) var ownName: String?
  /// Its place in the directory.
  var directoryPlace: Int32
  /// The data of the last advertisement and of the last scan response, to know when it says something else.
  fileprivate var advertised: [UInt8] = []
  fileprivate var responded: [UInt8] = []
  /// Places of those that were heard before and after it.
  fileprivate(set) var before: Int32 = -1
  fileprivate(set) var after: Int32 = -1
  /// A connection to it stands: it is not lost by silence, nor to make room.
  fileprivate(set) var isHeld = false

  init(
    address: RadioAddress, heardAt: Instant, fields: AdvertisedFields, directoryPlace: Int32,
    kind: AdvertisingPDU.Kind, data: UnsafeRawBufferPointer
  ) {
    (self.address, self.heardAt, self.fields) = (address, heardAt, fields)
    self.directoryPlace = directoryPlace
    _ = isNews(kind, data)
  }

  /// Whether the data is not what it said last in a packet of this kind; keeps it.
  fileprivate mutating func isNews(_ kind: AdvertisingPDU.Kind, _ data: UnsafeRawBufferPointer) -> Bool {
    let isResponse = kind == .scanResponse
    let isKnown = (isResponse ? responded : advertised).withUnsafeBytes { $0.elementsEqual(data) }
    if isKnown { return false }
    if isResponse { responded = Array(data) } else { advertised = Array(data) }
    return true
  }
}

/// The peripherals that are heard, in the order in which they were heard last: the one that is silent longest is first.
struct PeripheralTable: Sendable {
  private let countMaximum: Int
  private var peripherals: [Peripheral] = []
  private var freePlaces: [Int32] = []
  private var places: [RadioAddress: Int32] = [:]
  private var head: Int32 = -1
  private var tail: Int32 = -1
  private var heldCount = 0

  init(countMaximum: Int) { self.countMaximum = countMaximum }

  var count: Int { places.count }
  /// Held ones take no room of the others; released ones do.
  var isTooFull: Bool { count - heldCount > countMaximum }
  /// Whether one more finds a place, if need be that of the one that has been silent longest.
  var hasRoom: Bool { count < countMaximum || first != nil }

  /// The place of the one that has been silent longest.
  var first: Int? { head < 0 ? nil : Int(head) }
  /// When it was heard last.
  @inline(__always) var firstHeardAt: Instant? { head < 0 ? nil : peripherals[Int(head)].heardAt }

  func place(of address: RadioAddress) -> Int? { places[address].map { Int($0) } }

  /// The addresses of all that are there, in no order that means anything.
  var addresses: [RadioAddress] {
    peripherals.enumerated().filter { places[$1.address] == Int32($0) }.map(\.element.address)
  }

  /// The places of those that are not held, the one that has been silent longest first.
  var order: [Int] {
    var (places, next): ([Int], Int32) = ([], head)
    while next >= 0 {
      places.append(Int(next))
      next = peripherals[Int(next)].after
    }
    return places
  }

  subscript(place: Int) -> Peripheral { peripherals[place] }

  /// Takes the one that has been silent longest out where the table is full; its address.
  mutating func makeRoom() -> RadioAddress? {
    guard count >= countMaximum, let first else { return nil }
    return remove(first).address
  }

  /// Adds one as heard last; its address is not there yet.
  mutating func insert(_ peripheral: Peripheral) {
    let place = freePlaces.popLast() ?? Int32(peripherals.count)
    if Int(place) == peripherals.count { peripherals.append(peripheral) } else { peripherals[Int(place)] = peripheral }
    places[peripheral.address] = place
    link(place)
  }

  /// It was heard again, now.
  mutating func hear(_ place: Int, at now: Instant) {
    if tail != Int32(place), !peripherals[place].isHeld {
      unlink(Int32(place))
      link(Int32(place))
    }
    peripherals[place].heardAt = now
  }

  /// Whether it says something else than in its last packet of this kind.
  mutating func isNews(_ place: Int, _ kind: AdvertisingPDU.Kind, _ data: UnsafeRawBufferPointer) -> Bool {
    peripherals[place].isNews(kind, data)
  }

  /// This is all that it has said by now.
  mutating func set(_ place: Int, _ fields: AdvertisedFields) { peripherals[place].fields = fields }

  /// This is what it calls itself.
  mutating func name(_ place: Int, _ name: String) { peripherals[place].ownName = name }

  /// It is connected: out of the order of silence.
  mutating func hold(_ place: Int) {
    guard !peripherals[place].isHeld else { return }
    unlink(Int32(place))
    peripherals[place].isHeld = true
    heldCount += 1
  }

  /// It is not connected any more, as of now.
  mutating func release(_ place: Int, at now: Instant) {
    guard peripherals[place].isHeld else { return }
    peripherals[place].isHeld = false
    heldCount -= 1
    link(Int32(place))
    peripherals[place].heardAt = now
  }

  /// - Precondition: It is not held.
  mutating func remove(_ place: Int) -> Peripheral {
    unlink(Int32(place))
    let removed = peripherals[place]
    places[removed.address] = nil
    peripherals[place].fields = AdvertisedFields()
    (peripherals[place].advertised, peripherals[place].responded) = ([], [])
    freePlaces.append(Int32(place))
    return removed
  }

  private mutating func link(_ place: Int32) {
    (peripherals[Int(place)].before, peripherals[Int(place)].after) = (tail, -1)
    if tail < 0 { head = place } else { peripherals[Int(tail)].after = place }
    tail = place
  }

  private mutating func unlink(_ place: Int32) {
    let (before, after) = (peripherals[Int(place)].before, peripherals[Int(place)].after)
    if before < 0 { head = after } else { peripherals[Int(before)].after = after }
    if after < 0 { tail = before } else { peripherals[Int(after)].before = before }
  }

  /// What is not as it has to be between two calls.
  var brokenInvariants: [String] {
    var broken: [String] = []
    var (place, last, seen) = (head, Int32(-1), 0)
    while place >= 0, seen <= count {
      let one = peripherals[Int(place)]
      if one.before != last { broken.append("peripheral \(place) does not know the one before it") }
      if places[one.address] != place { broken.append("peripheral \(place) is not found by its address") }
      if last >= 0, peripherals[Int(last)].heardAt > one.heardAt {
        broken.append("peripheral \(place) was heard before the one before it")
      }
      (last, place, seen) = (place, one.after, seen + 1)
    }
    if seen + heldCount != count || last != tail {
      broken.append("\(count) peripherals, \(seen) of them in order and \(heldCount) held")
    }
    if isTooFull { broken.append("\(count) peripherals, at most \(countMaximum) are kept") }
    return broken
  }
}
