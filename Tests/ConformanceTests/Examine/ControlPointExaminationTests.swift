import RollcallConformance
import RollcallExaminers
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import Testing

@Suite("Control points, examined")
struct ControlPointExaminationTests {
  private func verdicts(_ examination: ControlPointExamination) -> [String] {
    examination.result().rows.map { "\($0.probe.rawValue) \($0.verdict.rawValue): \($0.found)" }
  }

  // MARK: - Our own engine

  @Test("our own engine passes: nothing is violated, and what it does not show is not called a pass")
  func engine() {
    let result = Examined.run(Examined.setting()) { ExaminedEngine() }.result()
    expectEqual(result.rows.filter { $0.verdict == .violated || $0.verdict == .inconclusive }, [])
    let unseen = result.rows.filter { $0.verdict == .notObservable }
    expectEqual(
      unseen.map { "\($0.probe.rawValue): \($0.found)" },
      [
        "redirects: it fetches no description (answer, announcement)",
        "huge-page: it fetches no description (answer, announcement)",
        "new-config: it fetches no description of what is announced",
      ])
    expectEqual(result.rows.filter { $0.verdict == .notBound }, [])
    expectEqual([result.violations(.must), result.violations(.should), result.violations(.hardening)], [0, 0, 0])
    expectEqual(result.listened.rows.map { $0.clause.id }, [])
    // What no socket tells is not judged.
    expectEqual([ClauseID.ttlDefault, .oneDatagram].map { result.judgement.total($0).held }, [0, 0])
    expectEqual(result.judgement.total(.searchRepeat).held, 1)
    expectEqual(result.party?.product, "Linux/6.1 UPnP/1.1 rollcall/1")
    expectEqual(result.searches.map(\.target), ["urn:schemas-upnp-org:device:Basic:1"])
  }

  @Test("the same examination twice gives the same verdicts, and no more packets than its plan says")
  func bounds() {
    let setting = Examined.setting()
    let (one, two) = (Examined.run(setting) { ExaminedEngine() }, Examined.run(setting) { ExaminedEngine() })
    expectEqual(verdicts(one), verdicts(two))
    expectEqual(one.log.entries, two.log.entries)
    let plan = ControlPointPlan(setting)
    let sent = one.log.entries.filter(\.isSent)
    #expect(sent.count <= plan.packetsOnce)
    #expect(sent.count > plan.packetsOnce / 2)
    let last = one.log.entries.last?.time ?? .zero
    #expect(last <= .zero + .seconds(Int64(plan.secondsOnce)))
  }

  /// A fault of the engine, the probe that finds it, and what it then says.
  static let faults: [(EngineSwitch, ControlPointProbe, ControlPointRow.Verdict)] = [
    (.byebyeIgnored, .byebye, .violated), (.requiresLocationOnByebye, .byebye, .violated),
    (.byebyeEndsNeighbour, .neighbours, .violated), (.rootByAddress, .neighbours, .violated),
    (.bootIDIgnored, .reboot, .violated), (.updateIgnored, .update, .violated),
    (.nextBootIDIgnored, .update, .violated), (.expiryIgnoresMaxAge, .expiry, .violated),
    (.neverExpires, .expiry, .violated), (.partKeepsNothing, .keptByPart, .violated),
    (.maxAgeOverflows, .oddMaxAge, .violated), (.locationChangeIgnored, .newLocation, .violated),
    (.acceptsUnsolicited, .unsolicited, .violated), (.acceptsUnsolicited, .wrongST, .violated),
    (.substringTarget, .wrongST, .violated), (.exactVersionOnly, .higherST, .violated),
    (.searchEndsEarly, .lastMoment, .violated), (.searchSentOnce, .copies, .violated),
  ]

  @Test("a fault that is planted in the engine breaks the verdict that is about it", arguments: faults.indices)
  func plantedFault(number: Int) throws {
    let (fault, probe, wanted) = ControlPointExaminationTests.faults[number]
    // Losses are shown by byebyes and by ends of leases: an engine that has neither shows none.
    let setting = Examined.setting([.byebye, .expiry, .reboot, probe].ordered)
    let sound = Examined.run(setting) { ExaminedEngine() }.result()
    expectEqual(sound.rows.filter { $0.verdict != .held }.map(\.found), [])
    let broken = Examined.run(setting) { ExaminedEngine([fault]) }.result()
    let row = try #require(broken.rows.first { $0.probe == probe })
    expectEqual(row.verdict, wanted, "\(fault): \(row.found)")
    expectEqual(row.records.isEmpty, false)
    if let clause = row.clause {
      let total = broken.judgement.total(clause.number)
      expectEqual(total.violated, 1)
    }
  }

