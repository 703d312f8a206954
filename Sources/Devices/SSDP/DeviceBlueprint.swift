import RollcallPrimitives
import RollcallWire

/// Everything that devices of one kind share: what they announce, how their messages look, when they send them.
///
/// Made once for each kind, however many devices are built after it: quirks are applied here and nowhere else.
package final class DeviceBlueprint: Sendable {
  package let description: DeviceDescription
  package let quirks: [Quirk]
  package let set: AdvertSet
  package let timing: DeviceTiming
  package let behaviour: DeviceBehaviour
  package let descriptionHabits: DescriptionHabits
  /// Whether devices of this kind serve their descriptions over streams.
  let servesDescriptions: Bool
  /// Kinds of datagrams that are something to it; see `DatagramKinds.announcement` and what follows it.
  let heardKinds: DatagramKinds
  /// What it sends: by kind, then by advert, and then the answers to a search that nothing matches.
  private let messages: MessageForms
  let searchKeys: [SearchKey]
  /// Adverts in the order in which a set is sent.
  let order: [UInt8]
  /// Owner of each advert, and its own version for ST.
  let owners: [UInt8]
  let versions: [UInt32]
  /// The adverts about UUIDs.
  let uuidAdverts: [UInt8]
  /// Bit `n`: advert `n` is sent in a set.
  let announced: UInt64
  /// Whether its update messages say what comes next; without NEXTBOOTID there is nothing to update (D43).
  let sendsUpdates: Bool
  /// Which of its messages answers a search that nothing matches, where a quirk gives one.
  let strangeForm: Int?
  let errorForm: Int?

  package init(_ description: DeviceDescription, quirks: [Quirk] = [], servesDescriptions: Bool = false) {
    let description = description.altered(by: quirks)
    var set = AdvertSet(description)
    var timing = description.timing
    var behaviour = DeviceBehaviour()
    var descriptionHabits = DescriptionHabits()
    for quirk in quirks {
      quirk.alter(&set)
      quirk.alter(&timing)
      quirk.alter(&behaviour)
      quirk.alter(&descriptionHabits)
    }
    self.description = description
    self.quirks = quirks
    self.set = set
    self.timing = timing
    self.behaviour = behaviour
    self.descriptionHabits = descriptionHabits
    self.servesDescriptions = servesDescriptions
    var drafts = DeviceMessageKind.allCases.flatMap { kind in
      set.adverts.map { DeviceBlueprint.draft(kind, $0, of: description, quirks) }
    }
    strangeForm = behaviour.habits.contains(.answersEverySearch) ? drafts.count : nil
    if strangeForm != nil { drafts.append(Self.strangeDraft(set.adverts[0], of: description, quirks)) }
    errorForm = behaviour.habits.contains(.errorAnswers) ? drafts.count : nil
    if errorForm != nil { drafts.append(Self.errorDraft(set.adverts[0], of: description, quirks)) }
    messages = MessageForms(drafts)
    searchKeys = set.adverts.enumerated().compactMap { index, advert in
      advert.isSearchable && advert.kind != .uuid ? SearchKey(advert, index: index) : nil
    }
    order = set.order.map { UInt8($0) }
    owners = set.adverts.map { UInt8(clamping: $0.owner) }
    versions = set.adverts.map(\.versionNumber)
    uuidAdverts = set.adverts.indices.filter { set.adverts[$0].kind == .uuid }.map { UInt8($0) }
    heardKinds = DatagramKinds(keys: searchKeys, behaviour.habits)
    announced = set.order.reduce(0) { $0 | 1 << UInt64($1) }
    sendsUpdates = Self.draft(.update, set.adverts[0], of: description, quirks).has("NEXTBOOTID.UPNP.ORG")
  }

  /// The message before it is compiled, quirks applied: what the bytes are made of.
  package static func draft(
    _ kind: DeviceMessageKind, _ advert: Advert, of description: DeviceDescription, _ quirks: [Quirk]
  ) -> MessageDraft {
    var draft = MessageDraft(kind, advert, of: description)
    for quirk in quirks { quirk.edit(&draft) }
    return draft
  }

  package func draft(_ kind: DeviceMessageKind, _ advert: Advert) -> MessageDraft {
    DeviceBlueprint.draft(kind, advert, of: description, quirks)
  }

  /// Which of its messages that is.
  func form(_ kind: DeviceMessageKind, _ advert: Int) -> Int { kind.rawValue &* owners.count &+ advert }

  /// Writes one of its messages as a payload, held once; `echo` is for answers to a search that nothing matches.
  @inline(never)
  func write(_ form: Int, to store: PayloadStore, _ fill: MessageFill, echo: [UInt8] = []) -> Payload {
    messages.write(form, to: store, fill, echo: echo)
  }

  /// One message as bytes.
  package func bytes(_ kind: DeviceMessageKind, advert: Int, _ fill: MessageFill) -> [UInt8] {
    let store = PayloadStore()
    return store.array(of: write(form(kind, advert), to: store, fill))
  }

  private static func strangeDraft(
    _ root: Advert, of description: DeviceDescription, _ quirks: [Quirk]
  ) -> MessageDraft {
    var draft = Self.draft(.response, root, of: description, quirks)
    draft.set("ST", [.hole(.echo)])
    draft.set("USN", [.text("uuid:"), .hole(.uuid), .text("::"), .hole(.echo)])
    return draft
  }

  private static func errorDraft(_ root: Advert, of description: DeviceDescription, _ quirks: [Quirk]) -> MessageDraft {
    var draft = Self.draft(.response, root, of: description, quirks)
    draft.startLine = "HTTP/1.1 404 Not Found"
    draft.fields = [MessageDraft.Field("EXT", ""), MessageDraft.Field("SERVER", description.serverText)]
    return draft
  }

  /// The seconds that a lease runs, for renewals: at least one, so that no lease makes a storm of them.
  var leaseSeconds: Int64 { min(max(description.maxAgeSeconds, 1), 1 << 31) }

  /// The UUID of a part of a device, whose root has `root`.
  @inline(__always)
  func uuid(of owner: Int, root: DeviceUUID) -> DeviceUUID { owner == 0 ? root : embeddedUUID(owner, root: root) }

  @inline(never)
  private func embeddedUUID(_ owner: Int, root: DeviceUUID) -> DeviceUUID {
    guard owner <= description.embedded.count else { return root }
    return description.embedded[owner - 1].uuid ?? root.derived(UInt64(owner))
  }
}

