package import RollcallPrimitives

/// What is wrong with the stores of a world, and when.
package struct StorePlan: Hashable, Sendable {
  /// Something is wrong from an instant on, until another one.
  package struct Trouble: Hashable, Sendable {
    package var host: Int
    package var at: Instant
    package var until: Instant
    package var failure: StoreFailure

    package init(host: Int, at: Instant, until: Instant, _ failure: StoreFailure) {
      (self.host, self.at, self.until, self.failure) = (host, at, until, failure)
    }
  }

  /// In the order in which they begin.
  package private(set) var troubles: [Trouble] = []

  package init() {}

  /// Of two that begin at one instant the one that was added later counts.
  package mutating func add(_ trouble: Trouble) {
    troubles.insert(trouble, at: troubles.firstIndex { $0.at > trouble.at } ?? troubles.endIndex)
  }

  /// What is wrong at an instant; of several the one that began last. `nil`: nothing is.
  func failure(ofHost host: Int, at now: Instant) -> StoreFailure? {
    troubles.last { $0.host == host && $0.at <= now && now < $0.until }?.failure
  }

  /// When the values of a host were lost for the last time up to an instant; `nil`: they never were.
  func lossOfValues(ofHost host: Int, upTo now: Instant) -> Instant? {
    troubles.last {
      $0.host == host && $0.at <= now && $0.failure == .damaged && failure(ofHost: host, at: $0.at) == .damaged
    }?.at
  }
}

/// What the machines of hosts keep beyond their own life: values under names, in memory.
///
/// A value stays until it is replaced or deleted. On a full disk nothing can be put, a store that is refused does nothing,
/// and one that is damaged fails at everything and has lost what it kept.
package final class StoreMedium: Medium {
  /// From what a machine wants to the answer: no multiple of what links take, so that hardly anything else happens at
  /// that very instant.
  package static let latency = Interval.microseconds(1_700)
  /// Of all values of a host; more is a full disk.
  package static let byteCountMaximum = 16 * 1_024 * 1_024

  private struct Entry {
    var host: Int
    var key: String
    var bytes: [UInt8]
    var storedAt: Instant
  }

  package let port = PortNumber.store
  private let plan: StorePlan
  private var entries: [Entry] = []

  package init(_ plan: StorePlan = StorePlan()) { self.plan = plan }

  package func want(_ value: any PortValue, from host: Int, schedule: MediumSchedule) {
    guard let effect = value as? StoreEffect else { return }
    let failure = plan.failure(ofHost: host, at: schedule.now)
    // Values are lost also where no request came while it was damaged.
    let loss = failure == .damaged ? schedule.now : plan.lossOfValues(ofHost: host, upTo: schedule.now)
    if let loss { entries.removeAll { $0.host == host && $0.storedAt < loss } }
    let answer =
      switch effect {
      case .put(let key, let bytes): put(bytes, key, host, failure, at: schedule.now)
      case .get(let key): get(key, host, failure)
      case .delete(let key): delete(key, host, failure)
      }
    schedule.deliver(answer, to: host, at: schedule.now + StoreMedium.latency)
  }

  package func due(_ token: UInt64, schedule: MediumSchedule) {}

  private func place(_ key: String, _ host: Int) -> Int? { entries.firstIndex { $0.host == host && $0.key == key } }

  private func put(
    _ bytes: [UInt8], _ key: String, _ host: Int, _ failure: StoreFailure?, at now: Instant
  ) -> StoreSignal {
    if let failure { return .failed(key: key, failure) }
    let place = place(key, host)
    let others = entries.filter { $0.host == host && $0.key != key }.reduce(0) { $0 + $1.bytes.count }
    if others + bytes.count > StoreMedium.byteCountMaximum { return .failed(key: key, .full) }
    if let place {
      (entries[place].bytes, entries[place].storedAt) = (bytes, now)
    } else {
      entries.append(Entry(host: host, key: key, bytes: bytes, storedAt: now))
    }
    return .stored(key: key)
  }

  private func get(_ key: String, _ host: Int, _ failure: StoreFailure?) -> StoreSignal {
    if let failure, failure != .full { return .failed(key: key, failure) }
    return .value(key: key, place(key, host).map { entries[$0].bytes })
  }

  private func delete(_ key: String, _ host: Int, _ failure: StoreFailure?) -> StoreSignal {
    if let failure, failure != .full { return .failed(key: key, failure) }
    if let place = place(key, host) { entries.remove(at: place) }
    return .stored(key: key)
  }
}
