import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation

// Devices of SSDP, what the engine makes of them, and who disturbs them.
extension Sketch {
  /// However a lease was garbled or invented, it ends after so many seconds.
  private static let leaseMaximum = 120
  /// A lease is renewed before half of it is over, by messages that take a moment.
  private static let leaseMargin = 6

  private var isMisled: Bool { has(.corruption) || has(.flood) || has(.forger) }

  mutating func setPolicies() {
    scenario.engine.configuration.leaseMaximumSeconds = Sketch.leaseMaximum
    scenario.engine.configuration.leaseDefaultSeconds = 60
    if has(.strict), !has(.quirks) { scenario.engine.configuration.mode = .strict }
    if has(.partsAlone) { scenario.engine.configuration.byebyePolicy = .eachPart }
    if has(.descriptions) { scenario.engine.configuration.descriptions = .fetch }
  }

  mutating func drawLANDevices() {
    for letter in "abcd".prefix(Dice.count(seed)) {
      var dice = Dice(seed, "device-\(letter)")
      drawLANDevice("device-\(letter)", &dice)
    }
    if has(.neverThere) { add(InhabitantEntry("ghost", appear: .never, .rootDevice(RootDeviceSection()))) }
    if isMisled {
      devicesMaximum = nil
      wait(atLeast: Sketch.leaseMaximum + Sketch.leaseMargin + 1)
    }
    if has(.refusals) { refuseJoin() }
  }

  private mutating func drawLANDevice(_ name: String, _ dice: inout Dice) {
    let isGarbled = has(.corruption) && dice.happens(percent: 60)
    let profile = dice.pick(Profile.allCases)
    var section = RootDeviceSection(profile: profile)
    let leases: [Int] = [20, 30, 45, 60, 90]
    let lease = dice.pick(leases)
    section.maxAge = lease
    if has(.quirks), dice.happens(percent: 60) { section.quirks = dice.some(dice.number(1...2), of: Sketch.quirks) }
    // Several that answer each announcement with their own fill a slow link for good, and no renewal gets through.
    if has(.slowLinks) { section.quirks.removeAll { $0 == .reanswersOwnMulticast } }
    if has(.lastLife), dice.happens(percent: 60) { section.bootID = 0x7FFF_FFFF }
    var host = drawHost(&dice)
    if isGarbled { host.link = LinkSection(outbound: LinkPatch(corrupt: .percent(dice.pick([2, 5])))) }
    let count = has(.several) && dice.happens(percent: 40) ? dice.number(2...4) : 1
    add(
      InhabitantEntry(name, count: count, appear: drawAppearance(&dice), host: host, .rootDevice(section)))
    drawActs(of: name, &dice)
    if has(.update), dice.happens(percent: 40) { at(instant(&dice), .act(who: name, .update)) }
    if has(.change), dice.happens(percent: 40) { at(instant(&dice), .act(who: name, .reconfigure)) }
    if has(.relocation), dice.happens(percent: 40) {
      at(instant(&dice), .act(who: name, .relocate(port: UInt16(dice.number(2_000...60_000)))))
    }
    if count == 1 { drawMove(of: name, &dice) }
    if has(.holding), dice.happens(percent: 50) { at(instant(&dice), .hold(name)) }
    lanNames.append(name)
    if section.quirks.isEmpty {
      polite.append(name)
      // Part by part, what was sent just before a goodbye and comes after it keeps a part until its lease ends.
      if has(.partsAlone) { farewell = max(farewell, lease + Sketch.leaseMargin) }
    }
    devicesMaximum = devicesMaximum.map { $0 + count * (1 + profile.description.embedded.count) }
    wait(atLeast: lease + Sketch.leaseMargin)
    if section.quirks.contains(.byebyeAliveByebye) { wait(atLeast: Sketch.startWithByebyes + Sketch.leaseMargin) }
    // A root that never was has parts of the true one until it ends, and the true one speaks again.
    if isGarbled { wait(atLeast: Sketch.leaseMaximum + lease + Sketch.leaseMargin) }
  }

