// The catalogue of Bluetooth LE: what peripherals advertise. Nothing of it was compared with the text of the standard, so
// all of it is from memory, and no breach is an error.

extension Catalogue {
  package static let bluetooth = Catalogue(
    name: "Bluetooth", editions: [.bluetooth40], clauses: Clause.advertisingRows, checked: BluetoothJudge.clauses)
}

extension Edition {
  /// The first edition with LE.
  package static let bluetooth40 = Edition(.bluetooth, number: 40)
}

extension Clause {
  private static func row(
    _ number: ClauseID, _ id: String, isProhibition: Bool = false, _ severity: Severity, _ gist: String
  ) -> Clause {
    row(
      number, id, binds: .device, .hardening, isProhibition: isProhibition, since: .bluetooth40, seen: [.passive],
      severity, evidence: [.memory], gist)
  }

  static let advertisingRows: [Clause] = [
    row(.addressKind, "BLE-ADDRESS-KIND", .risks, "A random address begins with the bits 00, 01 or 11"),
    row(
      .addressRandom, "BLE-ADDRESS-RANDOM", .risks,
      "The random bits of a static or non-resolvable address are neither all 0 nor all 1"),
    row(.advertisingInterval, "BLE-INTERVAL", .risks, "Two advertising events of a set are at least 20 ms apart"),
    row(.flagsInResponse, "BLE-FLAGS-RESPONSE", isProhibition: true, .lint, "Flags stand in no scan response"),
    row(
      .discoverable, "BLE-DISCOVERABLE", isProhibition: true, .lint,
      "Flags say limited or general discoverable, and not both"),
    row(
      .onceInData, "BLE-ONCE", .risks,
      "Flags, a name of each kind, transmit power and appearance stand at most once in a packet"),
    row(.dataOverrun, "AD-OVERRUN", .harms, "Each structure of advertising data ends within its packet"),
    row(.dataUUIDs, "AD-UUIDS", .risks, "A list of UUIDs is a multiple of their width"),
    row(.dataService, "AD-SERVICE-DATA", .risks, "Service data begins with a whole UUID"),
    row(.dataManufacturer, "AD-MANUFACTURER", .risks, "Manufacturer data begins with the two bytes of a company"),
    row(.dataNumber, "AD-NUMBER", .risks, "Transmit power has one byte, appearance has two"),
    row(.dataFlags, "AD-FLAGS", .risks, "Flags have at least one byte"),
    row(.dataName, "AD-NAME", .risks, "A name is UTF-8"),
  ]

  /// What the maker of a peripheral can do; `nil`: the clause is of another protocol.
  static func advertisingRemedy(_ number: ClauseID) -> String? {
    switch number {
    case .addressKind: "Set the two highest bits of a static address to 11, of a private one to 00 or 01."
    case .addressRandom: "Draw the address from a generator that is seeded, and draw again where all bits are equal."
    case .advertisingInterval: "Advertise no more often than every 20 ms, and let the controller add its random part."
    case .flagsInResponse: "Move the flags into the advertisement."
    case .discoverable: "Set one of the two bits: general, unless discovery is meant to end after some time."
    case .onceInData: "Put each of them once into the advertisement or into the scan response."
    case .dataOverrun:
      "Count the bytes of a structure behind its length byte, and cut the data before the last whole one."
    case .dataUUIDs: "Write lists of 2, 4 or 16 bytes for each UUID, each under a type of its own."
    case .dataService: "Write the UUID, lowest byte first, before the data."
    case .dataManufacturer: "Write the number of the company, lowest byte first, before the data."
    case .dataNumber: "Write transmit power as one byte with sign, and appearance as two bytes."
    case .dataFlags: "Write a byte of flags, or leave the structure out."
    case .dataName: "Encode the name as UTF-8, and shorten it between two characters."
    default: nil
    }
  }
}
