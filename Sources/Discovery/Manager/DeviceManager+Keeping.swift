package import RollcallPrimitives

// What the application keeps of devices, and how it is started anew.
extension DeviceManager {
  /// The store was asked for what it keeps: until it answers nothing is made of what is found.
  var isLoading: Bool { keeper?.isLoading ?? false }

  /// The application ends, and is started anew: everything that it was told is lost, and it knows what its store keeps.
  /// What the host heard of the network meanwhile is there.
  mutating func relaunch(at now: Instant, into outbox: inout Outbox) {
    (isRunning, nextSearch) = (false, .never)
    tellAll(at: now, into: &outbox)
    connections.forgetKeys()
    launchCount += 1
    memory = DeviceMemory(configuration.idSeed, launch: launchCount)
    for index in devices.indices where devices[index] != nil {
      devices[index] = nil
      freeDevices.append(UInt32(index))
    }
    (idsInUse, shaken) = ([], [])
    for place in members.indices { members[place].group = none }
    changeCount &+= 1
    keeper?.relaunch()
    startsWhenLoaded = true
    if keeper == nil { begin(configuration.setup, at: now, into: &outbox) }
  }

  package mutating func receive(_ signal: StoreSignal, at now: Instant, into outbox: inout Outbox) {
    guard let answer = keeper?.receive(signal, at: now) else { return }
    complain(answer.complaint, into: &outbox)
    guard answer.isOfLaunch else { return }
    let devices = keeper?.remembered ?? []
    for device in devices { outbox.report(.managed(ManagerReport(device.id, .remembered, device.state))) }
    var setup = configuration.setup
    setup.remembered = StoredDevice.remembered(devices)
    begin(setup, runs: startsWhenLoaded, at: now, into: &outbox)
  }

  /// Keeps what the application was told from a position on, and writes it.
  package mutating func keep(from first: Int, at now: Instant, into outbox: inout Outbox) {
    if keeper == nil { return }
    for position in first..<outbox.count {
      guard case .application(.managed(let report)) = outbox[position] else { continue }
      let complaint = keeper?.take(report, at: now)
      complain(complaint, into: &outbox)
    }
    keeper?.settle(into: &outbox)
  }

  private func complain(_ complaint: String?, into outbox: inout Outbox) {
    guard let complaint, !isOn(.storeFailureSilent) else { return }
    outbox.report(.failed(Failure(reason: .store, explanation: complaint)))
  }
}
