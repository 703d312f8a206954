@_exported public import Dispatch
@_exported public import Foundation

#if !canImport(Darwin)
  /// Seconds since the first instant of 2001, UTC. Foundation for Linux has no such name, and a delegate needs it for
  /// the time of a disconnection.
  public typealias CFAbsoluteTime = Double
#endif
