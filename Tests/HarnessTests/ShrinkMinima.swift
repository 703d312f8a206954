import RollcallDiscovery

/// The smallest scenarios that somebody could write by hand for faults of the engine: the yardstick of the shrinker.
enum ShrinkMinima {
  /// What stays more than twice as large as the yardstick, and why.
  static let larger: [EngineSwitch: String] = [
    .joinFailureSilent:
      "the one scenario that catches it has a join refused after the link came back, and not from the start"
  ]

  private static let tv = "inhabitants: {tv: {kind: root-device}}\n"
  private static func tv(_ more: String) -> String { "inhabitants: {tv: {kind: root-device, \(more)}}\n" }

  static let all: [(fault: EngineSwitch, body: String)] = [
    (
      .acceptsUnsolicited,
      tv("quirks: [answersToPort1900]") + "timeline: [{at: 1s, search: {}}]\nexpect: [{rejected: noOpenSearch}]"
    ),
    (
      .bootIDIgnored,
      tv + "timeline: [{at: 9s, crash: {who: tv, down-for: 1s}}]\nexpect: [{lost: tv, cause: rebooted}]"
    ),
    (.byebyeIgnored, tv + "timeline: [{at: 9s, leave: tv}]\nexpect: [{lost: tv}]"),
    (
      .byebyeRenews,
      tv("quirks: [locationInByebye]") + "timeline: [{at: 9s, leave: tv}]\nexpect: [{lost: tv}]"
    ),
    (.dedupByUSNOnly, tv("quirks: [otherLocationUnderUSN]") + "expect: [{never: {changed: any}}]"),
    (.defaultLeaseMissing, tv("quirks: [noCacheControl]") + "expect: [{found: tv}]"),
    (
      .evictsHeld,
      """
      engine: {limits: {entries-total: 9}}
      inhabitants: {tv: {kind: root-device}, flood: {kind: flooder, appear: 2s}}
      timeline: [{at: 1s, hold: tv}]
      expect: [{never: {lost: tv}}]
      """
    ),
    (
      .exactVersionOnly,
      tv("quirks: [echoesOwnVersion], device-type: \"urn:a:device:b:2\"")
        + "timeline: [{at: 1s, search: {target: \"urn:a:device:b:1\"}}]\nexpect: [{service: {}}]"
    ),
    (.expiryIgnoresMaxAge, tv("quirks: [maxAge(9), noRenewal]") + "expect: [{lost: tv}]"),
    (.expiryOnFirstMessage, tv("quirks: [maxAge(30)]") + "expect: [{never: {lost: tv}}]"),
    (
      .familyIsTwoDevices,
      "network: {segments: {lan: {ipv6: true}}}\n" + tv + "expect: [{found: tv, times: 1}]"
    ),
    (
      .foreignByebyeAccepted,
      "inhabitants: {tv: {kind: root-device}, foe: {kind: byebye-spoofer, victims: [tv]}}\nexpect: [{never: {lost: tv}}]"
    ),
    (
      .interfaceDownIgnored,
      tv + "faults: [{at: 9s, interface-down: {who: engine}}]\nexpect: [{lost: tv}]"
    ),
    (.joinFailureSilent, "engine: {refuses-joins: true}\nexpect: [{failed: any}]"),
    (
      .locationChangeIgnored,
      tv + "timeline: [{at: 9s, relocate: {who: tv, port: 9}}]\nexpect: [{changed: tv}]"
    ),
    (
      .locationChangeIsLostFound,
      tv + "timeline: [{at: 9s, relocate: {who: tv, port: 9}}]\nexpect: [{never: {lost: tv}}]"
    ),
    (
      .maxAgeOverflows,
      "duration: 6h\n" + tv("quirks: [maxAge(86400), noRenewal]") + "expect: [{never: {lost: tv}}]"
    ),
    (.mxUnchecked, "timeline: [{at: 0s, search: {mx: 9s}}]\nexpect: [{failed: any}]"),
    (.neverExpires, tv("quirks: [maxAge(9), noRenewal]") + "expect: [{lost: tv}]"),
    (.nextBootIDIgnored, tv + "timeline: [{at: 9s, update: tv}]\nexpect: [{changed: tv, what: boot-id}]"),
    (
      .noBounds,
      "engine: {limits: {entries-total: 9}}\ninhabitants: {flood: {kind: flooder}}\n"
        + "expect: [{always: {entries-at-most: 9}}]"
    ),
    (.perInterfaceDedupMissing, "engine: {interfaces: [{}, {}]}\n" + tv + "expect: [{found: tv, times: 1}]"),
    (
      .quickReturnIgnored,
      tv + "timeline: [{at: 5s, leave: tv}, {at: 9s, appear: tv}]\nexpect: [{found: tv, times: 2}]"
    ),
    (.requiresLocationOnByebye, tv + "timeline: [{at: 9s, leave: tv}]\nexpect: [{lost: tv}]"),
    (.requiresServer, tv("quirks: [noServer]") + "expect: [{found: tv}]"),
    (.searchEndsEarly, "timeline: [{at: 0s, search: {}}]\nexpect: [{search-ended: {}, at: 9100ms}]"),
    (.searchNeverEnds, "timeline: [{at: 0s, search: {}}]\nexpect: [{search-ended: {}}]"),
    (.searchSentOnce, "timeline: [{at: 0s, search: {}}]\nexpect: [{search-ended: {}, at: 9100ms}]"),
    (
      .searchPortIgnored,
      tv("searchport: 49500") + "timeline: [{at: 1s, search: {host: tv}}]\nexpect: [{service: {}}]"
    ),
    (
      .sendFailureSilent,
      "engine: {refuses-multicast-sends: true}\ntimeline: [{at: 0s, search: {}}]\nexpect: [{failed: any}]"
    ),
    (
      .socketNotMatched,
      tv("quirks: [answersToPort1900]") + "timeline: [{at: 1s, search: {}}]\nexpect: [{never: {service: {}}}]"
    ),
    (
      .substringTarget,
      tv("quirks: [opaqueTarget(ab), substringMatch]")
        + "timeline: [{at: 1s, search: {target: a}}]\nexpect: [{never: {service: {}}}]"
    ),
    (
      .tombstoneBlocksNewBootID,
      tv + "timeline: [{at: 9s, move: {who: tv, to: 192.168.1.9}}]\nexpect: [{found: tv, times: 2}]"
    ),
    (
      .tombstoneMissing,
      tv("quirks: [lateAliveAfterByebye]") + "timeline: [{at: 9s, leave: tv}]\nexpect: [{found: tv, times: 1}]"
    ),
    (.updateIgnored, tv + "timeline: [{at: 9s, update: tv}]\nexpect: [{changed: tv, what: boot-id}]"),
  ]
}
