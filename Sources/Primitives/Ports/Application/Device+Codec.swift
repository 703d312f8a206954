// What devices and their changes add to a digest, and their text in both directions.

extension DeviceSighting {
  func fold(into digest: inout Digest) {
    // One word for an IP address with its interface: nearly every device has one.
    let interface = UInt64(locator.interface?.number ?? 0) &<< 48
    switch locator.address {
    case .ip(let address): digest.combine(address.low ^ interface, address.high ^ 6)
    case .radio, .peer:
      digest.combine(interface, 32)
      locator.address.fold(into: &digest)
    }
    if locator.interface == nil { digest.combine(33) }
    digest.combine(device)
    let bootID = self[.bootID]?.number
    digest.combine(UInt64(bootID ?? 0), bootID == nil ? 7 : 8)
    digest.combine(self[.location]?.text)
    if provider != .ssdp {
      digest.combine(34)
      digest.combine(provider.rawValue)
    }
    for attribute in attributes where !attribute.hasPlace {
      digest.combine(35)
      digest.combine(attribute.name.rawValue)
      attribute.value.fold(into: &digest)
    }
  }

  func write(to words: inout WordWriter) {
    words.name(device)
    words.name(self[.location]?.text)
    words.add(locator.address.description)
    if let interface = locator.interface { words.add(interface) }
    if let bootID = self[.bootID]?.number {
      words.add("boot")
      words.add(bootID)
    }
    if provider != .ssdp {
      words.add("by")
      words.add(provider.rawValue)
    }
    for attribute in attributes where !attribute.hasPlace {
      words.add("and")
      words.add(attribute.name.rawValue)
      attribute.value.write(to: &words)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    let device = try words.name("the name of a device")
    let location = try words.optionalName("a LOCATION, or -")
    let address = try words.deviceAddress()
    let locator = Locator(address, on: try words.optionalInterface())
    let bootID: UInt32? = words.take("boot") ? try words.number("a BOOTID") : nil
    let provider = words.take("by") ? try words.value(ProviderID.self, "ssdp, bluetooth or peers") : .ssdp
    self.init(device: device, provider: provider, locator: locator)
    if let location { self[.location] = .text(location) }
    if let bootID { self[.bootID] = .number(bootID) }
    while words.take("and") {
      let name = try words.value(DeviceAttribute.Name.self, "the name of an attribute")
      self[name] = try DeviceAttribute.Value(from: &words)
    }
  }
}

extension DeviceAttribute {
  /// Whether it stands in a place of its own, and needs no name: a URL as LOCATION, a number as BOOTID.
  fileprivate var hasPlace: Bool {
    switch (name, value) {
    case (.location, .text), (.bootID, .number): true
    default: false
    }
  }
}

extension DeviceAttribute.Value {
  fileprivate func fold(into digest: inout Digest) {
    switch self {
    case .text(let text):
      digest.combine(36)
      digest.combine(text)
    case .number(let number): digest.combine(UInt64(number), 37)
    }
  }

  fileprivate func write(to words: inout WordWriter) {
    switch self {
    case .text(let text):
      words.add("text")
      words.name(text)
    case .number(let number): words.add(number)
    }
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    self =
      words.take("text") ? .text(try words.name("text")) : .number(try words.number("a number, or the word text"))
  }
}

extension DeviceAddress {
  fileprivate func fold(into digest: inout Digest) {
    switch self {
    case .ip(let address): digest.combine(address)
    case .radio(let address): digest.combine(address.bits, address.isRandom ? 38 : 39)
    case .peer(let number): digest.combine(number, 40)
    }
  }
}

extension WordReader {
  fileprivate mutating func deviceAddress() throws(WordError) -> DeviceAddress {
    let expected = "an address: of IP, of a radio, or of a peer"
    guard let address = DeviceAddress(try next(expected)) else { throw error(expected) }
    return address
  }
}

extension Change {
  func fold(into digest: inout Digest) {
    switch self {
    case .attribute(.location, .none):
      digest.combine(18, 19)
      digest.combine(String?.none)
    case .attribute(.location, .text(let former)):
      digest.combine(18, 19)
      digest.combine(Optional(former))
    case .attribute(.bootID, .none): digest.combine(0, 22)
    case .attribute(.bootID, .number(let former)): digest.combine(UInt64(former), 23)
    case .attribute(.configID, .none): digest.combine(0, 24)
    case .attribute(.configID, .number(let former)): digest.combine(UInt64(former), 25)
    case .attribute(let name, let former):
      digest.combine(41, former == nil ? 42 : 43)
      digest.combine(name.rawValue)
      former?.fold(into: &digest)
    case .address(let former):
      digest.combine(20, 21)
      former.fold(into: &digest)
    case .united(let part):
      digest.combine(28, 29)
      digest.combine(part)
    }
  }

  func write(to words: inout WordWriter) {
    switch self {
    case .attribute(let name, let former):
      words.add(name.rawValue)
      words.add("from")
      switch (name, former) {
      case (.location, .none): words.name(nil)
      case (.location, .text(let former)): words.name(former)
      case (_, .none): words.add("-")
      case (_, .some(let former)): former.write(to: &words)
      }
    case .address(let former):
      words.add("address")
      words.add("from")
      words.add(former.description)
    case .united(let part):
      words.add("united")
      words.name(part)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    let expected = "address, united, or the name of an attribute"
    let kind = try words.next(expected)
    if kind == "united" {
      self = .united(part: try words.name("the name of a part"))
      return
    }
    let name = DeviceAttribute.Name(rawValue: String(kind))
    guard kind == "address" || name != nil else { throw words.error(expected) }
    try words.word("from")
    guard let name else {
      self = .address(from: try words.deviceAddress())
      return
    }
    if words.take("-") {
      self = .attribute(name, from: nil)
    } else if name == .location {
      self = .attribute(name, from: .text(try words.name("the former LOCATION, or -")))
    } else {
      self = .attribute(name, from: try DeviceAttribute.Value(from: &words))
    }
  }
}
