package import RollcallPrimitives

/// A device as the bytes of one column.
///
/// One value for a device and all its services, and each text in it once: the keys of descriptions are the same for every
/// service, and so is most of what a device says of itself. 10 000 devices with six services each are read in a third of
/// the time that rows of their own take. The last eight bytes are a checksum, since SQLite has none for what it reads.
///
///     form     1 byte: 2
///     texts    a list of texts, each once, in the order in which they are first used
///     device   id, friendlyName, modelName, manufacturer, addresses, two times, services
///     service  uuid, serviceID, serviceType, description, config, pairingKey, certificate, when seen, former device
///     check    8 bytes, the lowest first: `Digest.hash` of all bytes before
///
/// A number is a varint: seven bits a byte, the lowest first. A text is its count of bytes and its bytes; where it is used
/// stands its place among the texts and one more, or 0: none. A list is its count and its elements. A run of bytes is its
/// count and one more, and its bytes, or 0: none. A time is 0, or 1 and eight bytes, the lowest first.
///
/// Form 1, which the first version of the store wrote, has no last two of a service. It is read as well: a record is written
/// anew when its device changes.
package enum DeviceRecord {
  static let form: UInt8 = 2

  package static func bytes(of device: StoredDevice) -> [UInt8] {
    var writer = RecordWriter()
    writer.text(device.id)
    writer.text(device.friendlyName)
    writer.text(device.modelName)
    writer.text(device.manufacturer)
    writer.number(device.addresses.count)
    for address in device.addresses { writer.text(address) }
    writer.time(device.lastSeenUnixSeconds)
    writer.time(device.lastConnectedUnixSeconds)
    writer.number(device.services.count)
    for service in device.services {
      writer.text(service.uuid)
      writer.text(service.serviceID)
      writer.text(service.serviceType)
      for pairs in [service.description, service.config] {
        writer.number(pairs.elements.count)
        for pair in pairs.elements {
          writer.text(pair.key)
          writer.text(pair.value)
        }
      }
      writer.run(service.pairingKey)
      writer.run(service.certificate)
      writer.time(service.lastSeenUnixSeconds)
      writer.text(service.formerDeviceID)
    }
    return writer.finished(form: form)
  }

  /// - Returns: `nil`: these are not the bytes that were written.
  package static func device(in bytes: UnsafeRawBufferPointer) -> StoredDevice? {
    guard bytes.count > 9 else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropLast(8))
    let check = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: body.count, as: UInt64.self))
    guard Digest.hash(body) == check, (1...form).contains(body[0]) else { return nil }
    let isOfFirstForm = body[0] == 1
    var reader = RecordReader(body, from: 1)
    reader.readTexts()
    let id = reader.text()
    let (friendlyName, modelName, manufacturer) = (reader.optionalText(), reader.optionalText(), reader.optionalText())
    let addresses = reader.list { $0.text() }
    let (seen, connected) = (reader.time(), reader.time())
    let services = reader.list { reader in
      StoredService(
        uuid: reader.text(), serviceID: reader.text(), serviceType: reader.optionalText(),
        description: reader.pairs(), config: reader.pairs(), pairingKey: reader.run(), certificate: reader.run(),
        lastSeenUnixSeconds: isOfFirstForm ? nil : reader.time(),
        formerDeviceID: isOfFirstForm ? nil : reader.optionalText())
    }
    guard reader.isWhole else { return nil }
    return StoredDevice(
      id: id, friendlyName: friendlyName, modelName: modelName, manufacturer: manufacturer, addresses: addresses,
      lastSeenUnixSeconds: seen, lastConnectedUnixSeconds: connected, services: services)
  }
}

/// Gathers the texts while it writes what refers to them.
private struct RecordWriter {
  private var texts: [UInt8] = []
  private var places: [TextBytes: Int] = [:]
  private var body: [UInt8] = []

  init() { body.reserveCapacity(1_024) }

