package import RollcallPrimitives

/// Virtual time, and everything that is to happen in it: one for a world, shared by all its media.
///
/// Whatever is scheduled leaves by (instant, sequence), whichever medium scheduled it. Nothing can be scheduled in the
/// past: it happens now, after all that was to happen now. The schedule is a handle; who made it ends it.
public struct Schedule {
  /// What is due at `now`.
  package enum Due {
    /// The machine of a host wanted to be woken about now.
    case wake(host: Int)
    /// A datagram is at the interface of its host.
    case arrival(Int)
    /// A datagram is at the switch, or at all members of its group.
    case fanOut(Int)
    /// Anything else: `take(_:)` has it.
    case item(Int)
  }

  /// Everything that is not as frequent as wakes and datagrams.
  package enum Item {
    case free(next: Int32)
    /// A command or a fault of the plan, by its number.
    case planned(Int)
    /// A machine is given this.
    case delivery(SignalValue, host: Int)
    case lan(LANTimer)
    /// What a medium scheduled for itself.
    case medium(Int, token: UInt64)
  }

  private struct State: ~Copyable {
    var now = Instant.zero
    var queue = EventQueue()
    /// When the machine of each host is to be woken; `Int64.max`: not at all.
    let wakes: UnsafeMutablePointer<Int64>
    var items: [Item] = []
    var freeItem: Int32 = -1
    var itemCount = 0

    init(hostCount: Int) {
      wakes = .allocate(capacity: max(1, hostCount))
      wakes.initialize(repeating: .max, count: hostCount)
    }

    deinit { wakes.deallocate() }
  }

  private let state: UnsafeMutablePointer<State>

  package init(hostCount: Int) {
    state = .allocate(capacity: 1)
    state.initialize(to: State(hostCount: hostCount))
  }

  /// Gives the memory back; no copy of the handle may be used after that.
  package func end() { state.deinitialize(count: 1).deallocate() }

  /// What is in the queue, wakes included that an earlier one replaced.
  package var pendingCount: Int { state.pointee.queue.count }

  /// When the machine of each host is to be woken, a word for each; `Int64.max`: not at all.
  var wakes: UnsafeMutablePointer<Int64> { state.pointee.wakes }

  package var now: Instant {
    @inline(__always) get { state.pointee.now }
  }

  /// When the next thing is due; `nil`: nothing is to come.
  package var nextTime: Instant? {
    while let entry = state.pointee.queue.first() {
      // A wake that an earlier one replaced does not come: a caller would take its instant for unfinished.
      let isWake = entry.value &>> Kind.shift == Kind.wake
      guard isWake, state.pointee.wakes[Int(entry.value & Kind.indexMask)] != entry.time else {
        return Instant(nanoseconds: entry.time)
      }
      _ = state.pointee.queue.pop()
    }
    return nil
  }

  /// What is due next, not later than `end`; `nil`: nothing. `now` moves to it, or to `end`.
  @inline(__always) package func next(until end: Instant) -> Due? {
    while let entry = state.pointee.queue.pop(until: end.nanoseconds) {
      state.pointee.now = Instant(nanoseconds: entry.time)
      let index = Int(entry.value & Kind.indexMask)
      switch entry.value &>> Kind.shift {
      case Kind.wake:
        // An earlier wake took the place of this one.
        guard state.pointee.wakes[index] == entry.time else { continue }
        state.pointee.wakes[index] = .max
        return .wake(host: index)
      case Kind.arrival: return .arrival(index)
      case Kind.fanOut: return .fanOut(index)
      default: return .item(index)
      }
    }
    if state.pointee.now < end { state.pointee.now = end }
    return nil
  }

  /// Whether there is a bucket that `showNewBucket` has not shown.
  var hasNewBucket: Bool {
    @inline(__always) get { state.pointee.queue.hasNewBucket }
  }

  /// Shows what comes in the next quarter of a millisecond, in no order: hosts that wake, and arrivals. Some wakes may
  /// have been replaced by earlier ones.
  @inline(__always) func showNewBucket(wake: (Int) -> Void, arrival: (Int) -> Void) {
    for entry in state.pointee.queue.newBucket() {
      let index = Int(entry.value & Kind.indexMask)
      switch entry.value &>> Kind.shift {
      case Kind.wake: wake(index)
      case Kind.arrival: arrival(index)
      default: break
      }
    }
  }

  /// Takes an item that is due.
  package func take(_ index: Int) -> Item {
    let item = state.pointee.items[index]
    state.pointee.items[index] = .free(next: state.pointee.freeItem)
    state.pointee.freeItem = Int32(index)
    state.pointee.itemCount -= 1
    // A large network has hundreds of thousands of them while its hosts join, and then none for long.
    if state.pointee.itemCount == 0, state.pointee.items.count > 4_096 {
      (state.pointee.items, state.pointee.freeItem) = ([], -1)
    }
    return item
  }

  // MARK: - Scheduling

  /// Wakes the machine of `host` at `time`; an earlier wake that is already scheduled stands, since early is harmless.
  @inline(__always) package func wake(host: Int, at time: Instant) {
    let time = max(time.nanoseconds, state.pointee.now.nanoseconds)
    if time < state.pointee.wakes[host] {
      state.pointee.wakes[host] = time
      push(Kind.wake, host, at: time)
    }
  }

  @inline(__always) func arrival(_ index: Int, at time: Int64) { push(Kind.arrival, index, at: time) }
  @inline(__always) func fanOut(_ index: Int, at time: Int64) { push(Kind.fanOut, index, at: time) }

  /// A command or fault of the plan.
  package func planned(_ number: Int, at time: Instant) { push(.planned(number), at: time) }

  /// The machine of `host` is given `value`.
  package func deliver(_ value: SignalValue, to host: Int, at time: Instant) {
    push(.delivery(value, host: host), at: time)
  }

  func push(_ item: Item, at time: Instant) {
    let index: Int
    state.pointee.itemCount += 1
    if state.pointee.freeItem >= 0, case .free(let next) = state.pointee.items[Int(state.pointee.freeItem)] {
      index = Int(state.pointee.freeItem)
      state.pointee.freeItem = next
      state.pointee.items[index] = item
    } else {
      index = state.pointee.items.count
      state.pointee.items.append(item)
    }
    push(Kind.item, index, at: max(time, now).nanoseconds)
  }

  /// One function for all that is scheduled: in place four times it would take a kilobyte and more of the busiest code.
  @inline(never) private func push(_ kind: UInt32, _ index: Int, at time: Int64) {
    // Only a sum that wrapped around lies before now: what takes centuries comes at the end of all time.
    let time = time < state.pointee.now.nanoseconds ? .max : time
    state.pointee.queue.push(kind &<< Kind.shift | UInt32(truncatingIfNeeded: index), at: time)
  }

  /// The two high bits of a queue value say what the rest numbers.
  private enum Kind {
    static let shift: UInt32 = 26
    static let indexMask: UInt32 = 1 << 26 - 1
    static let wake: UInt32 = 0
    static let arrival: UInt32 = 1
    static let fanOut: UInt32 = 2
    static let item: UInt32 = 3
  }
}