  /// Who is refused a group hears no search, and announces itself all the same.
  private mutating func refuseJoin() {
    var dice = Dice(seed, "refusal")
    guard dice.happens(percent: 50) else { return }
    let start = dice.instant(seconds: 1...heal - 2)
    scenario.faults.append(FaultEntry(at: start, .refuseJoins(dice.pick(lanNames))))
  }

  mutating func drawSearches() {
    var dice = Dice(seed, "searches")
    if has(.searches) {
      for _ in 0..<dice.number(1...3) {
        let search = SearchDeed(
          target: dice.pick(Sketch.targets), waitSeconds: dice.number(1...5), broadcasts: dice.number(1...3))
        at(instant(&dice), .search(search))
      }
    }
    if has(.lastSearch) {
      at(Instant.zero + .seconds(Int64(heal + 1)), .search(SearchDeed(waitSeconds: 2, broadcasts: 2)))
    }
  }

  /// Other programs on the network, honest and not.
  mutating func drawBystanders() {
    var dice = Dice(seed, "bystanders")
    if has(.bystanders) {
      var plan = ControlPointDecoy.Plan()
      plan.interval = .seconds(5) ... .seconds(15)
      add(InhabitantEntry("decoy", host: drawHost(&dice), .controlPoint(ControlPointSection(plan))))
    }
    if has(.flood), has(.lanDevices) {
      var plan = Flooder.Plan()
      plan.message = dice.happens(percent: 50) ? .alive : .byebye
      (plan.perSecond, plan.duration, plan.deviceCount) = (20, .seconds(5), 20)
      add(
        InhabitantEntry("flooder", appear: .at(dice.instant(seconds: 1...heal - 8)), .flooder(FlooderSection(plan))))
    }
    if has(.forger), has(.lanDevices) {
      var plan = ByebyeSpoofer.Plan()
      (plan.overhears, plan.impersonates) = (true, dice.happens(percent: 50))
      add(InhabitantEntry("forger", .byebyeSpoofer(ByebyeSpooferSection(plan))))
      at(Instant.zero + .seconds(Int64(heal - 2)), .act(who: "forger", .vanish))
    }
    if has(.junk) {
      var lines: [ScriptSection.Line] = []
      for _ in 0..<dice.number(1...3) {
        let (due, count) = (dice.interval(seconds: 0...heal - 1), dice.number(1...40))
        lines.append(ScriptSection.Line(at: due, payload: dice.bytes(count)))
      }
      add(InhabitantEntry("junk", .script(ScriptSection(lines))))
    }
  }

  /// Seconds from a start of a device with `byebyeAliveByebye` to the announcement that stays.
  private static let startWithByebyes = 63

  private static let targets = ["ssdp:all", "upnp:rootdevice", "urn:schemas-upnp-org:device:MediaRenderer:1"]

  /// Those of a device that can be found, stays, and is gone for good when it goes.
  private static let quirks: [Quirk] = [
    .titleCaseNames, .noSpaceAfterColon, .trailingBlanks, .noDate, .doubledUUIDMessage, .doubledMessages,
    .bareUUIDAsUSN, .upperCaseUUID, .hostInResponse, .vendorFields, .noJitter, .dropsRepeats, .manyRepeats(4),
    .renewsOften(.seconds(5)), .answersImmediately, .doubleAnswer, .manyAnswers(3), .neverByebye,
    .byebyeBeforeFirstAlive, .byebyeAliveByebye, .lateAliveAfterByebye, .portChangesOnReboot, .locationInByebye,
    .maxAgeSpaces, .maxAgeQuoted, .noServer, .noExt, .lowerVersionsToo, .bootIDNotIncreased, .claims11WithoutBootID,
    .twoLocations, .reanswersOwnMulticast, .lfOnly, .ignoresMXCap, .abandonsOldAddress, .configIDKept, .noUpdate,
    .updateAfterAlive, .nextBootIDLies, .servesStaleBootID,
  ]
}

extension Dice {
  /// How many devices there are on the LAN.
  fileprivate static func count(_ seed: Seed) -> Int {
    var dice = Dice(seed, "devices")
    return dice.number(1...4)
  }
}
