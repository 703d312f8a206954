package import RollcallConformance
package import RollcallPrimitives

/// One message that a device announces or answers ssdp:all with.
package struct ExamAdvert: Hashable, Sendable {
  /// NT or ST.
  package var target: String
  /// The UUID of its USN, without the scheme.
  package var uuid: String
}

/// A UUID that was heard, with what it says of itself.
package struct ExamDevice: Hashable, Sendable {
  package static let countMaximum = 256
  static let advertsMaximum = 128

  package var uuid: String
  package var source: IPAddress
  package var location: String
  package var server: String?
  package var claim: Edition?
  package var hasBootID = false
  /// SEARCHPORT; `nil`: it announced none.
  package var searchPort: UInt16?
  /// −1: none that can be read.
  package var maxAgeSeconds: Int32 = -1
  package var adverts: [ExamAdvert] = []
  var firstHeard: Instant

  package var isRoot: Bool { adverts.contains { $0.target == "upnp:rootdevice" } }

  /// The version that binds it: what SERVER claims, else 1.1 for who sends BOOTID.
  var boundBy: Edition { claim ?? (hasBootID ? .uda11 : .uda10) }
}

/// Who is examined: a root device with its parts.
package struct ExamSubject: Hashable, Sendable {
  package var root: ExamDevice
  /// Embedded devices, in the order in which they were heard.
  package var parts: [ExamDevice]

  package var all: [ExamDevice] { [root] + parts }
  package var address: IPAddress { root.source }
  /// Where unicast searches are heard.
  package var searchPort: UInt16 { root.searchPort ?? 1_900 }
  package var claim: Edition { all.map(\.boundBy).max() ?? .uda10 }
  package var adverts: [ExamAdvert] { all.flatMap(\.adverts) }
  /// `uuid:…`
  package var name: String { "uuid:" + root.uuid }

  package func has(_ uuid: String) -> Bool { all.contains { ExamRoll.isSame($0.uuid, uuid) } }

  /// Types of this form, each with the UUIDs that have it, in the order in which they were heard.
  package func types(_ form: ExamTarget.Form) -> [(target: String, uuids: [String])] {
    var types: [(target: String, uuids: [String])] = []
    for advert in adverts where ExamTarget(advert.target).form == form {
      if let place = types.firstIndex(where: { $0.target == advert.target }) {
        if !types[place].uuids.contains(advert.uuid) { types[place].uuids.append(advert.uuid) }
      } else {
        types.append((advert.target, [advert.uuid]))
      }
    }
    return types
  }
}

/// Everybody who was heard, until it is known who is meant and after.
package struct ExamRoll: Sendable {
  package private(set) var devices: [ExamDevice] = []
  /// The UUID that is always kept, however many others are heard.
  private let wanted: String?

  package init(wanted: String? = nil) { self.wanted = wanted }

  /// UUIDs are one where they differ in the case of letters alone.
  package static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
  }

  package func device(_ uuid: String) -> ExamDevice? { devices.first { ExamRoll.isSame($0.uuid, uuid) } }

  /// Changes what is known of a UUID; a newcomer beyond the bound is left out.
  mutating func note(_ uuid: String, from source: IPAddress, at now: Instant, _ change: (inout ExamDevice) -> Void) {
    var place = devices.firstIndex { ExamRoll.isSame($0.uuid, uuid) }
    let isWanted = wanted.map { ExamRoll.isSame($0, uuid) } ?? false
    if place == nil, devices.count < ExamDevice.countMaximum || isWanted {
      place = devices.count
      devices.append(ExamDevice(uuid: uuid, source: source, location: "", firstHeard: now))
    }
    if let place { change(&devices[place]) }
  }

  /// Root devices with their parts; a UUID without a root message belongs to the root that shares its LOCATION, and
  /// stands for itself where there is none.
  package var subjects: [ExamSubject] {
    var subjects: [ExamSubject] = devices.filter(\.isRoot).map { ExamSubject(root: $0, parts: []) }
    for device in devices where !device.isRoot {
      let place = subjects.firstIndex {
        !device.location.isEmpty && $0.root.location == device.location && $0.address == device.source
      }
      if let place {
        subjects[place].parts.append(device)
      } else {
        subjects.append(ExamSubject(root: device, parts: []))
      }
    }
    return subjects
  }

  package func subject(_ uuid: String) -> ExamSubject? { subjects.first { $0.has(uuid) } }
}

/// NT or ST taken apart as text.
package struct ExamTarget: Hashable, Sendable {
  package enum Form: Hashable, Sendable { case all, rootDevice, uuid, device, service, opaque }
  package var form: Form
  package var text: String
  /// The type with its colon at the end, where there is a version.
  package var stem = ""
  package var version: UInt32 = 0

  package init(_ text: String) {
    self.text = text
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if text == "ssdp:all" {
      form = .all
    } else if text == "upnp:rootdevice" {
      form = .rootDevice
    } else if text.lowercased().hasPrefix("uuid:") {
      form = .uuid
    } else if parts.count == 5, parts[0] == "urn", parts[2] == "device" || parts[2] == "service",
      let version = UInt32(parts[4]), String(version) == parts[4]
    {
      form = parts[2] == "device" ? .device : .service
      stem = parts[..<4].joined(separator: ":") + ":"
      self.version = version
    } else {
      form = .opaque
    }
  }
}
