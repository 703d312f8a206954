public import RollcallPrimitives

/// All machines of one type in one world, side by side in memory.
///
/// The world calls a pool once for an event and all receivers that follow one another in it; inside, every call is to
/// the concrete type. So the world knows no type of machine, and nothing is looked up for a receiver.
@usableFromInline struct MachinePool {
  /// The calls of one type of machine. They have no context: `memory` is handed to them.
  @usableFromInline struct Calls {
    /// The pool of this number gives what arrived to receivers from a place on; returns the place behind them.
    @usableFromInline let receive: (inout World, UnsafeMutableRawPointer, UInt32, Int) -> Int
    @usableFromInline let give: (inout World, UnsafeMutableRawPointer, SignalValue, Int) -> Void
    /// At a moment of the clock of the world.
    @usableFromInline let wake: (inout World, UnsafeMutableRawPointer, Int, Instant) -> Void
    @usableFromInline let prefetch: (UnsafeMutableRawPointer, Int) -> UInt64
    @usableFromInline let presentDevices: (UnsafeMutableRawPointer, Int) -> [String]
    @usableFromInline let deinitialize: (UnsafeMutableRawPointer, Int) -> Void

    @inlinable init<M: Machine>(of type: M.Type) {
      receive = { $0.receive(by: $1.assumingMemoryBound(to: M.self), pool: $2, from: $3) }
      give = { $0.give($2, to: $1.assumingMemoryBound(to: M.self), host: $3) }
      wake = { $0.wake($1.assumingMemoryBound(to: M.self), host: $2, at: $3) }
      prefetch = { memory, index in
        let machine = memory.assumingMemoryBound(to: M.self) + index
        return MachinePool.prefetch(machine, MemoryLayout<M>.size) ^ machine.pointee.prefetch()
      }
      presentDevices = { $0.assumingMemoryBound(to: M.self)[$1].presentDevices }
      deinitialize = { $0.assumingMemoryBound(to: M.self).deinitialize(count: $1) }
    }
  }

  @usableFromInline let type: any Any.Type
  @usableFromInline let calls: Calls
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var count = 0
  @usableFromInline var capacity: Int

  @inlinable init<M: Machine>(of type: M.Type) {
    self.type = type
    calls = Calls(of: type)
    capacity = 1
    memory = UnsafeMutableRawPointer(UnsafeMutablePointer<M>.allocate(capacity: 1))
  }

  /// A word of each cache line of a machine, of the first ones where it is large.
  @inlinable static func prefetch(_ machine: UnsafeMutableRawPointer, _ byteCount: Int) -> UInt64 {
    var sum: UInt64 = 0
    var offset = 0
    while offset &+ 8 <= min(byteCount, 256) {
      sum ^= machine.load(fromByteOffset: offset, as: UInt64.self)
      offset &+= 64
    }
    return sum
  }

  @inlinable mutating func append<M: Machine>(_ machine: consuming M) {
    var machines = memory.assumingMemoryBound(to: M.self)
    if count == capacity {
      machines = machines.grown(count, &capacity)
      memory = UnsafeMutableRawPointer(machines)
    }
    (machines + count).initialize(to: machine)
    count += 1
  }

  func end() {
    calls.deinitialize(memory, count)
    memory.deallocate()
  }
}

/// Where the machine of a host is kept, and how the clock of the host runs.
@usableFromInline struct MachinePlace: BitwiseCopyable {
  /// Which pool, and which of its machines.
  @usableFromInline var pool: UInt32
  @usableFromInline var index: UInt32
  @usableFromInline var driftMillionths: Int64

  @inlinable init(pool: Int, index: Int) {
    (self.pool, self.index, driftMillionths) = (UInt32(pool), UInt32(index), 0)
  }
}

/// The machines of a world, a pool for each type, in the order of their hosts.
public struct Machines: ~Copyable {
  @usableFromInline var pools: UnsafeMutablePointer<MachinePool>
  @usableFromInline var poolCount = 0
  @usableFromInline var poolCapacity = 8
  @usableFromInline var places: UnsafeMutablePointer<MachinePlace>
  /// The kinds of datagrams that the machine of each host hears.
  @usableFromInline var heardKinds: UnsafeMutablePointer<DatagramKinds>
  public internal(set) var count = 0
  @usableFromInline var capacity = 64

  public init() {
    pools = .allocate(capacity: poolCapacity)
    places = .allocate(capacity: capacity)
    heardKinds = .allocate(capacity: capacity)
  }

  deinit {
    for number in 0..<poolCount { pools[number].end() }
    pools.deinitialize(count: poolCount).deallocate()
    places.deallocate()
    heardKinds.deallocate()
  }

  /// The machine of the next host.
  @inlinable public mutating func append<M: Machine>(_ machine: consuming M) {
    var number = 0
    while number < poolCount, pools[number].type != M.self { number += 1 }
    if number == poolCount { append(MachinePool(of: M.self)) }
    append(MachinePlace(pool: number, index: pools[number].count), machine.heardKinds)
    pools[number].append(machine)
  }

  @usableFromInline mutating func append(_ pool: MachinePool) {
    if poolCount == poolCapacity { pools = pools.grown(poolCount, &poolCapacity) }
    (pools + poolCount).initialize(to: pool)
    poolCount += 1
  }

  @usableFromInline mutating func append(_ place: MachinePlace, _ kinds: DatagramKinds) {
    if count == capacity {
      var kindCapacity = capacity
      heardKinds = heardKinds.grown(count, &kindCapacity)
      places = places.grown(count, &capacity)
    }
    (places + count).initialize(to: place)
    (heardKinds + count).initialize(to: kinds)
    count += 1
  }

  /// The machines of a type, in the order of their hosts; none where no host has one.
  public func all<M: Machine>(_ type: M.Type) -> UnsafeBufferPointer<M> {
    for number in 0..<poolCount where pools[number].type == M.self {
      let pool = pools[number]
      return UnsafeBufferPointer(start: pool.memory.assumingMemoryBound(to: M.self), count: pool.count)
    }
    return UnsafeBufferPointer(start: nil, count: 0)
  }

  /// What all machines are on the network now, in the order of their hosts.
  package var presentDevices: [String] {
    (0..<count).flatMap { host in
      let pool = pools[Int(places[host].pool)]
      return pool.calls.presentDevices(pool.memory, Int(places[host].index))
    }
  }

  /// The machine of a host; `nil` where it is of another type.
  public func machine<M: Machine>(ofHost host: Int, as type: M.Type) -> M? {
    guard host < count, pools[Int(places[host].pool)].type == M.self else { return nil }
    return all(type)[Int(places[host].index)]
  }
}
