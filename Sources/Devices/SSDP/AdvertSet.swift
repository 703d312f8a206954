/// One message of an advertisement set: what NT says, and whose it is.
package struct Advert: Hashable, Sendable {
  package enum Kind: UInt8, Hashable, Sendable { case rootDevice, uuid, device, service, opaque }

  package var kind: Kind
  /// 0 for the root device, from 1 for the embedded devices.
  package var owner: Int
  /// NT without `:` and version; the whole of NT where there is no version; empty for a UUID.
  package var stem: String
  /// The version as it is printed; `nil` where NT has none.
  package var version: String?
  /// What follows `::` in the USN, where that is not NT.
  var usnTarget: String?
  /// The path of LOCATION, where it is not that of the root.
  package var path: String?
  /// Whether searches are compared with it.
  var isSearchable = true

  package init(_ kind: Kind, owner: Int, stem: String = "", version: String? = nil) {
    (self.kind, self.owner, self.stem, self.version) = (kind, owner, stem, version)
  }

  /// Splits a device or service type at its last colon.
  init(_ kind: Kind, owner: Int, type: String) {
    guard let colon = type.lastIndex(of: ":"), !type[type.index(after: colon)...].isEmpty else {
      self.init(kind, owner: owner, stem: type)
      return
    }
    self.init(kind, owner: owner, stem: String(type[..<colon]), version: String(type[type.index(after: colon)...]))
  }

  /// The number behind the stem that searches are compared with; 0: only the very same text matches.
  var versionNumber: UInt32 {
    // It begins with none of `+`, `-` and `0`, which a number in Swift may begin with.
    guard let version, let first = version.utf8.first, first > 48 else { return 0 }
    return UInt32(version) ?? 0
  }
}

/// The advertisement set of a device: 3 + 2d + k messages (UDA-1.2.2-ROOT3, UDA-1.2.2-EMB2, UDA-1.2.2-SVC1).
package struct AdvertSet: Hashable, Sendable {
  /// Every message once.
  package var adverts: [Advert]
  /// Indices into `adverts` in the order in which a set is sent.
  package var order: [Int]

  package init(_ description: DeviceDescription) {
    adverts = [Advert(.rootDevice, owner: 0, stem: "upnp:rootdevice")]
    for (owner, part) in ([description.root] + description.embedded).enumerated() {
      adverts.append(Advert(.uuid, owner: owner))
      adverts.append(Advert(.device, owner: owner, type: part.type))
      var announced: [String] = []
      for service in part.services where !announced.contains(service) {
        announced.append(service)
        adverts.append(Advert(.service, owner: owner, type: service))
      }
    }
    adverts = Array(adverts.prefix(DeviceDescription.advertCountMaximum))
    order = Array(adverts.indices)
  }

  mutating func append(_ advert: Advert) {
    guard adverts.count < DeviceDescription.advertCountMaximum else { return }
    order.append(adverts.count)
    adverts.append(advert)
  }
}
