/// A fault that can be planted into the engine, to prove that a scenario would notice it.
///
/// Off by default and never of use to an application. Each is built in where the real rule stands.
package enum EngineSwitch: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  // Identity
  /// Leases are told apart by USN alone, not by (USN, NT): types that share a bare USN push each other out (D23, D25).
  case dedupByUSNOnly
  /// Every UUID at one address is a part of the first one heard there (D51).
  case rootByAddress
  /// A device is reported found again on every interface that hears it.
  case perInterfaceDedupMissing
  /// A device is reported found again over the other address family (D60, H-DUAL-STACK).
  case familyIsTwoDevices

  // Leases
  /// Every lease lasts 1800 s, whatever max-age says (UDA-1.2.2-CP-EXPIRE).
  case expiryIgnoresMaxAge
  /// A lease runs from the first message on; later ones do not renew it.
  case expiryOnFirstMessage
  /// No lease ever ends (D53).
  case neverExpires
  /// max-age is kept in 16 bits (H-CP-MAXAGE).
  case maxAgeOverflows
  /// A message without CACHE-CONTROL is refused (D22).
  case defaultLeaseMissing
  /// Only the upnp:rootdevice message renews; a valid service message keeps nothing (UDA-1.2.2-CP-ANYALIVE).
  case partKeepsNothing
  /// A device is lost with the address family and interface that it is told by, though it is heard by others (D60).
  case familyEndsDevice

  // byebye
  /// byebye does nothing.
  case byebyeIgnored
  /// byebye ends every device at the address it came from (D51).
  case byebyeEndsNeighbour
  /// A byebye that carries CACHE-CONTROL renews like an alive (D38).
  case byebyeRenews
  /// A byebye without LOCATION is refused (D72).
  case requiresLocationOnByebye
  /// Anybody's byebye ends anybody's device (D81).
  case foreignByebyeAccepted
  /// A late alive brings a device back right after its byebye (D58, A5).
  case tombstoneMissing
  /// After a byebye not even a new BOOTID brings a device back at once.
  case tombstoneBlocksNewBootID
  /// A device that said byebye is not found again within 10 s (A2).
  case quickReturnIgnored

  // BOOTID, update
  /// BOOTID is not looked at (UDA-1.2.4-BOOT-DIFF).
  case bootIDIgnored
  /// An update does not record NEXTBOOTID, so the next alive looks like a reboot (UDA-1.2.4-UPD-CP).
  case nextBootIDIgnored
  /// A late message of the boot before counts as another reboot.
  case staleBootIDAccepted
  /// ssdp:update is dropped whole.
  case updateIgnored
  /// Anybody's update moves anybody's device to another BOOTID (D82).
  case foreignUpdateAccepted

  // LOCATION
  /// A new LOCATION of a known device goes unnoticed (D59).
  case locationChangeIgnored
  /// A new LOCATION is told as lost and found.
  case locationChangeIsLostFound

  // Search
  /// A target matches whatever it is a part of: `Foo:1` takes `Foo:10` (D34).
  case substringTarget
  /// `:2` is no answer to a search for `:1` (D73).
  case exactVersionOnly
  /// A search ends MX after its first copy (A21).
  case searchEndsEarly
  /// A search is sent once, whatever was asked.
  case searchSentOnce
  /// A search does not end by itself.
  case searchNeverEnds
  /// A response without an open search makes a device (H-CP-UNSOLICITED).
  case acceptsUnsolicited
  /// A response is taken by every open search, whichever socket it came to (D66).
  case socketNotMatched
  /// A unicast search goes to 1900, whatever SEARCHPORT was announced (UDA-1.2.2-CP-SEARCHPORT).
  case searchPortIgnored
  /// MX is sent as asked, outside of 1...5 too.
  case mxUnchecked
  /// alive and responses without SERVER are refused (D36).
  case requiresServer
  /// Of a datagram the first 1024 bytes are read, and nothing behind them (D09).
  case readsOneKilobyte

  // Bounds and the host
  /// Eviction takes devices that the application holds (H-CP-CACHE).
  case evictsHeld
  /// No limit holds (D77).
  case noBounds
  /// An interface that goes down, or comes to another network, ends nothing.
  case interfaceDownIgnored
  /// Nobody hears of a datagram that could not be sent (A4).
  case sendFailureSilent
  /// Nobody hears of a group that could not be joined (A4).
  case joinFailureSilent

  // Descriptions
  /// What comes with any status is taken for the description.
  case descriptionStatusIgnored
  /// What came before the connection ended too early is taken for the description.
  case descriptionCutAccepted
  /// A description may have any size.
  case descriptionUnbounded
  /// A fetch may take any time.
  case descriptionPatienceMissing
  /// A description that was fetched once is not fetched again, whatever the device says.
  case descriptionNotAgain
  /// Any number of descriptions is fetched at a time, from one host as well.
  case descriptionsAllAtOnce
  /// Redirects are not followed.
  case redirectsIgnored
  /// A redirect is followed wherever it leads (H-CP-SSRF).
  case redirectsUnchecked

  // Bluetooth
  /// A peripheral that falls silent is never lost (CB-30).
  case peripheralsNeverLost
  /// Silence is counted from the packet with which a peripheral was found.
  case silenceFromFirstPacket
  /// A peripheral is reported found with each packet (CB-14).
  case peripheralFoundAgain
  /// What a scan response says is not taken (CB-16).
  case scanResponsesIgnored
  /// A peripheral that says something new is not reported as changed.
  case peripheralChangesIgnored
  /// What cannot be connected to is not found.
  case beaconsIgnored
  /// Advertising data with a fault in it is dropped whole (AD-1 ... AD-11).
  case faultyAdvertisingRefused
  /// A public address and a random one with the same bits are one peripheral.
  case addressKindIgnored
  /// A radio that is switched off loses nothing (CB-05).
  case radioOffIgnored
  /// Peripherals without any of the services that are looked for are found as well.
  case unsoughtPeripheralsFound
  /// Nobody hears that Bluetooth cannot be used.
  case bluetoothFailureSilent

  // Connections
  /// A request that is not answered is waited for without an end.
  case answersAwaitedForEver
  /// Writes without response are sent though there is no room for them (CB-58).
  case writeRoomIgnored
  /// Indications are not confirmed, so a server sends no second one.
  case indicationsNotConfirmed
  /// Parts are cut for the MTU that nobody agreed on (CB-59).
  case mtuIgnored
  /// What was discovered stays, though the server says that it changed (CB-61).
  case oldServicesKept
  /// An attempt to connect ends after 10 s (CB-33).
  case connectGivesUp
  /// A request to connect that was not heard is reported as a failure.
  case unestablishedReported
  /// A connected peripheral is lost when it does not advertise.
  case connectedLostBySilence
  /// A value ends where its first part ends.
  case longValuesCut
  /// Of services and characteristics only the first answer is taken (CB-54).
  case firstAnswerOnly
  /// Nobody hears of a connection that ended by itself (CB-37).
  case silentDisconnect

  // Services
  /// The cache-flush bit ends nothing: what a record replaced stays until its TTL is over (MD-43).
  case serviceFlushIgnored
  /// A record with TTL 0 ends nothing (MD-42).
  case serviceGoodbyeIgnored
  /// No record of multicast DNS ever ends by its TTL (MD-41).
  case recordsNeverExpire
  /// What is known is not asked for again before its TTL is over (MD-41).
  case recordsNotRefreshed
  /// Names of services in another letter case are other names (MD-49).
  case serviceCaseMatters
  /// A service that says something else of itself is not reported as changed.
  case serviceTextIgnored
  /// A service that moves to another address, host or port is not reported as changed.
  case serviceChangesIgnored
  /// What is said on any interface counts as said on the first one (MD-47).
  case serviceInterfacesMixed
  /// Queries of others that nobody answers raise no doubt (MD-46).
  case unansweredQueriesIgnored
  /// A service that could not be reached is not asked for again (MD-45).
  case failureHintsIgnored
  /// A question about services is asked once, whether it is answered or not.
  case servicesAskedOnce
  /// A browse for a subtype finds all services of the type.
  case subtypesIgnored
  /// Types that are listed are not browsed for it (RFC 6763 §9).
  case typeListIgnored
  /// A service is reported found again on every interface that hears it (MD-47).
  case serviceFoundPerInterface

  // Manager
  /// Two devices on one address are one for the application, whatever they offer.
  case addressIsEnough
  /// Devices that were taken for one stay one.
  case mergedForEver
  /// One capability of a filter suffices.
  case oneCapabilitySuffices
  /// All filters have to be met.
  case allFiltersNeeded
  /// What a device has to offer beside the type that it is found by is not looked at.
  case requirementsIgnored
  /// The application is told of a device before its description is there.
  case toldBeforeDescribed
  /// A device of which nothing is left is told as updated.
  case lastServiceKept
  /// A device that suits the application no more is not told as lost.
  case unsuitableKept
  /// The manager searches once.
  case managerSearchesOnce
  /// A device that comes back gets another id.
  case idsForgotten
  /// What is different in a description that is fetched again is not looked at.
  case oldDescriptionKept
  /// The UUIDs of embedded devices count for nothing.
  case embeddedIgnored
  /// Two devices of one name at one address stay two.
  case mergesNothing
  /// A device whose description cannot be had is not told.
  case undescribedHidden
  /// A description that could not be had for a while is not asked for again.
  case descriptionsGivenUp
  /// The application is told what comes and goes while the manager is stopped.
  case toldInBackground
  /// A device is known by the first type alone by which it was found.
  case firstTypeOnly
  /// Under other filters every device is lost, and found again if it suits.
  case filtersStartOver
  /// A device that suits nobody is told as lost when it changes, though it was not found.
  case unfoundLost

  /// What a device says of another one is not looked at, whatever rules the application has.
  case identityRulesIgnored
  /// What a device says of one of two that are not one joins it to the first.
  case ambiguousIdentityTaken
  /// A device whose description has another UDN than its UUID has what is in there once more (UDA-1.2.2-USN-UDN).
  case udnIsAnotherDevice
  /// Devices of one name are one for the application, wherever they are and whatever they offer.
  case nameIsEnough
  /// What has one name, one address and one service is a device of its own for the application, and no more than that.
  case serviceIsDevice
  /// A description that could not be had is asked for with each search that the device answers, whatever was wrong with it (D49).
  case descriptionAskedWithEachAnswer
  /// An application that is started anew knows nothing of what its store keeps.
  case memoryNotLoaded
  /// What users typed to pair devices is not kept for the next launch.
  case keysNotKept
  /// A device that was only found is kept as one that was connected.
  case foundIsConnected
  /// Nobody hears that the store of devices failed.
  case storeFailureSilent
  /// What the user wants to be forgotten stays in the store.
  case removeAllIgnored

  // Connections to devices, pairing, apps
  /// A device is ready though its user has not agreed.
  case readyUnpaired
  /// What the user typed is right, whatever the device says.
  case wrongKeyTaken
  /// The user has any time to type what a device shows.
  case typingAwaitedForEver
  /// A connection goes on though the device is gone.
  case connectionOutlivesDevice
  /// A session is joined though the device says that it is over.
  case goneSessionJoined
  /// A device has any time to answer a request about an app.
  case appAnswersAwaitedForEver
  /// The user is asked to agree though the application wants no pairing.
  case pairsUnasked
  /// A device stays ready though the connection to one of its services has ended.
  case linkLossIgnored
  /// What a user typed, or a service gave when its user agreed, is not kept: the user is asked each time (A26).
  case keysForgotten
  /// What a web app says is not told.
  case webAppsUnheard
  /// That a web app which was joined runs no more is not told.
  case webAppEndsUnnoticed

  /// Its place in an `EngineSwitches`.
  var bit: UInt128 { 1 &<< UInt128(ordinal) }

  // A payload-less enum of fewer than 256 cases is one byte that counts its cases; a test holds it to that.
  var ordinal: UInt8 { unsafeBitCast(self, to: UInt8.self) }
}

