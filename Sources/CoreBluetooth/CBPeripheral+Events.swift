import RollcallDoors

// What the phone tells of a connected peripheral, on the manager's queue. Everything is in its place before the
// delegate is called.
extension CBPeripheral {
  func receive(_ event: PhoneEvent) {
    switch event {
    case .nameChanged(_, let name):
      inner.withLock { $0.name = name }
      delegate?.peripheralDidUpdateName(self)
    case .services(_, let answer): take(answer)
    case .includedServices(_, let handle, let answer): take(answer, includedIn: handle)
    case .characteristics(_, let handle, let answer): take(answer, ofService: handle)
    case .descriptors(_, let handle, let answer): take(answer, ofCharacteristic: handle)
    case .value(_, let handle, let answer): take(answer, of: handle)
    case .written(_, let handle, let error): written(handle, error)
    case .notifying(_, let handle, let isOn, let error): notifying(handle, isOn, error)
    case .strength(_, let answer): take(strength: answer)
    case .servicesModified(_, let handles): modified(handles)
    case .readyToWrite: delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
    default: break
    }
  }

  /// Nothing that was found on a connection outlives it.
  func invalidateServices() {
    let found = inner.withLock { inner in
      defer {
        inner.services = nil
        inner.attributes = [:]
      }
      return inner.attributes
    }
    // ordered: each is only marked
    for attribute in found.values { attribute.invalidate() }
  }

  func restore(_ services: [RestoredService]) {
    guard !services.isEmpty else { return }
    let objects = services.map { service(for: $0.service) }
    inner.withLock { $0.services = objects }
    for (object, restored) in zip(objects, services) where !restored.characteristics.isEmpty {
      let found = restored.characteristics.map { characteristic(for: $0, in: object) }
      object.content.withLock { $0.characteristics = found }
      for characteristic in found {
        guard let handle = characteristic.handle else { continue }
        characteristic.content.withLock { $0.isNotifying = restored.notifying.contains(handle) }
      }
    }
  }

  private func attribute<Attribute: CBAttribute>(_ handle: UInt16, as type: Attribute.Type) -> Attribute? {
    inner.withLock { $0.attributes[handle] as? Attribute }
  }

  private func register(_ attribute: CBAttribute, _ handle: UInt16) {
    inner.withLock { $0.attributes[handle] = attribute }
  }

  /// The object of a service, made at its first discovery.
  private func service(for found: FoundService) -> CBService {
    if let known = attribute(found.handles.lowerBound, as: CBService.self), known.handles == found.handles,
      known.uuid.attribute == found.uuid
    {
      return known
    }
    let service = CBService(
      uuid: CBUUID(found.uuid), isPrimary: found.isPrimary, handles: found.handles, peripheral: self)
    register(service, found.handles.lowerBound)
    return service
  }

  private func characteristic(for found: FoundCharacteristic, in service: CBService) -> CBCharacteristic {
    if let known = attribute(found.handle, as: CBCharacteristic.self), known.uuid.attribute == found.uuid {
      return known
    }
    let characteristic = CBCharacteristic(
      uuid: CBUUID(found.uuid), properties: found.properties, value: nil, handle: found.handle, service: service)
    register(characteristic, found.handle)
    return characteristic
  }

  private func descriptor(for found: FoundDescriptor, of characteristic: CBCharacteristic) -> CBDescriptor {
    if let known = attribute(found.handle, as: CBDescriptor.self), known.uuid.attribute == found.uuid { return known }
    let descriptor = CBDescriptor(
      uuid: CBUUID(found.uuid), value: nil, handle: found.handle, characteristic: characteristic)
    register(descriptor, found.handle)
    return descriptor
  }

  /// What is new comes behind what was there: discoveries add up.
  private func joined<Attribute: CBAttribute>(_ old: [Attribute]?, _ new: [Attribute]) -> [Attribute] {
    var all = old ?? []
    for attribute in new where !all.contains(where: { $0 === attribute }) { all.append(attribute) }
    return all
  }

  private func take(_ answer: Result<[FoundService], PhoneError>) {
    var error: PhoneError?
    switch answer {
    case .success(let found):
      let objects = found.map { service(for: $0) }
      inner.withLock { $0.services = joined($0.services, objects) }
    case .failure(let failure): error = failure
    }
    delegate?.peripheral(self, didDiscoverServices: error?.asError)
  }

