import RollcallPrimitives
import RollcallWire

/// What an alive or a response says, as the provider read it; the bytes are the datagram's.
struct Sighting {
  var usn = empty
  /// The UUID in it, without the scheme.
  var uuid = empty
  /// NT or ST.
  var target = empty
  /// What follows `::` in the USN, where something does.
  var suffix = empty
  var hasSuffix = false
  /// Empty where there is none.
  var location = empty
  var lease = Interval.zero
  /// −1: not said, here and below.
  var bootID: Int64 = -1
  var configID: Int64 = -1
  var searchPort: Int32 = -1
  /// It answered a search; nobody announced it.
  var isAnswer = false
  var source = IPAddress(v4: 0)
  /// The interface and family that it came by.
  var path: UInt16 = 0
  /// Where the value of USN stands in the datagram: the place that refusals name.
  var offset = 0

  @inline(__always) private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The lease that this very message made or renewed when it was heard before.
  var hint = SSDPHint()

  func refused(_ reason: RejectionReason) -> Rejection { Rejection(reason, at: offset) }
}
