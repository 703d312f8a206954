import RollcallPrimitives

extension Report {
  /// The device that it is about; `nil`: none.
  package var device: String? {
    switch self {
    case .found(let sighting), .changed(let sighting, _): sighting.device
    case .lost(let device, _): device
    case .service(let service): service.device
    case .searchEnded, .failed, .rejected: nil
    }
  }
}
