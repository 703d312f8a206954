import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

@Suite("The values that a quirk changes") struct QuirkValueTests {
  @Test("each quirk of behaviour has its own habit")
  func habits() {
    let table: [(quirk: Quirk, habit: DeviceBehaviour.Habits)] = [
      (.neverByebye, .neverByebye), (.byebyeBeforeFirstAlive, .byebyeBeforeFirstAlive),
      (.byebyeAliveByebye, .byebyeAliveByebye), (.abandonsOldAddress, .abandonsOldAddress),
      (.lateAliveAfterByebye, .lateAliveAfterByebye), (.portChangesOnReboot, .portChangesOnReboot),
      (.uuidChangesOnReboot, .uuidChangesOnReboot), (.partialRenewal, .partialRenewal), (.crossByebye, .crossByebye),
      (.noUpdate, .noUpdate), (.updateAfterAlive, .updateAfterAlive), (.bootIDNotIncreased, .bootIDNotIncreased),
      (.nextBootIDLies, .nextBootIDLies), (.v6LocationOnV4, .v6LocationOnV4),
      (.v6LocationWithScope, .v6LocationWithScope), (.reanswersOwnMulticast, .reanswersOwnMulticast),
      (.configIDKept, .configIDKept), (.doubleAnswer, .doubleAnswer), (.answersEverySearch, .answersEverySearch),
      (.answersMX0, .answersMX0), (.relaxedSearch, .relaxedSearch), (.answersBadMAN, .answersBadMAN),
      (.silentOnUnicast, .silentOnUnicast), (.silentOnMulticast, .silentOnMulticast),
      (.answersHigherVersion, .answersHigherVersion), (.echoesOwnVersion, .echoesOwnVersion),
      (.substringMatch, .substringMatch), (.errorAnswers, .errorAnswers), (.answersToPort1900, .answersToPort1900),
      (.answersNotify, .answersNotify), (.blocksWhileAnswering, .blocksWhileAnswering),
    ]
    for row in table {
      var behaviour = DeviceBehaviour()
      behaviour.habits = row.habit
      var found = DeviceBehaviour()
      row.quirk.alter(&found)
      expectEqual(found, behaviour, "\(row.quirk)")
    }
  }

  @Test("quirks of behaviour with an argument keep it, and add targets to those before")
  func behaviours() {
    func check(_ quirks: [Quirk], _ change: (inout DeviceBehaviour) -> Void) {
      var (found, expected) = (DeviceBehaviour(), DeviceBehaviour())
      for quirk in quirks { quirk.alter(&found) }
      change(&expected)
      expectEqual(found, expected, "\(quirks)")
    }
    check([.spuriousByebye(.seconds(7))]) { $0.spuriousByebyeInterval = .seconds(7) }
    check([.unicastNotify(IPAddress(1, 2, 3, 4))]) { $0.unicastTo = IPAddress(1, 2, 3, 4) }
    check([.manyAnswers(5)]) { $0.answersPerMatch = 5 }
    check([.answersOnlySome("a"), .answersOnlySome("b")]) { $0.answersOnly = ["a", "b"] }
    check([.maxAge(1)]) { _ in }
  }

  @Test("quirks of timing change the times that they name, and no other")
  func timings() {
    func check(_ quirk: Quirk, _ change: (inout DeviceTiming) -> Void) {
      var (found, expected) = (DeviceTiming(), DeviceTiming())
      found.renewalInterval = Interval.seconds(1)...Interval.seconds(2)
      expected.renewalInterval = found.renewalInterval
      quirk.alter(&found)
      change(&expected)
      expectEqual(found, expected, "\(quirk)")
    }
    check(.noJitter) { $0.startJitter = .zero ... .zero }
    check(.dropsRepeats) { ($0.repeats, $0.renewalRepeats, $0.byebyeRepeats) = (1, 1, 1) }
    check(.manyRepeats(9)) { ($0.repeats, $0.renewalRepeats) = (9, 9) }
    check(.noRenewal) { ($0.renewalPermille, $0.renewalInterval) = (nil, nil) }
    check(.renewsLate) { $0.renewalPermille = 510...540 }
    check(.renewsAfterLease) { $0.renewalPermille = 1_010...1_100 }
    check(.renewsOften(.seconds(10))) { $0.renewalInterval = Interval.seconds(10)...Interval.seconds(12) }
    check(.answersImmediately) { ($0.answerDelay, $0.unicastDelay) = (.immediate, .zero ... .zero) }
    check(.answersLate(.seconds(3))) { $0.answerDelay = .afterMX(.seconds(3)) }
    check(.ignoresMXCap) { $0.maximumWaitCapSeconds = 120 }
    check(.slowUnicastAnswers) { $0.unicastDelay = .milliseconds(1_500) ... .seconds(3) }
    check(.maxAge(1)) { _ in }
    // Without a quirk it renews from a quarter of max-age on, and before half of it.
    let renewal: ClosedRange<Int64>? = 250...490
    expectEqual(DeviceTiming().renewalPermille, renewal)
  }

  @Test("a set holds 64 messages, of its description and of quirks together")
  func longestSet() {
    for (services, count, last) in [
      (60, 64, "x:opaque"), (61, 64, "urn:x:service:S61"), (62, 64, "urn:x:service:S61"), (59, 63, "x:opaque"),
    ] {
      let part = DevicePart(
        type: "urn:x:device:D:1", services: (1...services).map { "urn:x:service:S\($0):1" }, uuid: rootUUID)
      var set = AdvertSet(DeviceDescription(root: part))
      expectEqual(set.adverts.count, min(3 + services, 64))
      Quirk.opaqueTarget("x:opaque").alter(&set)
      #expect(set.adverts.count == count && set.adverts.last?.stem == last, "\(services)")
      expectEqual(set.order, Array(0..<count))
    }
  }

