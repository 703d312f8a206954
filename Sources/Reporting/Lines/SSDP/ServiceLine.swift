package import RollcallPrimitives

// What a search heard, as a part of a JSON line, and the words for people that only root devices need.
extension JSONLine {
  /// All fields of a service; nearly always nothing in it has to be escaped, and its pieces are laid side by side.
  package mutating func add(_ service: borrowing ServiceSighting) {
    let (isPlain, room) = (service.names.isPlain, service.names.allBytes.count + 192)
    memory.reserve(room)
    memory.put(",\"layer\":\"ssdp\",\"event\":\"service\",\"device\":")
    put(service.names.deviceBytes, isPlain, room)
    memory.put(",\"search\":")
    memory.put(UInt64(service.search.number))
    memory.put(",\"usn\":")
    put(service.names.usnBytes, isPlain, room)
    memory.put(",\"target\":")
    put(service.names.targetBytes, isPlain, room)
    memory.put(",\"location\":")
    if service.names.hasLocation { put(service.names.locationBytes, isPlain, room) } else { memory.put("null") }
  }

  /// The USNs of services, in marks and with commas between them.
  mutating func addUSNs(of services: borrowing [ServiceSighting]) {
    for index in services.indices {
      let (usn, isPlain) = (services[index].names.usnBytes, services[index].names.isPlain)
      memory.reserve(usn.count + 3)
      if index > 0 { memory.put(UInt8(ascii: ",")) }
      put(usn, isPlain, 0)
    }
  }
}

extension ReportText {
  /// What people call an attribute.
  static func word(for name: DeviceAttribute.Name) -> String { name == .bootID ? "boot" : name.rawValue }
}
