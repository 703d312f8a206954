import Foundation
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallServing

extension LiveRecord {
  /// The record of a run that begins now, written in the turns of its event loop.
  convenience init(
    of run: LiveRun, trace: Output?, capture: Output?, interfaces: [String], browses: [ServiceBrowse] = [],
    verb: String
  ) {
    self.init(
      trace: trace, capture: capture, interfaces: interfaces, browses: browses, verb: verb, began: .now)
    schedule = { [unowned run] in run.perform(at: $0, $1) }
  }
}

extension Output {
  /// A file that is written while a run goes on; `nil`: none is wanted.
  static func growing(_ path: String?) throws -> Output? { try path.map { try Output(path: $0, isGrowing: true) } }
}

extension Instant {
  /// The wall clock, since 1970.
  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