/// A set of planted faults that iterates in the order of their declaration.
///
/// They are built in by the trait `PlantedFaults`, for this project's own tools and tests. Without it no fault is ever on,
/// which the compiler knows.
package struct EngineSwitches: Hashable, Sendable, BitwiseCopyable, ExpressibleByArrayLiteral {
  private var bits: UInt128 = 0

  package init() {}
  package init(_ switches: some Sequence<EngineSwitch>) { for one in switches { insert(one) } }
  package init(arrayLiteral elements: EngineSwitch...) { self.init(elements) }

  #if PlantedFaults
    package static let areBuiltIn = true
    package var isEmpty: Bool { bits == 0 }
    @inline(__always) package func contains(_ one: EngineSwitch) -> Bool { bits & one.bit != 0 }
  #else
    package static let areBuiltIn = false
    package var isEmpty: Bool { true }
    @inline(__always) package func contains(_ one: EngineSwitch) -> Bool { false }
  #endif

  /// What a person is told who asks for a fault of a build without them.
  package static let missing =
    "plants faults into the engine, and this build has none: the trait PlantedFaults of the package Rollcall is off"
  /// Whether any is asked for, built in or not.
  package var namesAny: Bool { bits != 0 }
  package mutating func insert(_ one: EngineSwitch) { bits |= one.bit }
  /// All that are on, in the order of their declaration.
  package var all: [EngineSwitch] { EngineSwitch.allCases.filter(contains) }
}

