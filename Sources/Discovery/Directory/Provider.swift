import RollcallPrimitives

/// The part of an engine that finds the devices of one protocol.
///
/// It turns signals and time into sightings and loses them by its own rules; the directory makes reports of them. What
/// it reports beside them (services of a search, refusals) goes to the outbox itself, behind the reports of the
/// directory that came before: so it calls `directory.report(into:)` first.
protocol Provider {
  static var id: ProviderID { get }
  /// When it has something to do; `.never`: only if something arrives.
  var deadline: Instant { get }
  /// Does what is due at or before `now`, in order of time.
  mutating func advance(to now: Instant, _ directory: inout Directory, into outbox: inout Outbox)
  mutating func receive(_ datagram: Datagram, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox)
  mutating func receive(
    _ value: SignalValue, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox)
  /// What is not as it has to be between two calls; `directory`: how many devices of this provider it holds.
  func brokenInvariants(devicesInDirectory: Int) -> [String]
}
