public import RollcallPrimitives

/// What a peripheral says of itself in its advertising data, put together from one buffer or from several: the
/// advertisement, its scan response, and what it changes into later are added one after the other.
public struct AdvertisedFields: Hashable, Sendable {
  /// Data under a UUID of 16, 32 or 128 bits.
  public struct ServiceData: Hashable, Sendable {
    public var service: BluetoothUUID
    public var data: [UInt8]
    public init(_ service: BluetoothUUID, _ data: [UInt8]) { (self.service, self.data) = (service, data) }
  }

  /// A structure that cannot be used as it is; the others stand.
  @frozen public struct Fault: Hashable, Sendable, BitwiseCopyable {
    public enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
      /// It says that it is longer than what is left of the buffer.
      case overrun
      /// Bytes behind the last whole UUID of a list.
      case partOfUUID
      /// Service data without a whole UUID.
      case serviceDataTooShort
      /// Manufacturer data without a whole company identifier.
      case manufacturerDataTooShort
      /// Transmit power or appearance of another size than the number has.
      case numberSize
      /// Flags without a byte.
      case noFlags
      /// A name that is not UTF-8; read with U+FFFD in it.
      case nameNotUTF8
    }
    public var reason: Reason
    /// Of the structure's length byte, from the first byte of its buffer.
    public var offset: Int
    @inlinable public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
  }

  /// The first byte; later bytes are reserved.
  public var flags: UInt8?
  /// The complete name where there is one, else the shortened one; NUL and blanks behind it are taken off.
  public var name: String?
  public var isNameShortened = false
  /// Of complete and incomplete lists, each once, in the order in which they were heard.
  public var services: [BluetoothUUID] = []
  /// Services that the peripheral looks for.
  public var solicitedServices: [BluetoothUUID] = []
  /// At most one of each service, as heard last.
  public var serviceData: [ServiceData] = []
  /// Company identifier first, lowest byte first; each field as it is, in order.
  public var manufacturerData: [[UInt8]] = []
  /// In dBm.
  public var transmitPower: Int8?
  public var appearance: UInt16?
  /// Of the buffer that was read last.
  public private(set) var faults: [Fault] = []
  /// Types of the structures of the buffer that was read last, those that are not read included.
  public private(set) var kinds: [AdvertisingStructure.Kind] = []

  public init() {}

  /// Reads one buffer.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.init()
    add(bytes)
  }

  /// At most so many services, solicited services and fields of service and of manufacturer data are kept.
  public static let countMaximum = 256

  /// Adds what another buffer says; what it says again replaces what was there.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    faults.removeAll(keepingCapacity: true)
    kinds.removeAll(keepingCapacity: true)
    var walk = AdvertisingWalk(bytes)
    var manufacturerData: [[UInt8]] = []
    var hasCompleteName = false
    while let structure = walk.next() {
      kinds.append(structure.kind)
      let data = UnsafeRawBufferPointer(rebasing: bytes[structure.data])
      switch structure.kind {
      case .flags:
        if let first = data.first { flags = first } else { note(.noFlags, structure) }
      case .incompleteServices16, .services16: list(data, 2, structure, into: \.services)
      case .incompleteServices32, .services32: list(data, 4, structure, into: \.services)
      case .incompleteServices128, .services128: list(data, 16, structure, into: \.services)
      case .solicitedServices16: list(data, 2, structure, into: \.solicitedServices)
      case .solicitedServices32: list(data, 4, structure, into: \.solicitedServices)
      case .solicitedServices128: list(data, 16, structure, into: \.solicitedServices)
      case .shortenedName:
        // A shortened name beside the complete one says nothing.
        take(name: data, isShortened: true, isWanted: !hasCompleteName && (name == nil || isNameShortened), structure)
      case .completeName:
        take(name: data, isShortened: false, isWanted: !hasCompleteName, structure)
        hasCompleteName = true
      case .transmitPower:
        if data.count == 1 { transmitPower = Int8(bitPattern: data[0]) } else { note(.numberSize, structure) }
      case .appearance:
        if data.count == 2 {
          appearance = data.little16(0)
        } else {
          note(.numberSize, structure)
        }
      case .serviceData16: service(data, 2, structure)
      case .serviceData32: service(data, 4, structure)
      case .serviceData128: service(data, 16, structure)
      case .manufacturerData:
        if data.count >= 2 {
          if manufacturerData.count < AdvertisedFields.countMaximum { manufacturerData.append(Array(data)) }
        } else {
          note(.manufacturerDataTooShort, structure)
        }
      default: break
      }
    }
    if !manufacturerData.isEmpty { self.manufacturerData = manufacturerData }
    if case .overrun(let offset) = walk.end { faults.append(Fault(.overrun, at: offset)) }
  }

  private mutating func note(_ reason: Fault.Reason, _ structure: AdvertisingStructure) {
    faults.append(Fault(reason, at: structure.offset))
  }

  /// A name without zeros and blanks behind it; bytes that are no UTF-8 are replaced (AD-10).
  public static func name(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { String(decoding: nameBytes($0), as: UTF8.self) }
  }

  private static func nameBytes(_ data: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer.SubSequence {
    data[..<(data.lastIndex { $0 != 0 && $0 != 0x20 }.map { $0 + 1 } ?? 0)]
  }

  /// A name that is not wanted has its fault all the same: faults are the buffer's, whatever was heard before.
  private mutating func take(
    name data: UnsafeRawBufferPointer, isShortened: Bool, isWanted: Bool, _ structure: AdvertisingStructure
  ) {
    let text = AdvertisedFields.nameBytes(data)
    if String(validating: text, as: UTF8.self) == nil { note(.nameNotUTF8, structure) }
    guard isWanted else { return }
    name = String(decoding: text, as: UTF8.self)
    isNameShortened = isShortened
  }

  /// Takes the whole UUIDs of a list.
  private mutating func list(
    _ data: UnsafeRawBufferPointer, _ width: Int, _ structure: AdvertisingStructure,
    into list: WritableKeyPath<AdvertisedFields, [BluetoothUUID]>
  ) {
    var offset = 0
    while offset + width <= data.count {
      let uuid = BluetoothUUID(littleEndian: UnsafeRawBufferPointer(rebasing: data[offset..<offset + width]))
      if let uuid, self[keyPath: list].count < AdvertisedFields.countMaximum, !self[keyPath: list].contains(uuid) {
        self[keyPath: list].append(uuid)
      }
      offset += width
    }
    if offset != data.count { note(.partOfUUID, structure) }
  }

  private mutating func service(_ data: UnsafeRawBufferPointer, _ width: Int, _ structure: AdvertisingStructure) {
    guard data.count >= width,
      let uuid = BluetoothUUID(littleEndian: UnsafeRawBufferPointer(rebasing: data[..<width]))
    else { return note(.serviceDataTooShort, structure) }
    let value = ServiceData(uuid, Array(data[width...]))
    if let place = serviceData.firstIndex(where: { $0.service == uuid }) {
      serviceData[place] = value
    } else if serviceData.count < AdvertisedFields.countMaximum {
      serviceData.append(value)
    }
  }
}