extension EngineSwitches {
  /// Those that are about fetching descriptions.
  package var ofDescriptions: DescriptionFaults {
    let all: [(EngineSwitch, DescriptionFaults)] = [
      (.descriptionStatusIgnored, .statusIgnored), (.descriptionCutAccepted, .cutAccepted),
      (.descriptionUnbounded, .unbounded), (.descriptionPatienceMissing, .patienceMissing),
      (.descriptionNotAgain, .notAgain), (.descriptionsAllAtOnce, .allAtOnce),
      (.redirectsIgnored, .redirectsIgnored), (.redirectsUnchecked, .redirectsUnchecked),
    ]
    return faults(all)
  }

  /// Those that are on, as a part of the engine knows them.
  private func faults<Faults: OptionSet>(_ all: [(EngineSwitch, Faults)]) -> Faults where Faults.Element == Faults {
    all.reduce(into: []) { faults, row in if contains(row.0) { faults.insert(row.1) } }
  }

  /// Those that are about connections.
  package var ofConnections: CentralFaults {
    let all: [(EngineSwitch, CentralFaults)] = [
      (.answersAwaitedForEver, .waitsForAnswersForEver), (.writeRoomIgnored, .roomIgnored),
      (.indicationsNotConfirmed, .indicationsNotConfirmed), (.mtuIgnored, .mtuIgnored),
      (.oldServicesKept, .keepsOldServices), (.connectGivesUp, .givesUpConnecting),
      (.unestablishedReported, .reportsUnestablished), (.connectedLostBySilence, .losesConnected),
      (.longValuesCut, .longValuesCut), (.firstAnswerOnly, .firstPartOnly), (.silentDisconnect, .silentDisconnect),
    ]
    return faults(all)
  }

