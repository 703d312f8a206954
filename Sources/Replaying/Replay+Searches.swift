import RollcallCapture
import RollcallPrimitives
import RollcallRunning

// Other values for the searches of a capture.
extension Replay {
  struct ReplacedCopy: Hashable {
    var search: SearchID
    var socket: Endpoint
  }

  /// The command to search that a file of the host's own tells of, with the values of the options.
  func withOtherValues(_ signal: SignalValue) -> SignalValue {
    guard case .application(.search(var search)) = signal, let other = options.searches else { return signal }
    search.maximumWaitSeconds = other.maximumWaitSeconds ?? search.maximumWaitSeconds
    if let copies = other.broadcasts { (search.broadcasts, search.spacing) = (max(1, copies), other.spacing) }
    return .command(.search(search))
  }

  /// Gives a captured search the values of the options; whether this copy of it is one of those that are replaced.
  mutating func replaces(_ search: inout Search, by other: SearchOverride, from socket: Endpoint) -> Bool {
    if let wait = other.maximumWaitSeconds { search.maximumWaitSeconds = wait }
    guard let copies = other.broadcasts else { return false }
    guard replacedCopies.count < SearchSockets.socketsMaximum else { return false }
    if !replacedCopies.insert(ReplacedCopy(search: search.id, socket: socket)).inserted { return true }
    // Copies further apart than MX would let answers fall between them; the engine refuses that, too.
    let wait = Interval.seconds(Int64(max(1, search.maximumWaitSeconds)))
    let spacing = min(other.spacing ?? wait, wait)
    for copy in 0..<max(0, copies - 1) {
      scene.schedule(
        SceneNote.TimedSignal(
          time: now + spacing * Int64(copy + 1), signal: .command(.adopt(search, copyAt: socket))))
    }
    return false
  }
}
