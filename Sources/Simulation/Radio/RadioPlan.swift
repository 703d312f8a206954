package import RollcallPrimitives

/// The radios of a world as somebody planned them: where each is and when it moves, and what the air does.
///
/// Pure data, checked by the code that makes it; a `RadioMedium` is made from it and a seed.
package struct RadioPlan: Hashable, Sendable {
  /// One for each host of the network, in the same order; `nil`: it has no radio.
  package var radios: [RadioHostPlan?]
  package var air: AirPlan
  /// From here on no link loses anything: the second act of a run.
  package var heal: Instant?

  package init(radios: [RadioHostPlan?], air: AirPlan = AirPlan(), heal: Instant? = nil) {
    (self.radios, self.air, self.heal) = (radios, air, heal)
  }
}

/// What the air does to every packet.
package struct AirPlan: Hashable, Sendable {
  /// The path-loss exponent in tenths: 20 is free space, 30 and more are rooms with walls.
  package var exponentTenths: Int
  /// The standard deviation of log-normal shadowing, in thousandths of a decibel; each pair of radios draws once.
  package var shadowingMillidecibels: Int
  /// A packet is received where it is so much stronger than each that overlaps it, in dB.
  package var captureDecibels: Int

  package init(exponentTenths: Int = 20, shadowingMillidecibels: Int = 0, captureDecibels: Int = 21) {
    self.exponentTenths = exponentTenths
    self.shadowingMillidecibels = shadowingMillidecibels
    self.captureDecibels = captureDecibels
  }
}

/// The radio of one host.
package struct RadioHostPlan: Hashable, Sendable {
  /// Of the host: names the random streams.
  package var name: String
  package var position: Position
  /// In the order of time; none begins before the one before it has ended.
  package var walks: [Walk]
  /// In dBm.
  package var transmitPower: Int
  /// The weakest packet that it receives, in dBm.
  package var sensitivity: Int
  /// What it fails to receive beside that.
  package var loss: Loss
  /// When the user switches the radio off, or on again, in the order of time; it is on at the start.
  package var switches: [RadioSwitch]

  package init(
    name: String, position: Position = Position(), walks: [Walk] = [], transmitPower: Int = 0, sensitivity: Int = -95,
    loss: Loss = .none, switches: [RadioSwitch] = []
  ) {
    self.name = name
    self.position = position
    self.walks = walks
    self.transmitPower = transmitPower
    self.sensitivity = sensitivity
    self.loss = loss
    self.switches = switches
  }
}

package struct RadioSwitch: Hashable, Sendable {
  package var at: Instant
  package var isOn: Bool
  package init(at: Instant, isOn: Bool) { (self.at, self.isOn) = (at, isOn) }
}

/// A place, in millimetres from the middle of the world.
package struct Position: Hashable, Sendable {
  package var x: Int64
  package var y: Int64
  package var z: Int64

  /// No coordinate is larger, either way: 100 km.
  package static let millimetresMaximum: Int64 = 100_000_000

  package init(x: Int64 = 0, y: Int64 = 0, z: Int64 = 0) { (self.x, self.y, self.z) = (x, y, z) }

  /// The square of the distance, in square millimetres.
  func squareDistance(to other: Position) -> UInt64 {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return UInt64(x * x + y * y + z * z)
  }
}

/// A straight way at a steady pace.
package struct Walk: Hashable, Sendable {
  package var start: Instant
  /// Zero: it is there at once.
  package var duration: Interval
  package var to: Position

  package init(start: Instant, duration: Interval, to: Position) {
    (self.start, self.duration, self.to) = (start, duration, to)
  }
}

extension RadioHostPlan {
  /// Where it is at `time`.
  func position(at time: Instant) -> Position {
    var place = position
    for walk in walks {
      guard walk.start <= time else { break }
      let (elapsed, whole) = ((time - walk.start).nanoseconds, walk.duration.nanoseconds)
      if elapsed >= whole {
        place = walk.to
        continue
      }
      func between(_ from: Int64, _ to: Int64) -> Int64 {
        from + whole.dividingFullWidth((to - from).multipliedFullWidth(by: elapsed)).quotient
      }
      return Position(
        x: between(place.x, walk.to.x), y: between(place.y, walk.to.y), z: between(place.z, walk.to.z))
    }
    return place
  }
}
