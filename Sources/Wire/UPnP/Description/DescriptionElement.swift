/// The elements of a device description (UDA 2.0, section 2.3).
enum DescriptionElement: UInt8, CaseIterable {
  case root, specVersion, major, minor, urlBase, device, deviceType, friendlyName, manufacturer, manufacturerURL
  case modelDescription, modelName, modelNumber, modelURL, serialNumber, udn, upc, iconList, icon, mimetype, width
  case height, depth, url, serviceList, service, serviceType, serviceID, scpdURL, controlURL, eventSubURL, deviceList
  case presentationURL

  var name: StaticString {
    switch self {
    case .root: "root"
    case .specVersion: "specVersion"
    case .major: "major"
    case .minor: "minor"
    case .urlBase: "URLBase"
    case .device: "device"
    case .deviceType: "deviceType"
    case .friendlyName: "friendlyName"
    case .manufacturer: "manufacturer"
    case .manufacturerURL: "manufacturerURL"
    case .modelDescription: "modelDescription"
    case .modelName: "modelName"
    case .modelNumber: "modelNumber"
    case .modelURL: "modelURL"
    case .serialNumber: "serialNumber"
    case .udn: "UDN"
    case .upc: "UPC"
    case .iconList: "iconList"
    case .icon: "icon"
    case .mimetype: "mimetype"
    case .width: "width"
    case .height: "height"
    case .depth: "depth"
    case .url: "url"
    case .serviceList: "serviceList"
    case .service: "service"
    case .serviceType: "serviceType"
    case .serviceID: "serviceId"
    case .scpdURL: "SCPDURL"
    case .controlURL: "controlURL"
    case .eventSubURL: "eventSubURL"
    case .deviceList: "deviceList"
    case .presentationURL: "presentationURL"
    }
  }

  var text: String { "\(name)" }

  /// Those whose names have so many bytes.
  @inline(__always) private static func candidates(_ count: Int) -> Elements {
    switch count {
    case 3: [.udn, .upc, .url]
    case 4: [.root, .icon]
    case 5: [.major, .minor, .width, .depth]
    case 6: [.device, .height]
    case 7: [.urlBase, .service, .scpdURL]
    case 8: [.iconList, .mimetype, .modelURL]
    case 9: [.modelName, .serviceID]
    case 10: [.deviceType, .deviceList, .controlURL]
    case 11: [.specVersion, .modelNumber, .serviceList, .serviceType, .eventSubURL]
    case 12: [.friendlyName, .manufacturer, .serialNumber]
    case 15: [.manufacturerURL, .presentationURL]
    case 16: [.modelDescription]
    default: []
    }
  }

  /// The element of a name, letter for letter.
  @inline(__always) static func named(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int)
    -> DescriptionElement?
  {
    var left = candidates(end &- start).bits
    next: while left != 0 {
      let element = DescriptionElement(rawValue: UInt8(truncatingIfNeeded: left.trailingZeroBitCount))
      left &= left &- 1
      guard let element else { return nil }
      let name = element.name.utf8Start
      for index in 0..<(end &- start) where bytes[start &+ index] != name[index] { continue next }
      return element
    }
    return nil
  }

  /// The element of a name, whatever its capitals are.
  static func namedInAnyCase(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> DescriptionElement? {
    let name = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<end])
    return allCases.first { element in
      ASCIICase.equal(
        name, UnsafeRawBufferPointer(start: element.name.utf8Start, count: element.name.utf8CodeUnitCount))
    }
  }
}

/// A set of them.
struct Elements: ExpressibleByArrayLiteral {
  var bits: UInt64

  @inline(__always) init(arrayLiteral elements: DescriptionElement...) {
    bits = 0
    for element in elements { insert(element) }
  }

  @inline(__always) mutating func insert(_ element: DescriptionElement) { bits |= 1 &<< UInt64(element.rawValue) }
  @inline(__always) func contains(_ element: DescriptionElement) -> Bool { bits &>> UInt64(element.rawValue) & 1 != 0 }

  /// In the order of their declaration.
  func without(_ others: Elements) -> [DescriptionElement] {
    DescriptionElement.allCases.filter { contains($0) && !others.contains($0) }
  }
}
