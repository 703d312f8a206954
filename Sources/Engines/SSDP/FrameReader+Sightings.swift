import RollcallPrimitives

// What an engine says of devices and of the answers to searches.
extension FrameReader {
  mutating func sighting(_ told: ToldEngine) throws(FrameFault) -> DeviceSighting {
    let device = try device()
    let location = try location()
    let source = try address("the source")
    let interface = try interface(told)
    let bootID = try id("a boot ID")
    let configID = try id("a config ID")
    var sighting = DeviceSighting(
      device: device, location: location, source: source, interface: interface, bootID: bootID)
    if let configID { sighting[.configID] = .number(configID) }
    return sighting
  }

  mutating func change() throws(FrameFault) -> Change {
    enum What: CaseIterable { case location, address, bootID, configID }
    switch try choice(What.allCases, "what is different") {
    case .location: return .location(from: try location())
    case .address: return .address(from: try address("the former address"))
    case .bootID: return .bootID(from: try id("a former boot ID"))
    case .configID: return .configID(from: try id("a former config ID"))
    }
  }

  mutating func service(_ told: ToldEngine) throws(FrameFault) -> ServiceSighting {
    let search = try search(told)
    let device = try device()
    let usn = try text("a USN")
    let target = try text("an ST")
    return ServiceSighting(search: search, device: device, usn: usn, target: target, location: try location())
  }

  private mutating func location() throws(FrameFault) -> String? {
    try optional("a location") { reader throws(FrameFault) in try reader.text("a location") }
  }

  private mutating func id(_ expected: String) throws(FrameFault) -> UInt32? {
    try optional(expected) { reader throws(FrameFault) in try reader.number(UInt32.self, expected) }
  }
}