  /// Those that are about services.
  package var ofServices: ServiceFaults {
    let all: [(EngineSwitch, ServiceFaults)] = [
      (.serviceFlushIgnored, .flushIgnored),
      (.serviceGoodbyeIgnored, .goodbyeIgnored),
      (.recordsNeverExpire, .neverExpires),
      (.recordsNotRefreshed, .notRefreshed),
      (.serviceCaseMatters, .caseMatters),
      (.serviceTextIgnored, .textIgnored),
      (.serviceChangesIgnored, .changesIgnored),
      (.serviceInterfacesMixed, .interfacesMixed),
      (.unansweredQueriesIgnored, .unansweredIgnored),
      (.failureHintsIgnored, .hintsIgnored),
      (.servicesAskedOnce, .askedOnce),
      (.subtypesIgnored, .subtypesIgnored),
      (.typeListIgnored, .listIgnored),
      (.serviceFoundPerInterface, .foundPerInterface),
      (.interfaceDownIgnored, .interfaceDownIgnored),
    ]
    return faults(all)
  }

  /// Those that are about devices for the application.
  package var ofManager: ManagerFaults {
    let all: [(EngineSwitch, ManagerFaults)] = [
      (.addressIsEnough, .addressIsEnough), (.mergedForEver, .neverSplits),
      (.oneCapabilitySuffices, .oneCapabilitySuffices), (.allFiltersNeeded, .allFiltersNeeded),
      (.requirementsIgnored, .requirementsIgnored), (.toldBeforeDescribed, .toldBeforeDescribed),
      (.lastServiceKept, .lastServiceKept), (.unsuitableKept, .unsuitableKept),
      (.managerSearchesOnce, .searchesOnce), (.idsForgotten, .idsNotRemembered),
      (.oldDescriptionKept, .oldDescriptionKept), (.embeddedIgnored, .embeddedIgnored),
      (.mergesNothing, .mergesNothing), (.undescribedHidden, .undescribedHidden),
      (.toldInBackground, .toldInBackground), (.descriptionsGivenUp, .neverRetries),
      (.firstTypeOnly, .firstTypeOnly), (.filtersStartOver, .filtersStartOver), (.unfoundLost, .unfoundLost),
      (.identityRulesIgnored, .identityRulesIgnored), (.ambiguousIdentityTaken, .ambiguousIdentityTaken),
      (.udnIsAnotherDevice, .udnIsAnotherDevice), (.nameIsEnough, .nameIsEnough),
      (.serviceIsDevice, .serviceIsDevice), (.descriptionAskedWithEachAnswer, .retriesWithEachAnswer),
      (.memoryNotLoaded, .memoryNotLoaded), (.keysNotKept, .keysNotKept), (.foundIsConnected, .foundIsConnected),
      (.storeFailureSilent, .storeFailureSilent), (.removeAllIgnored, .removeAllIgnored),
    ]
    return faults(all)
  }

