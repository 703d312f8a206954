import RollcallPrimitives

// The elements of UDA, each with what it holds.
extension DescriptionParser {
  mutating func read(_ xml: inout XMLReader) throws(DescriptionFault) -> DescriptionReader.Reading {
    // The first event is the start tag of the root, or a fault.
    _ = try next(&xml)
    let start = xml.current.tagStart
    try checkRoot(&xml)
    let config = try configID(&xml)
    var context = Context(
      element: .root, allowed: [.specVersion, .urlBase, .device], required: [.specVersion],
      keepsExtensions: true, start: start)
    var version = (major: 1, minor: 0)
    var base: (text: String, start: Int)?
    var root: DescriptionDocument.Device?
    while let child = try nextChild(&xml, &context) {
      switch child {
      case .specVersion: version = try specVersion(&xml)
      case .urlBase: base = try value(&xml, child)
      default: root = try device(&xml, nesting: 1)
      }
    }
    let end = xml.current.tagStart
    guard let root else {
      throw fault(.noDevice, &xml, at: end, expected: "“device” in “root”", found: "none")
    }
    _ = try next(&xml)
    var document = DescriptionDocument(
      major: version.major, minor: version.minor, configID: config.value, root: root)
    (document.urlBase, document.extensions) = (base?.text, context.extensions)
    try checkVersioned(&xml, document, base: base?.start, config: config, start: start)
    // Both kinds rise, but for what was found at the end.
    let all = xml.flaws.map { DescriptionFault($0) } + flaws
    let order = all.indices.sorted { (all[$0].place.offset, $0) < (all[$1].place.offset, $1) }
    return DescriptionReader.Reading(
      document: document, flaws: order.map { all[$0] }, flawCount: xml.flawCount + flawCount)
  }

  private mutating func checkRoot(_ xml: inout XMLReader) throws(DescriptionFault) {
    let tag = xml.current
    let name = xml.name
    guard DescriptionElement.namedInAnyCase(xml.bytes, tag.colon &+ 1, tag.end) == .root else {
      throw fault(
        .notADescription, &xml, at: tag.tagStart, expected: "the element “root”",
        found: "“\(PlainText.shown(name.local))”")
    }
    namespace = tag.namespace
    if !isUPnP(xml, namespace) {
      try allowLeniently(
        .namespace, &xml, at: tag.tagStart, expected: "“root” of “\(DescriptionDocument.namespace)”",
        found: name.namespace.isEmpty ? "no namespace" : "“\(PlainText.shown(name.namespace))”")
    }
    if name.local != "root" {
      try allowLeniently(.elementCase, &xml, at: tag.tagStart, expected: "“root”", found: "“\(name.local)”")
    }
  }

  /// The attribute of the root, by whatever name, and whether there is one.
  private mutating func configID(
    _ xml: inout XMLReader
  ) throws(DescriptionFault) -> (value: UInt32?, isThere: Bool) {
    var config: (value: UInt32?, isThere: Bool) = (nil, false)
    for index in xml.slots.indices where !xml.slots[index].isDeclaration {
      let slot = xml.slots[index]
      let name = xml.string(slot.colon &+ 1, slot.end)
      let hasNamespace = slot.namespace != XMLReader.Namespace.none
      guard name.utf8.count == 8, name.lowercased() == "configid", !config.isThere else {
        if hasNamespace { continue }
        try allowLeniently(
          .unknownAttribute, &xml, at: slot.start, expected: "“configId” or no attribute",
          found: "“\(PlainText.shown(name))”")
        continue
      }
      if name != "configId" || hasNamespace {
        try allowLeniently(
          .configIDName, &xml, at: slot.start, expected: "“configId” without a prefix",
          found: "“\(xml.string(slot.start, slot.end))”")
      }
      let text = xml.value(slot)
      config = (DescriptionParser.number(text, maximum: Int(Int32.max)).map { UInt32($0) }, true)
      if config.value == nil {
        try allowLeniently(
          .configID, &xml, at: slot.start, expected: "a number below 2147483648",
          found: "“\(PlainText.shown(String(text.prefix(32))))”")
      }
    }
    return config
  }