  @Test("a LOCATION off the subnet that is handed on is inconclusive, since nobody sees whether it is followed")
  func handedOn() throws {
    let result = Examined.run(Examined.setting([.offSubnet])) { ExaminedEngine { $0.locationPolicy = .off } }.result()
    expectEqual(result.rows.map(\.verdict), [.inconclusive])
    #expect(result.rows[0].found.hasPrefix("it is handed on in its output; whether it is fetched cannot be seen"))
  }

  // MARK: - Defects that no engine has

  static let defects: [(ToyControlPoint.Defect, ControlPointProbe, String)] = [
    (.namesInOneCase, .nameCase, "not taken, though good baits are (answer, announcement)"),
    (.blanksMatter, .blanks, "not taken, though good baits are (answer, announcement)"),
    (.orderMatters, .fieldOrder, "not taken, though good baits are (answer, announcement)"),
    (.unknownFieldsRefused, .unknownFields, "not taken, though good baits are (answer, announcement)"),
    (.hexUUIDOnly, .anyUUID, "not taken, though good baits are (answer, announcement)"),
    (.minorOneOnly, .higherMinor, "not taken, though good baits are (answer, announcement)"),
    (.directivesRefused, .moreDirectives, "not taken, though good baits are (answer, announcement)"),
    (.portDemanded, .hostWithoutPort, "not taken, though good baits are (announcement)"),
    (.eightBitRefused, .eightBit, "not taken, though good baits are (answer, announcement)"),
    (.versionExact, .higherVersion, "not taken, though good baits are (answer, announcement)"),
    (.anyStart, .brokenStart, "taken (answer, announcement)"),
    (.answersOnly404, .otherStart, "taken (answer)"),
    (.namelessTaken, .noUSN, "taken (answer, announcement)"),
    (.targetlessTaken, .noTarget, "taken (answer, announcement)"),
    (.diesOfNoColon, .noColon, "it was ended by signal 11 (answer, announcement)"),
    (.deafAfterNoServer, .noServer, "no good bait is taken any more after it (answer, announcement)"),
    (.deafAfterNoLocation, .noLocation, "no good bait is taken any more after it (answer, announcement)"),
    (.foldedRead, .folded, "the folded line was read as LOCATION (answer, announcement)"),
    (.bothLocations, .doubledField, "rule: both (answer, announcement)"),
    (.firstThenLast, .doubledField, "rule: first in one way, rule: last in another"),
    (.deafAfterLong, .oversized, "no good bait is taken any more after it (answer, announcement)"),
    (.diesOfManyFields, .manyFields, "it was ended by signal 6 (answer, announcement)"),
    (.deafAfterNUL, .nul, "no good bait is taken any more after it (answer, announcement)"),
    (.diesOfLateness, .late, "it was ended by signal 11 (answer)"),
    (.followsAnything, .offSubnet, "it was fetched from 203.0.113.66 (answer, announcement)"),
    (.redirectsForEver, .redirects, ""),
    (.targetCaseIgnored, .valueCase, "taken (answer)"),
    (.readsEverything, .hugePage, "all of it was read (answer, announcement)"),
    (.configIgnored, .newConfig, "the document under the old CONFIGID serves for the new one"),
    (.zerosMatter, .bootZeros, "007 counts as another BOOTID than 7"),
    (.halfCaseOfUUIDs, .uuidCase, "a byebye with small letters ends the device, one with capitals does not"),
    (.byebyeOfUUIDOnly, .byebyePart, "a byebye with its UUID ends the device, one with its type does not"),
    (.rootFirst, .setOrder, "one order makes a device of 1 names, another no device"),
    (.fullAfterFlood, .flood, "100 of 200 devices are shown, and no good bait after them"),
    (.sendsOnce, .copies, "once for urn:schemas-upnp-org:device:Basic:1 (answer)"),
    (.sendsTwelve, .copies, "more than ten in 200 ms (answer)"),
  ]

  @Test(
    "a toy that does everything right passes, and each of its defects breaks one verdict", arguments: defects.indices)
  func toy(number: Int) throws {
    let (defect, probe, found) = ControlPointExaminationTests.defects[number]
    let setting = Examined.setting([.byebye, .reboot, probe].ordered)
    let sound = Examined.run(setting) { ToyControlPoint() }.result()
    expectEqual(sound.rows.filter { $0.verdict == .violated }.map(\.found), [])
    expectEqual(sound.rows.first { $0.probe == probe }?.verdict, .held)
    let broken = Examined.run(setting) { ToyControlPoint([defect]) }.result()
    let row = try #require(broken.rows.first { $0.probe == probe })
    expectEqual(row.verdict, .violated)
    if !found.isEmpty { expectEqual(row.found, found) }
  }

