import RollcallDevices
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallWire

// Bluetooth peripherals.
extension Sketch {
  /// A peripheral that is silent for half a minute is lost; one that is there is heard within seconds.
  private static let silencePatience = 60

  mutating func drawPeripherals() {
    var dice = Dice(seed, "peripherals")
    wait(atLeast: Sketch.silencePatience)
    for letter in "abc".prefix(dice.number(1...3)) {
      let name = "tag-\(letter)"
      var section = PeripheralSection(interval: .milliseconds(dice.pick([100, 250, 500, 1_000])))
      section.saying.advertised.name = "Tag \(letter.uppercased())"
      if has(.rotation), dice.happens(percent: 50) { section.rotation = rotation }
      if has(.quirks), dice.happens(percent: 40) { section.quirks = [dice.pick(Sketch.peripheralQuirks)] }
      var host = HostSection()
      host.radio.position = Position(x: metres(&dice), y: metres(&dice))
      // What takes another address counts from when its radio came on, and nobody can connect to it by name.
      if section.rotation != nil {
        add(InhabitantEntry(name, host: host, .peripheral(section)))
        continue
      }
      airNames.append(name)
      add(InhabitantEntry(name, appear: drawAppearance(&dice), host: host, .peripheral(section)))
      drawActs(of: name, &dice)
      if has(.connections), dice.happens(percent: 60) { drawConnection(to: name, &dice) }
    }
  }

  private func metres(_ dice: inout Dice) -> Int64 { Int64(dice.number(-6...6)) * 1_000 }

  /// An old address is heard of no more, and lost half a minute later. So it changes once, before the network heals, or
  /// where there is no such interval, not at all.
  private var rotation: Interval? {
    guard !has(.lanDevices), !has(.services), !has(.peers) else { return nil }
    // The run ends at most so long after the network heals.
    let half = (heal + patience + 40) / 2 + 1
    return half < heal ? .seconds(Int64(half)) : nil
  }

  private mutating func drawConnection(to name: String, _ dice: inout Dice) {
    let start = instant(&dice, before: 8)
    at(start, .peripheral(PeripheralDeed(who: name, .connect)))
    at(start + .seconds(2), .peripheral(PeripheralDeed(who: name, .discover)))
    at(start + .seconds(6), .peripheral(PeripheralDeed(who: name, .disconnect)))
  }

  /// Those with which it can still be found.
  private static let peripheralQuirks: [PeripheralQuirk] = [
    .paddedWithZeros, .overrunningStructure, .loneLengthByte, .emptyStructure, .shortManufacturerData, .oddServiceList,
    .nameInLatin1, .nameWithZeros, .refusesFirstConnection, .answersNothing,
  ]
}