  /// Those that are about connections to devices.
  package var ofDeviceConnections: ConnectionFaults {
    let all: [(EngineSwitch, ConnectionFaults)] = [
      (.readyUnpaired, .readyUnpaired), (.wrongKeyTaken, .wrongKeyTaken),
      (.typingAwaitedForEver, .typingAwaitedForEver), (.connectionOutlivesDevice, .outlivesDevice),
      (.goneSessionJoined, .goneSessionJoined), (.appAnswersAwaitedForEver, .waitsForEver),
      (.pairsUnasked, .pairsUnasked), (.linkLossIgnored, .linkLossIgnored), (.keysForgotten, .keysForgotten),
      (.webAppsUnheard, .webAppsUnheard), (.webAppEndsUnnoticed, .webAppEndsUnnoticed),
    ]
    return faults(all)
  }

  /// Those that are about finding peripherals.
  package var ofBluetooth: BluetoothFaults {
    let all: [(EngineSwitch, BluetoothFaults)] = [
      (.peripheralsNeverLost, .neverLost), (.silenceFromFirstPacket, .silenceFromFirstPacket),
      (.peripheralFoundAgain, .foundWithEachPacket), (.scanResponsesIgnored, .responsesIgnored),
      (.peripheralChangesIgnored, .changesIgnored), (.beaconsIgnored, .beaconsIgnored),
      (.faultyAdvertisingRefused, .faultyDataRefused), (.addressKindIgnored, .addressKindIgnored),
      (.radioOffIgnored, .radioOffIgnored), (.unsoughtPeripheralsFound, .unsoughtFound),
      (.bluetoothFailureSilent, .failureSilent),
    ]
    return faults(all)
  }
}