extension AdvertisedFields {
  /// The fields as structures, in the order flags, services, solicited services, service data, manufacturer data, power,
  /// appearance, name.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ kind: AdvertisingStructure.Kind, _ data: some Collection<UInt8>) {
      bytes += AdvertisingStructure.bytes(kind, data)
    }
    func addList(_ uuids: [BluetoothUUID], _ kinds: [Int: AdvertisingStructure.Kind]) {
      for width in [2, 4, 16] {
        let of = uuids.map(\.littleEndian).filter { $0.count == width }
        if !of.isEmpty, let kind = kinds[width] { add(kind, of.flatMap { $0 }) }
      }
    }
    if let flags { add(.flags, [flags]) }
    addList(services, [2: .services16, 4: .services32, 16: .services128])
    addList(solicitedServices, [2: .solicitedServices16, 4: .solicitedServices32, 16: .solicitedServices128])
    for entry in serviceData {
      let uuid = entry.service.littleEndian
      add(uuid.count == 2 ? .serviceData16 : uuid.count == 4 ? .serviceData32 : .serviceData128, uuid + entry.data)
    }
    for data in manufacturerData { add(.manufacturerData, data) }
    if let transmitPower { add(.transmitPower, [UInt8(bitPattern: transmitPower)]) }
    if let appearance {
      add(.appearance, [UInt8](littleEndian: UInt64(appearance), count: 2))
    }
    if let name { add(isNameShortened ? .shortenedName : .completeName, name.utf8) }
    return bytes
  }
}