  mutating func number(_ number: Int) { RecordWriter.add(number, to: &body) }

  mutating func text(_ text: String?) {
    guard let text else { return number(0) }
    let next = places.count
    let place = places[TextBytes(text: text), default: next]
    if place == next {
      places[TextBytes(text: text)] = next
      RecordWriter.add(text.utf8.count, to: &texts)
      texts.append(contentsOf: text.utf8)
    }
    number(place + 1)
  }

  mutating func run(_ run: [UInt8]?) {
    guard let run else { return number(0) }
    number(run.count + 1)
    body.append(contentsOf: run)
  }

  mutating func time(_ time: Int64?) {
    guard let time else { return number(0) }
    number(1)
    RecordWriter.add(word: UInt64(bitPattern: time), to: &body)
  }

  func finished(form: UInt8) -> [UInt8] {
    var bytes: [UInt8] = [form]
    bytes.reserveCapacity(texts.count + body.count + 12)
    RecordWriter.add(places.count, to: &bytes)
    bytes += texts
    bytes += body
    RecordWriter.add(word: bytes.withUnsafeBytes(Digest.hash), to: &bytes)
    return bytes
  }

  private static func add(_ number: Int, to bytes: inout [UInt8]) {
    var rest = UInt(bitPattern: number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func add(word: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }
}

/// A text that equals another one only if their bytes are the same: an accent can be written in two ways.
private struct TextBytes: Hashable {
  var text: String

  static func == (left: TextBytes, right: TextBytes) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Reads what the writer wrote. The checksum held before; where the bytes are still not what they should be it gives empty
/// values and ends.
private struct RecordReader {
  private let bytes: UnsafeRawBufferPointer
  private var place: Int
  private var texts: [String] = []
  private var isBroken = false

  init(_ bytes: UnsafeRawBufferPointer, from place: Int) { (self.bytes, self.place) = (bytes, place) }

  /// Whether all was as expected, and no byte is left.
  var isWhole: Bool { !isBroken && place == bytes.count }

  mutating func readTexts() {
    texts = list { reader in String(decoding: reader.taken(reader.number()), as: UTF8.self) }
  }

  mutating func text() -> String {
    if let text = optionalText() { return text }
    _ = fail()
    return ""
  }

  mutating func optionalText() -> String? {
    let number = number()
    if number > 0, number <= texts.count { return texts[number - 1] }
    if number > 0 { _ = fail() }
    return nil
  }

  mutating func run() -> [UInt8]? {
    let count = number()
    return count == 0 ? nil : [UInt8](taken(count - 1))
  }

  mutating func time() -> Int64? {
    guard number() == 1 else { return nil }
    let eight = taken(8)
    return eight.count == 8 ? Int64(littleEndian: eight.loadUnaligned(as: Int64.self)) : nil
  }

  mutating func pairs() -> StoredPairs {
    StoredPairs(unique: list { StoredPairs.Pair(key: $0.text(), value: $0.text()) })
  }

  /// An element takes a byte at least, so a count beyond the bytes that are left is wrong.
  mutating func list<Element>(_ element: (inout RecordReader) -> Element) -> [Element] {
    let number = number()
    let count = number <= bytes.count - place ? number : fail()
    var list: [Element] = []
    list.reserveCapacity(count)
    for _ in 0..<count where !isBroken { list.append(element(&self)) }
    return list
  }

  private mutating func number() -> Int {
    var number: UInt = 0
    var shift: UInt = 0
    while place < bytes.count, shift < 56 {
      let byte = bytes[place]
      place += 1
      number |= UInt(byte & 0x7F) << shift
      if byte < 0x80 { return Int(number) }
      shift += 7
    }
    return fail()
  }

  private mutating func taken(_ count: Int) -> UnsafeRawBufferPointer {
    let count = count <= bytes.count - place ? count : fail()
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }

  private mutating func fail() -> Int {
    isBroken = true
    place = bytes.count
    return 0
  }
}