  @Test("quirks of the description change the one thing that they name")
  func descriptions() {
    func check(_ quirk: Quirk, _ change: (inout DeviceDescription) -> Void) {
      var expected = treeDescription()
      change(&expected)
      expectEqual(treeDescription().altered(by: [quirk]), expected, "\(quirk)")
    }
    check(.maxAge(-7)) { $0.maxAgeSeconds = -7 }
    check(.locationHttps) { $0.scheme = "https" }
    check(.nonHexUUID) { $0.uuidStyle = .serialNumber }
    check(.upperCaseUUID) { $0.uuidStyle = .capitals }
    check(.ttl(9)) { $0.hopLimit = 9 }
    check(.oldSpecification) { $0.uda = .uda10 }
    check(.noJitter) { _ in }
  }

  @Test("quirks of the set change the adverts and the order that they name, and no other")
  func sets() {
    func check(_ quirk: Quirk, _ change: (inout AdvertSet) -> Void) {
      var (found, expected) = (AdvertSet(treeDescription()), AdvertSet(treeDescription()))
      quirk.alter(&found)
      change(&expected)
      expectEqual(found, expected, "\(quirk)")
    }
    /// Puts adverts behind those of the description.
    func add(_ adverts: [Advert], to set: inout AdvertSet) {
      set.order += Array(treeCount..<(treeCount + adverts.count))
      set.adverts += adverts
    }
    func older(_ kind: Advert.Kind, _ owner: Int, _ stem: String, _ versions: ClosedRange<Int>) -> [Advert] {
      versions.map { version in
        var advert = Advert(kind, owner: owner, stem: stem, version: "\(version)")
        advert.isSearchable = false
        return advert
      }
    }
    var foreign = Advert(.opaque, owner: 0, stem: "hnap:X")
    foreign.isSearchable = false
    var camera = Advert(.opaque, owner: 0, stem: "hnap:NetworkCamera")
    (camera.usnTarget, camera.path, camera.isSearchable) = ("upnp:rootdevice", "/HNAP1/", false)
    let lower =
      older(.device, 0, "urn:schemas-upnp-org:device:MediaServer", 1...1)
      + older(.service, 0, "urn:schemas-upnp-org:service:ContentDirectory", 1...2)
      + older(.service, 1, "urn:example-org:service:Lamp", 1...7)
    check(.foreignNT("hnap:X")) { add([foreign], to: &$0) }
    check(.otherLocationUnderUSN) { add([camera], to: &$0) }
    check(.opaqueTarget("roku:ecp")) { add([Advert(.opaque, owner: 0, stem: "roku:ecp")], to: &$0) }
    check(.incompleteSet) { $0.order = [0, 2, 3, 4, 6, 7, 8] }
    check(.rootOnly) { $0.order = [0] }
    check(.doubledUUIDMessage) { $0.order = [0, 1, 1, 2, 3, 4, 5, 6, 7, 8] }
    check(.doubledMessages) { $0.order = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8] }
    check(.lowerVersionsToo) { add(lower, to: &$0) }
    check(.servicesUnderRoot) {
      // The root has the first of the two already.
      $0.adverts[7].owner = 0
      $0.adverts[7].isSearchable = false
      $0.adverts[8].owner = 0
      $0.order = [0, 1, 2, 3, 4, 5, 6, 8]
    }
    check(.noJitter) { _ in }
  }

  @Test("quirks of serving change the one thing that they name")
  func serving() {
    func check(_ quirk: Quirk, _ change: (inout DescriptionHabits) -> Void) {
      var (found, expected) = (DescriptionHabits(), DescriptionHabits())
      quirk.alter(&found)
      change(&expected)
      expectEqual(found, expected, "\(quirk)")
    }
    check(.descriptionNotFound) { $0.status = 404 }
    check(.descriptionFails) { $0.status = 500 }
    check(.descriptionRedirects) { $0.redirect = .elsewhere }
    check(.descriptionRedirectLoop) { $0.redirect = .loop }
    check(.descriptionOnOtherHost(IPAddress(1, 2, 3, 4))) { $0.redirect = .host(IPAddress(1, 2, 3, 4)) }
    check(.descriptionSlow(.seconds(4))) { $0.delay = .seconds(4) }
    check(.descriptionEndless) { $0.framing = .endless }
    check(.descriptionTruncated) { $0.framing = .truncated }
    check(.descriptionWrongLength) { $0.framing = .halfLength }
    check(.descriptionChunked) { $0.framing = .chunked }
    check(.descriptionWrongType) { $0.isPage = true }
    check(.descriptionClosed) { $0.saysNothing = true }
    check(.descriptionSecondTime) { $0.refusesFirst = true }
    check(.descriptionKeepsConfigID) { $0.keepsConfigID = true }
    check(.descriptionOtherUDN) { $0.hasOtherUDN = true }
    check(.descriptionOtherType) { $0.hasOtherType = true }
    check(.twoLocations) { $0.hasSecondPort = true }
    check(.noJitter) { _ in }
    let plain = DescriptionHabits()
    #expect(plain.status == nil && plain.redirect == nil && plain.framing == nil && plain.delay == .zero)
    #expect(!plain.isPage && !plain.saysNothing && !plain.refusesFirst && !plain.keepsConfigID)
    #expect(!plain.hasOtherUDN && !plain.hasOtherType && !plain.hasSecondPort)
  }
}
