package import RollcallPrimitives

/// What a world is built from: a network, a machine for each of its hosts, and what happens when. A world uses it up.
package struct WorldPlan: ~Copyable {
  package var network: NetworkPlan
  /// One for each host of the network, in the same order.
  package var machines = Machines()
  /// What carries other ports than the LAN's.
  package var media: [any Medium] = []
  /// What the timeline asks of whom; of equal times, the first stands first.
  package var commands: [(time: Instant, host: Int, command: Command)] = []
  package var faults: [(time: Instant, fault: Fault)] = []
  package var duration: Interval
  package var seed: Seed
  /// More trace entries than this end the run with outcome `budget`.
  package var entriesMaximum: UInt64 = 500_000_000
  /// The same for events.
  package var eventsMaximum: UInt64 = 500_000_000

  package init(network: NetworkPlan, duration: Interval, seed: Seed) {
    (self.network, self.duration, self.seed) = (network, duration, seed)
  }
}
