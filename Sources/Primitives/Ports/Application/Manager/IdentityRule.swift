/// A rule of the application: where a device says which other device it is one thing with.
///
/// A device that is heard by its radio has no address of the network, and the other way round; makers put the one into what
/// they say by the other. Only the application knows where, and what it means there.
public struct IdentityRule: Hashable, Sendable {
  public enum Source: Hashable, Sendable {
    /// Data of Bluetooth under the number of a company; bytes are counted behind that number.
    case manufacturerData(company: UInt16)
    /// Data of Bluetooth under the UUID of a service; bytes are counted behind that.
    case serviceData(BluetoothUUID)
    /// The value of a key of the text of a service of multicast DNS.
    case text(key: String)
  }

  /// What stands there. The raw value is what stands in scenarios.
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// The UUID that the other device has in its USN or description.
    case uuid
    /// The address at which the other device is heard.
    case ipv4
    case ipv6
    /// The Bluetooth address of the other device, as people write it: the highest byte first.
    case bluetooth

    /// In data.
    public var byteCount: Int {
      switch self {
      case .uuid, .ipv6: 16
      case .ipv4: 4
      case .bluetooth: 6
      }
    }
  }

  public var source: Source
  public var form: Form
  /// From which byte of the data on; 0 for text.
  public var offset: Int
  public init(_ source: Source, _ form: Form, at offset: Int = 0) {
    (self.source, self.form, self.offset) = (source, form, offset)
  }

  /// At most this many bytes may stand before it.
  public static let offsetMaximum = 255
  /// More rules than these are refused.
  public static let countMaximum = 16
}

extension IdentityRule {
  func write(to words: inout WordWriter) {
    switch source {
    case .manufacturerData(let company):
      words.add("manufacturer")
      words.add(company)
    case .serviceData(let service):
      words.add("service")
      words.name(service.description)
    case .text(let key):
      words.add("text")
      words.name(key)
    }
    words.add(form.rawValue)
    words.add(offset)
  }

  init(from words: inout WordReader) throws(WordError) {
    switch try words.next("manufacturer, service or text") {
    case "manufacturer": source = .manufacturerData(company: try words.number("the number of a company"))
    case "service":
      guard let service = BluetoothUUID(try words.name("the UUID of a service")) else {
        throw words.error("the UUID of a service")
      }
      source = .serviceData(service)
    case "text": source = .text(key: try words.name("a key"))
    default: throw words.error("manufacturer, service or text")
    }
    form = try words.value(Form.self, "uuid, ipv4, ipv6 or bluetooth")
    let offset: UInt8 = try words.number("from which byte on")
    self.offset = Int(offset)
  }
}