  private func take(_ answer: Result<[FoundService], PhoneError>, includedIn handle: UInt16) {
    guard let service = attribute(handle, as: CBService.self) else { return }
    var error: PhoneError?
    switch answer {
    case .success(let found):
      let objects = found.map { self.service(for: $0) }
      service.content.withLock { $0.included = joined($0.included, objects) }
    case .failure(let failure): error = failure
    }
    delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error?.asError)
  }

  private func take(_ answer: Result<[FoundCharacteristic], PhoneError>, ofService handle: UInt16) {
    guard let service = attribute(handle, as: CBService.self) else { return }
    var error: PhoneError?
    switch answer {
    case .success(let found):
      let objects = found.map { characteristic(for: $0, in: service) }
      service.content.withLock { $0.characteristics = joined($0.characteristics, objects) }
    case .failure(let failure): error = failure
    }
    delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error?.asError)
  }

  private func take(_ answer: Result<[FoundDescriptor], PhoneError>, ofCharacteristic handle: UInt16) {
    guard let characteristic = attribute(handle, as: CBCharacteristic.self) else { return }
    var error: PhoneError?
    switch answer {
    case .success(let found):
      let objects = found.map { descriptor(for: $0, of: characteristic) }
      characteristic.content.withLock { $0.descriptors = joined($0.descriptors, objects) }
    case .failure(let failure): error = failure
    }
    delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error?.asError)
  }

  private func take(_ answer: Result<[UInt8], PhoneError>, of handle: UInt16) {
    var error: PhoneError?
    if case .failure(let failure) = answer { error = failure }
    if let characteristic = attribute(handle, as: CBCharacteristic.self) {
      if case .success(let bytes) = answer { characteristic.content.withLock { $0.value = Data(bytes) } }
      delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error?.asError)
    } else if let descriptor = attribute(handle, as: CBDescriptor.self) {
      if case .success(let bytes) = answer { descriptor.hold(bytes) }
      delegate?.peripheral(self, didUpdateValueFor: descriptor, error: error?.asError)
    }
  }

  private func written(_ handle: UInt16, _ error: PhoneError?) {
    if let characteristic = attribute(handle, as: CBCharacteristic.self) {
      delegate?.peripheral(self, didWriteValueFor: characteristic, error: error?.asError)
    } else if let descriptor = attribute(handle, as: CBDescriptor.self) {
      delegate?.peripheral(self, didWriteValueFor: descriptor, error: error?.asError)
    }
  }

  private func notifying(_ handle: UInt16, _ isOn: Bool, _ error: PhoneError?) {
    guard let characteristic = attribute(handle, as: CBCharacteristic.self) else { return }
    characteristic.content.withLock { content in
      content.isNotifying = isOn
      content.changesUnderWay = max(0, content.changesUnderWay - 1)
    }
    delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error?.asError)
  }

  private func take(strength answer: Result<Int, PhoneError>) {
    switch answer {
    case .success(let strength):
      let number = NSNumber(value: strength)
      inner.withLock { $0.strength = number }
      delegate?.peripheral(self, didReadRSSI: number, error: nil)
    case .failure(let error):
      // Without a value there is nothing better than the number that means so.
      delegate?.peripheral(self, didReadRSSI: NSNumber(value: 127), error: error.asError)
    }
  }

  /// The services that the application knew are gone for it, and have to be discovered again.
  private func modified(_ handles: [UInt16]) {
    let gone = handles.compactMap { attribute($0, as: CBService.self) }
    for service in gone { remove(service) }
    delegate?.peripheral(self, didModifyServices: gone)
  }

  private func remove(_ service: CBService) {
    service.invalidate()
    guard let range = service.handles else { return }
    inner.withLock { inner in
      inner.services?.removeAll { $0 === service }
      // ordered: what is left is a dictionary again
      inner.attributes = inner.attributes.filter { !range.contains($0.key) }
    }
    for other in services ?? [] { other.content.withLock { $0.included?.removeAll { $0 === service } } }
  }
}
