import RollcallConformance
import RollcallPrimitives
import RollcallWire

extension Said {
  static let location = "http://192.168.1.10:49152/description.xml"

  /// The description of the device of the talks, with a service, and a number that goes with its messages.
  static func document(
    name: String = "Lamp", type: String = type, udn: String = "uuid:" + uuid, configID: UInt32? = 1,
    services: [String] = [service], embedded: [DescriptionDocument.Device] = [], base: String? = nil
  ) -> DescriptionDocument {
    var document = DescriptionDocument(
      major: 2, minor: 0, configID: configID,
      root: device(name: name, type: type, udn: udn, services: services, embedded: embedded))
    document.urlBase = base
    return document
  }

  static func device(
    name: String = "Part", type: String, udn: String, services: [String] = [],
    embedded: [DescriptionDocument.Device] = []
  ) -> DescriptionDocument.Device {
    DescriptionDocument.Device(
      type: type, friendlyName: name, manufacturer: "Maker", modelName: "Model", udn: udn,
      services: services.enumerated().map { number, type in
        DescriptionDocument.Service(type: type, number: number, below: "/service/")
      }, embedded: embedded)
  }

  /// Somebody has the whole document, ten milliseconds after it was asked for.
  static func fetched(_ document: DescriptionDocument, at: Interval, from location: String = location) -> Said {
    fetched(document.bytes, at: at, from: location)
  }

  static func fetched(_ bytes: [UInt8], at: Interval, from location: String = location) -> Said {
    var said = Said(text: "")
    said.at = at
    said.described = HeardDescription(location: location, askedAt: .zero, body: bytes)
    return said
  }
}

extension BehaviourFixture {
  /// A set before a document and a set behind it.
  private static func around(_ document: DescriptionDocument) -> [Said] {
    Said.sets(at: .zero) + [.fetched(document, at: .seconds(5))] + Said.sets(at: .seconds(20))
  }

  private static let part = Said.device(
    type: "urn:schemas-upnp-org:device:MediaServer:1", udn: "uuid:" + Said.otherUUID, services: [Said.service])

  static let descriptions: [BehaviourFixture] = [
    BehaviourFixture(
      clause: "UDA-1.2.2-USN-UDN", isComplete: false, holds: around(Said.document()),
      breaks: around(Said.document(udn: "uuid:" + Said.otherUUID))),
    BehaviourFixture(
      clause: "UDA-1.2.2-USN-OWNER", isComplete: false, holds: around(Said.document()),
      breaks: around(Said.document(services: [], embedded: [part]))),
    BehaviourFixture(
      clause: "UDA-1.2.2-SVC-PERDEV",
      holds: Said.sets(at: .zero) + [.fetched(Said.document(), at: .seconds(5)), .silence(until: .seconds(100))],
      breaks: Said.sets(at: .zero, without: [Said.service])
        + [.fetched(Said.document(), at: .seconds(5)), .silence(until: .seconds(100))]),
    BehaviourFixture(
      clause: "UDA-1.2.2-CFG-CHANGE", isComplete: false, holds: around(Said.document()),
      breaks: around(Said.document()) + [.fetched(Said.document(name: "Lantern"), at: .seconds(25))]
        + Said.sets(at: .seconds(40))),
    BehaviourFixture(
      clause: "UDA-2.3-URLBASE", isComplete: false, holds: around(Said.document()),
      breaks: around(Said.document(base: "http://192.168.1.10:49152/"))),
    BehaviourFixture(
      clause: "H-URLBASE", isComplete: false, holds: around(Said.document(base: "http://192.168.1.10")),
      breaks: around(Said.document(base: "http://192.168.1.99:49152/")), givens: ["UDA-2.3-URLBASE"]),
  ]
}
