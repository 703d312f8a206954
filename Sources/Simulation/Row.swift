/// Values in a row, in memory of their own.
///
/// What an array is, for one owner: nobody else can hold it, so a change asks nobody. The busiest tables of the network
/// are rows.
struct Row<Element>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 64) {
    self.capacity = max(1, capacity)
    memory = .allocate(capacity: self.capacity)
  }

  deinit {
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  var indices: Range<Int> { 0..<count }

  @inline(__always) subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a place beyond the row")
      return UnsafePointer(memory + index)
    }
    @inline(__always) unsafeMutableAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a place beyond the row")
      return memory + index
    }
  }

  @inline(__always) mutating func append(_ element: Element) {
    if count == capacity { grow() }
    (memory + count).initialize(to: element)
    count &+= 1
  }

  @inline(never) private mutating func grow() { memory = memory.grown(count, &capacity) }
}

extension UnsafeMutablePointer {
  /// The same values in twice the room; this memory is given back.
  @inlinable func grown(_ count: Int, _ capacity: inout Int) -> UnsafeMutablePointer {
    capacity *= 2
    let larger = UnsafeMutablePointer.allocate(capacity: capacity)
    larger.moveInitialize(from: self, count: count)
    deallocate()
    return larger
  }
}
