import RollcallWire

extension FuzzTarget {
  /// A description: what strict accepts lenient reads as the same value without a flaw, and what strict refuses it
  /// refuses or has as a flaw. It holds no more than its limits. Written and read again it is the same, but for names
  /// that are cut, and written once more it is the same in any case; its URLs resolve without a trap.
  static let description = FuzzTarget(name: "description", dictionary: words + xmlWords, seeds: seeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    for input in [bytes] + cuts(of: bytes).map({ Array(bytes[..<$0]) }) { try check(input) }
  }

  private typealias Reading = DescriptionReader.Reading

  private static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let (strict, lenient) = (read(bytes, .strict), read(bytes, .lenient))
    switch (strict, lenient) {
    case (.success(let value), _):
      try expect(value.flaws.isEmpty && value.flawCount == 0, "strict has flaws")
      try expect(lenient == strict, "lenient makes another description of it: \(lenient)")
    case (.failure(let fault), .success(let value)):
      let isKnown = value.flaws.contains(fault) || XMLProperties.isDeclaredLate(bytes)
      try expect(isKnown, "strict: \(fault), lenient: \(value.flaws)")
    case (.failure(let fault), .failure(let other)):
      try XMLProperties.checkPlace(fault.place, in: bytes)
      try XMLProperties.checkPlace(other.place, in: bytes)
    }
    var small = DescriptionReader.Limits()
    (small.devices, small.nesting, small.services, small.icons, small.extensions) = (2, 2, 1, 1, 1)
    small.valueBytes = 48
    if case .success(let value) = read(bytes, .lenient, small) { try checkSize(value.document) }
    if case .success(let value) = lenient { try check(value, of: bytes) }
  }

  private static func read(
    _ bytes: [UInt8], _ mode: XMLMode, _ limits: DescriptionReader.Limits = .init()
  ) -> Result<Reading, DescriptionFault> {
    do throws(DescriptionFault) {
      return .success(try DescriptionReader.read(bytes, mode: mode, limits: limits))
    } catch {
      return .failure(error)
    }
  }

  private static func check(_ reading: Reading, of bytes: [UInt8]) throws(FuzzFinding) {
    for flaw in reading.flaws { try XMLProperties.checkPlace(flaw.place, in: bytes) }
    let offsets = reading.flaws.map(\.place.offset)
    try expect(offsets == offsets.sorted(), "flaws do not rise: \(offsets)")
    try expect(reading.flaws.count <= 2 * XMLReader.flawsMaximum, "\(reading.flaws.count) flaws")
    try expect(reading.flawCount >= reading.flaws.count, "\(reading.flawCount) flaws of \(reading.flaws.count)")
    let once = try again(reading.document)
    let twice = try again(once)
    try expect(once == twice, "written twice, it is another: \(once), \(twice)")
    if !all(reading.document.root).contains(where: isCut) {
      try expect(once == reading.document, "written, it is another: \(once), not \(reading.document)")
    }
    for device in all(reading.document.root) {
      for url in [device.modelURL ?? "", device.presentationURL ?? ""] + device.services.map(\.controlPath) {
        let resolved = reading.document.resolved(url, location: "http://10.0.0.1:80/d.xml")
        try expect((resolved == nil) == url.isEmpty, "\(url) leads to \(resolved ?? "nothing")")
      }
    }
  }

  private static func again(_ document: DescriptionDocument) throws(FuzzFinding) -> DescriptionDocument {
    switch read(document.bytes, .lenient) {
    case .success(let reading):
      let xml = reading.flaws.filter { if case .xml = $0.reason { true } else { false } }
      try expect(xml.isEmpty, "written, it is no good XML: \(xml)")
      return reading.document
    case .failure(let fault):
      throw FuzzFinding("written, it is refused: \(fault): \(String(decoding: document.bytes, as: UTF8.self))")
    }
  }

  private static func all(_ device: DescriptionDocument.Device) -> [DescriptionDocument.Device] {
    [device] + device.embedded.flatMap(all)
  }

  private static func isCut(_ device: DescriptionDocument.Device) -> Bool {
    device.friendlyName.count > 63 || device.manufacturer.count > 63 || device.modelName.count > 31
  }

  private static func checkSize(_ document: DescriptionDocument) throws(FuzzFinding) {
    let devices = all(document.root)
    try expect(devices.count <= 2 && devices.reduce(0) { $0 + $1.services.count } <= 1, "too many devices or services")
    try expect(devices.reduce(0) { $0 + $1.icons.count } <= 1, "too many icons")
    let extensions = devices.flatMap(\.extensions) + document.extensions
    try expect(extensions.count <= 1 && extensions.allSatisfy { $0.text.utf8.count <= 48 }, "too many extensions")
    for device in devices {
      let texts =
        [device.type, device.friendlyName, device.manufacturer, device.modelName, device.udn, device.upc ?? ""]
        + device.services.flatMap { [$0.type, $0.id, $0.descriptionPath, $0.controlPath, $0.eventPath] }
      try expect(texts.allSatisfy { $0.utf8.count <= 48 }, "a long text")
    }
  }

  // MARK: Words

  private static let words =
    [
      "root", "specVersion", "major", "minor", "URLBase", "device", "deviceType", "friendlyName", "manufacturer",
      "manufacturerURL", "modelDescription", "modelName", "modelNumber", "modelURL", "serialNumber", "UDN", "UPC",
      "iconList",
      "icon", "mimetype", "width", "height", "depth", "url", "serviceList", "service", "serviceType", "serviceId",
      "SCPDURL",
      "controlURL", "eventSubURL", "deviceList", "presentationURL",
    ].flatMap { ["<\($0)>", "</\($0)>"] } + [
      "<root xmlns='urn:schemas-upnp-org:device-1-0'>", " xmlns='urn:schemas-upnp-org:device-1-0'", " configId='7'",
      " configID='", "<X_a>", "</X_a>", "<p:x xmlns:p='v'>", "</p:x>", "urn:a:device:B:1", "urn:a:service:B:1",
      "urn:a:serviceId:B",
      "uuid:00000000-0000-0000-0000-000000000001", "image/png", "48", "http://h:1/", "../", "?", "<device>",
      "</device>",
    ]

  private static let seeds: [[UInt8]] = {
    func device(_ inside: String) -> String {
      "<device><deviceType>urn:a:device:B:1</deviceType><friendlyName>f</friendlyName><manufacturer>m</manufacturer>"
        + "<modelName>n</modelName><UDN>uuid:00000000-0000-0000-0000-000000000001</UDN>\(inside)</device>"
    }
    func root(_ inside: String, _ minor: Int = 1) -> String {
      "<root xmlns='urn:schemas-upnp-org:device-1-0' configId='7'><specVersion><major>1</major><minor>\(minor)</minor>"
        + "</specVersion>\(inside)</root>"
    }
    let lists =
      "<iconList><icon><mimetype>image/png</mimetype><width>1</width><height>2</height><depth>3</depth><url>/u</url></icon>"
      + "</iconList><serviceList><service><serviceType>urn:a:service:B:1</serviceType><serviceId>urn:a:serviceId:B</serviceId>"
      + "<SCPDURL>/s</SCPDURL><controlURL>c</controlURL><eventSubURL/></service></serviceList>"
    return [
      root(device("")), root(device(lists + "<presentationURL>/p</presentationURL><UPC>1</UPC><X_a>b</X_a>")),
      root("<URLBase>http://h:1/b/</URLBase>" + device("<deviceList>" + device(lists) + "</deviceList>"), 0),
      root(device("<p:x xmlns:p='v'>a<b>c</b></p:x><etc/><modelURL>/m</modelURL>")),
      "<root><device><friendlyName>a&b</friendlyName><q:x>1</q:x></device></root>x",
      "x<p:Root xmlns:p='urn:schemas-upnp-org:device-1-0'><p:DEVICE/></p:Root>", "<root><device/></root>", "<scpd/>",
    ].map { Array($0.utf8) }
  }()
}
