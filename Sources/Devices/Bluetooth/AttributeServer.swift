package import RollcallPrimitives
package import RollcallWire

/// The server of attributes on one connection of a peripheral.
///
/// It shares no code with the engine's client: the two agree by the bytes alone.
package struct AttributeServer: Sendable {
  package private(set) var mtu = AttributePDU.mtuDefault
  /// Which characteristics this client subscribed to, by place: 1 notifications, 2 indications.
  package private(set) var subscriptions: [Int: UInt8] = [:]
  private var prepared: [(handle: UInt16, offset: Int, value: [UInt8])] = []
  /// An indication waits for its confirmation; others wait behind it.
  private var isUnconfirmed = false
  private var indications: [(handle: UInt16, value: [UInt8])] = []
  /// When it sends the value of a characteristic next, and how often it did.
  private(set) var timers: [Timer] = []
  private var writtenPlace: Int?
  /// What an application was not asked yet.
  var questions: [Question] = []
  /// How many frames the controller has room for.
  private var room = LinkSize.framesMaximum

  struct Timer: Sendable {
    var place: Int
    var dueAt: Instant
    var count: UInt32
  }

  static let preparedMaximum = 32
  static let indicationsMaximum = 16

  var deadline: Instant { timers.reduce(.never) { min($0, $1.dueAt) } }

  package init() {}

  package mutating func acknowledged(_ frames: UInt32) { room = min(LinkSize.framesMaximum, room + Int(frames)) }

  /// A frame came; what is sent for it.
  package mutating func receive(
    _ frame: [UInt8], _ table: inout AttributeTable, _ plan: GATTPlan, _ quirks: [PeripheralQuirk], at now: Instant
  ) -> [[UInt8]] {
    let pdus = frame.withUnsafeBytes { bytes -> [AttributePDU] in
      guard let channel = try? ChannelFrame(bytes), channel.channel == .attributes else { return [] }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[channel.payload])
      do throws(AttributeFault) {
        let pdu = try AttributePDU(payload, mtu: mtu)
        return answers(pdu, &table, plan, quirks, at: now)
      } catch {
        // A command is answered by nobody.
        guard let opcode = payload.first, opcode & 0x41 == 0,
          opcode != AttributePDU.Opcode.handleValueConfirmation.rawValue
        else {
          return []
        }
        return [.errorResponse(request: opcode, handle: 0, error: error.error)]
      }
    }
    return quirks.contains(.answersNothing) ? [] : pdus.map { self.frame(of: $0) }
  }

  /// A command of the signalling channel, which shares the room; `nil`: there is none.
  package mutating func signal(_ command: SignallingCommand) -> [UInt8]? {
    guard room > 0 else { return nil }
    room -= 1
    return ChannelFrame.bytes(.signalling, command.bytes)
  }

  mutating func frame(of pdu: AttributePDU) -> [UInt8] {
    room = max(0, room - 1)
    return ChannelFrame.bytes(.attributes, pdu.bytes)
  }

  private mutating func answers(
    _ pdu: AttributePDU, _ table: inout AttributeTable, _ plan: GATTPlan, _ quirks: [PeripheralQuirk], at now: Instant
  ) -> [AttributePDU] {
    func refuse(_ handle: UInt16, _ error: AttributeError) -> [AttributePDU] {
      [.errorResponse(request: pdu.opcode.rawValue, handle: handle, error: error)]
    }
    switch pdu {
    case .exchangeMTURequest(let other):
      let own = max(UInt16(AttributePDU.mtuDefault), plan.mtu)
      mtu = max(AttributePDU.mtuDefault, Int(min(own, other)))
      return [.exchangeMTUResponse(mtu: own)]
    case .findInformationRequest(let range):
      return [information(range, table) ?? refuse(range.lowerBound, .attributeNotFound)[0]]
    case .findByTypeValueRequest(let range, let type, let value):
      let found = table.all(in: range).filter {
        $0.attribute.type == BluetoothUUID(short: UInt32(type)) && $0.attribute.content == .constant(value)
      }
      if found.isEmpty { return refuse(range.lowerBound, .attributeNotFound) }
      return [
        .findByTypeValueResponse(
          found.prefix((mtu - 1) / 4).map { $0.handle...max($0.handle, $0.attribute.groupEnd) })
      ]
    case .readByGroupTypeRequest(let range, let type):
      guard type == .primaryService || type == .secondaryService else {
        return refuse(range.lowerBound, .unsupportedGroupType)
      }
      return [groups(range, type, table, quirks) ?? refuse(range.lowerBound, .attributeNotFound)[0]]
    case .readByTypeRequest(let range, let type): return [values(range, type, table)]
    case .readRequest(let handle):
      if quirks.contains(.answersWrongly) { return [.writeResponse] }
      if asks(.read, handle, table) { return question(.read(handle, offset: 0, isPart: false)) }
      switch value(of: handle, table) {
      case .success(let value): return [.readResponse(value: Array(value.prefix(mtu - 1)))]
      case .failure(let error): return refuse(handle, error)
      }
    case .readBlobRequest(let handle, let offset):
      if asks(.read, handle, table) { return question(.read(handle, offset: Int(offset), isPart: true)) }
      switch value(of: handle, table) {
      case .success(let value):
        if Int(offset) > value.count { return refuse(handle, .invalidOffset) }
        return [.readBlobResponse(value: Array(value.dropFirst(Int(offset)).prefix(mtu - 1)))]
      case .failure(let error): return refuse(handle, error)
      }
    case .writeRequest(let handle, let value):
      if let error = write(value, at: handle, &table, .write, now: now) { return refuse(handle, error) }
      if asks(.write, handle, table) { return question(.write([Part(handle, 0, value)], .request)) }
      return [.writeResponse] + changed(handle, table)
    case .writeCommand(let handle, let value):
      guard write(value, at: handle, &table, .writeWithoutResponse, now: now) == nil else { return [] }
      if asks(.write, handle, table) { return question(.write([Part(handle, 0, value)], .command)) }
      return changed(handle, table)
    case .prepareWriteRequest(let handle, let offset, let value):
      guard table[handle] != nil else { return refuse(handle, .invalidHandle) }
      guard prepared.count < AttributeServer.preparedMaximum else { return refuse(handle, .prepareQueueFull) }
      prepared.append((handle, Int(offset), value))
      return [.prepareWriteResponse(handle: handle, offset: offset, value: value)]
    case .executeWriteRequest(let writes):
      defer { prepared = [] }
      guard writes, let handle = prepared.first?.handle else { return [.executeWriteResponse] }
      if asks(.write, handle, table) {
        for part in prepared {
          guard asks(.write, part.handle, table) else { return refuse(part.handle, .invalidHandle) }
          if let error = write([], at: part.handle, &table, .write, now: now) { return refuse(part.handle, error) }
        }
        return question(.write(prepared.map { Part($0.handle, $0.offset, $0.value) }, .prepared))
      }
      var value: [UInt8] = []
      for part in prepared {
        guard part.handle == handle else { return refuse(part.handle, .invalidHandle) }
        guard part.offset == value.count else { return refuse(handle, .invalidOffset) }
        value += part.value
      }
      if let error = write(value, at: handle, &table, .write, now: now) { return refuse(handle, error) }
      return [.executeWriteResponse] + changed(handle, table)
    case .handleValueConfirmation:
      isUnconfirmed = false
      return nextIndication()
    default:
      // A request that this server does not know; a command or an answer is left alone.
      return pdu.opcode.rawValue & 0x41 == 0 ? refuse(0, .requestNotSupported) : []
    }
  }

  // MARK: - Lists

  private func information(_ range: ClosedRange<UInt16>, _ table: AttributeTable) -> AttributePDU? {
    let all = table.all(in: range)
    guard let first = all.first else { return nil }
    let size = first.attribute.type.attributeBytes.count
    let fits = all.prefix { $0.attribute.type.attributeBytes.count == size }.prefix((mtu - 2) / (2 + size))
    return .findInformationResponse(fits.map { AttributePDU.TypedHandle($0.handle, $0.attribute.type) })
  }

  private func groups(
    _ range: ClosedRange<UInt16>, _ type: BluetoothUUID, _ table: AttributeTable, _ quirks: [PeripheralQuirk]
  ) -> AttributePDU? {
    var groups: [AttributePDU.Group] = []
    for (handle, attribute) in table.all(in: range) where attribute.type == type {
      guard case .constant(let value) = attribute.content else { continue }
      if let first = groups.first, first.value.count != value.count { break }
      if (groups.count + 1) * (4 + value.count) > mtu - 2 { break }
      groups.append(AttributePDU.Group(handle...attribute.groupEnd, value))
    }
    if quirks.contains(.fallingHandles) { groups.reverse() }
    return groups.isEmpty ? nil : .readByGroupTypeResponse(groups)
  }

  private func values(_ range: ClosedRange<UInt16>, _ type: BluetoothUUID, _ table: AttributeTable) -> AttributePDU {
    var entries: [AttributePDU.HandleValue] = []
    for (handle, attribute) in table.all(in: range) where attribute.type == type {
      switch value(of: handle, table) {
      case .success(let value):
        let part = Array(value.prefix(min(253, mtu - 4)))
        if let first = entries.first, first.value.count != part.count { return .readByTypeResponse(entries) }
        if 2 + (entries.count + 1) * (2 + part.count) > mtu { return .readByTypeResponse(entries) }
        entries.append(AttributePDU.HandleValue(handle, part))
      case .failure(let error):
        // What cannot be read ends the list, and is the answer where it would be the first entry.
        if entries.isEmpty {
          return .errorResponse(request: AttributePDU.Opcode.readByTypeRequest.rawValue, handle: handle, error: error)
        }
        return .readByTypeResponse(entries)
      }
    }
    return entries.isEmpty
      ? .errorResponse(
        request: AttributePDU.Opcode.readByTypeRequest.rawValue, handle: range.lowerBound, error: .attributeNotFound)
      : .readByTypeResponse(entries)
  }

  // MARK: - Values

  private func value(of handle: UInt16, _ table: AttributeTable) -> Result<[UInt8], AttributeError> {
    guard let attribute = table[handle] else { return .failure(.invalidHandle) }
    switch attribute.content {
    case .vacant: return .failure(.invalidHandle)
    case .constant(let value): return .success(value)
    case .configuration(let place): return .success([subscriptions[place] ?? 0, 0])
    case .value(let place):
      let one = table.characteristics[place]
      switch one.plan.access?.read {
      case .refused(let error): return .failure(AttributeError(rawValue: error))
      // A list of values is not put together from what an application answers.
      case .asked: return .failure(.readNotPermitted)
      case .served: return .success(one.value)
      case nil: break
      }
      guard one.plan.properties.contains(.read) else { return .failure(.readNotPermitted) }
      if let error = one.plan.error { return .failure(AttributeError(rawValue: error)) }
      return .success(one.value)
    }
  }

  /// `nil`: it is written.
  private mutating func write(
    _ value: [UInt8], at handle: UInt16, _ table: inout AttributeTable, _ way: GATTCharacteristic.Properties,
    now: Instant
  ) -> AttributeError? {
    guard let attribute = table[handle] else { return .invalidHandle }
    switch attribute.content {
    case .constant, .vacant: return .writeNotPermitted
    case .configuration(let place):
      guard value.count == 2 else { return .invalidAttributeValueLength }
      let plan = table.characteristics[place].plan
      if value[0] != 0, let error = plan.access?.subscription { return AttributeError(rawValue: error) }
      let offered: UInt8 = (plan.properties.contains(.notify) ? 1 : 0) | (plan.properties.contains(.indicate) ? 2 : 0)
      guard value[1] == 0, value[0] & ~offered == 0, value[0] != 3 else { return .improperlyConfigured }
      subscriptions[place] = value[0] == 0 ? nil : value[0]
      timers.removeAll { $0.place == place }
      if value[0] != 0, let every = plan.sendsEvery { timers.append(Timer(place: place, dueAt: now + every, count: 0)) }
      return nil
    case .value(let place):
      let plan = table.characteristics[place].plan
      guard plan.properties.contains(way) else { return .writeNotPermitted }
      if let error = plan.error { return AttributeError(rawValue: error) }
      if case .refused(let error) = plan.access?.write { return AttributeError(rawValue: error) }
      guard value.count <= AttributePDU.valueBytesMaximum else { return .invalidAttributeValueLength }
      if plan.access?.write != .asked { table.characteristics[place].value = value }
      return nil
    }
  }

  /// A characteristic was written: who subscribed to it is told.
  private mutating func changed(_ handle: UInt16, _ table: AttributeTable) -> [AttributePDU] {
    guard case .value(let place) = table[handle]?.content else { return [] }
    writtenPlace = place
    return tell(place, table.characteristics[place].value, table)
  }

  /// Another client wrote a characteristic: this one is told if it subscribed.
  mutating func wasWritten(_ place: Int, _ table: AttributeTable) -> [[UInt8]] {
    send(table.characteristics[place].value, of: place, table)
  }

  /// Sends the client a value of a characteristic, if it subscribed to that.
  package mutating func send(_ value: [UInt8], of place: Int, _ table: AttributeTable) -> [[UInt8]] {
    tell(place, value, table).map { frame(of: $0) }
  }

  /// Whether one more value would be sent, behind `reserved` others.
  package func hasRoom(for place: Int, behind reserved: Int) -> Bool {
    switch subscriptions[place] {
    case 1: room > 2 + reserved
    case 2: indications.count + reserved < AttributeServer.indicationsMaximum
    default: true
    }
  }

  /// The characteristic that was written since the last call.
  mutating func takeWritten() -> Int? {
    defer { writtenPlace = nil }
    return writtenPlace
  }

  /// Sends a value to the client, if it subscribed.
  private mutating func tell(_ place: Int, _ value: [UInt8], _ table: AttributeTable) -> [AttributePDU] {
    let (handle, part) = (table.characteristics[place].handle, Array(value.prefix(mtu - 3)))
    switch subscriptions[place] {
    case 1: return room > 2 ? [.handleValueNotification(handle: handle, value: part)] : []
    case 2:
      guard indications.count < AttributeServer.indicationsMaximum else { return [] }
      indications.append((handle, part))
      return nextIndication()
    default: return []
    }
  }

  private mutating func nextIndication() -> [AttributePDU] {
    guard !isUnconfirmed, !indications.isEmpty else { return [] }
    isUnconfirmed = true
    let next = indications.removeFirst()
    return [.handleValueIndication(handle: next.handle, value: next.value)]
  }

  /// The attributes of a range are others now.
  package mutating func servicesChanged(_ range: ClosedRange<UInt16>, _ table: AttributeTable) -> [[UInt8]] {
    let places = table.characteristics.indices
    // ordered: it stays a dictionary.
    subscriptions = subscriptions.filter { place, _ in
      place == AttributeTable.serviceChanged
        || places.contains(place) && !range.contains(table.characteristics[place].handle)
    }
    timers.removeAll { subscriptions[$0.place] == nil }
    let value = [range.lowerBound, range.upperBound].flatMap { [UInt8](littleEndian: UInt64($0), count: 2) }
    return tell(AttributeTable.serviceChanged, value, table).map { frame(of: $0) }
  }

  /// What is sent because its time has come.
  mutating func wake(at now: Instant, _ table: AttributeTable) -> [[UInt8]] {
    var (sent, kept) = ([] as [[UInt8]], [] as [Timer])
    for var timer in timers {
      let characteristic = table.characteristics[timer.place]
      // Under another plan it may send nothing of its own accord.
      guard let every = characteristic.plan.sendsEvery else { continue }
      if timer.dueAt <= now {
        let value = AttributeServer.counted(characteristic.value, timer.count)
        for pdu in tell(timer.place, value, table) { sent.append(frame(of: pdu)) }
        (timer.dueAt, timer.count) = (timer.dueAt + every, timer.count &+ 1)
      }
      kept.append(timer)
    }
    timers = kept
    return sent
  }

  /// The number is added to the first four bytes, lowest first.
  private static func counted(_ value: [UInt8], _ count: UInt32) -> [UInt8] {
    var (bytes, rest) = (value, count)
    for place in bytes.indices.prefix(4) {
      let sum = UInt32(bytes[place]) + rest & 0xFF
      bytes[place] = UInt8(truncatingIfNeeded: sum)
      rest = rest >> 8 + (sum >> 8)
    }
    return bytes
  }
}