  /// What depends on the version, which may stand behind it.
  private mutating func checkVersioned(
    _ xml: inout XMLReader, _ document: DescriptionDocument, base: Int?, config: (value: UInt32?, isThere: Bool),
    start: Int
  ) throws(DescriptionFault) {
    let is10 = document.major == 1 && document.minor == 0
    if !is10, !config.isThere {
      try allowLeniently(.configID, &xml, at: start, expected: "“configId” from UPnP 1.1 on", found: "none")
    }
    if let base, let text = document.urlBase {
      if !is10 {
        try allowLeniently(
          .urlBaseForbidden, &xml, at: base, expected: "no “URLBase” from UPnP 1.1 on", found: "one")
      }
      if case .refused = LocationURL.check(text) {
        try allowLeniently(
          .urlBase, &xml, at: base, expected: "an absolute URL", found: "“\(PlainText.shown(String(text.prefix(64))))”")
      }
    }
    for odd in oddUDNs where !is10 {
      try allowLeniently(
        .badUDN, &xml, at: odd.offset, expected: "“uuid:” and a UUID",
        found: "“\(PlainText.shown(String(odd.text.prefix(64))))”")
    }
  }

  private mutating func specVersion(_ xml: inout XMLReader) throws(DescriptionFault) -> (major: Int, minor: Int) {
    var context = Context(
      element: .specVersion, allowed: [.major, .minor], required: [.major, .minor], start: xml.current.tagStart)
    var parts: [Int?] = [1, 0]
    while let child = try nextChild(&xml, &context) {
      let (text, start) = try value(&xml, child)
      let number = DescriptionParser.number(text, maximum: 99)
      parts[child == .major ? 0 : 1] = number
      if number == nil {
        try allowLeniently(
          .version, &xml, at: start, expected: "a number in “\(child.text)”",
          found: "“\(PlainText.shown(String(text.prefix(32))))”")
      }
    }
    guard let major = parts[0], let minor = parts[1] else { return (1, 0) }
    if !(major == 1 && minor <= 1 || major == 2 && minor == 0) {
      try allowLeniently(
        .version, &xml, at: context.start, expected: "1.0, 1.1 or 2.0", found: "\(major).\(minor)")
    }
    return (major, minor)
  }

  // MARK: Devices

  private mutating func device(
    _ xml: inout XMLReader, nesting: Int
  ) throws(DescriptionFault) -> DescriptionDocument.Device {
    let start = xml.current.tagStart
    try count(&deviceCount, limits.devices, .tooManyDevices, &xml, "devices")
    guard nesting <= limits.nesting else {
      throw fault(
        .tooDeeplyEmbedded, &xml, at: start, expected: "at most \(limits.nesting) devices in each other",
        found: "one more")
    }
    var context = Context(
      element: .device,
      allowed: [
        .deviceType, .friendlyName, .manufacturer, .manufacturerURL, .modelDescription, .modelName, .modelNumber,
        .modelURL, .serialNumber, .udn, .upc, .iconList, .serviceList, .deviceList, .presentationURL,
      ],
      required: [.deviceType, .friendlyName, .manufacturer, .modelName, .udn], keepsExtensions: true, start: start)
    var device = DescriptionDocument.Device(type: "", friendlyName: "", manufacturer: "", modelName: "", udn: "")
    while let child = try nextChild(&xml, &context) {
      switch child {
      case .deviceType: device.type = try type(&xml, child, "device")
      case .friendlyName: device.friendlyName = try required(&xml, child).text
      case .manufacturer: device.manufacturer = try required(&xml, child).text
      case .modelName: device.modelName = try required(&xml, child).text
      case .udn: device.udn = try udn(&xml)
      case .manufacturerURL: device.manufacturerURL = try url(&xml, child)
      case .modelDescription: device.modelDescription = try value(&xml, child).text
      case .modelNumber: device.modelNumber = try value(&xml, child).text
      case .modelURL: device.modelURL = try url(&xml, child)
      case .serialNumber: device.serialNumber = try value(&xml, child).text
      case .upc: device.upc = try value(&xml, child).text
      case .presentationURL: device.presentationURL = try url(&xml, child)
      case .iconList: device.icons = try icons(&xml)
      case .serviceList: device.services = try services(&xml)
      default: device.embedded = try devices(&xml, nesting: nesting + 1)
      }
    }
    device.extensions = context.extensions
    return device
  }

