import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

// Bluetooth: that data fits into its packets, and that whoever walks or is switched off has a radio.
extension ScenarioChecks {
  mutating func check(_ section: PeripheralSection, count: Int, at path: TreePath) {
    if count > 1, section.address != nil {
      complain(path.appending("address"), "\(count) peripherals cannot have one address")
    }
    if section.rotation != nil, section.address != nil {
      complain(path.appending("rotates"), "a peripheral with private addresses has no other: leave 'address' out")
    }
    if let rotation = section.rotation, rotation < .seconds(1) {
      complain(path.appending("rotates"), "an address is kept for at least 1s")
    }
    checkSize(section.saying, of: section, at: path)
    if let other = section.otherSaying { checkSize(other, of: section, at: path.appending("then")) }
  }

  private mutating func checkSize(_ saying: PeripheralPlan.Saying, of section: PeripheralSection, at path: TreePath) {
    let most = section.isExtended ? PeripheralPlan.extendedDataBytesMaximum : PeripheralPlan.dataBytesMaximum
    for (fields, place) in [(saying.advertised, path), (saying.responded, path.appending("response"))]
    where fields.bytes.count > most {
      complain(place, "its data takes \(fields.bytes.count) bytes, and a packet has room for \(most)")
    }
    if section.isExtended { checkExtended(saying, section.kind, at: path) }
    if section.kind == .nonConnectable, !saying.responded.bytes.isEmpty {
      complain(path.appending("response"), "nobody can ask what is non-connectable: use 'advertises: scannable'")
    }
  }

  /// Of extended advertising: what can be asked says nothing by itself, and what can be connected to cannot be asked.
  private mutating func checkExtended(_ saying: PeripheralPlan.Saying, _ kind: PeripheralPlan.Kind, at path: TreePath) {
    var plain = saying.advertised
    plain.flags = nil
    if kind == .scannable, !plain.bytes.isEmpty {
      complain(path, "an extended advertisement that is scannable has no data of its own: put it under 'response'")
    }
    if kind == .connectable, !saying.responded.bytes.isEmpty {
      complain(path.appending("response"), "nobody can ask an extended advertisement that is connectable")
    }
  }

  /// What an address names can be connected to, and a private one is known to nobody before the run.
  mutating func check(_ deed: PeripheralDeed, at path: TreePath) {
    let place = deed.isPlain ? path : path.appending("who")
    guard checkNames([deed.who], at: place) else { return }
    guard let entry = entry(deed.who), entry.isDevice, entry.hasRadio else {
      return complain(place, "'\(deed.who)' is no peripheral")
    }
    if case .peripheral(let section) = entry.kind, section.rotation != nil {
      complain(place, "'\(deed.who)' changes its address: nobody can connect to it by name")
    }
  }

  private func hasRadio(_ name: String) -> Bool {
    if name == "engine" { return scenario.engineHasRadio }
    return entry(name)?.hasRadio == true
  }

  mutating func checkRadio(_ name: String, at path: TreePath) {
    guard checkNames([name], at: path, besides: ["engine"]), !hasRadio(name) else { return }
    complain(
      path,
      name == "engine"
        ? "the engine has no radio: it has one with 'scan', and where its manager looks for a service over Bluetooth"
        : "'\(name)' has no radio: it is no peripheral")
  }

  mutating func check(_ walk: WalkDeed, number: Int, at path: TreePath) {
    checkRadio(walk.who, at: path.appending("who"))
    if case .recordedPeripheral? = entry(walk.who)?.kind {
      complain(path.appending("who"), "'\(walk.who)' is heard as it was recorded, wherever it is")
    }
    let start = scenario.timeline[number].at
    for (other, item) in scenario.timeline.enumerated() where other != number {
      guard case .walk(let earlier) = item.deed, earlier.who == walk.who,
        item.at < start || item.at == start && other < number,
        start < item.at + earlier.duration
      else { continue }
      return complain(path, "'\(walk.who)' is still walking then, until \((item.at + earlier.duration).sinceStart)")
    }
  }

  /// What is present is compared by name, and a private address changes it.
  mutating func checkOneName(of names: [String], at path: TreePath) {
    for name in names {
      guard case .peripheral(let section)? = entry(name)?.kind, section.rotation != nil else { continue }
      complain(path, "'\(name)' changes its address: expect 'found' and 'lost' of it")
    }
  }
}
