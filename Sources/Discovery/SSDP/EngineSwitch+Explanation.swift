/// What each planted fault does, for the person who chooses one.
extension EngineSwitch {
  /// One sentence, with the deviations and clauses that the real rule is there for; a test holds that each has one.
  package var explanation: String { EngineSwitch.explanations[rawValue] ?? "" }

  private static let explanations = [
    "dedupByUSNOnly":
      "Leases are told apart by USN alone, not by (USN, NT): types with one bare USN push each other out (D23, D25).",
    "rootByAddress": "Every UUID at one address is a part of the first one heard there (D51).",
    "perInterfaceDedupMissing": "A device is reported found again on every interface that hears it.",
    "familyIsTwoDevices": "A device is reported found again over the other address family (D60, H-DUAL-STACK).",
    "expiryIgnoresMaxAge": "Every lease lasts 1800 s, whatever max-age says (UDA-1.2.2-CP-EXPIRE).",
    "expiryOnFirstMessage": "A lease runs from the first message on; later ones do not renew it.",
    "neverExpires": "No lease ever ends (D53).",
    "maxAgeOverflows": "max-age is kept in 16 bits (H-CP-MAXAGE).",
    "defaultLeaseMissing": "A message without CACHE-CONTROL is refused (D22).",
    "partKeepsNothing":
      "Only the upnp:rootdevice message renews; a valid service message keeps nothing (UDA-1.2.2-CP-ANYALIVE).",
    "byebyeIgnored": "byebye does nothing.",
    "byebyeEndsNeighbour": "byebye ends every device at the address it came from (D51).",
    "byebyeRenews": "A byebye that carries CACHE-CONTROL renews like an alive (D38).",
    "requiresLocationOnByebye": "A byebye without LOCATION is refused (D72).",
    "foreignByebyeAccepted": "Anybody's byebye ends anybody's device (D81).",
    "tombstoneMissing": "A late alive brings a device back right after its byebye (D58, A5).",
    "tombstoneBlocksNewBootID": "After a byebye not even a new BOOTID brings a device back at once.",
    "quickReturnIgnored": "A device that said byebye is not found again within 10 s (A2).",
    "bootIDIgnored": "BOOTID is not looked at (UDA-1.2.4-BOOT-DIFF).",
    "nextBootIDIgnored":
      "An update does not record NEXTBOOTID, so the next alive looks like a reboot (UDA-1.2.4-UPD-CP).",
    "staleBootIDAccepted": "A late message of the boot before counts as another reboot.",
    "updateIgnored": "ssdp:update is dropped whole.",
    "foreignUpdateAccepted": "Anybody's update moves anybody's device to another BOOTID (D82).",
    "locationChangeIgnored": "A new LOCATION of a known device goes unnoticed (D59).",
    "locationChangeIsLostFound": "A new LOCATION is told as lost and found.",
    "substringTarget": "A target matches whatever it is a part of: Foo:1 takes Foo:10 (D34).",
    "exactVersionOnly": ":2 is no answer to a search for :1 (D73).",
    "searchEndsEarly": "A search ends MX after its first copy (A21).",
    "searchSentOnce": "A search is sent once, whatever was asked.",
    "searchNeverEnds": "A search does not end by itself.",
    "acceptsUnsolicited": "A response without an open search makes a device (H-CP-UNSOLICITED).",
    "socketNotMatched": "A response is taken by every open search, whichever socket it came to (D66).",
    "searchPortIgnored": "A unicast search goes to 1900, whatever SEARCHPORT was announced (UDA-1.2.2-CP-SEARCHPORT).",
    "mxUnchecked": "MX is sent as asked, outside of 1...5 too.",
    "requiresServer": "alive and responses without SERVER are refused (D36).",
    "evictsHeld": "Eviction takes devices that the application holds (H-CP-CACHE).",
    "noBounds": "No limit holds (D77).",
    "interfaceDownIgnored": "An interface that goes down ends nothing.",
    "sendFailureSilent": "Nobody hears of a datagram that could not be sent (A4).",
    "joinFailureSilent": "Nobody hears of a group that could not be joined (A4).",
    "descriptionStatusIgnored": "What comes with any status is taken for the description.",
    "descriptionCutAccepted": "What came before the connection ended too early is taken for the description.",
    "descriptionUnbounded": "A description may have any size.",
    "descriptionPatienceMissing": "A fetch may take any time.",
    "descriptionNotAgain": "A description that was fetched once is not fetched again, whatever the device says.",
    "descriptionsAllAtOnce": "Any number of descriptions is fetched at a time, from one host as well.",
    "redirectsIgnored": "Redirects are not followed.",
    "redirectsUnchecked": "A redirect is followed wherever it leads (H-CP-SSRF).",
  ]
}