  @Test("a program that shows one device and no more is judged by baits that are put alone")
  func oneAtATime() throws {
    let probes: [ControlPointProbe] = [.nameCase, .anyUUID, .eightBit, .brokenStart, .noUSN, .noColon, .flood]
    func rows(_ defects: Set<ToyControlPoint.Defect>) -> [String] {
      let setting = Examined.setting(probes)
      let examination = Examined.run(setting) { ToyControlPoint(defects) }
      let plan = ControlPointPlan(setting)
      #expect(examination.log.entries.count { $0.isSent } <= plan.packets)
      #expect(examination.log.entries.last?.time ?? .zero <= .zero + .seconds(Int64(plan.seconds)))
      return examination.result().rows.map { "\($0.probe.rawValue) \($0.verdict.rawValue): \($0.found)" }
    }
    let sound = rows([.takesOne])
    expectEqual(
      sound,
      [
        "name-case held: taken (answer, announcement)", "any-uuid held: taken (answer, announcement)",
        "eight-bit held: taken (answer, announcement)", "broken-start held: dropped (answer, announcement)",
        "no-usn held: dropped (answer, announcement)", "no-colon held: taken (answer, announcement)",
        "flood notObservable: it shows one device at a time; 0 of 200 devices are shown",
      ])
    let broken = rows([.takesOne, .namesInOneCase, .namelessTaken, .diesOfNoColon, .eightBitRefused])
    expectEqual(
      broken,
      [
        "name-case violated: not taken, though a good bait alone is (answer, announcement)",
        "any-uuid held: taken (answer, announcement)",
        "eight-bit violated: not taken, though a good bait alone is (answer, announcement)",
        "broken-start held: dropped (answer, announcement)", "no-usn violated: taken (answer, announcement)",
        "no-colon violated: it was ended by signal 11 (answer, announcement)",
        "flood notObservable: it shows one device at a time; 0 of 200 devices are shown",
      ])
    func values(_ probes: [ControlPointProbe], _ defects: Set<ToyControlPoint.Defect>) -> String {
      let rows = Examined.run(Examined.setting(probes)) { ToyControlPoint(defects) }.result().rows
      return rows.last.map { "\($0.verdict.rawValue): \($0.found)" } ?? ""
    }
    // What is taken is no matter of case where ST is not compared, which another probe tells.
    let both: [ControlPointProbe] = [.wrongST, .valueCase]
    expectEqual(values(both, [.takesOne]), "held: dropped (answer)")
    expectEqual(values(both, [.takesOne, .targetCaseIgnored]), "violated: taken (answer)")
    expectEqual(values(both, [.takesOne, .anyStart]), "notObservable: it does not compare ST at all (answer)")
    expectEqual(
      values([.valueCase], [.takesOne, .targetCaseIgnored]),
      "notObservable: it shows one device at a time, and wrong-st was not put (answer)")
    // One that shows all but what it must not show is counted, and judged as before.
    expectEqual(
      rows([.namesInOneCase]).first,
      "name-case violated: not taken, though good baits are (answer, announcement)")
  }

  @Test("every probe is kept and broken by somebody here")
  func complete() {
    let broken = Set(ControlPointExaminationTests.faults.map(\.1) + ControlPointExaminationTests.defects.map(\.1))
    expectEqual(ControlPointProbe.allCases.filter { !broken.contains($0) }, [])
  }

  @Test(
    "what fails is put again within the bounds of the plan",
    arguments: [ToyControlPoint.Defect.anyStart, .namesInOneCase, .sendsOnce, .diesOfManyFields, .deafAfterNUL])
  func repeats(defect: ToyControlPoint.Defect) {
    let setting = Examined.setting { $0.repeats = 2 }
    let examination = Examined.run(setting) { ToyControlPoint([defect]) }
    let plan = ControlPointPlan(setting)
    #expect(examination.log.entries.count { $0.isSent } <= plan.packets)
    #expect(examination.log.entries.last?.time ?? .zero <= .zero + .seconds(Int64(plan.seconds)))
    #expect(examination.result().count(.violated) > 0)
  }

  // MARK: - What cannot be seen

  @Test("of a control point that shows nothing nothing is observable, and nothing is a pass")
  func silent() {
    let result = Examined.run(Examined.setting()) { ToyControlPoint([.silent]) }.result()
    let shown = result.rows.filter { $0.verdict != .notObservable }.map(\.probe)
    // How often it searches is heard, whatever it shows.
    expectEqual(shown, [.copies])
    expectEqual(result.count(.notObservable), ControlPointProbe.allCases.count - 1)
  }

