package import RollcallPrimitives

/// Decides which description is fetched when: reports of an engine in, requests out, in order.
///
/// One fetch for each LOCATION, also where devices share it. It is fetched again when LOCATION, BOOTID or CONFIGID
/// change, and when a device comes back that was lost; never for a repeated announcement, and never because it failed.
package struct DescriptionQueue: Sendable {
  package struct Limits: Hashable, Sendable {
    package var connectionsMaximum = 8
    /// To one host, which is seldom the owner of all that is announced in its name.
    package var connectionsPerHostMaximum = 4
    /// Requests that wait for a connection.
    package var waitingMaximum = 1_024
    /// Whether a sender on the loopback may name the loopback: for tests on one machine.
    package var allowsLoopback = false
    package init() {}
  }

  package struct Request: Hashable, Sendable {
    package var device: String
    package var location: String
    package var source: IPAddress
    package var interface: InterfaceID
    package var cause: DescriptionFetch.Cause
    package var target: DescriptionTarget
  }

  /// A description that is not fetched.
  package struct Refusal: Hashable, Sendable {
    package var device: String
    package var location: String?
    package var interface: InterfaceID
    package var cause: DescriptionFetch.Cause
    package var failure: DescriptionFetch.Failure

    /// A request that is given up.
    package init(_ request: Request, _ failure: DescriptionFetch.Failure) {
      (device, location, interface) = (request.device, request.location, request.interface)
      (cause, self.failure) = (request.cause, failure)
    }
    init(_ device: DeviceSighting, _ cause: DescriptionFetch.Cause, _ failure: DescriptionFetch.Failure) {
      (self.device, location, interface) = (device.device, device.location, device.interface)
      (self.cause, self.failure) = (cause, failure)
    }
  }

  private enum Stage { case waiting, active, done }
  private struct Record {
    var stage: Stage
    /// Devices that have this LOCATION now.
    var owners = 0
    /// Asked for again while it is being fetched.
    var again: Request?
  }

  package let limits: Limits
  private var records: [String: Record] = [:]
  private var locations: [String: String] = [:]
  /// In the order in which they were asked for.
  package private(set) var waiting: [Request] = []
  package private(set) var activeCount = 0
  private var activeByHost: [IPAddress: Int] = [:]
  /// Everything that waits is for hosts that have their share: looking again is of no use until that changes.
  private var isStuck = false

  /// LOCATIONs and devices that are remembered.
  package var recordCount: Int { records.count + locations.count + activeByHost.count }

  package init(limits: Limits = Limits()) { self.limits = limits }

  // MARK: Reports

  /// The description of a device is wanted once more, whatever came of it before.
  package mutating func fetchAgain(
    _ device: DeviceSighting, subnets: (InterfaceID) -> [InterfaceAddress]
  ) -> [Refusal] {
    place(device, .asked, isNew: true, subnets)
  }

  /// Notes a report; what it asks for waits for `next`, and what is not fetched is given back.
  /// - Parameter subnets: addresses of an interface.
  package mutating func take(_ report: Report, subnets: (InterfaceID) -> [InterfaceAddress]) -> [Refusal] {
    switch report {
    case .found(let device): return place(device, .found, isNew: true, subnets)
    case .changed(let device, .attribute(.location, _)): return place(device, .location, isNew: true, subnets)
    case .changed(let device, .attribute(.bootID, _)): return place(device, .bootID, isNew: true, subnets)
    case .changed(let device, .attribute(.configID, _)): return place(device, .configID, isNew: true, subnets)
    case .changed(let device, .address), .changed(let device, .attribute), .changed(let device, .united):
      return place(device, .location, isNew: false, subnets)
    case .lost(let device, _): return release(device)
    default: return []
    }
  }

  /// - Parameter isNew: the report says that something may be different at the same LOCATION.
  private mutating func place(
    _ device: DeviceSighting, _ cause: DescriptionFetch.Cause, isNew: Bool,
    _ subnets: (InterfaceID) -> [InterfaceAddress]
  ) -> [Refusal] {
    let before = locations[device.device]
    guard let location = device.location else {
      let gone = before == nil ? [] : release(device.device)
      guard isNew else { return gone }
      let failure = DescriptionFetch.Failure(
        .noLocation, "expected a LOCATION on the link of \(device.source), found none that may be used")
      return gone + [Refusal(device, cause, failure)]
    }
    var refusals: [Refusal] = []
    if before != location {
      if before != nil { refusals += release(device.device) }
      locations[device.device] = location
      records[location, default: Record(stage: .done)].owners += 1
    }
    let isKnown = before == location || records[location].map { $0.owners > 1 || $0.stage != .done } == true
    // Another device with a LOCATION that was fetched: the same document.
    if isKnown, cause == .found || cause == .location || !isNew { return refusals }
    do throws(DescriptionFetch.Failure) {
      let target = try DescriptionTarget.check(
        location, sender: device.source, subnets: subnets(device.interface), allowsLoopback: limits.allowsLoopback)
      let request = Request(
        device: device.device, location: location, source: device.source, interface: device.interface, cause: cause,
        target: target)
      switch records[location]?.stage {
      case .waiting: break
      case .active: records[location]?.again = request
      case .done, nil: try enqueue(request)
      }
    } catch {
      refusals.append(Refusal(device, cause, error))
    }
    return refusals
  }

  private mutating func enqueue(_ request: Request) throws(DescriptionFetch.Failure) {
    guard waiting.count < limits.waitingMaximum else {
      throw DescriptionFetch.Failure(
        .queueFull, "expected at most \(limits.waitingMaximum) descriptions to wait for a connection")
    }
    records[request.location]?.stage = .waiting
    waiting.append(request)
    if hasRoom(request) { isStuck = false }
  }

  /// A device has no LOCATION any more, or another one.
  private mutating func release(_ device: String) -> [Refusal] {
    guard let location = locations.removeValue(forKey: device), var record = records[location] else { return [] }
    record.owners -= 1
    records[location] = record
    guard record.owners == 0 else { return [] }
    switch record.stage {
    case .active: records[location]?.again = nil
    case .done: records[location] = nil
    case .waiting:
      records[location] = nil
      guard let index = waiting.firstIndex(where: { $0.location == location }) else { return [] }
      let request = waiting.remove(at: index)
      return [Refusal(request, DescriptionFetch.Failure(.deviceGone, "the device was gone before its turn came"))]
    }
    return []
  }

  // MARK: Fetches

  /// What is to be fetched now; `nil`: nothing, until something is finished or asked for.
  package mutating func next() -> Request? {
    guard activeCount < limits.connectionsMaximum, !isStuck else { return nil }
    guard let index = waiting.firstIndex(where: hasRoom) else {
      isStuck = true
      return nil
    }
    let request = waiting.remove(at: index)
    records[request.location]?.stage = .active
    activeCount += 1
    activeByHost[request.target.endpoint.address, default: 0] += 1
    return request
  }

  /// Whether its host has less than its share.
  private func hasRoom(_ request: Request) -> Bool {
    activeByHost[request.target.endpoint.address, default: 0] < limits.connectionsPerHostMaximum
  }

  /// A request that `next` gave is over, however it ended.
  package mutating func finish(_ request: Request) -> [Refusal] {
    let host = request.target.endpoint.address
    activeCount -= 1
    isStuck = false
    activeByHost[host, default: 1] -= 1
    if activeByHost[host] == 0 { activeByHost[host] = nil }
    guard let record = records[request.location] else { return [] }
    if record.owners == 0 {
      records[request.location] = nil
      return []
    }
    records[request.location]?.stage = .done
    records[request.location]?.again = nil
    guard let again = record.again else { return [] }
    do throws(DescriptionFetch.Failure) { try enqueue(again) } catch { return [Refusal(again, error)] }
    return []
  }
}