  private mutating func devices(
    _ xml: inout XMLReader, nesting: Int
  ) throws(DescriptionFault) -> [DescriptionDocument.Device] {
    var list = listContext(&xml, .deviceList, of: .device)
    var devices: [DescriptionDocument.Device] = []
    while try nextChild(&xml, &list) != nil { devices.append(try device(&xml, nesting: nesting)) }
    try checkList(&xml, list, isEmpty: devices.isEmpty)
    return devices
  }

  private mutating func icons(_ xml: inout XMLReader) throws(DescriptionFault) -> [DescriptionDocument.Icon] {
    var list = listContext(&xml, .iconList, of: .icon)
    var icons: [DescriptionDocument.Icon] = []
    while try nextChild(&xml, &list) != nil {
      try count(&iconCount, limits.icons, .tooManyIcons, &xml, "icons")
      let parts: Elements = [.mimetype, .width, .height, .depth, .url]
      var context = Context(element: .icon, allowed: parts, required: parts, start: xml.current.tagStart)
      var icon = DescriptionDocument.Icon(mimeType: "", width: nil, height: nil, depth: nil, url: "")
      while let child = try nextChild(&xml, &context) {
        switch child {
        case .mimetype: icon.mimeType = try mimeType(&xml)
        case .width: icon.width = try size(&xml, child)
        case .height: icon.height = try size(&xml, child)
        case .depth: icon.depth = try size(&xml, child)
        default: icon.url = try url(&xml, child, isRequired: true)
        }
      }
      icons.append(icon)
    }
    try checkList(&xml, list, isEmpty: icons.isEmpty)
    return icons
  }

  private mutating func services(_ xml: inout XMLReader) throws(DescriptionFault) -> [DescriptionDocument.Service] {
    var list = listContext(&xml, .serviceList, of: .service)
    var services: [DescriptionDocument.Service] = []
    while try nextChild(&xml, &list) != nil {
      try count(&serviceCount, limits.services, .tooManyServices, &xml, "services")
      let parts: Elements = [.serviceType, .serviceID, .scpdURL, .controlURL, .eventSubURL]
      var context = Context(element: .service, allowed: parts, required: parts, start: xml.current.tagStart)
      var service = DescriptionDocument.Service(
        type: "", id: "", descriptionPath: "", controlPath: "", eventPath: "")
      while let child = try nextChild(&xml, &context) {
        switch child {
        case .serviceType: service.type = try type(&xml, child, "service")
        case .serviceID: service.id = try serviceID(&xml)
        case .scpdURL: service.descriptionPath = try url(&xml, child, isRequired: true)
        case .controlURL: service.controlPath = try url(&xml, child, isRequired: true)
        // A service without events has an empty one (UDA 2.0, section 2.3).
        default: service.eventPath = try url(&xml, child)
        }
      }
      services.append(service)
    }
    try checkList(&xml, list, isEmpty: services.isEmpty)
    return services
  }

  private func listContext(
    _ xml: inout XMLReader, _ list: DescriptionElement, of entry: DescriptionElement
  ) -> Context {
    var entries: Elements = []
    entries.insert(entry)
    return Context(element: list, allowed: entries, required: [], many: entries, start: xml.current.tagStart)
  }

  private mutating func checkList(_ xml: inout XMLReader, _ list: Context, isEmpty: Bool) throws(DescriptionFault) {
    guard isEmpty else { return }
    try allowLeniently(
      .emptyList, &xml, at: list.start, expected: "an entry in “\(list.element.text)”", found: "none")
  }

  private func count(
    _ count: inout Int, _ maximum: Int, _ rule: DescriptionFault.Rule, _ xml: inout XMLReader, _ what: String
  ) throws(DescriptionFault) {
    count += 1
    guard count <= maximum else {
      throw fault(rule, &xml, at: xml.current.tagStart, expected: "at most \(maximum) \(what)", found: "one more")
    }
  }
}