  @Test("without a command, fetches alone tell: forms are judged, losses are not observable")
  func fetches() throws {
    let setting = Examined.setting([.nameCase, .noUSN, .byebye]) { $0.hasCommand = false }
    let result = Examined.run(setting) { ToyControlPoint([.fetchesOnly]) }.result()
    expectEqual(
      result.rows.map { "\($0.probe.rawValue) \($0.verdict.rawValue): \($0.found)" },
      [
        "name-case held: taken (answer, announcement)", "no-usn held: dropped (answer, announcement)",
        "byebye notObservable: it never tells of a loss",
      ])
  }

  @Test("who prints every message that it hears shows no restart by printing another")
  func chatter() throws {
    let result = Examined.run(Examined.setting([.reboot])) { ToyControlPoint([.printsAll]) }.result()
    expectEqual(result.rows.map(\.verdict), [.notObservable])
    expectEqual(
      result.rows[0].found, "it tells of every message, known or new: whether it keeps devices cannot be seen")
  }

  @Test("nobody searches: nothing is sent as an answer, and the reason is said")
  func nobody() {
    let setting = Examined.setting([.nameCase]) { ($0.hasCommand, $0.duration) = (false, .seconds(9)) }
    var examination = ControlPointExamination(setting)
    examination.begin(at: .zero)
    while let deadline = examination.deadline { examination.advance(to: deadline) }
    let result = examination.result()
    expectEqual(result.examined, nil)
    expectEqual(
      result.rows.map(\.found),
      [
        "it did not search while it was waited for (answer); a good announcement is not shown: it fetches none; "
          + "with --command its output is read (announcement)"
      ])
  }

  @Test("only the first that searches is answered; others are named")
  func others() {
    var examination = ControlPointExamination(Examined.setting([.nameCase]))
    examination.begin(at: .zero)
    func search(from last: UInt8) -> [UInt8] {
      Array(
        "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: ssdp:all\r\n\r\n"
          .utf8)
    }
    let group = Endpoint(.ssdpGroup4, port: 1_900)
    for last in [20, 21, 20] as [UInt8] {
      examination.hear(
        search(from: last), from: Endpoint(IPAddress(10, 77, 1, last), port: 4_000), to: group, at: .zero)
    }
    expectEqual(examination.examined, IPAddress(10, 77, 1, 20))
    expectEqual(examination.others, [IPAddress(10, 77, 1, 21)])
    examination.advance(to: .zero + .milliseconds(900))
    let targets = Set(examination.log.entries.filter(\.isSent).map { "\($0.destination)" })
    expectEqual(targets, ["10.77.1.20:4000"])
  }

  @Test("who never searches is known by what it fetches first, and what others fetch is no matter")
  func listener() throws {
    let setting = Examined.setting([.nameCase, .noUSN]) { ($0.hasCommand, $0.duration) = (false, .seconds(30)) }
    var examination = ControlPointExamination(setting)
    examination.begin(at: .zero)
    var turn = 0
    while let deadline = examination.deadline {
      examination.advance(to: deadline)
      for case .send(let bytes, _, let destination) in examination.takeWishes() where destination.address.isMulticast {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let place = text.firstRange(of: "/b/") else { continue }
        let page = String(text[place.lowerBound...].prefix(19))
        let isNameless = !text.contains("USN: ") && !text.contains("UsN: ")
        // One asks for what has a name; another for everything, a little later.
        turn += 1
        if !isNameless { _ = examination.fetched(page, at: setting.speaker, from: Examined.control, at: deadline) }
        _ = examination.fetched(page, at: setting.speaker, from: IPAddress(10, 77, 1, 99), at: deadline)
      }
    }
    #expect(turn > 4)
    expectEqual(examination.examined, Examined.control)
    expectEqual(
      verdicts(examination).map { String($0.prefix(60)) },
      [
        "name-case held: taken (announcement)", "no-usn held: dropped (announcement)",
      ])
  }

  @Test("a clause of a later version of UDA than the one it claims does not bind it")
  func notBound() throws {
    let result = Examined.run(Examined.setting([.reboot])) {
      ExaminedEngine([.bootIDIgnored]) { $0.userAgent = "a/1 UPnP/1.0 b/1" }
    }.result()
    expectEqual(result.rows.map(\.verdict), [.notBound])
    expectEqual(result.violations(.must), 0)
  }
}

extension [ControlPointProbe] {
  /// Each once, in the order of their declaration.
  fileprivate var ordered: [ControlPointProbe] { ControlPointProbe.allCases.filter(contains) }
}
