import RollcallPrimitives

/// The devices that are there, by what was reported.
package struct ReportedLives {
  /// The devices of engines, beside the truth where that is known.
  package var devices: DeviceLives
  /// The devices that a manager reported to an application, and nearby peers.
  private var told: DeviceLives

  package init(knowsTruth: Bool, isComparison: Bool = false, bounds: PictureBounds) {
    devices = DeviceLives(knowsTruth: knowsTruth, isComparison: isComparison, bounds: bounds)
    told = DeviceLives(knowsTruth: false, isComparison: isComparison, bounds: bounds)
  }

  var all: [DeviceLives] { [devices, told] }

  /// - Parameters:
  ///   - mark: of the report; −1: none.
  ///   - side: of a comparison, 0 or 1; else 0.
  ///   - prefix: what stands before the names of devices.
  mutating func take(
    _ report: Report, at time: Instant, mark: Int, cast: TraceCast, side: Int = 0, prefix: String = ""
  ) {
    func note(_ device: String, _ isFound: Bool) {
      devices.report(
        device, isFound: isFound, at: time, mark: mark, side: side, name: prefix + cast.name(of: device),
        detail: cast.detail(of: device))
    }
    func tell(_ id: String, _ isFound: Bool, _ name: String) {
      told.report(id, isFound: isFound, at: time, mark: mark, side: side, name: prefix + name)
    }
    switch report {
    case .found(let sighting): note(sighting.device, true)
    case .changed(_, .united(let part)): note(part, false)
    case .lost(let device, _): note(device, false)
    case .managed(let managed):
      let name = "\(managed.state.name ?? managed.id), for an application"
      switch managed.event {
      case .found: tell(managed.id, true, name)
      case .lost: tell(managed.id, false, name)
      default: break
      }
    case .nearby(let peer):
      let name = "\(cast.name(of: peer.peer)), for \(cast.name(of: peer.device))"
      switch peer.event {
      case .found: tell("\(peer.device) \(peer.peer)", true, name)
      case .lost: tell("\(peer.device) \(peer.peer)", false, name)
      default: break
      }
    default: break
    }
  }
}
