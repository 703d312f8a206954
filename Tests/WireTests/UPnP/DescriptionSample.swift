import Foundation
import RollcallWire

/// A description with all that UDA has, and what is made of it.
enum DescriptionSample {
  static let text = """
    <?xml version="1.0"?>
    <root xmlns="urn:schemas-upnp-org:device-1-0" xmlns:x="urn:x" configId="7">
    <specVersion><major>1</major><minor>1</minor></specVersion>
    <device>
    <deviceType>urn:schemas-upnp-org:device:Basic:1</deviceType>
    <friendlyName> A &amp; B </friendlyName>
    <manufacturer>M</manufacturer>
    <manufacturerURL>http://m/</manufacturerURL>
    <modelDescription>D</modelDescription>
    <modelName>N</modelName>
    <modelNumber>1.0</modelNumber>
    <modelURL>/model</modelURL>
    <serialNumber>S</serialNumber>
    <UDN>uuid:00000000-0000-0000-0000-000000000001</UDN>
    <UPC>123456789012</UPC>
    <iconList>
    <icon><mimetype>image/png</mimetype><width>48</width><height>32</height><depth>24</depth><url>/i.png</url></icon>
    </iconList>
    <serviceList>
    <service>
    <serviceType>urn:schemas-upnp-org:service:A:1</serviceType>
    <serviceId>urn:upnp-org:serviceId:A</serviceId>
    <SCPDURL>/a.xml</SCPDURL>
    <controlURL>/a/c</controlURL>
    <eventSubURL></eventSubURL>
    </service>
    </serviceList>
    <deviceList>
    <device>
    <deviceType>urn:x-org:device:E:2</deviceType>
    <friendlyName>E</friendlyName>
    <manufacturer>M</manufacturer>
    <modelName>N</modelName>
    <UDN>uuid:00000000-0000-0000-0000-00000000000f</UDN>
    </device>
    </deviceList>
    <presentationURL>/p</presentationURL>
    <x:cap>a<x:b>c</x:b> d</x:cap>
    <X_own/>
    </device>
    <x:more>1</x:more>
    </root>
    """

  static var document: DescriptionDocument {
    typealias Document = DescriptionDocument
    var root = Document.Device(
      type: "urn:schemas-upnp-org:device:Basic:1", friendlyName: "A & B", manufacturer: "M", modelName: "N",
      udn: "uuid:00000000-0000-0000-0000-000000000001",
      services: [
        .init(
          type: "urn:schemas-upnp-org:service:A:1", id: "urn:upnp-org:serviceId:A", descriptionPath: "/a.xml",
          controlPath: "/a/c", eventPath: "")
      ],
      embedded: [
        .init(
          type: "urn:x-org:device:E:2", friendlyName: "E", manufacturer: "M", modelName: "N",
          udn: "uuid:00000000-0000-0000-0000-00000000000f")
      ])
    (root.manufacturerURL, root.modelDescription, root.modelNumber) = ("http://m/", "D", "1.0")
    (root.modelURL, root.serialNumber, root.upc, root.presentationURL) = ("/model", "S", "123456789012", "/p")
    root.icons = [.init(mimeType: "image/png", width: 48, height: 32, depth: 24, url: "/i.png")]
    root.extensions = [own("urn:x", "cap", "a c d"), own(Document.namespace, "X_own", "")]
    var document = Document(major: 1, minor: 1, configID: 7, root: root)
    document.extensions = [own("urn:x", "more", "1")]
    return document
  }

  static func own(_ namespace: String, _ name: String, _ text: String) -> DescriptionDocument.Extension {
    guard let one = DescriptionDocument.Extension(namespace: namespace, name: name, text: text) else {
      preconditionFailure("an extension")
    }
    return one
  }

  /// The text with one piece, which it has, in place of another.
  static func text(_ piece: String, _ other: String) -> String {
    guard let range = text.range(of: piece) else { preconditionFailure("no \(piece)") }
    return text.replacingCharacters(in: range, with: other)
  }
}

/// What a reader made of a description.
struct DescriptionOutcome: Equatable {
  var document: DescriptionDocument?
  /// `reason@` and the first characters of what stands there.
  var flaws: [String] = []
  var fault: String?

  init(document: DescriptionDocument?, flaws: [String] = [], fault: String? = nil) {
    (self.document, self.flaws, self.fault) = (document, flaws, fault)
  }

  init(_ text: String, _ mode: XMLMode, _ limits: DescriptionReader.Limits = .init()) {
    let bytes = Array(text.utf8)
    func shown(_ fault: DescriptionFault) -> String {
      let rest = String(decoding: bytes[min(fault.place.offset, bytes.count)...].prefix(24), as: UTF8.self)
      return "\(fault.reason.rawValue)@" + rest.prefix { $0 != ">" && $0 != "\n" && $0 != "=" }
    }
    do throws(DescriptionFault) {
      let reading = try DescriptionReader.read(bytes, mode: mode, limits: limits)
      (document, flaws) = (reading.document, reading.flaws.map(shown))
    } catch {
      fault = shown(error)
    }
  }
}
