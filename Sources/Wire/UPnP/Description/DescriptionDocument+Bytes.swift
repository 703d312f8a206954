// A description as bytes.
extension DescriptionDocument {
  /// The document as UTF-8; elements in the order in which UDA has them.
  public var bytes: [UInt8] {
    var xml = XMLText()
    xml.openDocument(
      "root", namespace: DescriptionDocument.namespace, major: major, minor: minor, configID: configID)
    xml.element("URLBase", ifPresent: urlBase)
    write(root, &xml)
    write(extensions, &xml)
    xml.close("root")
    return Array(xml.text.utf8)
  }

  private func write(_ device: Device, _ xml: inout XMLText) {
    xml.open("device")
    xml.element("deviceType", device.type)
    // UDA asks for less than 64, 64 and 32 characters.
    xml.element("friendlyName", String(device.friendlyName.prefix(63)))
    xml.element("manufacturer", String(device.manufacturer.prefix(63)))
    xml.element("manufacturerURL", ifPresent: device.manufacturerURL)
    xml.element("modelDescription", ifPresent: device.modelDescription)
    xml.element("modelName", String(device.modelName.prefix(31)))
    xml.element("modelNumber", ifPresent: device.modelNumber)
    xml.element("modelURL", ifPresent: device.modelURL)
    xml.element("serialNumber", ifPresent: device.serialNumber)
    xml.element("UDN", device.udn)
    xml.element("UPC", ifPresent: device.upc)
    write(device.icons, &xml)
    if !device.services.isEmpty {
      xml.open("serviceList")
      for service in device.services {
        xml.open("service")
        xml.element("serviceType", service.type)
        xml.element("serviceId", service.id)
        xml.element("SCPDURL", service.descriptionPath)
        xml.element("controlURL", service.controlPath)
        xml.element("eventSubURL", service.eventPath)
        xml.close("service")
      }
      xml.close("serviceList")
    }
    if !device.embedded.isEmpty {
      xml.open("deviceList")
      for part in device.embedded { write(part, &xml) }
      xml.close("deviceList")
    }
    xml.element("presentationURL", ifPresent: device.presentationURL)
    write(device.extensions, &xml)
    xml.close("device")
  }

  private func write(_ icons: [Icon], _ xml: inout XMLText) {
    if icons.isEmpty { return }
    xml.open("iconList")
    for icon in icons {
      xml.open("icon")
      xml.element("mimetype", icon.mimeType)
      xml.element("width", ifPresent: icon.width.map { "\($0)" })
      xml.element("height", ifPresent: icon.height.map { "\($0)" })
      xml.element("depth", ifPresent: icon.depth.map { "\($0)" })
      xml.element("url", icon.url)
      xml.close("icon")
    }
    xml.close("iconList")
  }

  private func write(_ extensions: [Extension], _ xml: inout XMLText) {
    for one in extensions {
      switch one.namespace {
      case DescriptionDocument.namespace: xml.element(one.name, one.text)
      // No declaration may name it.
      case XMLReader.Namespace.xmlName: xml.element("xml:" + one.name, one.text)
      default: xml.element(one.name, one.text, attributes: " xmlns=\"\(XMLText.escaped(one.namespace))\"")
      }
    }
  }
}

// Where its URLs lead.
extension DescriptionDocument {
  /// What relative URLs are relative to: URLBase where there is one that leads somewhere, else the URL that the
  /// description came from (UDA 1.0, section 2.1).
  public func base(location: String) -> String {
    if let urlBase, case .url = LocationURL.check(urlBase) { return urlBase }
    return location
  }

  /// The absolute URL that a URL of this description means; `nil` for an empty one. It is not judged: whoever fetches
  /// asks `LocationURL` and `LocationScope` first.
  /// - Parameter location: the absolute URL that the description came from.
  public func resolved(_ reference: String, location: String) -> String? {
    reference.isEmpty ? nil : URLReference.resolve(reference, against: base(location: location))
  }
}
