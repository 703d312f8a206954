import RollcallPrimitives

/// Names, clocks and segments of the stations of a trace: what an entry does not say itself.
package struct TraceCast: Sendable {
  package struct Station: Hashable, Sendable {
    package var name: String
    package var role: Picture.Lane.Role
    /// How fast its clock runs, in millionths: its entries have the times of that clock.
    package var driftMillionths: Int64 = 0
    /// The number of the segment of each interface; empty: addresses say which stations share one.
    package var segments: [Int] = []

    package init(_ name: String, _ role: Picture.Lane.Role) { (self.name, self.role) = (name, role) }
  }

  package var stations: [Station]
  /// What people call devices, by how reports name them.
  private var deviceNames: [DeviceName: String] = [:]
  /// The same for nearby peers, for `ReportText`.
  package var peerNames: [String: String] = [:]

  package init(_ stations: [Station]) { self.stations = stations }

  package mutating func name(_ device: String, _ name: String) { deviceNames[DeviceName(device)] = name }

  package func name(of device: String) -> String { deviceNames[DeviceName(device)] ?? device }

  /// What stands below the name: how reports name it, where that is another.
  package func detail(of device: String) -> String { deviceNames[DeviceName(device)] == nil ? "" : device }

  /// The moment at which the clock of a station showed this.
  func moment(_ time: Instant, of station: Int) -> Instant {
    let drift = stations.indices.contains(station) ? stations[station].driftMillionths : 0
    // So late, or with a clock so wrong, that nothing is gained.
    if drift == 0 || drift <= -500_000 || time.nanoseconds <= 0 || time.nanoseconds > .max / 4 { return time }
    let product = time.nanoseconds.multipliedFullWidth(by: 1_000_000)
    return Instant(nanoseconds: (1_000_000 + drift).dividingFullWidth(product).quotient)
  }
}