/// What a search asks for among the adverts of one device.
package struct SearchMatch: Hashable, Sendable {
  /// Bit `n`: advert `n` answers.
  package var adverts: UInt64 = 0
  /// The version that ST has to repeat; 0: the device's own.
  package var version: UInt32 = 0
}

extension DeviceBlueprint {
  /// The adverts that answer `target`, which is ST of a search (UDA-1.3.3-ST-ALL and the rows below it).
  package func match(_ target: UnsafeRawBufferPointer, root: DeviceUUID) -> SearchMatch {
    if DeviceBlueprint.equals(target, "ssdp:all") { return SearchMatch(adverts: announced) }
    if SearchKey.isUUID(target) { return matchUUID(target, root: root) }
    if behaviour.habits.contains(.substringMatch) { return matchBeginning(target) }
    var match = SearchMatch()
    if let end = SearchKey.stemEnd(target) {
      let stem = UnsafeRawBufferPointer(rebasing: target[..<end])
      var version: UInt64 = 0
      for digit in target[(end &+ 1)...] { version = version &* 10 &+ UInt64(digit &- 48) }
      let asked = UInt32(clamping: version)
      let hash = Digest.hash(stem)
      for key in searchKeys where key.version > 0 && key.hash == hash {
        guard key.isSame(stem) else { continue }
        let isHigher = version > UInt64(key.version)
        guard asked > 0, !isHigher || behaviour.habits.contains(.answersHigherVersion) else { continue }
        match.adverts |= 1 &<< UInt64(key.advert)
        match.version = behaviour.habits.contains(.echoesOwnVersion) ? 0 : asked
      }
      if match.adverts != 0 { return match }
    }
    let hash = Digest.hash(target)
    for key in searchKeys where key.version == 0 && key.hash == hash && key.isSame(target) {
      match.adverts |= 1 &<< UInt64(key.advert)
    }
    return match
  }

  /// UDA-1.3.3-ST-UUID: the exact UUID, of the root or of an embedded device.
  private func matchUUID(_ target: UnsafeRawBufferPointer, root: DeviceUUID) -> SearchMatch {
    var match = SearchMatch()
    let asked = UnsafeRawBufferPointer(rebasing: target[USN.schemeByteCount...])
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DeviceUUID.textByteCountMaximum) { room in
      guard let base = room.baseAddress else { return }
      for advert in uuidAdverts {
        let own = uuid(of: Int(owners[Int(advert)]), root: root)
        // Most searches ask for somebody else: the first digit tells.
        if description.uuidStyle != .serialNumber, DeviceUUID.value(ofHexDigit: asked[0]) != own.firstDigit {
          continue
        }
        let count = own.write(description.uuidStyle, to: base)
        if USN.areEqualUUIDs(asked, UnsafeRawBufferPointer(start: base, count: count)) {
          match.adverts |= 1 &<< UInt64(advert)
        }
      }
    }
    return match
  }

  /// The mistake of D34: `…Foo:1` is taken to ask for `…Foo:10`, and `urn:` for everything.
  private func matchBeginning(_ target: UnsafeRawBufferPointer) -> SearchMatch {
    var match = SearchMatch()
    for key in searchKeys {
      let advert = set.adverts[Int(key.advert)]
      let text = Array((advert.version.map { "\(advert.stem):\($0)" } ?? advert.stem).utf8)
      if text.starts(with: target) { match.adverts |= 1 &<< UInt64(key.advert) }
    }
    return match
  }

  /// Whether the bytes are this text, which has at least eight; a word at a time, the last one over the one before.
  static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    let last = text.utf8CodeUnitCount &- 8
    guard bytes.count &- 8 == last else { return false }
    precondition(last >= 0, "shorter texts have no whole word")
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: bytes.count)
    func isSame(_ offset: Int) -> Bool {
      bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        == text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    var offset = 0
    while offset < last {
      guard isSame(offset) else { return false }
      offset &+= 8
    }
    return isSame(last)
  }
}
